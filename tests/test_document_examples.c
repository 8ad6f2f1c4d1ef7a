/* SPDX-License-Identifier: Apache-2.0
 *
 * The examples of PTX ISA 5.5.3 and 5.5.4 by the names of their figures. The text has the numbers
 * of Figures 10 and 13 to 15; of Figures 8 and 9 it has no numbers, so theirs are this test's.
 */
#include "support/testing.h"

#include "support/pixel_case.h"
#include <tma/map.h>

#define ADDRESS UINT64_C(0x7f0000000000)
#define ROWS    10
#define COLUMNS 12

static const tma_target blackwell = {.sm = 100, .suffix = 'a', .driver = 13000};
static uint32_t tensor[ROWS][COLUMNS]; /* [row][column] holds 100 * row + column + 1 */
static uint32_t shared[1024];

static tma_spec tiled(uint32_t box_columns, uint32_t box_rows, uint32_t row_stride) {
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t column = 0; column < COLUMNS; column++) {
            tensor[row][column] = 100 * row + column + 1;
        }
    }
    memset(shared, 0xA5, sizeof(shared));
    return (tma_spec){.dtype = TMA_DTYPE_FLOAT32,
                      .rank = 2,
                      .address = ADDRESS,
                      .dim_el = {COLUMNS, ROWS},
                      .stride_B = {sizeof(tensor[0])},
                      .box_el = {box_columns, box_rows},
                      .element_stride = {1, row_stride}};
}

static tma_status copy(const tma_spec *spec, uint32_t op, uint32_t mode, const int32_t coord[5],
                       tma_finding *why) {
    tma_map map;
    tma_plan plan;
    tma_position at = {.shared_address = 0};
    const tma_instruction in = {.op = op, .mode = mode};
    const tma_range range = {.address = ADDRESS, .size_B = sizeof(tensor), .host = tensor};
    const tma_global global = {.ranges = &range, .count = 1};
    const tma_window window = {.address = 0, .size_B = sizeof(shared), .host = shared};
    memcpy(at.coord, coord, sizeof(at.coord));
    assert_int_equal(tma_encode(map.bytes, spec, &blackwell), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, &in, &blackwell, why), TMA_OK);
    return tma_copy(&plan, &at, &global, &window, why);
}

/* "The traversal stride specifies the exact number of elements to be skipped": a box of 4 x 7 with
 * stride 3 along dimension 1 loads the rows 1, 4 and 7. */
static void figure_8_traversal_stride(void **state) {
    (void)state;
    const tma_spec spec = tiled(4, 7, 3);
    const int32_t start[5] = {4, 1};
    assert_int_equal(copy(&spec, TMA_OP_LOAD, TMA_MODE_TILE, start, NULL), TMA_OK);
    const uint32_t wanted[3][4] = {
        {105, 106, 107, 108}, {405, 406, 407, 408}, {705, 706, 707, 708}};
    assert_memory_equal(shared, wanted, sizeof(wanted));
    assert_int_equal(shared[12], 0xA5A5A5A5);
}

/* A box that crosses the tensor's boundary at its last row and column. */
static void figure_9_zero_fill(void **state) {
    (void)state;
    const tma_spec spec = tiled(8, 2, 1);
    const int32_t start[5] = {8, 9};
    assert_int_equal(copy(&spec, TMA_OP_LOAD, TMA_MODE_TILE, start, NULL), TMA_OK);
    const uint32_t wanted[2][8] = {{909, 910, 911, 912, 0, 0, 0, 0}, {0}};
    assert_memory_equal(shared, wanted, sizeof(wanted));
}

static void figure_9_nan_fill(void **state) {
    (void)state;
    tma_spec spec = tiled(8, 2, 1);
    spec.fill = TMA_FILL_NAN;
    const int32_t start[5] = {-4, -1};
    assert_int_equal(copy(&spec, TMA_OP_LOAD, TMA_MODE_TILE, start, NULL), TMA_OK);
    for (uint32_t i = 0; i < 12; i++) {
        assert_int_equal(little_endian(shared[i]), 0x7FF77FF7);
    }
    const uint32_t wanted[4] = {1, 2, 3, 4};
    assert_memory_equal(shared + 12, wanted, sizeof(wanted));
}

/* "Start coordinates (1, 2), (1, 5), (1, 0) and (1, 9)": one column, four rows. Column 1 counts
 * pieces of 16 bytes here: a column that is no multiple of 16 bytes traps. */
static void figure_10_gather4(void **state) {
    (void)state;
    tma_finding why;
    const tma_spec spec = tiled(4, 1, 1);
    const int32_t start[5] = {4, 2, 5, 0, 9};
    const int32_t as_printed[5] = {1, 2, 5, 0, 9};
    assert_int_equal(copy(&spec, TMA_OP_LOAD, TMA_MODE_GATHER4, start, NULL), TMA_OK);
    const uint32_t wanted[4][4] = {
        {205, 206, 207, 208}, {505, 506, 507, 508}, {5, 6, 7, 8}, {905, 906, 907, 908}};
    assert_memory_equal(shared, wanted, sizeof(wanted));
    assert_int_equal(copy(&spec, TMA_OP_LOAD, TMA_MODE_GATHER4, as_printed, &why), TMA_TRAP);
    assert_int_equal(why.rule, TMA_RULE_TRAP_COORD_ALIGN);
}

