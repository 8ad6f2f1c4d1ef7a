/* SPDX-License-Identifier: Apache-2.0
 *
 * parity-constant: waits that do not go on with the phases of their barrier.
 */
#include <string.h>

#include "ptx_protocol.h"

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
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
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
        for (uint32_t i = 0; i < p->acts; i++) {
            if (p->act[i].barrier != PTX_UNKNOWN && is_in(p, &p->act[i], loop)) {
                look(p, wait, &p->act[i], &t);
            }
        }
        for (uint32_t i = 0; i < p->acts && !t.expect && !t.varies; i++) {
            const ptx_act *a = &p->act[i];
            t.expect = ptx_barriers_alike(p, wait, a) == PTX_EQUAL && arrives_in(p, wait, a, loop)
                           ? a
                           : NULL;
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

typedef struct phase_context {
    uint32_t act[64]; /* + 1 */
} phase_context;

static void pass_phase(ptx_flood *f, uint32_t act, uint64_t *plane) {
    const ptx_act *a = &f->p->act[act];
    if (a->kind == PTX_ACT_CALL) {
        memset(plane, 0, 2 * (size_t)f->planes * sizeof(*plane));
        return;
    }
    const uint64_t live = a->barrier == PTX_UNKNOWN ? 0 : ptx_flood_below(f, plane, PHASE_PLANES);
    for (uint32_t i = 0; live && i < f->seeds; i++) {
        const uint64_t one = UINT64_C(1) << i;
        if (!(live & one)) {
            continue;
        }
        const ptx_alike alike = ptx_barriers_alike(f->p, a, &f->p->act[f->seed[i]]);
        if (a->kind == PTX_ACT_EXPECT && alike == PTX_EQUAL) {
            ptx_flood_move(f, plane, ONE_PHASE, MORE_PHASES, one);
            ptx_flood_move(f, plane, BEHIND_WAIT, ONE_PHASE, one);
        } else if (a->kind == PTX_ACT_ARRIVE && alike != PTX_DIFFERENT) {
            ptx_flood_move(f, plane, ONE_PHASE, MORE_PHASES, one);
        } else if (alike != PTX_DIFFERENT &&
                   (a->kind == PTX_ACT_AWAIT || a->kind == PTX_ACT_INIT ||
                    a->kind == PTX_ACT_INVAL || a->kind == PTX_ACT_EXPECT)) {
            ptx_flood_drop(f, plane, one);
        }
    }
}

/* Whether the kernel initialises a barrier once, and all waits for it have one parity. */
static int has_one_parity(const ptx_protocol *p, const ptx_act *wait) {
    uint32_t inits = 0;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
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
        for (uint32_t i = 0; i < p->acts; i++) {
            if (p->act[i].kind == PTX_ACT_EXPECT && is_in(p, &p->act[i], loop) &&
                ptx_barriers_alike(p, &p->act[i], wait) != PTX_DIFFERENT) {
                return 1;
            }
        }
    }
    return 0;
}

static void hit_phase(ptx_flood *f, uint32_t act, const uint64_t *plane) {
    phase_context *c = f->context;
    const ptx_act *a = &f->p->act[act];
    const uint64_t bits = plane[ONE_PHASE] & ~ptx_flood_bits(f, plane, MORE_PHASES);
    for (uint32_t i = 0; a->kind == PTX_ACT_AWAIT && bits && i < f->seeds; i++) {
        const ptx_act *wait = &f->p->act[f->seed[i]];
        uint64_t parity = 0;
        if (bits >> i & 1 && a != wait && ptx_barriers_alike(f->p, a, wait) == PTX_EQUAL &&
            a->number == wait->number && ptx_value_number(f->p->v, a->number, &parity) &&
            has_one_parity(f->p, wait) && !comes_again(f->p, a)) {
            c->act[i] = act + 1;
        }
    }
}

static void end_phase(ptx_flood *f) {
    const phase_context *c = f->context;
    for (uint32_t i = 0; i < f->seeds; i++) {
        if (c->act[i]) {
            const ptx_act *wait = &f->p->act[f->seed[i]];
            const ptx_act *again = &f->p->act[c->act[i] - 1];
            ptx_protocol_say(f->p, PTX_RULE_PARITY, 1, again, wait,
                             "waits for the parity that line %d has waited for, and one phase of "
                             "this barrier is opened between them: the wait ends at once, before "
                             "the bytes are there. The next phase has the other parity",
                             ptx_act_line(f->p, wait));
        }
    }
}

