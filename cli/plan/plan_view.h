/* SPDX-License-Identifier: Apache-2.0
 *
 * All that is said about one copy before it runs, in words and in JSON.
 */
#ifndef CLI_PLAN_VIEW_H
#define CLI_PLAN_VIEW_H

#include "cli_out.h"
#include "copy_args.h"
#include "tma/cost.h"
#include "tma/measure.h"

typedef struct plan_view {
    const copy_args *args;
    int is_counted; /* else the box is absurd, and what follows is zero */
    tma_report_result report;
    tma_global_cost global;
    tma_bank_cost banks[TMA_READERS];
    int has_banks[TMA_READERS]; /* rows are long and many enough for the reader */
    tma_measure_result measure;
    int has_measure; /* the driver makes such a map */
} plan_view;

/* For a copy that tma_plan_at() lets run. */
void plan_view_of(plan_view *view, const copy_args *args);

/* The swizzle's pattern in bytes, 0 without one, and where in it the box begins. */
uint32_t plan_pattern_B(const plan_view *view);

void plan_print(FILE *out, const plan_view *view, const color_set *colors);
void plan_json(tma_json *json, const plan_view *view);

/* Every run of bytes in the hardware's order. */
void plan_walk_print(FILE *out, const copy_args *args, const color_set *colors);
void plan_walk_json(tma_json *json, const copy_args *args);

/* "inside", "filled" (by a load) or "dropped" (by a store), "past edge", "padding". */
const char *plan_run_kind(const tma_plan *plan, uint32_t kind);

#endif
