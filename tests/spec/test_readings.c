/* SPDX-License-Identifier: Apache-2.0
 *
 * Readings of what sources dispute: readings.def, chosen by the target; each answers as its words
 * say, in a tensor whose pixels hold their own number, and reference, loops and walk agree.
 */
#include "support/testing.h"

#include "support/gen/random.h"
#include "support/paths.h"
#include <tma/copy.h>
#include <tma/map.h>
#include <tma/walk.h>

#define ADDRESS        UINT64_C(0x7f0000000000)
#define WIDTH          21
#define HEIGHT         5
#define IMAGES         60
#define CHANNELS       32 /* of 16 bits: 64 bytes, a row of the box */
#define ROWS           256
#define SPECS_PER_COPY 2000

static uint16_t tensor[IMAGES][HEIGHT][WIDTH][CHANNELS];
static uint16_t shared[ROWS][CHANNELS];
static uint16_t wanted[ROWS][CHANNELS];

static tma_target target_reading(tma_reading_id id, uint32_t value) {
    tma_target target = {.sm = 100, .suffix = 'a', .driver = 13000};
    assert_int_equal(tma_target_read(&target, id, value), TMA_OK);
    return target;
}

static void fill_tensor(void) {
    uint16_t *at = &tensor[0][0][0][0];
    for (size_t i = 0; i < sizeof(tensor) / sizeof(*at); i++) {
        at[i] = (uint16_t)(1 + i / CHANNELS);
    }
}

static tma_spec pixels_spec(void) {
    return (tma_spec){
        .api = TMA_API_WIDE,
        .dtype = TMA_DTYPE_UINT16,
        .rank = 4,
        .address = ADDRESS,
        .dim_el = {CHANNELS, WIDTH, HEIGHT, IMAGES},
        .stride_B = {2 * CHANNELS, 2 * CHANNELS * WIDTH, 2 * CHANNELS * WIDTH * HEIGHT},
        .channels_per_pixel = CHANNELS,
        .pixels_per_column = 128,
        .element_stride = {1, 1, 1, 1},
        .wide_mode = TMA_WIDE_W128,
        .swizzle = TMA_SWIZZLE_64B};
}

static tma_plan plan_of(const tma_spec *spec, const tma_instruction *in, const tma_target *target) {
    tma_map map;
    tma_plan plan;
    assert_int_equal(tma_encode(map.bytes, spec, target), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, in, target, NULL), TMA_OK);
    return plan;
}

static tma_status run(const tma_plan *plan, const tma_position *at, uint16_t to[ROWS][CHANNELS]) {
    const tma_range range = {.address = ADDRESS, .size_B = sizeof(tensor), .host = tensor};
    const tma_global global = {.ranges = &range, .count = 1};
    const tma_window window = {.address = 0, .size_B = sizeof(shared), .host = to};
    memset(to, 0xA5, sizeof(shared));
    return tma_plan_info(plan)->path == TMA_PATH_REFERENCE
               ? tma_copy_reference(plan, at, &global, &window, NULL)
               : tma_copy(plan, at, &global, &window, NULL);
}

static uint16_t pixel_number(int64_t image, int64_t h, int64_t w) {
    const int inside = image >= 0 && image < IMAGES && h >= 0 && h < HEIGHT && w >= 0 && w < WIDTH;
    return (uint16_t)(inside ? 1 + (image * HEIGHT + h) * WIDTH + w : 0);
}

/* What shared row `row` has where the swizzle is taken off again: any of its elements. */
static uint16_t row_value(uint32_t row) {
    for (uint32_t i = 1; i < CHANNELS; i++) {
        assert_int_equal(shared[row][i], shared[row][0]);
    }
    return shared[row][0];
}

/* Pixel `index` of the walk from (w, h, image) on, over all of W. */
static uint16_t walked(int64_t w, int64_t h, int64_t image, uint32_t index) {
    return pixel_number(image + (w + index) / WIDTH, h, (w + index) % WIDTH);
}

static uint32_t row_of_halo(uint32_t order, uint32_t halo, uint32_t chunk, uint32_t i) {
    return order == 0   ? chunk * (32 + halo) + 32 + i
           : order == 1 ? 128 + 4 * i + chunk
                        : 128 + chunk * halo + i;
}

