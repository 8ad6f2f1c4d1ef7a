/* SPDX-License-Identifier: Apache-2.0
 *
 * parity-constant: parities that go on otherwise than the phases of their barriers. The turns of a
 * loop are gone through with numbers: which barrier each turn waits for, and for which parity.
 */
#include <string.h>

#include "ptx_protocol.h"

#define MOST_TURNS   72 /* that are gone through */
#define MOST_VISITS  200
#define MOST_IN      16 /* acts on a ring in one turn */
#define MOST_CARRIED 12 /* values that a loop carries from turn to turn */
#define MOST_DEEP    12 /* operations in operations */
#define MOST_ASKED   UINT64_C(4000000)
#define SHARED_AT    UINT64_C(0x100000) /* where a variable is taken to lie */

typedef struct phaser {
    ptx_protocol *p;
    uint8_t *leads; /* by block */
    uint32_t *todo;
} phaser;

typedef struct turner {
    ptx_protocol *p;
    uint32_t loop;
    ptx_held given[MOST_CARRIED + 1]; /* the loop's turns, then what it carries */
    ptx_value next[MOST_CARRIED + 1];
    uint32_t givens;
    int fails;
} turner;

static uint32_t block_of(const ptx_protocol *p, const ptx_act *a) {
    return p->v->g->step[a->step].block;
}

/* The loop around an act, but that of a wait itself; PTX_NONE: there is none. */
static uint32_t loop_of(const ptx_protocol *p, const ptx_act *a) {
    const ptx_graph *g = p->v->g;
    const uint32_t loop = g->node[block_of(p, a)].loop;
    return a->traits & PTX_SPINS && loop != PTX_NONE ? g->loop[loop].parent : loop;
}

/* What stands in front of a wait that comes only where it did not succeed: a try; else the wait. */
static const ptx_act *lead_of(const ptx_protocol *p, const ptx_act *wait) {
    for (uint32_t i = 0; wait->traits & PTX_SPINS && i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (a->kind == PTX_ACT_AWAIT && !(a->traits & PTX_SPINS) && a->barrier == wait->barrier &&
            a->number == wait->number &&
            ptx_dominates(p->v->g, block_of(p, a), block_of(p, wait))) {
            return a;
        }
    }
    return wait;
}

/* --- turns --- */

/* What the ways back bring to a value that the loop carries: one value, or PTX_UNKNOWN. */
static ptx_value brought_back(const turner *t, const ptx_atom *a) {
    const ptx_values *v = t->p->v;
    const ptx_node *n = &v->g->node[a->a];
    ptx_value same = PTX_UNKNOWN;
    uint32_t at = v->first_merge[a->a];
    while (at != PTX_NONE && v->merge[at].place != a->b) {
        at = v->merge[at].next;
    }
    for (uint32_t i = 0; at != PTX_NONE && i < n->ins; i++) {
        uint32_t loop = 0;
        const uint32_t from = v->g->in[n->first_in + i];
        if (v->g->node[from].order != PTX_NONE &&
            ptx_way_of(v->g, from, a->a, &loop) != PTX_WAY_ON) {
            const ptx_value one = v->arg[v->merge[at].first_arg + i];
            if (same != PTX_UNKNOWN && one != same) {
                return PTX_UNKNOWN;
            }
            same = one;
        }
    }
    return same;
}

static int number_of(const turner *t, ptx_value value, uint32_t variable, uint64_t *out) {
    ptx_first first = {.p = t->p,
                       .around = PTX_NONE,
                       .variable = variable,
                       .address = SHARED_AT,
                       .given = t->given,
                       .givens = t->givens,
                       .turning = t->loop + 1};
    return ptx_value_first(&first, value, out) && !first.by_thread;
}

static void carry(turner *t, ptx_value value, int deep);

