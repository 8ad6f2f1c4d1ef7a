/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether target and map take an instruction at all, whatever the coordinates: what the hardware
 * asks is judge.h's; here is what the assembler and the target's document refuse before.
 *
 * The driver refuses most maps that fail here; tensormap.replace, cuTensorMapReplaceAddress and
 * other makers don't. docs/open-questions.md has the probes.
 */
#include "plan_internal.h"
#include "tma/judge.h"
#include "tma/map.h"

typedef struct asked {
    const tma_instruction *in;
    const tma_arch_row *arch;
    tma_judge_fault *out;
} asked;

static __attribute__((cold)) int refuse_as(const asked *a, tma_status status, tma_rule_id rule,
                                           uint64_t given, tma_fault is) {
    return tma_judge_as(a->out, status, rule, -1, given, is.relation, is.unit, is.value, is.limit);
}

static __attribute__((cold)) int refuse(const asked *a, tma_rule_id rule, uint64_t given,
                                        tma_fault is) {
    return refuse_as(a, tma_judge_status(rule), rule, given, is);
}

static __attribute__((cold)) int check_ptx(const asked *a, uint32_t ptx) {
    const tma_instruction *in = a->in;
    const int to_cta = in->op == TMA_OP_LOAD && !in->cluster;
    const int plain = in->mode <= TMA_MODE_IM2COL && !in->cta_group && !to_cta;
    const int along_w = in->mode == TMA_MODE_IM2COL_W && !tma_is_load(in->op);
    const int newer = along_w || in->overrides || in->mask_bits || in->inspection;
    const uint32_t needed = newer   ? TMA_VALUE(PTX_94)
                            : plain ? TMA_VALUE(PTX_TENSOR)
                                    : TMA_VALUE(PTX_FORMS);
    return ptx < needed && refuse(a, TMA_RULE_PTX_VERSION, ptx,
                                  BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_NONE, ptx, needed));
}

static int check_numbers(const asked *a) {
    const tma_instruction *in = a->in;
    const uint32_t reserved = tma_instruction_reserved(in);
    if (in->op >= TMA_OPS) {
        return refuse(a, TMA_RULE_OP_RANGE, in->op,
                      BAD(TMA_MUST_BE_BELOW, TMA_UNIT_NONE, in->op, TMA_OPS));
    }
    if (reserved) {
        return refuse(a, TMA_RULE_RESERVED_ZERO, reserved,
                      BAD(TMA_MUST_BE, TMA_UNIT_NONE, reserved, 0));
    }
    return in->mode >= TMA_MODES &&
           refuse(a, TMA_RULE_MODE_RANGE, in->mode,
                  BAD(TMA_MUST_BE_BELOW, TMA_UNIT_NONE, in->mode, TMA_MODES));
}

/* What PTX 9.4 brought to sm_107f and what it says of it; ptxas 13.5 refuses the same. */
static int check_overrides(const asked *a, const tma_judge_map *m) {
    const tma_instruction *in = a->in;
    const uint32_t attribute = in->overrides & (TMA_OVERRIDE_DIM | TMA_OVERRIDE_DIM_STRIDE);
    const uint32_t rank = in->rank ? in->rank : m->rank;
    const uint32_t takes = rank == 1 ? TMA_OVERRIDE_DIM : TMA_OVERRIDE_DIM_STRIDE;
    if (in->overrides & ~(attribute | TMA_OVERRIDE_ADDRESS)) {
        return refuse_as(a, TMA_INVALID, TMA_RULE_OVERRIDE_FORM, in->overrides, NOT(in->overrides));
    }
    return attribute &&
           (!(in->overrides & TMA_OVERRIDE_ADDRESS) || attribute != takes ||
            in->mode != TMA_MODE_TILE || (in->cta_mask && in->mask_bits != 32)) &&
           refuse(a, TMA_RULE_OVERRIDE_FORM, in->overrides, NOT(in->overrides));
}

static __attribute__((cold)) int check_newer(const asked *a, const tma_judge_map *m) {
    const tma_instruction *in = a->in;
    if ((in->overrides || in->mask_bits == 32 || in->inspection) &&
        !(a->arch->features & TMA_FEATURE_PTX_94)) {
        return refuse(a, TMA_RULE_FORM_TARGET, a->arch->sm, NOT(a->arch->sm));
    }
    if (in->inspection && (in->op != TMA_OP_LOAD || in->inspection >= TMA_INSPECTIONS)) {
        return refuse_as(a, in->op == TMA_OP_LOAD ? TMA_INVALID : TMA_PTXAS,
                         TMA_RULE_REPORT_OPERATION, in->op, NOT(in->op));
    }
    return check_overrides(a, m);
}

