/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of registers.
 */
#include "ptx_values.h"

#include <stdlib.h>
#include <string.h>

/* Instructions that are followed for one value, on all ways together: so deep, and no deeper, the
 * functions below call each other. */
#define MOST_STEPS 256

/* One assignment; those of a register hang together, the last one first. */
typedef struct assignment {
    tma_ptx_span name;
    uint32_t block;
    uint32_t row;
    uint32_t before; /* of the same register, or PTX_NONE */
} assignment;

struct ptx_values {
    const ptx_rows *rows;
    const ptx_function *function;
    assignment *assigned;
    uint32_t count;
    uint32_t *slot; /* hash table of the last assignments */
    uint32_t slots; /* a power of two */
};

/* The block that declares a register, seen from a row; PTX_NONE: it is none. */
static uint32_t declared_in(const ptx_rows *rows, uint32_t row, tma_ptx_span name) {
    uint32_t block = PTX_NONE;
    return ptx_rows_register(rows, row, name, &block) ? block : PTX_NONE;
}

static uint32_t hash_of(tma_ptx_span name, uint32_t block) {
    uint32_t hash = 2166136261u ^ block;
    for (size_t i = 0; i < name.length; i++) {
        hash = (hash ^ (uint8_t)name.at[i]) * 16777619u;
    }
    return hash;
}

/* The slot of a register: its last assignment's, or an empty one. */
static uint32_t *slot_of(const ptx_values *v, tma_ptx_span name, uint32_t block) {
    uint32_t at = hash_of(name, block) & (v->slots - 1);
    for (;; at = (at + 1) & (v->slots - 1)) {
        const uint32_t i = v->slot[at];
        if (i == PTX_NONE ||
            (v->assigned[i].block == block && ptx_same(v->assigned[i].name, name))) {
            return &v->slot[at];
        }
    }
}

static int grow_slots(ptx_values *v) {
    free(v->slot);
    v->slots = v->slots ? 2 * v->slots : 256;
    v->slot = malloc(v->slots * sizeof(*v->slot));
    if (!v->slot) {
        return -1;
    }
    memset(v->slot, 0xFF, v->slots * sizeof(*v->slot));
    for (uint32_t i = 0; i < v->count; i++) {
        *slot_of(v, v->assigned[i].name, v->assigned[i].block) = i;
    }
    return 0;
}

static int assign(ptx_values *v, uint32_t row, tma_ptx_span name) {
    const uint32_t block = declared_in(v->rows, row, name);
    if (block == PTX_NONE) {
        return 0;
    }
    if (2 * v->count >= v->slots && grow_slots(v)) {
        return -1;
    }
    assignment *grown = ptx_grow(v->assigned, v->count, sizeof(*v->assigned));
    if (!grown) {
        return -1;
    }
    v->assigned = grown;
    uint32_t *slot = slot_of(v, name, block);
    v->assigned[v->count] = (assignment){name, block, row, *slot};
    *slot = v->count++;
    return 0;
}

/* Every register in the first operand that is no address is taken as assigned. */
static int take_assignments(ptx_values *v, uint32_t row) {
    tma_ptx_parts parts;
    if (tma_ptx_split(&parts, &v->rows->row[row].piece) || !parts.count) {
        return 0;
    }
    tma_ptx_span first = parts.operand[0];
    if (first.length && first.at[0] == '[') {
        return 0;
    }
    for (;;) {
        const tma_ptx_span name = tma_ptx_next_name(&first);
        if (!name.length) {
            return 0;
        }
        if (assign(v, row, name)) {
            return -1;
        }
    }
}

ptx_values *ptx_values_of(const ptx_rows *rows, uint32_t function) {
    ptx_values *v = calloc(1, sizeof(*v));
    if (!v) {
        return NULL;
    }
    v->rows = rows;
    v->function = &rows->function[function];
    int failed = grow_slots(v);
    for (uint32_t i = v->function->first; !failed && i < v->function->end; i++) {
        if (rows->row[i].piece.kind == TMA_PTX_PIECE_INSTRUCTION) {
            failed = take_assignments(v, i);
        }
    }
    if (failed) {
        ptx_values_free(v);
        return NULL;
    }
    return v;
}

void ptx_values_free(ptx_values *v) {
    if (v) {
        free(v->assigned);
        free(v->slot);
        free(v);
    }
}

static ptx_value number(int64_t value) {
    return (ptx_value){.kind = PTX_NUMBER, .added = value};
}

static int64_t narrowed(int64_t value, int bits, int is_signed) {
    if (bits == 64) {
        return value;
    }
    const uint64_t cut = (uint64_t)value & ((UINT64_C(1) << bits) - 1);
    return is_signed && cut >> (bits - 1) ? (int64_t)(cut - (UINT64_C(1) << bits)) : (int64_t)cut;
}

