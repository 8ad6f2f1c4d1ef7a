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
/* Issues it: order_issue(), the queue; early schedules complete it at once. */
void emu_async_issue(emu_async *a);
/* One stage of the oldest (late) or any (seeded) work that may go on; 0: there is none. */
int emu_async_advance(emu_machine *m);
/* The same for one piece, until it is complete. */
int emu_async_finish(emu_machine *m, emu_async *a);
/* Those that touch or tell a CTA, while it ends. */
int emu_async_of_cta(const emu_machine *m, const emu_cta *cta);

/* Groups of one lane. kind: emu_async_kind (bulk and tensor copies share one). Work without a group
 * is added to the open one by emu_group_add(); commit closes it; a wait for at most `pending`
 * committed groups is over when older ones are complete (reads: their sources are read). wgmma's
 * groups are those of the warp (lane 0 holds them). */
void emu_group_add(emu_async *a);
void emu_group_commit(emu_warp *w, const emu_instruction *in, uint32_t mask, emu_async_kind kind);
/* EMU_NEXT, with order_acquire() done; or EMU_BLOCKED. */
emu_step emu_group_wait(emu_warp *w, const emu_instruction *in, uint32_t mask, emu_async_kind kind,
                        uint32_t pending, int reads_only);

/* mbarriers: by CTA and offset. What they do is tma/barrier.h's. */
typedef struct emu_mbarrier {
    tma_barrier state;
    uint32_t offset;
    uint64_t phase;      /* that is open, from 0 */
    emu_sync open, done; /* arrivals of the open phase; what the last complete one orders */
    uint32_t init_row;   /* PTX_NONE: never initialised */
    uint8_t is_valid;
} emu_mbarrier;

/* The barrier of an initialised address; null: there is none there. */
emu_mbarrier *emu_mbarrier_at(emu_cta *cta, uint32_t offset);
/* A copy's bytes come: complete_tx by asynchronous work. -1: the run is over (a death). */
int emu_mbarrier_complete(emu_async *a);

#endif
