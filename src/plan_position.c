/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether one copy at given coordinates would kill the kernel. docs/facts.md, Traps.
 */
#include "plan_internal.h"

#define WIDE_HALO_SHIFT 11

static tma_status check_shared(const tma_plan *plan, const tma_position *at, tma_finding *why) {
    const uint32_t align_B = tma_swizzle_of(plan->swizzle)->align_B;
    const uint32_t given = at->shared_address;
    if (plan->op != TMA_OP_PREFETCH && tma_off_multiple(given, align_B)) {
        return tma_stop(why, plan->sm, TMA_RULE_TRAP_SHARED_ALIGN, -1, given,
                        BAD(TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_ADDRESS, given, align_B));
    }
    return TMA_OK;
}

/* A finding about coordinate i. */
static tma_status stop_coord(const tma_plan *plan, tma_finding *why, tma_rule_id rule, int i,
                             int64_t given, tma_fault fault) {
    return tma_stop(why, plan->sm, rule, i, (uint64_t)given, fault);
}

static tma_status check_first(const tma_plan *plan, const tma_position *at, tma_finding *why) {
    const int64_t given = at->coord[0];
    if (plan->unit_B) {
        return TMA_OK;
    }
    const int pairs = plan->readings && plan->dtype == TMA_DTYPE_16U4_ALIGN8B &&
                      tma_plan_reads(plan, TMA_READING_B4_COLUMN);
    if (pairs ? tma_coord_off_granule(given, TMA_VALUE(PAIR))
              : tma_coord_off_16B(given, plan->bits)) {
        return stop_coord(
            plan, why, TMA_RULE_TRAP_COORD_ALIGN, 0, given,
            BAD(TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_B, given * plan->bits / 8, TMA_VALUE(ALIGN)));
    }
    if (tma_coord_off_granule(given, plan->coord0_el)) {
        return stop_coord(plan, why, TMA_RULE_PACKED_COORD, 0, given,
                          BAD(TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_EL, given, plan->coord0_el));
    }
    return TMA_OK;
}

static tma_status check_negative(const tma_plan *plan, const tma_position *at, tma_finding *why) {
    const int coords = tma_is_rows4(plan->mode) ? TMA_MAX_RANK : plan->rank;
    for (int i = 0; i < coords; i++) {
        if (tma_coord_negative(at->coord[i])) {
            return stop_coord(plan, why, TMA_RULE_TRAP_COORD_NEGATIVE, i, at->coord[i],
                              BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_NONE, (int64_t)at->coord[i], 0));
        }
    }
    return TMA_OK;
}

/* The start of an im2col copy lies in the bounding box. The wide modes move along W alone, and may
 * start to the left of it (PTX 5.5.5.1); nothing is said about their H and D. */
static tma_status check_box(const tma_plan *plan, const tma_position *at, tma_finding *why) {
    const int wide = plan->mode != TMA_MODE_IM2COL;
    const int spatial = wide ? 1 : plan->spatial;
    for (int i = 0; i < spatial; i++) {
        const int dim = plan->first + i;
        const int64_t given = at->coord[dim];
        const int64_t last = tma_last_pixel(plan->dim_el[dim], plan->upper_px[i]);
        if (given < plan->lower_px[i] && !wide) {
            return stop_coord(
                plan, why, TMA_RULE_TRAP_BOX_LOWER, dim, given,
                BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_PX, given, (int64_t)plan->lower_px[i]));
        }
        if (given > last) {
            return stop_coord(plan, why, TMA_RULE_TRAP_BOX_UPPER, dim, given,
                              BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_PX, given, last));
        }
    }
    return TMA_OK;
}

static tma_status check_halo(const tma_plan *plan, const tma_position *at, tma_finding *why) {
    const uint32_t limits[2] = {tma_halo_limit(plan->mode == TMA_MODE_IM2COL_W128),
                                TMA_VALUE(W_OFFSET)};
    for (int i = 0; i < 2; i++) {
        if (at->offset[i] >= limits[i]) {
            return tma_stop(why, plan->sm, i ? TMA_RULE_WIDE_OFFSET : TMA_RULE_WIDE_HALO, i,
                            at->offset[i],
                            BAD(TMA_MUST_BE_BELOW, TMA_UNIT_PX, at->offset[i], limits[i]));
        }
    }
    return TMA_OK;
}

