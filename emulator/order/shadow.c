/* SPDX-License-Identifier: Apache-2.0
 *
 * Shadow memory: the last accesses of each cell of 4 bytes by threads, and of ranges of cells by
 * asynchronous operations, in pages of 256 bytes. No entry is dropped but one that a later access
 * stands for: whatever is unordered with the dropped one is unordered with the kept one, too.
 */
#include <string.h>

#include "run_report.h"
#include "shadow_cell.h"

void order_pages_end(order_state *s, order_page *page) {
    if (!page) {
        return;
    }
    for (uint32_t i = 0; page->cell && i < ORDER_PAGE_CELLS; i++) {
        emu_give(s->machine, page->cell[i].more);
        order_crowd_end(s, &page->cell[i]);
    }
    emu_give(s->machine, page->cell);
    emu_give(s->machine, page->row);
    emu_give(s->machine, page->range);
    emu_give(s->machine, page);
}

static order_entry *entry_of(order_cell *cell, uint32_t i) {
    return i ? &cell->more[i - 1] : &cell->first;
}

static void remove_entry(order_cell *cell, uint32_t i) {
    cell->count--;
    if (i != cell->count) {
        *entry_of(cell, i) = *entry_of(cell, cell->count);
    }
}

static void list_entry(order_state *s, order_cell *cell, const order_entry *entry) {
    if (cell->count && cell->count - 1 == cell->room) {
        const uint32_t room = cell->room ? 2 * cell->room : 2;
        order_entry *more = emu_take(s->machine, room * sizeof *more);
        if (!more) {
            order_shadow_lost(s);
            return;
        }
        if (cell->room) {
            memcpy(more, cell->more, cell->room * sizeof *more);
            emu_give(s->machine, cell->more);
        }
        cell->more = more;
        cell->room = room;
    }
    *entry_of(cell, cell->count++) = *entry;
}

/* Reads and atomics where there are many are found by their warp. */
static void add_entry(order_state *s, const order_actor *a, order_cell *cell,
                      const order_entry *entry) {
    if (!order_is_crowds(entry) || (!cell->crowd && cell->count < ORDER_FEW)) {
        list_entry(s, cell, entry);
        return;
    }
    for (uint32_t i = cell->crowd ? 0 : cell->count; i-- > 0;) {
        if (order_is_crowds(entry_of(cell, i))) {
            order_crowd_add(s, a, cell, entry_of(cell, i));
            remove_entry(cell, i);
        }
    }
    order_crowd_add(s, a, cell, entry);
}

/* Where the first of some cells lies. */
static uint64_t first_at(const order_page *page, uint64_t cells) {
    return page->number * ORDER_PAGE_B + UINT64_C(4) * (uint32_t)__builtin_ctzll(cells);
}

static int any_write(const order_page *page, const order_cell *cell, uint64_t bit) {
    if (cell && cell->crowd && cell->crowd->atomics) {
        return 1;
    }
    for (uint32_t i = 0; cell && i < cell->count; i++) {
        if (entry_of((order_cell *)cell, i)->flags & ORDER_IS_WRITE) {
            return 1;
        }
    }
    for (uint32_t i = 0; i < page->ranges; i++) {
        if (page->range[i].cells & bit && page->range[i].entry.flags & ORDER_IS_WRITE) {
            return 1;
        }
    }
    return 0;
}

static void drop_older(order_cell *cell, const order_entry *joined) {
    const order_entry by = *joined;
    for (uint32_t i = cell->count; i-- > 0;) {
        if (order_is_older(entry_of(cell, i), &by)) {
            remove_entry(cell, i);
        }
    }
}

/* 1: it has joined one. */
static int pass_crowd(order_actor *a, order_cell *cell, const order_context *context) {
    if (cell->crowd && !order_crowd_passes(a, cell->crowd)) {
        order_crowd_judge(a, cell, context);
    }
    return cell->crowd && order_is_crowds(&a->entry) && order_crowd_joins(a, cell->crowd);
}

