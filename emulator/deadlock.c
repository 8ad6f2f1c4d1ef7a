/* SPDX-License-Identifier: Apache-2.0
 *
 * When no thread can move.
 */
#include "deadlock.h"

#include "report.h"
#include "threads.h"

#define IDLE_ROUNDS 64u /* of a kernel's own time-outs */

emu_look emu_look_of(const emu_instruction *in) {
    static const char HOW[EMU_OPS] = {
#define EMU_OPERATION(id, first, has, may, choose, how, evidence) [EMU_OP_##id] = #how[0],
#include "operations.def"
    };
    const char how = HOW[in->op];
    return how == 'P' || how == 'C' ? EMU_INSIDE : how == 'L' ? EMU_LOOKS : EMU_ACTS;
}

int emu_only_polls(const emu_warp *w, const emu_fragment *f, const emu_turn *turn) {
    (void)w;
    (void)f;
    return !(turn->looks >> EMU_ACTS & 1) && turn->looks >> EMU_LOOKS & 1;
}

static int release_joins(emu_machine *m) {
    int released = 0;
    for (uint64_t i = 0; i < m->residents; i++) {
        emu_cta *cta = m->resident[i];
        for (uint32_t warp = 0; warp < cta->warps; warp++) {
            released |= emu_release_join(&cta->warp[warp]);
        }
    }
    return released;
}

int emu_still(emu_machine *m) {
    if (release_joins(m)) {
        return 1;
    }
    emu_report(m, TMA_EMULATE_RULE_DEADLOCK, 1, NULL, NULL, "no thread can move", NULL);
    emu_stop(m, TMA_EMULATE_DEADLOCK, NULL, NULL, "deadlock: no thread can move");
    return 0;
}
