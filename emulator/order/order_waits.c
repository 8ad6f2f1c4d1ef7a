/* SPDX-License-Identifier: Apache-2.0
 *
 * Which phase a thread's last wait at each mbarrier was answered for: where a race with a copy
 * follows from a wait whose phase was complete before, that wait is the cause.
 */
#include "order_state.h"
#include "places_names.h"

static order_waited *waited_at(const order_warp_state *w, uint32_t cta, uint32_t component) {
    for (order_waited *row = w ? w->waited : 0; row; row = row->next) {
        if (row->cta == cta && row->component == component) {
            return row;
        }
    }
    return 0;
}

/* null: no memory, or nothing is known of a barrier there. */
static order_waited *row_at(emu_warp *w, emu_cta *cta, uint32_t offset) {
    order_state *s = order_of(w->machine);
    const order_barrier *b = s ? order_barrier_at(s, cta, offset) : 0;
    order_warp_state *state = w->order;
    order_waited *row = b ? waited_at(state, (uint32_t)cta->index, b->component) : 0;
    if (b && !row) {
        row = emu_take(s->machine, sizeof *row);
        if (row) {
            *row = (order_waited){.next = state->waited,
                                  .cta = (uint32_t)cta->index,
                                  .component = b->component,
                                  .address = emu_shared_address(cta, offset)};
            state->waited = row;
        }
    }
    return row;
}

void order_wait_answered(emu_warp *w, const emu_instruction *in, uint32_t mask, uint32_t complete,
                         emu_cta *cta, uint32_t offset) {
    order_state *s = order_of(w->machine);
    order_warp_state *state = w->order;
    order_waited *row = row_at(w, cta, offset);
    if (!row) {
        return;
    }
    const order_barrier *b = order_barrier_at(s, cta, offset);
    const uint32_t over = b->phases - b->first;
    s->moment++;
    state->answered = complete ? s->moment : state->answered;
    row->began = row->began || !complete ? row->began : s->moment;
    EMU_FOR_LANES(l, complete) {
        order_answer *a = &row->lane[l];
        const int again = a->in && a->over == over;
        *a = (order_answer){.in = in,
                            .over = over,
                            .moment = s->moment,
                            .first = again ? a->first : s->moment,
                            .again = (uint8_t)(again ? 1 + (state->arrived > a->first) : 0),
                            .ignored = (uint8_t)(a->ignored | (a->asked && (a->asked ^ over) & 1))};
    }
    EMU_FOR_LANES(l, mask & ~complete) {
        row->lane[l].asked = over + 1;
    }
}

void order_wait_arrives(emu_warp *w, emu_cta *cta, uint32_t offset) {
    order_state *s = order_of(w->machine);
    if (s) {
        order_waited *row = cta ? row_at(w, cta, offset) : 0;
        ((order_warp_state *)w->order)->arrived = ++s->moment;
        if (row) {
            row->arrived = s->moment;
        }
    }
}

void order_waits_end(order_state *s, order_warp_state *w) {
    while (w->waited) {
        order_waited *row = w->waited;
        w->waited = row->next;
        emu_give(s->machine, row);
    }
}

/* What a thread of the CTA whose shared memory is accessed knows of its waits. */
static const order_warp_state *warp_of(const order_actor *a, uint32_t cta, uint32_t warp) {
    const emu_cta *one = a->place->cta;
    return one->index == cta && warp < one->warps ? one->warp[warp].order : 0;
}

static int is_slot(const emu_operand *o, int32_t slot) {
    return o->kind == EMU_REGISTER && !o->constant && o->slot == slot;
}

