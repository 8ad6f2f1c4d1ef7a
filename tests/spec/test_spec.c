/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of names and numbers, held against a second typing of them: cuda.h's enumerators, the
 * immediates of PTX's tensormap.replace, the stored bits, and which architecture has what.
 */
#include "support/testing.h"

#include <ctype.h>
#include <tma/spec.h>

struct name_row {
    tma_enum_kind kind;
    const char *cuda_name;
    int driver;
    int ptx;
    int stored;
};

#define TYPE(name, driver, ptx, stored)                                                            \
    { TMA_ENUM_DTYPE, "CU_TENSOR_MAP_DATA_TYPE_" name, driver, ptx, stored }
#define SWIZZLE(name, driver, ptx, stored)                                                         \
    { TMA_ENUM_SWIZZLE, "CU_TENSOR_MAP_SWIZZLE_" name, driver, ptx, stored }

static const struct name_row rows[] = {
    TYPE("UINT8", 0, 0, 0),
    TYPE("UINT16", 1, 1, 1),
    TYPE("UINT32", 2, 2, 2),
    TYPE("INT32", 3, 3, 3),
    TYPE("UINT64", 4, 4, 4),
    TYPE("INT64", 5, 5, 5),
    TYPE("FLOAT16", 6, 6, 6),
    TYPE("FLOAT32", 7, 7, 7),
    TYPE("FLOAT64", 8, 9, 9),
    TYPE("BFLOAT16", 9, 10, 10),
    TYPE("FLOAT32_FTZ", 10, 8, 8),
    TYPE("TFLOAT32", 11, 11, 7),
    TYPE("TFLOAT32_FTZ", 12, 12, 8),
    TYPE("16U4_ALIGN8B", 13, 13, 11),
    TYPE("16U4_ALIGN16B", 14, 14, 12),
    TYPE("16U6_ALIGN16B", 15, 15, 13),
    {TMA_ENUM_INTERLEAVE, "CU_TENSOR_MAP_INTERLEAVE_NONE", 0, 0, 0},
    {TMA_ENUM_INTERLEAVE, "CU_TENSOR_MAP_INTERLEAVE_16B", 1, 1, 1},
    {TMA_ENUM_INTERLEAVE, "CU_TENSOR_MAP_INTERLEAVE_32B", 2, 2, 2},
    SWIZZLE("NONE", 0, 0, 0),
    SWIZZLE("32B", 1, 1, 1),
    SWIZZLE("64B", 2, 2, 2),
    SWIZZLE("128B", 3, 3, 3),
    SWIZZLE("128B_ATOM_32B", 4, 3, 3),
    SWIZZLE("128B_ATOM_32B_FLIP_8B", 5, 3, 3),
    SWIZZLE("128B_ATOM_64B", 6, 3, 3),
    {TMA_ENUM_L2, "CU_TENSOR_MAP_L2_PROMOTION_NONE", 0, -1, 0},
    {TMA_ENUM_L2, "CU_TENSOR_MAP_L2_PROMOTION_L2_64B", 1, -1, 1},
    {TMA_ENUM_L2, "CU_TENSOR_MAP_L2_PROMOTION_L2_128B", 2, -1, 2},
    {TMA_ENUM_L2, "CU_TENSOR_MAP_L2_PROMOTION_L2_256B", 3, -1, 3},
    {TMA_ENUM_FILL, "CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE", 0, 0, 0},
    {TMA_ENUM_FILL, "CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA", 1, 1, 1},
    {TMA_ENUM_WIDE_MODE, "CU_TENSOR_MAP_IM2COL_WIDE_MODE_W", 0, -1, -1},
    {TMA_ENUM_WIDE_MODE, "CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128", 1, -1, -1},
    {TMA_ENUM_CLASS, "CU_TENSOR_MAP_ALLOC_CLASS_AUTO", 0, -1, -1},
    {TMA_ENUM_CLASS, "CU_TENSOR_MAP_ALLOC_CLASS_LARGE", 2, 2, 1},
    {TMA_ENUM_API, "cuTensorMapEncodeTiled", 0, -1, 0},
    {TMA_ENUM_API, "cuTensorMapEncodeIm2col", 1, -1, 1},
    {TMA_ENUM_API, "cuTensorMapEncodeIm2colWide", 2, -1, 1},
};

static void numbers(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const tma_enum_row *row = tma_enum_row_of(rows[i].kind, (uint32_t)rows[i].driver);
        if (!row || strcmp(row->cuda_name, rows[i].cuda_name) || row->driver != rows[i].driver ||
            row->ptx != rows[i].ptx || row->stored != rows[i].stored || !*row->evidence) {
            fail_msg("%s: another row", rows[i].cuda_name);
        }
    }
}

