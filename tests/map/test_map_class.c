/* SPDX-License-Identifier: Apache-2.0
 *
 * The allocation class: cuTensorMapSetAllocationClass as cuda.h 13.5 describes it.
 */
#include "support/testing.h"

#include <tma/tma.h>

static const tma_target newest = {.sm = 100, .suffix = 'a', .driver = 13050};

static tma_spec rows_of(uint64_t rows, uint64_t stride_B) {
    return (tma_spec){.dtype = TMA_DTYPE_FLOAT16,
                      .rank = 2,
                      .address = 0x7f0000000000,
                      .dim_el = {64, rows},
                      .stride_B = {stride_B},
                      .box_el = {64, 1},
                      .element_stride = {1, 1}};
}

static tma_map encoded(uint64_t rows, uint64_t stride_B, const tma_target *target) {
    const tma_spec spec = rows_of(rows, stride_B);
    tma_map map;
    assert_int_equal(tma_encode(map.bytes, &spec, target), TMA_OK);
    return map;
}

/* Bit 21 and nothing else; the class in effect, never auto. */
static void sets_one_bit(void **state) {
    (void)state;
    for (uint32_t rows = 1; rows <= 2048; rows *= 2) {
        const tma_map before = encoded(rows, 128, &newest);
        const uint32_t own = tma_allocation_class(before.bytes);
        for (uint32_t asked = 0; asked <= 2; asked++) {
            tma_map map = before;
            uint32_t now = 9;
            assert_int_equal(tma_set_allocation_class(map.bytes, asked, &now, &newest), TMA_OK);
            assert_int_equal(now, asked ? asked : own);
            assert_int_equal(tma_allocation_class(map.bytes), now);
            assert_int_equal(tma_set_allocation_class(map.bytes, asked, NULL, &newest), TMA_OK);
            map.bytes[10] = (uint8_t)((map.bytes[10] & ~0x20) | (before.bytes[10] & 0x20));
            assert_memory_equal(map.bytes, before.bytes, TMA_MAP_BYTES);
        }
        assert_int_equal(own, rows * 128 >= 131072 ? TMA_CLASS_LARGE : TMA_CLASS_SMALL);
    }
}

/* Auto decides again what an encode call decides, whatever was set before. */
static void automatic_is_the_encode_calls(void **state) {
    (void)state;
    static const uint32_t drivers[] = {13000, 13020, 13050};
    for (size_t d = 0; d < COUNT_OF(drivers); d++) {
        const tma_target target = {.sm = 120, .suffix = 'a', .driver = drivers[d]};
        for (uint64_t rows = 60; rows < 1100; rows += 13) {
            const tma_map before = encoded(rows, 256, &target);
            tma_map map = before;
            map.bytes[10] ^= 0x20;
            assert_int_equal(tma_set_allocation_class(map.bytes, TMA_CLASS_AUTO, NULL, &target),
                             TMA_OK);
            assert_memory_equal(map.bytes, before.bytes, TMA_MAP_BYTES);
        }
    }
}

/* Ranks of 6 to 8, which no driver writes but three bits can say: auto looks at five dimensions. */
static void automatic_beyond_rank_5(void **state) {
    (void)state;
    static const uint32_t drivers[] = {13000, 13050};
    for (size_t d = 0; d < COUNT_OF(drivers); d++) {
        const tma_target target = {.sm = 100, .suffix = 'a', .driver = drivers[d]};
        for (uint64_t rows = 512; rows <= 1024; rows += 512) {
            const tma_spec spec = {.dtype = TMA_DTYPE_FLOAT16,
                                   .rank = 5,
                                   .address = 0x7f0000000000,
                                   .dim_el = {64, 1, 1, 1, rows},
                                   .stride_B = {128, 128, 128, 128},
                                   .box_el = {64, 1, 1, 1, 1},
                                   .element_stride = {1, 1, 1, 1, 1}};
            for (uint32_t rank = 5; rank <= 8; rank++) {
                tma_map map;
                uint32_t now = 9;
                assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
                map.bytes[8] = (uint8_t)((map.bytes[8] & 0x8Fu) | (rank - 1) << 4);
                assert_int_equal(tma_set_allocation_class(map.bytes, TMA_CLASS_AUTO, &now, &target),
                                 TMA_OK);
                assert_int_equal(now, rows == 1024 ? TMA_CLASS_LARGE : TMA_CLASS_SMALL);
            }
        }
    }
}

/* Where the class has no effect all three succeed, change nothing and report small. */
static void nothing_on_hopper(void **state) {
    (void)state;
    static const tma_target hopper = {.sm = 90, .suffix = 'a', .driver = 13050};
    for (uint32_t asked = 0; asked <= 2; asked++) {
        for (uint32_t set = 0; set < 2; set++) {
            tma_map map = encoded(4096, 128, &hopper);
            map.bytes[10] ^= set ? 0x20 : 0;
            const tma_map before = map;
            uint32_t now = 9;
            assert_int_equal(tma_set_allocation_class(map.bytes, asked, &now, set ? &hopper : NULL),
                             TMA_OK);
            assert_int_equal(now, TMA_CLASS_SMALL);
            assert_memory_equal(map.bytes, before.bytes, TMA_MAP_BYTES);
        }
    }
}

static void failures_change_nothing(void **state) {
    (void)state;
    static const tma_target unknown = {.sm = 91, .driver = 13050};
    const tma_map before = encoded(4096, 128, &newest);
    tma_map map = before;
    uint32_t now = 9;
    assert_int_equal(tma_set_allocation_class(map.bytes, 3, &now, &newest), TMA_REFUSED);
    assert_int_equal(now, TMA_CLASS_SMALL);
    now = 9;
    assert_int_equal(tma_set_allocation_class(NULL, 1, &now, &newest), TMA_INVALID);
    assert_int_equal(now, TMA_CLASS_SMALL);
    assert_int_equal(tma_set_allocation_class(map.bytes, 1, &now, &unknown), TMA_INVALID);
    assert_memory_equal(map.bytes, before.bytes, TMA_MAP_BYTES);
    assert_int_equal(tma_allocation_class(NULL), TMA_CLASS_SMALL);
    assert_int_equal(tma_class_window_B(TMA_CLASS_SMALL), 4096);
    assert_int_equal(tma_class_window_B(TMA_CLASS_LARGE), 131072);
    assert_int_equal(tma_class_window_B(TMA_CLASS_AUTO), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_one_bit),
        cmocka_unit_test(automatic_is_the_encode_calls),
        cmocka_unit_test(automatic_beyond_rank_5),
        cmocka_unit_test(nothing_on_hopper),
        cmocka_unit_test(failures_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