/* NOLINTNEXTLINE(misc-no-recursion): MOST_CARRIED */
static void carry_atom(turner *t, uint32_t atom, const ptx_atom *a) {
    uint64_t number = 0;
    for (uint32_t i = 0; i < t->givens; i++) {
        if (t->given[i].atom == atom) {
            return;
        }
    }
    ptx_first first = {.p = t->p, .around = PTX_NONE, .variable = PTX_NONE};
    const ptx_value is = ptx_form_atom(&t->p->v->forms, atom, 64);
    const ptx_value next = brought_back(t, a);
    t->fails |= t->givens > MOST_CARRIED || next == PTX_UNKNOWN ||
                !ptx_value_first(&first, is, &number) || first.by_thread;
    if (!t->fails) {
        t->next[t->givens] = next;
        t->given[t->givens++] = (ptx_held){atom, number};
        carry(t, next, MOST_DEEP);
    }
}

/* Finds what a value hangs on that the loop carries. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_CARRIED, MOST_DEEP */
static void carry(turner *t, ptx_value value, int deep) {
    const ptx_graph *g = t->p->v->g;
    const ptx_form f = t->p->v->forms.form[value];
    t->fails |= value == PTX_UNKNOWN || !deep;
    for (uint32_t i = 0; i < f.terms && !t->fails; i++) {
        const ptx_atom a = t->p->v->forms.atom[f.term[i].atom];
        if (a.kind == PTX_ATOM_MERGED && a.a == g->loop[t->loop].head && !a.c) {
            carry_atom(t, f.term[i].atom, &a);
        } else if (a.kind == PTX_ATOM_TURN && a.a == t->loop) {
            t->given[0].atom = f.term[i].atom;
        } else if (a.kind == PTX_ATOM_OPERATION) {
            const uint32_t of[3] = {a.b, a.c, a.d};
            for (uint32_t k = 0; k < 3 && !t->fails; k++) {
                if (of[k]) {
                    carry(t, of[k], deep - 1);
                }
            }
        }
    }
}

/* Finds what an act's conditions hang on; what is not known there is no matter. */
static void carry_conditions(turner *t, const ptx_act *a) {
    ptx_guard_walk at = {0};
    const int fails = t->fails;
    for (ptx_condition c; ptx_act_condition(t->p, a, &at, &c);) {
        if (c.key != PTX_UNKNOWN) {
            carry(t, c.key, MOST_DEEP);
        }
        t->fails = fails;
    }
}

static turner turner_of(ptx_protocol *p, uint32_t loop) {
    return (turner){.p = p, .loop = loop, .given = {{PTX_NONE, 0}}, .givens = 1};
}

/* On to the next turn. 0: what it carries is not known. */
static int go_on(turner *t) {
    uint64_t now[MOST_CARRIED + 1];
    for (uint32_t i = 1; i < t->givens; i++) {
        if (!number_of(t, t->next[i], PTX_NONE, &now[i])) {
            return 0;
        }
    }
    for (uint32_t i = 1; i < t->givens; i++) {
        t->given[i].number = now[i];
    }
    t->given[0].number++;
    return 1;
}

/* Whether a turn is known to be the last one. */
static int is_last(const turner *t) {
    const ptx_protocol *p = t->p;
    const ptx_graph *g = p->v->g;
    for (uint32_t i = 0; i < g->reached; i++) {
        const uint32_t block = g->ordered[i];
        const ptx_condition *c = &p->branch[block];
        uint64_t is = 0;
        if (g->node[block].outs != 2 || c->key == PTX_UNKNOWN ||
            !ptx_block_in_loop(g, block, t->loop)) {
            continue;
        }
        const uint32_t *out = &g->out[g->node[block].first_out];
        const int in[2] = {ptx_block_in_loop(g, out[0], t->loop),
                           ptx_block_in_loop(g, out[1], t->loop)};
        if (in[0] != in[1] && number_of(t, c->key, PTX_NONE, &is)) {
            const int holds = (c->is_equal ? is == c->number : is != 0) == c->holds;
            if (!in[holds ? 0 : 1]) {
                return 1;
            }
        }
    }
    return 0;
}

