/* SPDX-License-Identifier: Apache-2.0
 *
 * Values that are made of numbers and one value alone, which ways bring together or which counts a
 * loop's turns: a stage that a loop moves on by arithmetic of a compiler's making.
 */
#include "ptx_protocol.h"

#define MOST_DEEP 24 /* operations in operations */

typedef struct finder {
    const ptx_protocol *p;
    uint32_t leaf, places;
    uint32_t *looks; /* at values in values, that are left */
} finder;

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int find(finder *out, ptx_value value, int deep) {
    const ptx_values *v = out->p->v;
    const ptx_form *f = &v->forms.form[value];
    int finds = value != PTX_UNKNOWN && deep && *out->looks;
    *out->looks -= finds;
    for (uint32_t i = 0; i < f->terms && finds; i++) {
        const ptx_atom *a = &v->forms.atom[f->term[i].atom];
        if (a->kind == PTX_ATOM_MERGED || a->kind == PTX_ATOM_TURN) {
            finds = out->leaf == PTX_NONE || out->leaf == f->term[i].atom;
            out->leaf = f->term[i].atom;
            out->places++;
        } else if (a->kind == PTX_ATOM_OPERATION) {
            const uint32_t of[3] = {a->b, a->c, a->d};
            for (uint32_t k = 0; k < 3 && finds; k++) {
                finds = !of[k] || find(out, of[k], deep - 1);
            }
        } else {
            finds = 0;
        }
    }
    return finds;
}

uint32_t ptx_value_leaf(const ptx_protocol *p, ptx_value value, uint32_t *leaf, uint32_t *looks) {
    finder out = {.p = p, .leaf = PTX_NONE, .looks = looks};
    const int finds = find(&out, value, MOST_DEEP);
    *leaf = out.leaf;
    return finds ? out.places : 0;
}
