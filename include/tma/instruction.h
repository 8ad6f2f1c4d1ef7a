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
    TMA_MODE_IM2COL_W = 4, /* as a store or reduction: .im2col_no_offs::w */
    TMA_MODE_IM2COL_W128 = 5,
    TMA_MODES
} tma_mode;

/* What one copy takes from its operands and not from the map (PTX 9.4): tma_override(). */
#define TMA_OVERRIDE_ADDRESS    1u /* .override::global_address */
#define TMA_OVERRIDE_DIM        2u /* .override::global_dim */
#define TMA_OVERRIDE_DIM_STRIDE 4u /* .override::global_dim_stride */

/* .mbarrier::report::*: what of the data that a load copies the barrier reports (PTX 9.4). */
typedef enum tma_inspection_id {
    TMA_INSPECTION_NONE = 0, /* nothing written, which means disabled */
#define TMA_INSPECTION(id, number, ...) TMA_INSPECTION_##id = (number),
#include "instruction_reports.def"
    TMA_INSPECTIONS
} tma_inspection_id;

/* What the instruction's text says. Zero members are the plain form. */
typedef struct tma_instruction {
    uint32_t op TMA_ZERO;          /* tma_op */
    uint32_t mode TMA_ZERO;        /* tma_mode */
    uint32_t rank TMA_ZERO;        /* the N of .Nd; 0: the map's (2 for gather4 and scatter4) */
    uint32_t cluster TMA_ZERO;     /* a load's destination: 0 .shared::cta, 1 .shared::cluster */
    uint32_t cta_group TMA_ZERO;   /* 0: none written; 1 or 2 */
    uint32_t overrides TMA_ZERO;   /* TMA_OVERRIDE_*, of loads, stores, reductions, prefetches */
    uint64_t cta_mask TMA_ZERO;    /* .multicast::cluster: bit i is %cluster_ctarank i; 0: none */
    uint32_t mask_bits TMA_ZERO;   /* 32: .multicast::cluster::32b; 0 and 16: a mask of 16 bits */
    uint32_t inspection TMA_ZERO;  /* tma_inspection_id */
    uint32_t reserved[2] TMA_ZERO; /* must be 0 */
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

/* The operands of .override, as they are written: gAddrToOverride, tensorSizeToOverride,
 * tensorLowerStrideToOverride and tensorUpperStrideToOverride. What is not overridden is not read.
 */
typedef struct tma_override_operands {
    uint64_t address TMA_ZERO;                       /* a multiple of 16 */
    uint32_t size[TMA_MAX_RANK] TMA_ZERO;            /* 8 bits each */
    uint32_t lower_stride[TMA_MAX_STRIDES] TMA_ZERO; /* in 16 bytes: the low 32 bits */
    uint32_t upper_stride TMA_ZERO;                  /* of each, 4 bits above them */
    uint32_t reserved[6] TMA_ZERO;                   /* must be 0 */
} tma_override_operands;

/* One of the report mechanisms: instruction_reports.def. */
typedef struct tma_inspection {
    const char *name;   /* "validity::per_16bytes::8000" */
    const char *format; /* PTX's words for its elements */
    uint32_t pattern;   /* that is looked for, 0 of disabled */
    uint32_t bits;      /* of an element that is held against it */
    uint32_t granule_B; /* source data that one look is for: 16, of which one element is sampled,
                           or 1 */
} tma_inspection;

/* The word for a tma_inspect_answer (copy.h): "no", "yes" or "perhaps". */
TMA_EXPORT const char *tma_inspect_name(uint32_t answer);

/* The row of a report mechanism, null for TMA_INSPECTION_NONE and unknown numbers; and the
 * mechanism of a name, false for an unknown name. */
TMA_EXPORT const tma_inspection *tma_inspection_of(uint32_t inspection);
TMA_EXPORT TMA_MUST_USE bool tma_inspection_find(uint32_t *inspection, const char *name);

/* The names of operations and modes ("load", "tile::gather4"), "?" for an unknown number; and the
 * number of a name: false, and the number stays unchanged, if no name fits. */
TMA_EXPORT const char *tma_op_name(uint32_t op);
TMA_EXPORT const char *tma_mode_name(uint32_t mode);
TMA_EXPORT TMA_MUST_USE bool tma_op_find(uint32_t *op, const char *name);
TMA_EXPORT TMA_MUST_USE bool tma_mode_find(uint32_t *mode, const char *name);

#ifdef __cplusplus
}
#endif
#endif