static uint16_t halo_value(uint32_t pixels, int64_t w, int64_t h, int64_t image, uint32_t chunk,
                           uint32_t i) {
    const uint32_t last = chunk * 32 + 31;
    const int64_t last_w = (w + last) % WIDTH;
    const int64_t last_image = image + (w + last) / WIDTH;
    if (pixels == 0) {
        return walked(w, h, image, last + 1 + i);
    }
    if (pixels == 1) {
        return pixel_number(last_image, h, last_w + 1 + i);
    }
    return pixel_number(last_image, h + (last_w + 1 + i) / WIDTH, (last_w + 1 + i) % WIDTH);
}

/* All nine of the halo's order and its pixels. */
static void the_halo_lies_where_the_reading_says(void **state) {
    (void)state;
    const tma_spec spec = pixels_spec();
    const tma_instruction in = {.op = TMA_OP_LOAD, .mode = TMA_MODE_IM2COL_W128};
    for (uint32_t which = 0; which < 9 * 31; which++) {
        const uint32_t order = which % 3;
        const uint32_t pixels = which / 3 % 3;
        const uint32_t halo = which / 9 + 1;
        tma_target target = target_reading(TMA_READING_W128_HALO, order);
        assert_int_equal(tma_target_read(&target, TMA_READING_HALO_PIXELS, pixels), TMA_OK);
        const tma_plan plan = plan_of(&spec, &in, &target);
        const tma_position at = {.coord = {0, 3, 2, 1}, .offset = {(uint16_t)halo, 0}};
        assert_int_equal(run(&plan, &at, shared), TMA_OK);
        for (uint32_t row = 0; row < 128; row++) {
            const uint32_t at_row = order ? row : row / 32 * (32 + halo) + row % 32;
            assert_int_equal(row_value(at_row), walked(3, 2, 1, row));
        }
        for (uint32_t k = 0; k < 4 * halo; k++) {
            assert_int_equal(row_value(row_of_halo(order, halo, k / halo, k % halo)),
                             halo_value(pixels, 3, 2, 1, k / halo, k % halo));
        }
        int ends = 0;
        for (uint32_t k = 0; k < 4 * halo; k++) {
            ends |= halo_value(0, 3, 2, 1, k / halo, k % halo) !=
                    halo_value(1, 3, 2, 1, k / halo, k % halo);
        }
        assert_int_equal(tma_plan_readings(&plan, &at),
                         1u << TMA_READING_W128_HALO | (uint32_t)ends << TMA_READING_HALO_PIXELS);
    }
}

/* Whether a halo of so many pixels leaves the row behind one of the four chunks: a pixel at a
 * time, from w on, over rows of lower to last. */
static int a_halo_leaves_the_row(int64_t w, int64_t lower, int64_t last, uint32_t step,
                                 uint32_t halo) {
    for (uint32_t px = 1; px <= 128; px++) {
        if (px % 32 == 0 && w + (int64_t)(halo * step) > last) {
            return 1;
        }
        w = w + step > last ? lower : w + step;
    }
    return 0;
}

static void rows_that_end_in_a_halo(void **state) {
    (void)state;
    const tma_instruction in = {.op = TMA_OP_LOAD, .mode = TMA_MODE_IM2COL_W128};
    const tma_target target = {.sm = 100, .suffix = 'a', .driver = 13000};
    uint32_t seen[2] = {0, 0};
    for (uint32_t which = 0; which < 48 * 3 * 9; which++) {
        tma_spec spec = pixels_spec();
        const uint32_t step = 1 + which / 48 % 3;
        spec.dim_el[1] = 1 + which % 48 * (1 + which % 5);
        spec.element_stride[1] = step;
        spec.lower_px[0] = (int32_t)(which / 144 % 3) - 1;
        spec.upper_px[0] = (int32_t)(which / 432) - 1;
        const int64_t lower = spec.lower_px[0];
        const int64_t last = (int64_t)spec.dim_el[1] - 1 + spec.upper_px[0];
        if (last < lower) {
            continue;
        }
        spec.stride_B[1] = spec.stride_B[0] * spec.dim_el[1];
        spec.stride_B[2] = spec.stride_B[1] * HEIGHT;
        const tma_plan plan = plan_of(&spec, &in, &target);
        for (uint32_t halo = 1; halo < 32; halo += 1 + which % 3) {
            for (int64_t w = lower; w <= last; w += 1 + which % 7) {
                const tma_position at = {.coord = {0, (int32_t)w, 0, 0},
                                         .offset = {(uint16_t)halo, 0}};
                const int ends = a_halo_leaves_the_row(w, lower, last, step, halo);
                const uint32_t set = tma_plan_readings(&plan, &at);
                if ((set >> TMA_READING_HALO_PIXELS & 1) != (uint32_t)ends) {
                    fail_msg("%d to %d by %u, from %d, halo %u: %d", (int)lower, (int)last, step,
                             (int)w, halo, ends);
                }
                seen[ends]++;
            }
        }
    }
    assert_true(seen[0] > 500 && seen[1] > 500);
}

