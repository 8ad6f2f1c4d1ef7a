/* SPDX-License-Identifier: Apache-2.0
 *
 * parity-constant: parities that go on otherwise than the phases of their barriers.
 */
#include <string.h>

#include "protocol_shapes.h"

typedef struct phaser {
    ptx_protocol *p;
    uint8_t *leads; /* by block */
    uint32_t *todo;
} phaser;

/* What stands in front of a wait that comes only where it did not succeed: a try; else the wait. */
static const ptx_act *lead_of(const ptx_protocol *p, const ptx_act *wait) {
    for (uint32_t i = 0; wait->traits & PTX_SPINS && i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (a->kind == PTX_ACT_AWAIT && !(a->traits & PTX_SPINS) && a->barrier == wait->barrier &&
            a->number == wait->number &&
            ptx_dominates(p->v->g, ptx_act_block(p, a), ptx_act_block(p, wait))) {
            return a;
        }
    }
    return wait;
}

/* Whether two acts are on one barrier, or on the same ring of them. */
static int on_one(const ptx_protocol *p, const ptx_act *a, const ptx_act *b) {
    const ptx_reach *x = &a->reach;
    const ptx_reach *y = &b->reach;
    return ptx_barriers_alike(p, a, b) == PTX_EQUAL ||
           (x->base != PTX_UNKNOWN && x->base == y->base && x->low == y->low &&
            x->high == y->high && x->step == y->step && x->step);
}

/* --- parities that do not go on with the phases --- */

static int opens(const ptx_act *a) {
    return (a->kind == PTX_ACT_EXPECT && !(a->traits & PTX_ONLY_BYTES)) ||
           a->kind == PTX_ACT_ARRIVE;
}

/* What is opened of a wait's ring in no loop, before a loop that opens it: in `out`, in front of
 * the visits there, where it is known. */
static void add_before(ptx_protocol *p, const ptx_act *wait, uint32_t loop, ptx_visits *out) {
    const ptx_graph *g = p->v->g;
    ptx_visits first = {0};
    uint32_t last = 0; /* block's order */
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (!opens(a) || ptx_barriers_alike(p, a, wait) == PTX_DIFFERENT ||
            ptx_block_in_loop(g, ptx_act_block(p, a), loop)) {
            continue;
        }
        const uint32_t order = g->node[ptx_act_block(p, a)].order;
        if (ptx_act_loop(p, a) != PTX_NONE || a->is_guarded || first.count == PTX_MOST_VISITS ||
            order < last || order > g->node[g->loop[loop].head].order ||
            !ptx_visit_once(p, a, &first)) {
            return;
        }
        last = order;
    }
    for (uint32_t i = 0; i < out->count && first.count < PTX_MOST_VISITS; i++) {
        first.at[first.count++] = out->at[i];
    }
    *out = first;
}

static int same_visits(const ptx_visits *a, const ptx_visits *b) {
    uint32_t least = a->count < b->count ? a->count : b->count;
    for (uint32_t i = 0; i < least; i++) {
        if (a->at[i] != b->at[i]) {
            return 0;
        }
    }
    return least > 1;
}

