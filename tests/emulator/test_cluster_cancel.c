/* SPDX-License-Identifier: Apache-2.0
 *
 * clusterlaunchcontrol: each tile is computed once, by the CTA that it was launched as or by one
 * that cancelled that; which forms are executed; what is undefined.
 */
#include "emulator/harness.h"

#define ACROSS 3u /* CTAs, 12 in all */
#define DOWN   2u
#define DEEP   2u
#define TILES  (ACROSS * DOWN * DEEP)
#define TRY    "clusterlaunchcontrol.try_cancel.async"
#define QUERY  "clusterlaunchcontrol.query_cancel."
#define TELLS  ".mbarrier::complete_tx::bytes"

#define BEGIN                                                                                      \
    ".visible .entry k(.param .u64 out, .param .u64 counts)\n{\n"                                  \
    ".reg .b32 %r<16>;\n.reg .b64 %q<8>;\n.reg .b128 %h;\n.reg .pred %p<8>;\n"                     \
    ".shared .align 16 .b8 answer[32];\n.shared .align 8 .b64 bar;\n"                              \
    "ld.param.u64 %q0, [out];\nld.param.u64 %q1, [counts];\nmov.u32 %r0, %tid.x;\n"                \
    "mov.u32 %r8, answer;\nmov.u32 %r9, bar;\n"                                                    \
    "cvt.u64.u32 %q4, %r8;\ncvta.shared.u64 %q5, %q4;\ncvt.u64.u32 %q4, %r9;\n"                    \
    "cvta.shared.u64 %q6, %q4;\nsetp.eq.u32 %p0, %r0, 0;\n"                                        \
    "@%p0 mbarrier.init.shared::cta.b64 [bar], 1;\n"                                               \
    "@%p0 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
#define EXPECT "@%p0 mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, [bar], 16;\n"
#define WAIT                                                                                       \
    "W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [bar], %r4;\n"               \
    "@!%p1 bra W;\n"
#define READ "ld.shared.b128 %h, [answer];\n"

/* Counts its launch, then tile after tile: one more in out[tile], one more cancelled. */
static const char STEALS[] = BEGIN
    "@%p0 red.global.add.u32 [%q1], 1;\n"
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ctaid.y;\nmov.u32 %r3, %ctaid.z;\nmov.u32 %r4, 0;\n"
    "mov.u32 %r5, %nctaid.x;\nmov.u32 %r6, %nctaid.y;\n"
    "NEXT:\n" EXPECT "@%p0 " TRY ".shared::cta" TELLS ".b128 [answer], [bar];\n"
    "mad.lo.u32 %r7, %r3, %r6, %r2;\nmad.lo.u32 %r7, %r7, %r5, %r1;\n"
    "mul.wide.u32 %q2, %r7, 4;\nadd.u64 %q2, %q0, %q2;\n"
    "@%p0 red.global.add.u32 [%q2], 1;\n" WAIT "xor.b32 %r4, %r4, 1;\n" READ QUERY
    "is_canceled.pred.b128 %p2, %h;\n@!%p2 bra DONE;\n" QUERY
    "get_first_ctaid.v4.b32.b128 {%r1, _, %r3, _}, %h;\n" QUERY
    "get_first_ctaid::y.b32.b128 %r2, %h;\n@%p0 red.global.add.u32 [%q1+4], 1;\n"
    "fence.proxy.async.shared::cta;\nbar.sync 0;\nbra NEXT;\nDONE:\nret;\n}\n";