/* Another kind or rank than the map's; of some ranks no assembler makes an instruction. */
static int check_kind(const asked *a, const tma_judge_map *m, const tma_judge_site *site) {
    const tma_instruction *in = a->in;
    if (!tma_judge_kind(a->out, m, site)) {
        return 0;
    }
    if (a->out->rule == TMA_RULE_RANK_MAP && in->rank > TMA_MAX_RANK) {
        a->out->status = TMA_INVALID;
    } else if (a->out->rule == TMA_RULE_RANK_MAP &&
               (tma_is_rows4(in->mode) ||
                (tma_is_im2col_mode(in->mode) && in->rank < TMA_VALUE(RANK_SLICED)))) {
        a->out->status = TMA_PTXAS;
    }
    return 1;
}

/* The feature that a mode needs: loads to shared::cta of gather4 and im2col::w came to more
 * targets than their cluster and prefetch forms. */
static uint32_t needed_feature(const tma_instruction *in) {
    switch (in->mode) {
    case TMA_MODE_GATHER4:
    case TMA_MODE_IM2COL_W:
        if (in->mode == TMA_MODE_IM2COL_W && !tma_is_load(in->op)) {
            return TMA_FEATURE_NO_OFFS_W;
        }
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

static int check_direction(const asked *a, const tma_judge_site *site) {
    const uint32_t mode = a->in->mode;
    const int load = tma_is_load(a->in->op);
    if ((a->arch->features & needed_feature(a->in)) != needed_feature(a->in)) {
        return refuse(a, TMA_RULE_MODE_TARGET, a->arch->sm, NOT(a->arch->sm));
    }
    if (load && mode == TMA_MODE_SCATTER4) {
        return refuse(a, TMA_RULE_MODE_DIRECTION, mode, NOT(mode));
    }
    if (tma_judge_direction(a->out, site)) {
        return 1;
    }
    return !load && (mode == TMA_MODE_GATHER4 || mode == TMA_MODE_IM2COL_W128) &&
           refuse(a, TMA_RULE_MODE_DIRECTION, mode, NOT(mode));
}

static __attribute__((cold)) int check_cluster(const asked *a) {
    const tma_instruction *in = a->in;
    const uint32_t bits = in->mask_bits ? in->mask_bits : 16;
    const int unknown = (bits != 16 && bits != 32) || in->cta_mask >> (bits == 32 ? 32 : 16);
    if (unknown || (in->cta_mask && (in->op != TMA_OP_LOAD || !in->cluster))) {
        return refuse_as(a, unknown ? TMA_INVALID : TMA_PTXAS, TMA_RULE_MULTICAST_SPACE, in->op,
                         NOT(in->op));
    }
    return in->cta_group &&
           (in->op != TMA_OP_LOAD || in->cta_group > 2 ||
            !(a->arch->features & TMA_FEATURE_CTA_GROUP)) &&
           refuse(a, TMA_RULE_CTA_GROUP, in->op, NOT(in->op));
}

/* Whether there is anything that check_cluster() and check_newer() look at. */
static int is_special(const tma_instruction *in) {
    return (in->cta_mask | in->cta_group | in->overrides | in->mask_bits | in->inspection) != 0;
}

static int check_the_map(tma_judge_fault *out, const tma_judge_map *m, const tma_judge_site *site) {
    if (tma_judge_codes(out, m, site->features)) {
        return 1;
    }
    const tma_judge_rows rows = tma_judge_rows_of(m);
    return tma_judge_the_map(out, m, site, &rows);
}

tma_status tma_plan_judge(const uint8_t *map, const tma_instruction *in, const tma_target *target,
                          const tma_arch_row *arch, int plain, tma_finding *why) {
    tma_judge_fault fault = {.status = TMA_OK};
    const asked a = {in, arch, &fault};
    const tma_judge_site site = {.features = arch->features,
                                 .op = in->op,
                                 .mode = in->mode,
                                 .rank = in->rank,
                                 .cluster = in->cluster,
                                 .cta_group = in->cta_group,
                                 .multicast = in->cta_mask != 0};
    tma_judge_map m;
    tma_judge_read(&m, map, &site);
    if ((!plain && check_the_map(&fault, &m, &site)) ||
        (target && target->ptx && check_ptx(&a, target->ptx)) || check_numbers(&a) ||
        check_kind(&a, &m, &site) || check_direction(&a, &site) ||
        (is_special(in) && (check_cluster(&a) || check_newer(&a, &m))) ||
        tma_judge_takes(&fault, &m, &site) || tma_judge_types(&fault, &m, &site)) {
        return tma_plan_stop(&fault, arch->sm, why);
    }
    const tma_status status = tma_plan_check_readings(in, m.swizzle, target, why);
    if (status == TMA_OK && !tma_is_load(in->op) && tma_judge_store(&fault, &m, in->op)) {
        return tma_plan_stop(&fault, arch->sm, why);
    }
    return status;
}
