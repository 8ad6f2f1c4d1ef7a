/* SPDX-License-Identifier: Apache-2.0
 *
 * Every rule has a case just inside and one just outside its limit, and does with them what
 * rule_cases.def says. A rule without a case fails here.
 */
#include "support/testing.h"

#include "support/cases/rule_cases.h"
#include "support/cases/spec_line.h"
#include <tma/map.h>

#define FINDINGS 32

static void every_rule_has_a_case(void **state) {
    (void)state;
    unsigned cases[TMA_RULE_LIMIT] = {0};
    for (size_t i = 0; i < rule_case_count; i++) {
        assert_int_equal(tma_rule_of(rule_cases[i].rule)->scope, TMA_RULES_OF_MAPS);
        cases[rule_cases[i].rule]++;
    }
    unsigned missing = 0;
    size_t rules = 0;
    for (; tma_rule_at(rules)->scope == TMA_RULES_OF_MAPS; rules++) {
        const tma_rule *rule = tma_rule_at(rules);
        if (!cases[rule->number] && rule->number != TMA_RULE_ARGUMENT_NULL) { /* test_accept.c */
            print_error("%s has no case in rule_cases.def\n", rule->name);
            missing++;
        }
    }
    assert_int_equal(missing, 0);
    print_message("%zu cases for %zu rules\n", rule_case_count, rules);
}

/* Cases start from specs that nothing can be said against. */
static void bases_are_clean(void **state) {
    (void)state;
    for (int base = 0; base < BASES; base++) {
        tma_spec spec;
        tma_target target;
        tma_finding finding;
        char text[512] = "";
        rule_base_make((enum rule_base)base, &spec, &target);
        if (tma_check(&finding, 1, &spec, &target)) {
            tma_finding_text(text, sizeof(text), &finding);
            fail_msg("base %d: %s", base, text);
        }
    }
}

struct seen {
    tma_finding findings[FINDINGS];
    size_t count;
    size_t refused;
    size_t refused_otherwise; /* by another rule than the case's */
    const tma_finding *found; /* the one that the case is about: this rule, argument and index */
    size_t of_rule;
};

static void look(const struct rule_case *c, const tma_spec *spec, const tma_target *target,
                 struct seen *seen) {
    memset(seen, 0, sizeof(*seen));
    seen->count = tma_check(seen->findings, FINDINGS, spec, target);
    assert_true(seen->count <= FINDINGS);
    for (size_t i = 0; i < seen->count; i++) {
        const tma_finding *f = &seen->findings[i];
        seen->of_rule += f->rule == c->rule;
        if (f->severity == TMA_SEVERITY_REFUSED) {
            seen->refused++;
            seen->refused_otherwise += f->rule != c->rule;
        }
        if (f->rule == c->rule && f->argument == c->finding.argument &&
            f->index == c->finding.index) {
            seen->found = f;
        }
    }
}

static void spec_of(const struct rule_case *c, const struct rule_edit *edits, tma_spec *spec,
                    tma_target *target) {
    rule_base_make(c->base, spec, target);
    rule_edit_make(c->setup, spec, target);
    rule_edit_make(edits, spec, target);
}

static void blame(const struct rule_case *c, const tma_spec *spec, const tma_target *target,
                  const char *what) {
    char line[SPEC_LINE_BYTES];
    fail_msg("rule_cases.def:%d (%s): %s: %s", c->line, tma_rule_of(c->rule)->name, what,
             spec_line(spec, target, line));
}

/* Inside, the rule is silent; if it is one that refuses, the whole spec is accepted. */
static void inside_is_taken(void **state) {
    (void)state;
    for (size_t i = 0; i < rule_case_count; i++) {
        const struct rule_case *c = &rule_cases[i];
        tma_spec spec;
        tma_target target;
        struct seen seen;
        tma_map map;
        spec_of(c, c->inside, &spec, &target);
        look(c, &spec, &target, &seen);
        if (seen.of_rule) {
            blame(c, &spec, &target, "reported inside its limit");
        }
        if (seen.refused || !tma_accepts(&spec, &target) ||
            tma_encode(map.bytes, &spec, &target) != TMA_OK) {
            blame(c, &spec, &target, "refused inside the limit");
        }
    }
}

