/* SPDX-License-Identifier: Apache-2.0
 *
 * When no thread can move, and who waits for what then.
 */
#ifndef EMULATOR_DEADLOCK_H
#define EMULATOR_DEADLOCK_H

#include "schedule.h"

/* Whether a fragment did nothing in its turn but look at what others would have to change. */
int emu_only_polls(const emu_warp *w, const emu_fragment *f, const emu_turn *turn);

/* Nothing moved, and nothing is under way. 1: there is something left to try; 0: the run is over,
 * and why is reported. */
int emu_still(emu_machine *m);

/* What an instruction is to those who wait. */
emu_look emu_look_of(const emu_instruction *in);

#endif
