/* SPDX-License-Identifier: Apache-2.0
 *
 * Operands: registers and constants as slots, addresses, vectors, what a name stands for.
 */
#include <string.h>

#include "decode.h"
#include "ptx_constant.h"

#define MOST_LANES 256 /* of wgmma's accumulators 128 */
#define MOST_DEEP  4   /* [map, {c0, -c1}]: no operand of PTX stands in more */

static emu_operand operand_of(uint8_t kind, int64_t number) {
    return (emu_operand){.kind = kind, .variable = EMU_NONE, .number = number};
}

static emu_operand fails(decode *d, decode_why why) {
    d->why = d->why ? d->why : (uint8_t)why;
    return operand_of(EMU_ABSENT, 0);
}

static emu_operand no_name(decode *d, tma_ptx_span name) {
    decode_no_name(d, name);
    return operand_of(EMU_ABSENT, 0);
}

static void advance(tma_ptx_span *span, size_t count) {
    span->at += count;
    span->length -= count;
}

static tma_ptx_span trimmed(tma_ptx_span span) {
    ptx_skip_blanks(&span);
    while (span.length && text_is_space(span.at[span.length - 1])) {
        span.length--;
    }
    return span;
}

tma_ptx_span decode_cut(tma_ptx_span *list) {
    size_t depth = 0;
    ptx_skip_blanks(list);
    tma_ptx_span one = {list->at, 0};
    while (list->length && (list->at[0] != ',' || depth)) {
        const char byte = list->at[0];
        depth += byte == '{' || byte == '(' || byte == '[';
        depth -= depth && (byte == '}' || byte == ')' || byte == ']');
        advance(list, 1);
        one.length++;
    }
    advance(list, list->length != 0);
    return trimmed(one);
}

/* The inside of brackets that a span begins and ends with. */
static tma_ptx_span inside(tma_ptx_span span) {
    return span.length < 2 ? (tma_ptx_span){span.at, 0}
                           : trimmed((tma_ptx_span){span.at + 1, span.length - 2});
}

/* ---- names ---- */

/* The name that a span begins with: %tid.x with its part. What is behind it is left. */
static tma_ptx_span take_name(tma_ptx_span *span) {
    tma_ptx_span rest = *span;
    tma_ptx_span name = tma_ptx_next_name(&rest);
    if (!name.length || name.at != span->at) {
        return (tma_ptx_span){span->at, 0};
    }
    *span = rest;
    return name;
}

static emu_operand special_of(decode *d, tma_ptx_span *name, tma_ptx_span *rest) {
    static const char *const names[EMU_SPECIALS] = {
#define EMU_SPECIAL(id, name, bits) [EMU_SPECIAL_##id] = (name),
#include "specials.def"
    };
    tma_ptx_span whole = *name;
    if (rest->length > 1 && rest->at[0] == '.') {
        whole.length += 2;
        advance(rest, 2);
    }
    for (uint32_t i = 1; i < EMU_SPECIALS; i++) {
        if (ptx_is_text(whole, names[i])) {
            return operand_of(EMU_SPECIAL, i);
        }
        const size_t length = whole.length < text_length(names[i]) ? whole.length : 0;
        if (length && ptx_same((tma_ptx_span){names[i], length}, whole) &&
            text_length(names[i]) == length + 2 && names[i][length] == '.') {
            return operand_of(EMU_SPECIAL, EMU_SPECIALS + i);
        }
    }
    return no_name(d, whole);
}

/* .b3210 behind a register, as program.h says. */
static int64_t take_parts(decode *d, tma_ptx_span *rest) {
    int64_t digits = 0;
    uint32_t count = 0;
    if (!rest->length || rest->at[0] != '.') {
        return 0;
    }
    advance(rest, 1);
    const char letter = rest->length ? rest->at[0] : 0;
    if (letter != 'b' && letter != 'h') {
        fails(d, DECODE_NO_OPERAND);
        return 0;
    }
    for (advance(rest, 1); rest->length && text_is_digit(rest->at[0]); advance(rest, 1)) {
        digits = digits << 4 | (rest->at[0] - '0');
        count++;
    }
    return (int64_t)letter << 32 | (int64_t)(count & 0xFF) << 16 | (digits & 0xFFFF);
}

