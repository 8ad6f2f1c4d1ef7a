/* SPDX-License-Identifier: Apache-2.0
 *
 * What an embedder watches. Where nobody does, each of these is one comparison.
 */
#ifndef EMULATOR_WATCH_H
#define EMULATOR_WATCH_H

#include "machine.h"

static inline int emu_is_watched(const emu_machine *m, tma_emulate_event_kind kind) {
    return (m->launch->watches & (uint32_t)kind) != 0 && m->launch->watch;
}

void emu_watch_instruction(const emu_warp *w, const emu_instruction *in, uint32_t mask);
void emu_watch_access(const emu_warp *w, const emu_instruction *in, uint32_t mask,
                      const emu_place place[EMU_LANES], uint32_t size_B, int reads, int writes);
/* A range of a copy or a wgmma, at its issue. */
void emu_watch_range(const emu_async *a, int reads, int writes, const emu_place *place,
                     uint64_t size_B);
/* A copy is issued (0), has read its sources (1), is complete (2). */
void emu_watch_copy(const emu_async *a, uint32_t stage);
void emu_watch_barrier(const emu_warp *w, const emu_instruction *in, uint32_t lane,
                       uint32_t address, uint64_t phase);

#endif