static void figure_10_scatter4(void **state) {
    (void)state;
    const tma_spec spec = tiled(4, 1, 1);
    const int32_t start[5] = {4, 2, 5, 0, 9};
    static const uint32_t rows[4] = {2, 5, 0, 9};
    for (uint32_t i = 0; i < 16; i++) {
        shared[i] = 7000 + i;
    }
    assert_int_equal(copy(&spec, TMA_OP_STORE, TMA_MODE_SCATTER4, start, NULL), TMA_OK);
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t column = 0; column < COLUMNS; column++) {
            uint32_t wanted = 100 * row + column + 1;
            for (uint32_t i = 0; i < 4; i++) {
                wanted = rows[i] == row && column / 4 == 1 ? 7000 + 4 * i + column % 4 : wanted;
            }
            assert_int_equal(tensor[row][column], wanted);
        }
    }
}

/* Tensor Size[i] of Figures 13 to 15 is globalDim[i], innermost first: C, W, H, N. Read so, all
 * three start inside their bounding boxes ("the filter corner location must be within the bounding
 * box"), as their coordinates, N, H, W, C, do not if the sizes are read the other way round. */

/* The bounding box: W from -1 to 7, H from -1 to 12. */
static void figure_13_im2col_example_1(void **state) {
    (void)state;
    const struct pixel_case example = {.mode = TMA_MODE_IM2COL,
                                       .size = {64, 14, 9, 64},
                                       .pixels = 64,
                                       .channels = 8,
                                       .lower = {-1, -1},
                                       .upper = {-1, -1},
                                       .stride = 1,
                                       .coordinate = {7, 7, 4, 0},
                                       .offset = {0, 0}};
    const struct pixel_stretch pixels[] = {{7, 7, 4, 4},   {7, 8, -1, 9},  {7, 9, -1, 9},
                                           {7, 10, -1, 9}, {7, 11, -1, 9}, {7, 12, -1, 9},
                                           {8, -1, -1, 9}, {8, 0, -1, 6},  {0}};
    expect_pixels(&example, pixels);
}

/* The box: W from 0 to 6, H from 0 to 11; each pixel is read 2 further along both. */
static void figure_14_im2col_example_2(void **state) {
    (void)state;
    const struct pixel_case example = {.mode = TMA_MODE_IM2COL,
                                       .size = {64, 14, 9, 64},
                                       .pixels = 64,
                                       .channels = 8,
                                       .lower = {0, 0},
                                       .upper = {-2, -2},
                                       .stride = 1,
                                       .coordinate = {7, 7, 4, 0},
                                       .offset = {2, 2}};
    const struct pixel_stretch pixels[] = {
        {7, 9, 6, 3}, {7, 10, 2, 7}, {7, 11, 2, 7}, {7, 12, 2, 7}, {7, 13, 2, 7},
        {8, 2, 2, 7}, {8, 3, 2, 7},  {8, 4, 2, 7},  {8, 5, 2, 7},  {8, 6, 2, 5},
        {0}};
    expect_pixels(&example, pixels);
}

/* The box: W from -1 to 6, H from -1 to 12, every second pixel and row of it. */
static void figure_15_traversal_stride(void **state) {
    (void)state;
    const struct pixel_case example = {.mode = TMA_MODE_IM2COL,
                                       .size = {64, 14, 8, 64},
                                       .pixels = 32,
                                       .channels = 16,
                                       .lower = {-1, -1},
                                       .upper = {-1, -1},
                                       .stride = 2,
                                       .coordinate = {7, 7, 5, 0},
                                       .offset = {1, 1}};
    const struct pixel_stretch pixels[] = {
        {7, 8, 6, 1}, {7, 10, 0, 4}, {7, 12, 0, 4}, {8, 0, 0, 4},  {8, 2, 0, 4},
        {8, 4, 0, 4}, {8, 6, 0, 4},  {8, 8, 0, 4},  {8, 10, 0, 3}, {0}};
    expect_pixels(&example, pixels);
}

/* 5.5.4.3: more pixels than the batch of images has are out of bounds. */
static void pixels_beyond_the_last_image(void **state) {
    (void)state;
    const struct pixel_case example = {.mode = TMA_MODE_IM2COL,
                                       .size = {2, 3, 4, 8},
                                       .pixels = 10,
                                       .channels = 8,
                                       .stride = 1,
                                       .coordinate = {1, 1, 2, 0}};
    const struct pixel_stretch pixels[] = {{1, 1, 2, 2}, {1, 2, 0, 4}, {2, 0, 0, 4}, {0}};
    expect_pixels(&example, pixels);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_8_traversal_stride),
        cmocka_unit_test(figure_9_zero_fill),
        cmocka_unit_test(figure_9_nan_fill),
        cmocka_unit_test(figure_10_gather4),
        cmocka_unit_test(figure_10_scatter4),
        cmocka_unit_test(figure_13_im2col_example_1),
        cmocka_unit_test(figure_14_im2col_example_2),
        cmocka_unit_test(figure_15_traversal_stride),
        cmocka_unit_test(pixels_beyond_the_last_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
