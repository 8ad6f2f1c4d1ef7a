/* SPDX-License-Identifier: Apache-2.0
 *
 * What holds for the findings of any spec: their order, their number, the values that they offer,
 * their text; and for the rules as a table: names, and the lists by what a rule stands on.
 */
#include "support/testing.h"

#include "support/cases/rule_cases.h"
#include "support/cases/spec_line.h"
#include "support/gen/gen_spec.h"

#define FINDINGS 64

/* A spec with something wrong with it, for any target. */
static tma_spec spoilt(struct random_source *r, tma_target *target) {
    *target = gen_target(r);
    tma_spec spec = gen_good_spec(r, target);
    for (uint32_t n = random_in(r, 1, 6); n > 0; n--) {
        gen_spoil(r, &spec);
    }
    return spec;
}

static void refusals_first(void **state) {
    (void)state;
    struct random_source r = {21};
    const unsigned long count = spec_count();
    size_t most = 0;
    for (unsigned long i = 0; i < count; i++) {
        tma_target target;
        tma_finding f[FINDINGS];
        const tma_spec spec = spoilt(&r, &target);
        const size_t found = tma_check(f, FINDINGS, &spec, &target);
        assert_in_range(found, 0, FINDINGS);
        most = found > most ? found : most;
        for (size_t k = 1; k < found; k++) {
            if (f[k].severity < f[k - 1].severity) {
                fail_msg("finding %zu is graver than the one before", k);
            }
        }
        for (size_t k = 0; k < found; k++) {
            assert_int_equal(tma_rule_of(f[k].rule)->scope, TMA_RULES_OF_MAPS);
            assert_int_equal(f[k].severity, tma_rule_of(f[k].rule)->severity);
            assert_in_range(f[k].argument, TMA_ARG_API, TMA_ARG_DRIVER);
            assert_in_range(f[k].index + 1, 0, TMA_MAX_RANK);
        }
    }
    print_message("at most %zu findings about one spec\n", most);
}

/* The same rule is reported once for an argument. */
static void no_finding_twice(void **state) {
    (void)state;
    struct random_source r = {22};
    const unsigned long count = spec_count() / 10;
    for (unsigned long i = 0; i < count; i++) {
        tma_target target;
        tma_finding f[FINDINGS];
        const tma_spec spec = spoilt(&r, &target);
        const size_t found = tma_check(f, FINDINGS, &spec, &target);
        for (size_t a = 0; a < found; a++) {
            for (size_t b = a + 1; b < found; b++) {
                if (f[a].rule == f[b].rule && f[a].argument == f[b].argument &&
                    f[a].index == f[b].index) {
                    char line[SPEC_LINE_BYTES];
                    fail_msg("%s twice: %s", tma_rule_of(f[a].rule)->name,
                             spec_line(&spec, &target, line));
                }
            }
        }
    }
}

static const tma_finding *same_finding(const tma_finding *f, const tma_finding *in, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (in[i].rule == f->rule && in[i].argument == f->argument && in[i].index == f->index) {
            return &in[i];
        }
    }
    return NULL;
}

