/* SPDX-License-Identifier: Apache-2.0
 *
 * What the registers of PTX files hold: each way a value goes from register to register, through
 * memory of calls, branches and loops, and each that is not followed.
 */
#include "support/testing.h"

#include <stdio.h>
#include <string.h>

#include "ptx_heap.h"
#include "ptx_value_text.h"

#define HEAD   ".version 9.0\n.target sm_90a\n.address_size 64\n"
#define MOST_B 4096

/* A file's first kernel with all that is known of it. */
typedef struct reading {
    ptx_heap heap;
    ptx_memory memory;
    ptx_rows rows;
    ptx_codes codes;
    ptx_functions functions;
    ptx_graph g;
    ptx_values v;
} reading;

static void read_kernel(reading *r, const char *text, const char *name) {
    *r = (reading){.heap = {NULL}};
    r->memory = ptx_heap_memory(&r->heap);
    assert_int_equal(ptx_rows_read(&r->rows, &r->memory, text, strlen(text)), 0);
    assert_int_equal(ptx_codes_read(&r->codes, &r->memory, &r->rows), 0);
    assert_int_equal(ptx_functions_read(&r->functions, &r->memory, &r->rows), 0);
    const uint32_t f = ptx_function_named(&r->functions, 0, (tma_ptx_span){name, strlen(name)});
    assert_int_equal(ptx_graph_make(&r->g, &r->memory, &r->functions, &r->codes, f, 1), 0);
    assert_int_equal(ptx_values_make(&r->v, &r->memory, &r->g), 0);
}

/* The first step of a row that begins with these words. */
static const ptx_step *step_of(const reading *r, const char *words) {
    for (uint32_t i = 0; i < r->g.steps; i++) {
        const tma_ptx_piece *p = &r->rows.row[r->g.step[i].row].piece;
        if (p->size >= strlen(words) && !memcmp(p->at, words, strlen(words))) {
            return &r->g.step[i];
        }
    }
    fail_msg("no step begins with %s", words);
    return NULL;
}

static ptx_value value_in(reading *r, const char *words, uint32_t operand) {
    const ptx_step *step = step_of(r, words);
    tma_ptx_parts parts;
    assert_int_equal(tma_ptx_split(&parts, &r->rows.row[step->row].piece), 0);
    return ptx_value_of_text(&r->v, step, parts.operand[operand]);
}

