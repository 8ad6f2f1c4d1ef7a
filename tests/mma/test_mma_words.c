/* SPDX-License-Identifier: Apache-2.0
 *
 * What is asked of a map and an MMA in words, and the picture of the answer: the cells that it
 * marks are the elements that tma_mma_compare() counts.
 */
#include "support/testing.h"

#include <string.h>

#include "tma/draw.h"
#include "tma/limits.def"
#include "tma/mma_text.h"

static const struct {
    tma_mma_option option;
    const char *taken, *refused;
} words[] = {
    {TMA_MMA_OPTION_DESC, "0xffffffffffffffff", "0x10000000000000000"},
    {TMA_MMA_OPTION_OPERAND, "B", "AB"},
    {TMA_MMA_OPTION_MAJOR, "MN", "MK"},
    {TMA_MMA_OPTION_SHAPE, "m256n256k256", "m64n257k16"},
    {TMA_MMA_OPTION_TYPE, "e2m1-packed", "fp8"},
    {TMA_MMA_OPTION_AT, "0x3ffff", "0x40000"},
    {TMA_MMA_OPTION_COPIES, "256", "257"},
    {TMA_MMA_OPTION_STEP, "262143", "262144"},
    {TMA_MMA_OPTION_PANELS, "4", "5"},
    {TMA_MMA_OPTION_FROM, "64,16", "64"},
    {TMA_MMA_OPTION_COPY, "0x4400,0,64", "0x4400,64"},
    {TMA_MMA_OPTION_READING, "zero-mask-spans=use", "zero-mask-spans=examples"},
    {TMA_MMA_OPTION_ZERO_MASK, "0x0003028000000000", "mask"},
};

static void words_go_back_and_forth(void **state) {
    (void)state;
    assert_int_equal(sizeof(words) / sizeof(words[0]), TMA_MMA_OPTIONS);
    for (size_t i = 0; i < TMA_MMA_OPTIONS; i++) {
        tma_mma_question q = {0};
        tma_error error;
        char text[64];
        char wanted[64];
        tma_out out = tma_out_into(text, sizeof(text));
        assert_int_not_equal(tma_mma_words_set(&q, words[i].option, words[i].refused, &error), 0);
        assert_int_equal(q.given, 0);
        assert_int_equal(tma_mma_words_set(&q, words[i].option, words[i].taken, &error), 0);
        tma_put_mma_options(&out, &q);
        snprintf(wanted, sizeof(wanted), " --%s %s", tma_mma_option_name(words[i].option),
                 words[i].taken);
        if (words[i].option == TMA_MMA_OPTION_STEP) {
            strcpy(wanted, " --step 262143");
        }
        assert_string_equal(text, wanted);
    }
    assert_null(tma_mma_option_name(TMA_MMA_OPTIONS));
}

/* Not answered as the usual number, which 0 stands for where nothing is said. */
static void counts_of_0_are_refused(void **state) {
    const tma_mma_option counts[] = {TMA_MMA_OPTION_COPIES, TMA_MMA_OPTION_STEP};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        tma_mma_question q = {0};
        tma_error error;
        assert_int_not_equal(tma_mma_words_set(&q, counts[i], "0", &error), 0);
        assert_non_null(strstr(error.text, "must be at least 1"));
        assert_int_equal(tma_mma_words_set(&q, counts[i], "1", &error), 0);
    }
}

static void families_by_target(void **state) {
    const struct {
        uint16_t sm;
        char suffix;
        int family; /* -1: refused */
    } rows[] = {{90, 0, TMA_MMA_WGMMA},
                {90, 'a', TMA_MMA_WGMMA},
                {100, 'a', TMA_MMA_TCGEN05},
                {103, 'f', TMA_MMA_TCGEN05},
                {100, 0, -1},
                {120, 'a', -1}};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const tma_target target = {.sm = rows[i].sm, .suffix = rows[i].suffix, .driver = 13000};
        tma_mma_question q = {0};
        tma_error error;
        const int failed = tma_mma_words_finish(&q, NULL, &target, &error) != 0;
        assert_int_equal(failed ? -1 : (int)q.family, rows[i].family);
    }
}

typedef struct seen_cells {
    int32_t right; /* x of the second panel */
    uint64_t wrong, right_cells;
} seen_cells;

static int see(void *context, const tma_mark *mark) {
    seen_cells *seen = context;
    if (mark->shape == TMA_MARK_TEXT && mark->label && !strcmp(mark->label, "what the MMA reads")) {
        seen->right = mark->x;
    }
    if (mark->shape == TMA_MARK_RECT && mark->cell >= 0 && seen->right && mark->x >= seen->right) {
        seen->wrong += mark->style == TMA_STYLE_EDGE;
        seen->right_cells++;
    }
    return 0;
}

