/* SPDX-License-Identifier: Apache-2.0
 *
 * A tensor copy and wgmma together: what tma_mma_compare() says of a map and a descriptor, against
 * the elements that the instruction was seen to read.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "wgmma_cases.h"

#define MOST_AT_ONCE 250
#define MOST_MN      256
#define MOST_K       32

struct pair {
    tma_spec spec;
    tma_mma_tile tile;
    tma_mma_operand operand;
    tma_mma_descriptor descriptor;
    uint32_t mn0, k0;
};

#define NO_DTYPE UINT32_MAX

/* The map's type for elements of this type. */
static uint32_t dtype_of(uint32_t type) {
    static const struct {
        uint8_t type, dtype;
    } types[] = {{TMA_MMA_TYPE_F16, TMA_DTYPE_FLOAT16},  {TMA_MMA_TYPE_BF16, TMA_DTYPE_BFLOAT16},
                 {TMA_MMA_TYPE_TF32, TMA_DTYPE_FLOAT32}, {TMA_MMA_TYPE_E4M3, TMA_DTYPE_UINT8},
                 {TMA_MMA_TYPE_E5M2, TMA_DTYPE_UINT8},   {TMA_MMA_TYPE_S8, TMA_DTYPE_UINT8},
                 {TMA_MMA_TYPE_U8, TMA_DTYPE_UINT8}};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (types[i].type == type) {
            return types[i].dtype;
        }
    }
    return NO_DTYPE;
}

static void draw_map(struct random_source *r, struct pair *p, const tma_mma_operand *o) {
    static const uint32_t swizzles[] = {TMA_SWIZZLE_NONE, TMA_SWIZZLE_32B, TMA_SWIZZLE_64B,
                                        TMA_SWIZZLE_128B};
    memset(p, 0, sizeof(*p));
    const uint32_t element_B = tma_mma_type_at(o->type)->bits / 8u;
    const int many_rows = o->mn_el > DEVICE_MMA_N;
    p->spec.dtype = dtype_of(o->type);
    p->operand = *o;
    p->spec.swizzle = swizzles[random_below(r, 4)];
    const uint32_t span_B = p->spec.swizzle ? tma_swizzle_span_B(p->spec.swizzle) : 16;
    p->spec.rank = random_one_in(r, 2) ? 3 : 2;
    p->tile.panel_dims = p->spec.rank == 3;
    p->spec.box_el[0] = (random_one_in(r, 6) ? 16 : span_B) / element_B;
    p->spec.box_el[1] = 8 * random_in(r, 2, many_rows ? 32 : 16);
    p->spec.box_el[2] = random_in(r, 1, many_rows ? 4 : 8);
    for (uint32_t i = 0; i < p->spec.rank; i++) {
        p->spec.dim_el[i] = p->spec.box_el[i];
    }
    const uint32_t align = random_one_in(r, 3) ? 128 : 1024;
    p->tile.shared_address =
        (DEVICE_MMA_FIRST_B + align * (uint32_t)random_below(r, 16 * 1024 / align) + align - 1) /
        align * align;
}

/* The right descriptor, the same with something changed, or now and then, where there is none, any.
 * 0: another map, please. */
static int draw_descriptor(struct random_source *r, struct pair *p) {
    tma_mma_why why;
    const int right = tma_mma_descriptor_of(&p->descriptor, &why, &p->spec, &p->tile, TMA_MMA_WGMMA,
                                            &p->operand, p->mn0, p->k0) == TMA_OK;
    if (!right && !random_one_in(r, 8)) {
        return 0;
    }
    if (!right) {
        p->descriptor = (tma_mma_descriptor){.swizzle = p->spec.swizzle,
                                             .start_B = p->tile.shared_address,
                                             .leading_B = 16u << random_below(r, 8),
                                             .stride_B = 128u << random_below(r, 4)};
    } else if (random_one_in(r, 2)) {
        uint32_t *const member[] = {&p->descriptor.start_B, &p->descriptor.leading_B,
                                    &p->descriptor.stride_B};
        const uint64_t which = random_below(r, 5);
        if (which < 3) {
            *member[which] ^= 16u << random_below(r, 8);
        } else if (which == 3) {
            p->descriptor.base_offset = (uint32_t)random_below(r, 8);
        } else {
            p->descriptor.swizzle = (p->descriptor.swizzle + 1) % (TMA_SWIZZLE_128B + 1);
        }
    }
    return 1;
}