/* What st.global stores into g at the end of a kernel with such a body, in words. */
static const struct value_case {
    const char *body;
    const char *value;
} values[] = {
    {"", "not known"},
    {"mov.b64 %x, 7;", "7"},
    {"mov.b64 %x, 7; mov.b64 %x, 8;", "8"},
    {"mov.b64 %y, -7; mov.b64 %x, %y;", "-7"},
    {"mov.u32 %w, -1; cvt.u64.u32 %x, %w;", "4294967295"},
    {"mov.u32 %w, -1; cvt.s64.s32 %x, %w;", "-1"},
    {"mov.f64 %x, 0d3FF0000000000000;", "the result of line 23"},
    {"mov.b64 %x, m;", "&m"},
    {"mov.b64 %x, m+32;", "&m + 32"},
    {"mov.b64 %y, m; cvta.param.u64 %x, %y;", "&m + window of param"},
    {"mov.b64 %y, m; add.s64 %x, %y, 64;", "&m + 64"},
    {"mov.b64 %y, m; add.s64 %x, 64, %y;", "&m + 64"},
    {"mov.b64 %y, m; sub.s64 %x, %y, 64;", "&m - 64"},
    {"mov.b64 %y, m; add.u64 %x, %y, 0xFFFFFFFFFFFFFFC0;", "&m - 64"},
    {"mov.b64 %y, m; sub.s64 %x, 64, %y;", "-1 * &m + 64"},
    {"mov.b64 %y, m; mul.lo.s64 %x, %y, 2;", "2 * &m"},
    {"mov.b64 %y, m; add.s64 %x, %y, %z;", "the result of line 23"},
    {"mov.b64 %y, m; cvt.u32.u64 %w, %y; cvt.u64.u32 %x, %w;", "&m"},
    {"mov.b32 %w, m; cvt.u64.u32 %y, %w; cvta.param.u64 %x, %y;", "&m + window of param"},
    {"mov.b32 %w, s; cvt.u64.u32 %x, %w;", "&s"},
    {"mov.b32 %w, m; cvt.s64.s32 %x, %w;", "sign-extended(&m)"},
    {"mov.b32 %w, g; cvt.u64.u32 %x, %w;", "zero-extended(&g)"}, /* it may lie anywhere */
    {"ld.param.b64 %x, [p];", "[p]"},
    {"ld.param.b64 %x, [p+8];", "[p+8]"},
    {"ld.param.b64 %y, [p+8]; add.s64 %x, %y, 128;", "[p+8] + 128"},
    {"ld.param.v2.b64 {%x, %y}, [p];", "[p]"},
    {"ld.param.v2.b64 {%y, %x}, [p];", "[p+8]"},
    {"mov.b64 %y, p; ld.param.b64 %x, [%y];", "[p]"},
    {"ld.global.b64 %x, [g];", "the result of line 23"},
    {"mov.b64 %y, 0x100000002; mov.b64 {%w, %v}, %y; cvt.u64.u32 %x, %w;", "2"},
    {"mov.b64 %y, 0x100000002; mov.b64 {%w, %v}, %y; cvt.u64.u32 %x, %v;", "1"},
    {"ld.param.b32 %w, [p]; mov.b64 %y, {%w, 7}; mov.b64 {%v, %w}, %y; cvt.u64.u32 %x, %w;", "7"},
    {"ld.param.b32 %w, [p]; mov.b64 %y, {%w, 7}; shr.u64 %x, %y, 32;", "7"},
    {"mov .b64 %y, 7; shr /* upper */ .u64 %x, %y, 1;", "3"},
    {"mov.b64 %x, {%w, %v};", "the result of line 23"},
    {"mov.b64 %y, 5; shr.u64 %x, %y, 1;", "2"},
    {"mov.b64 %y, 5; add.f64 %x, %y, 2;", "the result of line 23"},
    {"mov.b64 %y, 5; add.s64 %x, %y, 2;", "7"},
    {"mov.b64 %y, 5; and.b64 %x, %y, 4;", "4"},
    {"mov.b64 %y, 5; or.b64 %x, %y, 8;", "13"},
    {"mov.b64 %y, 5; xor.b64 %x, %y, 4;", "1"},
    {"mov.b64 %y, 5; shl.b64 %x, %y, 63;", "-9223372036854775808"},
    {"mov.b64 %y, 5; shl.b64 %x, %y, 64;", "0"},
    {"mov.b64 %x, 7; st.global.b64 [%x], %y;", "the result of line 22"},
    {"mov.b64 %x, 7; st.global.b64 [ %x ], %y;", "the result of line 22"},
    {"mov.b64 nowhere, 5; mov.b64 %x, 7;", "7"},
    {"mov.b64 %x, 7; { mov.b64 %x, 8 }", "7"},
    {"mov.b64 %x, 7; { .reg .b64 %x; mov.b64 %x, 8; }", "7"},
    {"mov.b64 %x, 7; { mov.b64 %x, 8; }", "8"},
    {"mov.b64 %x, 7; setp.eq.u64 %z|%x, %y, 0;",
     "zero-extended(not setp.eq.u64(the result of line 22, 0))"},
    {"setp.eq.u64 %q, %y, 0; not.pred %q, %q; selp.b64 %x, 7, 8, %q;",
     "selected(not setp.eq.u64(the result of line 22, 0), 7, 8)"},
    {"setp.eq.u64 %q, %y, 0; xor.pred %q, %q, %q; selp.b64 %x, 7, 8, %q;", "8"},
    {"mov.b64 %x, 7; mov.b64 %x, 8; ret; mov.b64 %x, 9;", "not known"},
    {"mov.b64 %x, 7; retx %x, 8;", "the result of line 23"},
    {"mov.b64 %x;", "the result of line 23"},
    {"mov %x, 7;", "the result of line 23"},
    {"mov. %x, 7;", "the result of line 23"},
    {"mov.u %x, 7;", "the result of line 23"},
    {"mov.b128 %x, 7;", "the result of line 23"},
    {"mov.f32 %x, 7;", "the result of line 23"},
    {"mov.u032 %x, 7;", "the result of line 23"},
    {"mov.u1F %x, 7;", "the result of line 23"},
    {"mov.u1f %x, 7;", "the result of line 23"},
    {"mov.u32x %x, 7;", "the result of line 23"},
    {"mov.ux32 %x, 7;", "the result of line 23"},
    {"mov.u10032 %x, 7;", "the result of line 23"},
    {"mov.b64 %x, m*2;", "the result of line 23"},
    {"mov.b64 %y, m+8; mov.b64 %x, %y+4;", "&m + 12"},
    {"mov.u32 %x, m-4;", "zero-extended(&m - 4)"},
    {"mov.b16 %x, 0x18000;", "32768"},
    {"mov.s16 %x, 0x18000;", "-32768"},
    {"mov.s16 %x, 0x14000;", "16384"},
    {"mov.s32 %x, 5;", "5"},
    {"mov.s32 %x, 0x40000000;", "1073741824"},
    {"mov.s32 %x, 0x80000000;", "-2147483648"},
    {"mov.u32 %x, 0x180000000;", "2147483648"},
    {"mov.s64 %x, 0x8000000000000000;", "-9223372036854775808"},
    {"cvt.u64.u32 %x, 7, 8;", "the result of line 23"},
    {"cvt.u64.u32 %x, m;", "&m"},
    {"cvt.u64.u64 %x, m;", "&m"},
    {"cvt.u32.u32 %x, m;", "&m"},
    {"cvt.u64.u16 %x, m;", "zero-extended(&m)"},
    {"cvt.u16.u16 %x, m;", "zero-extended(&m)"},
    {"cvt.u32.u64 %x, m;", "&m"},
    {"cvt.u64.u16 %x, -1;", "65535"},
    {"cvt.s64.s16 %x, 0x8000;", "-32768"},
    {"cvt.u32.s16 %x, 0x8000;", "4294934528"},
    {"cvt.s32.u64 %x, 0x180000000;", "-2147483648"},
    {"cvt.u32.s64 %x, 0x180000000;", "2147483648"},
    {"cvt.sat.u32.s32 %x, -1;", "0"},
    {"cvt.sat.s8.s32 %x, -300;", "-128"},
    {"cvt.sat.s32.u64 %x, 0x80000000;", "2147483647"},
    {"cvt.f32.u32 %x, 1;", "the result of line 23"},
    {"cvt.u32.f32 %x, 1;", "the result of line 23"},
    {"cvt.u32 %x, 1;", "the result of line 23"},
    {"cvt %x, 1;", "the result of line 23"},
    {"ld.param.b64 %x, [16];", "the result of line 23"},
    {"ld.param.b64 %x, [p-8];", "the result of line 23"},
    {"ld.shared.b64 %x, [p];", "the result of line 23"},
    {"add.s64 %x, 5, -7;", "-2"},
    {"sub.s64 %x, 5, 7;", "-2"},
    {"sub.u32 %x, 5, 7;", "4294967294"},
    {"sub.s32 %x, 5, 7;", "-2"},
    {"add.u16 %x, 0xFFFF, 2;", "1"},
    {"mul.lo.s64 %x, 5, -7;", "-35"},
    {"mul.lo.u32 %x, 0x10000, 0x10001;", "65536"},
    {"mul.hi.s64 %x, 5, 7;", "0"},
    {"mul.hi.s64 %x, -5, 7;", "-1"},
    {"mul.hi.u64 %x, -1, -1;", "-2"},
    {"mul.wide.u32 %x, 5, 7, 9;", "the result of line 23"},
    {"mul.wide.u32 %x, 5, 7;", "35"},
    {"mad.lo.s64 %x, 5, 7, 9;", "44"},
    {"add.s64 %x, 5, 7, 9;", "the result of line 23"},
    {"add.s64 %x, 5;", "the result of line 23"},
    {"add %x, 5, 7;", "the result of line 23"},
    {"add.sat.s32 %x, 5, 7;", "the result of line 23"},
    {"sub.sat.s32 %x, 5, 7;", "the result of line 23"},
    {"add.cc.u32 %x, 5, 7;", "12"},
    {"sub.cc.u32 %x, 5, 7;", "4294967294"},
    {"shl.b64 %x, 5, 0;", "5"},
    {"shl.b64 %x, 5, 1;", "10"},
    {"shl.b64 %x, 5, -1;", "0"},
    {"shl.b32 %x, 5, 31;", "2147483648"},
    {"or.b64 %x, 5, 4;", "5"},
    {"and.b64 %x, 5, m;", "and.b64(5, &m)"},
    {"or.b64 %x, m, 0;", "&m"},
    {"add.u32 %x, m, 0xFFFFFFFC;", "zero-extended(&m - 4)"},
    {"add.u32 %x, 0xFFFFFFFC, m;", "zero-extended(&m - 4)"},
    {"add.u32 %x, 0x100000004, m;", "zero-extended(&m + 4)"},
    {"sub.u32 %x, m, 0xFFFFFFFC;", "zero-extended(&m + 4)"},
    {"add.s64 %x, m, m;", "2 * &m"},
    {"sub.s64 %x, m, m;", "0"},
    {"mul.lo.s64 %x, 2, m;", "2 * &m"},
    {"mov.b64 %y, 0x7FFFFFFFFFFFFFFF; add.s64 %x, %y, 1;", "-9223372036854775808"},
    {"mul.wide.u32 %x, %w, 16;", "the result of line 23"},
    {"mov.u32 %w, %tid.x; mul.wide.u32 %x, %w, 16;", "16 * %tid.x"},
    {"mov.u32 %w, %tid.x; cvt.u64.u32 %y, %w; mad.lo.s64 %x, %y, 4, %y;", "5 * %tid.x"},
    {"setp.eq.u64 %q, %y, 0; mov.b64 %x, 1; @%q mov.b64 %x, 2;",
     "selected(setp.eq.u64(the result of line 22, 0), 2, 1)"},
    {"setp.eq.u64 %q, %y, 0; selp.b64 %x, 3, 3, %q;", "3"},
    {"mov.u64 %x, 0; L: add.s64 %x, %x, 128; setp.ne.s64 %q, %y, 0; @%q bra L;",
     "128 * iterations of the loop at line 23 + 128"},
    {"mov.u64 %x, 5; L: setp.ne.s64 %q, %y, 0; @%q bra L;", "5"},
    {"mov.u64 %x, 0; L: M: add.s64 %x, %x, 8; setp.ne.s64 %q, %y, 7; @%q bra M; "
     "add.s64 %x, %x, 0; @%q bra L;",
     "what paths bring together at line 23 + 8 * iterations of the loop at line 23 + 8"},
    {"setp.eq.u64 %q, %y, 0; @%q bra A; mov.b64 %x, 4; bra B; A: mov.b64 %x, 4; B:", "4"},
    {"setp.eq.u64 %q, %y, 0; @%q bra A; mov.b64 %x, 4; bra B; A: mov.b64 %x, 8; B:",
     "what paths bring together at line 24"},
    {"{ .param .b64 a; st.param.b64 [a], 7; .param .b64 b; call (b), f, (a); ld.param.b64 %x, [b]; "
     "}",
     "15"},
    {"{ .param .b64 a; st.param.b64 [a], %y; .param .b64 b; call (b), f, (a); ld.param.b64 %x, "
     "[b]; }",
     "the result of line 22 + 8"},
    {"{ .param .b64 b; call (b), out; ld.param.b64 %x, [b]; }", "the result of line 23"},
    {"call (%x), g2, (%y, 5);", "the result of line 22 + 5"},
    {"mov.b64 %y, 1; call (%x), g2, (%y, 5);", "6"},
    {"mov.u32 %w, 3; mov.u32 %v, 1; mov.b64 %x, {%w, %v};", "4294967299"},
    {"not.b64 %x, 0;", "-1"},
    {"neg.s64 %x, 5;", "-5"},
    {"shr.s64 %x, -8, 1;", "-4"},
    {"shr.u64 %x, 16, 70;", "0"},
    {"min.s64 %x, -1, 4;", "-1"},
    {"max.u64 %x, -1, 4;", "-1"},
    {"min.relu.s32 %w, -3, 5; cvt.s64.s32 %x, %w;", "sign-extended(min.relu.s32(-3, 5))"},
    {"div.u64 %x, 17, 5;", "3"},
    {"rem.u64 %x, 17, 5;", "2"},
    {"mov.u64 %x, %clock64;", "the result of line 23"},
    {"cvta.shared.u64 %y, s; cvta.to.shared.u64 %x, %y;", "&s"},
    {"cvta.shared.u64 %x, s;", "&s + window of shared"},
    {"{ mov.b64 %x, 1; .reg .b64 %x; mov.b64 %x, 2; }", "1"},
    {"mov.b64 %x, 2; @%q mov.b64 %x, 2;", "2"},
    {"mov.b64 %x, 2; setp.lt.s64 %q, -1, 0; @%q mov.b64 %x, 3;", "3"},
    {"mov.b64 %x, 2; setp.lt.u64 %q, -1, 0; @%q mov.b64 %x, 3;", "2"},
    {"mov.b64 %x, 2; setp.ge.s32 %q, 4294967295, 0; @!%q mov.b64 %x, 3;", "3"},
    {"mov.b64 %x, 2; setp.hs.u32 %q, 7, 7; @!%q bra A; mov.b64 %x, 3; A:", "3"},
    {"mov.b64 %x, 2; setp.ne.b64 %q, 7, 7; @%q ret; @%q bra A; bra B; A: mov.b64 %x, 3; B:", "2"},
    {"mov.b64 %x, 2; setp.eq.f32 %q, 0f00000000, 0f00000000; @%q mov.b64 %x, 3;",
     "selected(the result of line 23, 3, 2)"},
    {"bar.sync %x; mov.b64 %y, 1;", "not known"},
    /* bits, as sections 9.7.1 and 9.7.8 of the PTX ISA say, computed beside */
    {"bfe.u32 %w, 0x12345678, 8, 12; cvt.u64.u32 %x, %w;", "1110"},
    {"bfe.s32 %w, 0x12345678, 8, 12; cvt.u64.u32 %x, %w;", "1110"},
    {"bfe.u32 %w, 0xf2345678, 24, 8; cvt.u64.u32 %x, %w;", "242"},
    {"bfe.s32 %w, 0xf2345678, 24, 8; cvt.u64.u32 %x, %w;", "4294967282"},
    {"bfe.u32 %w, 0xf2345678, 28, 8; cvt.u64.u32 %x, %w;", "15"},
    {"bfe.s32 %w, 0xf2345678, 28, 8; cvt.u64.u32 %x, %w;", "4294967295"},
    {"bfe.u32 %w, 0x12345678, 0, 0; cvt.u64.u32 %x, %w;", "0"},
    {"bfe.s32 %w, 0x12345678, 0, 0; cvt.u64.u32 %x, %w;", "0"},
    {"bfe.u32 %w, 0x80000000, 31, 1; cvt.u64.u32 %x, %w;", "1"},
    {"bfe.s32 %w, 0x80000000, 31, 1; cvt.u64.u32 %x, %w;", "4294967295"},
    {"bfe.u32 %w, 0x7f00, 8, 7; cvt.u64.u32 %x, %w;", "127"},
    {"bfe.s32 %w, 0x7f00, 8, 7; cvt.u64.u32 %x, %w;", "4294967295"},
    {"bfe.u32 %w, 0x7f80, 8, 7; cvt.u64.u32 %x, %w;", "127"},
    {"bfe.s32 %w, 0x7f80, 8, 7; cvt.u64.u32 %x, %w;", "4294967295"},
    {"bfe.u32 %w, 0x12345678, 0, 32; cvt.u64.u32 %x, %w;", "305419896"},
    {"bfe.s32 %w, 0x12345678, 0, 32; cvt.u64.u32 %x, %w;", "305419896"},
    {"bfe.u32 %w, 0x5, 40, 4; cvt.u64.u32 %x, %w;", "0"},
    {"bfe.s32 %w, 0x5, 40, 4; cvt.u64.u32 %x, %w;", "0"},
    {"bfe.u64 %x, 0x123456789ABCDEF0, 36, 12;", "1383"},
    {"bfe.s64 %x, 0x123456789ABCDEF0, 20, 12;", "-1621"},
    {"bfi.b32 %w, 0xabc, 0x11111111, 8, 12; cvt.u64.u32 %x, %w;", "286964753"},
    {"bfi.b32 %w, 0xff, 0x0, 28, 8; cvt.u64.u32 %x, %w;", "4026531840"},
    {"bfi.b32 %w, 0xff, 0x12345678, 32, 8; cvt.u64.u32 %x, %w;", "305419896"},
    {"bfi.b32 %w, 0x3, 0xffffffff, 0, 2; cvt.u64.u32 %x, %w;", "4294967295"},
    {"bfi.b32 %w, 0x0, 0xffffffff, 31, 1; cvt.u64.u32 %x, %w;", "2147483647"},
    {"bfi.b32 %w, 0x7, 0x9, 4, 0; cvt.u64.u32 %x, %w;", "9"},
    {"bfi.b64 %x, 0xABC, 0x1111111111111111, 40, 12;", "1232504229526049041"},
    {"popc.b32 %w, 0x0; cvt.u64.u32 %x, %w;", "0"},
    {"clz.b32 %w, 0x0; cvt.u64.u32 %x, %w;", "32"},
    {"brev.b32 %w, 0x0; cvt.u64.u32 %x, %w;", "0"},
    {"bfind.u32 %w, 0x0; cvt.u64.u32 %x, %w;", "4294967295"},
    {"cnot.b32 %w, 0x0; cvt.u64.u32 %x, %w;", "1"},
    {"bfind.s32 %w, 0x0; cvt.u64.u32 %x, %w;", "4294967295"},
    {"popc.b32 %w, 0x1; cvt.u64.u32 %x, %w;", "1"},
    {"clz.b32 %w, 0x1; cvt.u64.u32 %x, %w;", "31"},
    {"brev.b32 %w, 0x1; cvt.u64.u32 %x, %w;", "2147483648"},
    {"bfind.u32 %w, 0x1; cvt.u64.u32 %x, %w;", "0"},
    {"cnot.b32 %w, 0x1; cvt.u64.u32 %x, %w;", "0"},
    {"bfind.shiftamt.u32 %w, 0x1; cvt.u64.u32 %x, %w;", "31"},
    {"bfind.s32 %w, 0x1; cvt.u64.u32 %x, %w;", "0"},
    {"popc.b32 %w, 0x80000000; cvt.u64.u32 %x, %w;", "1"},
    {"clz.b32 %w, 0x80000000; cvt.u64.u32 %x, %w;", "0"},
    {"brev.b32 %w, 0x80000000; cvt.u64.u32 %x, %w;", "1"},
    {"bfind.u32 %w, 0x80000000; cvt.u64.u32 %x, %w;", "31"},
    {"cnot.b32 %w, 0x80000000; cvt.u64.u32 %x, %w;", "0"},
    {"bfind.shiftamt.u32 %w, 0x80000000; cvt.u64.u32 %x, %w;", "0"},
    {"bfind.s32 %w, 0x80000000; cvt.u64.u32 %x, %w;", "30"},
    {"popc.b32 %w, 0xf0f0; cvt.u64.u32 %x, %w;", "8"},
    {"clz.b32 %w, 0xf0f0; cvt.u64.u32 %x, %w;", "16"},
    {"brev.b32 %w, 0xf0f0; cvt.u64.u32 %x, %w;", "252641280"},
    {"bfind.u32 %w, 0xf0f0; cvt.u64.u32 %x, %w;", "15"},
    {"cnot.b32 %w, 0xf0f0; cvt.u64.u32 %x, %w;", "0"},
    {"bfind.shiftamt.u32 %w, 0xf0f0; cvt.u64.u32 %x, %w;", "16"},
    {"bfind.s32 %w, 0xf0f0; cvt.u64.u32 %x, %w;", "15"},
    {"popc.b32 %w, 0xffffffff; cvt.u64.u32 %x, %w;", "32"},
    {"clz.b32 %w, 0xffffffff; cvt.u64.u32 %x, %w;", "0"},
    {"brev.b32 %w, 0xffffffff; cvt.u64.u32 %x, %w;", "4294967295"},
    {"bfind.u32 %w, 0xffffffff; cvt.u64.u32 %x, %w;", "31"},
    {"cnot.b32 %w, 0xffffffff; cvt.u64.u32 %x, %w;", "0"},
    {"bfind.shiftamt.u32 %w, 0xffffffff; cvt.u64.u32 %x, %w;", "0"},
    {"bfind.s32 %w, 0xffffffff; cvt.u64.u32 %x, %w;", "4294967295"},
    {"popc.b64 %w, 0xF0F0F0F0F0F0F0F0; cvt.u64.u32 %x, %w;", "32"},
    {"clz.b64 %w, 0x10000; cvt.u64.u32 %x, %w;", "47"},
    {"lop3.b32 %w, 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0x80; cvt.u64.u32 %x, %w;", "2155905152"},
    {"lop3.b32 %w, 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0xfe; cvt.u64.u32 %x, %w;", "4278124286"},
    {"lop3.b32 %w, 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0x96; cvt.u64.u32 %x, %w;", "2526451350"},
    {"lop3.b32 %w, 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0xe8; cvt.u64.u32 %x, %w;", "3907578088"},
    {"lop3.b32 %w, 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0x3c; cvt.u64.u32 %x, %w;", "1010580540"},
    {"lop3.b32 %w, 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0xf; cvt.u64.u32 %x, %w;", "252645135"},
    {"lop3.b32 %w, 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0xac; cvt.u64.u32 %x, %w;", "2896997548"},
    {"prmt.b32 %w, 0x81020304, 0x90A0B0C0, 0x3210; cvt.u64.u32 %x, %w;", "2164392708"},
    {"prmt.b32 %w, 0x81020304, 0x90A0B0C0, 0x7654; cvt.u64.u32 %x, %w;", "2426450112"},
    {"prmt.b32 %w, 0x81020304, 0x90A0B0C0, 0x5410; cvt.u64.u32 %x, %w;", "2965373700"},
    {"prmt.b32 %w, 0x81020304, 0x90A0B0C0, 0x123; cvt.u64.u32 %x, %w;", "67306113"},
    {"prmt.b32 %w, 0x81020304, 0x90A0B0C0, 0xfb91; cvt.u64.u32 %x, %w;", "4294901763"},
    {"shf.l.wrap.b32 %w, 0x89abcdef, 0x1234567, 0; cvt.u64.u32 %x, %w;", "19088743"},
    {"shf.l.wrap.b32 %w, 0x89abcdef, 0x1234567, 4; cvt.u64.u32 %x, %w;", "305419896"},
    {"shf.l.wrap.b32 %w, 0x89abcdef, 0x1234567, 31; cvt.u64.u32 %x, %w;", "3302352631"},
    {"shf.l.wrap.b32 %w, 0x89abcdef, 0x1234567, 32; cvt.u64.u32 %x, %w;", "19088743"},
    {"shf.l.wrap.b32 %w, 0x89abcdef, 0x1234567, 36; cvt.u64.u32 %x, %w;", "305419896"},
    {"shf.l.clamp.b32 %w, 0x89abcdef, 0x1234567, 0; cvt.u64.u32 %x, %w;", "19088743"},
    {"shf.l.clamp.b32 %w, 0x89abcdef, 0x1234567, 4; cvt.u64.u32 %x, %w;", "305419896"},
    {"shf.l.clamp.b32 %w, 0x89abcdef, 0x1234567, 31; cvt.u64.u32 %x, %w;", "3302352631"},
    {"shf.l.clamp.b32 %w, 0x89abcdef, 0x1234567, 32; cvt.u64.u32 %x, %w;", "2309737967"},
    {"shf.l.clamp.b32 %w, 0x89abcdef, 0x1234567, 36; cvt.u64.u32 %x, %w;", "2309737967"},
    {"shf.r.wrap.b32 %w, 0x89abcdef, 0x1234567, 0; cvt.u64.u32 %x, %w;", "2309737967"},
    {"shf.r.wrap.b32 %w, 0x89abcdef, 0x1234567, 4; cvt.u64.u32 %x, %w;", "2023406814"},
    {"shf.r.wrap.b32 %w, 0x89abcdef, 0x1234567, 31; cvt.u64.u32 %x, %w;", "38177487"},
    {"shf.r.wrap.b32 %w, 0x89abcdef, 0x1234567, 32; cvt.u64.u32 %x, %w;", "2309737967"},
    {"shf.r.wrap.b32 %w, 0x89abcdef, 0x1234567, 36; cvt.u64.u32 %x, %w;", "2023406814"},
    {"shf.r.clamp.b32 %w, 0x89abcdef, 0x1234567, 0; cvt.u64.u32 %x, %w;", "2309737967"},
    {"shf.r.clamp.b32 %w, 0x89abcdef, 0x1234567, 4; cvt.u64.u32 %x, %w;", "2023406814"},
    {"shf.r.clamp.b32 %w, 0x89abcdef, 0x1234567, 31; cvt.u64.u32 %x, %w;", "38177487"},
    {"shf.r.clamp.b32 %w, 0x89abcdef, 0x1234567, 32; cvt.u64.u32 %x, %w;", "19088743"},
    {"shf.r.clamp.b32 %w, 0x89abcdef, 0x1234567, 36; cvt.u64.u32 %x, %w;", "19088743"},
};

