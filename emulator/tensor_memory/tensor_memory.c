/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor_memory.h"

#include "async.h"
#include "heap.h"
#include "order.h"
#include "run_report.h"

tensor_memory *tensor_of(emu_cta *cta) {
    if (!cta->tensor) {
        cta->tensor = emu_take(cta->machine, sizeof(tensor_memory));
    }
    return cta->tensor;
}

tensor_warp *tensor_warp_of(emu_warp *w) {
    if (!w->tensor) {
        w->tensor = emu_take(w->machine, sizeof(tensor_warp));
    }
    return w->tensor;
}

emu_step tensor_wrong(emu_warp *w, const emu_instruction *in, uint32_t lane, uint32_t rule,
                      const char *what, uint32_t at, const char *why, const char *missing) {
    const int is_access = rule == TMA_EMULATE_RULE_OUT_OF_BOUNDS;
    const emu_who who = {.in = in,
                         .cta = w->cta->index,
                         .thread = w->index * EMU_LANES + lane,
                         .proxy = "tensor",
                         .what = what,
                         .space = is_access ? EMU_TMEM : EMU_GENERIC,
                         .address = at};
    emu_report(w->machine, rule, 1, &who, NULL, why, missing);
    return emu_stop(w->machine, TMA_EMULATE_TRAP, w, in, why);
}

emu_cta *tensor_peer(emu_warp *w, const emu_instruction *in, uint32_t lane) {
    const uint32_t rank = w->cta->rank ^ 1;
    emu_cta *peer = rank < w->cta->cluster->ctas ? w->cta->cluster->cta[rank] : NULL;
    const char *why = !peer            ? "cta_group::2 in a cluster that has no pair for the CTA"
                      : !peer->running ? "cta_group::2, and the other CTA of the pair has exited"
                                       : NULL;
    if (!why) {
        return peer;
    }
    tensor_wrong(
        w, in, lane, TMA_EMULATE_RULE_TENSOR_ALLOC, "operation of a pair", 0, why,
        "a cluster of an even number of CTAs, and a cluster barrier before the threads exit");
    return NULL;
}

static int reports(emu_warp *w, const emu_instruction *in, uint32_t lane, uint32_t at,
                   const char *why) {
    tensor_wrong(w, in, lane, TMA_EMULATE_RULE_OUT_OF_BOUNDS, "access", at, why,
                 "tcgen05.alloc of these columns, not deallocated yet");
    return -1;
}

int tensor_check(emu_warp *w, const emu_instruction *in, uint32_t lane, emu_cta *cta,
                 uint32_t first_lane, uint32_t lanes, uint32_t column, uint32_t columns) {
    const tensor_memory *t = cta->tensor;
    const uint32_t at = TENSOR_ADDRESS(first_lane, column);
    if (first_lane + lanes > TENSOR_LANES || column + columns > TENSOR_COLUMNS) {
        return reports(w, in, lane, at,
                       "tensor memory has 128 lanes and 512 columns, and the access goes beyond");
    }
    for (uint32_t unit = column / TENSOR_UNIT; unit * TENSOR_UNIT < column + columns; unit++) {
        if (!t || !t->owner[unit]) {
            return reports(w, in, lane, at,
                           t && t->was_given[unit]
                               ? "columns of tensor memory that were deallocated"
                               : "columns of tensor memory that nobody allocated");
        }
    }
    return 0;
}

void tensor_access(emu_async *a, int is_write, emu_cta *cta, uint32_t parts, uint32_t column,
                   uint32_t columns) {
    for (uint32_t part = 0; part < TENSOR_LANES / TENSOR_PART; part++) {
        const emu_place place = {
            .space = EMU_TMEM, .cta = cta, .at = (uint64_t)(part * TENSOR_COLUMNS + column) * 4};
        if (parts >> part & 1) {
            order_async_access(a, is_write ? ORDER_WRITE : ORDER_READ, ORDER_TENSOR, &place,
                               (uint64_t)columns * 4);
        }
    }
}

static int in_order(const emu_machine *m, const emu_async *a) {
    for (const emu_async *before = m->async; before != a; before = before->next) {
        if (before->kind == EMU_ASYNC_TCGEN05 &&
            before->warp->cta->cluster == a->warp->cta->cluster) {
            return 0;
        }
    }
    return 1;
}

void *tensor_async_new(emu_warp *w, uint32_t lane, const emu_instruction *in, size_t size_B) {
    emu_async *a = tensor_warp_of(w) ? emu_async_new(w, lane, in, EMU_ASYNC_TCGEN05, size_B) : NULL;
    if (a) {
        a->may_complete = in_order;
    }
    return a;
}

void tensor_async_done(emu_async *a) {
    tensor_warp *t = a->warp->tensor;
    order_async_done(a, &t->done[a->lane], 0);
}

static void warp_ends(emu_warp *w) {
    tensor_warp *t = w->tensor;
    if (t) {
        order_sync_clear(w->machine, &t->loads);
        order_sync_clear(w->machine, &t->stores);
        for (uint32_t lane = 0; lane < EMU_LANES; lane++) {
            order_sync_clear(w->machine, &t->done[lane]);
        }
    }
    emu_give(w->machine, t);
    w->tensor = NULL;
}

void emu_tensor_cta_ends(emu_cta *cta) {
    const tensor_memory *t = cta->tensor;
    for (uint32_t unit = 0; t && unit < TENSOR_UNITS; unit++) {
        if (t->begins[unit]) {
            const emu_who who = {.in = t->owner[unit],
                                 .cta = cta->index,
                                 .thread = t->owner_warp[unit] * EMU_LANES,
                                 .proxy = "tensor",
                                 .what = "allocation",
                                 .space = EMU_TMEM,
                                 .address = (uint64_t)unit * TENSOR_UNIT,
                                 .size_B =
                                     (uint64_t)t->units[unit] * TENSOR_UNIT * TENSOR_LANES * 4};
            emu_report(cta->machine, TMA_EMULATE_RULE_TENSOR_ALLOC, 1, &who, NULL,
                       "the CTA ends, and tensor memory that it allocated was not deallocated",
                       "tcgen05.dealloc of these columns before the CTA's threads exit");
        }
    }
    emu_give(cta->machine, cta->tensor);
    cta->tensor = NULL;
    for (uint32_t i = 0; i < cta->warps; i++) {
        warp_ends(&cta->warp[i]);
    }
}

emu_step emu_tensor_issue(emu_warp *w, const emu_instruction *in, uint32_t mask,
                          int (*issue)(emu_warp *w, const emu_instruction *in, uint32_t lane)) {
    EMU_FOR_LANES(lane, mask) {
        if (issue(w, in, lane)) {
            return EMU_STOPPED;
        }
    }
    return EMU_NEXT;
}
