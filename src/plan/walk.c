/* SPDX-License-Identifier: Apache-2.0
 *
 * Every run of bytes of one copy, in the hardware's order.
 */
#include "tma/walk.h"
#include "finding.h"
#include "plan_internal.h"
#include "row_order.h"
#include "tma/detail/assert.h"

typedef struct walker {
    const tma_plan *plan;
    const tma_position *at;
    tma_visitor visit;
    void *context;
    tma_columns columns;
    uint32_t element_shift; /* bytes of an element, as a power of two; groups divide */
    uint32_t atom_B;        /* longest stretch that the swizzle leaves together; 0: all */
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
    TMA_ASSERT(byte < end && (w->atom_B & (w->atom_B - 1)) == 0);
    tma_run run;
    run.kind = (uint8_t)kind;
    run.rank = p->rank;
    run.halo = (uint8_t)w->in_halo;
    run.reserved_0 = 0;
    memset(run.reserved, 0, sizeof(run.reserved));
    run.row = w->row;
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        run.coord[i] = i < p->rank ? w->coord[i] : 0;
    }
    while (byte < end) {
        const uint32_t plain = row_start + byte;
        uint32_t length_B = end - byte;
        const uint32_t to_atom_B = w->atom_B - (plain & (w->atom_B - 1)); /* a power of two */
        if (w->atom_B && to_atom_B < length_B) {
            length_B = to_atom_B;
        }
        const uint32_t done_B = whole_B - (end - byte);
        run.offset_B = byte;
        run.length_B = length_B;
        run.barrier_B = p->op == TMA_OP_LOAD && kind <= TMA_RUN_OUTSIDE ? length_B : 0;
        run.shared_address = w->atom_B ? tma_swizzled(p->swizzle_bits, plain) : plain;
        run.global_length_B = length_B;
        run.address = address + done_B;
        if (p->group_el > 1 && kind != TMA_RUN_PADDING) { /* a group is never cut inside */
            run.global_length_B = p->group_global_B * (length_B / p->group_payload_B);
            run.address = address + (uint64_t)done_B / p->group_payload_B * p->group_global_B;
        }
        if (p->group_el > 1) {
            run.coord[0] = element + (int64_t)done_B * p->group_el / p->group_payload_B;
        } else if (!p->unit_B) {
            run.coord[0] = element + (int64_t)(done_B >> w->element_shift);
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
    TMA_ASSERT(first <= end && end <= p->row_el);
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

static walker walker_of(const tma_plan *plan, const tma_position *at, int atoms) {
    walker w = {0};
    w.plan = plan;
    w.at = at;
    w.columns = tma_columns_of(plan, at);
    while (1u << w.element_shift < plan->group_payload_B) {
        w.element_shift++;
    }
    w.atom_B = atoms && plan->op != TMA_OP_PREFETCH ? atom_of(plan->swizzle_bits) : 0;
    return w;
}

/* Row k of the present stretch. */
static int walk_row_of(walker *w, const tma_row_order *it, uint32_t k) {
    const tma_stretch *s = &it->stretch;
    const int inside = k >= s->inside_first && k < s->inside_first + s->inside_rows;
    const uint32_t first = w->plan->first;
    memcpy(w->coord, s->coord, sizeof(w->coord));
    if (first < w->plan->rank) {
        w->coord[first] += (int64_t)k * w->plan->stride_el[first];
    }
    w->row = s->row + k;
    w->in_halo = tma_row_order_in_halo(it, w->row);
    w->row_address = s->address + (uint64_t)(k - s->inside_first) * s->step_B;
    return walk_row(w, inside);
}

static int walk(const tma_plan *plan, const tma_position *at, tma_visitor visit, void *context,
                int atoms) {
    if (!visit || tma_plan_runs(plan, at, NULL) != TMA_OK) {
        return -1;
    }
    walker w = walker_of(plan, at, atoms);
    tma_row_order it;
    w.visit = visit;
    w.context = context;
    tma_row_order_begin(&it, plan, at);
    while (tma_row_order_next(&it)) {
        for (uint32_t k = 0; k < it.stretch.rows; k++) {
            const int stop = walk_row_of(&w, &it, k);
            if (stop) {
                return stop;
            }
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

/* What a cursor holds: the stretch, the row in it, and how many of the row's runs are out. */
typedef struct place {
    tma_row_order order; /* its plan pointer is set anew by each call */
    uint32_t k;
    uint32_t given;
    uint32_t begun;
} place;

_Static_assert(sizeof(place) <= sizeof(tma_cursor), "a cursor holds its place");

typedef struct taker {
    tma_run *out;
    size_t capacity;
    size_t count;
    uint32_t skip;  /* runs of the row that were given before */
    uint32_t given; /* and are given now */
} taker;

/* Stops at the run that has no room. */
static int take(void *context, const tma_run *run) {
    taker *t = (taker *)context;
    if (t->skip) {
        t->skip--;
        return 0;
    }
    if (t->count == t->capacity) {
        return 1;
    }
    t->out[t->count++] = *run;
    t->given++;
    return 0;
}

static size_t take_runs(place *p, walker *w, taker *t) {
    for (;;) {
        while (p->k == p->order.stretch.rows) {
            p->k = 0;
            if (!tma_row_order_next(&p->order)) {
                p->order.stretch.rows = 0; /* and so it stays */
                return t->count;
            }
        }
        t->skip = p->given;
        t->given = 0;
        if (walk_row_of(w, &p->order, p->k)) {
            p->given += t->given;
            return t->count;
        }
        p->given = 0;
        p->k++;
    }
}

tma_status tma_runs(tma_run *out, size_t capacity, size_t *count, tma_cursor *cursor,
                    const tma_plan *plan, const tma_position *at, tma_finding *why) {
    if (!out || !capacity || !count || !cursor) {
        return tma_null_fault(why, TMA_ARG_OUT);
    }
    const tma_status status = tma_plan_runs(plan, at, why);
    if (status != TMA_OK) {
        return status;
    }
    place p;
    memcpy(&p, cursor, sizeof(p));
    if (!p.begun) {
        memset(&p, 0, sizeof(p));
        tma_row_order_begin(&p.order, plan, at);
        p.order.stretch.rows = 0;
        p.begun = 1;
    }
    p.order.plan = plan;
    walker w = walker_of(plan, at, 1);
    taker t = {out, capacity, 0, 0, 0};
    w.visit = take;
    w.context = &t;
    *count = take_runs(&p, &w, &t);
    p.order.plan = NULL;
    memcpy(cursor, &p, sizeof(p));
    return TMA_OK;
}
