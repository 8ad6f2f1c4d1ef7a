/* SPDX-License-Identifier: Apache-2.0
 *
 * Fences and waits that may be passed by: under a condition that nothing else of the kernel hangs
 * on. What was found without them is said as "may".
 */
#include "protocol_shapes.h"

#define MOST_ROOTS 16
#define MOST_DEEP  6

/* The atoms that a value is made of in the end. */
typedef struct roots {
    uint32_t atom[MOST_ROOTS];
    uint32_t count;
    int is_open; /* there are more, or something is not known */
} roots;

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static void take_roots(const ptx_protocol *p, ptx_value value, int deep, roots *to) {
    const ptx_form *f = &p->v->forms.form[value];
    to->is_open |= value == PTX_UNKNOWN || !deep;
    for (uint32_t i = 0; i < f->terms && !to->is_open; i++) {
        const ptx_atom *a = &p->v->forms.atom[f->term[i].atom];
        if (a->kind == PTX_ATOM_OPERATION) {
            const uint32_t of[3] = {a->b, a->c, a->d};
            for (uint32_t k = 0; k < 3; k++) {
                if (of[k]) {
                    take_roots(p, of[k], deep - 1, to);
                }
            }
        } else if (to->count == MOST_ROOTS) {
            to->is_open = 1;
        } else {
            to->atom[to->count++] = f->term[i].atom;
        }
    }
}

/* Whether a condition hangs, or may hang, on what another one is made of. */
static int shares_root(const ptx_protocol *p, const ptx_condition *c, const roots *other) {
    roots own = {0};
    take_roots(p, c->key, MOST_DEEP, &own);
    int shares = own.is_open;
    for (uint32_t i = 0; i < own.count; i++) {
        for (uint32_t k = 0; k < other->count; k++) {
            shares |= own.atom[i] == other->atom[k];
        }
    }
    return shares;
}

static int is_same(const ptx_condition *a, const ptx_condition *b) {
    return a->key == b->key && a->is_equal == b->is_equal && a->number == b->number;
}

/* Whether another branch may hang on a condition's roots. */
static int is_branched_on(const ptx_protocol *p, const ptx_condition *c, const roots *of) {
    const ptx_graph *g = p->v->g;
    for (uint32_t i = 0; i < g->reached; i++) {
        const uint32_t block = g->ordered[i];
        const ptx_condition *branch = &p->branch[block];
        if (g->node[block].outs > 1 && p->can_branch[block] == 3 && !is_same(branch, c) &&
            shares_root(p, branch, of)) {
            return 1;
        }
    }
    return 0;
}

/* Whether some other act runs under the condition, or may hang on it. */
static int is_asked_by(const ptx_protocol *p, const ptx_condition *c, const roots *of,
                       ptx_act_kind kind) {
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        ptx_guard_walk at = {0};
        for (ptx_condition d; a->kind && ptx_act_condition(p, a, &at, &d);) {
            if (a->kind == kind && is_same(&d, c) && d.holds == c->holds) {
                continue;
            }
            if (is_same(&d, c) || shares_root(p, &d, of)) {
                return 1;
            }
        }
    }
    return 0;
}

/* Leaves of the roots of a thread's own condition what is of its data: parameters, what it loads.
 */
static void keep_data(const ptx_protocol *p, roots *of) {
    const ptx_graph *g = p->v->g;
    uint32_t count = 0;
    for (uint32_t i = 0; i < of->count; i++) {
        const ptx_atom *a = &p->v->forms.atom[of->atom[i]];
        const int loads = a->kind == PTX_ATOM_RESULT && g->step[a->a].kind == PTX_STEP_ROW &&
                          ptx_begins(ptx_step_opcode(g, a->a), "ld.");
        if (loads || a->kind == PTX_ATOM_PARAMETER) {
            of->atom[count++] = of->atom[i];
        }
    }
    of->count = count;
}

static int is_whim(const ptx_protocol *p, const ptx_act *act) {
    ptx_guard_walk at = {0};
    for (ptx_condition c; ptx_act_condition(p, act, &at, &c);) {
        roots of = {0};
        const ptx_hangs on = ptx_condition_hangs(p, &c);
        const int of_data =
            act->kind == PTX_ACT_FENCE_ASYNC && (on == PTX_HANGS_THREAD || on == PTX_HANGS_OTHER);
        if (on != PTX_HANGS_UNIFORM && !of_data) {
            continue;
        }
        take_roots(p, c.key, MOST_DEEP, &of);
        if (of_data) {
            keep_data(p, &of);
        }
        if (of.count && !of.is_open && !is_branched_on(p, &c, &of) &&
            !is_asked_by(p, &c, &of, (ptx_act_kind)act->kind)) {
            return 1;
        }
    }
    return 0;
}

/* Asks a rule again as if the acts of a kind that may be passed by were not there. */
static void without(ptx_protocol *p, ptx_act_kind kind, uint8_t *is,
                    void (*check)(ptx_protocol *)) {
    int line = 0;
    for (uint32_t i = 0; i < p->acts; i++) {
        is[i] = p->act[i].kind == kind && is_whim(p, &p->act[i]);
        line = is[i] && !line ? ptx_act_line(p, &p->act[i]) : line;
    }
    if (!line) {
        return;
    }
    p->whim_line = line;
    p->is_whim = is;
    p->whim_kind = (uint8_t)kind;
    for (uint32_t i = 0; i < p->acts; i++) {
        p->act[i].kind = is[i] ? PTX_ACT_NONE : p->act[i].kind;
    }
    check(p);
    for (uint32_t i = 0; i < p->acts; i++) {
        p->act[i].kind = is[i] ? (uint8_t)kind : p->act[i].kind;
    }
    p->whim_line = 0;
    p->is_whim = NULL;
}

void ptx_whims_check(ptx_protocol *p) {
    const uint64_t waits = (uint64_t)p->many[PTX_ACT_FENCE_ASYNC] + p->many[PTX_ACT_WAIT_GROUP] +
                           p->many[PTX_ACT_AWAIT] + p->many[PTX_ACT_FENCE_MAP] +
                           p->many[PTX_ACT_INVAL];
    uint8_t *is = ptx_memory_take(p->memory, (size_t)p->acts + 1, 1);
    if (is && ptx_can_judge(p, PTX_BUDGET_WHIMS, waits * ((uint64_t)p->acts + p->v->g->reached))) {
        without(p, PTX_ACT_FENCE_ASYNC, is, ptx_store_check);
        without(p, PTX_ACT_WAIT_GROUP, is, ptx_reuse_check);
        without(p, PTX_ACT_AWAIT, is, ptx_await_check);
        without(p, PTX_ACT_FENCE_MAP, is, ptx_edit_check);
        without(p, PTX_ACT_INVAL, is, ptx_init_check);
    }
}
