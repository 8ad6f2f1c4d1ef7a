/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"
#include "run_report.h"
#include "threads.h"
#include "warp.h"

static void report_alien(emu_warp *w, const emu_instruction *in, uint32_t lane) {
    const emu_who who = {.in = in, .cta = w->cta->index, .thread = w->index * EMU_LANES + lane};
    emu_report(w->machine, TMA_EMULATE_RULE_DIVERGENCE, 1, &who, NULL,
               "a lane executes it that its member mask does not name", NULL);
}

emu_step warp_together(emu_warp *w, const emu_instruction *in, uint32_t mask, uint32_t operand,
                       warp_act act) {
    const uint32_t *members = emu_u32(w, &in->operand[operand]);
    uint32_t named = 0;
    EMU_FOR_LANES(lane, mask) {
        named |= members[lane];
    }
    const emu_step step = emu_together(w, in, &mask, named);
    if (step != EMU_NEXT) {
        return step;
    }
    while (mask) {
        const uint32_t same = members[__builtin_ctz(mask)];
        uint32_t lanes = 0;
        EMU_FOR_LANES(lane, mask) {
            lanes |= members[lane] == same ? (uint32_t)1 << lane : 0;
        }
        if (lanes & ~same) {
            report_alien(w, in, (uint32_t)__builtin_ctz(lanes & ~same));
        }
        act(w, in, lanes, same);
        order_meet(w, lanes);
        mask &= ~lanes;
    }
    return EMU_NEXT;
}
