/* SPDX-License-Identifier: Apache-2.0
 *
 * The ways that tma_copy() can go on this machine. Tests that compare it with the reference do so
 * on each.
 */
#ifndef TESTS_PATHS_H
#define TESTS_PATHS_H

#include <tma/plan.h>

/* The plan with the next path from *path on in *forced; 0 after the last. A plan that only the
 * reference can run goes that way, once. */
static inline int path_next(tma_plan *forced, const tma_plan *plan, uint32_t *path) {
    *forced = *plan;
    if (tma_plan_info(plan)->path == TMA_PATH_REFERENCE) {
        *path += TMA_PATHS;
        return *path == TMA_PATHS;
    }
    do {
        ++*path;
    } while (*path < TMA_PATHS && tma_plan_set_path(forced, *path) != TMA_OK);
    return *path < TMA_PATHS;
}

/* Runs the statement behind it once for each path, `forced` being a tma_plan that takes it. */
#define for_each_path(forced, plan)                                                                \
    for (uint32_t path_ = TMA_PATH_REFERENCE; path_next(&(forced), plan, &path_);)

#endif
