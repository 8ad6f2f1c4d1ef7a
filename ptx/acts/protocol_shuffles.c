/* SPDX-License-Identifier: Apache-2.0
 *
 * What shfl.sync brings: some lane's number, which may be known as that of another shuffle.
 */
#include "ptx_protocol.h"

enum { SOURCE = 1, LANE, CLAMP };

/* The operand of a shuffle's result, or PTX_UNKNOWN. */
static ptx_value operand_of(const ptx_protocol *p, const ptx_atom *a, int which) {
    const ptx_step *step = a->kind == PTX_ATOM_RESULT && !a->b ? &p->v->g->step[a->a] : NULL;
    tma_ptx_parts parts;
    return step && step->kind == PTX_STEP_ROW &&
                   !tma_ptx_split(&parts, &p->v->g->rows->row[step->row].piece) &&
                   tma_ptx_is(&parts, "shfl", "sync") && tma_ptx_is(&parts, "shfl", "idx") &&
                   parts.count > CLAMP
               ? ptx_value_of_text(p->v, step, parts.operand[which])
               : PTX_UNKNOWN;
}

ptx_value ptx_shuffle_source(const ptx_protocol *p, const ptx_atom *a) {
    return operand_of(p, a, SOURCE);
}

/* Whether two shuffles bring the same lane's same number: it stays in all loops. */
static int is_same(const ptx_protocol *p, const ptx_atom *a, const ptx_atom *b) {
    const ptx_value source = operand_of(p, a, SOURCE);
    const ptx_value lane = operand_of(p, a, LANE);
    uint64_t number = 0;
    return a->loop == PTX_NONE && b->loop == PTX_NONE && source != PTX_UNKNOWN &&
           ptx_is_constant(p->v, source) && source == operand_of(p, b, SOURCE) &&
           ptx_value_number(p->v, lane, &number) && lane == operand_of(p, b, LANE) &&
           operand_of(p, a, CLAMP) == operand_of(p, b, CLAMP);
}

ptx_value ptx_as_shuffle(const ptx_protocol *p, ptx_value value, uint32_t shuffle) {
    ptx_forms *forms = &p->v->forms;
    const ptx_form f = forms->form[value];
    ptx_value sum = value;
    for (uint32_t i = 0; i < f.terms && sum != PTX_UNKNOWN; i++) {
        const uint32_t atom = f.term[i].atom;
        if (atom != shuffle && is_same(p, &forms->atom[atom], &forms->atom[shuffle])) {
            const ptx_value other = ptx_form_atom(forms, atom, f.bits);
            const ptx_value own = ptx_form_atom(forms, shuffle, f.bits);
            sum = ptx_form_sum(forms, sum, other, 0 - f.term[i].times);
            sum = sum == PTX_UNKNOWN ? sum : ptx_form_sum(forms, sum, own, f.term[i].times);
        }
    }
    return sum;
}
