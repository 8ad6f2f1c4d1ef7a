/* SPDX-License-Identifier: Apache-2.0
 *
 * What the loops of the paths do by themselves, held against the reference: rows of each swizzle
 * from every place in its pattern on, in numbers around the lengths that the loops take at once;
 * and sums of 16-bit floats, each of them with all that is special.
 */
#include "support/testing.h"

#include <tma/copy.h>
#include <tma/element.h>
#include <tma/map.h>

#include "support/paths.h"

#define PATTERN_B  1024u
#define ROWS       72u
#define TENSOR_B   (1u << 18)
#define ADDRESS    UINT64_C(0x10000)
#define WINDOW_B   (PATTERN_B + 256 * 128)
#define SHARED     0x400u
#define HALVES     65536u
#define HALVES_ROW 64u /* a row of 128 bytes */
#define HALVES_BOX 128u

static _Alignas(1024) uint8_t tensor[TENSOR_B];
static _Alignas(1024) uint8_t shared[WINDOW_B];
static _Alignas(1024) uint8_t wanted[WINDOW_B];
static uint8_t tensor_before[TENSOR_B];
static uint8_t tensor_wanted[TENSOR_B];

static void fill(uint8_t *bytes, size_t count, uint64_t seed) {
    for (size_t i = 0; i < count; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        bytes[i] = (uint8_t)(seed >> 56);
    }
}

static const tma_target blackwell = {.sm = 120, .suffix = 'a', .driver = 13000};
static const tma_target gathering = {.sm = 100, .suffix = 'a', .driver = 13000};

static tma_plan plan_in(const tma_spec *spec, const tma_instruction *in, const tma_target *target) {
    tma_map map;
    tma_plan plan;
    assert_int_equal(tma_encode(map.bytes, spec, target), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, in, target, NULL), TMA_OK);
    return plan;
}

static tma_plan plan_of(const tma_spec *spec, uint32_t op) {
    const tma_instruction in = {.op = op, .mode = TMA_MODE_TILE};
    return plan_in(spec, &in, &blackwell);
}

static void same_as_reference(const tma_plan *plan, const tma_position *at) {
    const tma_range range = {.address = ADDRESS, .size_B = TENSOR_B, .host = tensor};
    const tma_global global = {.ranges = &range, .count = 1};
    const tma_window window = {.address = SHARED, .size_B = WINDOW_B, .host = shared};
    tma_plan forced;
    unsigned paths = 0;
    memcpy(tensor, tensor_before, TENSOR_B);
    fill(shared, WINDOW_B, 7);
    assert_int_equal(tma_copy_reference(plan, at, &global, &window, NULL), TMA_OK);
    memcpy(wanted, shared, WINDOW_B);
    memcpy(tensor_wanted, tensor, TENSOR_B);
    for_each_path(forced, plan) {
        memcpy(tensor, tensor_before, TENSOR_B);
        fill(shared, WINDOW_B, 7);
        assert_int_equal(tma_copy(&forced, at, &global, &window, NULL), TMA_OK);
        assert_memory_equal(shared, wanted, WINDOW_B);
        assert_memory_equal(tensor, tensor_wanted, TENSOR_B);
        paths++;
    }
    assert_true(paths >= 1);
}

/* Rows of `row_B` bytes in a swizzle of this span, from each row of the pattern on. */
static void rows_of(uint32_t swizzle, uint32_t dtype, uint32_t row_el, uint32_t op) {
    static const uint32_t counts[] = {1, 7, 8, 9, 16, 23, 24, 25, 33, ROWS};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        tma_spec spec = {.dtype = dtype,
                         .rank = 2,
                         .address = ADDRESS,
                         .dim_el = {row_el * 2, 100},
                         .stride_B = {512},
                         .box_el = {row_el, counts[i]},
                         .element_stride = {1, 1},
                         .swizzle = swizzle};
        const tma_plan plan = plan_of(&spec, op);
        for (uint32_t phase = 0; phase < PATTERN_B; phase += 128) {
            tma_position at = {.coord = {0, 3}, .shared_address = SHARED + phase};
            same_as_reference(&plan, &at);
            at.coord[1] = (int32_t)(100 - counts[i] / 2); /* some rows are outside */
            same_as_reference(&plan, &at);
        }
    }
}