/* Bits and sign of the type that the opcode ends in: 0 bits for those that are not followed. */
static int type_of(tma_ptx_span opcode, int *is_signed) {
    size_t dot = opcode.length;
    int bits = 0;
    while (dot && opcode.at[dot - 1] != '.') {
        dot--;
    }
    const tma_ptx_span type = {opcode.at + dot, opcode.length - dot};
    *is_signed = type.length && type.at[0] == 's';
    if (type.length < 3 || !strchr("bsu", type.at[0])) {
        return 0;
    }
    for (size_t i = 1; i < type.length; i++) {
        bits = bits < 1000 && type.at[i] >= '0' && type.at[i] <= '9' ? 10 * bits + type.at[i] - '0'
                                                                     : 1000;
    }
    return bits == 16 || bits == 32 || bits == 64 ? bits : 0;
}

// NOLINTBEGIN(misc-no-recursion): at most MOST_STEPS deep
static ptx_value value_of(const ptx_values *v, uint32_t row, tma_ptx_span name, int *steps);

static ptx_value value_of_span(const ptx_values *v, uint32_t row, tma_ptx_span span, int *steps) {
    int bracketed = 0;
    const tma_ptx_operand o = tma_ptx_operand_of(span, &bracketed);
    if (bracketed || o.kind == TMA_PTX_EXPRESSION) {
        return (ptx_value){0};
    }
    if (o.kind == TMA_PTX_NUMBER) {
        return number(o.value);
    }
    ptx_value value = value_of(v, row, (tma_ptx_span){o.name, o.length}, steps);
    value.added += o.value;
    return value;
}

/* An operation on numbers that are both known. */
static int calculate(const tma_ptx_parts *p, int64_t a, int64_t b, int64_t *out) {
    if (tma_ptx_is(p, "add", NULL)) {
        *out = (int64_t)((uint64_t)a + (uint64_t)b);
    } else if (tma_ptx_is(p, "sub", NULL)) {
        *out = (int64_t)((uint64_t)a - (uint64_t)b);
    } else if (tma_ptx_is(p, "mul", "lo")) {
        *out = (int64_t)((uint64_t)a * (uint64_t)b);
    } else if (tma_ptx_is(p, "shl", NULL)) {
        *out = b < 0 || b > 63 ? 0 : (int64_t)((uint64_t)a << b);
    } else if (tma_ptx_is(p, "and", NULL)) {
        *out = a & b;
    } else if (tma_ptx_is(p, "or", NULL)) {
        *out = a | b;
    } else if (tma_ptx_is(p, "xor", NULL)) {
        *out = a ^ b;
    } else {
        return 0;
    }
    return 1;
}

static ptx_value binary(const ptx_values *v, uint32_t row, const tma_ptx_parts *p, int *steps) {
    int is_signed = 0;
    const int bits = type_of(p->opcode, &is_signed);
    int64_t result = 0;
    if (!bits || p->count != 3 || tma_ptx_is(p, "add", "sat") || tma_ptx_is(p, "sub", "sat") ||
        tma_ptx_is(p, "add", "cc") || tma_ptx_is(p, "sub", "cc")) {
        return (ptx_value){0};
    }
    ptx_value a = value_of_span(v, row, p->operand[1], steps);
    ptx_value b = value_of_span(v, row, p->operand[2], steps);
    if (a.kind == PTX_NUMBER && b.kind == PTX_NUMBER) {
        return calculate(p, a.added, b.added, &result) ? number(narrowed(result, bits, is_signed))
                                                       : (ptx_value){0};
    }
    if (tma_ptx_is(p, "add", NULL) && a.kind == PTX_NUMBER) {
        b.added += narrowed(a.added, bits, 1);
        return b;
    }
    if (b.kind == PTX_NUMBER && (tma_ptx_is(p, "add", NULL) || tma_ptx_is(p, "sub", NULL))) {
        const int64_t step = narrowed(b.added, bits, 1);
        a.added += tma_ptx_is(p, "add", NULL) ? step : -step;
        return a;
    }
    return (ptx_value){0};
}

