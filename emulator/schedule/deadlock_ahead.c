/* SPDX-License-Identifier: Apache-2.0
 *
 * Which barrier an instruction tells that is still before threads: the one that their registers
 * name now, where nothing before them writes the register; else it may be any.
 */
#include "deadlock_ahead.h"

#include <string.h>

#include "async.h"
#include "heap.h"
#include "places.h"

typedef struct emu_ahead_of {
    struct emu_ahead_of *next;
    const emu_instruction *from;
    uint8_t seen[]; /* by instruction: 0, or COMES or KEEPS */
} emu_ahead_of;

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

static int tells(const emu_instruction *in) {
    switch (in->op) {
    case EMU_OP_MBARRIER_ARRIVE:
    case EMU_OP_MBARRIER_ARRIVE_DROP:
    case EMU_OP_MBARRIER_EXPECT_TX:
    case EMU_OP_MBARRIER_COMPLETE_TX:
    case EMU_OP_CP_ASYNC_MBARRIER:
    case EMU_OP_ST_ASYNC:
    case EMU_OP_RED_ASYNC:
    case EMU_OP_TRY_CANCEL:
    case EMU_OP_TCGEN05_COMMIT:
        return 1;
    case EMU_OP_CP_BULK:
    case EMU_OP_CP_REDUCE_BULK:
    case EMU_OP_CP_TENSOR:
        return emu_flag(in, EMU_FLAG_COMPLETE_TX_BYTES);
    default:
        return 0;
    }
}

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
    for (uint32_t i = 0; tells(in) && i < in->operands; i++) {
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

/* Which of the instructions name a barrier by a register that keeps its value. Without memory for
 * it none is known to: emu_take() stops the run. */
static void settle(emu_machine *m, uint8_t *seen) {
    const emu_program *p = m->program;
    uint32_t slots = 0;
    for (uint32_t i = 0; i < p->functions; i++) {
        slots = p->function[i].slots > slots ? p->function[i].slots : slots;
    }
    uint8_t *called = emu_take(m, (size_t)p->functions + slots);
    if (!called) {
        return;
    }
    note_called(p, seen, called);
    for (uint32_t i = 0; i < p->functions; i++) {
        if (p->function[i].first < p->function[i].end) {
            settle_function(p, i, seen, called[i], called + p->functions);
        }
    }
    emu_give(m, called);
}

/* ---- all of it, once ---- */

/* By instruction, whether threads that wait at one may come to it; null: no memory. */
static const uint8_t *ahead_of(emu_ahead *a, const emu_instruction *from) {
    const emu_program *p = a->m->program;
    emu_ahead_of *of = a->first;
    while (of && of->from != from) {
        of = of->next;
    }
    if (of || !(of = emu_take(a->m, sizeof(*of) + p->instructions))) {
        return of ? of->seen : NULL;
    }
    of->from = from;
    of->next = a->first;
    a->first = of;
    of->seen[from - p->code] = COMES;
    for (int again = 1; again;) {
        again = 0;
        for (uint32_t i = 0; i < p->instructions; i++) {
            again |= of->seen[i] ? mark_next(p, of->seen, i) : 0;
        }
    }
    settle(a->m, of->seen);
    return of->seen;
}

void emu_ahead_end(emu_ahead *a) {
    for (emu_ahead_of *of = a->first, *next; of; of = next) {
        next = of->next;
        emu_give(a->m, of);
    }
    a->first = NULL;
}

/* ---- what they name ---- */

/* Whether an operand may have a value, in those bits, when a group's threads come to it. */
typedef struct question {
    const emu_instruction *in;
    const emu_operand *o;
    uint64_t value, bits;
} question;

static int lanes_have(emu_warp *w, emu_fragment *f, const question *q) {
    const uint32_t space = q->in->spaces ? q->in->space[0] : (uint32_t)EMU_GENERIC;
    emu_fragment *now = w->now;
    int have = 0;
    w->now = f;
    EMU_FOR_LANES(lane, f->mask) {
        const uint64_t has = q->o->kind == EMU_ADDRESS ? emu_address(w, q->o, space, lane)
                                                       : emu_lane_value(w, q->o, lane);
        have |= !((has ^ q->value) & q->bits);
    }
    w->now = now;
    return have;
}

static int may_have(const emu_ahead *a, const emu_waiting *g, const uint8_t *seen,
                    const question *q) {
    const emu_program *p = a->m->program;
    if (seen[q->in - p->code] != KEEPS) {
        return 1;
    }
    for (uint32_t i = 0; i < g->cta->warps; i++) {
        emu_warp *w = &g->cta->warp[i];
        for (emu_fragment *f = w->fragments; f; f = f->next) {
            const emu_waiting one = emu_wait_of(w, f);
            const int is_here =
                is_constant(q->o) || f->frame->function == &p->function[q->in->function];
            if (emu_waits_alike(&one, g) && (!is_here || lanes_have(w, f, q))) {
                return 1;
            }
        }
    }
    return 0;
}

int emu_may_tell(emu_ahead *a, const emu_waiting *g, const emu_waiting *at) {
    const emu_program *p = a->m->program;
    const uint8_t *seen = ahead_of(a, g->in);
    for (uint32_t i = 0; seen && i < p->instructions; i++) {
        const emu_instruction *in = &p->code[i];
        const emu_operand *o = seen[i] && tells(in) ? barrier_of(in) : NULL;
        /* of any CTA: a multicast tells others */
        const question q = {in, o, at ? at->number : 0, EMU_OFFSET_BITS};
        if (o && (!at || may_have(a, g, seen, &q))) {
            return 1;
        }
    }
    return 0;
}

int emu_may_come(emu_ahead *a, const emu_waiting *g, uint64_t number) {
    const emu_program *p = a->m->program;
    const uint8_t *seen = ahead_of(a, g->in);
    for (uint32_t i = 0; seen && i < p->instructions; i++) {
        const emu_instruction *in = &p->code[i];
        const question q = {in, emu_named_number(in), number, UINT32_MAX};
        if (seen[i] && comes(in) && may_have(a, g, seen, &q)) {
            return 1;
        }
    }
    return 0;
}
