/* SPDX-License-Identifier: Apache-2.0
 *
 * Which barrier an instruction tells that is still before threads: the one that their registers
 * name now, where nothing before them writes the register; else it may be any.
 */
#include "deadlock_ahead.h"

#include <string.h>

#include "access.h"
#include "async.h"
#include "deadlock.h"
#include "heap.h"

#define MBARRIER_B 8

#define MOST_WORK (UINT64_C(1) << 28) /* instructions, lanes and groups that are looked at */

/* The instructions ahead of one that tell an mbarrier, then those that come to a named barrier. */
typedef struct emu_ahead_of {
    struct emu_ahead_of *next;
    const emu_instruction *from;
    uint32_t tells, count; /* of at[] */
    uint32_t at[];         /* instruction << 1, + 1: what names its barrier is as it is now */
} emu_ahead_of;

/* What a group's threads may tell, and come to. */
struct emu_ahead_set {
    uint8_t tells, tells_any, comes_any;
    uint32_t comes;  /* bits by named barrier */
    uint32_t told_B; /* of told[]: bits by mbarrier */
    uint8_t told[];
};

enum {
    COMES = 1, /* threads may come to it */
    KEEPS      /* and what names its barrier is as it is now */
};

/* ---- which instructions ---- */

/* Marks an instruction to be looked at; it is behind `at` or was marked before: else one round
 * more is needed. */
static int mark(const emu_program *p, uint8_t *seen, int64_t to, uint32_t at) {
    if (to < 0 || to >= p->instructions || seen[to]) {
        return 0;
    }
    seen[to] = COMES;
    return to <= at;
}

/* Whether an instruction may call a function: by a register, any. */
static int calls(const emu_instruction *in, uint32_t function) {
    const emu_operand *to = &in->operand[1];
    return in->op == EMU_OP_CALL && (to->kind != EMU_FUNCTION || (uint64_t)to->number == function);
}

static int mark_called(const emu_program *p, uint8_t *seen, uint32_t at) {
    int again = 0;
    for (uint32_t i = 0; p->code[at].op == EMU_OP_CALL && i < p->functions; i++) {
        if (p->function[i].first < p->function[i].end && calls(&p->code[at], i)) {
            again |= mark(p, seen, p->function[i].first, at);
        }
    }
    return again;
}

/* Where the callers of a function go on. */
static int mark_callers(const emu_program *p, uint8_t *seen, uint32_t at) {
    int again = 0;
    for (uint32_t i = 0; i < p->instructions; i++) {
        again |= calls(&p->code[i], p->code[at].function) ? mark(p, seen, (int64_t)i + 1, at) : 0;
    }
    return again;
}

/* Marks what may come after an instruction. */
static int mark_next(const emu_program *p, uint8_t *seen, uint32_t at) {
    const emu_instruction *in = &p->code[at];
    int again = mark_called(p, seen, at);
    for (uint32_t i = 0; i < in->operands; i++) {
        const emu_operand *o = &in->operand[i];
        again |= o->kind == EMU_LABEL ? mark(p, seen, o->number, at) : 0;
        for (uint32_t k = 0; o->kind == EMU_VECTOR && in->op == EMU_OP_BRX && k < o->count; k++) {
            again |= mark(p, seen, p->operand[o->first + k].number, at);
        }
    }
    if (in->op == EMU_OP_RET && !p->function[in->function].is_entry) {
        again |= mark_callers(p, seen, at);
    }
    const int leaves = in->op == EMU_OP_RET || in->op == EMU_OP_EXIT || in->op == EMU_OP_BRA ||
                       in->op == EMU_OP_BRX || in->op == EMU_OP_TRAP;
    return again | (leaves && in->guard == EMU_NO_GUARD ? 0 : mark(p, seen, (int64_t)at + 1, at));
}

/* ---- which barrier they name ---- */

static int comes(const emu_instruction *in) {
    switch (in->op) {
    case EMU_OP_BAR_SYNC:
    case EMU_OP_BAR_RED:
    case EMU_OP_BAR_ARRIVE:
    case EMU_OP_BARRIER_SYNC:
    case EMU_OP_BARRIER_RED:
    case EMU_OP_BARRIER_ARRIVE:
        return 1;
    default:
        return 0;
    }
}

/* The operand with the barrier; null: it has none. An mbarrier's address stands behind all
 * others. */
static const emu_operand *barrier_of(const emu_instruction *in) {
    const emu_operand *last = comes(in) ? emu_named_number(in) : NULL;
    for (uint32_t i = 0; emu_tells_mbarrier(in) && i < in->operands; i++) {
        last = in->operand[i].kind == EMU_ADDRESS ? &in->operand[i] : last;
    }
    return last;
}

/* A variable's address, or a number. */
static int is_constant(const emu_operand *o) {
    return o->variable != EMU_NONE || o->slot < 0;
}

static void note_register(const emu_operand *o, uint8_t *written) {
    if (o->kind == EMU_REGISTER && o->slot >= 0) {
        written[o->slot] = 1;
    }
}

