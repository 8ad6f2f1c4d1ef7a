/* SPDX-License-Identifier: Apache-2.0
 *
 * A module decoded: operands, constants, variables with their initialisers, calls, joins; and every
 * PTX file of the tests without an error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "support/testing.h"

static void *blocks[4096];
static size_t block_count, blocks_B;

static void *more(void *context, size_t size_B) {
    (void)context;
    assert_true(block_count < sizeof(blocks) / sizeof(blocks[0]));
    blocks_B += size_B;
    return blocks[block_count++] = malloc(size_B);
}

static void release(void) {
    while (block_count) {
        free(blocks[--block_count]);
    }
    blocks_B = 0;
}

static ptx_memory memory;
static emu_program program;
static char text[8192];

#define HEAD ".version 8.6\n.target sm_90a\n.address_size 64\n"

/* A module of one kernel `k` with registers of each kind. */
static void decode_body(const char *before, const char *body) {
    tma_error error;
    const int length =
        snprintf(text, sizeof(text),
                 HEAD "%s.visible .entry k(.param .u64 a, .param .u32 b)\n{\n.reg .b16 %%h<9>; "
                      ".reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .f32 %%f<9>; .reg .f64 %%d<9>; "
                      ".reg .pred %%p<9>;\n%s\n}\n",
                 before, body);
    assert_true(length > 0 && (size_t)length < sizeof(text));
    release();
    memory = ptx_memory_of(more, NULL);
    if (emu_decode(&program, &memory, text, (size_t)length, &error)) {
        fail_msg("%s", error.text);
    }
}

/* The first instruction of the n-th row of the body's that is one. */
static const emu_instruction *instruction(uint32_t n) {
    uint32_t row = PTX_NONE;
    for (uint32_t i = 0; i < program.instructions; i++) {
        if (program.code[i].row != row) {
            row = program.code[i].row;
            if (!n--) {
                return &program.code[i];
            }
        }
    }
    fail_msg("there is no such instruction");
    return NULL;
}

static uint64_t constant(const emu_operand *o) {
    uint64_t bits = 0;
    assert_int_equal(o->kind, EMU_REGISTER);
    assert_int_equal(o->constant, 1);
    assert_true(o->slot < 0);
    const uint32_t wide = emu_type_of(o->type)->bits == 64;
    for (uint32_t lane = 0; lane < EMU_LANES; lane++) {
        uint64_t value = 0;
        memcpy(&value,
               (const uint8_t *)program.pool + (size_t)~o->slot * EMU_SLOT_B +
                   lane * (wide ? 8 : 4),
               wide ? 8 : 4);
        assert_true(!lane || value == bits);
        bits = value;
    }
    assert_int_equal(bits, o->number);
    return bits;
}

static void check_constant(const char *statement, uint32_t operand, uint32_t type, uint64_t bits) {
    decode_body("", statement);
    const emu_operand *o = &program.code[0].operand[operand];
    assert_int_equal(o->type, type);
    assert_int_equal(constant(o), bits);
}

static void immediates_are_read_as_their_instruction_reads_them(void **state) {
    (void)state;
    check_constant("add.s32 %r1, %r2, -1;", 2, EMU_S32, 0xFFFFFFFF);
    check_constant("add.s64 %rd1, %rd2, -1;", 2, EMU_S64, UINT64_MAX);
    check_constant("add.u16 %h1, %h2, -1;", 2, EMU_U16, 0xFFFF);
    check_constant("shl.b64 %rd1, %rd2, 3;", 2, EMU_U32, 3);
    check_constant("mad.wide.u32 %rd1, %r1, 4, 0x100000000;", 3, EMU_U64, 0x100000000);
    check_constant("mad.wide.u32 %rd1, %r1, 0b101U, %rd2;", 2, EMU_U32, 5);
    check_constant("mov.b32 %r1, WARP_SZ*2+1;", 1, EMU_B32, 65);
    check_constant("mov.f32 %f1, 0f3F800000;", 1, EMU_F32, 0x3F800000);
    check_constant("mov.b32 %r1, 0f7F800001;", 1, EMU_B32, 0x7F800001);
    check_constant("mov.f32 %f1, 0.1;", 1, EMU_F32, 0x3DCCCCCD);
    check_constant("mov.f64 %d1, 0d4000000000000000;", 1, EMU_F64, 0x4000000000000000);
    check_constant("mov.f64 %d1, -1.5e3;", 1, EMU_F64, 0xC097700000000000);
    check_constant("add.f32 %f1, %f2, 0d3FF0000000000000;", 2, EMU_F32, 0x3F800000);
    check_constant("mbarrier.init.shared::cta.b64 [%r1], 7;", 1, EMU_U32, 7);
}

