/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes for whoever has wrong values: memory that was there to be written and was not, a cancelled
 * cluster whose work nobody knows of, a map that says more than its memory has. And the finding of
 * a commit of nothing behind bytes that nobody reads.
 */
#include "emulator/harness.h"
#include "tma/map.h"

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

/* Each thread writes its word of memory 0. */
#define WRITES                                                                                     \
    ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>; .reg .b64 %d<4>;\n"                     \
    "mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; ld.param.u64 %d2, [p];\n"                      \
    "add.u64 %d2, %d2, %d1; st.global.u32 [%d2], %r1; ret;\n}\n"

static void unwritten(void **state) {
    static const struct {
        uint32_t threads, uninitialised;
        const char *words; /* null: no note */
    } cases[] = {
        {24, 1, "32 of its 128 bytes were written by no thread and no copy, the first at +96"},
        {32, 1, NULL},
        {24, 0, NULL}, /* given with contents: nobody has to write it */
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        harness h;
        harness_begin(&h, WRITES);
        harness_memory(&h, 128);
        harness_block(&h, 1, cases[i].threads);
        h.memory[0].uninitialised = cases[i].uninitialised;
        assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
        harness_none(&h);
        assert_int_equal(has_note(&h, "written by no thread"), cases[i].words != NULL);
        assert_true(!cases[i].words || has_note(&h, cases[i].words));
        harness_end(&h);
    }
}

/* One of two clusters cancels the other, looks whether it did, and asks for its id or does not. */
#define CANCELS(asks)                                                                              \
    ".visible .entry k()\n{\n.reg .b32 %r<4>; .reg .b128 %h; .reg .pred %p<3>;\n"                  \
    ".shared .align 16 .b8 answer[16]; .shared .align 8 .b64 bar;\n"                               \
    "mbarrier.init.shared::cta.b64 [bar], 1; fence.mbarrier_init.release.cluster;\n"               \
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;\n"                                    \
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 "         \
    "[answer], [bar];\n"                                                                           \
    "W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0; @!%p1 bra W;\n"                    \
    "ld.shared.b128 %h, [answer];\n"                                                               \
    "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %h; @!%p2 bra E;\n" asks         \
    "E: ret;\n}\n"

static void cancelled_and_not_asked_for(void **state) {
    static const struct {
        const char *text;
        uint32_t grid;
        int is_noted;
    } cases[] = {
        {CANCELS(""), 2, 1},
        {CANCELS(""), 1, 0}, /* none is left */
        {CANCELS("clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, %h;\n"), 2, 0},
        {CANCELS("clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 "
                 "{%r1, _, _, _}, %h;\n"),
         2, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        harness h;
        harness_begin(&h, cases[i].text);
        harness_block(&h, cases[i].grid, 1);
        h.launch.schedule = TMA_EMULATE_LATE;
        assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
        harness_none(&h);
        assert_int_equal(has_note(&h, "1 cancelled cluster, the first that of CTA (1, 0, 0)"),
                         cases[i].is_noted);
        assert_int_equal(has_note(&h, "get_first_ctaid"), cases[i].is_noted);
        harness_end(&h);
    }
}

#define LOADS                                                                                      \
    ".visible .entry k(.param .align 128 .b8 m[128])\n{\n"                                         \
    ".reg .pred %p<2>; .reg .b64 %d<3>;\n"                                                         \
    ".shared .align 128 .b8 s[1024]; .shared .align 8 .b64 bar;\n"                                 \
    "mov.b64 %d1, m; cvta.param.u64 %d2, %d1;\n"                                                   \
    "mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster;\n"                    \
    "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 1024;\n"                                       \
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [s], "            \
    "[%d2, {0, 0}], [bar];\n"                                                                      \
    "W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W; ret;\n}\n"

