/* SPDX-License-Identifier: Apache-2.0
 *
 * Random specs for the driver: the tests' own, and some that crowd where two rules or a product
 * meet: boxes of nearly as many bytes as a copy may have, products beyond 32 bits, sizes from 2^31
 * on beside pixel box corners.
 */
#include "random_specs.h"

#include "support/gen/gen_spec.h"

#define COPY_LIMIT_B  233472
#define MOST_RANK     8 /* beyond, a driver may read arrays that nobody has before it refuses */
#define PICK(r, pool) (pool)[random_below(r, sizeof(pool) / sizeof((pool)[0]))]

struct random_source case_source(uint64_t seed, uint64_t number) {
    struct random_source outer = {seed};
    struct random_source inner = {random_u64(&outer) ^ number * UINT64_C(0xD1342543DE82EF95)};
    inner.state = random_u64(&inner) ^ number;
    return inner;
}

static uint32_t beside(struct random_source *r, uint64_t value) {
    const uint64_t moved = value + random_below(r, 5);
    return moved > 2 ? (uint32_t)(moved - 2) : 1;
}

/* A number from 1 to 256 that is nearly `left`, or divides it. */
static uint32_t factor(struct random_source *r, uint64_t left, int last) {
    static const uint32_t divisors[] = {1,  2,  3,  4,  6,  8,   12,  16,  19,  24,  32, 38,
                                        48, 57, 64, 76, 96, 114, 128, 152, 192, 228, 256};
    uint32_t least = left > 256 && last ? 256 : (uint32_t)left;
    if (!last) {
        least = PICK(r, divisors);
        least = least > left ? (uint32_t)left : least;
    }
    return least ? least : 1;
}

/* A tiled box whose bytes, as the driver counts them, are at the limit or a little beside it. */
static void crowd_box(struct random_source *r, tma_spec *s) {
    const uint32_t bits = tma_dtype_bits(s->dtype) ? tma_dtype_bits(s->dtype) : 8;
    uint64_t left = (uint64_t)COPY_LIMIT_B * 8 / bits;
    const uint32_t granule_el = 128 / bits;
    for (uint32_t i = 0; i < s->rank && i < TMA_MAX_RANK; i++) {
        const uint32_t step = random_one_in(r, 4) ? random_in(r, 1, 8) : 1;
        uint32_t steps = factor(r, left, i + 1 == s->rank);
        if (i + 1 == s->rank) {
            steps = beside(r, steps);
        }
        uint64_t box_el = (uint64_t)steps * step + random_below(r, step);
        if (i == 0) {
            box_el = (box_el + granule_el - 1) / granule_el * granule_el;
        }
        s->element_stride[i] = step;
        s->box_el[i] = box_el > 256 && !random_one_in(r, 20) ? 256 : (uint32_t)box_el;
        steps = s->box_el[i] / step;
        left = steps ? left / steps : left;
    }
}

/* Boxes whose bytes are 2^32 and more, and little beyond. */
static void huge_box(struct random_source *r, tma_spec *s) {
    static const uint32_t pool[] = {256, 256, 256, 256, 128, 255, 64, 16, 192, 1};
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        s->box_el[i] = PICK(r, pool);
        s->element_stride[i] = random_one_in(r, 6) ? random_in(r, 1, 8) : 1;
    }
}

/* A column of nearly as many bytes as a copy may have. */
static void crowd_column(struct random_source *r, tma_spec *s) {
    const uint32_t bits = tma_dtype_bits(s->dtype) ? tma_dtype_bits(s->dtype) : 8;
    const uint32_t granule_el = 128 / bits;
    s->channels_per_pixel = granule_el * random_in(r, 1, 256 / granule_el);
    s->pixels_per_column = beside(r, (uint64_t)COPY_LIMIT_B * 8 / bits / s->channels_per_pixel);
}

/* Sizes from 2^31 on, whose sum with a corner wraps. */
static void crowd_corners(struct random_source *r, tma_spec *s) {
    static const uint64_t sizes[] = {0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000,
                                     0x7FFF8000, 0x80008000, 0xFFFF8000, 1};
    const int32_t half = s->rank == 3 ? 32768 : s->rank == 4 ? 128 : 16;
    for (uint32_t i = 0; i + 2 < s->rank && i < TMA_MAX_SPATIAL; i++) {
        uint64_t *dim_el = &s->dim_el[i + (s->interleave ? 0 : 1)];
        if (random_one_in(r, 2)) {
            *dim_el = PICK(r, sizes) + random_below(r, 5) - 2;
        }
        s->lower_px[i] = (int32_t)random_below(r, (uint64_t)2 * half) - half;
        s->upper_px[i] = random_one_in(r, 2) ? s->lower_px[i] + (int32_t)random_below(r, 5) - 2
                                             : (int32_t)random_below(r, (uint64_t)2 * half) - half;
    }
}

/* What the calls cannot be asked: a fourth call, and ranks that make a driver read far behind the
 * arrays. */
static tma_spec askable(tma_spec s) {
    s.api = s.api > TMA_API_WIDE ? s.api % 3 : s.api;
    s.rank = s.rank > MOST_RANK ? MOST_RANK : s.rank;
    return s;
}

tma_spec encode_case(struct random_source *r, const tma_target *target) {
    tma_spec s;
    const uint32_t shape = (uint32_t)random_below(r, 16);
    if (shape >= 4) {
        return askable(gen_spec(r, target));
    }
    s = gen_good_spec(r, target);
    if (s.api == TMA_API_TILED) {
        if (shape == 3) {
            huge_box(r, &s);
        } else {
            crowd_box(r, &s);
        }
    } else if (shape >= 2) {
        crowd_column(r, &s);
    } else {
        crowd_corners(r, &s);
    }
    if (random_one_in(r, 8)) {
        gen_spoil(r, &s);
    }
    return askable(s);
}

uint64_t replaced_address(struct random_source *r) {
    static const uint64_t pool[] = {0,
                                    8,
                                    16,
                                    (UINT64_C(1) << 57) - 16,
                                    UINT64_C(1) << 57,
                                    (UINT64_C(1) << 57) + 16,
                                    UINT64_MAX,
                                    UINT64_MAX - 15};
    if (random_one_in(r, 4)) {
        return pool[random_below(r, sizeof(pool) / sizeof(pool[0]))];
    }
    const uint64_t address = random_length(r, random_one_in(r, 4) ? 64 : 57);
    return random_one_in(r, 4) ? address : address & ~UINT64_C(15);
}
