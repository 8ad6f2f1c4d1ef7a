/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions in what they assign and what they take.
 */
#include "ptx_code.h"

#include <string.h>

#include "ptx_constant.h"
#include "ptx_names.h"
#include "tma/detail/chars.h"

static const struct op_row {
    const char *word;
    const char *qualifier;
    char how, first, does;
} ops[PTX_OPS] = {
    [PTX_OP_OTHER] = {"", "", '-', 'D', 'W'},
#define PTX_OP(id, ...) [PTX_OP_##id] = {__VA_ARGS__},
#include "ptx_ops.def"
};

static int begins(tma_ptx_span opcode, const char *word) {
    if (!ptx_begins(opcode, word)) {
        return 0;
    }
    const size_t length = text_length(word);
    return opcode.length == length || opcode.at[length] == '.';
}

ptx_op ptx_op_of(tma_ptx_span opcode) {
    for (uint32_t i = PTX_OP_OTHER + 1; i < PTX_OPS; i++) {
        if (begins(opcode, ops[i].word) &&
            (!*ops[i].qualifier || ptx_opcode_has(opcode, ops[i].qualifier))) {
            return (ptx_op)i;
        }
    }
    return PTX_OP_OTHER;
}

int ptx_op_ends_block(uint32_t op) {
    return ops[op].how == 'F';
}

int ptx_op_is_value(uint32_t op) {
    return ops[op].how == 'C' || ops[op].how == 'R';
}

int ptx_op_does(uint32_t op, char what) {
    return ops[op].does == what;
}

int ptx_opcode_has(tma_ptx_span opcode, const char *qualifier) {
    size_t at = text_until(opcode.at, opcode.length, '.');
    while (at < opcode.length) {
        const char *const word = opcode.at + ++at;
        const size_t length = text_until(word, opcode.length - at, '.');
        if (text_is(word, length, qualifier)) {
            return 1;
        }
        at += length;
    }
    return 0;
}

/* The last word of *opcode as a type, which is cut off: its bits, or 0 for .pred and words that are
 * none; for .f32 and .f64, too, unless they are only `moved`. */
static uint8_t cut_type(tma_ptx_span *opcode, uint8_t *is_signed, int moved) {
    static const struct {
        const char *word;
        uint8_t bits, is_signed;
    } types[] = {{"b8", 8, 0},   {"u8", 8, 0},   {"s8", 8, 1},   {"b16", 16, 0}, {"u16", 16, 0},
                 {"s16", 16, 1}, {"b32", 32, 0}, {"u32", 32, 0}, {"s32", 32, 1}, {"b64", 64, 0},
                 {"u64", 64, 0}, {"s64", 64, 1}, {"f32", 32, 0}, {"f64", 64, 0}};
    size_t dot = opcode->length;
    while (dot && opcode->at[dot - 1] != '.') {
        dot--;
    }
    const tma_ptx_span word = {opcode->at + dot, opcode->length - dot};
    opcode->length = dot ? dot - 1 : 0;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (ptx_is_text(word, types[i].word) && (moved || types[i].word[0] != 'f')) {
            *is_signed = types[i].is_signed;
            return types[i].bits;
        }
    }
    return 0;
}

static int has_last(tma_ptx_span name, const char *end) {
    const size_t length = text_length(end);
    const size_t before = name.length > length ? name.length - length : 0;
    return ptx_is_text((tma_ptx_span){name.at + before, name.length - before}, end);
}

/* What gives bits as they are. */
static int is_move(uint32_t op) {
    return op == PTX_OP_MOVE || op == PTX_OP_SELP ||
           (op >= PTX_OP_LOAD_PARAM && op <= PTX_OP_STORE_LOCAL);
}

/* What gives a predicate as bits: mov.pred, not.pred, and.pred ... */
static int is_of_predicates(const ptx_code *c, const tma_ptx_parts *p) {
    return (c->op == PTX_OP_MOVE || c->op == PTX_OP_NOT || c->op == PTX_OP_AND ||
            c->op == PTX_OP_OR || c->op == PTX_OP_XOR) &&
           has_last(p->opcode, ".pred");
}

