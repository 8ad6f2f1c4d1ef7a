/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies that libtma refuses: the rows of refused_features.def.
 */
#ifndef HARDWARE_REFUSED_CASES_H
#define HARDWARE_REFUSED_CASES_H

#include "random_copies.h"

enum {
#define REFUSED(id, ...) REFUSED_##id,
#include "refused_features.def"
    REFUSED_FEATURES
};

const char *refused_name(unsigned feature);

/* Whether the chip has what the question needs; and not the refused thing by libtma's own word. */
int refused_is_asked(unsigned feature, const tma_target *target);

/* A random copy's case made the refused one; 0, and the case as it was, where it is none to begin
 * with, or its slice has no room for what it becomes. */
int refused_case_edit(struct copy_case *copy, unsigned feature, const tma_target *target);

/* Whether the copy has something of the tensor: its start is inside. */
int case_starts_inside(const struct copy_case *copy);

/* The map of the case, made whatever the rules say, and why libtma does not run it; TMA_OK if it
 * does. Null if no target runs it by libtma. */
tma_status refused_judge(tma_map *map, tma_plan *plan, const struct copy_case *copy, uint64_t slice,
                         const tma_target *target, tma_finding *why);

/* The target by which libtma runs the feature's copies; its words in *by, "" if there is none. */
tma_target refused_run_by(unsigned feature, const tma_target *target, const char **by);

#endif
