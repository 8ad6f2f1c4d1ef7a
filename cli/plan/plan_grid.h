/* SPDX-License-Identifier: Apache-2.0
 *
 * tma plan --grid: all copies of a loop over start coordinates: how many trap and by which rule,
 * how many are cut by the tensor's edge.
 */
#ifndef CLI_PLAN_GRID_H
#define CLI_PLAN_GRID_H

#include "cli_out.h"
#include "copy_args.h"
#include "progress.h"

#define GRID_FIRST 3 /* so many positions are shown of each kind */

/* Start coordinates start + step * k, k below count, of one dimension. */
typedef struct grid_loop {
    int64_t start;
    int64_t step;
    uint64_t count;
} grid_loop;

/* Loops that run over a pattern together: tile mode has one for each dimension, im2col one over the
 * channels and one over the starts of columns, `column` of the loops' turns apart. */
typedef struct grid_axis {
    uint32_t loops;
    uint32_t dim[TMA_MAX_RANK];
    grid_loop loop[TMA_MAX_RANK];
    uint64_t column;
    uint64_t count;
} grid_axis;

typedef struct grid {
    uint32_t axes; /* innermost first */
    grid_axis axis[TMA_MAX_RANK];
    uint64_t copies;
} grid;

typedef enum grid_kind { GRID_WHOLE, GRID_CUT, GRID_OUTSIDE, GRID_TRAPS } grid_kind;

/* Copies that fare alike; those that trap also by rule and coordinate. */
typedef struct grid_group {
    grid_kind kind;
    tma_finding why; /* GRID_TRAPS: of the first */
    uint64_t copies;
    uint32_t shown;
    uint64_t number[GRID_FIRST]; /* of the copy, in the grid's order */
} grid_group;

#define GRID_GROUPS 48

typedef struct grid_counts {
    uint32_t groups; /* whole, cut and outside first */
    grid_group group[GRID_GROUPS];
} grid_counts;

/* The grid that covers the tensor; or `text`, START:STEP:COUNT for each dimension. */
int grid_of(grid *grid, const copy_args *args, const char *text, tma_error *error);

void grid_count(grid_counts *out, const grid *grid, const copy_args *args);

/* The start coordinates of a copy by its number. */
void grid_position(tma_position *at, const grid *grid, uint64_t number);

void grid_print(FILE *out, const grid *grid, const grid_counts *counts, const copy_args *args,
                const color_set *colors);
void grid_json(tma_json *json, const grid *grid, const grid_counts *counts, const copy_args *args);

#endif