/* Where a finding offers a legal value, that value makes this finding go away. No exceptions. */
static void legal_is_legal(void **state) {
    (void)state;
    struct random_source r = {23};
    unsigned long tried[TMA_RULE_LIMIT] = {0};
    unsigned long offers = 0;
    const unsigned long count = spec_count();
    for (unsigned long i = 0; i < count; i++) {
        tma_target target;
        tma_finding f[FINDINGS];
        const tma_spec spec = spoilt(&r, &target);
        const size_t found = tma_check(f, FINDINGS, &spec, &target);
        for (size_t k = 0; k < found; k++) {
            if (!f[k].has_legal) {
                continue;
            }
            tma_spec mended = spec;
            tma_target new_target = target;
            tma_finding after[FINDINGS];
            char line[SPEC_LINE_BYTES];
            char text[512];
            tma_finding_text(text, sizeof(text), &f[k]);
            const int counts = f[k].argument == TMA_ARG_BOX || f[k].argument == TMA_ARG_PIXELS;
            if (counts && f[k].legal == 0) {
                fail_msg("an offer of nothing: %s", text);
            }
            tried[f[k].rule]++;
            offers++;
            if (!rule_argument_set((tma_argument)f[k].argument, f[k].index, f[k].legal, &mended,
                                   &new_target)) {
                fail_msg("cannot be set: %s", text);
            }
            if (same_finding(&f[k], after, tma_check(after, FINDINGS, &mended, &new_target))) {
                fail_msg("the offer does not help: %s: %s", text, spec_line(&spec, &target, line));
            }
        }
    }
    unsigned rules = 0;
    for (size_t i = 0; i < TMA_RULE_LIMIT; i++) {
        rules += tried[i] != 0;
    }
    print_message("%lu offers of %u rules\n", offers, rules);
    assert_true(rules >= 40); /* the random specs reach most rules that make offers */
}

/* Where dimension 0 alone is too long, fewer of its elements would still be too many. */
static void no_offer_for_a_long_row(void **state) {
    (void)state;
    tma_spec s;
    tma_target target;
    tma_finding f[FINDINGS];
    rule_base_make(BASE_TILE, &s, &target);
    s.rank = 1;
    s.box_el[0] = 1 << 20;
    const size_t found = tma_check(f, FINDINGS, &s, &target);
    const tma_finding box_bytes = {.rule = TMA_RULE_BOX_BYTES, .argument = TMA_ARG_BOX};
    assert_non_null(same_finding(&box_bytes, f, found));
    assert_int_equal(same_finding(&box_bytes, f, found)->has_legal, 0);
}

/* A spec with exactly one refusal is accepted once the offered value is taken, if one is. */
static void last_offer_is_accepted(void **state) {
    (void)state;
    struct random_source r = {24};
    unsigned long mended_specs = 0;
    unsigned long single = 0;
    const unsigned long count = spec_count();
    for (unsigned long i = 0; i < count; i++) {
        tma_target target;
        tma_finding f[FINDINGS];
        tma_spec spec = spoilt(&r, &target);
        const size_t found = tma_check(f, FINDINGS, &spec, &target);
        if (!found || f[0].severity != TMA_SEVERITY_REFUSED || !f[0].has_legal ||
            (found > 1 && f[1].severity == TMA_SEVERITY_REFUSED)) {
            continue;
        }
        single++;
        rule_argument_set((tma_argument)f[0].argument, f[0].index, f[0].legal, &spec, &target);
        mended_specs += (unsigned long)tma_accepts(&spec, &target);
    }
    print_message("%lu of %lu specs with one refusal are accepted with the offered value\n",
                  mended_specs, single);
    assert_true(single > count / 50);
    assert_true(mended_specs >= single / 100 * 97); /* others break a second rule with it */
}

/* Refusals of one argument by itself: box-bytes counts all of the box, and a swizzle too narrow for
 * the one row of a padded type is refused by its own name too. */
static size_t refusals_in(const tma_finding *f, size_t found) {
    size_t count = 0;
    for (size_t i = 0; i < found && f[i].severity == TMA_SEVERITY_REFUSED; i++) {
        count += f[i].rule != TMA_RULE_BOX_BYTES &&
                 !(f[i].rule == TMA_RULE_INNER_SPAN && !f[i].has_legal);
    }
    return count;
}

/* Whoever takes the first offer again and again ends, and no number that is offered makes it
 * worse. A choice may: a larger rank has dimensions that were not looked at, another layout other
 * rules. */
static int is_choice(uint32_t argument) {
    return argument == TMA_ARG_RANK || argument == TMA_ARG_INTERLEAVE ||
           argument == TMA_ARG_SWIZZLE;
}