/* As many as there are, no number beyond the last, and 96B, which no driver number names. */
static void counts(void **state) {
    (void)state;
    static const size_t expected[TMA_ENUM_KINDS] = {
        [TMA_ENUM_API] = 3,       [TMA_ENUM_DTYPE] = 16, [TMA_ENUM_INTERLEAVE] = 3,
        [TMA_ENUM_SWIZZLE] = 8,   [TMA_ENUM_L2] = 4,     [TMA_ENUM_ATOMICITY] = 4,
        [TMA_ENUM_WIDE_MODE] = 2, [TMA_ENUM_FILL] = 2,   [TMA_ENUM_CLASS] = 3,
    };
    for (uint32_t kind = 0; kind < TMA_ENUM_KINDS; kind++) {
        const size_t count = tma_enum_count((tma_enum_kind)kind);
        assert_int_equal(count, expected[kind]);
        assert_non_null(tma_enum_at((tma_enum_kind)kind, count - 1));
        assert_null(tma_enum_at((tma_enum_kind)kind, count));
        if (kind != TMA_ENUM_SWIZZLE) {
            assert_null(tma_enum_row_of((tma_enum_kind)kind, (uint32_t)count));
        }
        assert_null(tma_enum_row_of((tma_enum_kind)kind, UINT32_MAX));
    }
    assert_int_equal(tma_enum_count(TMA_ENUM_KINDS), 0);
    assert_null(tma_enum_at(TMA_ENUM_KINDS, 0));
    assert_null(tma_enum_at((tma_enum_kind)-1, 0));
    assert_null(tma_enum_row_of(TMA_ENUM_SWIZZLE, 7));
    const tma_enum_row *swizzle_96B = tma_enum_row_of(TMA_ENUM_SWIZZLE, TMA_SWIZZLE_96B);
    assert_non_null(swizzle_96B);
    assert_string_equal(swizzle_96B->name, "96B");
    assert_string_equal(swizzle_96B->cuda_name, "");
    assert_int_equal(swizzle_96B->ptx, 4);
    assert_int_equal(swizzle_96B->stored, 0);
}

static void find_in_any_case(tma_enum_kind kind, const char *word, const tma_enum_row *row) {
    char other[128];
    size_t i = 0;
    if (!*word) {
        return;
    }
    for (; word[i]; i++) {
        const unsigned char c = (unsigned char)word[i];
        other[i] = (char)(islower(c) ? toupper(c) : tolower(c));
    }
    other[i] = 0;
    if (tma_enum_find(kind, word) != row || tma_enum_find(kind, other) != row) {
        fail_msg("'%s' finds another row, or none", word);
    }
    other[i] = 'x';
    other[i + 1] = 0;
    assert_null(tma_enum_find(kind, other));
}

/* A row is found by each of its three words, in any case; so no word names two rows. */
static void found_by_every_word(void **state) {
    (void)state;
    for (uint32_t kind = 0; kind < TMA_ENUM_KINDS; kind++) {
        const size_t count = tma_enum_count((tma_enum_kind)kind);
        for (size_t i = 0; i < count; i++) {
            find_in_any_case((tma_enum_kind)kind, tma_enum_at((tma_enum_kind)kind, i)->name,
                             tma_enum_at((tma_enum_kind)kind, i));
            find_in_any_case((tma_enum_kind)kind, tma_enum_at((tma_enum_kind)kind, i)->cuda_name,
                             tma_enum_at((tma_enum_kind)kind, i));
            find_in_any_case((tma_enum_kind)kind, tma_enum_at((tma_enum_kind)kind, i)->ptx_name,
                             tma_enum_at((tma_enum_kind)kind, i));
        }
        assert_null(tma_enum_find((tma_enum_kind)kind, ""));
        assert_null(tma_enum_find((tma_enum_kind)kind, NULL));
    }
    assert_int_equal(tma_enum_find(TMA_ENUM_DTYPE, "tf32")->driver, TMA_DTYPE_TFLOAT32);
    assert_int_equal(tma_enum_find(TMA_ENUM_DTYPE, "b6x16_p32")->driver, TMA_DTYPE_16U6_ALIGN16B);
    assert_int_equal(tma_enum_find(TMA_ENUM_DTYPE, "b6p2x16")->driver, TMA_DTYPE_16U6_ALIGN16B);
    assert_int_equal(tma_enum_find(TMA_ENUM_DTYPE, "b8")->driver, TMA_DTYPE_UINT8);
    assert_int_equal(tma_enum_find(TMA_ENUM_DTYPE, "b16")->driver, TMA_DTYPE_UINT16);
    assert_int_equal(tma_enum_find(TMA_ENUM_DTYPE, "b32")->driver, TMA_DTYPE_UINT32);
    assert_int_equal(tma_enum_find(TMA_ENUM_DTYPE, "B64")->driver, TMA_DTYPE_UINT64);
    assert_null(tma_enum_find(TMA_ENUM_SWIZZLE, "b64"));
    assert_int_equal(tma_enum_find(TMA_ENUM_ATOMICITY, "32B + 8B flip")->ptx, 2);
}

