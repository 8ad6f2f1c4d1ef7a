/* SPDX-License-Identifier: Apache-2.0
 *
 * gather4 and scatter4: one column, four rows, each row in the tensor or out of it by itself.
 * Documents, and one captured load of a GeForce RTX 5080 (vectors/copy_blackwell).
 */
#include "support/testing.h"

#include "support/paths.h"
#include <tma/copy.h>
#include <tma/map.h>

#define ADDRESS   UINT64_C(0x7f0000000000)
#define ROWS      20
#define COLUMNS   24
#define ROW_EL    8 /* of the box: 32 bytes */
#define UNTOUCHED 0xA5A5A5A5

static const tma_target target = {.sm = 100, .suffix = 'a', .driver = 13000};
static uint32_t tensor[ROWS][COLUMNS];
static uint32_t shared[256];

static uint32_t value(int64_t row, int64_t column) {
    return (uint32_t)(1000 * (row + 1) + column);
}

static uint32_t inside(int64_t row, int64_t column) {
    return row >= 0 && row < ROWS && column >= 0 && column < COLUMNS;
}

static tma_spec gather_spec(void) {
    return (tma_spec){.dtype = TMA_DTYPE_UINT32,
                      .rank = 2,
                      .address = ADDRESS,
                      .dim_el = {COLUMNS, ROWS},
                      .stride_B = {sizeof(tensor[0])},
                      .box_el = {ROW_EL, 1},
                      .element_stride = {1, 1}};
}

static void reset(void) {
    for (int64_t row = 0; row < ROWS; row++) {
        for (int64_t column = 0; column < COLUMNS; column++) {
            tensor[row][column] = value(row, column);
        }
    }
    for (size_t i = 0; i < COUNT_OF(shared); i++) {
        shared[i] = UNTOUCHED;
    }
}

static tma_plan plan_of(const tma_spec *spec, uint32_t op, uint32_t mode) {
    tma_map map;
    tma_plan plan;
    const tma_instruction in = {.op = op, .mode = mode};
    assert_int_equal(tma_encode(map.bytes, spec, &target), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, &in, &target, NULL), TMA_OK);
    return plan;
}

static tma_status run(const tma_plan *plan, const int32_t coord[5], tma_finding *why) {
    const tma_range range = {.address = ADDRESS, .size_B = sizeof(tensor), .host = tensor};
    const tma_global global = {.ranges = &range, .count = 1};
    const tma_window window = {.address = 0, .size_B = sizeof(shared), .host = shared};
    tma_position at = {.shared_address = 0};
    memcpy(at.coord, coord, sizeof(at.coord));
    return tma_copy(plan, &at, &global, &window, why);
}

static void expect_gathered(const int32_t coord[5]) {
    const tma_spec spec = gather_spec();
    const tma_plan plan = plan_of(&spec, TMA_OP_LOAD, TMA_MODE_GATHER4);
    tma_plan forced;
    for_each_path(forced, &plan) {
        reset();
        assert_int_equal(run(&forced, coord, NULL), TMA_OK);
        for (int64_t i = 0; i < 4; i++) {
            for (int64_t k = 0; k < ROW_EL; k++) {
                const int64_t row = coord[1 + i];
                const int64_t column = (int64_t)coord[0] + k;
                assert_int_equal(shared[i * ROW_EL + k],
                                 inside(row, column) ? value(row, column) : 0);
            }
        }
        assert_int_equal(shared[4 * ROW_EL], UNTOUCHED);
    }
}

static void rows_land_in_operand_order(void **state) {
    (void)state;
    const int32_t descending[5] = {4, 19, 7, 3, 0};
    const int32_t the_same[5] = {0, 5, 5, 5, 5};
    expect_gathered(descending);
    expect_gathered(the_same);
}

static void each_row_in_or_out_by_itself(void **state) {
    (void)state;
    static const int32_t edge[][2] = {{0, -1}, {19, 20}, {7, INT32_MIN}, {1, INT32_MAX}};
    for (uint32_t outside = 0; outside < 16; outside++) {
        for (size_t e = 0; e < COUNT_OF(edge); e++) {
            int32_t coord[5] = {8};
            for (uint32_t i = 0; i < 4; i++) {
                coord[1 + i] = edge[e][outside >> i & 1];
            }
            expect_gathered(coord);
        }
    }
}

static void columns_in_and_out(void **state) {
    (void)state;
    for (int32_t column = -12; column <= COLUMNS + 8; column += 4) {
        const int32_t coord[5] = {column, 3, -1, 0, 19};
        expect_gathered(coord);
    }
}

static void scattered_rows_out_of_the_tensor_are_dropped(void **state) {
    (void)state;
    const tma_spec spec = gather_spec();
    const tma_plan plan = plan_of(&spec, TMA_OP_STORE, TMA_MODE_SCATTER4);
    const int32_t coord[5] = {16, 2, 20, 0, INT32_MAX};
    tma_plan forced;
    for_each_path(forced, &plan) {
        reset();
        for (uint32_t i = 0; i < 4 * ROW_EL; i++) {
            shared[i] = 77000 + i;
        }
        assert_int_equal(run(&forced, coord, NULL), TMA_OK);
        for (uint32_t row = 0; row < ROWS; row++) {
            for (uint32_t column = 0; column < COLUMNS; column++) {
                const uint32_t k = column - 16;
                const uint32_t wanted = column < 16 ? value(row, column)
                                        : row == 2  ? 77000 + k
                                        : row == 0  ? 77000 + 2 * ROW_EL + k
                                                    : value(row, column);
                assert_int_equal(tensor[row][column], wanted);
            }
        }
    }
}

