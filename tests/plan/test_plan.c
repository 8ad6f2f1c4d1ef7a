/* SPDX-License-Identifier: Apache-2.0
 *
 * Every rule about instructions has a case just inside and one just outside its limit; the offsets
 * that the hardware gets; what a plan holds and a report counts, worked out by hand.
 */
#include "support/testing.h"

#include "support/cases/plan_cases.h"
#include <tma/map.h>

static void every_rule_has_a_case(void **state) {
    (void)state;
    unsigned cases[TMA_RULE_LIMIT] = {0};
    unsigned missing = 0;
    for (size_t i = 0; i < plan_case_count; i++) {
        assert_int_equal(tma_rule_of(plan_cases[i].rule)->scope, TMA_RULES_OF_COPIES);
        cases[plan_cases[i].rule]++;
    }
    cases[TMA_RULE_TENSOR_MAP_ALIGN]++; /* of no instruction: test_findings.c */
    cases[TMA_RULE_PACKED_NAME]++;      /* of a word: below */
    for (uint32_t rule = TMA_RULE_BULK_SIZE; rule <= TMA_RULE_BARRIER_UNINITIALISED; rule++) {
        cases[rule]++; /* of kernels and PTX files: test_judge_bulk.c, test_judge_barrier.c */
    }
    size_t rules = 0;
    for (size_t i = 0; i < tma_rule_count(); i++) {
        const tma_rule *rule = tma_rule_at(i);
        rules += rule->scope == TMA_RULES_OF_COPIES;
        if (rule->scope == TMA_RULES_OF_COPIES && !cases[rule->number]) {
            print_error("%s has no case in plan_cases.def\n", rule->name);
            missing++;
        }
    }
    assert_int_equal(missing, 0);
    print_message("%zu cases for %zu rules\n", plan_case_count, rules);
}

/* One number in a map, two names in PTX, by direction: 5.5.1.1.1. */
static void a_name_of_the_other_direction(void **state) {
    (void)state;
    static const struct {
        const char *word;
        uint32_t dtype;
        uint32_t op;
        int right;
    } cases[] = {
        {"b6x16_p32", TMA_DTYPE_16U6_ALIGN16B, TMA_OP_LOAD, 1},
        {".B6X16_P32", TMA_DTYPE_16U6_ALIGN16B, TMA_OP_STORE, 0},
        {".b6p2x16", TMA_DTYPE_16U6_ALIGN16B, TMA_OP_STORE, 1},
        {"b6p2x16", TMA_DTYPE_16U6_ALIGN16B, TMA_OP_LOAD, 0},
        {"b6p2x16", TMA_DTYPE_16U6_ALIGN16B, TMA_OP_PREFETCH, 0},
        {"16u6_align16b", TMA_DTYPE_16U6_ALIGN16B, TMA_OP_STORE, 1},
        {"b6p2x", TMA_DTYPE_16U6_ALIGN16B, TMA_OP_LOAD, 1},
        {"b4x16", TMA_DTYPE_16U4_ALIGN8B, TMA_OP_STORE, 1},
        {"", TMA_DTYPE_16U6_ALIGN16B, TMA_OP_STORE, 1},
    };
    const tma_target target = {.sm = 100, .suffix = 'a', .driver = 13000};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tma_map map;
        tma_plan plan;
        tma_finding why = {0};
        const tma_spec spec = {.dtype = cases[i].dtype,
                               .rank = 2,
                               .address = UINT64_C(0x7f0000000000),
                               .dim_el = {128, 8},
                               .stride_B = {96},
                               .box_el = {128, 8},
                               .element_stride = {1, 1}};
        const tma_instruction in = {.op = cases[i].op, .rank = 2};
        assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
        assert_int_equal(tma_plan_make(&plan, map.bytes, &in, &target, NULL), TMA_OK);
        assert_int_equal(tma_plan_named_right(&why, &plan, cases[i].word), cases[i].right);
        assert_int_equal(why.rule, cases[i].right ? 0 : TMA_RULE_PACKED_NAME);
        assert_int_equal(tma_plan_named_right(NULL, &plan, cases[i].word), cases[i].right);
    }
    assert_true(tma_plan_named_right(NULL, NULL, "b6p2x16"));
}

