/* SPDX-License-Identifier: Apache-2.0
 *
 * What an instruction is to those who wait: the column `how` of its row in operations.def.
 */
#include "deadlock.h"

static char how_of(const emu_instruction *in) {
    static const char HOW[EMU_OPS] = {
#define EMU_OPERATION(id, first, has, may, choose, how, evidence) [EMU_OP_##id] = #how[0],
#include "operations.def"
    };
    return HOW[in->op];
}

int emu_brings_bytes(const emu_instruction *in) {
    return how_of(in) == 'B' && emu_flag(in, EMU_FLAG_COMPLETE_TX_BYTES);
}

int emu_tells_mbarrier(const emu_instruction *in) {
    return how_of(in) == 'T' || emu_brings_bytes(in);
}

/* A call's way back, and what is handed on by it: nobody else sees either. */
static int is_of_call(const emu_program *p, const emu_instruction *in) {
    return in->op == EMU_OP_RET ? !p->function[in->function].is_entry
                                : (in->op == EMU_OP_ST || in->op == EMU_OP_LD) && in->spaces &&
                                      in->space[0] == EMU_PARAM_CALL;
}

emu_look emu_look_of(const emu_program *p, const emu_instruction *in) {
    const char how = how_of(in);
    return how == 'P' || how == 'C' || is_of_call(p, in) ? EMU_INSIDE
           : how == 'L'                                  ? EMU_LOOKS
                                                         : EMU_ACTS;
}

int emu_asks_mbarrier(const emu_instruction *in) {
    return in->op == EMU_OP_MBARRIER_TRY_WAIT || in->op == EMU_OP_MBARRIER_TEST_WAIT;
}