static void note_operand(const emu_program *p, const emu_operand *o, uint8_t *written) {
    note_register(o, written);
    for (uint32_t i = 0; o->kind == EMU_VECTOR && i < o->count; i++) {
        note_register(&p->operand[o->first + i], written);
    }
}

/* A destination stands first; of what is no arithmetic each register counts as one. */
static void note_written(const emu_program *p, const emu_instruction *in, uint8_t *written) {
    const uint32_t most = in->pure && in->operands ? 1 : in->operands;
    note_operand(p, &in->also, written);
    for (uint32_t i = 0; i < most; i++) {
        note_operand(p, &in->operand[i], written);
    }
}

/* Which functions may be called again: by a register, all. */
static void note_called(const emu_program *p, const uint8_t *seen, uint8_t *called) {
    int any = 0;
    for (uint32_t i = 0; i < p->instructions; i++) {
        const emu_instruction *in = &p->code[i];
        if (seen[i] && in->op == EMU_OP_CALL) {
            const emu_operand *to = &in->operand[1];
            any |= to->kind != EMU_FUNCTION;
            called[to->kind == EMU_FUNCTION ? to->number : 0] = 1;
        }
    }
    for (uint32_t i = 0; any && i < p->functions; i++) {
        called[i] = 1;
    }
}

/* Of a function's instructions, which name a barrier by a register that keeps its value: nothing
 * that is before the threads writes it or calls the function. */
static void settle_function(const emu_program *p, uint32_t function, uint8_t *seen, int is_called,
                            uint8_t *written) {
    const emu_function *f = &p->function[function];
    memset(written, 0, f->slots);
    for (uint32_t i = f->first; i <= f->end; i++) {
        if (seen[i]) {
            note_written(p, &p->code[i], written);
        }
    }
    for (uint32_t i = f->first; i <= f->end; i++) {
        const emu_operand *o = seen[i] ? barrier_of(&p->code[i]) : NULL;
        if (o && (is_constant(o) || (!is_called && !written[o->slot]))) {
            seen[i] = KEEPS;
        }
    }
}

/* Which of the instructions name a barrier by a register that keeps its value. */
static void settle(const emu_program *p, uint8_t *seen, uint8_t *called, uint8_t *written) {
    note_called(p, seen, called);
    for (uint32_t i = 0; i < p->functions; i++) {
        if (p->function[i].first < p->function[i].end) {
            settle_function(p, i, seen, called[i], written);
        }
    }
}

/* ---- all of it, once ---- */

static uint32_t most_slots(const emu_program *p) {
    uint32_t slots = 0;
    for (uint32_t i = 0; i < p->functions; i++) {
        slots = p->function[i].slots > slots ? p->function[i].slots : slots;
    }
    return slots;
}

static void mark_all(emu_ahead *a, uint8_t *seen) {
    const emu_program *p = a->m->program;
    for (int again = 1; again && !emu_ahead_is_over(a);) {
        again = 0;
        a->work += p->instructions;
        for (uint32_t i = 0; i < p->instructions; i++) {
            again |= seen[i] ? mark_next(p, seen, i) : 0;
        }
    }
}

/* Lists the instructions of one kind behind those that are listed. */
static void list(const emu_program *p, const uint8_t *seen, int (*is_one)(const emu_instruction *),
                 emu_ahead_of *of, uint32_t *count) {
    for (uint32_t i = 0; i < p->instructions; i++) {
        if (seen[i] && is_one(&p->code[i]) && barrier_of(&p->code[i])) {
            if (of) {
                of->at[*count] = i << 1 | (seen[i] == KEEPS);
            }
            ++*count;
        }
    }
}

/* What comes behind an instruction, whatever that is; null: no memory, which stops the run. */
static emu_ahead_of *look_ahead(emu_ahead *a, const emu_instruction *from) {
    const emu_program *p = a->m->program;
    uint8_t *seen = emu_take(a->m, (size_t)p->instructions + p->functions + most_slots(p));
    uint8_t *called = seen ? seen + p->instructions : NULL;
    emu_ahead_of *of = NULL;
    uint32_t count = 0;
    if (seen) {
        seen[from - p->code] = COMES;
        mark_all(a, seen);
        settle(p, seen, called, called + p->functions);
        list(p, seen, emu_tells_mbarrier, NULL, &count);
        list(p, seen, comes, NULL, &count);
        of = emu_take(a->m, sizeof(*of) + count * sizeof(of->at[0]));
    }
    if (of) {
        of->from = from;
        list(p, seen, emu_tells_mbarrier, of, &of->tells);
        of->count = of->tells;
        list(p, seen, comes, of, &of->count);
    }
    emu_give(a->m, seen);
    return of;
}

static const emu_ahead_of *ahead_of(emu_ahead *a, const emu_instruction *from) {
    emu_ahead_of *of = a->first;
    while (of && of->from != from) {
        of = of->next;
    }
    if (!of && (of = look_ahead(a, from))) {
        of->next = a->first;
        a->first = of;
    }
    return of;
}

void emu_ahead_end(emu_ahead *a) {
    for (emu_ahead_of *of = a->first, *next; of; of = next) {
        next = of->next;
        emu_give(a->m, of);
    }
    a->first = NULL;
}