static void blame(const struct plan_case *c, const char *what, tma_status status,
                  const tma_finding *why) {
    char text[512] = "";
    if (status != TMA_OK) {
        tma_finding_text(text, sizeof(text), why);
    }
    fail_msg("plan_cases.def:%d (%s): %s: %s %s", c->line, tma_rule_of(c->rule)->name, what,
             tma_status_name(status), text);
}

static struct plan_ask ask_of(const struct plan_case *c, const struct plan_edit *edits) {
    struct plan_ask ask = plan_base_make(c->base);
    plan_edit_make(c->setup, &ask);
    plan_edit_make(edits, &ask);
    return ask;
}

/* The answer, and of a copy that runs what else is to be said. */
static tma_status answer_of(const struct plan_ask *ask, tma_rule_id rule, tma_finding *why) {
    const tma_status status = plan_ask_run(ask, why);
    tma_finding notes[4] = {{0}};
    if (status == TMA_OK) { /* a halo is disputed in two ways, .override asks for more than that */
        const size_t most = ask->in.overrides ? 3 : rule == TMA_RULE_READING_HALO_PIXELS ? 2 : 1;
        const size_t count = plan_ask_notes(ask, notes, 4);
        size_t at = 0;
        assert_in_range(count, 0, most);
        for (size_t i = 0; i < count; i++) {
            at = notes[i].rule == rule ? i : at;
        }
        *why = notes[at];
    }
    return status;
}

static void bases_run(void **state) {
    (void)state;
    for (int base = 0; base < PLAN_BASES; base++) {
        const struct plan_ask ask = plan_base_make((enum plan_base)base);
        tma_finding why = {0};
        assert_int_equal(plan_ask_run(&ask, &why), TMA_OK);
        assert_int_equal(plan_ask_notes(&ask, &why, 1), 0);
    }
}

static void inside_runs(void **state) {
    (void)state;
    for (size_t i = 0; i < plan_case_count; i++) {
        const struct plan_ask ask = ask_of(&plan_cases[i], plan_cases[i].inside);
        tma_finding why = {0};
        const tma_status status = plan_ask_run(&ask, &why);
        if (status != TMA_OK) {
            blame(&plan_cases[i], "refused inside its limit", status, &why);
        }
        if (plan_cases[i].status == TMA_OK && plan_ask_notes(&ask, &why, 1)) {
            blame(&plan_cases[i], "a note inside its limit", status, &why);
        }
        assert_int_equal(plan_ask_run(&ask, NULL), TMA_OK);
    }
}

static void outside_is_found(void **state) {
    (void)state;
    for (size_t i = 0; i < plan_case_count; i++) {
        const struct plan_case *c = &plan_cases[i];
        const struct plan_ask ask = ask_of(c, c->outside);
        tma_finding why = {0};
        const tma_status status = answer_of(&ask, c->rule, &why);
        if (status != c->status || why.rule != c->rule) {
            blame(c, "another answer outside its limit", status, &why);
        }
        if (why.index != c->index || why.given != c->given || why.value != c->value ||
            why.limit != c->limit) {
            blame(c, "another finding", status, &why);
        }
        assert_int_equal(why.severity,
                         c->status == TMA_OK ? TMA_SEVERITY_SURPRISING : TMA_SEVERITY_FAULTS);
        assert_int_equal(why.severity, tma_rule_of(c->rule)->severity);
        const tma_standing standing = tma_rule_of(c->rule)->standing;
        assert_int_equal(why.standing, standing == TMA_STANDING_HARDWARE && ask.target.sm != 90
                                           ? TMA_STANDING_ELSEWHERE
                                           : standing);
        assert_int_equal(why.argument, tma_rule_of(c->rule)->argument);
        assert_int_equal(plan_ask_run(&ask, NULL), c->status); /* a reason need not be asked for */
    }
}

