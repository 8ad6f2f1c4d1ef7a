/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor memory by hand: which register of which thread is which cell (PTX ISA, figures 183 to 187,
 * typed in here apart from the engine's table), what tcgen05.cp puts where, allocation.
 */
#include <stdio.h>
#include <string.h>

#include "harness.h"

#define COLUMNS                                                                                    \
    32 /* that are written: cell (lane, column) of a warp's 32 lanes is lane << 8 | column */
#define TEXT_B   32768
#define OFFSET_2 "16" /* of .16x32bx2 */

static const char BEGIN[] =
    ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
    ".reg .b32 %r<160>;\n.reg .b64 %q<8>;\n.reg .pred %p<4>;\n"
    ".shared .align 1024 .b8 tile[4096];\n.shared .align 8 .b64 bar;\n.shared .b32 at;\n"
    "ld.param.u64 %q0, [out];\nld.param.u64 %q1, [in];\nmov.u32 %r150, %tid.x;\n"
    "setp.lt.u32 %p0, %r150, 32;\n"
    "@%p0 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], 128;\n"
    "bar.sync 0;\nld.shared.u32 %r151, [at];\n"
    "shr.u32 %r152, %r150, 5;\nshl.b32 %r152, %r152, 21;\nadd.u32 %r152, %r152, %r151;\n";
static const char END[] =
    "bar.sync 0;\n@%p0 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r151, 128;\nret;\n}\n";

static char text[TEXT_B];

static void put(const char *words) {
    assert_true(strlen(text) + strlen(words) < sizeof(text));
    strcat(text, words);
}

static void put_registers(uint32_t count) {
    char one[16];
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(one, sizeof(one), "%s%%r%u", i ? ", " : "{", i);
        put(one);
    }
    put("}");
}

/* Registers 0 to COLUMNS - 1 are lane << 8 | column. */
static void put_values(void) {
    char line[80];
    for (uint32_t i = 0; i < COLUMNS; i++) {
        (void)snprintf(line, sizeof(line),
                       "and.b32 %%r%u, %%r150, 31;\nmad.lo.u32 %%r%u, %%r%u, 256, %u;\n", i, i, i,
                       i);
        put(line);
    }
}

/* Registers to out, thread after thread. */
static void put_out(uint32_t count) {
    char line[96];
    (void)snprintf(line, sizeof(line),
                   "mul.wide.u32 %%q2, %%r150, %u;\nadd.u64 %%q2, %%q0, %%q2;\n", 4 * count);
    put(line);
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(line, sizeof(line), "st.global.u32 [%%q2+%u], %%r%u;\n", 4 * i, i);
        put(line);
    }
}

static harness *run_text(uint32_t threads, uint32_t want, void **out, const void *in, size_t in_B) {
    static harness h;
    harness_begin(&h, text);
    *out = harness_memory(&h, 65536);
    memcpy(harness_memory(&h, 65536), in, in_B);
    harness_block(&h, 1, threads);
    const uint32_t end = harness_run(&h);
    if (end != want) {
        print_error("%s\n", harness_why(&h));
    }
    assert_int_equal(end, want);
    return &h;
}

/* ---- shapes ---- */

typedef struct shape_row {
    const char *shape;
    uint32_t registers, thread, number, lane, column, other_column; /* other: of a packed one */
} shape_row;

