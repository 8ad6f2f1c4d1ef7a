/* SPDX-License-Identifier: Apache-2.0
 *
 * What one copy moves, counted without walking its rows.
 */
#include "geometry.h"
#include "plan_internal.h"
#include "row_order.h"

static void add_extent(tma_report_result *out, uint64_t first, uint64_t length_B) {
    const int wraps = first + length_B < first;
    const uint64_t lowest = wraps ? 0 : first;
    const uint64_t highest = wraps ? UINT64_MAX : first + length_B;
    if (out->global_first == out->global_end || lowest < out->global_first) {
        out->global_first = lowest;
    }
    if (highest > out->global_end) {
        out->global_end = highest;
    }
}

/* Row bytes in the tensor: how the rows of a stretch add to the counts and the extent. */
static void add_rows(tma_report_result *out, const tma_stretch *s, const tma_columns *c) {
    const uint64_t lowest = s->address + (uint64_t)(c->from + (int64_t)c->first_B);
    const uint64_t length_B = c->written_B - c->first_B;
    const uint64_t all_B = (s->inside_rows - 1) * s->step_B + length_B;
    out->inside_B += (uint64_t)s->inside_rows * (c->end_B - c->first_B);
    out->past_edge_B += (uint64_t)s->inside_rows * (c->written_B - c->end_B);
    out->global_B += (uint64_t)s->inside_rows * length_B;
    if (lowest + all_B >= lowest) {
        add_extent(out, lowest, all_B);
        return;
    }
    for (uint32_t i = 0; i < s->inside_rows; i++) { /* over the end of 64 bits */
        add_extent(out, lowest + i * s->step_B, length_B);
    }
}

/* The same for all rows of a tile at once: 0 if their addresses go over the end of 64 bits. */
static int add_tile(tma_report_result *out, const tma_plan *plan, const tma_position *at,
                    const tma_columns *c) {
    uint64_t rows = c->end_B > c->first_B;
    uint64_t low = plan->address + (uint64_t)(c->from + (int64_t)c->first_B);
    uint64_t extent_B = c->written_B - c->first_B;
    int fits = 1;
    for (uint32_t i = plan->first; i < plan->rank; i++) {
        const int64_t step = plan->stride_el[i];
        const tma_index_range in =
            tma_inside(at->coord[i], step, plan->count[i], (int64_t)plan->dim_el[i]);
        rows *= in.count;
        low += (uint64_t)(at->coord[i] + (int64_t)in.first * step) * plan->step_B[i];
        extent_B = tma_advance(extent_B, (in.count - UINT64_C(1)) * (uint64_t)step, plan->step_B[i],
                               &fits);
    }
    if (rows && (!fits || low + extent_B < low)) {
        return 0;
    }
    if (rows) {
        out->inside_B = rows * (c->end_B - c->first_B);
        out->past_edge_B = rows * (c->written_B - c->end_B);
        out->global_B = rows * (c->written_B - c->first_B);
        add_extent(out, low, extent_B);
    }
    return 1;
}

/* From the shared address to behind the last row. A swizzle moves bytes within blocks of its span,
 * so the last block counts as a whole. */
uint64_t tma_plan_footprint_B(const tma_plan *plan, const tma_position *at, uint64_t rows) {
    const uint32_t longer_B = /* than the span: no driver makes such a map */
        plan->row_shared_B > plan->pitch_B ? plan->row_shared_B - plan->pitch_B : 0;
    const uint64_t end = at->shared_address + rows * plan->pitch_B + longer_B;
    uint64_t block_B = 1;
    while (block_B <= plan->swizzle_bits.mask) {
        block_B *= 2;
    }
    return (end + block_B - 1) / block_B * block_B - at->shared_address;
}

tma_status tma_plan_report(tma_report_result *out, const tma_plan *plan, const tma_position *at,
                           tma_finding *why) {
    if (!out) {
        return tma_null_fault(why, TMA_ARG_OUT);
    }
    const tma_status status = tma_plan_at(plan, at, why);
    if (status != TMA_OK) {
        return status;
    }
    tma_report_result r = {0};
    tma_row_order it;
    const tma_columns columns = tma_columns_of(plan, at);
    tma_row_order_begin(&it, plan, at);
    r.rows = it.rows;
    r.tx_B = (uint64_t)it.rows * plan->row_B;
    r.footprint_B = tma_plan_footprint_B(plan, at, it.rows);
    for (uint32_t i = 0; i < plan->rank; i++) {
        r.count[i] = plan->count[i];
    }
    if (tma_is_im2col_mode(plan->mode)) {
        r.count[0] = plan->unit_B ? plan->unit_B * 8u / plan->bits : plan->row_el;
        r.count[1] = it.rows;
    } else if (tma_is_rows4(plan->mode)) {
        r.count[1] = it.rows;
    }
    const int added = plan->mode == TMA_MODE_TILE && add_tile(&r, plan, at, &columns);
    while (!added && tma_row_order_next(&it)) {
        if (it.stretch.inside_rows && columns.end_B > columns.first_B) {
            add_rows(&r, &it.stretch, &columns);
        }
    }
    const uint64_t outside_B = r.tx_B - r.inside_B;
    r.fill_B = tma_is_load(plan->op) ? outside_B : 0;
    r.dropped_B = tma_is_load(plan->op) ? 0 : outside_B - r.past_edge_B;
    *out = r;
    return TMA_OK;
}
