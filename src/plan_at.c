/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether one copy at given coordinates would kill the kernel. docs/facts.md, Traps.
 */
#include "plan_internal.h"

#define WIDE_HALO_SHIFT 11

static tma_status fault(tma_finding *why, tma_rule_id rule, int index, int64_t given,
                        tma_relation relation, tma_unit unit, int64_t value, int64_t limit) {
    return tma_plan_fault(why, TMA_TRAP, rule, index, (uint64_t)given, relation, unit,
                          (uint64_t)value, (uint64_t)limit);
}

static tma_status check_shared(const tma_plan *plan, const tma_position *at, tma_finding *why) {
    const uint32_t align_B = tma_swizzle_of(plan->swizzle)->align_B;
    if (plan->op != TMA_OP_PREFETCH && at->shared_address % align_B) {
        return fault(why, TMA_RULE_TRAP_SHARED_ALIGN, -1, at->shared_address,
                     TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_ADDRESS, at->shared_address, align_B);
    }
    return TMA_OK;
}

static tma_status check_first(const tma_plan *plan, const tma_position *at, tma_finding *why) {
    const int64_t given = at->coord[0];
    if (plan->unit_B) {
        return TMA_OK;
    }
    if (given * plan->bits % (8 * TMA_VALUE(ALIGN))) {
        return fault(why, TMA_RULE_TRAP_COORD_ALIGN, 0, given, TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_B,
                     given * plan->bits / 8, TMA_VALUE(ALIGN));
    }
    const tma_type_traits *type = tma_type_of(plan->dtype);
    if (type->traits & TMA_TRAIT_PADDED && given % type->granule_el) {
        return fault(why, TMA_RULE_PACKED_COORD, 0, given, TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_EL,
                     given, type->granule_el);
    }
    return TMA_OK;
}

static tma_status check_negative(const tma_plan *plan, const tma_position *at, tma_finding *why) {
    const int coords = tma_is_rows4(plan->mode) ? TMA_MAX_RANK : plan->rank;
    for (int i = 0; i < coords; i++) {
        if (at->coord[i] < 0) {
            return fault(why, TMA_RULE_TRAP_COORD_NEGATIVE, i, at->coord[i], TMA_MUST_BE_AT_LEAST,
                         TMA_UNIT_NONE, at->coord[i], 0);
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
        const int64_t last = (int64_t)plan->dim_el[dim] - 1 + plan->upper_px[i];
        if (given < plan->lower_px[i] && !wide) {
            return fault(why, TMA_RULE_TRAP_BOX_LOWER, dim, given, TMA_MUST_BE_AT_LEAST,
                         TMA_UNIT_PX, given, plan->lower_px[i]);
        }
        if (given > last) {
            return fault(why, TMA_RULE_TRAP_BOX_UPPER, dim, given, TMA_MUST_BE_AT_MOST, TMA_UNIT_PX,
                         given, last);
        }
    }
    return TMA_OK;
}

static tma_status check_halo(const tma_plan *plan, const tma_position *at, tma_finding *why) {
    const int limit = plan->mode == TMA_MODE_IM2COL_W128 ? TMA_VALUE(HALO_W128) : TMA_VALUE(HALO);
    if (at->offset[0] >= limit) {
        return fault(why, TMA_RULE_WIDE_HALO, 0, at->offset[0], TMA_MUST_BE_BELOW, TMA_UNIT_PX,
                     at->offset[0], limit);
    }
    if (at->offset[1] >= TMA_VALUE(W_OFFSET)) {
        return fault(why, TMA_RULE_WIDE_OFFSET, 1, at->offset[1], TMA_MUST_BE_BELOW, TMA_UNIT_PX,
                     at->offset[1], TMA_VALUE(W_OFFSET));
    }
    return TMA_OK;
}

tma_status tma_plan_at(const tma_plan *plan, const tma_position *at, tma_finding *why) {
    if (!plan || !at) {
        return tma_null_fault(why, plan ? TMA_ARG_POSITION : TMA_ARG_PLAN);
    }
    const uint32_t reserved = tma_position_reserved(at);
    if (reserved) {
        return tma_plan_fault(why, TMA_INVALID, TMA_RULE_RESERVED_ZERO, -1, reserved, TMA_MUST_BE,
                              TMA_UNIT_NONE, reserved, 0);
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
    const int misaligned = finding && (finding->rule == TMA_RULE_TRAP_SHARED_ALIGN ||
                                       finding->rule == TMA_RULE_TRAP_ADDRESS_ALIGN);
    return misaligned ? "cudaErrorMisalignedAddress" : "cudaErrorIllegalInstruction";
}

void tma_plan_offsets(uint32_t offset[3], const tma_plan *plan, const tma_position *at) {
    const uint32_t a = at->offset[0];
    const uint32_t b = at->offset[1];
    uint32_t word = a;
    offset[0] = offset[1] = offset[2] = 0;
    if (!tma_is_im2col_mode(plan->mode) || !tma_is_load(plan->op)) {
        return;
    }
    if (plan->mode != TMA_MODE_IM2COL) {
        word = (a + (b << WIDE_HALO_SHIFT)) & 0xFFFF;
        offset[0] = word & ((1u << WIDE_HALO_SHIFT) - 1);
        offset[1] = word >> WIDE_HALO_SHIFT;
    } else if (plan->spatial == 1) {
        offset[0] = word;
    } else if (plan->spatial == 2) {
        offset[0] = a & 0xFF;
        offset[1] = b & 0xFF;
    } else {
        word = a + (b << 5) + ((uint32_t)at->offset[2] << 10);
        offset[0] = word & 31;
        offset[1] = word >> 5 & 31;
        offset[2] = word >> 10 & 31;
    }
}

uint32_t tma_plan_barrier_cta(const tma_plan *plan, uint32_t destination, uint32_t mbar) {
    return plan && plan->cta_group == 2 ? (destination & ~1u) | (mbar & 1) : destination;
}