/* The last of four equal rows stays: rows are written in operand order. */
static void scattered_twice(void **state) {
    (void)state;
    const tma_spec spec = gather_spec();
    const tma_plan plan = plan_of(&spec, TMA_OP_STORE, TMA_MODE_SCATTER4);
    const int32_t coord[5] = {0, 6, 6, 6, 6};
    reset();
    for (uint32_t i = 0; i < 4 * ROW_EL; i++) {
        shared[i] = i;
    }
    assert_int_equal(run(&plan, coord, NULL), TMA_OK);
    for (uint32_t k = 0; k < ROW_EL; k++) {
        assert_int_equal(tensor[6][k], 3 * ROW_EL + k);
    }
}

static void scatter_takes_no_negative_coordinate(void **state) {
    (void)state;
    const tma_spec spec = gather_spec();
    const tma_plan plan = plan_of(&spec, TMA_OP_STORE, TMA_MODE_SCATTER4);
    for (int i = 0; i < 5; i++) {
        int32_t coord[5] = {0};
        tma_finding why;
        coord[i] = -4;
        assert_int_equal(run(&plan, coord, &why), TMA_TRAP);
        assert_int_equal(why.rule, TMA_RULE_TRAP_COORD_NEGATIVE);
        assert_int_equal(why.index, i);
    }
}

static void what_a_gather_counts(void **state) {
    (void)state;
    const tma_spec spec = gather_spec();
    const tma_plan plan = plan_of(&spec, TMA_OP_LOAD, TMA_MODE_GATHER4);
    const tma_position at = {.coord = {20, 3, -1, 0, 19}};
    tma_report_result r;
    assert_int_equal(tma_plan_report(&r, &plan, &at, NULL), TMA_OK);
    assert_int_equal(r.rows, 4);
    assert_int_equal(r.count[0], ROW_EL);
    assert_int_equal(r.count[1], 4);
    assert_int_equal(r.tx_B, 4 * 32);
    assert_int_equal(r.footprint_B, 4 * 32);
    assert_int_equal(r.inside_B, 3 * 16); /* columns 20 to 23 of three rows */
    assert_int_equal(r.fill_B, 128 - 48);
    assert_true(r.global_first == ADDRESS + 20 * 4);
    assert_true(r.global_end == ADDRESS + sizeof(tensor));
}

/* Rows that fill a swizzle's span, all of them inside: what has a loop of its own. */
static void whole_rows(void **state) {
    static uint32_t wide[ROWS][64];
    static uint32_t wanted[256];
    static const int32_t columns[] = {0, 4, 32, 36, -4, 64};
    const tma_spec spec = {.dtype = TMA_DTYPE_UINT32,
                           .rank = 2,
                           .address = ADDRESS,
                           .dim_el = {64, ROWS},
                           .stride_B = {sizeof(wide[0])},
                           .box_el = {32, 1},
                           .element_stride = {1, 1},
                           .swizzle = TMA_SWIZZLE_128B};
    const tma_range range = {.address = ADDRESS, .size_B = sizeof(wide), .host = wide};
    const tma_global global = {.ranges = &range, .count = 1};
    const tma_plan plan = plan_of(&spec, TMA_OP_LOAD, TMA_MODE_GATHER4);
    (void)state;
    for (uint32_t i = 0; i < ROWS * 64; i++) {
        wide[i / 64][i % 64] = i + 1;
    }
    for (uint32_t i = 0; i < COUNT_OF(columns) * 3; i++) {
        const tma_position at = {
            .coord = {columns[i / 3], ROWS - 1, 0, i % 3 == 2 ? ROWS : 7, i % 3 ? 7 : 3},
            .shared_address = 128 * (i % 2)};
        tma_plan forced;
        memset(wanted, 0xA5, sizeof(wanted));
        tma_window window = {.address = 0, .size_B = sizeof(wanted), .host = wanted};
        assert_int_equal(tma_copy_reference(&plan, &at, &global, &window, NULL), TMA_OK);
        window.host = shared;
        for_each_path(forced, &plan) {
            memset(shared, 0xA5, sizeof(shared));
            assert_int_equal(tma_copy(&forced, &at, &global, &window, NULL), TMA_OK);
            assert_memory_equal(shared, wanted, sizeof(shared));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_rows),
        cmocka_unit_test(rows_land_in_operand_order),
        cmocka_unit_test(each_row_in_or_out_by_itself),
        cmocka_unit_test(columns_in_and_out),
        cmocka_unit_test(scattered_rows_out_of_the_tensor_are_dropped),
        cmocka_unit_test(scattered_twice),
        cmocka_unit_test(scatter_takes_no_negative_coordinate),
        cmocka_unit_test(what_a_gather_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
