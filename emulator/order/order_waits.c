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

void order_wait_answered(emu_warp *w, const emu_instruction *in, uint32_t mask, emu_cta *cta,
                         uint32_t offset) {
    order_state *s = order_of(w->machine);
    const order_barrier *b = s ? order_barrier_at(s, cta, offset) : 0;
    order_warp_state *state = w->order;
    if (!b) {
        return;
    }
    order_waited *row = waited_at(state, (uint32_t)cta->index, b->component);
    if (!row) {
        row = emu_take(s->machine, sizeof *row);
        if (!row) {
            return;
        }
        *row = (order_waited){.next = state->waited,
                              .cta = (uint32_t)cta->index,
                              .component = b->component,
                              .address = emu_shared_address(cta, offset)};
        state->waited = row;
    }
    const uint32_t over = b->phases - b->first;
    s->moment++;
    EMU_FOR_LANES(l, mask) {
        order_answer *a = &row->lane[l];
        const int again = a->in && a->over == over;
        *a = (order_answer){.in = in,
                            .over = over,
                            .moment = s->moment,
                            .epoch = again ? a->epoch : state->epoch[l],
                            .again = (uint8_t)(again ? 1 + (state->epoch[l] != a->epoch) : 0)};
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
    return one->index == cta ? one->warp[warp].order : 0;
}

/* The last wait that a lane made before a moment at the barrier of an operation, where it was
 * answered for a phase before the operation's. What it reads without having given back what it read
 * of that phase may be meant (`least` 1), what it reads afterwards is not (2). */
static int is_stale(const order_answer *answer, uint32_t phase, uint8_t least) {
    return answer->in && emu_flag(answer->in, EMU_FLAG_PARITY) && answer->over < phase &&
           (!answer->over || answer->again >= least);
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

/* The thread of an access waited at the barrier that the copy tells, for an older phase. */
static int is_reader_stale(order_stale *out, const order_actor *a, const order_entry *by,
                           const order_op *copy, uint32_t lanes) {
    const int is_op = by->flags & ORDER_IS_ASYNC, is_later = by == &a->entry;
    const order_op *issued = is_op ? order_op_of(a->state, by->op) : 0;
    const uint32_t cta = is_op ? issued->cta : by->cta,
                   warp = is_op ? issued->thread / EMU_LANES : by->warp,
                   lane = is_op ? issued->thread % EMU_LANES : (uint32_t)__builtin_ctz(lanes);
    const order_waited *row = waited_at(warp_of(a, cta, warp), copy->barrier_cta, copy->barrier);
    if (copy->group || !copy->phase || !row ||
        (is_later && row->lane[lane].moment < copy->moment) ||
        !is_stale(&row->lane[lane], copy->phase, is_later ? 1 : 2)) {
        return 0;
    }
    put_stale(out->missing, a->state->machine, row, lane, copy->phase);
    return 1;
}

/* A lane's last wait, where it was told of a phase that it had been told of before it released; of
 * other barriers than one. */
static int put_last(char text[TMA_EMULATE_TEXT], const emu_machine *m, const order_warp_state *w,
                    uint32_t lane, uint32_t cta, uint32_t component) {
    const order_waited *last = 0;
    for (const order_waited *row = w ? w->waited : 0; row; row = row->next) {
        if ((row->cta != cta || row->component != component) &&
            (!last || row->lane[lane].moment > last->lane[lane].moment)) {
            last = row;
        }
    }
    const order_answer *answer = last ? &last->lane[lane] : 0;
    return answer && answer->again == 2 && emu_flag(answer->in, EMU_FLAG_PARITY) &&
           put_stale(text, m, last, lane, answer->over + 1);
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
    if (later != ORDER_COPY_WRITE) {
        return 0;
    }
    const order_op *copy = order_op_of(a->state, a->entry.op);
    return (earlier != ORDER_COPY_WRITE && is_reader_stale(out, a, e, copy, lanes)) ||
           put_last(out->missing, a->state->machine,
                    warp_of(a, copy->cta, copy->thread / EMU_LANES), copy->thread % EMU_LANES,
                    copy->barrier_cta, copy->barrier);
}
