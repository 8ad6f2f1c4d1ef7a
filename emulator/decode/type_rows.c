/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

static const emu_type_traits TRAITS[EMU_TYPES] = {
    [EMU_NO_TYPE] = {"", 0, 0, 0},
#define EMU_TYPE(id, word, bits, kind, elements) [EMU_##id] = {word, bits, kind, elements},
#include "types.def"
};

const emu_type_traits *emu_type_of(uint32_t type) {
    return &TRAITS[type < EMU_TYPES ? type : EMU_NO_TYPE];
}