static void offers_in_turn(void **state) {
    (void)state;
    struct random_source r = {27};
    unsigned long taken = 0;
    unsigned long clean = 0;
    const unsigned long count = spec_count();
    for (unsigned long i = 0; i < count; i++) {
        tma_target target;
        tma_finding f[FINDINGS];
        char line[SPEC_LINE_BYTES];
        tma_spec spec = spoilt(&r, &target);
        const tma_spec first = spec;
        size_t refusals = FINDINGS;
        const char *took = "none";
        for (unsigned n = 0;; n++) {
            const size_t found = tma_check(f, FINDINGS, &spec, &target);
            const size_t now = refusals_in(f, found);
            size_t k = 0;
            if (now > refusals || n > FINDINGS) {
                fail_msg("%zu refusals after %zu and offer %u of %s: %s", now, refusals, n, took,
                         spec_line(&first, &target, line));
            }
            while (k < found && f[k].severity == TMA_SEVERITY_REFUSED && !f[k].has_legal) {
                k++;
            }
            if (k == found || f[k].severity != TMA_SEVERITY_REFUSED) {
                clean += k == 0;
                break;
            }
            refusals = is_choice(f[k].argument) ? FINDINGS : now;
            rule_argument_set((tma_argument)f[k].argument, f[k].index, f[k].legal, &spec, &target);
            took = tma_rule_of(f[k].rule)->name;
            taken++;
        }
    }
    print_message("%lu offers taken, %lu of %lu specs accepted in the end\n", taken, clean, count);
    assert_true(taken > count / 2 && clean > count / 2);
}

/* A stride off its multiple is offered one that holds the row or plane before it too. */
static void strides_that_hold(void **state) {
    (void)state;
    struct random_source r = {28};
    unsigned long offers = 0;
    const unsigned long count = spec_count();
    for (unsigned long i = 0; i < count; i++) {
        const tma_target target = gen_target(&r);
        tma_spec spec = gen_good_spec(&r, &target);
        tma_finding before[FINDINGS];
        const size_t had = tma_check(before, FINDINGS, &spec, &target);
        const uint32_t k = spec.rank - 2;
        int overlaps = spec.rank < 2 || spec.dim_el[k + 1] < 2;
        for (size_t n = 0; n < had; n++) {
            overlaps |= before[n].argument == TMA_ARG_STRIDE;
        }
        if (overlaps) {
            continue;
        }
        spec.stride_B[k] = random_in(&r, 1, (uint32_t)(spec.stride_B[k] % UINT32_MAX)) | 1;
        tma_finding f[FINDINGS];
        const size_t found = tma_check(f, FINDINGS, &spec, &target);
        for (size_t n = 0; n < found; n++) {
            if (f[n].severity != TMA_SEVERITY_REFUSED || f[n].argument != TMA_ARG_STRIDE ||
                !f[n].has_legal) {
                continue;
            }
            tma_spec mended = spec;
            tma_finding after[FINDINGS];
            char line[SPEC_LINE_BYTES];
            mended.stride_B[k] = f[n].legal;
            offers++;
            const size_t left = tma_check(after, FINDINGS, &mended, &target);
            for (size_t m = 0; m < left; m++) {
                if (after[m].rule == TMA_RULE_STRIDE_OVERLAP ||
                    after[m].rule == TMA_RULE_STRIDE_PLANES) {
                    fail_msg("%s after the offer %llu: %s", tma_rule_of(after[m].rule)->name,
                             (unsigned long long)f[n].legal, spec_line(&spec, &target, line));
                }
            }
        }
    }
    print_message("%lu offers of strides\n", offers);
    assert_true(offers > count / 20);
}

/* A dimension of one index repeats nothing. */
static void stride_zero_of_one_index(void **state) {
    (void)state;
    tma_spec s;
    tma_target target;
    tma_finding f[FINDINGS];
    const tma_finding zero = {.rule = TMA_RULE_STRIDE_ZERO, .argument = TMA_ARG_STRIDE};
    rule_base_make(BASE_TILE, &s, &target);
    s.stride_B[0] = 0;
    for (s.dim_el[1] = 1; s.dim_el[1] <= 2; s.dim_el[1]++) {
        const size_t found = tma_check(f, FINDINGS, &s, &target);
        assert_int_equal(same_finding(&zero, f, found) != NULL, s.dim_el[1] == 2);
    }
}

