/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies that stand back to back, which are checked together: all but the last wait for it. And
 * copies that a warp comes to with all its threads.
 */
#ifndef PTX_PTX_GROUP_H
#define PTX_PTX_GROUP_H

#include "ptx_graph.h"

/* Whether the instructions of `rows` (of them `count`, in their order, each behind the one before)
 * may all be executed right before that of row `next`, and nothing else changes: between the last
 * of them and that one stands nothing but arithmetic that they do not read. */
int ptx_may_wait(const ptx_rows *rows, const ptx_codes *codes, const uint32_t *row, uint32_t count,
                 uint32_t next);

/* Whether all threads of a warp come to a step if one does: before it, on the only way there,
 * stands an instruction that only whole warps may execute. */
int ptx_comes_as_warp(const ptx_graph *g, uint32_t step);

#endif