/* The first visit that waits for the parity of the one before on its barrier; 0: there is none. */
static uint32_t first_again(const ptx_visits *is, uint32_t *before) {
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

/* Of the first visits of the barriers of a ring, one whose parity is again another one than before:
 * it changes once at most, where the ring comes round. 0: there is none. */
static uint32_t first_mixed(const ptx_visits *is) {
    uint32_t last = 0;
    uint32_t changes = 0;
    for (uint32_t i = 1; i < is->count; i++) {
        uint32_t k = i;
        while (k > 0 && is->at[k - 1] != is->at[i]) {
            k--;
        }
        if (k) {
            continue; /* it was visited before */
        }
        changes += is->parity[i] != is->parity[last];
        if (changes == 2) {
            return i;
        }
        last = i;
    }
    return 0;
}

static int is_spin(const ptx_act *a) {
    return a->kind == PTX_ACT_AWAIT && a->traits & PTX_SPINS;
}

/* All that open the phases of a wait's ring in a loop, or all that wait for it. 0: there are none,
 * or some of them are not in each turn, or perhaps on another ring. */
static int list_in(const ptx_protocol *p, const ptx_act *wait, uint32_t loop, int waits,
                   ptx_turn_acts *out) {
    *out = (ptx_turn_acts){0};
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if ((waits ? !is_spin(a) : !opens(a)) ||
            !ptx_block_in_loop(p->v->g, ptx_act_block(p, a), loop) ||
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
        const int always = ptx_is_in_each_turn(p, ptx_act_block(p, lead_of(p, a)), loop);
        out->sometimes |= !always;
        if (ptx_act_loop(p, a) != loop || out->count == PTX_MOST_IN_TURN || (waits && !always)) {
            return 0;
        }
        uint32_t at = out->count++;
        const uint32_t order = p->v->g->node[ptx_act_block(p, a)].order;
        for (; at && p->v->g->node[ptx_act_block(p, out->act[at - 1])].order > order; at--) {
            out->act[at] = out->act[at - 1];
        }
        out->act[at] = a;
    }
    return out->count > 0;
}

static void say_turns(ptx_protocol *p, const ptx_turn_acts *waits, uint32_t loop,
                      const ptx_visits *is, const ptx_act *by, uint32_t before, uint32_t again) {
    const ptx_act *wait = waits->act[again % waits->count];
    ptx_protocol_say_turns(
        p, loop, PTX_RULE_PARITY, 0, wait, by,
        "waits in turns %d and %d of a loop (line %d) for one barrier and both times "
        "for parity %d, and line %d opens a phase of it each time: the second wait "
        "does not wait, or waits for the wrong phase (if the loop turns so often). The "
        "parity changes each time the ring of stages comes round: (turn / stages) & 1",
        (int)is->turn[before] + 1, (int)is->turn[again] + 1, ptx_loop_line(p, loop),
        (int)is->parity[again], ptx_act_line(p, by));
}

/* Stages that are new, and waited for with one parity and another one. */
static void check_mixed(ptx_protocol *p, const ptx_turn_acts *waits, uint32_t loop,
                        const ptx_visits *is) {
    const uint32_t at = waits->count == 1 ? first_mixed(is) : 0;
    for (uint32_t i = 0; at && i < p->acts; i++) {
        if (opens(&p->act[i]) && on_one(p, &p->act[i], waits->act[0])) {
            ptx_protocol_say_turns(
                p, loop, PTX_RULE_PARITY, 0, waits->act[0], &p->act[i],
                "waits in the first turns of a loop (line %d) for barriers of a ring that it did "
                "not come to before, and not for the same parity: in turn %d for parity %d. A wait "
                "for parity 1 of a barrier's first phase ends at once, before line %d opens it (if "
                "the loop turns so often). The parity changes each time the ring of stages comes "
                "round: (turn / stages) & 1",
                ptx_loop_line(p, loop), (int)is->turn[at] + 1, (int)is->parity[at],
                ptx_act_line(p, &p->act[i]));
            return;
        }
    }
}

static void check_turns(ptx_protocol *p, const ptx_act *wait) {
    const uint32_t loop = ptx_act_loop(p, wait);
    ptx_turn_acts waits;
    ptx_turn_acts by;
    ptx_visits is;
    ptx_visits open;
    uint32_t before = 0;
    if (loop == PTX_NONE || !list_in(p, wait, loop, 1, &waits) || waits.act[0] != wait ||
        ptx_begins_anew(p, wait, loop) || !ptx_visit(p, &waits, loop, &is)) {
        return;
    }
    const uint32_t again = first_again(&is, &before);
    if (!again) {
        check_mixed(p, &waits, loop, &is);
    }
    for (uint32_t i = 0; again && i < p->acts; i++) {
        const uint32_t in = opens(&p->act[i]) ? ptx_act_loop(p, &p->act[i]) : (uint32_t)PTX_NONE;
        if (in != PTX_NONE && list_in(p, wait, in, 0, &by) && by.act[0] == &p->act[i] &&
            !ptx_begins_anew(p, wait, in) && ptx_visit(p, &by, in, &open)) {
            add_before(p, wait, in, &open);
            if (!same_visits(&is, &open)) {
                continue;
            }
            say_turns(p, &waits, loop, &is, &p->act[i], before, again);
            return;
        }
    }
}

/* --- a loop in a loop, which begins with the same parity each time --- */

/* The last visit of the barrier that is visited first, where it waits for the same parity; 0. */
static uint32_t ends_alike(const ptx_visits *is) {
    uint32_t last = is->count;
    while (--last && is->at[last] != is->at[0]) {
    }
    return is->parity[last] == is->parity[0] ? last : 0;
}

/* Whether an outer loop does something to a wait's barrier beside its inner loop. */
static int has_more(const ptx_protocol *p, const ptx_act *wait, uint32_t inner, uint32_t outer) {
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if ((opens(a) || a->kind == PTX_ACT_AWAIT || a->kind == PTX_ACT_INIT ||
             a->kind == PTX_ACT_INVAL || a->kind == PTX_ACT_REMOTE) &&
            ptx_block_in_loop(p->v->g, ptx_act_block(p, a), outer) &&
            !ptx_block_in_loop(p->v->g, ptx_act_block(p, a), inner) &&
            ptx_barriers_alike(p, a, wait) != PTX_DIFFERENT) {
            return 1;
        }
    }
    return 0;
}

