/* SPDX-License-Identifier: Apache-2.0
 *
 * A later access beside an earlier one of the same cell: what needs no judgement, and what need not
 * be kept.
 */
#ifndef EMULATOR_SHADOW_CELL_H
#define EMULATOR_SHADOW_CELL_H

#include "order_state.h"
#include "tma/detail/assert.h"

/* Whether lanes of one instruction do the same to one cell. */
static inline int order_joins(const order_actor *a, const order_entry *e) {
    return !(e->flags & ORDER_IS_ASYNC) && e->cta == a->entry.cta && e->warp == a->entry.warp &&
           e->in == a->entry.in && e->iteration == a->entry.iteration &&
           e->epoch == a->entry.epoch && e->bytes == a->entry.bytes;
}

/* Whether the later access makes an earlier entry needless: whatever is unordered with the earlier
 * one is unordered with the later one, and conflicts with it, too. A write of the same bytes does
 * for all that is not weaker than it (they were judged), a read for reads that happened before it,
 * an atomic for atomics that did. */
static inline int order_stands_for(const order_actor *a, const order_entry *earlier) {
    const uint8_t flags = a->entry.flags;
    if (earlier->bytes & ~a->entry.bytes ||
        (flags & ORDER_IS_STRONG && !(earlier->flags & ORDER_IS_STRONG))) {
        return 0;
    }
    if (flags & ORDER_IS_ATOMIC) {
        return earlier->flags & ORDER_IS_ATOMIC && order_is_before(a, earlier);
    }
    return flags & ORDER_IS_WRITE ||
           (!(earlier->flags & ORDER_IS_WRITE) && order_is_before(a, earlier));
}

/* Each lane's later access stands for its earlier one, ordered by its program. (Lane by lane none
 * would: a lane knows nothing of its siblings.) Spinning warps would fill the cell otherwise. */
static inline int order_is_older(const order_entry *e, const order_entry *by) {
    const int is_same = e->in == by->in && e->iteration == by->iteration && e->epoch == by->epoch;
    return !is_same && !((e->flags ^ by->flags) & ~ORDER_IS_OVER) && e->cta == by->cta &&
           e->warp == by->warp && !(e->lanes & ~by->lanes) && !(e->bytes & ~by->bytes);
}

/* Whether each lane of a thread's earlier access of the same CTA happened before the later one:
 * lanes stand for themselves where the two have the same, or the later one has one. */
static inline int order_is_known(const order_actor *a, const order_entry *e) {
    const uint32_t lanes = a->entry.lanes;
    const int is_own = e->warp == a->entry.warp && (e->lanes == lanes || !(lanes & (lanes - 1)));
    TMA_ASSERT(!(e->flags & ORDER_IS_ASYNC) && e->cta == a->entry.cta);
    return order_block_lanes(a->own_cta, e->warp * EMU_LANES, e->lanes & ~(is_own ? lanes : 0),
                             e->epoch);
}

/* Reads of reads ask for no judgement in any order, but those that join. */
static inline int order_is_quiet(const order_actor *a, const order_entry *e) {
    return !(e->flags & ~(ORDER_IS_WRITE | ORDER_IS_OVER)) && e->bytes == 0xf &&
           e->cta == a->entry.cta && !order_joins(a, e) &&
           (!((a->entry.flags | e->flags) & ORDER_IS_WRITE) ||
            (!a->is_apart && order_is_known(a, e)));
}

#endif
