/* SPDX-License-Identifier: Apache-2.0
 *
 * What a kernel asks before a copy (judge.h) and what the library answers (tma_plan_make(),
 * tma_plan_at()): the same verdict and the same finding, on random maps, good ones and ones that
 * were written over, and at both sides of every limit. The captured copies and traps ask the same
 * in test_copy_vectors.c and test_probes.c.
 */
#include "support/testing.h"

#include "support/cases/plan_cases.h"
#include "support/gen/gen_copy.h"
#include "support/judged.h"
#include <tma/judge_quick.h>

#define TEXT_BYTES 512

/* A few bits of the map, the instruction or the target turned, most of them in what is looked at.
 */
static void spoil(struct random_source *r, struct gen_copy *c) {
    static const tma_target targets[] = {{.sm = 90, .suffix = 'a', .driver = 13000},
                                         {.sm = 100, .suffix = 'a', .driver = 13000},
                                         {.sm = 103, .suffix = 'a', .driver = 13000},
                                         {.sm = 120, .suffix = 'a', .driver = 13000}};
    static const uint8_t bytes[] = {0, 4, 7, 8, 8, 9, 9, 9, 10, 10, 12, 32, 35, 52, 55, 56, 58, 60};
    const uint32_t times = random_in(r, 0, 3);
    for (uint32_t i = 0; i < times; i++) {
        const uint32_t at = random_one_in(r, 4) ? random_in(r, 0, TMA_MAP_BYTES - 1)
                                                : bytes[random_below(r, sizeof(bytes))];
        c->map.bytes[at] ^= (uint8_t)(1u << random_below(r, 8));
    }
    if (random_one_in(r, 6)) {
        c->instruction.op = random_in(r, 0, TMA_OPS - 1);
    }
    if (random_one_in(r, 8)) {
        c->instruction.mode = random_in(r, 0, TMA_MODES - 1);
    }
    if (random_one_in(r, 6)) {
        c->instruction.rank = random_in(r, 0, TMA_MAX_RANK);
    }
    if (random_one_in(r, 8)) {
        c->target = targets[random_below(r, COUNT_OF(targets))];
    }
    if (random_one_in(r, 8)) {
        c->at.coord[random_below(r, TMA_MAX_RANK)] = (int32_t)random_u64(r);
    }
    if (random_one_in(r, 8)) {
        c->at.shared_address += 1u << random_below(r, 8);
    }
    if (random_one_in(r, 8)) {
        c->at.offset[random_below(r, 2)] = (uint16_t)random_below(r, 600);
    }
}

/* What a pass lets through runs, and ends before the window does. */
static int pass_is_right(struct random_source *r, struct gen_copy *c, unsigned long *passed) {
    const tma_judge_site site = judged_site(&c->instruction, &c->target);
    const uint32_t window_end = random_one_in(r, 4) ? 0 : random_in(r, 1024, GEN_COPY_SHARED_B * 2);
    tma_judge_at at = judged_at(&c->at, window_end);
    tma_judge_fault fault;
    if (tma_judge_copy(&fault, c->map.bytes, &site, &at) != TMA_OK || !fault.pass) {
        return 1;
    }
    const uint32_t pass = fault.pass;
    for (int i = 0; i < 4; i++) {
        gen_copy_position(r, GEN_ANY, c);
        int negative = 0;
        for (int k = 0; k < TMA_MAX_RANK; k++) {
            negative |= c->at.coord[k] < 0;
        }
        const int load = c->instruction.op == TMA_OP_LOAD || c->instruction.op == TMA_OP_PREFETCH;
        at = judged_at(&c->at, window_end);
        at.shared_address |= (uint32_t)random_below(r, 4) << 24; /* a cluster's CTA */
        if ((load || !negative) && TMA_PASSES(pass, at.coord[0], at.shared_address)) {
            ++*passed;
            if (tma_judge_copy(&fault, c->map.bytes, &site, &at) != TMA_OK || fault.pass != pass) {
                return 0;
            }
        }
    }
    return 1;
}

