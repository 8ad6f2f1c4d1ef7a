/* SPDX-License-Identifier: Apache-2.0
 *
 * Who goes next, when nobody can, and what ends a run.
 */
#include "emulator/harness.h"
#include "support/plain/plain_host.h"

#define HEAD_OF_KERNEL                                                                             \
    ".visible .entry k(.param .u64 p)\n{\n"                                                        \
    ".reg .b64 %rd<9>; .reg .b32 %r<32>; .reg .pred %p<9>; .shared .align 8 .b64 bar[4];\n"        \
    "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, bar;\n"                           \
    "setp.eq.u32 %p1, %r1, 0;\n"
#define KERNEL(body) HEAD_OF_KERNEL body "\nret;\n}\n"

#define INIT(count) "@%p1 mbarrier.init.shared::cta.b64 [%r2], " #count ";\nbar.sync 0;\n"
#define WAIT        "W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0;\n@!%p2 bra W;\n"
#define SPIN        "L: ld.volatile.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p2, %r3, 0;\n"

static void begin(harness *h, const char *ptx, uint32_t threads) {
    harness_begin(h, ptx);
    harness_memory(h, 4096);
    harness_block(h, 1, threads);
}

/* ---- standstills ---- */

static void a_phase_that_lacks_an_arrival(void **state) {
    (void)state;
    harness h;
    begin(&h, KERNEL(INIT(3) "@%p1 mbarrier.arrive.shared::cta.b64 _, [%r2];\n" WAIT), 64);
    assert_int_equal(harness_run_all(&h), TMA_EMULATE_DEADLOCK);
    const tma_emulate_finding *f = harness_finding(&h, TMA_EMULATE_RULE_ARRIVE_MISSING);
    assert_non_null(f);
    assert_int_equal(f->certain, 1);
    assert_int_equal(f->waiting, 64);
    assert_int_equal(f->waits, 1);
    assert_int_equal(f->has_barrier, 1);
    assert_int_equal(f->barrier_address, 0x400);
    assert_int_equal(f->barrier_phase, 0);
    assert_int_equal(f->arrivals_missing, 2);
    assert_int_equal(f->bytes_missing_B, 0);
    assert_string_equal(f->missing, "2 of 3 arrivals");
    assert_int_equal(harness_findings(&h, TMA_EMULATE_RULES), 1);
    harness_end(&h);
}

/* Two warps, two mbarriers; warp 0 arrives at the first, which lacks one arrival more. */
#define TWO_WARPS                                                                                  \
    INIT(2)                                                                                        \
    "add.u32 %r3, %r2, 8;\n@%p1 mbarrier.init.shared::cta.b64 [%r3], 1;\nbar.sync 0;\n"            \
    "setp.ge.u32 %p3, %r1, 32;\n@%p3 bra.uni OTHER;\n"                                             \
    "@%p1 mbarrier.arrive.shared::cta.b64 _, [%r2];\n" WAIT
#define ARRIVE_2 "@%p1 mbarrier.arrive.shared::cta.b64 _, [%r3];\n"
#define WAIT_2   "V: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;\n@!%p2 bra V;\n"

