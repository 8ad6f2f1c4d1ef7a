/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of refused_features.def, and what libtma says of them.
 */
#include "refused_cases.h"

#include <tma/element.h>

enum run_by { NOBODY, HALVES, PAIRS };

static const struct {
    const char *name;
    uint64_t needs;
    enum run_by as;
} features[] = {
#define REFUSED(id, name, needs, as, base, edit) {name, TMA_FEATURE_##needs, as},
#include "refused_features.def"
};

const char *refused_name(unsigned feature) {
    return features[feature].name;
}

int refused_is_asked(unsigned feature, const tma_target *target) {
    const uint64_t has = tma_arch_of(target)->features;
    const int runs = features[feature].as == HALVES && has & TMA_FEATURE_STORE_HALVES;
    return !runs && has & features[feature].needs;
}

int case_starts_inside(const struct copy_case *c) {
    const int rows4 = c->in.mode == TMA_MODE_GATHER4 || c->in.mode == TMA_MODE_SCATTER4;
    for (uint32_t i = 0; i < (rows4 ? TMA_MAX_RANK : c->spec.rank); i++) {
        const uint64_t size = c->spec.dim_el[rows4 && i ? 1 : i];
        if (c->at.coord[i] < 0 || (uint64_t)c->at.coord[i] >= size) {
            return 0;
        }
    }
    return 1;
}

int refused_case_edit(struct copy_case *c, unsigned feature, const tma_target *target) {
    const int load = c->in.op == TMA_OP_LOAD;
    if (c->traps || !refused_is_asked(feature, target)) {
        return 0;
    }
    switch (feature) {
#define REFUSED(id, name, needs, as, base, edit)                                                   \
    case REFUSED_##id:                                                                             \
        if (base) {                                                                                \
            edit;                                                                                  \
            return 1;                                                                              \
        }                                                                                          \
        return 0;
#include "refused_features.def"
    default:
        return 0;
    }
}

tma_status refused_judge(tma_map *map, tma_plan *plan, const struct copy_case *c, uint64_t slice,
                         const tma_target *target, tma_finding *why) {
    tma_spec spec = c->spec;
    spec.address += slice;
    tma_status status = tma_encode_forced(map->bytes, &spec, target, NULL);
    if (status == TMA_OK) {
        status = tma_plan_make(plan, map->bytes, &c->in, target, why);
    }
    return status == TMA_OK ? tma_plan_at(plan, &c->at, why) : status;
}

tma_target refused_run_by(unsigned feature, const tma_target *target, const char **by) {
    tma_target other = *target;
    *by = "";
    if (features[feature].as == PAIRS) {
        *by = "b4-column=2el";
        (void)!tma_target_read(&other, TMA_READING_B4_COLUMN, 1);
    } else if (features[feature].as == HALVES) {
        *by = "sm_103a";
        other.sm = 103;
        other.suffix = 'a';
    }
    return other;
}
