/* SPDX-License-Identifier: Apache-2.0
 *
 * PTX files as rows: all that is said of each of many small files, which lie against a page that
 * nobody may touch, before them or behind them.
 */
#include "support/guard_page.h"
#include "support/testing.h"

#include <stdio.h>
#include <string.h>

#include "ptx_heap.h"
#include "ptx_rows.h"

#define HEAD   ".version 9.0\n.target sm_90a\n"
#define MOST_B 8192

static struct guard_arena arena;

static ptx_heap heap;
static ptx_memory memory;

static void read_rows(ptx_rows *rows, const char *text, int at_end) {
    const size_t size = strlen(text);
    char *placed = memcpy(guard_arena_place(&arena, size, at_end), text, size);
    memory = ptx_heap_memory(&heap);
    assert_int_equal(ptx_rows_read(rows, &memory, placed, size), 0);
}

static int make_arena(void **state) {
    (void)state;
    guard_arena_make(&arena, (size_t)1 << 20);
    return 0;
}

static int free_arena(void **state) {
    (void)state;
    guard_arena_free(&arena);
    return 0;
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

/* ---- All that is said ---- */

static void put_number(tma_out *out, uint32_t number) {
    if (number == PTX_NONE) {
        tma_put(out, "-");
    } else {
        tma_putf(out, "%u", number);
    }
}

static void put_span(tma_out *out, tma_ptx_span span) {
    tma_put_bytes(out, span.at, span.length);
}

/* "8.7 sm_90a=90a line 1; " */
static void put_modules(tma_out *out, const ptx_rows *r) {
    for (uint32_t i = 0; i < r->modules; i++) {
        const ptx_module *m = &r->module[i];
        tma_putf(out, "%u ", m->version);
        put_span(out, m->target_name);
        tma_putf(out, "=%u%c", m->target.sm, m->target.suffix ? m->target.suffix : '.');
        tma_putf(out, "%s line %u; ", m->is_known ? "" : " unknown", (unsigned)m->line);
    }
}

/* "entry k rows 2 to 5 of 0; " */
static void put_functions(tma_out *out, const ptx_rows *r) {
    for (uint32_t i = 0; i < r->functions; i++) {
        const ptx_function *f = &r->function[i];
        tma_put(out, f->is_entry ? "entry " : "func ");
        put_span(out, f->name);
        tma_putf(out, " rows %u to %u of %u; ", f->first, f->end, f->module);
    }
}

/* "{0 in -: %r<4>=32; x=64}": a block, the one around it, what it declares. */
static void put_blocks(tma_out *out, const ptx_rows *r) {
    for (uint32_t i = 0; i < r->blocks; i++) {
        tma_putf(out, "{%u in ", i);
        put_number(out, r->block[i].parent);
        for (uint32_t k = r->symbols; k-- > 0;) {
            const ptx_symbol *s = &r->symbol[k];
            if (s->block != i || s->kind == PTX_IS_VARIABLE) {
                continue;
            }
            tma_put(out, " ");
            put_span(out, s->name);
            if (s->count) {
                tma_putf(out, "<%llu>", (unsigned long long)s->count);
            }
            tma_putf(out, "=%u", s->bits);
        }
        tma_put(out, "} ");
    }
}

/* "const c of -; ", "file 1 a.cu of 1; " */
static void put_names(tma_out *out, const ptx_rows *r) {
    for (uint32_t i = 0; i < r->variables; i++) {
        put_span(out, r->variable[i].v.space);
        tma_put(out, " ");
        put_span(out, r->variable[i].v.name);
        tma_put(out, " of ");
        put_number(out, r->variable[i].function);
        tma_put(out, "; ");
    }
    for (uint32_t i = 0; i < r->files; i++) {
        tma_putf(out, "file %u ", r->file[i].number);
        put_span(out, r->file[i].name);
        tma_putf(out, " of %u; ", r->file[i].module);
    }
}

/* Kind, function, block and line of each row: "D--0-" */
static void put_rows(tma_out *out, const ptx_rows *r) {
    for (uint32_t i = 0; i < r->rows; i++) {
        tma_putf(out, "%c", "IDL{}?"[r->row[i].piece.kind]);
        put_number(out, r->row[i].function);
        put_number(out, r->row[i].block);
        put_number(out, r->row[i].loc);
        tma_put(out, " ");
    }
    tma_putf(out, "unknown %u open %u", r->unknown, r->open);
}

static const struct {
    const char *text;
    const char *said;
} files[] = {
    {"", "0 =0. unknown line 0; {0 in -} unknown 0 open 0"},
    {"ret;\n", "0 =0. unknown line 0; {0 in -} I-0- unknown 0 open 0"},
    {";", "0 =0. unknown line 0; {0 in -} unknown 0 open 0"},
    {HEAD, "90 sm_90a=90a line 1; {0 in -} D-0- D-0- unknown 0 open 0"},
    {".target sm_90a\n.version 9.0\n", "90 sm_90a=90a line 2; {0 in -} D-0- D-0- unknown 0 open 0"},
    {".version 9.0\n.version 8.7\n.target sm_103f, debug\n",
     "90 =0. unknown line 1; 87 sm_103f=103f line 2; {0 in -} D-0- D-0- D-0- unknown 0 open 0"},
    {"\n\n.version 8.0 // one\n.target sm_90\n.version 8.6\n",
     "80 sm_90=90. line 3; 86 =0. unknown line 5; {0 in -} D-0- D-0- D-0- unknown 0 open 0"},
    {HEAD ".target sm_80\n",
     "90 sm_80=0. unknown line 1; {0 in -} D-0- D-0- D-0- unknown 0 open 0"},
    {".target sm_12345678901234567890123456",
     "0 sm_12345678901234567890123456=0. unknown line 0; {0 in -} D-0- unknown 0 open 0"},
    {".target sm_123456789012345678901234567",
     "0 sm_123456789012345678901234567=0. unknown line 0; {0 in -} D-0- unknown 0 open 0"},
    {".target sm_1234567890123456789012345678",
     "0 sm_1234567890123456789012345678=0. unknown line 0; {0 in -} D-0- unknown 0 open 0"},
    {".target sm_12345678901234567890123456789",
     "0 sm_12345678901234567890123456789=0. unknown line 0; {0 in -} D-0- unknown 0 open 0"},
    {".visible .entry k()\n{\nret;\n}\n", "0 =0. unknown line 0; entry k rows 1 to 3 of 0; {0 in "
                                          "-} {1 in 0} D-0- {01- I01- }-0- unknown 0 open 0"},
    {HEAD ".visible .entry k(.param .b64 p, .param .align 64 .b8 m[128])\n{\n.reg .b32 %r<4>, "
          "x;\n.reg .pred p;\nL:\n@p bra L;\n}\n",
     "90 sm_90a=90a line 1; entry k rows 3 to 8 of 0; {0 in -} {1 in 0 p=0 x=32 %r<4>=32} param p "
     "of 0; param m of 0; D-0- D-0- D-0- {01- D01- D01- L01- I01- }-0- unknown 0 open 0"},
    {HEAD ".visible .entry k()\n{\nret;\n}\n.func l()\n{\n.reg .b64 x;\n{\n.reg .b16 "
          "x;\n{\nret;\n}\n}\n.shared .b8 s[4];\n}\n.const .b8 c;\n",
     "90 sm_90a=90a line 1; entry k rows 3 to 5 of 0; func l rows 7 to 16 of 0; {0 in -} {1 in 0} "
     "{2 in 0 x=64} {3 in 2 x=16} {4 in 3} shared s of 1; const c of -; D-0- D-0- D-0- {01- I01- "
     "}-0- D-0- {12- D12- {13- D13- {14- I14- }13- }12- D12- }-0- D-0- unknown 0 open 0"},
    {HEAD "{\n.visible .entry k()\n{\nret;\n}\ntrap;\n}\n",
     "90 sm_90a=90a line 1; entry k rows 4 to 6 of 0; {0 in -} {1 in 0} {2 in 1} D-0- D-0- {-1- "
     "D-1- {02- I02- }-1- I-1- }-0- unknown 0 open 0"},
    {HEAD ".func l();\n.visible .entry k()\n{\nret;\n}\n",
     "90 sm_90a=90a line 1; func l rows 2 to 2 of 0; entry k rows 4 to 6 of 0; {0 in -} {1 in 0} "
     "D-0- D-0- D-0- D-0- {11- I11- }-0- unknown 0 open 0"},
    {HEAD ".visible .entry k()\n{\n.func l()\n{\nret;\n}\nexit;\n}\n",
     "90 sm_90a=90a line 1; entry k rows 3 to 9 of 0; func l rows 4 to 4 of 0; {0 in -} {1 in 0} "
     "{2 in 1} D-0- D-0- D-0- {01- D01- {02- I02- }01- I01- }-0- unknown 0 open 0"},
    {HEAD ".visible .entry k()\n{\nret;\n}\n.section .debug_str\n{\n.b8 "
          "97,0\n}\n{\ntrap;\n}\n.visible .entry l()\n{\nexit;\n}\n",
     "90 sm_90a=90a line 1; entry k rows 3 to 5 of 0; entry l rows 11 to 13 of 0; {0 in -} {1 in "
     "0} {2 in 0} {3 in 0} D-0- D-0- D-0- {01- I01- }-0- D-0- {-2- I-2- }-0- D-0- {13- I13- }-0- "
     "unknown 0 open 0"},
    {HEAD ".section .global x;\n.sectiox .global y;\n.section",
     "90 sm_90a=90a line 1; {0 in -} global y of -; D-0- D-0- D-0- D-0- D-0- unknown 0 open 0"},
    {HEAD ".section .global x {\n}\n",
     "90 sm_90a=90a line 1; {0 in -} D-0- D-0- D-0- unknown 0 open 0"},
    {HEAD ".visible .entry k()\n{\n{\n{\nret;\n",
     "90 sm_90a=90a line 1; entry k rows 3 to 7 of 0; {0 in -} {1 in 0} {2 in 1} {3 in 2} D-0- "
     "D-0- D-0- {01- {02- {03- I03- unknown 0 open 3"},
    {HEAD ".visible .entry k()\n{\nret;\n}\n}\n}\nret;\n",
     "90 sm_90a=90a line 1; entry k rows 3 to 5 of 0; {0 in -} {1 in 0} D-0- D-0- D-0- {01- I01- "
     "}-0- }-0- }-0- I-0- unknown 2 open 0"},
    {HEAD "#define x\n#define y\nret",
     "90 sm_90a=90a line 1; {0 in -} D-0- D-0- ?-0- ?-0- ?-0- unknown 3 open 0"},
    {HEAD ".reg .b32 %r<4;",
     "90 sm_90a=90a line 1; {0 in - %r<4>=32} D-0- D-0- D-0- unknown 0 open 0"},
    {HEAD ".reg .b32 %r<4", "90 sm_90a=90a line 1; {0 in -} D-0- D-0- ?-0- unknown 1 open 0"},
    {HEAD ".reg;", "90 sm_90a=90a line 1; {0 in -} D-0- D-0- D-0- unknown 0 open 0"},
    {HEAD ".reg x;", "90 sm_90a=90a line 1; {0 in - x=0} D-0- D-0- D-0- unknown 0 open 0"},
    {HEAD ".x;", "90 sm_90a=90a line 1; {0 in -} D-0- D-0- D-0- unknown 0 open 0"},
    {HEAD ".xxxxx;", "90 sm_90a=90a line 1; {0 in -} D-0- D-0- D-0- unknown 0 open 0"},
    {HEAD ".xxxxxx;", "90 sm_90a=90a line 1; {0 in -} D-0- D-0- D-0- unknown 0 open 0"},
    {HEAD ".global .b8 x;",
     "90 sm_90a=90a line 1; {0 in -} global x of -; D-0- D-0- D-0- unknown 0 open 0"},
    {".file 1 \"a.cu\"\n" HEAD ".file 2 \"b.cu\"\n.file 1 \"c.cu\"\n.file 3\n",
     "90 sm_90a=90a line 2; {0 in -} file 1 a.cu of 0; file 2 b.cu of 1; file 1 c.cu of 1; D-0- "
     "D-0- D-0- D-0- D-0- D-0- unknown 0 open 0"},
    {HEAD ".loc 1 2 3\nret;\n.loc 1\nret;\n.loc 1 3 3\n.visible .entry k()\n{\nret;\n.loc 1 4 "
          "3\nret;\n}\nret;\n.version 9.0\nret;\n",
     "90 sm_90a=90a line 1; 90 =0. unknown line 15; entry k rows 8 to 12 of 0; {0 in -} {1 in 0} "
     "D-0- D-0- D-00 I-00 D-00 I-00 D-01 D-01 {01- I01- D012 I012 }-02 I-02 D-0- I-0- unknown 0 "
     "open 0"},
    /* in an asm statement's text the statement's own line holds, and behind it */
    {"{.loc 1 2 3\n// begin inline asm\n.loc 1 2 3 // k.py\nbar;\n.loc 1 3 3\nbar;\n\n"
     "// end inline asm\nret;\n.loc 1 9 3\nret;}\n",
     "0 =0. unknown line 0; {0 in -} {1 in 0} {-1- D-10 D-10 I-10 D-10 I-10 I-10 D-11 I-11 }-01 "
     "unknown 0 open 0"},
    /* one that no .loc stands before has its first */
    {"{// begin inline asm\n.loc 1 2 3\nbar;\n.loc 1 3 3\nbar;\n// end inline asm\n.loc 1 4 "
     "3\nret;}",
     "0 =0. unknown line 0; {0 in -} {1 in 0} {-1- D-10 I-10 D-10 I-10 D-11 I-11 }-01 unknown 0 "
     "open 0"},
    /* another column is no line of the text */
    {"{.loc 1 2 3\n// begin inline asm\n.loc 1 3 3\nbar;\n.loc 1 4 5\nret;}",
     "0 =0. unknown line 0; {0 in -} {1 in 0} {-1- D-10 D-10 I-10 D-11 I-11 }-01 unknown 0 open 0"},
    /* one that does not end counts to the function's end */
    {".func f()\n{\n.loc 1 2 3\n// begin inline asm\n.loc 1 3 3\nret;\n}\n.func g()\n{\n.loc 1 4 "
     "3\n.loc 1 "
     "5 3\nret;\n}\n",
     "0 =0. unknown line 0; func f rows 1 to 5 of 0; func g rows 7 to 11 of 0; {0 in -} {1 in 0} "
     "{2 in 0} "
     "D-0- {01- D010 D010 I010 }-00 D-00 {12- D121 D122 I122 }-02 unknown 0 open 0"},
    {HEAD ".global .b8 x = 1;\n.const .align 4 .u32 c[2] = {1, 2};\n.extern .shared .b8 s[];\n",
     "90 sm_90a=90a line 1; {0 in -} global x of -; const c of -; shared s of -; D-0- D-0- D-0- "
     "D-0- D-0- unknown 0 open 0"},
};

static void all_that_is_said(void **state) {
    (void)state;
    for (size_t i = 0; i < 2 * COUNT_OF(files); i++) {
        char said[MOST_B];
        tma_out out = tma_out_into(said, sizeof(said));
        ptx_rows rows;
        read_rows(&rows, files[i / 2].text, i % 2);
        put_modules(&out, &rows);
        put_functions(&out, &rows);
        put_blocks(&out, &rows);
        put_names(&out, &rows);
        put_rows(&out, &rows);
        ptx_heap_free(&heap);
        if (strcmp(said, files[i / 2].said) != 0) {
            fail_msg("%s\nis\n%s\nand should be\n%s", files[i / 2].text, said, files[i / 2].said);
        }
    }
}

static const struct {
    const char *declared;
    const char *name;
    int bits; /* -1: it is none */
} REGISTERS[] = {
    {".reg .b32 %r<4>;", "%r0", 32},
    {".reg .b32 %r<4>;", "%r3", 32},
    {".reg .b32 %r<4>;", "%r4", -1},
    {".reg .b32 %r<4>;", "%r30", -1},
    {".reg .b32 %r<4>;", "%r", -1},
    {".reg .b32 %r<4>;", "%", -1},
    {".reg .b32 %r<4>;", "", -1},
    {".reg .b32 %r<100>;", "%r1x", -1},
    {".reg .b32 %r<100>;", "%r9$", -1},
    {".reg .b32 %r<100>;", "%rx", -1},
    {".reg .b32 %r<100>;", "%r09", -1}, /* ptxas: unknown symbol */
    {".reg .b32 %r<4>;", "%q1", -1},
    {".reg .b32 %r<0>;", "%r0", 32}, /* as if it were one */
    {".reg .b32 %r<0>;", "%r1", -1},
    {".reg .b32 %r<>;", "%r", -1},
    {".reg .b32 %r<10000>;", "%r9999", 32},
    {".reg .b32 %r<4294967295>;", "%r4294967294", 32},
    {".reg .b32 %r<4294967295>;", "%r4294967295", -1},
    {".reg .b32 %r<42949672959>;", "%r4294967295", -1}, /* cut */
    {".reg .b32 %r<4294967295>;", "%r18446744073709551617", -1},
    {".reg .b32 %r\t < 4 >;", "%r3", 32},
    {".reg .b32 %r\t < 4 >;", "%r4", -1},
    {".reg .b64 %d<2>, x, %e<3>;", "%d1", 64},
    {".reg .b64 %d<2>, x, %e<3>;", "x", 64},
    {".reg .b64 %d<2>, x, %e<3>;", "%e2", 64},
    {".reg .b64 %d<2>, x, %e<3>;", "x0", -1},
    {".reg .b64 %d<2>, x, %e<3>;", "2", -1},
    {".reg .pred p;", "p", 0},
    {".reg p;", "p", 0},
    {".reg .f16x2 h<3>;", "h2", 16},
    {".reg .b128 q;", "q", 128},
    {".reg .b20 q;", "q", 20},
    {".reg .b91 q;", "q", 91},
    {".reg .b1000 q;", "q", 1000},
    {".reg .b10001 q;", "q", 1000}, /* cut */
    {".reg .b9991 q;", "q", 9991},
    {".reg .b32x9 q;", "q", 32},
    {".reg .u16 %h; .reg .s64 %s;", "%h", 16},
    {".reg .u16 %h; .reg .s64 %s;", "%s", 64},
    {".rex .b32 x;", "x", -1},
};

/* ---- Names of registers ---- */

static void registers_have_names(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(REGISTERS); i++) {
        char text[MOST_B];
        ptx_rows rows;
        snprintf(text, sizeof(text), HEAD ".visible .entry k()\n{\n%s\nuse %s;\n}\n",
                 REGISTERS[i].declared, REGISTERS[i].name);
        read_rows(&rows, text, 1);
        const uint32_t row = row_of(&rows, "use");
        const ptx_symbol *reg = ptx_rows_register(&rows, row, rows.row[row].piece.at + 4);
        if ((reg ? (int)reg->bits : -1) != REGISTERS[i].bits || (reg && reg->block != 1)) {
            fail_msg("%s in %s: %d", REGISTERS[i].name, REGISTERS[i].declared,
                     reg ? (int)reg->bits : -1);
        }
        ptx_heap_free(&heap);
    }
}

