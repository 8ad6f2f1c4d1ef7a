/* SPDX-License-Identifier: Apache-2.0
 *
 * alloca, stacksave, stackrestore.
 */
#include "access.h"
#include "control.h"
#include "run_report.h"
#include "stack.h"
#include "threads.h"

#define ALIGN_B 8u /* where alloca names none */

static emu_step run_alloca(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    uint64_t value[EMU_LANES] = {0};
    EMU_FOR_LANES(lane, mask) {
        const uint64_t align_B =
            in->operands > 2 ? emu_lane_value(w, &in->operand[2], lane) : ALIGN_B;
        if (!align_B || align_B & (align_B - 1) || align_B > EMU_STACK_FIRST) {
            return emu_stop(w->machine, TMA_EMULATE_NOT_EXECUTED, w, in,
                            "alloca's alignment is no power of two up to 2^31");
        }
        value[lane] =
            emu_stack_grow(w, in, lane, emu_lane_value(w, &in->operand[1], lane), align_B);
        if (!value[lane]) {
            return EMU_STOPPED;
        }
    }
    control_put(w, &in->operand[0], mask, value);
    return EMU_NEXT;
}

emu_run emu_choose_alloca(const emu_instruction *in) {
    return in->operands > 2 && !in->operand[2].constant ? NULL : run_alloca;
}

/* ---- stacksave, stackrestore ---- */

static emu_step run_save(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    uint64_t value[EMU_LANES] = {0};
    EMU_FOR_LANES(lane, mask) {
        value[lane] = emu_stack_end(w, lane);
    }
    control_put(w, &in->operand[0], mask, value);
    return EMU_NEXT;
}

emu_run emu_choose_stacksave(const emu_instruction *in) {
    (void)in;
    return run_save;
}

static emu_step run_restore(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    EMU_FOR_LANES(lane, mask) {
        emu_stack_cut(w, lane, emu_lane_value(w, &in->operand[0], lane));
    }
    return EMU_NEXT;
}

emu_run emu_choose_stackrestore(const emu_instruction *in) {
    return in->operands == 1 && in->operand[0].kind == EMU_REGISTER ? run_restore : NULL;
}