/* Acts of one kind on one ring in one turn of a loop, in their order. */
typedef struct turn_acts {
    uint32_t count;
    int sometimes; /* some are not in each turn */
    const ptx_act *act[MOST_IN];
} turn_acts;

typedef struct visits {
    uint32_t count;
    uint32_t at[MOST_VISITS]; /* of the barrier */
    uint8_t parity[MOST_VISITS];
    uint8_t turn[MOST_VISITS];
} visits;

/* Whether two acts are on one barrier, or on the same ring of them. */
static int on_one(const ptx_protocol *p, const ptx_act *a, const ptx_act *b) {
    const ptx_reach *x = &a->reach;
    const ptx_reach *y = &b->reach;
    return ptx_barriers_alike(p, a, b) == PTX_EQUAL ||
           (x->base != PTX_UNKNOWN && x->base == y->base && x->low == y->low &&
            x->high == y->high && x->step == y->step && x->step);
}

/* Whether a condition that the loop makes is known not to hold for an act in this turn. */
static int is_left_out(const turner *t, const ptx_act *a) {
    ptx_guard_walk at = {0};
    for (ptx_condition c; ptx_act_condition(t->p, a, &at, &c);) {
        uint64_t is = 0;
        if (c.key != PTX_UNKNOWN && number_of(t, c.key, PTX_NONE, &is) &&
            (c.is_equal ? is == c.number : is != 0) != c.holds) {
            return 1;
        }
    }
    return 0;
}

/* One turn of what the acts of a list do. 0: not known. */
static int visit_turn(const turner *t, const turn_acts *list, visits *out, uint32_t turn) {
    for (uint32_t i = 0; i < list->count && out->count < MOST_VISITS; i++) {
        const ptx_act *a = list->act[i];
        uint64_t at = 0;
        uint64_t parity = 0;
        if (list->sometimes && is_left_out(t, a)) {
            continue;
        }
        if (!number_of(t, a->barrier, ptx_shared_variable(t->p->v, a->barrier), &at) ||
            (a->kind == PTX_ACT_AWAIT && !number_of(t, a->number, PTX_NONE, &parity))) {
            return 0;
        }
        out->at[out->count] = (uint32_t)at;
        out->turn[out->count] = (uint8_t)turn;
        out->parity[out->count++] = parity & 1;
    }
    return 1;
}

/* Which barriers a list comes to, turn by turn. 0: not known. */
static int visit(ptx_protocol *p, const turn_acts *list, uint32_t loop, visits *out) {
    turner t = turner_of(p, loop);
    out->count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        carry(&t, list->act[i]->barrier, MOST_DEEP);
        if (list->act[i]->kind == PTX_ACT_AWAIT) {
            carry(&t, list->act[i]->number, MOST_DEEP);
        }
        carry_conditions(&t, list->act[i]);
    }
    for (uint32_t turn = 0; !t.fails && turn < MOST_TURNS && out->count < MOST_VISITS; turn++) {
        if (!visit_turn(&t, list, out, turn)) {
            return 0;
        }
        if (is_last(&t)) {
            return 1;
        }
        if (!go_on(&t)) {
            return 0;
        }
    }
    return !t.fails;
}

/* --- parities that do not go on with the phases --- */

static int same_visits(const visits *a, const visits *b) {
    uint32_t least = a->count < b->count ? a->count : b->count;
    for (uint32_t i = 0; i < least; i++) {
        if (a->at[i] != b->at[i]) {
            return 0;
        }
    }
    return least > 1;
}

/* The first visit that waits for the parity of the one before on its barrier; 0: there is none. */
static uint32_t first_again(const visits *is, uint32_t *before) {
    for (uint32_t i = 1; i < is->count; i++) {
        uint32_t k = i;
        while (k > 0 && is->at[k - 1] != is->at[i]) {
            k--;
        }
        if (k && is->parity[k - 1] == is->parity[i]) {
            *before = k - 1;
            return i;
        }
    }
    return 0;
}

