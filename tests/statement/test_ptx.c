/* SPDX-License-Identifier: Apache-2.0
 *
 * PTX statements: read, written, held against targets, judged.
 */
#include "support/testing.h"

#include <stdio.h>
#include <string.h>

#include "support/gen/gen_ptx.h"
#include "tma/grammar.h"
#include "tma/ptx.h"

static tma_status parse(tma_ptx_statement *s, const char *text, tma_error *error) {
    return tma_ptx_parse(s, text, strlen(text), error);
}

static const char *printed(const tma_ptx_statement *s) {
    static char text[1024];
    tma_out out = tma_out_into(text, sizeof(text));
    tma_ptx_print(&out, s);
    assert_true(out.length < sizeof(text));
    return text;
}

static void expect_reads(const char *text, const char *plain) {
    tma_ptx_statement s;
    tma_error error;
    if (parse(&s, text, &error)) {
        fail_msg("%s\n%s", text, error.text);
    }
    assert_int_not_equal(s.kind, TMA_PTX_OTHER);
    assert_string_equal(printed(&s), plain);
}

/* Every statement is printed as it was, and reading that gives the same again. */
static void statements_come_back(void **state) {
    const unsigned long count = spec_count() / 10 + 1000;
    struct random_source random = {11};
    (void)state;
    for (unsigned long i = 0; i < count; i++) {
        struct ptx_sample sample;
        gen_ptx(&random, &sample);
        expect_reads(sample.plain, sample.plain);
        expect_reads(sample.messy, sample.plain);
    }
}

static void statements_say_what_they_are(void **state) {
    const unsigned long count = spec_count() / 20 + 1000;
    struct random_source random = {12};
    (void)state;
    for (unsigned long i = 0; i < count; i++) {
        struct ptx_sample sample;
        tma_ptx_statement s;
        gen_ptx(&random, &sample);
        assert_int_equal(parse(&s, sample.messy, NULL), TMA_OK);
        if (!sample.rank) {
            continue;
        }
        assert_int_equal(s.in.rank, sample.rank);
        assert_string_equal(tma_ptx_kind_name(s.kind), sample.opcode);
        assert_int_equal(s.in.op == TMA_OP_LOAD || s.in.op == TMA_OP_PREFETCH, !sample.stores);
        assert_memory_equal(sample.mode, tma_mode_name(s.in.mode), *sample.mode ? 4 : 0);
        assert_int_equal(s.coords, tma_mode_coords(s.in.mode, s.in.rank));
    }
}

static void examples_of_forms_come_back(void **state) {
    size_t count = 0;
    (void)state;
    for (const tma_ptx_form *form; (form = tma_ptx_form_at(count)); count++) {
        if (*form->example) {
            expect_reads(form->example, form->example);
        }
    }
    assert_true(count > 20);
    assert_null(tma_ptx_form_at(SIZE_MAX));
}

/* A form is lacking exactly where the table of targets has no such feature. */
static void examples_need_what_their_row_says(void **state) {
    unsigned lacking = 0;
    const size_t archs = tma_arch_count();
    (void)state;
    for (size_t i = 0; tma_ptx_form_at(i); i++) {
        const tma_ptx_form *const asked = tma_ptx_form_at(i);
        tma_ptx_statement s;
        if (parse(&s, asked->example, NULL) || !*asked->example) {
            continue;
        }
        for (size_t a = 0; a < archs; a++) {
            const tma_target target = {
                .sm = tma_arch_at(a)->sm, .suffix = tma_arch_at(a)->suffix, .driver = 13000};
            int found = 0;
            const tma_ptx_form *form;
            for (size_t n = 0; (form = tma_ptx_lacks(&s, &target, 0, n, NULL)); n++) {
                found |= form == asked;
            }
            const int has = (tma_arch_at(a)->features & asked->features) == asked->features;
            assert_int_equal(found, !has);
            lacking += (unsigned)found;
        }
        int by_version = 0;
        assert_null(tma_ptx_lacks(&s, NULL, asked->version, 0, &by_version));
        assert_non_null(tma_ptx_lacks(&s, NULL, asked->version - 1, 0, &by_version));
        assert_true(by_version);
    }
    assert_true(lacking > 50);
}