/* A register is the innermost one of its name that is declared before. */
static void inner_blocks_have_their_own(void **state) {
    static const char text[] =
        HEAD ".visible .entry k()\n{\n.reg .b32 x;\nmov.b32 x, 1;\n"
             "{\n.reg .b64 x;\nmov.b64 x, 2;\n{\nadd.u64 x, x, 3;\n}\n}\n"
             "sub.u32 x, x, 4;\n}\n"
             ".func l()\n{\nret x;\n.reg .b16 x;\nst [x], 0;\n.reg .b128 x;\ntrap x;\n}\n";
    static const struct {
        const char *row;
        uint32_t bits, block;
    } cases[] = {{"mov.b32", 32, 1}, {"mov.b64", 64, 2}, {"add", 64, 2},  {"sub", 32, 1},
                 {"ret", 0, 0},      {"st", 16, 4},      {"trap", 128, 4}};
    ptx_rows rows;
    (void)state;
    read_rows(&rows, text, 1);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const uint32_t row = row_of(&rows, cases[i].row);
        const ptx_symbol *reg = ptx_rows_register(&rows, row, strchr(rows.row[row].piece.at, 'x'));
        assert_int_equal(reg ? reg->bits : 0, cases[i].bits);
        assert_int_equal(reg ? reg->block : 0, cases[i].block);
    }
    ptx_heap_free(&heap);
}