static emu_operand register_of(decode *d, const ptx_ref *ref, tma_ptx_span name,
                               tma_ptx_span *rest) {
    emu_operand o = operand_of(EMU_REGISTER, 0);
    if (ref->place == PTX_NONE) {
        return no_name(d, name);
    }
    const ptx_symbol *symbol = &d->rows->symbol[ref->symbol];
    o.slot = d->slot_of_place[ref->place];
    o.type = (uint8_t)decode_type_of(symbol->type);
    if (symbol->lanes && o.type) {
        return decode_lane(d, o, symbol->lanes, rest);
    }
    o.number = take_parts(d, rest);
    return o.type ? o : fails(d, DECODE_NO_OPERAND);
}

/* What a name stands for; + n behind variables. */
static emu_operand named(decode *d, tma_ptx_span name, tma_ptx_span *rest) {
    const ptx_ref *ref = ptx_rows_ref(d->rows, d->row, name.at);
    const ptx_symbol *symbol =
        ref && ref->symbol != PTX_NONE ? &d->rows->symbol[ref->symbol] : NULL;
    if (symbol && symbol->kind != PTX_IS_VARIABLE) {
        return register_of(d, ref, name, rest);
    }
    emu_operand o = operand_of(EMU_VARIABLE, 0);
    o.variable = symbol ? symbol->variable : EMU_NONE;
    if (symbol) {
        return o;
    }
    if (name.at[0] == '%') {
        return special_of(d, &name, rest);
    }
    const uint32_t label = ptx_label_named(&d->functions, d->row, name);
    if (label != PTX_NONE) {
        return operand_of(EMU_LABEL, label); /* its row, until all rows have instructions */
    }
    const uint32_t module = d->rows->function[d->function].module;
    const uint32_t function = ptx_function_declared(&d->functions, module, name);
    return function != PTX_NONE ? operand_of(EMU_FUNCTION, function) : no_name(d, name);
}

/* Whether PTX reads a literal as a type; of a vector's elements its executor asks. */
static int is_literal(const decode *d, const emu_instruction *in, tma_ptx_span text,
                      uint32_t type) {
    int own = 0; /* the opcode's, none of reads.def */
    for (uint32_t i = 0; i < sizeof(in->type) / sizeof(in->type[0]); i++) {
        own |= in->type[i] == type;
    }
    return d->deep > 1 || in->op == EMU_OP_CALL || decode_is_literal(text, type, own);
}

static emu_operand immediate(decode *d, const emu_instruction *in, tma_ptx_span text,
                             uint32_t type) {
    emu_operand o = operand_of(EMU_REGISTER, 0);
    uint64_t bits = 0;
    if (!is_literal(d, in, text, type) || !decode_number(text, type, &bits)) {
        return fails(d, DECODE_NO_NUMBER);
    }
    int64_t whole = 0;
    o.constant = 1;
    o.of = ptx_constant(text, &whole) ? EMU_OF_INTEGERS : EMU_OF_FLOATS;
    o.type = (uint8_t)type;
    o.number = (int64_t)bits;
    o.slot = decode_constant(d, bits, type);
    return o;
}

/* ---- what is read into a slot first ---- */

/* 0: %tid as a whole. */
static uint32_t special_bits(const emu_operand *o) {
    static const uint8_t BITS[EMU_SPECIALS] = {
#define EMU_SPECIAL(id, name, bits) [EMU_SPECIAL_##id] = (bits),
#include "specials.def"
    };
    return o->number < EMU_SPECIALS ? BITS[o->number] : 0;
}

/* mov of an operand that only mov takes, into a temporary. */
static emu_operand materialised(decode *d, const emu_instruction *in, emu_operand from,
                                uint32_t type) {
    const uint32_t bits = from.kind == EMU_SPECIAL ? special_bits(&from) : emu_type_of(type)->bits;
    const int is_wide = bits == 64;
    const decode_opcode *const now = d->now;
    const uint32_t at = (uint32_t)(now - d->opcode);
    const decode_opcode *o = decode_opcode_of(d, ptx_span(is_wide ? "mov.b64" : "mov.b32"));
    if (!o) {
        return fails(d, DECODE_NO_OPERAND);
    }
    d->now = &d->opcode[at]; /* the table may have moved */
    emu_operand to = operand_of(EMU_REGISTER, 0);
    emu_instruction mov = o->in;
    to.slot = (int32_t)d->used_slots;
    to.type = is_wide ? EMU_B64 : EMU_B32;
    d->used_slots += is_wide ? 2 : 1;
    mov.guard = in->guard;
    mov.guard_negated = in->guard_negated;
    mov.operand[0] = to;
    mov.operand[1] = from;
    mov.operands = 2;
    decode_add(d, o, mov);
    return to;
}

