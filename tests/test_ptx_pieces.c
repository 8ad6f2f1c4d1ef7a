/* SPDX-License-Identifier: Apache-2.0
 *
 * Small PTX files cut up, every way in which text can end; what directives, instructions and
 * operands are made of; what a copy without a map is judged to be.
 */
#include "support/testing.h"

#include "support/said.h"
#include "tma/grammar.h"
#include "tma/ptx_file.h"

/* "1d:.version 8.0|2i:mov;": line, kind and text of each piece. */
static int read_file(tma_out *out, const char *text, tma_error *error) {
    static const char kinds[] = "idlocu";
    tma_ptx_reader reader = tma_ptx_reader_of(text, strlen(text));
    tma_ptx_piece piece;
    const char *between = "";
    (void)error;
    while (tma_ptx_next(&reader, &piece)) {
        tma_putf(out, "%s%zu%c%zu:", between, piece.line, kinds[piece.kind], reader.depth);
        tma_put_bytes(out, piece.at, piece.size);
        between = "|";
    }
    return 0;
}

static void files(void **state) {
    static const struct asked cases[] = {
        {"", "= "},
        {";", "= "},
        {";;\n;a;", "= 2i0:a;"},
        {"a", "= 1u0:a"},
        {"a;b", "= 1i0:a;|1u0:b"},
        {"a\n;b;", "= 1i0:a\n;|2i0:b;"},
        {"a: b;", "= 1l0:a|1i0:b;"},
        {"a : b;", "= 1l0:a|1i0:b;"},
        {"a:: b;", "= 1i0:a:: b;"},
        {"a:", "= 1l0:a"},
        {":", "= 1u0::"},
        {"a:b:c;", "= 1l0:a|1l0:b|1i0:c;"},
        {"{", "= 1o1:{"},
        {"}", "= 1c0:}"},
        {"{}}", "= 1o1:{|1c0:}|1c0:}"},
        {"{a;}b;", "= 1o1:{|1i1:a;|1c0:}|1i0:b;"},
        {"{{a;}}", "= 1o1:{|1o2:{|1i2:a;|1c1:}|1c0:}"},
        {"a{b;}c;", "= 1i0:a{b;}c;"},
        {"a {b, c};", "= 1i0:a {b, c};"},
        {"a }", "= 1u0:a |1c0:}"},
        {"a {b", "= 1u0:a {b"},
        {"// c\na;", "= 2i0:a;"},
        {"/* ; */ a;", "= 1i0:a;"},
        {"a /* ; */ b;", "= 1i0:a /* ; */ b;"},
        {"a // ;\n b;", "= 1i0:a // ;\n b;"},
        {"/* a", "= "},
        {"a /* b;", "= 1u0:a /* b;"},
        {"a \"b;\" c;", "= 1i0:a \"b;\" c;"},
        {"a \"b\\\";\" c;", "= 1i0:a \"b\\\";\" c;"},
        {"a \"b\n; c;", "= 1i0:a \"b\n;|2i0:c;"},
        {"a \"b\\\n; c;", "= 1i0:a \"b\\\n;|2i0:c;"},
        {"a \"b", "= 1u0:a \"b"},
        {"a \"b\\", "= 1u0:a \"b\\"},
        {"# 1 \"x\"\na;", "= 1u0:# 1 \"x\"|2i0:a;"},
        {"#", "= 1u0:#"},
        {"# a", "= 1u0:# a"},
        {".version 8.0\n.target sm_90", "= 1d0:.version 8.0|2d0:.target sm_90"},
        {".version 8.0 .target sm_90", "= 1d0:.version 8.0 |1d0:.target sm_90"},
        {".version 8.0 // c\na;", "= 1d0:.version 8.0 // c|2i0:a;"},
        {".version 8.0;a;", "= 1d0:.version 8.0;|1i0:a;"},
        {".version 8.0{a;", "= 1d0:.version 8.0|1o1:{|1i1:a;"},
        {".target sm_90,\n debug\na;", "= 1d0:.target sm_90,\n debug|3i0:a;"},
        {".target sm_90, // c\n debug\na;", "= 1d0:.target sm_90, // c\n debug|3i0:a;"},
        {".target sm_90 a\n;", "= 1d0:.target sm_90 a"},
        {".address_size 64\n}", "= 1d0:.address_size 64|2c0:}"},
        {".loc 1 2 3\na;", "= 1d0:.loc 1 2 3|2i0:a;"},
        {".loc 1 2 3, function_name $L, inlined_at 1 2 3\na;",
         "= 1d0:.loc 1 2 3, function_name $L, inlined_at 1 2 3|2i0:a;"},
        {".file 1 \"a.b .c\"\na;", "= 1d0:.file 1 \"a.b .c\"|2i0:a;"},
        {".file 1 \"a\n\"b;", "= 1d0:.file 1 \"a|2u0:\"b;"},
        {".section .debug { .b8 1; { 2 } } a;", "= 1d0:.section .debug { .b8 1; { 2 } }|1i0:a;"},
        {".section .debug { // }\n } a;", "= 1d0:.section .debug { // }\n }|2i0:a;"},
        {".section .debug { \"}\" } a;", "= 1d0:.section .debug { \"}\" }|1i0:a;"},
        {".section .debug {", "= 1d0:.section .debug {"},
        {".section .debug; a;", "= 1d0:.section .debug;|1i0:a;"},
        {".entry k { a; }", "= 1d0:.entry k |1o1:{|1i1:a;|1c0:}"},
        {".visible .entry k(.param .b8 m[128]) .maxntid 1 { a; }",
         "= 1d0:.visible .entry k(.param .b8 m[128]) .maxntid 1 |1o1:{|1i1:a;|1c0:}"},
        {".func (.reg .b32 r) f (.reg .b32 a); b;",
         "= 1d0:.func (.reg .b32 r) f (.reg .b32 a);|1i0:b;"},
        {".func f { a; }", "= 1d0:.func f |1o1:{|1i1:a;|1c0:}"},
        {".const .b8 c[2] = {1, 2};a;", "= 1d0:.const .b8 c[2] = {1, 2};|1i0:a;"},
        {".extern .shared .b8 s[]; .reg .b32 r;",
         "= 1d0:.extern .shared .b8 s[];|1d0:.reg .b32 r;"},
        {".reg .b32 r\n.version 8.0\na;", "= 1u0:.reg .b32 r\n|2d0:.version 8.0|3i0:a;"},
        {"a .version 8.0\nb;", "= 1u0:a |1d0:.version 8.0|2i0:b;"},
        {"{ a .version 8.0\nb; }", "= 1o1:{|1i1:a .version 8.0\nb;|2c0:}"},
        {".pragma \"nounroll\";", "= 1d0:.pragma \"nounroll\";"},
        {".", "= 1u0:."},
        {". a;", "= 1d0:. a;"},
        {"..", "= 1u0:.."},
        {"@p bra L;", "= 1i0:@p bra L;"},
        {"@!p { a; }", "= 1u0:@!p { a; }"},
        {"\x01;", "= 1i0:\001;"},
        {"a\x80;", "= 1i0:a\200;"},
        {"\\\n a;", "= 2i0:a;"},
        {"1: a;", "= 1l0:1|1i0:a;"},
        {"$a_%1: b;", "= 1l0:$a_%1|1i0:b;"},
        {"-: a;", "= 1i0:-: a;"},
    };
    (void)state;
    expect_said(read_file, cases, COUNT_OF(cases));
}

