/* SPDX-License-Identifier: Apache-2.0
 *
 * im2col::w and im2col::w::128: the examples of PTX ISA 5.5.5 by the names of their figures, where
 * a copy may begin, and the ranges of wHalo and wOffset. Documents only: no machine was seen to do
 * it.
 */
#include "support/testing.h"

#include "support/pixel_case.h"
#include <tma/map.h>
#include <tma/walk.h>

#define MOST_STRETCHES 200

/* "Tensor copy operation with the above parameters": Figures 18 and 19. Their Tensor Size[3] = 64
 * is read as C here, Channels-per-pixel being 64; read innermost first, as in Figures 13 to 15,
 * they run too: tests/documents has both. */
static const struct pixel_case example = {.mode = TMA_MODE_IM2COL_W,
                                          .size = {128, 9, 7, 64},
                                          .pixels = 128,
                                          .channels = 64,
                                          .stride = 1,
                                          .coordinate = {7, 2, 3, 0},
                                          .offset = {2, 0},
                                          .swizzle = TMA_SWIZZLE_128B};

/* Pixel number p of the figures' walk: W from 0 to 6, beginning at image 7, W = 3. */
static struct pixel_stretch walked(uint32_t p) {
    return (struct pixel_stretch){7 + (int32_t)(3 + p) / 7, 2, (int32_t)(3 + p) % 7, 1};
}

/* Figure 16: along W alone, image after image; H is that of the coordinates throughout. */
static void figure_16_along_w(void **state) {
    (void)state;
    struct pixel_case c = example;
    c.pixels = 12;
    c.offset[0] = 0;
    const struct pixel_stretch pixels[] = {{7, 2, 3, 4}, {8, 2, 0, 7}, {9, 2, 0, 1}, {0}};
    expect_pixels(&c, pixels);
}

/* Figure 17: "the first element can lie outside of the bounding box ... on the left side". The
 * images after the first begin at the box. */
static void figure_17_first_element_left_of_the_box(void **state) {
    (void)state;
    struct pixel_case c = example;
    c.pixels = 15;
    c.lower[1] = 1;
    c.upper[1] = -1;
    c.coordinate[2] = -2;
    c.offset[0] = 0;
    const struct pixel_stretch pixels[] = {{7, 2, -2, 8}, {8, 2, 1, 5}, {9, 2, 1, 2}, {0}};
    expect_pixels(&c, pixels);
    c.mode = TMA_MODE_IM2COL_W128;
    struct pixel_stretch all[MOST_STRETCHES] = {{7, 2, -2, 8}};
    for (int32_t i = 1; i <= 24; i++) { /* 128 = 8 + 24 * 5 */
        all[i] = (struct pixel_stretch){7 + i, 2, 1, 5};
    }
    expect_pixels(&c, all);
}

/* Only on the left, and only along W. */
static void first_element_right_of_the_box_traps(void **state) {
    (void)state;
    for (uint32_t mode = TMA_MODE_IM2COL_W; mode <= TMA_MODE_IM2COL_W128; mode++) {
        struct pixel_case c = example;
        tma_finding why;
        c.mode = mode;
        c.coordinate[2] = 6;
        assert_int_equal(pixel_case_status(&c, &why), TMA_OK);
        c.coordinate[2] = 7;
        assert_int_equal(pixel_case_status(&c, &why), TMA_TRAP);
        assert_int_equal(why.rule, TMA_RULE_TRAP_BOX_UPPER);
        assert_int_equal(why.limit, 6);
    }
}

/* 128 pixels and then the two of the halo, which go on where those ended. */
static void figure_18_im2col_w(void **state) {
    (void)state;
    struct pixel_stretch pixels[MOST_STRETCHES] = {{7, 2, 3, 4}};
    for (int32_t i = 1; i <= 17; i++) {
        pixels[i] = (struct pixel_stretch){7 + i, 2, 0, 7};
    }
    pixels[18] = (struct pixel_stretch){25, 2, 0, 5}; /* 4 + 17 * 7 + 5 = 128 */
    pixels[19] = (struct pixel_stretch){25, 2, 5, 2}; /* the halo */
    expect_pixels(&example, pixels);
}

/* "After every 32 elements, wHalo number of elements are loaded". The sources conflict on where
 * they lie; here each halo follows its 32 pixels. */
static void figure_19_im2col_w_128(void **state) {
    (void)state;
    struct pixel_case c = example;
    struct pixel_stretch pixels[MOST_STRETCHES] = {{0}};
    uint32_t n = 0;
    c.mode = TMA_MODE_IM2COL_W128;
    for (uint32_t chunk = 0; chunk < 4; chunk++) {
        for (uint32_t p = 32 * chunk; p < 32 * chunk + 32; p++) {
            pixels[n++] = walked(p);
        }
        pixels[n++] = walked(32 * chunk + 32);
        pixels[n++] = walked(32 * chunk + 33);
    }
    assert_int_equal(n, 128 + 4 * 2);
    expect_pixels(&c, pixels);
    c.pixels = 5; /* "Pixels-per-Column is ignored in im2col::w::128 mode" */
    expect_pixels(&c, pixels);
}

