/* SPDX-License-Identifier: Apache-2.0
 *
 * What threads that wait at a deadlock still have before them: which instructions they may come to,
 * and which barriers these tell.
 */
#ifndef EMULATOR_DEADLOCK_AHEAD_H
#define EMULATOR_DEADLOCK_AHEAD_H

#include "deadlock_groups.h"

/* Instructions that may come behind one, each asked once. */
typedef struct emu_ahead {
    emu_machine *m;
    struct emu_ahead_of *first;
    uint64_t work;
} emu_ahead;

/* Whether a group's threads may still tell an mbarrier; of null, any. */
int emu_may_tell(emu_ahead *a, emu_waiting *g, const emu_waiting *at);
/* The same by instructions that told it before; where none is known, as above. */
int emu_tells_again(emu_ahead *a, emu_waiting *g, const emu_waiting *at);
/* Whether they may still come to a named barrier. */
int emu_may_come(emu_ahead *a, emu_waiting *g, uint64_t number);
/* So much was looked at that no more is asked: what is not known then stays open. */
int emu_ahead_is_over(const emu_ahead *a);
void emu_ahead_end(emu_ahead *a);

#endif
