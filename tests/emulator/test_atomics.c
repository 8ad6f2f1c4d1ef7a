/* SPDX-License-Identifier: Apache-2.0
 *
 * Atomics of whole kernels: each thread's own result, locks, and a lock that nobody opens.
 */
#include "harness.h"

#define KERNEL                                                                                     \
    ".visible .entry k(.param .u64 out)\n{\n"                                                      \
    ".reg .b32 %r<10>;\n.reg .b64 %rd<8>;\n.reg .pred %p<4>;\n"                                    \
    "mov.u32 %r0, %tid.x;\nld.param.u64 %rd0, [out];\n"                                            \
    "mad.wide.u32 %rd1, %r0, 4, %rd0;\n"
#define END "ret;\n}\n"

static void begin(harness *h, const char *body, uint32_t grid, uint32_t block) {
    char text[4096];
    snprintf(text, sizeof(text), "%s%s%s", KERNEL, body, END);
    harness_begin(h, text);
    harness_memory(h, 4096);
    harness_block(h, grid, block);
}

static void test_each_gets_its_own(void **state) {
    (void)state;
    harness h;
    uint8_t seen[256] = {0};
    begin(&h, "atom.global.add.u32 %r1, [%rd0], 1;\nst.global.u32 [%rd1+256], %r1;\n", 1, 256);
    assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
    harness_none(&h);
    const uint32_t *out = h.memory[0].bytes;
    assert_int_equal(out[0], 256);
    for (uint32_t i = 0; i < 256; i++) {
        assert_true(out[64 + i] < 256);
        assert_false(seen[out[64 + i]]++);
    }
    harness_end(&h);
}

/* One thread of each warp takes a lock, adds without an atomic, and opens it again. */
#define LOCKED                                                                                     \
    "and.b32 %r2, %r0, 31;\nsetp.ne.u32 %p0, %r2, 0;\n@%p0 bra done;\n"                            \
    "again:\natom.global.acquire.gpu.cas.b32 %r3, [%rd0+8], 0, 1;\n"                               \
    "setp.ne.u32 %p1, %r3, 0;\n@%p1 bra again;\n"                                                  \
    "ld.global.u32 %r4, [%rd0];\nadd.u32 %r4, %r4, 1;\nst.global.u32 [%rd0], %r4;\n"

static void test_lock(void **state) {
    (void)state;
    harness h;
    begin(&h, LOCKED "atom.global.release.gpu.exch.b32 %r3, [%rd0+8], 0;\ndone:\n", 4, 128);
    assert_int_equal(harness_run_all(&h), TMA_EMULATE_COMPLETED);
    harness_none(&h);
    assert_int_equal(*(const uint32_t *)h.memory[0].bytes, 16);
    harness_end(&h);
}

static void test_lock_that_stays_shut(void **state) {
    (void)state;
    harness h;
    begin(&h, LOCKED "done:\n", 1, 128);
    assert_int_equal(harness_run(&h), TMA_EMULATE_DEADLOCK);
    assert_non_null(harness_finding(&h, TMA_EMULATE_RULE_DEADLOCK));
    assert_int_equal(*(const uint32_t *)h.memory[0].bytes, 1);
    harness_end(&h);
}

/* Whether a kernel of one instruction, executed three times by many threads, is proved; where it is
 * not, that is why. */
static int is_proved(const char *instruction, uint32_t block) {
    harness h;
    char body[512];
    const char *why = NULL;
    uint32_t line = 0;
    snprintf(body, sizeof(body), "%s\n%s\n%s\n", instruction, instruction, instruction);
    begin(&h, body, 1, block);
    assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
    harness_none(&h);
    const int is = tma_emulator_proves(h.emulator, &why, &line);
    if (!is) {
        assert_string_equal(why, "the order of two atomics is open");
    }
    harness_end(&h);
    return is;
}

/* However many warps a cell has, kept one by one or all together. */
static void test_order_of_atomics(void **state) {
    (void)state;
    static const uint32_t BLOCK[] = {32, 64, 128, 1024};
    for (size_t i = 0; i < COUNT_OF(BLOCK); i++) {
        assert_true(is_proved("red.global.add.u32 [%rd0], 1;", BLOCK[i]));
        assert_true(is_proved("red.global.and.b32 [%rd0], %r0;", BLOCK[i]));
        assert_false(is_proved("red.global.add.f32 [%rd0], 0f3F800000;", BLOCK[i]));
        assert_false(is_proved("atom.global.add.u32 %r1, [%rd0], 1;", BLOCK[i]));
        assert_false(is_proved("atom.global.exch.b32 %r1, [%rd0], %r0;", BLOCK[i]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_gets_its_own),
        cmocka_unit_test(test_lock),
        cmocka_unit_test(test_lock_that_stays_shut),
        cmocka_unit_test(test_order_of_atomics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