int emu_ahead_is_over(const emu_ahead *a) {
    return a->work > MOST_WORK;
}

/* ---- what they name ---- */

/* A fragment's only activation of a function; null: there is none, or which one will go on is not
 * known. */
static emu_frame *activation(const emu_fragment *f, const emu_function *function) {
    emu_frame *only = NULL;
    for (emu_frame *frame = f->frame; frame; frame = frame->caller) {
        if (frame->function == function && only) {
            return NULL;
        }
        only = frame->function == function ? frame : only;
    }
    return only;
}

/* What a fragment's lanes name there with their registers of now. */
static void take_values(emu_ahead *a, struct emu_ahead_set *set, emu_warp *w, emu_fragment *f,
                        const emu_instruction *in) {
    const emu_operand *o = barrier_of(in);
    const uint32_t space = in->spaces ? in->space[0] : (uint32_t)EMU_GENERIC;
    uint64_t address[EMU_LANES];
    emu_fragment *now = w->now;
    w->now = f;
    if (o->kind == EMU_ADDRESS) {
        emu_addresses(w, o, space, address);
    }
    EMU_FOR_LANES(lane, f->mask) {
        if (comes(in)) {
            const uint64_t number = emu_lane_value(w, o, lane);
            set->comes |= number < 32 ? UINT32_C(1) << number : 0;
        } else { /* of any CTA: a multicast tells others */
            const uint32_t slot = (address[lane] & EMU_OFFSET_BITS) / MBARRIER_B;
            if (slot / 8 < set->told_B) {
                set->told[slot / 8] |= (uint8_t)(1u << slot % 8);
            }
        }
    }
    w->now = now;
    a->work += EMU_LANES;
}

static void take_fragment(emu_ahead *a, struct emu_ahead_set *set, const emu_ahead_of *of,
                          emu_warp *w, const emu_fragment *f) {
    const emu_program *p = a->m->program;
    for (uint32_t i = 0; i < of->count && !emu_ahead_is_over(a); i++) {
        const emu_instruction *in = &p->code[of->at[i] >> 1];
        emu_fragment at = *f;
        at.frame =
            is_constant(barrier_of(in)) ? f->frame : activation(f, &p->function[in->function]);
        a->work++;
        if (of->at[i] & 1 && at.frame) {
            take_values(a, set, w, &at, in);
        } else if (comes(in)) {
            set->comes_any = 1;
        } else {
            set->tells_any = 1;
        }
    }
}

/* Null: no memory, which stops the run. */
static const struct emu_ahead_set *set_of(emu_ahead *a, emu_waiting *g) {
    const emu_ahead_of *of = g->ahead ? NULL : ahead_of(a, g->in);
    const uint32_t told_B = g->cta->shared_B / MBARRIER_B / 8 + 1;
    if (of && (g->ahead = emu_take(a->m, sizeof(*g->ahead) + told_B))) {
        g->ahead->told_B = told_B;
        g->ahead->tells = of->tells != 0;
        for (uint32_t i = 0; i < g->cta->warps; i++) {
            emu_warp *w = &g->cta->warp[i];
            for (const emu_fragment *f = w->fragments; f; f = f->next) {
                const emu_waiting one = emu_wait_of(w, f);
                if (emu_waits_alike(&one, g)) {
                    take_fragment(a, g->ahead, of, w, f);
                }
            }
        }
    }
    return g->ahead;
}

int emu_may_tell(emu_ahead *a, emu_waiting *g, const emu_waiting *at) {
    const struct emu_ahead_set *set = set_of(a, g);
    const uint32_t slot = at ? (at->number & EMU_OFFSET_BITS) / MBARRIER_B : 0;
    return set && (!at ? set->tells
                       : set->tells_any ||
                             (slot / 8 < set->told_B && (set->told[slot / 8] >> slot % 8 & 1)));
}

/* Whether an instruction that tells an mbarrier is ahead: they are listed in their order. */
static int is_ahead(const emu_ahead_of *of, uint32_t instruction) {
    uint32_t from = 0, to = of->tells;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (of->at[middle] >> 1 < instruction) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from < of->tells && of->at[from] >> 1 == instruction;
}

int emu_tells_again(emu_ahead *a, emu_waiting *g, const emu_waiting *at) {
    const emu_mbarrier *b = emu_waited_for(at);
    if (!emu_may_tell(a, g, at) || !b || !b->told_in[0] || b->told_more) {
        return emu_may_tell(a, g, at);
    }
    const emu_ahead_of *of = ahead_of(a, g->in);
    a->work += EMU_TOLD;
    for (uint32_t i = 0; of && i < EMU_TOLD && b->told_in[i]; i++) {
        if (is_ahead(of, (uint32_t)(b->told_in[i] - a->m->program->code))) {
            return 1;
        }
    }
    return 0;
}

int emu_may_come(emu_ahead *a, emu_waiting *g, uint64_t number) {
    const struct emu_ahead_set *set = set_of(a, g);
    return set && (set->comes_any || (number < 32 && (set->comes >> number & 1)));
}
