/* SPDX-License-Identifier: Apache-2.0
 *
 * What lies on every path from one block of a graph to each other block.
 */
#ifndef PTX_PTX_DOMINATORS_H
#define PTX_PTX_DOMINATORS_H

#include "ptx_memory.h"

/* Paths start at `root`. Block b leads to out[first_out[b]] up to, but without, out[first_out[b +
 * 1]]; `in` has the same edges by the block that they lead to. */
typedef struct ptx_edges {
    uint32_t nodes, root;
    const uint32_t *first_out, *out; /* nodes + 1 firsts */
    const uint32_t *first_in, *in;
} ptx_edges;

/* Of each block the last one that every path to it comes through: the root's is itself, PTX_NONE of
 * what no path reaches. -1: there is no memory. */
int ptx_dominators_of(ptx_memory *memory, const ptx_edges *e, uint32_t *dominator);

#endif
