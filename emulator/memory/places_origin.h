/* SPDX-License-Identifier: Apache-2.0
 *
 * Where an address came from that lies nowhere.
 */
#ifndef EMULATOR_PLACES_ORIGIN_H
#define EMULATOR_PLACES_ORIGIN_H

#include "machine.h"
#include "tma/text.h"

/* Says of a global address at which nothing lies from which variable it came, and what is missing:
 * nothing where the address is a parameter's value. 0: it is not known, and nothing is said. */
int emu_say_origin(tma_out *out, tma_out *missing, const emu_warp *w, const emu_instruction *in,
                   uint32_t lane, uint64_t address);

/* That no memory lies at an address or below, and which one begins shortly behind it. */
void emu_put_nowhere(tma_out *out, const emu_machine *m, uint64_t address);

#endif