/* A swizzle that PTX 5.5.5 takes and the API reference does not list; and what is asked of nobody.
 */
static void notes_of_wide_swizzles(void **state) {
    (void)state;
    static const uint32_t swizzles[] = {TMA_SWIZZLE_32B, TMA_SWIZZLE_128B_ATOM_64B};
    struct plan_ask ask = plan_base_make(PLAN_WIDE);
    tma_finding notes[2];
    tma_plan plan;
    for (size_t i = 0; i < COUNT_OF(swizzles); i++) {
        ask.spec.swizzle = swizzles[i];
        ask.in.mode = i ? TMA_MODE_IM2COL_W128 : TMA_MODE_IM2COL_W;
        assert_int_equal(plan_ask_notes(&ask, notes, 2), 1 + i);
        assert_int_equal(notes[0].rule,
                         i ? TMA_RULE_WIDE_SWIZZLE_READ : TMA_RULE_WIDE_SWIZZLE_LIST);
        assert_int_equal(notes[0].standing, i ? TMA_STANDING_DOCUMENTED : TMA_STANDING_NOT_ASKED);
        assert_int_equal(notes[0].given, swizzles[i]);
        assert_true(i == 0 || notes[1].rule == TMA_RULE_READING_ATOM_64B_LOADS);
        assert_int_equal(plan_ask_notes(&ask, NULL, 0), 1 + i);
    }
    memset(&plan, 0, sizeof(plan));
    assert_int_equal(tma_plan_notes(notes, 2, NULL, &ask.at), 0);
    assert_int_equal(tma_plan_notes(notes, 2, &plan, NULL), 0);
}

/* What a value must stand to its limit is said truly, and in words. */
static void relations_are_true(void **state) {
    (void)state;
    for (size_t i = 0; i < plan_case_count; i++) {
        const struct plan_ask ask = ask_of(&plan_cases[i], plan_cases[i].outside);
        tma_finding f = {0};
        char text[512];
        (void)answer_of(&ask, plan_cases[i].rule, &f);
        const int64_t value = (int64_t)f.value;
        const int64_t limit = (int64_t)f.limit;
        const int broken[] = {
            [TMA_MUST_BE_AT_MOST] = value > limit,
            [TMA_MUST_BE_AT_LEAST] = value < limit,
            [TMA_MUST_BE_BELOW] = value >= limit,
            [TMA_MUST_BE_ABOVE] = value <= limit,
            [TMA_MUST_BE_MULTIPLE_OF] = limit && value % limit != 0,
            [TMA_MUST_BE] = value != limit,
            [TMA_MUST_NOT_BE] = value == limit || f.rule == TMA_RULE_MAP_UNREADABLE,
        };
        assert_in_range(f.relation, 0, COUNT_OF(broken) - 1);
        if (!broken[f.relation]) {
            blame(&plan_cases[i], "the value does not break its limit", TMA_TRAP, &f);
        }
        assert_true(tma_finding_text(text, sizeof(text), &f) > 20);
        assert_non_null(strstr(text, tma_rule_of(f.rule)->statement));
    }
}

/* Whatever goes wrong, the plan is as it was. */
static void refused_plans_are_unchanged(void **state) {
    (void)state;
    const struct plan_ask base = plan_base_make(PLAN_TILE);
    const tma_instruction bad = {.op = TMA_OPS};
    const tma_target unknown = {.sm = 91, .driver = 13000};
    tma_map map;
    tma_plan plan;
    tma_plan before;
    assert_int_equal(tma_encode(map.bytes, &base.spec, NULL), TMA_OK);
    memset(&plan, 0xA5, sizeof(plan));
    memset(&before, 0xA5, sizeof(before));
    assert_int_equal(tma_plan_make(&plan, map.bytes, &bad, NULL, NULL), TMA_INVALID);
    assert_int_equal(tma_plan_make(&plan, map.bytes, &base.in, &unknown, NULL), TMA_INVALID);
    assert_int_equal(tma_plan_make(&plan, map.bytes, NULL, NULL, NULL), TMA_INVALID);
    assert_int_equal(tma_plan_make(&plan, NULL, &base.in, NULL, NULL), TMA_INVALID);
    assert_int_equal(tma_plan_make(NULL, map.bytes, &base.in, NULL, NULL), TMA_INVALID);
    const tma_instruction and_on_half = {.op = TMA_OP_AND};
    assert_int_equal(tma_plan_make(&plan, map.bytes, &and_on_half, NULL, NULL), TMA_TRAP);
    assert_memory_equal(&plan, &before, sizeof(plan));
}

