/* SPDX-License-Identifier: Apache-2.0
 *
 * PTX files as rows, and what their registers hold: names at both sides of what is declared, each
 * way a value goes from register to register, and each that is not followed.
 */
#include "support/testing.h"

#include <stdio.h>
#include <string.h>

#include "ptx_values.h"

#define HEAD   ".version 9.0\n.target sm_90a\n.address_size 64\n"
#define MOST_B 2048

static tma_ptx_span span_of(const char *text) {
    return (tma_ptx_span){text, strlen(text)};
}

static void read_rows(ptx_rows *rows, const char *text) {
    assert_int_equal(ptx_rows_read(rows, text, strlen(text)), 0);
}

/* The row that begins with these words. */
static uint32_t row_of(const ptx_rows *rows, const char *words) {
    for (uint32_t i = 0; i < rows->rows; i++) {
        const tma_ptx_piece *p = &rows->row[i].piece;
        if (p->size >= strlen(words) && !memcmp(p->at, words, strlen(words))) {
            return i;
        }
    }
    fail_msg("no row begins with %s", words);
    return 0;
}

static void registers_have_names(void **state) {
    static const struct {
        const char *declared;
        const char *name;
        int bits; /* -1: it is none */
    } cases[] = {
        {".reg .b32 %r<4>;", "%r0", 32},
        {".reg .b32 %r<4>;", "%r3", 32},
        {".reg .b32 %r<4>;", "%r4", -1},
        {".reg .b32 %r<4>;", "%r30", -1},
        {".reg .b32 %r<4>;", "%r", -1},
        {".reg .b32 %r<4>;", "%", -1},
        {".reg .b32 %r<4>;", "%r1x", -1},
        {".reg .b32 %r<4>;", "%q1", -1},
        {".reg .b32 %r<10000>;", "%r9999", 32},
        {".reg .b32 %r<4294967295>;", "%r4294967294", 32},
        {".reg .b32 %r<4294967295>;", "%r4294967295", -1},
        {".reg .b32 %r<4294967295>;", "%r18446744073709551617", -1},
        {".reg .b32 %r\t < 4 >;", "%r3", 32},
        {".reg .b32 %r\t < 4 >;", "%r4", -1},
        {".reg .b64 %d<2>, x, %e<3>;", "%d1", 64},
        {".reg .b64 %d<2>, x, %e<3>;", "x", 64},
        {".reg .b64 %d<2>, x, %e<3>;", "%e2", 64},
        {".reg .b64 %d<2>, x, %e<3>;", "x0", -1},
        {".reg .pred p;", "p", 0},
        {".reg .f16x2 h<3>;", "h2", 16},
        {".reg .b128 q;", "q", 128},
        {".reg .u16 %h; .reg .s64 %s;", "%h", 16},
        {".reg .u16 %h; .reg .s64 %s;", "%s", 64},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[MOST_B];
        ptx_rows rows;
        uint32_t block = PTX_NONE;
        snprintf(text, sizeof(text), HEAD ".visible .entry k()\n{\n%s\nret;\n}\n",
                 cases[i].declared);
        read_rows(&rows, text);
        const ptx_register *reg =
            ptx_rows_register(&rows, row_of(&rows, "ret"), span_of(cases[i].name), &block);
        if ((reg ? (int)reg->bits : -1) != cases[i].bits) {
            fail_msg("%s in %s: %d", cases[i].name, cases[i].declared, reg ? (int)reg->bits : -1);
        }
        ptx_rows_free(&rows);
    }
}

