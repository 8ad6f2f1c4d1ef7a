/* SPDX-License-Identifier: Apache-2.0
 *
 * Asynchronous work: the queue of what is under way, the groups that count it, the mbarriers that
 * are told.
 */
#ifndef EMULATOR_ASYNC_H
#define EMULATOR_ASYNC_H

#include "machine.h"

/* A new piece of work of so many bytes (a struct that begins with emu_async), zeroed but for
 * kind, warp, lane, in; null: no memory, and the run is stopped. */
void *emu_async_new(emu_warp *w, uint32_t lane, const emu_instruction *in, emu_async_kind kind,
                    size_t size_B);
/* Issues it: order_issue() (not of a wgmma, whose maker calls order_issue_together()), touches(),
 * the queue; early schedules complete it at once (-1: that ended the run). What a group counts was
 * added to it before. */
int emu_async_issue(emu_async *a);
/* One stage of the oldest (late) or any (seeded) work that may go on; 0: there is none. */
int emu_async_advance(emu_machine *m);
/* The same for one piece, until it is complete; -1: the run is over. */
int emu_async_finish(emu_machine *m, emu_async *a);
/* All pieces of the queue are given back: the run is over. */
void emu_async_end(emu_machine *m);

/* A CTA ends: its last thread has exited. Copies that still read or write its shared memory are
 * reported (exit); all that it issued, and what touches it, completes; its barriers,
 * mbarriers and groups are given back. -1: the run is over. */
int emu_sync_cta_ends(emu_cta *cta);
void emu_sync_cluster_ends(emu_machine *m, emu_cluster *cluster);

/* Groups of one lane. kind: emu_async_kind (bulk and tensor copies share one). Work without a group
 * is added to the open one by emu_group_add() (0; or -1: no memory, the run is stopped); commit
 * closes it; a wait for at most `pending` committed groups is over when older ones are complete
 * (reads: their sources are read). wgmma's groups are those of the warp (lane 0 holds them). */
int emu_group_add(emu_async *a);
emu_step emu_group_commit(emu_warp *w, const emu_instruction *in, uint32_t mask,
                          emu_async_kind kind);
/* The same where there is something to commit. */
emu_step emu_group_close(emu_warp *w, uint32_t mask, emu_async_kind kind);
/* EMU_NEXT, with order_acquire() done; or EMU_BLOCKED. */
emu_step emu_group_wait(emu_warp *w, const emu_instruction *in, uint32_t mask, emu_async_kind kind,
                        uint32_t pending, int reads_only);
/* async.c's: a stage of a piece is done. */
void emu_group_read(emu_async *a);
void emu_group_complete(emu_async *a);
void emu_groups_end(emu_warp *w);
/* What all copies of a lane's cp.async did that are complete: for cp.async.mbarrier.arrive. */
const emu_sync *emu_group_copied(const emu_warp *w, uint32_t lane);

/* Threads exit (already taken out of warp->live): barriers that waited for them alone complete. */
void emu_barriers_exited(emu_warp *w, uint32_t mask);
void emu_named_exited(emu_cta *cta); /* barriers.c's part of it */
void emu_barriers_end(emu_cta *cta);
/* How many of *threads have not come to a named barrier in its open phase. */
uint32_t emu_named_missing(const emu_cta *cta, uint32_t number, uint32_t *threads);
/* Whether that phase has a count of threads: those who exit are in it. */
int emu_named_counts(const emu_cta *cta, uint32_t number);
/* The operand that names the barrier. */
const emu_operand *emu_named_number(const emu_instruction *in);

/* Who arrived from another CTA; in: null: nobody. */
typedef struct emu_arrival {
    const emu_instruction *in;
    uint32_t cta, thread;
} emu_arrival;

/* mbarriers: by CTA and offset. What they do is tma/barrier.h's. */
#define EMU_TOLD 4u

typedef struct emu_mbarrier {
    tma_barrier state;
    uint32_t offset;
    uint64_t phase;           /* that is open, from 0 */
    uint64_t completed_at;    /* instructions when the last one was completed; 0: none was */
    emu_sync open, done;      /* arrivals of the open phase; what the last complete one orders */
    emu_arrival far, was_far; /* one in the open phase; in the last complete one */
    /* What was expected of the open phase and what came of it in all, and the last to do so. */
    uint64_t expected_B, came_B;
    const emu_instruction *expects_in, *brings_in;
    /* Instructions that told it since its initialisation, those first executed; more: others. */
    const emu_instruction *told_in[EMU_TOLD];
    uint8_t told_more;
    uint32_t init_row; /* PTX_NONE: never initialised */
    uint8_t is_valid;
    uint8_t next_issuer;
    /* Threads (address of the warp + lane) whose copies tell it: each is held against the
     * barrier's initialisation once, what it issues later comes after that. */
    uintptr_t issuer[4];
} emu_mbarrier;

/* The barrier of an initialised address; null: there is none there. */
emu_mbarrier *emu_mbarrier_at(emu_cta *cta, uint32_t offset);
/* The barrier that a lane's operand names, and where it lies; null: there is none, which is
 * reported, and the run is stopped. */
emu_mbarrier *emu_mbarrier_of(emu_warp *w, const emu_instruction *in, uint32_t lane,
                              const emu_operand *o, uint32_t space, emu_place *place);
/* An operation of thread or copy on it: 0, its phase may be complete then; -1: the kernel dies of
 * it. */
int emu_mbarrier_apply(emu_warp *w, uint32_t lane, const emu_instruction *in, emu_mbarrier *b,
                       tma_barrier_operation operation, uint32_t count, uint32_t bytes_B);
void emu_mbarriers_end(emu_cta *cta);
/* A copy's bytes come: complete_tx by asynchronous work, if it tells a barrier. -1: the run is over
 * (a death). */
int emu_mbarrier_complete(emu_async *a);
/* One arrival by asynchronous work that tells `known`: tcgen05.commit. -1: as above. */
int emu_mbarrier_arrive(emu_async *a, const emu_sync *known);

#endif