static void rows_of_every_swizzle_from_every_place(void **state) {
    static const struct {
        uint32_t swizzle, span_B;
    } swizzles[] = {
        {TMA_SWIZZLE_32B, 32},
        {TMA_SWIZZLE_64B, 64},
        {TMA_SWIZZLE_128B, 128},
        {TMA_SWIZZLE_128B_ATOM_32B, 128},
        {TMA_SWIZZLE_128B_ATOM_64B, 128},
        {TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B, 128},
    };
    (void)state;
    fill(tensor_before, TENSOR_B, 1);
    for (size_t i = 0; i < sizeof(swizzles) / sizeof(swizzles[0]); i++) {
        const uint32_t row_B = swizzles[i].span_B;
        rows_of(swizzles[i].swizzle, TMA_DTYPE_UINT8, row_B, TMA_OP_LOAD);
        rows_of(swizzles[i].swizzle, TMA_DTYPE_UINT8, row_B / 2, TMA_OP_LOAD);
        rows_of(swizzles[i].swizzle, TMA_DTYPE_TFLOAT32, row_B / 4, TMA_OP_LOAD);
        if (swizzles[i].swizzle != TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B) { /* loads only */
            rows_of(swizzles[i].swizzle, TMA_DTYPE_UINT8, row_B, TMA_OP_STORE);
            rows_of(swizzles[i].swizzle, TMA_DTYPE_UINT32, row_B / 4, TMA_OP_ADD);
        }
    }
}

/* Four rows of a span from places in the pattern, inside the tensor and across each of its
 * ends; the last two columns reach beyond a row. */
static void four_rows_of_every_swizzle(void **state) {
    static const struct {
        uint32_t swizzle, row_el;
    } swizzles[] = {{TMA_SWIZZLE_32B, 8}, {TMA_SWIZZLE_64B, 16}, {TMA_SWIZZLE_128B, 32}};
    static const tma_instruction in = {.op = TMA_OP_LOAD, .mode = TMA_MODE_GATHER4};
    static const int32_t rows[][4] = {
        {3, 90, 0, 99}, {7, 7, 7, 7}, {0, -1, 2, 3}, {100, 1, 98, 5}, {9, 8, -5, 100}};
    (void)state;
    fill(tensor_before, TENSOR_B, 3);
    for (size_t i = 0; i < sizeof(swizzles) / sizeof(swizzles[0]); i++) {
        const int32_t row_el = (int32_t)swizzles[i].row_el;
        const tma_spec spec = {.dtype = TMA_DTYPE_UINT32,
                               .rank = 2,
                               .address = ADDRESS,
                               .dim_el = {swizzles[i].row_el * 2, 100},
                               .stride_B = {512},
                               .box_el = {swizzles[i].row_el, 1},
                               .element_stride = {1, 1},
                               .swizzle = swizzles[i].swizzle};
        const tma_plan plan = plan_in(&spec, &in, &gathering);
        for (uint32_t phase = 0; phase < PATTERN_B; phase += 384) {
            for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
                const int32_t columns[] = {0, 4, row_el, row_el + 4, -4};
                for (size_t c = 0; c < sizeof(columns) / sizeof(columns[0]); c++) {
                    const tma_position at = {
                        .coord = {columns[c], rows[k][0], rows[k][1], rows[k][2], rows[k][3]},
                        .shared_address = SHARED + phase};
                    same_as_reference(&plan, &at);
                }
            }
        }
    }
}

