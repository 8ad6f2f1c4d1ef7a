/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes that part and meet: fragments, frames, joins; and what the schedule asks of executors.
 *
 * An executor that cannot go on sets now->wait and now->number and returns EMU_BLOCKED, having done
 * nothing; it is asked again when something has moved. One that changes what others may wait for
 * (an arrival, a phase, a flag in memory) returns EMU_NEXT as always: the schedule knows from the
 * operation that it acts (schedule.c, LOOKS). Work that completes calls emu_progress().
 */
#ifndef EMULATOR_THREADS_H
#define EMULATOR_THREADS_H

#include "machine.h"

/* Something moved that others may wait for. */
static inline void emu_progress(emu_machine *m) {
    m->progress++;
}

/* An instruction that the lanes of `named` execute together (.aligned, .sync, a member mask). All
 * of them that live are here: EMU_NEXT, and *mask has grown by the lanes of other fragments that
 * waited here; the caller executes it for them all. Else EMU_BLOCKED, and the fragment waits. That
 * nobody comes any more is found by the schedule: rule divergence. */
emu_step emu_together(emu_warp *w, const emu_instruction *in, uint32_t *mask, uint32_t named);

/* Fragments of a warp. */
int emu_warp_begins(emu_warp *w); /* one fragment of all lanes at the kernel's first instruction */
void emu_warp_ends(emu_warp *w);
int emu_threads_begin(emu_machine *m);

/* A fragment whose pc has been set is at its join: it ends there, and lanes that waited for it go
 * on. Returns whether the fragment lives. */
int emu_arrives(emu_warp *w, emu_fragment *f);
/* Lanes of the warp that wait at joins go on without the others: 0, if there are none. */
int emu_release_joins(emu_warp *w);

/* Lanes exit; the fragment may be gone. */
void emu_lanes_exit(emu_warp *w, uint32_t mask);

/* Executors' choosers: operations_thread.def. */
emu_run emu_choose_bra(const emu_instruction *in);
emu_run emu_choose_brx(const emu_instruction *in);
emu_run emu_choose_call(const emu_instruction *in);
emu_run emu_choose_ret(const emu_instruction *in);
emu_run emu_choose_exit(const emu_instruction *in);
emu_run emu_choose_trap(const emu_instruction *in);
emu_run emu_choose_sleep(const emu_instruction *in);
emu_run emu_choose_nothing(const emu_instruction *in);


#endif