static int takes_names(const decode_opcode *o) {
    return ptx_is_text(o->word[0], "mov") || o->flow == DECODE_BRA || o->flow == DECODE_BRX ||
           o->flow == DECODE_CALL;
}

static int is_integer(uint32_t type) {
    return emu_type_of(type)->kind == 'U' || emu_type_of(type)->kind == 'S';
}

/* ptxas 13.0 takes special registers in vectors, where mov takes vectors apart, and in cvt between
 * integers, which they are wide enough for. */
static int reads_special(const decode *d, const emu_instruction *in, const emu_operand *o) {
    const uint32_t bits = special_bits(o);
    if (d->deep > 1) {
        return bits && in->op != EMU_OP_TCGEN05_ST && in->op != EMU_OP_WMMA_STORE;
    }
    return in->op == EMU_OP_CVT && is_integer(in->type[0]) && is_integer(in->type[1]) &&
           bits >= emu_type_of(in->type[1])->bits;
}

/* ptxas 13.0 takes a function's name wherever a register is read, a variable's where
 * operand_shapes.def says so. */
static emu_operand readable(decode *d, const emu_instruction *in, emu_operand o, uint32_t type) {
    const int is_mov = in->op == EMU_OP_MOV;
    const int is_apart = is_mov && in->vector == 1 && in->operand[0].kind == EMU_VECTOR;
    if (o.kind == EMU_SPECIAL) {
        return is_apart || reads_special(d, in, &o) ? materialised(d, in, o, type)
               : is_mov && d->deep == 1             ? o
                                                    : fails(d, DECODE_NO_OPERAND);
    }
    if ((o.kind != EMU_VARIABLE && o.kind != EMU_FUNCTION) || takes_names(d->now)) {
        return o;
    }
    const int may = o.kind == EMU_FUNCTION || decode_may(in, DECODE_VALUES);
    return may && !d->is_first ? materialised(d, in, o, type) : fails(d, DECODE_NO_OPERAND);
}

/* ---- forms ---- */

/* mov.b64 {a, 0}, x: a constant there is as wide as its part. */
static uint32_t part_type(const decode *d, tma_ptx_span list, uint32_t type) {
    uint32_t count = 0;
    if (!d->now || !ptx_is_text(d->now->word[0], "mov") || d->now->in.vector > 1) {
        return type;
    }
    for (tma_ptx_span rest = list; rest.length; count++) {
        decode_cut(&rest);
    }
    const uint32_t bits = count ? emu_type_of(type)->bits / count : 0;
    return bits == 64 ? EMU_B64 : bits == 32 ? EMU_B32 : bits == 16 ? EMU_B16 : EMU_B8;
}

static char kind_of(const emu_operand *o) {
    return o->kind != EMU_REGISTER  ? 'B'
           : !o->constant           ? emu_type_of(o->type)->kind
           : o->of == EMU_OF_FLOATS ? 'F'
                                    : 'S';
}

/* ptxas 13.0 asks it of neighbours in a vector, not of all. */
static int go_together(const emu_operand *lanes, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        if (!decode_goes_with(kind_of(&lanes[i - 1]), kind_of(&lanes[i]))) {
            return 0;
        }
    }
    return 1;
}

// NOLINTNEXTLINE(misc-no-recursion): at most MOST_DEEP deep
emu_operand decode_list(decode *d, const emu_instruction *in, tma_ptx_span list, uint32_t type) {
    emu_operand lanes[MOST_LANES];
    uint32_t count = 0;
    const tma_ptx_span all = trimmed(list);
    if (all.length && all.at[all.length - 1] == ',') {
        return fails(d, DECODE_NO_OPERAND);
    }
    type = part_type(d, list, type);
    while (list.length && count < MOST_LANES) {
        lanes[count++] = decode_operand(d, in, decode_cut(&list), type);
    }
    const emu_operand o = decode_vector(d, lanes, count);
    const int is_one = !list.length && (in->op == EMU_OP_CALL || go_together(lanes, count));
    return is_one ? o : fails(d, DECODE_NO_OPERAND);
}

