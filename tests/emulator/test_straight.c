/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs of instructions that only compute are executed at once, unless each instruction is watched:
 * both are the same in counts, values, findings and end.
 */
#include "emulator/harness.h"

#define KERNEL(body)                                                                               \
    ".visible .entry k(.param .u64 p)\n{\n"                                                        \
    ".reg .b64 %rd<9>; .reg .b32 %r<32>; .reg .f32 %f<9>; .reg .pred %p<9>;\n"                     \
    ".shared .align 8 .b32 s[128];\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"               \
    "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd1, %rd1, %rd2;\nmov.u32 %r3, 1;\nmov.u32 %r4, 0;\n"    \
    "" body "st.global.u32 [%rd1], %r3;\nret;\n}\n"

#define COMPUTES                                                                                   \
    "add.u32 %r3, %r3, %r1;\nxor.b32 %r3, %r3, %r4;\nmad.lo.u32 %r3, %r3, 5, %r1;\n"               \
    "shl.b32 %r6, %r3, 3;\nsub.u32 %r3, %r3, %r6;\n"

static const struct straight {
    const char *name, *ptx;
    uint32_t findings;
} KERNELS[] = {
    {"a loop",
     KERNEL("L:\n" COMPUTES "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 90;\n"
            "@%p1 bra L;\n"),
     0},
    {"lanes that leave a loop one by one",
     KERNEL("L:\n" COMPUTES "add.u32 %r4, %r4, 1;\nsetp.le.u32 %p1, %r4, %r1;\n@%p1 bra L;\n"), 0},
    {"a label in the middle, guards",
     KERNEL("and.b32 %r5, %r1, 1;\nsetp.eq.u32 %p2, %r5, 0;\nmov.u32 %r7, 7;\n@%p2 bra M;\n"
            "add.u32 %r3, %r3, 2;\nadd.u32 %r7, %r7, 3;\nM:\n" COMPUTES
            "@%p2 add.u32 %r3, %r3, %r7;\n@!%p2 mul.lo.u32 %r3, %r3, 3;\n" COMPUTES),
     0},
    {"the second iteration alone has all values",
     KERNEL("L:\nadd.u32 %r7, %r8, 1;\nadd.u32 %r9, %r7, %r3;\nmov.u32 %r8, %r4;\n"
            "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 2;\n@%p1 bra L;\n"
            "st.global.u32 [%rd1+512], %r9;\n"),
     0},
    {"a value that nobody wrote, between others",
     KERNEL(COMPUTES "add.u32 %r10, %r3, %r11;\nadd.u32 %r12, %r10, 1;\n" COMPUTES
                     "st.global.u32 [%rd1+512], %r12;\n"),
     1},
    {"the same in some lanes",
     KERNEL("setp.lt.u32 %p1, %r1, 40;\n@%p1 mov.u32 %r11, 5;\nadd.u32 %r12, %r11, %r3;\n"
            "selp.b32 %r13, %r12, %r3, %p1;\nmul.lo.u32 %r12, %r12, 3;\n"
            "st.global.u32 [%rd1+512], %r13;\nst.global.u32 [%rd1+1024], %r12;\n"),
     1},
    {"memory that nobody wrote",
     KERNEL("mov.u32 %r14, s;\nld.shared.u32 %r15, [%r14];\n" COMPUTES
            "add.u32 %r15, %r15, %r3;\nadd.u32 %r16, %r3, 1;\nadd.u32 %r17, %r15, %r16;\n"
            "st.global.u32 [%rd1+512], %r17;\nst.global.u32 [%rd1+1024], %r16;\n"),
     1},
    {"no executor", KERNEL(COMPUTES "copysign.f16 %f1, %f1, %f1;\n" COMPUTES), 0},
};

static void ignore(void *context, const tma_emulate_event *event) {
    (void)event;
    ++*(size_t *)context;
}

typedef struct outcome {
    uint8_t bytes[4096];
    uint32_t executed[128], findings, end;
    uint64_t instructions;
} outcome;

static outcome run(harness *h) {
    outcome o = {.findings = 0};
    tma_emulate_line line;
    memset(h->memory[0].bytes, 0, h->memory[0].size_B);
    o.end = harness_run(h);
    o.instructions = tma_emulator_instructions(h->emulator);
    for (size_t i = 0; tma_emulator_line_at(h->emulator, i, &line); i++) {
        assert_true(i < COUNT_OF(o.executed));
        o.executed[i] = line.executed;
    }
    o.findings = (uint32_t)harness_findings(h, TMA_EMULATE_RULES);
    memcpy(o.bytes, h->memory[0].bytes, sizeof(o.bytes));
    return o;
}

static void watched_and_at_once(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(KERNELS); i++) {
        for (uint64_t seed = 0; seed < 6; seed++) {
            harness h;
            size_t seen = 0;
            harness_begin(&h, KERNELS[i].ptx);
            harness_memory(&h, sizeof(((outcome *)0)->bytes));
            harness_block(&h, 1, 80);
            h.launch.schedule = seed ? TMA_EMULATE_SEEDED : TMA_EMULATE_LATE;
            h.launch.seed = seed;
            h.launch.watch = ignore;
            h.launch.watch_context = &seen;
            outcome both[2];
            both[0] = run(&h);
            h.launch.watches = TMA_EMULATE_INSTRUCTION;
            both[1] = run(&h);
            assert_true(seen > 0);
            if (memcmp(&both[0], &both[1], sizeof(both[0])) != 0 ||
                (KERNELS[i].findings > 0) != (both[0].findings > 0)) {
                fail_msg("%s, seed %llu: %u and %u findings, %llu and %llu instructions",
                         KERNELS[i].name, (unsigned long long)seed, both[0].findings,
                         both[1].findings, (unsigned long long)both[0].instructions,
                         (unsigned long long)both[1].instructions);
            }
            harness_end(&h);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watched_and_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