static void constants_are_kept_once(void **state) {
    (void)state;
    decode_body("", "mov.b32 %r1, 5; mov.b32 %r2, 5; mov.b64 %rd1, 5; mov.pred %p1, 1;"
                    "mov.b64 %rd2, 5; mov.b32 %r3, 6; mov.pred %p2, 1;");
    assert_int_equal(program.constants, 5); /* 5, 5 in two slots, 6, a predicate */
    uint32_t mask[2];
    memcpy(mask, program.pool[~instruction(3)->operand[1].slot], sizeof(mask));
    assert_int_equal(mask[0], UINT32_MAX);
    assert_int_equal(mask[1], 0);
}

/* The nearest double as strtod() has it, which rounds correctly in glibc. */
static void check_double(const char *digits) {
    double value = 0;
    uint64_t bits, expected;
    const double wanted = strtod(digits, NULL);
    assert_true(decode_double((tma_ptx_span){digits, strlen(digits)}, &value));
    memcpy(&bits, &value, sizeof(bits));
    memcpy(&expected, &wanted, sizeof(expected));
    if (bits != expected) {
        fail_msg("%s: %016llx, expected %016llx", digits, (unsigned long long)bits,
                 (unsigned long long)expected);
    }
}

static void decimal_numbers_are_rounded_correctly(void **state) {
    (void)state;
    static const char *const numbers[] = {"0.0",
                                          "1.0",
                                          "0.1",
                                          "1e23",
                                          "8.5e22",
                                          "9007199254740993.0",
                                          "9007199254740992.5",
                                          "9007199254740993.00000000000000000000001",
                                          "1.7976931348623157e308",
                                          "1.7976931348623159e308",
                                          "1e309",
                                          "2.2250738585072014e-308",
                                          "2.2250738585072011e-308",
                                          "4.9406564584124654e-324",
                                          "2.4703282292062327e-324",
                                          "2.4703282292062328e-324",
                                          "1e-400",
                                          "123456789012345678901234567890.0",
                                          "3.14159265358979323846",
                                          "1e-5",
                                          ".5",
                                          "5."};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        check_double(numbers[i]);
    }
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        char digits[64];
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        snprintf(digits, sizeof(digits), "%llu.%04llue%d", (unsigned long long)(seed >> 20),
                 (unsigned long long)(seed % 10000), (int)(seed >> 33) % 330);
        check_double(digits);
    }
    double value;
    assert_false(decode_double((tma_ptx_span){"1.5f", 4}, &value));
    assert_false(decode_double((tma_ptx_span){"1e", 2}, &value));
    assert_false(decode_double((tma_ptx_span){".", 1}, &value));
}