/* Example 1 of wOffset: Figures 20 and 21. W from -1 to 66 in twos: 34 pixels an image, and three
 * images and 26 pixels are 128. */
static const struct pixel_case offset_1 = {.mode = TMA_MODE_IM2COL_W,
                                           .size = {128, 9, 67, 64},
                                           .pixels = 128,
                                           .channels = 64,
                                           .lower = {0, -1},
                                           .upper = {0, 0},
                                           .stride = 2,
                                           .coordinate = {7, 2, -1, 0},
                                           .swizzle = TMA_SWIZZLE_128B};

static void figure_20_buffer_1_of_example_1(void **state) {
    (void)state;
    struct pixel_case c = offset_1;
    c.offset[0] = 1;
    const struct pixel_stretch pixels[] = {{7, 2, -1, 34},  {8, 2, -1, 34}, {9, 2, -1, 34},
                                           {10, 2, -1, 26}, {10, 2, 51, 1}, {0}};
    expect_pixels(&c, pixels);
}

/* Box and start are one to the right: W from 0 to 67 in twos, 0 to 66. */
static void figure_21_buffer_2_of_example_1(void **state) {
    (void)state;
    struct pixel_case c = offset_1;
    c.offset[1] = 1;
    const struct pixel_stretch pixels[] = {
        {7, 2, 0, 34}, {8, 2, 0, 34}, {9, 2, 0, 34}, {10, 2, 0, 26}, {0}};
    expect_pixels(&c, pixels);
}

/* Example 2: three pixels an image, -1 + wOffset to 5 + wOffset in threes; 42 images and 2 pixels.
 */
static void buffer_of_example_2(uint16_t w_offset) {
    struct pixel_case c = {.mode = TMA_MODE_IM2COL_W,
                           .size = {128, 7, 7, 64},
                           .pixels = 128,
                           .channels = 64,
                           .lower = {0, -1},
                           .upper = {0, -1},
                           .stride = 3,
                           .coordinate = {7, 2, -1, 0},
                           .offset = {0, w_offset},
                           .swizzle = TMA_SWIZZLE_128B};
    struct pixel_stretch pixels[MOST_STRETCHES] = {{0}};
    for (int32_t i = 0; i < 42; i++) {
        pixels[i] = (struct pixel_stretch){7 + i, 2, -1 + w_offset, 3};
    }
    pixels[42] = (struct pixel_stretch){49, 2, -1 + w_offset, 2};
    expect_pixels(&c, pixels);
}

static void figure_22_buffer_1_of_example_2(void **state) {
    (void)state;
    buffer_of_example_2(0);
}

static void figure_23_buffer_2_of_example_2(void **state) {
    (void)state;
    buffer_of_example_2(1);
}

/* Its last pixel of each image, W = 7, is outside of the tensor. */
static void figure_24_buffer_3_of_example_2(void **state) {
    (void)state;
    buffer_of_example_2(2);
}

/* wOffset and wHalo at once in the 128 mode. */
static void w_128_with_offset_and_stride(void **state) {
    (void)state;
    struct pixel_case c = offset_1;
    struct pixel_stretch pixels[MOST_STRETCHES] = {{0}};
    uint32_t n = 0;
    c.mode = TMA_MODE_IM2COL_W128;
    c.offset[0] = 3;
    c.offset[1] = 1;
    for (uint32_t row = 0; row < 128 + 4 * 3; row++) {
        const uint32_t p = row / 35 * 32 + row % 35;
        pixels[n++] = (struct pixel_stretch){7 + (int32_t)p / 34, 2, (int32_t)(p % 34) * 2, 1};
    }
    expect_pixels(&c, pixels);
}

/* "wHalo in [0, 512) for ::w, [0, 32) for ::w::128; wOffset in [0, 32)". */
static void ranges_of_halo_and_offset(void **state) {
    (void)state;
    static const struct {
        uint32_t mode;
        uint16_t halo;
        uint16_t offset;
        uint32_t rule; /* TMA_RULE_NONE */
    } rows[] = {
        {TMA_MODE_IM2COL_W, 511, 31, TMA_RULE_NONE},
        {TMA_MODE_IM2COL_W, 512, 0, TMA_RULE_WIDE_HALO},
        {TMA_MODE_IM2COL_W, 0, 32, TMA_RULE_WIDE_OFFSET},
        {TMA_MODE_IM2COL_W128, 31, 31, TMA_RULE_NONE},
        {TMA_MODE_IM2COL_W128, 32, 0, TMA_RULE_WIDE_HALO},
        {TMA_MODE_IM2COL_W128, 0, 32, TMA_RULE_WIDE_OFFSET},
        {TMA_MODE_IM2COL_W128, 65535, 65535, TMA_RULE_WIDE_HALO},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct pixel_case c = example;
        tma_finding why = {.rule = TMA_RULE_NONE};
        c.mode = rows[i].mode;
        c.offset[0] = rows[i].halo;
        c.offset[1] = rows[i].offset;
        const tma_status status = pixel_case_status(&c, &why);
        assert_int_equal(status == TMA_OK, rows[i].rule == TMA_RULE_NONE);
        assert_int_equal(status == TMA_OK ? TMA_RULE_NONE : why.rule, rows[i].rule);
    }
}

