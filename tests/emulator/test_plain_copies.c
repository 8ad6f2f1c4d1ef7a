/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies without a map: cp.async.bulk in all directions, reductions, masks, groups; cp.async with
 * its groups and mbarriers; st.async, red.async, st.bulk.
 */
#include "emulator/harness.h"

#define WORDS 1024

#define HEAD                                                                                       \
    ".visible .entry k(.param .u64 p, .param .u64 q)\n{\n"                                         \
    ".reg .pred %p<9>; .reg .b16 %rs<3>; .reg .b32 %r<30>; .reg .b64 %rd<30>;\n"                   \
    ".shared .align 16 .b8 s[4112]; .shared .align 8 .b64 bar;\n"                                  \
    "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd1, %rd1; ld.param.u64 %rd2, [q];\n"             \
    "cvta.to.global.u64 %rd2, %rd2; mov.u32 %r9, %cluster_ctarank; xor.b32 %r10, %r9, 1;\n"        \
    "mov.u32 %r1, %tid.x; mov.u32 %r2, s; mov.u32 %r3, bar; setp.eq.u32 %p1, %r1, 0;\n"            \
    "mapa.shared::cluster.u32 %r4, %r2, %r10; mapa.shared::cluster.u32 %r5, %r3, %r10;\n"          \
    "@%p1 mbarrier.init.shared.b64 [%r3], 1; @%p1 fence.mbarrier_init.release.cluster;\n"          \
    "mov.u32 %r20, %r1;\n" /* s[i] = i * 77 + rank */                                              \
    "Z: shl.b32 %r21, %r20, 2; add.u32 %r22, %r2, %r21; mad.lo.u32 %r23, %r20, 77, %r9;\n"         \
    "st.shared.u32 [%r22], %r23; add.u32 %r20, %r20, 32; setp.lt.u32 %p3, %r20, 1024;\n"           \
    "@%p3 bra Z; fence.proxy.async; barrier.cluster.arrive; barrier.cluster.wait;\n"
#define WAIT(bytes)                                                                                \
    "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], " #bytes ";\n"                            \
    "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0; @!%p2 bra W;\n"
#define GROUP "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
/* Shared memory to memory 0 behind the CTA's rank. */
#define DUMP                                                                                       \
    "D0: mul.wide.u32 %rd20, %r9, 4096; add.u64 %rd21, %rd1, %rd20; mov.u32 %r20, %r1;\n"          \
    "D: shl.b32 %r21, %r20, 2; add.u32 %r22, %r2, %r21; ld.shared.u32 %r23, [%r22];\n"             \
    "cvt.u64.u32 %rd22, %r21; add.u64 %rd22, %rd22, %rd21; st.global.u32 [%rd22], %r23;\n"         \
    "add.u32 %r20, %r20, 32; setp.lt.u32 %p3, %r20, 1024; @%p3 bra D;\n"                           \
    "barrier.cluster.arrive; barrier.cluster.wait; ret;\n}\n"

static uint32_t first_of(uint32_t i) {
    return i * 2654435761u;
}

static void begin(harness *h, const char *before, const char *copy, const char *behind,
                  uint32_t ctas) {
    char ptx[8192];
    snprintf(ptx, sizeof(ptx), "%s%s%s", before, copy, behind);
    harness_begin(h, ptx);
    harness_memory(h, 4096 * 4);
    uint32_t *q = harness_memory(h, 4 * WORDS);
    for (uint32_t i = 0; i < WORDS; i++) {
        q[i] = first_of(i);
    }
    harness_block(h, ctas, 32);
    h->launch.cluster[0] = ctas;
}

static void one_cta(harness *h, const char *copy) {
    begin(h, HEAD, copy, DUMP, 1);
    harness_completes(h);
}