static void operands_are_what_they_stand_for(void **state) {
    (void)state;
    decode_body(".extern .shared .align 16 .b8 s[];\n",
                "ld.shared.v2.b32 {%r1, _}, [s+16];\n"
                "@!%p1 st.global.b32 [%rd1+-8], %r2;\n"
                "setp.lt.and.f32 %p2|%p3, %f1, %f2, !%p4;\n"
                "mov.u32 %r3, %tid.x;\n"
                "add.u64 %rd4, %rd3, k;\n"
                "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                "[%r1], [%rd2, {%r3, 7}], [%r5];\n"
                "ld.param.u64 %rd3, [a];");
    const emu_instruction *in = instruction(0);
    assert_int_equal(in->vector, 2);
    assert_int_equal(in->space[0], EMU_SHARED_CTA);
    assert_int_equal(in->operand[0].kind, EMU_VECTOR);
    assert_int_equal(program.operand[in->operand[0].first].kind, EMU_REGISTER);
    assert_int_equal(program.operand[in->operand[0].first + 1].kind, EMU_SINK);
    assert_int_equal(in->operand[1].kind, EMU_ADDRESS);
    assert_int_equal(in->operand[1].number, 16);
    assert_true(ptx_is_text(program.variable[in->operand[1].variable].name, "s"));
    in = instruction(1);
    assert_true(in->guard != EMU_NO_GUARD && in->guard_negated);
    assert_int_equal(in->operand[0].number, -8);
    assert_true(in->operand[0].slot >= 0);
    in = instruction(2);
    assert_int_equal(in->compare, EMU_COMPARE_LT);
    assert_int_equal(in->boolean, EMU_BOOLEAN_AND);
    assert_int_equal(in->also.kind, EMU_REGISTER);
    assert_int_equal(in->operands, 4);
    assert_int_equal(in->operand[3].negated, 1);
    assert_int_equal(instruction(3)->operand[1].kind, EMU_SPECIAL);
    assert_int_equal(instruction(3)->operand[1].number, EMU_SPECIAL_TID_X);
    in = instruction(4); /* the address is read first */
    assert_int_equal(in[0].op, EMU_OP_MOV);
    assert_int_equal(in[0].operand[1].kind, EMU_FUNCTION);
    assert_int_equal(in[1].operand[2].slot, in[0].operand[0].slot);
    in = instruction(5);
    assert_int_equal(in->statement, 0);
    assert_int_equal(program.statement[0].kind, TMA_PTX_COPY);
    assert_int_equal(in->operand[1].count, 2);
    assert_int_equal(constant(&program.operand[in->operand[1].first + 1]), 7);
    assert_int_equal(instruction(6)->space[0], EMU_PARAM_ENTRY);
}

static const emu_variable *variable(const char *name) {
    for (uint32_t i = 0; i < program.variables; i++) {
        if (ptx_is_text(program.variable[i].name, name)) {
            return &program.variable[i];
        }
    }
    fail_msg("%s", name);
    return NULL;
}

/* What a launch finds at the beginning of a variable. */
static void assert_begins(const emu_variable *v, const void *expected, size_t size_B) {
    uint8_t bytes[64] = {0};
    assert_true(size_B <= sizeof(bytes));
    for (uint32_t i = 0; i < v->chunks; i++) {
        const emu_chunk *c = &program.chunk[v->first_chunk + i];
        assert_true(c->at_B + c->size_B <= sizeof(bytes));
        memcpy(bytes + c->at_B, program.initial + c->first, c->size_B);
    }
    assert_memory_equal(bytes, expected, size_B);
}

