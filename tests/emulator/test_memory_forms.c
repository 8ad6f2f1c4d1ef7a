/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads, stores, atomics, matrix instructions and mov whose operands do not fit: not executed,
 * which is said, and nothing is written that is no register. Special registers with axes as a
 * whole.
 */
#include "harness.h"

#define KERNEL                                                                                     \
    ".visible .entry k(.param .u64 out)\n{\n.shared .align 16 .b8 tile[1024];\n"                   \
    ".reg .b16 %h<4>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<8>;\n.reg .b128 %q<2>;\n.reg .pred "       \
    "%p<4>;\n"                                                                                     \
    "ld.param.u64 %rd0, [out];\nmov.u32 %r0, tile;\n"
#define END "ret;\n}\n"

static const char *const WRONG[] = {
    "mov.u32 %r1, %tid;",
    "mov.v4.u32 %r1, %tid;",
    "mov.v4.u32 {%r1, %r2, %r3}, %tid;",
    "mov.v4.u32 {%r1, %r2, %r3, 4}, %tid;",
    "mov.v4.u32 {%rd1, %rd2, %rd3, %rd4}, %tid;",
    "mov.v4.u32 {%r1, %r2, %r3, %r4}, %laneid;",
    "add.u32 %r1, %r2, %ctaid;",
    "ld.global.u32 5, [%rd0];",
    "ld.global.u32 %p1, [%rd0];",
    "ld.global.u32 %h1, [%rd0];",
    "ld.global.b128 %rd1, [%rd0];",
    "ld.global.v2.u32 %r1, [%rd0];",
    "ld.global.v2.u32 {%r1, 7}, [%rd0];",
    "ld.global.v2.u32 {%r1, %r2, %r3}, [%rd0];",
    "ld.global.v8.b64 {%rd1, %rd2, %rd3, %rd4, %rd5, %rd6, %rd7, %rd0}, [%rd0];",
    "ld.global.u32 %r1, %rd0;",
    "st.global.u32 [%rd0], %p1;",
    "st.global.u64 [%rd0], %r1;",
    "st.global.v2.u32 [%rd0], {%r1, _};",
    "st.global.v2.u32 [%rd0], {%r1, %rd1};",
    "st.global.b128 [%rd0], %rd1;",
    "st.global.u32 %r1, %r2;",
    "atom.global.add.u64 %r1, [%rd0], %rd1;",
    "atom.global.add.u32 7, [%rd0], %r1;",
    "atom.global.add.s8 %r1, [%rd0], %r2;",
    "atom.global.cas.b32 %r1, [%rd0], %r2;",
    "atom.global.exch.b128 %rd1, [%rd0], %q0;",
    "red.global.add.u64 [%rd0], %r1;",
    "createpolicy.fractional.L2::evict_first.b64 %r1, 1.0;",
    "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, 3}, [%r0];",
    "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%rd1, %rd2}, [%r0];",
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, %r0;",
    "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r0], {%rd1, %rd2};",
    "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %rd1;",
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r1, %r2, %r3}, {%r5, %r6}, {%r7}, {%r1, "
    "%r2, %r3};",
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r1, %r2, %r3, 4}, {%r5, %r6}, {%r7}, {%r1, "
    "%r2, %r3, %r4};",
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.bf16.f32 {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r7}, "
    "{%r1, %r2, %r3, %r4};",
    "mma.sync.aligned.m16n8k8.row.row.f32.f16.f16.f32 {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r7}, "
    "{%r1, %r2, %r3, %r4};",
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%r1, %r2}, {%r3}, {%r4}, {%r5, %r6};",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r1, %r2, %r3, %r4}, %r5, %rd1, %p1, 1, 1, "
    "0, 0;",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r1, %r2, %r3}, %rd1, %rd1, %p1, 1, 1, 0, "
    "0;",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r1, %r2, %r3, %r4}, %rd1, 5, %p1, 1, 1, "
    "0, "
    "0;",
    "wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%r1, %r2, %r3, %r4, %r5, %r6}, %rd1, "
    "%rd2, "
    "%p1, 1, 1, 0, 0;",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r1, %r2, %r3, %r4}, %rd1, %rd1, %p1, %r9, "
    "1, 0, 0;",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r1, %r2, %r3, %r4}, %rd1, %rd1, %p1, 1, "
    "1;",
    "wgmma.wait_group.sync.aligned %r1;",
    "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r1, %r2, %r3, %r4}, [%r0];",
    "wmma.load.a.sync.aligned.row.m16n8k16.shared.bf16 {%r1, %r2, %r3, %r4}, [%r0];",
    "wmma.load.a.sync.aligned.col.m8n8k32.shared.s4 {%r1}, [%r0];",
    "wmma.load.c.sync.aligned.row.m8n8k4.shared.f64 {%r1, %r2}, [%r0];",
    "wmma.load.b.sync.aligned.row.m16n16k16.shared.s8 {%r1, %r2}, [%r0], %rd1;",
    "wmma.store.d.sync.aligned.row.m8n8k32.shared.s32 [%r0], {%r1, _};",
    "wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s8.s32 {%r1, %r2}, {%r3}, {%r4}, {%r5, %r6};",
    "wmma.mma.sync.aligned.row.col.m8n8k4.rn.f64.f64.f64.f64 {%rd1, %rd2}, {%r3}, {%rd4}, {%rd5, "
    "%rd6};",
};

