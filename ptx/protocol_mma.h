/* SPDX-License-Identifier: Apache-2.0
 *
 * An operand of an MMA that one copy fills in part, and the other copies of its map.
 */
#ifndef PTX_PROTOCOL_MMA_H
#define PTX_PROTOCOL_MMA_H

#include "ptx_protocol.h"
#include "tma/mma.h"

typedef struct ptx_mma_part {
    const ptx_protocol *p;
    const tma_mma_descriptor *descriptor;
    const tma_mma_operand *operand;
    const ptx_act *copy; /* that brings the operand's first element, */
    uint32_t tile;       /* its shared address, with */
    uint32_t variable;   /* this variable, or PTX_NONE, */
    uint32_t place;      /* at this one */
    uint32_t panel_dims;
    uint32_t begin[2]; /* m or n and k of the copy's box where the operand begins */
} ptx_mma_part;

/* protocol_mma_copies.c: whether the copies of this map, of all threads and of other CTAs that are
 * known to run them, bring all of the operand to where it is read. Coordinates that are so far
 * apart as the elements say which is which. The number of copies, or 0. */
uint32_t ptx_mma_whole(const ptx_mma_part *part);

#endif
