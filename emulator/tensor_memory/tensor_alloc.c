/* SPDX-License-Identifier: Apache-2.0
 *
 * tcgen05.alloc, .dealloc, .relinquish_alloc_permit. Columns are a CTA's alone: other CTAs of the
 * same SM take none of them.
 */
#include <string.h>

#include "access.h"
#include "order.h"
#include "tensor_choose.h"
#include "tensor_memory.h"
#include "threads.h"

#define WORD_B 4

static int is_pair(const emu_instruction *in) {
    return emu_flag(in, EMU_FLAG_GROUP_2);
}

static emu_step wrong(emu_warp *w, const emu_instruction *in, const char *why,
                      const char *missing) {
    return tensor_wrong(w, in, 0, TMA_EMULATE_RULE_TENSOR_ALLOC, "allocation", 0, why, missing);
}

/* The first column of so many free units; TENSOR_COLUMNS: there are none. */
static uint32_t free_units(const tensor_memory *t, uint32_t units) {
    for (uint32_t first = 0; first + units <= TENSOR_UNITS; first += units) {
        uint32_t unit = 0;
        while (unit < units && !t->owner[first + unit]) {
            unit++;
        }
        if (unit == units) {
            return first * TENSOR_UNIT;
        }
    }
    return TENSOR_COLUMNS;
}

static void take(emu_warp *w, const emu_instruction *in, tensor_memory *t, uint32_t column,
                 uint32_t columns) {
    const uint32_t first = column / TENSOR_UNIT, units = columns / TENSOR_UNIT;
    t->begins[first] = 1;
    t->units[first] = (uint8_t)units;
    for (uint32_t unit = first; unit < first + units; unit++) {
        t->owner[unit] = in;
        t->owner_warp[unit] = w->index;
        for (uint32_t lane = 0; lane < TENSOR_LANES; lane++) {
            t->written[lane][unit] = 0;
        }
    }
}

/* What lies there is over for all who may still touch it: a write that nobody reads. */
static void give(emu_warp *w, const emu_instruction *in, tensor_memory *t, uint32_t column,
                 uint32_t columns) {
    const uint32_t first = column / TENSOR_UNIT;
    emu_async a = {.kind = EMU_ASYNC_TENSOR_ST, .warp = w, .in = in};
    a.lane = (uint32_t)__builtin_ctz(w->live);
    order_issue(w, &a);
    tensor_access(&a, 1, w->cta, 0xff, column, columns);
    order_async_ends(&a);
    for (uint32_t part = 0; part < TENSOR_LANES / TENSOR_PART; part++) {
        const emu_place place = {.space = EMU_TMEM,
                                 .cta = w->cta,
                                 .at = (uint64_t)(part * TENSOR_COLUMNS + column) * WORD_B};
        order_forget(w->machine, &place, (uint64_t)columns * WORD_B);
    }
    t->begins[first] = 0;
    for (uint32_t unit = first; unit < first + columns / TENSOR_UNIT; unit++) {
        t->owner[unit] = NULL;
        t->was_given[unit] = 1;
    }
}

static emu_step blocks(emu_warp *w, uint32_t columns) {
    w->now->wait = EMU_WAITS_TENSOR;
    w->now->number = columns;
    return EMU_BLOCKED;
}

/* Both CTAs of a pair execute it: EMU_NEXT for the second to come, for whom *other is the meeting
 * of the first, and for the first when it comes again: *other is null. What a meeting orders is
 * only tensor memory's: the threads are told nothing. */
static emu_step meets(emu_warp *w, const emu_instruction *in, uint32_t columns, uint32_t column,
                      tensor_meeting **other) {
    tensor_meeting *own = &((tensor_memory *)w->cta->tensor)->meeting;
    *other = NULL;
    if (own->is_over) { /* the other CTA may have exited by now */
        *own = (tensor_meeting){.in = NULL};
        return EMU_NEXT;
    }
    emu_cta *peer = tensor_peer(w, in, 0);
    tensor_memory *t = peer ? tensor_of(peer) : NULL;
    if (!t) {
        return EMU_STOPPED;
    }
    if (t->meeting.in && !t->meeting.is_over) {
        if (t->meeting.in->op != in->op || t->meeting.columns != columns) {
            return wrong(w, in, "the two CTAs of a pair allocate or deallocate otherwise",
                         "the same tcgen05.alloc or .dealloc in both CTAs");
        }
        t->meeting.is_over = 1;
        *other = &t->meeting;
        emu_progress(w->machine);
        return EMU_NEXT;
    }
    *own = (tensor_meeting){.in = in, .warp = w, .columns = columns, .column = column};
    return blocks(w, columns);
}

static int are_columns(uint32_t columns) {
    return columns >= TENSOR_UNIT && columns <= TENSOR_COLUMNS && !(columns & (columns - 1));
}