static void initialisers_are_laid_out(void **state) {
    (void)state;
    decode_body(".global .align 16 .b32 m[2][3] = {{1, -2}, {4, 5, 6}};\n"
                ".const .f32 c = 1.5;\n"
                ".global .b64 p[3] = {m, generic(m)+8, 7};\n"
                ".global .align 8 .b8 q[10] = {9, 0, 0xFF(m), 0xFF00(m), 0xFF0000(m), "
                "0xFF000000(m), 0xFF00000000(m), 0xFF0000000000(m), 0xFF000000000000(m), "
                "0xFF00000000000000(m)};\n"
                ".global .u16 open[] = {1, 2, 3};\n"
                ".shared .align 128 .v4 .f32 s[5];\n",
                "st.shared.f32 [s], %f1; ld.const.f32 %f2, [c]; ld.global.b64 %rd1, [p];");
    const int32_t expected[6] = {1, -2, 0, 4, 5, 6};
    assert_begins(variable("m"), expected, sizeof(expected));
    assert_int_equal(variable("m")->size_B, 24);
    assert_int_equal(variable("m")->align_B, 16);
    const float one_half = 1.5f;
    assert_begins(variable("c"), &one_half, sizeof(one_half));
    assert_int_equal(variable("open")->size_B, 6);
    assert_int_equal(variable("s")->size_B, 80);
    assert_int_equal(variable("s")->align_B, 128);
    const emu_variable *p = variable("p");
    assert_int_equal(p->relocations, 2);
    const emu_relocation *r = &program.relocation[p->first_relocation];
    assert_int_equal(r[0].at_B, 0);
    assert_int_equal(r[1].at_B, 8);
    assert_int_equal(r[1].addend, 8);
    assert_int_equal(r[1].is_generic, 1);
    assert_ptr_equal(&program.variable[r[1].variable], variable("m"));
    const emu_variable *q = variable("q");
    assert_int_equal(q->relocations, 1);
    assert_int_equal(program.relocation[q->first_relocation].at_B, 2);
    assert_begins(q, &(uint8_t){9}, 1);
    /* what the kernel names, and what stands in initialisers of that: all but q and open */
    const emu_function *k = &program.function[0];
    assert_int_equal(k->used, 4);
}

static void an_initialiser_takes_the_memory_of_its_text(void **state) {
    (void)state;
    decode_body(".global .u32 a[2][268435456] = {{1}, {2, 3}};\n", "ret;");
    const emu_variable *a = variable("a");
    assert_int_equal(a->size_B, UINT64_C(1) << 31);
    assert_int_equal(a->chunks, 2);
    assert_int_equal(program.chunk[a->first_chunk + 1].at_B, UINT64_C(1) << 30);
    assert_int_equal(program.chunk[a->first_chunk + 1].size_B, 8);
    assert_true(blocks_B < 4000000);
}

static void parameters_are_laid_out(void **state) {
    (void)state;
    decode_body(".visible .entry e(.param .u32 x, .param .u64 .ptr .global .align 64 y, "
                ".param .align 64 .b8 z[128], .param .u8 w)\n.reqntid 96, 2\n"
                ".reqnctapercluster 4\n{ ret; }\n",
                "ret;");
    const emu_function *e = &program.function[0];
    static const uint32_t offsets[4] = {0, 8, 64, 192};
    assert_int_equal(e->parameters, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(program.variable[program.parameter[e->first_parameter + i]].offset_B,
                         offsets[i]);
    }
    assert_int_equal(e->parameter_B, 193);
    assert_int_equal(e->required[0], 96);
    assert_int_equal(e->required[1], 2);
    assert_int_equal(e->required[2], 1);
    assert_int_equal(e->cluster[0], 4);
}

static void calls_name_functions_and_arguments(void **state) {
    (void)state;
    decode_body(".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n"
                ".func (.reg .b32 out) twice(.reg .b32 in) { add.u32 out, in, in; ret; }\n",
                "{ .param .b64 q0; .param .b64 q1; .param .b32 back;\n"
                "call.uni (back), vprintf, (q0, q1);\n"
                "call (%r1), twice, (7);\n"
                "mov.u64 %rd1, twice;\n"
                "proto: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b64 _);\n"
                "call (back), %rd1, (q0, q1), proto; }");
    const emu_function *twice = &program.function[1];
    assert_int_equal(program.function[0].builtin, EMU_BUILTIN_VPRINTF);
    assert_int_equal(twice->returns, 1);
    assert_int_equal(twice->parameters, 1);
    assert_int_equal(program.variable[program.parameter[twice->first_return]].is_register, 1);
    assert_int_equal(program.variable[program.parameter[twice->first_return]].slot,
                     program.code[twice->first].operand[0].slot);
    const emu_instruction *in = &program.code[program.function[2].first];
    assert_int_equal(in->operand[1].number, 0);
    assert_int_equal(in->operand[2].count, 2);
    assert_int_equal(program.operand[in->operand[2].first].kind, EMU_VARIABLE);
    assert_int_equal(program.variable[program.operand[in->operand[2].first + 1].variable].space,
                     EMU_PARAM_CALL);
    assert_int_equal(in[1].operand[1].number, 1);
    assert_int_equal(constant(&program.operand[in[1].operand[2].first]), 7);
    assert_int_equal(in[2].operand[1].kind, EMU_FUNCTION);
    assert_int_equal(in[3].operand[1].kind, EMU_REGISTER);
}

