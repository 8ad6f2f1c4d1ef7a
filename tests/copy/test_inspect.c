/* SPDX-License-Identifier: Apache-2.0
 *
 * tma_inspect(): what a load's barrier reports of its data. PTX 9.4, 9.7.10.28.1.3; no machine.
 */
#include "support/testing.h"

#include <tma/copy.h>
#include <tma/map.h>

#define ADDRESS UINT64_C(0x7f0000000000)
#define ROWS    8
#define ROW_B   64
#define BOX_B   32 /* two looks of 16 bytes a row */

static const tma_target target = {.sm = 107, .suffix = 'a', .driver = 13020};
static uint8_t tensor[ROWS][ROW_B];

static tma_plan plan_of(uint32_t dtype, uint32_t box_el, uint32_t row_el, uint32_t inspection) {
    const tma_spec spec = {.dtype = dtype,
                           .rank = 2,
                           .address = ADDRESS,
                           .dim_el = {row_el, ROWS},
                           .stride_B = {ROW_B},
                           .box_el = {box_el, 4},
                           .element_stride = {1, 1}};
    const tma_instruction in = {.op = TMA_OP_LOAD, .mode = TMA_MODE_TILE, .inspection = inspection};
    tma_map map;
    tma_plan plan;
    assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, &in, &target, NULL), TMA_OK);
    return plan;
}

static tma_plan bytes_plan(uint32_t inspection) {
    return plan_of(TMA_DTYPE_UINT8, BOX_B, ROW_B, inspection);
}

/* Of a box that begins at this row, with so many rows of the tensor there. */
static uint32_t answer_of(const tma_plan *plan, int32_t row, size_t there_B) {
    const tma_range range = {.address = ADDRESS, .size_B = there_B, .host = tensor};
    const tma_global global = {.ranges = &range, .count = 1};
    const tma_position at = {.coord = {0, row}};
    uint32_t answer = 77;
    assert_int_equal(tma_inspect(&answer, plan, &at, &global, NULL), TMA_OK);
    return answer;
}

static uint32_t all_of(const tma_plan *plan) {
    return answer_of(plan, 0, sizeof(tensor));
}

static int clear(void **state) {
    (void)state;
    memset(tensor, 0, sizeof(tensor));
    return 0;
}

