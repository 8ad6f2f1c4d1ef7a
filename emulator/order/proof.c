/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether one execution stands for all schedules of its launch: each arrival can come in its phase
 * alone, each wait can meet its phase alone (the discipline of WEFT, PLDI 2015), and nothing that a
 * schedule chooses goes anywhere. A barrier's phases are counted by a component of its own, which
 * all who are ordered behind a phase know.
 */
#include "order_state.h"

void order_unproved(emu_machine *m, const emu_instruction *in, const char *why) {
    if (!m->unproved) {
        m->unproved = why;
        m->unproved_in = in;
    }
}

/* What is to be judged of a barrier, or null: nothing any more. */
static order_barrier *barrier_of(emu_machine *m, emu_cta *cta, uint32_t offset) {
    order_state *s = order_of(m);
    return s && !m->unproved ? order_barrier_at(s, cta, offset) : 0;
}

static uint32_t phases_known(const order_know *know, const emu_cta *cta, const order_barrier *b) {
    const uint32_t index = (uint32_t)cta->index, number = b->component + 1;
    const uint32_t happened = know ? order_clock_at(know->clock[ORDER_HAPPENED], index, number) : 0;
    const uint32_t came = know ? order_clock_at(know->clock[ORDER_CAME], index, number) : 0;
    return came > happened ? came : happened;
}

/* Whether all lanes know of so many phases of a barrier's. */
static int all_know(const emu_warp *w, uint32_t mask, const emu_cta *cta, const order_barrier *b,
                    uint32_t phases) {
    const order_warp_state *of = w->order;
    const order_know *last = 0;
    if (phases <= b->first) {
        return 1;
    }
    EMU_FOR_LANES(l, mask) {
        if ((!last || of->know[l] != last) && phases_known(of->know[l], cta, b) < phases) {
            return 0;
        }
        last = of->know[l];
    }
    return 1;
}

/* Lanes are remembered as they are now: whatever completes the open phase has to know of them. */
static void remember(emu_warp *w, uint32_t mask, order_barrier *b) {
    order_state *s = order_of(w->machine);
    order_clock_raise_lanes(&s->clocks, &b->to_cover, (uint32_t)w->cta->index, w->index * EMU_LANES,
                            mask, ((order_warp_state *)w->order)->epoch);
}

void order_phase_begins(emu_cta *cta, uint32_t offset) {
    order_state *s = order_of(cta->machine);
    order_barrier *b = s ? order_barrier_at(s, cta, offset) : 0;
    if (b) {
        b->first = b->phases;
        order_clock_set(&s->clocks, &b->to_cover, 0);
    }
}

static void may_come_early(emu_warp *w, const emu_instruction *in, uint32_t mask, emu_cta *cta,
                           const order_barrier *b) {
    if (b && !all_know(w, mask, cta, b, b->phases)) {
        order_unproved(w->machine, in,
                       "an arrival that is not ordered after the phase before it: it could come "
                       "in that one");
    }
}

void order_phase_arrives(emu_warp *w, const emu_instruction *in, uint32_t mask, emu_cta *cta,
                         uint32_t offset) {
    if (offset <= ORDER_NAMED(EMU_LANES)) {
        order_wait_arrives(w, cta, offset);
    }
    may_come_early(w, in, mask, cta, barrier_of(w->machine, cta, offset));
}

void order_phase_expects(emu_warp *w, const emu_instruction *in, uint32_t mask, emu_cta *cta,
                         uint32_t offset) {
    order_barrier *b = barrier_of(w->machine, cta, offset);
    may_come_early(w, in, mask, cta, b);
    if (b) {
        remember(w, mask, b);
    }
}

void order_phase_waits(emu_warp *w, const emu_instruction *in, uint32_t mask, emu_cta *cta,
                       uint32_t offset) {
    order_barrier *b = barrier_of(w->machine, cta, offset);
    if (!b) {
        return;
    }
    /* It met the phase before the open one. */
    if (b->phases && !all_know(w, mask, cta, b, b->phases - 1)) {
        order_unproved(w->machine, in,
                       "a wait that could meet an earlier phase of the same parity");
    }
    remember(w, mask, b);
}

void order_phase_told(emu_async *a) {
    emu_machine *m = a->warp->machine;
    const order_barrier *b = a->barrier_cta ? barrier_of(m, a->barrier_cta, a->barrier) : 0;
    if (b && a->order && b->phases > b->first &&
        phases_known(order_op_of(order_of(m), (uint32_t)(uintptr_t)a->order)->know, a->barrier_cta,
                     b) < b->phases) {
        order_unproved(m, a->in,
                       "a copy whose issue is not ordered after the phase before the one that it "
                       "completes: its bytes could come in that one");
    }
}

/* Whether lanes that are to be known came before. */
static int covers(order_clocks *s, const order_know *know, const order_clock *lanes) {
    if (order_clock_covers(know->clock[ORDER_HAPPENED], lanes)) {
        return 1;
    }
    order_clock *both = order_clock_keep(know->clock[ORDER_CAME]);
    order_clock_join(s, &both, know->clock[ORDER_HAPPENED]);
    const int all = order_clock_covers(both, lanes);
    order_clock_set(s, &both, 0);
    return all;
}

