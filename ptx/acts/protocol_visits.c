/* SPDX-License-Identifier: Apache-2.0
 *
 * The turns of a loop gone through with numbers: how many there are.
 */
#include "ptx_protocol.h"

#define MOST_DEEP    12 /* operations in operations */
#define MOST_TURNS   72 /* that are gone through */
#define MOST_CARRIED 12 /* values that a loop carries from turn to turn */

/* The turns of one loop, one after the other, with numbers for what it carries from turn to turn.
 */
typedef struct turner {
    ptx_protocol *p;
    uint32_t loop;
    ptx_held given[MOST_CARRIED + 1]; /* the loop's turns, then what it carries */
    ptx_value next[MOST_CARRIED + 1];
    uint32_t givens;
    uint32_t only; /* see ptx_first */
    int fails;
} turner;

static int number_of(const turner *t, ptx_value value, uint64_t *out) {
    ptx_first first = {.p = t->p,
                       .around = PTX_NONE,
                       .variable = PTX_NONE,
                       .given = t->given,
                       .givens = t->givens,
                       .turning = t->loop + 1,
                       .only = t->only};
    return ptx_value_first(&first, value, out) && !first.by_thread;
}

static void carry(turner *t, ptx_value value, int deep);
static void carry_condition(turner *t, const ptx_condition *c);