/* What warp 1 waits for hangs on warp 0, or does not: one finding, or two. */
static void those_who_wait_for_those_who_wait(void **state) {
    (void)state;
    static const struct {
        const char *body, *waits_at;
        uint32_t findings, waits;
    } cases[] = {
        {TWO_WARPS "bar.sync 1, 64;\nbra.uni END;\nOTHER: bar.sync 1, 64;\nEND:", "barrier", 1, 2},
        {TWO_WARPS "bar.sync 2, 128;\nbra.uni END;\nOTHER: bar.sync 2, 128;\nEND:", "", 2, 1},
        {TWO_WARPS ARRIVE_2 "bra.uni END;\nOTHER: " WAIT_2 "END:", "mbarrier", 1, 2},
        {TWO_WARPS "bra.uni END;\nOTHER: " WAIT_2 "END:", "", 2, 1},
        {TWO_WARPS "bra.uni END;\nOTHER: " SPIN "@%p2 bra L;\nEND:", "", 2, 1},
        /* a third mbarrier is before warp 0; one whose address it is still to calculate may be any
         */
        {TWO_WARPS "mbarrier.arrive.shared::cta.b64 _, [%r2+16];\nbra.uni END;\nOTHER: " WAIT_2
                   "END:",
         "", 2, 1},
        {TWO_WARPS "add.u32 %r4, %r2, 16;\nmbarrier.arrive.shared::cta.b64 _, [%r4];\n"
                   "bra.uni END;\nOTHER: " WAIT_2 "END:",
         "mbarrier", 1, 2},
        /* warp 0 does not come to the barrier: where that has no count, it need not */
        {TWO_WARPS "bra.uni END;\nOTHER: bar.sync 1, 64;\nEND:", "", 2, 1},
        {TWO_WARPS "bar.sync 2, 64;\nbra.uni END;\nOTHER: bar.sync 1, 64;\nEND:", "", 2, 1},
        {TWO_WARPS
         "mov.b32 %r4, 1;\nbar.arrive %r4, 64;\nbra.uni END;\nOTHER: bar.sync 1, 64;\nEND:",
         "barrier", 1, 2},
        {TWO_WARPS "bra.uni END;\nOTHER: bar.sync 1;\nEND:", "barrier", 1, 2},
        {TWO_WARPS "bra.uni END;\nOTHER: V: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], "
                   "0;\n@!%p2 bra V;\nEND:",
         "mbarrier", 1, 2},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char ptx[4096];
        harness h;
        snprintf(ptx, sizeof ptx, "%s%s\nret;\n}\n", HEAD_OF_KERNEL, cases[i].body);
        begin(&h, ptx, 64);
        harness_run_all(&h);
        const tma_emulate_finding *f = harness_finding(&h, TMA_EMULATE_RULE_ARRIVE_MISSING);
        assert_non_null(f);
        if (harness_findings(&h, TMA_EMULATE_RULES) != cases[i].findings) {
            fail_msg("case %zu: %zu findings", i, harness_findings(&h, TMA_EMULATE_RULES));
        }
        assert_int_equal(f->waits, cases[i].waits);
        if (f->waits == 2) {
            assert_string_equal(f->wait[1].waits_at, cases[i].waits_at);
            assert_int_equal(f->wait[1].thread, 32);
            assert_int_equal(f->wait[1].threads, 32);
        }
        harness_end(&h);
    }
}

/* Warp 2 waits for warp 1, which waits for warp 0. */
static void who_waits_for_a_follower(void **state) {
    (void)state;
    harness h;
    begin(&h,
          KERNEL("@%p1 mbarrier.init.shared::cta.b64 [%r2+16], 1;\n" TWO_WARPS ARRIVE_2
                 "bra.uni END;\nOTHER: setp.ge.u32 %p3, %r1, 64;\n@%p3 bra.uni THIRD;\n" WAIT_2
                 "mbarrier.arrive.shared::cta.b64 _, [%r2+16];\nbra.uni END;\n"
                 "THIRD: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2+16], 0;\n"
                 "@!%p2 bra THIRD;\nEND:"),
          96);
    assert_int_equal(harness_run_all(&h), TMA_EMULATE_DEADLOCK);
    assert_int_equal(harness_finding(&h, TMA_EMULATE_RULE_ARRIVE_MISSING)->waits, 3);
    assert_int_equal(harness_findings(&h, TMA_EMULATE_RULES), 1);
    harness_end(&h);
}

/* One lane is where all come together, the others wait for its arrival: the lanes are the cause. */
static void lanes_that_wait_for_a_lane(void **state) {
    (void)state;
    harness h;
    begin(&h,
          KERNEL(INIT(1) "@!%p1 bra W;\nbar.warp.sync -1;\n"
                         "mbarrier.arrive.shared::cta.b64 _, [%r2];\n" WAIT),
          32);
    assert_int_equal(harness_run_all(&h), TMA_EMULATE_DEADLOCK);
    const tma_emulate_finding *f = harness_finding(&h, TMA_EMULATE_RULE_DIVERGENCE);
    assert_non_null(f);
    assert_int_equal(f->waits, 2);
    assert_string_equal(f->wait[1].waits_at, "mbarrier");
    assert_int_equal(f->wait[1].threads, 31);
    assert_int_equal(harness_findings(&h, TMA_EMULATE_RULES), 1);
    harness_end(&h);
}