/* The cell's own entries beside the later access; what it stands for goes. */
static int pass_cell(order_actor *a, const order_page *page, order_cell *cell, uint64_t bit,
                     int written) {
    a->cell_at = first_at(page, bit);
    order_context context = {written || (cell->crowd && any_write(page, cell, bit)) ? 1 : -1};
    int joined = 0;
    for (uint32_t i = cell->count; i-- > 0;) {
        order_entry *e = entry_of(cell, i);
        if (!(a->entry.flags & ORDER_IS_ASYNC) && order_joins(a, e)) {
            e->lanes |= a->entry.lanes;
            joined = 1;
            continue;
        }
        if (e->bytes & a->entry.bytes) {
            if (context.written_before < 0) {
                context.written_before = any_write(page, cell, bit);
            }
            order_judge(a, e, &context);
            if (order_stands_for(a, e)) {
                remove_entry(cell, i);
            }
        }
    }
    for (uint32_t i = 0; joined && i < cell->count; i++) {
        if (order_joins(a, entry_of(cell, i))) {
            drop_older(cell, entry_of(cell, i));
            break;
        }
    }
    return joined | pass_crowd(a, cell, &context);
}

/* pass_cell() for what most accesses are: plain, of the whole cell, and ordered after all that was
 * there. 0: it is something else, and nothing was done. */
static int pass_quietly(order_actor *a, const order_page *page, order_cell *cell, uint64_t bit) {
    const uint8_t write = a->entry.flags & ORDER_IS_WRITE;
    uint8_t over = 0;
    if (a->entry.flags & ~(ORDER_IS_WRITE | ORDER_IS_OVER) || a->entry.bytes != 0xf) {
        return 0;
    }
    for (uint32_t i = 0; i < page->ranges; i++) {
        if (page->range[i].cells & bit) {
            return 0;
        }
    }
    for (uint32_t i = 0; i < cell->count; i++) {
        const order_entry *e = entry_of(cell, i);
        if (!order_is_quiet(a, e)) {
            return 0;
        }
        over |= e->flags & ORDER_IS_WRITE;
    }
    if (cell->crowd &&
        !(write ? order_crowd_quiet(a, cell->crowd) : order_crowd_passes(a, cell->crowd))) {
        return 0;
    }
    a->entry.flags = (uint8_t)(write | (write && over ? ORDER_IS_OVER : 0));
    for (uint32_t i = cell->count; i-- > 0;) {
        if (order_stands_for(a, entry_of(cell, i))) {
            remove_entry(cell, i);
        }
    }
    if (write) {
        order_crowd_end(a->state, cell);
    }
    if (!cell->crowd || !order_crowd_joins(a, cell->crowd)) {
        add_entry(a->state, a, cell, &a->entry);
    }
    return 1;
}

/* A cell that gets an entry; null: no memory. */
static order_cell *cell_at(order_state *s, order_page *page, uint32_t number) {
    if (!page->cell) {
        page->cell = emu_take(s->machine, ORDER_PAGE_CELLS * sizeof *page->cell);
        if (!page->cell) {
            order_shadow_lost(s);
            return 0;
        }
        memset(page->cell, 0, ORDER_PAGE_CELLS * sizeof *page->cell);
    }
    page->used |= UINT64_C(1) << number;
    return &page->cell[number];
}

void order_cell_add(order_state *s, order_page *page, uint32_t number, const order_entry *entry) {
    order_cell *cell = cell_at(s, page, number);
    if (cell) {
        add_entry(s, 0, cell, entry);
    }
}

/* Of the cell at `from`, as bits. */
static uint8_t bytes_of(uint64_t from, uint64_t end) {
    const uint32_t first = from & 3, last = end - (from - first) < 4 ? end & 3 : 4;
    return (uint8_t)((1u << last) - (1u << first));
}

static void thread_cell(order_actor *a, order_page *page, uint32_t number) {
    order_state *s = a->state;
    const uint64_t bit = UINT64_C(1) << number;
    order_rows_spread(s, page, bit);
    order_cell *cell = cell_at(s, page, number);
    if (!cell) {
        return;
    }
    if (pass_quietly(a, page, cell, bit)) {
        return;
    }
    a->cell_at = first_at(page, bit);
    for (uint32_t i = page->ranges; i-- > 0;) {
        order_range *range = &page->range[i];
        if (range->cells & bit) {
            const order_context context = {1};
            order_judge(a, &range->entry, &context);
            if (a->entry.bytes == 0xf && order_stands_for(a, &range->entry)) {
                range->cells &= ~bit;
                if (!range->cells) {
                    *range = page->range[--page->ranges];
                }
            }
        }
    }
    const int over = a->entry.flags & ORDER_IS_WRITE && any_write(page, cell, bit);
    a->entry.flags = (uint8_t)((a->entry.flags & ~ORDER_IS_OVER) | (over ? ORDER_IS_OVER : 0));
    if (!pass_cell(a, page, cell, bit, 0)) {
        add_entry(s, a, cell, &a->entry);
    }
}

