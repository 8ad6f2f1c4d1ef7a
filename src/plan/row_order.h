/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of a copy's rows, in stretches: rows that follow each other in shared memory and whose
 * global addresses are one step apart. A tile gives one stretch for each index of its outer
 * dimensions, an im2col copy one for each stretch along W, gather4 and scatter4 one for each row.
 */
#ifndef TMA_ROW_ORDER_H
#define TMA_ROW_ORDER_H

#include "tma/plan.h"

typedef struct tma_stretch {
    int64_t coord[TMA_MAX_RANK]; /* of the first row's first element, offsets included */
    uint32_t row;                /* of shared memory, where the stretch begins */
    uint32_t rows;
    uint32_t inside_first; /* the rows that lie in the tensor in every dimension but 0 */
    uint32_t inside_rows;  /* (0 too if interleaved), from inside_first on */
    uint64_t address;      /* of the first inside row, at coordinate 0 of dimension 0 */
    uint64_t step_B;       /* from row to row */
} tma_stretch;

typedef struct tma_row_order {
    const tma_plan *plan;
    tma_stretch stretch;
    uint32_t rows;  /* of the whole copy */
    uint32_t chunk; /* im2col::w::128: rows until the halo, or of it, are through */
    int in_halo;
    int behind_row;           /* im2col_no_offs::w: the row is through, nothing more is stored */
    int by_row;               /* a reading of im2col::w::128 other than the document's */
    uint32_t k[TMA_MAX_RANK]; /* tile: where the outer dimensions are */
    int64_t start[TMA_MAX_RANK];
    int64_t cursor[TMA_MAX_RANK]; /* im2col: the pixel, before offsets */
    int64_t saved[TMA_MAX_RANK];  /* im2col::w::128: where the main pixels go on */
    int64_t offset[TMA_MAX_RANK];
    int64_t lower[TMA_MAX_RANK]; /* of dimension `first` and up, inclusive */
    int64_t last[TMA_MAX_RANK];
    uint32_t halo;
} tma_row_order;

/* The elements of a row that lie in the tensor: columns[first_el] to columns[end_el - 1]; and for
 * stores end_B, the payload bytes that are written, whole 16-byte units. */
typedef struct tma_columns {
    uint32_t first_el;
    uint32_t end_el;  /* == first_el if none */
    uint32_t first_B; /* payload bytes */
    uint32_t end_B;
    uint32_t written_B;
    int64_t from; /* coordinate 0 of the row, in payload bytes from the tensor's row start */
} tma_columns;

tma_columns tma_columns_of(const tma_plan *plan, const tma_position *at);

void tma_row_order_begin(tma_row_order *it, const tma_plan *plan, const tma_position *at);

/* Whether a row of the present stretch is one that wHalo adds. */
int tma_row_order_in_halo(const tma_row_order *it, uint32_t row);

/* The next stretch in it->stretch, or 0 after the last. */
int tma_row_order_next(tma_row_order *it);

#endif