static void take_types(ptx_code *c, const tma_ptx_parts *p) {
    tma_ptx_span rest = p->opcode;
    c->bits = cut_type(&rest, &c->is_signed, is_move(c->op));
    c->bits = is_of_predicates(c, p) ? 1 : c->bits;
    if (c->op == PTX_OP_CONVERT) {
        c->from_bits = c->bits;
        c->from_signed = c->is_signed;
        c->bits = cut_type(&rest, &c->is_signed, 0);
    }
    c->lanes = tma_ptx_is(p, "ld", "v2") || tma_ptx_is(p, "st", "v2")   ? 2
               : tma_ptx_is(p, "ld", "v4") || tma_ptx_is(p, "st", "v4") ? 4
               : tma_ptx_is(p, "ld", "v8") || tma_ptx_is(p, "st", "v8") ? 8
                                                                        : 1;
}

/* --- names of opcodes --- */

static int grow_names(ptx_codes *s) {
    s->slots = s->slots ? 2 * s->slots : 256;
    s->slot = ptx_memory_take(s->memory, s->slots, sizeof(*s->slot));
    if (!s->slot) {
        return -1;
    }
    memset(s->slot, 0xFF, s->slots * sizeof(*s->slot));
    for (uint32_t i = 0; i < s->opcodes; i++) {
        uint32_t at = ptx_hash(s->opcode[i], 0) & (s->slots - 1);
        while (s->slot[at] != PTX_NONE) {
            at = (at + 1) & (s->slots - 1);
        }
        s->slot[at] = i;
    }
    return 0;
}

static uint32_t name_of(ptx_codes *s, tma_ptx_span opcode) {
    if (s->memory->failed || (2 * (s->opcodes + 1) > s->slots && grow_names(s))) {
        return 0;
    }
    uint32_t at = ptx_hash(opcode, 0) & (s->slots - 1);
    for (; s->slot[at] != PTX_NONE; at = (at + 1) & (s->slots - 1)) {
        if (ptx_same(s->opcode[s->slot[at]], opcode)) {
            return s->slot[at];
        }
    }
    s->slot[at] = s->opcodes;
    PTX_APPEND(s, opcode, opcodes, opcode);
    return s->slot[at];
}

uint32_t ptx_codes_name(const ptx_codes *s, tma_ptx_span name) {
    uint32_t at = ptx_hash(name, 0) & (s->slots - 1);
    for (; s->slots && s->slot[at] != PTX_NONE; at = (at + 1) & (s->slots - 1)) {
        if (ptx_same(s->opcode[s->slot[at]], name)) {
            return s->slot[at];
        }
    }
    return PTX_NONE;
}

/* Names that the file does not declare: a part of one is all that there is, at times. */
static void keep_names(ptx_codes *s, uint32_t row) {
    const ptx_row *r = &s->rows->row[row];
    for (uint32_t i = r->first_ref; i < r->first_ref + r->refs; i++) {
        if (s->rows->ref[i].symbol == PTX_NONE) {
            const char *at = s->rows->ref[i].at;
            tma_ptx_span rest = {at, (size_t)(r->piece.at + r->piece.size - at)};
            name_of(s, tma_ptx_next_name(&rest));
        }
    }
}

/* --- operands --- */

static uint32_t ref_of(const ptx_rows *rows, uint32_t row, const char *at) {
    const ptx_ref *ref = ptx_rows_ref(rows, row, at);
    return ref ? (uint32_t)(ref - rows->ref) : PTX_NONE;
}

/* 3*2-5, [name+2*4]. */
static void take_expression(const ptx_rows *rows, uint32_t row, tma_ptx_span span, ptx_arg *arg) {
    ptx_skip_blanks(&span);
    const int bracketed = span.length && span.at[0] == '[';
    span.at += bracketed;
    span.length -= (size_t)bracketed;
    ptx_skip_blanks(&span);
    const tma_ptx_span all = span;
    tma_ptx_span rest = span;
    const tma_ptx_span name = tma_ptx_next_name(&rest);
    arg->number = 0;
    const int has_name = name.length && name.at == span.at && !ptx_is_text(name, "WARP_SZ");
    span = has_name ? rest : span;
    ptx_skip_blanks(&span);
    const int has_number = span.length && span.at[0] != ']';
    if (has_number && (has_name ? span.at[0] != '+' && span.at[0] != '-' : 0)) {
        return;
    }
    if (has_number && !ptx_constant_take(&span, &arg->number)) {
        return;
    }
    ptx_skip_blanks(&span);
    if (span.length != (size_t)bracketed || (bracketed && span.at[0] != ']')) {
        return;
    }
    arg->kind = has_name ? PTX_ARG_NAME : PTX_ARG_NUMBER;
    arg->name = (tma_ptx_span){all.at, has_name ? name.length : 0};
    arg->ref = has_name ? ref_of(rows, row, name.at) : PTX_NONE;
}

