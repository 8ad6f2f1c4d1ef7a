/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of a run that is given back piece by piece (CTAs, copies, clocks): from the caller's
 * allocate(), counted against most_memory_B.
 */
#ifndef EMULATOR_HEAP_H
#define EMULATOR_HEAP_H

#include "machine.h"

#define MOST_MEMORY_B (UINT64_C(8) << 30) /* where the launch has no most_memory_B */

/* Zeroed, aligned to 16 bytes, and as fast as a list's head for sizes that were given back before.
 * Null: there is no more, and the run is stopped (TMA_EMULATE_LIMIT). */
void *emu_take(emu_machine *m, size_t size_B);
void emu_give(emu_machine *m, void *taken); /* null: nothing */

/* All that was taken and not given, and all that was kept. */
void emu_heap_end(emu_machine *m);

#endif
