/* SPDX-License-Identifier: Apache-2.0
 *
 * bar, barrier, barrier.cluster, bar.warp.sync: what they make wait, whom they order, what is said
 * when they cannot.
 */
#include "emulator/harness.h"

#define HEAD                                                                                       \
    ".visible .entry k(.param .u64 p)\n{\n"                                                        \
    ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n"                                      \
    ".shared .align 16 .b8 s[1024];\n"                                                             \
    "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd1, %rd1;\n"                                     \
    "mov.u32 %r1, %tid.x; mov.u32 %r2, s; shl.b32 %r3, %r1, 2;\n"                                  \
    "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2; add.u32 %r4, %r2, %r3;\n"                \
    "shr.u32 %r5, %r1, 5;\n" /* warp */

/* Writes its number, meets, reads that of the thread at the other end of 64. */
#define WRITES HEAD "st.shared.u32 [%r4], %r1;\n"
#define READS                                                                                      \
    "sub.u32 %r6, 252, %r3; add.u32 %r6, %r2, %r6;\n"                                              \
    "ld.shared.u32 %r7, [%r6]; st.global.u32 [%rd1], %r7; ret;\n}\n"

static uint32_t *begin(harness *h, const char *ptx, uint32_t threads) {
    harness_begin(h, ptx);
    uint32_t *out = harness_memory(h, 1024);
    harness_block(h, 1, threads);
    return out;
}

static void sync_orders(void **state) {
    static const char *const meets[] = {
        "bar.sync 0;\n",
        "bar.cta.sync 3, 64;\n",
        "barrier.sync 0;\n",
        "barrier.cta.sync.aligned 15, 64;\n",
        "bar.red.popc.u32 %r9, 0, 1;\n",
        "barrier.cluster.arrive; barrier.cluster.wait;\n",
        "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n",
        /* halves of a warp at two barrier.sync of one barrier */
        "setp.lt.u32 %p1, %r1, 16; @%p1 bra L; barrier.sync 1; bra M; L: barrier.sync 1; M:\n",
        /* each warp arrives for the other and waits for it */
        ("setp.eq.u32 %p1, %r5, 0; @%p1 bra L; bar.arrive 1, 64; bar.sync 2, 64; bra M;\n"
         "L: bar.arrive 2, 64; bar.sync 1, 64; M:\n"),
        /* each warp counts twice */
        "bar.arrive 1, 128; bar.sync 1, 128;\n",
        "barrier.arrive 1, 128; barrier.sync 1, 128;\n",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(meets); i++) {
        char ptx[4096];
        harness h;
        snprintf(ptx, sizeof(ptx), "%s%s%s", WRITES, meets[i], READS);
        const uint32_t *out = begin(&h, ptx, 64);
        harness_completes(&h);
        for (uint32_t t = 0; t < 64; t++) {
            assert_int_equal(out[t], 63 - t);
        }
        harness_end(&h);
    }
}

static void what_does_not_order(void **state) {
    static const char *const meets[] = {
        "\n",
        "bar.warp.sync -1;\n",
        "barrier.cluster.arrive.relaxed; barrier.cluster.wait;\n",
        "bar.arrive 1, 128;\n",
        /* each warp completes a barrier by itself: it arrives, then waits */
        "add.u32 %r9, %r5, 1; bar.arrive %r9, 64; bar.sync %r9, 64;\n",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(meets); i++) {
        char ptx[4096];
        harness h;
        snprintf(ptx, sizeof(ptx), "%s%s%s", WRITES, meets[i], READS);
        begin(&h, ptx, 64);
        assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
        assert_int_equal(harness_findings(&h, TMA_EMULATE_RULE_DATA_RACE), 1);
        harness_end(&h);
    }
}

/* Within a warp bar.warp.sync is enough. */
static void warp_sync_orders(void **state) {
    (void)state;
    harness h;
    const uint32_t *out =
        begin(&h,
              HEAD "st.shared.u32 [%r4], %r1; bar.warp.sync 0xffffffff; xor.b32 %r6, %r4, 4;\n"
                   "ld.shared.u32 %r7, [%r6]; st.global.u32 [%rd1], %r7; ret;\n}\n",
              32);
    harness_completes(&h);
    for (uint32_t t = 0; t < 32; t++) {
        assert_int_equal(out[t], t ^ 1);
    }
    harness_end(&h);
}

