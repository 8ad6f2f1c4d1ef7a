/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread's stack: what alloca gives, until its function returns or stackrestore. Each lane has
 * local addresses of its own from EMU_STACK_FIRST on, above those of all frames.
 */
#ifndef EMULATOR_STACK_H
#define EMULATOR_STACK_H

#include "machine.h"

#define EMU_STACK_FIRST UINT32_C(0x80000000)

/* The block of a frame's function in which a lane's local address lies; 0: there is none. */
int emu_stack_find(const emu_frame *frame, uint32_t lane, uint64_t local, emu_place *out);

/* Nothing needs the frame any more. */
void emu_stack_drop(emu_machine *m, emu_frame *frame);

/* Executors' choosers: operations_memory.def. */
emu_run emu_choose_alloca(const emu_instruction *in);
emu_run emu_choose_stacksave(const emu_instruction *in);
emu_run emu_choose_stackrestore(const emu_instruction *in);

#endif
