/* SPDX-License-Identifier: Apache-2.0
 *
 * mov and its kin: control*.c.
 */
#ifndef EMULATOR_CONTROL_H
#define EMULATOR_CONTROL_H

#include "machine.h"

/* Results of lanes where a mask has them, as wide as the register is. */
void control_put(const emu_warp *w, const emu_operand *o, uint32_t mask,
                 const uint64_t value[EMU_LANES]);

/* mov from a special register: control_special.c. */
emu_run control_choose_special(const emu_instruction *in);
/* Whether it is one that tells the time. */
int control_is_time(const emu_instruction *in);

/* operations_control.def. */
emu_run emu_choose_mov(const emu_instruction *in);
emu_run emu_choose_cvta(const emu_instruction *in);
emu_run emu_choose_isspacep(const emu_instruction *in);
emu_run emu_choose_mapa(const emu_instruction *in);
emu_run emu_choose_getctarank(const emu_instruction *in);

#endif
