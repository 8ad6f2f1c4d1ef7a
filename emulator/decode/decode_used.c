/* SPDX-License-Identifier: Apache-2.0
 *
 * What an entry names, with all that it calls: variables, and those in their initialisers.
 */
#include "decode.h"

/* Which are found, all of them from `low` to `high`: no entry looks at what only others name. */
typedef struct found {
    uint8_t *has;
    uint32_t low, high;
} found;

typedef struct finder {
    decode *d;
    found variables, functions;
    uint32_t *stack; /* functions, then variables from `functions` on */
    uint32_t stacked;
} finder;

static void forget(found *all) {
    for (uint32_t i = all->low; i < all->high; i++) {
        all->has[i] = 0;
    }
    all->low = UINT32_MAX;
    all->high = 0;
}

static void push(finder *f, found *all, uint32_t i, uint32_t number) {
    if (!all->has[i]) {
        all->has[i] = 1;
        all->low = i < all->low ? i : all->low;
        all->high = i < all->high ? all->high : i + 1;
        f->stack[f->stacked++] = number;
    }
}

static void push_function(finder *f, uint32_t i) {
    push(f, &f->functions, i, i);
}

static void push_variable(finder *f, uint32_t i) {
    push(f, &f->variables, i, f->d->p->functions + i);
}

static void take_operand(finder *f, const emu_operand *o) {
    if (o->kind == EMU_FUNCTION) {
        push_function(f, (uint32_t)o->number);
    } else if (o->variable != EMU_NONE && o->kind != EMU_ABSENT) {
        push_variable(f, o->variable);
    }
}

static void take_code(finder *f, const emu_function *function) {
    const emu_program *p = f->d->p;
    for (uint32_t at = function->first; at < function->end; at++) {
        const emu_instruction *in = &p->code[at];
        for (uint32_t i = 0; i < in->operands; i++) {
            const emu_operand *o = &in->operand[i];
            take_operand(f, o);
            for (uint32_t k = 0; k < o->count; k++) {
                take_operand(f, &p->operand[o->first + k]);
            }
        }
    }
}

static void take_initialiser(finder *f, const emu_variable *v) {
    for (uint32_t i = 0; i < v->relocations; i++) {
        const emu_relocation *r = &f->d->p->relocation[v->first_relocation + i];
        if (r->variable != EMU_NONE) {
            push_variable(f, r->variable);
        } else if (r->function != EMU_NONE) {
            push_function(f, r->function);
        }
    }
}

static void keep_called(const finder *f, emu_function *entry) {
    emu_program *p = f->d->p;
    uint32_t before = 0;
    entry->first_called = p->all_called;
    for (uint32_t i = f->functions.low; i < f->functions.high; i++) {
        if (f->functions.has[i] && p->function[i].is_defined) {
            const emu_called called = {.function = i, .before = before};
            PTX_APPEND(p, called, all_called, called);
            before += p->function[i].end - p->function[i].first;
        }
    }
    entry->called = p->all_called - entry->first_called;
}

static void keep_used(const finder *f, emu_function *entry) {
    emu_program *p = f->d->p;
    entry->first_used = p->all_used;
    for (uint32_t i = f->variables.low; i < f->variables.high; i++) {
        const uint8_t space = p->variable[i].space;
        if (f->variables.has[i] &&
            (space == EMU_SHARED_CTA || space == EMU_GLOBAL || space == EMU_CONST)) {
            PTX_APPEND(p, used, all_used, i);
        }
    }
    entry->used = p->all_used - entry->first_used;
}

static void take_entry(finder *f, uint32_t number) {
    const emu_program *p = f->d->p;
    forget(&f->variables);
    forget(&f->functions);
    push_function(f, number);
    while (f->stacked) {
        const uint32_t i = f->stack[--f->stacked];
        if (i < p->functions) {
            take_code(f, &p->function[i]);
        } else {
            take_initialiser(f, &p->variable[i - p->functions]);
        }
    }
    keep_used(f, &f->d->p->function[number]);
    keep_called(f, &f->d->p->function[number]);
}

void decode_used(decode *d) {
    emu_program *p = d->p;
    finder f = {.d = d};
    f.variables.has = ptx_memory_take(d->memory, p->variables + 1u, 1);
    f.functions.has = ptx_memory_take(d->memory, p->functions + 1u, 1);
    f.stack = ptx_memory_take(d->memory, (size_t)p->variables + p->functions + 1, sizeof(*f.stack));
    for (uint32_t i = 0; i < p->functions && !d->memory->failed; i++) {
        if (p->function[i].is_entry && p->function[i].is_defined) {
            PTX_APPEND(p, entry, entries, i);
            take_entry(&f, i);
        }
    }
}
