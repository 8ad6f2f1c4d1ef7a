/* SPDX-License-Identifier: Apache-2.0
 *
 * Products that are chains of multiplications and additions, each rounded: mma of f64, and m8n8k4
 * of f16, which sm_90 has no unit for.
 */
#ifndef EMULATOR_MATRIX_CHAIN_H
#define EMULATOR_MATRIX_CHAIN_H

#include "matrix_fragment.h"

int matrix_is_chain(const emu_instruction *in);

/* D of [d, a, b, c]; zeros, where the run has no values. f64: fma after fma from C on, k = 0 first;
 * f16: four products of 8 by 8, one a pair of quads. */
void matrix_chain(const emu_warp *w, const emu_instruction *in);

#endif
