/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor copies of kernels: what arrives is what the core's tma_copy() makes of the same map;
 * traps, multicast, reductions, prefetches, maps made and edited by the kernel.
 */
#include "emulator/harness.h"
#include "tma/copy.h"
#include "tma/map.h"

#define HEAD                                                                                       \
    ".visible .entry k(.param .u64 p, .param .u64 q, .param .align 128 .b8 m[128])\n{\n"           \
    ".reg .pred %p<9>; .reg .b16 %rs<3>; .reg .b32 %r<30>; .reg .b64 %rd<30>;\n"                   \
    ".extern .shared .align 1024 .b8 s[]; .shared .align 8 .b64 bar;\n"                            \
    "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd1, %rd1; ld.param.u64 %rd7, [q];\n"             \
    "mov.b64 %rd8, m; cvta.param.u64 %rd9, %rd8; mov.u32 %r9, %cluster_ctarank;\n"                 \
    "mov.u32 %r1, %tid.x; mov.u32 %r2, s; add.u32 %r2, %r2, 1023; and.b32 %r2, %r2, -1024;\n"      \
    "mov.u32 %r3, bar; setp.eq.u32 %p1, %r1, 0;\n"                                                 \
    "@%p1 mbarrier.init.shared.b64 [%r3], 1; @%p1 fence.mbarrier_init.release.cluster;\n"          \
    "barrier.cluster.arrive; barrier.cluster.wait;\n"
#define WAIT(bytes)                                                                                \
    "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], " #bytes ";\n"                            \
    "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0; @!%p2 bra W;\n"
/* Shared memory, word by word, to memory 0 behind the CTA's rank. */
#define DUMP                                                                                       \
    "mul.wide.u32 %rd20, %r9, 4096; add.u64 %rd21, %rd1, %rd20; mov.u32 %r20, %r1;\n"              \
    "D: shl.b32 %r21, %r20, 2; add.u32 %r22, %r2, %r21; ld.shared.u32 %r23, [%r22];\n"             \
    "cvt.u64.u32 %rd22, %r21; add.u64 %rd22, %rd22, %rd21; st.global.u32 [%rd22], %r23;\n"         \
    "add.u32 %r20, %r20, 32; setp.lt.u32 %p3, %r20, 1024; @%p3 bra D; ret;\n}\n"
#define ZERO                                                                                       \
    "mov.u32 %r20, %r1;\nZ: shl.b32 %r21, %r20, 2; add.u32 %r22, %r2, %r21; st.shared.u32 "        \
    "[%r22], -1;\nadd.u32 %r20, %r20, 32; setp.lt.u32 %p3, %r20, 1024; @%p3 bra Z;\n"              \
    "fence.proxy.async; bar.sync 0;\n"

#define TENSOR_B 16384

static tma_spec spec_of(uint32_t dtype, uint32_t swizzle, uint32_t inner_el, uint32_t rows) {
    return (tma_spec){.dtype = dtype,
                      .rank = 2,
                      .address = HARNESS_ADDRESS(1),
                      .dim_el = {TENSOR_B / 64 / (tma_dtype_bits(dtype) / 8), 60},
                      .stride_B = {TENSOR_B / 64},
                      .box_el = {inner_el, rows},
                      .element_stride = {1, 1},
                      .swizzle = swizzle};
}

/* Memory 1 is the tensor, with numbers in it. */
static void begin(harness *h, const char *text, const tma_spec *spec, uint32_t ctas) {
    uint8_t map[TMA_MAP_BYTES];
    harness_begin(h, text);
    harness_memory(h, 4096 * 4);
    uint32_t *tensor = harness_memory(h, TENSOR_B);
    for (uint32_t i = 0; i < TENSOR_B / 4; i++) {
        tensor[i] = i * 2654435761u >> 4 & 0x3fffffff;
    }
    assert_int_equal(tma_encode(map, spec, NULL), TMA_OK);
    harness_param(h, map, sizeof(map));
    harness_block(h, ctas, 32);
    h->launch.cluster[0] = ctas;
    h->launch.dynamic_shared_B = 8192;
}

/* What the core makes of the same copy. */
static void core_copies(harness *h, const tma_spec *spec, uint32_t op, int32_t x, int32_t y,
                        void *tensor, uint8_t *shared) {
    uint8_t map[TMA_MAP_BYTES];
    tma_plan plan;
    const tma_instruction in = {.op = op};
    const tma_range range = {.address = spec->address, .size_B = TENSOR_B, .host = tensor};
    const tma_global global = {.ranges = &range, .count = 1};
    const tma_window window = {.address = 0x400, .size_B = 4096, .host = shared};
    const tma_position at = {.coord = {x, y}, .shared_address = 0x400};
    (void)h;
    assert_int_equal(tma_encode(map, spec, NULL), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map, &in, NULL, NULL), TMA_OK);
    assert_int_equal(tma_copy(&plan, &at, &global, &window, NULL), TMA_OK);
}

