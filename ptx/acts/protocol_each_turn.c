/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether some thread comes to a block in each turn of a loop; and which block ends each turn.
 */
#include "ptx_protocol.h"

/* Whether the condition behind a block tells threads apart, or is the same in all turns of a loop:
 * who meets it once does so in each turn. */
static int is_steady(const ptx_protocol *p, uint32_t block, uint32_t loop) {
    const ptx_condition *c = &p->branch[block];
    const ptx_form *f = &p->v->forms.form[c->key];
    int varies = c->key == PTX_UNKNOWN;
    for (uint32_t i = 0; i < f->terms && !varies; i++) {
        const uint32_t made = p->v->forms.atom[f->term[i].atom].loop;
        varies = made != PTX_NONE && ptx_loop_in_loop(p->v->g, made, loop);
    }
    for (uint8_t holds = 0; varies && holds < 2 && c->key != PTX_UNKNOWN; holds++) {
        ptx_condition side = *c;
        side.holds = holds;
        const ptx_hangs on = ptx_condition_hangs(p, &side);
        varies = on != PTX_HANGS_THREAD && on != PTX_HANGS_ONE_THREAD;
    }
    return !varies;
}

/* Whether a block is a loop of its own, which leads on to what follows. */
static int is_spin(const ptx_graph *g, uint32_t block) {
    const uint32_t *to = &g->out[g->node[block].first_out];
    return g->node[block].outs == 2 && (to[0] == block) != (to[1] == block);
}

static int in_each_turn(const ptx_protocol *p, uint32_t block, uint32_t loop, int past_spins) {
    const ptx_graph *g = p->v->g;
    const uint32_t head = g->loop[loop].head;
    for (;;) {
        int always = 1;
        for (uint32_t i = 0; i < g->node[head].ins; i++) {
            const uint32_t from = g->in[g->node[head].first_in + i];
            always &= g->node[from].order == PTX_NONE || !ptx_block_in_loop(g, from, loop) ||
                      ptx_dominates(g, block, from);
        }
        const uint32_t before = g->node[block].dominator;
        if (always || block == head) {
            return always;
        }
        if (g->node[before].outs > 1 && !(past_spins && is_spin(g, before)) &&
            !is_steady(p, before, loop)) {
            return 0;
        }
        block = before;
    }
}

int ptx_is_in_each_turn(const ptx_protocol *p, uint32_t block, uint32_t loop) {
    return in_each_turn(p, block, loop, 0);
}

int ptx_comes_in_each_turn(const ptx_protocol *p, uint32_t block, uint32_t loop) {
    return in_each_turn(p, block, loop, 1);
}

/* What alone leads back to the head: PTX_NONE, there is none. */
uint32_t ptx_loop_back(const ptx_graph *g, uint32_t loop) {
    const ptx_node *head = &g->node[g->loop[loop].head];
    uint32_t back = PTX_NONE;
    for (uint32_t i = 0; i < head->ins; i++) {
        const uint32_t block = g->in[head->first_in + i];
        if (g->node[block].order != PTX_NONE && ptx_block_in_loop(g, block, loop)) {
            if (back != PTX_NONE) {
                return PTX_NONE;
            }
            back = block;
        }
    }
    return back;
}
