/* SPDX-License-Identifier: Apache-2.0
 *
 * One copy, many copies, multicast.
 */
#include "tma/copy.h"
#include "copy_fast.h"
#include "copy_list.h"
#include "memory.h"
#include "plan_internal.h"

/* Judges, finds the memory, and moves if `move`. */
static tma_status copy(const tma_plan *plan, const tma_position *at, const tma_global *global,
                       const tma_window *window, tma_finding *why, int move) {
    tma_located located;
    if (!plan || tma_by_reference(plan)) {
        return move ? tma_move_by_reference(plan, at, global, window, why)
                    : tma_judge_reference(plan, at, global, window, why);
    }
    const tma_status status = tma_plan_runs(plan, at, why);
    if (status != TMA_OK || plan->op == TMA_OP_PREFETCH) {
        return status;
    }
    const tma_status memory = tma_check_memory(plan, global, window, why);
    if (memory != TMA_OK) {
        return memory;
    }
    if (!tma_window_holds(plan, at, window, why)) {
        return TMA_MEMORY;
    }
    if (!tma_locate(&located, plan, at, global)) { /* some byte is nowhere */
        return move ? tma_move_by_reference(plan, at, global, window, why)
                    : tma_judge_reference(plan, at, global, window, why);
    }
    if (move) {
        tma_fast_copy(plan, at, &located, window);
    }
    return TMA_OK;
}

/* The usual cases, judged and moved at once; 0 where one is none, and nothing has been done. */
static int move_at_once(const tma_plan *plan, const tma_position *at, const tma_global *global,
                        const tma_window *window) {
    if (!at || !global || !window || tma_by_reference(plan)) {
        return 0;
    }
    if (plan->mode == TMA_MODE_TILE) {
        return tma_whole_box(plan, at, global, window);
    }
    if (plan->mode == TMA_MODE_GATHER4) {
        return tma_whole_gather(plan, at, global, window);
    }
    return tma_is_im2col_mode(plan->mode) && tma_whole_pixels(plan, at, global, window);
}

static tma_status move(const tma_plan *plan, const tma_position *at, const tma_global *global,
                       const tma_window *window, tma_finding *why) {
    return move_at_once(plan, at, global, window) ? TMA_OK : copy(plan, at, global, window, why, 1);
}

tma_status tma_copy(const tma_plan *plan, const tma_position *at, const tma_global *global,
                    const tma_window *window, tma_finding *why) {
    if (!plan) {
        return tma_null_fault(why, TMA_ARG_PLAN);
    }
    return tma_plan_mask(plan) ? tma_multicast_fault(plan, why)
                               : move(plan, at, global, window, why);
}

tma_status tma_copy_judge(const tma_plan *plan, const tma_position *at, const tma_global *global,
                          const tma_window *window, tma_finding *why) {
    return plan && tma_plan_mask(plan) ? tma_multicast_fault(plan, why)
                                       : copy(plan, at, global, window, why, 0);
}

tma_status tma_copy_many(const tma_plan *plan, const tma_position *at, size_t count,
                         const tma_global *global, const tma_window *window, size_t *failed,
                         tma_finding *why) {
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < count; i++) {
            const tma_position *each = at ? &at[i] : NULL;
            const tma_status status = pass ? tma_copy(plan, each, global, window, why)
                                           : tma_copy_judge(plan, each, global, window, why);
            if (status != TMA_OK) {
                if (failed) {
                    *failed = i;
                }
                return status;
            }
        }
    }
    return TMA_OK;
}

/* Names the first CTA of the mask that the cluster has not. */
static tma_status cluster_fault(const tma_plan *plan, size_t count, tma_finding *why) {
    size_t cta = count;
    while (!(tma_plan_mask(plan) >> cta & 1)) {
        cta++;
    }
    return tma_stop(why, plan->sm, TMA_RULE_MULTICAST_CLUSTER, -1, tma_plan_mask(plan),
                    BAD(TMA_MUST_BE_BELOW, TMA_UNIT_NONE, cta, count));
}

tma_status tma_copy_multicast(const tma_plan *plan, const tma_position *at,
                              const tma_global *global, const tma_window *windows, size_t count,
                              tma_finding *why) {
    if (!plan || !windows) {
        return tma_null_fault(why, plan ? TMA_ARG_WINDOW : TMA_ARG_PLAN);
    }
    if (!tma_plan_mask(plan) || plan->op != TMA_OP_LOAD) {
        return tma_stop_as(TMA_INVALID, why, plan->sm, TMA_RULE_MULTICAST_SPACE, -1, plan->op,
                           NOT(plan->op));
    }
    if (tma_mask_beyond(tma_plan_mask(plan), count)) {
        return cluster_fault(plan, count, why);
    }
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t cta = 0; cta < 32; cta++) {
            if (tma_plan_mask(plan) >> cta & 1) {
                const tma_status status = pass ? move(plan, at, global, &windows[cta], why)
                                               : copy(plan, at, global, &windows[cta], why, 0);
                if (status != TMA_OK) {
                    return status;
                }
            }
        }
    }
    return TMA_OK;
}
