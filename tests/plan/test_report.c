/* SPDX-License-Identifier: Apache-2.0
 *
 * What copies move, worked out by hand (report_cases.def): rows, bytes on the barrier, footprint,
 * what is inside, filled, dropped and written behind the edge, the addresses from first to last.
 */
#include "support/cases/spec_words.h"
#include "support/testing.h"

#include <tma/copy.h>
#include <tma/map.h>
#include <tma/plan.h>

#define A UINT64_C(0x10000) /* the map's address */

static const struct {
    const char *what;
    const char *words;
    tma_instruction in;
    tma_position at;
    tma_report_result is;
} cases[] = {
#define REPORT(what, words, ...) {what, words, __VA_ARGS__},
#include "support/cases/report_cases.def"
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
        tma_spec spec = spec_of_words(cases[i].words, NULL);
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
    tma_spec spec = spec_of_words(cases[0].words, NULL);
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