static void maps(void **state) {
    static const struct {
        uint32_t rows, stride_B;
        const char *words; /* null: no note */
    } cases[] = {
        {64, 128, NULL},
        {65, 128, "the map's tensor has 8320 bytes, and only 8192 are there"},
        {64, 144, "the map's tensor has 9200 bytes, and only 8192 are there"},
        {64, 0, "the map's stride of dimension 1 is 0: its 64 indices are the same bytes"},
        {64, 112,
         "the map's stride of dimension 1 is 112 B, less than the 128 B inside it: its "
         "indices overlap"},
        {1, 128, NULL},
        {1, 112, NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint8_t map[TMA_MAP_BYTES];
        const tma_spec spec = {.dtype = TMA_DTYPE_FLOAT32,
                               .rank = 2,
                               .address = HARNESS_ADDRESS(0),
                               .dim_el = {32, cases[i].rows},
                               .stride_B = {cases[i].stride_B},
                               .box_el = {32, 8},
                               .element_stride = {1, 1}};
        harness h;
        harness_begin(&h, LOADS);
        harness_memory(&h, 8192);
        h.launch.params_B = 0; /* the map alone */
        assert_int_equal(tma_encode(map, &spec, NULL), TMA_OK);
        harness_param(&h, map, sizeof(map));
        harness_block(&h, 1, 1);
        harness_completes(&h);
        assert_int_equal(has_note(&h, "the map's"), cases[i].words != NULL);
        assert_true(!cases[i].words || has_note(&h, cases[i].words));
        harness_end(&h);
    }
}

#define LOAD_OF_THREE                                                                              \
    "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [s], "            \
    "[%d2, {0, 0, 0}], [bar];\n"
#define LOADS_TWICE                                                                                \
    ".visible .entry k(.param .align 128 .b8 m[128])\n{\n"                                         \
    ".reg .pred %p<2>; .reg .b64 %d<3>;\n"                                                         \
    ".shared .align 128 .b8 s[256]; .shared .align 8 .b64 bar;\n"                                  \
    "mov.b64 %d1, m; cvta.param.u64 %d2, %d1;\n"                                                   \
    "mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster;\n"                    \
    "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;\n" LOAD_OF_THREE                          \
    "W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;\n"                         \
    "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;\n" LOAD_OF_THREE                          \
    "V: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 1; @!%p1 bra V; ret;\n}\n"

/* Strides of two dimensions in either order, padded, interleaved; and two lines that copy with the
 * same map: a note once. */
static void maps_of_three_dimensions(void **state) {
    static const struct {
        uint32_t dim_el[2], stride_B[2];
        const char *words; /* null: no note */
    } cases[] = {
        {{8, 4}, {128, 1024}, NULL},
        {{8, 4}, {512, 128}, NULL},  /* permuted */
        {{8, 4}, {144, 1136}, NULL}, /* 7 * 144 + 128: the last row has no padding */
        {{2, 2}, {384, 256}, NULL},  /* 0, 256, 384, 640 */
        {{1, 4}, {16, 128}, NULL},
        {{8, 4},
         {144, 1120},
         "dimension 2 is 1120 B, less than the 1136 B inside it: its indices "
         "overlap"},
        {{4, 8}, {1120, 144}, "dimension 1 is 1120 B, less than the 1136 B"},
        {{3, 2},
         {256, 384},
         "dimension 2 is 384 B, less than the 640 B inside it: its indices may "
         "overlap"}, /* they lie in the gaps */
        {{8, 4}, {0, 128}, "dimension 1 is 0: its 8 indices are the same bytes"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint8_t map[TMA_MAP_BYTES];
        const tma_spec spec = {.dtype = TMA_DTYPE_FLOAT32,
                               .rank = 3,
                               .address = HARNESS_ADDRESS(0),
                               .dim_el = {32, cases[i].dim_el[0], cases[i].dim_el[1]},
                               .stride_B = {cases[i].stride_B[0], cases[i].stride_B[1]},
                               .box_el = {32, 1, 1},
                               .element_stride = {1, 1, 1}};
        harness h;
        const char *text;
        uint32_t line, notes = 0;
        harness_begin(&h, LOADS_TWICE);
        harness_memory(&h, 16384);
        h.launch.params_B = 0; /* the map alone */
        assert_int_equal(tma_encode(map, &spec, NULL), TMA_OK);
        harness_param(&h, map, sizeof(map));
        harness_block(&h, 1, 1);
        harness_completes(&h);
        for (size_t n = 0; (text = tma_emulator_note_at(h.emulator, n, &line)); n++) {
            notes += strstr(text, "the map's") != NULL;
        }
        assert_int_equal(notes, cases[i].words != NULL);
        assert_true(!cases[i].words || has_note(&h, cases[i].words));
        harness_end(&h);
    }
}

static void a_copy_past_its_memory(void **state) {
    uint8_t map[TMA_MAP_BYTES];
    const tma_spec spec = {.dtype = TMA_DTYPE_FLOAT32,
                           .rank = 2,
                           .address = HARNESS_ADDRESS(0),
                           .dim_el = {32, 64},
                           .stride_B = {128},
                           .box_el = {32, 8},
                           .element_stride = {1, 1}};
    harness h;
    (void)state;
    harness_begin(&h, LOADS);
    harness_memory(&h, 512);
    h.launch.params_B = 0;
    assert_int_equal(tma_encode(map, &spec, NULL), TMA_OK);
    harness_param(&h, map, sizeof(map));
    harness_block(&h, 1, 1);
    assert_int_equal(harness_run(&h), TMA_EMULATE_TRAP);
    assert_non_null(strstr(harness_why(&h), "it begins 0 bytes past the end of "));
    assert_non_null(strstr(harness_why(&h), ", 512 bytes)"));
    assert_true(has_note(&h, "the map's tensor has 8192 bytes, and only 512 are there"));
    harness_end(&h);
}

#define CUTS                                                                                       \
    ".visible .entry k(.param .u64 p)\n{\n.shared .align 128 .b8 s[128];\n"                        \
    "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [s], 0, "

static void strides_that_are_cut(void **state) {
    static const struct {
        const char *text;
        const char *words; /* null: no note */
    } cases[] = {
        {CUTS "120; ret;\n}\n", "a stride of 120 B is cut to 112 B, units of 16 B"},
        {CUTS "112; ret;\n}\n", NULL},
        {CUTS "1099511627760; ret;\n}\n", NULL},
        {CUTS "1099511627776; ret;\n}\n", "a stride of 1099511627776 B is cut to 0 B, units of "
                                          "16 B: a map has no stride as long"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        harness h;
        harness_begin(&h, cases[i].text);
        harness_memory(&h, 16);
        harness_block(&h, 1, 1);
        assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
        assert_true(!cases[i].words || has_note(&h, cases[i].words));
        assert_int_equal(has_note(&h, "cut"), cases[i].words != NULL);
        harness_end(&h);
    }
}

/* One thread writes 16 bytes, perhaps fences and reads them, and commits no copy. */
#define EMPTY(fence, then)                                                                         \
    ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<5>; .reg .b64 %d<2>;\n"                     \
    ".shared .align 128 .b8 s[128];\nld.param.u64 %d1, [p];\n"                                     \
    "st.shared.v4.u32 [s+32], {1, 2, 3, 4};\n" fence "cp.async.bulk.commit_group;\n"               \
    "cp.async.bulk.wait_group 0;\n" then "ret;\n}\n"
#define EMPTY_FENCE "fence.proxy.async.shared::cta;\n"
/* The reader that another launch executes, p being null there. */
#define EMPTY_OTHER(reader) "{ .reg .pred %p1; setp.eq.u64 %p1, %d1, 0; @%p1 " reader "; }\n"
#define EMPTY_READER        "cp.async.bulk.global.shared::cta.bulk_group [%d1], [s+32], 16"
#define EMPTY_KERNEL                                                                               \
    ".visible .entry l(.param .u64 p)\n{\n.reg .b64 %d<2>;\n.shared .align 128 .b8 s[128];\n"      \
    "ld.param.u64 %d1, [p];\n" EMPTY_READER ";\nret;\n}\n"
/* A function that the kernel calls there, or never; the copy in it. */
#define EMPTY_FUNCTION                                                                             \
    ".func reads(.reg .b64 %d1)\n{\n.shared .align 128 .b8 own[128];\n"                            \
    "cp.async.bulk.global.shared::cta.bulk_group [%d1], [own], 16;\nret;\n}\n"
#define EMPTY_CALL "call reads, (%d1)"
/* ... which a copy brings. */
#define BROUGHT(then)                                                                              \
    ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<5>; .reg .b64 %d<2>; .reg .pred %p<2>;\n"   \
    ".shared .align 128 .b8 s[128]; .shared .align 8 .b64 bar;\nld.param.u64 %d1, [p];\n"          \
    "mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster;\n"                    \
    "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;\n"                                         \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+32], [%d1], 16, "        \
    "[bar];\nW: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;\n"                 \
    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n" then "ret;\n}\n"

static void commits_of_nothing(void **state) {
    static const struct {
        const char *text;
        uint32_t left_B; /* 0: no finding */
    } cases[] = {
        {EMPTY(EMPTY_FENCE, ""), 16},
        {EMPTY("", ""), 0}, /* not made ready for a copy */
        {EMPTY(EMPTY_FENCE, "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [s+32];\n"), 0},
        {EMPTY(EMPTY_FENCE, "ld.shared.u32 %r1, [s+36];\n"), 12},
        {EMPTY(EMPTY_FENCE, "st.shared.v2.u32 [s+32], {5, 6};\n"), 8}, /* later, for others */
        {EMPTY(EMPTY_FENCE, "cp.async.bulk.global.shared::cta.bulk_group [%d1], [s+32], 16;\n"
                            "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"),
         0},
        {EMPTY(EMPTY_FENCE, EMPTY_OTHER(EMPTY_READER)), 0},
        {EMPTY(EMPTY_FENCE, EMPTY_OTHER("tensormap.cp_fenceproxy.global.shared::cta.tensormap::"
                                        "generic.release.gpu.sync.aligned [%d1], [s], 128")),
         0},
        {EMPTY(EMPTY_FENCE, "") EMPTY_KERNEL, 16}, /* another kernel's */
        {EMPTY(EMPTY_FENCE, EMPTY_OTHER("cp.async.bulk.prefetch.L2.global [%d1], 16")), 16},
        {EMPTY(EMPTY_FENCE, EMPTY_OTHER("ld.shared.u32 %r1, [s+32]")), 16}, /* needs no fence */
        {BROUGHT(""), 16},
        {BROUGHT("ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [s+32];\n"), 0},
        {BROUGHT(EMPTY_OTHER("ld.shared.u32 %r1, [s+32]")), 0},
        {BROUGHT(EMPTY_OTHER("ld.global.u32 %r1, [%d1]")), 16},
        {BROUGHT(EMPTY_OTHER("ld.u32 %r1, [%d1]")), 0}, /* any reader of shared memory */
        {BROUGHT(EMPTY_OTHER("atom.shared.add.u32 %r1, [s+32], 1")), 0},
        {BROUGHT(EMPTY_OTHER("atom.global.add.u32 %r1, [%d1], 1")), 16},
        {BROUGHT(EMPTY_OTHER("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [s+32]")), 0},
        {EMPTY_FUNCTION EMPTY(EMPTY_FENCE, ""), 16}, /* which nobody calls */
        {EMPTY_FUNCTION EMPTY(EMPTY_FENCE, EMPTY_OTHER(EMPTY_CALL)), 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        harness h;
        harness_begin(&h, cases[i].text);
        h.launch.kernel = "k";
        harness_memory(&h, 16);
        harness_block(&h, 1, 1);
        assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
        const tma_emulate_finding *f = harness_finding(&h, TMA_EMULATE_RULE_COMMIT_MISSING);
        assert_int_equal(harness_findings(&h, TMA_EMULATE_RULES), cases[i].left_B != 0);
        assert_int_equal(f ? f->access[1].size_B : 0, cases[i].left_B);
        assert_true(!f || !f->certain);
        assert_true(has_note(&h, "the group has nothing in it"));
        harness_end(&h);
    }
}

/* A warp that names the first lanes: its note has the line. */
static void lanes_of_the_first_warp(void **state) {
    harness h;
    const char *text;
    uint32_t line = 0;
    (void)state;
    harness_begin(&h,
                  ".visible .entry k()\n{\n.reg .b32 %r<4>; .reg .pred %p<3>; .shared .b32 at;\n"
                  "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32;\n"
                  "@%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], 32;\n"
                  "bar.sync 0; ld.shared.u32 %r2, [at];\n"
                  "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r2], {%r1};\n"
                  "tcgen05.wait::st.sync.aligned; bar.sync 0;\n"
                  "@%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 32;\nret;\n}\n");
    harness_block(&h, 1, 64);
    if (harness_run_all(&h) != TMA_EMULATE_COMPLETED) {
        fail_msg("%s", harness_why(&h));
    }
    text = tma_emulator_note_at(h.emulator, 0, &line);
    assert_non_null(text);
    assert_non_null(strstr(text, "a warp reaches its own 32 lanes"));
    assert_int_equal(line, 10);
    harness_end(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_of_the_first_warp),     cmocka_unit_test(unwritten),
        cmocka_unit_test(cancelled_and_not_asked_for), cmocka_unit_test(maps),
        cmocka_unit_test(commits_of_nothing),          cmocka_unit_test(a_copy_past_its_memory),
        cmocka_unit_test(strides_that_are_cut),        cmocka_unit_test(maps_of_three_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
