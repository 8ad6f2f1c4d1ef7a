/* SPDX-License-Identifier: Apache-2.0
 *
 * An operand of wgmma in shared memory, through its matrix descriptor: 16 bytes at a time.
 */
#ifndef EMULATOR_MATRIX_OPERAND_H
#define EMULATOR_MATRIX_OPERAND_H

#include "machine.h"
#include "matrix_sum.h"
#include "tma/mma.h"

#define MATRIX_UNIT_B 16

typedef struct matrix_operand {
    tma_mma_descriptor descriptor;
    tma_mma_operand shape;
    uint32_t lines, units; /* rows or columns (of k, where it is MN-major), and 16 bytes of each */
} matrix_operand;

/* `rows` rows of A or columns of B, row_B bytes of k each; turned: MN-major, of 16-bit elements. */
matrix_operand matrix_operand_of(uint64_t bits, uint32_t rows, uint32_t row_B, int is_b,
                                 int is_turned);

/* Bytes of shared memory that follow each other; 0: there are no more ranges. `at` begins as 0. */
typedef struct matrix_range {
    uint32_t first_B, size_B;
} matrix_range;
int matrix_next_range(const matrix_operand *o, uint32_t *at, matrix_range *range);

/* The bytes of each row, MATRIX_ROW_B from row to row. */
void matrix_read(const matrix_operand *o, const uint8_t *shared, uint8_t (*rows)[MATRIX_ROW_B]);

#endif
