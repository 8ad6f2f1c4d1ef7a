/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding the host memory of all rows of a copy before a byte moves.
 */
#include "copy_locate.h"
#include "memory.h"
#include "plan_internal.h"

/* Lowest and highest byte that the inside rows of a tile touch, from its index ranges alone. 0 if
 * an address does not fit 64 bits; *end == 0 if nothing is inside. */
static int tile_extent(tma_located *located, const tma_plan *plan, const tma_position *at,
                       uint64_t *first, uint64_t *end) {
    const tma_columns *c = &located->columns;
    int fits = 1;
    uint32_t all = 1;
    uint64_t low = plan->address;
    uint64_t extent_B = c->written_B - c->first_B;
    for (uint32_t i = plan->first; i < plan->rank; i++) {
        const int64_t step = plan->stride_el[i];
        const tma_index_range r =
            tma_inside(at->coord[i], step, plan->count[i], (int64_t)plan->dim_el[i]);
        located->inside[i] = r;
        if (r.count == 0) {
            all = 0;
            continue;
        }
        low = tma_advance(low, (uint64_t)(at->coord[i] + (int64_t)r.first * step), plan->step_B[i],
                          &fits);
        extent_B = tma_advance(extent_B, (r.count - 1) * (uint64_t)step, plan->step_B[i], &fits);
    }
    low = tma_advance(low, (uint64_t)(c->from + (int64_t)c->first_B), 1, &fits);
    *first = low;
    *end = all ? low + extent_B : 0;
    return !all || (fits && low + extent_B >= low);
}

/* The same by way of the stretches, for pixels and gathered rows. */
static int walked_extent(const tma_plan *plan, const tma_position *at, const tma_columns *c,
                         uint64_t *first, uint64_t *end) {
    tma_row_order it;
    int fits = 1;
    int64_t most[TMA_MAX_RANK] = {0};
    *first = UINT64_MAX;
    *end = 0;
    tma_row_order_begin(&it, plan, at);
    while (tma_row_order_next(&it)) {
        const tma_stretch *s = &it.stretch;
        if (s->inside_rows == 0) {
            continue;
        }
        for (uint32_t i = plan->first; i < plan->rank; i++) {
            most[i] = s->coord[i] > most[i] ? s->coord[i] : most[i];
        }
        const uint64_t low = s->address + (uint64_t)(c->from + (int64_t)c->first_B);
        const uint64_t high = s->address + (s->inside_rows - 1) * s->step_B +
                              (uint64_t)(c->from + (int64_t)c->written_B);
        *first = low < *first ? low : *first;
        *end = high > *end ? high : *end;
    }
    if (*end) { /* sums of products: whether the largest of each fits says that all did */
        uint64_t high = plan->address + (uint64_t)(c->from + (int64_t)c->written_B);
        for (uint32_t i = plan->first; i < plan->rank; i++) {
            high = tma_advance(high, (uint64_t)most[i] + plan->rows * UINT64_C(8), plan->step_B[i],
                               &fits);
        }
    }
    return fits;
}

/* Whether all bytes of a row are there, in however many ranges. */
static int row_in_pieces(const tma_global *global, int write, uint64_t address, uint64_t size_B) {
    for (uint64_t part_B = size_B; size_B; size_B -= part_B, part_B = size_B) {
        if (!tma_host_part(global, write, address, &part_B)) {
            return 0;
        }
        address += part_B;
    }
    return 1;
}

/* One range for each row, asked for once for all that follow in it; a row in pieces is by itself.
 */
static int locate_rows(tma_located *located, const tma_plan *plan, const tma_position *at,
                       const tma_global *global) {
    const tma_columns *c = &located->columns;
    const int write = tma_writes(plan);
    const uint64_t row_B = c->written_B - c->first_B;
    tma_row_order it;
    tma_row_order_begin(&it, plan, at);
    while (tma_row_order_next(&it)) {
        const tma_stretch *s = &it.stretch;
        for (uint32_t i = 0, rows = 0; i < s->inside_rows; i += rows) {
            const uint64_t row =
                s->address + i * s->step_B + (uint64_t)(c->from + (int64_t)c->first_B);
            rows = s->inside_rows - i;
            if (!tma_host_rows(global, write, row, row_B, s->step_B, &rows)) {
                if (!row_in_pieces(global, write, row, row_B)) {
                    return 0;
                }
                located->pieces = 1;
                rows = 1;
            }
        }
    }
    return 1;
}

int tma_locate(tma_located *located, const tma_plan *plan, const tma_position *at,
               const tma_global *global) {
    uint64_t first = 0;
    uint64_t end = 0;
    tma_columns *c = &located->columns;
    *c = tma_columns_of(plan, at);
    located->global = global;
    located->delta = 0;
    located->whole = 1;
    located->pieces = 0;
    if (plan->mode != TMA_MODE_TILE && !global->is_host && plan->tensor_extent_B) {
        const uint8_t *all =
            tma_host(global, tma_writes(plan), plan->address, plan->tensor_extent_B);
        if (all) { /* the usual case: a range holds the tensor, whatever the copy takes of it */
            located->delta = (uint64_t)(uintptr_t)all - plan->address;
            return 1;
        }
    }
    const int fits = plan->mode == TMA_MODE_TILE ? tile_extent(located, plan, at, &first, &end)
                                                 : walked_extent(plan, at, c, &first, &end);
    if (!fits || (end && end < first)) {
        return 0;
    }
    if (global->is_host || end == 0 || c->written_B == c->first_B) {
        return 1; /* device addresses are pointers, or no memory is needed */
    }
    const uint8_t *host = tma_host(global, tma_writes(plan), first, end - first);
    located->delta = (uint64_t)(uintptr_t)host - first;
    located->whole = host != NULL;
    return located->whole || locate_rows(located, plan, at, global);
}
