/* SPDX-License-Identifier: Apache-2.0
 *
 * Shadow memory of what most loads and stores are: a whole warp's, one lane right behind the other,
 * ordered after all that was there. Such accesses are kept once for 32 cells and judged once.
 * Whatever else comes is told cell by cell: the row is put into its cells first, so that nothing
 * hangs on which way an access took.
 */
#include <string.h>

#include "shadow_cell.h"

#define ROW_MASK UINT64_C(0xffffffff)

static uint32_t first_lane(uint32_t lanes) {
    return (uint32_t)__builtin_ctz(lanes);
}

/* 32 cells are so many lanes' times a power of two. */
static uint32_t cells_shift(uint32_t lanes) {
    return (uint32_t)__builtin_ctz(ORDER_ROW_CELLS / (uint32_t)__builtin_popcount(lanes));
}

void order_rows_spread(order_state *s, order_page *page, uint64_t cells) {
    for (uint32_t r = 0; page->row && r < ORDER_PAGE_CELLS / ORDER_ROW_CELLS; r++) {
        order_shadow_row *row = &page->row[r];
        if (!row->count || !(cells >> r * ORDER_ROW_CELLS & ROW_MASK)) {
            continue;
        }
        for (uint32_t i = 0; i < row->count; i++) {
            order_entry one = row->entry[i];
            const uint32_t first = first_lane(one.lanes), shift = cells_shift(one.lanes);
            for (uint32_t c = 0; c < ORDER_ROW_CELLS; c++) {
                one.lanes = 1u << (first + (c >> shift));
                order_cell_add(s, page, r * ORDER_ROW_CELLS + c, &one);
            }
        }
        row->count = 0;
    }
}

int order_ranges_pass(const order_actor *a, order_page *page, uint64_t cells) {
    for (uint32_t i = 0; i < page->ranges; i++) {
        const order_range *range = &page->range[i];
        const uint8_t either = a->entry.flags | range->entry.flags;
        if (range->cells & cells &&
            (range->entry.flags & ~(ORDER_IS_ASYNC | ORDER_IS_WRITE) ||
             (either & ORDER_IS_WRITE && (a->is_apart || !order_is_over(a, &range->entry))))) {
            return 0;
        }
    }
    for (uint32_t i = page->ranges; i-- > 0;) {
        order_range *range = &page->range[i];
        if (range->cells & cells && order_stands_for(a, &range->entry)) {
            range->cells &= ~cells;
            if (!range->cells) {
                *range = page->range[--page->ranges];
            }
        }
    }
    return 1;
}

/* Whether the access stands for an earlier one of the row, which is quiet. */
static int goes(const order_actor *a, const order_entry *e) {
    return a->entry.flags & ORDER_IS_WRITE ||
           (!(e->flags & ORDER_IS_WRITE) && order_is_known(a, e));
}

/* Entries of the row: 0: one of them has to be judged, or there is no room. */
static int pass_entries(const order_actor *a, const order_shadow_row *row, uint8_t *over) {
    uint32_t stay = 0;
    for (uint32_t i = 0; i < row->count; i++) {
        if (!order_is_quiet(a, &row->entry[i])) {
            return 0;
        }
        stay += !goes(a, &row->entry[i]);
        *over |= row->entry[i].flags & ORDER_IS_WRITE;
    }
    return stay < ORDER_ROW_ENTRIES;
}

/* One row; 0: it has to be told cell by cell, and nothing was done. */
static int pass_row(order_actor *a, order_page *page, uint32_t r) {
    const uint64_t cells = ROW_MASK << r * ORDER_ROW_CELLS;
    const uint8_t write = a->entry.flags & ORDER_IS_WRITE;
    order_shadow_row *row = &page->row[r];
    uint32_t kept = 0;
    uint8_t over = 0;
    if (page->used & cells || !pass_entries(a, row, &over) || !order_ranges_pass(a, page, cells)) {
        return 0;
    }
    for (uint32_t i = 0; i < row->count; i++) {
        if (!goes(a, &row->entry[i])) {
            row->entry[kept++] = row->entry[i];
        }
    }
    a->entry.flags = (uint8_t)(write | (write && over ? ORDER_IS_OVER : 0));
    row->entry[kept] = a->entry;
    row->count = kept + 1;
    return 1;
}

/* Cells that have one and the same write and nothing else are a row again. */
static void gather(const order_actor *a, order_page *page, uint32_t r, uint32_t lanes) {
    const uint32_t first = first_lane(lanes), shift = cells_shift(lanes);
    order_cell *cell = &page->cell[(size_t)r * ORDER_ROW_CELLS];
    const order_entry like = cell[0].first;
    for (uint32_t c = 0; c < ORDER_ROW_CELLS; c++) {
        const order_entry *e = &cell[c].first;
        if (cell[c].count != 1 || cell[c].crowd || e->lanes != 1u << (first + (c >> shift)) ||
            e->flags != like.flags || e->in != a->entry.in || e->epoch != a->entry.epoch ||
            e->iteration != a->entry.iteration || e->cta != a->entry.cta ||
            e->warp != a->entry.warp || e->bytes != 0xf) {
            return;
        }
    }
    for (uint32_t c = 0; c < ORDER_ROW_CELLS; c++) {
        cell[c].count = 0;
    }
    page->used &= ~(ROW_MASK << r * ORDER_ROW_CELLS);
    page->row[r] = (order_shadow_row){1, {like}};
    page->row[r].entry[0].lanes = lanes;
}

static void tell_lanes(order_actor *a, const emu_place *first, uint32_t size_B, uint32_t lanes,
                       uint32_t same) {
    EMU_FOR_LANES(l, lanes) {
        const emu_place place = emu_place_behind(first, (uint64_t)l * size_B);
        a->place = &place;
        a->entry.lanes = 1u << l;
        a->is_there = same >> l & 1;
        order_shadow_thread(a, place.at, size_B);
    }
    a->place = first;
}

static order_shadow_row *rows_of(order_state *s, order_page *page) {
    if (!page->row) {
        page->row = emu_take(s->machine, ORDER_PAGE_CELLS / ORDER_ROW_CELLS * sizeof *page->row);
        if (!page->row) {
            order_shadow_lost(s);
            return 0;
        }
        memset(page->row, 0, ORDER_PAGE_CELLS / ORDER_ROW_CELLS * sizeof *page->row);
    }
    return page->row;
}

void order_shadow_rows(order_actor *a, const emu_place *first, uint32_t size_B, uint32_t same) {
    const uint32_t rows = size_B / 4, each = EMU_LANES / rows;
    TMA_ASSERT((size_B == 4 || size_B == 8 || size_B == 16) && first->at % 128 == 0);
    for (uint32_t i = 0; i < rows; i++) {
        const uint32_t lanes = (uint32_t)(ROW_MASK >> (EMU_LANES - each)) << i * each;
        const emu_place place = emu_place_behind(first, i * UINT64_C(128));
        order_page *page = order_page_at(a->state, &place, place.at);
        const uint32_t r = (uint32_t)(place.at % ORDER_PAGE_B / 128);
        if (!page || !rows_of(a->state, page)) {
            break;
        }
        a->place = &place;
        a->entry.lanes = lanes;
        a->entry.bytes = 0xf;
        if (!pass_row(a, page, r)) {
            tell_lanes(a, first, size_B, lanes, same);
            if (a->entry.flags & ORDER_IS_WRITE && page->cell) {
                gather(a, page, r, lanes);
            }
        }
    }
    a->place = first;
}
