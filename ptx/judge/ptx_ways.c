/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of values, in classes; which calls fence nothing and touch no map.
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

ptx_value ptx_ways_class(ptx_values *v, ptx_value map) {
    const ptx_form *f = &v->forms.form[map];
    if (map == PTX_UNKNOWN) {
        return PTX_UNKNOWN;
    }
    return ptx_form_sum(&v->forms, map, ptx_form_number(&v->forms, f->number, f->bits), UINT64_MAX);
}

/* Whether a class is of addresses of a variable. */
static int is_variable(const ptx_values *v, ptx_value class) {
    int64_t added = 0;
    const ptx_atom *a = ptx_value_base(v, class, &added);
    return a && a->kind == PTX_ATOM_ADDRESS && !v->g->rows->variable[a->a].is_extern;
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

int ptx_set_may_have(const ptx_value_set *s, ptx_values *v, ptx_value value) {
    const ptx_value class = ptx_ways_class(v, value);
    const uint32_t own = s->has_class[class];
    if (value == PTX_UNKNOWN) {
        return s->classes != 0;
    }
    return s->has[value] || (is_variable(v, class) ? s->others != 0 : s->classes > own);
}