/* The document's example: one CTA of the cluster asks, all get the answer. */
static const char STEALS_TOGETHER[] = BEGIN
    "@%p0 red.global.add.u32 [%q1], 1;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %cluster_ctarank;\n"
    "mov.u32 %r4, 0;\nsetp.eq.and.u32 %p3, %r2, 0, %p0;\n"
    "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
    "NEXT:\n" EXPECT "@%p3 " TRY TELLS ".multicast::cluster::all.b128 [%q5], [%q6];\n"
    "mul.wide.u32 %q2, %r1, 4;\nadd.u64 %q2, %q0, %q2;\n"
    "@%p0 red.global.add.u32 [%q2], 1;\n" WAIT "xor.b32 %r4, %r4, 1;\n" READ QUERY
    "is_canceled.pred.b128 %p2, %h;\n@!%p2 bra DONE;\n" QUERY
    "get_first_ctaid::x.b32.b128 %r1, %h;\nadd.u32 %r1, %r1, %r2;\n"
    "@%p0 red.global.add.u32 [%q1+4], 1;\n"
    "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;\n"
    "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
    "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;\n"
    "bra NEXT;\nDONE:\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nret;\n}\n";

typedef struct counts {
    uint32_t launched, cancelled;
} counts;

static counts run_tiles(harness *h, uint32_t schedule, uint64_t seed, uint32_t resident) {
    uint32_t *out = h->memory[0].bytes, *count = h->memory[1].bytes;
    memset(out, 0, 4096);
    memset(count, 0, 4096);
    h->launch.schedule = schedule;
    h->launch.seed = seed;
    h->launch.resident = resident;
    assert_int_equal(harness_run(h), TMA_EMULATE_COMPLETED);
    harness_none(h);
    for (uint32_t tile = 0; tile < TILES; tile++) {
        assert_int_equal(little_endian(out[tile]), 1);
    }
    const counts c = {little_endian(count[0]), little_endian(count[1])};
    assert_int_equal(c.launched + c.cancelled, TILES);
    return c;
}

static void begin_tiles(harness *h, const char *ptx) {
    harness_begin(h, ptx);
    harness_memory(h, 4096);
    harness_memory(h, 4096);
    harness_block(h, ACROSS, 64);
}

/* How many of so many seeds launch how many CTAs: a bit each. */
static uint32_t seeded(harness *h) {
    uint32_t seen = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        seen |= UINT32_C(1) << run_tiles(h, TMA_EMULATE_SEEDED, seed, seed % 5).launched;
    }
    return seen;
}

static void each_tile_is_computed_once(void **state) {
    (void)state;
    harness h;
    begin_tiles(&h, STEALS);
    h.launch.grid[1] = DOWN;
    h.launch.grid[2] = DEEP;
    assert_int_equal(run_tiles(&h, TMA_EMULATE_LATE, 0, 0).launched, 1);
    assert_int_equal(run_tiles(&h, TMA_EMULATE_EARLY, 0, 0).launched, TILES);
    const counts few = run_tiles(&h, TMA_EMULATE_EARLY, 0, 3);
    assert_true(few.launched >= 3 && few.cancelled);
    assert_true(__builtin_popcount(seeded(&h)) >= 3);
    harness_end(&h);
}

static void a_cluster_shares_the_answer(void **state) {
    (void)state;
    harness h;
    begin_tiles(&h, STEALS_TOGETHER);
    h.launch.grid[0] = TILES;
    h.launch.cluster[0] = 2;
    assert_int_equal(run_tiles(&h, TMA_EMULATE_LATE, 0, 0).launched, 2);
    assert_int_equal(run_tiles(&h, TMA_EMULATE_EARLY, 0, 0).launched, TILES);
    assert_true(run_tiles(&h, TMA_EMULATE_EARLY, 0, 4).cancelled >= 2);
    assert_true(__builtin_popcount(seeded(&h)) >= 3);
    harness_end(&h);
}

/* ---- forms, and what is undefined ---- */

typedef struct form {
    const char *body;
    uint32_t end, rule; /* TMA_EMULATE_RULES: no finding */
} form;