static int is_inside(const struct pair *p) {
    for (uint32_t mn = 0; mn < p->operand.mn_el; mn++) {
        for (uint32_t k = 0; k < p->operand.k_el; k++) {
            const uint32_t at = tma_mma_read(&p->descriptor, &p->operand, mn, k).address_B;
            if (at < DEVICE_MMA_FIRST_B || at >= DEVICE_MMA_LAST_B) {
                return 0;
            }
        }
    }
    return 1;
}

static void draw(struct random_source *r, struct pair *p, const struct wgmma_kind *kind) {
    const uint32_t k_el = kind->operand.k_el;
    int drawn;
    do {
        draw_map(r, p, &kind->operand);
        const tma_mma_extent size = tma_mma_extent_of(&p->spec, &p->tile, &p->operand);
        p->k0 = size.k_el > k_el ? k_el * (uint32_t)random_below(r, size.k_el / k_el) : 0;
        p->mn0 = size.mn_el > p->operand.mn_el && random_one_in(r, 2)
                     ? 8 * (uint32_t)random_below(r, (size.mn_el - p->operand.mn_el) / 8 + 1)
                     : 0;
        drawn = draw_descriptor(r, p);
    } while (!drawn || !is_inside(p));
}

static uint32_t in_tensor(const struct pair *p, uint32_t mn, uint32_t k) {
    const uint32_t major = p->operand.major ? mn : k;
    const uint32_t row = p->operand.major ? k : mn;
    const uint32_t row_el = p->spec.box_el[0];
    return (major / row_el * p->spec.box_el[1] + row) * row_el + major % row_el;
}

/* What the instruction was seen to read against what was said: 0 the same. */
static int differs(const struct pair *p, const tma_mma_difference *said, const uint32_t *numbers) {
    const tma_mma_extent size = tma_mma_extent_of(&p->spec, &p->tile, &p->operand);
    uint64_t equal = 0;
    int first = 1;
    for (uint32_t e = 0; e < p->operand.mn_el * p->operand.k_el; e++) {
        const uint32_t mn = p->mn0 + e / p->operand.k_el;
        const uint32_t k = p->k0 + e % p->operand.k_el;
        const int is = mn < size.mn_el && k < size.k_el && numbers[e] == in_tensor(p, mn, k);
        equal += (uint64_t)is;
        if (!is && first) {
            first = 0;
            const uint32_t other = said->has_element ? in_tensor(p, said->other_mn, said->other_k)
                                                     : DEVICE_MMA_NOTHING;
            if (said->mn != mn - p->mn0 || said->k != k - p->k0 || numbers[e] != other) {
                return 1;
            }
        }
    }
    return equal != said->equal_el;
}

static void report_pair(uint32_t i, const struct pair *p, uint64_t bits,
                        const tma_mma_difference *said, const uint32_t *numbers) {
    printf("pair %u: %c %s-major, descriptor 0x%016" PRIx64 ", swizzle %u, box %u x %u x %u, %u "
           "dimensions, at 0x%x, from (%u, %u): libtma says %" PRIu64 " of %" PRIu64
           " agree, the first that does not is (%u, %u); read:",
           i, p->operand.matrix ? 'B' : 'A', p->operand.major ? "MN" : "K", bits, p->spec.swizzle,
           p->spec.box_el[0], p->spec.box_el[1], p->spec.box_el[2], p->spec.rank,
           p->tile.shared_address, p->mn0, p->k0, said->equal_el, said->all_el, said->mn, said->k);
    const tma_mma_extent size = tma_mma_extent_of(&p->spec, &p->tile, &p->operand);
    for (uint32_t e = 0; e < 24; e++) {
        const uint32_t mn = p->mn0 + e / p->operand.k_el, k = p->k0 + e % p->operand.k_el;
        printf(" %d for %d", (int)numbers[e],
               mn < size.mn_el && k < size.k_el ? (int)in_tensor(p, mn, k) : -1);
    }
    printf("\n");
}