static void test_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(WRONG); i++) {
        char text[2048];
        harness h;
        snprintf(text, sizeof(text), "%s%s\n%s", KERNEL, WRONG[i], END);
        harness_begin(&h, text);
        harness_memory(&h, 1024);
        harness_block(&h, 1, 128);
        const uint32_t end = harness_run(&h);
        if (end != TMA_EMULATE_NOT_EXECUTED) {
            fail_msg("%s: %s: %s", WRONG[i], tma_emulate_end_name(end), harness_why(&h));
        }
        harness_end(&h);
    }
}

/* Thread 17 of a block of 4 by 4 by 2 in CTA 5 of 3 by 3: what has axes is read at once, w is 0. */
static void test_axes(void **state) {
    static const uint32_t want[] = {1, 0, 1, 0, 4, 4, 2, 0, 2, 1, 0, 0, 3, 3, 1, 0};
    harness h;
    (void)state;
    harness_begin(&h, KERNEL "mov.v4.u32 {%r1, %r2, %r3, %r4}, %tid;\n"
                             "mov.v4.u32 {%r5, %r6, %r7, %r8}, %ntid;\n"
                             "mov.v4.b32 {%r9, %r10, %r11, %r12}, %ctaid;\n"
                             "mov.v4.u32 {%r13, %r14, _, %r16}, %nctaid; mov.u32 %r15, %nctaid.z;\n"
                             "setp.eq.u32 %p1, %r9, 2; setp.eq.and.u32 %p1, %r10, 1, %p1;\n"
                             "mad.lo.u32 %r20, %r3, 4, %r2; mad.lo.u32 %r20, %r20, 4, %r1;\n"
                             "setp.eq.and.u32 %p1, %r20, 17, %p1; @!%p1 exit;\n"
                             "st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r4};\n"
                             "st.global.v4.u32 [%rd0+16], {%r5, %r6, %r7, %r8};\n"
                             "st.global.v4.u32 [%rd0+32], {%r9, %r10, %r11, %r12};\n"
                             "st.global.v4.u32 [%rd0+48], {%r13, %r14, %r15, %r16};\n" END);
    const uint32_t *out = harness_memory(&h, 1024);
    for (uint32_t axis = 0; axis < 3; axis++) {
        h.launch.grid[axis] = axis < 2 ? 3 : 1;
        h.launch.block[axis] = axis < 2 ? 4 : 2;
    }
    harness_completes(&h);
    assert_memory_equal(out, want, sizeof(want));
    harness_end(&h);
}

/* Vectors to vectors read all before they write; a sink that is read is zero; name[n] is an
 * element's address; what is read into a sink is nowhere, and the registers beside it have theirs.
 */