static int opens(const ptx_act *a) {
    return (a->kind == PTX_ACT_EXPECT && !(a->traits & PTX_ONLY_BYTES)) ||
           a->kind == PTX_ACT_ARRIVE;
}

static int is_spin(const ptx_act *a) {
    return a->kind == PTX_ACT_AWAIT && a->traits & PTX_SPINS;
}

/* All that open the phases of a wait's ring in a loop, or all that wait for it. 0: there are none,
 * or some of them are not in each turn, or perhaps on another ring. */
static int list_in(const ptx_protocol *p, const ptx_act *wait, uint32_t loop, int waits,
                   turn_acts *out) {
    *out = (turn_acts){0};
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if ((waits ? !is_spin(a) : !opens(a)) ||
            !ptx_block_in_loop(p->v->g, block_of(p, a), loop) ||
            ptx_barriers_alike(p, a, wait) == PTX_DIFFERENT) {
            continue;
        }
        int is_twin = 0; /* in another branch */
        for (uint32_t k = 0; k < out->count; k++) {
            is_twin |= out->act[k]->barrier == a->barrier && out->act[k]->number == a->number &&
                       ptx_acts_exclude(p, out->act[k], a);
        }
        if (is_twin) {
            continue;
        }
        const int always = ptx_is_in_each_turn(p, block_of(p, lead_of(p, a)), loop);
        out->sometimes |= !always;
        if (loop_of(p, a) != loop || out->count == MOST_IN || (waits && !always)) {
            return 0;
        }
        uint32_t at = out->count++;
        const uint32_t order = p->v->g->node[block_of(p, a)].order;
        for (; at && p->v->g->node[block_of(p, out->act[at - 1])].order > order; at--) {
            out->act[at] = out->act[at - 1];
        }
        out->act[at] = a;
    }
    return out->count > 0;
}

/* Whether a loop begins the barrier anew. */
static int begins_anew(const ptx_protocol *p, const ptx_act *wait, uint32_t loop) {
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if ((a->kind == PTX_ACT_INIT || a->kind == PTX_ACT_INVAL) &&
            ptx_block_in_loop(p->v->g, block_of(p, a), loop) &&
            ptx_barriers_alike(p, a, wait) != PTX_DIFFERENT) {
            return 1;
        }
    }
    return 0;
}

static void say_turns(ptx_protocol *p, const turn_acts *waits, uint32_t loop, const visits *is,
                      const ptx_act *by, uint32_t before, uint32_t again) {
    const ptx_act *wait = waits->act[again % waits->count];
    ptx_protocol_say(
        p, PTX_RULE_PARITY, 0, wait, by,
        "waits in turns %d and %d of a loop (line %d) for one barrier and both times "
        "for parity %d, and line %d opens a phase of it each time: the second wait "
        "does not wait, or waits for the wrong phase (if the loop turns so often). The "
        "parity changes each time the ring of stages comes round: (turn / stages) & 1",
        (int)is->turn[before] + 1, (int)is->turn[again] + 1, ptx_loop_line(p, loop),
        (int)is->parity[again], ptx_act_line(p, by));
}

static void check_turns(ptx_protocol *p, const ptx_act *wait) {
    const uint32_t loop = loop_of(p, wait);
    turn_acts waits;
    turn_acts by;
    visits is;
    visits open;
    uint32_t before = 0;
    if (loop == PTX_NONE || !list_in(p, wait, loop, 1, &waits) || waits.act[0] != wait ||
        begins_anew(p, wait, loop) || !visit(p, &waits, loop, &is)) {
        return;
    }
    const uint32_t again = first_again(&is, &before);
    for (uint32_t i = 0; again && i < p->acts; i++) {
        const uint32_t in = opens(&p->act[i]) ? loop_of(p, &p->act[i]) : (uint32_t)PTX_NONE;
        if (in != PTX_NONE && list_in(p, wait, in, 0, &by) && by.act[0] == &p->act[i] &&
            visit(p, &by, in, &open) && same_visits(&is, &open)) {
            say_turns(p, &waits, loop, &is, &p->act[i], before, again);
            return;
        }
    }
}

