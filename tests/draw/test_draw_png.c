/* SPDX-License-Identifier: Apache-2.0
 *
 * PNG files: the same bytes however little memory there is to draw in, and none for a drawing that
 * cannot be made. What is in them tests/golden/test_draw_png.py reads.
 */
#include "support/testing.h"

#include <stdlib.h>

#include "support/gen/gen_copy.h"
#include <tma/draw.h>

#define COPIES     12
#define ALL_WORK_B (64 << 20)
#define MOST_PNG_B (4 << 20)
#define OF_MAPS    TMA_PICTURE_TIMELINE /* those before it */
#define FEW_MARKS  400
#define HEAD_B     33 /* signature and IHDR */

static char at_once[MOST_PNG_B];
static char in_parts[MOST_PNG_B];
static unsigned char all_work[ALL_WORK_B];

static tma_drawing drawing_of(const struct gen_copy *c, uint32_t picture) {
    return (tma_drawing){.picture = picture,
                         .map = c->map.bytes,
                         .instruction = &c->instruction,
                         .at = &c->at,
                         .target = &c->target,
                         .lines = 4};
}

static tma_out begin(char *file) {
    return tma_out_into(file, MOST_PNG_B);
}

static uint32_t word_at(const char *file, size_t at) {
    const unsigned char *b = (const unsigned char *)file + at;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void draw_in(const tma_drawing *d, tma_draw_size size, size_t length, size_t work_B) {
    unsigned char *work = malloc(work_B); /* sanitizers notice a byte beyond it */
    assert_non_null(work);
    tma_out out = begin(in_parts);
    assert_int_equal(tma_draw_png(&out, d, work, work_B, NULL), TMA_OK);
    free(work);
    assert_int_equal(word_at(in_parts, 16), TMA_DRAW_PNG_SCALE * size.width);
    assert_int_equal(word_at(in_parts, 20), TMA_DRAW_PNG_SCALE * size.height);
    assert_int_equal(out.length, length);
    assert_memory_equal(in_parts, at_once, length);
}

/* Returns whether it was drawn. */
static int draw_by(const tma_drawing *d, struct random_source *r) {
    tma_draw_size size;
    tma_out out = begin(at_once);
    const tma_status measured = tma_draw_measure(&size, d, NULL);
    if (measured == TMA_OK && size.marks > FEW_MARKS) {
        return 0;
    }
    assert_int_equal(tma_draw_png(&out, d, all_work, ALL_WORK_B, NULL), measured);
    if (measured != TMA_OK) {
        assert_int_equal(out.length, 0);
        return 0;
    }
    assert_in_range(out.length, HEAD_B, MOST_PNG_B - 1);
    const size_t least_B = TMA_DRAW_PNG_LEAST_B(size.width);
    const size_t length = out.length;
    const size_t rows = random_in(r, 100, 200);
    draw_in(d, size, length, least_B / 2 * rows + random_in(r, 0, 1000));
    out = begin(in_parts);
    assert_int_equal(tma_draw_png(&out, d, all_work, least_B - 1, NULL), TMA_INVALID);
    assert_int_equal(tma_draw_png(&out, d, NULL, ALL_WORK_B, NULL), TMA_INVALID);
    assert_int_equal(tma_draw_png(NULL, d, all_work, ALL_WORK_B, NULL), TMA_INVALID);
    assert_int_equal(out.length, 0);
    return 1;
}

static void all_pictures_in_parts(void **state) {
    (void)state;
    struct random_source r = {2611};
    int drawn[TMA_PICTURES] = {0};
    for (int i = 0; i < COPIES; i++) {
        struct gen_copy c;
        gen_copy(&r, GEN_SMALL, &c);
        for (uint32_t picture = 0; picture < OF_MAPS; picture++) {
            tma_drawing d = drawing_of(&c, picture);
            d.theme = random_in(&r, 0, TMA_THEMES - 1);
            drawn[picture] += draw_by(&d, &r);
        }
    }
    int kinds = 0;
    for (uint32_t picture = 0; picture < OF_MAPS; picture++) {
        kinds += drawn[picture] > 0;
    }
    assert_true(kinds >= 4);
}

/* A row at a time, with the least memory. */
static void the_least_memory_is_enough(void **state) {
    (void)state;
    const tma_spec spec = {.dtype = TMA_DTYPE_UINT8,
                           .rank = 1,
                           .address = 1 << 20,
                           .dim_el = {16},
                           .box_el = {16},
                           .element_stride = {1}};
    tma_map map;
    tma_draw_size size;
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    const tma_drawing d = {.picture = TMA_PICTURE_COPY, .map = map.bytes};
    tma_out out = begin(at_once);
    assert_int_equal(tma_draw_png(&out, &d, all_work, ALL_WORK_B, NULL), TMA_OK);
    assert_int_equal(tma_draw_measure(&size, &d, NULL), TMA_OK);
    draw_in(&d, size, out.length, TMA_DRAW_PNG_LEAST_B(size.width));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pictures_in_parts),
        cmocka_unit_test(the_least_memory_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
