/* SPDX-License-Identifier: Apache-2.0
 *
 * mbarrier: each form of each operation against tma/barrier.h, phases and whom they order, what
 * kills the kernel.
 */
#include "emulator/harness.h"
#include "tma/barrier.h"

#define HEAD                                                                                       \
    ".visible .entry k(.param .u64 p)\n{\n"                                                        \
    ".reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<30>;\n"                                     \
    ".shared .align 16 .b8 s[1024]; .shared .align 8 .b64 bar[4];\n"                               \
    "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd1, %rd1;\n"                                     \
    "mov.u32 %r1, %tid.x; mov.u32 %r2, s; mov.u32 %r3, bar; shl.b32 %r4, %r1, 2;\n"                \
    "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; add.u32 %r5, %r2, %r4;\n"                \
    "setp.eq.u32 %p1, %r1, 0;\n"

static void begin(harness *h, const char *text, uint32_t threads) {
    char ptx[8192];
    snprintf(ptx, sizeof(ptx), "%s%s}\n", HEAD, text);
    harness_begin(h, ptx);
    harness_memory(h, 4096);
    harness_block(h, 1, threads);
}

/* One thread's operations on one barrier of count 5, and what the core's word is after them. */
typedef struct step {
    const char *text; /* of the operation; its state goes to %rd10 */
    tma_barrier_operation operation;
    uint32_t count, bytes_B;
} step;

static const step steps[] = {
    {"mbarrier.arrive.shared.b64 %rd10, [%r3];\n", TMA_BARRIER_ARRIVE, 1, 0},
    {"mbarrier.arrive.b64 %rd10, [%rd6];\n", TMA_BARRIER_ARRIVE, 1, 0},
    {"mbarrier.arrive.release.cta.shared::cta.b64 %rd10, [%r3], 2;\n", TMA_BARRIER_ARRIVE, 2, 0},
    {"mbarrier.arrive.relaxed.cluster.shared::cta.b64 %rd10, [%r3], %r11;\n", TMA_BARRIER_ARRIVE, 3,
     0},
    {"mbarrier.arrive.noComplete.shared::cta.b64 %rd10, [%r3], 2;\n",
     TMA_BARRIER_ARRIVE_NO_COMPLETE, 2, 0},
    {"mbarrier.arrive.expect_tx.shared::cta.b64 %rd10, [%r3], 6000;\n", TMA_BARRIER_ARRIVE_EXPECT,
     1, 6000},
    {"mbarrier.arrive_drop.shared::cta.b64 %rd10, [%r3];\n", TMA_BARRIER_ARRIVE_DROP, 1, 0},
    {"mbarrier.arrive_drop.noComplete.shared::cta.b64 %rd10, [%r3], 2;\n",
     TMA_BARRIER_ARRIVE_DROP_NO_COMPLETE, 2, 0},
    {"mbarrier.arrive_drop.expect_tx.shared::cta.b64 %rd10, [%r3], 4096;\n",
     TMA_BARRIER_ARRIVE_DROP_EXPECT, 1, 4096},
    {"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r3], 8192;\n", TMA_BARRIER_EXPECT, 0, 8192},
    {"mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r3], 4096;\n",
     TMA_BARRIER_COMPLETE, 0, 4096},
    {"mbarrier.arrive.shared::cluster.b64 _, [%r3], 2;\n", TMA_BARRIER_ARRIVE, 2, 0},
    {"mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r3], 32;\n",
     TMA_BARRIER_ARRIVE_EXPECT, 1, 32},
};

