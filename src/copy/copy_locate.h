/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the rows of a copy are in the caller's memory.
 */
#ifndef TMA_COPY_LOCATE_H
#define TMA_COPY_LOCATE_H

#include "geometry.h"
#include "row_order.h"
#include "tma/copy.h"

/* Where the rows of a copy are in host memory. */
typedef struct tma_located {
    const tma_global *global;
    uint64_t delta; /* host pointer less device address, if one range holds all rows */
    int whole;      /* one does; else each row is looked up by itself, */
    int pieces;     /* and some of them lie in several ranges */
    tma_columns columns;
    tma_index_range inside[TMA_MAX_RANK]; /* tiles: of each dimension but a row's own */
} tma_located;

/* Finds every row's memory: 1 and *located, or 0 if some byte is in none. */
int tma_locate(tma_located *located, const tma_plan *plan, const tma_position *at,
               const tma_global *global);

#endif