/* --- the first wait --- */

/* The parity that an act waits for where it comes first. 0: not known. */
static int first_parity(ptx_protocol *p, const ptx_act *wait, uint64_t *parity) {
    ptx_first first = {.p = p, .around = PTX_NONE, .variable = PTX_NONE};
    const uint32_t loop = loop_of(p, wait);
    if (wait->number == PTX_UNKNOWN || !ptx_value_first(&first, wait->number, parity) ||
        first.by_thread) {
        return 0;
    }
    *parity &= 1;
    return loop == PTX_NONE || ptx_is_in_each_turn(p, block_of(p, lead_of(p, wait)), loop);
}

/* Which blocks, where `leads` is 1, a way leads from to a wait without having come to it. */
static void mark_before(const phaser *r, const ptx_act *wait) {
    const ptx_graph *g = r->p->v->g;
    const uint32_t block = block_of(r->p, wait);
    uint32_t todos = 1;
    memset(r->leads, 0, g->nodes);
    r->todo[0] = block;
    while (todos) {
        const ptx_node *n = &g->node[r->todo[--todos]];
        for (uint32_t i = 0; i < n->ins; i++) {
            const uint32_t from = g->in[n->first_in + i];
            if (from != block && !r->leads[from] && g->node[from].order != PTX_NONE) {
                r->leads[from] = 1;
                r->todo[todos++] = from;
            }
        }
    }
}

/* Whether another wait for what may be the same barrier comes before; `number`: one with another
 * parity. */
static int is_preceded(const phaser *r, const ptx_act *wait, int number) {
    const ptx_protocol *p = r->p;
    mark_before(r, wait);
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (a->kind == PTX_ACT_AWAIT && r->leads[block_of(p, a)] &&
            !ptx_dominates(p->v->g, block_of(p, wait), block_of(p, a)) &&
            (a->number != wait->number || (!number && a->barrier != wait->barrier)) &&
            ptx_barriers_alike(p, a, wait) != PTX_DIFFERENT) {
            return 1;
        }
    }
    return 0;
}

/* A barrier that copies complete on, and that all wait for with parity 1 first. */
static void check_first_full(const phaser *r, const ptx_act *wait) {
    ptx_protocol *p = r->p;
    uint64_t parity = 0;
    uint32_t opened = 0;
    int is_filled = 0;
    int in_loop = loop_of(p, wait) != PTX_NONE;
    if (!is_spin(wait) || !first_parity(p, wait, &parity) || !parity) {
        return;
    }
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (a->barrier == PTX_UNKNOWN || ptx_barriers_alike(p, a, wait) == PTX_DIFFERENT) {
            continue;
        }
        if (a->kind == PTX_ACT_ARRIVE || a->kind == PTX_ACT_INVAL || a->kind == PTX_ACT_REMOTE) {
            return;
        }
        opened += a->kind == PTX_ACT_EXPECT;
        in_loop |= a->kind == PTX_ACT_EXPECT && loop_of(p, a) != PTX_NONE;
        is_filled |= a->kind == PTX_ACT_LOAD && on_one(p, a, wait);
    }
    if (is_filled && opened && ptx_barrier_is_whole(p, wait) && !is_preceded(r, wait, 1)) {
        ptx_protocol_say(p, PTX_RULE_PARITY, opened == 1 && !in_loop, wait, NULL,
                         "waits for parity 1 first: the barrier begins in phase 0, and the phase "
                         "before it counts as complete, so that this wait ends at once, before the "
                         "copy's bytes are there. The first phase has parity 0");
    }
}

/* Whether a wait for what may be `wait`'s barrier stands before an act. */
static int is_behind_wait(const ptx_protocol *p, const ptx_act *a, const ptx_act *wait) {
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *w = &p->act[i];
        if (is_spin(w) && block_of(p, w) != block_of(p, a) &&
            ptx_dominates(p->v->g, block_of(p, lead_of(p, w)), block_of(p, a)) &&
            ptx_barriers_alike(p, w, wait) != PTX_DIFFERENT) {
            return 1;
        }
    }
    return 0;
}