static void a_phase_that_lacks_bytes(void **state) {
    (void)state;
    harness h;
    begin(
        &h,
        KERNEL(INIT(1) "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 256;\n"
                       "T: mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r2], 0;\n@!%p2 bra T;"),
        64);
    assert_int_equal(harness_run_all(&h), TMA_EMULATE_DEADLOCK);
    const tma_emulate_finding *f = harness_finding(&h, TMA_EMULATE_RULE_EXPECT_MISSING);
    assert_non_null(f);
    assert_int_equal(f->bytes_missing_B, 256);
    assert_int_equal(f->arrivals_missing, 0);
    assert_int_equal(f->waiting, 64);
    harness_end(&h);
}

static void a_named_barrier_that_half_of_the_threads_pass_by(void **state) {
    (void)state;
    harness h;
    begin(&h, KERNEL("setp.lt.u32 %p2, %r1, 32;\n@!%p2 bra END;\nbarrier.sync 1, 64;\nEND:"), 64);
    assert_int_equal(harness_run_all(&h), TMA_EMULATE_DEADLOCK);
    const tma_emulate_finding *f = harness_finding(&h, TMA_EMULATE_RULE_DEADLOCK);
    assert_non_null(f);
    assert_int_equal(f->barrier_address, 1);
    assert_int_equal(f->arrivals_missing, 32);
    assert_int_equal(f->waiting, 32);
    harness_end(&h);
}

static void lanes_that_never_come_together(void **state) {
    (void)state;
    harness h;
    begin(&h,
          KERNEL("setp.lt.u32 %p2, %r1, 16;\n@%p2 bra LOW;\nbar.warp.sync -1;\nbra.uni END;\n"
                 "LOW: bar.warp.sync -1;\nEND:"),
          32);
    harness_run_all(&h);
    const tma_emulate_finding *f = harness_finding(&h, TMA_EMULATE_RULE_DIVERGENCE);
    assert_non_null(f);
    assert_int_equal(f->certain, 1);
    harness_end(&h);
}

static void a_flag_that_nobody_sets(void **state) {
    (void)state;
    harness h;
    begin(&h, KERNEL(SPIN "@%p2 bra L;"), 64);
    assert_int_equal(harness_run_all(&h), TMA_EMULATE_DEADLOCK);
    assert_int_equal(harness_finding(&h, TMA_EMULATE_RULE_DEADLOCK)->certain, 1);
    harness_end(&h);
}

/* It counts, so that no state comes back: it may be something long, said after a while. */
static void a_flag_that_nobody_sets_counted(void **state) {
    (void)state;
    harness h;
    begin(&h, KERNEL("mov.b32 %r4, 0;\n" SPIN "add.u32 %r4, %r4, 1;\n@%p2 bra L;"), 32);
    h.launch.no_order = 1;
    assert_int_equal(harness_run(&h), TMA_EMULATE_DEADLOCK);
    assert_int_equal(harness_finding(&h, TMA_EMULATE_RULE_DEADLOCK)->certain, 0);
    harness_end(&h);
}

#define PATIENT_WAIT                                                                               \
    "mov.u64 %rd3, %globaltimer;\nmov.b32 %r4, 0;\n"                                               \
    "L: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0;\n@%p2 bra END;\n"                  \
    "setp.lt.u32 %p3, %r4, 16;\n@!%p3 bra TIME;\nadd.u32 %r4, %r4, 1;\nbra L;\n"                   \
    "TIME: mov.u64 %rd4, %globaltimer;\nsub.u64 %rd4, %rd4, %rd3;\n"                               \
    "setp.lt.u64 %p3, %rd4, 40000;\n@%p3 bra L;\nshr.u64 %rd5, %rd4, 2;\ncvt.u32.u64 %r5, %rd5;\n" \
    "nanosleep.u32 %r5;\n"