/* The address goes into shared memory; the warp's lanes may read it at once. */
static int tell(emu_warp *w, const emu_instruction *in, uint32_t mask, uint32_t column) {
    emu_place place[EMU_LANES];
    const uint32_t lane = (uint32_t)__builtin_ctz(mask);
    const uint32_t space = in->spaces ? in->space[0] : EMU_GENERIC;
    if (emu_place_of(w, in, lane, emu_address(w, &in->operand[0], space, lane), WORD_B, WORD_B, 1,
                     &place[lane])) {
        return -1;
    }
    memcpy(place[lane].host, &column, WORD_B);
    emu_now_written(w->machine, &place[lane], WORD_B);
    order_access(w, in, UINT32_C(1) << lane, ORDER_WRITE, 0, place, WORD_B);
    order_warp(w, mask);
    return 0;
}

static emu_step alloc(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_step step = emu_all_together(w, in, &mask);
    tensor_memory *t = step == EMU_NEXT ? tensor_of(w->cta) : NULL;
    if (step != EMU_NEXT || !t) {
        return step == EMU_NEXT ? EMU_STOPPED : step;
    }
    const uint32_t columns =
        (uint32_t)emu_lane_value(w, &in->operand[1], (uint32_t)__builtin_ctz(mask));
    if (!are_columns(columns)) {
        return wrong(w, in, "columns of tcgen05.alloc are a power of 2 from 32 to 512", NULL);
    }
    if (t->relinquished) {
        return wrong(w, in, "tcgen05.alloc after tcgen05.relinquish_alloc_permit",
                     "relinquish_alloc_permit after the last alloc");
    }
    const uint32_t column =
        t->meeting.is_over ? t->meeting.column : free_units(t, columns / TENSOR_UNIT);
    if (column == TENSOR_COLUMNS) {
        return blocks(w, columns);
    }
    const int is_taken = t->meeting.is_over;
    if (is_pair(in)) {
        tensor_meeting *other;
        const emu_step met = meets(w, in, columns, column, &other);
        if (met != EMU_NEXT) {
            return met;
        }
        if (other) { /* both have it now, whenever the other warp goes on */
            take(other->warp, other->in, other->warp->cta->tensor, other->column, columns);
        }
    }
    if (!is_taken) {
        take(w, in, t, column, columns);
    }
    return tell(w, in, mask, column) ? EMU_STOPPED : EMU_NEXT;
}

static emu_step dealloc(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_step step = emu_all_together(w, in, &mask);
    tensor_memory *t = step == EMU_NEXT ? tensor_of(w->cta) : NULL;
    if (step != EMU_NEXT || !t) {
        return step == EMU_NEXT ? EMU_STOPPED : step;
    }
    const uint32_t lane = (uint32_t)__builtin_ctz(mask);
    const uint32_t at = (uint32_t)emu_lane_value(w, &in->operand[0], lane),
                   columns = (uint32_t)emu_lane_value(w, &in->operand[1], lane);
    const uint32_t unit = at / TENSOR_UNIT;
    if (at % TENSOR_UNIT || unit >= TENSOR_UNITS || !t->begins[unit] ||
        columns != t->units[unit] * TENSOR_UNIT) {
        return wrong(w, in, "tcgen05.dealloc of what no tcgen05.alloc gave, or of other columns",
                     "the address and the number of columns of an allocation that lives");
    }
    if (is_pair(in) && w->machine->schedule != TMA_EMULATE_EARLY) { /* it may block */
        tensor_meeting *other;
        const emu_step met = meets(w, in, columns, at, &other);
        if (met != EMU_NEXT) {
            return met;
        }
    }
    give(w, in, t, at, columns);
    return EMU_NEXT;
}

static emu_step relinquish(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_step step = emu_all_together(w, in, &mask);
    tensor_memory *t = step == EMU_NEXT ? tensor_of(w->cta) : NULL;
    if (step == EMU_NEXT && t) {
        t->relinquished = 1;
    }
    return step == EMU_NEXT && !t ? EMU_STOPPED : step;
}

emu_run emu_choose_tensor_alloc(const emu_instruction *in) {
    const emu_operand *o = in->operand;
    if (emu_flag(in, EMU_FLAG_GROUP_1) == is_pair(in)) {
        return NULL;
    }
    switch (in->op) {
    case EMU_OP_TCGEN05_ALLOC:
        return in->operands == 2 && o[0].kind == EMU_ADDRESS && emu_is_source(&o[1], 1) ? alloc
                                                                                        : NULL;
    case EMU_OP_TCGEN05_DEALLOC:
        return in->operands == 2 && emu_is_source(&o[0], 1) && emu_is_source(&o[1], 1) ? dealloc
                                                                                       : NULL;
    default:
        return in->operands ? NULL : relinquish;
    }
}