/* The join of the n-th branch, as the line of the body that it stands in. */
static size_t join_line(const char *body, uint32_t branch) {
    decode_body("", body);
    for (uint32_t i = 0; i < program.instructions; i++) {
        const emu_instruction *in = &program.code[i];
        if (in->operands && in->operand[0].kind == EMU_LABEL && !branch--) {
            return in->join == program.function[0].end
                       ? 0
                       : program.rows.row[program.code[in->join].row].piece.line - 6;
        }
    }
    return SIZE_MAX;
}

static void lanes_meet_at_the_immediate_post_dominator(void **state) {
    (void)state;
    assert_int_equal(join_line("@%p1 bra A;\nmov.b32 %r1, 1;\nbra B;\nA: mov.b32 %r1, 2;\n"
                               "B: mov.b32 %r2, %r1;\nret;",
                               0),
                     5);
    /* a loop's branch back: what follows the loop */
    assert_int_equal(join_line("L: mov.b32 %r1, 1;\n@%p1 bra L;\nbar.sync 0;\nret;", 0), 3);
    /* lanes that exit or trap meet nobody */
    assert_int_equal(join_line("@%p1 bra A;\nmov.b32 %r1, 1;\n@%p2 exit;\nbra B;\n"
                               "A: mov.b32 %r1, 2;\nB: mov.b32 %r2, %r1;\nret;",
                               0),
                     6);
    assert_int_equal(join_line("@%p1 bra A;\nmov.b32 %r1, 1;\ntrap;\nA: mov.b32 %r1, 2;\nret;", 0),
                     4);
    assert_int_equal(join_line("@%p1 bra A;\nmov.b32 %r1, 1;\nret;\nA: mov.b32 %r1, 2;\n"
                               "bar.sync 0;\nret;",
                               0),
                     4);
    /* two ways that work on to their own ends have no join but the function's end */
    assert_int_equal(join_line("@%p1 bra A;\nbar.sync 0;\nret;\nA: mov.b32 %r1, 2;\n"
                               "bar.sync 1;\nret;",
                               0),
                     0);
    /* ... nor have two loops without an end */
    assert_int_equal(join_line("@%p1 bra A;\nB: bar.sync 0;\nbra B;\nA: bar.sync 1;\nbra A;", 0),
                     0);
    /* inside a loop without an end lanes meet */
    assert_int_equal(join_line("L: @%p1 bra A;\nbar.sync 0;\nA: bar.sync 1;\nbra L;", 0), 3);
}

/* Braces in braces, brackets in brackets: once the stack's end. */
static void operands_stand_in_few_others(void **state) {
    (void)state;
    static const char *const OPEN[] = {"{", "[%rd1,"}, *const CLOSE[] = {"}", "]"};
    for (int kind = 0; kind < 2; kind++) {
        char body[8000] = "mov.b64 %rd1, ";
        size_t length = strlen(body);
        for (int i = 0; i < 1000; i++, length += strlen(OPEN[kind])) {
            strcpy(body + length, OPEN[kind]);
        }
        body[length++] = '1';
        for (int i = 0; i < 1000; i++, length++) {
            strcpy(body + length, CLOSE[kind]);
        }
        strcpy(body + length, ";");
        decode_body("", body);
        assert_int_equal(instruction(0)->why, DECODE_NO_OPERAND);
    }
}

