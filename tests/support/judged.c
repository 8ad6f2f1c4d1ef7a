/* SPDX-License-Identifier: Apache-2.0
 *
 * judge.h against the library.
 */
#include "judged.h"

#include <inttypes.h>
#include <stdio.h>

tma_judge_site judged_site(const tma_instruction *in, const tma_target *target) {
    return (tma_judge_site){.features = tma_arch_of(target)->features,
                            .op = in->op,
                            .mode = in->mode,
                            .rank = in->rank,
                            .cluster = in->cluster,
                            .cta_group = in->cta_group,
                            .multicast = in->cta_mask != 0};
}

tma_judge_at judged_at(const tma_position *at, uint32_t window_end) {
    tma_judge_at out = {.offset = {at->offset[0], at->offset[1]},
                        .shared_address = at->shared_address,
                        .window_end = window_end};
    for (int i = 0; i < TMA_MAX_RANK; i++) {
        out.coord[i] = at->coord[i];
    }
    return out;
}

tma_status judged_by_plan(const uint8_t *map, const tma_instruction *in, const tma_target *target,
                          const tma_position *at, tma_finding *why) {
    tma_plan plan;
    const tma_status status = tma_plan_make(&plan, map, in, target, why);
    return status == TMA_OK ? tma_plan_at(&plan, at, why) : status;
}

int judged_alike(const uint8_t *map, const tma_instruction *in, const tma_target *target,
                 const tma_position *at, char *text, size_t size) {
    tma_finding why = {0};
    tma_judge_fault fault = {0};
    const tma_status status = judged_by_plan(map, in, target, at, &why);
    if (status == TMA_PTXAS || status == TMA_INVALID) {
        return 1;
    }
    const tma_judge_site site = judged_site(in, target);
    const tma_judge_at where = judged_at(at, 0);
    const uint32_t said = tma_judge_copy(&fault, map, &site, &where);
    if (said == (uint32_t)status &&
        (status == TMA_OK ||
         (fault.rule == why.rule && fault.index == why.index && fault.given == why.given &&
          fault.relation == why.relation && fault.unit == why.unit && fault.value == why.value &&
          fault.limit == why.limit))) {
        return 1;
    }
    snprintf(text, size,
             "plan: status %d, rule %u, index %d, given %" PRIu64 ", value %" PRIu64
             ", limit %" PRIu64 "; judge: status %u, rule %u, index %d, given %" PRIu64
             ", value %" PRIu64 ", limit %" PRIu64,
             status, why.rule, why.index, why.given, why.value, why.limit, said, fault.rule,
             fault.index, fault.given, fault.value, fault.limit);
    return 0;
}
