/* SPDX-License-Identifier: Apache-2.0
 *
 * PTX files cut into statements, and what directives say.
 */
#include "support/testing.h"

#include <string.h>

#include "support/gen/ptx_pieces.h"
#include "support/guard_page.h"
#include "tma/ptx.h"

static const char text[] =
    "Fatbin ptx code:\n"
    "================\n"
    ".version 8.6 .target sm_90a, debug\r\n"
    ".address_size 64\n"
    "# 1 \"file.cu\"\n"
    ".extern .shared .align 16 .b8 dyn[];\n"
    ".const .align 64 .b8 cm[4] = {1,2,\n 0x3,4};\n"
    ".visible .entry k(.param .align 64 .b8 m[128], .param .u32 n) .maxntid 128, 1, 1\n"
    "{\n"
    "  .reg .b32 %r<4>; .reg .pred p;\n"
    "  .loc 1 12 3, function_name $L__info_string0+4, inlined_at 2 30 4\n"
    "L1: @!p bra L1; { .reg .b32 x; mov.b64 {%r1, %r2}, %rd1; }\n"
    "  /* c ; { \xff */ cp.async.bulk.tensor.2d // } \xe2\x9c\x93\n"
    "   .shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r1,\n"
    "  %r2}], [%r3]; .pragma \"nounroll; }\";\n"
    "  broken\n"
    "}\n"
    ".func (.reg .b32 rv) f (.reg .b32 a);\n"
    ".file 1 \"a\\\"b;{.cu\", 12, 34\n"
    ".section .debug_str { $L__info_string0: .b8 95, 90 }\n"
    ".alias a, b;";

static int next(tma_ptx_reader *reader, tma_ptx_piece *piece) {
    return tma_ptx_next(reader, piece);
}

static void files_are_cut_into_statements(void **state) {
    static const struct {
        size_t line;
        tma_ptx_piece_kind kind;
        const char *begins;
    } expected[] = {
        {1, TMA_PTX_PIECE_UNKNOWN, "Fatbin ptx code:"},
        {3, TMA_PTX_PIECE_DIRECTIVE, ".version 8.6 "},
        {3, TMA_PTX_PIECE_DIRECTIVE, ".target sm_90a, debug"},
        {4, TMA_PTX_PIECE_DIRECTIVE, ".address_size 64"},
        {5, TMA_PTX_PIECE_UNKNOWN, "# 1 \"file.cu\""},
        {6, TMA_PTX_PIECE_DIRECTIVE, ".extern .shared .align 16 .b8 dyn[];"},
        {7, TMA_PTX_PIECE_DIRECTIVE, ".const .align 64 .b8 cm[4] = {1,2,\n 0x3,4};"},
        {9, TMA_PTX_PIECE_DIRECTIVE, ".visible .entry k("},
        {10, TMA_PTX_PIECE_OPEN, "{"},
        {11, TMA_PTX_PIECE_DIRECTIVE, ".reg .b32 %r<4>;"},
        {11, TMA_PTX_PIECE_DIRECTIVE, ".reg .pred p;"},
        {12, TMA_PTX_PIECE_DIRECTIVE, ".loc 1 12 3, function_name"},
        {13, TMA_PTX_PIECE_LABEL, "L1"},
        {13, TMA_PTX_PIECE_INSTRUCTION, "@!p bra L1;"},
        {13, TMA_PTX_PIECE_OPEN, "{"},
        {13, TMA_PTX_PIECE_DIRECTIVE, ".reg .b32 x;"},
        {13, TMA_PTX_PIECE_INSTRUCTION, "mov.b64 {%r1, %r2}, %rd1;"},
        {13, TMA_PTX_PIECE_CLOSE, "}"},
        {14, TMA_PTX_PIECE_INSTRUCTION, "cp.async.bulk.tensor.2d // }"},
        {16, TMA_PTX_PIECE_DIRECTIVE, ".pragma \"nounroll; }\";"},
        {17, TMA_PTX_PIECE_UNKNOWN, "broken"},
        {18, TMA_PTX_PIECE_CLOSE, "}"},
        {19, TMA_PTX_PIECE_DIRECTIVE, ".func (.reg .b32 rv) f (.reg .b32 a);"},
        {20, TMA_PTX_PIECE_DIRECTIVE, ".file 1 \"a\\\"b;{.cu\", 12, 34"},
        {21, TMA_PTX_PIECE_DIRECTIVE, ".section .debug_str {"},
        {22, TMA_PTX_PIECE_DIRECTIVE, ".alias a, b;"},
    };
    tma_ptx_reader reader = tma_ptx_reader_of(text, sizeof(text) - 1);
    tma_ptx_piece piece;
    size_t deepest = 0;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        assert_true(next(&reader, &piece));
        deepest = reader.depth > deepest ? reader.depth : deepest;
        if (piece.line != expected[i].line || piece.kind != expected[i].kind ||
            strncmp(piece.at, expected[i].begins, strlen(expected[i].begins)) != 0) {
            fail_msg("piece %zu: line %zu, kind %d: %.*s", i, piece.line, piece.kind,
                     (int)piece.size, piece.at);
        }
    }
    assert_false(next(&reader, &piece));
    assert_int_equal(reader.depth, 0);
    assert_int_equal(deepest, 2);
}

