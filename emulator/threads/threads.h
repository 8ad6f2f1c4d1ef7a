/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes that part and meet: fragments, frames, joins; and what the schedule asks of executors.
 *
 * An executor that cannot go on sets now->wait and now->number and returns EMU_BLOCKED, having done
 * nothing; it is asked again when something has moved. One that changes what others may wait for
 * (an arrival, a phase, a flag in memory) returns EMU_NEXT as always: the schedule knows from the
 * operation that it acts (deadlock.c, emu_look_of()). Work that completes calls emu_progress().
 */
#ifndef EMULATOR_THREADS_H
#define EMULATOR_THREADS_H

#include "machine.h"

/* Something moved that others may wait for, wherever they are. */
static inline void emu_progress(emu_machine *m) {
    m->progress++;
    m->everywhere++;
}
/* The same, of a barrier, a group, threads or a copy, for which threads of one cluster alone wait:
 * the others are not asked again. */
static inline void emu_progress_near(emu_machine *m, emu_cluster *cluster) {
    m->progress++;
    cluster->progress++;
}
/* Before a fragment that waits is left until something moves. */
static inline void emu_asked(const emu_cta *cta, emu_fragment *f) {
    f->progress = cta->machine->progress;
    f->near = cta->machine->everywhere + cta->cluster->progress;
}
static inline int emu_waits_far(const emu_fragment *f) {
    return f->wait == EMU_WAITS_GRID || f->wait == EMU_WAITS_TENSOR;
}
/* Whether something has moved since then that it may wait for. */
static inline int emu_is_asked_again(const emu_cta *cta, const emu_fragment *f) {
    return emu_waits_far(f) ? f->progress != cta->machine->progress
                            : f->near != cta->machine->everywhere + cta->cluster->progress;
}

/* Whether all threads of a CTA waited in its last turns, and nothing has moved since then. */
static inline int emu_rests(const emu_cta *cta) {
    return cta->rests &&
           (cta->rests_far ? cta->progress == cta->machine->progress
                           : cta->near == cta->machine->everywhere + cta->cluster->progress);
}

/* An instruction that the lanes of `named` execute together (.aligned, .sync, a member mask). All
 * of them that live are here: EMU_NEXT, and *mask has grown by the lanes of other fragments that
 * waited here; the caller executes it for them all. Else EMU_BLOCKED, and the fragment waits. That
 * nobody comes any more is found by the schedule: rule divergence. */
emu_step emu_together(emu_warp *w, const emu_instruction *in, uint32_t *mask, uint32_t named);
/* The whole warp: a lane that has exited is reported (divergence), since it should be there, too.
 */
emu_step emu_all_together(emu_warp *w, const emu_instruction *in, uint32_t *mask);

/* -1: there is no memory (the run is stopped). */
int emu_threads_begin(emu_machine *m);
int emu_warp_begins(emu_warp *w); /* one fragment of all lanes at the kernel's first instruction */

/* now's lanes of `mask` go to `target`, its others to `next`; they meet at `join`. now is a
 * fragment that goes on, or null. */
emu_step emu_part(emu_warp *w, uint32_t mask, uint32_t target, uint32_t next, uint32_t join);
/* A fragment whose pc has been set may be at its join: it ends there, and the last to come goes on
 * for all. Returns whether the fragment lives. */
int emu_arrives(emu_warp *w, emu_fragment *f);
/* Lanes that wait at an innermost join of the warp go on without the others; 0: nobody waits. */
int emu_release_join(emu_warp *w);
/* now's lanes exit; now is null where it was all of them. The caller tells barriers:
 * emu_barriers_exited(). */
void emu_lanes_exit(emu_warp *w, uint32_t mask);

/* A frame for now's lanes, in which they are then; -1: no memory (the run is stopped). */
emu_frame *emu_frame_enter(emu_warp *w, const emu_function *function, const emu_instruction *call);
void emu_frame_leave(emu_warp *w);

/* Executors' choosers: operations_thread.def. */
emu_run emu_choose_bra(const emu_instruction *in);
emu_run emu_choose_brx(const emu_instruction *in);
emu_run emu_choose_call(const emu_instruction *in);
emu_run emu_choose_ret(const emu_instruction *in);
emu_run emu_choose_exit(const emu_instruction *in);
emu_run emu_choose_trap(const emu_instruction *in);
emu_run emu_choose_sleep(const emu_instruction *in);
emu_run emu_choose_nothing(const emu_instruction *in);
emu_run emu_choose_registers(const emu_instruction *in); /* registers.c */
emu_run emu_choose_alloca(const emu_instruction *in);    /* threads_stack.c */
emu_run emu_choose_stacksave(const emu_instruction *in);
emu_run emu_choose_stackrestore(const emu_instruction *in);

/* A CTA's threads have exited: whether warps of a warpgroup executed the same setmaxnreg. */
void emu_registers_end(emu_cta *cta);

/* builtins.def */
emu_step emu_builtin_run(emu_warp *w, const emu_instruction *in, uint32_t mask, uint32_t builtin);

/* Arguments and returns of a call, one lane: at most 8 bytes of an argument; where a return lies.
 */
uint64_t emu_argument(const emu_warp *w, const emu_instruction *call, uint32_t index,
                      uint32_t lane);
void emu_return(emu_warp *w, const emu_instruction *call, uint32_t index, uint32_t lane,
                const void *bytes, size_t size_B);

#endif