static void test_sinks_and_elements(void **state) {
    static const uint32_t want[] = {2, 1, 7, 0, 0x5678, 0x12340000, 8, 9, 0x3f800000, 2, 1, 30};
    harness h;
    (void)state;
    harness_begin(
        &h,
        ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %rd<3>; .reg .b32 %r<20>; .reg .b16 "
        "%h<4>;\n"
        ".shared .align 16 .b32 pad[4]; .shared .align 16 .b32 at[32];\nld.param.u64 %rd0, [out];\n"
        "mov.u32 %r1, 1; mov.u32 %r2, 2; mov.v2.b32 {%r1, %r2}, {%r2, %r1};\n"
        "mov.v2.u32 {%r3, %r4}, {7, 0}; mov.b32 %r9, 0x12345678; mov.b32 {%h0, %h1}, %r9;\n"
        "mov.b32 %r5, {%h0, _}; mov.b32 %r6, {_, %h1};\n"
        "st.shared.u32 at[3], 8; st.shared.u32 [at+20], 9; bar.sync 0;\n"
        "mov.u32 %r7, at[3]; ld.shared.u32 %r7, [%r7];\n"
        "ld.shared.u32 %r8, at[2 + 3];\n"
        "mov.v4.b32 {%r9, %r10, _, %r11}, {0f3f800000, %r1, %r3, %r2};\n"
        "mov.u32 %r12, 30; st.shared.u32 at[0], %r12; mov.u32 %r14, at; bar.sync 0;\n"
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {_, %r13}, [%r14];\n"
        "st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r4}; st.global.v4.u32 [%rd0+16], {%r5, %r6, "
        "%r7, %r8};\n"
        "st.global.v4.u32 [%rd0+32], {%r9, %r10, %r11, %r12};\nret;\n}\n");
    const uint32_t *out = harness_memory(&h, 1024);
    harness_block(&h, 1, 32);
    harness_completes(&h);
    assert_memory_equal(out, want, sizeof(want));
    harness_end(&h);
}

/* Registers of .v2 and .v4: lanes by either letters, the whole in ld, st, mov and atom; of %v<2>
 * each has its own. */
static void test_vector_registers(void **state) {
    static const uint32_t want[] = {1, 2, 3, 4, 4, 3, 3, 4, 2, 1, 7, 8, 0x04030201, 5, 7, 8};
    harness h;
    (void)state;
    harness_begin(&h, KERNEL
                  ".reg .v4 .b32 q, o; .reg .v2 .u64 w; .reg .v2 .b32 %v<2>; .reg .v4 .u8 c;\n"
                  "mov.b32 q.x, 1; mov.b32 q.g, 2; mov.b32 q.z, 3; mov.b32 q.a, 4;\n"
                  "mov.v4.b32 o, q; mov.b32 o.r, q.w; mov.b32 o.y, q.b;\n"
                  "st.global.v4.b32 [%rd0], q; st.global.v4.b32 [%rd0+16], o;\n"
                  "mov.v2.b32 %v0, {q.y, q.x}; mov.b64 %rd1, 0x800000007; mov.b64 %v1, %rd1;\n"
                  "st.global.v2.b32 [%rd0+32], %v0; st.global.v2.b32 [%rd0+40], %v1;\n"
                  "mov.u64 w.x, 0x504030201; mov.b32 %r1, 0x04030201; mov.b32 c, %r1;\n"
                  "st.shared.u64 [%r0], w.x; ld.shared.v2.u32 %v0, [%r0]; mov.b64 w.y, %v1;\n"
                  "st.global.v4.u8 [%rd0+48], c; st.global.u32 [%rd0+52], %v0.y;\n"
                  "st.global.u64 [%rd0+56], w.y;\n" END);
    const uint32_t *out = harness_memory(&h, 1024);
    harness_block(&h, 1, 1);
    harness_completes(&h);
    assert_memory_equal(out, want, sizeof(want));
    harness_end(&h);
}

/* Literals beside wider registers are as wide as the type. */
static void test_literals_in_vectors(void **state) {
    static const uint32_t want[] = {0xfb2c01aa, 0xbbaa0007, 0x3f800000, 0x1234bbaa};
    harness h;
    (void)state;
    harness_begin(&h, KERNEL "mov.b16 %h1, 0x55aa; mov.b16 %h2, 0x66fb; mov.b32 %r1, 0x1234bbaa;\n"
                             "st.global.v4.b8 [%rd0], {%h1, 1, 300, %h2};\n"
                             "st.global.v2.u16 [%rd0+4], {7, %r1};\n"
                             "st.global.v2.f32 [%rd0+8], {1.0, %r1};\n" END);
    const uint32_t *out = harness_memory(&h, 1024);
    harness_block(&h, 1, 1);
    harness_completes(&h);
    assert_memory_equal(out, want, sizeof(want));
    harness_end(&h);
}

