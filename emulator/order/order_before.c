/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether an earlier access happened before a later one.
 */
#include "order_state.h"

/* What an asynchronous entry's accesses are counted by: its component. */
int order_is_over(const order_actor *a, const order_entry *e) {
    const order_op *op = order_op_of(a->state, e->op);
    const int writes = (e->flags & ORDER_IS_WRITE) != 0;
    const uint32_t epoch = writes ? op->write_epoch : op->read_epoch;
    if (!epoch || !a->know) {
        return 0;
    }
    const uint32_t cta = op->group ? op->cta : op->barrier_cta,
                   number = op->group ? op->group + (uint32_t)writes : op->barrier;
    return (a->place && a->place->space != EMU_SHARED_CTA
                ? order_clock_at(a->know->clock[ORDER_HAPPENED], cta, number)
                : order_shared_at(a->know, cta, number)) >= epoch;
}

/* ... by clocks of restricted fences besides. */
static int know_each(const order_actor *a, const order_entry *e, uint32_t lanes) {
    if (!a->know->clock[ORDER_SHARED] && !a->know->clock[ORDER_OWN]) {
        return 0;
    }
    EMU_FOR_LANES(l, lanes) {
        if (!order_knows_lane(a, e, l)) {
            return 0;
        }
    }
    return 1;
}

int order_is_before(const order_actor *a, const order_entry *e) {
    if (e->flags & ORDER_IS_ASYNC) {
        return order_is_over(a, e);
    }
    uint32_t lanes = e->lanes;
    if (!(a->entry.flags & ORDER_IS_ASYNC) && e->cta == a->entry.cta && e->warp == a->entry.warp) {
        lanes &= ~a->entry.lanes; /* program order */
    }
    const uint32_t first = e->warp * EMU_LANES;
    return !lanes ||
           (a->know &&
            (order_clock_lanes(a->know->clock[ORDER_HAPPENED], e->cta, first, lanes, e->epoch) ||
             (e->flags & ORDER_IS_INIT &&
              order_clock_lanes(a->know->clock[ORDER_INITS], e->cta, first, lanes, e->epoch)) ||
             know_each(a, e, lanes)));
}

/* Whether the issue of an operation happened before a later access. */
int order_is_issued_before(const order_actor *a, const order_op *op) {
    if (!(a->entry.flags & ORDER_IS_ASYNC) && a->entry.cta == op->cta &&
        a->entry.warp == op->thread / EMU_LANES && a->entry.lanes == 1u << op->thread % EMU_LANES) {
        return 1;
    }
    return a->know &&
           order_clock_at(a->know->clock[ORDER_HAPPENED], op->cta, op->thread) >= op->issued;
}

order_who_kind order_kind_of(const order_state *s, const order_entry *e) {
    const int writes = (e->flags & ORDER_IS_WRITE) != 0;
    if (!(e->flags & ORDER_IS_ASYNC)) {
        return writes ? ORDER_THREAD_WRITE : ORDER_THREAD_READ;
    }
    const uint8_t kind = order_op_of(s, e->op)->kind;
    return writes                                                   ? ORDER_COPY_WRITE
           : kind == EMU_ASYNC_WGMMA || kind >= EMU_ASYNC_TENSOR_LD ? ORDER_MMA_READ
                                                                    : ORDER_STORE_READ;
}
