/* SPDX-License-Identifier: Apache-2.0
 *
 * An operand of wgmma or tcgen05 in shared memory, through its matrix descriptor: 16 bytes at a
 * time.
 */
#ifndef EMULATOR_MATRIX_OPERAND_H
#define EMULATOR_MATRIX_OPERAND_H

#include "machine.h"
#include "matrix_sum.h"
#include "tma/mma.h"

#define MATRIX_UNIT_B 16

#define MATRIX_UNITS 1024 /* of an operand at most: 256 columns of 64 bytes */

/* What is read: `rows` rows of A or columns of B, row_B bytes of k each. */
typedef struct matrix_tile {
    uint32_t family; /* tma_mma_family */
    uint32_t rows, row_B;
    uint32_t element_B; /* 1, 2, 4; looked at where it is MN-major */
    uint8_t is_b, is_turned;
    uint8_t
        narrow_bit; /* 4, 6: each 16 bytes hold 16 elements of so many bits; looked at as well */
} matrix_tile;

/* lines: rows or columns (of k, where it is MN-major); units: 16 bytes of each. */
typedef struct matrix_operand {
    uint16_t lines, units;
    uint8_t is_turned, element_B, narrow_bit;
    uint32_t lowest_B, highest_B;
    uint32_t address_B[MATRIX_UNITS]; /* of line l's unit u: l * units + u */
} matrix_operand;

/* -1: a swizzle that the family does not have, or rows that are no whole units where it is
 * MN-major.
 */
int matrix_operand_of(matrix_operand *o, uint64_t bits, const matrix_tile *tile);

/* Bytes of shared memory that follow each other; 0: there are no more ranges. `at` begins as 0. */
typedef struct matrix_range {
    uint32_t first_B, size_B;
} matrix_range;
int matrix_next_range(const matrix_operand *o, uint32_t *at, matrix_range *range);

/* Whether all of it lies in some variable of the warp's CTA, or else each unit in some; -1: not,
 * which is reported, and the run is stopped. */
int matrix_check(const matrix_operand *o, emu_warp *w, const emu_instruction *in, uint32_t lane);

/* That work reads it in a CTA's shared memory, as accesses. */
void matrix_touch(const matrix_operand *o, emu_async *a, emu_cta *cta);

/* 16 elements of 4 or 6 bits, which begin a unit, into a byte each. */
void matrix_spread(uint32_t bits, const uint8_t unit[MATRIX_UNIT_B], uint8_t out[MATRIX_UNIT_B]);

/* The bytes of each row, MATRIX_ROW_B from row to row; narrow elements that are MN-major come
 * spread, since those of a unit are of 16 rows. */
void matrix_read(const matrix_operand *o, const uint8_t *shared, uint8_t (*rows)[MATRIX_ROW_B]);

#endif