static void padded_rows_from_every_place(void **state) {
    static const uint32_t swizzles[] = {TMA_SWIZZLE_NONE, TMA_SWIZZLE_128B,
                                        TMA_SWIZZLE_128B_ATOM_32B};
    (void)state;
    fill(tensor_before, TENSOR_B, 2);
    for (size_t i = 0; i < sizeof(swizzles) / sizeof(swizzles[0]); i++) {
        rows_of(swizzles[i], TMA_DTYPE_16U4_ALIGN16B, 128, TMA_OP_LOAD);
        rows_of(swizzles[i], TMA_DTYPE_16U6_ALIGN16B, 128, TMA_OP_LOAD);
    }
    rows_of(TMA_SWIZZLE_NONE, TMA_DTYPE_16U6_ALIGN16B, 128, TMA_OP_STORE);
    rows_of(TMA_SWIZZLE_128B_ATOM_64B, TMA_DTYPE_16U6_ALIGN16B, 128, TMA_OP_STORE);
}

/* Both memories are the GPU's: little-endian. */
static void put_half(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

/* All values in global memory, the same special one in all of shared memory. */
static void sums_with(uint16_t special, uint32_t dtype, uint32_t swizzle, uint32_t row_el) {
    const tma_spec spec = {.dtype = dtype,
                           .rank = 2,
                           .address = ADDRESS,
                           .dim_el = {HALVES_ROW, HALVES / HALVES_ROW},
                           .stride_B = {2 * (uint64_t)HALVES_ROW},
                           .box_el = {row_el, HALVES_BOX},
                           .element_stride = {1, 1},
                           .swizzle = swizzle};
    const tma_plan plan = plan_of(&spec, TMA_OP_ADD);
    const tma_range range = {.address = ADDRESS, .size_B = TENSOR_B, .host = tensor};
    const tma_global global = {.ranges = &range, .count = 1};
    const tma_window window = {.address = SHARED, .size_B = WINDOW_B, .host = shared};
    tma_plan forced;
    for (uint32_t i = 0; i < WINDOW_B; i += 2) {
        put_half(shared + i, special);
    }
    for_each_path(forced, &plan) {
        for (uint32_t i = 0; i < HALVES; i++) {
            put_half(tensor + (size_t)2 * i, i);
        }
        for (uint32_t row = 0; row < HALVES / HALVES_ROW; row += HALVES_BOX) {
            const tma_position at = {.coord = {0, (int32_t)row}, .shared_address = SHARED};
            assert_int_equal(tma_copy(&forced, &at, &global, &window, NULL), TMA_OK);
        }
        for (uint32_t i = 0; i < HALVES; i++) {
            const uint64_t sum = tma_reduce(TMA_OP_ADD, dtype, i, special);
            const uint32_t is = tensor[2 * i] | (uint32_t)tensor[2 * i + 1] << 8;
            if (is != (i % HALVES_ROW < row_el ? sum : i)) {
                fail_msg("0x%04x + 0x%04x gives 0x%04x, path %s", i, special, is,
                         tma_path_name(tma_plan_info(&forced)->path));
            }
        }
    }
}

static void sums_of_halves(void **state) {
    static const uint16_t special[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x0400, 0x3C00,
                                       0xBC00, 0x3C01, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7C01,
                                       0x7E00, 0xFE00, 0x7FFF, 0xFFFF, 0x5555, 0xAAAA};
    (void)state;
    for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++) {
        sums_with(special[i], TMA_DTYPE_FLOAT16, TMA_SWIZZLE_128B, HALVES_ROW);
        sums_with(special[i], TMA_DTYPE_FLOAT16, TMA_SWIZZLE_NONE, 24);
        sums_with(special[i], TMA_DTYPE_BFLOAT16, TMA_SWIZZLE_128B, HALVES_ROW);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_every_swizzle_from_every_place),
        cmocka_unit_test(four_rows_of_every_swizzle),
        cmocka_unit_test(padded_rows_from_every_place),
        cmocka_unit_test(sums_of_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
