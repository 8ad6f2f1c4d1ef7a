/* SPDX-License-Identifier: Apache-2.0
 *
 * When no thread can move, and who waits for what then.
 */
#ifndef EMULATOR_DEADLOCK_H
#define EMULATOR_DEADLOCK_H

#include "schedule.h"

/* Instructions that threads may look on for, while nothing else moves and no loop is proved to be
 * without end. */
#define EMU_STILL_MOST (UINT64_C(1) << 24)

/* A round has passed in which nothing moved: whether some thread can all the same, since it reads
 * on in a loop that has an end. */
int emu_can_move(emu_machine *m);

/* No thread can move, and nothing is under way. 1: there is something left
 * to try; 0: the run is over, and why is reported. */
int emu_still(emu_machine *m);

/* What an instruction is to those who wait. */
emu_look emu_look_of(const emu_program *p, const emu_instruction *in);
/* Whether it asks for a phase of an mbarrier; whether it tells one; whether it brings bytes to it.
 */
int emu_asks_mbarrier(const emu_instruction *in);
int emu_tells_mbarrier(const emu_instruction *in);
int emu_brings_bytes(const emu_instruction *in);

/* Reports who waits for what (deadlock_report.c). */
void emu_deadlock_report(emu_machine *m, int certain);

/* Where a fragment waits then, for what: of one that polls the question that it asks. */
void emu_deadlock_thread(emu_warp *w, const emu_fragment *f, tma_emulate_thread *out);

#endif
