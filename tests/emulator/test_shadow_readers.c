/* SPDX-License-Identifier: Apache-2.0
 *
 * Cells that many warps read are kept otherwise than those that few read: no finding is lost.
 */
#include "emulator/harness.h"
#include "support/gen/random.h"

#define STATEMENTS 16
#ifndef KERNELS
#define KERNELS 400
#endif
#define MOST    64
#define THREADS 512 /* the last 128 race with each other; the others read, or do not */

static const char HEAD[] =
    ".file 1 \"k.cu\"\n.visible .entry k(.param .u64 p, .param .u32 q)\n{\n"
    ".reg .pred %w<4>, %l0, %d, %o, %u; .reg .b32 %a<4>, %r<16>; .reg .b64 %g<4>;\n"
    ".shared .align 128 .b8 s[512];\n"
    "mov.u32 %r0, %tid.x; setp.lt.u32 %d, %r0, 384; sub.u32 %r0, %r0, 384;\n"
    "ld.param.u32 %r5, [q]; setp.ne.u32 %o, %r5, 0; setp.eq.u32 %u, %r5, 2;\n"
    "ld.param.u64 %g0, [p]; mov.u32 %r1, s; and.b32 %r3, %r0, 31;\n"
    "shr.u32 %r4, %r0, 5; setp.eq.u32 %w0, %r4, 0; setp.eq.u32 %w1, %r4, 1;\n"
    "setp.eq.u32 %w2, %r4, 2; setp.eq.u32 %w3, %r4, 3; setp.eq.u32 %l0, %r0, 0;\n"
    "mov.u32 %r10, 1; mov.u32 %r11, 2; mov.u32 %a0, %r1;\n"
    "shl.b32 %a1, %r3, 2; add.u32 %a1, %a1, %r1; shr.u32 %a2, %r3, 3;\n"
    "shl.b32 %a2, %a2, 2; add.u32 %a2, %a2, %r1; xor.b32 %a3, %r3, 5; shl.b32 %a3, %a3, 2;\n"
    "add.u32 %a3, %a3, %r1; @%d bra D;\n";

/* One of the threads that race, and what the readers do meanwhile. */
static void put_statement(struct random_source *r, uint32_t number, harness_text *racing,
                          harness_text *reading) {
    static const char *const GUARD[] = {"", "", "@%w0 ", "@%w1 ", "@%w2 ", "@%l0 ", "@!%w3 "};
    static const char *const READ[] = {"ld.shared.u32", "ld.shared.u8",  "ld.volatile.shared.u32",
                                       "ld.shared.u16", "ld.shared.u32", "ld.shared.v2.u32"};
    const char *guard = GUARD[random_below(r, COUNT_OF(GUARD))];
    const uint32_t address = (uint32_t)random_below(r, 4), at = 8 * (uint32_t)random_below(r, 3);
    const uint32_t kind = (uint32_t)random_below(r, 12);
    /* Each has a source line: findings of one are one. */
    harness_put(racing, ".loc 1 %u 0\n", number);
    harness_put(reading, ".loc 1 %u 0\n", 100 + number);
    if (kind < 3) {
        harness_put(racing, "bar.sync 0;\n");
        harness_put(reading, "bar.sync 0;\n");
    } else if (kind == 3) {
        harness_put(racing, "bar.warp.sync -1;\n");
    } else if (kind == 4) {
        harness_put(racing, "%satom.shared.add.u32 %%r14, [%%a0], 1;\n", guard);
    } else if (kind == 5) {
        harness_put(
            racing,
            "fence.proxy.async.shared::cta;\n@%%l0 cp.async.bulk.global.shared::cta.bulk_group "
            "[%%g0], [%%a0+%u], 64;\n",
            2 * at);
    } else if (kind < 8) {
        harness_put(racing, "%sst.shared.u32 [%%a%u+%u], %%r10;\n", guard, address, at);
    } else {
        const char *read = READ[random_below(r, COUNT_OF(READ))];
        const int is_pair = strstr(read, "v2") != 0;
        harness_put(racing, "%s%s %s, [%%a%u+%u];\n", guard, read, is_pair ? "{%r10,%r11}" : "%r10",
                    is_pair ? 0 : address, at);
    }
    harness_put(reading,
                "@%%o ld.shared.u32 %%r12, [%%a0+%u];\n@%%o ld.shared.u32 %%r12, [%%a%u];\n", at,
                address);
    if (strstr(reading->at, "bar.sync")) {
        return; /* an atomic behind a barrier stands for those before it */
    }
    harness_put(reading, "@%%u red.shared.add.u32 [%%a0+%u], 0;\n@%%u %s [%%a%u], 0;\n", at,
                number % 2 ? "red.shared.or.b32" : "atom.shared.add.u32 %r12,", address);
}

/* Which of the two came later is left open: a read that a later one stands for may be kept, and be
 * told of first. */
typedef struct found {
    uint32_t line[2];
} found;

/* What is found among the lines before `beyond`. */
static size_t run(const char *ptx, uint32_t read, uint32_t beyond, found out[MOST]) {
    harness h;
    size_t n = 0;
    const tma_emulate_finding *f;
    harness_begin(&h, ptx);
    harness_memory(&h, 4096);
    harness_param(&h, &read, sizeof read);
    harness_block(&h, 1, THREADS);
    assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
    for (size_t i = 0; (f = tma_emulator_finding_at(h.emulator, i)) != 0; i++) {
        if (f->accesses == 2 && f->access[0].line < beyond && f->access[1].line < beyond &&
            n < MOST) {
            const uint32_t a = f->access[0].line, b = f->access[1].line;
            out[n++] = (found){{a < b ? a : b, a < b ? b : a}};
        }
    }
    harness_end(&h);
    return n;
}

