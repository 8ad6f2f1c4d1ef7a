/* SPDX-License-Identifier: Apache-2.0
 *
 * A plane of a tensor: its cells along dimension 0, its rows along dimension 1, and what a copy
 * visits of it.
 */
#ifndef DRAW_TENSOR_PLANE_H
#define DRAW_TENSOR_PLANE_H

#include "axis.h"
#include "scene.h"

#define PLANE_W 48 /* of a cell: 3 px for each byte */
#define PLANE_H 24

typedef struct tensor_plane {
    scene *s;
    axis across, down;
    int64_t cell_el;             /* elements of dimension 0 in a cell; 1 if interleaved: a unit */
    int64_t columns;             /* of the tensor, the last one perhaps in part */
    int64_t tail_el;             /* elements of the last column */
    int64_t rows;                /* of the tensor; 1 if it has one dimension */
    int64_t from[2];             /* the box: first column and row */
    int64_t extent[2];           /* in columns and rows, steps included */
    int64_t plane[TMA_MAX_RANK]; /* the other coordinates, of what is drawn */
} tensor_plane;

/* Sizes and start from the scene; the axes are the caller's to add to. */
void plane_begin(tensor_plane *p, scene *s);

/* Lays the axes out from x, y on, and draws coordinates, cells and edges of the tensor. */
void plane_draw(tensor_plane *p, int32_t x, int32_t y);

/* Where the tensor ends along dimension 0, in a cell too. */
int32_t plane_tensor_end(const tensor_plane *p);

/* What the copy visits of this plane, over it. */
void plane_visited(tensor_plane *p);

#endif