/* Whether what comes behind a wait reads its answer. */
static int is_looked_at(const emu_program *p, const emu_instruction *wait) {
    const int32_t slot = wait->operand[0].slot;
    const emu_instruction *const end = p->code + p->instructions;
    for (const emu_instruction *in = wait + 1; in < end; in++) {
        int reads = in->guard == slot;
        for (uint32_t i = 1; i < in->operands; i++) {
            reads |= is_slot(&in->operand[i], slot);
        }
        if (reads || (in->op == EMU_OP_BRA && in->guard == EMU_NO_GUARD) ||
            (in->operands && is_slot(&in->operand[0], slot))) {
            return reads;
        }
    }
    return 0;
}

/* Whether a wait was answered for a phase before the operation's. A thread that goes on without a
 * yes is in no phase that it waited for. */
static int is_stale(const order_answer *answer, uint32_t phase) {
    return answer->in && emu_flag(answer->in, EMU_FLAG_PARITY) && answer->over < phase &&
           !answer->asked && !answer->ignored;
}

/* Whether a warp's wait was answered again for a phase of which it had read what it reads now, and
 * had given it back. What it reads without having given back what it read may be meant. */
static int is_reread(const order_warp_state *w, const order_answer *answer, uint32_t in) {
    const order_times *times = &w->times[in];
    return answer->again == 2 && times->before >= answer->first && times->before < answer->moment;
}

static int put_stale(char text[TMA_EMULATE_TEXT], const emu_machine *m, const order_waited *row,
                     uint32_t lane, uint32_t phase) {
    const order_answer *answer = &row->lane[lane];
    const uint32_t was = answer->over - 1;
    tma_out out = tma_out_into(text, TMA_EMULATE_TEXT);
    tma_putf(&out, "a wait for phase %u of the mbarrier at ", phase - 1);
    emu_put_shared(&out, m, row->address);
    tma_putf(&out, ": line %u waits for parity %u, answered ", emu_line(m, answer->in), was & 1);
    if (answer->over) {
        tma_putf(&out, "for phase %u%s", was, answer->again ? " again" : "");
    } else {
        tma_put(&out, "before phase 0 is complete");
    }
    return 1;
}

typedef struct thread_of {
    uint32_t cta, warp, lane;
} thread_of;

/* Who made an access. */
static thread_of who_made(const order_actor *a, const order_entry *e, uint32_t lanes) {
    if (e->flags & ORDER_IS_ASYNC) {
        const order_op *issued = order_op_of(a->state, e->op);
        return (thread_of){issued->cta, issued->thread / EMU_LANES, issued->thread % EMU_LANES};
    }
    return (thread_of){e->cta, e->warp, (uint32_t)__builtin_ctz(lanes)};
}

/* The thread of an access waited at the barrier that the copy tells, for an older phase. */
static int is_reader_stale(order_stale *out, const order_actor *a, const order_entry *by,
                           const order_op *copy, uint32_t lanes) {
    const thread_of who = who_made(a, by, lanes);
    const order_warp_state *w = warp_of(a, who.cta, who.warp);
    const order_waited *row = waited_at(w, copy->barrier_cta, copy->barrier);
    const order_answer *answer = row ? &row->lane[who.lane] : 0;
    if (copy->group || !copy->phase || !answer || !is_stale(answer, copy->phase) ||
        (by == &a->entry && answer->moment < copy->moment) ||
        (answer->over && !is_reread(w, answer, by->in))) {
        return 0;
    }
    put_stale(out->missing, a->state->machine, row, who.lane, copy->phase);
    return 1;
}

/* The copy before one into the bytes where it is judged, by the same thread, in an earlier phase of
 * the same barrier: a lap before; null: none. */
static const order_op *lap_before(const order_actor *a, const order_op *copy) {
    const order_op *was = copy->before ? order_op_of(a->state, copy->before) : 0;
    const order_page *page = order_page_at(a->state, a->place, a->cell_at);
    const uint64_t bit = UINT64_C(1) << a->cell_at % ORDER_PAGE_B / 4;
    for (uint32_t i = 0; page && !was && i < page->ranges; i++) {
        const order_entry *e = &page->range[i].entry;
        if (page->range[i].cells & bit && e->flags & ORDER_IS_WRITE && e->op != a->entry.op) {
            was = order_op_of(a->state, e->op);
        }
    }
    return was && was->cta == copy->cta && was->thread == copy->thread && !was->group &&
                   was->barrier_cta == copy->barrier_cta && was->barrier == copy->barrier &&
                   was->phase < copy->phase
               ? was
               : 0;
}

