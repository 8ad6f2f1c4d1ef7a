/* SPDX-License-Identifier: Apache-2.0
 *
 * What copies move, worked out by hand: rows, bytes on the barrier, footprint, what is inside,
 * filled, dropped and written behind the edge, and the addresses from first to last.
 */
#include "support/testing.h"

#include <tma/copy.h>
#include <tma/map.h>
#include <tma/plan.h>

#define A UINT64_C(0x10000) /* the map's address */

static const struct {
    const char *what;
    tma_spec spec;
    tma_instruction in;
    tma_position at;
    tma_report_result is;
} cases[] = {
    {"a whole tile inside: 128 rows of 128 bytes",
     {.dtype = TMA_DTYPE_FLOAT16,
      .rank = 2,
      .dim_el = {4096, 1024},
      .stride_B = {8192},
      .box_el = {64, 128},
      .element_stride = {1, 1},
      .swizzle = TMA_SWIZZLE_128B},
     {.op = TMA_OP_LOAD},
     {.coord = {64, 128}},
     {.count = {64, 128},
      .rows = 128,
      .tx_B = 16384,
      .footprint_B = 16384,
      .inside_B = 16384,
      .global_B = 16384,
      .global_first = A + 128 * 8192 + 128,
      .global_end = A + 255 * 8192 + 256}},
    {"a corner: 24 of 64 columns, 5 of 8 rows",
     {.dtype = TMA_DTYPE_FLOAT16,
      .rank = 2,
      .dim_el = {88, 21},
      .stride_B = {176},
      .box_el = {64, 8},
      .element_stride = {1, 1}},
     {.op = TMA_OP_LOAD},
     {.coord = {64, 16}},
     {.count = {64, 8},
      .rows = 8,
      .tx_B = 1024,
      .footprint_B = 1024,
      .inside_B = 5 * 48,
      .fill_B = 1024 - 240,
      .global_B = 240,
      .global_first = A + 16 * 176 + 128,
      .global_end = A + 20 * 176 + 176}},
    {"begun before the tensor in both dimensions",
     {.dtype = TMA_DTYPE_UINT8,
      .rank = 2,
      .dim_el = {100, 10},
      .stride_B = {112},
      .box_el = {64, 4},
      .element_stride = {1, 1}},
     {.op = TMA_OP_LOAD},
     {.coord = {-48, -1}},
     {.count = {64, 4},
      .rows = 4,
      .tx_B = 256,
      .footprint_B = 256,
      .inside_B = 3 * 16,
      .fill_B = 256 - 48,
      .global_B = 48,
      .global_first = A,
      .global_end = A + 2 * 112 + 16}},
    {"nothing inside",
     {.dtype = TMA_DTYPE_UINT8, .rank = 1, .dim_el = {100}, .box_el = {64}, .element_stride = {1}},
     {.op = TMA_OP_LOAD},
     {.coord = {112}},
     {.count = {64}, .rows = 1, .tx_B = 64, .footprint_B = 64, .fill_B = 64}},
    {"a store whose row ends at 50 bytes: it writes up to 64",
     {.dtype = TMA_DTYPE_FLOAT16,
      .rank = 2,
      .dim_el = {25, 3},
      .stride_B = {64},
      .box_el = {32, 4},
      .element_stride = {1, 1}},
     {.op = TMA_OP_STORE},
     {.coord = {0, 1}},
     {.count = {32, 4},
      .rows = 4,
      .tx_B = 256,
      .footprint_B = 256,
      .inside_B = 100,
      .dropped_B = 128,
      .past_edge_B = 28,
      .global_B = 128,
      .global_first = A + 64,
      .global_end = A + 192}},
    {"element strides 3 and 2: ceil(7 / 3) times ceil(4 / 2) rows",
     {.dtype = TMA_DTYPE_FLOAT32,
      .rank = 3,
      .dim_el = {16, 20, 5},
      .stride_B = {64, 1280},
      .box_el = {8, 7, 4},
      .element_stride = {4, 3, 2}},
     {.op = TMA_OP_LOAD},
     {.coord = {8, 1, 3}},
     {.count = {8, 3, 2},
      .rows = 6,
      .tx_B = 192,
      .footprint_B = 192,
      .inside_B = 3 * 32, /* plane 3; plane 5 is outside */
      .fill_B = 96,
      .global_B = 96,
      .global_first = A + 3 * 1280 + 1 * 64 + 32,
      .global_end = A + 3 * 1280 + 7 * 64 + 64}},
    {"narrow rows in a wide swizzle: 3 rows of 32 bytes, 128 apart",
     {.dtype = TMA_DTYPE_FLOAT16,
      .rank = 2,
      .dim_el = {16, 8},
      .stride_B = {32},
      .box_el = {16, 3},
      .element_stride = {1, 1},
      .swizzle = TMA_SWIZZLE_128B},
     {.op = TMA_OP_LOAD},
     {.coord = {0, 0}},
     {.count = {16, 3},
      .rows = 3,
      .tx_B = 96,
      .footprint_B = 384,
      .inside_B = 96,
      .global_B = 96,
      .global_first = A,
      .global_end = A + 96}},
    {"interleaved: units of 16 bytes, one slice whatever the box says",
     {.dtype = TMA_DTYPE_FLOAT16,
      .rank = 3,
      .interleave = TMA_INTERLEAVE_16B,
      .dim_el = {10, 4, 2},
      .stride_B = {160, 640},
      .box_el = {8, 3, 2},
      .element_stride = {1, 1, 1}},
     {.op = TMA_OP_LOAD},
     {.coord = {7, 1, 0}},
     {.count = {8, 1, 2},
      .rows = 16,
      .tx_B = 256,
      .footprint_B = 256,
      .inside_B = 6 * 16, /* units 7, 8, 9 in both images */
      .fill_B = 160,
      .global_B = 96,
      .global_first = A + 160 + 7 * 16,
      .global_end = A + 640 + 160 + 160}},
    {"interleaved, strided, swizzled: 3 units of 16 bytes, but the block of 64 counts as a whole",
     {.dtype = TMA_DTYPE_FLOAT16,
      .rank = 3,
      .interleave = TMA_INTERLEAVE_16B,
      .swizzle = TMA_SWIZZLE_64B,
      .dim_el = {10, 4, 2},
      .stride_B = {160, 640},
      .box_el = {8, 1, 1},
      .element_stride = {3, 1, 1}},
     {.op = TMA_OP_LOAD},
     {.coord = {0, 0, 0}},
     {.count = {3, 1, 1},
      .rows = 3,
      .tx_B = 48,
      .footprint_B = 64,
      .inside_B = 48,
      .global_B = 48,
      .global_first = A,
      .global_end = A + 112}},
    {"im2col: 10 pixels of 16 channels, 2 left in this row, 3 in each after it",
     {.api = TMA_API_IM2COL,
      .dtype = TMA_DTYPE_FLOAT16,
      .rank = 3,
      .dim_el = {20, 3, 3},
      .stride_B = {48, 144},
      .element_stride = {1, 1, 1},
      .channels_per_pixel = 16,
      .pixels_per_column = 10},
     {.op = TMA_OP_LOAD, .mode = TMA_MODE_IM2COL},
     {.coord = {8, 1, 1}, .offset = {1}},
     {.count = {16, 10, 1},
      .rows = 10,
      .tx_B = 320,
      .footprint_B = 320,
      .inside_B = 3 * 24, /* image 1: W = 2, 3; image 2: W = 1, 2, 3; then none; 12 channels */
      .fill_B = 320 - 72,
      .global_B = 72,
      .global_first = A + 144 + 2 * 48 + 16,
      .global_end = A + 2 * 144 + 2 * 48 + 40}},
    {"a reduction counts as a store",
     {.dtype = TMA_DTYPE_UINT32, .rank = 1, .dim_el = {10}, .box_el = {16}, .element_stride = {1}},
     {.op = TMA_OP_MAX},
     {.coord = {4}},
     {.count = {16},
      .rows = 1,
      .tx_B = 64,
      .footprint_B = 64,
      .inside_B = 24,
      .dropped_B = 32,
      .past_edge_B = 8,
      .global_B = 32,
      .global_first = A + 16,
      .global_end = A + 48}},
};