/* A load, of this mode, to shared::cta or cluster, on every target: the plan refuses it for its
 * target where, and only where, the statement lacks something. */
static void plans_refuse_what_targets_lack(void **state) {
    unsigned refused = 0;
    const size_t archs = tma_arch_count();
    (void)state;
    for (size_t a = 0; a < archs; a++) {
        const tma_target target = {
            .sm = tma_arch_at(a)->sm, .suffix = tma_arch_at(a)->suffix, .driver = 13000};
        for (uint32_t i = 0; i < TMA_OPS * TMA_MODES * 2 * 3; i++) {
            const tma_instruction in = {.op = i % TMA_OPS,
                                        .mode = i / TMA_OPS % TMA_MODES,
                                        .cluster = i / TMA_OPS / TMA_MODES % 2,
                                        .cta_group = i / TMA_OPS / TMA_MODES / 2};
            const tma_position at = {.coord = {0}};
            const int tile = in.mode == TMA_MODE_TILE || in.mode == TMA_MODE_GATHER4 ||
                             in.mode == TMA_MODE_SCATTER4;
            tma_spec spec = {.api = tile ? TMA_API_TILED : TMA_API_IM2COL,
                             .dtype = TMA_DTYPE_UINT32,
                             .rank = tile ? 2 : 3,
                             .swizzle = TMA_SWIZZLE_64B,
                             .address = 1 << 20,
                             .dim_el = {64, 64, 64},
                             .stride_B = {256, 16384},
                             .box_el = {16, 1, 1},
                             .element_stride = {1, 1, 1},
                             .channels_per_pixel = 16,
                             .pixels_per_column = 4};
            tma_map map;
            tma_plan plan;
            tma_finding why = {.rule = TMA_RULE_NONE};
            tma_ptx_statement s;
            char text[512];
            assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
            const tma_status status = tma_plan_make(&plan, map.bytes, &in, &target, &why);
            tma_ptx_of(&s, &in, spec.rank, &at);
            tma_out out = tma_out_into(text, sizeof(text));
            tma_ptx_print(&out, &s);
            if (status && why.rule != TMA_RULE_MODE_TARGET && why.rule != TMA_RULE_CTA_GROUP) {
                continue; /* another reason: not the target's */
            }
            if (parse(&s, text, NULL)) {
                assert_int_not_equal(status, TMA_OK);
                continue;
            }
            if (in.cta_group && in.op != TMA_OP_LOAD) {
                continue; /* no text says so */
            }
            assert_int_equal(tma_ptx_lacks(&s, &target, 0, 0, NULL) != NULL, status != TMA_OK);
            refused += status != TMA_OK;
        }
    }
    assert_true(refused > 100);
}

#define LOAD "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes "

