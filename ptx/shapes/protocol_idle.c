/* SPDX-License-Identifier: Apache-2.0
 *
 * proxy-store: bytes that are written before a loop and stored behind it, where the only fences
 * between stand in loops that may have no turn (an empty sequence). All of it is "may".
 */
#include <string.h>

#include "protocol_shapes.h"

typedef struct idler {
    ptx_protocol *p;
    const ptx_act *write, *store;
    uint8_t *comes; /* by block: a way from the write leads there past no fence, in one turn */
    uint8_t *leads; /* by block: in the same turn a way leads from there to the store */
} idler;

/* Whether a loop around an act has neither the write nor the store in it, and may have no turn. */
static int may_be_idle(const idler *r, const ptx_act *fence) {
    const ptx_graph *g = r->p->v->g;
    for (uint32_t loop = ptx_act_loop(r->p, fence); loop != PTX_NONE; loop = g->loop[loop].parent) {
        if (ptx_block_in_loop(g, ptx_act_block(r->p, r->store), loop) ||
            ptx_block_in_loop(g, ptx_act_block(r->p, r->write), loop)) {
            return 0;
        }
        if (!ptx_loop_begins(r->p, loop)) {
            return 1;
        }
    }
    return 0;
}

/* Whether a fence stands in a block from an act on, up to another one. */
static int has_fence(const ptx_protocol *p, uint32_t from, uint32_t end) {
    uint32_t i = from;
    while (i < end && p->act[i].kind != PTX_ACT_FENCE_ASYNC && p->act[i].kind != PTX_ACT_CALL) {
        i++;
    }
    return i < end;
}

/* Whether some way from the write to the store in one turn comes past no fence. */
static int comes_bare(const idler *r) {
    const ptx_protocol *p = r->p;
    const ptx_graph *g = p->v->g;
    const uint32_t from = ptx_act_block(p, r->write);
    const uint32_t to = ptx_act_block(p, r->store);
    memset(r->comes, 0, g->nodes);
    r->comes[from] = 1;
    for (uint32_t i = g->node[from].order; i <= g->node[to].order; i++) {
        const uint32_t block = g->ordered[i];
        const uint32_t begin = block == from ? (uint32_t)(r->write - p->act) + 1 : p->first[block];
        const uint32_t end = block == to ? (uint32_t)(r->store - p->act) : p->first[block + 1];
        if (!r->comes[block] || has_fence(p, begin, end)) {
            continue;
        }
        if (block == to) {
            return 1;
        }
        for (uint32_t k = 0; k < g->node[block].outs; k++) {
            const uint32_t next = g->out[g->node[block].first_out + k];
            const ptx_condition *c = &p->branch[block];
            const int is_uniform =
                c->key != PTX_UNKNOWN && ptx_condition_hangs(p, c) == PTX_HANGS_UNIFORM;
            r->comes[next] |= (uint8_t)(g->node[next].order > i &&
                                        (!is_uniform || ptx_act_takes_way(p, r->store, block, k)));
        }
    }
    return 0;
}

/* A fence in a loop that may be idle, of those between; NULL: there is none, or another one. */
static const ptx_act *idle_fence(const idler *r) {
    const ptx_protocol *p = r->p;
    const ptx_graph *g = p->v->g;
    const ptx_act *idle = NULL;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (a->kind == PTX_ACT_FENCE_ASYNC && r->leads[ptx_act_block(p, a)] &&
            g->node[ptx_act_block(p, a)].order >= g->node[ptx_act_block(p, r->write)].order) {
            if (!may_be_idle(r, a)) {
                return NULL;
            }
            idle = a;
        }
    }
    return idle;
}

static int check(idler *r) {
    ptx_protocol *p = r->p;
    const ptx_act *fence = idle_fence(r);
    if (!fence || ptx_acts_overlap(p, r->write, r->store) != PTX_OVERLAPS || !comes_bare(r)) {
        return 0;
    }
    const int line = ptx_act_line(p, r->write);
    ptx_protocol_say(
        p, PTX_RULE_PROXY_STORE, 0, r->store, r->write,
        "may read shared memory as it was before line %d writes it: the "
        "fence.proxy.async between (line %d) stands in a loop (line %d), and none on a "
        "way on which that loop has no turn (whether there is such a way is not "
        "known). Put fence.proxy.async.shared::cta behind line %d, in each thread "
        "that writes, before the barrier",
        line, ptx_act_line(p, fence), ptx_loop_line(p, ptx_act_loop(p, fence)), line);
    return 1;
}

void ptx_idle_check(ptx_protocol *p) {
    const size_t nodes = (size_t)p->v->g->nodes + 1;
    idler r = {.p = p};
    int said = !p->many[PTX_ACT_FENCE_ASYNC] || p->many[PTX_ACT_CALL] ||
               !ptx_can_judge(p, PTX_BUDGET_IDLE,
                              (uint64_t)p->many[PTX_ACT_STORE] * p->many[PTX_ACT_WRITE] * nodes);
    r.comes = said ? NULL : ptx_memory_take(p->memory, nodes, 1);
    r.leads = said ? NULL : ptx_memory_take(p->memory, nodes, 1);
    for (uint32_t i = 0; r.comes && r.leads && i < p->acts && !said; i++) {
        r.store = &p->act[i];
        if (r.store->kind != PTX_ACT_STORE || ptx_act_is_said(p, r.store, PTX_RULE_PROXY_STORE)) {
            continue;
        }
        ptx_blocks_in_turn(p, r.leads, ptx_act_block(p, r.store), ptx_act_loop(p, r.store), 1);
        for (uint32_t k = 0; k < p->acts && !said; k++) {
            r.write = &p->act[k];
            said =
                r.write->kind == PTX_ACT_WRITE && r.leads[ptx_act_block(p, r.write)] && check(&r);
        }
    }
}
