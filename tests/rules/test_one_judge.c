/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of a spec and plans of its map say the same: on every target, the same rules end the copy,
 * and they stand on the same.
 */
#include "support/testing.h"

#include "support/cases/spec_line.h"
#include "support/gen/gen_spec.h"
#include <tma/map.h>
#include <tma/plan.h>

#define FINDINGS 64

static const tma_instruction load = {.op = TMA_OP_LOAD, .mode = TMA_MODE_TILE};

static tma_spec small(void) {
    return (tma_spec){.dtype = TMA_DTYPE_FLOAT16,
                      .rank = 2,
                      .address = 0x10000,
                      .dim_el = {64, 32},
                      .stride_B = {128},
                      .box_el = {64, 8},
                      .element_stride = {1, 1}};
}

/* What a check says about one rule; null if nothing. */
static const tma_finding *found(const tma_finding *findings, size_t count, uint32_t rule) {
    for (size_t i = 0; i < count; i++) {
        if (findings[i].rule == rule) {
            return &findings[i];
        }
    }
    return NULL;
}

/* A coordinate off its granule: seen on sm_90, not elsewhere. */
static void what_a_trap_stands_on(void **state) {
    (void)state;
    const tma_spec spec = small();
    for (size_t i = 0; i < tma_arch_count(); i++) {
        const tma_arch_row *arch = tma_arch_at(i);
        const tma_target target = {.sm = arch->sm, .suffix = arch->suffix, .driver = 13000};
        const tma_position at = {.coord = {4, 4}};
        tma_map map;
        tma_plan plan;
        tma_finding why;
        assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
        assert_int_equal(tma_plan_make(&plan, map.bytes, &load, &target, &why), TMA_OK);
        assert_int_equal(tma_plan_at(&plan, &at, &why), TMA_TRAP);
        assert_int_equal(why.rule, TMA_RULE_TRAP_COORD_ALIGN);
        assert_int_equal(why.standing,
                         arch->sm == 90 ? TMA_STANDING_HARDWARE : TMA_STANDING_ELSEWHERE);
        assert_int_equal(tma_plan_info(&plan)->standing, why.standing);
    }
}

/* 2^32 elements are encoded, and kill each copy, on every target. */
static void a_dimension_that_kills(void **state) {
    (void)state;
    tma_spec spec = small();
    spec.dim_el[0] = 4294967296;
    for (size_t i = 0; i < tma_arch_count(); i++) {
        const tma_arch_row *arch = tma_arch_at(i);
        const tma_target target = {.sm = arch->sm, .suffix = arch->suffix, .driver = 13000};
        tma_map map;
        tma_plan plan;
        tma_finding why;
        tma_finding findings[FINDINGS];
        const size_t n = tma_check(findings, FINDINGS, &spec, &target);
        const tma_finding *checked = found(findings, n, TMA_RULE_DIM_SIGNED);
        assert_non_null(checked);
        assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
        assert_int_equal(tma_plan_make(&plan, map.bytes, &load, &target, &why), TMA_TRAP);
        assert_int_equal(why.rule, TMA_RULE_DIM_SIGNED);
        assert_int_equal(why.standing, checked->standing);
        assert_int_equal(why.standing,
                         arch->sm == 90 ? TMA_STANDING_HARDWARE : TMA_STANDING_ELSEWHERE);
    }
}

/* A copy of a map that a driver makes is ended by what the check said would end it, and by nothing
 * that it did not say: what the rows say of the hardware. */
static void random_maps(void **state) {
    (void)state;
    struct random_source r = {41};
    unsigned long ended = 0;
    unsigned long made = 0;
    const unsigned long count = spec_count();
    for (unsigned long i = 0; i < count; i++) {
        const tma_target target = gen_target(&r);
        tma_spec spec = gen_good_spec(&r, &target);
        if (i % 4 == 0) {
            spec.dim_el[random_below(&r, spec.rank)] = (UINT64_C(1) << 31) + (i / 4 % 4) - 1;
        }
        tma_map map;
        tma_plan plan;
        tma_finding why = {0};
        tma_finding findings[FINDINGS];
        tma_instruction in = load;
        in.mode = spec.api == TMA_API_TILED ? TMA_MODE_TILE : TMA_MODE_IM2COL;
        if (tma_encode(map.bytes, &spec, &target) != TMA_OK) {
            continue;
        }
        const size_t n = tma_check(findings, FINDINGS, &spec, &target);
        const tma_status status = tma_plan_make(&plan, map.bytes, &in, &target, &why);
        int said = 0;
        made++;
        for (size_t k = 0; k < n; k++) {
            said |= tma_rule_of(findings[k].rule)->hardware == TMA_HARDWARE_KILLS;
        }
        const tma_finding *checked = status == TMA_TRAP ? found(findings, n, why.rule) : NULL;
        ended += status == TMA_TRAP;
        if (status == TMA_TRAP ? !said || !checked || checked->standing != why.standing
                               : said && status == TMA_OK) {
            char line[SPEC_LINE_BYTES];
            fail_msg("check and plan differ: status %d, said %d, rule %s: %s", status, said,
                     tma_rule_of(why.rule)->name, spec_line(&spec, &target, line));
        }
    }
    print_message("%lu maps, copies of %lu of them end\n", made, ended);
    assert_true(made > count / 2);
    assert_true(ended > count / 50);
}

/* A row says what follows on a target, and only for targets that have the rule. */
static void rows_make_sense(void **state) {
    (void)state;
    for (size_t i = 0; i < tma_rule_count(); i++) {
        const tma_rule *rule = tma_rule_at(i);
        assert_in_range(rule->hardware, 0, TMA_HARDWARES - 1);
        assert_int_equal(rule->with & rule->without, 0);
        if (rule->scope == TMA_RULES_OF_COPIES && rule->severity == TMA_SEVERITY_FAULTS) {
            assert_int_not_equal(rule->hardware, TMA_HARDWARE_NOTHING);
        }
        if (rule->severity == TMA_SEVERITY_SURPRISING) {
            assert_int_equal(rule->hardware, TMA_HARDWARE_NOTHING);
        }
        assert_true(tma_hardware_name(rule->hardware)[0] || !rule->hardware);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_trap_stands_on),
        cmocka_unit_test(a_dimension_that_kills),
        cmocka_unit_test(random_maps),
        cmocka_unit_test(rows_make_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