#define FUNCTIONS                                                                                  \
    ".extern .func (.param .b64 r) out;\n"                                                         \
    ".func (.param .b64 r) f(.param .b64 a)\n{\n.reg .b64 %t;\nld.param.b64 %t, [a];\n"            \
    "add.s64 %t, %t, 8;\nst.param.b64 [r], %t;\nret;\n}\n"                                         \
    ".func (.reg .b64 r) g2(.reg .b64 a, .reg .b64 b)\n{\nadd.s64 r, a, b;\nret;\n}\n"

static void read_body(reading *r, char text[MOST_B], const char *body) {
    snprintf(text, MOST_B,
             HEAD ".global .b8 g[8];\n.shared .align 64 .b8 s[64];\n%s.visible .entry "
                  "k(.param .align 64 .b8 m[128], .param .b64 p)\n{\n.reg .pred %%q;"
                  ".reg .b32 %%w, %%v; .reg .b64 %%x, %%y, %%z; ld.global.u64 %%y, [g];\n"
                  "%s\nst.global.b64 [g], %%x;\nret;\n}\n",
             FUNCTIONS, body);
    read_kernel(r, text, "k");
}

static void values_are_followed(void **state) {
    int wrong = 0;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        char text[MOST_B];
        char got[512];
        reading r;
        read_body(&r, text, values[i].body);
        tma_out out = tma_out_into(got, sizeof(got));
        ptx_value_put(&out, &r.v, value_in(&r, "st.global", 1));
        if (strcmp(got, values[i].value) != 0) {
            print_error("    {\"%s\", \"%s\"},\n", values[i].body, got);
            wrong++;
        }
        ptx_heap_free(&r.heap);
    }
    assert_int_equal(wrong, 0);
}

