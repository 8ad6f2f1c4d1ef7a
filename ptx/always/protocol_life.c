/* SPDX-License-Identifier: Apache-2.0
 *
 * barrier-init: barriers that the kernel never initialises, or every thread does, and those that it
 * invalidates while a copy or a waiting thread still uses them.
 */
#include "protocol_rules.h"

/* --- never initialised --- */

static int is_use(const ptx_act *a) {
    return (a->kind == PTX_ACT_LOAD || a->kind == PTX_ACT_EXPECT || a->kind == PTX_ACT_AWAIT) &&
           !(a->traits & PTX_TO_PEER);
}

/* One finding for each variable. A file that only copies is a piece of a kernel: it says nothing of
 * what a barrier lived through. */
static void check_never(ptx_protocol *p) {
    uint8_t *said = ptx_memory_take(p->memory, (size_t)p->v->g->rows->variables + 1, 1);
    for (uint32_t i = 0; said && i < p->acts; i++) {
        const ptx_act *use = &p->act[i];
        const uint32_t variable =
            is_use(use) ? ptx_shared_variable(p->v, use->barrier) : (uint32_t)PTX_NONE;
        if (variable == PTX_NONE || said[variable] ||
            ptx_barrier_anywhere(p, use, PTX_ACT_INIT) != PTX_DIFFERENT ||
            ptx_barrier_anywhere(p, use, PTX_ACT_AWAIT) != PTX_EQUAL) {
            continue;
        }
        said[variable] = 1;
        ptx_protocol_say(p, PTX_RULE_BARRIER_INIT, 1, use, NULL,
                         "uses a barrier that the kernel never initialises: shared memory holds "
                         "anything when a CTA begins. Put mbarrier.init on it in one thread, "
                         "fence.mbarrier_init.release.cluster and bar.sync before its first use");
    }
}

/* --- initialised by every thread --- */

/* Whether all threads of the CTA come to an act, and where its barrier is the same for all. */
static int is_of_every_thread(const ptx_protocol *p, const ptx_act *init) {
    ptx_first t = {.p = p, .around = PTX_NONE, .address = PTX_PLACE_B, .first_cta = 1};
    uint64_t place = 0;
    t.variable = ptx_shared_variable(p->v, init->barrier);
    return ptx_act_is_of_all(p, init) && t.variable != PTX_NONE &&
           ptx_value_first(&t, init->barrier, &place) && !t.by_thread;
}

/* Whether the kernel's text makes a difference between threads. */
static int has_threads(const ptx_protocol *p) {
    int has = p->has_warps;
    for (uint32_t i = 0; i < p->acts && !has; i++) {
        has = ptx_act_is_limited(p, &p->act[i]);
    }
    return has && !p->is_one_thread;
}

static void check_every(ptx_protocol *p) {
    const int has_others = ptx_head_product(p, ".reqntid") > 1;
    for (uint32_t i = 0; i < p->acts && p->many[PTX_ACT_INIT]; i++) {
        const ptx_act *init = &p->act[i];
        if (init->kind == PTX_ACT_INIT && ptx_is_first_of_barrier(p, i) &&
            is_of_every_thread(p, init) && (has_others || has_threads(p))) {
            ptx_protocol_say(p, PTX_RULE_BARRIER_INIT, has_others, init, NULL,
                             "every thread of the CTA initialises it: a barrier that others have "
                             "initialised, or use, is initialised again with no mbarrier.inval%s. "
                             "Put it under a condition that one thread alone has (%%tid.x == 0), "
                             "and bar.sync after it",
                             has_others ? "" : " (whether the CTA has other threads is not known)");
        }
    }
}

/* --- invalidated too early --- */

enum { IN_USE, ORDERED, LIFE_PLANES };

static int ends_under_copy(ptx_protocol *p, const ptx_act *a, const ptx_act *copy) {
    return copy->kind == PTX_ACT_LOAD && ptx_barriers_alike(p, a, copy) == PTX_EQUAL ? PTX_SURE
                                                                                     : PTX_NOT;
}

static int ends_under_wait(ptx_protocol *p, const ptx_act *a, const ptx_act *wait) {
    return wait->kind == PTX_ACT_AWAIT && ptx_act_is_elected(p, a) &&
                   !ptx_act_is_elected(p, wait) && ptx_barriers_alike(p, a, wait) == PTX_EQUAL
               ? PTX_SURE
               : PTX_NOT;
}

#define ENDS_EARLY(under, sentence)                                                                \
    {                                                                                              \
        .access = PTX_KIND(INVAL), .open = PTX_HERE(IN_USE), .shut = PTX_EVER(ORDERED),            \
        .is_last = 1, .most = PTX_SURE, .about_access = 1, .rule = PTX_RULE_BARRIER_INIT,          \
        .is = (under), .text = (sentence),                                                         \
    }

const ptx_paths ptx_rule_invalidated = {
    .seeds = PTX_KIND(LOAD) | PTX_KIND(AWAIT),
    .needs = PTX_KIND(INVAL),
    .planes = LIFE_PLANES,
    .stays_own = 1,
    .passing = {{PTX_KIND(SYNC) | PTX_KIND(AWAIT), 0, PTX_HERE(IN_USE), PTX_MOVES, ORDERED, NULL,
                 NULL},
                {PTX_KIND(CALL), 0, PTX_BELOW(LIFE_PLANES), PTX_ENDS, 0, NULL, NULL}},
    .claim = {ENDS_EARLY(ends_under_copy,
                         "ends a barrier on which the copy at line @ still completes: no wait for "
                         "it is on any path from there to here. Put mbarrier.try_wait.parity in a "
                         "loop before it"),
              ENDS_EARLY(ends_under_wait,
                         "ends a barrier that other threads may still wait for at line @: no "
                         "barrier of threads is on any path from there to here. Put bar.sync "
                         "before it")},
};

void ptx_life_check(ptx_protocol *p) {
    if (p->many[PTX_ACT_INIT] + p->many[PTX_ACT_AWAIT] && !p->many[PTX_ACT_CALL] &&
        ptx_can_judge(p, PTX_BUDGET_LIFE,
                      p->pairs[PTX_ACT_LOAD] + p->pairs[PTX_ACT_EXPECT] + p->pairs[PTX_ACT_AWAIT] +
                          p->pairs[PTX_ACT_INIT])) {
        check_never(p);
        check_every(p);
    }
}