#define NONE UINT32_MAX
static const shape_row ROWS[] = {
    {"32x32b.x4", 4, 0, 0, 0, 0, NONE},
    {"32x32b.x4", 4, 31, 3, 31, 3, NONE},
    {"32x32b.x4", 4, 7, 2, 7, 2, NONE},
    /* 16 lanes of 64 bits: T0 row 0, first column; T1 row 8; T2 row 0, second column; T3 row 8; T4
       row 1 */
    {"16x64b.x1", 1, 0, 0, 0, 0, NONE},
    {"16x64b.x1", 1, 1, 0, 8, 0, NONE},
    {"16x64b.x1", 1, 2, 0, 0, 1, NONE},
    {"16x64b.x1", 1, 3, 0, 8, 1, NONE},
    {"16x64b.x1", 1, 4, 0, 1, 0, NONE},
    {"16x64b.x1", 1, 31, 0, 15, 1, NONE},
    {"16x64b.x8", 8, 30, 5, 7, 11, NONE},
    /* 128 bits: four threads a row, r1 eight rows below */
    {"16x128b.x1", 2, 0, 0, 0, 0, NONE},
    {"16x128b.x1", 2, 3, 0, 0, 3, NONE},
    {"16x128b.x1", 2, 4, 1, 9, 0, NONE},
    {"16x128b.x1", 2, 31, 1, 15, 3, NONE},
    {"16x128b.x4", 8, 6, 7, 9, 14, NONE},
    /* 256 bits: r0, r1 beside each other, r2, r3 eight rows below */
    {"16x256b.x1", 4, 0, 0, 0, 0, NONE},
    {"16x256b.x1", 4, 0, 1, 0, 1, NONE},
    {"16x256b.x1", 4, 1, 0, 0, 2, NONE},
    {"16x256b.x1", 4, 3, 2, 8, 6, NONE},
    {"16x256b.x1", 4, 31, 3, 15, 7, NONE},
    {"16x256b.x4", 16, 9, 14, 10, 26, NONE},
    /* twice 16 lanes: threads 16 to 31 begin at the offset */
    {"16x32bx2.x2", 2, 5, 1, 5, 1, NONE},
    {"16x32bx2.x2", 2, 21, 1, 5, 17, NONE},
    /* two 16-bit halves of adjacent columns make one register */
    {"32x32b.x4.pack::16b", 4, 3, 1, 3, 2, 3},
    {"16x64b.x2.pack::16b", 2, 2, 1, 0, 6, 7},
    {"16x128b.x1.pack::16b", 2, 5, 1, 9, 2, 3},
    {"16x256b.x1.pack::16b", 4, 2, 1, 0, 10, 11},
};

static uint32_t cell(uint32_t lane, uint32_t column) {
    return lane << 8 | column;
}

static void test_loads_have_the_documents_layout(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const shape_row *r = &ROWS[i];
        uint32_t *out;
        strcpy(text, BEGIN);
        put_values();
        put("tcgen05.st.sync.aligned.32x32b.x32.b32 [%r152], ");
        put_registers(COLUMNS);
        put(";\ntcgen05.wait::st.sync.aligned;\ntcgen05.ld.sync.aligned.");
        put(r->shape);
        put(".b32 ");
        put_registers(r->registers);
        put(strstr(r->shape, "bx2") ? ", [%r152], " OFFSET_2 ";\n" : ", [%r152];\n");
        put("tcgen05.wait::ld.sync.aligned;\n");
        put_out(r->registers);
        put(END);
        harness *h = run_text(32, TMA_EMULATE_COMPLETED, (void **)&out, "", 1);
        harness_none(h);
        const uint32_t got = out[r->thread * r->registers + r->number];
        const uint32_t want = r->other_column == NONE
                                  ? cell(r->lane, r->column)
                                  : cell(r->lane, r->column) | cell(r->lane, r->other_column) << 16;
        if (got != want) {
            print_error("%s: register %u of thread %u: %x, not %x\n", r->shape, r->number,
                        r->thread, got, want);
        }
        assert_int_equal(got, want);
        harness_end(h);
    }
}

