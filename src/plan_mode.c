/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether target and map take an instruction at all: mostly what documents and ptxas say.
 */
#include "plan_internal.h"
#include "tma/map.h"

typedef struct asked {
    const tma_instruction *in;
    const tma_spec *spec;
    const tma_arch_row *arch;
    tma_finding *why;
} asked;

static tma_status refuse(const asked *a, tma_status status, tma_rule_id rule, uint64_t given) {
    return tma_plan_fault(a->why, status, rule, -1, given, TMA_MUST_NOT_BE, TMA_UNIT_NONE, given,
                          given);
}

/* An instruction of another rank than the map's: some of them no assembler makes. */
static tma_status rank_status(const tma_instruction *in, tma_status status) {
    if (in->rank > TMA_MAX_RANK) {
        return TMA_INVALID;
    }
    return tma_is_rows4(in->mode) || (tma_is_im2col_mode(in->mode) && in->rank < 3) ? TMA_PTXAS
                                                                                    : status;
}

static tma_status check_numbers(const asked *a) {
    if (a->in->op >= TMA_OPS) {
        return tma_plan_fault(a->why, TMA_INVALID, TMA_RULE_OP_RANGE, -1, a->in->op,
                              TMA_MUST_BE_BELOW, TMA_UNIT_NONE, a->in->op, TMA_OPS);
    }
    const uint32_t reserved = tma_instruction_reserved(a->in);
    if (reserved) {
        return tma_plan_fault(a->why, TMA_INVALID, TMA_RULE_RESERVED_ZERO, -1, reserved,
                              TMA_MUST_BE, TMA_UNIT_NONE, reserved, 0);
    }
    if (a->in->mode >= TMA_MODES) {
        return tma_plan_fault(a->why, TMA_INVALID, TMA_RULE_MODE_RANGE, -1, a->in->mode,
                              TMA_MUST_BE_BELOW, TMA_UNIT_NONE, a->in->mode, TMA_MODES);
    }
    const uint32_t wants = tma_is_rows4(a->in->mode) ? 2 : a->spec->rank;
    /* seen on hardware for the modes that sm_90 has */
    const tma_status status = a->in->mode <= TMA_MODE_IM2COL ? TMA_TRAP : TMA_UNKNOWN;
    if (tma_is_im2col_mode(a->in->mode) != (a->spec->api != TMA_API_TILED)) {
        return tma_plan_fault(a->why, status, TMA_RULE_MODE_MAP, -1, a->in->mode, TMA_MUST_NOT_BE,
                              TMA_UNIT_NONE, a->in->mode, a->in->mode);
    }
    if (a->in->rank && a->in->rank != wants) {
        return tma_plan_fault(a->why, rank_status(a->in, status), TMA_RULE_RANK_MAP, -1,
                              a->in->rank, TMA_MUST_BE, TMA_UNIT_NONE, a->in->rank, wants);
    }
    return TMA_OK;
}

/* The feature that a mode needs: loads to shared::cta of gather4 and im2col::w came to more
 * targets than their cluster and prefetch forms. */
static uint32_t needed_feature(const tma_instruction *in) {
    switch (in->mode) {
    case TMA_MODE_GATHER4:
    case TMA_MODE_IM2COL_W:
        if (in->op == TMA_OP_LOAD && !in->cluster) {
            return TMA_FEATURE_GATHER4_CTA;
        }
        return TMA_FEATURE_GATHER4;
    case TMA_MODE_SCATTER4:
        return TMA_FEATURE_SCATTER4;
    case TMA_MODE_IM2COL_W128:
        return TMA_FEATURE_W128;
    default:
        return 0;
    }
}

