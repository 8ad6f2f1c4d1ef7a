/* SPDX-License-Identifier: Apache-2.0
 *
 * Acts by their barriers: whoever holds an act against others meets those alone that may be on its
 * barrier. A barrier is at one place of a variable, or somewhere in one, or nobody knows where.
 */
#include "ptx_protocol.h"

#define PLACE_BITS 32

/* Acts of one slice, in their order. */
typedef struct slice {
    uint32_t first; /* + 1 */
    uint32_t acts;
} slice;

struct ptx_slices {
    slice *at_place;             /* by value */
    slice *in_variable, *moving; /* by variable: all acts; those at no one place */
    slice anywhere, all;         /* in no known variable */
    uint32_t *beside, *along,
        *on; /* by act: the next one, + 1, of its own slice, its variable, all */
};

/* What the slices of an act are: up to three, no act in two. */
typedef struct slices_met {
    const slice *of[PTX_MOST_MET];
    const uint32_t *next[PTX_MOST_MET];
} slices_met;

int ptx_is_on_barrier(const ptx_act *a) {
    return a->barrier != PTX_UNKNOWN || a->kind == PTX_ACT_LOAD || a->kind == PTX_ACT_REMOTE ||
           (a->kind >= PTX_ACT_INIT && a->kind <= PTX_ACT_AWAIT);
}

/* Whether an act's barrier is in one variable, and no other variable lies there. */
static int is_known(const ptx_protocol *p, const ptx_act *a) {
    return a->variable && !a->trusts && !a->leaves &&
           !p->v->g->rows->variable[a->variable - 1].is_extern;
}

static slices_met slices_of(const ptx_protocol *p, const ptx_act *act) {
    const struct ptx_slices *s = p->slices;
    if (!is_known(p, act)) {
        return (slices_met){{&s->all}, {s->on}};
    }
    return act->place
               ? (slices_met){{&s->at_place[act->place], &s->moving[act->variable], &s->anywhere},
                              {s->beside, s->beside, s->beside}}
               : (slices_met){{&s->in_variable[act->variable], &s->anywhere},
                              {s->along, s->beside}};
}

/* Where an act's barrier lies: ptx_barriers_alike() tells two variables apart, and two places of
 * one. */
static void take_place(const ptx_protocol *p, ptx_act *a) {
    int64_t added = 0;
    const ptx_atom *base =
        a->barrier == PTX_UNKNOWN ? NULL : ptx_value_base(p->v, a->barrier, &added);
    const int is_place = base && ptx_is_shared(p->v, base);
    a->variable = is_place ? base->a + 1 : a->variable;
    a->place = is_place && is_known(p, a) && p->v->forms.form[a->barrier].bits == PLACE_BITS
                   ? a->barrier
                   : PTX_UNKNOWN;
}

/* Puts an act in front of a slice. */
static void put(slice *s, uint32_t *next, uint32_t act) {
    next[act] = s->first;
    s->first = act + 1;
    s->acts++;
}

int ptx_slices_make(ptx_protocol *p) {
    const uint32_t variables = p->v->g->rows->variables;
    struct ptx_slices *s = ptx_memory_take(p->memory, 1, sizeof(*s));
    uint32_t *next = ptx_memory_take(p->memory, (size_t)p->acts + 1, 3 * sizeof(*next));
    slice *places = ptx_memory_take(p->memory, (size_t)p->v->forms.forms + 1, sizeof(*places));
    slice *in = ptx_memory_take(p->memory, (size_t)variables + 1, 2 * sizeof(*in));
    if (!s || !next || !places || !in) {
        return -1;
    }
    *s = (struct ptx_slices){.at_place = places, .in_variable = in, .moving = in + variables + 1};
    s->beside = next;
    s->along = s->beside + p->acts;
    s->on = s->along + p->acts;
    ptx_amongs_take(p);
    for (uint32_t i = p->acts; i--;) {
        ptx_act *a = &p->act[i];
        if (!ptx_is_on_barrier(a)) {
            continue;
        }
        take_place(p, a);
        put(&s->all, s->on, i);
        put(!is_known(p, a) ? &s->anywhere
            : a->place      ? &s->at_place[a->place]
                            : &s->moving[a->variable],
            s->beside, i);
        if (is_known(p, a)) {
            put(&s->in_variable[a->variable], s->along, i);
        }
    }
    p->slices = s;
    for (uint32_t i = 0; i < p->acts; i++) {
        const slices_met met = slices_of(p, &p->act[i]);
        uint64_t acts = 0;
        for (int k = 0; ptx_is_on_barrier(&p->act[i]) && k < PTX_MOST_MET && met.of[k]; k++) {
            acts += met.of[k]->acts;
        }
        p->pairs[p->act[i].kind] += acts;
        p->most_met = acts > p->most_met ? acts : p->most_met;
    }
    return 0;
}

ptx_meeting ptx_meeting_of(const ptx_protocol *p, const ptx_act *act) {
    const slices_met met = slices_of(p, act);
    ptx_meeting m = {.p = p};
    for (int k = 0, left = 0; k < PTX_MOST_MET && met.of[k]; k++) {
        if (met.of[k]->first) {
            m.at[left] = met.of[k]->first;
            m.next[left++] = met.next[k];
        }
    }
    return m;
}

/* Slices that have ended stand behind all others: most acts have one. */
int ptx_meeting_next(ptx_meeting *m) {
    int least = 0;
    if (!m->at[0]) {
        return 0;
    }
    for (int k = 1; k < PTX_MOST_MET && m->at[k]; k++) {
        least = m->at[k] < m->at[least] ? k : least;
    }
    const uint32_t i = m->at[least] - 1;
    m->act = &m->p->act[i];
    m->at[least] = m->next[least][i];
    if (!m->at[least]) {
        int last = least;
        while (last + 1 < PTX_MOST_MET && m->at[last + 1]) {
            last++;
        }
        m->at[least] = m->at[last];
        m->next[least] = m->next[last];
        m->at[last] = 0;
    }
    return 1;
}