static void a_plan_is_small(void **state) {
    (void)state;
    assert_true(sizeof(tma_plan) <= 1024);
    print_message("a plan is %zu bytes\n", sizeof(tma_plan));
}

/* A map need not be aligned, and null pointers are answered. */
static void maps_anywhere(void **state) {
    (void)state;
    const struct plan_ask base = plan_base_make(PLAN_TILE);
    uint8_t bytes[TMA_MAP_BYTES + 1];
    tma_map map;
    tma_plan a;
    tma_plan b;
    memset(&a, 0, sizeof(a)); /* the bytes between members stay what they were */
    memset(&b, 0, sizeof(b));
    assert_int_equal(tma_encode(map.bytes, &base.spec, NULL), TMA_OK);
    memcpy(bytes + 1, &map, sizeof(map));
    assert_int_equal(tma_plan_make(&a, map.bytes, &base.in, NULL, NULL), TMA_OK);
    assert_int_equal(tma_plan_make(&b, bytes + 1, &base.in, NULL, NULL), TMA_OK);
    assert_memory_equal(&a, &b, sizeof(a));
    assert_int_equal(tma_plan_at(NULL, &base.at, NULL), TMA_INVALID);
    assert_int_equal(tma_plan_at(&a, NULL, NULL), TMA_INVALID);
    tma_report_result report;
    assert_int_equal(tma_plan_report(NULL, &a, &base.at, NULL), TMA_INVALID);
    assert_int_equal(tma_plan_report(&report, NULL, &base.at, NULL), TMA_INVALID);
}

/* Reserved members: the instruction's, the position's, the target's. */
static void reserved_is_zero(void **state) {
    (void)state;
    const struct plan_ask base = plan_base_make(PLAN_TILE);
    tma_map map;
    tma_plan plan;
    tma_finding why;
    assert_int_equal(tma_encode(map.bytes, &base.spec, NULL), TMA_OK);
    for (int i = 0; i < 2; i++) {
        tma_instruction in = base.in;
        in.reserved[i] = 1u << 31;
        assert_int_equal(tma_plan_make(&plan, map.bytes, &in, NULL, &why), TMA_INVALID);
        assert_int_equal(why.rule, TMA_RULE_RESERVED_ZERO);
    }
    {
        tma_target target = {.sm = 90, .driver = 13000};
        target.reserved[0] = 1;
        assert_int_equal(tma_plan_make(&plan, map.bytes, &base.in, &target, &why), TMA_INVALID);
        assert_int_equal(why.rule, TMA_RULE_RESERVED_ZERO);
        assert_int_equal(tma_encode(map.bytes, &base.spec, &target), TMA_INVALID);
        assert_int_equal(tma_check(&why, 1, &base.spec, &target), 1);
        assert_int_equal(why.rule, TMA_RULE_RESERVED_ZERO);
        assert_true(why.given == 1 && why.limit == 0);
        assert_false(tma_accepts(&base.spec, &target));
    }
    assert_int_equal(tma_plan_make(&plan, map.bytes, &base.in, NULL, &why), TMA_OK);
    for (int i = -1; i < 4; i++) {
        tma_position at = base.at;
        at.reserved_0 = i < 0;
        at.reserved[i < 0 ? 0 : i] = i >= 0;
        assert_int_equal(tma_plan_at(&plan, &at, &why), TMA_INVALID);
        assert_int_equal(why.rule, TMA_RULE_RESERVED_ZERO);
        assert_int_equal(why.argument, TMA_ARG_RESERVED);
    }
}