static void loads(void **state) {
    static const struct {
        uint32_t dtype, swizzle, inner_el, rows;
        int32_t x, y;
    } cases[] = {
        {TMA_DTYPE_FLOAT16, TMA_SWIZZLE_NONE, 64, 16, 0, 0},
        {TMA_DTYPE_FLOAT16, TMA_SWIZZLE_128B, 64, 16, 8, 50}, /* rows behind the end are filled */
        {TMA_DTYPE_FLOAT16, TMA_SWIZZLE_64B, 32, 32, -8, -3},
        {TMA_DTYPE_FLOAT16, TMA_SWIZZLE_128B, 32, 16, 112, 9}, /* rows that do not fill the span */
        {TMA_DTYPE_FLOAT32, TMA_SWIZZLE_32B, 8, 64, 4, 1},
        {TMA_DTYPE_UINT8, TMA_SWIZZLE_NONE, 48, 20, 16, 1},
    };
    static const char text[] =
        HEAD ZERO "@!%p1 bra S; mov.u32 %r5, {X}; mov.u32 %r6, {Y};\n"
                  "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes\n"
                  "  [%r2], [%rd9, {%r5, %r6}], [%r3];\nS:\n" WAIT({B}) DUMP;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char ptx[8192];
        harness h;
        uint8_t shared[4096];
        const tma_spec spec =
            spec_of(cases[i].dtype, cases[i].swizzle, cases[i].inner_el, cases[i].rows);
        const uint32_t bytes_B =
            cases[i].inner_el * cases[i].rows * tma_dtype_bits(cases[i].dtype) / 8;
        size_t at = 0;
        for (const char *t = text; *t; t++) {
            const int is_hole = t[0] == '{' && t[2] == '}' && strchr("XYB", t[1]);
            at += (size_t)(is_hole ? snprintf(ptx + at, 16, "%d",
                                              (int)(t[1] == 'X'   ? cases[i].x
                                                    : t[1] == 'Y' ? cases[i].y
                                                                  : (int32_t)bytes_B))
                                   : snprintf(ptx + at, 2, "%c", *t));
            t += is_hole ? 2 : 0;
        }
        begin(&h, ptx, &spec, 1);
        harness_completes(&h);
        memset(shared, 0xff, sizeof(shared));
        core_copies(&h, &spec, TMA_OP_LOAD, cases[i].x, cases[i].y, h.memory[1].bytes, shared);
        assert_memory_equal(h.memory[0].bytes, shared, sizeof(shared));
        harness_end(&h);
    }
}

#define FILL                                                                                       \
    "mov.u32 %r20, %r1;\nZ: shl.b32 %r21, %r20, 2; add.u32 %r22, %r2, %r21; mul.lo.u32 %r23, "     \
    "%r20, 77; st.shared.u32 [%r22], %r23;\nadd.u32 %r20, %r20, 32; setp.lt.u32 %p3, %r20, "       \
    "1024; @%p3 bra Z;\nfence.proxy.async; bar.sync 0; @!%p1 bra E;\n"

static void stores_and_reductions(void **state) {
    static const struct {
        const char *copy;
        uint32_t op, dtype;
    } cases[] = {
        {"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd9, {8, 57}], [%r2];\n",
         TMA_OP_STORE, TMA_DTYPE_UINT32},
        {"cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group\n"
         " [%rd9, {8, 57}], [%r2];\n",
         TMA_OP_ADD, TMA_DTYPE_UINT32},
        {"cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.tile.bulk_group\n"
         " [%rd9, {8, 57}], [%r2];\n",
         TMA_OP_MAX, TMA_DTYPE_INT32},
        {"cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.tile.bulk_group\n"
         " [%rd9, {8, 57}], [%r2];\n",
         TMA_OP_XOR, TMA_DTYPE_UINT64},
    };
    static const char *const waits[] = {"cp.async.bulk.wait_group 0;\n",
                                        "cp.async.bulk.wait_group.read 0;\n"};
    (void)state;
    for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
        char ptx[8192];
        harness h;
        uint8_t shared[4096];
        uint32_t tensor[TENSOR_B / 4];
        const tma_spec spec = spec_of(cases[i / 2].dtype, TMA_SWIZZLE_NONE, 16, 8);
        snprintf(ptx, sizeof(ptx), "%s%scp.async.bulk.commit_group; %sE: ret;\n}\n", HEAD FILL,
                 cases[i / 2].copy, waits[i % 2]);
        begin(&h, ptx, &spec, 1);
        memcpy(tensor, h.memory[1].bytes, sizeof(tensor));
        for (uint32_t k = 0; k < 1024; k++) {
            memcpy(shared + 4 * k, &(uint32_t){k * 77}, 4);
        }
        harness_completes(&h);
        core_copies(&h, &spec, cases[i / 2].op, 8, 57, tensor, shared);
        assert_memory_equal(h.memory[1].bytes, tensor, sizeof(tensor));
        harness_end(&h);
    }
}