static const char *difference(const tma_report_result *is, const tma_report_result *should) {
    return memcmp(is->count, should->count, sizeof(is->count)) ? "count"
           : is->rows != should->rows                          ? "rows"
           : is->tx_B != should->tx_B                          ? "tx_B"
           : is->footprint_B != should->footprint_B            ? "footprint_B"
           : is->inside_B != should->inside_B                  ? "inside_B"
           : is->fill_B != should->fill_B                      ? "fill_B"
           : is->dropped_B != should->dropped_B                ? "dropped_B"
           : is->past_edge_B != should->past_edge_B            ? "past_edge_B"
           : is->global_B != should->global_B                  ? "global_B"
           : is->global_first != should->global_first          ? "global_first"
           : is->global_end != should->global_end              ? "global_end"
                                                               : NULL;
}

static void by_hand(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        tma_spec spec = cases[i].spec;
        tma_map map;
        tma_plan plan;
        tma_report_result report;
        spec.address = A;
        if (tma_encode(map.bytes, &spec, NULL) != TMA_OK) {
            fail_msg("%s: the map is refused", cases[i].what);
        }
        assert_int_equal(tma_plan_make(&plan, map.bytes, &cases[i].in, NULL, NULL), TMA_OK);
        assert_int_equal(tma_plan_report(&report, &plan, &cases[i].at, NULL), TMA_OK);
        const char *differs = difference(&report, &cases[i].is);
        if (differs) {
            fail_msg("%s: %s", cases[i].what, differs);
        }
    }
}