/* The pieces cover the text: between them stand blanks, comments, colons and semicolons only, at
 * every length that the text is cut to. */
static void every_prefix_ends(void **state) {
    (void)state;
    for (size_t size = 0; size < sizeof(text); size++) {
        tma_ptx_reader reader = tma_ptx_reader_of(text, size);
        tma_ptx_piece piece;
        const char *end = text;
        size_t pieces = 0;
        while (tma_ptx_next(&reader, &piece)) {
            assert_true(piece.at >= end && piece.size > 0);
            end = piece.at + piece.size;
            assert_true(end <= text + size);
            assert_true(++pieces < 100);
        }
    }
}

static tma_ptx_piece piece_of(const char *directive) {
    return (tma_ptx_piece){directive, strlen(directive), 1, TMA_PTX_PIECE_DIRECTIVE};
}

#define EXPECT_SPAN(span, text)                                                                    \
    do {                                                                                           \
        assert_int_equal((span).length, strlen(text));                                             \
        assert_memory_equal((span).at, text, strlen(text));                                        \
    } while (0)

static void directives_say(void **state) {
    tma_ptx_loc loc;
    tma_ptx_span name;
    uint32_t number = 0;
    int entry = 0;
    tma_ptx_piece p = piece_of(".loc 1 12 3");
    (void)state;
    assert_true(tma_ptx_loc_of(&loc, &p));
    assert_int_equal(loc.line, 12);
    assert_false(loc.inlined);
    p = piece_of(".loc\t2 5 7, function_name $L_i+4 , inlined_at 3 30 4");
    assert_true(tma_ptx_loc_of(&loc, &p));
    assert_int_equal(loc.file, 2);
    assert_true(loc.inlined);
    assert_int_equal(loc.at_file, 3);
    assert_int_equal(loc.at_line, 30);
    p = piece_of(".file 7 \"/a b/c\\\"d.cu\", 5, 6");
    assert_true(tma_ptx_file_of(&number, &name, &p));
    assert_int_equal(number, 7);
    EXPECT_SPAN(name, "/a b/c\\\"d.cu");
    p = piece_of(".version 12.3");
    assert_true(tma_ptx_version_of(&number, &p));
    assert_int_equal(number, 123);
    p = piece_of(".version x");
    assert_false(tma_ptx_version_of(&number, &p));
    p = piece_of(".target sm_100a, texmode_independent");
    assert_true(tma_ptx_target_of(&name, &p));
    EXPECT_SPAN(name, "sm_100a");
    p = piece_of(".weak .func (.param .b32 r) _Z1fv (.param .b32 x)");
    assert_true(tma_ptx_function_of(&name, &entry, &p));
    EXPECT_SPAN(name, "_Z1fv");
    assert_false(entry);
    p = piece_of(".visible .entry $k_1(");
    assert_true(tma_ptx_function_of(&name, &entry, &p));
    EXPECT_SPAN(name, "$k_1");
    assert_true(entry);
}