static void put_span(tma_out *out, tma_ptx_span span) {
    tma_put(out, "[");
    if (span.length) {
        tma_put_bytes(out, span.at, span.length);
    }
    tma_put(out, "]");
}

static int read_directive(tma_out *out, const char *text, tma_error *error) {
    const tma_ptx_piece piece = {text, strlen(text), 1, TMA_PTX_PIECE_DIRECTIVE};
    const tma_ptx_piece other = {text, strlen(text), 1, TMA_PTX_PIECE_INSTRUCTION};
    tma_ptx_loc loc = {.inlined = 0};
    tma_ptx_span span;
    tma_ptx_variable v;
    uint32_t number = 0;
    int entry = 0;
    size_t from = 0;
    (void)error;
    assert_false(tma_ptx_loc_of(&loc, &other) || tma_ptx_file_of(&number, &span, &other) ||
                 tma_ptx_version_of(&number, &other) || tma_ptx_target_of(&span, &other) ||
                 tma_ptx_function_of(&span, &entry, &other) ||
                 tma_ptx_variable_of(&v, &from, &other));
    if (tma_ptx_loc_of(&loc, &piece)) {
        tma_putf(out, "loc %u %u %u", (unsigned)loc.file, (unsigned)loc.line, (unsigned)loc.column);
    }
    if (loc.inlined) {
        tma_putf(out, ", at %u %u %u", (unsigned)loc.at_file, (unsigned)loc.at_line,
                 (unsigned)loc.at_column);
    }
    if (tma_ptx_file_of(&number, &span, &piece)) {
        tma_putf(out, "file %u ", (unsigned)number);
        put_span(out, span);
    }
    if (tma_ptx_version_of(&number, &piece)) {
        tma_putf(out, "version %u", (unsigned)number);
    }
    if (tma_ptx_target_of(&span, &piece)) {
        tma_put(out, "target ");
        put_span(out, span);
    }
    if (tma_ptx_function_of(&span, &entry, &piece)) {
        tma_put(out, entry ? "entry " : "func ");
        put_span(out, span);
    }
    while (tma_ptx_variable_of(&v, &from, &piece)) {
        tma_putf(out, " variable %u %u ", (unsigned)v.align_B, (unsigned)v.element_B);
        put_span(out, v.space);
        put_span(out, v.name);
        put_span(out, v.values);
    }
    return 0;
}

