/* SPDX-License-Identifier: Apache-2.0
 *
 * What the registers of PTX files hold: each way a value goes from register to register, and each
 * that is not followed.
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
    /* what is assigned */
    {"mov.b64 %x, 7; st.global.b64 [%x], %y;", PTX_NUMBER, 7, "", 0, 0},
    {"mov.b64 %x, 7; st.global.b64 [ %x ], %y;", PTX_NUMBER, 7, "", 0, 0},
    {"mov.b64 nowhere, 5; mov.b64 %x, 7;", PTX_NUMBER, 7, "", 0, 0},
    {"mov.b64 %x, 7; { mov.b64 %x, 8 }", PTX_NUMBER, 7, "", 0, 0}, /* no statement */
    {"mov.b64 %x, 7; { .reg .b64 %x; mov.b64 %x, 8; }", PTX_NUMBER, 7, "", 0, 0},
    {"mov.b64 %x, 7; { mov.b64 %x, 8; }", PTX_REGISTER, 0, "%x", 0, 2},
    {"mov.b64 %x, 7; setp.eq.u64 %z|%x, %y, 0;", PTX_REGISTER, 0, "%x", 0, 2},
    {"mov.b64 %x, 7; mov.b64 %x, 8; ret; mov.b64 %x, 9;", PTX_REGISTER, 0, "%x", 0, 2},
    {"mov.b64 %x, 7; retx %x, 8;", PTX_REGISTER, 0, "%x", 0, 1}, /* before its own row */
    /* mov */
    {"mov.b64 %x;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.b64 %x, 7, 8;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov %x, 7;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov. %x, 7;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.u %x, 7;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.u8 %x, 7;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.b128 %x, 7;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.f32 %x, 7;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.u032 %x, 7;", PTX_NUMBER, 7, "", 0, 0},
    {"mov.u1F %x, 7;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.u1f %x, 7;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.u32x %x, 7;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.ux32 %x, 7;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.u10032 %x, 7;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.b64 %x, [m];", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.b64 %x, m*2;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.b64 %y, m+8; mov.b64 %x, %y+4;", PTX_SYMBOL, 12, "m", 0, 0},
    {"mov.u32 %x, m-4;", PTX_SYMBOL, -4, "m", 0, 0},
    {"mov.b16 %x, 0x18000;", PTX_NUMBER, 0x8000, "", 0, 0},
    {"mov.s16 %x, 0x18000;", PTX_NUMBER, -0x8000, "", 0, 0},
    {"mov.s16 %x, 0x14000;", PTX_NUMBER, 0x4000, "", 0, 0},
    {"mov.s32 %x, 5;", PTX_NUMBER, 5, "", 0, 0},
    {"mov.s32 %x, 0x40000000;", PTX_NUMBER, 0x40000000, "", 0, 0},
    {"mov.s32 %x, 0x80000000;", PTX_NUMBER, INT32_MIN, "", 0, 0},
    {"mov.u32 %x, 0x180000000;", PTX_NUMBER, 0x80000000, "", 0, 0},
    {"mov.s64 %x, 0x8000000000000000;", PTX_NUMBER, INT64_MIN, "", 0, 0},
    /* cvta, cvt */
    {"cvta.param.u64 %x, m, 3;", PTX_REGISTER, 0, "%x", 0, 1},
    {"cvt.u64.u32 %x, 7, 8;", PTX_REGISTER, 0, "%x", 0, 1},
    {"cvt.u64.u32 %x, m;", PTX_SYMBOL, 0, "m", 0, 0},
    {"cvt.u64.u64 %x, m;", PTX_SYMBOL, 0, "m", 0, 0},
    {"cvt.u32.u32 %x, m;", PTX_SYMBOL, 0, "m", 0, 0},
    {"cvt.u64.u16 %x, m;", PTX_REGISTER, 0, "%x", 0, 1},
    {"cvt.u16.u16 %x, m;", PTX_REGISTER, 0, "%x", 0, 1},
    {"cvt.u32.u64 %x, m;", PTX_REGISTER, 0, "%x", 0, 1},
    {"cvt.u64.u16 %x, -1;", PTX_NUMBER, 65535, "", 0, 0},
    {"cvt.s64.s16 %x, 0x8000;", PTX_NUMBER, -0x8000, "", 0, 0},
    {"cvt.u32.s16 %x, 0x8000;", PTX_NUMBER, 0xFFFF8000, "", 0, 0},
    {"cvt.s32.u64 %x, 0x180000000;", PTX_NUMBER, INT32_MIN, "", 0, 0},
    {"cvt.u32.s64 %x, 0x180000000;", PTX_NUMBER, 0x80000000, "", 0, 0},
    {"cvt.sat.u32.s32 %x, -1;", PTX_REGISTER, 0, "%x", 0, 1},
    {"cvt.f32.u32 %x, 1;", PTX_REGISTER, 0, "%x", 0, 1},
    {"cvt.u32.f32 %x, 1;", PTX_REGISTER, 0, "%x", 0, 1},
    {"cvt.u32 %x, 1;", PTX_REGISTER, 0, "%x", 0, 1},
    {"cvt %x, 1;", PTX_REGISTER, 0, "%x", 0, 1},
    /* ld.param */
    {"ld.param.b64 %x, [p], 8;", PTX_REGISTER, 0, "%x", 0, 1},
    {"ld.param.b64 %x, [16];", PTX_REGISTER, 0, "%x", 0, 1},
    {"ld.param.b64 %x, [p-8];", PTX_LOADED, 0, "p", -8, 0},
    {"ld.shared.b64 %x, [p];", PTX_REGISTER, 0, "%x", 0, 1},
    /* of two operands */
    {"add.s64 %x, 5, -7;", PTX_NUMBER, -2, "", 0, 0},
    {"sub.s64 %x, 5, 7;", PTX_NUMBER, -2, "", 0, 0},
    {"sub.u32 %x, 5, 7;", PTX_NUMBER, 4294967294, "", 0, 0},
    {"sub.s32 %x, 5, 7;", PTX_NUMBER, -2, "", 0, 0},
    {"add.u16 %x, 0xFFFF, 2;", PTX_NUMBER, 1, "", 0, 0},
    {"mul.lo.s64 %x, 5, -7;", PTX_NUMBER, -35, "", 0, 0},
    {"mul.lo.u32 %x, 0x10000, 0x10001;", PTX_NUMBER, 0x10000, "", 0, 0},
    {"mul.hi.s64 %x, 5, 7;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mul.wide.u32 %x, 5, 7;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mad.lo.s64 %x, 5, 7, 9;", PTX_REGISTER, 0, "%x", 0, 1},
    {"add.s64 %x, 5, 7, 9;", PTX_REGISTER, 0, "%x", 0, 1},
    {"add.s64 %x, 5;", PTX_REGISTER, 0, "%x", 0, 1},
    {"add %x, 5, 7;", PTX_REGISTER, 0, "%x", 0, 1},
    {"add.sat.s32 %x, 5, 7;", PTX_REGISTER, 0, "%x", 0, 1},
    {"sub.sat.s32 %x, 5, 7;", PTX_REGISTER, 0, "%x", 0, 1},
    {"add.cc.u32 %x, 5, 7;", PTX_REGISTER, 0, "%x", 0, 1},
    {"sub.cc.u32 %x, 5, 7;", PTX_REGISTER, 0, "%x", 0, 1},
    {"shl.b64 %x, 5, 0;", PTX_NUMBER, 5, "", 0, 0},
    {"shl.b64 %x, 5, 1;", PTX_NUMBER, 10, "", 0, 0},
    {"shl.b64 %x, 5, -1;", PTX_NUMBER, 0, "", 0, 0},
    {"shl.b32 %x, 5, 31;", PTX_NUMBER, 0x80000000, "", 0, 0},
    {"or.b64 %x, 5, 4;", PTX_NUMBER, 5, "", 0, 0},
    {"and.b64 %x, 5, m;", PTX_REGISTER, 0, "%x", 0, 1},
    {"or.b64 %x, m, 0;", PTX_REGISTER, 0, "%x", 0, 1},
    {"add.u32 %x, m, 0xFFFFFFFC;", PTX_SYMBOL, -4, "m", 0, 0},
    {"add.u32 %x, 0xFFFFFFFC, m;", PTX_SYMBOL, -4, "m", 0, 0},
    {"add.u32 %x, 0x100000004, m;", PTX_SYMBOL, 4, "m", 0, 0},
    {"sub.u32 %x, m, 0xFFFFFFFC;", PTX_SYMBOL, 4, "m", 0, 0},
    {"add.s64 %x, m, m;", PTX_REGISTER, 0, "%x", 0, 1},
    {"sub.s64 %x, m, m;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mul.lo.s64 %x, 2, m;", PTX_REGISTER, 0, "%x", 0, 1},
    {"mov.b64 %y, 0x7FFFFFFFFFFFFFFF; add.s64 %x, %y, 1;", PTX_NUMBER, INT64_MIN, "", 0, 0},
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

/* Operands that are no register. */
static void operands_have_values(void **state) {
    static const struct {
        const char *operand;
        ptx_value_kind kind;
        int64_t added;
    } cases[] = {{"5", PTX_NUMBER, 5},      {"-5", PTX_NUMBER, -5}, {"g", PTX_SYMBOL, 0},
                 {"g+16", PTX_SYMBOL, 16},  {"%r", PTX_NUMBER, 7},  {"%r+16", PTX_NUMBER, 23},
                 {"g*2", PTX_UNKNOWN, 0},   {"", PTX_UNKNOWN, 0},   {"1.5", PTX_UNKNOWN, 0},
                 {"%s-1", PTX_REGISTER, -1}};
    ptx_rows rows;
    (void)state;
    read_rows(&rows, HEAD ".global .b8 g[8];\n.visible .entry k()\n{\n.reg .b32 %r, %s;\n"
                          "mov.b32 %r, 7;\nret;\n}\n");
    ptx_values *v = ptx_values_of(&rows, 0);
    assert_non_null(v);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const tma_ptx_operand o = tma_ptx_operand_of(span_of(cases[i].operand), NULL);
        const ptx_value got = ptx_value_at(v, row_of(&rows, "ret"), &o);
        if (got.kind != cases[i].kind || got.added != cases[i].added) {
            fail_msg("%s: kind %d, added %d", cases[i].operand, got.kind, (int)got.added);
        }
    }
    ptx_values_free(v);
    ptx_rows_free(&rows);
}