/* After how many visits barriers and parities are the first ones again, each time; 0: not known. */
static uint32_t period_of(const ptx_visits *is) {
    uint32_t period = 1;
    for (uint32_t i = 0; i < is->count; i++) {
        if (i >= period &&
            (is->at[i] != is->at[i - period] || is->parity[i] != is->parity[i - period])) {
            period = i + 1;
            i = 0;
        }
    }
    return 2 * period <= is->count ? period : 0;
}

/* Whether the turns of an outer loop have phases of a wait's barriers opened. */
static const ptx_act *opens_within(const ptx_protocol *p, const ptx_act *wait) {
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        const uint32_t loop = opens(a) ? ptx_act_loop(p, a) : (uint32_t)PTX_NONE;
        if (loop != PTX_NONE && p->v->g->loop[loop].parent != PTX_NONE && on_one(p, a, wait) &&
            ptx_comes_in_each_turn(p, ptx_act_block(p, a), loop)) {
            return a;
        }
    }
    return NULL;
}

/* Stage and phase of an inner loop are set back for each turn of an outer one, whatever turns the
 * inner one had. */
static void check_set_back(ptx_protocol *p, const ptx_act *wait, uint32_t outer,
                           const ptx_visits *is) {
    const uint32_t period = period_of(is);
    const ptx_act *by = period > 1 ? opens_within(p, wait) : NULL;
    if (by) {
        ptx_protocol_say(
            p, PTX_RULE_PARITY, 0, wait, by,
            "begins with the same stage and parity %d each time that an outer loop "
            "(line %d) comes back to its loop, and line %d opens phases of these "
            "barriers in such turns, too: they go on from where they were, so that "
            "the first waits there are for another phase unless the inner loop has a "
            "multiple of %d turns (which is not known). Let stage and phase go on from "
            "one turn of the outer loop to the next",
            (int)is->parity[0], ptx_loop_line(p, outer), ptx_act_line(p, by), (int)period);
    }
}