/* The same for im2col loads: never a no, and the window's end to the byte. */
static int box_is_right(const struct gen_copy *c, uint32_t window_end, unsigned long *said) {
    const tma_judge_site site = judged_site(&c->instruction, &c->target);
    tma_judge_at at = judged_at(&c->at, window_end);
    tma_judge_fault fault;
    at.ctas = 0; /* the mask of a multicast is the caller's to ask for */
    if (!tma_judge_quick_im2col(c->map.bytes, &site, &at)) {
        return 1;
    }
    ++*said;
    const uint32_t runs = tma_judge_copy(&fault, c->map.bytes, &site, &at);
    at.window_end = 1;
    const uint32_t leaves = tma_judge_copy(&fault, c->map.bytes, &site, &at);
    at.window_end =
        (uint32_t)fault.value; /* the last byte's address: one less than there has to be */
    return runs == TMA_OK && leaves == TMA_MEMORY &&
           !tma_judge_quick_im2col(c->map.bytes, &site, &at);
}

/* The quick yes is never a no, lets through no more than the judgement, and tells coordinates apart
 * by the same bits. */
static int quick_is_right(struct random_source *r, const struct gen_copy *c, unsigned long *said,
                          unsigned long *boxes) {
    const tma_judge_site site = judged_site(&c->instruction, &c->target);
    const uint32_t window_end = random_one_in(r, 4) ? 0 : random_in(r, 1024, GEN_COPY_SHARED_B * 2);
    const uint32_t quick = tma_judge_quick(c->map.bytes, &site, window_end);
    tma_judge_at at = judged_at(&c->at, window_end);
    tma_judge_fault fault;
    at.coord[0] = at.coord[1] = at.coord[2] = at.coord[3] = at.coord[4] = 0;
    at.shared_address = 0;
    *said += quick != 0;
    if (!box_is_right(c, window_end, boxes)) {
        return 0;
    }
    return !quick ||
           (tma_judge_copy(&fault, c->map.bytes, &site, &at) == TMA_OK &&
            (fault.pass & TMA_PASS_BITS) == (quick & TMA_PASS_BITS) && fault.pass >= quick);
}

/* The same verdict as the judgement's pass in fewer instructions, for targets of sm_90. */
static int whole_is_right(struct random_source *r, const struct gen_copy *c, unsigned long *said) {
    tma_judge_site site = judged_site(&c->instruction, &c->target);
    const uint32_t window_end = random_one_in(r, 4) ? 0 : random_in(r, 1024, GEN_COPY_SHARED_B * 2);
    tma_judge_fault fault;
    if (site.mode > TMA_MODE_IM2COL) {
        return 1;
    }
    site.features &= ~(uint64_t)(TMA_FEATURE_PACKED | TMA_FEATURE_STORE_HALVES);
    const uint32_t pass = tma_judge_pass(&fault, c->map.bytes, &site, window_end);
    const uint32_t whole =
        tma_judge_whole(c->map.bytes, &site, tma_quick_types(site.op), window_end);
    const uint32_t last = (uint32_t)(TMA_VALUE(WINDOW) - TMA_VALUE(SHARED_ALIGN));
    *said += whole != 0;
    return fault.status == TMA_OK && !pass ? whole == last : whole == pass;
}

/* What a copy that runs counts on its barrier, halo and padding as they are. */
static int tx_is_right(const struct gen_copy *c) {
    const tma_judge_site site = judged_site(&c->instruction, &c->target);
    const tma_judge_at at = judged_at(&c->at, 0);
    tma_plan plan;
    tma_report_result report;
    return tma_plan_make(&plan, c->map.bytes, &c->instruction, &c->target, NULL) != TMA_OK ||
           tma_plan_report(&report, &plan, &c->at, NULL) != TMA_OK ||
           tma_judge_tx_B(c->map.bytes, &site, &at) == report.tx_B;
}