/* What a shape stores it loads: each cell once. */
static void test_stores_have_the_layout_of_loads(void **state) {
    static const struct {
        const char *shape, *stored;
        uint32_t registers, columns;
    } all[] = {{"16x64b.x4", "16x64b.x4", 4, 8},
               {"16x128b.x2", "16x128b.x2", 4, 8},
               {"16x256b.x1", "16x256b.x1", 4, 8},
               {"16x64b.x2.pack::16b", "16x64b.x2.unpack::16b", 2, 8}};
    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        uint32_t *out;
        strcpy(text, BEGIN);
        for (uint32_t r = 0; r < all[i].registers; r++) {
            char line[64];
            (void)snprintf(line, sizeof(line), "mad.lo.u32 %%r%u, %%r150, 65537, %u;\n", r,
                           1000 * r);
            put(line);
        }
        put("tcgen05.st.sync.aligned.");
        put(all[i].stored);
        put(".b32 [%r152], ");
        put_registers(all[i].registers);
        put(";\ntcgen05.wait::st.sync.aligned;\ntcgen05.ld.sync.aligned.");
        put(all[i].shape);
        put(".b32 ");
        put_registers(all[i].registers);
        put(", [%r152];\ntcgen05.wait::ld.sync.aligned;\n");
        put_out(all[i].registers);
        put(END);
        harness *h = run_text(32, TMA_EMULATE_COMPLETED, (void **)&out, "", 1);
        harness_none(h);
        for (uint32_t thread = 0; thread < 32; thread++) {
            for (uint32_t r = 0; r < all[i].registers; r++) {
                assert_int_equal(out[thread * all[i].registers + r], 65537 * thread + 1000 * r);
            }
        }
        harness_end(h);
    }
}

static void test_reductions_of_loads(void **state) {
    uint32_t *out;
    (void)state;
    strcpy(text, BEGIN);
    put("mov.b32 %r0, 0xc0400000;\nmov.b32 %r1, 0x3f800000;\ncvt.rn.f32.u32 %r2, %r150;\nmov.b32 "
        "%r3, 0;\n");
    put("tcgen05.st.sync.aligned.32x32b.x4.b32 [%r152], {%r0, %r1, %r2, %r3};\n"
        "tcgen05.wait::st.sync.aligned;\n"
        "tcgen05.ld.red.sync.aligned.32x32b.x4.max.abs.f32 {%r4, %r5, %r6, %r7}, %r0, [%r152];\n"
        "tcgen05.ld.red.sync.aligned.32x32b.x4.min.f32 {%r4, %r5, %r6, %r7}, %r1, [%r152];\n"
        "tcgen05.ld.red.sync.aligned.32x32b.x4.max.u32 {%r4, %r5, %r6, %r7}, %r2, [%r152];\n"
        "tcgen05.wait::ld.sync.aligned;\n");
    put_out(3);
    put(END);
    harness *h = run_text(32, TMA_EMULATE_COMPLETED, (void **)&out, "", 1);
    for (uint32_t thread = 0; thread < 32; thread++) {
        const float most = thread > 3 ? (float)thread : 3;
        uint32_t bits;
        memcpy(&bits, &most, sizeof(bits));
        assert_int_equal(out[3 * thread], bits);
        assert_int_equal(out[3 * thread + 1], 0xc0400000);
        assert_int_equal(out[3 * thread + 2], 0xc0400000);
    }
    harness_end(h);
}

/* ---- copies ---- */

/* 4 KiB of `in` to shared memory, a copy of them, and four columns to out. */
static void put_copy(const char *words) {
    strcpy(text, BEGIN);
    put("setp.eq.u32 %p1, %r150, 0;\n@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\n"
        "mul.wide.u32 %q3, %r150, 32;\nadd.u64 %q3, %q1, %q3;\nmov.u32 %r4, tile;\n"
        "mad.lo.u32 %r4, %r150, 32, %r4;\n"
        "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%q3];\nst.shared.v4.u32 [%r4], {%r0, %r1, "
        "%r2, %r3};\n"
        "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%q3+16];\n"
        "st.shared.v4.u32 [%r4+16], {%r0, %r1, %r2, %r3};\n"
        "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
        "mov.u32 %r5, tile;\nshr.u32 %r5, %r5, 4;\ncvt.u64.u32 %q4, %r5;\n"
        "or.b64 %q4, %q4, 0x401000080000;\n@%p1 tcgen05.cp.cta_group::1.");
    put(words);
    put(" [%r151], %q4;\n"
        "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n"
        "W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra W;\n"
        "tcgen05.fence::after_thread_sync;\n"
        "tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r0, %r1, %r2, %r3}, [%r152];\n"
        "tcgen05.wait::ld.sync.aligned;\n");
    put_out(4);
    put(END);
}