/* Whether a wait for a copy stands before an arrival, and all copies on its barrier stand behind
 * waits for `wait`'s ring. */
static int is_behind_copy(ptx_protocol *p, const ptx_act *arrive, const ptx_act *wait) {
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *full = &p->act[i];
        uint64_t parity = 0;
        uint32_t loads = 0;
        int all = is_spin(full) && ptx_dominates(p->v->g, block_of(p, full), block_of(p, arrive)) &&
                  !(first_parity(p, full, &parity) && parity);
        for (uint32_t k = 0; k < p->acts && all; k++) {
            const ptx_act *a = &p->act[k];
            if ((opens(a) || a->kind == PTX_ACT_LOAD) && a->barrier != PTX_UNKNOWN &&
                ptx_barriers_alike(p, a, full) != PTX_DIFFERENT) {
                loads += a->kind == PTX_ACT_LOAD;
                all = is_behind_wait(p, a, wait);
            }
        }
        if (all && loads) {
            return 1;
        }
    }
    return 0;
}

/* A stage that is waited for to be given back before it was ever filled. */
static void check_first_empty(const phaser *r, const ptx_act *wait) {
    ptx_protocol *p = r->p;
    uint64_t parity = 0;
    const ptx_act *by = NULL;
    if (!is_spin(wait) || !first_parity(p, wait, &parity) || parity ||
        !ptx_barrier_is_whole(p, wait)) {
        return;
    }
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (a->barrier == PTX_UNKNOWN || ptx_barriers_alike(p, a, wait) == PTX_DIFFERENT) {
            continue;
        }
        if (a->kind == PTX_ACT_EXPECT || a->kind == PTX_ACT_LOAD || a->kind == PTX_ACT_REMOTE ||
            a->kind == PTX_ACT_INVAL ||
            (a->kind == PTX_ACT_ARRIVE && !is_behind_copy(p, a, wait))) {
            return;
        }
        by = a->kind == PTX_ACT_ARRIVE ? a : by;
    }
    if (by && !is_preceded(r, wait, 0)) {
        ptx_protocol_say(p, PTX_RULE_PARITY, 0, wait, by,
                         "waits for parity 0 first, for an arrival at line %d that stands behind "
                         "the wait for a copy, and that copy stands behind this wait: both wait "
                         "for ever. The stage is empty at first: wait for parity 1 first (phase ^ "
                         "1), which a barrier that has just begun passes",
                         ptx_act_line(p, by));
    }
}

/* Whether an earlier wait says the same. */
static int is_first_of(const ptx_protocol *p, uint32_t act) {
    for (uint32_t i = 0; i < act; i++) {
        if (p->act[i].kind == PTX_ACT_AWAIT && p->act[i].barrier == p->act[act].barrier &&
            p->act[i].number == p->act[act].number && p->act[i].traits & PTX_SPINS) {
            return 0;
        }
    }
    return 1;
}

void ptx_phases_check(ptx_protocol *p) {
    if ((uint64_t)p->acts * p->acts * p->many[PTX_ACT_AWAIT] > MOST_ASKED * 16 ||
        p->many[PTX_ACT_CALL] || !p->many[PTX_ACT_LOAD]) {
        return;
    }
    const phaser r = {.p = p,
                      .leads = ptx_memory_take(p->memory, (size_t)p->v->g->nodes + 1, 1),
                      .todo =
                          ptx_memory_take(p->memory, (size_t)p->v->g->nodes + 1, sizeof(*r.todo))};
    for (uint32_t i = 0; r.leads && r.todo && i < p->acts; i++) {
        if (p->act[i].kind == PTX_ACT_AWAIT && p->act[i].barrier != PTX_UNKNOWN &&
            is_first_of(p, i)) {
            check_turns(p, &p->act[i]);
            check_first_full(&r, &p->act[i]);
            check_first_empty(&r, &p->act[i]);
        }
    }
}
