/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole warps' accesses are kept by rows, others by cells: the findings are the same. Random
 * kernels of four warps run twice: with their bytes from a multiple of 128 B on, where rows are
 * taken, and 16 B behind one, where none are.
 */
#include "emulator/harness.h"
#include "support/gen/random.h"

#define STATEMENTS 14
#define KERNELS    600
#define MOST       64

static const char HEAD[] =
    ".visible .entry k(.param .u64 p)\n{\n"
    ".reg .pred %w<4>, %l0, %q; .reg .b32 %a<8>, %r<20>; .reg .b64 %g<4>;\n"
    ".shared .align 128 .b8 s[4224]; .shared .align 8 .b64 bar;\n"
    "mov.u32 %r0, %tid.x; ld.param.u64 %g0, [p]; mov.u32 %r1, s; mov.u32 %r2, bar;\n"
    "and.b32 %r3, %r0, 31; shr.u32 %r4, %r0, 5; setp.eq.u32 %w0, %r4, 0;\n"
    "setp.eq.u32 %w1, %r4, 1; setp.eq.u32 %w2, %r4, 2; setp.eq.u32 %w3, %r4, 3;\n"
    "setp.eq.u32 %l0, %r0, 0; xor.b32 %r6, %r3, 31;\n"
    "@%l0 mbarrier.init.shared.b64 [%r2], 1; fence.mbarrier_init.release.cluster; bar.sync 0;\n"
    "mov.u32 %r10, 1; mov.u32 %r11, 2; mov.u32 %r12, 3; mov.u32 %r13, 4;\n";
/* %a0 to %a2: lane by lane 4, 8, 16 B; %a3: thread by thread; %a4: lanes backwards; %a5: as one. */
static const char ADDRESSES[] =
    "shl.b32 %a0, %r3, 2; shl.b32 %a1, %r3, 3; shl.b32 %a2, %r3, 4; shl.b32 %a3, %r0, 2;\n"
    "shl.b32 %a4, %r6, 2; add.u32 %a0, %a0, %r1; add.u32 %a1, %a1, %r1; add.u32 %a2, %a2, %r1;\n"
    "add.u32 %a3, %a3, %r1; add.u32 %a4, %a4, %r1; mov.u32 %a5, %r1;\n";

static const char *guard(struct random_source *r) {
    static const char *const GUARD[] = {"", "", "@%w0 ", "@%w1 ", "@%w2 ", "@%l0 ", "@!%w3 "};
    return GUARD[random_below(r, COUNT_OF(GUARD))];
}

static void put_access(struct random_source *r, harness_text *t) {
    static const char *const KIND[] = {"u32", "v2.u32", "v4.u32"};
    static const char *const REGISTERS[] = {"%r10", "{%r10,%r11}", "{%r10,%r11,%r12,%r13}"};
    static const char *const ALONE[] = {"%a3", "%a4", "%a5", "%a0"};
    static const char *const ROW[] = {"%a0", "%a1", "%a2"};
    const uint32_t width = (uint32_t)random_below(r, 3), at = 128 * (uint32_t)random_below(r, 4);
    const char *address = ROW[width];
    if (!width && random_one_in(r, 3)) {
        address = ALONE[random_below(r, COUNT_OF(ALONE))];
    }
    if (random_one_in(r, 2)) {
        harness_put(t, "%sld.shared.%s %s, [%s+%u];\n", guard(r), KIND[width], REGISTERS[width],
                    address, at);
    } else {
        harness_put(t, "%sst.shared.%s [%s+%u], %s;\n", guard(r), KIND[width], address, at,
                    REGISTERS[width]);
    }
}

static void put_statement(struct random_source *r, harness_text *t) {
    switch (random_below(r, 12)) {
    case 0:
    case 1:
    case 2:
        harness_put(t, "bar.sync 0;\n");
        return;
    case 3:
        harness_put(t, "bar.warp.sync -1;\n");
        return;
    case 4:
        harness_put(t, "%satom.shared.add.u32 %%r14, [%%a5], 1;\n", guard(r));
        return;
    case 5:
        harness_put(
            t,
            "fence.proxy.async.shared::cta;\n@%%l0 cp.async.bulk.global.shared::cta.bulk_group "
            "[%%g0], [%%a5+%u], 256;\n",
            64 * (uint32_t)random_below(r, 5));
        return;
    case 6:
        harness_put(t,
                    "@%%l0 cp.async.bulk.commit_group;\n@%%l0 cp.async.bulk.wait_group.read 0;\n");
        return;
    default:
        put_access(r, t);
        return;
    }
}

/* A copy of global memory into shared memory, for which all or some wait. */
static void put_load(struct random_source *r, harness_text *t) {
    harness_put(
        t,
        "@%%l0 mbarrier.arrive.expect_tx.shared.b64 _, [%%r2], 384;\n@%%l0 cp.async.bulk"
        ".shared::cluster.global.mbarrier::complete_tx::bytes [%%a5+%u], [%%g0], 384, [%%r2];\n",
        64 * (uint32_t)random_below(r, 5));
    harness_put(t, "%sbra N;\n", random_one_in(r, 2) ? "@%w1 " : "@%l0 ");
    harness_put(t, "W: mbarrier.try_wait.parity.shared.b64 %%q, [%%r2], 0;\n@!%%q bra W;\nN:\n");
}

static void make(struct random_source *r, harness_text *body) {
    const uint32_t load = (uint32_t)random_below(r, 2 * STATEMENTS);
    body->size = 0;
    for (uint32_t i = 0; i < STATEMENTS; i++) {
        if (i == load) {
            put_load(r, body);
        }
        put_statement(r, body);
    }
}

typedef struct found {
    uint32_t rule, certain, line[2];
} found;

static int compare(const void *a, const void *b) {
    return memcmp(a, b, sizeof(found));
}

static size_t run(const harness_text *body, uint32_t offset, uint32_t *end, found out[MOST]) {
    harness h;
    char ptx[12000];
    size_t n = 0;
    const tma_emulate_finding *f;
    snprintf(ptx, sizeof ptx, "%sadd.u32 %%r1, %%r1, %u;\n%s%sret;\n}\n", HEAD, offset, ADDRESSES,
             body->at);
    harness_begin(&h, ptx);
    harness_memory(&h, 4096);
    harness_block(&h, 1, 128);
    *end = harness_run(&h);
    while ((f = tma_emulator_finding_at(h.emulator, n)) && n < MOST) {
        memset(&out[n], 0, sizeof out[n]);
        out[n++] = (found){f->rule, f->certain, {f->access[0].line, f->access[1].line}};
    }
    qsort(out, n, sizeof *out, compare);
    harness_end(&h);
    return n;
}

static void findings_are_the_same(void **state) {
    struct random_source r = {20261128};
    size_t all = 0, clean = 0;
    (void)state;
    for (uint32_t k = 0; k < KERNELS; k++) {
        static harness_text body;
        found rows[MOST], cells[MOST];
        uint32_t end[2];
        make(&r, &body);
        const size_t n = run(&body, 0, &end[0], rows), m = run(&body, 16, &end[1], cells);
        if (n != m || end[0] != end[1] || memcmp(rows, cells, n * sizeof *rows) != 0) {
            fail_msg("kernel %u: %zu findings in rows, %zu in cells:\n%s", k, n, m, body.at);
        }
        all += n;
        clean += !n;
    }
    assert_true(all > KERNELS && clean > KERNELS / 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(findings_are_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
