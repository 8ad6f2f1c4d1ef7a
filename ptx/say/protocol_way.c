/* SPDX-License-Identifier: Apache-2.0
 *
 * The way between a finding's two acts: a shortest one that passes nothing of what the rule misses;
 * protocol_ways.def has its legs.
 *
 * A leg is one thread's, under the conditions of both acts. Where there is none it may be two
 * threads': from a barrier on (which one, the rule says) the conditions of the other act hold.
 * Where there is none of those either, what the rule misses may stand on the way and does not count
 * (another thread's, or in the wrong place). A leg that does not begin where the one before ends is
 * another thread's, at the same time.
 */
#include <string.h>

#include "protocol_way.h"
#include "tma/detail/assert.h"

#define KIND(kind) (UINT64_C(1) << PTX_ACT_##kind)

#define MOST_BACK 64 /* blocks of a way */
#define MOST_TOLD 32 /* pairs of an act and a wait that are tried */

static const ptx_way_row way_rows[] = {
#define PTX_WAY(rule, about, with, one, two, may_pass, stops, switches)                            \
    {PTX_RULE_##rule, {one, two}, may_pass, about, with, stops, switches},
#include "protocol_ways.def"
};

/* Whether a thread may pass an act by without running it: a's guard does not hold. */
static int may_skip(const ptx_protocol *p, const ptx_act *a, const ptx_act *thread) {
    ptx_condition guard = a->guard;
    guard.holds = !guard.holds;
    return a->is_guarded && ptx_act_may_have(p, thread, &guard);
}

/* Whether an act of a kind that the rule misses is one that it misses: a wait for another barrier
 * is none, nor is what the CTA does alone where other CTAs are reached. */
static int counts(const ptx_way_walk *w, const ptx_act *a, uint8_t kind) {
    const ptx_protocol *p = w->p;
    if (w->row->rule == PTX_RULE_WAIT_MISSING && kind == PTX_ACT_AWAIT &&
        w->about->kind == PTX_ACT_LOAD) {
        return ptx_is_wait_for(p, a, w->about);
    }
    if (w->row->rule == PTX_RULE_BARRIER_INIT && ptx_reaches_others(p, w->to)) {
        return kind == PTX_ACT_SYNC && a->traits & PTX_OF_CLUSTER;
    }
    return 1;
}

int ptx_way_misses(const ptx_way_walk *w, uint32_t act) {
    const uint8_t kind = w->p->act[act].kind;
    return (w->row->stops >> kind & 1) && counts(w, &w->p->act[act], kind);
}

static int stops(const ptx_way_walk *w, uint32_t act, int layer) {
    const ptx_act *thread = layer || !w->from ? w->to : w->from;
    return w->p->act[act].kind == PTX_ACT_CALL ||
           (!w->passes && ptx_way_misses(w, act) && !may_skip(w->p, &w->p->act[act], thread));
}

static int switches(const ptx_way_walk *w, uint32_t act) {
    return w->row->switches >> w->p->act[act].kind & 1;
}

uint32_t ptx_way_switch(const ptx_way_walk *w, uint32_t act, uint32_t end) {
    uint32_t at = PTX_NONE;
    for (; act < end; act++) {
        at = stops(w, act, 1) ? PTX_NONE : at == PTX_NONE && switches(w, act) ? act : at;
    }
    return at;
}

/* Which of the layers that come to a block's act come to the end of it: bit 0, bit 1. *found is set
 * where the way's end is reached. */
static int past_acts(const ptx_way_walk *w, uint32_t act, uint32_t end, int layers, int *found) {
    for (; act < end && layers; act++) {
        if (&w->p->act[act] == w->to && (layers >> w->is_two & 1)) {
            *found = 1;
            return 0;
        }
        layers &= ~(stops(w, act, 0) | stops(w, act, 1) << 1);
        if (w->is_two && layers & 1 && switches(w, act)) {
            layers |= 2;
        }
    }
    return layers;
}

static int takes_way(const ptx_way_walk *w, uint32_t block, uint32_t out, int layer) {
    return (layer || !w->from || ptx_act_takes_way(w->p, w->from, block, out)) &&
           ((w->is_two && !layer) || ptx_act_takes_way(w->p, w->to, block, out));
}

/* Whether a way from a block to another one is taken where a condition does not hold. */
static int is_against(const ptx_protocol *p, uint32_t from, uint32_t to, const ptx_condition *is) {
    const ptx_graph *g = p->v->g;
    const uint32_t *out = &g->out[g->node[from].first_out];
    int against = g->node[from].outs != 0;
    for (uint32_t k = 0; k < g->node[from].outs; k++) {
        const ptx_condition was = ptx_way_condition(p, from, k);
        against &=
            out[k] != to || (k < 2 && was.key != PTX_UNKNOWN && ptx_conditions_clash(&was, is));
    }
    return against;
}

/* What a condition behind a block, in which ways bring it together, is on the way from another one.
 */
static ptx_condition before_merge(const ptx_protocol *p, uint32_t from, uint32_t to,
                                  ptx_condition is) {
    const ptx_form *f = &p->v->forms.form[is.key];
    const ptx_atom *a = f->terms == 1 ? &p->v->forms.atom[f->term[0].atom] : NULL;
    const ptx_node *n = &p->v->g->node[to];
    if (!a || a->kind != PTX_ATOM_MERGED || a->a != to || f->number || f->term[0].times != 1 ||
        is.is_equal) {
        return is;
    }
    const uint32_t merge = ptx_merge_of(p->v, a->a, a->b);
    uint32_t in = 0;
    while (in < n->ins && p->v->g->in[n->first_in + in] != from) {
        in++;
    }
    return in == n->ins || merge == PTX_NONE
               ? (ptx_condition){0}
               : ptx_condition_of(p->v, p->v->arg[p->v->merge[merge].first_arg + in], is.holds);
}

static void spend(ptx_protocol *p, uint64_t work) {
    p->way_work -= p->way_work > work ? work : p->way_work;
}

/* Whether what led to a block's state clashes with a way out of it, which is taken in a layer. Of a
 * long way its last part is looked at; before another thread goes on, its conditions are others. */
static int clashes(const ptx_way_walk *w, uint32_t block, uint32_t state, uint32_t out,
                   uint32_t layer) {
    ptx_protocol *p = w->p;
    ptx_condition is = ptx_way_condition(p, block, out);
    if (out > 1 || is.key == PTX_UNKNOWN || !ptx_is_constant(p->v, is.key)) {
        return 0;
    }
    for (uint32_t i = 0; i < MOST_BACK && state != PTX_WAY_BEGINS; i++) {
        const uint32_t at = state - 1;
        state = p->way_from[at];
        spend(p, 1);
        const uint32_t from = state == PTX_WAY_BEGINS ? w->first : (state - 1) / 2;
        if ((at & 1) != layer) {
            return 0;
        }
        is = before_merge(p, from, at / 2, is);
        if (is.key == PTX_UNKNOWN) {
            return 0;
        }
        if (is_against(p, from, at / 2, &is)) {
            return 1;
        }
    }
    return 0;
}

/* The states that follow a block, to be looked at. */
static void go_on(const ptx_way_walk *w, uint32_t block, uint32_t state, int layers,
                  uint32_t *todos) {
    ptx_protocol *p = w->p;
    const ptx_node *n = &p->v->g->node[block];
    for (uint32_t i = 0; i < n->outs; i++) {
        for (uint32_t layer = 0; layer < 2; layer++) {
            const uint32_t to = p->v->g->out[n->first_out + i];
            const uint32_t next = 2 * to + layer;
            if ((layers >> layer & 1) && !p->way_from[next] && takes_way(w, block, i, (int)layer) &&
                !clashes(w, block, state, i, layer)) {
                p->way_from[next] = state;
                p->way_todo[(*todos)++] = next;
            }
        }
    }
}

/* Whether there is a way: w->found is its last state, and way_from leads back from there. */
static int search(ptx_way_walk *w) {
    ptx_protocol *p = w->p;
    const ptx_graph *g = p->v->g;
    const uint32_t first = w->first = w->from ? g->step[w->from->step].block : 0;
    const uint32_t begin = w->from ? (uint32_t)(w->from - p->act) + 1 : p->first[0];
    uint32_t todos = 0;
    int found = 0;
    memset(p->way_from, 0, 2 * (size_t)g->nodes * sizeof(*p->way_from));
    spend(p, g->nodes / 4 + 1);
    w->found = PTX_WAY_BEGINS;
    const int layers = past_acts(w, begin, p->first[first + 1], 1, &found);
    go_on(w, first, PTX_WAY_BEGINS, layers, &todos);
    for (uint32_t i = 0; i < todos && !found; i++) {
        TMA_ASSERT(todos <= 2 * g->nodes);
        const uint32_t at = p->way_todo[i];
        const uint32_t act = p->first[at / 2];
        const uint32_t end = p->first[at / 2 + 1];
        const int left = past_acts(w, act, end, 1 << (at & 1), &found);
        w->found = at;
        go_on(w, at / 2, at + 1, left, &todos);
        spend(p, end - act + 8);
    }
    return found;
}

/* One thread's way; or two threads'. */
static int search_both(ptx_way_walk *w) {
    w->is_two = 0;
    if (search(w)) {
        return 1;
    }
    w->is_two = 1;
    return w->row->switches && w->from && search(w);
}

/* A way without what the rule misses; or else what there is instead. */
static int search_all(ptx_way_walk *w) {
    w->passes = 0;
    if (search_both(w)) {
        return 1;
    }
    w->passes = w->row->may_pass;
    return w->row->may_pass && search_both(w);
}

/* -1: no memory */
static int begin(ptx_protocol *p) {
    const size_t states = 2 * (size_t)p->v->g->nodes + 2;
    if (!p->way_from) {
        p->way_from = ptx_memory_take(p->memory, states, sizeof(*p->way_from));
        p->way_todo = ptx_memory_take(p->memory, states, sizeof(*p->way_todo));
    }
    return p->memory->failed ? -1 : 0;
}

/* The way from one act (null: the kernel's begin) to another, behind what the list has. 0: there is
 * none. */
static int take(ptx_way_list *list, ptx_way_walk *w, const ptx_act *from, const ptx_act *to) {
    TMA_ASSERT(!from || (from >= w->p->act && from < w->p->act + w->p->acts));
    TMA_ASSERT(to >= w->p->act && to < w->p->act + w->p->acts);
    w->from = from;
    w->to = to;
    if (!w->p->way_work || !search_all(w)) {
        return 0;
    }
    ptx_way_add(list, w);
    return 1;
}

/* --- from thread to thread by way of a barrier --- */

#define TELLING (KIND(SYNC) | KIND(ARRIVE) | KIND(EXPECT) | KIND(LOAD) | KIND(REMOTE))

/* Whether who waits somewhere may be told by what another thread does. */
static int tells(const ptx_protocol *p, const ptx_act *act, const ptx_act *wait) {
    if (wait->kind == PTX_ACT_SYNC) {
        const uint32_t both = ptx_sync_names(p, act) & ptx_sync_names(p, wait);
        return act != wait && !(wait->traits & PTX_GOES_ON) && both && !(both & (both - 1));
    }
    return (KIND(ARRIVE) | KIND(EXPECT) | KIND(LOAD) | KIND(REMOTE)) >> act->kind & 1 &&
           wait->kind == PTX_ACT_AWAIT && ptx_barriers_alike(p, act, wait) != PTX_DIFFERENT;
}

/* The way from an act to one that tells who waits, and from the wait on to another act. */
static int take_told(ptx_way_list *list, ptx_way_walk *w, const ptx_act *const end[2],
                     const ptx_act *act, const ptx_act *wait) {
    const ptx_way_list before = *list;
    if (act != end[0] && !take(list, w, end[0], act)) {
        return 0;
    }
    if (act == end[0]) {
        w->from = end[0];
        ptx_way_begin(list, w);
    }
    ptx_way_hand_over(list, w, wait);
    if (wait == end[1] || take(list, w, wait, end[1])) {
        return 1;
    }
    *list = before;
    return 0;
}

/* The ways through what one act tells. 1: there is one; -1: no more is tried. */
static int take_telling(ptx_way_list *list, ptx_way_walk *w, const ptx_act *const end[2],
                        const ptx_act *act, uint32_t *tries) {
    const ptx_protocol *p = w->p;
    spend(w->p, p->acts / 4 + 1);
    for (uint32_t k = 0; k < p->acts; k++) {
        if (!w->p->way_work) {
            return -1;
        }
        if (!tells(p, act, &p->act[k])) {
            continue;
        }
        if ((*tries)++ == MOST_TOLD) {
            return -1;
        }
        if (take_told(list, w, end, act, &p->act[k])) {
            return 1;
        }
    }
    return 0;
}

static int take_over(ptx_way_list *list, ptx_way_walk *w, const ptx_act *from, const ptx_act *to) {
    const ptx_protocol *p = w->p;
    const ptx_act *const end[] = {from, to};
    uint32_t tries = 0;
    uint32_t left = 0; /* acts that tell */
    for (uint32_t kind = 0; kind < PTX_ACTS; kind++) {
        left += TELLING >> kind & 1 ? p->many[kind] : 0;
    }
    /* the act itself tells; else one behind it */
    int taken = TELLING >> from->kind & 1 ? take_telling(list, w, end, from, &tries) : 0;
    for (uint32_t i = 0; i < p->acts && left && !taken; i++) {
        if (TELLING >> p->act[i].kind & 1) {
            left--;
            taken = &p->act[i] == from ? 0 : take_telling(list, w, end, &p->act[i], &tries);
        }
    }
    return taken > 0;
}

/* --- legs --- */

static int take_leg(ptx_way_list *list, ptx_way_walk *w, ptx_leg leg) {
    const ptx_act *about = w->about;
    const ptx_act *with = w->with;
    switch (leg) {
    case PTX_LEG_NONE:
        return 1;
    case PTX_AT_ABOUT:
        w->from = about;
        ptx_way_begin(list, w);
        return 1;
    case PTX_TO_ABOUT:
        return take(list, w, NULL, about);
    case PTX_TO_WITH:
        return take(list, w, NULL, with);
    case PTX_ABOUT_WITH:
        return take(list, w, about, with);
    case PTX_WITH_ABOUT:
        return take(list, w, with, about);
    case PTX_OVER_WITH:
        return take_over(list, w, about, with);
    case PTX_OVER_ABOUT:
        return take_over(list, w, with, about);
    }
    return 0;
}

static int fits(const ptx_way_row *row, ptx_rule rule, const ptx_act *about, const ptx_act *with) {
    return row->rule == rule && (row->about >> about->kind & 1) &&
           (with ? row->with >> with->kind & 1 : !row->with);
}

void ptx_way_find(ptx_protocol *p, uint32_t finding, ptx_rule rule, const ptx_act *about,
                  const ptx_act *with) {
    ptx_way_list list;
    int found = 0;
    for (size_t i = 0; i < sizeof(way_rows) / sizeof(way_rows[0]) && !found; i++) {
        const ptx_way_row *row = &way_rows[i];
        ptx_way_walk w = {.p = p, .row = row, .about = about, .with = with};
        if (!fits(row, rule, about, with) || begin(p)) {
            continue;
        }
        list.count = 0;
        list.end = NULL;
        found = 1;
        for (size_t k = 0; k < PTX_MOST_LEGS && found; k++) {
            found = take_leg(&list, &w, (ptx_leg)row->leg[k]);
        }
    }
    if (found) {
        ptx_way_keep(p, finding, &list);
    }
}

/* The first act at a row of a file, or NULL. */
static const ptx_act *act_at(const ptx_protocol *p, uint32_t row) {
    for (uint32_t i = 0; i < p->acts; i++) {
        if (p->v->g->step[p->act[i].step].row == row) {
            return &p->act[i];
        }
    }
    return NULL;
}

void ptx_way_find_rest(ptx_protocol *p) {
    for (uint32_t i = 0; i < p->r->findings; i++) {
        const ptx_finding *f = &p->r->finding[i];
        const int is_bare = f->with && !f->way && f->rule == ptx_rule_at(PTX_RULE_EXPECT)->name;
        const ptx_act *about = is_bare ? act_at(p, f->row) : NULL;
        const ptx_act *with = about ? act_at(p, f->with - 1) : NULL;
        if (with) {
            ptx_way_find(p, i, PTX_RULE_EXPECT, about, with);
        }
    }
}
