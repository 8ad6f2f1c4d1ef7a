/* SPDX-License-Identifier: Apache-2.0
 *
 * All that is to be said about one spec on one target: findings, counts, measures.
 */
#ifndef CLI_VERDICT_H
#define CLI_VERDICT_H

#include <stdio.h>

#include "cli_out.h"
#include "color.h"
#include "tma/check.h"
#include "tma/measure.h"

#define VERDICT_MOST_FINDINGS 256 /* no spec has half as many */

typedef struct verdict {
    tma_finding findings[VERDICT_MOST_FINDINGS]; /* the refusals first */
    size_t count;
    size_t of[TMA_SEVERITIES];
    int accepted;
    tma_measure_result measure; /* if accepted */
} verdict;

void verdict_of(verdict *verdict, const tma_spec *spec, const tma_target *target);

/* What the map's own address breaks beside, after the other faults. */
void verdict_place(verdict *verdict, uint64_t map_address, const tma_target *target);

/* How many findings are of this severity or a worse one. */
size_t verdict_shown(const verdict *verdict, tma_severity level);

/* The findings down to that severity, one after another. */
void verdict_findings(FILE *out, const verdict *verdict, tma_severity level,
                      const color_set *colors);

/* "refused: 2; faults: 0; surprising: 1 (not shown)" */
void verdict_summary(FILE *out, const verdict *verdict, tma_severity level);

/* The keys accepted, summary, findings and measure. */
void verdict_json(tma_json *json, const verdict *verdict, const tma_spec *spec, tma_severity level);

/* "refused", "faults" or "surprising". */
int verdict_level_named(const char *text, tma_severity *level, tma_error *error);

#endif
