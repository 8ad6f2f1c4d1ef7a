/* SPDX-License-Identifier: Apache-2.0
 *
 * map-local: a copy's map lies in local or shared memory, also where an index or a condition says
 * which of several maps it is.
 */
#include "protocol_rules.h"

#define MOST_DEEP   6  /* values of values */
#define MOST_LOOKED 64 /* values, for one map */

/* Where a map may lie; and whether something of that is not known. */
enum { IN_LOCAL = 1, IN_SHARED = 2, ELSEWHERE = 4, NOT_KNOWN = 8 };

typedef struct local_walk {
    const ptx_protocol *p;
    const ptx_variable *variable; /* the first of local or shared memory */
    uint32_t looked;
} local_walk;

static int lies_in(local_walk *w, ptx_value value, int deep);

static int address_of(local_walk *w, const ptx_atom *a) {
    const ptx_variable *v = &w->p->r->rows.variable[a->a];
    const int is_local = ptx_is_text(v->v.space, "local");
    if (!is_local && !ptx_is_text(v->v.space, "shared")) {
        return ELSEWHERE;
    }
    w->variable = w->variable ? w->variable : v;
    return is_local ? IN_LOCAL : IN_SHARED;
}

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int merged(local_walk *w, const ptx_atom *a, int deep) {
    const ptx_values *v = w->p->v;
    const uint32_t at = ptx_merge_of(v, a->a, a->b);
    int where = at == PTX_NONE ? NOT_KNOWN : 0;
    for (uint32_t i = 0; at != PTX_NONE && i < v->g->node[a->a].ins; i++) {
        where |= lies_in(w, v->arg[v->merge[at].first_arg + i], deep);
    }
    return where;
}

/* Where an atom points to; 0: it is no pointer, as far as is known. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int points_to(local_walk *w, const ptx_atom *a, int deep) {
    if (a->kind == PTX_ATOM_ADDRESS) {
        return address_of(w, a);
    }
    const int where = a->kind == PTX_ATOM_MERGED      ? merged(w, a, deep)
                      : a->kind != PTX_ATOM_OPERATION ? 0
                      : a->a == PTX_DO_SELECT      ? lies_in(w, a->c, deep) | lies_in(w, a->d, deep)
                      : a->a == PTX_DO_ZERO_EXTEND ? lies_in(w, a->b, deep)
                                                   : 0;
    return where & ~NOT_KNOWN ? where : 0;
}

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int lies_in(local_walk *w, ptx_value value, int deep) {
    ptx_values *v = w->p->v;
    const ptx_form f = v->forms.form[value];
    int where = 0;
    if (value == PTX_UNKNOWN || !deep || ++w->looked > MOST_LOOKED) {
        return NOT_KNOWN;
    }
    for (uint32_t i = 0; i < f.terms; i++) {
        const ptx_atom a = v->forms.atom[f.term[i].atom];
        const int to = f.term[i].times == 1 ? points_to(w, &a, deep - 1) : 0;
        int64_t low = 0;
        int64_t high = 0;
        if (to && where & ~NOT_KNOWN) {
            return NOT_KNOWN; /* two pointers */
        }
        where |= to;
        if (!to && a.kind != PTX_ATOM_WINDOW &&
            !ptx_value_range(w->p, ptx_form_atom(&v->forms, f.term[i].atom, f.bits), &low, &high)) {
            where |= NOT_KNOWN;
        }
    }
    return where ? where : NOT_KNOWN;
}

void ptx_local_check(ptx_protocol *p, const ptx_act *copy) {
    local_walk w = {.p = p};
    const int where = lies_in(&w, ptx_act_map(p, &p->v->g->step[copy->step]), MOST_DEEP);
    const int is_local = (where & IN_LOCAL) != 0;
    const int is_sure = !(where & (ELSEWHERE | NOT_KNOWN));
    if (!(where & (IN_LOCAL | IN_SHARED)) || !w.variable) {
        return;
    }
    const tma_ptx_span name = w.variable->v.name;
    ptx_protocol_say(p, PTX_RULE_MAP_LOCAL, is_sure, copy, NULL,
                     "its map %s in %s memory (%.*s%s): the tensormap proxy reads .param, "
                     ".const and .global alone. %s",
                     is_sure ? "lies" : "may lie", is_local ? "local" : "shared",
                     (int)(name.length < 100 ? name.length : 100), name.at,
                     is_sure             ? ""
                     : where & ELSEWHERE ? ", or elsewhere, as a condition says"
                                         : ", with an index of which nothing is known",
                     is_local ? "Give the kernel const __grid_constant__ CUtensorMap, so that "
                                "no copy of the parameter is made"
                              : "Copy it to global memory by tensormap.cp_fenceproxy");
}
