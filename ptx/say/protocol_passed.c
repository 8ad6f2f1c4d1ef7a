/* SPDX-License-Identifier: Apache-2.0
 *
 * The places of a way, in the order in which they are passed: what matters of them.
 */
#include <string.h>

#include "protocol_way.h"
#include "ptx_value_text.h"
#include "tma/detail/assert.h"

#define MOST_RUN       3   /* places of one kind in a row */
#define MOST_CONDITION 100 /* characters */

/* Takes a place out, and counts it at the one before. It goes to the end by exchanges, of which a
 * compiler makes no memmove. */
static void leave_out(ptx_way_list *list, uint32_t i) {
    list->place[i - 1].is.left_out += 1 + list->place[i].is.left_out;
    for (list->count--; i < list->count; i++) {
        const ptx_way_place next = list->place[i + 1];
        list->place[i + 1] = list->place[i];
        list->place[i] = next;
    }
}

static int is_run(const ptx_way_list *list, uint8_t kind) {
    uint32_t same = 0;
    while (same < MOST_RUN && same < list->count &&
           list->place[list->count - 1 - same].is.kind == kind) {
        same++;
    }
    return same == MOST_RUN;
}

static void add(ptx_way_list *list, ptx_passed passed, ptx_condition under) {
    if (is_run(list, passed.kind)) {
        leave_out(list, list->count - 1);
    } else if (list->count == PTX_MOST_PASSED) {
        leave_out(list, PTX_MOST_PASSED / 2);
    }
    TMA_ASSERT(list->count < PTX_MOST_PASSED);
    list->place[list->count++] = (ptx_way_place){passed, under};
}

static void add_place(ptx_way_list *list, ptx_passed_kind kind, uint32_t row) {
    add(list, (ptx_passed){.row = row, .kind = (uint8_t)kind}, (ptx_condition){0});
}

static ptx_passed_kind kind_of(const ptx_protocol *p, uint32_t act) {
    switch (p->act[act].kind) {
    case PTX_ACT_SYNC:
        return PTX_PASSED_BARRIER;
    case PTX_ACT_FENCE_ASYNC:
    case PTX_ACT_FENCE:
    case PTX_ACT_MAP_RELEASE:
    case PTX_ACT_FENCE_MAP:
    case PTX_ACT_PUBLISH:
        return PTX_PASSED_FENCE;
    case PTX_ACT_WAIT_GROUP:
    case PTX_ACT_MMA_WAIT:
    case PTX_ACT_AWAIT:
        return PTX_PASSED_WAIT;
    default:
        return PTX_PASSED_KINDS;
    }
}

static void add_act(ptx_way_list *list, const ptx_way_walk *w, uint32_t act, int is_others) {
    const ptx_act *a = &w->p->act[act];
    const ptx_passed_kind kind = kind_of(w->p, act);
    ptx_passed passed = {.row = w->p->v->g->step[a->step].row, .kind = (uint8_t)kind};
    if (a->kind == PTX_ACT_END && a->is_guarded) { /* @p ret */
        ptx_condition under = a->guard;
        under.holds = !under.holds;
        passed.kind = PTX_PASSED_BRANCH;
        add(list, passed, under);
    } else if (kind != PTX_PASSED_KINDS) {
        passed.is_others = (uint8_t)is_others;
        passed.is_not_run = a->is_guarded && !w->passes && ptx_way_misses(w, act);
        add(list, passed, (ptx_condition){0});
    }
}

/* A part of a block. */
static void add_steps(ptx_way_list *list, const ptx_way_walk *w, uint32_t step, uint32_t end,
                      int is_switched) {
    const ptx_graph *g = w->p->v->g;
    const uint32_t block = step < end ? g->step[step].block : 0;
    uint32_t act = w->p->first[block];
    while (act < w->p->first[block + 1] && w->p->act[act].step < step) {
        act++;
    }
    uint32_t end_act = act;
    while (end_act < w->p->first[block + 1] && w->p->act[end_act].step < end) {
        end_act++;
    }
    const uint32_t switched = is_switched ? ptx_way_switch(w, act, end_act) : PTX_NONE;
    for (; step < end; step++) {
        if (g->step[step].kind == PTX_STEP_LEAVE) {
            add_place(list, PTX_PASSED_RETURN, g->step[step].row);
        }
        for (; act < end_act && w->p->act[act].step == step; act++) {
            add_act(list, w, act, act == switched);
        }
    }
}

/* Whether another way than to this block leads out of one, in a loop that does more than wait. */
static int is_choice(const ptx_protocol *p, uint32_t block, uint32_t to) {
    const ptx_graph *g = p->v->g;
    const ptx_node *n = &g->node[block];
    int others = 0;
    for (uint32_t i = 0; i < n->outs; i++) {
        others |= ptx_block_row(g, g->out[n->first_out + i]) != ptx_block_row(g, to) &&
                  (i > 1 || p->can_branch[block] >> i & 1);
    }
    for (uint32_t i = p->first[block]; i < p->first[block + 1]; i++) {
        others &= p->act[i].kind != PTX_ACT_AWAIT || !(p->act[i].traits & PTX_SPINS);
    }
    return others;
}