/* {x}: as ptxas 13.0 takes and refuses it. */
static void vectors_of_one_element(void **state) {
    (void)state;
    static const char *const HAVE[] = {
        "mov.b32 {%r1}, %r2;",
        "mov.b64 %rd1, {%rd2};",
        "ld.global.u32 {%r1}, [%rd1];",
        "st.global.u32 [%rd1], {5};",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], {%r2}, [%r3];",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];",
        ("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, "
         "{%f1,%f2,%f3,%f4};"),
        "wmma.load.a.sync.aligned.row.m8n8k4.f64 {%d3}, [%rd1];",
        "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r2];",
        "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%rd1, {%r1,%r2,%r3}], {%h1};",
    };
    static const char *const LACK[] = {
        "add.u32 {%r1}, %r2, %r3;",
        "add.u32 %r1, %r2, { %r3 };",
        "mov.u32 {%r1}, %r2;",
        "mov.pred %p1, {%p2};",
        "setp.eq.u32 {%p1}, %r1, %r2;",
        "cvt.u64.u32 %rd1, {%r1};",
        "atom.global.add.u32 %r1, [%rd1], {%r2};",
        "red.global.add.u32 [%rd1], {%r1};",
        "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], {%r2};",
        "mapa.shared::cluster.u32 {%r1}, %r2, 0;",
        "bar.sync {%r1};",
        "st.global.v2.b32 [%rd1], {{%r1}, %r2};",
    };
    for (size_t i = 0; i < COUNT_OF(HAVE) + COUNT_OF(LACK); i++) {
        const int has = i < COUNT_OF(HAVE);
        const char *body = has ? HAVE[i] : LACK[i - COUNT_OF(HAVE)];
        decode_body("", body);
        if (instruction(0)->why != (has ? DECODE_EXECUTED : DECODE_NO_OPERAND)) {
            fail_msg("%s: %d", body, instruction(0)->why);
        }
    }
}

/* What ptxas 13.0 refuses: two vectors of one, no vector where it has to be one, names in vectors,
 * addresses of variables of another space. And the same as it takes it. */
static void forms_that_ptxas_refuses(void **state) {
    (void)state;
    static const struct {
        const char *takes, *refuses;
    } cases[] = {
#define FORM(takes, refuses) {takes, refuses},
#include "decode_forms.def"
    };
    for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
        const char *body = i % 2 ? cases[i / 2].refuses : cases[i / 2].takes;
        decode_body(".shared .align 16 .b32 s[64];\n.global .align 16 .b32 g[64];\n", body);
        const emu_instruction *in = instruction(0);
        const emu_instruction *last = &program.code[program.instructions - 1];
        while (in->why == DECODE_EXECUTED && in < last && in[1].row == in->row) {
            in++; /* what the row is made of */
        }
        if ((in->why == DECODE_EXECUTED) == i % 2) {
            fail_msg("%s: %d", body, in->why);
        }
    }
}

/* A branch to several labels is none; its ways once lay behind the memory for them. */
static void branches_have_one_label(void **state) {
    (void)state;
    char body[4096] = "L:\nts: .branchtargets L, L;\n";
    size_t length = strlen(body);
    for (int i = 0; i < 40; i++) {
        length += (size_t)snprintf(body + length, sizeof(body) - length,
                                   "@%%p1 bra {L, L, L, L, L, L, L, L, L};\n"
                                   "@%%p1 bra L, L, L;\n@%%p1 brx.idx {L, L, L, L, L, L}, ts;\n");
    }
    decode_body("", body);
    for (uint32_t i = 0; i < 120; i++) {
        assert_int_equal(instruction(i)->op, EMU_OP_UNKNOWN);
    }
}

/* What is moved is as wide as the registers, and goes into one: a frame's end was once written
 * over, and constants, which all instructions share. */
