/* SPDX-License-Identifier: Apache-2.0
 *
 * Whose threads may end whose wait, at once or through others. At an mbarrier it is those that have
 * an instruction before them that told it before; where nobody has, that may tell it. What reads
 * memory may wait for anybody.
 */
#include "deadlock_needs.h"

/* Whether a fragment of a group lies in a warp in which one of the other waits. */
static int shares_warp(const emu_waiting *g, const emu_waiting *other) {
    for (uint32_t i = 0; i < g->cta->warps && g->cta == other->cta; i++) {
        emu_warp *w = &g->cta->warp[i];
        int has_g = 0, has_other = 0;
        for (const emu_fragment *f = w->fragments; f; f = f->next) {
            const emu_waiting one = emu_wait_of(w, f);
            has_g |= emu_waits_alike(&one, g);
            has_other |= emu_waits_alike(&one, other);
        }
        if (has_g && has_other) {
            return 1;
        }
    }
    return 0;
}

static int may_end(emu_ahead *a, const emu_waiting *g, emu_waiting *by) {
    switch (g->wait) {
    case EMU_WAITS_MBARRIER:
        return emu_tells_again(a, by, g);
    case EMU_WAITS_BARRIER:
        return by->cta == g->cta && emu_may_come(a, by, g->number);
    case EMU_WAITS_CLUSTER:
        return by->wait != EMU_WAITS_CLUSTER;
    case EMU_WAITS_CONVERGE:
        return shares_warp(g, by);
    default:
        return 1;
    }
}

static void look_at(emu_ahead *a, emu_waiting *group, uint32_t groups, uint32_t i,
                    emu_needs *needs) {
    int any = 0;
    for (uint32_t k = 0; k < groups; k++) {
        needs->of[i][k] = (uint8_t)(i != k && may_end(a, &group[i], &group[k]));
        any |= needs->of[i][k];
    }
    for (uint32_t k = 0; !any && group[i].wait == EMU_WAITS_MBARRIER && k < groups; k++) {
        needs->of[i][k] = (uint8_t)(i != k && emu_may_tell(a, &group[k], &group[i]));
    }
}

void emu_needs_of(emu_ahead *a, emu_waiting *group, uint32_t groups, emu_needs *needs) {
    for (uint32_t i = 0; i < groups; i++) {
        look_at(a, group, groups, i, needs);
    }
    for (uint32_t through = 0; through < groups; through++) {
        for (uint32_t i = 0; i < groups; i++) {
            for (uint32_t k = 0; needs->of[i][through] && k < groups; k++) {
                needs->of[i][k] |= needs->of[through][k];
            }
        }
    }
}

int emu_is_cycle(const emu_needs *needs, uint32_t i, uint32_t k) {
    return needs->of[i][k] && needs->of[k][i];
}

int emu_is_upstream(const emu_needs *needs, uint32_t i, uint32_t k) {
    return needs->of[i][k] && !needs->of[k][i];
}
