/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies from shared memory into another CTA's: their source is written again, or its CTA ends,
 * while they may read it.
 */
#include <string.h>

#include "ptx_protocol.h"

static int may_be_peers(const ptx_protocol *p, const ptx_act *a) {
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
        if ((a->kind == PTX_ACT_ARRIVE || a->kind == PTX_ACT_EXPECT) && may_be_peers(p, a) &&
            ptx_barriers_alike(p, a, wait) != PTX_DIFFERENT) {
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

void ptx_sends_check(ptx_protocol *p) {
    send_context c;
    ptx_flood f = ptx_flood_of(PLANES, pass_send, hit_send, &c, sizeof(c));
    f.stays_own = 1;
    if (p->many[PTX_ACT_SEND] &&
        ptx_can_judge(p, PTX_BUDGET_SENDS, (uint64_t)p->many[PTX_ACT_AWAIT] * p->acts) &&
        !ptx_flood_begin(&f, p)) {
        ptx_flood_all(&f, PTX_ACT_SEND, end_send);
    }
}
