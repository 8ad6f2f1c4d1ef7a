/* SPDX-License-Identifier: Apache-2.0
 *
 * What tensormap.replace does as one compiler and another make code of it, and PTX 9.5's words for
 * the allocation class.
 */
#include "support/testing.h"

#include "support/gen/gen_spec.h"
#include <tma/map.h>

/* What hangs on the compiler and on PTX 9.5's words: the bits of word 2, beside the address. */
static const struct {
    tma_replace_field field;
    uint32_t toolchain;
    uint32_t flags;
    uint32_t mask;
    uint32_t bits;
} compiled[] = {
    {TMA_REPLACE_GLOBAL_ADDRESS, 0, 0, 0, 0},
    {TMA_REPLACE_GLOBAL_ADDRESS, 12030, 0, 0, 0},
    {TMA_REPLACE_GLOBAL_ADDRESS, 13040, 0, 0, 0},
    {TMA_REPLACE_GLOBAL_ADDRESS, 13050, 0, 0x200000, 0},
    {TMA_REPLACE_GLOBAL_ADDRESS, 14000, 0, 0x200000, 0},
    {TMA_REPLACE_GLOBAL_ADDRESS, 0, TMA_REPLACE_ALLOC_SMALL, 0x200000, 0},
    {TMA_REPLACE_GLOBAL_ADDRESS, 13050, TMA_REPLACE_ALLOC_SMALL, 0x200000, 0},
    {TMA_REPLACE_GLOBAL_ADDRESS, 13050, TMA_REPLACE_ALLOC_LARGE, 0x200000, 0x200000},
    {TMA_REPLACE_GLOBAL_ADDRESS, 13050, TMA_REPLACE_ALLOC_SAME, 0, 0},
    {TMA_REPLACE_SWIZZLE_MODE, 12060, 0, 0x006000, 0x002000},
    {TMA_REPLACE_SWIZZLE_MODE, 12080, 0, 0x406000, 0x002000},
    {TMA_REPLACE_SWIZZLE_MODE, 0, 0, 0x406000, 0x002000},
    {TMA_REPLACE_SWIZZLE_ATOMICITY, 0, 0, 0x380000, 0x080000},
    {TMA_REPLACE_SWIZZLE_ATOMICITY, 13030, 0, 0x380000, 0x080000},
    {TMA_REPLACE_SWIZZLE_ATOMICITY, 13040, 0, 0x180000, 0x080000},
    {TMA_REPLACE_SWIZZLE_ATOMICITY, 13050, 0, 0x180000, 0x080000},
};