static void variables_are_found(void **state) {
    tma_ptx_variable v;
    size_t from = 0;
    const tma_ptx_piece p =
        piece_of(".entry k(.param .align 64 .b8 a[128], .param .u64 .ptr .global .align 16 b)");
    const tma_ptx_piece g = piece_of(".const .align 128 .b32 m[2] = {1, 0x22};");
    (void)state;
    assert_true(tma_ptx_variable_of(&v, &from, &p));
    EXPECT_SPAN(v.name, "a");
    assert_int_equal(v.align_B, 64);
    assert_true(tma_ptx_variable_of(&v, &from, &p));
    EXPECT_SPAN(v.name, "b");
    EXPECT_SPAN(v.space, "param");
    assert_false(tma_ptx_variable_of(&v, &from, &p));
    from = 0;
    assert_true(tma_ptx_variable_of(&v, &from, &g));
    EXPECT_SPAN(v.values, "1, 0x22");
    assert_int_equal(v.element_B, 4);
    assert_int_equal(v.size_B, 8);
}

static void instructions_come_apart(void **state) {
    const char *const call = "@!%p3 call.uni (r, q), f, (a, {b, c}), proto;";
    const tma_ptx_piece p = {call, strlen(call), 1, TMA_PTX_PIECE_INSTRUCTION};
    tma_ptx_parts parts;
    int bracketed = 0;
    (void)state;
    assert_int_equal(tma_ptx_split(&parts, &p), 0);
    EXPECT_SPAN(parts.guard, "%p3");
    assert_true(parts.negated);
    EXPECT_SPAN(parts.opcode, "call.uni");
    assert_int_equal(parts.count, 4);
    EXPECT_SPAN(parts.operand[2], "(a, {b, c})");
    assert_true(tma_ptx_is(&parts, "call", "uni"));
    assert_false(tma_ptx_is(&parts, "call", "un"));
    const tma_ptx_operand o = tma_ptx_operand_of((tma_ptx_span){"[ %r3 + -0x10 ]", 15}, &bracketed);
    assert_true(bracketed);
    assert_int_equal(o.kind, TMA_PTX_NAME);
    assert_int_equal(o.length, 3);
    assert_int_equal(o.value, -16);
}

/* A page that nobody may read stands behind each cut of each statement. */
static void nothing_is_read_behind(void **state) {
    static const char *const texts[] = {
        ".file 1 \"a\\\"b\", 2, 3",
        ".loc 1 2 3, function_name f, inlined_at 1 2 3",
        ".func (.param .align 8 .b32 r) f(.param .b64 a, .reg .b32 %x)",
        ".visible .entry k(.param .align 64 .b8 map[128]) .maxntid 1, 2, 3",
        ".target sm_90a, debug",
        ".version 8.6",
        ".reg .b32 %r<5>, %x",
        ".shared .align 16 .v4 .b8 s[2][3] = {{1, 2}, /* { */ 0xff}",
        "@!%p call.uni (%r1), f, (a, {b, c}), g;",
        "ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%r5 + -16 + (3 << 2)];",
        ("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes."
         "multicast"
         "::cluster.L2::cache_hint [%r1 + 0x10], [%rd1, {%r2, -1}], [bar + 8], %h1, %rd2;"),
        "tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1 + 8], 2, (4 + 4) * 8;",
    };
    struct guard_arena arena;
    (void)state;
    guard_arena_make(&arena, 4096);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        for (size_t size = strlen(texts[i]); size; size--) {
            char *at = (char *)guard_arena_place(&arena, size, 1);
            memcpy(at, texts[i], size);
            for (int kind = 0; kind <= TMA_PTX_PIECE_UNKNOWN; kind++) {
                const tma_ptx_piece piece = {at, size, 1, (tma_ptx_piece_kind)kind};
                tma_ptx_statement statement;
                assert_true(ptx_piece_as_directive(&piece) && ptx_piece_as_instruction(&piece));
                (void)!tma_ptx_parse(&statement, piece.at, piece.size, NULL);
            }
        }
    }
    guard_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_read_behind), cmocka_unit_test(files_are_cut_into_statements),
        cmocka_unit_test(every_prefix_ends),      cmocka_unit_test(directives_say),
        cmocka_unit_test(variables_are_found),    cmocka_unit_test(instructions_come_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