/* Swizzles: "must not be no swizzle and 128-byte with 32-byte atomicity with 8-byte flip"; and 96
 * bytes not in the 128 mode. */
static void swizzles_of_the_wide_modes(void **state) {
    (void)state;
    for (uint32_t swizzle = 0; swizzle <= TMA_SWIZZLE_96B; swizzle++) {
        if (swizzle && !tma_swizzle_span_B(swizzle)) {
            continue;
        }
        const int neither =
            swizzle == TMA_SWIZZLE_NONE || swizzle == TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B;
        for (uint32_t mode = TMA_MODE_IM2COL_W; mode <= TMA_MODE_IM2COL_W128; mode++) {
            const int refused =
                neither || (swizzle == TMA_SWIZZLE_96B && mode == TMA_MODE_IM2COL_W128);
            const tma_target target = {.sm = 103, .suffix = 'a', .driver = 13000};
            const tma_instruction load = {.op = TMA_OP_LOAD, .mode = mode};
            tma_spec spec = {.api = TMA_API_IM2COL,
                             .dtype = TMA_DTYPE_FLOAT16,
                             .rank = 3,
                             .swizzle = swizzle,
                             .address = 1 << 20,
                             .dim_el = {16, 9, 2},
                             .stride_B = {32, 288},
                             .element_stride = {1, 1, 1},
                             .channels_per_pixel = 16,
                             .pixels_per_column = 4};
            tma_map map;
            tma_plan plan;
            tma_finding why;
            assert_int_equal(tma_encode_forced(map.bytes, &spec, &target, NULL), TMA_OK);
            const tma_status status = tma_plan_make(&plan, map.bytes, &load, &target, &why);
            assert_int_equal(status, refused ? TMA_UNKNOWN : TMA_OK);
            assert_true(!refused || why.rule == TMA_RULE_WIDE_MAP);
        }
    }
}

struct halo_rows {
    uint32_t rows, halo;
    uint32_t every; /* main pixels before each halo */
};

static int follow_halo(void *context, const tma_run *run) {
    struct halo_rows *h = context;
    const uint32_t in_chunk = run->row % (h->every + h->halo);
    assert_int_equal(run->halo, in_chunk >= h->every);
    h->rows = run->row + 1;
    return 0;
}

/* Runs say which pixels wHalo added: two behind the 128, or two behind each 32. */
static void runs_name_their_halo(void **state) {
    (void)state;
    for (uint32_t mode = TMA_MODE_IM2COL_W; mode <= TMA_MODE_IM2COL_W128; mode++) {
        struct pixel_case c = example;
        struct halo_rows h = {0, 2, mode == TMA_MODE_IM2COL_W ? 128 : 32};
        tma_plan plan;
        tma_position at;
        c.mode = mode;
        pixel_case_plan(&plan, &at, &c);
        assert_int_equal(tma_walk_rows(&plan, &at, follow_halo, &h), 0);
        assert_int_equal(h.rows, 128 + 2 * (128 / h.every));
    }
}

/* Example 1 of wOffset: W from -1 to 66, and one to the right of it with wOffset 1. */
static void pixel_box_of_example_1(void **state) {
    (void)state;
    struct pixel_case c = offset_1;
    int64_t first_px[TMA_MAX_SPATIAL];
    int64_t last_px[TMA_MAX_SPATIAL];
    tma_plan plan;
    tma_position at;
    for (uint16_t moved = 0; moved < 2; moved++) {
        c.offset[1] = moved;
        pixel_case_plan(&plan, &at, &c);
        assert_int_equal(tma_plan_pixel_box(first_px, last_px, &plan, &at), 2);
        assert_int_equal(first_px[0], -1 + moved);
        assert_int_equal(last_px[0], 66 + moved);
    }
    assert_int_equal(tma_plan_pixel_box(first_px, last_px, NULL, &at), 0);
    assert_int_equal(tma_plan_pixel_box(first_px, last_px, &plan, NULL), 0);
    assert_int_equal(tma_plan_pixel_box(NULL, last_px, &plan, &at), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_16_along_w),
        cmocka_unit_test(figure_17_first_element_left_of_the_box),
        cmocka_unit_test(first_element_right_of_the_box_traps),
        cmocka_unit_test(figure_18_im2col_w),
        cmocka_unit_test(figure_19_im2col_w_128),
        cmocka_unit_test(figure_20_buffer_1_of_example_1),
        cmocka_unit_test(figure_21_buffer_2_of_example_1),
        cmocka_unit_test(figure_22_buffer_1_of_example_2),
        cmocka_unit_test(figure_23_buffer_2_of_example_2),
        cmocka_unit_test(figure_24_buffer_3_of_example_2),
        cmocka_unit_test(w_128_with_offset_and_stride),
        cmocka_unit_test(ranges_of_halo_and_offset),
        cmocka_unit_test(swizzles_of_the_wide_modes),
        cmocka_unit_test(runs_name_their_halo),
        cmocka_unit_test(pixel_box_of_example_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