/* Of 96 threads 40 have an odd or large number. */
static void reductions(void **state) {
    (void)state;
    harness h;
    const uint32_t *out =
        begin(&h,
              HEAD "setp.lt.u32 %p1, %r1, 40; setp.lt.u32 %p2, %r1, 96; setp.gt.u32 %p3, %r1, 96;\n"
                   "bar.red.popc.u32 %r6, 0, %p1; bar.red.popc.u32 %r7, 0, 96, !%p1;\n"
                   "bar.red.and.pred %p4, 0, %p1; bar.red.and.pred %p5, 0, %p2;\n"
                   "bar.red.or.pred %p6, 0, %p1; barrier.red.or.pred %p7, 0, 96, %p3;\n"
                   "barrier.red.and.pred %p8, 1, !%p3;\n"
                   "shl.b32 %r7, %r7, 8; or.b32 %r6, %r6, %r7;\n"
                   "@%p4 or.b32 %r6, %r6, 0x10000; @%p5 or.b32 %r6, %r6, 0x20000;\n"
                   "@%p6 or.b32 %r6, %r6, 0x40000; @%p7 or.b32 %r6, %r6, 0x80000;\n"
                   "@%p8 or.b32 %r6, %r6, 0x100000;\n"
                   "st.global.u32 [%rd1], %r6; ret;\n}\n",
              96);
    harness_completes(&h);
    for (uint32_t t = 0; t < 96; t++) {
        assert_int_equal(out[t], 40 | 56 << 8 | 0x160000);
    }
    harness_end(&h);
}

/* Threads that exited are not waited for where no count is named. */
static void exits(void **state) {
    static const struct {
        const char *meets;
        uint32_t end;
    } cases[] = {
        {"bar.sync 0;\n", TMA_EMULATE_COMPLETED},
        {"barrier.sync 0;\n", TMA_EMULATE_COMPLETED},
        {"barrier.cluster.arrive; barrier.cluster.wait;\n", TMA_EMULATE_COMPLETED},
        {"bar.sync 0, 64;\n", TMA_EMULATE_DEADLOCK},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (uint32_t order = 0; order < 2; order++) { /* the exit first, or the barrier */
            char ptx[4096];
            harness h;
            snprintf(ptx, sizeof(ptx), "%ssetp.eq.u32 %%p1, %%r5, %u; @%%p1 exit;\n%s%s", HEAD,
                     (unsigned)order, cases[i].meets, "st.global.u32 [%rd1], 5; ret;\n}\n");
            const uint32_t *out = begin(&h, ptx, 64);
            assert_int_equal(harness_run_all(&h), cases[i].end);
            assert_int_equal(out[order ? 0 : 32], cases[i].end ? 0 : 5);
            assert_int_equal(out[order ? 32 : 0], 0);
            assert_int_equal(harness_findings(&h, TMA_EMULATE_RULE_DEADLOCK), cases[i].end != 0);
            harness_end(&h);
        }
    }
}

static void mistakes(void **state) {
    static const struct {
        const char *text;
        uint32_t end, rule;
    } cases[] = {
        {"setp.lt.u32 %p1, %r1, 7; @%p1 bra L; bar.sync 0; bra M; L: bar.sync 0; M: ret;\n",
         TMA_EMULATE_DEADLOCK, TMA_EMULATE_RULE_DIVERGENCE},
        {"bar.sync 16; ret;\n", TMA_EMULATE_TRAP, TMA_EMULATE_RULE_TRAP},
        {"bar.sync 1, 48; ret;\n", TMA_EMULATE_TRAP, TMA_EMULATE_RULE_TRAP},
        {"barrier.cluster.wait; ret;\n", TMA_EMULATE_COMPLETED, TMA_EMULATE_RULE_ARRIVE_MISSING},
        {"barrier.cluster.arrive; barrier.cluster.arrive; ret;\n", TMA_EMULATE_COMPLETED,
         TMA_EMULATE_RULE_ARRIVE_BEYOND},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char ptx[4096];
        harness h;
        snprintf(ptx, sizeof(ptx), "%s%s}\n", HEAD, cases[i].text);
        begin(&h, ptx, 64);
        const uint32_t end = harness_run(&h);
        if (end != cases[i].end || !harness_findings(&h, cases[i].rule)) {
            fail_msg("case %zu: %s: %s", i, tma_emulate_end_name(end), harness_why(&h));
        }
        harness_end(&h);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sync_orders),
        cmocka_unit_test(what_does_not_order),
        cmocka_unit_test(warp_sync_orders),
        cmocka_unit_test(reductions),
        cmocka_unit_test(exits),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
