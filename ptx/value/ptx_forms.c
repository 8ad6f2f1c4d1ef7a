/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers plus multiples of atoms.
 */
#include "ptx_forms.h"

#include <string.h>

#include "tma/detail/assert.h"
#include "tma/detail/divisor.h"

#define NONE UINT32_MAX

static uint64_t mixed(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

static uint64_t mask_of(uint32_t bits) {
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* --- atoms --- */

static uint32_t atom_hash(const ptx_atom *a) {
    uint64_t hash = mixed(a->kind | (uint64_t)a->bits << 8, a->a);
    hash = mixed(mixed(mixed(hash, a->b), a->c), a->d);
    return (uint32_t)(hash >> 20);
}

static int is_same_atom(const ptx_atom *a, const ptx_atom *b) {
    return a->kind == b->kind && a->bits == b->bits && a->a == b->a && a->b == b->b &&
           a->c == b->c && a->d == b->d;
}

/* The first slot that is free for a hash. */
static ptx_slot *free_slot(ptx_slot *slot, uint32_t slots, uint32_t hash) {
    uint32_t at = hash & (slots - 1);
    while (slot[at].index != NONE) {
        at = (at + 1) & (slots - 1);
    }
    return &slot[at];
}

/* A table of twice the slots, with what is in the old one. */
static ptx_slot *more_slots(ptx_memory *m, const ptx_slot *old, uint32_t *slots) {
    const uint32_t before = *slots;
    const uint32_t after = before ? 2 * before : 256;
    ptx_slot *slot = ptx_memory_take(m, after, sizeof(*slot));
    if (!slot) {
        return NULL;
    }
    memset(slot, 0xFF, after * sizeof(*slot));
    for (uint32_t i = 0; i < before; i++) {
        if (old[i].index != NONE) {
            *free_slot(slot, after, old[i].hash) = old[i];
        }
    }
    *slots = after;
    return slot;
}

static ptx_slot *atom_slot(const ptx_forms *f, const ptx_atom *a, uint32_t hash) {
    TMA_ASSERT(f->atoms < f->atom_slots); /* one is free: the search ends */
    for (uint32_t at = hash;; at++) {
        ptx_slot *slot = &f->atom_slot[at & (f->atom_slots - 1)];
        if (slot->index == NONE || (slot->hash == hash && is_same_atom(&f->atom[slot->index], a))) {
            return slot;
        }
    }
}

uint32_t ptx_atom_find(const ptx_forms *f, const ptx_atom *atom) {
    return f->atoms ? atom_slot(f, atom, atom_hash(atom))->index : NONE;
}

static int grow_atoms(ptx_forms *f) {
    f->atom_slot = more_slots(f->memory, f->atom_slot, &f->atom_slots);
    return f->atom_slot ? 0 : -1;
}

uint32_t ptx_atom_of(ptx_forms *f, const ptx_atom *atom) {
    if (f->memory->failed || (2 * (f->atoms + 1) > f->atom_slots && grow_atoms(f))) {
        return 0;
    }
    const uint32_t hash = atom_hash(atom);
    ptx_slot *slot = atom_slot(f, atom, hash);
    if (slot->index == NONE) {
        const uint32_t at = f->atoms;
        PTX_APPEND(f, atom, atoms, *atom);
        *slot = (ptx_slot){hash, f->atoms > at ? at : NONE};
        return at;
    }
    return slot->index;
}

/* --- forms --- */

static uint32_t form_hash(const ptx_form *a) {
    uint64_t hash = mixed(a->bits, a->number);
    for (uint32_t i = 0; i < a->terms; i++) {
        hash = mixed(mixed(hash, a->term[i].atom), a->term[i].times);
    }
    return (uint32_t)(hash >> 20);
}

static int is_same(const ptx_form *a, const ptx_form *b) {
    int same = a->bits == b->bits && a->number == b->number && a->terms == b->terms;
    for (uint32_t i = 0; same && i < a->terms; i++) {
        same = a->term[i].atom == b->term[i].atom && a->term[i].times == b->term[i].times;
    }
    return same;
}

static ptx_slot *form_slot(const ptx_forms *f, const ptx_form *a, uint32_t hash) {
    TMA_ASSERT(f->forms < f->form_slots && a->terms <= PTX_TERMS);
    for (uint32_t at = hash;; at++) {
        ptx_slot *slot = &f->form_slot[at & (f->form_slots - 1)];
        if (slot->index == NONE || (slot->hash == hash && is_same(&f->form[slot->index], a))) {
            return slot;
        }
    }
}

static int grow_forms(ptx_forms *f) {
    f->form_slot = more_slots(f->memory, f->form_slot, &f->form_slots);
    return f->form_slot ? 0 : -1;
}

static ptx_value keep(ptx_forms *f, const ptx_form *form) {
    if (f->memory->failed || (2 * (f->forms + 1) > f->form_slots && grow_forms(f))) {
        return PTX_UNKNOWN;
    }
    const uint32_t hash = form_hash(form);
    ptx_slot *slot = form_slot(f, form, hash);
    if (slot->index == NONE) {
        const uint32_t at = f->forms;
        PTX_APPEND(f, form, forms, *form);
        if (f->forms == at) {
            return PTX_UNKNOWN;
        }
        *slot = (ptx_slot){hash, at};
    }
    return slot->index;
}

int ptx_forms_begin(ptx_forms *f, ptx_memory *memory) {
    *f = (ptx_forms){.memory = memory};
    if (grow_atoms(f) || grow_forms(f)) {
        return -1;
    }
    PTX_APPEND(f, form, forms, (ptx_form){0}); /* PTX_UNKNOWN */
    return memory->failed ? -1 : 0;
}

ptx_value ptx_form_number(ptx_forms *f, uint64_t number, uint32_t bits) {
    const ptx_form form = {.number = number & mask_of(bits), .bits = bits};
    TMA_ASSERT(bits >= 1 && bits <= 64);
    return keep(f, &form);
}

ptx_value ptx_form_atom(ptx_forms *f, uint32_t atom, uint32_t bits) {
    const ptx_form form = {.bits = bits, .terms = 1, .term = {{atom, 1}}};
    TMA_ASSERT(bits >= 1 && bits <= 64 && (atom < f->atoms || f->memory->failed));
    return keep(f, &form);
}

ptx_value ptx_form_sum(ptx_forms *f, ptx_value a, ptx_value b, uint64_t times) {
    if (a == PTX_UNKNOWN || b == PTX_UNKNOWN) {
        return PTX_UNKNOWN;
    }
    TMA_ASSERT(a < f->forms && b < f->forms);
    const ptx_form x = f->form[a];
    const ptx_form y = f->form[b];
    const uint64_t mask = mask_of(x.bits);
    ptx_form sum = {.number = (x.number + times * y.number) & mask, .bits = x.bits};
    uint32_t i = 0;
    uint32_t k = 0;
    while (i < x.terms || k < y.terms) {
        const uint32_t left = i < x.terms ? x.term[i].atom : NONE;
        const uint32_t right = k < y.terms ? y.term[k].atom : NONE;
        ptx_term term = {left < right ? left : right, 0};
        term.times += left <= right ? x.term[i++].times : 0;
        term.times += right <= left ? times * y.term[k++].times : 0;
        term.times &= mask;
        if (term.times && sum.terms == PTX_TERMS) {
            return PTX_UNKNOWN;
        }
        TMA_ASSERT(!sum.terms || sum.term[sum.terms - 1].atom < term.atom || !term.times);
        if (term.times) {
            sum.term[sum.terms++] = term;
        }
    }
    return keep(f, &sum);
}

int ptx_form_apart(const ptx_forms *f, ptx_value a, ptx_value b, uint64_t *number) {
    if (a == PTX_UNKNOWN || b == PTX_UNKNOWN) {
        return 0;
    }
    TMA_ASSERT(a < f->forms && b < f->forms);
    const ptx_form *x = &f->form[a];
    const ptx_form *y = &f->form[b];
    const uint64_t mask = mask_of(x->bits);
    uint32_t i = 0;
    uint32_t k = 0;
    while (i < x->terms || k < y->terms) {
        const uint32_t left = i < x->terms ? x->term[i].atom : NONE;
        const uint32_t right = k < y->terms ? y->term[k].atom : NONE;
        uint64_t times = left <= right ? x->term[i++].times : 0;
        times -= right <= left ? y->term[k++].times : 0;
        if (times & mask) {
            return 0;
        }
    }
    *number = (x->number - y->number) & mask;
    return 1;
}

/* Where variables and windows lie: what addresses are known by. */
static int is_place(const ptx_atom *atom) {
    return atom->kind == PTX_ATOM_ADDRESS || atom->kind == PTX_ATOM_WINDOW;
}

static int64_t signed_of(uint64_t number, uint32_t bits) {
    return (int64_t)(number << (64 - bits)) >> (64 - bits);
}

/* The number, the places and what one atom more counts for, of two sides of a sum, go into `out`;
 * the others into a form for each side. */
static void part_sides(ptx_forms *f, const ptx_value side[2], uint64_t by, ptx_value part[2],
                       ptx_value *out) {
    TMA_ASSERT(by);
    const uint32_t bits = f->form[*out].bits;
    for (uint32_t i = 0; i < 2; i++) {
        const ptx_form x = f->form[side[i]];
        part[i] = ptx_form_number(f, 0, bits);
        *out = ptx_form_sum(f, *out, ptx_form_number(f, x.number, bits), 1);
        for (uint32_t k = 0; k < x.terms; k++) {
            const ptx_value one = ptx_form_atom(f, x.term[k].atom, bits);
            const int64_t times = signed_of(x.term[k].times, bits);
            if (is_place(&f->atom[x.term[k].atom])) {
                *out = ptx_form_sum(f, *out, one, (uint64_t)times);
            } else {
                part[i] = ptx_form_sum(f, part[i], one, (uint64_t)(times / (int64_t)by));
            }
        }
    }
}

ptx_value ptx_form_sum_of_many(ptx_forms *f, ptx_value a, ptx_value b, uint64_t times) {
    const ptx_value sum = ptx_form_sum(f, a, b, times);
    if (sum != PTX_UNKNOWN || a == PTX_UNKNOWN || b == PTX_UNKNOWN ||
        f->form[a].bits != f->form[b].bits) {
        return sum;
    }
    const uint32_t bits = f->form[a].bits;
    const ptx_value other = ptx_form_times(f, b, times);
    const ptx_value side[2] = {a < other ? a : other, a < other ? other : a};
    uint64_t by = 0;
    for (uint32_t i = 0; i < 2; i++) {
        const ptx_form *x = &f->form[side[i]];
        for (uint32_t k = 0; k < x->terms; k++) {
            const int64_t one = signed_of(x->term[k].times, bits);
            by = is_place(&f->atom[x->term[k].atom])
                     ? by
                     : common_divisor(by, one < 0 ? 0 - (uint64_t)one : (uint64_t)one);
        }
    }
    if (by == 0) {
        return sum; /* nothing but numbers and places */
    }
    ptx_value part[2];
    ptx_value out = ptx_form_number(f, 0, bits);
    part_sides(f, side, by, part, &out);
    return ptx_form_sum(f, out, ptx_form_operation(f, PTX_DO_SUM, bits, part, 2), by);
}

ptx_value ptx_form_times(ptx_forms *f, ptx_value a, uint64_t times) {
    if (a == PTX_UNKNOWN) {
        return PTX_UNKNOWN;
    }
    return ptx_form_sum(f, ptx_form_number(f, 0, f->form[a].bits), a, times);
}

/* Values in values that were extended, each as often as it counts. */
#define MOST_PARTS 16
typedef struct part {
    ptx_value value;
    uint64_t times;
} part;

static int is_extended(const ptx_atom *atom) {
    return atom->kind == PTX_ATOM_OPERATION &&
           (atom->a == PTX_DO_ZERO_EXTEND || atom->a == PTX_DO_SIGN_EXTEND);
}

/* The low bits, with what was extended taken apart (`opens`) or not. */
static ptx_value cut(ptx_forms *f, ptx_value a, uint32_t bits, int opens) {
    part todo[MOST_PARTS] = {{a, 1}};
    uint32_t todos = 1;
    ptx_value sum = ptx_form_number(f, 0, bits);
    while (todos) {
        const part one = todo[--todos];
        const ptx_form x = f->form[one.value];
        sum = ptx_form_sum(f, sum, ptx_form_number(f, x.number, bits), one.times);
        for (uint32_t i = 0; i < x.terms; i++) {
            const ptx_atom *atom = &f->atom[x.term[i].atom];
            const uint64_t times = one.times * x.term[i].times;
            if (opens && is_extended(atom) && f->form[atom->b].bits >= bits && todos < MOST_PARTS) {
                /* the low bits of it are those of what it is of */
                todo[todos++] = (part){atom->b, times};
            } else {
                sum = ptx_form_sum(f, sum, ptx_form_atom(f, x.term[i].atom, bits), times);
            }
        }
    }
    return sum;
}

ptx_value ptx_form_cut(ptx_forms *f, ptx_value a, uint32_t bits) {
    if (a == PTX_UNKNOWN || f->form[a].bits <= bits) {
        return a;
    }
    const ptx_value opened = cut(f, a, bits, 1);
    return opened != PTX_UNKNOWN ? opened : cut(f, a, bits, 0);
}

ptx_value ptx_form_extend(ptx_forms *f, ptx_value a, uint32_t bits, int is_signed) {
    uint64_t number = 0;
    if (a == PTX_UNKNOWN || f->form[a].bits >= bits) {
        return ptx_form_cut(f, a, bits);
    }
    const ptx_form *x = &f->form[a];
    if (ptx_form_is_number(f, a, &number)) {
        const uint64_t sign = is_signed && number >> (x->bits - 1) ? ~mask_of(x->bits) : 0;
        return ptx_form_number(f, number | sign, bits);
    }
    if (x->terms == 1 && x->term[0].times == 1 && !x->number &&
        f->atom[x->term[0].atom].bits < x->bits + !is_signed) {
        return ptx_form_atom(f, x->term[0].atom, bits); /* it is below 2^bits, and has no sign */
    }
    return ptx_form_operation(f, is_signed ? PTX_DO_SIGN_EXTEND : PTX_DO_ZERO_EXTEND, bits, &a, 1);
}

/* Whether the low bits of a form are a number alone or one atom alone that is below 2^by: nothing
 * is carried out of them. */
static int has_low_part(const ptx_forms *f, const ptx_form *x, uint32_t by) {
    const uint64_t low = mask_of(by);
    uint32_t parts = (x->number & low) != 0;
    for (uint32_t i = 0; i < x->terms; i++) {
        const ptx_atom *atom = &f->atom[x->term[i].atom];
        const int is_short =
            atom->bits <= by ||
            (is_extended(atom) && atom->a == PTX_DO_ZERO_EXTEND && f->form[atom->b].bits <= by);
        if (x->term[i].times & low) {
            parts += x->term[i].times == 1 && is_short ? 1 : 2;
        }
    }
    return parts < 2;
}

ptx_value ptx_form_upper(ptx_forms *f, ptx_value a, uint32_t by) {
    if (a == PTX_UNKNOWN || !by || by >= f->form[a].bits || !has_low_part(f, &f->form[a], by)) {
        return PTX_UNKNOWN;
    }
    const ptx_form x = f->form[a];
    const uint32_t bits = x.bits - by;
    ptx_value sum = ptx_form_number(f, x.number >> by, bits);
    for (uint32_t i = 0; i < x.terms; i++) {
        const ptx_atom *atom = &f->atom[x.term[i].atom];
        const uint64_t times = x.term[i].times >> by;
        if (times && is_extended(atom) && f->form[atom->b].bits >= bits) {
            sum = ptx_form_sum(f, sum, ptx_form_cut(f, atom->b, bits), times);
        } else if (times) {
            sum = ptx_form_sum(f, sum, ptx_form_atom(f, x.term[i].atom, bits), times);
        }
    }
    return sum;
}

ptx_value ptx_form_halved(ptx_forms *f, ptx_value a, uint32_t *times) {
    const ptx_form x = f->form[a];
    uint64_t any = x.number;
    for (uint32_t i = 0; i < x.terms; i++) {
        any |= x.term[i].times;
    }
    *times = 0;
    while (any && x.terms && !(any >> *times & 1)) {
        *times += 1;
    }
    if (!*times) {
        return a;
    }
    const uint64_t sign = UINT64_C(1) << (x.bits - 1u - *times);
    ptx_value half = ptx_form_number(f, x.number >> *times, x.bits);
    for (uint32_t i = 0; i < x.terms; i++) {
        half = ptx_form_sum(f, half, ptx_form_atom(f, x.term[i].atom, x.bits),
                            ((x.term[i].times >> *times) ^ sign) - sign);
    }
    return half;
}

/* The innermost of the loops that values are made in. */
static void take_loop(const ptx_forms *f, ptx_atom *atom, ptx_value of) {
    const ptx_form *x = &f->form[of];
    for (uint32_t i = 0; i < x->terms; i++) {
        const ptx_atom *part = &f->atom[x->term[i].atom];
        if (part->is_mixed ||
            (part->loop != NONE && atom->loop != NONE && part->loop != atom->loop)) {
            atom->is_mixed = 1; /* it may be made anew whenever any loop goes back */
        }
        atom->loop = part->loop == NONE ? atom->loop : part->loop;
    }
}

ptx_value ptx_form_operation(ptx_forms *f, uint32_t operation, uint32_t bits, const ptx_value *of,
                             uint32_t count) {
    ptx_atom atom = {
        .kind = PTX_ATOM_OPERATION, .bits = (uint8_t)bits, .a = operation, .loop = NONE};
    uint32_t *const members[] = {&atom.b, &atom.c, &atom.d};
    if (count > 3) {
        return PTX_UNKNOWN;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (of[i] == PTX_UNKNOWN) {
            return PTX_UNKNOWN;
        }
        *members[i] = of[i];
        take_loop(f, &atom, of[i]);
    }
    return ptx_form_atom(f, ptx_atom_of(f, &atom), bits);
}

int ptx_form_is_number(const ptx_forms *f, ptx_value a, uint64_t *number) {
    *number = f->form[a].number;
    return a != PTX_UNKNOWN && !f->form[a].terms;
}

static uint32_t zeros_of(uint64_t number) {
    uint32_t zeros = 0;
    while (zeros < 64 && !(number >> zeros & 1)) {
        zeros++;
    }
    return zeros;
}

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

uint32_t ptx_form_low_bits(const ptx_forms *f, ptx_value a, ptx_aligned aligned,
                           const void *context, uint64_t *number) {
    part todo[MOST_PARTS] = {{a, 1}};
    uint32_t todos = a != PTX_UNKNOWN;
    uint32_t known = a == PTX_UNKNOWN ? 0 : f->form[a].bits; /* memory may have ended */
    *number = 0;
    while (todos) {
        const part one = todo[--todos];
        const ptx_form *x = &f->form[one.value];
        *number += one.times * x->number;
        known = least(known, zeros_of(one.times) + x->bits);
        for (uint32_t i = 0; i < x->terms; i++) {
            const ptx_atom *atom = &f->atom[x->term[i].atom];
            const uint64_t times = one.times * x->term[i].times;
            const uint32_t bits = aligned(context, atom);
            if (!bits && is_extended(atom) && todos < MOST_PARTS) {
                todo[todos++] = (part){atom->b, times};
            } else {
                known = least(known, zeros_of(times) + bits);
            }
        }
    }
    *number &= mask_of(known);
    return known;
}