static void check_begun_again(ptx_protocol *p, const ptx_act *wait) {
    const uint32_t loop = ptx_act_loop(p, wait);
    const uint32_t outer = loop == PTX_NONE ? loop : p->v->g->loop[loop].parent;
    ptx_turn_acts waits;
    ptx_turn_acts by;
    ptx_visits is;
    ptx_visits open;
    if (outer == PTX_NONE || !list_in(p, wait, loop, 1, &waits) || waits.act[0] != wait ||
        ptx_begins_anew(p, wait, loop) || has_more(p, wait, loop, outer)) {
        return;
    }
    waits.always_so = 1;
    if (!ptx_visit(p, &waits, loop, &is) || is.count < 2) {
        return;
    }
    if (!is.ends) {
        check_set_back(p, wait, outer, &is);
        return;
    }
    if (!ends_alike(&is)) {
        return;
    }
    if (list_in(p, wait, loop, 0, &by) && ptx_visit(p, &by, loop, &open) && open.ends &&
        open.count == is.count && same_visits(&is, &open)) {
        const uint32_t last = ends_alike(&is);
        ptx_protocol_say_turns(
            p, outer, PTX_RULE_PARITY, 0, wait, by.act[0],
            "waits for parity %d in turn %d of a loop (line %d) and in its first turn "
            "when an outer loop (line %d) comes back to it, and line %d opens a phase "
            "of the barrier each time: the first wait there does not wait, or waits "
            "for the wrong phase (if the outer loop turns again). Let the phase go on "
            "from one turn of the outer loop to the next",
            (int)is.parity[0], (int)is.turn[last] + 1, ptx_loop_line(p, loop),
            ptx_loop_line(p, outer), ptx_act_line(p, by.act[0]));
    }
}

/* --- the first wait --- */

/* The parity that an act waits for where it comes first. 0: not known. */
static int first_parity(ptx_protocol *p, const ptx_act *wait, uint64_t *parity) {
    ptx_first first = {.p = p, .around = PTX_NONE, .variable = PTX_NONE};
    const uint32_t loop = ptx_act_loop(p, wait);
    if (wait->number == PTX_UNKNOWN || !ptx_value_first(&first, wait->number, parity) ||
        first.by_thread) {
        return 0;
    }
    *parity &= 1;
    return loop == PTX_NONE || ptx_is_in_each_turn(p, ptx_act_block(p, lead_of(p, wait)), loop);
}

/* Which blocks, where `leads` is 1, a way leads from to a wait without having come to it. */
static void mark_before(const phaser *r, const ptx_act *wait) {
    const ptx_graph *g = r->p->v->g;
    const uint32_t block = ptx_act_block(r->p, wait);
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
        if (a->kind == PTX_ACT_AWAIT && r->leads[ptx_act_block(p, a)] &&
            !ptx_dominates(p->v->g, ptx_act_block(p, wait), ptx_act_block(p, a)) &&
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
    int in_loop = ptx_act_loop(p, wait) != PTX_NONE;
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
        in_loop |= a->kind == PTX_ACT_EXPECT && ptx_act_loop(p, a) != PTX_NONE;
        is_filled |= a->kind == PTX_ACT_LOAD && on_one(p, a, wait);
    }
    if (is_filled && opened && ptx_barrier_is_whole(p, wait) && !is_preceded(r, wait, 1)) {
        ptx_protocol_say(p, PTX_RULE_PARITY, opened == 1 && !in_loop, wait,
                         ptx_on_barrier(p, wait, PTX_ACT_LOAD),
                         "waits for parity 1 first: the barrier begins in phase 0, and the phase "
                         "before it counts as complete, so that this wait ends at once, before the "
                         "copy's bytes are there. The first phase has parity 0");
    }
}

/* Whether a wait for what may be `wait`'s barrier stands before an act. */
static int is_behind_wait(const ptx_protocol *p, const ptx_act *a, const ptx_act *wait) {
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *w = &p->act[i];
        if (is_spin(w) && ptx_act_block(p, w) != ptx_act_block(p, a) &&
            ptx_dominates(p->v->g, ptx_act_block(p, lead_of(p, w)), ptx_act_block(p, a)) &&
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
        int all = is_spin(full) &&
                  ptx_dominates(p->v->g, ptx_act_block(p, full), ptx_act_block(p, arrive)) &&
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
    if (p->many[PTX_ACT_CALL] || !p->many[PTX_ACT_LOAD] ||
        !ptx_can_judge(p, PTX_BUDGET_PHASES,
                       (uint64_t)p->acts * p->acts * p->many[PTX_ACT_AWAIT])) {
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
            check_begun_again(p, &p->act[i]);
            check_first_full(&r, &p->act[i]);
            check_first_empty(&r, &p->act[i]);
        }
    }
}
