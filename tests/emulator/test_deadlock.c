/* SPDX-License-Identifier: Apache-2.0
 *
 * What is said of a deadlock: what those who called would still tell, which copies bring bytes,
 * and the limits of the search.
 */
#include "emulator/harness.h"

#define HEAD                                                                                       \
    ".visible .entry k()\n{\n.reg .b64 %rd<4>; .reg .b32 %r<32>; .reg .pred %p<9>;\n"              \
    ".shared .align 8 .b64 bar[64]; .shared .align 16 .b8 tile[64];\n"                             \
    "mov.u32 %r1, %tid.x; mov.u32 %r2, bar; setp.eq.u32 %p1, %r1, 0; setp.ge.u32 %p3, %r1, 32;\n"
#define WAIT(label, at)                                                                            \
    label ": mbarrier.try_wait.parity.shared::cta.b64 %p2, [" at "], 0;\n@!%p2 bra " label ";\n"

static int has_note(const harness *h, const char *words) {
    const char *text;
    uint32_t line;
    for (size_t i = 0; (text = tma_emulator_note_at(h->emulator, i, &line)); i++) {
        if (strstr(text, words)) {
            return 1;
        }
    }
    return 0;
}

/* Its first activation tells [a], once the second one, which waits at a + 16 - 24, has returned. */
static void what_the_caller_of_itself_tells(void **state) {
    harness h;
    (void)state;
    harness_begin(
        &h,
        ".func f(.param .b32 a, .param .b32 again)\n{\n.reg .b32 %r<4>; .reg .pred %p<4>;\n"
        "ld.param.u32 %r1, [a]; ld.param.u32 %r2, [again]; setp.eq.u32 %p1, %r2, 0;\n"
        "@%p1 bra LAST;\n{ .param .b32 a; .param .b32 again; add.u32 %r3, %r1, 16;\n"
        "st.param.b32 [a], %r3; st.param.b32 [again], 0; call f, (a, again); }\n"
        "mbarrier.arrive.shared::cta.b64 _, [%r1]; ret;\nLAST:\n" WAIT(
            "W", "%r1+-24") "ret;\n}\n" HEAD "@%p1 mbarrier.init.shared::cta.b64 [%r2], 2;\n"
                            "@%p1 mbarrier.init.shared::cta.b64 [%r2+8], 1; bar.sync 0; @%p3 bra "
                            "OTHER;\n"
                            "@%p1 mbarrier.arrive.shared::cta.b64 _, [%r2];\n"
                            "{ .param .b32 a; .param .b32 again; add.u32 %r3, %r2, 8; st.param.b32 "
                            "[a], %r3;\n"
                            "st.param.b32 [again], 1; call f, (a, again); }\nret;\nOTHER:\n" WAIT(
                                "V", "%r2+8") "ret;\n}\n");
    harness_block(&h, 1, 64);
    assert_int_equal(harness_run_all(&h), TMA_EMULATE_DEADLOCK);
    const tma_emulate_finding *f = harness_finding(&h, TMA_EMULATE_RULE_ARRIVE_MISSING);
    assert_non_null(f);
    assert_int_equal(harness_findings(&h, TMA_EMULATE_RULES), 1);
    assert_int_equal(f->waits, 2);
    harness_end(&h);
}

/* Copies that would bring bytes are said; a store brings none. */
static void which_copies_bring_bytes(void **state) {
    harness h;
    (void)state;
    harness_begin(&h, HEAD
                  "@%p1 mbarrier.init.shared::cta.b64 [%r2], 1; bar.sync 0;\n"
                  "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 16;\n" WAIT(
                      "W", "%r2") "mov.u32 %r3, tile; mov.u64 %rd1, 0;\n"
                                  "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 16;\n"
                                  "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
                                  "[%r3], [%rd1], 16, [%r2];\n"
                                  "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 "
                                  "[%r3], %r1, [%r2];\nret;\n}\n");
    harness_block(&h, 1, 32);
    assert_int_equal(harness_run_all(&h), TMA_EMULATE_DEADLOCK);
    const tma_emulate_finding *f = harness_finding(&h, TMA_EMULATE_RULE_EXPECT_MISSING);
    assert_non_null(f);
    if (!strstr(f->missing, "copies that were not executed: line 15, 16")) {
        fail_msg("%s", f->missing);
    }
    harness_end(&h);
}

