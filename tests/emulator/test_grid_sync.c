/* SPDX-License-Identifier: Apache-2.0
 *
 * Cooperative launches: what grid.sync is made of orders CTAs; without it they race, a CTA that
 * does not come is waited for in vain, and a grid that is too large is refused.
 */
#include "emulator/harness.h"

#define CTAS 6u

#define BEGIN                                                                                      \
    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b32 %r<16>;\n"                   \
    ".reg .b64 %q<8>;\n.reg .pred %p<4>;\nld.param.u64 %q0, [in];\nld.param.u64 %q1, [out];\n"     \
    "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %nctaid.x;\n"                      \
    "setp.eq.u32 %p0, %r0, 0;\nsetp.eq.u32 %p1, %r1, 0;\n"                                         \
    "mov.u32 %r3, %envreg1;\nmov.u32 %r4, %envreg2;\nmov.b64 %q2, {%r4, %r3};\n"
/* in[CTA] = CTA + 1 */
#define WRITES                                                                                     \
    "mul.wide.u32 %q3, %r1, 4;\nadd.u64 %q4, %q0, %q3;\nadd.u32 %r5, %r1, 1;\n"                    \
    "@%p0 st.global.u32 [%q4], %r5;\n"
/* All add 1 but the first, which adds what turns the highest bit over. */
#define SYNC                                                                                       \
    "bar.sync 0;\n@!%p0 bra MET;\nsub.u32 %r6, 0x80000001, %r2;\nselp.b32 %r7, %r6, 1, %p1;\n"     \
    "atom.add.release.gpu.u32 %r8, [%q2+4], %r7;\n"                                                \
    "AGAIN: ld.acquire.gpu.u32 %r9, [%q2+4];\nxor.b32 %r9, %r9, %r8;\n"                            \
    "setp.ge.s32 %p2, %r9, 0;\n@%p2 bra AGAIN;\nMET: bar.sync 0;\n"
/* out[CTA] = in[the last one - CTA] */
#define READS                                                                                      \
    "sub.u32 %r10, %r2, %r5;\nmul.wide.u32 %q5, %r10, 4;\nadd.u64 %q5, %q0, %q5;\n"                \
    "@%p0 ld.global.u32 %r11, [%q5];\nadd.u64 %q6, %q1, %q3;\n@%p0 st.global.u32 [%q6], %r11;\n"
#define END "DONE: ret;\n}\n"

static void begin(harness *h, const char *ptx) {
    harness_begin(h, ptx);
    harness_memory(h, CTAS * sizeof(uint32_t));
    harness_memory(h, CTAS * sizeof(uint32_t));
    harness_block(h, CTAS, 64);
    h->launch.cooperative = 1;
}

static void all_see_all(void **state) {
    (void)state;
    harness h;
    begin(&h, BEGIN WRITES SYNC READS END);
    assert_int_equal(harness_run_all(&h), TMA_EMULATE_COMPLETED);
    harness_none(&h);
    const uint32_t *out = h.memory[1].bytes;
    for (uint32_t i = 0; i < CTAS; i++) {
        assert_int_equal(little_endian(out[i]), CTAS - i);
    }
    harness_end(&h);
}

static void without_it_they_race(void **state) {
    (void)state;
    harness h;
    begin(&h, BEGIN WRITES READS END);
    harness_run(&h);
    assert_true(harness_findings(&h, TMA_EMULATE_RULE_DATA_RACE) > 0);
    harness_end(&h);
}

static void one_does_not_come(void **state) {
    (void)state;
    harness h;
    begin(&h, BEGIN "setp.eq.u32 %p3, %r1, 3;\n@%p3 bra DONE;\n" WRITES SYNC READS END);
    assert_int_equal(harness_run(&h), TMA_EMULATE_DEADLOCK);
    assert_true(harness_findings(&h, TMA_EMULATE_RULE_DEADLOCK) > 0);
    harness_end(&h);
}

/* Each launch begins with zeros; one that is not cooperative has no such memory. */
static void whose_memory_it_is(void **state) {
    (void)state;
    static const char READS_WORDS[] =
        BEGIN "ld.global.u32 %r5, [%q2+4];\n@%p0 st.global.u32 [%q1], %r5;\n"
              "@%p0 st.global.u32 [%q2+4], 7;\n" END;
    harness h;
    begin(&h, READS_WORDS);
    harness_block(&h, 1, 32);
    for (uint32_t i = 0; i < 2; i++) {
        *(uint32_t *)h.memory[1].bytes = UINT32_MAX;
        assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
        assert_int_equal(*(uint32_t *)h.memory[1].bytes, 0);
    }
    h.launch.cooperative = 0;
    assert_int_equal(harness_run(&h), TMA_EMULATE_TRAP);
    assert_true(harness_findings(&h, TMA_EMULATE_RULE_OUT_OF_BOUNDS) > 0);
    harness_end(&h);
}

static void more_than_run_at_once(void **state) {
    (void)state;
    static const struct {
        uint32_t grid, block, resident;
        const char *text; /* null: it is taken */
    } rows[] = {
        {264, 1024, 0, NULL},
        {265, 1024, 0,
         "grid: 265 CTAs; a cooperative launch has as many as run at once, 264 at most"},
        {CTAS, 32, 5, "grid: 6 CTAs; a cooperative launch has as many as run at once, 5 at most"},
        {CTAS, 32, 6, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        tma_error error = {.text = ""};
        harness h;
        harness_begin(&h, ".visible .entry k()\n{\nret;\n}\n");
        harness_block(&h, rows[i].grid, rows[i].block);
        h.launch.resident = rows[i].resident;
        h.launch.cooperative = 1;
        assert_int_equal(tma_emulator_run(h.emulator, &h.launch, &error),
                         rows[i].text ? TMA_INVALID : TMA_OK);
        assert_string_equal(error.text, rows[i].text ? rows[i].text : "");
        harness_end(&h);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_see_all),           cmocka_unit_test(without_it_they_race),
        cmocka_unit_test(one_does_not_come),     cmocka_unit_test(whose_memory_it_is),
        cmocka_unit_test(more_than_run_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
