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
    const uint32_t at = ptx_merge_of(v, a->a, a->b);
    for (uint32_t i = 0;
         at != PTX_NONE && found == PTX_NONE && i < v->g->node[a->a].ins && *looked < MOST_LOOKED;
         i++) {
        found = variable_in(v, v->arg[v->merge[at].first_arg + i], deep, looked);
    }
    return found;
}

/* What a loop moves on by the same number in each turn stays in the variable that it begins in. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static uint32_t variable_carried(const ptx_values *v, uint32_t atom, int deep, uint32_t *looked) {
    const ptx_atom *a = &v->forms.atom[atom];
    const ptx_form *next = &v->forms.form[ptx_value_merged(v, a, 1)];
    return next->terms == 1 && next->term[0].atom == atom && next->term[0].times == 1
               ? variable_in(v, ptx_value_merged(v, a, 0), deep, looked)
               : PTX_NONE;
}

/* What an operand's register holds, counted from the end, of what made an atom; PTX_UNKNOWN. */
static ptx_value source_of(const ptx_values *v, const ptx_step *step, uint32_t from_end) {
    const ptx_row *row = &v->g->rows->row[step->row];
    return v->use[step->first_use + row->refs - from_end];
}

/* What a vector gets a part of: mov.b64 {%r1, %r2}, %q1; or a term of a sum of two registers that
 * has too many terms to be followed. */
static ptx_value term_of(const ptx_values *v, const ptx_atom *a, uint32_t from_end) {
    const ptx_step *step = &v->g->step[a->a];
    const ptx_code *c = &v->g->codes->code[step->row];
    const uint32_t refs = v->g->rows->row[step->row].refs;
    const int is_part = c->op == PTX_OP_MOVE && c->defs > 1 && refs == c->defs + 1u;
    const int is_sum = c->op == PTX_OP_ADD && c->defs == 1 && refs == 3;
    return step->kind == PTX_STEP_ROW && !c->guarded && (is_sum || (is_part && from_end == 1))
               ? source_of(v, step, from_end)
               : PTX_UNKNOWN;
}

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static uint32_t variable_of(const ptx_values *v, uint32_t atom, int deep, uint32_t *looked) {
    const ptx_atom *a = &v->forms.atom[atom];
    uint32_t found = PTX_NONE;
    if (ptx_is_shared(v, a)) {
        return a->a;
    }
    if (a->kind == PTX_ATOM_MERGED && deep) {
        found = a->loop == PTX_NONE ? variable_merged(v, a, deep - 1, looked)
                                    : variable_carried(v, atom, deep - 1, looked);
    }
    if (a->kind == PTX_ATOM_RESULT && deep) {
        const ptx_value of[2] = {term_of(v, a, 1), term_of(v, a, 2)};
        found = variable_in(v, of[0], deep - 1, looked);
        found = found == PTX_NONE ? variable_in(v, of[1], deep - 1, looked) : found;
    }
    if (a->kind == PTX_ATOM_OPERATION && deep) {
        const uint32_t of[3] = {a->b, a->c, a->d};
        for (uint32_t k = 0; k < 3 && found == PTX_NONE; k++) {
            found = variable_in(v, of[k], deep - 1, looked);
        }
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
        found = variable_of(v, f->term[i].atom, deep, looked);
    }
    return found;
}

void ptx_variables_keep(ptx_values *v) {
    const uint32_t values = v->forms.forms;
    v->variable_of = ptx_memory_take(v->memory, (size_t)values + 1, sizeof(*v->variable_of));
    v->variables_of = v->variable_of ? values : 0;
}

uint32_t ptx_shared_variable(const ptx_values *v, ptx_value address) {
    uint32_t *known = address < v->variables_of ? &v->variable_of[address] : NULL;
    uint32_t looked = 0;
    if (known && *known) {
        return *known - 2;
    }
    const uint32_t variable = variable_in(v, address, MOST_DEEP, &looked);
    if (known) {
        *known = variable + 2; /* PTX_NONE: 1 */
    }
    return variable;
}