static void images_are_stepped_as_the_reading_says(void **state) {
    (void)state;
    tma_spec spec = pixels_spec();
    spec.wide_mode = TMA_WIDE_W;
    spec.element_stride[3] = 3;
    const tma_instruction in = {.op = TMA_OP_LOAD, .mode = TMA_MODE_IM2COL_W};
    const tma_position at = {.coord = {0, 20, 4, 2}};
    for (uint32_t value = 0; value < 2; value++) {
        const tma_target target = target_reading(TMA_READING_W_IMAGES, value);
        const tma_plan plan = plan_of(&spec, &in, &target);
        assert_int_equal(run(&plan, &at, shared), TMA_OK);
        assert_int_equal(row_value(0), pixel_number(2, 4, 20));
        assert_int_equal(row_value(1), pixel_number(value ? 5 : 3, 4, 0));
        assert_int_equal(row_value(22), pixel_number(value ? 8 : 4, 4, 0));
        assert_int_equal(tma_plan_readings(&plan, &at), 1u << TMA_READING_W_IMAGES);
    }
}

static int compare_run(void *context, const tma_run *r) {
    const uint8_t *from = (const uint8_t *)tensor + (r->address - ADDRESS);
    uint8_t *to = (uint8_t *)context + r->shared_address;
    if (r->kind == TMA_RUN_INSIDE) {
        memcpy(to, from, r->length_B);
    } else {
        memset(to, 0, r->length_B);
    }
    return 0;
}

/* Corners, traversal strides, offsets: the reference, the loops and the walk leave the same. */
static void all_ways_read_alike(void **state) {
    (void)state;
    struct random_source r = {128};
    const unsigned long trials = 300 + spec_count() / SPECS_PER_COPY;
    for (unsigned long trial = 0; trial < trials; trial++) {
        tma_spec spec = pixels_spec();
        tma_target target = {.sm = 100, .suffix = 'a', .driver = 13000};
        for (uint32_t i = 0; i <= TMA_READING_W_IMAGES; i++) {
            const uint32_t value = (uint32_t)random_below(&r, tma_reading_at(i)->count);
            assert_int_equal(tma_target_read(&target, i, value), TMA_OK);
        }
        const int w128 = !random_one_in(&r, 3);
        spec.wide_mode = w128 ? TMA_WIDE_W128 : TMA_WIDE_W;
        spec.lower_px[0] = (int32_t)random_below(&r, 7) - 3;
        spec.upper_px[0] = (int32_t)random_below(&r, 7) - 3;
        spec.element_stride[1] = random_in(&r, 1, 3);
        spec.element_stride[3] = random_in(&r, 1, 3);
        const tma_instruction in = {.op = TMA_OP_LOAD,
                                    .mode = w128 ? TMA_MODE_IM2COL_W128 : TMA_MODE_IM2COL_W};
        tma_position at = {.coord = {0, spec.lower_px[0], 0, (int32_t)random_below(&r, 8)},
                           .offset = {(uint16_t)random_below(&r, 32), 0}};
        at.coord[1] += (int32_t)random_below(&r, 15);
        at.coord[2] = (int32_t)random_below(&r, HEIGHT + 2) - 1;
        at.offset[1] = (uint16_t)random_below(&r, 6);
        const tma_plan plan = plan_of(&spec, &in, &target);
        tma_plan forced;
        const tma_range range = {.address = ADDRESS, .size_B = sizeof(tensor), .host = tensor};
        const tma_global global = {.ranges = &range, .count = 1};
        const tma_window window = {.address = 0, .size_B = sizeof(shared), .host = wanted};
        memset(wanted, 0xA5, sizeof(wanted));
        assert_int_equal(tma_copy_reference(&plan, &at, &global, &window, NULL), TMA_OK);
        for_each_path(forced, &plan) {
            assert_int_equal(run(&forced, &at, shared), TMA_OK);
            assert_memory_equal(shared, wanted, sizeof(shared));
        }
        memset(shared, 0xA5, sizeof(shared));
        assert_int_equal(tma_walk(&plan, &at, compare_run, shared), 0);
        assert_memory_equal(shared, wanted, sizeof(shared));
    }
}