/* Behind a name: + 4, +-4. */
static int take_offset(tma_ptx_span rest, int64_t *number) {
    *number = 0;
    ptx_skip_blanks(&rest);
    if (!rest.length) {
        return 1;
    }
    return rest.at[0] == '+' && ptx_constant(rest, number);
}

/* Behind an array's name: [4]; the element's bytes behind its first. 1: there is none. */
static int take_element(const decode *d, const emu_instruction *in, const emu_operand *variable,
                        tma_ptx_span *rest, int64_t *offset_B) {
    tma_ptx_span index = *rest;
    ptx_skip_blanks(&index);
    *offset_B = 0;
    if (!index.length || index.at[0] != '[') {
        return 1;
    }
    const uint64_t step_B = d->p->variable[variable->variable].step_B;
    rest->length = 0;
    index = trimmed(index);
    const int is_whole = index.at[index.length - 1] == ']' && ptx_constant(inside(index), offset_B);
    *offset_B = (int64_t)((uint64_t)*offset_B * step_B);
    return is_whole && step_B && decode_may(in, DECODE_ELEMENTS | DECODE_VALUES);
}

/* [r + n], [variable + n], [n]; [map, {c0, c1}] and what else stands beside. */
// NOLINTNEXTLINE(misc-no-recursion): at most MOST_DEEP deep
static emu_operand address(decode *d, const emu_instruction *in, tma_ptx_span list) {
    tma_ptx_span first = decode_cut(&list);
    const tma_ptx_span name = take_name(&first);
    emu_operand o = operand_of(EMU_ADDRESS, 0);
    o.slot = EMU_NO_SLOT;
    if (name.length) {
        const int has_part = first.length && first.at[0] == '.'; /* v.x is no address to ptxas */
        const emu_operand base = named(d, name, &first);
        o.slot = base.kind == EMU_REGISTER ? base.slot : EMU_NO_SLOT;
        o.type = base.type;
        o.variable = base.variable;
        const char kind = emu_type_of(base.type)->kind;
        if (has_part ||
            (base.kind != EMU_VARIABLE &&
             (base.kind != EMU_REGISTER || kind == 'F' || kind == 'P' || base.type == EMU_B128)) ||
            !take_offset(first, &o.number)) {
            return fails(d, DECODE_NO_OPERAND);
        }
    } else if (!ptx_constant(first, &o.number)) {
        return fails(d, DECODE_NO_OPERAND);
    }
    if (list.length) {
        ptx_skip_blanks(&list);
        const int braced = list.length && list.at[0] == '{';
        const emu_operand beside =
            decode_list(d, in, braced ? inside(trimmed(list)) : list, EMU_S32);
        o.first = beside.first;
        o.count = beside.count;
    }
    return o;
}

static emu_operand of_name(decode *d, const emu_instruction *in, tma_ptx_span text, uint32_t type) {
    tma_ptx_span rest = text;
    const tma_ptx_span name = take_name(&rest);
    if (ptx_is_text(name, "WARP_SZ")) {
        return immediate(d, in, text, type);
    }
    emu_operand o = named(d, name, &rest);
    const int is_variable = o.kind == EMU_VARIABLE && o.variable != EMU_NONE;
    const int is_element = is_variable && text_until(rest.at, rest.length, '[') < rest.length;
    if (is_element && !take_element(d, in, &o, &rest, &o.number)) {
        return fails(d, DECODE_NO_OPERAND);
    }
    if (is_element && decode_may(in, DECODE_ELEMENTS)) {
        o.kind = EMU_ADDRESS;
        o.slot = EMU_NO_SLOT;
        return o;
    }
    if (o.kind == EMU_VARIABLE && !is_element && take_offset(rest, &o.number)) {
        rest.length = 0;
    }
    ptx_skip_blanks(&rest);
    const int is_in_vector = d->deep > 1 && in->op != EMU_OP_CALL;
    return rest.length || (is_in_vector && o.kind == EMU_VARIABLE) ? fails(d, DECODE_NO_OPERAND)
                                                                   : readable(d, in, o, type);
}