/* Whether a warp that waits for the copies arrives at a barrier since. */
static int warp_gives_back(const order_waited *at, const order_op *copy,
                           const order_warp_state *w) {
    const order_waited *full = waited_at(w, copy->barrier_cta, copy->barrier),
                       *empty = waited_at(w, at->cta, at->component);
    return full && full->began && empty && empty->arrived > full->began;
}

/* Whether the threads that read give back by arrivals at a barrier: the reader's warp, one of its
 * warpgroup where it is an MMA, any of its CTA where nobody has read. */
static int gives_back(const order_actor *a, const order_waited *at, const order_entry *e,
                      const order_op *copy, uint32_t lanes) {
    const thread_of who = who_made(a, e, lanes);
    const order_who_kind kind = order_kind_of(a->state, e);
    const uint32_t warps = kind == ORDER_THREAD_READ ? 1
                           : kind == ORDER_MMA_READ  ? 4
                                                     : a->place->cta->warps,
                   first = kind == ORDER_COPY_WRITE ? 0 : who.warp / warps * warps;
    int gives = 0;
    for (uint32_t i = 0; i < warps; i++) {
        gives |= warp_gives_back(at, copy, warp_of(a, who.cta, first + i));
    }
    return gives;
}

/* The copying lane's last wait at another barrier than the copy's that is answered as it was before
 * the copy of the lap before. It is the one by which readers give back if they arrive there; one
 * that no phase of has completed holds for the first lap alone. */
static int is_writer_stale(order_stale *out, const order_actor *a, const order_entry *e,
                           const order_op *copy, uint32_t lanes) {
    const order_warp_state *w = warp_of(a, copy->cta, copy->thread / EMU_LANES);
    const uint32_t lane = copy->thread % EMU_LANES;
    const order_op *was = lap_before(a, copy);
    const emu_program *p = a->state->machine->program;
    const order_waited *last = 0;
    for (const order_waited *row = was && w ? w->waited : 0; row; row = row->next) {
        const order_answer *answer = &row->lane[lane];
        if ((row->cta != copy->barrier_cta || row->component != copy->barrier) && answer->again &&
            is_stale(answer, UINT32_MAX) && is_looked_at(p, answer->in) &&
            was->moment > answer->first && was->moment < answer->moment &&
            (!last || answer->moment > last->lane[lane].moment) &&
            (!answer->over || gives_back(a, row, e, copy, lanes))) {
            last = row;
        }
    }
    return last &&
           put_stale(out->missing, a->state->machine, last, lane, last->lane[lane].over + 1);
}

int order_is_stale(order_stale *out, const order_actor *a, const order_entry *e, uint32_t lanes) {
    const order_who_kind later = order_kind_of(a->state, &a->entry),
                         earlier = order_kind_of(a->state, e);
    if (a->place->space != EMU_SHARED_CTA || (a->entry.flags | e->flags) & ORDER_IS_INIT) {
        return 0;
    }
    if (earlier == ORDER_COPY_WRITE &&
        is_reader_stale(out, a, &a->entry, order_op_of(a->state, e->op), a->entry.lanes)) {
        return 1;
    }
    if (later != ORDER_COPY_WRITE || earlier == ORDER_THREAD_WRITE) {
        return 0;
    }
    const order_op *copy = order_op_of(a->state, a->entry.op);
    return (earlier != ORDER_COPY_WRITE && is_reader_stale(out, a, e, copy, lanes)) ||
           (earlier != ORDER_STORE_READ && is_writer_stale(out, a, e, copy, lanes));
}