static void loads_with_64_byte_atoms_may_trap(void **state) {
    (void)state;
    const tma_spec spec = {.dtype = TMA_DTYPE_UINT16,
                           .rank = 2,
                           .address = ADDRESS,
                           .dim_el = {64, 64},
                           .stride_B = {128},
                           .box_el = {64, 8},
                           .element_stride = {1, 1},
                           .swizzle = TMA_SWIZZLE_128B_ATOM_64B};
    const tma_target target = target_reading(TMA_READING_ATOM_64B_LOADS, 1);
    const tma_instruction load = {.op = TMA_OP_LOAD};
    const tma_instruction store = {.op = TMA_OP_STORE};
    const tma_position at = {.shared_address = 0};
    tma_map map;
    tma_plan plan;
    tma_finding why;
    assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, &load, &target, &why), TMA_TRAP);
    assert_int_equal(why.rule, TMA_RULE_READING_ATOM_64B_LOADS);
    assert_string_equal(tma_trap_name(&why), "cudaErrorIllegalInstruction");
    assert_int_equal(tma_plan_make(&plan, map.bytes, &store, &target, &why), TMA_OK);
    assert_int_equal(tma_plan_readings(&plan, &at), 0);
    const tma_target plain = target_reading(TMA_READING_ATOM_64B_LOADS, 0);
    assert_int_equal(tma_plan_make(&plan, map.bytes, &load, &plain, &why), TMA_OK);
    assert_int_equal(tma_plan_readings(&plan, &at), 1u << TMA_READING_ATOM_64B_LOADS);
}

static tma_spec nibbles(void) {
    return (tma_spec){.dtype = TMA_DTYPE_16U4_ALIGN8B,
                      .rank = 2,
                      .address = ADDRESS,
                      .dim_el = {70, 8},
                      .stride_B = {48},
                      .box_el = {32, 2},
                      .element_stride = {1, 1}};
}

static void columns_of_nibbles(void **state) {
    (void)state;
    const tma_spec spec = nibbles();
    const tma_instruction in = {.op = TMA_OP_LOAD};
    const tma_position at = {.coord = {6, 1}};
    const uint8_t *bytes = (const uint8_t *)tensor;
    const tma_target plain = target_reading(TMA_READING_B4_COLUMN, 0);
    const tma_plan strict = plan_of(&spec, &in, &plain);
    assert_int_equal(tma_plan_at(&strict, &at, NULL), TMA_TRAP);
    assert_int_equal(tma_plan_readings(&strict, &at), 1u << TMA_READING_B4_COLUMN);
    const tma_target target = target_reading(TMA_READING_B4_COLUMN, 1);
    const tma_plan plan = plan_of(&spec, &in, &target);
    const tma_position odd = {.coord = {7, 1}};
    assert_int_equal(tma_plan_at(&plan, &odd, NULL), TMA_TRAP);
    assert_int_equal(run(&plan, &at, shared), TMA_OK);
    assert_memory_equal(shared, bytes + 48 + 3, 16);
    assert_memory_equal((uint8_t *)shared + 16, bytes + 96 + 3, 16);
}