static int has_dot(const char *name, size_t length) {
    while (length && name[length - 1] != '.') {
        length--;
    }
    return length != 0;
}

ptx_arg ptx_arg_of(const ptx_rows *rows, uint32_t row, tma_ptx_span span, int *bracketed) {
    const tma_ptx_operand o = tma_ptx_operand_of(span, bracketed);
    ptx_arg arg = {.kind = PTX_ARG_NONE, .ref = PTX_NONE, .number = o.value};
    const int is_name = o.kind == TMA_PTX_NAME;
    if (o.kind == TMA_PTX_NUMBER) {
        arg.kind = PTX_ARG_NUMBER;
    } else if (o.kind == TMA_PTX_EXPRESSION ||
               (is_name && ptx_is_text((tma_ptx_span){o.name, o.length}, "WARP_SZ"))) {
        take_expression(rows, row, span, &arg);
    } else if (is_name) {
        arg.kind = PTX_ARG_NAME;
        arg.name = (tma_ptx_span){o.name, o.length};
        arg.ref = ref_of(rows, row, o.name);
        if (arg.ref != PTX_NONE && rows->ref[arg.ref].symbol != PTX_NONE &&
            has_dot(o.name, o.length)) {
            arg.kind = PTX_ARG_NONE; /* v.x: a part */
        }
    }
    return arg;
}

static void add_defs(ptx_codes *s, ptx_code *c, uint32_t row, tma_ptx_span list) {
    for (;;) {
        const tma_ptx_span name = tma_ptx_next_name(&list);
        if (!name.length) {
            return;
        }
        const ptx_ref *ref = ptx_rows_ref(s->rows, row, name.at);
        const int is_whole = list.length == 0 || list.at[0] != '.';
        if (ref && ref->place != PTX_NONE) {
            c->op = is_whole ? c->op : PTX_OP_OTHER; /* v.x: a part */
            PTX_APPEND(s, def, all_defs, ref->place);
            c->defs++;
        } else if (ptx_is_text(name, "_")) {
            PTX_APPEND(s, def, all_defs, PTX_NONE);
            c->defs++;
        }
    }
}

static void add_args(ptx_codes *s, ptx_code *c, uint32_t row, tma_ptx_span list) {
    while (list.length) {
        size_t end = 0;
        while (end < list.length && list.at[end] != ',') {
            end++;
        }
        tma_ptx_span one = {list.at, end};
        ptx_skip_blanks(&one);
        const int is_not = one.length && one.at[0] == '!';
        int64_t number = 0;
        ptx_arg arg = ptx_arg_of(
            s->rows, row, (tma_ptx_span){one.at + is_not, one.length - (size_t)is_not}, NULL);
        arg.is_not = is_not;
        if (is_not && ptx_constant(one, &number)) {
            arg = (ptx_arg){.kind = PTX_ARG_NUMBER, .ref = PTX_NONE, .number = number};
        } else if (is_not && arg.kind == PTX_ARG_NUMBER) {
            arg.kind = PTX_ARG_NONE;
        }
        PTX_APPEND(s, arg, all_args, arg);
        c->args++;
        list.at += end + (end < list.length);
        list.length -= end + (end < list.length);
    }
}

/* The inside of {...} and, of a call, (...); or the span itself: (1) + (2). */
static tma_ptx_span inside(const ptx_code *c, tma_ptx_span span) {
    if (span.length >= 2 && (span.at[0] == '{' || (span.at[0] == '(' && c->op == PTX_OP_CALL))) {
        return (tma_ptx_span){span.at + 1, span.length - 2};
    }
    return span;
}