static void sizes(void **state) {
    (void)state;
    static const uint32_t bits[] = {8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4, 6};
    for (uint32_t dtype = 0; dtype < COUNT_OF(bits); dtype++) {
        assert_int_equal(tma_dtype_bits(dtype), bits[dtype]);
    }
    assert_int_equal(tma_dtype_bits(16), 0);
    assert_int_equal(tma_dtype_bits(UINT32_MAX), 0);
    static const struct {
        uint32_t swizzle;
        uint32_t span_B;
        uint32_t repeat_B;
    } swizzles[] = {{0, 0, 16},    {1, 32, 256},      {2, 64, 512},  {3, 128, 1024},
                    {4, 128, 512}, {5, 128, 512},     {6, 128, 256}, {96, 96, 256},
                    {7, 0, 0},     {UINT32_MAX, 0, 0}};
    for (size_t i = 0; i < COUNT_OF(swizzles); i++) {
        assert_int_equal(tma_swizzle_span_B(swizzles[i].swizzle), swizzles[i].span_B);
        assert_int_equal(tma_swizzle_repeat_B(swizzles[i].swizzle), swizzles[i].repeat_B);
    }
}

#define F(feature) TMA_FEATURE_##feature

/* What ptxas 13.0 accepts for each target, and what the documents give compute capability 10.0. */
static void architectures(void **state) {
    (void)state;
    const uint32_t blackwell = F(PACKED) | F(BIT21) | F(GATHER4_CTA);
    const uint32_t own = F(REPLACE) | F(ATOMICITY);
    const uint32_t packed = F(PACKED_CLUSTER);
    const uint32_t newest = F(NO_OFFS_W) | F(PTX_94) | F(STORE_HALVES);
    const uint32_t datacentre = packed | F(GATHER4) | F(SCATTER4) | F(W128) | F(CTA_GROUP);
    const struct {
        const char *name;
        uint16_t sm;
        char suffix;
        uint64_t features;
    } expected[] = {
        {"sm_90", 90, 0, 0},
        {"sm_90a", 90, 'a', F(REPLACE)},
        {"sm_100", 100, 0, blackwell | packed},
        {"sm_100a", 100, 'a', blackwell | own | datacentre},
        {"sm_100f", 100, 'f', blackwell | own | datacentre},
        {"sm_101", 101, 0, blackwell | packed},
        {"sm_101a", 101, 'a', blackwell | own | datacentre}, /* ptxas 12.9 */
        {"sm_101f", 101, 'f', blackwell | own | datacentre},
        {"sm_103", 103, 0, blackwell | packed},
        {"sm_103a", 103, 'a', blackwell | own | datacentre | F(SWIZZLE_96B) | F(STORE_HALVES)},
        {"sm_103f", 103, 'f', blackwell | own | datacentre},
        {"sm_107", 107, 0, blackwell | packed},
        {"sm_107a", 107, 'a',
         blackwell | own | datacentre | F(SWIZZLE_96B) | newest}, /* ptxas 13.5 */
        {"sm_107f", 107, 'f', blackwell | own | datacentre | newest},
        {"sm_110", 110, 0, blackwell | packed},
        {"sm_110a", 110, 'a', blackwell | own | datacentre},
        {"sm_110f", 110, 'f', blackwell | own | datacentre},
        {"sm_120", 120, 0, blackwell},
        {"sm_120a", 120, 'a', blackwell | own},
        {"sm_120f", 120, 'f', blackwell | own},
        {"sm_121", 121, 0, blackwell},
        {"sm_121a", 121, 'a', blackwell | own},
        {"sm_121f", 121, 'f', blackwell | own},
    };
    const size_t count = tma_arch_count();
    assert_int_equal(count, COUNT_OF(expected));
    assert_null(tma_arch_at(count));
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        const tma_target target = {
            .sm = expected[i].sm, .suffix = expected[i].suffix, .driver = 13000};
        const tma_arch_row *row = tma_arch_of(&target);
        if (!row || strcmp(row->name, expected[i].name) || row->features != expected[i].features ||
            tma_arch_find(expected[i].name) != row || tma_arch_find(expected[i].name + 3) != row) {
            fail_msg("%s: another row", expected[i].name);
        }
    }
}

static void unknown_architectures(void **state) {
    (void)state;
    const tma_target unknown[] = {{.sm = 91, .driver = 13000},
                                  {.sm = 90, .suffix = 'f', .driver = 13000},
                                  {.sm = 100, .suffix = 'b', .driver = 13000},
                                  {.sm = 0, .driver = 0}};
    for (size_t i = 0; i < COUNT_OF(unknown); i++) {
        assert_null(tma_arch_of(&unknown[i]));
    }
    assert_string_equal(tma_arch_of(NULL)->name, "sm_90");
    assert_null(tma_arch_find("sm_91"));
    assert_null(tma_arch_find("sm_"));
    assert_null(tma_arch_find(""));
    assert_null(tma_arch_find(NULL));
    assert_non_null(tma_arch_find("SM_100A"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),       cmocka_unit_test(counts),
        cmocka_unit_test(sizes),         cmocka_unit_test(found_by_every_word),
        cmocka_unit_test(architectures), cmocka_unit_test(unknown_architectures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