/* How many low bits are known of what a register holds, and what they are. */
static void low_bits(void **state) {
    static const struct {
        const char *body;
        uint32_t bits;
        uint64_t number;
    } rows[] = {
        {"mov.b64 %x, 37;", 64, 37},
        {"mov.b64 %x, %y;", 0, 0},
        {"add.s64 %x, %y, 5;", 0, 0},
        {"shl.b64 %x, %y, 3;", 3, 0},
        {"shl.b64 %z, %y, 3; add.s64 %x, %z, 13;", 3, 5},
        {"mul.lo.s64 %x, %y, 24;", 3, 0},
        {"and.b64 %x, %y, -16;", 4, 0},
        {"and.b64 %x, -16, %y;", 4, 0},
        {"and.b64 %x, %y, 12;", 2, 0},
        {"and.b64 %x, %y, 7;", 0, 0},
        {"and.b64 %z, %y, -16; add.s64 %x, %z, 20;", 4, 4},
        {"and.b64 %z, %y, -16; shl.b64 %x, %z, 2;", 6, 0},
        {"or.b64 %x, %y, -16;", 0, 0},
        {"mov.b64 %x, s;", 6, 0},
        {"mov.b64 %z, s; add.s64 %x, %z, 70;", 6, 6},
        {"mov.b64 %x, g;", 0, 0},
        {"mov.b64 %z, s; shl.b64 %y, %y, 4; add.s64 %x, %z, %y;", 4, 0},
        {"mov.u32 %w, %tid.x; shl.b32 %v, %w, 5; cvt.u64.u32 %x, %v;", 5, 0},
        {"mov.u32 %w, %tid.x; shl.b32 %v, %w, 5; cvt.u64.u32 %z, %v; add.s64 %x, %z, 33;", 5, 1},
    };
    int wrong = 0;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[MOST_B];
        reading r;
        uint64_t number = 0;
        read_body(&r, text, rows[i].body);
        const uint32_t bits = ptx_value_low_bits(&r.v, value_in(&r, "st.global", 1), &number);
        if (bits != rows[i].bits || number != rows[i].number) {
            print_error("%s: %u bits are known, %llu\n", rows[i].body, bits,
                        (unsigned long long)number);
            wrong++;
        }
        ptx_heap_free(&r.heap);
    }
    assert_int_equal(wrong, 0);
}