/* NOLINTNEXTLINE(misc-no-recursion): MOST_CARRIED */
static void carry_atom(turner *t, uint32_t atom, const ptx_atom *a) {
    uint64_t number = 0;
    for (uint32_t i = 0; i < t->givens; i++) {
        if (t->given[i].atom == atom) {
            return;
        }
    }
    ptx_first first = {.p = t->p, .around = PTX_NONE, .variable = PTX_NONE, .only = t->only};
    const ptx_value is = ptx_form_atom(&t->p->v->forms, atom, 64);
    const ptx_value next = ptx_value_merged(t->p->v, a, 1);
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

/* Finds what a value hangs on; where that can not be gone through, it is no matter. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_CARRIED, MOST_DEEP */
static void try_value(turner *t, ptx_value value) {
    const turner before = *t;
    uint64_t number = 0;
    if (value == PTX_UNKNOWN) {
        return;
    }
    carry(t, value, MOST_DEEP);
    int fails = t->fails;
    for (uint32_t i = before.givens; i < t->givens && !fails; i++) {
        fails = !number_of(t, t->next[i], &number);
    }
    if (fails) {
        *t = before;
    }
}

/* NOLINTNEXTLINE(misc-no-recursion): MOST_CARRIED, MOST_DEEP */
static void carry_condition(turner *t, const ptx_condition *c) {
    try_value(t, c->key);
}

/* Where a block ends in a way out of the loop: on which side the loop goes on. */
static int goes_on(const turner *t, uint32_t block, int in[2]) {
    const ptx_graph *g = t->p->v->g;
    if (g->node[block].outs != 2 || t->p->branch[block].key == PTX_UNKNOWN ||
        !ptx_block_in_loop(g, block, t->loop)) {
        return 0;
    }
    for (uint32_t i = 0; i < 2; i++) {
        in[i] = ptx_block_in_loop(g, g->out[g->node[block].first_out + i], t->loop);
    }
    return in[0] != in[1];
}

/* Where ways of one turn bring a predicate together: its merge, or PTX_NONE. Compilers that do not
 * optimise ask "x && y" so. */
static uint32_t merge_asked(const turner *t, const ptx_condition *c) {
    const ptx_values *v = t->p->v;
    const ptx_form *f = &v->forms.form[c->key];
    const ptx_atom *a = f->terms == 1 && !f->number ? &v->forms.atom[f->term[0].atom] : NULL;
    return c->key == PTX_UNKNOWN || c->is_equal || !a || a->kind != PTX_ATOM_MERGED || a->c ||
                   a->a == v->g->loop[t->loop].head || !ptx_block_in_loop(v->g, a->a, t->loop)
               ? PTX_NONE
               : ptx_merge_of(v, a->a, a->b);
}

/* The loop's blocks are looked at; it fails where that was done too often. */
static int may_look(turner *t) {
    ptx_protocol *p = t->p;
    const ptx_graph *g = p->v->g;
    const uint32_t looks = g->loop[t->loop].end - g->node[g->loop[t->loop].head].order;
    if (p->turn_work < looks) {
        ptx_leave_unjudged(p->r, g->root, PTX_BUDGET_TURN_STEPS);
        t->fails = 1;
        return 0;
    }
    p->turn_work -= looks;
    return 1;
}

/* Finds what the ways out of the loop hang on. */
static void try_exits(turner *t) {
    const ptx_values *v = t->p->v;
    const ptx_graph *g = v->g;
    int in[2];
    if (!may_look(t)) {
        return;
    }
    for (uint32_t i = g->node[g->loop[t->loop].head].order; i < g->loop[t->loop].end; i++) {
        if (!goes_on(t, g->ordered[i], in)) {
            continue;
        }
        carry_condition(t, &t->p->branch[g->ordered[i]]);
        const uint32_t at = merge_asked(t, &t->p->branch[g->ordered[i]]);
        const ptx_node *n = at == PTX_NONE ? NULL : &g->node[v->merge[at].node];
        for (uint32_t k = 0; n && k < n->ins; k++) {
            const ptx_condition brought = {.key = v->arg[v->merge[at].first_arg + k]};
            carry_condition(t, &brought);
            carry_condition(t, &t->p->branch[g->in[n->first_in + k]]);
        }
    }
}

static turner turner_of(ptx_protocol *p, uint32_t loop) {
    return (turner){.p = p, .loop = loop, .given = {{PTX_NONE, 0}}, .givens = 1};
}

/* On to the next turn. 0: what it carries is not known. */
static int go_on(turner *t) {
    uint64_t now[MOST_CARRIED + 1];
    for (uint32_t i = 1; i < t->givens; i++) {
        if (!number_of(t, t->next[i], &now[i])) {
            return 0;
        }
    }
    for (uint32_t i = 1; i < t->givens; i++) {
        t->given[i].number = now[i];
    }
    t->given[0].number++;
    return 1;
}

/* Whether a way out of the loop stands on all ways back. */
static int is_always(const turner *t, uint32_t block) {
    const ptx_graph *g = t->p->v->g;
    const uint32_t head = g->loop[t->loop].head;
    for (uint32_t i = 0; i < g->node[head].ins; i++) {
        uint32_t loop = 0;
        const uint32_t from = g->in[g->node[head].first_in + i];
        if (g->node[from].order != PTX_NONE && ptx_way_of(g, from, head, &loop) != PTX_WAY_ON &&
            !ptx_dominates(g, block, from)) {
            return 0;
        }
    }
    return 1;
}

/* Whether a condition is known in this turn; *holds. */
static int is_known(const turner *t, const ptx_condition *c, int *holds) {
    uint64_t is = 0;
    if (c->key == PTX_UNKNOWN || !number_of(t, c->key, &is)) {
        return 0;
    }
    *holds = (c->is_equal ? is == c->number : is != 0) == c->holds;
    return 1;
}

/* Whether this turn is known not to go from a block to one that follows it. */
static int goes_elsewhere(const turner *t, uint32_t from, uint32_t to) {
    const ptx_protocol *p = t->p;
    const ptx_node *n = &p->v->g->node[from];
    int holds = 0;
    if (n->outs == 2 && is_known(t, &p->branch[from], &holds) &&
        p->v->g->out[n->first_out + (holds ? 0 : 1)] != to) {
        return 1;
    }
    uint32_t guard = p->guard_of[from];
    for (int i = 0; i < MOST_DEEP && guard != PTX_NONE; i++, guard = p->guard[guard].up) {
        if (is_known(t, &p->guard[guard].is, &holds) && !holds) {
            return 1;
        }
    }
    return 0;
}

/* Likewise where ways bring the condition together: all that this turn may take bring the same. */
static int is_brought(const turner *t, const ptx_condition *c, int *holds) {
    const ptx_values *v = t->p->v;
    const uint32_t at = merge_asked(t, c);
    int brings = 0;
    if (at == PTX_NONE) {
        return 0;
    }
    const uint32_t block = v->merge[at].node;
    for (uint32_t i = 0; i < v->g->node[block].ins; i++) {
        const uint32_t from = v->g->in[v->g->node[block].first_in + i];
        const ptx_condition one = {.key = v->arg[v->merge[at].first_arg + i], .holds = c->holds};
        int is = 0;
        if (v->g->node[from].order == PTX_NONE || goes_elsewhere(t, from, block)) {
            continue;
        }
        if (!is_known(t, &one, &is) || (brings && is != *holds)) {
            return 0;
        }
        *holds = is;
        brings = 1;
    }
    return brings;
}

/* The block whose way out a turn is known to take, or PTX_NONE. `always`: one that each turn comes
 * to. */
static uint32_t leaves_at(turner *t, int always) {
    const ptx_protocol *p = t->p;
    const ptx_graph *g = p->v->g;
    if (!may_look(t)) {
        return PTX_NONE;
    }
    for (uint32_t i = g->node[g->loop[t->loop].head].order; i < g->loop[t->loop].end; i++) {
        const ptx_condition *c = &p->branch[g->ordered[i]];
        int in[2];
        int holds = 0;
        if (goes_on(t, g->ordered[i], in) && (!always || is_always(t, g->ordered[i])) &&
            (is_known(t, c, &holds) || is_brought(t, c, &holds)) && !in[holds ? 0 : 1]) {
            return g->ordered[i];
        }
    }
    return PTX_NONE;
}

/* Whether a turn that leaves the loop at a block does so before it comes to another one. */
static int leaves_before(const turner *t, uint32_t leaves, uint32_t block) {
    return leaves != PTX_NONE && leaves != block && ptx_dominates(t->p->v->g, leaves, block);
}

int ptx_comes_to_each_once(ptx_protocol *p, uint32_t block, uint32_t inner, uint32_t outer,
                           const ptx_reach *places) {
    const uint64_t count = places->step ? (uint64_t)(places->high - places->low) / places->step + 1
                                        : places->base != PTX_UNKNOWN; /* one place, or none */
    uint64_t visits = count != 0;
    for (uint32_t loop = inner; visits && loop != PTX_NONE; loop = p->v->g->loop[loop].parent) {
        visits *= ptx_loop_turns(p, loop, block);
        if (loop == outer || visits > count) {
            break;
        }
    }
    return visits && visits <= count;
}

static void find_end(ptx_protocol *p, uint32_t loop, struct loop_end *end) {
    turner t = turner_of(p, loop);
    t.only = loop + 1; /* a later turn of an outer loop may have more */
    try_exits(&t);
    for (uint32_t turn = 1; !t.fails && turn <= MOST_TURNS && !end->turns; turn++) {
        end->out = leaves_at(&t, 1);
        end->turns = end->out != PTX_NONE ? turn : 0;
        t.fails |= !end->turns && !go_on(&t);
    }
}

uint32_t ptx_loop_turns(ptx_protocol *p, uint32_t loop, uint32_t block) {
    const turner t = turner_of(p, loop);
    struct loop_end *end = &p->ends[loop];
    if (!end->is_asked) {
        end->is_asked = 1;
        find_end(p, loop, end);
    }
    /* before it comes to the block, or behind it */
    return end->turns - (end->turns > 1 && leaves_before(&t, end->out, block));
}

/* The block whose branch each turn comes to last: that alone leads back to the head. PTX_NONE:
 * there is none. */
static uint32_t back_of(const ptx_graph *g, uint32_t loop) {
    const ptx_node *head = &g->node[g->loop[loop].head];
    uint32_t back = PTX_NONE;
    for (uint32_t i = 0; i < head->ins; i++) {
        const uint32_t block = g->in[head->first_in + i];
        if (g->node[block].order != PTX_NONE && ptx_block_in_loop(g, block, loop)) {
            if (back != PTX_NONE) {
                return PTX_NONE;
            }
            back = block;
        }
    }
    while (back != PTX_NONE && g->node[back].outs == 1) {
        back = back == g->loop[loop].head ? PTX_NONE : g->node[back].dominator;
    }
    return back;
}

uint32_t ptx_loop_last(const ptx_protocol *p, uint32_t loop) {
    const ptx_graph *g = p->v->g;
    const uint32_t block = back_of(g, loop);
    if (block == PTX_NONE || g->node[block].outs != 2 || !ptx_block_in_loop(g, block, loop)) {
        return PTX_NONE;
    }
    const ptx_condition *c = &p->branch[block];
    const uint32_t *to = &g->out[g->node[block].first_out];
    const int leaves = ptx_block_in_loop(g, to[0], loop);
    const int is_end = c->is_equal && (c->holds != 0) == !leaves;
    return is_end && c->key != PTX_UNKNOWN && !ptx_block_in_loop(g, to[leaves], loop) ? block
                                                                                      : PTX_NONE;
}
