/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps of all kinds planted among other bytes: all are found, none is invented. The environment's
 * TMA_FIND_MIB says among how many MiB (default: 24), TMA_FIND_FILE where that memory is kept, and
 * with .planted behind it what is in it where.
 */
#include "support/testing.h"

#include <time.h>

#include "support/gen/gen_spec.h"
#include <tma/tma.h>

#define PLANTED   1000
#define MIB       ((size_t)1 << 20)
#define PLACE_B   256 /* room for a map at any of its 16-byte steps */
#define NO_DRIVER UINT32_MAX

typedef void fill_fn(struct random_source *r, uint8_t *at, size_t size);

static void put(uint8_t *at, const void *from, size_t size) {
    memcpy(at, from, size);
}

static void fill_random(struct random_source *r, uint8_t *at, size_t size) {
    for (size_t i = 0; i < size; i += 8) {
        const uint64_t v = random_u64(r);
        put(at + i, &v, 8);
    }
}

static void fill_text(struct random_source *r, uint8_t *at, size_t size) {
    static const char letters[] = "etaoin shrdlu\ncmfwyp vbgk, 0123456789.";
    for (size_t i = 0; i < size; i++) {
        at[i] = (uint8_t)letters[random_below(r, sizeof(letters) - 1)];
    }
}

/* Words that are zero now and then, as strings with their ends and padding are. */
static void fill_padded_text(struct random_source *r, uint8_t *at, size_t size) {
    fill_text(r, at, size);
    for (size_t i = 0; i + 64 <= size; i += 64) {
        const size_t length = random_below(r, 65);
        memset(at + i + length, 0, 64 - length);
    }
}

static void fill_floats(struct random_source *r, uint8_t *at, size_t size) {
    for (size_t i = 0; i < size; i += 4) {
        const float v = (float)((double)random_u64(r) / 1.8e19 * 4 - 2);
        put(at + i, &v, 4);
    }
}

/* Behind a ReLU: half of them zero. */
static void fill_sparse_floats(struct random_source *r, uint8_t *at, size_t size) {
    fill_floats(r, at, size);
    for (size_t i = 0; i < size; i += 4) {
        memset(at + i, 0, random_one_in(r, 2) ? 4 : 0);
    }
}

static void fill_sparse_halves(struct random_source *r, uint8_t *at, size_t size) {
    fill_random(r, at, size);
    for (size_t i = 0; i < size; i += 2) {
        at[i + 1] = (uint8_t)(0x34 + (at[i + 1] & 0x8B));
        memset(at + i, 0, random_one_in(r, 2) ? 2 : 0);
    }
}

static void fill_doubles(struct random_source *r, uint8_t *at, size_t size) {
    for (size_t i = 0; i < size; i += 8) {
        const double v = random_one_in(r, 3) ? 0 : (double)random_below(r, 1000) / 8;
        put(at + i, &v, 8);
    }
}

static void fill_small_integers(struct random_source *r, uint8_t *at, size_t size) {
    for (size_t i = 0; i < size; i += 4) {
        const uint32_t v = random_one_in(r, 2) ? 0 : (uint32_t)random_length(r, 20);
        put(at + i, &v, 4);
    }
}

static void fill_indices(struct random_source *r, uint8_t *at, size_t size) {
    const uint64_t base = random_length(r, 40);
    const uint64_t step = random_below(r, 64);
    for (size_t i = 0; i < size; i += 8) {
        const uint64_t v = base + i / 8 * step;
        put(at + i, &v, 8);
    }
}

/* What a heap holds: pointers, sizes, flags, zeros. */
static void fill_objects(struct random_source *r, uint8_t *at, size_t size) {
    for (size_t i = 0; i < size; i += 8) {
        const uint64_t kind = random_below(r, 4);
        const uint64_t v = kind == 0   ? 0
                           : kind == 1 ? (UINT64_C(0x7f0000000000) | random_length(r, 32)) & ~15ull
                           : kind == 2 ? random_length(r, 16) | random_length(r, 12) << 32
                                       : UINT64_C(1) << random_below(r, 33);
        put(at + i, &v, 8);
    }
}

