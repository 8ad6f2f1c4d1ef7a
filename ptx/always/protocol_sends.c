/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies from shared memory into another CTA's: their source is written again, or its CTA ends,
 * while they may read it.
 */
#include "protocol_rules.h"

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

/* Whether other CTAs arrive on the barrier that is waited for: they may say that bytes are there.
 */
static int is_told(const ptx_protocol *p, const ptx_act *wait) {
    for (ptx_meeting m = ptx_meeting_of(p, wait); ptx_meeting_next(&m);) {
        const ptx_act *a = m.act;
        if ((a->kind == PTX_ACT_ARRIVE || a->kind == PTX_ACT_EXPECT) && may_be_peers(p, a) &&
            ptx_barriers_alike(p, a, wait) != PTX_DIFFERENT) {
            return 1;
        }
    }
    return wait->barrier == PTX_UNKNOWN;
}

static int tells(ptx_protocol *p, const ptx_act *a, const ptx_act *send) {
    (void)send;
    return is_told(p, a);
}

static int is_read(ptx_protocol *p, const ptx_act *a, const ptx_act *send) {
    return ptx_acts_overlap(p, a, send) == PTX_OVERLAPS ? PTX_MAY : PTX_NOT;
}

static int is_any(ptx_protocol *p, const ptx_act *a, const ptx_act *send) {
    (void)p;
    (void)a;
    (void)send;
    return PTX_MAY;
}

static int may_cost(ptx_protocol *p) {
    return ptx_can_judge(p, PTX_BUDGET_SENDS, p->pairs[PTX_ACT_AWAIT]);
}

const ptx_paths ptx_rule_sent = {
    .seeds = PTX_KIND(SEND),
    .needs = PTX_KIND(SEND),
    .asks = may_cost,
    .planes = PLANES,
    .stays_own = 1,
    .passing = {{UINT32_MAX, PTX_OF_CLUSTER | PTX_OF_MEMORY, PTX_HERE(UNDER_WAY), PTX_MOVES, TOLD,
                 NULL, NULL},
                {PTX_KIND(AWAIT), 0, PTX_HERE(UNDER_WAY), PTX_MOVES, TOLD, tells, NULL},
                {PTX_KIND(CALL), 0, PTX_BELOW(PLANES), PTX_ENDS, 0, NULL, NULL}},
    .claim = {{.access = PTX_KIND(WRITE),
               .open = PTX_EVER(UNDER_WAY),
               .shut = PTX_EVER(TOLD),
               .most = PTX_MAY,
               .rule = PTX_RULE_STORE_REUSE,
               .is = is_read,
               .text = "line @ writes the shared memory that this copy reads, and nothing says "
                       "that the other CTA has its bytes: no barrier of the cluster and no wait "
                       "for an arrival of that CTA is between (whether it has them by then is not "
                       "known). Put barrier.cluster.arrive and barrier.cluster.wait before line "
                       "@, or have the other CTA arrive on a barrier here when it has waited"},
              {.access = PTX_KIND(END),
               .open = PTX_EVER(UNDER_WAY),
               .shut = PTX_EVER(TOLD),
               .most = PTX_MAY,
               .rule = PTX_RULE_EXIT,
               .unless = PTX_UNLESS_ACT,
               .is = is_any,
               .text = "reads this CTA's shared memory for another one, and the CTA may end first: "
                       "no barrier of the cluster and no wait for an arrival of that CTA is "
                       "between (whether it has the bytes by then is not known). Put "
                       "barrier.cluster.arrive and barrier.cluster.wait before the end, in all "
                       "threads"}},
};