/* A map that steps with a loop is another one in the next turn, and the same within one. */
static void turns_are_told_apart(void **state) {
    reading r;
    (void)state;
    read_kernel(&r,
                HEAD ".visible .entry k(.param .b64 p, .param .b64 q)\n{\n.reg .b64 %m, %n, %c;"
                     " .reg .pred %t;\nld.param.b64 %m, [p];\nld.param.b64 %c, [q];\nL:\n"
                     "st.global.b64 [%m], %m;\nld.global.b64 %n, [%c];\n"
                     "st.shared.b64 [%n], %n;\nadd.s64 %m, %m, 128;\n"
                     "setp.ne.s64 %t, %m, %c;\n@%t bra L;\nret;\n}\n",
                "k");
    const ptx_step *step = step_of(&r, "st.global");
    const uint32_t latch = step_of(&r, "@%t bra")->block;
    const ptx_value now = value_in(&r, "st.global", 0);
    const ptx_value next = value_in(&r, "setp", 1);
    uint32_t loop = 0;
    assert_int_equal(ptx_way_of(&r.g, latch, step->block, &loop), PTX_WAY_BACK);
    const ptx_value before = ptx_value_over(&r.v, now, latch, step->block);
    assert_int_equal(ptx_values_alike(&r.v, now, now), PTX_EQUAL);
    assert_int_equal(ptx_values_alike(&r.v, now, next), PTX_DIFFERENT);
    assert_int_equal(ptx_values_alike(&r.v, now, before), PTX_DIFFERENT);
    const ptx_value other = ptx_value_over(&r.v, next, latch, step->block);
    assert_int_equal(ptx_values_alike(&r.v, now, other), PTX_EQUAL); /* what was the next one */
    const ptx_value loaded = value_in(&r, "st.shared", 0);
    assert_int_equal(ptx_values_alike(&r.v, loaded, loaded), PTX_EQUAL);
    assert_int_equal(ptx_value_over(&r.v, loaded, latch, step->block), PTX_UNKNOWN);
    ptx_heap_free(&r.heap);
}

