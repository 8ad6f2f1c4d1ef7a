/* SPDX-License-Identifier: Apache-2.0
 *
 * What the matrix units compute, bit for bit: D = A B + C for eight columns at a time. Every
 * element is one sum without an order: products are exact, each term is cut at so many places under
 * the largest exponent, the sum is exact and made a result once.
 */
#ifndef EMULATOR_MATRIX_SUM_H
#define EMULATOR_MATRIX_SUM_H

#include <stdint.h>

#include "program.h"

#define MATRIX_ROWS    64
#define MATRIX_K       64 /* elements of A's row in one sum; bits: MATRIX_BITS */
#define MATRIX_K_FULL  128
#define MATRIX_BITS    256
#define MATRIX_COLUMNS 8
#define MATRIX_ROW_B   64 /* a row of A or B's column, dense or compressed, of any type */

/* One instruction's arithmetic. */
typedef struct matrix_form {
    uint8_t a, b, d;   /* emu_type of the elements; d of C, too */
    uint8_t places;    /* kept under the largest exponent: 25, or 13 */
    uint8_t keeps_bit; /* fraction bits of an f32 result: 23, or 13 */
    uint8_t negates;   /* the products' signs are turned */
    uint8_t saturates; /* of integers: the sum is clamped */
    uint8_t is_xor;    /* b1: xor, else and */
    uint32_t k, k_a;   /* elements of B's column, of A's row (half of k, where A is sparse) */
} matrix_form;

/* Rows of A, made ready for any number of columns. */
typedef struct matrix_a {
    uint32_t rows;
    uint8_t index[MATRIX_ROWS][MATRIX_K]; /* k of B that an element meets, where A is sparse */
    union {
        struct {
            float significand[MATRIX_ROWS][MATRIX_K]; /* with the sign; below 2 */
            float scaled[MATRIX_ROWS][MATRIX_K];      /* in units of 2^top */
            int16_t exponent[MATRIX_ROWS][MATRIX_K];
        } f;
        int32_t number[MATRIX_ROWS][MATRIX_K];
    } of;
    int16_t top[MATRIX_ROWS];        /* the largest exponent */
    uint8_t is_wide[MATRIX_ROWS];    /* exponents lie so far apart that `scaled` is not exact */
    uint8_t is_special[MATRIX_ROWS]; /* it has infinities or NaNs */
    uint8_t is_sparse;               /* index tells which k an element meets, else its own */
    const uint8_t *bytes;            /* rows of MATRIX_ROW_B bytes */
} matrix_a;

/* Reads `rows` rows of form->k_a elements, MATRIX_ROW_B bytes from row to row, which stay where
 * they are. index: which k each meets, MATRIX_K a row; null: A is dense. */
void matrix_prepare(matrix_a *a, const matrix_form *form, const uint8_t *bytes, uint32_t rows,
                    const uint8_t (*index)[MATRIX_K]);

/* c += A B for eight columns of B, each of form->k elements, `b_step_B` bytes from column to
 * column. */
void matrix_multiply(const matrix_a *a, const matrix_form *form, const uint8_t *b,
                     uint32_t b_step_B, uint32_t (*c)[MATRIX_COLUMNS]);

/* number x 2^exponent as f32, cut towards zero, or as f16, to nearest even (form->d). What is cut
 * to nothing is +0. */
uint32_t matrix_result(const matrix_form *form, int64_t number, int exponent);

#endif