/* ---- Source lines ---- */

static void expect_source(const ptx_source *s, const char *file, uint32_t line, uint32_t column) {
    if (!ptx_is_text(s->file, file) || s->line != line || s->column != column) {
        fail_msg("%.*s:%u:%u for %s:%u:%u", (int)s->file.length, s->file.at, s->line, s->column,
                 file, line, column);
    }
}

static const struct source_case {
    const char *row;
    int is_known, inlined;
    const char *outer, *inner;
    uint32_t outer_line, outer_column, inner_line, inner_column;
} sources[] = {
    {".global", 1, 0, "a.cu", "a.cu", 1, 2, 1, 2}, /* outside of functions */
    {"membar.gl", 0, 0, "", "", 0, 0, 0, 0},
    {"ret", 1, 0, "a.cu", "a.cu", 10, 5, 10, 5},
    {"exit", 1, 1, "a.cu", "b.cuh", 10, 5, 3, 1},
    {"trap", 1, 1, "a.cu", "b.cuh", 10, 5, 30, 9},
    {"brkpt", 1, 1, "a.cu", "b.cuh", 99, 2, 3, 1},
    {"membar.sys", 1, 0, "", "", 4, 5, 4, 5},
    {"bar.sync 1", 1, 1, "a.cu", "b.cuh", 77, 1, 6, 6}, /* in line 8, which is in line 77 */
    {"bar.sync 2", 1, 1, "b.cuh", "b.cuh", 8, 8, 6, 6},
    {"bar.sync 3", 1, 1, "a.cu", "b.cuh", 8, 9, 6, 6},
    {"bar.sync 4", 1, 1, "a.cu", "b.cuh", 9, 8, 6, 6},
    {"membar.cta", 0, 0, "", "", 0, 0, 0, 0},
    {".address_size", 0, 0, "", "", 0, 0, 0, 0}, /* a line of the file before is none of this one */
};