static void errors_name_column_and_what_was_expected(void **state) {
    static const struct {
        const char *text;
        const char *says;
    } cases[] = {
        {LOAD "[s], [m, {0, 0, 0}], [b];", "column 87: ',' where 2 coordinates in braces for .2d"},
        {LOAD "[s], [m, {0}], [b];", "column 84: '}]' where 2 coordinates in braces"},
        {LOAD "[s], [m, {0, 0}];", "column 89: ';' where , and the mbarrier"},
        {LOAD "[s], [m, {0, 0}], [b], 7;", "column 94: ',' where the statement's end"},
        {"cp.async.bulk.tensor.6d.global.shared::cta.bulk_group [m, {0}], [s];",
         "column 21: '.6d.global.shared::cta.bulk_group' where a qualifier"},
        {"cp.async.bulk.tensor.2d.global.shared::cta [m, {0, 0}], [s];",
         "column 44: '[m' where a store's .bulk_group"},
        {"cp.async.bulk.tensor.2d.global.shared::cta.im2col.bulk_group [m, {0, 0}], [s];",
         "column 43: '.im2col.bulk_group' where a mode of stores"},
        {"cp.async.bulk.tensor.3d.L2.global [m, {0, 0, 0}];", "column 24: '.L2.global'"},
        {"cp.async.bulk.prefetch.tensor.2d.global [m, {0, 0}];", "column 41: '[m' where .L2"},
        {"tensormap.replace.tile.box_dim.b1024.b32 [%rd1], 5, %r1;",
         "column 50: '5' where an ordinal"},
        {"tensormap.replace.tile.fill_mode.b1024.b32 [%rd1], 2;",
         "column 52: '2;' where an immediate that the field takes"},
        {"tensormap.replace.tile.rank.b1024.b64 [%rd1], 2;", "where .b32 for this field"},
        {"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync [a], [b], "
         "128;",
         "where .aligned"},
        {"fence.proxy.tensormap::generic.acquire.gpu [a], 64;", "column 49: '64;'"},
        {"tensormap.frobnicate [a];", "column 1: 'tensormap.frobnicate'"},
        {LOAD "[s], [m, {\x1b[2J, 0}], [b];", "column 83: '?[2J' where a coordinate"},
        {"@1 cp.async.bulk.tensor.2d;", "column 2: '1' where a predicate"},
        {"cp.async.bulk.tensor.2d.tile.tile", "column 29: '.tile' where a qualifier of another"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        tma_ptx_statement s;
        tma_error error;
        if (parse(&s, cases[i].text, &error) == TMA_OK) {
            fail_msg("%s is read", cases[i].text);
        }
        if (!strstr(error.text, cases[i].says)) {
            fail_msg("%s\n%s\nnot: %s", cases[i].text, error.text, cases[i].says);
        }
    }
}

static void other_instructions_are_not_read(void **state) {
    static const char *const others[] = {
        "mov.u32 %r1, 0;",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [a], [b], 16, [c];",
        "cp.async.ca.shared.global [a], [b], 16;",
        "fence.proxy.async.shared::cta;",
        "prefetch.global.L2 [a];",
        "@%p bra L;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%r1}, %rd1, %rd2, 1, 1, 1, 0, 0;",
        "",
        ";",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        tma_ptx_statement s;
        assert_int_equal(parse(&s, others[i], NULL), TMA_OK);
        assert_int_equal(s.kind, TMA_PTX_OTHER);
    }
}

/* PTX 9.4's, as ptxas 13.5.37 takes them. */
static void newer_forms_are_read_and_written(void **state) {
    static const char *const forms[] = {
#define NEW_LOAD "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes"
        NEW_LOAD ".override::global_address [s], [m, %rd1, {0, 0}], [b];",
        NEW_LOAD ".override::global_address.override::global_dim_stride [s], [m, %rd1, {%b1, %b2}, "
                 "{%r3}, %rs1, {0, 0}], [b];",
        NEW_LOAD ".mbarrier::report::validity::per_16bytes::8000 [s], [m, {0, 0}], [b];",
        NEW_LOAD ".mbarrier::report::disabled.cta_group::1 [s], [m, {0, 0}], [b];",
        "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group.override::global_address.override::"
        "global_dim [m, %rd1, {%b1}, {0}], [s];",
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
        "cluster::32b [s], [m, {0, 0}], [b], 0x10003;",
        "cp.async.bulk.prefetch.tensor.2d.L2.global.tile.L2::evict_last.override::global_address "
        "[m, %rd1, {0, 0}];",
        "applypriority.async.bulk.tensor.2d.bulk_group.L2::evict_normal [m, {0, 0}];",
        "applypriority.async.bulk.tensor.3d.global.bulk_group.im2col::w.L2::evict_normal [m, {0, "
        "0, "
        "0}], {0, 1};",
        "applypriority.async.bulk.tensor.2d.global.bulk_group.L2::evict_normal.override::"
        "global_address.override::global_dim_stride [m, %rd1, {%b1, %b2}, {%r3}, %rs1, {0, 0}];",
        "fabric.try_get.async.tensor.2d.shared::cta.global.tile [s], [m, %r1, {0, 0}], [b];",
    };
    static const char *const refused[] = {
        NEW_LOAD ".override::global_dim_stride [s], [m, {%b1, %b2}, {%r3}, %rs1, {0, 0}], [b];",
        NEW_LOAD
        ".override::global_address.override::global_dim [s], [m, %rd1, {%b1}, {0, 0}], [b];",
        NEW_LOAD
        ".tile::gather4.override::global_address.override::global_dim_stride [s], [m, %rd1, "
        "{%b1, %b2}, {%r3}, %rs1, {0, 0, 0, 0, 0}], [b];",
        NEW_LOAD ".mbarrier::report::validity::per_element::80 [s], [m, {0, 0}], [b];",
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.mbarrier::report::disabled [m, {0, "
        "0}], [s];",
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
        "cluster.override::global_address.override::global_dim_stride [s], [m, %rd1, {%b1, %b2}, "
        "{%r3}, %rs1, {0, 0}], [b], %rs2;",
        "cp.async.bulk.prefetch.tensor.2d.L2.global.L2::evict_last.L2::cache_hint [m, {0, 0}], "
        "%rd1;",
        "applypriority.async.bulk.tensor.2d.global.bulk_group.L2::evict_last [m, {0, 0}];",
        "applypriority.async.bulk.tensor.2d.global.bulk_group [m, {0, 0}];",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        expect_reads(forms[i], forms[i]);
    }
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        tma_ptx_statement s;
        assert_int_equal(parse(&s, refused[i], NULL), TMA_INVALID);
    }
}

/* The map of 64 x 64 at 0x10000 becomes one of 16 x 8 at 0x20000; a register leaves it as it is. */
static void overrides_change_one_copy(void **state) {
    static const struct {
        const char *text;
        uint32_t unknown;
        uint64_t address, dim_el, step_B;
    } cases[] = {
        {NEW_LOAD
         ".override::global_address.override::global_dim_stride [0x400], [m, 0x20000, {16, 8}, "
         "{4}, 1, {0, 0}], [b];",
         0, 0x20000, 16, (UINT64_C(1) << 36) + 64},
        {NEW_LOAD ".override::global_address [0x400], [m, 0x20000, {16, 8}], [b];", 0, 0x20000, 64,
         128},
        {NEW_LOAD ".override::global_address [0x400], [m, %rd1, {16, 8}], [b];",
         TMA_PTX_UNKNOWN_OVERRIDE, 0x10000, 64, 128},
    };
    const tma_target target = {.sm = 107, .suffix = 'a', .driver = 13040};
    const tma_spec spec = {.dtype = TMA_DTYPE_FLOAT16,
                           .rank = 2,
                           .address = 0x10000,
                           .dim_el = {64, 64},
                           .stride_B = {128},
                           .box_el = {16, 8},
                           .element_stride = {1, 1}};
    tma_map map;
    (void)state;
    assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
    const tma_map before = map;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        tma_plan plan;
        tma_position at = {.coord = {0}};
        uint32_t unknown = 0;
        assert_int_equal(tma_ptx_plan(&plan, &at, &unknown, cases[i].text, strlen(cases[i].text),
                                      map.bytes, &target, NULL, NULL),
                         TMA_OK);
        assert_int_equal(unknown, cases[i].unknown);
        assert_int_equal(tma_plan_info(&plan)->address, cases[i].address);
        assert_int_equal(tma_plan_info(&plan)->dim_el[0], cases[i].dim_el);
        assert_int_equal(tma_plan_info(&plan)->step_B[1], cases[i].step_B);
    }
    assert_memory_equal(map.bytes, before.bytes, TMA_MAP_BYTES);
}

/* What judging says without a map: the rule, -1 for nothing, and what kind of map alone runs. */
static void copies_are_judged_without_a_map(void **state) {
#define TILE3 "cp.async.bulk.tensor.3d.shared::cta.global.mbarrier::complete_tx::bytes "
#define CONV  "cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes "
#define GATHER                                                                                     \
    "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes "
#define SCATTER "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group "
#define WIDE    "cp.async.bulk.tensor.4d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes "
    static const struct {
        const char *text;
        int rule;
        int but;
    } cases[] = {
        {LOAD "[%r1], [m, {2, 0}], [b];", -1, 0},
        {LOAD "[%r1], [m, {1, 0}], [b];", TMA_RULE_TRAP_COORD_ALIGN, 0},
        {LOAD "[%r1], [m, {-2, -1}], [b];", -1, 0},
        {LOAD "[%r1], [m, {%r2, 1}], [b];", -1, 0},
        {LOAD "[256], [m, {%r2, 1}], [b];", -1, 0},
        {LOAD "[192], [m, {%r2, 1}], [b];", -1, 0}, /* a swizzle of 32-byte atoms */
        {LOAD "[16], [m, {%r2, 1}], [b];", TMA_RULE_TRAP_SHARED_ALIGN, 0},
        {TILE3 "[%r1], [m, {1, 0, 0}], [b];", -1, 1},
        {TILE3 "[%r1], [m, {2, 0, 0}], [b];", -1, 0},
        {CONV "[%r1], [m, {2, -1, -1, 0}], [b], {0, 0};", -1, 0},
        {CONV "[%r1], [m, {2, -129, -1, 0}], [b], {0, 0};", TMA_RULE_TRAP_BOX_LOWER, 0},
        {CONV "[%r1], [m, {2, -128, -1, 0}], [b], {0, 0};", -1, 0},
        {WIDE "[%r1], [m, {2, 0, 0, 0}], [b], {511, 31};", -1, 0},
        {WIDE "[%r1], [m, {2, 0, 0, 0}], [b], {512, 0};", TMA_RULE_WIDE_HALO, 0},
        {"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [m, {0, 0}], [%r1];", -1, 0},
        {"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [m, {0, -1}], [%r1];",
         TMA_RULE_TRAP_COORD_NEGATIVE, 0},
        {"cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.bulk_group [m, {4, 0}], [%r1];", -1,
         0},
        {"cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.bulk_group [m, {2, 0}], [%r1];",
         TMA_RULE_TRAP_COORD_ALIGN, 0},
        {"cp.async.bulk.prefetch.tensor.2d.L2.global [m, {1, 0}];", TMA_RULE_TRAP_COORD_ALIGN, 0},
        {GATHER "[%r1], [m, {2, 1, 2, 3, 4}], [b];", -1, 0},
        {GATHER "[%r1], [m, {1, 1, 2, 3, 4}], [b];", TMA_RULE_TRAP_COORD_ALIGN, 0},
        {GATHER "[16], [m, {2, 1, 2, 3, 4}], [b];", TMA_RULE_TRAP_SHARED_ALIGN, 0},
        {SCATTER "[m, {2, 1, 2, 3, 4}], [%r1];", -1, 0},
        {SCATTER "[m, {2, 1, 2, 3, -4}], [%r1];", TMA_RULE_TRAP_COORD_NEGATIVE, 0},
    };
    const tma_target target = {.sm = 100, .suffix = 'a', .driver = 13000};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        tma_ptx_statement s;
        tma_position at = {.coord = {0}};
        tma_finding why = {.rule = TMA_RULE_NONE};
        const char *but = NULL;
        assert_int_equal(parse(&s, cases[i].text, NULL), TMA_OK);
        const uint32_t unknown = tma_ptx_position(&at, &s);
        const tma_status status = tma_ptx_judge(&s, &at, unknown, &target, &why, &but);
        if ((status != TMA_OK) != (cases[i].rule >= 0) || (but != NULL) != cases[i].but ||
            (status && why.rule != cases[i].rule)) {
            fail_msg("%s: status %d, rule %d, but %s", cases[i].text, status, why.rule,
                     but ? but : "none");
        }
    }
}

