/* SPDX-License-Identifier: Apache-2.0
 *
 * Which variable of shared memory an address is in.
 */
#include "ptx_protocol.h"

#define MOST_DEEP   6   /* operations in operations */
#define MOST_LOOKED 256 /* values, for one answer */

int ptx_is_shared(const ptx_values *v, const ptx_atom *a) {
    return a->kind == PTX_ATOM_ADDRESS && ptx_is_text(v->g->rows->variable[a->a].v.space, "shared");
}

static uint32_t variable_in(const ptx_values *v, ptx_value value, int deep, uint32_t *looked);

/* What ways bring together: an address, rounded up on one of them. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static uint32_t variable_merged(const ptx_values *v, const ptx_atom *a, int deep,
                                uint32_t *looked) {
    uint32_t found = PTX_NONE;
    uint32_t at = v->first_merge[a->a];
    while (at != PTX_NONE && v->merge[at].place != a->b) {
        at = v->merge[at].next;
    }
    for (uint32_t i = 0;
         at != PTX_NONE && found == PTX_NONE && i < v->g->node[a->a].ins && *looked < MOST_LOOKED;
         i++) {
        found = variable_in(v, v->arg[v->merge[at].first_arg + i], deep, looked);
    }
    return found;
}

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static uint32_t variable_in(const ptx_values *v, ptx_value value, int deep, uint32_t *looked) {
    const ptx_form *f = &v->forms.form[value];
    uint32_t found = PTX_NONE;
    if (++*looked > MOST_LOOKED) {
        return found;
    }
    for (uint32_t i = 0; value != PTX_UNKNOWN && found == PTX_NONE && i < f->terms; i++) {
        const ptx_atom *a = &v->forms.atom[f->term[i].atom];
        if (ptx_is_shared(v, a)) {
            return a->a;
        }
        if (a->kind == PTX_ATOM_MERGED && a->loop == PTX_NONE && deep) {
            found = variable_merged(v, a, deep - 1, looked);
        }
        if (a->kind == PTX_ATOM_OPERATION && deep) {
            const uint32_t of[3] = {a->b, a->c, a->d};
            for (uint32_t k = 0; k < 3 && found == PTX_NONE; k++) {
                found = variable_in(v, of[k], deep - 1, looked);
            }
        }
    }
    return found;
}

uint32_t ptx_shared_variable(const ptx_values *v, ptx_value address) {
    uint32_t looked = 0;
    return variable_in(v, address, MOST_DEEP, &looked);
}
