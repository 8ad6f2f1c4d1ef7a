/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies from shared memory into another CTA's: their source is written again, or its CTA ends,
 * while they may read it; and multicasts into CTAs whose readers tell nobody here that they are
 * done.
 */
#include <string.h>

#include "ptx_protocol.h"

#define LEAST_LOOP_B 1024 /* what moves less stays in one tile */

int ptx_act_may_be_peers(const ptx_protocol *p, const ptx_act *a) {
    static const char *const words[] = {"shared::cluster", "multicast::cluster"};
    const tma_ptx_span name = ptx_step_opcode(p->v->g, a->step);
    int may = (a->traits & (PTX_TO_PEER | PTX_OF_PAIR)) != 0;
    for (size_t i = 0; i < name.length && !may && !(a->traits & PTX_TO_OWN); i++) {
        const tma_ptx_span rest = {name.at + i, name.length - i};
        may = ptx_begins(rest, words[0]) || ptx_begins(rest, words[1]);
    }
    return may;
}

/* --- the source of a copy into another CTA --- */

enum { UNDER_WAY, TOLD, PLANES };

typedef struct send_context {
    uint32_t write[64], end[64]; /* acts + 1 */
} send_context;

/* Whether other CTAs arrive on the barrier that is waited for: they may say that bytes are there.
 */
static int is_told(const ptx_protocol *p, const ptx_act *wait) {
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if ((a->kind == PTX_ACT_ARRIVE || a->kind == PTX_ACT_EXPECT) &&
            ptx_act_may_be_peers(p, a) && ptx_barriers_alike(p, a, wait) != PTX_DIFFERENT) {
            return 1;
        }
    }
    return wait->barrier == PTX_UNKNOWN;
}

static void pass_send(ptx_flood *f, uint32_t act, uint64_t *plane) {
    const ptx_act *a = &f->p->act[act];
    if (a->traits & (PTX_OF_CLUSTER | PTX_OF_MEMORY) ||
        (a->kind == PTX_ACT_AWAIT && is_told(f->p, a))) {
        ptx_flood_move(f, plane, UNDER_WAY, TOLD, UINT64_MAX);
    } else if (a->kind == PTX_ACT_CALL) {
        memset(plane, 0, 2 * (size_t)f->planes * sizeof(*plane));
    }
}

static void hit_send(ptx_flood *f, uint32_t act, const uint64_t *plane) {
    send_context *c = f->context;
    const ptx_act *a = &f->p->act[act];
    const uint64_t bits = ptx_flood_bits(f, plane, UNDER_WAY) & ~ptx_flood_bits(f, plane, TOLD);
    for (uint32_t i = 0; bits && i < f->seeds; i++) {
        const ptx_act *send = &f->p->act[f->seed[i]];
        if (!(bits >> i & 1)) {
            continue;
        }
        if (a->kind == PTX_ACT_END && !c->end[i]) {
            c->end[i] = act + 1;
        } else if (a->kind == PTX_ACT_WRITE && !c->write[i] &&
                   ptx_acts_overlap(f->p, a, send) == PTX_OVERLAPS) {
            c->write[i] = act + 1;
        }
    }
}

static void end_send(ptx_flood *f) {
    const send_context *c = f->context;
    for (uint32_t i = 0; i < f->seeds; i++) {
        const ptx_act *send = &f->p->act[f->seed[i]];
        if (c->write[i]) {
            const ptx_act *write = &f->p->act[c->write[i] - 1];
            ptx_protocol_say(f->p, PTX_RULE_STORE_REUSE, 0, send, write,
                             "line %d writes the shared memory that this copy reads, and nothing "
                             "says that the other CTA has its bytes: no barrier of the cluster and "
                             "no wait for an arrival of that CTA is between (whether it has "
                             "them by then is not known). Put barrier.cluster.arrive and "
                             "barrier.cluster.wait before line %d, or have the other CTA arrive on "
                             "a barrier here when it has waited",
                             ptx_act_line(f->p, write), ptx_act_line(f->p, write));
        }
        if (c->end[i] && !ptx_act_is_said(f->p, send, PTX_RULE_EXIT)) {
            ptx_protocol_say(f->p, PTX_RULE_EXIT, 0, send, &f->p->act[c->end[i] - 1],
                             "reads this CTA's shared memory for another one, and the CTA may end "
                             "first: no barrier of the cluster and no wait for an arrival of that "
                             "CTA is between (whether it has the bytes by then is not known). "
                             "Put barrier.cluster.arrive and barrier.cluster.wait before the end, "
                             "in all threads");
        }
    }
}