static void swizzles_of_small_atoms_are_for_targets_that_have_them(void **state) {
    static const struct {
        tma_target target;
        tma_status status;
    } cases[] = {{{.sm = 90, .suffix = 'a', .driver = 13000}, TMA_TRAP},
                 {{.sm = 100, .suffix = 'a', .driver = 13000}, TMA_OK}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        tma_ptx_statement s;
        tma_position at = {.coord = {0}};
        tma_finding why;
        assert_int_equal(parse(&s, LOAD "[64], [m, {0, 0}], [b];", NULL), TMA_OK);
        const uint32_t unknown = tma_ptx_position(&at, &s);
        assert_int_equal(tma_ptx_judge(&s, &at, unknown, &cases[i].target, &why, NULL),
                         cases[i].status);
    }
}

/* sm_120 has swizzles of small atoms, but not for loads to .shared::cluster: those do not count. */
static void maps_that_a_target_has_not_do_not_count(void **state) {
    const char *const text = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"
                             "complete_tx::bytes [%r1], [m, {3, 0}], [b];";
    const tma_target target = {.sm = 120, .suffix = 'a', .driver = 13000};
    tma_ptx_statement s;
    tma_position at = {.coord = {0}};
    tma_finding why = {.rule = 0};
    (void)state;
    assert_int_equal(parse(&s, text, NULL), TMA_OK);
    const uint32_t unknown = tma_ptx_position(&at, &s);
    assert_int_equal(tma_ptx_judge(&s, &at, unknown, &target, &why, NULL), TMA_TRAP);
    assert_int_equal(why.rule, TMA_RULE_TRAP_COORD_ALIGN);
}

