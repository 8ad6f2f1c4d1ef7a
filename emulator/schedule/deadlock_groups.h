/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that wait at a deadlock, in groups, and which group waits because another does.
 */
#ifndef EMULATOR_DEADLOCK_GROUPS_H
#define EMULATOR_DEADLOCK_GROUPS_H

#include "async.h"
#include "machine.h"

#define EMU_NO_CAUSE UINT32_MAX

/* Threads of a CTA that wait at one instruction for one thing. */
typedef struct emu_waiting {
    const emu_instruction *in;
    emu_cta *cta;
    uint64_t number;         /* mbarrier: shared address; named barrier: number */
    uint8_t wait;            /* emu_wait_kind; EMU_RUNS: they poll */
    uint32_t threads, first; /* how many; the first of them */
    uint32_t cause;          /* the group that it waits because of; EMU_NO_CAUSE: none is known */
    struct emu_ahead_set *ahead; /* deadlock_ahead.h's, once asked for */
} emu_waiting;

/* What one fragment waits for, as a group of its own; and whether two wait for the same there. */
emu_waiting emu_wait_of(emu_warp *w, const emu_fragment *f);
int emu_waits_alike(const emu_waiting *a, const emu_waiting *b);

/* All groups, those of a cluster together; null where there is no memory. emu_give() takes them. */
emu_waiting *emu_waiting_groups(emu_machine *m, uint32_t *groups);

/* The mbarrier that a group waits at, or null. */
emu_mbarrier *emu_waited_for(const emu_waiting *g);
/* Whether its phase has begun and not ended: what it lacks is a cause, not what follows of another.
 */
int emu_is_begun(const emu_waiting *g);

/* Sets the causes of groups: deadlock_follows.c. */
void emu_waiting_causes(emu_machine *m, emu_waiting *group, uint32_t groups);

#endif
