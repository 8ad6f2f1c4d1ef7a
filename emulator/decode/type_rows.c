/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

const emu_type_traits emu_types[EMU_TYPES] = {
    [EMU_NO_TYPE] = {"", 0, 0, 0},
#define EMU_TYPE(id, word, bits, kind, elements) [EMU_##id] = {word, bits, kind, elements},
#include "types.def"
};

#define BITS_4(n) 1u << (n), 2u << (n), 4u << (n), 8u << (n)
const uint32_t emu_lane_bit[EMU_LANES] = {BITS_4(0),  BITS_4(4),  BITS_4(8),  BITS_4(12),
                                          BITS_4(16), BITS_4(20), BITS_4(24), BITS_4(28)};