/* Each pattern fills a whole look: certain. One element of it: nobody says which one is sampled. */
static void test_whole_looks_are_certain_and_parts_are_not(void **state) {
    static const struct {
        uint32_t inspection, bits;
        uint8_t pattern[4];
    } rows[] = {
        {TMA_INSPECTION_16B_80000000, 32, {0x00, 0x00, 0x00, 0x80}},
        {TMA_INSPECTION_16B_8000, 16, {0x00, 0x80, 0x00, 0x80}},
        {TMA_INSPECTION_16B_80, 8, {0x80, 0x80, 0x80, 0x80}},
        {TMA_INSPECTION_16B_8, 4, {0x88, 0x88, 0x88, 0x88}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const tma_plan plan = bytes_plan(rows[i].inspection);
        memset(tensor, 0, sizeof(tensor));
        assert_int_equal(all_of(&plan), TMA_REPORTS_NOT);
        for (size_t at = 16; at < 32; at++) {
            tensor[3][at] = rows[i].pattern[at % 4];
        }
        assert_int_equal(all_of(&plan), TMA_REPORTS);
        assert_int_equal(answer_of(&plan, 4, sizeof(tensor)), TMA_REPORTS_NOT);
        tensor[3][17] ^= 1; /* of the first element, but for a type of less than 17 bits */
        tensor[3][16] ^= 1;
        assert_int_equal(all_of(&plan), TMA_REPORTS_MAYBE);
        memset(tensor[3] + 16, 0, 12);
        assert_int_equal(all_of(&plan), TMA_REPORTS_MAYBE);
        memset(tensor[3] + 28, 0, 4);
        assert_int_equal(all_of(&plan), TMA_REPORTS_NOT);
    }
}

/* A pattern across two looks, or of another width, is none. */
static void test_elements_are_looked_at_where_they_lie(void **state) {
    const tma_plan words = bytes_plan(TMA_INSPECTION_16B_80000000);
    const tma_plan halves = bytes_plan(TMA_INSPECTION_16B_8000);
    (void)state;
    tensor[0][2] = 0x80; /* the third byte of a word, the first of a half */
    assert_int_equal(all_of(&words), TMA_REPORTS_NOT);
    assert_int_equal(all_of(&halves), TMA_REPORTS_NOT);
    tensor[0][3] = 0x80;
    assert_int_equal(all_of(&words), TMA_REPORTS_NOT);
    tensor[0][2] = 0;
    assert_int_equal(all_of(&words), TMA_REPORTS_MAYBE);
    assert_int_equal(all_of(&halves), TMA_REPORTS_MAYBE);
}

static void test_each_byte_is_looked_at(void **state) {
    const tma_plan plan = bytes_plan(TMA_INSPECTION_ELEMENT_FF);
    (void)state;
    tensor[3][BOX_B] = 0xFF; /* beside the box */
    tensor[4][0] = 0xFF;     /* below it */
    tensor[0][0] = 0xF0;     /* half a byte of a type of 8 bits says nothing */
    assert_int_equal(all_of(&plan), TMA_REPORTS_NOT);
    tensor[3][BOX_B - 1] = 0xFF;
    assert_int_equal(all_of(&plan), TMA_REPORTS);
}

static void test_half_a_byte_of_a_4_bit_type_may_be_enough(void **state) {
    const tma_plan plan = plan_of(TMA_DTYPE_16U4_ALIGN8B, 64, 128, TMA_INSPECTION_ELEMENT_FF);
    (void)state;
    tensor[1][5] = 0x0E;
    assert_int_equal(all_of(&plan), TMA_REPORTS_NOT);
    tensor[1][5] = 0x0F;
    assert_int_equal(all_of(&plan), TMA_REPORTS_MAYBE);
    tensor[1][5] = 0xF1;
    assert_int_equal(all_of(&plan), TMA_REPORTS_MAYBE);
    tensor[1][6] = 0xFF;
    assert_int_equal(all_of(&plan), TMA_REPORTS);
}

/* What is filled has no pattern; nothing is inspected without a mechanism, or with "disabled". */
static void test_nothing_is_reported(void **state) {
    const tma_plan bytes = bytes_plan(TMA_INSPECTION_ELEMENT_FF);
    const tma_plan looks = bytes_plan(TMA_INSPECTION_16B_80);
    const tma_plan disabled = bytes_plan(TMA_INSPECTION_DISABLED);
    const tma_plan none = bytes_plan(0);
    (void)state;
    memset(tensor, 0xFF, sizeof(tensor));
    assert_int_equal(all_of(&bytes), TMA_REPORTS);
    assert_int_equal(answer_of(&bytes, ROWS, sizeof(tensor)), TMA_REPORTS_NOT);
    assert_int_equal(answer_of(&bytes, -4, sizeof(tensor)), TMA_REPORTS_NOT);
    assert_int_equal(answer_of(&looks, ROWS, sizeof(tensor)), TMA_REPORTS_NOT);
    assert_int_equal(all_of(&disabled), TMA_REPORTS_NOT);
    assert_int_equal(all_of(&none), TMA_REPORTS_NOT);
}

/* Bytes of a look that the caller has not may hold the pattern. */
static void test_missing_bytes_are_not_known(void **state) {
    const tma_plan plan = bytes_plan(TMA_INSPECTION_16B_80);
    (void)state;
    assert_int_equal(answer_of(&plan, 0, 3 * ROW_B + BOX_B), TMA_REPORTS_NOT);
    assert_int_equal(answer_of(&plan, 0, 3 * ROW_B + BOX_B - 1), TMA_REPORTS_MAYBE);
}

static void test_wrong_calls(void **state) {
    const tma_plan plan = bytes_plan(TMA_INSPECTION_16B_80);
    const tma_global global = {.ranges = NULL, .count = 0};
    const tma_position at = {.coord = {0, 0}};
    const tma_position odd = {.coord = {0, 0}, .shared_address = 8};
    uint32_t answer = 77;
    tma_finding why = {0};
    (void)state;
    assert_int_equal(tma_inspect(NULL, &plan, &at, &global, &why), TMA_INVALID);
    assert_int_equal(tma_inspect(&answer, NULL, &at, &global, &why), TMA_INVALID);
    assert_int_equal(tma_inspect(&answer, &plan, NULL, &global, &why), TMA_INVALID);
    assert_int_equal(tma_inspect(&answer, &plan, &at, NULL, &why), TMA_INVALID);
    assert_int_equal(tma_inspect(&answer, &plan, &odd, &global, &why),
                     tma_plan_at(&plan, &odd, NULL));
    assert_int_not_equal(tma_plan_at(&plan, &odd, NULL), TMA_OK);
    assert_int_equal(answer, 77);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_whole_looks_are_certain_and_parts_are_not, clear),
        cmocka_unit_test_setup(test_elements_are_looked_at_where_they_lie, clear),
        cmocka_unit_test_setup(test_each_byte_is_looked_at, clear),
        cmocka_unit_test_setup(test_half_a_byte_of_a_4_bit_type_may_be_enough, clear),
        cmocka_unit_test_setup(test_nothing_is_reported, clear),
        cmocka_unit_test_setup(test_missing_bytes_are_not_known, clear),
        cmocka_unit_test_setup(test_wrong_calls, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