/* What a driver makes runs on loops of 16 bytes at a time, however many elements the tensor has. */
static void sizes_of_every_kind_keep_the_loops(void **state) {
    (void)state;
    static const tma_op ops[] = {TMA_OP_LOAD, TMA_OP_STORE, TMA_OP_ADD};
    for (uint32_t dim_el = 64; dim_el < 96; dim_el++) {
        for (size_t i = 0; i < COUNT_OF(ops); i++) {
            struct plan_ask ask = plan_base_make(PLAN_TILE);
            ask.spec.dim_el[0] = dim_el;
            ask.spec.stride_B[0] = 256;
            ask.in.op = ops[i];
            tma_map map;
            tma_plan plan;
            assert_int_equal(tma_encode(map.bytes, &ask.spec, NULL), TMA_OK);
            assert_int_equal(tma_plan_make(&plan, map.bytes, &ask.in, NULL, NULL), TMA_OK);
            assert_int_not_equal(tma_plan_info(&plan)->path, TMA_PATH_REFERENCE);
        }
    }
}

/* What plan.h says of a box that is inside as a whole: it begins at a multiple of 16 bytes. */
static void whole_boxes_begin_at_16_bytes(void **state) {
    (void)state;
    static const struct {
        uint32_t dtype, mask;
    } rows[] = {{TMA_DTYPE_UINT8, 15},
                {TMA_DTYPE_FLOAT16, 7},
                {TMA_DTYPE_FLOAT32, 3},
                {TMA_DTYPE_FLOAT64, 1}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct plan_ask ask = plan_base_make(PLAN_TILE);
        ask.spec.dtype = rows[i].dtype;
        ask.spec.stride_B[0] = 512;
        ask.spec.box_el[0] = 16;
        tma_map map;
        tma_plan plan;
        assert_int_equal(tma_encode(map.bytes, &ask.spec, NULL), TMA_OK);
        assert_int_equal(tma_plan_make(&plan, map.bytes, &ask.in, NULL, NULL), TMA_OK);
        assert_true(tma_plan_info(&plan)->box_extent_B != 0);
        assert_int_equal(tma_plan_info(&plan)->coord0_mask, rows[i].mask);
    }
}

static void trap_names(void **state) {
    (void)state;
    for (size_t i = 0; i < tma_rule_count(); i++) {
        const uint32_t rule = tma_rule_at(i)->number;
        const tma_finding f = {.rule = (uint16_t)rule};
        const int misaligned =
            rule == TMA_RULE_TRAP_SHARED_ALIGN || rule == TMA_RULE_TRAP_ADDRESS_ALIGN ||
            rule == TMA_RULE_BULK_SHARED_ALIGN || rule == TMA_RULE_BULK_FAR_ALIGN ||
            rule == TMA_RULE_BARRIER_ALIGN || rule == TMA_RULE_TENSOR_MAP_ALIGN;
        assert_string_equal(tma_trap_name(&f), misaligned ? "cudaErrorMisalignedAddress"
                                               : rule == TMA_RULE_MULTICAST_CLUSTER
                                                   ? "cudaErrorLaunchFailure"
                                                   : "cudaErrorIllegalInstruction");
    }
}

/* A plan that knows no more than this. */
static tma_plan plan_with(const tma_plan_facts *facts) {
    tma_plan plan;
    memcpy(&plan, facts, sizeof(plan));
    assert_int_equal(tma_plan_info(&plan)->op, facts->op);
    return plan;
}

/* What ptxas makes of im2colInfo: at rank 3 all 16 bits, at rank 4 eight each, at rank 5 five each
 * with carries into the next, wHalo and wOffset at bit 11. */
