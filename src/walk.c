/* SPDX-License-Identifier: Apache-2.0
 *
 * Every run of bytes of one copy, in the hardware's order.
 */
#include "tma/walk.h"
#include "plan_internal.h"
#include "row_order.h"

typedef struct walker {
    const tma_plan *plan;
    const tma_position *at;
    tma_visitor visit;
    void *context;
    tma_columns columns;
    uint32_t atom_B; /* longest stretch that the swizzle leaves together; 0: all */
    int64_t coord[TMA_MAX_RANK];
    uint64_t row_address; /* of coordinate 0 of dimension 0; of the unit if interleaved */
    uint32_t row;
    int in_halo;
} walker;

/* Smallest address bit that the swizzle moves. */
static uint32_t atom_of(tma_swizzle_bits bits) {
    const uint32_t moved = bits.mask | bits.flip_mask;
    return moved & (0 - moved);
}

/* One stretch of a row, [byte, end) of its shared bytes, cut at the swizzle's atoms. */
static int emit(walker *w, tma_run_kind kind, uint32_t byte, uint32_t end, int64_t element,
                uint64_t address) {
    const tma_plan *p = w->plan;
    const uint32_t row_start = w->at->shared_address + w->row * p->pitch_B;
    const uint32_t whole_B = end - byte;
    tma_run run;
    run.kind = (uint8_t)kind;
    run.rank = p->rank;
    run.halo = (uint8_t)w->in_halo;
    run.row = w->row;
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        run.coord[i] = i < p->rank ? w->coord[i] : 0;
    }
    while (byte < end) {
        const uint32_t plain = row_start + byte;
        uint32_t length_B = end - byte;
        if (w->atom_B && w->atom_B - plain % w->atom_B < length_B) {
            length_B = w->atom_B - plain % w->atom_B;
        }
        const uint32_t done_B = whole_B - (end - byte);
        run.offset_B = byte;
        run.length_B = length_B;
        run.shared_address = w->atom_B ? tma_swizzled(p->swizzle_bits, plain) : plain;
        run.global_length_B = length_B;
        run.address = address + done_B;
        if (p->group_el > 1 && kind != TMA_RUN_PADDING) { /* a group is never cut inside */
            run.global_length_B = p->group_global_B * (length_B / p->group_payload_B);
            run.address = address + (uint64_t)done_B / p->group_payload_B * p->group_global_B;
        }
        if (!p->unit_B) {
            run.coord[0] = element + (int64_t)done_B * (p->group_el > 1 ? p->group_el : 1) /
                                         p->group_payload_B;
        }
        const int stop = w->visit(w->context, &run);
        if (stop) {
            return stop;
        }
        byte += length_B;
    }
    return 0;
}

/* The row's elements [first, end) of one kind. Packed types go group by group where shared memory
 * is padded. */
static int emit_elements(walker *w, tma_run_kind kind, uint32_t first, uint32_t end) {
    const tma_plan *p = w->plan;
    const int64_t from = w->at->coord[0];
    const int padded = p->group_shared_B != p->group_payload_B;
    if (p->unit_B) {
        return first < end ? emit(w, kind, 0, p->unit_B, from, w->row_address) : 0;
    }
    const uint32_t step_el = padded ? p->group_el : end - first;
    for (uint32_t e = first; e < end; e += step_el) {
        const uint32_t groups = step_el / p->group_el;
        const uint32_t byte = e / p->group_el * p->group_shared_B;
        const uint32_t payload_B = groups * p->group_payload_B;
        const int64_t element = from + e;
        /* outside the tensor the address means nothing */
        const uint64_t address = w->row_address + (uint64_t)(element * p->bits / 8);
        int stop = emit(w, kind, byte, byte + payload_B, element, address);
        if (!stop && padded) {
            stop = emit(w, TMA_RUN_PADDING, byte + payload_B, byte + p->group_shared_B, element, 0);
        }
        if (stop) {
            return stop;
        }
    }
    return 0;
}

static int walk_row(walker *w, int inside) {
    const tma_plan *p = w->plan;
    const tma_columns *c = &w->columns;
    if (!inside || c->end_el == c->first_el) {
        return emit_elements(w, TMA_RUN_OUTSIDE, 0, p->row_el);
    }
    int stop = emit_elements(w, TMA_RUN_OUTSIDE, 0, c->first_el);
    if (!stop) {
        stop = emit_elements(w, TMA_RUN_INSIDE, c->first_el, c->end_el);
    }
    uint32_t end_el = c->end_el;
    if (!stop && c->written_B > c->end_B) {
        const uint32_t written_el = c->written_B * 8 / p->bits;
        stop = emit_elements(w, TMA_RUN_PAST_EDGE, end_el, written_el);
        end_el = written_el;
    }
    return stop ? stop : emit_elements(w, TMA_RUN_OUTSIDE, end_el, p->row_el);
}

static int walk(const tma_plan *plan, const tma_position *at, tma_visitor visit, void *context,
                int atoms) {
    if (!visit || tma_plan_at(plan, at, NULL) != TMA_OK) {
        return -1;
    }
    walker w = {0};
    tma_row_order it;
    w.plan = plan;
    w.at = at;
    w.visit = visit;
    w.context = context;
    w.columns = tma_columns_of(plan, at);
    w.atom_B = atoms && plan->op != TMA_OP_PREFETCH ? atom_of(plan->swizzle_bits) : 0;
    tma_row_order_begin(&it, plan, at);
    while (tma_row_order_next(&it)) {
        const tma_stretch *s = &it.stretch;
        memcpy(w.coord, s->coord, sizeof(w.coord));
        for (uint32_t k = 0; k < s->rows; k++) {
            const int inside = k >= s->inside_first && k < s->inside_first + s->inside_rows;
            w.row = s->row + k;
            w.in_halo = tma_row_order_in_halo(&it, w.row);
            w.row_address = s->address + (uint64_t)(k - s->inside_first) * s->step_B;
            const int stop = walk_row(&w, inside);
            if (stop) {
                return stop;
            }
            if (plan->first < plan->rank) {
                w.coord[plan->first] += plan->stride_el[plan->first];
            }
            w.coord[0] = plan->unit_B ? w.coord[0] : s->coord[0];
        }
    }
    return 0;
}

int tma_walk(const tma_plan *plan, const tma_position *at, tma_visitor visit, void *context) {
    return walk(plan, at, visit, context, 1);
}

int tma_walk_rows(const tma_plan *plan, const tma_position *at, tma_visitor visit, void *context) {
    return walk(plan, at, visit, context, 0);
}