/* libcu++'s way to wait: some tries, then longer and longer rests. What it asks for is the phase.
 */
static void a_phase_waited_for_by_the_clock(void **state) {
    (void)state;
    harness h;
    begin(&h,
          KERNEL(INIT(2) "@%p1 mbarrier.arrive.shared::cta.b64 _, [%r2];\n" PATIENT_WAIT
                         "bra L;\nEND:"),
          64);
    assert_int_equal(harness_run_all(&h), TMA_EMULATE_DEADLOCK);
    const tma_emulate_finding *f = harness_finding(&h, TMA_EMULATE_RULE_ARRIVE_MISSING);
    assert_non_null(f);
    assert_int_equal(f->certain, 1);
    assert_int_equal(f->waiting, 64);
    assert_int_equal(f->barrier_address, 0x400);
    assert_true(tma_emulator_instructions(h.emulator) < 1u << 22);
    harness_end(&h);
}

/* The same with an end: after an hour it gives up. */
static void a_phase_waited_for_an_hour(void **state) {
    (void)state;
    harness h;
    begin(&h,
          KERNEL(INIT(2) "@%p1 mbarrier.arrive.shared::cta.b64 _, [%r2];\n" PATIENT_WAIT
                         "setp.lt.u64 %p3, %rd4, 3600000000000;\n@%p3 bra L;\nst.global.u32 "
                         "[%rd1], 7;\nEND:"),
          32);
    h.launch.no_order = 1;
    (void)harness_run(&h);
    assert_int_equal(*(const uint32_t *)h.memory[0].bytes, 7);
    harness_end(&h);
}

/* A thread lets time pass, by the clock or asleep, and then arrives: others wait, and nobody hangs.
 */
static void a_rest_while_others_wait(void **state) {
    (void)state;
    static const char *const rests[] = {
        "mov.u64 %rd3, %globaltimer;\nD: mov.u64 %rd4, %globaltimer;\nsub.u64 %rd4, %rd4, %rd3;\n"
        "setp.lt.u64 %p3, %rd4, 100000;\n@%p3 bra D;\n",
        "mov.u64 %rd3, %globaltimer;\nD: nanosleep.u32 100;\nmov.u64 %rd4, %globaltimer;\n"
        "sub.u64 %rd4, %rd4, %rd3;\nsetp.lt.u64 %p3, %rd4, 100000;\n@%p3 bra D;\n",
        "mov.b32 %r4, 0;\nD: nanosleep.u32 100;\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p3, %r4, "
        "9000;\n"
        "@%p3 bra D;\n"};
    for (size_t i = 0; i < COUNT_OF(rests); i++) {
        harness h;
        char ptx[2048];
        snprintf(ptx, sizeof ptx, "%s%s%s",
                 HEAD_OF_KERNEL INIT(1) "setp.ge.u32 %p4, %r1, 32;\n@%p4 bra W;\n@!%p1 bra END;\n",
                 rests[i],
                 "mbarrier.arrive.shared::cta.b64 _, [%r2];\nbra END;\n" WAIT "END: ret;\n}\n");
        begin(&h, ptx, 64);
        harness_completes(&h);
        harness_end(&h);
    }
}

static void a_long_sum_while_others_wait(void **state) {
    (void)state;
    harness h;
    begin(
        &h,
        KERNEL("@!%p1 bra SYNC;\nmov.b32 %r4, 0;\nmov.b32 %r5, 0;\n"
               "L: and.b32 %r6, %r4, 1023;\nmul.wide.u32 %rd2, %r6, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"
               "ld.global.u32 %r7, [%rd3];\nadd.u32 %r5, %r5, %r7;\nadd.u32 %r4, %r4, 1;\n"
               "setp.lt.u32 %p2, %r4, 50000;\n@%p2 bra L;\n"
               "SYNC: bar.sync 0;\n@%p1 st.global.u32 [%rd1], %r5;"),
        64);
    uint32_t *in = h.memory[0].bytes;
    in[1] = 1;
    assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
    harness_none(&h);
    assert_int_equal(in[0], 49); /* 1 + 1024 k below 50,000 */
    harness_end(&h);
}