/* Each operation, then an arrival whose state shows what it did. */
static void operations(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        char text[2048];
        harness h;
        tma_barrier b;
        snprintf(text, sizeof(text),
                 "cvt.u64.u32 %%rd5, %%r3; cvta.shared.u64 %%rd6, %%rd5; mov.u32 %%r11, 3;\n"
                 "mov.u64 %%rd10, 0; mbarrier.init.shared.b64 [%%r3], 5;\n%s"
                 "mbarrier.arrive.shared.b64 %%rd12, [%%r3]; mbarrier.pending_count.b64 %%r12, "
                 "%%rd12;\n"
                 "st.global.u64 [%%rd1], %%rd10; st.global.u64 [%%rd1+8], %%rd12;\n"
                 "st.global.u32 [%%rd1+16], %%r12; mbarrier.inval.shared.b64 [%%r3]; ret;\n",
                 steps[i].text);
        begin(&h, text, 1);
        harness_completes(&h);
        assert_true(tma_barrier_init(&b, 5));
        const uint64_t before = tma_barrier_word(&b);
        assert_int_equal(
            tma_barrier_apply(&b, steps[i].operation, steps[i].count, steps[i].bytes_B),
            TMA_BARRIER_LIVES);
        const uint64_t *out = h.memory[0].bytes;
        const int has_state = strstr(steps[i].text, "%rd10") != NULL;
        assert_int_equal(out[0], has_state ? before & 0xffffffff00000000 : 0);
        assert_int_equal(out[1], tma_barrier_word(&b) & 0xffffffff00000000);
        assert_int_equal((uint32_t)out[2], b.arrivals_missing);
        harness_end(&h);
    }
}

static void deaths(void **state) {
    static const struct {
        const char *text;
        uint32_t rule;
    } cases[] = {
        {"mbarrier.init.shared.b64 [%r3], 2; mbarrier.arrive.shared.b64 %rd9, [%r3], 3; ret;\n",
         TMA_EMULATE_RULE_ARRIVE_BEYOND},
        {"mbarrier.init.shared.b64 [%r3], 2; mbarrier.expect_tx.relaxed.cta.shared.b64 [%r3], "
         "1048575; mbarrier.expect_tx.relaxed.cta.shared.b64 [%r3], 8; ret;\n",
         TMA_EMULATE_RULE_EXPECT_MISSING},
        {"mbarrier.init.shared.b64 [%r3], 2; mbarrier.complete_tx.relaxed.cta.shared.b64 [%r3], "
         "1048575; mbarrier.complete_tx.relaxed.cta.shared.b64 [%r3], 1; ret;\n",
         TMA_EMULATE_RULE_EXPECT_MISSING},
        {"mbarrier.arrive.shared.b64 %rd9, [%r3]; ret;\n", TMA_EMULATE_RULE_BARRIER_INIT},
        {"mbarrier.test_wait.parity.shared.b64 %p2, [%r3], 0; ret;\n",
         TMA_EMULATE_RULE_BARRIER_INIT},
        {"mbarrier.init.shared.b64 [%r3], 2; mbarrier.inval.shared.b64 [%r3];\n"
         "mbarrier.arrive.shared.b64 %rd9, [%r3]; ret;\n",
         TMA_EMULATE_RULE_BARRIER_INIT},
        {"mbarrier.init.shared.b64 [%r3], 0; ret;\n", TMA_EMULATE_RULE_BARRIER_INIT},
        {"mbarrier.init.shared.b64 [%r3], 1048576; ret;\n", TMA_EMULATE_RULE_BARRIER_INIT},
        {"mbarrier.init.shared.b64 [%r3+4], 1; ret;\n", TMA_EMULATE_RULE_MISALIGNED},
        {"mbarrier.init.b64 [%rd1], 1; ret;\n", TMA_EMULATE_RULE_TRAP},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        harness h;
        begin(&h, cases[i].text, 1);
        const uint32_t end = harness_run(&h);
        const tma_emulate_finding *f = tma_emulator_finding_at(h.emulator, 0);
        if (end != TMA_EMULATE_TRAP || (f ? f->rule : TMA_EMULATE_RULES) != cases[i].rule) {
            fail_msg("case %zu: %s: %s: %s", i, tma_emulate_end_name(end), harness_why(&h),
                     f ? tma_emulate_rule_name(f->rule) : "no finding");
        }
        harness_end(&h);
    }
}

