/* SPDX-License-Identifier: Apache-2.0
 *
 * The copies that hardware and library run, by seed and number.
 */
#ifndef HARDWARE_RANDOM_COPIES_H
#define HARDWARE_RANDOM_COPIES_H

#include "copy_case.h"

/* The case of a number. Never one that the driver refuses or the target's compiler does not take.
 */
void copy_case_make(struct copy_case *copy, uint64_t seed, uint64_t number,
                    const tma_target *target);

/* The plan of a case whose slice begins at `slice`; its map in *map. Fails on no case that
 * copy_case_make() made and that does not trap. */
tma_status copy_case_plan(tma_plan *plan, tma_map *map, const struct copy_case *copy,
                          uint64_t slice, const tma_target *target, tma_finding *why);

#endif