/* 70 elements are 35 bytes: behind them the unit goes on to 48, or nothing is written. */
static void the_edge_of_a_store_of_nibbles(void **state) {
    (void)state;
    const tma_spec spec = nibbles();
    const tma_instruction in = {.op = TMA_OP_STORE};
    const tma_position at = {.coord = {64, 0}};
    for (uint32_t value = 0; value < 2; value++) {
        uint8_t *bytes = (uint8_t *)tensor;
        const tma_range range = {.address = ADDRESS, .size_B = sizeof(tensor), .host = tensor};
        const tma_global global = {.ranges = &range, .count = 1};
        const tma_window window = {.address = 0, .size_B = sizeof(shared), .host = shared};
        const tma_target target = target_reading(TMA_READING_B4_STORE_EDGE, value);
        const tma_plan plan = plan_of(&spec, &in, &target);
        tma_report_result report;
        fill_tensor();
        memset(shared, 0x77, sizeof(shared));
        assert_int_equal(tma_copy(&plan, &at, &global, &window, NULL), TMA_OK);
        assert_int_equal(bytes[31] == 0x77, 0);
        for (int i = 0; i < 16; i++) {
            assert_int_equal(bytes[32 + i] == 0x77, value ? i < 3 : 1);
            assert_int_equal(bytes[80 + i] == 0x77, value ? i < 3 : 1);
        }
        assert_int_equal(tma_plan_report(&report, &plan, &at, NULL), TMA_OK);
        assert_int_equal(report.global_B, value ? 6 : 32);
        assert_int_equal(report.inside_B, 6);
        assert_int_equal(tma_plan_readings(&plan, &at), 1u << TMA_READING_B4_STORE_EDGE);
    }
    fill_tensor();
}

/* ---- words of a map ---- */

/* What a description of an RTX 5090's maps prints (cicuvc/nvidia-sass-document, driver 580.65):
 * f16, 16 x 16, stride 32, box 16 x 8 unless it says otherwise. */
static const struct published {
    const char *name;
    uint32_t dtype, swizzle, dim0, box0, interleave;
    uint32_t word2, word16, word18;
    uint32_t readings; /* bit n: reading n made it */
} published[] = {
    {"baseline", TMA_DTYPE_FLOAT16, 0, 16, 16, 0, 0x310, 0x100, 0x10, 0},
    {"bfloat16", TMA_DTYPE_BFLOAT16, 0, 16, 16, 0, 0x510, 0x100, 0x10, 0},
    {"swizzle 32B", TMA_DTYPE_FLOAT16, TMA_SWIZZLE_32B, 16, 16, 0, 0x2310, 0x100, 0x100, 0},
    {"swizzle 64B", TMA_DTYPE_FLOAT16, TMA_SWIZZLE_64B, 16, 16, 0, 0x4310, 0x100, 0x200, 0},
    {"swizzle 128B", TMA_DTYPE_FLOAT16, TMA_SWIZZLE_128B, 16, 16, 0, 0x6310, 0x100, 0x400, 0},
    {"atom 32B", TMA_DTYPE_FLOAT16, TMA_SWIZZLE_128B_ATOM_32B, 16, 16, 0, 0x86310, 0x100, 0x400,
     1u << TMA_READING_ATOM_REPEAT},
    {"large", TMA_DTYPE_FLOAT16, 0, 4096, 16, 0, 0x200310, 0x100, 0x10, 0},
    {"16U4_ALIGN8B", TMA_DTYPE_16U4_ALIGN8B, 0, 256, 128, 0, 0x590, 0, 0x10,
     1u << TMA_READING_PACKED_BOX},
};

static tma_target as_published(void) {
    tma_target target = {.sm = 120, .suffix = 'a', .driver = 13000};
    for (uint32_t i = TMA_READING_ATOM_REPEAT; i <= TMA_READING_INTERLEAVE_BOX; i++) {
        assert_int_equal(tma_target_read(&target, i, 1), TMA_OK);
    }
    return target;
}

