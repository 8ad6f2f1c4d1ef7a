/* SPDX-License-Identifier: Apache-2.0
 *
 * wgmma as a piece of asynchronous work: its registers, its groups, its meeting, what its warps may
 * do before and behind its wait.
 */
#include "harness.h"

/* A function whose product is under way when it returns an element of it. */
#define FUNCTION                                                                                   \
    ".func (.param .b32 d) product(.param .b64 a, .param .b64 b)\n{\n"                             \
    ".reg .b32 %r<20>;\n.reg .b64 %rd<4>;\n.reg .pred %p<2>;\n"                                    \
    "ld.param.u64 %rd2, [a];\nld.param.u64 %rd3, [b];\nmov.u32 %r10, 0;\n"                         \
    "mov.u32 %r11, 0;\nmov.u32 %r12, 0;\nmov.u32 %r13, 0;\nsetp.eq.u32 %p1, %r10, %r10;\n" MMA(D0) \
        COMMIT "st.param.b32 [d], %r10;\nret;\n}\n"
#define KERNEL                                                                                     \
    ".visible .entry k(.param .u64 out)\n{\n"                                                      \
    ".shared .align 1024 .b8 tile[8192];\n"                                                        \
    ".reg .b32 %r<40>;\n.reg .b64 %rd<8>;\n.reg .pred %p<4>;\n"                                    \
    "mov.u32 %r0, %tid.x;\nmov.u32 %r1, tile;\nld.param.u64 %rd0, [out];\n"                        \
    "mad.wide.u32 %rd1, %r0, 16, %rd0;\n"                                                          \
    "mad.lo.u32 %r2, %r0, 32, %r1;\nmov.u32 %r3, 0x3c003c00;\n"                                    \
    "st.shared.v4.b32 [%r2], {%r3, %r3, %r3, %r3};\n"                                              \
    "st.shared.v4.b32 [%r2+16], {%r3, %r3, %r3, %r3};\n"                                           \
    "shr.u32 %r4, %r1, 4;\nor.b32 %r5, %r4, 0x80000;\nmov.b64 %rd2, {%r5, 16};\n"                  \
    "add.u32 %r5, %r5, 128;\nmov.b64 %rd3, {%r5, 16};\n"                                           \
    "mov.b32 %r10, 0;\nmov.b32 %r11, 0;\nmov.b32 %r12, 0;\nmov.b32 %r13, 0;\n"                     \
    "mov.b32 %r14, 0;\nmov.b32 %r15, 0;\nmov.b32 %r16, 0;\nmov.b32 %r17, 0;\n"                     \
    "mov.b32 %r20, %r3;\nmov.b32 %r21, %r3;\nmov.b32 %r22, %r3;\nmov.b32 %r23, %r3;\n"             \
    "setp.lt.u32 %p0, %r0, 32;\nsetp.eq.u32 %p1, %r0, %r0;\n"
#define PROXY   "fence.proxy.async.shared::cta;\n"
#define BAR     "bar.sync 0;\n"
#define FENCE   "wgmma.fence.sync.aligned;\n"
#define COMMIT  "wgmma.commit_group.sync.aligned;\n"
#define WAIT(n) "wgmma.wait_group.sync.aligned " n ";\n"
#define MMA(d)                                                                                     \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " d ", %rd2, %rd3, %p1, 1, 1, 0, 0;\n"
#define MMA_OF(d, a)                                                                               \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " d ", " a ", %rd3, %p1, 1, 1, 0;\n"
#define MMA_A(d) MMA_OF(d, A)
#define A        "{%r20, %r21, %r22, %r23}"
#define TWOS                                                                                       \
    "mov.b32 %r10, 0f40000000;\nmov.b32 %r11, %r10;\nmov.b32 %r12, %r10;\nmov.b32 %r13, %r10;\n"