/* Words [at, at + count) of memory are those of `from`, the others what they were. */
static void loads(void **state) {
    static const char *const copies[] = {
        "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2+64], "
        "[%rd2+128], 256, [%r3];\n" WAIT(256),
        "@%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint "
        "[%r2+64], [%rd2+128], 256, [%r3], %rd9;\n" WAIT(256),
        "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%r2+64], [%rd2+128], 256, [%r3], 1;\n" WAIT(256),
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(copies); i++) {
        harness h;
        one_cta(&h, copies[i]);
        for (uint32_t k = 0; k < WORDS; k++) {
            assert_int_equal(((uint32_t *)h.memory[0].bytes)[k],
                             k >= 16 && k < 80 ? first_of(k + 16) : k * 77);
        }
        harness_end(&h);
    }
}

static uint32_t plain(uint32_t old, uint32_t with, uint32_t i) {
    (void)old;
    (void)i;
    return with;
}
static uint32_t masked(uint32_t old, uint32_t with, uint32_t i) { /* bytes 0 and 5 of each 16 */
    const uint32_t bits = i % 4 == 0 ? 0xff : i % 4 == 1 ? 0xff00 : 0;
    return (old & ~bits) | (with & bits);
}
static uint32_t added(uint32_t old, uint32_t with, uint32_t i) {
    (void)i;
    return old + with;
}
static uint32_t least(uint32_t old, uint32_t with, uint32_t i) {
    (void)i;
    return (int32_t)old < (int32_t)with ? old : with;
}
static uint32_t most(uint32_t old, uint32_t with, uint32_t i) {
    (void)i;
    return old > with ? old : with;
}
static uint32_t counted(uint32_t old, uint32_t with, uint32_t i) {
    (void)i;
    return old >= with ? 0 : old + 1;
}
static uint32_t both(uint32_t old, uint32_t with, uint32_t i) {
    (void)i;
    return old & with;
}

static void stores_and_reductions(void **state) {
    static const struct {
        const char *copy;
        uint32_t (*of)(uint32_t old, uint32_t with, uint32_t i);
    } cases[] = {
        {"cp.async.bulk.global.shared::cta.bulk_group", plain},
        {"cp.async.bulk.global.shared::cta.bulk_group.cp_mask", masked},
        {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32", added},
        {"cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32", least},
        {"cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32", most},
        {"cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.u32", counted},
        {"cp.reduce.async.bulk.global.shared::cta.bulk_group.and.b64", both},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char copy[1024];
        harness h;
        snprintf(copy, sizeof(copy),
                 "@!%%p1 bra E; mov.b16 %%rs1, 0x21;\n%s [%%rd2+128], [%%r2+64], 256%s;\n%sE:\n",
                 cases[i].copy, cases[i].of == masked ? ", %rs1" : "", GROUP);
        one_cta(&h, copy);
        for (uint32_t k = 0; k < WORDS; k++) {
            const uint32_t with = (k - 16) * 77;
            assert_int_equal(((uint32_t *)h.memory[1].bytes)[k],
                             k >= 32 && k < 96 ? cases[i].of(first_of(k), with, k) : first_of(k));
        }
        harness_end(&h);
    }
}

/* To the other CTA of two: copies, reductions, values of registers. */
static void to_the_other_cta(void **state) {
    static const struct {
        const char *copy;
        uint32_t (*of)(uint32_t old, uint32_t with, uint32_t i);
    } cases[] = {
        {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r4+1024], "
         "[%r2], "
         "128, [%r5];\n",
         plain},
        {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 "
         "[%r4+1024], [%r2], 128, [%r5];\n",
         added},
        {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.max.u32 "
         "[%r4+1024], [%r2], 128, [%r5];\n",
         most},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char copy[1024];
        harness h;
        snprintf(copy, sizeof(copy), "@%%p1 %s%s", cases[i].copy, WAIT(128));
        begin(&h, HEAD, copy, DUMP, 2);
        harness_completes(&h);
        for (uint32_t k = 0; k < 2 * WORDS; k++) {
            const uint32_t rank = k / WORDS, at = k % WORDS, old = at * 77 + rank;
            const uint32_t with = (at - 256) * 77 + !rank;
            assert_int_equal(((uint32_t *)h.memory[0].bytes)[k],
                             at >= 256 && at < 288 ? cases[i].of(old, with, at) : old);
        }
        harness_end(&h);
    }
}