static uint32_t lines(const char *of) {
    uint32_t n = 0;
    for (; *of; of++) {
        n += *of == '\n';
    }
    return n;
}

static int is_among(const found *one, const found *all, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (memcmp(&all[i], one, sizeof *one) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Random kernels of four warps: the same findings are there where twelve more read, or read and
 * count (2), all the time. */
static void hide_nothing(uint32_t what) {
    struct random_source r = {20261129};
    size_t all = 0, more = 0;
    for (uint32_t k = 0; k < KERNELS; k++) {
        static harness_text racing, reading;
        static char ptx[20000];
        found alone[MOST], among[MOST];
        racing.size = reading.size = 0;
        reading.at[0] = 0;
        for (uint32_t i = 0; i < STATEMENTS; i++) {
            put_statement(&r, i + 1, &racing, &reading);
        }
        snprintf(ptx, sizeof ptx,
                 "%s%s@%%l0 cp.async.bulk.commit_group;\n"
                 "@%%l0 cp.async.bulk.wait_group 0;\nret;\nD: %sret;\n}\n",
                 HEAD, racing.at, reading.at);
        const uint32_t beyond = lines(HARNESS_HEAD) + lines(HEAD) + lines(racing.at) + 4;
        const size_t n = run(ptx, 0, beyond, alone), m = run(ptx, what, beyond, among);
        for (size_t i = 0; i < n; i++) {
            if (!is_among(&alone[i], among, m)) {
                fail_msg("kernel %u: lines %u and %u are not found among many readers:\n%s", k,
                         alone[i].line[0], alone[i].line[1], ptx);
            }
        }
        all += n;
        more += m - n;
    }
    print_message("%zu findings, %zu more among readers\n", all, more);
    assert_true(all > KERNELS && more < all / 20);
}

static void readers_hide_nothing(void **state) {
    (void)state;
    hide_nothing(1);
}

static void counters_hide_nothing(void **state) {
    (void)state;
    hide_nothing(2);
}

/* 64 CTAs read a word, one after the other; the last one writes it. */
#define TABLE(between)                                                                             \
    ".visible .entry k(.param .u64 p)\n{\n.reg .pred %q; .reg .b32 %r<9>; .reg .b64 %g<4>;\n"      \
    "ld.param.u64 %g0, [p]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x;\n"                         \
    "ld.global.u32 %r2, [%g0];\n" between "setp.ne.u32 %q, %r1, 0; @%q bra E;\n"                   \
    "atom.global.acq_rel.gpu.add.u32 %r3, [%g0+64], 1; setp.ne.u32 %q, %r3, 63; @%q bra E;\n"      \
    "st.global.u32 [%g0], %r3;\nE: ret;\n}\n"

static size_t races(const char *ptx) {
    harness h;
    harness_begin(&h, ptx);
    harness_memory(&h, 4096);
    harness_block(&h, 64, 64);
    h.launch.resident = 1;
    assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
    const tma_emulate_finding *f = harness_finding(&h, TMA_EMULATE_RULE_DATA_RACE);
    const size_t count = harness_findings(&h, TMA_EMULATE_RULES);
    assert_true(!f || f->access[1].line == 8);
    harness_end(&h);
    return count;
}

static void readers_that_ended_are_known(void **state) {
    (void)state;
    assert_int_equal(races(TABLE("bar.sync 0;\n")), 0);
    assert_int_equal(races(TABLE("")), 1); /* the other warp's reads */
    assert_int_equal(races(TABLE("setp.eq.u32 %q, %r0, 30; @!%q bar.sync 0;\n")), 1); /* of one */
}

/* Nobody tells of the reads. */
static void readers_that_told_nobody_stay(void **state) {
    static const char PTX[] =
        ".visible .entry k(.param .u64 p)\n{\n.reg .pred %q; .reg .b32 %r<9>; .reg .b64 %g<4>;\n"
        "ld.param.u64 %g0, [p]; mov.u32 %r0, %ctaid.x; setp.eq.u32 %q, %r0, 63;\n"
        "@%q st.global.u32 [%g0], 1;\n"
        "@!%q ld.global.u32 %r2, [%g0];\nret;\n}\n";
    (void)state;
    harness h;
    harness_begin(&h, PTX);
    harness_memory(&h, 4096);
    harness_block(&h, 64, 1);
    h.launch.resident = 1;
    assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
    assert_int_equal(harness_findings(&h, TMA_EMULATE_RULE_DATA_RACE), 1);
    harness_end(&h);
}

/* CTAs that count in the same cells, and end: what is kept does not grow with the grid. */
static void counters_that_told_nobody_go(void **state) {
    static const char PTX[] =
        ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<3>; .reg .b64 %g<3>;\n"
        "ld.param.u64 %g0, [p]; mov.u32 %r0, %tid.x; and.b32 %r0, %r0, 31;\n"
        "mad.wide.u32 %g1, %r0, 4, %g0; red.relaxed.gpu.global.add.u32 [%g1], 1;\nret;\n}\n";
    (void)state;
    harness h;
    harness_begin(&h, PTX);
    const uint32_t *counted = harness_memory(&h, 4096);
    harness_block(&h, 4000, 64);
    h.launch.resident = 4;
    h.launch.most_memory_B = UINT64_C(4) << 20;
    assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
    assert_int_equal(harness_findings(&h, TMA_EMULATE_RULES), 0);
    assert_int_equal(counted[31], 4000 * 2);
    harness_end(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_hide_nothing),
        cmocka_unit_test(counters_hide_nothing),
        cmocka_unit_test(readers_that_ended_are_known),
        cmocka_unit_test(readers_that_told_nobody_stay),
        cmocka_unit_test(counters_that_told_nobody_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
