/* SPDX-License-Identifier: Apache-2.0
 *
 * Events of maps, and values in classes.
 */
#include "ptx_ways.h"

/* Functions of the device's runtime: they fence nothing, and touch no map. */
static const char *const harmless[] = {"vprintf", "__assertfail", "malloc", "free"};

int ptx_call_is_harmless(const ptx_graph *g, const ptx_step *step) {
    const ptx_code *c = &g->codes->code[step->row];
    const ptx_arg *name = c->args > c->lanes ? &g->codes->arg[c->first_arg + c->lanes] : NULL;
    for (size_t i = 0; name && i < sizeof(harmless) / sizeof(harmless[0]); i++) {
        if (name->kind == PTX_ARG_NAME && name->ref != PTX_NONE &&
            g->rows->ref[name->ref].symbol == PTX_NONE && ptx_is_text(name->name, harmless[i])) {
            return 1;
        }
    }
    return 0;
}

static int kind_of(const ptx_site *s, ptx_event_kind *kind) {
    switch (s->s.kind) {
    case TMA_PTX_REPLACE:
        *kind = PTX_EVENT_EDIT;
        return 1;
    case TMA_PTX_CP_FENCEPROXY:
        *kind = PTX_EVENT_COPY;
        return 1;
    case TMA_PTX_FENCE:
        *kind = s->s.qualifiers & TMA_PTX_RELEASE ? PTX_EVENT_RELEASE : PTX_EVENT_ACQUIRE;
        return 1;
    case TMA_PTX_COPY:
    case TMA_PTX_REDUCE:
    case TMA_PTX_PREFETCH:
        *kind = PTX_EVENT_USE;
        return 1;
    default:
        return 0;
    }
}

static void take(ptx_ways *w, const ptx_report *r, uint32_t step) {
    ptx_values *v = w->v;
    const ptx_step *s = &v->g->step[step];
    ptx_event e = {.site = PTX_NONE, .step = step};
    if (ptx_step_is_opaque(v->g, s)) {
        e.kind = PTX_EVENT_CALL;
        if (!ptx_call_is_harmless(v->g, s)) {
            PTX_APPEND(w, event, events, e);
        }
        return;
    }
    if (s->kind != PTX_STEP_ROW || !r->is_site[s->row]) {
        return;
    }
    e.site = ptx_site_at(r, s->row);
    const ptx_site *site = &r->site[e.site];
    if (!site->unread && kind_of(site, &e.kind)) {
        e.map = ptx_value_bare(v, ptx_value_at(v, s, &site->s.map));
        e.from = ptx_value_bare(v, ptx_value_at(v, s, &site->s.shared));
        PTX_APPEND(w, event, events, e);
    }
}

int ptx_ways_make(ptx_ways *w, ptx_memory *memory, const ptx_report *r, ptx_values *v) {
    const ptx_graph *g = v->g;
    *w = (ptx_ways){.memory = memory, .v = v};
    w->first = ptx_memory_take(memory, (size_t)g->nodes + 1, sizeof(*w->first));
    for (uint32_t i = 0; w->first && i < g->nodes; i++) {
        w->first[i] = w->events;
        const uint32_t end = g->node[i].order == PTX_NONE ? 0 : g->node[i].end; /* no way there */
        for (uint32_t k = g->node[i].first; k < end; k++) {
            take(w, r, k);
        }
        w->first[i + 1] = w->events;
    }
    return memory->failed ? -1 : 0;
}

ptx_value ptx_ways_class(ptx_values *v, ptx_value map) {
    const ptx_form *f = &v->forms.form[map];
    if (map == PTX_UNKNOWN) {
        return PTX_UNKNOWN;
    }
    return ptx_form_sum(&v->forms, map, ptx_form_number(&v->forms, f->number, f->bits), UINT64_MAX);
}

/* The variable that a class is addresses of, or null. */
static const ptx_atom *variable_of(const ptx_values *v, ptx_value class) {
    int64_t added = 0;
    const ptx_atom *a = ptx_value_base(v, class, &added);
    return a && a->kind == PTX_ATOM_ADDRESS && !v->g->rows->variable[a->a].is_extern ? a : NULL;
}

static int is_variable(const ptx_values *v, ptx_value class) {
    return variable_of(v, class) != NULL;
}

int ptx_classes_apart(const ptx_values *v, ptx_value a, ptx_value b) {
    const ptx_atom *x = variable_of(v, a);
    const ptx_atom *y = variable_of(v, b);
    return x && y && x->a != y->a;
}

int ptx_set_begin(ptx_value_set *s, ptx_memory *memory, const ptx_values *v) {
    /* classes of the values that are there already are made by the caller before */
    *s = (ptx_value_set){.memory = memory};
    s->has = ptx_memory_take(memory, (size_t)v->forms.forms + 1, 1);
    s->has_class = ptx_memory_take(memory, (size_t)v->forms.forms + 1, 1);
    return s->has && s->has_class ? 0 : -1;
}

void ptx_set_add(ptx_value_set *s, ptx_values *v, ptx_value value) {
    const ptx_value class = ptx_ways_class(v, value);
    s->has[value] = 1;
    if (!s->has_class[class] || class == PTX_UNKNOWN) {
        s->has_class[class] = 1;
        s->classes++;
        s->others += !is_variable(v, class);
    }
}

int ptx_set_has(const ptx_value_set *s, ptx_value value) {
    return value != PTX_UNKNOWN && s->has[value];
}

int ptx_set_may_have(const ptx_value_set *s, ptx_values *v, ptx_value value) {
    const ptx_value class = ptx_ways_class(v, value);
    const uint32_t own = s->has_class[class];
    if (value == PTX_UNKNOWN) {
        return s->classes != 0;
    }
    return s->has[value] || (is_variable(v, class) ? s->others != 0 : s->classes > own);
}