#define D0           "{%r10, %r11, %r12, %r13}"
#define D1           "{%r14, %r15, %r16, %r17}"
#define STORE        "st.global.v4.b32 [%rd1], " D0 ";\n"
#define END          "ret;\n}\n"
#define OTHERS_READ  "@!%p0 ld.shared.b32 %r30, [%r1+4000];\n"
#define FIRST_WRITES "@%p0 st.shared.b32 [%r1+4000], %r3;\n"
#define OVERWRITE    "@%p0 st.shared.b32 [%r1], %r3;\n"

typedef struct wgmma_case {
    const char *name, *middle;
    uint32_t rule;  /* TMA_EMULATE_RULES: none */
    uint32_t end;   /* tma_emulate_end */
    float value;    /* of D in all threads; 0: not compared */
    uint32_t block; /* threads */
} wgmma_case;

static const wgmma_case CASES[] = {
    {"right", PROXY BAR FENCE MMA(D0) COMMIT WAIT("0") STORE, TMA_EMULATE_RULES, 0, 16, 128},
    {"two of one group into the same registers",
     PROXY BAR FENCE MMA(D0) MMA(D0) COMMIT WAIT("0") STORE, TMA_EMULATE_RULES, 0, 32, 128},
    {"two groups into the same registers",
     PROXY BAR FENCE MMA(D0) COMMIT MMA(D0) COMMIT WAIT("0") STORE, TMA_EMULATE_RULES, 0, 32, 128},
    {"A in registers", PROXY BAR FENCE MMA_A(D0) COMMIT WAIT("0") STORE, TMA_EMULATE_RULES, 0, 16,
     128},
    {"two warpgroups", PROXY BAR FENCE MMA(D0) COMMIT WAIT("0") STORE, TMA_EMULATE_RULES, 0, 16,
     256},
    {"D read before the wait", PROXY BAR FENCE MMA(D0) COMMIT STORE WAIT("0"),
     TMA_EMULATE_RULE_REGISTER_EARLY, 0, 16, 128},
    {"D read before the wait, in a later group",
     PROXY BAR FENCE MMA(D0) COMMIT MMA(D0) COMMIT WAIT("1") STORE WAIT("0"),
     TMA_EMULATE_RULE_REGISTER_EARLY, 0, 32, 128},
    {"D read before the commit", PROXY BAR FENCE MMA(D0) STORE COMMIT WAIT("0"),
     TMA_EMULATE_RULE_REGISTER_EARLY, 0, 16, 128},
    {"D written before the wait", PROXY BAR FENCE MMA(D0) COMMIT TWOS WAIT("0") STORE,
     TMA_EMULATE_RULE_REGISTER_EARLY, 0, 2, 128},
    {"D read as A by the next",
     PROXY BAR FENCE MMA(D1) COMMIT MMA_OF(D0, D1) COMMIT WAIT("0") STORE,
     TMA_EMULATE_RULE_REGISTER_EARLY, 0, 22, 128}, /* 8 pairs of halves of 16.0: 0 and 2.75 */
    {"A written as D by the next", PROXY BAR FENCE MMA_A(D0) COMMIT MMA(A) COMMIT WAIT("0") STORE,
     TMA_EMULATE_RULE_REGISTER_EARLY, 0, 16, 128},
    {"A read by the next, too", PROXY BAR FENCE MMA_A(D1) COMMIT MMA_A(D0) COMMIT WAIT("0") STORE,
     TMA_EMULATE_RULES, 0, 16, 128},
    {"D read behind a wait that leaves its group",
     PROXY BAR FENCE MMA(D0) COMMIT WAIT("1") STORE WAIT("0"), TMA_EMULATE_RULE_REGISTER_EARLY, 0,
     16, 128},
    {"D read behind a wait that leaves another group",
     PROXY BAR FENCE MMA(D0) COMMIT MMA(D1) COMMIT WAIT("1") STORE WAIT("0"), TMA_EMULATE_RULES, 0,
     16, 128},
    {"the other group's D behind that wait",
     PROXY BAR FENCE MMA(D1) COMMIT MMA(D0) COMMIT WAIT("1") STORE WAIT("0"),
     TMA_EMULATE_RULE_REGISTER_EARLY, 0, 16, 128},
    {"A's register written before the wait",
     PROXY BAR FENCE MMA_A(D0) COMMIT "mov.b32 %r21, 0;\n" WAIT("0") STORE,
     TMA_EMULATE_RULE_REGISTER_EARLY, 0, 16, 128},
    {"A's register read before the wait",
     PROXY BAR FENCE MMA_A(D0) COMMIT "mov.b32 %r30, %r21;\n" WAIT("0") STORE, TMA_EMULATE_RULES, 0,
     16, 128},
    {"no proxy fence", BAR FENCE MMA(D0) COMMIT WAIT("0") STORE, TMA_EMULATE_RULE_PROXY_STORE, 0, 0,
     128},
    {"no barrier before", PROXY FENCE MMA(D0) COMMIT WAIT("0") STORE, TMA_EMULATE_RULES, 0, 16,
     128},
    {"operands overwritten before the wait",
     PROXY BAR FENCE MMA(D0) COMMIT OVERWRITE WAIT("0") STORE, TMA_EMULATE_RULE_STORE_REUSE, 0, 0,
     128},
    {"operands overwritten behind the warp's own wait",
     PROXY BAR FENCE MMA(D0) COMMIT WAIT("0") OVERWRITE STORE, TMA_EMULATE_RULES, 0, 16, 128},
    {"another warp's read before the wgmma that all meet for",
     PROXY BAR OTHERS_READ FENCE MMA(D0) COMMIT WAIT("0") FIRST_WRITES STORE, TMA_EMULATE_RULES, 0,
     16, 128},
    {"another warp's read behind it",
     PROXY BAR FENCE MMA(D0) COMMIT OTHERS_READ WAIT("0") FIRST_WRITES STORE,
     TMA_EMULATE_RULE_DATA_RACE, 0, 0, 128},
    {"a wait without a commit", PROXY BAR FENCE MMA(D0) WAIT("0") STORE,
     TMA_EMULATE_RULE_COMMIT_MISSING, 0, 0, 128},
    {"a descriptor beyond shared memory",
     PROXY BAR FENCE "mov.b64 %rd2, {0x80e00, 16};\n" MMA(D0) COMMIT WAIT("0") STORE,
     TMA_EMULATE_RULE_OUT_OF_BOUNDS, TMA_EMULATE_TRAP, 0, 128},
    {"two warps", PROXY BAR FENCE MMA(D0) COMMIT WAIT("0") STORE, TMA_EMULATE_RULE_DIVERGENCE,
     TMA_EMULATE_TRAP, 0, 64},
    {"one warp at another wgmma",
     PROXY BAR FENCE
     "@%p0 bra other;\n" MMA(D0) "bra done;\nother:\n" MMA(D0) "done:\n" COMMIT WAIT("0") STORE,
     TMA_EMULATE_RULE_DIVERGENCE, TMA_EMULATE_TRAP, 0, 128},
    {"one warp at none",
     PROXY BAR FENCE "@%p0 bra done;\n" MMA(D0) "done:\n" COMMIT WAIT("0") STORE,
     TMA_EMULATE_RULE_DIVERGENCE, TMA_EMULATE_DEADLOCK, 0, 128},
};

