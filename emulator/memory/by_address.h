/* SPDX-License-Identifier: Apache-2.0
 *
 * Pieces of memory in the order of their addresses.
 */
#ifndef EMULATOR_BY_ADDRESS_H
#define EMULATOR_BY_ADDRESS_H

#include <stdint.h>

typedef struct emu_piece {
    uint64_t address, size_B;
    uint32_t index; /* of its owner's list */
} emu_piece;

/* Of one address the lower index comes first. In place, count * log(count) steps. */
void emu_sort_pieces(emu_piece *piece, uint32_t count);

/* Of sorted pieces: the first that lies over the next one, with that behind it; null: none does. */
const emu_piece *emu_overlap(const emu_piece *piece, uint32_t count);

/* Of sorted pieces: how many begin below an address. */
uint32_t emu_pieces_below(const emu_piece *piece, uint32_t count, uint64_t address);

#endif