static void a_kernels_own_time_out(void **state) {
    (void)state;
    harness h;
    begin(
        &h,
        KERNEL(INIT(2) "mov.b32 %r4, 0;\n"
                       "W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0;\n@%p2 bra END;\n"
                       "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p3, %r4, 1000;\n@%p3 bra W;\ntrap;\n"
                       "END:"),
        32);
    assert_int_equal(harness_run_all(&h), TMA_EMULATE_TRAP);
    assert_int_equal(harness_finding(&h, TMA_EMULATE_RULE_ARRIVE_MISSING)->certain, 1);
    assert_int_equal(harness_findings(&h, TMA_EMULATE_RULES), 1);
    harness_end(&h);
}

/* CTA 0 waits for a flag of CTA 1. */
static void a_cta_that_is_not_resident(void **state) {
    (void)state;
    harness h;
    begin(
        &h,
        KERNEL("mov.u32 %r5, %ctaid.x;\nsetp.eq.u32 %p3, %r5, 1;\n"
               "@%p3 st.release.gpu.global.u32 [%rd1], 1;\n@%p3 ret;\n"
               "L: ld.acquire.gpu.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra L;"),
        1);
    h.launch.grid[0] = 2;
    h.launch.resident = 1;
    assert_int_equal(harness_run(&h), TMA_EMULATE_DEADLOCK);
    assert_int_equal(harness_finding(&h, TMA_EMULATE_RULE_DEADLOCK)->certain, 0);
    h.launch.resident = 2;
    assert_int_equal(harness_run_all(&h), TMA_EMULATE_COMPLETED);
    harness_none(&h);
    harness_end(&h);
}

/* ---- ends ---- */

static int cancel(void *context, uint64_t instructions) {
    uint64_t *last = context;
    *last = instructions;
    return 1;
}

static void limits_and_the_callers_wish(void **state) {
    (void)state;
    harness h;
    begin(&h, KERNEL("L: add.u32 %r1, %r1, 1;\nbra.uni L;"), 32);
    h.launch.most_instructions = 1000000;
    assert_int_equal(harness_run_all(&h), TMA_EMULATE_LIMIT);
    assert_in_range(tma_emulator_instructions(h.emulator), 1000000, 1000000 + 32 * 600);
    harness_end(&h);

    begin(&h, KERNEL("L: add.u32 %r1, %r1, 1;\nbra.uni L;"), 32);
    uint64_t last = 0;
    tma_emulator_free(h.emulator);
    h.host = plain_host();
    h.host.context = &last;
    h.host.progress = cancel;
    tma_error error;
    h.emulator = tma_emulator_new(&h.host, h.text, h.text_B, &error);
    assert_non_null(h.emulator);
    assert_int_equal(harness_run(&h), TMA_EMULATE_CANCELLED);
    assert_true(last > 0);
    harness_end(&h);
}

#define WORK                                                                                       \
    KERNEL(INIT(64) "mbarrier.arrive.shared::cta.b64 _, [%r2];\n" WAIT                             \
                    "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"                      \
                    "st.global.u32 [%rd3], %r1;")

static void a_run_in_small_steps(void **state) {
    (void)state;
    harness h;
    begin(&h, WORK, 64);
    assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
    const uint64_t instructions = tma_emulator_instructions(h.emulator);
    memset(h.memory[0].bytes, 0, 4096);
    tma_error error;
    assert_int_equal(tma_emulator_begin(h.emulator, &h.launch, &error), TMA_OK);
    uint32_t steps = 1;
    while (tma_emulator_step(h.emulator, 1)) {
        steps++;
    }
    assert_true(steps > 2);
    assert_int_equal(tma_emulator_instructions(h.emulator), instructions);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(((const uint32_t *)h.memory[0].bytes)[i], i);
    }
    assert_int_equal(tma_emulator_begin(h.emulator, &h.launch, &error), TMA_OK);
    harness_end(&h); /* in the middle */
}

/* ---- what an embedder sees ---- */

typedef struct seen {
    uint32_t lanes, stores, arrivals, inits, waits, phases, wrong;
} seen;

