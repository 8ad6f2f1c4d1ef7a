/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast copies: a judged copy, cut into jobs for the kernels.
 */
#ifndef TMA_COPY_FAST_H
#define TMA_COPY_FAST_H

#include "copy_locate.h"
#include "row_order.h"

/* A tile that lies in the tensor as a whole, and its memory in one range: 1 if that was so, and it
 * has been moved; 0 if it takes the longer way. */
int tma_whole_box(const tma_plan *plan, const tma_position *at, const tma_global *global,
                  const tma_window *window);

/* The same for a load of pixels whose channels lie in the tensor as a whole. */
int tma_whole_pixels(const tma_plan *plan, const tma_position *at, const tma_global *global,
                     const tma_window *window);

void tma_fast_copy(const tma_plan *plan, const tma_position *at, const tma_located *located,
                   const tma_window *window);

#endif