static void lines_through_inlining(void **state) {
    static const char text[] =
        HEAD ".file 1 \"a.cu\"\n.file 2 \"b.cuh\"\n.loc 1 1 2\n.global .b8 x;\n"
             ".visible .entry k()\n{\nmembar.gl;\n.loc 1 10 5\nret;\n"
             ".loc 2 3 1, function_name $L_x, inlined_at 1 10 5\nexit;\n"
             ".loc 2 30 9, function_name $L_y+4, inlined_at 2 3 1\ntrap;\n"
             ".loc 2 3 1, function_name $L_x, inlined_at 1 99 2\nbrkpt;\n"
             ".loc 3 4 5\nmembar.sys;\n"
             ".loc 1 8 8, function_name $L_z, inlined_at 1 77 1\n"
             ".loc 2 6 6, function_name $L_z, inlined_at 1 8 8\nbar.sync 1;\n"
             ".loc 2 6 6, function_name $L_z, inlined_at 2 8 8\nbar.sync 2;\n"
             ".loc 2 6 6, function_name $L_z, inlined_at 1 8 9\nbar.sync 3;\n"
             ".loc 2 6 6, function_name $L_z, inlined_at 1 9 8\nbar.sync 4;\n}\n"
             ".visible .entry l()\n{\nmembar.cta;\n.loc 1 5 5\n}\n"
             ".loc 1 6 6\n.version 9.0\n.address_size 64\n";
    ptx_rows rows;
    (void)state;
    read_rows(&rows, text, 0);
    for (size_t i = 0; i < COUNT_OF(sources); i++) {
        const struct source_case *c = &sources[i];
        ptx_source outer;
        ptx_source inner;
        int inlined = 0;
        const int known = ptx_rows_source(&rows, row_of(&rows, c->row), &outer, &inner, &inlined);
        assert_int_equal(known, c->is_known);
        if (known) {
            assert_int_equal(inlined, c->inlined);
            expect_source(&outer, c->outer, c->outer_line, c->outer_column);
            expect_source(&inner, c->inner, c->inner_line, c->inner_column);
        }
    }
    ptx_heap_free(&heap);
}

