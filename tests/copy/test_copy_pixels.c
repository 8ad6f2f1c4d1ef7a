/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads of pixels by every path, held against the reference: stretches along W that begin anywhere
 * in a swizzle's pattern and end anywhere in its lines, pixels next to each other and apart,
 * borders outside the tensor, halos.
 */
#include "support/testing.h"

#include <tma/copy.h>
#include <tma/map.h>

#include "support/gen/random.h"
#include "support/paths.h"

#define ADDRESS  UINT64_C(0x10000)
#define TENSOR_B (1u << 20)
#define SHARED   0x400u
#define WINDOW_B (112u << 10)
#define COPIES   300 /* of each swizzle and mode */

static uint8_t tensor[TENSOR_B];
static _Alignas(1024) uint8_t shared[WINDOW_B];
static _Alignas(1024) uint8_t wanted[WINDOW_B];

static const tma_target blackwell = {.sm = 100, .suffix = 'a', .driver = 13000};

static int32_t between(struct random_source *r, int32_t first, int32_t last) {
    return first + (int32_t)random_below(r, (uint64_t)(last - first) + 1);
}

/* A tensor of `rank` dimensions, its pixels one or two rows of `row_el` bfloat16 wide. */
static tma_spec random_spec(struct random_source *r, uint32_t swizzle, uint32_t row_el, int wide) {
    const uint32_t rank = (uint32_t)between(r, 3, 5);
    tma_spec s = {.api = wide ? TMA_API_WIDE : TMA_API_IM2COL,
                  .dtype = TMA_DTYPE_BFLOAT16,
                  .rank = rank,
                  .address = ADDRESS,
                  .swizzle = swizzle,
                  .fill = random_below(r, 2) ? TMA_FILL_NAN : TMA_FILL_NONE,
                  .channels_per_pixel = row_el,
                  .pixels_per_column = (uint32_t)between(r, 1, 256),
                  .wide_mode = wide ? TMA_WIDE_W : 0};
    s.dim_el[0] = (uint64_t)row_el << random_below(r, 2);
    uint64_t step_B = s.dim_el[0] * 2;
    for (uint32_t i = 1; i < rank; i++) {
        s.dim_el[i] = (uint64_t)between(r, 1, i == 1 ? 40 : 5);
        s.stride_B[i - 1] = step_B;
        step_B = s.dim_el[i] * step_B + random_below(r, 2) * 32;
    }
    for (uint32_t i = 0; i < rank; i++) {
        s.element_stride[i] = i && !random_below(r, 4) ? (uint32_t)between(r, 1, 3) : 1;
    }
    for (uint32_t i = 0; i + 2 < rank; i++) { /* a box that has a pixel at least */
        s.lower_px[i] = between(r, -2, 1);
        s.upper_px[i] = between(r, s.lower_px[i] + 1 - (int32_t)s.dim_el[i + 1], 2);
    }
    return s;
}

static tma_position random_position(struct random_source *r, const tma_spec *s, int wide) {
    tma_position at = {.shared_address = SHARED + (uint32_t)random_below(r, 9) * 128};
    const int32_t columns = (int32_t)(s->dim_el[0] - s->channels_per_pixel) / 8;
    const int over = random_one_in(r, 16); /* over an edge, or outside the box: a trap */
    at.coord[0] = between(r, -over, columns + over) * 8 + random_one_in(r, 32);
    for (uint32_t i = 0; i + 2 < s->rank; i++) {
        const int32_t lower = s->lower_px[i];
        const int32_t last = (int32_t)s->dim_el[i + 1] - 1 + s->upper_px[i];
        const int out = random_one_in(r, 32);
        at.coord[i + 1] = between(r, lower - wide - out, last + out);
        at.offset[i] = (uint16_t)between(r, 0, !wide ? 3 : random_one_in(r, 16) ? 700 : 20);
    }
    at.coord[s->rank - 1] = between(r, -1, (int32_t)s->dim_el[s->rank - 1]);
    at.offset[2] = wide ? 0 : at.offset[2];
    return at;
}

static void fill(uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)(i * 151 + i / 253);
    }
}

/* 1 if the copy ran; one that traps does so on every path. */
static int same_as_reference(const tma_plan *plan, const tma_position *at) {
    const tma_range range = {.address = ADDRESS, .size_B = TENSOR_B, .host = tensor};
    const tma_global global = {.ranges = &range, .count = 1};
    const tma_window window = {.address = SHARED, .size_B = WINDOW_B, .host = shared};
    tma_plan forced;
    fill(shared, WINDOW_B);
    const tma_status status = tma_copy_reference(plan, at, &global, &window, NULL);
    memcpy(wanted, shared, WINDOW_B);
    for_each_path(forced, plan) {
        fill(shared, WINDOW_B);
        assert_int_equal(tma_copy(&forced, at, &global, &window, NULL), status);
        assert_memory_equal(shared, wanted, WINDOW_B);
    }
    return status == TMA_OK;
}

static void pixels_of(uint32_t swizzle, uint32_t row_el, int wide) {
    struct random_source r = {swizzle * 2 + (uint32_t)wide + 1};
    unsigned ran = 0;
    for (unsigned i = 0; i < COPIES; i++) {
        const tma_instruction in = {.mode = wide ? TMA_MODE_IM2COL_W : TMA_MODE_IM2COL};
        const tma_spec spec = random_spec(&r, swizzle, row_el, wide);
        const tma_position at = random_position(&r, &spec, wide);
        /* by tensormap.replace a box without a pixel, too */
        const tma_edit narrow = {.field = TMA_REPLACE_GLOBAL_DIM,
                                 .ordinal = 1,
                                 .value = 1 + random_below(&r, spec.dim_el[1])};
        tma_map map;
        tma_plan plan;
        if (tma_encode(map.bytes, &spec, &blackwell) == TMA_OK &&
            (i % 4 || tma_replace(map.bytes, &narrow, NULL) == TMA_OK) &&
            tma_plan_make(&plan, map.bytes, &in, &blackwell, NULL) == TMA_OK) {
            ran += (unsigned)same_as_reference(&plan, &at);
        }
    }
    assert_true(ran > COPIES / 2);
}

static void pixels_of_every_swizzle(void **state) {
    static const struct {
        uint32_t swizzle, row_el;
        int wide; /* a map of the wide modes may have it */
    } swizzles[] = {
        {TMA_SWIZZLE_NONE, 8, 0},           {TMA_SWIZZLE_NONE, 40, 0},
        {TMA_SWIZZLE_32B, 16, 0},           {TMA_SWIZZLE_32B, 8, 0},
        {TMA_SWIZZLE_64B, 32, 1},           {TMA_SWIZZLE_128B, 64, 1},
        {TMA_SWIZZLE_128B_ATOM_32B, 64, 1}, {TMA_SWIZZLE_128B_ATOM_64B, 64, 0},
    };
    (void)state;
    fill(tensor, TENSOR_B);
    for (size_t i = 0; i < sizeof(swizzles) / sizeof(swizzles[0]); i++) {
        pixels_of(swizzles[i].swizzle, swizzles[i].row_el, 0);
        if (swizzles[i].wide) {
            pixels_of(swizzles[i].swizzle, swizzles[i].row_el, 1);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixels_of_every_swizzle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
