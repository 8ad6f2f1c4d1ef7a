/* SPDX-License-Identifier: Apache-2.0
 *
 * What is answered.
 */
#include "ask.h"
#include "tma/detail/assert.h"
#include "tma/limits.def"

#define MOST_COUNTED_B (UINT64_C(16) << 20)

bool ask_was_seen(const tma_target *target) {
    tma_target_words usual;
    tma_target_words_begin(&usual);
    return target->sm == usual.target.sm && target->driver == TMA_VALUE(SEEN_DRIVER);
}

bool ask_is_countable(const tma_plan *plan) {
    const tma_plan_facts *const facts = tma_plan_info(plan);
    TMA_ASSERT(facts && facts->pitch_B);
    return (uint64_t)facts->rows * facts->pitch_B <= MOST_COUNTED_B;
}

/* Whether no byte of the tensor lies beyond 64 bits: then a tile's report is computed at once. */
static bool ends_in_memory(const tma_plan_facts *facts) {
    uint64_t end = facts->address;
    for (uint32_t i = 0; i < facts->rank; i++) {
        const uint64_t step_B = facts->step_B[i];
        const uint64_t left = UINT64_MAX - end;
        if (step_B && facts->dim_el[i] > left / step_B) {
            return false;
        }
        end += facts->dim_el[i] * step_B;
    }
    return true;
}

bool ask_is_reported(const tma_plan *plan) {
    const tma_plan_facts *const facts = tma_plan_info(plan);
    return ask_is_countable(plan) ||
           (facts->op == TMA_OP_PREFETCH && facts->mode == TMA_MODE_TILE && ends_in_memory(facts));
}

tma_status ask_plan(tma_plan *plan, tma_report_result *report, tma_finding *why,
                    const ask_request *r) {
    const tma_status status =
        r->override_status == TMA_OK
            ? tma_plan_make(plan, r->read.bytes, &r->copy.in, &r->map.target.target, why)
            : r->override_status;
    *report = (tma_report_result){0};
    if (r->override_status != TMA_OK) {
        *why = r->override_why;
    }
    if (status != TMA_OK) {
        return status;
    }
    return ask_is_reported(plan) ? tma_plan_report(report, plan, &r->copy.at, why)
                                 : tma_plan_at(plan, &r->copy.at, why);
}