/* Each lane sends its number to lane 31 - n's place in the other CTA. */
static void values_to_the_other_cta(void **state) {
    static const struct {
        const char *copy;
        uint32_t bytes_B; /* of a lane */
        uint32_t factor;
    } cases[] = {
        {"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r13], %r14, [%r5];\n", 4,
         1},
        {"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r13], %r14, [%r5];\n", 4, 1},
        {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r13], "
         "%r14, [%r5];\n",
         4, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char copy[1024];
        harness h;
        snprintf(copy, sizeof(copy),
                 "sub.u32 %%r12, 31, %%r1; shl.b32 %%r12, %%r12, 2; add.u32 %%r13, %%r4, %%r12;\n"
                 "add.u32 %%r14, %%r1, 1000;\n%s%s",
                 cases[i].copy, WAIT(128));
        begin(&h, HEAD, copy, DUMP, 2);
        harness_completes(&h);
        for (uint32_t k = 0; k < 2 * WORDS; k++) {
            const uint32_t at = k % WORDS, old = at * 77 + k / WORDS;
            assert_int_equal(((uint32_t *)h.memory[0].bytes)[k],
                             at < 32 ? 31 - at + 1000 + (cases[i].factor ? 0 : old) : old);
        }
        harness_end(&h);
    }
}

static void vectors_to_the_other_cta(void **state) {
    (void)state;
    harness h;
    begin(&h, HEAD,
          "shl.b32 %r12, %r1, 4; add.u32 %r13, %r4, %r12; add.u32 %r14, %r1, 5; add.u32 %r15, %r1, "
          "6;\nst.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r13], {%r14, %r15, "
          "%r14, %r15}, [%r5];\n" WAIT(512),
          DUMP, 2);
    harness_completes(&h);
    for (uint32_t k = 0; k < 128; k++) {
        assert_int_equal(((uint32_t *)h.memory[0].bytes)[k], k / 4 + 5 + k % 2);
    }
    harness_end(&h);
}

/* cp.async: sizes, what of the source is taken, each way to wait. */
static void cp_async(void **state) {
    static const struct {
        const char *copy;
        uint32_t size_B, take_B;
    } copies[] = {
        {"cp.async.ca.shared.global [%r13], [%rd13], 4;\n", 4, 4},
        {"cp.async.ca.shared::cta.global.L2::128B [%r13], [%rd13], 8;\n", 8, 8},
        {"cp.async.cg.shared.global [%r13], [%rd13], 16;\n", 16, 16},
        {"cp.async.cg.shared.global [%r13], [%rd13], 16, 5;\n", 16, 5},
        {"cp.async.ca.shared.global [%r13], [%rd13], 8, 0;\n", 8, 0},
        {"cp.async.cg.shared.global.L2::cache_hint [%r13], [%rd13], 16, %rd9;\n", 16, 16},
        {"cp.async.ca.shared.global [%r13], [%rd13], 4, %p4;\n", 4, 0},
        {"cp.async.ca.shared.global [%r13], [%rd13], 4, !%p4;\n", 4, 4},
    };
    static const char *const waits[] = {
        "cp.async.wait_all;\n",
        "cp.async.commit_group; cp.async.wait_group 0;\n",
        "cp.async.commit_group; cp.async.commit_group; cp.async.wait_group 1;\n",
        "cp.async.mbarrier.arrive.noinc.shared.b64 [%r3];\n",
        "cp.async.mbarrier.arrive.shared.b64 [%r3]; @%p1 mbarrier.arrive.shared.b64 _, [%r3];\n",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(copies) * COUNT_OF(waits); i++) {
        const size_t c = i / COUNT_OF(waits), way = i % COUNT_OF(waits);
        char copy[1024];
        harness h;
        snprintf(
            copy, sizeof(copy),
            "%sshl.b32 %%r12, %%r1, 4; add.u32 %%r13, %%r2, %%r12; cvt.u64.u32 %%rd12, %%r12;\n"
            "add.u64 %%rd13, %%rd2, %%rd12; setp.eq.u32 %%p4, 0, 0; mov.u64 %%rd9, 0;\n%s%s%s",
            way == 3 ? "@%p1 mbarrier.inval.shared.b64 [%r3]; @%p1 mbarrier.init.shared.b64 [%r3], "
                       "32; bar.sync 0;\n"
                     : "",
            copies[c].copy, waits[way],
            way > 2 ? "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0; @!%p2 bra W;\n"
                    : "bar.warp.sync -1;\n");
        one_cta(&h, copy);
        const uint8_t *out = h.memory[0].bytes, *from = h.memory[1].bytes;
        for (uint32_t k = 0; k < 512; k++) {
            const uint32_t at = k % 16, word = k / 4 * 77;
            const uint8_t old = (uint8_t)(word >> 8 * (k % 4));
            assert_int_equal(out[k], at < copies[c].take_B   ? from[k]
                                     : at < copies[c].size_B ? 0
                                                             : old);
        }
        harness_end(&h);
    }
}