static void begin(harness *h, const char *middle, uint32_t block) {
    char text[8192];
    snprintf(text, sizeof(text), "%s%s%s", KERNEL, middle, END);
    harness_begin(h, text);
    harness_memory(h, 4096);
    harness_block(h, 1, block);
}

static void check(const wgmma_case *c, uint32_t schedule) {
    harness h;
    begin(&h, c->middle, c->block);
    h.launch.schedule = schedule;
    const uint32_t end = harness_run(&h);
    const size_t all = harness_findings(&h, TMA_EMULATE_RULES);
    if (end != c->end ||
        (c->rule == TMA_EMULATE_RULES ? all != 0 : !harness_finding(&h, c->rule))) {
        const tma_emulate_finding *f = tma_emulator_finding_at(h.emulator, 0);
        fail_msg("%s: %s, %zu findings: %s", c->name, tma_emulate_end_name(end), all,
                 f ? f->text : harness_why(&h));
    }
    const float *out = h.memory[0].bytes;
    for (uint32_t i = 0; c->value != 0 && i < 4 * c->block; i++) {
        if (out[i] != c->value) {
            fail_msg("%s, schedule %u: value %u is %g, not %g", c->name, schedule, i,
                     (double)out[i], (double)c->value);
        }
    }
    harness_end(&h);
}