/* --- multicasts over what others read --- */

/* Whether anything in the kernel comes from another CTA, but multicasts. */
static int hears_others(const ptx_protocol *p, uint32_t loop) {
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        const uint32_t block = ptx_act_block(p, a);
        if (a->kind == PTX_ACT_PEER || a->kind == PTX_ACT_REMOTE || a->kind == PTX_ACT_CALL ||
            ((a->kind == PTX_ACT_ARRIVE || a->kind == PTX_ACT_EXPECT) &&
             ptx_act_may_be_peers(p, a)) ||
            (a->kind == PTX_ACT_SYNC && a->traits & (PTX_OF_CLUSTER | PTX_OF_MEMORY) &&
             ptx_block_in_loop(p->v->g, block, loop))) {
            return 1;
        }
    }
    return 0;
}

/* The outermost loop in which a multicast comes back to the same places. */
static uint32_t comes_back(const ptx_protocol *p, const ptx_act *copy) {
    const ptx_graph *g = p->v->g;
    const ptx_reach at = ptx_reach_of(p, copy->at);
    uint32_t inner = ptx_act_loop(p, copy);
    uint32_t found = PTX_NONE;
    for (uint32_t loop = inner; loop != PTX_NONE && at.base != PTX_UNKNOWN;
         loop = g->loop[loop].parent) {
        if (!ptx_comes_to_each_once((ptx_protocol *)p, ptx_act_block(p, copy), inner, loop, &at)) {
            found = loop;
        }
    }
    return found;
}

static int is_multicast(const ptx_protocol *p, const ptx_act *a) {
    return a->kind == PTX_ACT_LOAD && ptx_act_is_for_several(p, a) && !(a->traits & PTX_OF_PAIR);
}

static int has_multicast(const ptx_protocol *p) {
    int has = 0;
    for (uint32_t i = 0; i < p->acts && !has; i++) {
        has = is_multicast(p, &p->act[i]);
    }
    return has;
}

static void check_multicast(ptx_protocol *p) {
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *copy = &p->act[i];
        if (!is_multicast(p, copy)) {
            continue;
        }
        const uint32_t loop = comes_back(p, copy);
        if (loop != PTX_NONE && !hears_others(p, loop) &&
            !ptx_act_is_said(p, copy, PTX_RULE_PROXY_LOAD)) {
            ptx_protocol_say_turns(
                p, loop, PTX_RULE_PROXY_LOAD, 0, copy, ptx_reader_of(p, copy),
                "comes back to the same shared memory of several CTAs in a loop (line "
                "%d), and no CTA tells another one that it has read it: all arrivals "
                "are on a CTA's own barriers (the trip count is not known). "
                "Have each reader arrive on the empty barrier of each CTA that copies "
                "(mapa, mbarrier.arrive.release.cluster.shared::cluster), and "
                "initialise it for all of them",
                ptx_loop_line(p, loop));
            return;
        }
    }
}

void ptx_sends_check(ptx_protocol *p) {
    send_context c;
    ptx_flood f = ptx_flood_of(PLANES, pass_send, hit_send, &c, sizeof(c));
    const uint64_t waits = (uint64_t)p->many[PTX_ACT_AWAIT] + p->many[PTX_ACT_LOAD];
    f.stays_own = 1;
    if (!(p->many[PTX_ACT_SEND] || has_multicast(p)) ||
        !ptx_can_judge(p, PTX_BUDGET_SENDS, waits * p->acts)) {
        return;
    }
    if (p->many[PTX_ACT_SEND] && !ptx_flood_begin(&f, p)) {
        ptx_flood_all(&f, PTX_ACT_SEND, end_send);
    }
    check_multicast(p);
}
