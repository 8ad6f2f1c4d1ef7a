/* SPDX-License-Identifier: Apache-2.0
 *
 * parity-constant: waits that do not go on with the phases of their barrier.
 */
#include "protocol_rules.h"

/* Whether a wait in no loop waits for parity 1 to the end. */
static int is_odd(const ptx_protocol *p, const ptx_act *wait) {
    uint64_t parity = 0;
    return wait->kind == PTX_ACT_AWAIT && wait->traits & PTX_SPINS &&
           ptx_act_loop(p, wait) == PTX_NONE && ptx_value_number(p->v, wait->number, &parity) &&
           parity & 1;
}

static int may_cost(ptx_protocol *p) {
    uint64_t walks = 0; /* over all acts */
    for (uint32_t i = 0; i < p->acts; i++) {
        walks += (uint64_t)is_odd(p, &p->act[i]);
    }
    return !p->many[PTX_ACT_CALL] &&
           ptx_can_judge(p, PTX_BUDGET_PARITY, p->pairs[PTX_ACT_AWAIT] + walks * p->acts);
}

/* --- a wait whose parity never changes --- */

/* What a loop does to the barrier of a wait in it. */
typedef struct turns {
    const ptx_act *expect; /* each turn opens another phase by this; null: none does */
    int varies;            /* another parity is waited for, too, or the barrier is made anew */
} turns;

static int is_in(const ptx_protocol *p, const ptx_act *a, uint32_t loop) {
    return ptx_block_in_loop(p->v->g, p->v->g->step[a->step].block, loop);
}

/* Whether a barrier is initialised for one arrival. */
static int takes_one(const ptx_protocol *p, const ptx_act *wait) {
    int takes = 0;
    for (ptx_meeting m = ptx_meeting_of(p, wait); ptx_meeting_next(&m);) {
        const ptx_act *a = m.act;
        uint64_t number = 0;
        if (a->kind == PTX_ACT_INIT && ptx_barriers_alike(p, a, wait) != PTX_DIFFERENT) {
            if (!ptx_value_number(p->v, a->number, &number) || (uint32_t)number != 1) {
                return 0;
            }
            takes = 1;
        }
    }
    return takes;
}

/* Whether each turn of a loop ends a phase by an arrival. */
static int arrives_in(const ptx_protocol *p, const ptx_act *wait, const ptx_act *a, uint32_t loop) {
    return a->kind == PTX_ACT_ARRIVE && ptx_act_loop(p, a) == loop && takes_one(p, wait) &&
           ptx_comes_in_each_turn(p, ptx_act_block(p, a), loop);
}

static void look(const ptx_protocol *p, const ptx_act *wait, const ptx_act *a, turns *t) {
    const ptx_alike alike = ptx_barriers_alike(p, wait, a);
    if (alike == PTX_DIFFERENT) {
        return;
    }
    if (a->kind == PTX_ACT_EXPECT) {
        t->expect = alike == PTX_EQUAL ? a : t->expect;
    } else if (a->kind == PTX_ACT_AWAIT) {
        t->varies |= a->number != wait->number;
    } else if (a->kind == PTX_ACT_INIT || a->kind == PTX_ACT_INVAL) {
        t->varies = 1;
    }
}

static int is_constant_in(const ptx_protocol *p, const ptx_act *wait, uint32_t loop) {
    const ptx_form *f = &p->v->forms.form[wait->barrier];
    for (uint32_t i = 0; i < f->terms; i++) {
        const uint32_t made = p->v->forms.atom[f->term[i].atom].loop;
        if (made != PTX_NONE && ptx_loop_in_loop(p->v->g, made, loop)) {
            return 0;
        }
    }
    return wait->barrier != PTX_UNKNOWN;
}

static void check_parity(ptx_protocol *p, const ptx_act *wait) {
    const ptx_graph *g = p->v->g;
    uint64_t parity = 0;
    if (!ptx_value_number(p->v, wait->number, &parity) ||
        ptx_shared_variable(p->v, wait->barrier) == PTX_NONE) {
        return;
    }
    for (uint32_t loop = g->node[g->step[wait->step].block].loop; loop != PTX_NONE;
         loop = g->loop[loop].parent) {
        turns t = {NULL, 0};
        for (ptx_meeting m = ptx_meeting_of(p, wait); ptx_meeting_next(&m);) {
            const ptx_act *a = m.act;
            if (a->barrier != PTX_UNKNOWN && is_in(p, a, loop)) {
                look(p, wait, a, &t);
            }
        }
        const int is_open = !t.expect && !t.varies;
        for (ptx_meeting m = ptx_meeting_of(p, wait); ptx_meeting_next(&m);) {
            const ptx_act *a = m.act;
            if (is_open && !t.expect && ptx_barriers_alike(p, wait, a) == PTX_EQUAL &&
                arrives_in(p, wait, a, loop)) {
                t.expect = a;
            }
        }
        if (t.expect && !t.varies && is_constant_in(p, wait, loop)) {
            ptx_protocol_say(
                p, PTX_RULE_PARITY, t.expect->kind == PTX_ACT_EXPECT, wait, t.expect,
                "waits for parity %d in each iteration of a loop in which line %d opens "
                "another phase of the same barrier: from the second iteration on it does "
                "not wait, or waits for the wrong phase. Toggle the parity each iteration "
                "(xor 1)",
                (int)parity, ptx_act_line(p, t.expect));
            return;
        }
    }
}

