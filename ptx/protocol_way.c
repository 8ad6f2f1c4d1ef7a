/* SPDX-License-Identifier: Apache-2.0
 *
 * The way between a finding's two acts: a shortest one that passes nothing of what the rule misses.
 *
 * It is one thread's, under the conditions of both acts. Where there is none it may be two
 * threads': from a barrier on (which one, the rule says) the conditions of the other act hold.
 * Where there is none of those either, what the rule misses stands on the way and does not count
 * (another thread's, or in the wrong place), or the way is that of the other act's thread alone,
 * from the kernel's begin.
 */
#include <string.h>

#include "protocol_way.h"
#include "tma/detail/assert.h"

#define KIND(kind) (UINT32_C(1) << PTX_ACT_##kind)

static const ptx_way_row way_rows[] = {
    {PTX_RULE_PROXY_STORE, PTX_WITH_FIRST, PTX_WAY_PAST, KIND(STORE) | KIND(SEND) | KIND(FETCH),
     KIND(WRITE), KIND(FENCE_ASYNC), KIND(SYNC) | KIND(AWAIT)},
    {PTX_RULE_PROXY_LOAD, PTX_WITH_FIRST, PTX_NO_WAY, KIND(LOAD), KIND(READ) | KIND(WRITE),
     KIND(SYNC) | KIND(AWAIT), 0},
    {PTX_RULE_PROXY_LOAD, PTX_ABOUT_FIRST, PTX_WAY_PAST, KIND(ARRIVE), KIND(READ), KIND(AWAIT), 0},
    /* uses of a ring's stages: from one to the next */
    {PTX_RULE_PROXY_LOAD, PTX_WITH_FIRST, PTX_NO_WAY, KIND(EXPECT), KIND(EXPECT),
     KIND(SYNC) | KIND(AWAIT), 0},
    {PTX_RULE_WAIT_MISSING, PTX_WITH_FIRST, PTX_NO_WAY, KIND(ARRIVE), KIND(ARRIVE),
     KIND(SYNC) | KIND(AWAIT), 0},
    {PTX_RULE_STORE_REUSE, PTX_ABOUT_FIRST, PTX_WAY_PAST, KIND(STORE),
     KIND(WRITE) | KIND(LOAD) | KIND(END), KIND(WAIT_GROUP), 0},
    {PTX_RULE_STORE_REUSE, PTX_ABOUT_FIRST, PTX_NO_WAY, KIND(SEND), KIND(WRITE), 0, 0},
    {PTX_RULE_EXIT, PTX_ABOUT_FIRST, PTX_NO_WAY, KIND(SEND), KIND(END), 0, 0},
    {PTX_RULE_WAIT_MISSING, PTX_ABOUT_FIRST, PTX_WAY_FROM_BEGIN, KIND(LOAD),
     KIND(READ) | KIND(FETCH), KIND(AWAIT), KIND(SYNC)},
    {PTX_RULE_BARRIER_INIT, PTX_ABOUT_FIRST, PTX_WAY_FROM_BEGIN, KIND(INIT), KIND(LOAD),
     KIND(FENCE) | KIND(FENCE_ASYNC) | KIND(SYNC), 0},
    {PTX_RULE_BARRIER_INIT, PTX_ABOUT_FIRST, PTX_WAY_FROM_BEGIN, KIND(INIT),
     KIND(LOAD) | KIND(AWAIT) | KIND(EXPECT) | KIND(ARRIVE) | KIND(REMOTE), KIND(SYNC), 0},
    {PTX_RULE_BARRIER_INIT, PTX_ABOUT_FIRST, PTX_NO_WAY, KIND(INIT), KIND(INIT), KIND(INVAL), 0},
    {PTX_RULE_BARRIER_INIT, PTX_WITH_FIRST, PTX_NO_WAY, KIND(INVAL), KIND(LOAD) | KIND(AWAIT),
     KIND(SYNC) | KIND(AWAIT), 0},
    {PTX_RULE_PARITY, PTX_WITH_FIRST, PTX_NO_WAY, KIND(AWAIT), KIND(AWAIT), 0, 0},
    {PTX_RULE_PARITY, PTX_ROUND, PTX_NO_WAY, KIND(AWAIT), KIND(EXPECT) | KIND(ARRIVE), 0, 0},
    {PTX_RULE_MAP_EDIT, PTX_WITH_FIRST, PTX_WAY_PAST, KIND(LOAD) | KIND(STORE), KIND(EDIT),
     KIND(FENCE_MAP), KIND(SYNC)},
    {PTX_RULE_FENCE, PTX_WITH_FIRST, PTX_WAY_PAST, KIND(LOAD) | KIND(STORE),
     KIND(REPLACE) | KIND(PUBLISH), KIND(FENCE_MAP), KIND(SYNC)},
    {PTX_RULE_PUBLISH, PTX_WITH_FIRST, PTX_WAY_PAST, KIND(LOAD) | KIND(STORE), KIND(REPLACE),
     KIND(MAP_RELEASE) | KIND(PUBLISH), KIND(SYNC)},
};

