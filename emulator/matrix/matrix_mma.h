/* SPDX-License-Identifier: Apache-2.0
 *
 * What mma's forms share.
 */
#ifndef EMULATOR_MATRIX_MMA_H
#define EMULATOR_MATRIX_MMA_H

#include "matrix_fragment.h"

/* Which lanes of D lack a value that somebody wrote, by the lanes of A, B and C; of_rows,
 * of_columns: lanes whose scale factors lack one, of rows of A and columns of B. */
void matrix_mma_undefined(emu_warp *w, const emu_instruction *in, uint32_t mask, uint32_t of_rows,
                          uint32_t of_columns);

#endif
