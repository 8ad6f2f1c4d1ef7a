/* SPDX-License-Identifier: Apache-2.0
 *
 * Which shared memory addresses lie in, and whether accesses and copies meet there.
 */
#include "ptx_protocol.h"

#define BARRIER_B     8
#define MOST_DEEP     6    /* operations in operations */
#define MOST_LOOKED   256  /* values, for one answer */
#define LEAST_COPY_B  16   /* that a copy moves at least, where its map is not known */
#define FETCH_PLACE_B 8192 /* of a variable; a descriptor has 18 bits of an address */

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

static ptx_overlap by_number(int64_t apart, const ptx_act *access, const ptx_act *copy) {
    const int64_t copy_B = copy->bytes_B ? copy->bytes_B : LEAST_COPY_B;
    const int64_t access_B = access->bytes_B ? access->bytes_B : LEAST_COPY_B;
    if (apart > -access_B && apart < copy_B) {
        return PTX_OVERLAPS;
    }
    return apart < 0 || copy->bytes_B ? PTX_APART : PTX_OPEN;
}

/* A write and the first 16 bytes that a matrix descriptor names, the variable at some place: where
 * it is known whatever turn it is. */
static ptx_overlap fetch_overlap(const ptx_protocol *p, const ptx_act *access,
                                 const ptx_act *fetch) {
    ptx_first t = {.p = p, .around = p->v->g->step[fetch->step].block};
    uint64_t written = 0;
    uint64_t bits = 0;
    t.variable = ptx_shared_variable(p->v, fetch->number);
    t.address = FETCH_PLACE_B;
    if (t.variable == PTX_NONE || ptx_shared_variable(p->v, access->at) != t.variable ||
        !ptx_value_first(&t, access->at, &written) || !ptx_value_first(&t, fetch->number, &bits)) {
        return PTX_APART;
    }
    const int64_t apart = (int64_t)(uint32_t)written - (int64_t)((bits & 0x3FFF) << 4);
    return apart > -(int64_t)access->bytes_B && apart < LEAST_COPY_B ? PTX_OVERLAPS : PTX_APART;
}

ptx_overlap ptx_acts_overlap(const ptx_protocol *p, const ptx_act *access, const ptx_act *copy) {
    ptx_values *v = p->v;
    if (copy->kind == PTX_ACT_FETCH) {
        return fetch_overlap(p, access, copy);
    }
    const uint32_t a = ptx_shared_variable(v, access->at);
    const uint32_t b = ptx_shared_variable(v, copy->at);
    if (a == PTX_NONE || a != b) {
        return PTX_APART;
    }
    const ptx_value apart = ptx_form_sum(&v->forms, access->at, copy->at, UINT64_MAX);
    if (apart == PTX_UNKNOWN) {
        return PTX_OPEN;
    }
    ptx_first t = {.p = p, .around = v->g->step[copy->step].block, .variable = PTX_NONE};
    uint64_t first = 0;
    if (!ptx_value_first(&t, apart, &first)) {
        return PTX_OPEN;
    }
    const ptx_overlap at_first = by_number((int32_t)(uint32_t)first, access, copy);
    return v->forms.form[apart].terms && at_first == PTX_APART ? PTX_OPEN : at_first;
}

static int is_extern(const ptx_values *v, uint32_t variable) {
    return v->g->rows->variable[variable].is_extern;
}

ptx_alike ptx_barriers_alike(const ptx_protocol *p, const ptx_act *a, const ptx_act *b) {
    const ptx_alike alike = ptx_values_alike(p->v, a->barrier, b->barrier);
    if (alike != PTX_MAYBE) {
        return alike;
    }
    if (ptx_reaches_apart(&a->reach, &b->reach, BARRIER_B, BARRIER_B)) {
        return PTX_DIFFERENT;
    }
    const uint32_t one = ptx_shared_variable(p->v, a->barrier);
    const uint32_t other = ptx_shared_variable(p->v, b->barrier);
    return one != PTX_NONE && other != PTX_NONE && one != other &&
                   !(is_extern(p->v, one) && is_extern(p->v, other))
               ? PTX_DIFFERENT
               : PTX_MAYBE;
}