static uint32_t word_of(const tma_map *map, size_t word) {
    const uint8_t *at = map->bytes + 4 * word;
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Which questions a map was made by another reading of. */
static uint32_t made_by(const tma_decoded *d) {
    uint32_t set = 0;
    for (uint32_t i = 0; i < TMA_READINGS; i++) {
        set |= (d->readings >> i * TMA_READING_BITS & 3 ? 1u : 0u) << i;
    }
    return set;
}

static void is_made_by(const tma_map *map, uint32_t readings) {
    tma_decoded decoded;
    assert_int_equal(tma_decode(&decoded, map->bytes), TMA_OK);
    assert_int_equal(decoded.odd, 0);
    assert_int_equal(made_by(&decoded), readings);
}

static void published_maps(void **state) {
    (void)state;
    const tma_target target = as_published();
    for (size_t i = 0; i < COUNT_OF(published); i++) {
        const struct published *p = &published[i];
        const uint32_t bits = tma_dtype_bits(p->dtype);
        const tma_spec spec = {.api = TMA_API_TILED,
                               .dtype = p->dtype,
                               .rank = 2,
                               .address = 0x0be00000,
                               .dim_el = {p->dim0, 16},
                               .stride_B = {(uint64_t)p->dim0 * bits / 8},
                               .box_el = {p->box0, 8},
                               .element_stride = {1, 1},
                               .swizzle = p->swizzle};
        tma_map map;
        assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
        if (word_of(&map, 2) != p->word2 || word_of(&map, 16) != p->word16 ||
            word_of(&map, 18) != p->word18) {
            fail_msg("%s: 0x%x 0x%x 0x%x", p->name, word_of(&map, 2), word_of(&map, 16),
                     word_of(&map, 18));
        }
        is_made_by(&map, p->readings);
    }
}

/* The same description: one im2col map of 16-byte slices, 8 channels and 8 pixels. */
static void published_pixels(void **state) {
    (void)state;
    tma_target target = as_published();
    const tma_spec spec = {.api = TMA_API_IM2COL,
                           .dtype = TMA_DTYPE_FLOAT16,
                           .rank = 3,
                           .address = 0x0be00000,
                           .dim_el = {16, 16, 16},
                           .stride_B = {256, 4096},
                           .channels_per_pixel = 8,
                           .pixels_per_column = 8,
                           .element_stride = {1, 1, 1},
                           .interleave = TMA_INTERLEAVE_16B};
    tma_map map;
    assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
    assert_int_equal(word_of(&map, 16), 0x400);
    is_made_by(&map, 1u << TMA_READING_INTERLEAVE_BOX);
    target.readings = 0;
    assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
    assert_int_equal(word_of(&map, 16), 0x80);
}

/* A box of 16 x 8 x n slices: bit 21 by their bytes; an H200's maps have neither. */
static void sliced_boxes(void **state) {
    (void)state;
    for (uint32_t kind = TMA_INTERLEAVE_16B; kind <= TMA_INTERLEAVE_32B; kind++) {
        for (uint32_t rows = 1; rows <= 64; rows++) {
            const uint32_t slices_B = 16 * kind * 16 * 8 * rows;
            const tma_spec spec = {.api = TMA_API_TILED,
                                   .dtype = TMA_DTYPE_UINT8,
                                   .rank = 3,
                                   .address = 0x0be00000,
                                   .dim_el = {32, 16, 64},
                                   .stride_B = {1024, 16384},
                                   .box_el = {16, 8, rows},
                                   .element_stride = {1, 1, 1},
                                   .interleave = kind,
                                   .swizzle = kind == TMA_INTERLEAVE_32B ? TMA_SWIZZLE_32B : 0};
            tma_target target = as_published();
            tma_map map, hopper;
            assert_int_equal(tma_encode_forced(map.bytes, &spec, &target, NULL), TMA_OK);
            assert_int_equal(word_of(&map, 16), slices_B);
            assert_int_equal(word_of(&map, 2) >> 21 & 1, slices_B >= 65536);
            is_made_by(&map, 1u << TMA_READING_INTERLEAVE_BOX);
            target.sm = 90;
            assert_int_equal(tma_encode_forced(hopper.bytes, &spec, &target, NULL), TMA_OK);
            assert_int_equal(word_of(&hopper, 16), 16 * 8 * rows);
        }
    }
}

/* Each type, swizzle, interleave and call by each choice of readings: what decodes says by which it
 * was made, and that gives the same bytes back. */
static void readings_come_back(void **state) {
    (void)state;
    unsigned long made = 0;
    const uint32_t dtypes = TMA_DTYPE_16U6_ALIGN16B + 1, swizzles = TMA_SWIZZLE_96B + 1;
    for (uint32_t i = 0; i < 8 * dtypes * swizzles * 3 * 2; i++) {
        uint32_t rest = i / 8;
        tma_spec spec = {.dtype = rest % dtypes,
                         .rank = 3,
                         .address = ADDRESS,
                         .dim_el = {256, 16, 16},
                         .stride_B = {256, 4096},
                         .box_el = {128, 8, 2},
                         .channels_per_pixel = 128,
                         .pixels_per_column = 8,
                         .element_stride = {1, 1, 1}};
        rest /= dtypes;
        spec.swizzle = rest % swizzles;
        rest /= swizzles;
        spec.interleave = rest % 3;
        spec.api = rest / 3 ? TMA_API_IM2COL : TMA_API_TILED;
        tma_target target = {.sm = 120, .suffix = 'a', .driver = 13000};
        tma_target again = target;
        for (uint32_t k = 0; k < 3; k++) {
            assert_int_equal(tma_target_read(&target, TMA_READING_ATOM_REPEAT + k, i >> k & 1),
                             TMA_OK);
        }
        tma_map map, back;
        tma_decoded decoded;
        if (!tma_enum_row_of(TMA_ENUM_SWIZZLE, spec.swizzle)) {
            continue; /* a number that no swizzle has */
        }
        assert_int_equal(tma_encode_forced(map.bytes, &spec, &target, NULL), TMA_OK);
        assert_int_equal(tma_decode(&decoded, map.bytes), TMA_OK);
        assert_int_equal(decoded.odd, 0);
        assert_int_equal(decoded.readings & ~target.readings, 0);
        again.readings = decoded.readings;
        assert_int_equal(tma_encode_forced(back.bytes, &decoded.spec, &again, NULL), TMA_OK);
        assert_memory_equal(map.bytes, back.bytes, sizeof(map.bytes));
        made += decoded.readings != 0;
    }
    assert_true(made > 1000);
}

static void the_table(void **state) {
    (void)state;
    tma_target target = {.sm = 100, .driver = 13000};
    tma_finding why;
    for (uint32_t i = 0; i < TMA_READINGS; i++) {
        const tma_reading *q = tma_reading_at(i);
        assert_in_range(q->count, 2, TMA_MOST_READS);
        const tma_rule *rule = tma_rule_of(q->rule);
        assert_true(rule || i >= TMA_READING_ATOM_REPEAT); /* of a map's words */
        if (rule) {
            assert_int_equal(rule->severity, TMA_SEVERITY_SURPRISING);
            assert_string_equal(rule->name + strlen("reading-"), q->name);
            assert_non_null(strstr(rule->statement, q->name));
        }
        assert_null(tma_reads_at(i, q->count));
        assert_int_equal(tma_target_read(&target, i, q->count), TMA_INVALID);
        for (uint32_t value = 0; value < q->count; value++) {
            assert_true(*tma_reads_at(i, value)->name && *tma_reads_at(i, value)->meaning &&
                        *tma_reads_at(i, value)->holder);
            assert_int_equal(tma_target_read(&target, i, value), TMA_OK);
            assert_int_equal(tma_target_reads(&target, i), value);
        }
    }
    assert_null(tma_reading_at(TMA_READINGS));
    assert_int_equal(tma_target_read(&target, TMA_READINGS, 0), TMA_INVALID);
    assert_int_equal(tma_target_read(NULL, 0, 0), TMA_INVALID);
    assert_int_equal(tma_target_reads(NULL, 0), 0);
    assert_int_equal(tma_plan_readings(NULL, NULL), 0);
    const tma_spec spec = pixels_spec();
    assert_int_equal(tma_check(&why, 1, &spec, &target), 0);
    target.readings |= 3u << TMA_READING_W128_HALO * TMA_READING_BITS; /* there are three */
    assert_int_equal(tma_check(&why, 1, &spec, &target), 1);
    assert_int_equal(why.rule, TMA_RULE_RESERVED_ZERO);
    target.readings = 1u << TMA_READINGS * TMA_READING_BITS;
    assert_false(tma_accepts(&spec, &target));
}

int main(void) {
    fill_tensor();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_maps),
        cmocka_unit_test(published_pixels),
        cmocka_unit_test(sliced_boxes),
        cmocka_unit_test(readings_come_back),
        cmocka_unit_test(the_table),
        cmocka_unit_test(the_halo_lies_where_the_reading_says),
        cmocka_unit_test(rows_that_end_in_a_halo),
        cmocka_unit_test(images_are_stepped_as_the_reading_says),
        cmocka_unit_test(all_ways_read_alike),
        cmocka_unit_test(loads_with_64_byte_atoms_may_trap),
        cmocka_unit_test(columns_of_nibbles),
        cmocka_unit_test(the_edge_of_a_store_of_nibbles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
