/* SPDX-License-Identifier: Apache-2.0
 *
 * What one copy moves, counted without walking its rows.
 */
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

/* From the shared address to behind the last row. A swizzle moves bytes within blocks of its span,
 * so the last block counts as a whole. */
static uint64_t footprint_B(const tma_plan *plan, const tma_position *at, uint32_t rows) {
    const uint32_t longer_B = /* than the span: no driver makes such a map */
        plan->row_shared_B > plan->pitch_B ? plan->row_shared_B - plan->pitch_B : 0;
    const uint64_t end = at->shared_address + (uint64_t)rows * plan->pitch_B + longer_B;
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
    r.footprint_B = footprint_B(plan, at, it.rows);
    for (uint32_t i = 0; i < plan->rank; i++) {
        r.count[i] = plan->count[i];
    }
    if (tma_is_im2col_mode(plan->mode)) {
        r.count[0] = plan->unit_B ? plan->unit_B * 8u / plan->bits : plan->row_el;
        r.count[1] = it.rows;
    } else if (tma_is_rows4(plan->mode)) {
        r.count[1] = it.rows;
    }
    while (tma_row_order_next(&it)) {
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