/* Row r of the source is 16 or 32 bytes of the number r; lanes by the document's pairs of warps. */
static void test_copies_reach_their_lanes(void **state) {
    static const struct {
        const char *words;
        uint32_t row[4]; /* of the source, in lane 5 of each quarter */
    } all[] = {{"128x256b", {5, 37, 69, 101}},
               {"128x128b", {5, 37, 69, 101}},
               {"64x128b.warpx2::02_13", {5, 37, 5, 37}},
               {"64x128b.warpx2::01_23", {5, 5, 37, 37}},
               {"32x128b.warpx4", {5, 5, 5, 5}}};
    uint32_t in[1024];
    (void)state;
    for (uint32_t i = 0; i < 1024; i++) { /* rows of 8, each unit of 16 bytes for itself */
        const uint32_t unit = i / 4, group = unit / 16, half = unit / 8 % 2,
                       row = group * 8 + unit % 8;
        in[i] = row << 8 | (half * 4 + i % 4);
    }
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        uint32_t *out;
        put_copy(all[i].words);
        harness *h = run_text(128, TMA_EMULATE_COMPLETED, (void **)&out, in, sizeof(in));
        harness_none(h);
        for (uint32_t quarter = 0; quarter < 4; quarter++) {
            for (uint32_t column = 0; column < 4; column++) {
                assert_int_equal(out[4 * (32 * quarter + 5) + column],
                                 all[i].row[quarter] << 8 | column);
            }
        }
        harness_end(h);
    }
}

/* 16 elements of 16 bytes, packed into the first 8 or 12, lie in the middle of a byte each. */
static void test_copies_widen(void **state) {
    static const struct {
        const char *words;
        uint32_t bits, shift, lanes; /* rows of the source */
    } all[] = {{"128x128b.b8x16.b4x16_p64", 4, 2, 128},
               {"128x256b.b8x16.b6x16_p32", 6, 1, 128},
               {"32x128b.warpx4.b8x16.b6x16_p32", 6, 1, 32}};
    uint8_t in[4096];
    (void)state;
    for (uint32_t i = 0; i < sizeof(in); i++) {
        in[i] = (uint8_t)(i * 2654435761u >> 15);
    }
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        uint8_t *out;
        put_copy(all[i].words);
        harness *h = run_text(128, TMA_EMULATE_COMPLETED, (void **)&out, in, sizeof(in));
        harness_none(h);
        for (uint32_t at = 0; at < 128 * 16; at++) {
            const uint32_t row = at / 16 % all[i].lanes, first = at % 16 * all[i].bits;
            const uint8_t *from = &in[row / 8 * 256 + row % 8 * 16];
            uint32_t code = 0;
            for (uint32_t bit = 0; bit < all[i].bits; bit++) {
                code |= (uint32_t)(from[(first + bit) / 8] >> (first + bit) % 8 & 1) << bit;
            }
            assert_int_equal(out[at], code << all[i].shift);
        }
        harness_end(h);
    }
}

/* ---- shifts ---- */

#define INIT_BAR                                                                                   \
    "setp.eq.u32 %p1, %r150, 0;\n@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\n"                   \
    "@%p1 fence.mbarrier_init.release.cluster;\n"
#define COMMIT_AND_WAIT                                                                            \
    "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n"          \
    "W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra W;\n"                   \
    "tcgen05.fence::after_thread_sync;\n"
