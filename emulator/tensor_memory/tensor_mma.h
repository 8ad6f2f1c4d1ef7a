/* SPDX-License-Identifier: Apache-2.0
 *
 * tcgen05.mma: what one is, and its product. Arithmetic as MMA-Sim reports it of a B200, not
 * measured here.
 */
#ifndef EMULATOR_TENSOR_MMA_H
#define EMULATOR_TENSOR_MMA_H

#include "matrix_operand.h"
#include "tensor_memory.h"

#define TENSOR_CTAS      2
#define TENSOR_ROWS      128 /* of a CTA */
#define TENSOR_N         256
#define TENSOR_A_B       32 /* bytes of k of a row, of any type */
#define TENSOR_A_COLUMNS (TENSOR_A_B / 4)

/* One row of tensor_layouts.def. */
typedef struct tensor_layout {
    char letter;
    uint16_t m;
    uint8_t ctas, is_ws, sparse, sixteens, parts;
} tensor_layout;

/* An instruction with its 32-bit descriptor read. */
typedef struct tensor_form {
    const tensor_layout *layout;
    uint32_t rows, n; /* rows of a CTA, columns of all */
    uint32_t k, k_a;  /* of B; that A stores: of a sparse one half of them */
    uint8_t is_sparse, selector;
    uint8_t a, b; /* tma_mma_type_id */
    uint8_t d;    /* EMU_F32, EMU_F16, EMU_S32 */
    uint8_t ctas; /* of the group */
    uint8_t negates, turns_a, turns_b, saturates;
    uint8_t scales;                     /* of a row of A: 0, 1, 2, 4 */
    uint8_t scale_a, scale_b, is_ue8m0; /* their first byte in a word */
} tensor_form;

/* 0; or -1, and *why: what the descriptor has wrong. */
int tensor_form_of(tensor_form *f, const emu_instruction *in, uint32_t idesc, const char **why);

/* The lane and column, from D's first ones on, of a CTA's row and a column. */
static inline uint32_t tensor_lane(const tensor_layout *l, uint32_t row, uint32_t part) {
    return (l->sixteens ? row / 16 * 32 + row % 16 : row) + part * (TENSOR_LANES / l->parts);
}

/* One MMA under way. */
typedef struct tensor_mma {
    emu_async async;
    tensor_form form;
    emu_cta *cta[TENSOR_CTAS];
    uint32_t d, a, sfa, sfb, metadata;                 /* addresses in tensor memory */
    uint8_t has_a;                                     /* A lies in tensor memory */
    uint8_t shifts;                                    /* .ashift: its rows, afterwards */
    uint8_t adds, scale_d;                             /* D is added to, scaled by 2^-scale_d */
    uint32_t disabled[TENSOR_CTAS][TENSOR_LANES / 32]; /* lanes of D that stay as they are */
    matrix_operand from_a[TENSOR_CTAS], from_b[TENSOR_CTAS];
    uint8_t is_masked;
    uint16_t column[TENSOR_N]; /* of .ws with a mask: of B, or TENSOR_N: zeros */
} tensor_mma;

/* Columns of metadata that a sparse one has, from t->metadata on. */
uint32_t tensor_metadata_columns(const tensor_form *f);

/* Which k of B the stored elements of a CTA's rows meet, for a part of D. -1: metadata that says
 * nothing, which is reported, and the run is stopped. */
int tensor_indices(const tensor_mma *t, uint32_t i, uint32_t part, uint8_t (*index)[MATRIX_K]);

/* What the matrix units' sum calls a type; elements of 4 and 6 bits that lie in bytes are e4m3. */
uint8_t tensor_element(uint32_t type);

/* D = A B + D in both CTAs. -1: the run is stopped. */
int tensor_multiply(tensor_mma *t);

#endif