static int equal_findings(const tma_finding *a, const tma_finding *b) {
    return a->rule == b->rule && a->severity == b->severity && a->standing == b->standing &&
           a->argument == b->argument && a->index == b->index && a->unit == b->unit &&
           a->relation == b->relation && a->has_legal == b->has_legal && a->given == b->given &&
           a->value == b->value && a->limit == b->limit && a->legal == b->legal;
}

static void capacity_is_kept(void **state) {
    (void)state;
    struct random_source r = {25};
    const unsigned long count = spec_count() / 100;
    for (unsigned long i = 0; i < count; i++) {
        tma_target target;
        tma_finding all[FINDINGS];
        const tma_spec spec = spoilt(&r, &target);
        const size_t found = tma_check(all, FINDINGS, &spec, &target);
        assert_int_equal(tma_check(NULL, 0, &spec, &target), found);
        assert_int_equal(tma_check(NULL, FINDINGS, &spec, &target), found);
        for (size_t capacity = 0; capacity <= found; capacity++) {
            tma_finding few[FINDINGS];
            tma_finding untouched[FINDINGS];
            memset(few, 0xA5, sizeof(few));
            memset(untouched, 0xA5, sizeof(untouched));
            assert_int_equal(tma_check(few, capacity, &spec, &target), found);
            assert_memory_equal(few + capacity, untouched + capacity,
                                (FINDINGS - capacity) * sizeof(few[0]));
            for (size_t k = 0; k < capacity; k++) {
                if (!equal_findings(&few[k], &all[k])) {
                    fail_msg("capacity %zu: finding %zu is another", capacity, k);
                }
            }
        }
    }
}

typedef size_t (*text_call)(char *, size_t, const tma_finding *);

/* snprintf's contract: cut, always terminated, the whole length returned, nothing behind size. */
static void expect_snprintf_contract(text_call call, const tma_finding *f) {
    char whole[1024];
    char cut[1024];
    const size_t length = call(whole, sizeof(whole), f);
    assert_in_range(length, 1, sizeof(whole) - 1);
    assert_int_equal(strlen(whole), length);
    assert_null(strchr(whole, '\n'));
    assert_int_equal(call(NULL, 0, f), length);
    for (size_t size = 0; size <= length + 1; size++) {
        memset(cut, 'x', sizeof(cut));
        assert_int_equal(call(cut, size, f), length);
        if (size) {
            assert_int_equal(strlen(cut), size - 1 < length ? size - 1 : length);
            assert_memory_equal(cut, whole, strlen(cut));
        }
        assert_int_equal(cut[size], 'x');
    }
}

static void text_is_cut_cleanly(void **state) {
    (void)state;
    for (size_t i = 0; i < rule_case_count; i++) {
        tma_finding f = rule_cases[i].finding;
        f.rule = (uint16_t)rule_cases[i].rule;
        expect_snprintf_contract(tma_finding_text, &f);
        expect_snprintf_contract(tma_finding_given, &f);
    }
    char text[8] = "x";
    assert_int_equal(tma_finding_text(text, sizeof(text), NULL), 0);
    assert_string_equal(text, "");
    assert_int_equal(tma_finding_given(text, sizeof(text), NULL), 0);
}

/* The first finding's text is what is expected, and then the rule's statement. */
static void text_of(const tma_spec *spec, const tma_target *target, const char *expected) {
    tma_finding f;
    char text[512];
    char whole[512];
    assert_true(tma_check(&f, 1, spec, target) >= 1);
    tma_finding_text(text, sizeof(text), &f);
    snprintf(whole, sizeof(whole), "%s: %s", expected, tma_rule_of(f.rule)->statement);
    assert_string_equal(text, whole);
}

