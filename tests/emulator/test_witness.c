/* SPDX-License-Identifier: Apache-2.0
 *
 * Two accesses of different sizes: a finding names the bytes of each.
 */
#include "emulator/harness.h"

#define THREADS 64
#define TILE    0x400 /* where shared memory begins */

typedef struct row {
    const char *name, *first, *second; /* thread 0's, then thread 32's: its warp comes later */
    struct {
        uint64_t address_B, size_B;
    } of_first, of_second;
} row;

static const row ROWS[] = {
    {"a wide store, a narrow load",
     "st.shared.v4.u32 [s+16], {%r2,%r2,%r2,%r2};",
     "ld.shared.u16 %h0, [s+26];",
     {16, 16},
     {26, 2}},
    {"a narrow load, a wide store",
     "ld.shared.u8 %h0, [s+39];",
     "st.shared.v2.u32 [s+32], {%r2,%r2};",
     {39, 1},
     {32, 8}},
    {"a narrow store, a bulk copy over it",
     "st.shared.u16 [s+514], %h0;",
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+256], [%g0], 512, [c];",
     {514, 2},
     {256, 512}},
    {"a bulk copy, a load of its bytes",
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+256], [%g0], 512, [b];",
     "ld.shared.u32 %r2, [s+760];",
     {760, 4},
     {760, 4}},
    {"a bulk copy, another that meets a part of it",
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+256], [%g0], 512, [b];",
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+512], [%g0], 1024, [c];",
     {512, 256},
     {512, 1024}},
    {"an atomic of eight bytes, a store to its half",
     "atom.shared.add.u64 %g2, [s+64], %g1;",
     "st.shared.u32 [s+68], %r2;",
     {64, 8},
     {68, 4}},
};

static void test_each_access_has_its_own_bytes(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        const row *r = &ROWS[i];
        harness h;
        char ptx[4096];
        const int n =
            snprintf(ptx, sizeof ptx,
                     ".visible .entry k(.param .u64 in)\n{\n.reg .b16 %%h<2>; .reg .b32 %%r<4>;\n"
                     ".reg .b64 %%g<4>; .reg .pred %%p<4>;\n.shared .align 1024 .b8 s[2048];\n"
                     ".shared .align 8 .b64 b, c;\nld.param.u64 %%g0, [in];\nmov.u16 %%h0, 1;\n"
                     "mov.u32 %%r2, 1;\nmov.u64 %%g1, 1;\nmov.u32 %%r0, %%tid.x;\n"
                     "setp.eq.u32 %%p0, %%r0, 0;\nsetp.eq.u32 %%p1, %%r0, 32;\n"
                     "@%%p0 mbarrier.init.shared::cta.b64 [b], 1;\n"
                     "@%%p1 mbarrier.init.shared::cta.b64 [c], 1;\n"
                     "fence.mbarrier_init.release.cluster;\n@%%p0 %s\n@%%p1 %s\nret;\n}\n",
                     r->first, r->second);
        assert_in_range(n, 1, sizeof ptx - 1);
        harness_begin(&h, ptx);
        (void)harness_memory(&h, 4096);
        harness_block(&h, 1, THREADS);
        (void)harness_run(&h);
        const tma_emulate_finding *f = 0;
        for (size_t k = 0; !f && tma_emulator_finding_at(h.emulator, k); k++) {
            f = tma_emulator_finding_at(h.emulator, k);
            f = f->accesses == 2 ? f : 0;
        }
        if (!f) {
            fail_msg("%s: no finding of two accesses", r->name);
        }
        const tma_emulate_access *first = &f->access[1], *second = &f->access[0];
        if (first->address != TILE + r->of_first.address_B || first->size_B != r->of_first.size_B ||
            second->address != TILE + r->of_second.address_B ||
            second->size_B != r->of_second.size_B || first->thread != 0) {
            fail_msg("%s: %s of %llu bytes at 0x%llx by thread %u, before %llu at 0x%llx", r->name,
                     first->what, (unsigned long long)first->size_B,
                     (unsigned long long)first->address, first->thread,
                     (unsigned long long)second->size_B, (unsigned long long)second->address);
        }
        harness_end(&h);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_access_has_its_own_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
