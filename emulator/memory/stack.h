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

/* Where a lane's next block may begin. */
uint64_t emu_stack_end(const emu_warp *w, uint32_t lane);

/* The local address of a lane's new block, of the frame that runs; 0: the run is over. align_B: a
 * power of two. */
uint64_t emu_stack_grow(emu_warp *w, const emu_instruction *in, uint32_t lane, uint64_t size_B,
                        uint64_t align_B);

/* Gives a lane's blocks from an address on back, those of the frame that runs. */
void emu_stack_cut(emu_warp *w, uint32_t lane, uint64_t from);

#endif