/* --- two waits for one parity in no loop, and one phase between them --- */

enum { BEHIND_WAIT, ONE_PHASE, MORE_PHASES, PHASE_PLANES };

static int is_on(ptx_protocol *p, const ptx_act *a, const ptx_act *wait) {
    return a->barrier != PTX_UNKNOWN && ptx_barriers_alike(p, a, wait) == PTX_EQUAL;
}

static int may_be_on(ptx_protocol *p, const ptx_act *a, const ptx_act *wait) {
    return a->barrier != PTX_UNKNOWN && ptx_barriers_alike(p, a, wait) != PTX_DIFFERENT;
}

/* An arrival may open a phase; an expectation that is perhaps on it ends the way. */
static int opens(ptx_protocol *p, const ptx_act *a, const ptx_act *wait) {
    return a->kind == PTX_ACT_EXPECT ? is_on(p, a, wait) : may_be_on(p, a, wait);
}

static int is_perhaps_on(ptx_protocol *p, const ptx_act *a, const ptx_act *wait) {
    return a->barrier != PTX_UNKNOWN && ptx_barriers_alike(p, a, wait) == PTX_MAYBE;
}

/* Whether the kernel initialises a barrier once, and all waits for it have one parity. */
static int has_one_parity(const ptx_protocol *p, const ptx_act *wait) {
    uint32_t inits = 0;
    for (ptx_meeting m = ptx_meeting_of(p, wait); ptx_meeting_next(&m);) {
        const ptx_act *a = m.act;
        const int is_init = a->kind == PTX_ACT_INIT || a->kind == PTX_ACT_INVAL;
        if ((!is_init && a->kind != PTX_ACT_AWAIT) ||
            ptx_barriers_alike(p, a, wait) == PTX_DIFFERENT) {
            continue;
        }
        if (is_init ? inits++ || p->v->g->node[p->v->g->step[a->step].block].loop != PTX_NONE
                    : a->number != wait->number) {
            return 0;
        }
    }
    return inits == 1;
}

/* Whether a wait is in a loop that opens its barrier's phases: check_parity() looks at it. */
static int comes_again(const ptx_protocol *p, const ptx_act *wait) {
    const ptx_graph *g = p->v->g;
    uint32_t loop = g->node[g->step[wait->step].block].loop;
    for (; loop != PTX_NONE; loop = g->loop[loop].parent) {
        for (ptx_meeting m = ptx_meeting_of(p, wait); ptx_meeting_next(&m);) {
            const ptx_act *a = m.act;
            if (a->kind == PTX_ACT_EXPECT && is_in(p, a, loop) &&
                ptx_barriers_alike(p, a, wait) != PTX_DIFFERENT) {
                return 1;
            }
        }
    }
    return 0;
}

static int waits_again(ptx_protocol *p, const ptx_act *a, const ptx_act *wait) {
    uint64_t parity = 0;
    return a != wait && ptx_barriers_alike(p, a, wait) == PTX_EQUAL && a->number == wait->number &&
                   ptx_value_number(p->v, a->number, &parity) && has_one_parity(p, wait) &&
                   !comes_again(p, a)
               ? PTX_SURE
               : PTX_NOT;
}

