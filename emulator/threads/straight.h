/* SPDX-License-Identifier: Apache-2.0
 *
 * Straight runs: instructions that compute (P of operations.def) and follow each other without a
 * guard or a place that lanes may come to. What is asked between instructions is asked once before
 * them: none of them changes it.
 */
#ifndef EMULATOR_STRAIGHT_H
#define EMULATOR_STRAIGHT_H

#include "machine.h"

/* One instruction; of a run the first has all but `head`. */
typedef struct emu_straight {
    uint32_t head;          /* the run's first instruction, or itself */
    uint32_t length;        /* of the run that begins here; 0: none does */
    uint32_t executed;      /* how often the whole run was; saturates */
    uint32_t first;         /* machine->straight_slot: registers read before the run writes them, */
    uint16_t reads, writes; /* then those written */
} emu_straight;

/* Reads the program's instructions, behind emu_undefined_begin(); -1: no memory. */
int emu_straight_begin(emu_machine *m);

/* How often an instruction was executed. */
uint32_t emu_executed(const emu_machine *m, uint32_t instruction);

/* Whether the lanes of `mask` have a value in all that the run reads. */
static inline int emu_straight_has_values(const emu_warp *w, const emu_straight *s, uint32_t mask) {
    const int32_t *slot = w->machine->straight_slot + s->first;
    const uint32_t *undefined = w->now->frame->undefined;
    for (uint32_t i = 0; i < s->reads; i++) {
        if (undefined[slot[i]] & mask) {
            return 0;
        }
    }
    return 1;
}

/* All that the run writes has a value then. */
static inline void emu_straight_gives_values(const emu_warp *w, const emu_straight *s,
                                             uint32_t mask) {
    const int32_t *slot = w->machine->straight_slot + s->first + s->reads;
    uint32_t *undefined = w->now->frame->undefined;
    for (uint32_t i = 0; i < s->writes; i++) {
        undefined[slot[i]] &= ~mask;
    }
}

#endif