static void inner_blocks_have_their_own(void **state) {
    static const char text[] = HEAD ".visible .entry k()\n{\n.reg .b32 x;\nmov.b32 x, 1;\n"
                                    "{\n.reg .b64 x;\nmov.b64 x, 2;\n{\nadd.u64 x, x, 3;\n}\n}\n"
                                    "sub.u32 x, x, 4;\n}\n"
                                    ".func l()\n{\nret;\n}\n";
    static const struct {
        const char *row;
        uint32_t bits; /* 0: x is no register there */
    } cases[] = {{"mov.b32", 32}, {"mov.b64", 64}, {"add", 64}, {"sub", 32}, {"ret", 0}};
    ptx_rows rows;
    (void)state;
    read_rows(&rows, text);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint32_t block = PTX_NONE;
        const ptx_register *reg =
            ptx_rows_register(&rows, row_of(&rows, cases[i].row), span_of("x"), &block);
        assert_int_equal(reg ? reg->bits : 0, cases[i].bits);
    }
    assert_int_equal(rows.functions, 2);
    assert_int_equal(rows.function[0].is_entry, 1);
    assert_int_equal(rows.function[1].is_entry, 0);
    assert_int_equal(rows.row[row_of(&rows, "sub")].function, 0);
    assert_int_equal(rows.row[row_of(&rows, "ret")].function, 1);
    assert_int_equal(rows.open, 0);
    assert_int_equal(rows.unknown, 0);
    ptx_rows_free(&rows);
}

/* nvcc -lineinfo puts .section { } behind a kernel: that is no second body, nor is a bare block. */
static void a_function_has_one_body(void **state) {
    static const char text[] = HEAD ".visible .entry k()\n{\nret;\n}\n"
                                    ".section .debug_str\n{\n.b8 97,0\n}\n{\ntrap;\n}\n"
                                    ".visible .entry l()\n{\nexit;\n}\n";
    ptx_rows rows;
    (void)state;
    read_rows(&rows, text);
    const uint32_t section = row_of(&rows, ".section");
    assert_int_equal(rows.functions, 2);
    assert_true(rows.function[0].first < row_of(&rows, "ret"));
    assert_true(rows.function[0].end < section);
    for (uint32_t i = section; i < row_of(&rows, ".visible .entry l"); i++) {
        assert_int_equal(rows.row[i].function, PTX_NONE);
    }
    assert_true(rows.function[1].first > section);
    ptx_rows_free(&rows);
}

static void braces_that_do_not_match_are_counted(void **state) {
    ptx_rows rows;
    (void)state;
    read_rows(&rows, HEAD ".visible .entry k()\n{\n{\n{\nret;\n");
    assert_int_equal(rows.open, 3);
    assert_int_equal(rows.function[0].end, rows.rows);
    ptx_rows_free(&rows);
    read_rows(&rows, HEAD ".visible .entry k()\n{\nret;\n}\n}\n");
    assert_int_equal(rows.open, 0);
    assert_int_equal(rows.unknown, 1);
    ptx_rows_free(&rows);
}

/* ---- Values ---- */