/* Whether nothing is said of two accesses of threads, whatever their order. */
static int passes(const order_actor *a, const order_entry *e) {
    const uint8_t either = a->entry.flags | e->flags, both = a->entry.flags & e->flags;
    return !(either & ORDER_IS_WRITE) ||
           (both & ORDER_IS_STRONG &&
            order_strong_pass(a, order_is_sensitive(a->state, e) ||
                                     order_is_sensitive(a->state, &a->entry)));
}

/* Whether nothing in a cell has to be judged beside a read or an atomic of several lanes. */
static int is_calm(const order_actor *a, order_page *page, uint32_t number) {
    const uint64_t bit = UINT64_C(1) << number;
    order_rows_spread(a->state, page, bit);
    order_cell *cell = page->used & bit ? &page->cell[number] : 0;
    for (uint32_t i = 0; cell && i < cell->count; i++) {
        const order_entry *e = entry_of(cell, i);
        if (!passes(a, e) &&
            (e->flags & ~(ORDER_IS_WRITE | ORDER_IS_OVER | ORDER_IS_INIT) ||
             e->cta != a->entry.cta ||
             !order_block_lanes(a->own_cta, e->warp * EMU_LANES, e->lanes, e->epoch))) {
            return 0;
        }
    }
    return (!cell || !cell->crowd || order_crowd_passes(a, cell->crowd)) &&
           order_ranges_pass(a, page, bit);
}

static void keep_alike(order_actor *a, order_page *page, uint32_t number) {
    const uint64_t bit = UINT64_C(1) << number;
    order_cell *cell = cell_at(a->state, page, number);
    if (cell) {
        const int over = a->entry.flags & ORDER_IS_WRITE && any_write(page, cell, bit);
        a->entry.flags = (uint8_t)((a->entry.flags & ~ORDER_IS_OVER) | (over ? ORDER_IS_OVER : 0));
        if (!pass_cell(a, page, cell, bit, 0)) {
            add_entry(a->state, a, cell, &a->entry);
        }
    }
}

int order_shadow_alike(order_actor *a, uint64_t at, uint32_t size_B) {
    const uint64_t end = at + size_B;
    TMA_ASSERT(order_is_crowds(&a->entry));
    for (int is_kept = 0; is_kept < 2; is_kept++) {
        for (uint64_t from = at, next; from < end; from = next) {
            next = (from & ~UINT64_C(3)) + 4;
            order_page *page = order_page_at(a->state, a->place, from);
            const uint32_t number = (uint32_t)(from % ORDER_PAGE_B / 4);
            a->entry.bytes = bytes_of(from, end);
            if (!page || (!is_kept && !is_calm(a, page, number))) {
                return 0;
            }
            if (is_kept) {
                keep_alike(a, page, number);
            }
        }
    }
    return 1;
}

void order_shadow_thread(order_actor *a, uint64_t at, uint32_t size_B) {
    uint64_t from = at;
    const uint64_t end = at + size_B;
    order_page *page = 0;
    while (from < end) {
        if (!page || from / ORDER_PAGE_B != page->number) {
            page = order_page_at(a->state, a->place, from);
            if (!page) {
                return;
            }
        }
        a->entry.bytes = bytes_of(from, end);
        thread_cell(a, page, (uint32_t)(from % ORDER_PAGE_B / 4));
        from += 4 - (from & 3);
    }
}

static void add_range(order_state *s, order_page *page, const order_entry *entry, uint64_t cells) {
    for (uint32_t i = 0; i < page->ranges; i++) {
        if (page->range[i].entry.op == entry->op && page->range[i].entry.flags == entry->flags &&
            page->range[i].entry.cta == entry->cta) {
            page->range[i].cells |= cells;
            return;
        }
    }
    if (page->ranges == page->room) {
        const uint32_t room = page->room ? 2 * page->room : 2;
        order_range *range = emu_take(s->machine, room * sizeof *range);
        if (!range) {
            order_shadow_lost(s);
            return;
        }
        if (page->room) {
            memcpy(range, page->range, page->room * sizeof *range);
            emu_give(s->machine, page->range);
        }
        page->range = range;
        page->room = room;
    }
    page->range[page->ranges++] = (order_range){*entry, cells};
}