/* What a name may begin with. */
static int begins_name(tma_ptx_span text) {
    return text.length && (text_is_letter(text.at[0]) || text.at[0] == '_' || text.at[0] == '%' ||
                           text.at[0] == '$');
}

// NOLINTNEXTLINE(misc-no-recursion): at most MOST_DEEP deep
static emu_operand negated(decode *d, const emu_instruction *in, tma_ptx_span text, uint32_t type) {
    tma_ptx_span rest = {text.at + 1, text.length - 1};
    ptx_skip_blanks(&rest);
    if (!begins_name(rest) || ptx_begins(rest, "WARP_SZ")) {
        return immediate(d, in, text, type);
    }
    emu_operand o = decode_operand(d, in, rest, type);
    o.negated = 1;
    return o;
}

/* One of a single element is what stands in it; no vector stands in another one. */
// NOLINTNEXTLINE(misc-no-recursion): at most MOST_DEEP deep
static emu_operand vector(decode *d, const emu_instruction *in, tma_ptx_span list, uint32_t type) {
    const int is_single = text_until(list.at, list.length, ',') == list.length;
    const int is_b = in->op != EMU_OP_MOV || emu_type_of(in->type[0])->kind == 'B';
    if (d->deep > 1 || (is_single && !(is_b && decode_may(in, DECODE_VECTORS)))) {
        return fails(d, DECODE_NO_OPERAND);
    }
    emu_operand o = is_single ? decode_operand(d, in, list, type) : decode_list(d, in, list, type);
    o.braced = o.kind != EMU_VECTOR;
    o.of = o.kind == EMU_VECTOR ? o.of : decode_of_what(&o);
    const int is_all_sinks = o.kind == EMU_SINK || (o.kind == EMU_VECTOR && o.number == o.count);
    return is_all_sinks ? fails(d, DECODE_NO_OPERAND) : o; /* ptxas 13.0 knows no type for it */
}

// NOLINTNEXTLINE(misc-no-recursion): at most MOST_DEEP deep
static emu_operand any_operand(decode *d, const emu_instruction *in, tma_ptx_span text,
                               uint32_t type) {
    text = trimmed(text);
    const char first = text.length ? text.at[0] : 0;
    if (ptx_is_text(text, "_")) {
        return operand_of(EMU_SINK, 0);
    }
    if (first == '{') {
        return vector(d, in, inside(text), type);
    }
    if (first == '[') {
        return address(d, in, inside(text));
    }
    if (first == '!' || first == '-') {
        return negated(d, in, text, type);
    }
    return begins_name(text) ? of_name(d, in, text, type) : immediate(d, in, text, type);
}

// NOLINTNEXTLINE(misc-no-recursion): at most MOST_DEEP deep
emu_operand decode_operand(decode *d, const emu_instruction *in, tma_ptx_span text, uint32_t type) {
    if (d->deep == MOST_DEEP) {
        return fails(d, DECODE_NO_OPERAND);
    }
    d->deep++;
    const emu_operand o = any_operand(d, in, text, type);
    d->deep--;
    return o;
}

/* p|q */
static void first_operand(decode *d, emu_instruction *in, tma_ptx_span text) {
    const size_t bar = text_until(text.at, text.length, '|');
    if (bar == text.length || !begins_name(text)) {
        in->operand[0] = decode_operand(d, in, text, decode_reads_type(d->now, 0));
        return;
    }
    in->operand[0] = decode_operand(d, in, (tma_ptx_span){text.at, bar}, EMU_U32);
    in->also =
        decode_operand(d, in, (tma_ptx_span){text.at + bar + 1, text.length - bar - 1}, EMU_U32);
    if (in->operand[0].kind == EMU_SINK && in->also.kind == EMU_SINK) {
        fails(d, DECODE_NO_OPERAND);
    }
}

/* .param is the memory of a call where the variable or the function says so. */
static void settle_spaces(decode *d, emu_instruction *in) {
    int is_call = !d->rows->function[d->function].is_entry;
    for (uint32_t i = 0; i < in->operands; i++) {
        const uint32_t variable = in->operand[i].variable;
        if (in->operand[i].kind == EMU_ADDRESS && variable != EMU_NONE &&
            d->p->variable[variable].space == EMU_PARAM_CALL) {
            is_call = 1;
        }
    }
    for (uint32_t i = 0; i < in->spaces && is_call; i++) {
        in->space[i] = in->space[i] == EMU_PARAM_ENTRY ? EMU_PARAM_CALL : in->space[i];
    }
}

