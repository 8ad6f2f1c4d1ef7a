/* SPDX-License-Identifier: Apache-2.0
 *
 * setmaxnreg: registers are not counted, PTX has no counts. But all warps of a warpgroup execute
 * the same ones.
 */
#include "run_report.h"
#include "threads.h"

#define WARPGROUP 4

static emu_step run(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_step step = emu_all_together(w, in, &mask);
    if (step == EMU_NEXT) {
        w->resized++;
        w->resized_in = in;
    }
    return step;
}

emu_run emu_choose_registers(const emu_instruction *in) {
    (void)in;
    return run;
}

static void report(emu_warp *does, const emu_warp * not ) {
    const emu_who who = {.in = does->resized_in,
                         .cta = does->cta->index,
                         .thread = does->index * EMU_LANES,
                         .what = "setmaxnreg"};
    const emu_who other = {.in = not ->resized_in,
                           .cta = not ->cta->index,
                           .thread = not ->index * EMU_LANES,
                           .what = "setmaxnreg"};
    emu_report(does->machine, TMA_EMULATE_RULE_DIVERGENCE, 1, &who,
               not ->resized_in ? &other : NULL,
               "two warps of a warpgroup do not execute the same setmaxnreg: undefined",
               "the same setmaxnreg in all four warps of the warpgroup");
}

void emu_registers_end(emu_cta *cta) {
    for (uint32_t i = 0; i + WARPGROUP <= cta->warps; i += WARPGROUP) {
        for (uint32_t k = 1; k < WARPGROUP; k++) {
            emu_warp *a = &cta->warp[i], *b = &cta->warp[i + k];
            if (a->resized != b->resized || a->resized_in != b->resized_in) {
                report(a->resized < b->resized ? b : a, a->resized < b->resized ? a : b);
                break;
            }
        }
    }
}
