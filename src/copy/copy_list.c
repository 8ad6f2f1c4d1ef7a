/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads whose rows fill their swizzle's span and lie in many stretches: a pointer for each row, to
 * its memory or to what fills rows outside the tensor, so that the loops see rows alone.
 */
#include "copy_list.h"

#include "memory.h"
#include "tma/detail/assert.h"

/* A row that is outside the tensor. */
#define TIMES_16(value)                                                                            \
    value, value, value, value, value, value, value, value, value, value, value, value, value,     \
        value, value, value
static const uint16_t zeros[TMA_LINE_B / 2];
static const uint16_t nans[TMA_LINE_B / 2] = {TIMES_16(0x7FF7), TIMES_16(0x7FF7), TIMES_16(0x7FF7),
                                              TIMES_16(0x7FF7)};

int tma_listing_begin(tma_listing *l, const tma_plan *plan, uint32_t shared_address,
                      const tma_window *window) {
    TMA_ASSERT(plan->pitch_B);
    const tma_kernels *const kernels = tma_kernels_of(plan->path);
    const uint32_t number = tma_period_number(plan);
    const uint32_t period_B = 8 * TMA_LINE_B;
    if (plan->op != TMA_OP_LOAD || plan->tf32 || plan->group_el > 2 ||
        plan->row_B != plan->pitch_B || shared_address % plan->pitch_B || !window->host ||
        !kernels->load_periods[number]) {
        return 0;
    }
    l->run = kernels->load_periods[number];
    l->list = kernels->list_periods[number];
    l->shared = (uint8_t *)window->host + (shared_address - window->address);
    l->address = shared_address;
    l->pitch_B = plan->pitch_B;
    l->period = period_B / plan->pitch_B;
    l->full = (period_B - shared_address % period_B) / plan->pitch_B;
    TMA_ASSERT(l->list && l->full && l->full <= l->period && l->period <= TMA_PERIOD_MOST);
    l->count = 0;
    return 1;
}

static void moved(tma_listing *l, uint32_t rows) {
    l->shared += (size_t)rows * l->pitch_B;
    l->address += rows * l->pitch_B;
}

void tma_listing_end(tma_listing *l) {
    if (l->count) {
        l->list(l->shared, l->address, l->rows, l->count);
        moved(l, l->count);
        l->count = 0;
        l->full = l->period;
    }
}

/* Rows that begin or end within the pattern go to the list, those between at once. */
void tma_listing_add(tma_listing *l, const uint8_t *row, uint64_t step_B, uint32_t rows) {
    TMA_ASSERT(row || !rows);
    while (rows) { /* each turn takes a row at least */
        if (l->count == 0 && l->full == l->period && rows >= l->period) {
            const uint32_t now = rows - rows % l->period;
            l->run(l->shared, l->address, (uint8_t *)(uintptr_t)row, step_B, now);
            moved(l, now);
            row += now * step_B;
            rows -= now;
            continue;
        }
        while (rows && l->count < l->full) {
            l->rows[l->count++] = row;
            row += step_B;
            rows--;
        }
        if (l->count == l->full) {
            tma_listing_end(l);
        }
    }
}

static void add_stretch(tma_listing *l, const tma_stretch *s, const tma_located *located,
                        const uint8_t *outside) {
    const tma_columns *c = &located->columns;
    const uint64_t first = s->address + (uint64_t)c->from;
    tma_listing_add(l, outside, 0, s->inside_first);
    if (located->whole) {
        tma_listing_add(l, (const uint8_t *)(uintptr_t)(first + located->delta), s->step_B,
                        s->inside_rows);
    } else {
        for (uint32_t i = 0, there = 0; i < s->inside_rows; i += there) {
            there = s->inside_rows - i;
            const uint8_t *const host = tma_host_rows(located->global, 0, first + i * s->step_B,
                                                      c->written_B, s->step_B, &there);
            tma_listing_add(l, host, s->step_B, there);
        }
    }
    tma_listing_add(l, outside, 0, s->rows - s->inside_first - s->inside_rows);
}

int tma_list_copy(const tma_plan *plan, const tma_position *at, const tma_located *located,
                  const tma_window *window) {
    const tma_columns *c = &located->columns;
    tma_listing l;
    tma_row_order it;
    if (c->first_B || c->written_B != plan->row_B ||
        !tma_listing_begin(&l, plan, at->shared_address, window)) {
        return 0;
    }
    const uint16_t *const outside = plan->fill == TMA_FILL_NAN ? nans : zeros;
    tma_row_order_begin(&it, plan, at);
    while (tma_row_order_next(&it)) {
        add_stretch(&l, &it.stretch, located, (const uint8_t *)outside);
    }
    tma_listing_end(&l);
    return 1;
}

#define SHARED_ALIGN 127u /* the strictest that a swizzle asks for */

int tma_whole_gather(const tma_plan *p, const tma_position *at, const tma_global *global,
                     const tma_window *window) {
    const uint8_t *rows[4];
    tma_listing l;
    const uint64_t column = (uint64_t)(int64_t)at->coord[0]; /* negative: beyond any size */
    const uint64_t shared_end = (uint64_t)at->shared_address + TMA_LINE_B * UINT64_C(4);
    if (!p->tensor_extent_B || at->shared_address & SHARED_ALIGN || column & p->coord0_mask ||
        column >= p->dim_el[0] || p->dim_el[0] - column < p->row_el || tma_position_reserved(at) ||
        tma_memory_reserved(global, window) || at->shared_address < window->address ||
        shared_end > (uint64_t)window->address + window->size_B || shared_end > TMA_VALUE(WINDOW) ||
        !tma_listing_begin(&l, p, at->shared_address, window)) {
        return 0;
    }
    const uint8_t *const all = tma_host(global, 0, p->address, p->tensor_extent_B);
    for (uint32_t i = 0; i < 4; i++) {
        const uint64_t row = (uint64_t)(int64_t)at->coord[1 + i];
        if (row >= p->dim_el[1] || !all) {
            return 0;
        }
        rows[i] = all + row * p->step_B[1] + column * p->bits / 8;
    }
    l.list(l.shared, l.address, rows, 4);
    return 1;
}
