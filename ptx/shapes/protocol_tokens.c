/* SPDX-License-Identifier: Apache-2.0
 *
 * proxy-load, wait-missing: waits that a loop passes by where a try before it has succeeded, and a
 * way into a turn brings no try's answer, but a number that says so. All of it is "may".
 */
#include "protocol_shapes.h"

#define MOST_DEEP 6 /* operations in a token */

/* What the ways to a loop's head bring of a token: how many bring a number that passes the wait by,
 * from before the loop and from its own turns, and whether one brings a try's answer. */
typedef struct token {
    int enters, turns, is_asked;
} token;

/* Whether a value has the answer of a try in it. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int is_answer(const ptx_protocol *p, ptx_value value, int deep) {
    const ptx_form *f = &p->v->forms.form[value];
    for (uint32_t i = 0; value != PTX_UNKNOWN && deep && i < f->terms; i++) {
        const ptx_atom *a = &p->v->forms.atom[f->term[i].atom];
        const uint32_t of[3] = {a->b, a->c, a->d};
        for (uint32_t k = 0; a->kind == PTX_ATOM_OPERATION && k < 3; k++) {
            if (of[k] && is_answer(p, of[k], deep - 1)) {
                return 1;
            }
        }
        for (uint32_t k = 0; a->kind == PTX_ATOM_RESULT && k < p->acts; k++) {
            if (p->act[k].kind == PTX_ACT_AWAIT && p->act[k].step == a->a) {
                return 1;
            }
        }
    }
    return 0;
}

/* The token that a wait hangs on, as its loop's head brings it together: the condition under which
 * it waits. PTX_NONE: it hangs on none. */
static uint32_t merge_of(const ptx_protocol *p, const ptx_act *wait, uint32_t loop,
                         ptx_condition *c) {
    const ptx_values *v = p->v;
    const uint32_t guard = p->guard_of[ptx_act_block(p, wait)];
    if (guard == PTX_NONE || loop == PTX_NONE) {
        return PTX_NONE;
    }
    *c = p->guard[guard].is;
    const ptx_form *f = &v->forms.form[c->key];
    const ptx_atom *a = f->terms == 1 && f->term[0].times == 1 && !f->number
                            ? &v->forms.atom[f->term[0].atom]
                            : NULL;
    return c->key == PTX_UNKNOWN || !a || a->kind != PTX_ATOM_MERGED || a->c ||
                   a->a != v->g->loop[loop].head
               ? PTX_NONE
               : ptx_merge_of(v, a->a, a->b);
}

static token token_of(const ptx_protocol *p, uint32_t merge, const ptx_condition *c) {
    const ptx_values *v = p->v;
    const ptx_node *n = &v->g->node[v->merge[merge].node];
    token t = {0};
    for (uint32_t i = 0; i < n->ins; i++) {
        uint32_t loop = 0;
        uint64_t number = 0;
        const uint32_t from = v->g->in[n->first_in + i];
        const ptx_value brings = v->arg[v->merge[merge].first_arg + i];
        if (v->g->node[from].order == PTX_NONE) {
            continue;
        }
        t.is_asked |= is_answer(p, brings, MOST_DEEP);
        if (!ptx_value_number(v, brings, &number) ||
            (c->is_equal ? number == c->number : number & 1) == c->holds) {
            continue; /* it waits, or may */
        }
        const int enters = ptx_way_of(v->g, from, v->merge[merge].node, &loop) == PTX_WAY_ON;
        t.enters += enters;
        t.turns += !enters;
    }
    return t;
}

/* Whether a wait for what may be the same barrier stands before a loop on all ways, in the same
 * turn of an outer one. */
static int is_waited_before(const ptx_protocol *p, const ptx_act *wait, uint32_t loop) {
    const ptx_graph *g = p->v->g;
    const uint32_t outer = g->loop[loop].parent;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (a->kind == PTX_ACT_AWAIT && a->traits & PTX_SPINS &&
            (outer == PTX_NONE || ptx_block_in_loop(g, ptx_act_block(p, a), outer)) &&
            ptx_dominates(g, ptx_act_block(p, a), g->loop[loop].head) &&
            ptx_barriers_alike(p, a, wait) != PTX_DIFFERENT) {
            return 1;
        }
    }
    return 0;
}

/* Whether copies complete on a wait's barrier: it is for their bytes. */
static int is_for_bytes(const ptx_protocol *p, const ptx_act *wait) {
    for (uint32_t i = 0; i < p->acts; i++) {
        if (p->act[i].kind == PTX_ACT_LOAD && ptx_is_wait_for(p, wait, &p->act[i])) {
            return 1;
        }
    }
    return 0;
}

/* What comes next behind a wait in its loop: what fills the stage, or reads it or gives it back. */
static const ptx_act *use_behind(const ptx_protocol *p, const ptx_act *wait, int reads) {
    const ptx_node *node = p->v->g->node;
    const uint32_t from = node[ptx_act_block(p, wait)].order;
    const ptx_act *use = NULL;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        const int is_use =
            reads ? a->kind == PTX_ACT_READ || a->kind == PTX_ACT_FETCH || a->kind == PTX_ACT_ARRIVE
                  : a->kind == PTX_ACT_EXPECT || a->kind == PTX_ACT_LOAD;
        const uint32_t order = node[ptx_act_block(p, a)].order;
        if (is_use && ptx_act_loop(p, a) == ptx_act_loop(p, wait) && order > from &&
            (!use || order < node[ptx_act_block(p, use)].order)) {
            use = a;
        }
    }
    return use;
}

static void check_token(ptx_protocol *p, const ptx_act *wait) {
    const uint32_t loop = ptx_act_loop(p, wait);
    ptx_condition c;
    const uint32_t merge = merge_of(p, wait, loop, &c);
    const token t = merge == PTX_NONE ? (token){0} : token_of(p, merge, &c);
    const int reads = t.is_asked && (t.enters || t.turns) && is_for_bytes(p, wait);
    /* stages that are new need no wait */
    const int enters = t.enters && (reads || p->v->g->loop[loop].parent != PTX_NONE) &&
                       !is_waited_before(p, wait, loop);
    const ptx_rule rule = reads ? PTX_RULE_WAIT_MISSING : PTX_RULE_PROXY_LOAD;
    const ptx_act *use = !t.is_asked || (!t.turns && !enters) || ptx_loop_is_said(p, rule, loop)
                             ? NULL
                             : use_behind(p, wait, reads);
    if (use) {
        ptx_protocol_say(p, rule, 0, wait, use,
                         "is passed by in %s of the loop at line %d: a number stands there for the "
                         "answer of a try, and says that the phase has ended. %s at line %d (which "
                         "ways are taken is not known). Put mbarrier.try_wait.parity there, and "
                         "give the loop its answer",
                         t.turns ? "all turns but the first" : "the first turn",
                         ptx_loop_line(p, loop),
                         reads ? "The bytes may not be there when they are used"
                               : "The stage may still be read when it is filled",
                         ptx_act_line(p, use));
    }
}

void ptx_tokens_check(ptx_protocol *p) {
    if (!p->many[PTX_ACT_LOAD] || p->many[PTX_ACT_CALL] ||
        !ptx_can_judge(p, PTX_BUDGET_TOKENS, (uint64_t)p->many[PTX_ACT_AWAIT] * p->acts)) {
        return;
    }
    for (uint32_t i = 0; i < p->acts; i++) {
        if (p->act[i].kind == PTX_ACT_AWAIT && p->act[i].traits & PTX_SPINS &&
            p->act[i].barrier != PTX_UNKNOWN) {
            check_token(p, &p->act[i]);
        }
    }
}
