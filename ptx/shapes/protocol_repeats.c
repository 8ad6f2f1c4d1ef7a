/* SPDX-License-Identifier: Apache-2.0
 *
 * store-reuse: a loop stores the same place in each turn, writes it between, and waits for no
 * group. All of it is "may".
 */
#include "protocol_shapes.h"

typedef struct repeater {
    ptx_protocol *p;
    const ptx_act *store;
    uint8_t *ahead;  /* by block: it leads to the store in the same turn */
    uint8_t *behind; /* by block: the store leads there in the same turn */
    uint32_t said;   /* a loop + 1: once of each */
} repeater;

static int is_in_loop(const repeater *r, const ptx_act *a, uint32_t loop) {
    return ptx_block_in_loop(r->p->v->g, ptx_act_block(r->p, a), loop);
}

/* Whether an act comes before the store in one turn, on some way. */
static int is_before(const repeater *r, const ptx_act *a) {
    const uint32_t block = ptx_act_block(r->p, a);
    return block == ptx_act_block(r->p, r->store) ? a < r->store : r->ahead[block];
}

/* Whether a thread that stores may come to a wait in the same turn. */
static int has_wait(const repeater *r, uint32_t loop) {
    for (uint32_t i = 0; i < r->p->acts; i++) {
        const ptx_act *a = &r->p->act[i];
        const uint32_t block = ptx_act_block(r->p, a);
        if (a->kind == PTX_ACT_WAIT_GROUP && is_in_loop(r, a, loop) &&
            (r->ahead[block] || r->behind[block])) {
            return 1;
        }
    }
    return 0;
}

/* A write of the turn to what is stored, with a fence behind it; or NULL. */
static const ptx_act *write_before(const repeater *r, uint32_t loop) {
    const ptx_act *write = NULL;
    int is_fenced = 0;
    for (uint32_t i = 0; i < r->p->acts; i++) {
        const ptx_act *a = &r->p->act[i];
        if (!is_in_loop(r, a, loop) || !is_before(r, a)) {
            continue;
        }
        is_fenced |= a->kind == PTX_ACT_FENCE_ASYNC;
        if (a->kind == PTX_ACT_WRITE && !write &&
            ptx_acts_overlap(r->p, a, r->store) != PTX_APART) {
            write = a;
        }
    }
    return is_fenced ? write : NULL;
}

static void check_store(repeater *r, const ptx_act *store) {
    ptx_protocol *p = r->p;
    const uint32_t loop = ptx_act_loop(p, store);
    if (loop == PTX_NONE || loop + 1 == r->said || store->at == PTX_UNKNOWN ||
        ptx_value_moves(p, store->at, loop) || ptx_act_is_said(p, store, PTX_RULE_STORE_REUSE)) {
        return;
    }
    r->store = store;
    ptx_blocks_in_turn(p, r->behind, ptx_act_block(p, store), loop, 0);
    ptx_blocks_in_turn(p, r->ahead, ptx_act_block(p, store), loop, 1);
    const ptx_act *write = has_wait(r, loop) ? NULL : write_before(r, loop);
    if (write) {
        r->said = loop + 1;
        ptx_protocol_say(
            p, PTX_RULE_STORE_REUSE, 0, store, write,
            "stores the same place in each turn of the loop at line %d, line %d writes there "
            "before, and no wait_group stands in a turn that comes by here: what the turn before "
            "stores may still be read when it is written (whether the loop has another turn is "
            "not known). Put cp.async.bulk.wait_group.read 0 before the write, and a barrier of "
            "threads behind it",
            ptx_loop_line(p, loop), ptx_act_line(p, write));
    }
}

void ptx_repeats_check(ptx_protocol *p) {
    const size_t nodes = (size_t)p->v->g->nodes + 1;
    repeater r = {.p = p};
    if (!p->many[PTX_ACT_STORE] || !p->many[PTX_ACT_WRITE] || p->many[PTX_ACT_CALL] ||
        !ptx_can_judge(p, PTX_BUDGET_REPEATS,
                       (uint64_t)p->many[PTX_ACT_STORE] * (p->acts + nodes))) {
        return;
    }
    r.ahead = ptx_memory_take(p->memory, nodes, 1);
    r.behind = ptx_memory_take(p->memory, nodes, 1);
    for (uint32_t i = 0; r.ahead && r.behind && i < p->acts; i++) {
        if (p->act[i].kind == PTX_ACT_STORE) {
            check_store(&r, &p->act[i]);
        }
    }
}
