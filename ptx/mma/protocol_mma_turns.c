/* SPDX-License-Identifier: Apache-2.0
 *
 * A copy in a loop, turn by turn: the stage that the loop carries, as numbers.
 */
#include "protocol_mma.h"

#define MOST_DEEP 12 /* operations in operations */

static int number_of(const ptx_mma_turn *t, ptx_value value, uint64_t *out) {
    ptx_first first = {.p = t->p,
                       .around = PTX_NONE,
                       .variable = PTX_NONE,
                       .first_cta = 1,
                       .given = t->given,
                       .givens = t->givens};
    return ptx_value_first(&first, value, out) && !first.by_thread;
}

static void carry(ptx_mma_turn *t, ptx_value value, int deep);

/* NOLINTNEXTLINE(misc-no-recursion): PTX_MMA_CARRIED */
static void carry_atom(ptx_mma_turn *t, uint32_t atom, ptx_value next) {
    uint64_t number = 0;
    for (uint32_t i = 0; i < t->givens; i++) {
        if (t->given[i].atom == atom) {
            return;
        }
    }
    ptx_mma_turn before = *t;
    before.givens = 0;
    t->fails |= t->givens >= PTX_MMA_CARRIED || next == PTX_UNKNOWN ||
                !number_of(&before, ptx_form_atom(&t->p->v->forms, atom, 64), &number);
    if (!t->fails) {
        t->next[t->givens] = next;
        t->given[t->givens++] = (ptx_held){atom, number};
        carry(t, next, MOST_DEEP);
    }
}

/* Finds what a value hangs on that the loop carries; what it carries otherwise stays unknown. */
/* NOLINTNEXTLINE(misc-no-recursion): PTX_MMA_CARRIED, MOST_DEEP */
static void carry(ptx_mma_turn *t, ptx_value value, int deep) {
    ptx_values *v = t->p->v;
    const ptx_form f = v->forms.form[value];
    t->fails |= value == PTX_UNKNOWN || !deep;
    for (uint32_t i = 0; i < f.terms && !t->fails; i++) {
        const ptx_atom a = v->forms.atom[f.term[i].atom];
        if (a.kind == PTX_ATOM_MERGED && a.a == v->g->loop[t->loop].head && !a.c) {
            carry_atom(t, f.term[i].atom, ptx_value_merged(v, &a, 1));
        } else if (a.kind == PTX_ATOM_TURN && a.a == t->loop) {
            const ptx_value is = ptx_form_atom(&v->forms, f.term[i].atom, 64);
            const ptx_value one = ptx_form_number(&v->forms, 1, 64);
            carry_atom(t, f.term[i].atom, ptx_form_sum(&v->forms, is, one, 1));
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

int ptx_mma_turn_first(ptx_mma_turn *t, const ptx_protocol *p, const ptx_act *act,
                       const tma_ptx_statement *copy) {
    const ptx_step *step = &p->v->g->step[act->step];
    *t = (ptx_mma_turn){.p = p, .loop = p->v->g->node[step->block].loop};
    if (t->loop == PTX_NONE) {
        return 0;
    }
    carry(t, act->at, MOST_DEEP);
    for (uint32_t i = 0; i < copy->coords && !t->fails; i++) {
        ptx_mma_turn with = *t;
        carry(&with, ptx_value_at(p->v, step, &copy->coord[i]), MOST_DEEP);
        *t = with.fails ? *t : with; /* a coordinate may stay unknown */
    }
    return !t->fails && t->givens;
}

int ptx_mma_turn_next(ptx_mma_turn *t) {
    uint64_t now[PTX_MMA_CARRIED];
    for (uint32_t i = 0; i < t->givens; i++) {
        if (!number_of(t, t->next[i], &now[i])) {
            return 0;
        }
    }
    for (uint32_t i = 0; i < t->givens; i++) {
        t->given[i].number = now[i];
    }
    return 1;
}
