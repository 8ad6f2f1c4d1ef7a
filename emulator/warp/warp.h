/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions that lanes of a warp execute together: shuffles, votes, matches, reductions. They
 * exchange values and order nothing.
 */
#ifndef EMULATOR_WARP_H
#define EMULATOR_WARP_H

#include "machine.h"

/* What is done for lanes that came together and name the same members. */
typedef void (*warp_act)(emu_warp *w, const emu_instruction *in, uint32_t lanes, uint32_t members);

/* Waits for all lanes that the member masks (an operand) name, then acts, once for each mask. */
emu_step warp_together(emu_warp *w, const emu_instruction *in, uint32_t mask, uint32_t operand,
                       warp_act act);

emu_run warp_choose_shuffle(const emu_instruction *in);
emu_run warp_choose_vote(const emu_instruction *in);
emu_run warp_choose_match(const emu_instruction *in);
emu_run warp_choose_reduce(const emu_instruction *in);

#endif