static void a_string_and_a_map_make_a_plan(void **state) {
    const char text[] = "@%p1 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::"
                        "bytes [%r1], [%rd1, {-8, %r2}], [%r3];";
    tma_spec spec = {.dtype = TMA_DTYPE_FLOAT16,
                     .rank = 2,
                     .address = 1 << 20,
                     .dim_el = {64, 64},
                     .stride_B = {128},
                     .box_el = {16, 4},
                     .element_stride = {1, 1}};
    tma_map map;
    tma_plan plan;
    tma_position at = {.coord = {7, 9}, .shared_address = 640};
    uint32_t unknown = 0;
    tma_error error;
    tma_finding why;
    (void)state;
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    assert_int_equal(
        tma_ptx_plan(&plan, &at, &unknown, text, sizeof(text) - 1, map.bytes, NULL, &error, &why),
        TMA_OK);
    assert_int_equal(unknown, TMA_PTX_UNKNOWN_COORD << 1 | TMA_PTX_UNKNOWN_SHARED);
    assert_int_equal(at.coord[0], -8);
    assert_int_equal(at.coord[1], 9);
    assert_int_equal(at.shared_address, 640);
    assert_int_equal(tma_plan_info(&plan)->tx_B, 128);
    spec.rank = 1;
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    assert_int_equal(
        tma_ptx_plan(&plan, &at, &unknown, text, sizeof(text) - 1, map.bytes, NULL, &error, &why),
        TMA_TRAP);
    assert_int_equal(why.rule, TMA_RULE_RANK_MAP);
}