/* .noComplete that completes a phase is undefined, and the kernel goes on. */
static void no_complete(void **state) {
    static const struct {
        const char *text;
        uint32_t findings;
    } cases[] = {
        {"mbarrier.init.shared.b64 [%r3], 2; mbarrier.arrive.noComplete.shared.b64 %rd9, [%r3], "
         "1;\n"
         "mbarrier.arrive.shared.b64 %rd9, [%r3]; ret;\n",
         0},
        {"mbarrier.init.shared.b64 [%r3], 2; mbarrier.arrive.noComplete.shared.b64 %rd9, [%r3], 2; "
         "ret;\n",
         1},
        {"mbarrier.init.shared.b64 [%r3], 2; mbarrier.arrive.shared.b64 %rd9, [%r3];\n"
         "mbarrier.arrive_drop.noComplete.shared.b64 %rd9, [%r3], 1; ret;\n",
         1},
        /* bytes that are still expected keep it open */
        {"mbarrier.init.shared.b64 [%r3], 1; mbarrier.expect_tx.relaxed.cta.shared.b64 [%r3], 16;\n"
         "mbarrier.arrive.noComplete.shared.b64 %rd9, [%r3], 1;\n"
         "mbarrier.complete_tx.relaxed.cta.shared.b64 [%r3], 16; ret;\n",
         0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        harness h;
        begin(&h, cases[i].text, 1);
        assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
        assert_int_equal(harness_findings(&h, TMA_EMULATE_RULE_ARRIVE_BEYOND), cases[i].findings);
        assert_int_equal(harness_findings(&h, TMA_EMULATE_RULES), cases[i].findings);
        harness_end(&h);
    }
}

/* Thread 0 hands 64 numbers to all others by phases of one barrier, waits in each form. */
static void phases(void **state) {
    static const char *const waits[] = {
        "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], %r21;\n",
        "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [%r3], %r21, 1000;\n",
        "mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r3], %r21;\n",
        "mbarrier.test_wait.parity.b64 %p2, [%rd6], %r21;\n",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(waits); i++) {
        char text[2048];
        harness h;
        snprintf(text, sizeof(text),
                 "cvt.u64.u32 %%rd5, %%r3; cvta.shared.u64 %%rd6, %%rd5;\n"
                 "@%%p1 mbarrier.init.shared.b64 [%%r3], 1;\n"
                 "@%%p1 mbarrier.init.shared.b64 [%%r3+8], 63;\n"
                 "bar.sync 0; mov.u32 %%r20, 0;\n" /* phase */
                 "L: and.b32 %%r21, %%r20, 1; @!%%p1 bra W;\n"
                 "add.u32 %%r22, %%r20, 7; st.shared.u32 [%%r2], %%r22;\n"
                 "mbarrier.arrive.shared.b64 _, [%%r3];\n"
                 "F: mbarrier.try_wait.parity.shared.b64 %%p3, [%%r3+8], %%r21; @!%%p3 bra F;\n"
                 "bra N;\n"
                 "W: %s@!%%p2 bra W;\n"
                 "ld.shared.u32 %%r23, [%%r2]; st.global.u32 [%%rd3], %%r23; add.u64 %%rd3, %%rd3, "
                 "256;\nmbarrier.arrive.shared.b64 _, [%%r3+8];\n"
                 "N: add.u32 %%r20, %%r20, 1; setp.lt.u32 %%p4, %%r20, 5; @%%p4 bra L; ret;\n",
                 waits[i]);
        begin(&h, text, 64);
        harness_completes(&h);
        const uint32_t *out = h.memory[0].bytes;
        for (uint32_t k = 0; k < 5 * 64; k++) {
            assert_int_equal(out[k], k % 64 ? k / 64 + 7 : 0);
        }
        harness_end(&h);
    }
}

/* The state of an arrival names its phase. */
static void tokens(void **state) {
    (void)state;
    harness h;
    begin(&h,
          "@%p1 mbarrier.init.shared.b64 [%r3], 64; bar.sync 0;\n"
          "st.shared.u32 [%r5], %r1; mbarrier.arrive.shared.b64 %rd10, [%r3];\n"
          "T: mbarrier.test_wait.shared.b64 %p2, [%r3], %rd10; @!%p2 bra T;\n"
          "mbarrier.arrive.shared.b64 %rd11, [%r3];\n"
          "R: mbarrier.try_wait.shared.b64 %p3, [%r3], %rd11, 100; @!%p3 bra R;\n"
          "xor.b32 %r6, %r5, 252; ld.shared.u32 %r7, [%r6]; st.global.u32 [%rd3], %r7; ret;\n",
          64);
    harness_completes(&h);
    for (uint32_t t = 0; t < 64; t++) {
        assert_int_equal(((uint32_t *)h.memory[0].bytes)[t], t ^ 63);
    }
    harness_end(&h);
}

/* What orders and what does not: the number of findings of one handing over. */
static void orders(void **state) {
    static const struct {
        const char *init, *arrive, *wait;
        uint32_t rule;
    } cases[] = {
        {"bar.sync 0;\n", "mbarrier.arrive.shared.b64 _, [%r3];\n", "", TMA_EMULATE_RULES},
        {"bar.sync 0;\n", "mbarrier.arrive.relaxed.cta.shared.b64 _, [%r3];\n", "",
         TMA_EMULATE_RULE_DATA_RACE},
        {"bar.sync 0;\n", "mbarrier.arrive.shared.b64 _, [%r3];\n", ".relaxed.cta",
         TMA_EMULATE_RULE_DATA_RACE},
        {"", "mbarrier.arrive.shared.b64 _, [%r3];\n", "", TMA_EMULATE_RULE_BARRIER_INIT},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[2048];
        harness h;
        snprintf(text, sizeof(text),
                 "@%%p1 mbarrier.init.shared.b64 [%%r3], 1; %s@!%%p1 bra W;\n"
                 "st.shared.u32 [%%r2], 9; %sbra E;\n"
                 "W: mbarrier.try_wait.parity%s.shared.b64 %%p2, [%%r3], 0; @!%%p2 bra W;\n"
                 "ld.shared.u32 %%r7, [%%r2]; st.global.u32 [%%rd3], %%r7; E: ret;\n",
                 cases[i].init, cases[i].arrive, cases[i].wait);
        begin(&h, text, 64);
        assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
        const tma_emulate_finding *f = tma_emulator_finding_at(h.emulator, 0);
        if ((f ? f->rule : TMA_EMULATE_RULES) != cases[i].rule) {
            fail_msg("case %zu: %s", i, f ? tma_emulate_rule_name(f->rule) : "no finding");
        }
        harness_end(&h);
    }
}

/* A running kernel does not see the word: a load gives what was stored there before. */
static void the_word_is_not_seen(void **state) {
    (void)state;
    harness h;
    begin(&h,
          "st.shared.u64 [%r3], 77; mbarrier.init.shared.b64 [%r3], 3;\n"
          "mbarrier.arrive.shared.b64 _, [%r3]; ld.shared.u64 %rd7, [%r3];\n"
          "st.global.u64 [%rd1], %rd7; ret;\n",
          1);
    harness_completes(&h);
    assert_int_equal(*(uint64_t *)h.memory[0].bytes, 77);
    harness_end(&h);
}

/* A wait that nobody ends; an answer that nobody looks at. */
static void waits_for_ever(void **state) {
    (void)state;
    harness h;
    begin(&h,
          "mbarrier.init.shared.b64 [%r3], 2; mbarrier.arrive.shared.b64 _, [%r3];\n"
          "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0; @!%p2 bra W; ret;\n",
          1);
    assert_int_equal(harness_run_all(&h), TMA_EMULATE_DEADLOCK);
    harness_end(&h);
    begin(&h,
          "@%p1 mbarrier.init.shared.b64 [%r3], 1; bar.sync 0; @!%p1 bra W;\n"
          "st.shared.u32 [%r2], 9; mbarrier.arrive.shared.b64 _, [%r3]; ret;\n"
          "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0;\n"
          "ld.shared.u32 %r7, [%r2]; st.global.u32 [%rd3], %r7; ret;\n",
          64);
    assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
    assert_int_equal(harness_findings(&h, TMA_EMULATE_RULE_DATA_RACE), 1);
    harness_end(&h);
}

/* A kernel's own time-out: it runs once nothing else can, and says how often it was told no. */
static void gives_up(void **state) {
    (void)state;
    harness h;
    begin(
        &h,
        "mbarrier.init.shared.b64 [%r3], 2; mbarrier.arrive.shared.b64 _, [%r3]; mov.u32 %r20, 0;\n"
        "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0, 1000; @%p2 bra E;\n"
        "add.u32 %r20, %r20, 1; setp.lt.u32 %p3, %r20, 50; @%p3 bra W;\n"
        "E: st.global.u32 [%rd1], %r20; ret;\n",
        1);
    harness_completes(&h);
    assert_int_equal(*(uint32_t *)h.memory[0].bytes, 50);
    harness_end(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations),
        cmocka_unit_test(deaths),
        cmocka_unit_test(no_complete),
        cmocka_unit_test(phases),
        cmocka_unit_test(tokens),
        cmocka_unit_test(orders),
        cmocka_unit_test(the_word_is_not_seen),
        cmocka_unit_test(waits_for_ever),
        cmocka_unit_test(gives_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