static tma_status check_mode(const asked *a) {
    const uint32_t mode = a->in->mode;
    const int load = tma_is_load(a->in->op);
    if ((a->arch->features & needed_feature(a->in)) != needed_feature(a->in)) {
        return refuse(a, TMA_PTXAS, TMA_RULE_MODE_TARGET, a->arch->sm);
    }
    if (load ? mode == TMA_MODE_SCATTER4 : mode == TMA_MODE_GATHER4 || mode >= TMA_MODE_IM2COL_W) {
        return refuse(a, TMA_PTXAS, TMA_RULE_MODE_DIRECTION, mode);
    }
    if (mode == TMA_MODE_SCATTER4 && a->in->op != TMA_OP_STORE) { /* ptxas takes it */
        return refuse(a, TMA_UNKNOWN, TMA_RULE_MODE_DIRECTION, mode);
    }
    if (a->in->cta_mask && (a->in->op != TMA_OP_LOAD || !a->in->cluster || a->in->cta_mask >> 16)) {
        const tma_status status = a->in->cta_mask >> 16 ? TMA_INVALID : TMA_PTXAS;
        return refuse(a, status, TMA_RULE_MULTICAST_SPACE, a->in->op);
    }
    if (a->in->cta_group && (a->in->op != TMA_OP_LOAD || a->in->cta_group > 2 ||
                             !(a->arch->features & TMA_FEATURE_CTA_GROUP))) {
        return refuse(a, TMA_PTXAS, TMA_RULE_CTA_GROUP, a->in->op);
    }
    return TMA_OK;
}

static tma_status check_map(const asked *a) {
    const tma_spec *s = a->spec;
    if (tma_is_rows4(a->in->mode)) {
        if (s->rank != 2 || s->interleave) {
            return refuse(a, TMA_UNKNOWN, TMA_RULE_GATHER_MAP, s->rank);
        }
        if (s->box_el[1] != 1) {
            return tma_plan_fault(a->why, TMA_UNKNOWN, TMA_RULE_GATHER_BOX, 1, s->box_el[1],
                                  TMA_MUST_BE, TMA_UNIT_EL, s->box_el[1], 1);
        }
    }
    if (a->in->mode >= TMA_MODE_IM2COL_W &&
        (s->interleave || !tma_swizzle_has(s->swizzle, TMA_TRAIT_WIDE_READ) ||
         (s->swizzle == TMA_SWIZZLE_96B && a->in->mode == TMA_MODE_IM2COL_W128))) {
        return refuse(a, TMA_UNKNOWN, TMA_RULE_WIDE_MAP, s->swizzle);
    }
    return TMA_OK;
}

static tma_status check_types(const asked *a) {
    const tma_spec *s = a->spec;
    const int packed = tma_type_has(s->dtype, TMA_TRAIT_PACKED);
    const int padded = tma_type_has(s->dtype, TMA_TRAIT_PADDED);
    const int is_6_bit = tma_dtype_bits(s->dtype) == 6;
    const int load = tma_is_load(a->in->op);
    if (packed && tma_is_reduction(a->in->op)) {
        return refuse(a, TMA_UNKNOWN, TMA_RULE_PACKED_REDUCE, a->in->op);
    }
    if (padded && !is_6_bit && !load) {
        return refuse(a, TMA_UNKNOWN, TMA_RULE_PACKED_STORE, a->in->op);
    }
    if ((packed || tma_swizzle_has(s->swizzle, TMA_TRAIT_ATOM)) && a->in->cluster &&
        a->in->op == TMA_OP_LOAD && !(a->arch->features & TMA_FEATURE_PACKED_CLUSTER)) {
        return refuse(a, TMA_UNKNOWN, TMA_RULE_PACKED_SPACE, a->in->op);
    }
    if ((tma_swizzle_has(s->swizzle, TMA_TRAIT_LOADS_ONLY) && !load) ||
        (is_6_bit && tma_swizzle_has(s->swizzle, TMA_TRAIT_TAKES_6_BIT) && load)) {
        return refuse(a, TMA_UNKNOWN, TMA_RULE_SWIZZLE_DIRECTION, s->swizzle);
    }
    return TMA_OK;
}

tma_status tma_plan_check_mode(const tma_instruction *in, const tma_spec *spec,
                               const tma_arch_row *arch, tma_finding *why) {
    const asked a = {in, spec, arch, why};
    tma_status status = check_numbers(&a);
    if (status == TMA_OK) {
        status = check_mode(&a);
    }
    if (status == TMA_OK) {
        status = check_map(&a);
    }
    return status == TMA_OK ? check_types(&a) : status;
}