static void fill_zeros(struct random_source *r, uint8_t *at, size_t size) {
    (void)r;
    memset(at, 0, size);
}

static fill_fn *const fills[] = {
    fill_random,        fill_text,          fill_padded_text, fill_floats,
    fill_sparse_floats, fill_sparse_halves, fill_doubles,     fill_small_integers,
    fill_indices,       fill_objects,       fill_zeros,
};

static uint32_t pick(struct random_source *r, const uint32_t *from, size_t count) {
    return from[random_below(r, count)];
}

/* A tensor as programs have them: its dimensions in memory in any order, rows padded or not. */
static tma_spec tensor(struct random_source *r) {
    static const uint32_t types[] = {TMA_DTYPE_UINT8, TMA_DTYPE_FLOAT16, TMA_DTYPE_BFLOAT16,
                                     TMA_DTYPE_FLOAT32, TMA_DTYPE_FLOAT64};
    static const uint32_t boxes[] = {1, 2, 4, 8};
    tma_spec s;
    uint32_t order[TMA_MAX_RANK] = {0, 1, 2, 3, 4};
    memset(&s, 0, sizeof(s));
    s.dtype = pick(r, types, COUNT_OF(types));
    s.rank = random_in(r, 1, 5);
    s.address = UINT64_C(0x7f0000000000) + (random_u64(r) & 0xFFFFFFFF0);
    s.l2 = random_in(r, 0, 3);
    const uint32_t size_B = tma_dtype_bits(s.dtype) / 8;
    for (uint32_t i = 0; i < s.rank; i++) {
        s.dim_el[i] = i ? random_in(r, 1, 60) : random_in(r, 2, 4000);
        s.box_el[i] = pick(r, boxes, COUNT_OF(boxes));
        s.element_stride[i] = 1;
    }
    s.box_el[0] = 16 * random_in(r, 1, 2) / size_B;
    s.swizzle = random_in(r, 0, 3);
    s.swizzle = s.swizzle == TMA_SWIZZLE_NONE ? s.swizzle : TMA_SWIZZLE_32B;
    for (uint32_t i = s.rank - 1; i > 1; i--) {
        const uint32_t with = random_in(r, 1, i);
        const uint32_t kept = order[i];
        order[i] = order[with];
        order[with] = kept;
    }
    uint64_t extent_B = (s.dim_el[0] * size_B + 15) / 16 * 16;
    for (uint32_t i = 1; i < s.rank; i++) {
        s.stride_B[order[i] - 1] = extent_B + 16 * random_below(r, 4);
        extent_B = s.stride_B[order[i] - 1] * s.dim_el[order[i]];
    }
    return s;
}

typedef struct planted {
    size_t offset;
    uint32_t form;
} planted;

/* Makes a map of a random kind; returns its form. */
static uint32_t make_map(struct random_source *r, uint8_t map[TMA_MAP_BYTES]) {
    const tma_target target = gen_target(r);
    const tma_target blackwell = {.sm = 100, .suffix = 'a', .driver = 13020};
    const uint32_t form = (uint32_t)random_below(r, TMA_FOUND_FORMS);
    tma_map made;
    if (form == TMA_FOUND_WHOLE) {
        tma_spec spec;
        do {
            spec = gen_good_spec(r, &target);
        } while (tma_encode(made.bytes, &spec, &target) != TMA_OK);
    } else {
        const tma_spec spec = tensor(r);
        assert_int_equal(tma_encode(made.bytes, &spec, &blackwell), TMA_OK);
    }
    if (form == TMA_FOUND_EDITED) {
        tma_decoded before;
        assert_int_equal(tma_decode(&before, made.bytes), TMA_OK);
        assert_int_equal(tma_replace(made.bytes,
                                     &(tma_edit){.field = TMA_REPLACE_BOX_DIM,
                                                 .value = before.spec.box_el[0] > 16 ? 16 : 32},
                                     NULL),
                         TMA_OK);
    } else if (form == TMA_FOUND_BUILT) {
        memset(made.bytes + 64, 0, 64);
        if (!(made.bytes[8] | made.bytes[9] | made.bytes[10])) {
            made.bytes[10] = 4; /* no map says so little: L2 promotion 128B */
        }
    } else if (form == TMA_FOUND_CUTE_DSL) {
        made.bytes[8] |= 2;
        for (size_t i = 64; i < TMA_MAP_BYTES; i += 8) {
            const uint64_t anything = random_one_in(r, 2) ? 0 : random_u64(r);
            put(made.bytes + i, &anything, 8);
        }
    }
    memcpy(map, made.bytes, TMA_MAP_BYTES);
    return form;
}