static void directives(void **state) {
    static const struct asked cases[] = {
        {".loc 1 2 3", "= loc 1 2 3"},
        {".loc 1 2", "= "},
        {".loc 1 2 x", "= "},
        {".loc 1 2 -3", "= "},
        {".loc 1 4294967295 3", "= loc 1 4294967295 3"},
        {".loc 1 4294967296 3", "= "},
        {".loc 0x10 2 3", "= loc 16 2 3"},
        {".locx 1 2 3", "= "},
        {"loc 1 2 3", "= "},
        {".loc 1 2 3, inlined_at 4 5 6", "= loc 1 2 3, at 4 5 6"},
        {".loc 1 2 3, inlined_at 4 5", "= loc 1 2 3"},
        {".loc 1 2 3 inlined_at 4 5 6", "= loc 1 2 3"},
        {".loc 1 2 3, function_name L, inlined_at 4 5 6", "= loc 1 2 3, at 4 5 6"},
        {".loc 1 2 3, function_name L+7, inlined_at 4 5 6", "= loc 1 2 3, at 4 5 6"},
        {".loc 1 2 3, function_name L+, inlined_at 4 5 6", "= loc 1 2 3, at 4 5 6"},
        {".loc 1 2 3, function_name L-7, inlined_at 4 5 6", "= loc 1 2 3"},
        {".loc 1 2 3, function_name., inlined_at 4 5 6", "= loc 1 2 3"},
        {".loc 1 2 3, , inlined_at 4 5 6", "= loc 1 2 3, at 4 5 6"},
        {".loc 1 2 3, inlined_atx 4 5 6", "= loc 1 2 3"},
        {".file 1 \"a.cu\"", "= file 1 [a.cu]"},
        {".file 1 \"a\\\"b\" , 1", "= file 1 [a\\\"b]"},
        {".file 1 \"a", "= file 1 [a]"},
        {".file 1 \"a\nb\"", "= file 1 [a]"},
        {".file 1 \"a\\", "= file 1 [a\\]"},
        {".file 1 a", "= "},
        {".file x \"a\"", "= "},
        {".file 1 \"\"", "= file 1 []"},
        {".version 8.6", "= version 86"},
        {".version 8", "= "},
        {".version 8.", "= "},
        {".version .6", "= "},
        {".version 12.3x", "= version 123"},
        {".version  8.0", "= version 80"},
        {".version 8 .0", "= "},
        {".target sm_90", "= target [sm_90]"},
        {".target sm_90a, debug", "= target [sm_90a]"},
        {".target 90", "= "},
        {".target", "= "},
        {".entry k", "= entry [k]"},
        {".visible .entry k(", "= entry [k]"},
        {".entry", "= "},
        {".entry (a) k", "= entry [k]"},
        {".func (.reg .b32 (r)) f(", "= func [f]"},
        {".func f", "= func [f]"},
        {".weak .attribute(.a(1)) .func f", "= func [f]"},
        {".attribute( .func f", "= "},
        {".funcx f", "= "},
        {".visible f", "= "},
        {".shared .b8 a[16];", "=  variable 1 1 [shared][a][]"},
        {".extern .shared .align 128 .b8 a[];", "=  variable 128 1 [shared][a][]"},
        {".const .align 64 .u64 a[2] = {1, 2};", "=  variable 64 8 [const][a][1, 2]"},
        {".global .f32x2 v;", "=  variable 1 0 [global][v][]"},
        {".global .b128 v;", "=  variable 1 16 [global][v][]"},
        {".global .b v;", "=  variable 1 0 [global][v][]"},
        {".global .v4 .f32 v;", "=  variable 1 4 [global][v][]"},
        {".global .b8 a = {1", "=  variable 1 1 [global][a][1]"},
        {".global .b8 a = 1;", "=  variable 1 1 [global][a][]"},
        {".global .b8 a[2;", "=  variable 1 1 [global][a][]"},
        {".global .b8;", "= "},
        {".global .attribute(.managed) .s16 a;", "=  variable 1 2 [global][a][]"},
        {".global .b8x a; .param .u32 b",
         "=  variable 1 0 [global][a][] variable 1 4 [param][b][]"},
        {".entry k(.param .align 64 .b8 m[128], .param .u64 .ptr .global .align 16 p)",
         "= entry [k] variable 64 1 [param][m][] variable 16 8 [param][p][]"},
        {".reg .b32 r;", "= "},
        {".param .b1 a", "=  variable 1 0 [param][a][]"},
        {".param .q32 a", "=  variable 1 0 [param][a][]"},
        {".param .b12345 a", "=  variable 1 0 [param][a][]"},
        {"param .b8 a", "= "},
    };
    (void)state;
    expect_said(read_directive, cases, COUNT_OF(cases));
}

