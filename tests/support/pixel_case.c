/* SPDX-License-Identifier: Apache-2.0
 *
 * 16-bit tensors whose elements say which pixel and channel they are.
 */
#include "pixel_case.h"

#include "paths.h"
#include "swizzle_tables.h"
#include "testing.h"
#include <tma/draw.h>
#include <tma/map.h>

#define ELEMENT_B      2
#define ADDRESS        UINT64_C(0x7f0000000000)
#define WINDOW_ADDRESS 0x400
#define UNTOUCHED      0xA5

static const tma_target target = {.sm = 100, .suffix = 'a', .driver = 13000};

/* Element c of pixel number `pixel` of the tensor; never 0, which is fill. */
static uint16_t element(uint64_t pixel, uint32_t c) {
    pixel += 1;
    return (uint16_t)(c % 2 ? (pixel >> 16) << 8 | c : pixel);
}

static tma_spec spec_of(const struct pixel_case *c) {
    tma_spec s = {.api = TMA_API_IM2COL,
                  .dtype = TMA_DTYPE_UINT16,
                  .rank = 4,
                  .swizzle = c->swizzle,
                  .address = ADDRESS};
    for (uint32_t i = 0; i < 4; i++) {
        s.dim_el[i] = c->size[3 - i];
        s.element_stride[i] = i == 1 || i == 2 ? c->stride : 1;
    }
    s.stride_B[0] = s.dim_el[0] * ELEMENT_B;
    s.stride_B[1] = s.stride_B[0] * s.dim_el[1];
    s.stride_B[2] = s.stride_B[1] * s.dim_el[2];
    for (uint32_t i = 0; i < 2; i++) { /* W first */
        s.lower_px[i] = c->lower[1 - i];
        s.upper_px[i] = c->upper[1 - i];
    }
    s.channels_per_pixel = c->channels;
    s.pixels_per_column = c->pixels;
    return s;
}

static tma_status make(const struct pixel_case *c, tma_plan *plan, tma_position *at,
                       tma_finding *why) {
    const tma_spec spec = spec_of(c);
    const tma_instruction load = {.op = TMA_OP_LOAD, .mode = c->mode};
    tma_map map;
    assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
    memset(at, 0, sizeof(*at));
    for (uint32_t i = 0; i < 4; i++) {
        at->coord[i] = c->coordinate[3 - i];
    }
    at->offset[0] = c->offset[0];
    at->offset[1] = c->offset[1];
    at->shared_address = WINDOW_ADDRESS;
    return tma_plan_make(plan, map.bytes, &load, &target, why);
}

void pixel_case_plan(tma_plan *plan, tma_position *at, const struct pixel_case *c) {
    assert_int_equal(make(c, plan, at, NULL), TMA_OK);
}

tma_status pixel_case_status(const struct pixel_case *c, tma_finding *why) {
    tma_plan plan;
    tma_position at;
    const tma_status status = make(c, &plan, &at, why);
    return status == TMA_OK ? tma_plan_at(&plan, &at, why) : status;
}

static uint8_t *tensor_of(const struct pixel_case *c, uint64_t *size_B) {
    const uint64_t pixels = (uint64_t)c->size[0] * c->size[1] * c->size[2];
    uint16_t *tensor = malloc(pixels * c->size[3] * ELEMENT_B);
    assert_non_null(tensor);
    for (uint64_t p = 0; p < pixels; p++) {
        for (uint32_t k = 0; k < c->size[3]; k++) {
            tensor[p * c->size[3] + k] = element(p, k);
        }
    }
    *size_B = pixels * c->size[3] * ELEMENT_B;
    return (uint8_t *)tensor;
}