#define STORE_ALL(columns)                                                                         \
    put("tcgen05.st.sync.aligned.32x32b.x" #columns ".b32 [%r152], ");                             \
    put_registers(columns);                                                                        \
    put(";\ntcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync;\nbar.sync 0;\n"     \
        "tcgen05.fence::after_thread_sync;\n")

/* Eight columns of a quarter's lanes become those of the next lane, the last one's stay. */
static void test_shift_goes_to_the_lane_before(void **state) {
    (void)state;
    for (uint32_t quarter = 0; quarter < 4; quarter++) {
        uint32_t *out;
        char line[64];
        strcpy(text, BEGIN);
        put(INIT_BAR);
        put_values();
        STORE_ALL(32);
        (void)snprintf(line, sizeof(line), "add.u32 %%r151, %%r151, %u;\n", quarter << 21 | 8);
        put(line);
        put("@%p1 tcgen05.shift.cta_group::1.down [%r151];\n" COMMIT_AND_WAIT
            "tcgen05.ld.sync.aligned.32x32b.x32.b32 ");
        put_registers(32);
        put(", [%r152];\ntcgen05.wait::ld.sync.aligned;\n");
        put_out(32);
        (void)snprintf(line, sizeof(line), "sub.u32 %%r151, %%r151, %u;\n", quarter << 21 | 8);
        put(line);
        put(END);
        harness *h = run_text(128, TMA_EMULATE_COMPLETED, (void **)&out, "", 1);
        harness_none(h);
        for (uint32_t i = 0; i < 128 * 32; i++) {
            const uint32_t lane = i / 32 % 32, column = i % 32;
            const int moves = i / 1024 == quarter && lane < 31 && column >= 8 && column < 16;
            assert_int_equal(little_endian(out[i]), cell(lane + (uint32_t)moves, column));
        }
        harness_end(h);
    }
}

/* A number of f16, whose bits are lane << 8, as f32. */
static uint32_t as_f32(uint32_t lane) {
    const double fraction = (lane & 3) / 4.0;
    const float value =
        (float)(lane < 4 ? fraction / 16384 : (1 + fraction) * (double)(1u << (lane >> 2)) / 32768);
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* .ashift: the product is of A as it was; then its lanes are shifted. B has one 1. */
static void test_ashift_comes_behind_the_product(void **state) {
    uint32_t *out;
    (void)state;
    strcpy(text, BEGIN);
    put(INIT_BAR
        "mov.u32 %r5, tile;\nmad.lo.u32 %r4, %r150, 4, %r5;\nselp.u32 %r6, 0x3c00, 0, %p1;\n"
        "st.shared.u32 [%r4], %r6;\nfence.proxy.async.shared::cta;\n"
        "shr.u32 %r5, %r5, 4;\ncvt.u64.u32 %q4, %r5;\nor.b64 %q4, %q4, 0x400000080000;\n");
    put_values();
    STORE_ALL(8);
    put("add.u32 %r153, %r151, 64;\nadd.u32 %r154, %r152, 64;\nsetp.ne.u32 %p3, %r150, %r150;\n"
        "@%p1 tcgen05.mma.cta_group::1.kind::f16.ashift [%r153], [%r151], %q4, 0x08020010, "
        "%p3;\n" COMMIT_AND_WAIT "tcgen05.ld.sync.aligned.32x32b.x8.b32 ");
    put_registers(8);
    put(", [%r152];\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r8}, [%r154];\n"
        "tcgen05.wait::ld.sync.aligned;\n");
    put_out(9);
    put(END);
    harness *h = run_text(128, TMA_EMULATE_COMPLETED, (void **)&out, "", 1);
    harness_none(h);
    for (uint32_t i = 0; i < 128 * 9; i++) {
        const uint32_t lane = i / 9 % 32, column = i % 9;
        const uint32_t shifted = cell(lane < 31 ? lane + 1 : lane, column);
        assert_int_equal(little_endian(out[i]), column < 8 ? shifted : as_f32(lane));
    }
    harness_end(h);
}

/* ---- allocation ---- */

typedef struct misuse {
    const char *words;
    uint32_t end, rule;
} misuse;

static void test_misuse_is_reported(void **state) {
    static const misuse all[] = {
        {"@%p0 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], 48;\n",
         TMA_EMULATE_TRAP, TMA_EMULATE_RULE_TENSOR_ALLOC},
        {"@%p0 tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
         "@%p0 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], 32;\n",
         TMA_EMULATE_TRAP, TMA_EMULATE_RULE_TENSOR_ALLOC},
        {"@%p0 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r151, 64;\n", TMA_EMULATE_TRAP,
         TMA_EMULATE_RULE_TENSOR_ALLOC},
        {"@%p0 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], 512;\n",
         TMA_EMULATE_DEADLOCK, TMA_EMULATE_RULE_DEADLOCK},
        {"add.u32 %r152, %r152, 0x00100000;\nsetp.eq.u32 %p1, %r150, 0;\n"
         "@%p1 tcgen05.shift.cta_group::1.down [%r152];\n",
         TMA_EMULATE_TRAP, TMA_EMULATE_RULE_TRAP},
        {"setp.eq.u32 %p1, %r150, 0;\n@%p1 tcgen05.shift.cta_group::1.down [%r152+124];\n",
         TMA_EMULATE_TRAP, TMA_EMULATE_RULE_OUT_OF_BOUNDS},
        {"setp.eq.u32 %p1, %r150, 0;\nmov.u32 %r5, tile;\nshr.u32 %r5, %r5, 4;\n"
         "cvt.u64.u32 %q4, %r5;\nor.b64 %q4, %q4, 0x400000080000;\n@%p1 "
         "tcgen05.mma.cta_group::1.kind::f16.ashift [%r151], [%r151], %q4, 0x04020010, %p1;\n",
         TMA_EMULATE_TRAP, TMA_EMULATE_RULE_TRAP},
        {"setp.eq.u32 %p1, %r150, 0;\n@%p1 tcgen05.mma.cta_group::1.kind::f16.ashift [%r151], "
         "%q4, %q4, 0x08020010, %p1;\n",
         TMA_EMULATE_NOT_EXECUTED, TMA_EMULATE_RULES},
        {"tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r0}, [%r152+128];\n", TMA_EMULATE_TRAP,
         TMA_EMULATE_RULE_OUT_OF_BOUNDS},
        {"add.u32 %r152, %r152, 0x00200000;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r0}, "
         "[%r152];\n",
         TMA_EMULATE_TRAP, TMA_EMULATE_RULE_OUT_OF_BOUNDS},
        {"tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r0}, [%r152];\ntcgen05.wait::ld.sync.aligned;\n"
         "st.global.u32 [%q0], %r0;\n",
         TMA_EMULATE_COMPLETED, TMA_EMULATE_RULE_UNINITIALISED},
        {"setp.eq.u32 %p1, %r150, 0;\nmov.u32 %r5, tile;\nshr.u32 %r5, %r5, 4;\n"
         "cvt.u64.u32 %q4, %r5;\nor.b64 %q4, %q4, 0x401000080000;\n"
         "@%p1 tcgen05.cp.cta_group::1.128x256b [%r151], %q4;\n"
         "@%p1 tcgen05.cp.cta_group::1.128x256b [%r151+8], %q4;\n",
         TMA_EMULATE_COMPLETED, TMA_EMULATE_RULE_EXIT_EARLY},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        uint32_t *out;
        strcpy(text, BEGIN);
        put(all[i].words);
        put(END);
        harness *h = run_text(32, all[i].end, (void **)&out, "", 1);
        const uint32_t want = all[i].rule != TMA_EMULATE_RULES;
        if (harness_findings(h, all[i].rule) != want) {
            print_error("%s", all[i].words);
        }
        assert_int_equal(harness_findings(h, all[i].rule), want);
        if (all[i].rule == TMA_EMULATE_RULE_EXIT_EARLY) {
            assert_non_null(strstr(harness_finding(h, all[i].rule)->missing, "tcgen05.commit"));
        }
        harness_end(h);
    }
}

#define LD   "tcgen05.ld.sync.aligned."
#define ST   "tcgen05.st.sync.aligned."
#define RED  "tcgen05.ld.red.sync.aligned."
#define FOUR " {%r4, %r5, %r6, %r7}"
#define MMA  "@%p1 tcgen05.mma.cta_group::1."

static const char *const WRONG[] = {
    RED "32x32b.x1.max.u32 {%r4}, %r0, [%r152];\n",
    RED "16x64b.x4.max.u32" FOUR ", %r0, [%r152];\n",
    RED "32x32b.x4.add.u32" FOUR ", %r0, [%r152];\n",
    RED "32x32b.x4.max.abs.u32" FOUR ", %r0, [%r152];\n",
    RED "32x32b.x4.max.NaN.s32" FOUR ", %r0, [%r152];\n",
    RED "32x32b.x4.max.f16" FOUR ", %r0, [%r152];\n",
    RED "32x32b.x4.max.u32" FOUR ", _, [%r152];\n",
    RED "32x32b.x4.max.u32" FOUR ", %q2, [%r152];\n",
    RED "32x32b.x4.max.u32" FOUR ", [%r152];\n",
    RED "32x32b.x4.max.u32 {%r4, %r5, %r6}, %r0, [%r152];\n",
    LD "32x32b.x4.b32" FOUR ", %r152;\n",
    LD "32x32b.x4.b32 {%r4, %r5, %r6}, [%r152];\n",
    LD "32x32b.x2.b32 {%q2, %q3}, [%r152];\n",
    LD "32x32b.x4.b32 {%r4, %r5, %r6, 7}, [%r152];\n",
    LD "32x32b.x4.b32" FOUR ", [%r152], %r0;\n",
    LD "32x32b.x3.b32 {%r4, %r5, %r6}, [%r152];\n",
    LD "16x32bx2.x4.b32" FOUR ", [%r152];\n",
    LD "16x32bx2.x4.b32" FOUR ", [%r152], %r0;\n",
    ST "32x32b.x4.b32 [%r152], {%r4, %r5, %r6};\n",
    ST "32x32b.x4.b32" FOUR ", [%r152];\n",
    ST "32x32b.x2.b32 [%r152], {%q2, %q3};\n",
    ST "16x32bx2.x4.b32 [%r152]," FOUR ";\n",
    "@%p1 tcgen05.mma.kind::f16 [%r151], %q4, %q4, 0x08020010, %p1;\n",
    MMA "kind::f16.block_scale [%r151], %q4, %q4, 0x08020010, [%r151], [%r151], %p1;\n",
    MMA "kind::mxf4 [%r151], %q4, %q4, 0x08020010, %p1;\n",
    MMA "kind::mxf4.block_scale [%r151], %q4, %q4, 0x08020010, %r0, [%r151], %p1;\n",
    MMA "kind::mxf4.block_scale [%r151], %q4, %q4, 0x08020010, [%r151], %r0, %p1;\n",
    "@%p1 tcgen05.mma.ws.cta_group::2.kind::f16 [%r151], %q4, %q4, 0x08020010, %p1;\n",
    "@%p1 tcgen05.mma.ws.cta_group::1.kind::mxf4.block_scale [%r151], %q4, %q4, 0x08020010, "
    "[%r151], [%r151], %p1;\n",
    MMA "kind::f16 %r151, %q4, %q4, 0x08020010, %p1;\n",
    MMA "kind::f16 [%r151], %r0, %q4, 0x08020010, %p1;\n",
    MMA "kind::f16 [%r151], %q4, %r0, 0x08020010, %p1;\n",
    MMA "kind::f16 [%r151], %q4, %q4, %q4, %p1;\n",
    MMA "kind::f16 [%r151], %q4, %q4, 0x08020010;\n",
    MMA "kind::f16 [%r151], %q4, %q4, 0x08020010, {%r4, %r5, %r6}, %p1;\n",
    MMA "kind::f16 [%r151], %q4, %q4, 0x08020010, {%r4, %r5, %r6, %r7, %r4, %r5, %r6, %r7}, "
        "%p1;\n",
    MMA "kind::f16 [%r151], %q4, %q4, 0x08020010, %p1, %r0;\n",
};

/* One thing of each is not as in a form that there is. */
static void test_forms_that_there_are_not(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++) {
        harness h;
        strcpy(text, BEGIN);
        put("setp.eq.u32 %p1, %r150, 0;\n");
        put(WRONG[i]);
        put(END);
        harness_begin(&h, text);
        harness_memory(&h, 4096);
        harness_memory(&h, 4096);
        harness_block(&h, 1, 32);
        const uint32_t end = harness_run(&h);
        if (end != TMA_EMULATE_NOT_EXECUTED) {
            fail_msg("%s%s: %s", WRONG[i], tma_emulate_end_name(end), harness_why(&h));
        }
        harness_end(&h);
    }
}

/* A second allocation has columns of its own, and what was given back is given out again. */
static void test_allocations_do_not_overlap(void **state) {
    uint32_t *out;
    (void)state;
    strcpy(text, BEGIN);
    put("bar.warp.sync -1;\n"
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], 64;\n"
        "ld.shared.u32 %r1, [at];\n"
        "bar.warp.sync -1;\n"
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], 256;\n"
        "ld.shared.u32 %r2, [at];\n"
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 64;\n"
        "bar.warp.sync -1;\n"
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], 64;\n"
        "ld.shared.u32 %r3, [at];\n"
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 256;\n"
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, 64;\n"
        "mov.u32 %r0, %r151;\n");
    put_out(4);
    put(END);
    harness *h = run_text(32, TMA_EMULATE_COMPLETED, (void **)&out, "", 1);
    harness_none(h);
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], 128);
    assert_int_equal(out[2], 256);
    assert_int_equal(out[3], 128);
    harness_end(h);
}

