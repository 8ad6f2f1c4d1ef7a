/* SPDX-License-Identifier: Apache-2.0
 *
 * What hangs on a disputed question.
 */
#include "plan_internal.h"

tma_status tma_plan_check_readings(const tma_instruction *in, uint32_t swizzle,
                                   const tma_target *target, tma_finding *why) {
    if (swizzle == TMA_SWIZZLE_128B_ATOM_64B && tma_is_load(in->op) &&
        tma_target_reads(target, TMA_READING_ATOM_64B_LOADS)) {
        const tma_status status = tma_stop_as(
            TMA_TRAP, why, target->sm, TMA_RULE_READING_ATOM_64B_LOADS, -1, swizzle, NOT(swizzle));
        if (why) {
            why->severity = TMA_SEVERITY_FAULTS; /* by the reading that was chosen */
        }
        return status;
    }
    return TMA_OK;
}

static uint32_t bit(tma_reading_id reading) {
    return UINT32_C(1) << reading;
}

/* Whether a row of the bounding box ends inside the halo of one of the chunks. */
static int row_ends_in_halo(const tma_plan *plan, const tma_position *at,
                            const uint32_t offset[3]) {
    const uint32_t along = plan->first;
    const int64_t step = plan->stride_el[along];
    const int64_t last = (int64_t)plan->dim_el[along] - 1 + plan->upper_px[0];
    int64_t width_px = (last - plan->lower_px[0]) / step + 1;
    int64_t first_px = (last - at->coord[along]) / step + 1; /* of the row that it begins in */
    width_px = width_px < 1 ? 1 : width_px;
    first_px = first_px < 1 ? 1 : first_px;
    for (int64_t px = TMA_VALUE(W128_CHUNK); px <= TMA_VALUE(W128_PIXELS);
         px += TMA_VALUE(W128_CHUNK)) {
        const int64_t left_px =
            px <= first_px ? first_px - px : width_px - 1 - (px - 1 - first_px) % width_px;
        if (left_px < (int64_t)offset[0]) {
            return 1;
        }
    }
    return 0;
}

/* im2col_no_offs::w: whether there are pixels behind the end of the row. */
static int leaves_row(const tma_plan *plan, const tma_position *at) {
    const uint32_t along = plan->first;
    const int64_t last = (int64_t)plan->dim_el[along] - 1 + plan->upper_px[0];
    return at->coord[along] + (int64_t)(plan->rows - 1) * plan->stride_el[along] > last;
}

/* Of the halo and the images of the wide modes. */
static uint32_t wide_readings(const tma_plan *plan, const tma_position *at) {
    uint32_t offset[TMA_MAX_SPATIAL];
    uint32_t set = 0;
    tma_plan_offsets(offset, plan, at);
    if (!tma_is_load(plan->op)) {
        set |= leaves_row(plan, at) ? bit(TMA_READING_NO_OFFS_W_END) : 0;
        if (!set || tma_ends_with_row(plan)) {
            return set;
        }
    }
    if (plan->mode == TMA_MODE_IM2COL_W128 && offset[0] && plan->op == TMA_OP_LOAD) {
        set |= bit(TMA_READING_W128_HALO);
        set |= row_ends_in_halo(plan, at, offset) ? bit(TMA_READING_HALO_PIXELS) : 0;
    }
    return plan->stride_el[plan->rank - 1] > 1 ? set | bit(TMA_READING_W_IMAGES) : set;
}

/* What the operands of .override mean. */
static uint32_t override_readings(const tma_plan *plan) {
    if (!(plan->overrides & ~TMA_OVERRIDE_ADDRESS)) {
        return 0;
    }
    return bit(TMA_READING_OVERRIDE_SIZE) | (plan->rank > 1 ? bit(TMA_READING_OVERRIDE_ORDER) : 0);
}

static int has_negative(const tma_position *at) {
    const int32_t *c = at->coord;
    return (c[0] | c[1] | c[2] | c[3] | c[4]) < 0;
}

uint32_t tma_plan_readings(const tma_plan *plan, const tma_position *at) {
    if (!plan || !at) {
        return 0;
    }
    const int load = tma_is_load(plan->op);
    const uint64_t row_bit = plan->dim_el[0] * plan->bits;
    uint32_t set = plan->mode >= TMA_MODE_IM2COL_W ? wide_readings(plan, at) : 0;
    set |= override_readings(plan);
    if (plan->takes_negative && has_negative(at)) {
        set |= bit(TMA_READING_SCATTER4_NEGATIVE);
    }
    if (plan->swizzle == TMA_SWIZZLE_128B_ATOM_64B && load) {
        set |= bit(TMA_READING_ATOM_64B_LOADS);
    }
    if (plan->dtype == TMA_DTYPE_16U4_ALIGN8B) {
        if (tma_coord_off_16B(at->coord[0], plan->bits) && at->coord[0] % 2 == 0) {
            set |= bit(TMA_READING_B4_COLUMN);
        }
        if (!load && tma_off_multiple(row_bit, TMA_ALIGN_BIT)) {
            set |= bit(TMA_READING_B4_STORE_EDGE);
        }
    }
    return set;
}