tma_status tma_plan_at(const tma_plan *plan, const tma_position *at, tma_finding *why) {
    if (!plan || !at) {
        return tma_null_fault(why, plan ? TMA_ARG_POSITION : TMA_ARG_PLAN);
    }
    const uint32_t reserved = tma_position_reserved(at);
    if (reserved) {
        return tma_stop(why, plan->sm, TMA_RULE_RESERVED_ZERO, -1, reserved,
                        BAD(TMA_MUST_BE, TMA_UNIT_NONE, reserved, 0));
    }
    tma_status status = check_shared(plan, at, why);
    if (status == TMA_OK) {
        status = check_first(plan, at, why);
    }
    if (status == TMA_OK && !tma_is_load(plan->op)) {
        status = check_negative(plan, at, why);
    }
    if (status == TMA_OK && tma_is_im2col_mode(plan->mode)) {
        status = check_box(plan, at, why);
        if (status == TMA_OK && plan->mode != TMA_MODE_IM2COL && tma_is_load(plan->op)) {
            status = check_halo(plan, at, why);
        }
    }
    return status;
}

const char *tma_trap_name(const tma_finding *finding) {
    const tma_rule *rule = finding ? tma_rule_of(finding->rule) : NULL;
    switch (rule ? rule->hardware : TMA_HARDWARE_KILLS) {
    case TMA_HARDWARE_MISALIGNS:
        return "cudaErrorMisalignedAddress";
    case TMA_HARDWARE_LAUNCH:
        return "cudaErrorLaunchFailure";
    default:
        return "cudaErrorIllegalInstruction";
    }
}

static void pack_offsets(uint32_t offset[TMA_MAX_SPATIAL], uint32_t op, uint32_t mode,
                         uint32_t spatial, const tma_position *at) {
    const uint32_t a = at->offset[0];
    const uint32_t b = at->offset[1];
    uint32_t word = a;
    offset[0] = offset[1] = offset[2] = 0;
    if (!tma_is_im2col_mode(mode) || !tma_is_load(op)) {
        return;
    }
    if (mode != TMA_MODE_IM2COL) {
        word = (a + (b << WIDE_HALO_SHIFT)) & 0xFFFF;
        offset[0] = word & ((1u << WIDE_HALO_SHIFT) - 1);
        offset[1] = word >> WIDE_HALO_SHIFT;
    } else if (spatial == 1) {
        offset[0] = word;
    } else if (spatial == 2) { /* what does not fit is cut */
        offset[0] = a & ((1u << TMA_VALUE(OFFSET_4D)) - 1);
        offset[1] = b & ((1u << TMA_VALUE(OFFSET_4D)) - 1);
    } else { /* what does not fit is carried */
        const uint32_t mask = (1u << TMA_VALUE(OFFSET_5D)) - 1;
        word =
            a + (b << TMA_VALUE(OFFSET_5D)) + ((uint32_t)at->offset[2] << 2 * TMA_VALUE(OFFSET_5D));
        offset[0] = word & mask;
        offset[1] = word >> TMA_VALUE(OFFSET_5D) & mask;
        offset[2] = word >> 2 * TMA_VALUE(OFFSET_5D) & mask;
    }
}

void tma_plan_offsets(uint32_t offset[TMA_MAX_SPATIAL], const tma_plan *plan,
                      const tma_position *at) {
    if (offset && (!plan || !at)) {
        offset[0] = offset[1] = offset[2] = 0;
    } else if (offset) {
        pack_offsets(offset, plan->op, plan->mode, plan->spatial, at);
    }
}

void tma_instruction_offsets(uint32_t offset[TMA_MAX_SPATIAL], const tma_instruction *instruction,
                             const tma_position *at) {
    if (offset && (!instruction || !at)) {
        offset[0] = offset[1] = offset[2] = 0;
    } else if (offset) {
        pack_offsets(offset, instruction->op, instruction->mode, instruction->rank - 2, at);
    }
}

uint32_t tma_plan_barrier_cta(const tma_plan *plan, uint32_t destination, uint32_t mbar) {
    return plan && plan->cta_group == 2 ? (destination & ~1u) | (mbar & 1) : destination;
}