static void offsets_as_the_compiler_packs_them(void **state) {
    (void)state;
    static const struct {
        uint8_t spatial;
        uint8_t mode;
        uint16_t given[3];
        uint32_t wanted[3];
    } rows[] = {
        {1, TMA_MODE_IM2COL, {65535, 9, 9}, {65535, 0, 0}},
        {1, TMA_MODE_IM2COL, {40000, 0, 0}, {40000, 0, 0}},
        {2, TMA_MODE_IM2COL, {255, 255, 9}, {255, 255, 0}},
        {2, TMA_MODE_IM2COL, {256, 0, 0}, {0, 0, 0}}, /* cut off, no carry */
        {2, TMA_MODE_IM2COL, {0x1234, 0x5678, 0}, {0x34, 0x78, 0}},
        {3, TMA_MODE_IM2COL, {31, 31, 31}, {31, 31, 31}},
        {3, TMA_MODE_IM2COL, {32, 0, 0}, {0, 1, 0}}, /* into the next */
        {3, TMA_MODE_IM2COL, {33, 31, 0}, {1, 0, 1}},
        {3, TMA_MODE_IM2COL, {0, 32, 0}, {0, 0, 1}},
        {3, TMA_MODE_IM2COL, {0, 0, 32}, {0, 0, 0}}, /* bit 15 is beyond the third field */
        {3, TMA_MODE_IM2COL, {65535, 65535, 65535}, {31, 30, 30}},
        {2, TMA_MODE_IM2COL_W, {511, 31, 9}, {511, 31, 0}},
        {2, TMA_MODE_IM2COL_W128, {31, 31, 9}, {31, 31, 0}},
        {2, TMA_MODE_TILE, {1, 2, 3}, {0, 0, 0}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        tma_plan_facts facts = {
            .op = TMA_OP_LOAD, .mode = rows[i].mode, .spatial = rows[i].spatial};
        tma_plan plan = plan_with(&facts);
        tma_position at = {.shared_address = 0};
        uint32_t offset[3] = {7, 7, 7};
        memcpy(at.offset, rows[i].given, sizeof(at.offset));
        tma_plan_offsets(offset, &plan, &at);
        assert_memory_equal(offset, rows[i].wanted, sizeof(offset));
        const tma_instruction in = {.mode = rows[i].mode, .rank = rows[i].spatial + 2u};
        memset(offset, 7, sizeof(offset));
        tma_instruction_offsets(offset, &in, &at);
        assert_memory_equal(offset, rows[i].wanted, sizeof(offset));
        facts.op = TMA_OP_STORE; /* .im2col_no_offs */
        plan = plan_with(&facts);
        tma_plan_offsets(offset, &plan, &at);
        assert_true(!offset[0] && !offset[1] && !offset[2]);
    }
}

/* "The signal goes, for each destination, to that CTA or its pair peer, chosen by the parity of the
 * CTA that holds mbar." */
static void barrier_of_a_cta_pair(void **state) {
    (void)state;
    for (uint32_t group = 0; group <= 2; group++) {
        const tma_plan_facts facts = {.cta_group = (uint8_t)group};
        const tma_plan plan = plan_with(&facts);
        for (uint32_t destination = 0; destination < 16; destination++) {
            for (uint32_t mbar = 0; mbar < 16; mbar++) {
                const uint32_t pair = destination / 2 * 2 + mbar % 2;
                assert_int_equal(tma_plan_barrier_cta(&plan, destination, mbar),
                                 group == 2 ? pair : destination);
            }
        }
    }
}

/* Example 1 of wOffset, Figures 20 and 21: W from -1 to 66, and one to the right of it with
 * wOffset 1.
 */
static void pixel_box_of_w_offset(void **state) {
    const tma_target target = {.sm = 100, .suffix = 'a', .driver = 13000};
    const tma_instruction load = {.op = TMA_OP_LOAD, .mode = TMA_MODE_IM2COL_W};
    const tma_spec spec = {.api = TMA_API_IM2COL,
                           .dtype = TMA_DTYPE_UINT8,
                           .rank = 4,
                           .swizzle = TMA_SWIZZLE_64B,
                           .address = 1 << 20,
                           .dim_el = {128, 67, 9, 64},
                           .stride_B = {128, 128 * 67, 128 * 67 * 9},
                           .lower_px = {-1, 0},
                           .element_stride = {1, 2, 1, 1},
                           .channels_per_pixel = 64,
                           .pixels_per_column = 128};
    int64_t first_px[TMA_MAX_SPATIAL];
    int64_t last_px[TMA_MAX_SPATIAL];
    tma_map map;
    tma_plan plan;
    tma_position at = {.coord = {0, -1, 2, 7}};
    (void)state;
    assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, &load, &target, NULL), TMA_OK);
    for (uint16_t moved = 0; moved < 2; moved++) {
        at.offset[1] = moved;
        assert_int_equal(tma_plan_pixel_box(first_px, last_px, &plan, &at), 2);
        assert_int_equal(first_px[0], -1 + moved);
        assert_int_equal(last_px[0], 66 + moved);
    }
    assert_int_equal(tma_plan_pixel_box(first_px, last_px, NULL, &at), 0);
    assert_int_equal(tma_plan_pixel_box(first_px, last_px, &plan, NULL), 0);
    assert_int_equal(tma_plan_pixel_box(NULL, last_px, &plan, &at), 0);
    assert_int_equal(tma_plan_pixel_box(first_px, NULL, &plan, &at), 0);
}

