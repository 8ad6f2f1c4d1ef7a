/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers whose values nobody wrote, lane by lane: through instructions that compute.
 */
#ifndef EMULATOR_UNDEFINED_H
#define EMULATOR_UNDEFINED_H

#include "machine.h"

/* After an instruction was executed for a mask: what it gave is undefined where an operand was. What
 * reads memory or calls says that by itself; what else gives a value defines it. A branch by an
 * undefined predicate is reported (uninitialised). */
void emu_flow(emu_warp *w, emu_frame *frame, const emu_instruction *in, uint32_t mask);

#endif