static const struct value_case {
    const char *body;
    ptx_value_kind kind;
    int64_t added;
    const char *name;  /* of a symbol, a parameter or a register */
    int64_t offset;    /* of a parameter that is loaded */
    uint32_t versions; /* of a register */
} values[] = {
    {"", PTX_REGISTER, 0, "%x", 0, 0},
    {"mov.b64 %x, 7;", PTX_NUMBER, 7, "", 0, 0},
    {"mov.b64 %x, 7; mov.b64 %x, 8;", PTX_REGISTER, 0, "%x", 0, 2},
    {"mov.b64 %y, -7; mov.b64 %x, %y;", PTX_NUMBER, -7, "", 0, 0},
    {"mov.u32 %w, -1; cvt.u64.u32 %x, %w;", PTX_NUMBER, 4294967295, "", 0, 0},
    {"mov.u32 %w, -1; cvt.s64.s32 %x, %w;", PTX_NUMBER, -1, "", 0, 0},
    {"mov.f64 %x, 0d3FF0000000000000;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.b64 %x, m;", PTX_SYMBOL, 0, "m", 0, 0},
    {"mov.b64 %x, m+32;", PTX_SYMBOL, 32, "m", 0, 0},
    {"mov.b64 %y, m; cvta.param.u64 %x, %y;", PTX_SYMBOL, 0, "m", 0, 0},
    {"mov.b64 %y, m; add.s64 %x, %y, 64;", PTX_SYMBOL, 64, "m", 0, 0},
    {"mov.b64 %y, m; add.s64 %x, 64, %y;", PTX_SYMBOL, 64, "m", 0, 0},
    {"mov.b64 %y, m; sub.s64 %x, %y, 64;", PTX_SYMBOL, -64, "m", 0, 0},
    {"mov.b64 %y, m; add.u64 %x, %y, 0xFFFFFFFFFFFFFFC0;", PTX_SYMBOL, -64, "m", 0, 0},
    {"mov.b64 %y, m; sub.s64 %x, 64, %y;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.b64 %y, m; mul.lo.s64 %x, %y, 2;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.b64 %y, m; add.s64 %x, %y, %z;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.b64 %y, m; cvt.u32.u64 %w, %y; cvt.u64.u32 %x, %w;", PTX_REGISTER, 0, "%w", 0, 1},
    {"ld.param.b64 %x, [p];", PTX_LOADED, 0, "p", 0, 0},
    {"ld.param.b64 %x, [p+8];", PTX_LOADED, 0, "p", 8, 0},
    {"ld.param.b64 %y, [p+8]; add.s64 %x, %y, 128;", PTX_LOADED, 128, "p", 8, 0},
    {"ld.param.v2.b64 {%x, %y}, [p];", PTX_REGISTER, 0, "%x", 0, 1},
    {"ld.param.v2.b64 {%y, %x}, [p];", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.b64 %y, p; ld.param.b64 %x, [%y];", PTX_REGISTER, 0, "%x", 0, 1},
    {"ld.global.b64 %x, [g];", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.b64 %y, 0x100000002; mov.b64 {%w, %v}, %y; cvt.u64.u32 %x, %w;", PTX_REGISTER, 0, "%w", 0,
     1},
    {"mov.b64 %x, {%w, %v};", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.b64 %y, 5; shr.u64 %x, %y, 1;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.b64 %y, 5; add.f64 %x, %y, 2;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.b64 %y, 5; add.s64 %x, %y, 2;", PTX_NUMBER, 7, "", 0, 0},
    {"mov.b64 %y, 5; and.b64 %x, %y, 4;", PTX_NUMBER, 4, "", 0, 0},
    {"mov.b64 %y, 5; or.b64 %x, %y, 8;", PTX_NUMBER, 13, "", 0, 0},
    {"mov.b64 %y, 5; xor.b64 %x, %y, 4;", PTX_NUMBER, 1, "", 0, 0},
    {"mov.b64 %y, 5; shl.b64 %x, %y, 63;", PTX_NUMBER, INT64_MIN, "", 0, 0},
    {"mov.b64 %y, 5; shl.b64 %x, %y, 64;", PTX_NUMBER, 0, "", 0, 0},
};

static void one_value(const char *function, const struct value_case *wanted) {
    char text[MOST_B];
    ptx_rows rows;
    snprintf(text, sizeof(text),
             HEAD ".global .b8 g[8];\n%s k(.param .align 64 .b8 m[128], .param .b64 p)\n{\n"
                  ".reg .b32 %%w, %%v; .reg .b64 %%x, %%y, %%z;\n%s\nret;\n}\n",
             function, wanted->body);
    read_rows(&rows, text);
    ptx_values *v = ptx_values_of(&rows, 0);
    assert_non_null(v);
    const tma_ptx_operand x = tma_ptx_operand_of(span_of("%x"), NULL);
    const ptx_value got = ptx_value_at(v, row_of(&rows, "ret"), &x);
    if (got.kind != wanted->kind || got.added != wanted->added ||
        !ptx_is_text(got.name, wanted->name) || got.offset != wanted->offset ||
        got.version != wanted->versions) {
        fail_msg("%s: kind %d of %.*s, version %u, offset %d, added %d", wanted->body, got.kind,
                 (int)got.name.length, got.name.at ? got.name.at : "", got.version, (int)got.offset,
                 (int)got.added);
    }
    ptx_values_free(v);
    ptx_rows_free(&rows);
}

static void values_are_followed(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        one_value(".visible .entry", &values[i]);
    }
    /* what a function's parameter holds, its callers say */
    one_value(".func", &(struct value_case){"ld.param.b64 %x, [p];", PTX_REGISTER, 0, "%x", 0, 1});
}

static void values_are_alike_or_not(void **state) {
    static const tma_ptx_span a = {"a", 1};
    static const tma_ptx_span b = {"b", 1};
    const ptx_value symbol = {.kind = PTX_SYMBOL, .name = a};
    const ptx_value loaded = {.kind = PTX_LOADED, .name = a, .offset = 8};
    const ptx_value reg = {.kind = PTX_REGISTER, .name = a, .block = 2, .version = 3};
    const ptx_value unknown = {0};
    ptx_value other = symbol;
    (void)state;
    assert_int_equal(ptx_values_alike(&symbol, &other), PTX_EQUAL);
    other.added = 1;
    assert_int_equal(ptx_values_alike(&symbol, &other), PTX_DIFFERENT);
    other = symbol;
    other.name = b;
    assert_int_equal(ptx_values_alike(&symbol, &other), PTX_DIFFERENT);
    other = loaded;
    assert_int_equal(ptx_values_alike(&loaded, &other), PTX_EQUAL);
    other.offset = 16;
    assert_int_equal(ptx_values_alike(&loaded, &other), PTX_MAYBE);
    for (int i = 0; i < 4; i++) {
        other = reg;
        other.name = i == 1 ? b : a;
        other.block += i == 2;
        other.version += i == 3;
        assert_int_equal(ptx_values_alike(&reg, &other), i ? PTX_MAYBE : PTX_EQUAL);
    }
    assert_int_equal(ptx_values_alike(&symbol, &loaded), PTX_MAYBE);
    assert_int_equal(ptx_values_alike(&unknown, &unknown), PTX_MAYBE);
}

/* A parameter hides the file's variable of its name, in its function alone. */
static void variables_have_places(void **state) {
    static const char text[] = HEAD ".global .b8 m[128];\n.const .b8 c[4];\n"
                                    ".visible .entry k(.param .b8 m[64])\n{\nret;\n}\n"
                                    ".visible .entry l(.param .b8 n[32])\n{\nexit;\n}\n";
    ptx_rows rows;
    (void)state;
    read_rows(&rows, text);
    assert_true(ptx_is_text(ptx_variable_named(&rows, 0, span_of("m"))->v.space, "param"));
    assert_true(ptx_is_text(ptx_variable_named(&rows, 1, span_of("m"))->v.space, "global"));
    assert_true(ptx_is_text(ptx_variable_named(&rows, 1, span_of("c"))->v.space, "const"));
    assert_true(ptx_is_text(ptx_variable_named(&rows, 1, span_of("n"))->v.space, "param"));
    assert_null(ptx_variable_named(&rows, 0, span_of("n")));
    assert_null(ptx_variable_named(&rows, 0, span_of("")));
    ptx_rows_free(&rows);
}

/* ---- Source lines ---- */

static void expect_source(const ptx_source *s, const char *file, uint32_t line, uint32_t column) {
    if (!ptx_is_text(s->file, file) || s->line != line || s->column != column) {
        fail_msg("%.*s:%u:%u for %s:%u:%u", (int)s->file.length, s->file.at, s->line, s->column,
                 file, line, column);
    }
}

static void lines_through_inlining(void **state) {
    static const char text[] =
        HEAD ".file 1 \"a.cu\"\n.file 2 \"b.cuh\"\n.visible .entry k()\n{\nmembar.gl;\n"
             ".loc 1 10 5\nret;\n"
             ".loc 2 3 1, function_name $L_x, inlined_at 1 10 5\nexit;\n"
             ".loc 2 30 9, function_name $L_y+4, inlined_at 2 3 1\ntrap;\n"
             ".loc 2 3 1, function_name $L_x, inlined_at 1 99 2\nbrkpt;\n"
             ".loc 3 4 5\nmembar.sys;\n}\n"
             ".visible .entry l()\n{\nmembar.cta;\n}\n";
    static const struct {
        const char *row;
        int is_known, inlined;
        const char *outer, *inner;
        uint32_t outer_line, outer_column, inner_line, inner_column;
    } cases[] = {
        {"membar.gl", 0, 0, "", "", 0, 0, 0, 0},
        {"ret", 1, 0, "a.cu", "a.cu", 10, 5, 10, 5},
        {"exit", 1, 1, "a.cu", "b.cuh", 10, 5, 3, 1},
        {"trap", 1, 1, "a.cu", "b.cuh", 10, 5, 30, 9},
        {"brkpt", 1, 1, "a.cu", "b.cuh", 99, 2, 3, 1},
        {"membar.sys", 1, 0, "", "", 4, 5, 4, 5},
        {"membar.cta", 0, 0, "", "", 0, 0, 0, 0},
    };
    ptx_rows rows;
    (void)state;
    read_rows(&rows, text);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        ptx_source outer;
        ptx_source inner;
        int inlined = 0;
        const int known =
            ptx_rows_source(&rows, row_of(&rows, cases[i].row), &outer, &inner, &inlined);
        assert_int_equal(known, cases[i].is_known);
        if (known) {
            assert_int_equal(inlined, cases[i].inlined);
            expect_source(&outer, cases[i].outer, cases[i].outer_line, cases[i].outer_column);
            expect_source(&inner, cases[i].inner, cases[i].inner_line, cases[i].inner_column);
        }
    }
    ptx_rows_free(&rows);
}