/* Operands behind the last dimension are not read: the map is the one with the given fields
 * replaced. */
static void override_takes_as_many_as_the_map_has(void **state) {
    (void)state;
    const tma_spec spec = {.dtype = TMA_DTYPE_FLOAT16,
                           .rank = 2,
                           .address = 0x7f0000000000,
                           .dim_el = {256, 64},
                           .stride_B = {512},
                           .box_el = {64, 8},
                           .element_stride = {1, 1}};
    const tma_target target = {.sm = 107, .suffix = 'a', .driver = 13020};
    const tma_instruction in = {.op = TMA_OP_LOAD,
                                .overrides = TMA_OVERRIDE_ADDRESS | TMA_OVERRIDE_DIM_STRIDE};
    const tma_override_operands o = {
        .address = 0x7f0000100000, .size = {255, 60, 7, 7, 7}, .lower_stride = {48, 77, 77, 77}};
    tma_map map;
    tma_map made;
    tma_finding why;
    assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
    assert_int_equal(tma_override(made.bytes, map.bytes, &in, &o, &target, &why), TMA_OK);
    static const tma_edit edits[] = {
        {.field = TMA_REPLACE_GLOBAL_ADDRESS, .value = 0x7f0000100000},
        {.field = TMA_REPLACE_GLOBAL_DIM, .ordinal = 0, .value = 255},
        {.field = TMA_REPLACE_GLOBAL_DIM, .ordinal = 1, .value = 60},
        {.field = TMA_REPLACE_GLOBAL_STRIDE, .ordinal = 0, .value = 48 * 16},
    };
    for (size_t i = 0; i < sizeof(edits) / sizeof(*edits); i++) {
        assert_int_equal(tma_replace(map.bytes, &edits[i], NULL), TMA_OK);
    }
    assert_memory_equal(made.bytes, map.bytes, TMA_MAP_BYTES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(override_takes_as_many_as_the_map_has),
        cmocka_unit_test(every_rule_has_a_case),
        cmocka_unit_test(a_name_of_the_other_direction),
        cmocka_unit_test(bases_run),
        cmocka_unit_test(inside_runs),
        cmocka_unit_test(outside_is_found),
        cmocka_unit_test(notes_of_wide_swizzles),
        cmocka_unit_test(relations_are_true),
        cmocka_unit_test(refused_plans_are_unchanged),
        cmocka_unit_test(a_plan_is_small),
        cmocka_unit_test(maps_anywhere),
        cmocka_unit_test(reserved_is_zero),
        cmocka_unit_test(sizes_of_every_kind_keep_the_loops),
        cmocka_unit_test(whole_boxes_begin_at_16_bytes),
        cmocka_unit_test(trap_names),
        cmocka_unit_test(offsets_as_the_compiler_packs_them),
        cmocka_unit_test(barrier_of_a_cta_pair),
        cmocka_unit_test(pixel_box_of_w_offset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