uint8_t ptx_way_kind(const ptx_protocol *p, uint32_t act) {
    return p->is_whim && p->is_whim[act] ? p->whim_kind : p->act[act].kind;
}

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
    if (w->row->rule == PTX_RULE_BARRIER_INIT &&
        (w->to->traits & PTX_TO_PEER || ptx_act_is_for_several(p, w->to))) {
        return kind == PTX_ACT_SYNC && a->traits & PTX_OF_CLUSTER;
    }
    return 1;
}

int ptx_way_misses(const ptx_way_walk *w, uint32_t act) {
    const uint8_t kind = ptx_way_kind(w->p, act);
    return (w->row->stops >> kind & 1) && counts(w, &w->p->act[act], kind);
}

static int stops(const ptx_way_walk *w, uint32_t act, int layer) {
    const ptx_act *thread = layer || !w->from ? w->to : w->from;
    return ptx_way_kind(w->p, act) == PTX_ACT_CALL ||
           (!w->passes && ptx_way_misses(w, act) && !may_skip(w->p, &w->p->act[act], thread));
}

static int switches(const ptx_way_walk *w, uint32_t act) {
    return w->row->switches >> ptx_way_kind(w->p, act) & 1;
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

/* The states that follow a block, to be looked at. */
static void go_on(const ptx_way_walk *w, uint32_t block, uint32_t state, int layers,
                  uint32_t *todos) {
    ptx_protocol *p = w->p;
    const ptx_node *n = &p->v->g->node[block];
    for (uint32_t i = 0; i < n->outs; i++) {
        for (uint32_t layer = 0; layer < 2; layer++) {
            const uint32_t next = 2 * p->v->g->out[n->first_out + i] + layer;
            if ((layers >> layer & 1) && !p->way_from[next] && takes_way(w, block, i, (int)layer)) {
                p->way_from[next] = state;
                p->way_todo[(*todos)++] = next;
            }
        }
    }
}

static void spend(ptx_protocol *p, uint64_t work) {
    p->way_work -= p->way_work > work ? work : p->way_work;
}

/* Whether there is a way: w->found is its last state, and way_from leads back from there. */
static int search(ptx_way_walk *w) {
    ptx_protocol *p = w->p;
    const ptx_graph *g = p->v->g;
    const uint32_t first = w->from ? g->step[w->from->step].block : 0;
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
    if (search_both(w)) {
        return 1;
    }
    w->passes = w->row->rest == PTX_WAY_PAST;
    w->from = w->row->rest == PTX_WAY_FROM_BEGIN ? NULL : w->from;
    return w->row->rest != PTX_NO_WAY && search_both(w);
}

static const ptx_way_row *row_of(ptx_rule rule, const ptx_act *about, const ptx_act *with) {
    for (size_t i = 0; i < sizeof(way_rows) / sizeof(way_rows[0]); i++) {
        const ptx_way_row *row = &way_rows[i];
        if (row->rule == rule && (row->about >> about->kind & 1) && (row->with >> with->kind & 1)) {
            return row;
        }
    }
    return NULL;
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

/* The way from one act to another, behind what the list has. 0: there is none. */
static int take(ptx_way_list *list, ptx_way_walk *w, const ptx_act *from, const ptx_act *to) {
    TMA_ASSERT(from >= w->p->act && from < w->p->act + w->p->acts);
    TMA_ASSERT(to >= w->p->act && to < w->p->act + w->p->acts);
    w->from = from;
    w->to = to;
    if (!search_all(w)) {
        return 0;
    }
    ptx_way_add(list, w);
    return 1;
}

void ptx_way_find(ptx_protocol *p, ptx_rule rule, const ptx_act *about, const ptx_act *with) {
    const ptx_way_row *row = row_of(rule, about, with);
    ptx_way_walk w = {.p = p, .row = row, .about = about};
    ptx_way_list list = {.count = 0};
    if (!row || !p->way_work || begin(p)) {
        return;
    }
    const int is_found = row->order == PTX_WITH_FIRST ? take(&list, &w, with, about)
                         : row->order == PTX_ROUND
                             ? take(&list, &w, about, with) && take(&list, &w, with, about)
                             : take(&list, &w, about, with);
    if (is_found) {
        ptx_way_keep(p, &list);
    }
}
