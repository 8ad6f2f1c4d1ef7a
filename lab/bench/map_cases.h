/* SPDX-License-Identifier: Apache-2.0
 *
 * The maps that encode and decode are timed and counted on: one of each kind and rank.
 */
#ifndef BENCH_MAP_CASES_H
#define BENCH_MAP_CASES_H

#include <tma/spec.h>

struct map_case {
    const char *name;
    const char *words; /* the command's */
};

extern const struct map_case map_cases[];
extern const unsigned map_case_count;

/* The case's spec, and the target, which may be null. */
tma_spec map_case_spec(const struct map_case *c, tma_target *target);

#endif