/* Descriptors around the right one: start, strides, swizzle and base offset off by a little. */
static void picture_marks_what_differs(void **state) {
    static const uint64_t off[] = {0,
                                   1,
                                   2,
                                   8,
                                   64,
                                   UINT64_C(1) << 32,
                                   UINT64_C(32) << 32,
                                   UINT64_C(1) << 49,
                                   UINT64_C(1) << 62,
                                   UINT64_C(1) << 16};
    const tma_spec spec = {.api = TMA_API_TILED,
                           .dtype = TMA_DTYPE_FLOAT16,
                           .rank = 2,
                           .dim_el = {64, 128},
                           .stride_B = {128},
                           .box_el = {64, 128},
                           .element_stride = {1, 1},
                           .swizzle = TMA_SWIZZLE_128B};
    tma_map map;
    uint64_t disagreed = 0;
    (void)state;
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++) {
        tma_mma_question q = {.desc = UINT64_C(0x4000004000010040) + off[i],
                              .given = 1u << TMA_MMA_OPTION_DESC};
        tma_error error;
        tma_mma_descriptor d;
        tma_mma_difference difference;
        seen_cells seen = {0};
        const tma_drawing drawing = {
            .picture = TMA_PICTURE_MMA, .map = map.bytes, .mma = &q, .lines = TMA_DRAW_MOST_LINES};
        assert_int_equal(tma_draw(&drawing, see, &seen, NULL), TMA_OK);
        assert_int_equal(tma_mma_words_finish(&q, &spec, NULL, &error), 0);
        assert_int_equal(tma_mma_decode(&d, q.family, q.desc), TMA_OK);
        assert_int_equal(tma_mma_compare(&difference, &d, &q.operand, &spec, &q.tile, 0, 0),
                         TMA_OK);
        assert_int_equal(seen.right_cells * 8, difference.all_el);
        assert_int_equal(seen.wrong * 8, difference.all_el - difference.equal_el);
        disagreed += seen.wrong > 0;
    }
    assert_in_range(disagreed, 5, 9);
}

/* A core matrix is 8 rows of 16 bytes; the eight quarters of the 32 banks, a row each. */
static void expect_no_conflict(const tma_mma_step *step, const tma_mma_question *q) {
    const uint32_t unit_el = tma_mma_type_at(q->operand.type)->unit_el;
    const int by_k = q->operand.major == TMA_MMA_K_MAJOR;
    const uint32_t rows = by_k ? q->operand.mn_el : q->operand.k_el;
    for (uint32_t row = 0; row + 8 <= rows; row += 8) {
        uint32_t quarters = 0;
        for (uint32_t i = row; i < row + 8; i++) {
            const tma_mma_place at = tma_mma_read(&step->descriptor, &q->operand,
                                                  by_k ? i : unit_el, by_k ? unit_el : i);
            quarters |= 1u << at.address_B / 16 % 8;
        }
        assert_int_equal(quarters, 0xFF);
    }
}

static int count_step(void *context, const tma_mma_step *step) {
    tma_mma_question *q = context;
    if (step->exists) {
        expect_no_conflict(step, q);
        q->desc++; /* how many there were */
    }
    return 0;
}

static void core_matrices_meet_no_bank_twice(void **state) {
    static const uint32_t span_el[] = {8, 16, 32, 64}; /* by swizzle, of 2 bytes */
    (void)state;
    for (uint32_t swizzle = TMA_SWIZZLE_NONE; swizzle <= TMA_SWIZZLE_128B; swizzle++) {
        for (uint32_t major = TMA_MMA_K_MAJOR; major <= TMA_MMA_MN_MAJOR; major++) {
            const tma_spec spec = {.api = TMA_API_TILED,
                                   .dtype = TMA_DTYPE_FLOAT16,
                                   .rank = 2,
                                   .dim_el = {64, 128},
                                   .stride_B = {128},
                                   .box_el = {span_el[swizzle], 128},
                                   .element_stride = {1, 1},
                                   .swizzle = swizzle};
            tma_mma_question q = {.operand = {.matrix = major, .major = major},
                                  .given = 1u << TMA_MMA_OPTION_SHAPE,
                                  .m_el = 64,
                                  .n_el = span_el[swizzle],
                                  .k_el = 16,
                                  .tile = {.copies = 2}};
            tma_error error;
            assert_int_equal(tma_mma_words_finish(&q, &spec, NULL, &error), 0);
            assert_int_equal(tma_mma_each_step(&q, &spec, count_step, &q), 0);
            assert_in_range(q.desc, 2, 64);
        }
    }
}

static void picture_says_why_not(void **state) {
    tma_spec spec = {.api = TMA_API_TILED,
                     .dtype = TMA_DTYPE_FLOAT64,
                     .rank = 2,
                     .dim_el = {64, 128},
                     .stride_B = {512},
                     .box_el = {16, 128},
                     .element_stride = {1, 1}};
    tma_map map;
    const tma_mma_question more_panels_than_dimensions = {.tile = {.panel_dims = 4}};
    tma_drawing drawing = {.picture = TMA_PICTURE_MMA, .map = map.bytes};
    (void)state;
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    assert_non_null(strstr(tma_draw_unfit(&drawing), "element type"));
    spec.dtype = TMA_DTYPE_FLOAT16;
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    drawing.mma = &more_panels_than_dimensions;
    assert_non_null(strstr(tma_draw_unfit(&drawing), "tma mma says why"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_go_back_and_forth),
        cmocka_unit_test(counts_of_0_are_refused),
        cmocka_unit_test(families_by_target),
        cmocka_unit_test(picture_marks_what_differs),
        cmocka_unit_test(core_matrices_meet_no_bank_twice),
        cmocka_unit_test(picture_says_why_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
