/* SPDX-License-Identifier: Apache-2.0
 *
 * wgmma: one product of four warps that meet for it, asynchronous from its issue to the wait_group
 * that covers it.
 */
#ifndef EMULATOR_MATRIX_WGMMA_H
#define EMULATOR_MATRIX_WGMMA_H

#include "machine.h"

/* The warp has registers that belong to a wgmma (w->busy): an instruction that touches them is
 * reported (register-early), and finds the wgmmas complete. -1: the run is over. */
int emu_registers_early(emu_warp *w, const emu_instruction *in, uint32_t mask);

/* What is kept of a warp's wgmmas is given back. */
void emu_wgmma_ends(emu_warp *w);

/* operations_matrix.def. */
emu_run emu_choose_wgmma(const emu_instruction *in);
emu_run emu_choose_wgmma_fence(const emu_instruction *in);
emu_run emu_choose_wgmma_commit(const emu_instruction *in);
emu_run emu_choose_wgmma_wait(const emu_instruction *in);

#endif