/* Arguments in their own words: hex addresses, signed corners, names of enumerators, bytes. */
static void text_in_the_arguments_words(void **state) {
    (void)state;
    tma_spec s;
    tma_target target;
    rule_base_make(BASE_TILE, &s, &target);
    s.address = 0x7f0000000008;
    text_of(&s, &target,
            "globalAddress = 0x7f0000000008, must be a multiple of 16 B (e.g. 0x7f0000000000)");
    rule_base_make(BASE_TILE, &s, &target);
    s.swizzle = TMA_SWIZZLE_128B;
    s.box_el[0] = 128;
    text_of(&s, &target, "boxDim[0] = 128: 256 B, must be at most 128 B (e.g. 64)");
    rule_base_make(BASE_TILE, &s, &target);
    s.swizzle = TMA_SWIZZLE_128B_ATOM_32B;
    text_of(&s, &target, "swizzle = 4 (128B_ATOM_32B), must be at most 3 (128B) (e.g. 3 (128B))");
    rule_base_make(BASE_CONV_4D, &s, &target);
    s.lower_px[1] = -129;
    text_of(&s, &target, "pixelBoxLowerCorner[1] = -129, must be at least -128 px (e.g. -128)");
    rule_base_make(BASE_TILE, &s, &target);
    s.address = UINT64_C(1) << 57;
    text_of(&s, &target, "globalAddress = 0x200000000000000, must be below 0x200000000000000");
    rule_base_make(BASE_WIDE, &s, &target);
    target.driver = 12040;
    text_of(&s, &target, "driver = 12.4, must be at least 12.8 (e.g. 12.8)");
    target.driver = 12000;
    text_of(&s, &target, "driver = 12.0, must be at least 12.8 (e.g. 12.8)");
    rule_base_make(BASE_U6, &s, &target);
    s.interleave = TMA_INTERLEAVE_16B;
    text_of(&s, &target, "interleave = 1 (16B), must be equal to 0 (none) (e.g. 0 (none))");
    rule_base_make(BASE_TILE, &s, &target);
    s.fill = TMA_FILL_NAN;
    s.dtype = TMA_DTYPE_UINT16;
    text_of(&s, &target, "oobFill = 1 (nan) (e.g. 0 (none))");
}