void order_phase_completes(emu_cta *cta, const emu_instruction *in, uint32_t offset,
                           emu_sync *open) {
    order_state *s = order_of(cta->machine);
    order_barrier *b = s ? order_barrier_at(s, cta, offset) : 0;
    const uint32_t phases = b ? ++b->phases : 0;
    if (!b || cta->machine->unproved) {
        return;
    }
    order_know *know = order_know_own(&s->clocks, open->know);
    open->know = know;
    if (!know) {
        return;
    }
    if (!covers(&s->clocks, know, b->to_cover)) {
        order_unproved(cta->machine, in,
                       "a phase that can be complete before a wait for the one before it has "
                       "returned, or before what it expects is said");
    }
    order_clock_set(&s->clocks, &b->to_cover, 0);
    order_clock_raise(&s->clocks, &know->clock[ORDER_HAPPENED], (uint32_t)cta->index,
                      b->component + 1, phases);
}

void order_says_no(emu_warp *w, const emu_instruction *in, uint32_t mask, uint32_t complete,
                   uint64_t what) {
    if (!order_of(w->machine) || w->machine->unproved) {
        w->asks = 0;
        return;
    }
    if (w->asks & mask && (w->asked_in != in || w->asked != what)) {
        order_unproved(w->machine, in, "another wait where one has said no");
    }
    w->asks = (w->asks | mask) & ~complete;
    w->asked_in = in;
    w->asked = what;
    w->asks_straight = 1;
}

/* Between a wait that says no and the same wait again: what comes before the first branch is
 * executed whatever it says. */
void order_after_no(emu_warp *w, const emu_instruction *in) {
    const emu_operand *const o = in->operand;
    const int is_answer =
        w->asks_straight && in->guard == EMU_NO_GUARD &&
        ((in->op == EMU_OP_SELP && o[1].constant && o[2].constant) ||
         (in->op == EMU_OP_SETP && in->operands == 3 && in->also.kind == EMU_ABSENT));
    const int is_pause = in->op == EMU_OP_NANOSLEEP && o[0].constant;
    if (in->op == EMU_OP_BRA) {
        w->asks_straight = 0;
    } else if (in != w->asked_in && !is_answer && !is_pause) {
        order_unproved(w->machine, in, "it is executed where a wait has said no");
        w->asks = 0;
    }
}

/* Two atomics that are unordered: whether it matters which comes first. */
static int hangs_on_order(const emu_instruction *in) {
    switch (in->op) {
    case EMU_OP_ATOM:
        if (in->operand[0].kind != EMU_SINK) {
            return 1;
        }
        break;
    case EMU_OP_RED:
        break;
    default:
        return 0;
    }
    return in->operation == EMU_OPERATION_EXCH || in->operation == EMU_OPERATION_CAS ||
           in->operation == EMU_OPERATION_INC || in->operation == EMU_OPERATION_DEC ||
           (in->operation == EMU_OPERATION_ADD && emu_type_of(in->type[0])->kind == 'F');
}

int order_is_sensitive(const order_state *s, const order_entry *e) {
    return !(e->flags & ORDER_IS_ATOMIC) || hangs_on_order(&s->machine->program->code[e->in]);
}

int order_strong_pass(const order_actor *a, int is_sensitive) {
    return !a->state->is_scoped && (a->state->machine->unproved != 0 || !is_sensitive);
}

void order_prove_strong(const order_actor *a, const order_entry *e) {
    emu_machine *m = a->state->machine;
    const uint8_t either = a->entry.flags | e->flags, both = a->entry.flags & e->flags;
    const emu_instruction *in = &m->program->code[a->entry.in], *other = &m->program->code[e->in];
    if (m->unproved || !(either & ORDER_IS_WRITE) || either & ORDER_IS_INIT ||
        !(both & ORDER_IS_STRONG)) {
        return;
    }
    const char *why = 0;
    if (!(both & ORDER_IS_ATOMIC)) {
        why = both & ORDER_IS_ASYNC ? 0 : "it looks at memory that another thread writes meanwhile";
    } else if (both & ORDER_IS_ASYNC) {
        why = a->place->space == EMU_GLOBAL ? "the order of two reductions is open" : 0;
    } else if (hangs_on_order(in) || hangs_on_order(other)) {
        why = "the order of two atomics is open";
    }
    if (why && !order_is_before(a, e)) {
        order_unproved(m, in, why);
    }
}

void order_pool_changes(emu_warp *w, const emu_instruction *in, int takes) {
    const order_warp_state *of = w->order;
    if (!of || w->machine->unproved) {
        return;
    }
    for (uint32_t i = 0; !takes && i < w->cta->warps; i++) {
        const emu_warp *other = &w->cta->warp[i];
        const uint32_t index = (uint32_t)w->cta->index, lane = i * EMU_LANES;
        const int knows =
            other != w && of->know[0] &&
            order_clock_at(of->know[0]->clock[ORDER_HAPPENED], index, lane) >= other->taken_epoch;
        if (other->taken_epoch && (other == w || knows)) {
            order_unproved(w->machine, in, "which warp gets registers first hangs on the schedule");
        }
    }
    if (takes) {
        w->taken_epoch = of->epoch[0];
    }
}