/* The generic address of shared memory in a register of 64 bits, where a shared one is asked. */
static void test_shared_addresses_have_32_bits(void **state) {
    harness h;
    (void)state;
    harness_begin(&h, ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %rd<3>; .reg .b32 %r<3>;\n"
                      ".shared .b32 at[4];\nmov.u64 %rd1, at; cvta.shared.u64 %rd1, %rd1;\n"
                      "ld.param.u64 %rd0, [out]; st.shared.u32 [%rd1+4], 7;\n"
                      "ld.u32 %r1, [%rd1+4]; st.global.u32 [%rd0], %r1;\nret;\n}\n");
    const uint32_t *out = harness_memory(&h, 1024);
    harness_block(&h, 1, 1);
    harness_completes(&h);
    assert_int_equal(*out, 7);
    harness_end(&h);
}

/* %rd1: an address in global memory whose low half is that of `tile`; %rd2, %rd3: generic ones of
 * local and shared memory; %rd4: tile's, as it has 32 bits. */
static const char *const ELSEWHERE[] = {
    "ld.shared.u32 %r1, [%rd1];",
    "st.shared::cluster.u32 [%rd1], %r0;",
    "atom.shared.add.u32 %r1, [%rd1], 1;",
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%rd1];",
    "mbarrier.init.shared::cta.b64 [%rd1], 1;",
    "mbarrier.arrive.shared::cta.b64 _, [%rd1];",
    "cp.async.ca.shared.global [%rd1], [%rd0], 16;",
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%rd1], [%rd0], 16, [%rd4];",
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%rd4], [%rd0], 16, [%rd1];",
    "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%rd1], 16;",
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%rd1], %r0, [%rd4];",
    "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd1];",
    "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%rd1];",
    "ld.shared.u32 %r1, [%rd2];",
    "ld.local.u32 %r1, [%rd1];",
    "ld.local.u32 %r1, [%rd2];",
    "ld.local.u32 %r1, [%rd3];",
};

static void test_addresses_of_another_space(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ELSEWHERE); i++) {
        char text[2048];
        harness h;
        snprintf(text, sizeof(text),
                 "%s.local .align 4 .b8 own[4096]; mov.u64 %%rd2, own; cvta.local.u64 %%rd2, %%rd2;"
                 " mov.u64 %%rd4, tile; cvta.shared.u64 %%rd3, %%rd4;\n"
                 "and.b64 %%rd0, %%rd0, 0xffffffff00000000; add.u64 %%rd1, %%rd0, %%rd4;\n"
                 "mbarrier.init.shared::cta.b64 [%%rd4], 1; st.local.u32 [own], %%r0;\n%s\n%s",
                 KERNEL, ELSEWHERE[i], END);
        harness_begin(&h, text);
        harness_memory(&h, 4096);
        h.memory[0].address &= ~(uint64_t)UINT32_MAX;
        harness_block(&h, 1, 32);
        const uint32_t end = harness_run(&h);
        if (end != TMA_EMULATE_TRAP || !strstr(harness_why(&h), "address of the instruction's")) {
            fail_msg("%s: %s: %s", ELSEWHERE[i], tma_emulate_end_name(end), harness_why(&h));
        }
        harness_end(&h);
    }
}

/* Addresses of another space as an H200 takes them (places_odd.def): with what error it stops, or
 * the 0 that it reads. %rd1 to %rd3: generic ones of local, shared, constant memory; %rd4: a
 * parameter's own; %rd0: global. */
typedef struct odd_case {
    const char *text, *says; /* null: no finding */
    uint32_t value;          /* where it goes on */
} odd_case;

#define TRAPS 0xdeadU
#define ZERO  "an H200 reads 0 and goes on"