/* Several files behind each other, as cuobjdump prints them: each has its own version and files. */
static void modules_have_their_own(void **state) {
    static const char text[] =
        ".version 8.7\n.target sm_90a\n.file 1 \"a.cu\"\n.visible .entry k()\n{\n"
        ".loc 1 1 1\nret;\n}\n"
        ".version 9.0\n.target sm_103a, debug\n.file 1 \"b.cu\"\n.visible .entry l()\n{\n"
        "trap;\n.loc 1 2 2\nexit;\n}\n";
    ptx_source outer;
    ptx_source inner;
    int inlined = 1;
    ptx_rows rows;
    (void)state;
    read_rows(&rows, text);
    assert_int_equal(rows.modules, 2);
    assert_int_equal(rows.module[0].version, 87);
    assert_int_equal(rows.module[0].target.sm, 90);
    assert_int_equal(rows.module[1].version, 90);
    assert_int_equal(rows.module[1].target.sm, 103);
    assert_int_equal(rows.module[1].target.suffix, 'a');
    assert_int_equal(rows.module[1].is_known, 1);
    assert_true(ptx_rows_source(&rows, row_of(&rows, "ret"), &outer, &inner, &inlined));
    expect_source(&outer, "a.cu", 1, 1);
    assert_false(ptx_rows_source(&rows, row_of(&rows, "trap"), &outer, &inner, &inlined));
    assert_true(ptx_rows_source(&rows, row_of(&rows, "exit"), &outer, &inner, &inlined));
    expect_source(&outer, "b.cu", 2, 2);
    ptx_rows_free(&rows);
    read_rows(&rows, "ret;\n");
    assert_int_equal(rows.modules, 1);
    assert_int_equal(rows.module[0].version, 0);
    ptx_rows_free(&rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_have_names),
        cmocka_unit_test(inner_blocks_have_their_own),
        cmocka_unit_test(a_function_has_one_body),
        cmocka_unit_test(braces_that_do_not_match_are_counted),
        cmocka_unit_test(values_are_followed),
        cmocka_unit_test(values_are_alike_or_not),
        cmocka_unit_test(variables_have_places),
        cmocka_unit_test(lines_through_inlining),
        cmocka_unit_test(modules_have_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