/* What is read into a sink, a register takes that nobody reads; a sink that mov reads is zero. */
static void settle_sinks(decode *d, emu_operand *o, int is_result) {
    for (uint32_t i = 0; i < o->count && o->type != EMU_NO_TYPE; i++) {
        emu_operand *lane = &d->p->operand[o->first + i];
        if (lane->kind == EMU_SINK) {
            lane->kind = EMU_REGISTER;
            lane->type = o->type;
            lane->constant = !is_result;
            lane->slot = is_result ? (int32_t)d->used_slots : decode_constant(d, 0, o->type);
            d->used_slots += is_result ? (emu_type_of(o->type)->bits + 31u) / 32 : 0;
        }
    }
    o->number = 0;
}

static void settle_vectors(decode *d, emu_instruction *in) {
    const int is_parts =
        in->op == EMU_OP_MOV && in->vector == 1 && emu_type_of(in->type[0])->bits == 32;
    if (in->operand[0].kind == EMU_VECTOR && decode_may(in, DECODE_SINKS)) {
        settle_sinks(d, &in->operand[0], 1);
    }
    if (in->operand[1].kind == EMU_VECTOR && is_parts) {
        settle_sinks(d, &in->operand[1], 0);
    }
}

/* mov.v2 {a, b}, {c, d} as movs: all are read before the first is written. The last one is left. */
static void mov_by_mov(decode *d, emu_instruction *in) {
    const emu_operand to = in->operand[0], from = in->operand[1];
    const uint32_t bits = emu_type_of(in->type[0])->bits;
    if (in->op != EMU_OP_MOV || in->vector < 2 || to.kind != EMU_VECTOR ||
        from.kind != EMU_VECTOR || to.count != in->vector || from.count != in->vector ||
        bits < 16 || bits * in->vector > 128) {
        return;
    }
    emu_operand kept = operand_of(EMU_REGISTER, 0);
    const uint32_t slots = (bits + 31u) / 32;
    const int32_t first = (int32_t)d->used_slots;
    kept.type = in->type[0];
    in->vector = 0;
    d->used_slots += slots * to.count;
    for (uint32_t i = 0; i < 2 * to.count; i++) {
        const int reads = i < to.count;
        const uint32_t lane = reads ? i : i - to.count;
        kept.slot = first + (int32_t)(lane * slots);
        in->operand[0] = reads ? kept : d->p->operand[to.first + lane];
        in->operand[1] = reads ? d->p->operand[from.first + lane] : kept;
        if (i + 1 < 2 * to.count) {
            decode_add(d, d->now, *in);
        }
    }
}

void decode_operands(decode *d, emu_instruction *in, const tma_ptx_parts *parts) {
    for (uint32_t i = 0; i < parts->count && i < TMA_PTX_PARTS; i++) {
        if (i) {
            in->operand[i] = decode_operand(d, in, parts->operand[i], decode_reads_type(d->now, i));
        } else {
            d->is_first = 1;
            first_operand(d, in, parts->operand[0]);
            d->is_first = 0;
        }
        in->operands++;
    }
    if (parts->count > TMA_PTX_PARTS) {
        const ptx_row *row = &d->rows->row[d->row];
        const tma_ptx_span last = parts->operand[TMA_PTX_PARTS - 1];
        const char *const from = last.at + last.length;
        tma_ptx_span rest = {from, (size_t)(row->piece.at + row->piece.size - from)};
        rest.length = text_until(rest.at, rest.length, ';');
        decode_cut(&rest); /* blanks, and the comma */
        while (rest.length && in->operands < EMU_OPERANDS) {
            in->operand[in->operands] =
                decode_operand(d, in, decode_cut(&rest), decode_reads_type(d->now, in->operands));
            in->operands++;
        }
        d->why = rest.length && !d->why ? DECODE_NO_OPERAND : d->why;
    }
    settle_spaces(d, in);
    settle_vectors(d, in);
    mov_by_mov(d, in);
}
