/* SPDX-License-Identifier: Apache-2.0
 *
 * tcgen05.mma.sp by hand: one product whose metadata is told cell by cell, and what is refused.
 */
#include <stdio.h>
#include <string.h>

#include "harness.h"

#define TEXT_B 8192

/* A: ones. B: element (k, n) is k times k. D at column 0, metadata at 32: lane l's word is in[l].
 */
static const char BEGIN[] =
    ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
    ".reg .b32 %r<40>;\n.reg .b64 %q<8>;\n.reg .b16 %h<4>;\n.reg .pred %p<4>;\n"
    ".shared .align 1024 .b8 ones[4096];\n.shared .align 1024 .b8 counts[512];\n"
    ".shared .align 8 .b64 bar;\n.shared .b32 at;\n"
    "ld.param.u64 %q0, [out];\nld.param.u64 %q1, [in];\nmov.u32 %r0, %tid.x;\n"
    "setp.lt.u32 %p0, %r0, 32;\nsetp.eq.u32 %p1, %r0, 0;\n"
    "@%p0 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], 64;\n"
    "@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\n"
    "mov.u32 %r1, ones;\nmad.lo.u32 %r2, %r0, 32, %r1;\nmov.u32 %r3, 0x3c003c00;\n"
    "st.shared.v4.u32 [%r2], {%r3, %r3, %r3, %r3};\n"
    "st.shared.v4.u32 [%r2+16], {%r3, %r3, %r3, %r3};\n"
    /* Thread t has k = t / 8 * 2 and the next, of column t % 8: 16 bytes of 8 elements a column. */
    "mov.u32 %r4, counts;\nand.b32 %r5, %r0, 7;\nshr.u32 %r6, %r0, 3;\n"
    "shr.u32 %r7, %r6, 2;\nand.b32 %r8, %r6, 3;\nmad.lo.u32 %r9, %r7, 128, %r4;\n"
    "mad.lo.u32 %r9, %r5, 16, %r9;\nmad.lo.u32 %r9, %r8, 4, %r9;\nshl.b32 %r10, %r6, 1;\n"
    "mul.lo.u32 %r11, %r10, %r10;\n"
    "cvt.rn.f16.u32 %h0, %r11;\nadd.u32 %r10, %r10, 1;\nmul.lo.u32 %r11, %r10, %r10;\n"
    "cvt.rn.f16.u32 %h1, %r11;\n"
    "mov.b32 %r11, {%h0, %h1};\nst.shared.u32 [%r9], %r11;\n"
    "fence.proxy.async.shared::cta;\nbar.sync 0;\nld.shared.u32 %r12, [at];\n"
    "shr.u32 %r13, %r0, 5;\nshl.b32 %r13, %r13, 21;\nadd.u32 %r13, %r13, %r12;\n"
    "add.u32 %r14, %r12, 32;\nmul.wide.u32 %q2, %r0, 4;\nadd.u64 %q2, %q2, %q1;\n"
    "ld.global.u32 %r15, [%q2];\nmov.u32 %r16, 0x44444444;\n"
    /* A: 8 rows a core matrix of 128 bytes, the next 16 bytes of K 2,048 bytes on; B likewise. */
    "shr.u32 %r1, %r1, 4;\ncvt.u64.u32 %q4, %r1;\nor.b64 %q4, %q4, 0x400800800000;\n"
    "shr.u32 %r4, %r4, 4;\ncvt.u64.u32 %q5, %r4;\nor.b64 %q5, %q5, 0x400000080000;\n";
static const char STORE[] = "tcgen05.st.sync.aligned.32x32b.x2.b32 [%r13+32], {%r15, %r16};\n"
                            "tcgen05.wait::st.sync.aligned;\n";
static const char READY[] = "tcgen05.fence::before_thread_sync;\nbar.sync 0;\n"
                            "tcgen05.fence::after_thread_sync;\nsetp.ne.u32 %p2, %r0, %r0;\n";
static const char END[] =
    "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n"
    "W: mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], 0;\n@!%p3 bra W;\n"
    "tcgen05.fence::after_thread_sync;\n"
    "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r20}, [%r13];\ntcgen05.wait::ld.sync.aligned;\n"
    "mul.wide.u32 %q2, %r0, 4;\nadd.u64 %q2, %q2, %q0;\nst.global.u32 [%q2], %r20;\nbar.sync 0;\n"
    "@%p0 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r12, 64;\nret;\n}\n";

#define MMA    "@%p1 tcgen05.mma.sp.cta_group::1."
#define M_128  "0x08020014" /* f16, D f32, N 8, sparse */
#define SPARSE MMA "kind::f16 [%r12], %q4, %q5, [%r14], " M_128 ", %p2;\n"

static uint32_t run(harness *h, const char *store, const char *mma, const uint32_t *metadata,
                    const uint32_t **out) {
    static char text[TEXT_B];
    assert_true(snprintf(text, sizeof(text), "%s%s%s%s%s", BEGIN, store, READY, mma, END) <
                (int)sizeof(text));
    harness_begin(h, text);
    *out = harness_memory(h, 4096);
    memcpy(harness_memory(h, 4096), metadata, 128 * sizeof(*metadata));
    harness_block(h, 1, 128);
    return harness_run(h);
}

static uint32_t whole_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof(value));
    return (uint32_t)value;
}

/* Metadata of rows 0 and 8 lies in lane 0 for the first half of K, in lane 8 for the second: row 8
 * has the high half of both words. Rows 1 to 7 and 9 to 15 likewise, and so on by 16 rows. */