/* Cells that somebody wrote. */
static uint64_t written_cells(const order_page *page, uint64_t cells) {
    uint64_t written = 0;
    for (uint32_t i = 0; i < page->ranges; i++) {
        written |= page->range[i].entry.flags & ORDER_IS_WRITE ? page->range[i].cells : 0;
    }
    for (uint64_t rest = page->used & cells & ~written; rest; rest &= rest - 1) {
        const uint32_t number = (uint32_t)__builtin_ctzll(rest);
        if (any_write(page, &page->cell[number], 0)) {
            written |= UINT64_C(1) << number;
        }
    }
    return written;
}

static void async_page(order_actor *a, order_page *page, uint64_t cells) {
    order_state *s = a->state;
    order_rows_spread(s, page, cells);
    const uint64_t written = written_cells(page, cells);
    if (cells & ~written && !(a->entry.flags & ORDER_IS_WRITE)) {
        order_op_of(s, a->entry.op)->reads_unwritten = 1;
    }
    for (uint32_t i = page->ranges; i-- > 0;) {
        order_range *range = &page->range[i];
        if (!(range->cells & cells) || range->entry.op == a->entry.op) {
            continue;
        }
        const order_context context = {range->entry.flags & ORDER_IS_WRITE ? 1 : -1};
        a->cell_at = first_at(page, range->cells & cells);
        order_judge(a, &range->entry, &context);
        if (a->entry.flags & range->entry.flags & ORDER_IS_WRITE) {
            order_op_of(s, a->entry.op)->before = range->entry.op;
        }
        if (order_stands_for(a, &range->entry)) {
            range->cells &= ~cells;
            if (!range->cells) {
                *range = page->range[--page->ranges];
            }
        }
    }
    for (uint64_t rest = page->used & cells; rest; rest &= rest - 1) {
        const uint32_t number = (uint32_t)__builtin_ctzll(rest);
        pass_cell(a, page, &page->cell[number], UINT64_C(1) << number, written >> number & 1);
        if (!page->cell[number].count && !page->cell[number].crowd) {
            page->used &= ~(UINT64_C(1) << number);
        }
    }
    add_range(s, page, &a->entry, cells);
}

void order_shadow_async(order_actor *a, uint64_t at, uint64_t size_B) {
    const uint64_t end = at + size_B;
    for (uint64_t from = at; from < end;) {
        const uint64_t page_end = from / ORDER_PAGE_B * ORDER_PAGE_B + ORDER_PAGE_B;
        const uint64_t to = end < page_end ? end : page_end;
        order_page *page = order_page_at(a->state, a->place, from);
        if (!page) {
            return;
        }
        const uint32_t first = (uint32_t)(from % ORDER_PAGE_B / 4),
                       count = (uint32_t)((to - from + (from & 3) + 3) / 4);
        const uint64_t cells = (count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1) << first;
        async_page(a, page, cells);
        from = to;
    }
}

void order_forget(emu_machine *m, const emu_place *place, uint64_t size_B) {
    order_state *s = order_of(m);
    if (!s || (place->space != EMU_GLOBAL && place->space != EMU_SHARED_CTA &&
               place->space != EMU_TMEM)) {
        return;
    }
    for (uint64_t from = place->at & ~UINT64_C(3); from < place->at + size_B; from += 4) {
        order_page *page = order_page_at(s, place, from);
        const uint64_t bit = UINT64_C(1) << (from % ORDER_PAGE_B / 4);
        if (!page) {
            return;
        }
        order_rows_spread(s, page, bit);
        if (page->used & bit) {
            page->cell[from % ORDER_PAGE_B / 4].count = 0;
            order_crowd_end(s, &page->cell[from % ORDER_PAGE_B / 4]);
            page->used &= ~bit;
        }
        for (uint32_t i = page->ranges; i-- > 0;) {
            page->range[i].cells &= ~bit;
            if (!page->range[i].cells) {
                page->range[i] = page->range[--page->ranges];
            }
        }
    }
}
