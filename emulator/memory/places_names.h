/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables and their addresses.
 */
#ifndef EMULATOR_PLACES_NAMES_H
#define EMULATOR_PLACES_NAMES_H

#include "machine.h"
#include "tma/text.h"

/* Where a space's window begins; 0: it has none. */
uint64_t emu_window_of(uint32_t space);
/* The generic address of what an instruction of a space names: 32 bits of a window. Shared memory's
 * may be generic already, whose low half is the same (ThunderKittens' alloc). */
uint64_t emu_generic_of(uint32_t space, uint64_t named);

/* A variable's generic address in lane 0, and how far it is from lane to lane. */
uint64_t emu_variable_address(const emu_warp *w, uint32_t index, uint64_t *step_B);

/* A shared address of a CTA's offset, in its cluster. */
static inline uint32_t emu_shared_address(const emu_cta *cta, uint64_t offset) {
    return (cta->rank << EMU_RANK_SHIFT) + (uint32_t)offset;
}

/* The variable in which a shared address lies and where in it: "full+8", "full+8 of rank 1"; of
 * dynamic shared memory the variable of the kernel that begins there. 0: none does, and nothing is
 * put. And the address with it: "0x408 (full+8)". */
int emu_put_shared_name(tma_out *out, const emu_machine *m, uint32_t shared);
void emu_put_shared(tma_out *out, const emu_machine *m, uint32_t shared);

#endif