/* The source line of the last row of so many .loc: the first's, the others', the last's. */
static uint32_t line_behind(const char *first, const char *second, const char *other,
                            uint32_t others, const char *last) {
    static char text[1 << 18];
    tma_out out = tma_out_into(text, sizeof(text));
    ptx_rows rows;
    ptx_source outer;
    ptx_source inner;
    int inlined = 0;
    tma_putf(&out, "%s%s%s", HEAD, first, second);
    for (uint32_t i = 0; i < others; i++) {
        tma_put(&out, other);
    }
    tma_putf(&out, "%sret;\n", last);
    read_rows(&rows, text, 1);
    assert_true(ptx_rows_source(&rows, rows.rows - 1, &outer, &inner, &inlined));
    ptx_heap_free(&heap);
    return outer.line;
}

/* The 4096 before a .loc are looked at. */
static void not_all_lines_are_looked_at(void **state) {
    static const char into[] = ".loc 1 7 1, function_name $L, inlined_at 1 8 1\n";
    static const char found[] = ".loc 1 8 1, function_name $L, inlined_at 1 9 1\n";
    static const char other[] = ".loc 1 1 1\n";
    (void)state;
    assert_int_equal(line_behind("", found, other, 0, into), 9);
    assert_int_equal(line_behind("", found, other, 4094, into), 9);
    assert_int_equal(line_behind("", found, other, 4095, into), 9);
    assert_int_equal(line_behind("", found, other, 4096, into), 8);
    assert_int_equal(line_behind(other, found, other, 4095, into), 9);
    assert_int_equal(line_behind(other, found, other, 4096, into), 8);
}

