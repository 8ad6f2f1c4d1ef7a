/* SPDX-License-Identifier: Apache-2.0
 *
 * What an entry names, with all that it calls: variables, and those in their initialisers.
 */
#include "decode.h"

typedef struct finder {
    decode *d;
    uint8_t *has_variable, *has_function;
    uint32_t *stack; /* functions, then variables from `functions` on */
    uint32_t stacked;
    int calls_pointers;
} finder;

static void push(finder *f, uint8_t *has, uint32_t number) {
    if (!*has) {
        *has = 1;
        f->stack[f->stacked++] = number;
    }
}

static void push_variable(finder *f, uint32_t i) {
    push(f, &f->has_variable[i], f->d->p->functions + i);
}

static void take_operand(finder *f, const emu_operand *o) {
    if (o->kind == EMU_FUNCTION) {
        push(f, &f->has_function[o->number], (uint32_t)o->number);
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
            push(f, &f->has_function[r->function], r->function);
        }
    }
}

static void take_entry(finder *f, emu_function *entry, uint32_t number) {
    emu_program *p = f->d->p;
    for (uint32_t i = 0; i < p->variables; i++) {
        f->has_variable[i] = 0;
    }
    for (uint32_t i = 0; i < p->functions; i++) {
        f->has_function[i] = 0;
    }
    push(f, &f->has_function[number], number);
    while (f->stacked) {
        const uint32_t i = f->stack[--f->stacked];
        if (i < p->functions) {
            take_code(f, &p->function[i]);
        } else {
            take_initialiser(f, &p->variable[i - p->functions]);
        }
    }
    entry->first_used = p->all_used;
    for (uint32_t i = 0; i < p->variables; i++) {
        const uint8_t space = p->variable[i].space;
        if (f->has_variable[i] &&
            (space == EMU_SHARED_CTA || space == EMU_GLOBAL || space == EMU_CONST)) {
            PTX_APPEND(p, used, all_used, i);
        }
    }
    entry->used = p->all_used - entry->first_used;
    entry->first_called = p->all_called;
    for (uint32_t i = 0; i < p->functions; i++) {
        if (f->has_function[i] && p->function[i].is_defined) {
            PTX_APPEND(p, called, all_called, i);
        }
    }
    entry->called = p->all_called - entry->first_called;
}

void decode_used(decode *d) {
    emu_program *p = d->p;
    finder f = {.d = d};
    f.has_variable = ptx_memory_take(d->memory, p->variables + 1u, 1);
    f.has_function = ptx_memory_take(d->memory, p->functions + 1u, 1);
    f.stack = ptx_memory_take(d->memory, (size_t)p->variables + p->functions + 1, sizeof(*f.stack));
    for (uint32_t i = 0; i < p->functions && !d->memory->failed; i++) {
        if (p->function[i].is_entry && p->function[i].is_defined) {
            take_entry(&f, &p->function[i], i);
        }
    }
}
