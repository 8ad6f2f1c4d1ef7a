/* SPDX-License-Identifier: Apache-2.0
 *
 * ldmatrix of elements of 8 bits: what runs a form, null if it is not executed.
 */
#ifndef EMULATOR_MATRIX_MOVE_H
#define EMULATOR_MATRIX_MOVE_H

#include "program.h"

emu_run matrix_choose_load_8(const emu_instruction *in);

#endif
