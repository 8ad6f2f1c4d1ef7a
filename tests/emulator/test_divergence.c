/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes that part and meet: each kernel writes a number for each thread, which plain C computes
 * again; under all schedules the same.
 */
#include "emulator/harness.h"

#define THREADS 80 /* the last warp is half there */

/* %r1 is the thread's number, %r9 its result. */
#define KERNEL(functions, body)                                                                    \
    functions                                                                                      \
        ".visible .entry k(.param .u64 p)\n{\n"                                                    \
        ".reg .b64 %rd<9>; .reg .b32 %r<32>; .reg .pred %p<9>; .shared .align 8 .b32 s[96];\n"     \
        "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmov.b32 %r9, 0;\n" body                    \
        "\nOUT: mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"                           \
        "st.global.u32 [%rd3], %r9;\nret;\n}\n"

typedef struct pattern {
    const char *name, *ptx;
    uint32_t (*expected)(uint32_t thread);
} pattern;

/* if (t odd) r = 3t; else r = t + 100; r++ */
static uint32_t branches(uint32_t t) {
    return (t % 2 ? 3 * t : t + 100) + 1;
}
#define BRANCHES                                                                                   \
    KERNEL("", "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra EVEN;\n"                  \
               "mul.lo.u32 %r9, %r1, 3;\nbra.uni MEET;\n"                                          \
               "EVEN: add.u32 %r9, %r1, 100;\nMEET: add.u32 %r9, %r9, 1;")

/* Loops in a loop, each lane with its own counts. */
static uint32_t loops(uint32_t t) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i <= t % 7; i++) {
        for (uint32_t k = 0; k <= (t + i) % 5; k++) {
            sum += i * 10 + k;
        }
        sum ^= i;
    }
    return sum;
}
#define LOOPS                                                                                      \
    KERNEL("", "rem.u32 %r2, %r1, 7;\nmov.b32 %r3, 0;\n"                                           \
               "OUTER: add.u32 %r4, %r1, %r3;\nrem.u32 %r4, %r4, 5;\nmov.b32 %r5, 0;\n"            \
               "INNER: mad.lo.u32 %r6, %r3, 10, %r5;\nadd.u32 %r9, %r9, %r6;\n"                    \
               "add.u32 %r5, %r5, 1;\nsetp.le.u32 %p1, %r5, %r4;\n@%p1 bra INNER;\n"               \
               "xor.b32 %r9, %r9, %r3;\nadd.u32 %r3, %r3, 1;\nsetp.le.u32 %p2, %r3, %r2;\n"        \
               "@%p2 bra OUTER;")

/* while (1) { if (i == t % 11) break; if (i % 3 == 1) { i++; continue; } r += i; i++; } r += 1000
 */
static uint32_t breaks(uint32_t t) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i != t % 11; i++) {
        sum += i % 3 == 1 ? 0 : i;
    }
    return sum + 1000;
}
#define BREAKS                                                                                     \
    KERNEL("", "rem.u32 %r2, %r1, 11;\nmov.b32 %r3, 0;\n"                                          \
               "TOP: setp.eq.u32 %p1, %r3, %r2;\n@%p1 bra DONE;\nrem.u32 %r4, %r3, 3;\n"           \
               "setp.eq.u32 %p2, %r4, 1;\n@%p2 bra NEXT;\nadd.u32 %r9, %r9, %r3;\n"                \
               "NEXT: add.u32 %r3, %r3, 1;\nbra.uni TOP;\nDONE: add.u32 %r9, %r9, 1000;")

/* Some leave early, the others meet at a barrier. */
static uint32_t leaves(uint32_t t) {
    return t % 3 == 0 ? 0 : t ^ 5;
}
#define LEAVES(how)                                                                                \
    KERNEL("", "rem.u32 %r2, %r1, 3;\nsetp.eq.u32 %p1, %r2, 0;\n" how                              \
               "\nbarrier.sync 0;\nxor.b32 %r9, %r1, 5;")