static const odd_case ODD[] = {
    {"ld.const.u32 %r1, [%rd0];", ZERO, 0},
    {"ld.const.u32 %r1, [%rd1];", ZERO, 0},
    {"ld.const.u32 %r1, [%rd2];", ZERO, 0},
    {"ld.const.u32 %r1, [%r0];", ZERO, 0},
    {"ld.const.v8.b32 {%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r1}, [%rd0];", ZERO, 0},
    {"ld.const.u32 %r1, [%rd3];", NULL, 7},
    {"ld.global.u32 %r1, [%rd3];", NULL, 7},
    {"ld.global.u32 %r1, [%rd1];", "error 717", TRAPS},
    {"ld.global.u32 %r1, [%rd2];", "error 717", TRAPS},
    {"ld.global.nc.v4.u32 {%r1, %r2, %r3, %r4}, [%rd2];", "error 717", TRAPS},
    {"atom.global.add.u32 %r1, [%rd1], 1;", "error 717", TRAPS},
    {"atom.global.add.u32 %r1, [%rd2], 1;", "error 717", TRAPS},
    {"st.global.u32 [%rd1], 1;", "it is one of local memory", TRAPS},
    {"st.global.u32 [%rd2], 1;", "it is one of shared memory", TRAPS},
    {"red.global.add.u32 [%rd2], 1;", "it is one of shared memory", TRAPS},
    {"atom.shared.add.u32 %r1, [%rd0], 1;", "error 715", TRAPS},
    {"atom.shared::cluster.add.u32 %r1, [%rd1], 1;", "error 715", TRAPS},
    {"atom.shared.add.u32 %r1, [%rd4], 1;", ZERO, 0},
    {"atom.shared::cluster.exch.b32 %r1, [%rd4], 1;", ZERO, 0},
    {"mov.u32 %r2, 0x30000004; atom.shared.add.u32 %r1, [%r2], 1;", "none of rank 48", TRAPS},
    {"ld.shared.u32 %r1, [%rd4];", "bytes are the system's", TRAPS},
};

static void test_odd_addresses(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ODD); i++) {
        char text[2048];
        harness h;
        snprintf(text, sizeof(text),
                 ".const .align 32 .b32 co[8] = {7, 8, 9};\n%s"
                 ".local .align 16 .b8 own[4096]; mov.u64 %%rd1, own; cvta.local.u64 %%rd1, %%rd1;"
                 " mov.u64 %%rd2, tile; cvta.shared.u64 %%rd2, %%rd2; mov.u64 %%rd3, co;"
                 " cvta.const.u64 %%rd3, %%rd3; mov.b64 %%rd4, out; mov.u32 %%r1, 0x55;\n"
                 "st.local.v4.u32 [own], {%%r0, %%r0, %%r0, %%r0}; st.shared.v4.u32 [tile],"
                 " {%%r0, %%r0, %%r0, %%r0};\n%s st.global.u32 [%%rd0], %%r1;\n%s",
                 KERNEL, ODD[i].text, END);
        harness_begin(&h, text);
        const uint32_t *out = harness_memory(&h, 4096);
        harness_block(&h, 1, 1);
        const uint32_t end = harness_run(&h);
        const tma_emulate_finding *f = harness_finding(&h, TMA_EMULATE_RULE_OUT_OF_BOUNDS);
        const char *says = f ? f->text : NULL;
        if (ODD[i].says ? !says || !strstr(says, ODD[i].says) : says != NULL) {
            fail_msg("%s: says %s", ODD[i].text, says ? says : "nothing");
        }
        if (end != (ODD[i].value == TRAPS ? TMA_EMULATE_TRAP : TMA_EMULATE_COMPLETED) ||
            (ODD[i].value != TRAPS && *out != ODD[i].value)) {
            fail_msg("%s: %s, %x", ODD[i].text, tma_emulate_end_name(end), *out);
        }
        harness_end(&h);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wrong),
                                       cmocka_unit_test(test_axes),
                                       cmocka_unit_test(test_sinks_and_elements),
                                       cmocka_unit_test(test_shared_addresses_have_32_bits),
                                       cmocka_unit_test(test_addresses_of_another_space),
                                       cmocka_unit_test(test_odd_addresses),
                                       cmocka_unit_test(test_vector_registers),
                                       cmocka_unit_test(test_literals_in_vectors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