/* Two pixels of four channels, one pixel further on: an offset alone in braces is an offset, too.
 */
static void im2col_offsets(void **state) {
    char ptx[8192];
    harness h;
    const tma_spec spec = {.api = TMA_API_IM2COL,
                           .dtype = TMA_DTYPE_UINT32,
                           .rank = 3,
                           .address = HARNESS_ADDRESS(1),
                           .dim_el = {4, 8, 2},
                           .stride_B = {16, 128},
                           .upper_px = {-2},
                           .channels_per_pixel = 4,
                           .pixels_per_column = 2,
                           .element_stride = {1, 1, 1}};
    (void)state;
    snprintf(ptx, sizeof(ptx), "%s%s", HEAD ZERO,
             "mov.u16 %rs1, 1;\n@%p1 "
             "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
             "[%r2], [%rd9, {0, 3, 1}], [%r3], {%rs1};\n" WAIT(32) DUMP);
    begin(&h, ptx, &spec, 1);
    harness_completes(&h);
    assert_memory_equal(h.memory[0].bytes, (uint8_t *)h.memory[1].bytes + 128 + 4 * 16, 32);
    harness_end(&h);
}

/* Shared memory that nobody wrote goes to global memory: inside the tensor it is reported, what a
 * row takes behind the tensor's end is not. */
static void unwritten_sources(void **state) {
    static const struct {
        uint32_t inner_el, x;
        size_t findings;
    } cases[] = {{64, 8, 1}, {16, 112, 0}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char ptx[8192];
        harness h;
        tma_spec spec = spec_of(TMA_DTYPE_FLOAT16, TMA_SWIZZLE_NONE, cases[i].inner_el, 1);
        spec.dim_el[0] = i ? 116 : 128; /* 4 of the box's 16 elements, and 8 bytes behind them */
        snprintf(ptx, sizeof(ptx), "%s%s%u%s", HEAD,
                 "@!%p1 bra E; st.shared.u64 [%r2], 7; fence.proxy.async;\n"
                 "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd9, {",
                 (unsigned)cases[i].x,
                 ", 3}], [%r2];\ncp.async.bulk.commit_group; cp.async.bulk.wait_group 0; E: "
                 "ret;\n}\n");
        begin(&h, ptx, &spec, 1);
        assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
        assert_int_equal(harness_findings(&h, TMA_EMULATE_RULES), cases[i].findings);
        assert_int_equal(harness_findings(&h, TMA_EMULATE_RULE_UNINITIALISED), cases[i].findings);
        harness_end(&h);
    }
}

/* Four CTAs; CTA 1 sends its box to CTAs 0, 1 and 3, whose barriers count it. */
static void multicasts(void **state) {
    (void)state;
    harness h;
    uint8_t shared[4096];
    const tma_spec spec = spec_of(TMA_DTYPE_UINT32, TMA_SWIZZLE_128B, 32, 8);
    begin(&h,
          HEAD ZERO
          "barrier.cluster.arrive; barrier.cluster.wait; setp.eq.u32 %p4, %r9, 1;\n"
          "and.pred %p4, %p4, %p1; mov.b16 %rs1, 11;\n"
          "@%p4 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
          ".multicast::cluster [%r2], [%rd9, {4, 2}], [%r3], %rs1;\n"
          "setp.eq.u32 %p5, %r9, 2; @%p5 bra X;\n" WAIT(1024) "X:" DUMP,
          &spec, 4);
    harness_completes(&h);
    for (uint32_t cta = 0; cta < 4; cta++) {
        memset(shared, 0xff, sizeof(shared));
        if (cta != 2) {
            core_copies(&h, &spec, TMA_OP_LOAD, 4, 2, h.memory[1].bytes, shared);
        }
        assert_memory_equal((uint8_t *)h.memory[0].bytes + (size_t)cta * 4096, shared,
                            sizeof(shared));
    }
    harness_end(&h);
}