static int read_parts(tma_out *out, const char *text, tma_error *error) {
    const tma_ptx_piece piece = {text, strlen(text), 1, TMA_PTX_PIECE_INSTRUCTION};
    tma_ptx_parts parts;
    if (tma_ptx_split(&parts, &piece)) {
        return tma_fail(error, "no opcode");
    }
    tma_put(out, parts.negated ? "!" : "");
    put_span(out, parts.guard);
    put_span(out, parts.opcode);
    tma_putf(out, " %u ", (unsigned)parts.count);
    for (uint32_t i = 0; i < parts.count && i < TMA_PTX_PARTS; i++) {
        put_span(out, parts.operand[i]);
    }
    tma_putf(out, " %d%d%d%d", tma_ptx_is(&parts, "a", NULL), tma_ptx_is(&parts, "a", "b"),
             tma_ptx_is(&parts, "a", "c"), tma_ptx_is(&parts, "a", "d::e"));
    return 0;
}

static int read_operand(tma_out *out, const char *text, tma_error *error) {
    int bracketed = 7;
    const tma_ptx_span span = {text, strlen(text)};
    const tma_ptx_operand o = tma_ptx_operand_of(span, &bracketed);
    const tma_ptx_operand same = tma_ptx_operand_of(span, NULL);
    (void)error;
    assert_true(same.kind == o.kind && same.value == o.value && same.length == o.length);
    tma_putf(out, "%u%s %" TMA_D64 " ", (unsigned)o.kind, bracketed ? " in brackets" : "", o.value);
    put_span(out, (tma_ptx_span){o.name, o.length});
    return 0;
}

static int read_names(tma_out *out, const char *text, tma_error *error) {
    tma_ptx_span rest = {text, strlen(text)};
    (void)error;
    for (tma_ptx_span name; (name = tma_ptx_next_name(&rest)).length;) {
        put_span(out, name);
    }
    assert_int_equal(rest.length, 0);
    return 0;
}

