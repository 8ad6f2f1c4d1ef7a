/* SPDX-License-Identifier: Apache-2.0
 *
 * A row of places along one dimension of a tensor, with gaps where nothing of interest is: its ends
 * and what a copy visits always show, however large it is.
 */
#ifndef DRAW_AXIS_H
#define DRAW_AXIS_H

#include <stdint.h>

#define AXIS_SPANS   16 /* more than any picture adds */
#define AXIS_MOST    64
#define AXIS_LONGEST 18
#define AXIS_GAP     24 /* px */

typedef struct axis_span {
    int64_t lo, hi; /* both shown */
} axis_span;

typedef struct axis {
    int32_t step; /* px of a place */
    int32_t origin;
    uint32_t spans;
    axis_span span[AXIS_SPANS];
    uint32_t count; /* after axis_finish() */
    int64_t at[AXIS_MOST];
    int32_t px[AXIS_MOST];
} axis;

/* Wants lo to hi shown. */
void axis_add(axis *a, int64_t lo, int64_t hi);

/* Wants a stretch shown, of a long one both ends. */
void axis_add_ends(axis *a, int64_t lo, int64_t hi);

/* Lays all out. */
void axis_finish(axis *a, int32_t origin, int32_t step);

/* Which entry shows this place, or -1. */
int axis_find(const axis *a, int64_t place);

/* Where a place begins: exact if it is shown, else at the next one that is; behind the last, its
 * end. */
int32_t axis_px(const axis *a, int64_t place);

/* Whether a gap lies before entry i. */
int axis_is_after_gap(const axis *a, uint32_t i);

int32_t axis_end(const axis *a);

#endif