/* %r0 is 7, %r1 is %r0 ...: 256 statements are followed for one value. */
static void long_ways_are_cut(void **state) {
    static char text[1 << 15];
    tma_out out = tma_out_into(text, sizeof(text));
    ptx_rows rows;
    (void)state;
    tma_put(&out, HEAD ".visible .entry k()\n{\n.reg .b32 %r<300>;\nmov.b32 %r0, 7;\n");
    for (uint32_t i = 1; i < 300; i++) {
        tma_putf(&out, "add.u32 %%r%u, %%r%u, 1;\n", i, i - 1);
    }
    tma_put(&out, "ret;\n}\n");
    read_rows(&rows, text);
    ptx_values *v = ptx_values_of(&rows, 0);
    assert_non_null(v);
    for (uint32_t i = 0; i < 300; i++) {
        char name[8];
        snprintf(name, sizeof(name), "%%r%u", i);
        const tma_ptx_operand o = tma_ptx_operand_of(span_of(name), NULL);
        const ptx_value got = ptx_value_at(v, row_of(&rows, "ret"), &o);
        snprintf(name, sizeof(name), "%%r%u", i - 256);
        assert_int_equal(got.kind, i < 256 ? PTX_NUMBER : PTX_REGISTER);
        assert_int_equal(got.added, i < 256 ? 7 + i : 256);
        assert_true(ptx_is_text(got.name, i < 256 ? "" : name));
    }
    ptx_values_free(v);
    ptx_rows_free(&rows);
}

