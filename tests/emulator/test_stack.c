/* SPDX-License-Identifier: Apache-2.0
 *
 * alloca, stacksave, stackrestore: each lane has its own blocks, until its function returns or they
 * are given back.
 */
#include "emulator/harness.h"

#define THREADS 80

/* sum(n): 0 + … + n - 1 by way of n words on the stack. */
#define SUM                                                                                        \
    ".func (.reg .b32 %r) sum(.reg .b32 %n)\n{\n"                                                  \
    ".reg .b64 %p, %s, %q, %w; .reg .b32 %i, %v; .reg .pred %z;\n"                                 \
    "stacksave.u64 %s;\nmul.wide.u32 %w, %n, 4;\nalloca.u64 %p, %w, 16;\n"                         \
    "mov.b32 %i, 0;\nmov.b64 %q, %p;\n"                                                            \
    "FILL: st.local.u32 [%q], %i;\nadd.u64 %q, %q, 4;\nadd.u32 %i, %i, 1;\n"                       \
    "setp.lt.u32 %z, %i, %n;\n@%z bra FILL;\nmov.b32 %i, 0;\nmov.b32 %r, 0;\n"                     \
    "READ: sub.u64 %q, %q, 4;\nld.local.u32 %v, [%q];\nadd.u32 %r, %r, %v;\n"                      \
    "add.u32 %i, %i, 1;\nsetp.lt.u32 %z, %i, %n;\n@%z bra READ;\n"                                 \
    "stackrestore.u64 %s;\nret;\n}\n"

#define KERNEL(functions, body)                                                                    \
    functions ".visible .entry k(.param .u64 p)\n{\n"                                              \
              ".reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<2>;\n"                             \
              "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"        \
              "add.u64 %rd1, %rd1, %rd2;\n" body "\nret;\n}\n"

/* Runs it to an end that is expected; what the threads left, which is gone with the harness. */
static const uint32_t *run(harness *h, const char *ptx, uint32_t end) {
    harness_begin(h, ptx);
    const uint32_t *left = harness_memory(h, sizeof(uint32_t) * THREADS);
    harness_block(h, 1, THREADS);
    h->launch.most_memory_B = UINT64_C(1) << 25; /* the loop's blocks together have 131 MB */
    assert_int_equal(harness_run_all(h), end);
    return left;
}

/* A block of the caller's lies where it lay, behind calls that have their own. */
static void test_sums(void **state) {
    (void)state;
    harness h;
    const uint32_t *left =
        run(&h,
            KERNEL(SUM, "alloca.u64 %rd3, 8;\nst.local.u32 [%rd3+4], %r1;\n"
                        "add.u32 %r2, %r1, 2;\ncall (%r3), sum, (%r2);\n"
                        "sub.u32 %r2, %r2, 1;\ncall (%r4), sum, (%r2);\nsub.u32 %r3, %r3, %r4;\n"
                        "ld.local.u32 %r5, [%rd3+4];\n"
                        "mad.lo.u32 %r5, %r5, 1000, %r3;\n"
                        "st.global.u32 [%rd1], %r5;"),
            TMA_EMULATE_COMPLETED);
    harness_none(&h);
    for (uint32_t t = 0; t < THREADS; t++) {
        assert_int_equal(left[t], t * 1001 + 1);
    }
    harness_end(&h);
}

static void test_loop_gives_back(void **state) {
    (void)state;
    harness h;
    const uint32_t *left =
        run(&h,
            KERNEL("", "mov.b32 %r2, 0;\nLOOP: stacksave.u64 %rd3;\n"
                       "alloca.u64 %rd4, 16384, 128;\nst.local.u32 [%rd4+16380], %r2;\n"
                       "ld.local.u32 %r3, [%rd4+16380];\nstackrestore.u64 %rd3;\n"
                       "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 100;\n@%p1 bra LOOP;\n"
                       "st.global.u32 [%rd1], %r3;"),
            TMA_EMULATE_COMPLETED);
    assert_int_equal(left[THREADS - 1], 99);
    harness_end(&h);
}

typedef struct wrong {
    const char *ptx;
    uint32_t end;
    const char *why; /* what it says */
} wrong;

static const wrong WRONG[] = {
    {KERNEL("", "alloca.u64 %rd3, 16;\nst.local.u32 [%rd3+16], %r1;"), TMA_EMULATE_TRAP,
     "0x80000010"},
    {KERNEL("", "stacksave.u64 %rd4;\nalloca.u64 %rd3, 16;\nstackrestore.u64 %rd4;\n"
                "st.local.u32 [%rd3], %r1;"),
     TMA_EMULATE_TRAP, "0x80000000"},
    {KERNEL("", "mov.b64 %rd4, 0x7fffffffff;\nalloca.u64 %rd3, %rd4;"), TMA_EMULATE_LIMIT,
     "alloca"},
    {KERNEL("", ".local .b8 variable[67108864];"), TMA_EMULATE_LIMIT, "local variables need"},
    {KERNEL("", "alloca.u64 %rd3, 16, 12;"), TMA_EMULATE_NOT_EXECUTED, "power of two"},
};

static void test_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(WRONG); i++) {
        harness h;
        run(&h, WRONG[i].ptx, WRONG[i].end);
        assert_non_null(strstr(harness_why(&h), WRONG[i].why));
        harness_end(&h);
    }
}

#define LEAK ".func (.reg .b64 %a) leak()\n{\nalloca.u64 %a, 64;\nret;\n}\n"

/* A block ends with the function that took it. */
static void test_return_gives_back(void **state) {
    (void)state;
    harness h;
    run(&h, KERNEL(LEAK, "call (%rd3), leak;\nst.local.u32 [%rd3], %r1;"), TMA_EMULATE_TRAP);
    assert_non_null(strstr(harness_why(&h), "no variable of the thread lies there"));
    harness_end(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums), cmocka_unit_test(test_loop_gives_back),
        cmocka_unit_test(test_wrong), cmocka_unit_test(test_return_gives_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
