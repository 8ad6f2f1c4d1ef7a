/* SPDX-License-Identifier: Apache-2.0
 *
 * Products that sm_90 has no unit for: ptxas makes them of others.
 */
#ifndef EMULATOR_MATRIX_FP8_H
#define EMULATOR_MATRIX_FP8_H

#include "matrix_sum.h"

/* mma.sync of e4m3 and e5m2, as ptxas 13.0 lowers it: bytes become f16; two products of f16 from
 * +0, first of elements 0 and 1 of each four, then of 2 and 3; C is added at the end. `bytes`: rows
 * of A as matrix_prepare() takes them, `b` and `c` as matrix_multiply() does. */
void matrix_multiply_fp8(const matrix_form *form, const uint8_t *bytes, uint32_t rows,
                         const uint8_t (*index)[MATRIX_K], const uint8_t *b, uint32_t b_step_B,
                         uint32_t (*c)[MATRIX_COLUMNS]);

#endif