static void zeros(void **state) {
    (void)state;
    harness h;
    one_cta(&h, "@%p1 st.bulk.weak.shared::cta [%r2+8], 40, 0; bar.warp.sync -1;\n");
    for (uint32_t k = 0; k < 32; k++) {
        assert_int_equal(((uint32_t *)h.memory[0].bytes)[k], k >= 2 && k < 12 ? 0 : k * 77);
    }
    harness_end(&h);
}

/* One thing left out each: what is said first. */
static void mistakes(void **state) {
    static const struct {
        const char *copy;
        uint32_t end, rule;
    } cases[] = {
        {"@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd2], "
         "256, [%r3];\n",
         TMA_EMULATE_COMPLETED, TMA_EMULATE_RULE_WAIT_MISSING},
        {"@%p1 cp.async.ca.shared.global [%r2], [%rd2], 4; cp.async.wait_group 0;\n",
         TMA_EMULATE_COMPLETED, TMA_EMULATE_RULE_COMMIT_MISSING},
        {"@!%p1 bra D0; cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], 256;\n"
         "cp.async.bulk.commit_group; cp.async.bulk.wait_group 1; st.shared.u32 [%r2], 1;\n",
         TMA_EMULATE_COMPLETED, TMA_EMULATE_RULE_STORE_REUSE},
        {"@!%p1 bra D0; cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], 256;\n"
         "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; ld.global.u32 %r18, "
         "[%rd2];\n",
         TMA_EMULATE_COMPLETED, TMA_EMULATE_RULE_WAIT_MISSING},
        {"@!%p1 bra D0; st.shared.u32 [%r2], 1; cp.async.bulk.global.shared::cta.bulk_group "
         "[%rd2], [%r2], 256; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n",
         TMA_EMULATE_COMPLETED, TMA_EMULATE_RULE_PROXY_STORE},
        {"@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2+4000], 112;\n" GROUP,
         TMA_EMULATE_COMPLETED,
         TMA_EMULATE_RULE_UNINITIALISED}, /* 16 bytes behind the last number */
        {"cp.async.bulk.global.shared::cta.bulk_group [%rd2+8], [%r2], 256;\n", TMA_EMULATE_TRAP,
         TMA_EMULATE_RULE_TRAP},
        {"cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2+4], 256;\n", TMA_EMULATE_TRAP,
         TMA_EMULATE_RULE_TRAP},
        {"cp.async.bulk.prefetch.L2.global [%rd2+8], 256;\n", TMA_EMULATE_TRAP,
         TMA_EMULATE_RULE_TRAP},
        {"cp.async.cg.shared.global [%r2+8], [%rd2], 16;\n", TMA_EMULATE_TRAP,
         TMA_EMULATE_RULE_MISALIGNED},
        {"cp.async.ca.shared.global [%r2], [%rd2], 4, 5;\n", TMA_EMULATE_TRAP,
         TMA_EMULATE_RULE_TRAP},
        {"cp.async.ca.shared.global [%r2], [%rd2], 0;\n", TMA_EMULATE_TRAP, TMA_EMULATE_RULE_TRAP},
        {"cp.async.ca.shared.global [%r2], [%rd2+4], 15;\n", TMA_EMULATE_TRAP,
         TMA_EMULATE_RULE_TRAP},
        {"@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd2], "
         "256, [%r2];\n",
         TMA_EMULATE_TRAP, TMA_EMULATE_RULE_BARRIER_INIT},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        harness h;
        begin(&h, HEAD, cases[i].copy, DUMP, 1);
        const uint32_t end = harness_run(&h);
        const tma_emulate_finding *f = tma_emulator_finding_at(h.emulator, 0);
        if (end != cases[i].end || (f ? f->rule : TMA_EMULATE_RULES) != cases[i].rule) {
            fail_msg("case %zu: %s: %s: %s", i, tma_emulate_end_name(end), harness_why(&h),
                     f ? tma_emulate_rule_name(f->rule) : "no finding");
        }
        harness_end(&h);
    }
}