/* Two warpgroups wait for registers of one pool, which the third does not give back. */
static void two_groups_of_one_pool(void **state) {
    harness h;
    (void)state;
    harness_begin(&h,
                  ".visible .entry k()\n.maxntid 384, 1, 1\n.minnctapersm 1\n{\n.reg .b32 %r<4>; "
                  ".reg .pred %p<4>;\nmov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 128;\n"
                  "setp.lt.u32 %p2, %r1, 256; @%p1 bra NONE; @%p2 bra FIRST;\n"
                  "setmaxnreg.inc.sync.aligned.u32 232; bra NONE;\n"
                  "FIRST: setmaxnreg.inc.sync.aligned.u32 232;\nNONE: bar.sync 0;\nret;\n}\n");
    harness_block(&h, 1, 384);
    assert_int_equal(harness_run_all(&h), TMA_EMULATE_DEADLOCK);
    const tma_emulate_finding *f = harness_finding(&h, TMA_EMULATE_RULE_DEADLOCK);
    assert_non_null(f);
    assert_int_equal(harness_findings(&h, TMA_EMULATE_RULES), 1);
    assert_int_equal(f->certain, 1);
    assert_int_equal(f->waits, 3);
    harness_end(&h);
}

/* Each warp of a cluster of four waits at an mbarrier of its own: 128 groups of threads. */
static void more_groups_than_are_asked(void **state) {
    (void)state;
    for (uint32_t warps = 24; warps <= 32; warps += 8) {
        harness h;
        harness_begin(&h, HEAD "shr.u32 %r4, %r1, 5; mad.lo.u32 %r4, %r4, 8, %r2;\n"
                               "and.b32 %r5, %r1, 31; setp.eq.u32 %p4, %r5, 0;\n"
                               "@%p4 mbarrier.init.shared::cta.b64 [%r4], 2; bar.sync 0;\n"
                               "@%p4 mbarrier.arrive.shared::cta.b64 _, [%r4];\n" WAIT(
                                   "W", "%r4") "ret;\n}\n");
        harness_block(&h, 4, warps * 32);
        h.launch.cluster[0] = 4;
        h.launch.cluster[1] = h.launch.cluster[2] = 1;
        assert_int_equal(harness_run(&h), TMA_EMULATE_DEADLOCK);
        assert_int_equal(
            has_note(&h, "a cluster has 128 groups of threads that wait, more than 96"),
            warps == 32);
        assert_int_equal(has_note(&h, "at the deadlock"), warps == 32);
        harness_end(&h);
    }
}

#define ARRIVALS 10000u

static void put(char **to, const char *text) {
    const size_t size = strlen(text);
    memcpy(*to, text, size + 1);
    *to += size;
}

/* 16 warps lack an arrival, 16 wait for others, and each has all the arrivals before it. */
static void more_arrivals_than_are_looked_at(void **state) {
    static char ptx[1 << 20];
    char *to = ptx;
    (void)state;
    put(&to, HEAD "shr.u32 %r4, %r1, 5; mad.lo.u32 %r6, %r4, 8, %r2; add.u32 %r7, %r2, 256;\n"
                  "and.b32 %r5, %r1, 31; setp.ne.u32 %p4, %r5, 0; setp.ge.u32 %p5, %r4, 16;\n"
                  "@!%p4 mbarrier.init.shared::cta.b64 [%r6], 2; bar.sync 0; @%p4 exit;\n"
                  "@!%p5 mbarrier.arrive.shared::cta.b64 _, [%r6];\n" WAIT("W", "%r6"));
    for (uint32_t i = 0; i < ARRIVALS; i++) {
        put(&to, "mbarrier.arrive.shared::cta.b64 _, [%r7];\n");
    }
    put(&to, "ret;\n}\n");
    for (uint32_t ctas = 2; ctas <= 60; ctas += 58) {
        harness h;
        harness_begin(&h, ptx);
        harness_block(&h, ctas, 1024);
        h.launch.no_order = 1;
        assert_int_equal(harness_run(&h), TMA_EMULATE_DEADLOCK);
        assert_int_equal(has_note(&h, "was not asked to its end"), ctas == 60);
        harness_end(&h);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_caller_of_itself_tells),
        cmocka_unit_test(which_copies_bring_bytes),
        cmocka_unit_test(two_groups_of_one_pool),
        cmocka_unit_test(more_groups_than_are_asked),
        cmocka_unit_test(more_arrivals_than_are_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
