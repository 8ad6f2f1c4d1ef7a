/* SPDX-License-Identifier: Apache-2.0
 *
 * What the copies' files share: memory as the core takes it, barriers that are told.
 */
#ifndef EMULATOR_COPIES_H
#define EMULATOR_COPIES_H

#include "async.h"
#include "places.h"
#include "tma/copy.h"

/* All global memory of a run; a CTA's shared memory. */
static inline tma_global emu_global_of(emu_machine *m) {
    return (tma_global){.resolve = emu_resolve_global, .context = m};
}

static inline tma_window emu_shared_window(const emu_cta *cta) {
    return (tma_window){.address = emu_shared_address(cta, EMU_SHARED_FIRST),
                        .size_B = cta->shared_B - EMU_SHARED_FIRST,
                        .host = cta->shared + EMU_SHARED_FIRST};
}

/* The place of a CTA's offset. */
static inline emu_place emu_place_in(emu_cta *cta, uint64_t offset) {
    return (emu_place){.space = EMU_SHARED_CTA,
                       .cta = cta,
                       .at = offset,
                       .host = cta->shared + offset,
                       .follows_B = cta->shared_B - offset};
}

/* The CTA of a shared address that an operand names, and the address (32 bits); null: it is no
 * shared memory of the cluster, and the run is stopped. */
emu_cta *emu_shared_operand(emu_warp *w, const emu_instruction *in, uint32_t lane,
                            const emu_operand *o, uint32_t space, uint32_t *address);

/* The CTAs of a multicast's mask, one after the other: the next one whose rank is at least *rank,
 * which becomes that; null: no more. A mask beyond the cluster is reported and stops the run: -1.
 */
int emu_check_multicast(emu_warp *w, const emu_instruction *in, uint32_t lane, uint32_t mask);

/* The mbarrier operand of a copy is what it tells, `tx_B` bytes; in another CTA (of a multicast)
 * the one at the same offset there. -1: there is none, and the run is stopped. */
int emu_tells(emu_async *a, const emu_operand *o, emu_cta *of, uint32_t tx_B);

/* Bytes of shared memory that a copy takes to global memory: somebody wrote them, or it is
 * reported. */
void emu_check_source(emu_async *a, const emu_place *place, uint64_t size_B);

/* An instruction issues copies of lanes: which of them are the same copy, each operand alike. */
void emu_issues(emu_warp *w, const emu_instruction *in, uint32_t mask);

/* The mbarrier that it tells, as an access. */
void emu_touches_barrier(emu_async *a);

/* A trap of a copy's: as emu_trap(), and of one that leaves the launch's memory what is nearest. */
emu_step emu_copy_trap(emu_machine *m, const emu_warp *w, uint32_t lane, const emu_instruction *in,
                       const tma_finding *why);

#endif