static size_t memory_B(void) {
    const char *text = getenv("TMA_FIND_MIB");
    const unsigned long asked = text ? strtoul(text, NULL, 10) : 0;
    return (asked ? asked : 24) * MIB;
}

static void fill_memory(struct random_source *r, uint8_t *memory, size_t size) {
    const size_t piece_B = 64 << 10;
    for (size_t at = 0; at < size; at += piece_B) {
        fills[at / piece_B % COUNT_OF(fills)](r, memory + at, piece_B);
    }
}

static void keep_file(const uint8_t *memory, size_t size, const planted *maps) {
    char name[4096];
    const char *path = getenv("TMA_FIND_FILE");
    if (!path) {
        return;
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(memory, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    snprintf(name, sizeof(name), "%s.planted", path);
    file = fopen(name, "w");
    assert_non_null(file);
    for (size_t i = 0; i < PLANTED; i++) {
        fprintf(file, "%zu %s\n", maps[i].offset, tma_found_form_name(maps[i].form));
    }
    assert_int_equal(fclose(file), 0);
}

static void all_are_found_and_none_invented(void **state) {
    (void)state;
    struct random_source r = {71};
    const size_t size = memory_B();
    uint8_t *memory = malloc(size);
    planted *maps = malloc(PLANTED * sizeof(*maps));
    assert_non_null(memory);
    assert_non_null(maps);
    fill_memory(&r, memory, size);
    for (size_t i = 0; i < PLANTED; i++) {
        const size_t room = size / PLANTED / PLACE_B * PLACE_B;
        maps[i].offset =
            i * room + random_below(&r, (room - TMA_MAP_BYTES) / TMA_FIND_STEP_B) * TMA_FIND_STEP_B;
        maps[i].form = make_map(&r, memory + maps[i].offset);
    }
    keep_file(memory, size, maps);
    const clock_t start = clock();
    size_t at = 0;
    size_t count = 0;
    tma_found found;
    while (tma_find_next(&found, memory, size, &at, size)) {
        if (count == PLANTED || found.offset != maps[count].offset ||
            found.form != maps[count].form) {
            fail_msg("found at 0x%zx (%s), planted at 0x%zx (%s)", found.offset,
                     tma_found_form_name(found.form), count < PLANTED ? maps[count].offset : size,
                     count < PLANTED ? tma_found_form_name(maps[count].form) : "none");
        }
        count++;
    }
    print_message("%zu MiB in %.2f s\n", size / MIB,
                  (double)(clock() - start) / (double)CLOCKS_PER_SEC);
    assert_int_equal(count, PLANTED);
    assert_int_equal(at, size);
    free(maps);
    free(memory);
}

/* Each kind of other bytes alone, many times over. */
static void nothing_is_invented(void **state) {
    (void)state;
    struct random_source r = {72};
    const size_t size = memory_B() / COUNT_OF(fills) / 4096 * 4096;
    uint8_t *memory = malloc(size);
    assert_non_null(memory);
    for (size_t i = 0; i < COUNT_OF(fills); i++) {
        size_t at = 0;
        tma_found found;
        fills[i](&r, memory, size);
        if (tma_find_next(&found, memory, size, &at, size)) {
            fail_msg("fill %zu: a map at 0x%zx, %s", i, found.offset,
                     tma_found_form_name(found.form));
        }
    }
    free(memory);
}

/* Pieces of any length find what the whole finds; a map that the end cuts is not read beyond. */
static void pieces_and_ends(void **state) {
    (void)state;
    struct random_source r = {73};
    for (size_t size = 0; size <= 400; size += 8) {
        uint8_t *memory = malloc(size ? size : 1);
        uint8_t map[TMA_MAP_BYTES];
        size_t at = 0;
        size_t count = 0;
        tma_found found;
        tma_spec spec = tensor(&r);
        tma_map whole;
        assert_int_equal(tma_encode(whole.bytes, &spec, NULL), TMA_OK);
        memcpy(map, whole.bytes, sizeof(map));
        memset(memory, 0, size);
        memcpy(memory + (size > 48 ? 48 : 0), map, size < 48 + 128 ? 0 : 128);
        for (size_t end = 16; end < size + 16; end += 16) {
            while (tma_find_next(&found, memory, size, &at, end)) {
                assert_int_equal(found.offset, 48);
                assert_int_equal(found.form, TMA_FOUND_WHOLE);
                count++;
            }
        }
        assert_int_equal(count, size >= 48 + 128);
        free(memory);
    }
}

/* Heads, which the quick look at 16 bytes must let through, at addresses of every size. */
static void heads_of_every_address(void **state) {
    (void)state;
    tma_spec spec = {.dtype = TMA_DTYPE_FLOAT16,
                     .rank = 3,
                     .dim_el = {64, 60, 7},
                     .stride_B = {128, 7680},
                     .box_el = {16, 2, 1},
                     .element_stride = {1, 1, 1},
                     .l2 = TMA_L2_128B};
    for (uint32_t i = 0; i < 2 * 23; i++) {
        uint8_t memory[2 * TMA_MAP_BYTES] = {0};
        const int is_interleaved = i % 2 != 0;
        spec.address = UINT64_C(1) << (24 + i / 2);
        spec.interleave = is_interleaved ? TMA_INTERLEAVE_32B : TMA_INTERLEAVE_NONE;
        spec.swizzle = is_interleaved ? TMA_SWIZZLE_32B : TMA_SWIZZLE_NONE;
        spec.stride_B[0] = is_interleaved ? 32 : 128;
        spec.stride_B[1] = spec.stride_B[0] * 60;
        tma_map map;
        assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
        memcpy(memory + 64, map.bytes, TMA_MAP_BYTES / 2);
        tma_found found;
        size_t at = 0;
        assert_true(tma_find_next(&found, memory, sizeof(memory), &at, sizeof(memory)));
        assert_true(found.offset == 64 && found.form == TMA_FOUND_BUILT);
        assert_true(found.decoded.spec.address == spec.address);
        memory[64 + 8] |= 2;
        memset(memory + TMA_MAP_BYTES, 0x5A, 64);
        at = 0;
        assert_true(tma_find_next(&found, memory, sizeof(memory), &at, sizeof(memory)));
        assert_true(found.offset == 64 && found.form == TMA_FOUND_CUTE_DSL);
    }
}

/* Whether the first half of the spec's map is taken for one. */
static bool half_is_found(const tma_spec *spec) {
    uint8_t memory[2 * TMA_MAP_BYTES] = {0};
    tma_map map;
    tma_found found;
    size_t at = 0;
    assert_int_equal(tma_encode(map.bytes, spec, NULL), TMA_OK);
    memcpy(memory, map.bytes, TMA_MAP_BYTES / 2);
    return tma_find_next(&found, memory, sizeof(memory), &at, sizeof(memory));
}

/* Below 2^24 there are no tensors, at 2^47 and above none of a process. */
static void addresses_that_none_has(void **state) {
    (void)state;
    static const uint64_t addresses[] = {16,
                                         (UINT64_C(1) << 24) - 16,
                                         UINT64_C(1) << 24,
                                         (UINT64_C(1) << 47) - 16,
                                         UINT64_C(1) << 47,
                                         UINT64_C(1) << 56};
    for (size_t i = 0; i < COUNT_OF(addresses); i++) {
        const tma_spec spec = {.dtype = TMA_DTYPE_FLOAT16,
                               .rank = 2,
                               .address = addresses[i],
                               .dim_el = {64, 60},
                               .stride_B = {128},
                               .box_el = {16, 2},
                               .element_stride = {1, 1},
                               .l2 = TMA_L2_128B};
        assert_int_equal(half_is_found(&spec), i == 2 || i == 3);
    }
}

/* Rows that lie in one another are no tensor's, by whichever of its bytes that is judged. */
static void rows_in_one_another(void **state) {
    (void)state;
    tma_spec spec = {.dtype = TMA_DTYPE_FLOAT16,
                     .rank = 2,
                     .address = 0x7f0000000000,
                     .dim_el = {64, 60},
                     .box_el = {16, 2},
                     .element_stride = {1, 1},
                     .l2 = TMA_L2_128B};
    for (uint32_t stride_B = 16; stride_B <= 256; stride_B += 16) {
        spec.stride_B[0] = stride_B;
        assert_int_equal(half_is_found(&spec), stride_B >= 128);
    }
}

/* A half map with rows of one element is none, by whichever of its bytes that is judged. */
static void rows_of_few_elements(void **state) {
    (void)state;
    for (uint32_t dim_el = 1; dim_el <= 3; dim_el++) {
        const tma_spec spec = {.dtype = TMA_DTYPE_FLOAT64,
                               .rank = 2,
                               .address = 0x7f0000000000,
                               .dim_el = {dim_el, 60},
                               .stride_B = {32},
                               .box_el = {2, 2},
                               .element_stride = {1, 1},
                               .l2 = TMA_L2_128B};
        assert_int_equal(half_is_found(&spec), dim_el > 1);
    }
}

/* What the one index of a dimension is multiplied with does not matter; no other stride is 0. */
static void strides_of_one_index(void **state) {
    (void)state;
    for (uint32_t along = 1; along <= 2; along++) {
        for (uint32_t stride_B = 0; stride_B <= 32; stride_B += 16) {
            tma_spec spec = {.dtype = TMA_DTYPE_FLOAT16,
                             .rank = 3,
                             .address = 0x7f0000000000,
                             .dim_el = {64, 60, 60},
                             .stride_B = {128, 128},
                             .box_el = {16, 1, 1},
                             .element_stride = {1, 1, 1},
                             .l2 = TMA_L2_128B};
            spec.dim_el[along] = 1;
            spec.stride_B[along - 1] = stride_B;
            assert_true(half_is_found(&spec));
        }
    }
}

static void words(void **state) {
    (void)state;
    for (uint32_t i = 0; i < TMA_FOUND_FORMS; i++) {
        assert_true(*tma_found_form_name(i));
        assert_true(*tma_found_form_text(i));
    }
    assert_string_equal(tma_found_form_name(TMA_FOUND_FORMS), "");
    assert_string_equal(tma_found_form_text(NO_DRIVER), "");
    tma_found found;
    size_t at = 0;
    uint8_t memory[TMA_MAP_BYTES] = {0};
    assert_int_equal(tma_find_next(NULL, "", 0, NULL, 0), 0);
    assert_int_equal(tma_find_next(NULL, memory, sizeof(memory), &at, sizeof(memory)), 0);
    assert_int_equal(tma_find_next(&found, NULL, sizeof(memory), &at, sizeof(memory)), 0);
    assert_int_equal(tma_find_next(&found, memory, sizeof(memory), NULL, sizeof(memory)), 0);
    assert_int_equal(at, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_found_and_none_invented),
        cmocka_unit_test(nothing_is_invented),
        cmocka_unit_test(pieces_and_ends),
        cmocka_unit_test(heads_of_every_address),
        cmocka_unit_test(addresses_that_none_has),
        cmocka_unit_test(rows_in_one_another),
        cmocka_unit_test(rows_of_few_elements),
        cmocka_unit_test(strides_of_one_index),
        cmocka_unit_test(words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