/* So many registers with a value, one without. */
static void one_crowd(uint32_t count) {
    static char text[1 << 16];
    tma_out out = tma_out_into(text, sizeof(text));
    ptx_rows rows;
    tma_put(&out, HEAD ".visible .entry k()\n{\n.reg .b32 %r<5000>;\n");
    for (uint32_t i = 0; i < count; i++) {
        tma_putf(&out, "mov.b32 %%r%u, %u;\n", i, i + 5);
    }
    tma_put(&out, "ret;\n}\n");
    read_rows(&rows, text);
    ptx_values *v = ptx_values_of(&rows, 0);
    assert_non_null(v);
    for (uint32_t i = 0; i <= count; i++) {
        char name[8];
        snprintf(name, sizeof(name), "%%r%u", i);
        const tma_ptx_operand o = tma_ptx_operand_of(span_of(name), NULL);
        const ptx_value got = ptx_value_at(v, rows.rows - 2, &o);
        assert_int_equal(got.kind, i < count ? PTX_NUMBER : PTX_REGISTER);
        assert_int_equal(got.added, i < count ? i + 5 : 0);
        assert_int_equal(got.version, 0);
    }
    ptx_values_free(v);
    ptx_rows_free(&rows);
}

static void crowds_are_told_apart(void **state) {
    static const uint32_t counts[] = {0, 1, 127, 128, 129, 254, 255, 256, 257, 511, 512, 513, 1024};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        one_crowd(counts[i]);
    }
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
                                    ".visible .entry l(.param .b8 n[32])\n{\nexit;\n}\n"
                                    ".global .b8 n[128];\n";
    ptx_rows rows;
    (void)state;
    read_rows(&rows, text);
    assert_true(ptx_is_text(ptx_variable_named(&rows, 0, span_of("m"))->v.space, "param"));
    assert_true(ptx_is_text(ptx_variable_named(&rows, 1, span_of("m"))->v.space, "global"));
    assert_true(ptx_is_text(ptx_variable_named(&rows, 1, span_of("c"))->v.space, "const"));
    assert_true(ptx_is_text(ptx_variable_named(&rows, 1, span_of("n"))->v.space, "param"));
    assert_true(ptx_is_text(ptx_variable_named(&rows, 0, span_of("n"))->v.space, "global"));
    assert_null(ptx_variable_named(&rows, 0, span_of("o")));
    assert_null(ptx_variable_named(&rows, 0, span_of("")));
    ptx_rows_free(&rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_followed),     cmocka_unit_test(operands_have_values),
        cmocka_unit_test(long_ways_are_cut),       cmocka_unit_test(crowds_are_told_apart),
        cmocka_unit_test(values_are_alike_or_not), cmocka_unit_test(variables_have_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