/* Line 1000 is inlined at line 999, that one at 998 ...: 256 of them are followed, a circle too. */
static void inlining_ends(void **state) {
    char text[300 * 64];
    (void)state;
    for (uint32_t depth = 250; depth < 260; depth++) {
        tma_out out = tma_out_into(text, sizeof(text));
        for (uint32_t line = 1000 - depth + 1; line < 1000; line++) {
            tma_putf(&out, ".loc 1 %u 1, function_name $L, inlined_at 1 %u 1\n", line, line - 1);
        }
        assert_int_equal(
            line_behind(text, "", "", 0, ".loc 1 1000 1, function_name $L, inlined_at 1 999 1\n"),
            1000 - (depth < 256 ? depth : 256));
    }
    static const char circle[] = ".loc 1 5 1, function_name $L, inlined_at 1 5 1\n";
    assert_int_equal(line_behind(circle, "", "", 0, circle), 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_is_said),
        cmocka_unit_test(registers_have_names),
        cmocka_unit_test(inner_blocks_have_their_own),
        cmocka_unit_test(lines_through_inlining),
        cmocka_unit_test(not_all_lines_are_looked_at),
        cmocka_unit_test(inlining_ends),
    };
    return cmocka_run_group_tests(tests, make_arena, free_arena);
}