static void test_cases(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        check(&CASES[i], TMA_EMULATE_LATE);
        check(&CASES[i], TMA_EMULATE_EARLY);
        check(&CASES[i], TMA_EMULATE_SEEDED);
    }
}

/* The only finding of a case is its own. */
static void test_one_finding(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        const uint32_t rule = CASES[i].rule;
        if (rule == TMA_EMULATE_RULE_REGISTER_EARLY || rule == TMA_EMULATE_RULE_STORE_REUSE) {
            harness h;
            begin(&h, CASES[i].middle, CASES[i].block);
            harness_run(&h);
            assert_int_equal(harness_findings(&h, TMA_EMULATE_RULES), 1);
            assert_true(harness_finding(&h, rule)->certain);
            harness_end(&h);
        }
    }
}

/* A caller's wgmma is under way: a function's completes at once, and this is said. */
static void test_function(void **state) {
    (void)state;
    harness h;
    uint32_t line = 0;
    harness_begin(&h, FUNCTION KERNEL PROXY BAR FENCE MMA(D1) COMMIT
                  "call (%r30), product, (%rd2, %rd3);\n" WAIT(
                      "0") "mov.b32 %r10, %r30;\nmov.b32 %r11, %r14;\nmov.b32 %r12, %r15;\n"
                           "mov.b32 %r13, %r16;\n" STORE END);
    harness_memory(&h, 2048);
    harness_block(&h, 1, 128);
    assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
    harness_none(&h);
    assert_string_equal(tma_emulator_note_at(h.emulator, 0, &line),
                        "a wgmma while a calling function's is under way: whether its registers "
                        "are used too early is not judged");
    for (uint32_t i = 0; i < 512; i++) {
        assert_true(((const float *)h.memory[0].bytes)[i] == 16);
    }
    harness_end(&h);
}

static void test_no_fence_is_a_note(void **state) {
    (void)state;
    harness h;
    uint32_t line = 0;
    begin(&h, PROXY BAR MMA(D0) COMMIT WAIT("0") STORE, 128);
    assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
    harness_none(&h);
    assert_string_equal(tma_emulator_note_at(h.emulator, 0, &line),
                        "no wgmma.fence before the warp's first wgmma");
    harness_end(&h);
    begin(&h, PROXY BAR FENCE MMA(D0) COMMIT WAIT("0") STORE, 128);
    harness_run(&h);
    assert_null(tma_emulator_note_at(h.emulator, 0, &line));
    harness_end(&h);
}

static void test_no_values(void **state) {
    (void)state;
    harness h;
    begin(&h, PROXY BAR FENCE MMA(D0) COMMIT WAIT("0") STORE, 128);
    memset(h.memory[0].bytes, 0xff, 2048);
    h.launch.no_values = 1;
    assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
    harness_none(&h);
    for (uint32_t i = 0; i < 2048; i++) {
        assert_int_equal(((const uint8_t *)h.memory[0].bytes)[i], 0);
    }
    harness_end(&h);
    begin(&h, BAR FENCE MMA(D0) COMMIT WAIT("0") STORE, 128);
    h.launch.no_values = 1;
    harness_run(&h);
    assert_non_null(harness_finding(&h, TMA_EMULATE_RULE_PROXY_STORE));
    harness_end(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),     cmocka_unit_test(test_one_finding),
        cmocka_unit_test(test_function),  cmocka_unit_test(test_no_fence_is_a_note),
        cmocka_unit_test(test_no_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