static void values_are_moved_into_registers_of_their_width(void **state) {
    (void)state;
    decode_body("",
                "mov.b64 %r1, 0;\nmov.b32 %rd1, %r1;\nmov.b64 %rd1, %r1;\nmov.b128 %rd1, %rd2;\n"
                "mov.pred %r1, %p1;\nmov.pred %p1, %r1;\nmov.u32 5, %r1;\nmov.u32 5, %tid.x;\n"
                "mov.b64 {1, 2}, %rd1;\nmov.b64 {%r1, %r2}, %r3;\nmov.b64 %rd1, {%rd1, %rd2};\n"
                "mov.b64 %r1, {%r1, %r2};\nmov.b64 %rd1, {_, %r2};\nmov.b64 %rd1, {%p1, %p2};\n"
                "cvta.shared.u64 5, %rd1;\nisspacep.shared 1, %rd1;\n"
                "mapa.shared::cluster.u32 5, %r1, %r2;\n"
                "getctarank.shared::cluster.u32 5, %r1;\nmov.b64 %rd1, {%r1, %r2};\n"
                "mov.b64 {_, %r2}, %rd1;\nmov.b64 %rd1, a;");
    for (uint32_t i = 0; i < 18; i++) {
        assert_int_equal(instruction(i)->op, EMU_OP_UNKNOWN);
    }
    for (uint32_t i = 18; i < 21; i++) {
        assert_int_equal(instruction(i)->op, EMU_OP_MOV);
    }
}

/* A number that 32 bits do not hold is no other number. */
static void numbers_of_launches_do_not_wrap(void **state) {
    (void)state;
    decode_body(".visible .entry other()\n.reqntid 4294967297, -1\n{ ret; }\n"
                ".visible .entry more()\n.maxntid 4294967296\n{ ret; }\n",
                "ret;");
    assert_int_equal(program.function[0].required[0], UINT32_MAX);
    assert_int_equal(program.function[0].required[1], UINT32_MAX);
    assert_int_equal(program.function[1].most[0], UINT32_MAX);
}

static void what_is_not_executed_is_told(void **state) {
    (void)state;
    decode_body("", "frobnicate.b32 %r1, %r2;\nadd.frob.u32 %r1, %r2, %r3;\nadd.u32 %r1, x, %r3;\n"
                    "add.u32 %r1, 1.5.5, %r3;\nmov.u32 %r1, 0x;");
    static const uint8_t why[] = {DECODE_NO_ROW, DECODE_NO_WORD, DECODE_NO_NAME, DECODE_NO_NUMBER,
                                  DECODE_NO_NUMBER};
    for (uint32_t i = 0; i < sizeof(why); i++) {
        assert_int_equal(instruction(i)->op, EMU_OP_UNKNOWN);
        assert_int_equal(instruction(i)->why, why[i]);
    }
    tma_error error;
    memory = ptx_memory_of(more, NULL);
    assert_int_equal(emu_decode(&program, &memory, "no PTX", 6, &error), -1);
    assert_string_equal(error.text, "this is no PTX: no function has a body (" PTX_HOW_MADE ")");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(immediates_are_read_as_their_instruction_reads_them),
        cmocka_unit_test(constants_are_kept_once),
        cmocka_unit_test(decimal_numbers_are_rounded_correctly),
        cmocka_unit_test(operands_are_what_they_stand_for),
        cmocka_unit_test(initialisers_are_laid_out),
        cmocka_unit_test(an_initialiser_takes_the_memory_of_its_text),
        cmocka_unit_test(operands_stand_in_few_others),
        cmocka_unit_test(vectors_of_one_element),
        cmocka_unit_test(forms_that_ptxas_refuses),
        cmocka_unit_test(branches_have_one_label),
        cmocka_unit_test(values_are_moved_into_registers_of_their_width),
        cmocka_unit_test(numbers_of_launches_do_not_wrap),
        cmocka_unit_test(parameters_are_laid_out),
        cmocka_unit_test(calls_name_functions_and_arguments),
        cmocka_unit_test(lanes_meet_at_the_immediate_post_dominator),
        cmocka_unit_test(what_is_not_executed_is_told),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    release();
    return failed;
}