/* A trap leaves the report alone and says why. */
static void a_trap_reports_nothing(void **state) {
    (void)state;
    tma_spec spec = cases[0].spec;
    const tma_position at = {.coord = {4}};
    tma_map map;
    tma_plan plan;
    tma_finding why;
    tma_report_result report;
    tma_report_result before;
    spec.address = A;
    memset(&report, 0xA5, sizeof(report));
    memset(&before, 0xA5, sizeof(before));
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, &cases[0].in, NULL, NULL), TMA_OK);
    assert_int_equal(tma_plan_report(&report, &plan, &at, &why), TMA_TRAP);
    assert_int_equal(why.rule, TMA_RULE_TRAP_COORD_ALIGN);
    assert_memory_equal(&report, &before, sizeof(report));
}

static unsigned set_bits(const uint8_t *bytes, size_t size) {
    unsigned n = 0;
    for (size_t i = 0; i < 8 * size; i++) {
        n += bytes[i / 8] >> i % 8 & 1u;
    }
    return n;
}

/* Of packed types whatever is taken has whole groups inside or out. Memory of ones shows what came.
 */
static void groups_are_whole_or_out(void **state) {
    (void)state;
    static const uint32_t types[] = {TMA_DTYPE_16U4_ALIGN8B, TMA_DTYPE_16U4_ALIGN16B,
                                     TMA_DTYPE_16U6_ALIGN16B};
    static uint8_t memory[4096];
    static uint8_t shared[4096];
    const tma_target target = {.sm = 100, .suffix = 'a', .driver = 13000};
    const tma_range range = {.address = A, .size_B = sizeof(memory), .host = memory};
    const tma_global global = {.ranges = &range, .count = 1};
    const tma_window window = {.size_B = sizeof(shared), .host = shared};
    const tma_instruction load = {.op = TMA_OP_LOAD};
    unsigned taken[COUNT_OF(types)] = {0};
    memset(memory, 0xFF, sizeof(memory));
    for (uint32_t i = 0; i < COUNT_OF(types) * 300; i++) {
        const tma_spec spec = {.dtype = types[i / 300],
                               .rank = 2,
                               .address = A,
                               .dim_el = {512, 4},
                               .stride_B = {512},
                               .box_el = {128, 4},
                               .element_stride = {1, 1}};
        const tma_edit cut = {.field = TMA_REPLACE_GLOBAL_DIM, .value = 1 + i % 300};
        tma_map map;
        tma_plan plan;
        assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
        assert_int_equal(tma_replace(map.bytes, &cut, NULL), TMA_OK);
        if (tma_plan_make(&plan, map.bytes, &load, &target, NULL) != TMA_OK) {
            continue;
        }
        for (int32_t coord = -130; coord <= 300; coord++) {
            const tma_position at = {.coord = {coord}};
            tma_report_result report;
            if (tma_plan_report(&report, &plan, &at, NULL) != TMA_OK) {
                continue;
            }
            memset(shared, 0, sizeof(shared));
            assert_int_equal(tma_copy(&plan, &at, &global, &window, NULL), TMA_OK);
            assert_int_equal(set_bits(shared, sizeof(shared)), 8 * report.inside_B);
            taken[i / 300]++;
        }
    }
    assert_true(taken[0] && taken[1] && taken[2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(a_trap_reports_nothing),
        cmocka_unit_test(groups_are_whole_or_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
