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

static tma_status refuse(const asked *a, tma_rule_id rule, uint64_t given) {
    return tma_stop(a->why, a->arch->sm, rule, -1, given, NOT(given));
}

static tma_status refuse_as(tma_status status, const asked *a, tma_rule_id rule, uint64_t given) {
    return tma_stop_as(status, a->why, a->arch->sm, rule, -1, given, NOT(given));
}

/* An instruction of another rank than the map's: some of them no assembler makes. */
static tma_status rank_status(const tma_instruction *in, tma_status status) {
    if (in->rank > TMA_MAX_RANK) {
        return TMA_INVALID;
    }
    return tma_is_rows4(in->mode) ||
                   (tma_is_im2col_mode(in->mode) && in->rank < TMA_VALUE(RANK_SLICED))
               ? TMA_PTXAS
               : status;
}

static tma_status check_numbers(const asked *a) {
    const tma_instruction *in = a->in;
    if (in->op >= TMA_OPS) {
        return tma_stop(a->why, a->arch->sm, TMA_RULE_OP_RANGE, -1, in->op,
                        BAD(TMA_MUST_BE_BELOW, TMA_UNIT_NONE, in->op, TMA_OPS));
    }
    const uint32_t reserved = tma_instruction_reserved(in);
    if (reserved) {
        return tma_stop(a->why, a->arch->sm, TMA_RULE_RESERVED_ZERO, -1, reserved,
                        BAD(TMA_MUST_BE, TMA_UNIT_NONE, reserved, 0));
    }
    if (in->mode >= TMA_MODES) {
        return tma_stop(a->why, a->arch->sm, TMA_RULE_MODE_RANGE, -1, in->mode,
                        BAD(TMA_MUST_BE_BELOW, TMA_UNIT_NONE, in->mode, TMA_MODES));
    }
    const uint32_t wants = tma_is_rows4(in->mode) ? 2 : a->spec->rank;
    /* seen on hardware for the modes that sm_90 has */
    const tma_status status = in->mode <= TMA_MODE_IM2COL ? TMA_TRAP : TMA_UNKNOWN;
    if (tma_is_im2col_mode(in->mode) != (a->spec->api != TMA_API_TILED)) {
        return refuse_as(status, a, TMA_RULE_MODE_MAP, in->mode);
    }
    if (in->rank && in->rank != wants) {
        return tma_stop_as(rank_status(in, status), a->why, a->arch->sm, TMA_RULE_RANK_MAP, -1,
                           in->rank, BAD(TMA_MUST_BE, TMA_UNIT_NONE, in->rank, wants));
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
        return refuse(a, TMA_RULE_MODE_TARGET, a->arch->sm);
    }
    if (!load && mode == TMA_MODE_IM2COL_W && a->arch->features & TMA_FEATURE_NO_OFFS_W) {
        return refuse_as(TMA_UNKNOWN, a, TMA_RULE_MODE_DIRECTION, mode);
    }
    if (load ? mode == TMA_MODE_SCATTER4 : mode == TMA_MODE_GATHER4 || mode >= TMA_MODE_IM2COL_W) {
        return refuse(a, TMA_RULE_MODE_DIRECTION, mode);
    }
    if (mode == TMA_MODE_SCATTER4 && a->in->op != TMA_OP_STORE) { /* ptxas takes it */
        return refuse_as(TMA_UNKNOWN, a, TMA_RULE_MODE_DIRECTION, mode);
    }
    if (a->in->cta_mask && (a->in->op != TMA_OP_LOAD || !a->in->cluster || a->in->cta_mask >> 16)) {
        const tma_status status = a->in->cta_mask >> 16 ? TMA_INVALID : TMA_PTXAS;
        return refuse_as(status, a, TMA_RULE_MULTICAST_SPACE, a->in->op);
    }
    if (a->in->cta_group && (a->in->op != TMA_OP_LOAD || a->in->cta_group > 2 ||
                             !(a->arch->features & TMA_FEATURE_CTA_GROUP))) {
        return refuse(a, TMA_RULE_CTA_GROUP, a->in->op);
    }
    return TMA_OK;
}

static tma_status check_map(const asked *a) {
    const tma_spec *s = a->spec;
    if (tma_is_rows4(a->in->mode)) {
        if (s->rank != 2 || s->interleave) {
            return refuse(a, TMA_RULE_GATHER_MAP, s->rank);
        }
        if (s->box_el[1] != 1) {
            return tma_stop(a->why, a->arch->sm, TMA_RULE_GATHER_BOX, 1, s->box_el[1],
                            BAD(TMA_MUST_BE, TMA_UNIT_EL, s->box_el[1], 1));
        }
    }
    if (a->in->mode >= TMA_MODE_IM2COL_W &&
        (s->interleave || !tma_swizzle_has(s->swizzle, TMA_TRAIT_WIDE_READ) ||
         (s->swizzle == TMA_SWIZZLE_96B && a->in->mode == TMA_MODE_IM2COL_W128))) {
        return refuse(a, TMA_RULE_WIDE_MAP, s->swizzle);
    }
    return TMA_OK;
}

static tma_status check_types(const asked *a) {
    const tma_spec *s = a->spec;
    const int packed = tma_type_has(s->dtype, TMA_TRAIT_PACKED);
    const int padded = tma_type_has(s->dtype, TMA_TRAIT_PADDED);
    const int is_6_bit = tma_is_6_bit(tma_type_of(s->dtype));
    const int load = tma_is_load(a->in->op);
    if (packed && tma_is_reduction(a->in->op)) {
        return refuse(a, TMA_RULE_PACKED_REDUCE, a->in->op);
    }
    if (padded && !is_6_bit && !load) {
        return refuse(a, TMA_RULE_PACKED_STORE, a->in->op);
    }
    if ((packed || tma_swizzle_has(s->swizzle, TMA_TRAIT_ATOM)) && a->in->cluster &&
        a->in->op == TMA_OP_LOAD && tma_rule_holds(TMA_RULE_PACKED_SPACE, a->arch)) {
        return refuse(a, TMA_RULE_PACKED_SPACE, a->in->op);
    }
    if ((tma_swizzle_has(s->swizzle, TMA_TRAIT_LOADS_ONLY) && !load) ||
        (is_6_bit && tma_swizzle_has(s->swizzle, TMA_TRAIT_TAKES_6_BIT) && load)) {
        return refuse(a, TMA_RULE_SWIZZLE_DIRECTION, s->swizzle);
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

tma_status tma_plan_check_ptx(const tma_instruction *in, uint32_t ptx, const tma_arch_row *arch,
                              tma_finding *why) {
    const int to_cta = in->op == TMA_OP_LOAD && !in->cluster;
    const int plain = in->mode <= TMA_MODE_IM2COL && !in->cta_group && !to_cta;
    const uint32_t needed = plain ? TMA_VALUE(PTX_TENSOR) : TMA_VALUE(PTX_FORMS);
    return ptx >= needed ? TMA_OK
                         : tma_stop(why, arch->sm, TMA_RULE_PTX_VERSION, -1, ptx,
                                    BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_NONE, ptx, needed));
}
