/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether one copy at given coordinates would kill the kernel. docs/facts.md, Traps.
 */
#include "plan_internal.h"
#include "tma/judge.h"

#define WIDE_HALO_SHIFT 11

/* What judge.h holds a position of this plan against. */
static tma_judge_limits limits_of(const tma_plan *plan) {
    tma_judge_limits is;
    is.op = plan->op;
    is.mode = plan->mode;
    is.rank = plan->rank;
    is.interleave = plan->unit_B;
    is.bits = plan->bits;
    is.zeros = (plan->overrides & ~TMA_OVERRIDE_ADDRESS) != 0;
    is.negative = plan->takes_negative && !tma_plan_reads(plan, TMA_READING_SCATTER4_NEGATIVE);
    is.granule_el = plan->coord0_el;
    is.pairs = plan->readings && plan->dtype == TMA_DTYPE_16U4_ALIGN8B &&
               tma_plan_reads(plan, TMA_READING_B4_COLUMN);
    is.align_B = tma_swizzle_of(plan->swizzle)->align_B;
    for (uint32_t i = 0; plan->spatial && i < TMA_MAX_SPATIAL; i++) {
        is.lower_px[i] = plan->lower_px[i];
        is.last_px[i] = tma_last_pixel(plan->dim_el[plan->first + i], plan->upper_px[i]);
    }
    return is;
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
    if (tma_certainly_runs(plan, at)) {
        return TMA_OK;
    }
    const tma_judge_limits is = limits_of(plan);
    tma_judge_fault fault;
    const uint32_t wide[2] = {at->offset[0], at->offset[1]};
    return tma_judge_position(&fault, &is, at->coord, wide, at->shared_address)
               ? tma_plan_stop(&fault, plan->sm, why)
               : TMA_OK;
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
