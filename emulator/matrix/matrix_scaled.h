/* SPDX-License-Identifier: Apache-2.0
 *
 * Products with scaled blocks: mma of sm_120a, tcgen05.mma. No Blackwell was measured.
 */
#ifndef EMULATOR_MATRIX_SCALED_H
#define EMULATOR_MATRIX_SCALED_H

#include "matrix_sum.h"

typedef struct matrix_scaling {
    uint8_t a, b; /* EMU_E4M3, EMU_E5M2: a byte each; EMU_E2M1: two in a byte */
    uint8_t negates;
    uint8_t scales;   /* of a row of A: 1, 2, 4 */
    uint8_t is_ue8m0; /* else ue4m3 */
    uint32_t k;       /* elements of A's row */
} matrix_scaling;

/* Rows of A, eight columns of B; index: which k each element of A meets, null: A is dense. scale_a:
 * of each row, scale_b: of each column, up to 4 bytes. */
typedef struct matrix_scaled_operands {
    const uint8_t (*a)[MATRIX_ROW_B], (*b)[MATRIX_ROW_B], (*index)[MATRIX_K];
    const uint32_t *scale_a, *scale_b;
    uint32_t rows;
} matrix_scaled_operands;

/* Products with scaled blocks: c += .... */
void matrix_scaled(const matrix_scaling *f, const matrix_scaled_operands *o,
                   uint32_t (*c)[MATRIX_COLUMNS]);

/* Elements of 4 or 6 bits (EMU_E2M1, EMU_E2M3, EMU_E3M2), by their code, as the e4m3 of the same
 * value. */
#define MATRIX_CODES 64
void matrix_list_e4m3(uint32_t type, uint8_t list[MATRIX_CODES]);

#endif