/* --- the only phase of a barrier, which a wait takes for the one before it --- */

/* A load on a wait's barrier, which one expectation in no loop opens a phase of, and nothing else;
 * null: there may be other phases. */
static const ptx_act *only_load(const ptx_protocol *p, const ptx_act *wait) {
    const ptx_act *load = NULL;
    uint32_t opened = 0;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
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

/* By block: where ways lead from one act; null where no memory is left. */
static const uint8_t *blocks_after(const ptx_protocol *p, const ptx_act *act) {
    uint8_t *from = ptx_memory_take(p->memory, (size_t)p->acts + 1, 1);
    if (from) {
        from[act - p->act] = 1;
    }
    return from ? ptx_blocks_behind(p, from) : NULL;
}

static int is_after(const ptx_protocol *p, const uint8_t *after, const ptx_act *from,
                    const ptx_act *to) {
    return after[ptx_act_block(p, to)] ||
           (from < to && ptx_act_block(p, from) == ptx_act_block(p, to));
}

/* Whether the load, or a wait for what may be the barrier with another parity, may follow a wait,
 * or such a wait may come before it: then it may be meant to end at once. */
static int may_be_meant(const ptx_protocol *p, const ptx_act *wait, const ptx_act *load) {
    const ptx_mark mark = ptx_memory_mark(p->memory);
    const uint8_t *after = blocks_after(p, wait);
    uint8_t *others = ptx_memory_take(p->memory, (size_t)p->acts + 1, 1);
    int may = !after || !others || is_after(p, after, wait, load);
    for (uint32_t i = 0; i < p->acts && !may; i++) {
        const ptx_act *a = &p->act[i];
        others[i] = a->kind == PTX_ACT_AWAIT && a->number != wait->number &&
                    ptx_barriers_alike(p, a, wait) != PTX_DIFFERENT;
        may = others[i] && (is_after(p, after, wait, a) ||
                            (a < wait && ptx_act_block(p, a) == ptx_act_block(p, wait)));
    }
    const uint8_t *behind = may ? NULL : ptx_blocks_behind(p, others);
    may |= !behind || behind[ptx_act_block(p, wait)];
    ptx_memory_back(p->memory, mark);
    return may;
}

static void check_only_phase(ptx_protocol *p, const ptx_act *wait) {
    uint64_t parity = 0;
    const int is_odd = wait->traits & PTX_SPINS && ptx_act_loop(p, wait) == PTX_NONE &&
                       ptx_value_number(p->v, wait->number, &parity) && parity & 1;
    const ptx_act *load = is_odd && ptx_barrier_is_whole(p, wait) ? only_load(p, wait) : NULL;
    if (load && !ptx_act_is_said(p, wait, PTX_RULE_PARITY) && !may_be_meant(p, wait, load)) {
        ptx_protocol_say(p, PTX_RULE_PARITY, 1, wait, load,
                         "waits for parity 1 first: the barrier begins in phase 0, and the phase "
                         "before it counts as complete, so that this wait ends at once, before the "
                         "copy's bytes are there. The first phase has parity 0");
    }
}

void ptx_parity_check(ptx_protocol *p) {
    if (p->many[PTX_ACT_CALL] ||
        !ptx_can_judge(p, PTX_BUDGET_PARITY, (uint64_t)p->acts * p->many[PTX_ACT_AWAIT])) {
        return;
    }
    for (uint32_t i = 0; i < p->acts; i++) {
        if (p->act[i].kind == PTX_ACT_AWAIT) {
            check_parity(p, &p->act[i]);
            check_only_phase(p, &p->act[i]);
        }
    }
    phase_context c;
    ptx_flood f = ptx_flood_of(PHASE_PLANES, pass_phase, hit_phase, &c, sizeof(c));
    f.stays_own = 1;
    f.by_turn = 1;
    if (p->many[PTX_ACT_AWAIT] > 1 && p->many[PTX_ACT_EXPECT] && !ptx_flood_begin(&f, p)) {
        ptx_flood_all(&f, PTX_ACT_AWAIT, end_phase);
    }
}
