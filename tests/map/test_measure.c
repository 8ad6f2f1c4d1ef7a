/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes, pitches and counts beside a map: cases worked out by hand (measure_cases.def), and what
 * holds for every spec.
 */
#include "support/testing.h"

#include "support/cases/spec_line.h"
#include "support/cases/spec_words.h"
#include "support/gen/gen_spec.h"
#include <tma/tma.h>

struct measure_case {
    const char *what;
    const char *words;
    tma_measure_result expected;
};

static const struct measure_case cases[] = {
#define MEASURE(what, words, ...) {what, words, {__VA_ARGS__, {0}}},
#include "support/cases/measure_cases.def"
};

static const char *difference(const tma_measure_result *is, const tma_measure_result *should) {
    return is->copy_B != should->copy_B                          ? "copy_B"
           : is->rows != should->rows                            ? "rows"
           : is->row_B != should->row_B                          ? "row_B"
           : is->pitch_B != should->pitch_B                      ? "pitch_B"
           : is->footprint_B != should->footprint_B              ? "footprint_B"
           : is->align_B != should->align_B                      ? "align_B"
           : is->pattern_B != should->pattern_B                  ? "pattern_B"
           : is->coord0_el != should->coord0_el                  ? "coord0_el"
           : memcmp(is->count, should->count, sizeof(is->count)) ? "count"
           : is->copies != should->copies                        ? "copies"
           : is->tensor_B != should->tensor_B                    ? "tensor_B"
                                                                 : NULL;
}

static void by_hand(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        tma_target target;
        const tma_spec spec = spec_of_words(cases[i].words, &target);
        tma_measure_result result;
        if (tma_measure(&result, &spec, &target) != TMA_OK) {
            fail_msg("%s: refused", cases[i].what);
        }
        const char *differs = difference(&result, &cases[i].expected);
        if (differs) {
            fail_msg("%s: %s", cases[i].what, differs);
        }
    }
}

static void expect_sense(const tma_spec *s, const tma_target *target, const tma_measure_result *m) {
    uint64_t product = 1;
    const char *wrong = NULL;
    wrong = m->copy_B > m->footprint_B ? "more bytes than room" : wrong;
    const uint64_t rest_B = m->footprint_B - m->rows * m->pitch_B; /* of the swizzle's last span */
    const int dense = s->interleave && s->swizzle;
    wrong = rest_B && (!dense || rest_B >= tma_swizzle_span_B(s->swizzle)) ? "footprint" : wrong;
    wrong = dense && m->footprint_B % tma_swizzle_span_B(s->swizzle) ? "no whole span" : wrong;
    wrong = m->pitch_B < m->row_B ? "rows overlap" : wrong;
    wrong = m->copy_B % m->rows ? "rows differ" : wrong;
    wrong = m->pitch_B % 16 || m->row_B % 16 ? "not whole 16 bytes" : wrong;
    wrong = m->pattern_B < m->align_B || m->pattern_B % m->align_B ? "alignments" : wrong;
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        const int slice = s->interleave && i + 2 == s->rank;
        const uint64_t step = s->api != TMA_API_TILED || i >= s->rank || slice ? 1 : s->box_el[i];
        const uint64_t dim = i < s->rank ? s->dim_el[i] : 1;
        if (s->api == TMA_API_TILED &&
            (m->count[i] * step < dim || (m->count[i] - 1) * step >= dim)) {
            wrong = "boxes do not cover, or too many do";
        }
        product = product > UINT64_MAX / m->count[i] ? UINT64_MAX : product * m->count[i];
    }
    wrong = m->copies != product ? "copies" : wrong;
    if (wrong) {
        char line[SPEC_LINE_BYTES];
        fail_msg("%s: %s", wrong, spec_line(s, target, line));
    }
}

/* Where every element of the box is moved once, the driver's word 16 is the same number. */
static void expect_word_16(const tma_spec *s, const tma_target *target,
                           const tma_measure_result *m) {
    tma_map map;
    tma_decoded decoded;
    int dense = !s->interleave && !(s->api == TMA_API_WIDE && s->wide_mode == TMA_WIDE_W128);
    for (uint32_t i = 0; i < s->rank && s->api == TMA_API_TILED; i++) {
        dense = dense && s->element_stride[i] == 1;
    }
    assert_int_equal(tma_encode(map.bytes, s, target), TMA_OK);
    assert_int_equal(tma_decode(&decoded, map.bytes), TMA_OK);
    if (dense) {
        assert_int_equal(m->copy_B, decoded.box_B);
    }
}

/* A box that begins at the tensor's last element reads up to its end, where coordinates of a copy
 * reach so far. */
static int expect_last_byte(const tma_spec *s, const tma_target *target,
                            const tma_measure_result *m) {
    tma_map map;
    tma_plan plan;
    tma_report_result report;
    tma_position at = {{0}, .shared_address = 0};
    for (uint32_t i = 0; i < s->rank; i++) {
        const uint64_t last_el = s->dim_el[i] - 1;
        at.coord[i] = (int32_t)(i ? last_el : last_el / m->coord0_el * m->coord0_el);
        if (last_el > INT32_MAX) {
            return 0;
        }
    }
    if (s->api != TMA_API_TILED || s->address + m->tensor_B < s->address ||
        m->tensor_B == UINT64_MAX) {
        return 0;
    }
    assert_int_equal(tma_encode(map.bytes, s, target), TMA_OK);
    if (tma_plan_make(&plan, map.bytes, &(tma_instruction){.op = TMA_OP_LOAD}, target, NULL) ||
        tma_plan_report(&report, &plan, &at, NULL)) {
        return 0; /* what a copy refuses and an encode call takes */
    }
    assert_int_equal(report.global_end - s->address, m->tensor_B);
    return 1;
}

static void any_spec(void **state) {
    (void)state;
    struct random_source r = {61};
    const unsigned long count = spec_count();
    unsigned long ends = 0;
    for (unsigned long i = 0; i < count; i++) {
        const tma_target target = gen_target(&r);
        const tma_spec spec = gen_spec(&r, &target);
        tma_measure_result result;
        tma_measure_result untouched;
        memset(&result, 0xA5, sizeof(result));
        memset(&untouched, 0xA5, sizeof(untouched));
        const tma_status status = tma_measure(&result, &spec, &target);
        if (tma_accepts(&spec, &target)) {
            assert_int_equal(status, TMA_OK);
            expect_sense(&spec, &target, &result);
            expect_word_16(&spec, &target, &result);
            ends += (unsigned long)expect_last_byte(&spec, &target, &result);
        } else {
            assert_int_equal(status, TMA_REFUSED);
            assert_memory_equal(&result, &untouched, sizeof(result));
            memset(&result, 0, sizeof(result));
        }
        tma_finding found[2][8];
        tma_measure_result both;
        memset(found, 0, sizeof(found));
        const size_t count = tma_check(found[0], 8, &spec, &target);
        assert_int_equal(tma_check_measure(&both, found[1], 8, &spec, &target), count);
        assert_memory_equal(found[0], found[1], sizeof(found[0]));
        assert_memory_equal(&both, &result, sizeof(both));
    }
    assert_true(ends > 0);
    (void)printf("ends of %lu tensors\n", ends);
}

static void arguments(void **state) {
    (void)state;
    const tma_spec spec = spec_of_words(cases[0].words, NULL);
    tma_measure_result result;
    assert_int_equal(tma_measure(NULL, &spec, NULL), TMA_INVALID);
    assert_int_equal(tma_measure(&result, NULL, NULL), TMA_INVALID);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(any_spec),
        cmocka_unit_test(arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