static void random_copies(void **state) {
    (void)state;
    static char line[GEN_COPY_LINE_BYTES];
    struct random_source r = {977};
    char text[TEXT_BYTES];
    unsigned long by_status[16] = {0};
    unsigned long by_rule[TMA_RULE_LIMIT] = {0};
    unsigned long passed = 0;
    unsigned long quick = 0;
    unsigned long boxes = 0;
    unsigned rules = 0;
    const unsigned long count = spec_count();
    for (unsigned long i = 0; i < count; i++) {
        struct gen_copy c;
        tma_finding why = {0};
        gen_copy(&r, GEN_ANY, &c);
        spoil(&r, &c);
        if (!judged_alike(c.map.bytes, &c.instruction, &c.target, &c.at, text, sizeof(text))) {
            fail_msg("%s: %s", text, gen_copy_line(&c, line));
        }
        const tma_status status =
            judged_by_plan(c.map.bytes, &c.instruction, &c.target, &c.at, &why);
        by_status[status]++;
        by_rule[status ? why.rule : 0]++;
        if (!quick_is_right(&r, &c, &quick, &boxes)) {
            fail_msg("a quick yes that is none: %s", gen_copy_line(&c, line));
        }
        if (!tx_is_right(&c)) {
            fail_msg("another count of bytes: %s", gen_copy_line(&c, line));
        }
        if (!pass_is_right(&r, &c, &passed)) {
            fail_msg("a pass lets through what does not run: %s", gen_copy_line(&c, line));
        }
    }
    for (uint32_t i = 1; i < TMA_RULE_LIMIT; i++) {
        rules += by_rule[i] != 0;
    }
    print_message("%lu copies: %lu run, %lu trap, %lu no fact says, by %u rules; %lu let through; "
                  "%lu quick, %lu boxes\n",
                  count, by_status[TMA_OK], by_status[TMA_TRAP], by_status[TMA_UNKNOWN], rules,
                  passed, quick, boxes);
    assert_true(quick > count / 100);
    assert_true(boxes > count / 1000);
    assert_true(by_status[TMA_OK] > count / 8);
    assert_true(by_status[TMA_TRAP] > count / 8);
    assert_true(passed > count / 16);
    assert_true(rules > 25);
}

/* The cases of every rule, inside and outside of its limit. */
static void cases_of_the_rules(void **state) {
    (void)state;
    unsigned asked = 0;
    for (size_t i = 0; i < plan_case_count; i++) {
        for (int outside = 0; outside < 2; outside++) {
            const struct plan_case *c = &plan_cases[i];
            struct plan_ask ask = plan_base_make(c->base);
            tma_map map;
            char text[TEXT_BYTES];
            plan_edit_make(c->setup, &ask);
            plan_edit_make(outside ? c->outside : c->inside, &ask);
            if (ask.target.readings || ask.in.overrides) {
                continue; /* judge.h reads what is disputed as the documents do, and no .override */
            }
            if (ask.in.op >= TMA_OPS || plan_ask_map(&ask, &map) != TMA_OK) {
                continue;
            }
            asked++;
            if (!judged_alike(map.bytes, &ask.in, &ask.target, &ask.at, text, sizeof(text))) {
                fail_msg("plan_cases.def:%d: %s", c->line, text);
            }
        }
    }
    assert_true(asked > plan_case_count);
}

