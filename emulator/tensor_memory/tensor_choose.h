/* SPDX-License-Identifier: Apache-2.0
 *
 * Choosers of operations_tensor.def.
 */
#ifndef EMULATOR_TENSOR_CHOOSE_H
#define EMULATOR_TENSOR_CHOOSE_H

#include "program.h"

emu_run emu_choose_tensor_alloc(const emu_instruction *in);  /* tensor_alloc.c */
emu_run emu_choose_tensor_move(const emu_instruction *in);   /* tensor_move.c */
emu_run emu_choose_tensor_wait(const emu_instruction *in);   /* tensor_move.c */
emu_run emu_choose_tensor_fence(const emu_instruction *in);  /* tensor_commit.c */
emu_run emu_choose_tensor_commit(const emu_instruction *in); /* tensor_commit.c */
emu_run emu_choose_tensor_copy(const emu_instruction *in);   /* tensor_copy.c */
emu_run emu_choose_tensor_shift(const emu_instruction *in);
emu_run emu_choose_tensor_mma(const emu_instruction *in); /* tensor_mma.c */

#endif