static void instructions(void **state) {
    static const struct asked parts[] = {
        {"a", "= [][a] 0  1000"},
        {"a;", "= [][a] 0  1000"},
        {"a.b x;", "= [][a.b] 1 [x] 1100"},
        {"a.c.b x, y", "= [][a.c.b] 2 [x][y] 1110"},
        {"a.bb x", "= [][a.bb] 1 [x] 1000"},
        {"a.d::e x", "= [][a.d::e] 1 [x] 1001"},
        {"aa.b x", "= [][aa.b] 1 [x] 0000"},
        {"@p a.b x", "= [p][a.b] 1 [x] 1100"},
        {"@!%p a.b x", "= ![%p][a.b] 1 [x] 1100"},
        {"@ a", "no opcode"},
        {"@", "no opcode"},
        {"", "no opcode"},
        {"1", "no opcode"},
        {"a ,", "= [][a] 0  1000"},
        {"a x,", "= [][a] 2 [x][] 1000"},
        {"a ,x", "= [][a] 1 [x] 1000"},
        {"a x,,y", "= [][a] 3 [x][][y] 1000"},
        {"a x , y ;z", "= [][a] 2 [x][y] 1000"},
        {"a (x, y), {z, {w}}, [v+1, {u}]", "= [][a] 3 [(x, y)][{z, {w}}][[v+1, {u}]] 1000"},
        {"a (x, y", "= [][a] 1 [(x, y] 1000"},
        {"a x), y", "= [][a] 2 [x)][y] 1000"},
        {"a x /* , */, y // ,\n z", "= [][a] 2 [x][y // ,\n z] 1000"},
        {"a /* c */ x", "= [][a] 1 [x] 1000"},
        {"a . b x", "= [][a] 1 [. b x] 1000"},
        {"a.b .c x", "= [][a.b .c] 1 [x] 1110"},
        {"a. b x", "= [][a] 1 [. b x] 1000"},
        {"a 1,2,3,4,5,6,7,8", "= [][a] 8 [1][2][3][4][5][6][7][8] 1000"},
        {"a 1,2,3,4,5,6,7,8,9", "= [][a] 9 [1][2][3][4][5][6][7][8] 1000"},
        {"a x|p, y", "= [][a] 2 [x|p][y] 1000"},
        {"a {x; y}", "= [][a] 1 [{x; y}] 1000"},
    };
    static const struct asked operands[] = {
        {"%r1", "= 2 0 [%r1]"},
        {"[%r1]", "= 2 in brackets 0 [%r1]"},
        {"[%r1+16]", "= 2 in brackets 16 [%r1]"},
        {"[%r1 + -16]", "= 2 in brackets -16 [%r1]"},
        {"[%r1-16]", "= 2 in brackets -16 [%r1]"},
        {"%r1+4", "= 2 4 [%r1]"},
        {"%r1+", "= 3 0 [%r1+]"},
        {"[%r1+x]", "= 3 in brackets 0 [[%r1+x]]"},
        {"[%r1", "= 3 in brackets 0 [[%r1]"},
        {"[16]", "= 1 in brackets 16 []"},
        {"16", "= 1 16 []"},
        {"-0x10", "= 1 -16 []"},
        {"0f3F800000", "= 3 0 [0f3F800000]"},
        {"1.5", "= 3 0 [1.5]"},
        {"a.b", "= 2 0 [a.b]"},
        {"a b", "= 3 0 [a b]"},
        {"[a] b", "= 3 in brackets 0 [[a] b]"},
        {"", "= 3 0 []"},
        {"[]", "= 3 in brackets 0 [[]]"},
        {"(1)", "= 3 0 [(1)]"},
        {" a ", "= 2 0 [a]"},
        {"a /* c */", "= 2 0 [a]"},
        {"!p", "= 3 0 [!p]"},
        {"9223372036854775808", "= 1 -9223372036854775808 []"},
        {"-9223372036854775808", "= 1 -9223372036854775808 []"},
        {"18446744073709551616", "= 3 0 [18446744073709551616]"},
        {"08", "= 3 0 [08]"},
        {"0", "= 1 0 []"},
        {"00", "= 1 0 []"},
        {"0x", "= 3 0 [0x]"},
        {"0b", "= 3 0 [0b]"},
        {"0B11", "= 1 3 []"},
        {"0XfF", "= 1 255 []"},
        {"7U", "= 1 7 []"},
        {"7UU", "= 3 0 [7UU]"},
        {"7u", "= 3 0 [7u]"},
        {"+ 7", "= 1 7 []"},
        {"+-7", "= 3 0 [+-7]"},
        {"0x1U", "= 1 1 []"},
    };
    static const struct asked names[] = {
        {"", "= "},
        {"a", "= [a]"},
        {"a b", "= [a][b]"},
        {"1a b", "= [b]"},
        {"0x10, %r1", "= [%r1]"},
        {"{%r1, $x_2}+_y", "= [%r1][$x_2][_y]"},
        {"a/* b */c", "= [a][c]"},
        {"// a\nb", "= [b]"},
        {"a.b", "= [a][b]"},
        {"12", "= "},
        {"-", "= "},
    };
    (void)state;
    expect_said(read_parts, parts, COUNT_OF(parts));
    expect_said(read_operand, operands, COUNT_OF(operands));
    expect_said(read_names, names, COUNT_OF(names));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files),
        cmocka_unit_test(directives),
        cmocka_unit_test(instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