static void add_way(ptx_way_list *list, const ptx_protocol *p, uint32_t from, uint32_t to) {
    const ptx_graph *g = p->v->g;
    const ptx_node *n = &g->node[from];
    uint32_t out = 0;
    uint32_t loop = 0;
    if (n->first == n->end) {
        return;
    }
    while (out < n->outs && g->out[n->first_out + out] != to) {
        out++;
    }
    const ptx_step *last = &g->step[n->end - 1];
    ptx_passed passed = {.row = last->row, .taken = out == 0};
    const ptx_condition under = ptx_way_condition(p, from, out);
    if (last->kind == PTX_STEP_ENTER && out == 0) {
        add_place(list, PTX_PASSED_CALL, last->row);
    } else if (ptx_way_of(g, from, to, &loop) != PTX_WAY_ON && ptx_block_row(g, to) != PTX_NONE) {
        passed.kind = PTX_PASSED_BACK;
        passed.back = ptx_block_row(g, to) + 1;
        add(list, passed, under);
    } else if (is_choice(p, from, to)) {
        passed.kind = PTX_PASSED_BRANCH;
        add(list, passed, under);
    }
}

/* The states of a way, from its end back, where the search has its own list. */
static uint32_t states_of(const ptx_way_walk *w) {
    uint32_t count = 0;
    for (uint32_t at = w->found; at != PTX_WAY_BEGINS; at = w->p->way_from[at]) {
        at -= count != 0; /* what way_from has is a state + 1 */
        w->p->way_todo[count++] = at;
    }
    return count;
}

/* What a leg begins or ends with: one of the finding's acts, or another one. */
static ptx_passed_kind kind_of_end(const ptx_way_walk *w, const ptx_act *act) {
    const ptx_passed_kind kind = kind_of(w->p, (uint32_t)(act - w->p->act));
    return act == w->about || act == w->with ? PTX_PASSED_ACT
           : kind != PTX_PASSED_KINDS        ? kind
           : act->kind == PTX_ACT_END        ? PTX_PASSED_END
           : act->kind == PTX_ACT_LOAD       ? PTX_PASSED_COPY
                                             : PTX_PASSED_ARRIVE;
}

/* Whether a finding is about another CTA, too. */
static int is_of_ctas(const ptx_act *about) {
    return about->kind == PTX_ACT_PEER || about->traits & (PTX_TO_PEER | PTX_TO_CLUSTER);
}

void ptx_way_begin(ptx_way_list *list, const ptx_way_walk *w) {
    const ptx_graph *g = w->p->v->g;
    ptx_passed passed = {.row = w->from ? g->step[w->from->step].row : ptx_block_row(g, 0)};
    if (list->count && list->end == w->from) {
        return;
    }
    passed.kind = (uint8_t)(w->from ? kind_of_end(w, w->from) : PTX_PASSED_BEGIN);
    passed.meanwhile = !list->count           ? PTX_NOT_MEANWHILE
                       : is_of_ctas(w->about) ? PTX_IN_OTHER_CTA
                                              : PTX_IN_OTHER_THREAD;
    add(list, passed, (ptx_condition){0});
    list->end = w->from;
}

/* Where a way ends. */
static void add_end(ptx_way_list *list, const ptx_way_walk *w) {
    ptx_passed passed = {.row = w->p->v->g->step[w->to->step].row};
    passed.kind = (uint8_t)kind_of_end(w, w->to);
    for (uint32_t i = 0; i < list->count; i++) {
        const ptx_passed *is = &list->place[i].is;
        passed.is_again |= is->kind == PTX_PASSED_ACT && is->row == passed.row;
    }
    add(list, passed, (ptx_condition){0});
    list->end = w->to;
}

void ptx_way_hand_over(ptx_way_list *list, const ptx_way_walk *w, const ptx_act *wait) {
    ptx_passed passed = {.row = w->p->v->g->step[wait->step].row, .is_others = 1};
    passed.kind = (uint8_t)kind_of_end(w, wait);
    add(list, passed, (ptx_condition){0});
    list->end = wait;
}

void ptx_way_add(ptx_way_list *list, const ptx_way_walk *w) {
    const ptx_graph *g = w->p->v->g;
    uint32_t left = states_of(w);
    uint32_t state = 2 * (w->from ? g->step[w->from->step].block : 0);
    uint32_t step = w->from ? w->from->step + 1 : g->node[0].first;
    ptx_way_begin(list, w);
    while (left) {
        const uint32_t next = w->p->way_todo[--left];
        add_steps(list, w, step, g->node[state / 2].end, (next & 1) > (state & 1));
        add_way(list, w->p, state / 2, next / 2);
        state = next;
        step = g->node[next / 2].first;
    }
    add_steps(list, w, step, w->to->step, w->is_two && !(state & 1));
    add_end(list, w);
}

/* "%tid.x = 0"; null: it is not known, or too long to be said. */
static char *text_of(ptx_protocol *p, const ptx_condition *c) {
    char text[MOST_CONDITION + 1];
    tma_out out = tma_out_into(text, sizeof(text));
    if (c->key == PTX_UNKNOWN) {
        return NULL;
    }
    tma_put(&out, c->is_equal || c->holds ? "" : "not (");
    ptx_value_put(&out, p->v, c->key);
    if (c->is_equal) {
        tma_putf(&out, c->holds ? " = %" TMA_U64 : " is not %" TMA_U64, c->number);
    } else {
        tma_put(&out, c->holds ? "" : ")");
    }
    char *kept =
        out.length > MOST_CONDITION ? NULL : ptx_memory_take(p->r->memory, out.length + 1, 1);
    if (kept) {
        memcpy(kept, text, out.length);
    }
    return kept;
}

void ptx_way_keep(ptx_protocol *p, uint32_t finding, const ptx_way_list *list) {
    ptx_finding *f = &p->r->finding[finding];
    f->way = ptx_memory_take(p->r->memory, list->count, sizeof(*f->way));
    for (uint32_t i = 0; f->way && i < list->count; i++) {
        f->way[i] = list->place[i].is;
        f->way[i].condition = text_of(p, &list->place[i].under);
        f->passed = i + 1;
    }
}
