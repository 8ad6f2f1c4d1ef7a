/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions that hold where ways meet, as they hold on each of them.
 */
#include "ptx_protocol.h"

#define MOST_MET    4 /* ways that meet */
#define MOST_ON_WAY 8 /* conditions of one of them */

int ptx_conditions_same(const ptx_condition *a, const ptx_condition *b) {
    return a->key != PTX_UNKNOWN && a->key == b->key && a->is_equal == b->is_equal &&
           a->number == b->number && a->holds == b->holds;
}

/* The i-th condition of a way from one block to another, up to the guard `up`: its branch's, the
 * branch's parts, and the block's. 0: there are no more. */
static int condition_on_way(const ptx_protocol *p, uint32_t from, uint32_t to, uint32_t up,
                            uint32_t i, ptx_condition *out) {
    const ptx_graph *g = p->v->g;
    const ptx_node *n = &g->node[from];
    ptx_condition is = p->branch[from];
    ptx_condition part[2];
    is.holds ^= (uint8_t)(n->outs == 2 && g->out[n->first_out] != to);
    const uint32_t parts = is.key == PTX_UNKNOWN ? 0 : ptx_condition_parts(p, &is, part);
    if (i < 3) {
        *out = !i ? is : i <= parts ? part[i - 1] : (ptx_condition){.key = PTX_UNKNOWN};
        return 1;
    }
    uint32_t guard = p->guard_of[from];
    for (; i > 3 && guard != up && guard != PTX_NONE; i--) {
        guard = p->guard[guard].up;
    }
    if (guard == up || guard == PTX_NONE) {
        return 0;
    }
    *out = p->guard[guard].is;
    return 1;
}

static int has_on_way(const ptx_protocol *p, uint32_t from, uint32_t to, uint32_t up,
                      const ptx_condition *wanted) {
    ptx_condition c;
    for (uint32_t i = 0; i < MOST_ON_WAY && condition_on_way(p, from, to, up, i, &c); i++) {
        if (ptx_conditions_same(&c, wanted)) {
            return 1;
        }
    }
    return 0;
}

/* Where ways meet, what tells threads apart on each of them: "if (x == 0 && more) {...} if (x == 0)
 * ..." leads from the first part to the second one at once. */
uint32_t ptx_guards_met(ptx_protocol *p, uint32_t block, uint32_t up) {
    const ptx_graph *g = p->v->g;
    const ptx_node *n = &g->node[block];
    uint32_t way[MOST_MET];
    uint32_t ways = 0;
    for (uint32_t i = 0; i < n->ins; i++) {
        const uint32_t from = g->in[n->first_in + i];
        if (g->node[from].order == PTX_NONE || ptx_dominates(g, block, from)) {
            continue;
        }
        if (ways == MOST_MET) {
            return up;
        }
        way[ways++] = from;
    }
    ptx_condition c;
    uint32_t out = up;
    for (uint32_t i = 0;
         i < MOST_ON_WAY && ways > 1 && condition_on_way(p, way[0], block, up, i, &c); i++) {
        int all = c.key != PTX_UNKNOWN && ptx_condition_hangs(p, &c) != PTX_HANGS_UNIFORM &&
                  ptx_condition_hangs(p, &c) != PTX_HANGS_OTHER;
        for (uint32_t k = 1; k < ways && all; k++) {
            all = has_on_way(p, way[k], block, up, &c);
        }
        if (all) {
            PTX_APPEND(p, guard, guards, (ptx_guard){out, c});
            out = p->memory->failed ? out : p->guards - 1;
        }
    }
    return out;
}