/* A size that no memory has, even or odd: an int gone wrong on its way. */
static void text_of_numbers_that_overflowed(void **state) {
    (void)state;
    static const struct {
        uint64_t dim_el;
        const char *given;
    } rows[] = {{UINT64_C(1) << 62, "4611686018427387904 (an overflow on its way?)"},
                {(UINT64_C(1) << 62) + 1, "4611686018427387905 (an overflow on its way?)"},
                {UINT64_MAX - 3, "18446744073709551612 (negative: -4)"},
                {UINT64_MAX - 4, "18446744073709551611 (negative: -5)"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        tma_spec s;
        tma_target target;
        char text[128];
        rule_base_make(BASE_TILE, &s, &target);
        s.dim_el[0] = rows[i].dim_el;
        snprintf(text, sizeof(text),
                 "globalDim[0] = %s, must be at most 4294967296 el (e.g. 4294967296)",
                 rows[i].given);
        text_of(&s, &target, text);
    }
}

/* The lists that a reader is promised: what driver and documents agree on, what only the driver
 * says, what it ignores, what only a document says. */
static void lists_by_standing(void **state) {
    (void)state;
    unsigned listed[TMA_STANDINGS] = {0};
    for (size_t i = 0; tma_rule_at(i)->scope == TMA_RULES_OF_MAPS; i++) {
        const tma_rule *rule = tma_rule_at(i);
        const int sourced = *rule->source != 0;
        listed[rule->standing]++;
        assert_true(*rule->name && *rule->statement);
        if (rule->standing == TMA_STANDING_UNDOCUMENTED && sourced) {
            fail_msg("%s: undocumented, but with a source", rule->name);
        }
        if ((rule->standing == TMA_STANDING_ENFORCED || rule->standing == TMA_STANDING_IGNORED ||
             rule->standing == TMA_STANDING_DOCUMENTED) &&
            !sourced) {
            fail_msg("%s: documented, but without a source", rule->name);
        }
        if ((rule->standing == TMA_STANDING_ENFORCED ||
             rule->standing == TMA_STANDING_UNDOCUMENTED) &&
            (rule->severity != TMA_SEVERITY_REFUSED || !*rule->evidence)) {
            fail_msg("%s: seen to be refused, but not so marked or without evidence", rule->name);
        }
        if (rule->standing == TMA_STANDING_IGNORED && rule->severity == TMA_SEVERITY_REFUSED) {
            fail_msg("%s: accepted by the driver, but marked as refused", rule->name);
        }
    }
    assert_int_equal(listed[TMA_STANDING_ENFORCED], 27);
    assert_int_equal(listed[TMA_STANDING_UNDOCUMENTED], 10);
    assert_true(listed[TMA_STANDING_IGNORED] >= 5);
    assert_true(listed[TMA_STANDING_DOCUMENTED] >= 5);
    assert_int_equal(listed[TMA_STANDING_ELSEWHERE], 0); /* of findings, not of rules */
}

static void rules_by_name(void **state) {
    (void)state;
    size_t numbered = 0;
    for (size_t i = 0; i < tma_rule_count(); i++) {
        const tma_rule *rule = tma_rule_at(i);
        assert_ptr_equal(tma_rule_find(rule->name), rule); /* also: no two have one name */
        assert_ptr_equal(tma_rule_of(rule->number), rule);
    }
    for (uint32_t number = 0; number < TMA_RULE_LIMIT; number++) {
        numbered += tma_rule_of(number) != NULL;
    }
    assert_int_equal(numbered, tma_rule_count());
    assert_null(tma_rule_at(tma_rule_count()));
    assert_null(tma_rule_of(TMA_RULE_NONE));
    assert_null(tma_rule_of(TMA_RULE_LIMIT));
    assert_null(tma_rule_of(UINT32_MAX));
    assert_null(tma_rule_find("no-such-rule"));
    assert_null(tma_rule_find(""));
    assert_null(tma_rule_find(NULL));
}

/* A copy takes a map at a multiple of 64 bytes. */
static void where_the_map_lies(void **state) {
    (void)state;
    const tma_target other = {.sm = 100, .suffix = 'a', .driver = 13000};
    char text[512];
    for (uint64_t at = 0x7f0000001000; at < 0x7f0000001200; at++) {
        tma_finding why = {0};
        assert_int_equal(tma_check_map_address(&why, at, NULL), at % 64 == 0);
        assert_int_equal(why.rule, at % 64 ? TMA_RULE_TENSOR_MAP_ALIGN : 0);
        assert_int_equal(tma_check_map_address(NULL, at, &other), at % 64 == 0);
    }
    tma_finding why;
    assert_false(tma_check_map_address(&why, 0x1010, NULL));
    assert_int_equal(why.severity, TMA_SEVERITY_FAULTS);
    assert_int_equal(why.standing, TMA_STANDING_HARDWARE);
    tma_finding_text(text, sizeof(text), &why);
    assert_non_null(strstr(text, "tensorMap = 0x1010, must be a multiple of 64 B: "));
    assert_false(tma_check_map_address(&why, 0x1020, &other));
    assert_int_equal(why.standing, TMA_STANDING_ELSEWHERE);
}

/* On a target that was not asked, a finding does not claim that it was. */
static void standing_depends_on_target(void **state) {
    (void)state;
    static const struct {
        uint16_t sm;
        char suffix;
        uint32_t driver;
        int seen;
    } targets[] = {{90, 0, 13000, 1}, {90, 'a', 13000, 1}, {90, 0, 12080, 0},
                   {90, 0, 13010, 0}, {100, 0, 13000, 0},  {120, 'a', 13000, 0}};
    for (size_t i = 0; i < COUNT_OF(targets); i++) {
        const tma_target target = {
            .sm = targets[i].sm, .suffix = targets[i].suffix, .driver = targets[i].driver};
        struct random_source r = {26 + i};
        for (unsigned n = 0; n < 2000; n++) {
            tma_finding f[FINDINGS];
            tma_target ignored;
            const tma_spec spec = spoilt(&r, &ignored);
            const size_t found = tma_check(f, FINDINGS, &spec, &target);
            for (size_t k = 0; k < found; k++) {
                const tma_standing rule = tma_rule_of(f[k].rule)->standing;
                const int was_seen = rule <= TMA_STANDING_IGNORED || rule == TMA_STANDING_HARDWARE;
                const int seen = /* what the hardware does, whatever the driver */
                    rule == TMA_STANDING_HARDWARE ? targets[i].sm == 90 : targets[i].seen;
                const uint32_t expected = seen || !was_seen               ? rule
                                          : rule == TMA_STANDING_ENFORCED ? TMA_STANDING_DOCUMENTED
                                          : rule == TMA_STANDING_IGNORED  ? TMA_STANDING_NOT_ASKED
                                                                          : TMA_STANDING_ELSEWHERE;
                assert_int_equal(f[k].standing, expected);
            }
        }
    }
}

static void words_for_numbers(void **state) {
    (void)state;
    const struct {
        const char *(*name)(uint32_t);
        uint32_t count;
    } words[] = {{tma_severity_name, TMA_SEVERITIES},
                 {tma_standing_name, TMA_STANDINGS},
                 {tma_argument_name, TMA_ARGUMENTS},
                 {tma_unit_name, TMA_UNIT_VERSION + 1},
                 {tma_relation_name, TMA_MUST_NOT_BE + 1}};
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        for (uint32_t k = 0; k < words[i].count; k++) {
            assert_non_null(words[i].name(k));
            assert_string_not_equal(words[i].name(k), "?");
        }
        assert_string_equal(words[i].name(words[i].count), "?");
        assert_string_equal(words[i].name(UINT32_MAX), "?");
    }
    assert_string_equal(tma_argument_name(TMA_ARG_BOX), "boxDim");
    assert_string_equal(tma_argument_name(TMA_ARG_DRIVER), "driver");
    assert_string_equal(tma_unit_name(TMA_UNIT_PX), "px");
    assert_string_equal(tma_relation_name(TMA_MUST_BE_AT_MOST), "at most");
    assert_string_equal(tma_status_name(TMA_OK), "TMA_OK");
    assert_string_equal(tma_status_name(TMA_INVALID), "TMA_INVALID");
    assert_string_equal(tma_status_name(TMA_REFUSED), "TMA_REFUSED");
    assert_string_equal(tma_status_name(TMA_PTXAS), "TMA_PTXAS");
    assert_string_equal(tma_status_name(TMA_TRAP), "TMA_TRAP");
    assert_string_equal(tma_status_name(TMA_MEMORY), "TMA_MEMORY");
    assert_string_equal(tma_status_name(TMA_UNKNOWN), "TMA_UNKNOWN");
    assert_string_equal(tma_status_name(TMA_UNKNOWN + 1), "unknown status");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_the_map_lies),
        cmocka_unit_test(refusals_first),
        cmocka_unit_test(no_finding_twice),
        cmocka_unit_test(legal_is_legal),
        cmocka_unit_test(no_offer_for_a_long_row),
        cmocka_unit_test(last_offer_is_accepted),
        cmocka_unit_test(offers_in_turn),
        cmocka_unit_test(strides_that_hold),
        cmocka_unit_test(stride_zero_of_one_index),
        cmocka_unit_test(capacity_is_kept),
        cmocka_unit_test(text_is_cut_cleanly),
        cmocka_unit_test(text_in_the_arguments_words),
        cmocka_unit_test(text_of_numbers_that_overflowed),
        cmocka_unit_test(lists_by_standing),
        cmocka_unit_test(rules_by_name),
        cmocka_unit_test(standing_depends_on_target),
        cmocka_unit_test(words_for_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