static void watch(void *context, const tma_emulate_event *event) {
    seen *s = context;
    if (event->kind == TMA_EMULATE_INSTRUCTION) {
        s->lanes += (uint32_t)__builtin_popcount(event->mask);
    } else if (event->kind == TMA_EMULATE_ACCESS && !strcmp(event->space, "shared")) {
        s->arrivals += event->reads && event->writes;
        s->inits += !event->reads;
        s->waits += !event->writes;
        s->wrong += event->size_B != 8 || event->address != 0x400;
    } else if (event->kind == TMA_EMULATE_ACCESS && event->writes) {
        s->stores++;
        const uint32_t lane = (uint32_t)__builtin_ctz(event->mask);
        s->wrong += event->size_B != 4 || strcmp(event->space, "global") != 0 ||
                    event->address != HARNESS_ADDRESS(0) + 4 * (event->warp * 32 + lane);
    } else if (event->kind == TMA_EMULATE_BARRIER) {
        s->phases++;
        s->wrong += event->address != 0x400 || event->phase != 0;
    }
}

static void what_is_watched(void **state) {
    (void)state;
    harness h;
    seen s = {0};
    begin(&h, WORK, 64);
    h.launch.watch = watch;
    h.launch.watch_context = &s;
    h.launch.watches = TMA_EMULATE_INSTRUCTION | TMA_EMULATE_ACCESS | TMA_EMULATE_BARRIER;
    assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
    assert_int_equal(s.lanes, tma_emulator_instructions(h.emulator));
    assert_int_equal(s.stores, 64);
    assert_int_equal(s.arrivals, 64);
    assert_int_equal(s.inits, 1);
    assert_true(s.waits >= 64);
    assert_int_equal(s.phases, 1);
    assert_int_equal(s.wrong, 0);
    s.lanes = 0;
    h.launch.watches = TMA_EMULATE_ACCESS;
    harness_run(&h);
    assert_int_equal(s.lanes, 0);
    harness_end(&h);
}

static void where_threads_are(void **state) {
    (void)state;
    harness h;
    tma_error error;
    tma_emulate_thread t;
    begin(&h,
          KERNEL("setp.lt.u32 %p2, %r1, 32;\n@%p2 bra W;\nL: add.u32 %r9, %r9, 1;\nbra.uni L;\n"
                 "W: bar.sync 0;"),
          64);
    assert_int_equal(tma_emulator_begin(h.emulator, &h.launch, &error), TMA_OK);
    assert_int_equal(tma_emulator_step(h.emulator, 100000), 1);
    assert_true(tma_emulator_thread_at(h.emulator, 0, 3, &t));
    assert_string_equal(t.waits_at, "barrier");
    assert_int_equal(t.line, 15);
    assert_true(tma_emulator_thread_at(h.emulator, 0, 40, &t));
    assert_int_equal(t.waits, 0);
    assert_true(t.line == 13 || t.line == 14);
    assert_false(tma_emulator_thread_at(h.emulator, 0, 64, &t));
    assert_false(tma_emulator_thread_at(h.emulator, 1, 0, &t));
    uint32_t first;
    size_t size_B;
    assert_non_null(tma_emulator_shared_at(h.emulator, 0, &first, &size_B));
    assert_int_equal(first, 0x400);
    assert_int_equal(size_B, 32);
    harness_end(&h);
}

/* ---- memory that a machine refuses ---- */

typedef struct miser {
    size_t left, blocks;
} miser;

static void *give_some(void *context, size_t size_B) {
    miser *m = context;
    void *memory = m->left ? malloc(size_B) : NULL;
    m->left -= m->left != 0;
    m->blocks += memory != NULL;
    return memory;
}

static void take_some(void *context, void *memory) {
    miser *m = context;
    m->blocks--;
    free(memory);
}