static uint32_t word(const uint8_t *map, uint32_t at) {
    const uint8_t *b = map + (size_t)4 * at;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void each_compiler(void **state) {
    (void)state;
    struct random_source r = {53};
    for (size_t i = 0; i < 100 * COUNT_OF(compiled); i++) {
        const size_t row = i % COUNT_OF(compiled);
        const int is_address = compiled[row].field == TMA_REPLACE_GLOBAL_ADDRESS;
        const tma_edit edit = {.field = compiled[row].field,
                               .value = 1,
                               .flags = compiled[row].flags,
                               .toolchain = compiled[row].toolchain};
        uint8_t before[TMA_MAP_BYTES];
        uint8_t after[TMA_MAP_BYTES];
        for (size_t b = 0; b < sizeof(before); b++) {
            before[b] = after[b] = (uint8_t)random_u64(&r);
        }
        assert_int_equal(tma_replace(after, &edit, NULL), TMA_OK);
        for (uint32_t w = 0; w < TMA_MAP_WORDS; w++) {
            const uint32_t old = word(before, w);
            assert_int_equal(word(after, w), is_address && w < 2 ? w == 0
                                             : w == 2
                                                 ? (old & ~compiled[row].mask) | compiled[row].bits
                                                 : old);
        }
        tma_finding why = {0};
        const bool kept = is_address && !compiled[row].flags && !compiled[row].mask;
        const bool large = (word(before, 2) & 0x200000) != 0;
        assert_int_equal(tma_replace_stays_large(before, &edit, &why), kept && large);
        assert_int_equal(why.rule, kept && large ? TMA_RULE_REPLACE_STAYS_LARGE : 0);
    }
    assert_false(tma_replace_stays_large(NULL, NULL, NULL));
}

/* Two classes, or a class beside another field. */
static void wrong_classes(void **state) {
    (void)state;
    tma_map map = {{0}};
    const tma_edit wrong[] = {
        {.flags = TMA_REPLACE_ALLOC_SMALL | TMA_REPLACE_ALLOC_LARGE},
        {.flags = TMA_REPLACE_ALLOC_LARGE | TMA_REPLACE_ALLOC_SAME},
        {.flags = 16},
        {.field = TMA_REPLACE_ALLOC_CLASS, .value = 1, .flags = TMA_REPLACE_ALLOC_SMALL}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        tma_finding why = {0};
        assert_int_equal(tma_replace(map.bytes, &wrong[i], &why), TMA_INVALID);
        assert_int_equal(why.rule, TMA_RULE_RESERVED_ZERO);
    }
    for (uint32_t value = 0; value < 5; value++) {
        const tma_edit edit = {.field = TMA_REPLACE_ALLOC_CLASS, .value = value};
        const int takes = value == TMA_CLASS_SMALL || value == TMA_CLASS_LARGE;
        tma_finding why = {0};
        assert_int_equal(tma_replace(map.bytes, &edit, &why), takes ? TMA_OK : TMA_PTXAS);
        assert_int_equal(why.rule, takes ? 0 : TMA_RULE_REPLACE_IMMEDIATE);
    }
}

/* The release that a target's machine code is made by, and what it has. */
static void releases(void **state) {
    (void)state;
    assert_int_equal(tma_target_toolchain(NULL), 13000);
    assert_int_equal(tma_target_toolchain(&(tma_target){.ptx = 87}), 13000);
    assert_int_equal(tma_target_toolchain(&(tma_target){.ptx = 94}), 13040);
    assert_int_equal(tma_target_toolchain(&(tma_target){.ptx = 95}), 13050);
    assert_int_equal(tma_target_toolchain(&(tma_target){.ptx = 83, .toolchain = 13050}), 13050);
    assert_false(tma_toolchain_has(12040, TMA_TOOLCHAIN_STRIDE_IN_BYTES));
    assert_true(tma_toolchain_has(12050, TMA_TOOLCHAIN_STRIDE_IN_BYTES));
    assert_true(tma_toolchain_has(0, TMA_TOOLCHAIN_STRIDE_IN_BYTES));
    assert_false(tma_toolchain_has(0, TMA_TOOLCHAIN_ADDRESS_MAKES_SMALL));
    assert_false(tma_toolchain_has(UINT32_MAX, TMA_TOOLCHAIN_CHANGES));
    for (size_t i = 0; i < TMA_TOOLCHAIN_CHANGES; i++) {
        assert_non_null(tma_replace_row_of(tma_toolchain_at(i)->field));
        assert_true(tma_toolchain_at(i)->since >= 12000);
    }
    assert_null(tma_toolchain_at(TMA_TOOLCHAIN_CHANGES));
}

/* Before CUDA 12.5 the program shifted: the same bits from bytes >> 4. */
static void stride_before_12_5(void **state) {
    (void)state;
    struct random_source r = {52};
    for (unsigned i = 0; i < 10000; i++) {
        uint8_t now[TMA_MAP_BYTES] = {0};
        uint8_t then[TMA_MAP_BYTES] = {0};
        const uint64_t bytes = random_length(&r, 64);
        const uint32_t ordinal = (uint32_t)random_below(&r, 4);
        assert_int_equal(
            tma_replace(
                now,
                &(tma_edit){.field = TMA_REPLACE_GLOBAL_STRIDE, .ordinal = ordinal, .value = bytes},
                NULL),
            TMA_OK);
        assert_int_equal(tma_replace(then,
                                     &(tma_edit){.field = TMA_REPLACE_GLOBAL_STRIDE,
                                                 .ordinal = ordinal,
                                                 .value = bytes >> 4,
                                                 .flags = TMA_REPLACE_STRIDE_PRE_12_5},
                                     NULL),
                         TMA_OK);
        assert_memory_equal(now, then, sizeof(now));
        memset(then, 0, sizeof(then));
        assert_int_equal(tma_replace(then,
                                     &(tma_edit){.field = TMA_REPLACE_GLOBAL_STRIDE,
                                                 .ordinal = ordinal,
                                                 .value = bytes >> 4,
                                                 .toolchain = 12040},
                                     NULL),
                         TMA_OK);
        assert_memory_equal(now, then, sizeof(now));
    }
    uint8_t map[TMA_MAP_BYTES] = {0};
    assert_int_equal(tma_replace(map,
                                 &(tma_edit){.field = TMA_REPLACE_GLOBAL_STRIDE,
                                             .value = 512,
                                             .flags = TMA_REPLACE_STRIDE_PRE_12_5},
                                 NULL),
                     TMA_OK);
    assert_int_equal(word(map, 3), 512); /* the mistake: 8192 bytes */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_compiler),
        cmocka_unit_test(wrong_classes),
        cmocka_unit_test(releases),
        cmocka_unit_test(stride_before_12_5),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