static void addresses_are_alike_or_not(void **state) {
    static const char *const names[] = {"a", "a+8", "b", "e1", "e2", "%x", "%x+8", "%y"};
    static const int wanted[8][8] = {{2, 0, 0, 0, 0, 1, 1, 1}, {0, 2, 0, 0, 0, 1, 1, 1},
                                     {0, 0, 2, 0, 0, 1, 1, 1}, {0, 0, 0, 2, 1, 1, 1, 1},
                                     {0, 0, 0, 1, 2, 1, 1, 1}, {1, 1, 1, 1, 1, 2, 0, 1},
                                     {1, 1, 1, 1, 1, 0, 2, 1}, {1, 1, 1, 1, 1, 1, 1, 2}};
    reading r;
    (void)state;
    read_kernel(&r,
                HEAD ".shared .b8 a[16];\n.shared .b8 b[16];\n.extern .shared .b8 e1[];\n"
                     ".extern .shared .b8 e2[];\n.visible .entry k(.param .b64 p)\n{\n"
                     ".reg .b64 %x, %y;\nld.param.b64 %x, [p];\nld.global.b64 %y, [%x];\n"
                     "use 0, a, a+8, b, e1, e2, %x;\nuse2 0, %x+8, %y;\nret;\n}\n",
                "k");
    ptx_value value[8];
    for (uint32_t i = 0; i < 8; i++) {
        value[i] = i < 6 ? value_in(&r, "use ", i + 1) : value_in(&r, "use2", i - 5);
    }
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 8; k++) {
            if ((int)ptx_values_alike(&r.v, value[i], value[k]) != wanted[i][k]) {
                fail_msg("%s and %s", names[i], names[k]);
            }
        }
    }
    assert_int_equal(ptx_values_alike(&r.v, PTX_UNKNOWN, PTX_UNKNOWN), PTX_MAYBE);
    ptx_heap_free(&r.heap);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_followed),
        cmocka_unit_test(low_bits),
        cmocka_unit_test(turns_are_told_apart),
        cmocka_unit_test(addresses_are_alike_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
