/* SPDX-License-Identifier: Apache-2.0
 *
 * A copy's rows as a list of pointers.
 */
#ifndef TMA_COPY_LIST_H
#define TMA_COPY_LIST_H

#include "copy_kernels.h"
#include "copy_locate.h"

#define TMA_PERIOD_MOST 32 /* rows of the longest pattern: eight lines of 32-byte rows */

typedef struct tma_listing {
    tma_period run;
    tma_list list;
    uint8_t *shared; /* of the first row of the list */
    uint32_t address;
    uint32_t pitch_B;
    uint32_t period; /* rows until the swizzle repeats */
    uint32_t full;   /* the list is moved when it has so many: from there on the pattern begins */
    uint32_t count;
    const uint8_t *rows[TMA_PERIOD_MOST];
} tma_listing;

/* 0 if the plan's rows are none that can be listed: they do not fill a swizzle's span, or more is
 * done to them than to move them. */
int tma_listing_begin(tma_listing *l, const tma_plan *plan, uint32_t shared_address,
                      const tma_window *window);

/* The next rows of shared memory, from `row` on in steps. */
void tma_listing_add(tma_listing *l, const uint8_t *row, uint64_t step_B, uint32_t rows);

/* Moves what is not moved yet. */
void tma_listing_end(tma_listing *l);

/* A judged load, if its rows can be listed: 1, and it has been moved; or 0. */
int tma_list_copy(const tma_plan *plan, const tma_position *at, const tma_located *located,
                  const tma_window *window);

/* A gather4 whose rows lie in the tensor, and that in one range: the same. */
int tma_whole_gather(const tma_plan *plan, const tma_position *at, const tma_global *global,
                     const tma_window *window);

#endif
