/* SPDX-License-Identifier: Apache-2.0
 *
 * Which bytes a tensor copy touches, as few ranges.
 */
#include "copy_tensor.h"
#include "tma/walk.h"

/* A range that grows as long as runs follow each other. */
typedef struct merge {
    emu_tensor *t;
    emu_range range;
    emu_cta *cta;        /* of shared addresses */
    uint64_t first, end; /* shared or global addresses */
    uint8_t is_global, edges;
} merge;

static void flush(merge *m) {
    emu_place place;
    const emu_async *a = &m->t->is;
    if (m->first == m->end) {
        return;
    }
    if (!m->is_global) {
        place = emu_place_in(m->cta, m->first & EMU_OFFSET_BITS);
        m->range(m->t, &place, m->end - m->first);
    } else if (emu_find_place(a->warp, a->lane, m->first, &place)) {
        m->range(m->t, &place, m->end - m->first);
    }
}

static void add(merge *m, uint64_t first, uint64_t size_B) {
    if (first != m->end || m->first == m->end) {
        flush(m);
        m->first = first;
    }
    m->end = first + size_B;
}

static int visit_shared(void *context, const tma_run *run) {
    merge *m = context;
    const int loads = m->t->is.to != NULL;
    if (run->kind == TMA_RUN_INSIDE ||
        (loads ? run->kind == TMA_RUN_OUTSIDE : m->edges && run->kind == TMA_RUN_PAST_EDGE)) {
        add(m, run->shared_address, run->length_B);
    }
    return 0;
}

static int visit_global(void *context, const tma_run *run) {
    merge *m = context;
    if (run->kind == TMA_RUN_INSIDE || run->kind == TMA_RUN_PAST_EDGE) {
        add(m, run->address, run->global_length_B);
    }
    return 0;
}

/* Whether the rows fill one range, however the swizzle moves bytes in them. */
static int is_dense(const tma_plan *plan, const tma_position *at) {
    const tma_plan_facts *p = tma_plan_info(plan);
    tma_report_result report;
    if (p->row_shared_B != p->pitch_B || (p->swizzle && p->unit_B)) {
        return 0;
    }
    return p->mode == TMA_MODE_TILE && tma_plan_report(&report, plan, at, NULL) == TMA_OK &&
           !report.dropped_B && !report.past_edge_B;
}

void emu_tensor_shared(emu_tensor *t, int edges, emu_range range) {
    const tma_plan_facts *p = tma_plan_info(&t->plan);
    emu_cta *cta = t->is.from ? t->is.from : t->is.to;
    merge m = {.t = t, .range = range, .cta = cta, .edges = (uint8_t)edges};
    if (is_dense(&t->plan, &t->at)) {
        add(&m, t->at.shared_address, (uint64_t)p->rows * p->pitch_B);
    } else if (p->swizzle) {
        tma_walk(&t->plan, &t->at, visit_shared, &m);
    } else {
        tma_walk_rows(&t->plan, &t->at, visit_shared, &m);
    }
    flush(&m);
}

void emu_tensor_global(emu_tensor *t, emu_range range) {
    merge m = {.t = t, .range = range, .is_global = 1};
    tma_walk_rows(&t->plan, &t->at, visit_global, &m);
    flush(&m);
}
