/* SPDX-License-Identifier: Apache-2.0
 *
 * What a device makes of an address that is none of the instruction's space.
 */
#ifndef EMULATOR_PLACES_ODD_H
#define EMULATOR_PLACES_ODD_H

#include "machine.h"
#include "tma/text.h"

/* Beside emu_space: where an address lies that lies in no memory. */
enum { EMU_ODD_SYSTEM = EMU_SPACES, EMU_ODD_ELSEWHERE, EMU_ODD_ANYWHERE };

#define EMU_ODD_TRAP (-1)

typedef struct emu_odd {
    uint16_t op;
    uint8_t space, where;
    int16_t error; /* CUresult; 0: none */
} emu_odd;

/* The row of places_odd.def; null: the instruction takes such an address, or no row is. */
const emu_odd *emu_odd_of(const emu_instruction *in, uint32_t where);

/* The same of a place in memory. */
static inline const emu_odd *emu_odd_place(const emu_instruction *in, uint32_t space) {
    return in->spaces && in->space[0] != space ? emu_odd_of(in, space) : NULL;
}

/* What the device does, behind what is wrong; null: nothing is put. */
void emu_put_odd(tma_out *out, const emu_odd *odd);

/* Bytes that are 0, of a lane. */
emu_place emu_odd_zeros(const emu_warp *w, uint32_t lane);

#endif