/* Two CTAs, no cluster, to the same bytes of global memory: reductions are atomics, stores are not.
 */
static void reductions_do_not_race(void **state) {
    static const struct {
        const char *copy;
        size_t findings;
    } cases[] = {
        {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32", 0},
        {"cp.async.bulk.global.shared::cta.bulk_group", 1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char copy[256];
        harness h;
        snprintf(copy, sizeof(copy), "@!%%p1 bra E; %s [%%rd2], [%%r2], 64;\n%sE: ret;\n}\n",
                 cases[i].copy, GROUP);
        begin(&h, HEAD, copy, "", 1);
        harness_block(&h, 2, 32);
        assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
        assert_int_equal(harness_findings(&h, TMA_EMULATE_RULES), cases[i].findings);
        for (uint32_t k = 0; k < 16; k++) {
            assert_int_equal(((uint32_t *)h.memory[1].bytes)[k],
                             k * 77 * (cases[i].findings ? 1 : 2) +
                                 (cases[i].findings ? 0 : first_of(k)));
        }
        harness_end(&h);
    }
}

/* Two causes: the fence, and a wait before the CTA ends. */
static void no_fence_and_no_wait(void **state) {
    static const char *const WAITS[] = {"", GROUP};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(WAITS); i++) {
        char copy[512];
        harness h;
        snprintf(copy, sizeof(copy),
                 "@!%%p1 bra E; st.shared.u32 [%%r2], 1;\n"
                 "cp.async.bulk.global.shared::cta.bulk_group [%%rd2], [%%r2], 64;\n%sE: ret;\n}\n",
                 WAITS[i]);
        begin(&h, HEAD, copy, "", 1);
        assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
        assert_int_equal(harness_findings(&h, TMA_EMULATE_RULE_PROXY_STORE), 1);
        assert_int_equal(harness_findings(&h, TMA_EMULATE_RULE_EXIT_EARLY), !i);
        harness_end(&h);
    }
}

static int has_note(const harness *h, const char *words) {
    const char *text;
    uint32_t line;
    for (size_t i = 0; (text = tma_emulator_note_at(h->emulator, i, &line)); i++) {
        if (strstr(text, words)) {
            return 1;
        }
    }
    return 0;
}

/* Right kernels have them (Triton's), and so do those whose copy was forgotten. */
static void commits_of_nothing_are_notes(void **state) {
    static const char *const COPY[] = {
        "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], 256;\n" GROUP, GROUP};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(COPY); i++) {
        harness h;
        begin(&h, HEAD, COPY[i], DUMP, 1);
        harness_completes(&h);
        assert_int_equal(has_note(&h, "the group has nothing in it"), i);
        harness_end(&h);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads),
        cmocka_unit_test(stores_and_reductions),
        cmocka_unit_test(to_the_other_cta),
        cmocka_unit_test(values_to_the_other_cta),
        cmocka_unit_test(vectors_to_the_other_cta),
        cmocka_unit_test(cp_async),
        cmocka_unit_test(zeros),
        cmocka_unit_test(reductions_do_not_race),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(no_fence_and_no_wait),
        cmocka_unit_test(commits_of_nothing_are_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