#define ASK   "@%p0 " TRY ".shared::cta" TELLS ".b128 [answer], [bar];\n"
#define ASKED "mov.u32 %r4, 0;\n" EXPECT ASK WAIT READ
#define KEEP                                                                                       \
    "mov.u32 %r7, %ctaid.x;\nsetp.eq.u32 %p5, %r7, 0;\nmul.wide.u32 %q3, %r0, 4;\n"                \
    "add.u64 %q3, %q3, %q0;\n@%p5 st.global.u32 [%q3], %r1;\n"

static void run_form(const form *f, uint32_t grid) {
    static char text[4096];
    harness h;
    (void)snprintf(text, sizeof(text), "%s%sret;\n}\n", BEGIN, f->body);
    harness_begin(&h, text);
    harness_memory(&h, 4096);
    harness_memory(&h, 4096);
    harness_block(&h, grid, 32);
    h.launch.cluster[0] = 2;
    const uint32_t end = harness_run(&h);
    if (end != f->end || (f->rule == TMA_EMULATE_RULES && harness_findings(&h, f->rule)) ||
        (f->rule != TMA_EMULATE_RULES && !harness_findings(&h, f->rule))) {
        print_error("%s%s\n", f->body, harness_why(&h));
        harness_none(&h);
    }
    assert_int_equal(end, f->end);
    assert_int_equal(harness_findings(&h, f->rule) > 0, f->rule != TMA_EMULATE_RULES);
    harness_end(&h);
}

static void forms(void **state) {
    (void)state;
    static const form FORMS[] = {
        {ASKED QUERY "get_first_ctaid::z.b32.b128 %r1, %h;\n" KEEP, TMA_EMULATE_COMPLETED,
         TMA_EMULATE_RULES},
        {ASKED QUERY "get_first_ctaid.v4.b32.b128 {_, _, %r1, %r2}, %h;\n" KEEP,
         TMA_EMULATE_COMPLETED, TMA_EMULATE_RULES},
        {ASKED QUERY "get_first_ctaid.v4.b32.b128 {%r3, _, _, %r1}, %h;\n" KEEP,
         TMA_EMULATE_COMPLETED, TMA_EMULATE_RULE_UNINITIALISED},
        {ASKED QUERY "get_first_ctaid.b32.b128 %r1, %h;\n", TMA_EMULATE_NOT_EXECUTED,
         TMA_EMULATE_RULES},
        {ASKED QUERY "get_first_ctaid::x.b32.b128 %q2, %h;\n", TMA_EMULATE_NOT_EXECUTED,
         TMA_EMULATE_RULES},
        {ASKED QUERY "is_canceled.pred.b128 %r1, %h;\n", TMA_EMULATE_NOT_EXECUTED,
         TMA_EMULATE_RULES},
        {ASKED QUERY "is_canceled.pred.b128 %p2, %q1;\n", TMA_EMULATE_NOT_EXECUTED,
         TMA_EMULATE_RULES},
        {"@%p0 " TRY ".shared::cluster" TELLS ".b128 [answer], [bar];\n", TMA_EMULATE_NOT_EXECUTED,
         TMA_EMULATE_RULES},
        {TRY ".shared::cta" TELLS ".b64 [answer], [bar];\n", TMA_EMULATE_NOT_EXECUTED,
         TMA_EMULATE_RULES},
        {"@%p0 " TRY ".shared::cta" TELLS ".b128 [answer+8], [bar];\n", TMA_EMULATE_TRAP,
         TMA_EMULATE_RULE_MISALIGNED},
        {"@%p0 " TRY TELLS ".b128 [%q0], [%q6];\n", TMA_EMULATE_TRAP, TMA_EMULATE_RULE_TRAP},
        /* another CTA's barrier */
        {"mov.u64 %q2, 0x1000000;\nadd.u64 %q2, %q2, %q6;\n@%p0 " TRY TELLS ".b128 [%q5], [%q2];\n",
         TMA_EMULATE_TRAP, TMA_EMULATE_RULE_BARRIER_INIT},
        {"mov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %p2, %r1, 1;\n@%p2 exit;\nS: ld.volatile.global.u32 "
         "%r2, [%q0];\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, 5000;\n@%p2 bra S;\n" EXPECT
         "@%p0 " TRY TELLS ".multicast::cluster::all.b128 [%q5], [%q6];\n",
         TMA_EMULATE_TRAP, TMA_EMULATE_RULE_EXIT_EARLY},
    };
    for (size_t i = 0; i < COUNT_OF(FORMS); i++) {
        run_form(&FORMS[i], 4);
    }
}