/* The last byte of the window, and one more. */
static void the_end_of_the_window(void **state) {
    (void)state;
    const struct plan_ask ask = plan_base_make(PLAN_TILE);
    const tma_judge_site site = judged_site(&ask.in, &ask.target);
    tma_position where = ask.at;
    tma_map map;
    tma_judge_fault fault;
    assert_int_equal(plan_ask_map(&ask, &map), TMA_OK);
    where.shared_address = 0x400; /* 4 rows of 8 float16: 64 bytes */
    tma_judge_at at = judged_at(&where, 0x440);
    assert_int_equal(tma_judge_copy(&fault, map.bytes, &site, &at), TMA_OK);
    assert_true(TMA_PASSES(fault.pass, 0, 0x400));
    assert_false(TMA_PASSES(fault.pass, 0, 0x480));
    assert_false(TMA_PASSES(fault.pass, 4, 0x400));
    assert_false(TMA_PASSES(fault.pass, 0, 0x410));
    assert_false(TMA_PASSES(0u, 0, 0x400));
    assert_true(TMA_PASSES(fault.pass, 0, 0x01000400)); /* the same, in a cluster's second CTA */
    assert_false(TMA_PASSES(fault.pass, 0, 0x01000480));
    at.window_end = 0x43F;
    assert_int_equal(tma_judge_copy(&fault, map.bytes, &site, &at), TMA_MEMORY);
    assert_int_equal(fault.rule, TMA_RULE_MEMORY_SHARED);
    assert_int_equal(fault.value, 0x43F);
    assert_int_equal(fault.limit, 0x43F);
    assert_int_equal(fault.pass, 0);
    at.window_end = 0x440;
    at.shared_address |= 3u << 24; /* of another CTA */
    assert_int_equal(tma_judge_copy(&fault, map.bytes, &site, &at), TMA_OK);
}

/* Of a cluster of 4 CTAs: CTA 3, and 4 beside it. */
static void the_mask_of_a_multicast(void **state) {
    (void)state;
    struct plan_ask ask = plan_base_make(PLAN_TILE);
    tma_map map;
    tma_judge_fault fault = {0};
    ask.in.cluster = 1;
    ask.in.cta_mask = 0x38;
    assert_int_equal(plan_ask_map(&ask, &map), TMA_OK);
    const tma_judge_site site = judged_site(&ask.in, &ask.target);
    tma_judge_at at = judged_at(&ask.at, 0);
    at.cta_mask = 0x38;
    assert_int_equal(tma_judge_copy(&fault, map.bytes, &site, &at), TMA_OK); /* not known */
    at.ctas = 4;
    assert_int_equal(tma_judge_copy(&fault, map.bytes, &site, &at), TMA_TRAP);
    assert_int_equal(fault.rule, TMA_RULE_MULTICAST_CLUSTER);
    assert_int_equal(fault.given, 0x38);
    assert_int_equal(fault.value, 4);
    assert_int_equal(fault.limit, 4);
    at.cta_mask = 0x8;
    assert_int_equal(tma_judge_copy(&fault, map.bytes, &site, &at), TMA_OK);
}

static void passes_in_few_instructions(void **state) {
    (void)state;
    static char line[GEN_COPY_LINE_BYTES];
    struct random_source r = {978};
    unsigned long whole = 0;
    const unsigned long count = spec_count();
    for (unsigned long i = 0; i < count; i++) {
        struct gen_copy c;
        gen_copy(&r, GEN_ANY, &c);
        spoil(&r, &c);
        if (!whole_is_right(&r, &c, &whole)) {
            fail_msg("another pass in few instructions: %s", gen_copy_line(&c, line));
        }
    }
    print_message("%lu copies, %lu with a pass\n", count, whole);
    assert_true(whole > count / 8);
}

static void visited_without_division(void **state) {
    (void)state;
    for (uint32_t box_el = 1; box_el <= TMA_VALUE(BOX); box_el++) {
        for (uint32_t step = 1; step <= TMA_VALUE(STEP); step++) {
            assert_int_equal(tma_quick_visited(box_el, step), tma_visited(box_el, step));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_in_few_instructions),
        cmocka_unit_test(visited_without_division),
        cmocka_unit_test(random_copies),
        cmocka_unit_test(cases_of_the_rules),
        cmocka_unit_test(the_end_of_the_window),
        cmocka_unit_test(the_mask_of_a_multicast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