static void take_operands(ptx_codes *s, ptx_code *c, uint32_t row, const tma_ptx_parts *p,
                          int assigns_first) {
    const uint32_t count = p->count < TMA_PTX_PARTS ? p->count : TMA_PTX_PARTS;
    uint32_t i = 0;
    c->first_def = s->all_defs;
    c->first_arg = s->all_args;
    if (c->op == PTX_OP_CALL) {
        const int returns = count && p->operand[0].length && p->operand[0].at[0] == '(';
        if (returns) {
            add_defs(s, c, row, p->operand[0]);
            add_args(s, c, row, inside(c, p->operand[0]));
        }
        c->lanes = (uint8_t)(c->args < UINT8_MAX ? c->args : UINT8_MAX);
        i = returns ? 1 : 0;
    } else if (count && assigns_first && p->operand[0].length && p->operand[0].at[0] != '[') {
        add_defs(s, c, row, p->operand[0]);
        i = 1;
    }
    for (; i < count && (c->op != PTX_OP_OTHER); i++) {
        add_args(s, c, row, inside(c, p->operand[i]));
    }
    if (p->count > TMA_PTX_PARTS && c->op != PTX_OP_CALL) {
        c->op = PTX_OP_OTHER;
    }
}

/* A number where a .f32 or .f64 is moved is not its bits. */
static void drop_float_numbers(ptx_codes *s, const ptx_code *c) {
    const tma_ptx_span name = s->opcode[c->name];
    if (!is_move(c->op) || (!has_last(name, ".f32") && !has_last(name, ".f64"))) {
        return;
    }
    for (uint32_t i = c->first_arg; i < c->first_arg + c->args; i++) {
        s->arg[i].kind = s->arg[i].kind == PTX_ARG_NUMBER ? PTX_ARG_NONE : s->arg[i].kind;
    }
}

/* "mov .b32", "add.cc\n.u32": without blanks and comments. */
static tma_ptx_span tight(ptx_codes *s, tma_ptx_span opcode) {
    tma_ptx_span rest = opcode;
    size_t length = 0;
    char *out = NULL;
    for (size_t i = 0; i < opcode.length && !out; i++) {
        if (text_is_space(opcode.at[i]) || opcode.at[i] == '/') {
            out = ptx_memory_take(s->memory, opcode.length, 1);
        }
    }
    for (; out && rest.length; ptx_skip_blanks(&rest)) {
        out[length++] = *rest.at++;
        rest.length--;
    }
    return out ? (tma_ptx_span){out, length} : opcode;
}

static void take(ptx_codes *s, uint32_t row) {
    tma_ptx_parts p;
    ptx_code *c = &s->code[row];
    *c = (ptx_code){.guard = PTX_NONE, .lanes = 1};
    if (s->rows->row[row].piece.kind != TMA_PTX_PIECE_INSTRUCTION ||
        s->rows->row[row].function == PTX_NONE || tma_ptx_split(&p, &s->rows->row[row].piece)) {
        return;
    }
    p.opcode = tight(s, p.opcode);
    const ptx_op op = ptx_op_of(p.opcode);
    c->op = (uint8_t)(ops[op].how == '-' ? PTX_OP_OTHER : op);
    c->guarded = p.guard.length != 0;
    c->negated = p.negated != 0;
    c->guard = c->guarded ? ref_of(s->rows, row, p.guard.at) : PTX_NONE;
    c->name = name_of(s, p.opcode);
    keep_names(s, row);
    take_types(c, &p);
    take_operands(s, c, row, &p, ops[op].first == 'D');
    if (!s->memory->failed) { /* all of them are there */
        drop_float_numbers(s, c);
    }
}

int ptx_codes_read(ptx_codes *s, ptx_memory *memory, const ptx_rows *rows) {
    *s = (ptx_codes){.memory = memory, .rows = rows};
    s->code = ptx_memory_take(memory, (size_t)rows->rows + 1, sizeof(*s->code));
    for (uint32_t row = 0; s->code && row < rows->rows && !memory->failed; row++) {
        take(s, row);
    }
    return memory->failed ? -1 : 0;
}
