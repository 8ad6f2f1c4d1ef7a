/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the rewriter share: ptx_rewrite.c finds copies and writes, ptx_shared.c says
 * what their checks have in common.
 */
#ifndef PTX_PTX_REWRITE_PARTS_H
#define PTX_PTX_REWRITE_PARTS_H

#include "ptx_own_names.h"
#include "ptx_values.h"
#include "tma/ptx_check.h"

typedef struct site {
    uint32_t row;
    tma_ptx_statement s;
    tma_ptx_check check;
    ptx_value map;        /* of its function's values */
    int as_warp;          /* all threads of a warp come to it */
    tma_ptx_span spelled; /* its opcode, as the file has it */
    const char *left;     /* why, or null */
} site;

typedef struct rewrite {
    ptx_memory *memory;
    ptx_memory work; /* for one function at a time */
    ptx_rows rows;
    ptx_codes codes;
    ptx_functions functions;
    site *site;
    uint32_t sites;
    tma_ptx_check_shared *shared; /* by function */
    uint32_t called;              /* checks of the file */
    tma_ptx_span *moved;          /* setmaxnreg, left out where checks are called */
    uint32_t moves;
    int drops; /* whether the file has instructions by which threads drop out of barriers */
    uint32_t on_fault;
    uint32_t own_number; /* in the names that the checks bring */
    ptx_assertion assertion;
    tma_ptx_span assertion_head;
} rewrite;

/* Behind the last site of the function that this one is in. */
uint32_t ptx_sites_end(const rewrite *r, uint32_t first);

/* Passes and groups of all sites that are not left. */
void ptx_share_all(rewrite *r);

#endif