/* Recursion: Fibonacci numbers, each lane its own depth. */
static uint32_t fibonacci(uint32_t n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
static uint32_t recursion(uint32_t t) {
    return fibonacci(t % 9);
}
#define FIBONACCI                                                                                  \
    ".func (.param .b32 r) fib(.param .b32 n)\n{\n.reg .b32 %r<9>; .reg .pred %p<2>;\n"            \
    "ld.param.u32 %r1, [n];\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra LEAF;\n"                           \
    "sub.u32 %r2, %r1, 1;\n{ .param .b32 a; .param .b32 b;\nst.param.b32 [a], %r2;\n"              \
    "call.uni (b), fib, (a);\nld.param.b32 %r3, [b]; }\nsub.u32 %r2, %r1, 2;\n"                    \
    "{ .param .b32 a; .param .b32 b;\nst.param.b32 [a], %r2;\ncall.uni (b), fib, (a);\n"           \
    "ld.param.b32 %r4, [b]; }\nadd.u32 %r5, %r3, %r4;\nst.param.b32 [r], %r5;\nret;\n"             \
    "LEAF: st.param.b32 [r], %r1;\nret;\n}\n"
#define RECURSION                                                                                  \
    KERNEL(FIBONACCI, "rem.u32 %r2, %r1, 9;\n{ .param .b32 a; .param .b32 b;\n"                    \
                      "st.param.b32 [a], %r2;\ncall.uni (b), fib, (a);\nld.param.b32 %r9, [b]; }")

/* Calls where lanes are apart: some by a guard, some early returns, registers as parameters. */
static uint32_t calls(uint32_t t) {
    const uint32_t v = t % 4 == 2 ? 7 : t % 4 == 3 ? t * t : t + 1;
    return t % 5 == 0 ? 0 : v;
}
#define CALLS                                                                                      \
    KERNEL(".func (.reg .b32 o) f(.reg .b32 i)\n{\n.reg .b32 %r<4>; .reg .pred %p<3>;\n"           \
           "and.b32 %r1, i, 3;\nsetp.eq.u32 %p1, %r1, 2;\nmov.b32 o, 7;\n@%p1 ret;\n"              \
           "setp.eq.u32 %p2, %r1, 3;\nadd.u32 o, i, 1;\n@!%p2 bra END;\nmul.lo.u32 o, i, i;\n"     \
           "END: ret;\n}\n",                                                                       \
           "rem.u32 %r2, %r1, 5;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 call (%r9), f, (%r1);")

/* Indirect calls: each lane its own function. */
static uint32_t indirect(uint32_t t) {
    return t % 2 ? t + 1000 : t * 2;
}
#define INDIRECT                                                                                   \
    KERNEL(".func (.param .b32 o) f(.param .b32 i)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [i];\n" \
           "add.u32 %r2, %r1, 1000;\nst.param.b32 [o], %r2;\nret;\n}\n"                            \
           ".func (.param .b32 o) g(.param .b32 i)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [i];\n" \
           "add.u32 %r2, %r1, %r1;\nst.param.b32 [o], %r2;\nret;\n}\n",                            \
           "mov.u64 %rd4, f;\nmov.u64 %rd5, g;\nand.b32 %r2, %r1, 1;\n"                            \
           "setp.eq.u32 %p1, %r2, 1;\nselp.b64 %rd6, %rd4, %rd5, %p1;\n"                           \
           "{ .param .b32 a; .param .b32 b;\nst.param.b32 [a], %r1;\n"                             \
           "prototype: .callprototype (.param .b32 _) _ (.param .b32 _);\n"                        \
           "call (b), %rd6, (a), prototype;\nld.param.b32 %r9, [b]; }")

/* A table of labels. */
static uint32_t tables(uint32_t t) {
    static const uint32_t OF[4] = {11, 22, 33, 44};
    return OF[t % 4] + t;
}
#define TABLES                                                                                     \
    KERNEL("", "and.b32 %r2, %r1, 3;\nts: .branchtargets A, B, C, D;\nbrx.idx %r2, ts;\n"          \
               "A: mov.b32 %r9, 11;\nbra.uni MEET;\nB: mov.b32 %r9, 22;\nbra.uni MEET;\n"          \
               "C: mov.b32 %r9, 33;\nbra.uni MEET;\nD: mov.b32 %r9, 44;\n"                         \
               "MEET: add.u32 %r9, %r9, %r1;")

/* Lane 0 of each warp sets a flag that its siblings spin on. */
static uint32_t spins(uint32_t t) {
    return t + 1;
}
#define SPINS                                                                                      \
    KERNEL("", "shr.u32 %r2, %r1, 5;\nmov.u32 %r3, s;\nmad.lo.u32 %r3, %r2, 4, %r3;\n"             \
               "and.b32 %r4, %r1, 31;\nsetp.eq.u32 %p1, %r4, 0;\n@!%p1 bra SYNC;\n"                \
               "st.volatile.shared.u32 [%r3], 0;\nSYNC: bar.sync 0;\n@%p1 bra LEAD;\n"             \
               "SPIN: ld.volatile.shared.u32 %r5, [%r3];\nsetp.eq.u32 %p2, %r5, 0;\n"              \
               "@%p2 bra SPIN;\nbra.uni MEET;\nLEAD: st.volatile.shared.u32 [%r3], 1;\n"           \
               "MEET: add.u32 %r9, %r1, 1;")

/* A lock that one lane after another holds: two of each warp. */
static uint32_t locks(uint32_t t) {
    (void)t;
    return 6;
}
#define LOCKS                                                                                      \
    KERNEL("", "mov.u32 %r3, s;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.v2.u32 [%r3], {0, 0};\n" \
               "bar.sync 0;\nand.b32 %r7, %r1, 31;\nsetp.ge.u32 %p3, %r7, 2;\n@%p3 bra ALL;\n"     \
               "LOCK: atom.acquire.cta.shared.cas.b32 %r4, [%r3], 0, 1;\n"                         \
               "setp.ne.u32 %p2, %r4, 0;\n@%p2 bra LOCK;\n"                                        \
               "ld.shared.u32 %r5, [%r3+4];\nadd.u32 %r5, %r5, 1;\nst.shared.u32 [%r3+4], %r5;\n"  \
               "atom.release.cta.shared.exch.b32 %r6, [%r3], 0;\n"                                 \
               "ALL: bar.sync 0;\nld.shared.u32 %r9, [%r3+4];")

/* bar.warp.sync on both sides of a branch, with the lanes of each. */
static uint32_t halves(uint32_t t) {
    return t % 32 < 16 ? (t ^ 1) + 1 : (t ^ 1) + 2;
}
#define HALVES                                                                                     \
    KERNEL("",                                                                                     \
           "mov.u32 %r3, s;\nmad.lo.u32 %r4, %r1, 4, %r3;\nxor.b32 %r5, %r4, 4;\n"                 \
           "st.shared.u32 [%r4], %r1;\nand.b32 %r6, %r1, 31;\nsetp.lt.u32 %p1, %r6, 16;\n"         \
           "@%p1 bra LOW;\nbar.warp.sync 0xffff0000;\nld.shared.u32 %r9, [%r5];\n"                 \
           "add.u32 %r9, %r9, 2;\nbra.uni MEET;\n"                                                 \
           "LOW: bar.warp.sync 0xffff;\nld.shared.u32 %r9, [%r5];\nadd.u32 %r9, %r9, 1;\nMEET:")

/* A loop whose only way out is an exit at its head, which stands behind where its lanes meet. */
static uint32_t turns(uint32_t t) {
    return t < 64 ? UINT32_MAX : (1u << (THREADS - 64)) - 1;
}
#define TURNS                                                                                      \
    KERNEL("", "and.b32 %r2, %r1, 31;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"    \
               "mov.b32 %r3, 0;\nbra.uni TURN;\n"                                                  \
               "MEET: activemask.b32 %r9;\nst.global.u32 [%rd3], %r9;\nadd.u32 %r3, %r3, 1;\n"     \
               "TURN: setp.ge.u32 %p1, %r3, 2;\n@%p1 bra END;\n"                                   \
               "setp.ne.u32 %p2, %r2, 0;\n@%p2 bra MEET;\nadd.u32 %r4, %r3, 1;\nbra.uni MEET;\n"   \
               "END: ret;")

static const pattern PATTERNS[] = {
    {"branches", BRANCHES, branches},
    {"loops", LOOPS, loops},
    {"breaks", BREAKS, breaks},
    {"ret", LEAVES("@%p1 ret;"), leaves},
    {"exit", LEAVES("@%p1 exit;"), leaves},
    {"a branch to the end", LEAVES("@!%p1 bra ON;\nret;\nON:"), leaves},
    {"a branch to an exit", LEAVES("@!%p1 bra ON;\nexit;\nON:"), leaves},
    {"recursion", RECURSION, recursion},
    {"calls", CALLS, calls},
    {"indirect calls", INDIRECT, indirect},
    {"tables", TABLES, tables},
    {"spinning", SPINS, spins},
    {"locks", LOCKS, locks},
    {"halves", HALVES, halves},
    {"turns", TURNS, turns},
};

static void one(const pattern *p) {
    harness h;
    harness_begin(&h, p->ptx);
    const uint32_t *out = harness_memory(&h, THREADS * sizeof(uint32_t));
    harness_block(&h, 1, THREADS);
    const uint32_t end = harness_run_all(&h);
    if (end != TMA_EMULATE_COMPLETED) {
        fail_msg("%s: %s: %s", p->name, tma_emulate_end_name(end), harness_why(&h));
    }
    for (uint32_t t = 0; t < THREADS; t++) {
        if (out[t] != p->expected(t)) {
            fail_msg("%s, thread %u: %u, not %u", p->name, t, out[t], p->expected(t));
        }
    }
    harness_none(&h);
    harness_end(&h);
}

static void lanes_part_and_meet(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(PATTERNS); i++) {
        print_message("%s\n", PATTERNS[i].name);
        one(&PATTERNS[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_part_and_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
