/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel or function with what it calls put in where it is called: steps in blocks, the ways
 * between them, what lies on every way (dominators), what is run again (loops).
 *
 * A step is one instruction in one context; a function that is called twice is there twice. Calls
 * that are not put in (of what the file does not define, through a pointer, of itself, or beyond
 * the bound) are steps of their own: ptx_step_is_opaque(). All work is in proportion to the number
 * of steps and ways; where a file's calls would make more than a few steps of each
 * row, they are left opaque.
 */
#ifndef PTX_PTX_GRAPH_H
#define PTX_PTX_GRAPH_H

#include "ptx_code.h"
#include "ptx_functions.h"

#define PTX_MOST_DEEP 32 /* calls in calls */

typedef enum ptx_step_kind {
    PTX_STEP_ROW,   /* the instruction of its row */
    PTX_STEP_ENTER, /* a call's row: the function's parameters receive what is given */
    PTX_STEP_LEAVE, /* a call's row: what the function returns is received */
} ptx_step_kind;

typedef struct ptx_step {
    uint32_t row;
    uint32_t context;
    uint32_t block;
    uint32_t first_use; /* ptx_values: of its row's names */
    uint8_t kind;       /* ptx_step_kind */
} ptx_step;

/* One call that was put in; context 0 is the root itself. */
typedef struct ptx_context {
    uint32_t function;
    uint32_t parent;      /* context, PTX_NONE for the root */
    uint32_t row;         /* of the call */
    uint32_t first_place; /* what its function's first place is here */
} ptx_context;

typedef struct ptx_node {
    uint32_t first, end;      /* steps */
    uint32_t first_out, outs; /* graph->out: blocks that follow */
    uint32_t first_in, ins;   /* graph->in: blocks before it */
    uint32_t order;           /* from 0 along the ways; PTX_NONE: no way leads here */
    uint32_t dominator;       /* the last block that every way here goes through; of the first
                                 one itself */
    uint32_t enter, leave;    /* of the tree of dominators */
    uint32_t loop;            /* the innermost, or PTX_NONE */
} ptx_node;

/* Blocks that one block dominates and that lead back to it. */
typedef struct ptx_loop {
    uint32_t head;   /* block */
    uint32_t parent; /* or PTX_NONE */
    uint32_t depth;  /* from 1 */
    uint32_t place;  /* loops in it have the places behind its own, */
    uint32_t inside; /* so many, with itself */
    uint32_t end;    /* its blocks come, by order, from its head on, and before this */
} ptx_loop;

typedef struct ptx_graph {
    ptx_memory *memory;
    const ptx_rows *rows;
    const ptx_codes *codes;
    uint32_t root; /* function */
    ptx_step *step;
    ptx_context *context;
    ptx_node *node; /* blocks; 0 is where it begins */
    ptx_loop *loop;
    uint32_t *out, *in;
    uint32_t *out_slot; /* by out: where among its ways in the block that follows has this one */
    uint32_t *ordered;  /* blocks by order */
    uint32_t steps, contexts, nodes, loops, edges, reached, places;
    uint32_t opaque;  /* calls that were not put in, */
    uint32_t beyond;  /* of them for want of room */
    uint32_t nowhere; /* branches to labels that the function does not have */
    int is_tangled;   /* some way leads back to a block that does not dominate it */
} ptx_graph;

/* The graph of one function, its calls put in (`inlined`) or left. -1: there is no memory. Its
 * memory is what `memory` hands out: ptx_memory_back() gives it back. */
int ptx_graph_make(ptx_graph *g, ptx_memory *memory, const ptx_functions *functions,
                   const ptx_codes *codes, uint32_t function, int inlined);

/* The same without some ways: `never` by g->out. -1: there is no memory. */
int ptx_graph_without(ptx_graph *g, const uint8_t *never);

static inline tma_ptx_span ptx_step_opcode(const ptx_graph *g, uint32_t step) {
    return ptx_row_opcode(g->codes, g->step[step].row);
}

/* The row of a block's first step, or of the first behind it; or PTX_NONE. */
uint32_t ptx_block_row(const ptx_graph *g, uint32_t block);

/* Whether a step is a call that was not put in. */
int ptx_step_is_opaque(const ptx_graph *g, const ptx_step *step);

/* Whether every way to block b goes through block a (a itself does). */
int ptx_dominates(const ptx_graph *g, uint32_t a, uint32_t b);

/* Whether a block, or a loop, lies in a loop. */
int ptx_block_in_loop(const ptx_graph *g, uint32_t block, uint32_t loop);
int ptx_loop_in_loop(const ptx_graph *g, uint32_t inner, uint32_t outer);

typedef enum ptx_way { PTX_WAY_ON, PTX_WAY_BACK, PTX_WAY_TANGLED } ptx_way;

/* What the way from a block to one that follows it is: on; back to the head of a loop (*loop); or
 * back to a block that does not dominate it. */
ptx_way ptx_way_of(const ptx_graph *g, uint32_t from, uint32_t to, uint32_t *loop);

/* ptx_dominators.c, ptx_loops.c: parts of ptx_graph_make(). */
int ptx_dominators(ptx_graph *g);
int ptx_loops(ptx_graph *g);

#endif