/* One row of shared memory as it should be. */
static void expect_row(const struct pixel_case *c, uint8_t *window, uint32_t row, int32_t n,
                       int32_t h, int32_t w) {
    const uint32_t row_B = c->channels * ELEMENT_B;
    const uint32_t pitch_B = c->swizzle ? tma_swizzle_span_B(c->swizzle) : row_B;
    const int inside = n >= 0 && n < (int32_t)c->size[0] && h >= 0 && h < (int32_t)c->size[1] &&
                       w >= 0 && w < (int32_t)c->size[2];
    const int64_t pixel = ((int64_t)n * c->size[1] + h) * c->size[2] + w;
    for (uint32_t k = 0; k < c->channels; k++) {
        const uint32_t linear = WINDOW_ADDRESS + row * pitch_B + k * ELEMENT_B;
        const uint32_t place = swizzle_table_place(swizzle_table_of(c->swizzle), linear);
        const uint16_t value =
            inside ? element((uint64_t)pixel, (uint32_t)c->coordinate[3] + k) : 0;
        memcpy(window + (place - WINDOW_ADDRESS), &value, ELEMENT_B);
    }
}

static uint32_t expect_window(const struct pixel_case *c, const struct pixel_stretch *s,
                              uint8_t *window) {
    uint32_t row = 0;
    for (; s->count; s++) {
        for (uint32_t i = 0; i < s->count; i++) {
            expect_row(c, window, row++, s->n, s->h, s->w + (int32_t)(i * c->stride));
        }
    }
    return row;
}

struct pixel_rows {
    const struct pixel_case *c;
    const struct pixel_stretch *stretch;
    uint32_t i; /* of the stretch */
    uint32_t rows;
};

/* The cells of a picture show the same pixels in the same order. */
static int expect_cell(void *context, const tma_cell *cell) {
    struct pixel_rows *r = context;
    if (cell->offset_B) {
        return 0;
    }
    assert_int_equal(cell->row, r->rows++);
    assert_true(r->stretch->count > 0);
    assert_int_equal(cell->coord[3], r->stretch->n);
    assert_int_equal(cell->coord[2], r->stretch->h);
    assert_int_equal(cell->coord[1], r->stretch->w + (int32_t)(r->i * r->c->stride));
    assert_int_equal(cell->coord[0], r->c->coordinate[3]);
    if (++r->i == r->stretch->count) {
        r->i = 0;
        r->stretch++;
    }
    return 0;
}

void expect_pixels(const struct pixel_case *c, const struct pixel_stretch *stretches) {
    static uint8_t is[1 << 17];
    static uint8_t should[1 << 17];
    tma_plan plan;
    tma_plan forced;
    tma_position at;
    tma_finding why = {0};
    tma_report_result report;
    uint64_t size_B = 0;
    assert_int_equal(make(c, &plan, &at, &why), TMA_OK);
    uint8_t *tensor = tensor_of(c, &size_B);
    const tma_range range = {.address = ADDRESS, .size_B = size_B, .host = tensor};
    const tma_global global = {.ranges = &range, .count = 1};
    const tma_window window = {.address = WINDOW_ADDRESS, .size_B = sizeof(is), .host = is};
    memset(should, UNTOUCHED, sizeof(should));
    const uint32_t rows = expect_window(c, stretches, should);
    memset(is, UNTOUCHED, sizeof(is));
    assert_int_equal(tma_copy_reference(&plan, &at, &global, &window, &why), TMA_OK);
    assert_memory_equal(is, should, sizeof(is));
    for_each_path(forced, &plan) {
        memset(is, UNTOUCHED, sizeof(is));
        assert_int_equal(tma_copy(&forced, &at, &global, &window, &why), TMA_OK);
        assert_memory_equal(is, should, sizeof(is));
    }
    assert_int_equal(tma_plan_report(&report, &plan, &at, &why), TMA_OK);
    assert_int_equal(report.rows, rows);
    assert_int_equal(report.count[1], rows);
    struct pixel_rows cells = {c, stretches, 0, 0};
    assert_int_equal(tma_cells(&plan, &at, expect_cell, &cells), 0);
    assert_int_equal(cells.rows, rows);
    assert_int_equal(report.tx_B, (uint64_t)rows * c->channels * ELEMENT_B);
    free(tensor);
}