const ptx_paths ptx_rule_same_parity = {
    .seeds = PTX_KIND(AWAIT),
    .needs = PTX_KIND(EXPECT),
    .asks = may_cost,
    .planes = PHASE_PLANES,
    .stays_own = 1,
    .by_turn = 1,
    .passing = {{PTX_KIND(EXPECT) | PTX_KIND(ARRIVE), 0, PTX_HERE(ONE_PHASE), PTX_MOVES,
                 MORE_PHASES, opens, NULL},
                {PTX_KIND(EXPECT), 0, PTX_HERE(BEHIND_WAIT), PTX_MOVES, ONE_PHASE, is_on, NULL},
                {PTX_KIND(EXPECT), 0, PTX_BELOW(PHASE_PLANES), PTX_ENDS, 0, is_perhaps_on, NULL},
                {PTX_KIND(AWAIT) | PTX_KIND(INIT) | PTX_KIND(INVAL), 0, PTX_BELOW(PHASE_PLANES),
                 PTX_ENDS, 0, may_be_on, NULL},
                {PTX_KIND(CALL), 0, PTX_BELOW(PHASE_PLANES), PTX_ENDS, 0, NULL, NULL}},
    .claim = {{.access = PTX_KIND(AWAIT),
               .open = PTX_HERE(ONE_PHASE),
               .shut = PTX_EVER(MORE_PHASES),
               .is_last = 1,
               .most = PTX_SURE,
               .about_access = 1,
               .rule = PTX_RULE_PARITY,
               .is = waits_again,
               .text = "waits for the parity that line @ has waited for, and one phase of this "
                       "barrier is opened between them: the wait ends at once, before the bytes "
                       "are there. The next phase has the other parity"}},
};

/* --- the only phase of a barrier, which a wait takes for the one before it --- */

/* A load on a wait's barrier, which one expectation in no loop opens a phase of, and nothing else;
 * null: there may be other phases. */
static const ptx_act *only_load(const ptx_protocol *p, const ptx_act *wait) {
    const ptx_act *load = NULL;
    uint32_t opened = 0;
    for (ptx_meeting m = ptx_meeting_of(p, wait); ptx_meeting_next(&m);) {
        const ptx_act *a = m.act;
        const ptx_alike alike =
            a->barrier == PTX_UNKNOWN ? PTX_DIFFERENT : ptx_barriers_alike(p, a, wait);
        if (alike == PTX_DIFFERENT) {
            continue;
        }
        if (a->kind == PTX_ACT_ARRIVE || a->kind == PTX_ACT_INVAL || a->kind == PTX_ACT_REMOTE ||
            (a->kind == PTX_ACT_EXPECT && ptx_act_loop(p, a) != PTX_NONE)) {
            return NULL;
        }
        opened += a->kind == PTX_ACT_EXPECT;
        load = a->kind == PTX_ACT_LOAD && alike == PTX_EQUAL && !load ? a : load;
    }
    return opened == 1 ? load : NULL;
}

/* By act: where ways lead from one; null where no memory is left. */
static const uint8_t *acts_after(const ptx_protocol *p, const ptx_act *act) {
    uint8_t *from = ptx_memory_take(p->memory, (size_t)p->acts + 1, 1);
    if (from) {
        from[act - p->act] = 1;
    }
    return from ? ptx_acts_reached(p, from, NULL, NULL) : NULL;
}

/* Whether the load, or a wait for what may be the barrier with another parity, may follow a wait,
 * or such a wait may come before it: then it may be meant to end at once. */
static int may_be_meant(const ptx_protocol *p, const ptx_act *wait, const ptx_act *load) {
    const ptx_mark mark = ptx_memory_mark(p->memory);
    const uint8_t *after = acts_after(p, wait);
    uint8_t *others = ptx_memory_take(p->memory, (size_t)p->acts + 1, 1);
    int may = !after || !others || after[load - p->act];
    for (uint32_t i = 0; i < p->acts && !may; i++) {
        const ptx_act *a = &p->act[i];
        others[i] = a->kind == PTX_ACT_AWAIT && a->number != wait->number &&
                    ptx_barriers_alike(p, a, wait) != PTX_DIFFERENT;
        may = others[i] && after[i];
    }
    const uint8_t *behind = may ? NULL : ptx_acts_reached(p, others, NULL, NULL);
    may |= !behind || behind[wait - p->act];
    ptx_memory_back(p->memory, mark);
    return may;
}

static void check_only_phase(ptx_protocol *p, const ptx_act *wait) {
    const ptx_act *load =
        is_odd(p, wait) && ptx_barrier_is_whole(p, wait) ? only_load(p, wait) : NULL;
    if (load && !may_be_meant(p, wait, load)) {
        ptx_protocol_say_unless(
            p, PTX_RULE_PARITY, 1, PTX_UNLESS_ACT, wait, load,
            "waits for parity 1 first: the barrier begins in phase 0, and the phase "
            "before it counts as complete, so that this wait ends at once, before the "
            "copy's bytes are there. The first phase has parity 0");
    }
}

void ptx_parity_check(ptx_protocol *p) {
    const uint32_t acts = may_cost(p) ? p->acts : 0;
    for (uint32_t i = 0; i < acts; i++) {
        if (p->act[i].kind == PTX_ACT_AWAIT) {
            check_parity(p, &p->act[i]);
            check_only_phase(p, &p->act[i]);
        }
    }
}