static void each_allocation_refused_in_turn(void **state) {
    (void)state;
    harness h;
    begin(&h, WORK, 64);
    uint32_t end = TMA_EMULATE_ENDS;
    size_t most = 0;
    for (; end != TMA_EMULATE_COMPLETED && most < 10000; most++) {
        miser m = {.left = most};
        const tma_emulate_host host = {.context = &m, .allocate = give_some, .release = take_some};
        tma_error error;
        tma_emulator *e = tma_emulator_new(&host, h.text, h.text_B, &error);
        if (e && tma_emulator_run(e, &h.launch, &error) == TMA_OK) {
            end = tma_emulator_end(e, NULL, NULL);
            assert_true(end == TMA_EMULATE_LIMIT || end == TMA_EMULATE_COMPLETED);
        }
        tma_emulator_free(e);
        assert_int_equal(m.blocks, 0);
    }
    assert_in_range(most, 5, 9999);
    harness_end(&h);
}

/* ---- CTAs ---- */

/* The label stands before the branch, not before the wait. */
static void a_branch_to_itself_never_ends(void **state) {
    (void)state;
    harness h;
    begin(&h, KERNEL("setp.ne.u32 %p0, 1, 1;\nSTAY: @!%p0 bra STAY;"), 64);
    assert_int_equal(harness_run(&h), TMA_EMULATE_DEADLOCK);
    assert_int_equal(harness_findings(&h, TMA_EMULATE_RULE_DEADLOCK), 1);
    harness_end(&h);
}

static void every_cta_of_a_grid_runs_once(void **state) {
    (void)state;
    harness h;
    begin(&h,
          KERNEL("mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ctaid.y;\nmov.u32 %r5, %ctaid.z;\n"
                 "mad.lo.u32 %r6, %r5, 2, %r4;\nmad.lo.u32 %r6, %r6, 6, %r3;\n"
                 "mul.wide.u32 %rd2, %r6, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"
                 "mov.u32 %r7, %cluster_ctarank;\nmad.lo.u32 %r7, %r7, 100, 1;\n"
                 "red.relaxed.gpu.global.add.u32 [%rd3], %r7;"),
          1);
    const uint32_t grid[3] = {6, 2, 3}, cluster[3] = {2, 2, 1};
    memcpy(h.launch.grid, grid, sizeof(grid));
    memcpy(h.launch.cluster, cluster, sizeof(cluster));
    for (uint32_t resident = 0; resident < 10; resident += 3) {
        memset(h.memory[0].bytes, 0, 4096);
        h.launch.resident = resident;
        assert_int_equal(harness_run_all(&h), TMA_EMULATE_COMPLETED);
        harness_none(&h);
        for (uint32_t i = 0; i < 36; i++) {
            const uint32_t x = i % 6, y = i / 6 % 2;
            assert_int_equal(((const uint32_t *)h.memory[0].bytes)[i], (x % 2 + 2 * y) * 100 + 1);
        }
    }
    harness_end(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_phase_that_lacks_an_arrival),
        cmocka_unit_test(those_who_wait_for_those_who_wait),
        cmocka_unit_test(who_waits_for_a_follower),
        cmocka_unit_test(lanes_that_wait_for_a_lane),
        cmocka_unit_test(a_phase_that_lacks_bytes),
        cmocka_unit_test(a_named_barrier_that_half_of_the_threads_pass_by),
        cmocka_unit_test(lanes_that_never_come_together),
        cmocka_unit_test(a_flag_that_nobody_sets),
        cmocka_unit_test(a_flag_that_nobody_sets_counted),
        cmocka_unit_test(a_phase_waited_for_by_the_clock),
        cmocka_unit_test(a_phase_waited_for_an_hour),
        cmocka_unit_test(a_rest_while_others_wait),
        cmocka_unit_test(a_long_sum_while_others_wait),
        cmocka_unit_test(a_kernels_own_time_out),
        cmocka_unit_test(a_cta_that_is_not_resident),
        cmocka_unit_test(limits_and_the_callers_wish),
        cmocka_unit_test(a_run_in_small_steps),
        cmocka_unit_test(what_is_watched),
        cmocka_unit_test(where_threads_are),
        cmocka_unit_test(each_allocation_refused_in_turn),
        cmocka_unit_test(a_branch_to_itself_never_ends),
        cmocka_unit_test(every_cta_of_a_grid_runs_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
