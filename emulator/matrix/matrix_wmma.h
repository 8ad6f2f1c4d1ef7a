/* SPDX-License-Identifier: Apache-2.0
 *
 * wmma: operations_matrix.def's choosers.
 */
#ifndef EMULATOR_MATRIX_WMMA_H
#define EMULATOR_MATRIX_WMMA_H

#include "machine.h"

emu_run emu_choose_wmma_move(const emu_instruction *in);
emu_run emu_choose_wmma_mma(const emu_instruction *in);

#endif