static void traps(void **state) {
    static const struct {
        const char *copy;
        const char *word; /* of why, or of a finding */
    } cases[] = {
        {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes\n"
         "  [%r2], [%rd9, {1, 0}], [%r3];\n",
         "16"}, /* coordinate 0 times 4 bytes */
        {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes\n"
         "  [%r2+64], [%rd9, {0, 0}], [%r3];\n",
         "128"},
        {"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd9, {-4, 0}], [%r2];\n", "0"},
        {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes\n"
         "  [%r2], [%rd9+32, {0, 0}], [%r3];\n",
         "64"},
        {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
         ".multicast::cluster [%r2], [%rd9, {0, 0}], [%r3], 2;\n",
         "cluster"},
        {"cp.async.bulk.prefetch.tensor.2d.L2.global [%rd9, {1, 0}];\n", "16"},
        {"cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%rd9, {0, 0, 0}], [%r2];\n", ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char ptx[8192];
        harness h;
        const tma_spec spec = spec_of(TMA_DTYPE_UINT32, TMA_SWIZZLE_128B, 32, 8);
        snprintf(ptx, sizeof(ptx), "%s%sE: ret;\n}\n", HEAD FILL, cases[i].copy);
        begin(&h, ptx, &spec, 1);
        assert_int_equal(harness_run(&h), TMA_EMULATE_TRAP);
        assert_int_equal(harness_findings(&h, TMA_EMULATE_RULES), 1);
        if (!strstr(tma_emulator_finding_at(h.emulator, 0)->text, cases[i].word)) {
            fail_msg("case %zu: %s", i, tma_emulator_finding_at(h.emulator, 0)->text);
        }
        harness_end(&h);
    }
}

/* The kernel makes a map in shared memory of the one that it has, edits it, publishes it in global
 * memory, acquires it and copies with it; without the acquire it is reported. */
static void maps_made_by_kernels(void **state) {
    static const char *const acquires[] = {
        "fence.proxy.tensormap::generic.acquire.gpu [%rd7], 128;\n", "\n"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(acquires); i++) {
        char ptx[8192];
        harness h;
        uint8_t shared[4096];
        tma_spec spec = spec_of(TMA_DTYPE_UINT32, TMA_SWIZZLE_NONE, 32, 8);
        snprintf(ptx, sizeof(ptx), "%s%s%s%s", HEAD ZERO,
                 "shl.b32 %r10, %r1, 2; cvt.u64.u32 %rd10, %r10; add.u64 %rd11, %rd9, %rd10;\n"
                 "ld.u32 %r11, [%rd11]; add.u32 %r12, %r2, %r10; st.shared.u32 [%r12], %r11;\n"
                 "bar.warp.sync -1; add.u64 %rd12, %rd7, 512; add.u64 %rd7, %rd7, 16384;\n"
                 "@%p1 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r2], %rd12;\n"
                 "@%p1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r2], 1, 4;\n"
                 "@%p1 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r2], 3;\n"
                 "bar.warp.sync -1;\n"
                 "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync"
                 ".aligned [%rd7], [%r2], 128;\n",
                 acquires[i],
                 "@!%p1 bra S; st.shared.u32 [%r2], -1;\n"
                 "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes\n"
                 "  [%r2+1024], [%rd7, {0, 2}], [%r3];\nS:\n" WAIT(512) DUMP);
        begin(&h, ptx, &spec, 1);
        h.memory[1].bytes = realloc(h.memory[1].bytes, TENSOR_B + 128);
        h.memory[1].size_B = TENSOR_B + 128;
        assert_non_null(h.memory[1].bytes);
        assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
        assert_int_equal(harness_findings(&h, TMA_EMULATE_RULES), i);
        assert_int_equal(harness_findings(&h, TMA_EMULATE_RULE_PTX_FENCE), i);
        spec.box_el[1] = 4;
        core_copies(&h, &spec, TMA_OP_LOAD, 0, 4, h.memory[1].bytes, shared); /* 512 B are 2 rows */
        assert_memory_equal((uint8_t *)h.memory[0].bytes + 1024, shared, 512);
        harness_end(&h);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads),
        cmocka_unit_test(im2col_offsets),
        cmocka_unit_test(unwritten_sources),
        cmocka_unit_test(stores_and_reductions),
        cmocka_unit_test(multicasts),
        cmocka_unit_test(traps),
        cmocka_unit_test(maps_made_by_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