static const char *make_maps(tma_map *maps, struct device_mma_tile *tile, const struct pair *p,
                             uint64_t tensor, uint32_t passes) {
    tma_spec spec = p->spec;
    const uint32_t panels = spec.rank == 3 ? spec.box_el[2] : 1;
    *tile = (struct device_mma_tile){.shared_at = p->tile.shared_address,
                                     .expect_B = spec.box_el[0] * spec.box_el[1] * panels *
                                                 (tma_mma_type_at(p->operand.type)->bits / 8u),
                                     .rank = spec.rank};
    for (uint32_t pass = 0; pass < passes; pass++) {
        spec.address = tensor + (uint64_t)pass * DEVICE_MMA_TENSOR_B;
        if (tma_spec_fill(&spec) != TMA_OK || tma_encode(maps[pass].bytes, &spec, NULL) != TMA_OK) {
            return "a map that does not encode";
        }
    }
    return NULL;
}

struct pairs {
    struct pair pair[MOST_AT_ONCE];
    uint64_t bits[MOST_AT_ONCE];
    struct device_mma_tile tiles[MOST_AT_ONCE];
    tma_map maps[MOST_AT_ONCE * DEVICE_MMA_PASSES];
    uint32_t numbers[MOST_AT_ONCE * MOST_MN * MOST_K];
};

static const char *run(struct pairs *all, const struct wgmma_kind *kind, struct random_source *r,
                       uint32_t count, uint64_t *disagree, struct tally *tally) {
    uint64_t tensor = 0;
    uint32_t passes = 0;
    const char *error = device_mma_tensor(kind->operand.type, &tensor, &passes);
    for (uint32_t i = 0; i < count && !error; i++) {
        draw(r, &all->pair[i], kind);
        error = make_maps(&all->maps[(size_t)i * DEVICE_MMA_PASSES], &all->tiles[i], &all->pair[i],
                          tensor, passes);
        if (tma_mma_encode(&all->bits[i], &all->pair[i].descriptor) != TMA_OK) {
            error = "a descriptor that does not encode";
        }
    }
    error = error ? error
                  : device_mma_tiles(&kind->operand, kind->n, all->bits, all->tiles, all->maps,
                                     count, all->numbers);
    for (uint32_t i = 0; i < count && !error; i++) {
        const struct pair *p = &all->pair[i];
        tma_mma_difference said;
        if (tma_mma_compare(&said, &p->descriptor, &p->operand, &p->spec, &p->tile, p->mn0,
                            p->k0) != TMA_OK) {
            return "a pair that is not compared";
        }
        const int wrong =
            differs(p, &said, &all->numbers[(size_t)i * p->operand.mn_el * p->operand.k_el]);
        *disagree += said.equal_el != said.all_el;
        tally->passed += !wrong;
        tally->failed += (uint64_t)wrong;
        if (wrong && tally->failed <= MOST_REPORTS) {
            report_pair(i, p, all->bits[i], &said,
                        &all->numbers[(size_t)i * p->operand.mn_el * p->operand.k_el]);
        }
    }
    return error;
}

struct tally wgmma_tiles(const struct session *s, uint32_t each) {
    struct tally tally = {0, 0};
    struct random_source r = {s->seed};
    struct wgmma_kind kind;
    uint64_t disagree = 0;
    const char *error = NULL;
    struct pairs *all = malloc(sizeof(*all));
    if (!all) {
        return (struct tally){0, 1};
    }
    for (size_t i = 0; wgmma_kind_at(&kind, i) && !error; i++) {
        if (!kind.sparse && dtype_of(kind.operand.type) != NO_DTYPE) {
            const uint64_t before = disagree;
            char name[64];
            wgmma_kind_name(name, sizeof(name), &kind);
            error =
                run(all, &kind, &r, each < MOST_AT_ONCE ? each : MOST_AT_ONCE, &disagree, &tally);
            printf("%-27s %u pairs, %" PRIu64 " disagree\n", name, each, disagree - before);
        }
    }
    if (error) {
        printf("wgmma: a kernel with a copy ended with %s\n", error);
        tally.failed++;
    }
    printf("wgmma: %" PRIu64 " pairs of map and descriptor, %" PRIu64 " of which disagree: %" PRIu64
           " verdicts are what was read, %" PRIu64 " are not\n",
           tally.passed + tally.failed, disagree, tally.passed, tally.failed);
    free(all);
    return tally;
}
