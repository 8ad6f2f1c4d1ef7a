/* SPDX-License-Identifier: Apache-2.0
 *
 * The tensor instructions, in PTX's words: what is written in the text, and the operands.
 */
#ifndef TMA_INSTRUCTION_H
#define TMA_INSTRUCTION_H

#include "spec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tma_op {
    TMA_OP_LOAD = 0,  /* global -> shared */
    TMA_OP_STORE = 1, /* shared -> global */
    TMA_OP_ADD = 2,   /* reductions: global = global op shared, PTX's order */
    TMA_OP_MIN = 3,
    TMA_OP_MAX = 4,
    TMA_OP_INC = 5,
    TMA_OP_DEC = 6,
    TMA_OP_AND = 7,
    TMA_OP_OR = 8,
    TMA_OP_XOR = 9,
    TMA_OP_PREFETCH = 10, /* to L2: checks and addresses, no bytes */
    TMA_OPS
} tma_op;

typedef enum tma_mode {
    TMA_MODE_TILE = 0,
    TMA_MODE_IM2COL = 1,   /* as a store or reduction: .im2col_no_offs */
    TMA_MODE_GATHER4 = 2,  /* .tile::gather4 */
    TMA_MODE_SCATTER4 = 3, /* .tile::scatter4 */
    TMA_MODE_IM2COL_W = 4,
    TMA_MODE_IM2COL_W128 = 5,
    TMA_MODES
} tma_mode;

/* What the instruction's text says. Zero members are the plain form. */
typedef struct tma_instruction {
    uint32_t op TMA_ZERO;          /* tma_op */
    uint32_t mode TMA_ZERO;        /* tma_mode */
    uint32_t rank TMA_ZERO;        /* the N of .Nd; 0: the map's (2 for gather4 and scatter4) */
    uint32_t cluster TMA_ZERO;     /* a load's destination: 0 .shared::cta, 1 .shared::cluster */
    uint32_t cta_group TMA_ZERO;   /* 0: none written; 1 or 2 */
    uint32_t reserved_0 TMA_ZERO;  /* must be 0 */
    uint64_t cta_mask TMA_ZERO;    /* .multicast::cluster: bit i is %cluster_ctarank i; 0: none */
    uint32_t reserved[4] TMA_ZERO; /* must be 0 */
} tma_instruction;

/* The operands that change from copy to copy. */
typedef struct tma_position {
    int32_t coord[TMA_MAX_RANK] TMA_ZERO; /* tensorCoords, innermost first; gather4 and scatter4:
                                             column, then four rows */
    uint16_t offset[3] TMA_ZERO;          /* im2colInfo: offsets W, H, D as written in the
                                             instruction, or wHalo, wOffset; else not read */
    uint16_t reserved_0 TMA_ZERO;         /* must be 0 */
    uint32_t shared_address TMA_ZERO;     /* of dstMem or srcMem, in the shared window */
    uint32_t reserved[4] TMA_ZERO;        /* must be 0 */
} tma_position;

/* Names: "load", "tile::gather4", "im2col"; "?" for an unknown number. And back: false, and the
 * number unchanged, if no name fits. */
TMA_EXPORT const char *tma_op_name(uint32_t op);
TMA_EXPORT const char *tma_mode_name(uint32_t mode);
TMA_EXPORT TMA_MUST_USE bool tma_op_find(uint32_t *op, const char *name);
TMA_EXPORT TMA_MUST_USE bool tma_mode_find(uint32_t *mode, const char *name);

#ifdef __cplusplus
}
#endif
#endif
