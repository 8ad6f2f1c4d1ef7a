/* SPDX-License-Identifier: Apache-2.0
 *
 * An operand of an MMA that one copy fills in part, and the other copies of its map.
 */
#ifndef PTX_PROTOCOL_MMA_H
#define PTX_PROTOCOL_MMA_H

#include "ptx_protocol.h"
#include "tma/mma.h"

/* The instruction of a copy, null if it could not be read. */
const ptx_site *ptx_mma_site(const ptx_protocol *p, const ptx_act *act);

/* The operands of an MMA in shared memory. */
typedef struct ptx_mma_reads {
    tma_mma_operand operand;
    uint32_t family;
    ptx_value value; /* the descriptor; PTX_UNKNOWN: it is no such operand */
} ptx_mma_reads;

/* protocol_mma_operands.c: A and B. 0: the instruction could not be read. */
int ptx_mma_operands(ptx_mma_reads q[2], const ptx_protocol *p, const ptx_step *step);

#define PTX_MMA_CARRIED 12 /* values that a loop carries from turn to turn */

/* A turn of the loop around a copy: the numbers of what it carries. protocol_mma_turns.c */
typedef struct ptx_mma_turn {
    const ptx_protocol *p;
    uint32_t loop;
    ptx_held given[PTX_MMA_CARRIED];
    ptx_value next[PTX_MMA_CARRIED];
    uint32_t givens;
    int fails;
} ptx_mma_turn;

/* The first turn of the innermost loop around a copy; on to the next one. 0: that is not known. */
int ptx_mma_turn_first(ptx_mma_turn *turn, const ptx_protocol *p, const ptx_act *act,
                       const tma_ptx_statement *copy);
int ptx_mma_turn_next(ptx_mma_turn *turn);

#define PTX_MMA_CTAS   16 /* of a cluster */
#define PTX_MMA_GIVENS (8 + PTX_MMA_CARRIED)

/* Who runs a copy: a warp's first thread, in one CTA of the first cluster. CTAs that send to CTA 0
 * are taken to stand in one row with it, or in one column. protocol_mma_copies.c */
typedef struct ptx_mma_runner {
    uint32_t warp, cta;
    ptx_held given[PTX_MMA_GIVENS];
    uint32_t givens;
} ptx_mma_runner;
ptx_mma_runner ptx_mma_runner_of(const ptx_protocol *p, const ptx_mma_turn *turn, uint32_t warp,
                                 uint32_t cta, int is_column);
/* Whether another CTA's multicast comes to this one, and the cluster has such a CTA: this CTA's own
 * goes there. */
int ptx_mma_sends(const ptx_protocol *p, const ptx_mma_runner *runner, const ptx_act *act);

typedef struct ptx_mma_part {
    const ptx_protocol *p;
    const tma_mma_descriptor *descriptor;
    const tma_mma_operand *operand;
    const ptx_act *copy; /* that brings the operand's first element, */
    uint32_t tile;       /* its shared address, with */
    uint32_t variable;   /* this variable, or PTX_NONE, */
    uint32_t place;      /* at this one */
    uint32_t panel_dims;
    uint32_t begin[2];        /* m or n and k of the copy's box where the operand begins */
    const ptx_mma_turn *turn; /* that the copy is in; null: the first one of all loops */
} ptx_mma_part;

/* protocol_mma_copies.c: whether the copies of this map, of all threads and of other CTAs that are
 * known to run them, bring all of the operand to where it is read. Coordinates that are so far
 * apart as the elements say which is which. The number of copies, or 0. *assumed: that is so if
 * CTAs of a cluster that send their slices to each other load parts of one tile. */
uint32_t ptx_mma_whole(const ptx_mma_part *m, int *assumed);

#endif
