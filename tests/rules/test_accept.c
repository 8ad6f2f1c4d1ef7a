/* SPDX-License-Identifier: Apache-2.0
 *
 * Three ways to the same verdict, on random specs for every target: the quick filter, the rules,
 * and the findings. The filter may leave a spec to the rules, but never takes what they refuse.
 */
#include "support/testing.h"

#include "check_internal.h"
#include "support/cases/spec_line.h"
#include "support/gen/gen_spec.h"
#include <tma/map.h>

#define FINDINGS 64

static size_t refusals(const tma_spec *spec, const tma_target *target) {
    tma_finding findings[FINDINGS];
    const size_t count = tma_check(findings, FINDINGS, spec, target);
    size_t refused = 0;
    assert_true(count <= FINDINGS);
    for (size_t i = 0; i < count; i++) {
        refused += findings[i].severity == TMA_SEVERITY_REFUSED;
    }
    return refused;
}

static int takes_quickly(const tma_spec *spec, const tma_target *target) {
    const uint32_t driver = target ? target->driver : 13000;
    return tma_accepts_quickly(spec, tma_arch_of(target), driver) != TMA_NOT_QUICKLY;
}

static void expect_agreement(const tma_spec *spec, const tma_target *target) {
    tma_map map;
    const size_t refused = refusals(spec, target);
    const int accepts = tma_accepts(spec, target);
    const int by_rules = tma_accepts_by_rules(spec, target);
    const int quickly = takes_quickly(spec, target);
    const tma_status encode = tma_encode(map.bytes, spec, target);
    if (accepts != (refused == 0) || by_rules != accepts || (quickly && refused) ||
        (encode == TMA_OK) != accepts) {
        char line[SPEC_LINE_BYTES];
        fail_msg("accepts %d, rules %d, quick %d, encode %d, %zu refusals: %s", accepts, by_rules,
                 quickly, encode, refused, spec_line(spec, target, line));
    }
}

static void all_targets(void **state) {
    (void)state;
    struct random_source r = {1};
    unsigned long accepted = 0;
    unsigned long quick = 0;
    const unsigned long count = spec_count();
    for (unsigned long i = 0; i < count; i++) {
        const tma_target target = gen_target(&r);
        const tma_spec spec = gen_spec(&r, &target);
        expect_agreement(&spec, &target);
        accepted += (unsigned long)tma_accepts(&spec, &target);
        quick += (unsigned long)takes_quickly(&spec, &target);
    }
    print_message("%lu of %lu random specs accepted, %lu by the quick filter\n", accepted, count,
                  quick);
    assert_in_range(accepted, count / 3, count * 3 / 4); /* else the generator proves little */
}

/* The machine that was asked, where the filter does most of the work. */
static void default_target(void **state) {
    (void)state;
    const tma_target asked = {.sm = 90, .driver = 13000};
    struct random_source r = {2};
    unsigned long accepted = 0;
    unsigned long quick = 0;
    const unsigned long count = spec_count();
    for (unsigned long i = 0; i < count; i++) {
        const tma_spec spec = gen_spec(&r, &asked);
        expect_agreement(&spec, NULL);
        accepted += (unsigned long)tma_accepts(&spec, NULL);
        quick += (unsigned long)takes_quickly(&spec, NULL);
    }
    print_message("the quick filter takes %lu of %lu accepted specs\n", quick, accepted);
    assert_in_range(accepted, count / 3, count * 3 / 4);
    assert_true(quick >= accepted * 85 / 100); /* the rest: im2col maps of huge sizes */
}

/* What the generator means to be right should be: the other properties rest on it. */
static void good_specs(void **state) {
    (void)state;
    struct random_source r = {3};
    unsigned long accepted = 0;
    const unsigned long count = spec_count() / 10;
    for (unsigned long i = 0; i < count; i++) {
        const tma_target target = gen_target(&r);
        const tma_spec spec = gen_good_spec(&r, &target);
        accepted += (unsigned long)tma_accepts(&spec, &target);
    }
    print_message("%lu of %lu specs meant to be right are\n", accepted, count);
    assert_true(accepted >= count * 98 / 100);
}

static void nobody_asked(void **state) {
    (void)state;
    const tma_target unknown = {.sm = 91, .driver = 13000};
    const tma_target unknown_suffix = {.sm = 90, .suffix = 'f', .driver = 13000};
    struct random_source r = {4};
    const tma_target asked = {.sm = 90, .driver = 13000};
    const tma_spec spec = gen_good_spec(&r, &asked);
    tma_finding finding;
    assert_int_equal(tma_accepts(NULL, NULL), 0);
    assert_int_equal(tma_check(&finding, 1, NULL, NULL), 1);
    assert_int_equal(finding.rule, TMA_RULE_ARGUMENT_NULL);
    assert_int_equal(finding.severity, TMA_SEVERITY_REFUSED);
    assert_int_equal(finding.argument, TMA_ARG_SPEC);
    assert_int_equal(tma_check(NULL, 0, NULL, &unknown), 1);
    assert_int_equal(tma_accepts(&spec, &unknown), 0);
    assert_int_equal(tma_accepts(&spec, &unknown_suffix), 0);
    assert_int_equal(tma_check(&finding, 1, &spec, &unknown), 1);
    assert_int_equal(finding.rule, TMA_RULE_TARGET_UNKNOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_asked),
        cmocka_unit_test(good_specs),
        cmocka_unit_test(all_targets),
        cmocka_unit_test(default_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