static const char *difference(const tma_finding *is, const tma_finding *should) {
    return is->unit != should->unit                          ? "unit"
           : is->relation != should->relation                ? "relation"
           : is->given != should->given                      ? "given"
           : is->value != should->value                      ? "value"
           : is->limit != should->limit                      ? "limit"
           : is->has_legal != should->has_legal              ? "has_legal"
           : is->has_legal && is->legal != should->legal     ? "legal"
           : is->severity != tma_rule_of(is->rule)->severity ? "severity"
                                                             : NULL;
}

/* Outside, it gives exactly the finding; and the verdict is the rule's severity. */
static void outside_is_found(void **state) {
    (void)state;
    for (size_t i = 0; i < rule_case_count; i++) {
        const struct rule_case *c = &rule_cases[i];
        tma_spec spec;
        tma_target target;
        struct seen seen;
        spec_of(c, c->outside, &spec, &target);
        look(c, &spec, &target, &seen);
        if (!seen.found) {
            blame(c, &spec, &target, "not reported outside its limit");
            return;
        }
        const char *differs = difference(seen.found, &c->finding);
        if (differs) {
            char text[512];
            tma_finding_text(text, sizeof(text), seen.found);
            print_error("%s\n", text);
            blame(c, &spec, &target, differs);
        }
        if (seen.of_rule != 1 || seen.refused_otherwise) {
            blame(c, &spec, &target, "not the only one: the case shows less than it should");
        }
    }
}

/* The verdict outside, and that a refused encode writes nothing. */
static void outside_is_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < rule_case_count; i++) {
        const struct rule_case *c = &rule_cases[i];
        const int refuses = tma_rule_of(c->rule)->severity == TMA_SEVERITY_REFUSED;
        const int unknown = c->rule == TMA_RULE_TARGET_UNKNOWN || c->rule == TMA_RULE_DRIVER_OLD;
        tma_spec spec;
        tma_target target;
        tma_map map;
        tma_map untouched;
        memset(&map, 0xA5, sizeof(map));
        memset(&untouched, 0xA5, sizeof(untouched));
        spec_of(c, c->outside, &spec, &target);
        const tma_status status = tma_encode(map.bytes, &spec, &target);
        const tma_status expected = unknown ? TMA_INVALID : refuses ? TMA_REFUSED : TMA_OK;
        if (tma_accepts(&spec, &target) != !refuses || status != expected) {
            blame(c, &spec, &target, tma_status_name(status));
        }
        if (refuses) {
            assert_memory_equal(&map, &untouched, sizeof(map));
        }
    }
}

/* What an argument's value must stand to its limit is said truly. */
static void relations_are_true(void **state) {
    (void)state;
    for (size_t i = 0; i < rule_case_count; i++) {
        const tma_finding *f = &rule_cases[i].finding;
        const int is_signed = f->unit == TMA_UNIT_PX;
        const int below = is_signed ? (int64_t)f->value < (int64_t)f->limit : f->value < f->limit;
        const int equal = f->value == f->limit;
        const int broken[] = {
            [TMA_MUST_BE_AT_MOST] = !below && !equal,
            [TMA_MUST_BE_AT_LEAST] = below,
            [TMA_MUST_BE_BELOW] = !below,
            [TMA_MUST_BE_ABOVE] = below || equal,
            [TMA_MUST_BE_MULTIPLE_OF] = f->limit && f->value % f->limit != 0,
            [TMA_MUST_BE] = !equal || rule_cases[i].rule == TMA_RULE_TARGET_UNKNOWN,
            [TMA_MUST_NOT_BE] = equal,
        };
        assert_in_range(f->relation, 0, COUNT_OF(broken) - 1);
        if (!broken[f->relation]) {
            fail_msg("rule_cases.def:%d: the value does not break its limit", rule_cases[i].line);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_has_a_case), cmocka_unit_test(bases_are_clean),
        cmocka_unit_test(inside_is_taken),       cmocka_unit_test(outside_is_found),
        cmocka_unit_test(outside_is_refused),    cmocka_unit_test(relations_are_true),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