/* A ctaMask that is a number is the instruction's, cut to its 16 or 32 bits; a register is not. */
static void masks_of_multicasts(void **state) {
    static const struct {
        const char *behind, *mask;
        uint64_t cta_mask;
    } cases[] = {{"", "0x3", 3},          {"", "65535", 65535},
                 {"", "65537", 1},        {"", "-1", 65535},
                 {"", "%h1", 0},          {"", "(1 + 2)", 0},
                 {"::16b", "0x10003", 3}, {"::32b", "0x1F0000003", 0xF0000003}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[256];
        tma_ptx_statement s;
        sprintf(text,
                "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes"
                ".multicast::cluster%s [s], [m, {0}], [b], %s;",
                cases[i].behind, cases[i].mask);
        assert_int_equal(parse(&s, text, NULL), TMA_OK);
        assert_int_equal(s.in.cta_mask, cases[i].cta_mask);
        assert_true(s.in.cluster);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_come_back),
        cmocka_unit_test(statements_say_what_they_are),
        cmocka_unit_test(examples_of_forms_come_back),
        cmocka_unit_test(examples_need_what_their_row_says),
        cmocka_unit_test(plans_refuse_what_targets_lack),
        cmocka_unit_test(errors_name_column_and_what_was_expected),
        cmocka_unit_test(other_instructions_are_not_read),
        cmocka_unit_test(newer_forms_are_read_and_written),
        cmocka_unit_test(overrides_change_one_copy),
        cmocka_unit_test(copies_are_judged_without_a_map),
        cmocka_unit_test(swizzles_of_small_atoms_are_for_targets_that_have_them),
        cmocka_unit_test(maps_that_a_target_has_not_do_not_count),
        cmocka_unit_test(a_string_and_a_map_make_a_plan),
        cmocka_unit_test(masks_of_multicasts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