/* The id of none is undefined, and so is a request by who has seen that there is none. */
static void none_is_left(void **state) {
    (void)state;
    static const form FORMS[] = {
        {ASKED QUERY "get_first_ctaid::x.b32.b128 %r1, %h;\n", TMA_EMULATE_COMPLETED,
         TMA_EMULATE_RULES},
        {ASKED QUERY "get_first_ctaid::x.b32.b128 %r1, %h;\n" KEEP, TMA_EMULATE_COMPLETED,
         TMA_EMULATE_RULE_UNINITIALISED},
        {ASKED QUERY "is_canceled.pred.b128 %p2, %h;\nbar.sync 0;\n" EXPECT ASK
                     "mov.u32 %r4, 1;\nV: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], "
                     "%r4;\n@!%p1 bra V;\n",
         TMA_EMULATE_COMPLETED, TMA_EMULATE_RULE_CANCEL_AGAIN},
        /* two requests, and only then a look at their answers: defined */
        {"mov.u32 %r4, 0;\n@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 32;\n" ASK
         "@%p0 " TRY ".shared::cta" TELLS ".b128 [answer+16], [bar];\n" WAIT READ QUERY
         "is_canceled.pred.b128 %p2, %h;\nld.shared.b128 %h, [answer+16];\n" QUERY
         "is_canceled.pred.b128 %p3, %h;\n",
         TMA_EMULATE_COMPLETED, TMA_EMULATE_RULES},
    };
    for (size_t i = 0; i < COUNT_OF(FORMS); i++) {
        run_form(&FORMS[i], 2);
    }
}

/* Of several warps: the thread that asks again, and the first one that has seen the answer. */
static void both_threads_are_named(void **state) {
    (void)state;
    static char text[4096];
    harness h;
    (void)snprintf(text, sizeof(text), "%s%s%s",
                   BEGIN "mov.u32 %r4, 0;\n" EXPECT ASK WAIT READ
                         "setp.ge.u32 %p3, %r0, 37;\nsetp.eq.u32 %p4, %r0, 70;\n@%p3 ",
                   QUERY "is_canceled.pred.b128 %p2, %h;\nbar.sync 0;\n"
                         "@%p4 mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, [bar], "
                         "16;\n@%p4 ",
                   TRY
                   ".shared::cta" TELLS ".b128 [answer], [bar];\nmov.u32 %r4, 1;\n"
                   "V: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], %r4;\n@!%p1 bra V;\n"
                   "ret;\n}\n");
    harness_begin(&h, text);
    harness_memory(&h, 4096);
    harness_memory(&h, 4096);
    harness_block(&h, 1, 128);
    assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
    const tma_emulate_finding *f = harness_finding(&h, TMA_EMULATE_RULE_CANCEL_AGAIN);
    assert_non_null(f);
    assert_int_equal(f->certain, 1);
    assert_int_equal(f->accesses, 2);
    assert_int_equal(f->access[0].thread, 70);
    assert_int_equal(f->access[1].thread, 37);
    assert_string_equal(f->access[0].what, "request");
    assert_string_equal(f->access[1].what, "look at the answer");
    harness_end(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_tile_is_computed_once),
        cmocka_unit_test(a_cluster_shares_the_answer),
        cmocka_unit_test(forms),
        cmocka_unit_test(none_is_left),
        cmocka_unit_test(both_threads_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