/* cvt between integers: a number is read as the type it comes from says. */
static ptx_value converted(const ptx_values *v, uint32_t row, const tma_ptx_parts *p, int *steps) {
    int from_signed = 0;
    int to_signed = 0;
    const int from = type_of(p->opcode, &from_signed);
    size_t dot = p->opcode.length;
    while (dot && p->opcode.at[dot - 1] != '.') {
        dot--;
    }
    const int to = dot ? type_of((tma_ptx_span){p->opcode.at, dot - 1}, &to_signed) : 0;
    if (!from || !to || tma_ptx_is(p, "cvt", "sat")) {
        return (ptx_value){0};
    }
    ptx_value value = value_of_span(v, row, p->operand[1], steps);
    if (value.kind == PTX_NUMBER) {
        value.added = narrowed(narrowed(value.added, from, from_signed), to, to_signed);
    } else if (to < from || from < 32) {
        return (ptx_value){0};
    }
    return value;
}

static ptx_value loaded(const ptx_values *v, uint32_t row, const tma_ptx_parts *p) {
    const tma_ptx_operand o = tma_ptx_operand_of(p->operand[1], NULL);
    const tma_ptx_span name = {o.name, o.length};
    if (o.kind != TMA_PTX_NAME || declared_in(v->rows, row, name) != PTX_NONE ||
        !v->function->is_entry) {
        return (ptx_value){0};
    }
    return (ptx_value){.kind = PTX_LOADED, .name = name, .offset = o.value};
}

/* What the instruction of a row puts into its first operand. */
static ptx_value result_of(const ptx_values *v, uint32_t row, int *steps) {
    tma_ptx_parts p;
    int is_signed = 0;
    if (tma_ptx_split(&p, &v->rows->row[row].piece) || p.count < 2 ||
        p.operand[0].at[0] == '{') { /* each register gets a part */
        return (ptx_value){0};
    }
    if (tma_ptx_is(&p, "mov", NULL) && p.count == 2 && type_of(p.opcode, &is_signed)) {
        ptx_value value = value_of_span(v, row, p.operand[1], steps);
        if (value.kind == PTX_NUMBER) {
            value.added = narrowed(value.added, type_of(p.opcode, &is_signed), is_signed);
        }
        return value;
    }
    if (tma_ptx_is(&p, "cvta", NULL) && p.count == 2) {
        return value_of_span(v, row, p.operand[1], steps);
    }
    if (tma_ptx_is(&p, "cvt", NULL) && p.count == 2) {
        return converted(v, row, &p, steps);
    }
    if (tma_ptx_is(&p, "ld", "param") && p.count == 2) {
        return loaded(v, row, &p);
    }
    return binary(v, row, &p, steps);
}

static ptx_value value_of(const ptx_values *v, uint32_t row, tma_ptx_span name, int *steps) {
    const uint32_t block = declared_in(v->rows, row, name);
    if (block == PTX_NONE) {
        return (ptx_value){.kind = PTX_SYMBOL, .name = name};
    }
    const uint32_t last = *slot_of(v, name, block);
    if (last != PTX_NONE && v->assigned[last].before == PTX_NONE && (*steps)++ < MOST_STEPS) {
        const ptx_value value = result_of(v, v->assigned[last].row, steps);
        if (value.kind != PTX_UNKNOWN) {
            return value;
        }
    }
    ptx_value value = {.kind = PTX_REGISTER, .name = name, .block = block};
    for (uint32_t i = last; i != PTX_NONE; i = v->assigned[i].before) {
        value.version += v->assigned[i].row < row;
    }
    return value;
}

// NOLINTEND(misc-no-recursion)

ptx_value ptx_value_at(const ptx_values *v, uint32_t row, const tma_ptx_operand *o) {
    if (o->kind == TMA_PTX_NUMBER) {
        return number(o->value);
    }
    if (o->kind != TMA_PTX_NAME) {
        return (ptx_value){0};
    }
    int steps = 0;
    ptx_value value = value_of(v, row, (tma_ptx_span){o->name, o->length}, &steps);
    value.added += o->value;
    return value;
}

ptx_alike ptx_values_alike(const ptx_value *a, const ptx_value *b) {
    if (a->kind != b->kind || a->kind == PTX_UNKNOWN) {
        return PTX_MAYBE;
    }
    const int same = ptx_same(a->name, b->name) && a->block == b->block &&
                     a->version == b->version && a->offset == b->offset;
    if (same) {
        return a->added == b->added ? PTX_EQUAL : PTX_DIFFERENT;
    }
    return a->kind == PTX_SYMBOL ? PTX_DIFFERENT : PTX_MAYBE;
}

const ptx_variable *ptx_variable_named(const ptx_rows *rows, uint32_t function, tma_ptx_span name) {
    const ptx_variable *found = NULL;
    for (uint32_t i = 0; i < rows->variables; i++) {
        const ptx_variable *v = &rows->variable[i];
        if (ptx_same(v->v.name, name) && (v->function == function || v->function == PTX_NONE) &&
            (!found || v->function != PTX_NONE)) {
            found = v;
        }
    }
    return found;
}