static void test_who_waits_for_columns_is_said(void **state) {
    tma_emulate_thread t;
    void *out;
    (void)state;
    text[0] = 0;
    put(BEGIN);
    put("@%p0 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], 512;\n");
    put(END);
    harness *h = run_text(32, TMA_EMULATE_DEADLOCK, &out, "", 1);
    assert_int_equal(harness_findings(h, TMA_EMULATE_RULE_DEADLOCK), 1);
    assert_true(tma_emulator_thread_at(h->emulator, 0, 3, &t));
    assert_int_equal(t.waits, 1);
    assert_string_equal(t.waits_at, "tensor memory");
    assert_int_equal(t.barrier, 0);
    harness_end(h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads_have_the_documents_layout),
        cmocka_unit_test(test_stores_have_the_layout_of_loads),
        cmocka_unit_test(test_reductions_of_loads),
        cmocka_unit_test(test_copies_reach_their_lanes),
        cmocka_unit_test(test_copies_widen),
        cmocka_unit_test(test_shift_goes_to_the_lane_before),
        cmocka_unit_test(test_ashift_comes_behind_the_product),
        cmocka_unit_test(test_misuse_is_reported),
        cmocka_unit_test(test_forms_that_there_are_not),
        cmocka_unit_test(test_allocations_do_not_overlap),
        cmocka_unit_test(test_who_waits_for_columns_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
