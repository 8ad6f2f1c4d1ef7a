/* SPDX-License-Identifier: Apache-2.0
 *
 * Which barrier an instruction tells that is still before threads: the one that their registers
 * name now, where nothing before them writes the register; else it may be any.
 */
#include "deadlock_ahead.h"

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

static int is_slot(const emu_operand *o, int32_t slot) {
    return o->kind == EMU_REGISTER && o->slot == slot;
}

static int names(const emu_program *p, const emu_operand *o, int32_t slot) {
    int is_named = is_slot(o, slot);
    for (uint32_t i = 0; o->kind == EMU_VECTOR && i < o->count; i++) {
        is_named |= is_slot(&p->operand[o->first + i], slot);
    }
    return is_named;
}

/* A destination stands first; of what is no arithmetic each register counts as one. */
static int writes(const emu_program *p, const emu_instruction *in, int32_t slot) {
    const uint32_t most = in->pure && in->operands ? 1 : in->operands;
    int is_named = names(p, &in->also, slot);
    for (uint32_t i = 0; i < most; i++) {
        is_named |= names(p, &in->operand[i], slot);
    }
    return is_named;
}

/* Whether a register of a function is as it is now at all that is before the threads. */
static int is_kept(const emu_program *p, const uint8_t *seen, uint32_t function, int32_t slot) {
    for (uint32_t i = 0; i < p->instructions; i++) {
        const emu_instruction *in = &p->code[i];
        if (seen[i] && (calls(in, function) || (in->function == function && writes(p, in, slot)))) {
            return 0;
        }
    }
    return 1;
}

/* Which of the instructions name a barrier by a register that keeps its value. */
static void settle(const emu_program *p, uint8_t *seen) {
    for (uint32_t i = 0; i < p->instructions; i++) {
        const emu_instruction *in = &p->code[i];
        const emu_operand *o = seen[i] ? barrier_of(in) : NULL;
        if (o && (is_constant(o) || is_kept(p, seen, in->function, o->slot))) {
            seen[i] = KEEPS;
        }
    }
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
    settle(p, of->seen);
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