static void test_each_row_reads_its_half_words(void **state) {
    static const uint32_t nibbles[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0x6, 0xe};
    static const uint32_t first_of[] = {0, 0, 0, 1, 1, 2, 2}, second_of[] = {1, 2, 3, 2, 3, 1, 3};
    uint32_t metadata[128], choice[128][8];
    const uint32_t *out;
    harness h;
    (void)state;
    for (uint32_t i = 0; i < 128 * 8; i++) {
        const uint32_t lane = i / 8, at = i % 8;
        choice[lane][at] = (lane * 3 + at * 5 + lane / 16) % 7;
        const uint32_t before = at ? little_endian(metadata[lane]) : 0;
        metadata[lane] = little_endian(before | nibbles[choice[lane][at]] << 4 * at);
    }
    assert_int_equal(run(&h, STORE, SPARSE, metadata, &out), TMA_EMULATE_COMPLETED);
    harness_none(&h);
    for (uint32_t row = 0; row < 128; row++) {
        uint32_t sum = 0;
        for (uint32_t chunk = 0; chunk < 8; chunk++) {
            const uint32_t lane = row / 16 * 16 + row % 8 + (chunk < 4 ? 0 : 8);
            const uint32_t which = choice[lane][(row % 16 < 8 ? 0 : 4) + chunk % 4];
            const uint32_t first = 4 * chunk + first_of[which],
                           second = 4 * chunk + second_of[which];
            sum += first * first + second * second;
        }
        assert_int_equal(whole_of(little_endian(out[row])), sum);
    }
    harness_end(&h);
}

typedef struct refusal {
    const char *store, *mma;
    uint32_t end, rule;
} refusal;

static void test_what_is_refused(void **state) {
    static const refusal all[] = {
        {STORE, SPARSE, TMA_EMULATE_COMPLETED, TMA_EMULATE_RULES},
        {"", SPARSE, TMA_EMULATE_TRAP, TMA_EMULATE_RULE_TRAP},
        {"mov.u32 %r15, 0x44444044;\n", SPARSE, TMA_EMULATE_TRAP, TMA_EMULATE_RULE_TRAP},
        /* the second column */
        {STORE, MMA "kind::f16 [%r12], %q4, %q5, [%r14], 0x08020015, %p2;\n", TMA_EMULATE_COMPLETED,
         TMA_EMULATE_RULES},
        {STORE, MMA "kind::f16 [%r12], %q4, %q5, [%r14+2], " M_128 ", %p2;\n", TMA_EMULATE_TRAP,
         TMA_EMULATE_RULE_TRAP},
        {STORE, MMA "kind::f16 [%r12], %q4, %q5, [%r14], 0x08020010, %p2;\n", TMA_EMULATE_TRAP,
         TMA_EMULATE_RULE_TRAP},
        {STORE, MMA "kind::i8 [%r12], %q4, %q5, [%r14], 0x08020025, %p2;\n", TMA_EMULATE_TRAP,
         TMA_EMULATE_RULE_TRAP},
        {STORE, "@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r12], %q4, %q5, " M_128 ", %p2;\n",
         TMA_EMULATE_TRAP, TMA_EMULATE_RULE_TRAP},
        {STORE, MMA "kind::f16 [%r12], %q4, %q5, [%r14+64], " M_128 ", %p2;\n", TMA_EMULATE_TRAP,
         TMA_EMULATE_RULE_OUT_OF_BOUNDS},
        {STORE,
         "@%p1 tcgen05.mma.ws.sp.cta_group::1.kind::f16 [%r12], %q4, %q5, [%r14], "
         "0x08400014, %p2;\n",
         TMA_EMULATE_TRAP, TMA_EMULATE_RULE_TRAP},
        {STORE, "add.u32 %r14, %r14, 0x100000;\n" SPARSE, TMA_EMULATE_TRAP, TMA_EMULATE_RULE_TRAP},
        /* what no source tells */
        {STORE, MMA "kind::f16 [%r12], %q4, %q5, [%r14], 0x08020016, %p2;\n",
         TMA_EMULATE_NOT_EXECUTED, TMA_EMULATE_RULES},
        {STORE, MMA "kind::f16 [%r12], %q4, %q5, [%r14+1], " M_128 ", %p2;\n",
         TMA_EMULATE_NOT_EXECUTED, TMA_EMULATE_RULES},
        /* forms that there are not */
        {STORE, MMA "kind::f16 [%r12], %q4, %q5, " M_128 ", %p2;\n", TMA_EMULATE_NOT_EXECUTED,
         TMA_EMULATE_RULES},
        {STORE, MMA "kind::f16 [%r12], %q4, %q5, %r14, " M_128 ", %p2;\n", TMA_EMULATE_NOT_EXECUTED,
         TMA_EMULATE_RULES},
        {STORE,
         "@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r12], %q4, %q5, [%r14], " M_128 ", %p2;\n",
         TMA_EMULATE_NOT_EXECUTED, TMA_EMULATE_RULES},
    };
    uint32_t metadata[128];
    (void)state;
    for (uint32_t lane = 0; lane < 128; lane++) {
        metadata[lane] = 0xeeeeeeee;
    }
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        const uint32_t *out;
        char store[256];
        harness h;
        const int is_changed = all[i].store[0] == 'm';
        (void)snprintf(store, sizeof(store), "%s%s", all[i].store, is_changed ? STORE : "");
        const uint32_t end = run(&h, store, all[i].mma, metadata, &out);
        if (end != all[i].end) {
            fail_msg("%s%s: %s", all[i].mma, tma_emulate_end_name(end), harness_why(&h));
        }
        if (all[i].rule != TMA_EMULATE_RULES) {
            assert_int_equal(harness_findings(&h, all[i].rule), 1);
        }
        harness_end(&h);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_row_reads_its_half_words),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
