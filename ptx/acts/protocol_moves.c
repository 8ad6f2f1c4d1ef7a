/* SPDX-License-Identifier: Apache-2.0
 *
 * How far an address moves from its place: stages of a ring, by the ranges of the values that it is
 * made of, and by what the conditions of an act compare with numbers.
 */
#include "ptx_protocol.h"
#include "tma/detail/divisor.h"

/* What all numbers of an atom are multiples of, as masks and shifts have it. */
static uint64_t unit_of(const ptx_protocol *p, uint32_t atom) {
    const ptx_atom *a = &p->v->forms.atom[atom];
    uint64_t number = 0;
    const tma_ptx_span name = ptx_atom_opcode(p->v, a);
    if (!name.length || !ptx_value_number(p->v, a->c, &number) || !number || number > INT32_MAX) {
        return 1;
    }
    const uint64_t mask = (uint64_t)ptx_value_mask(p, a->b);
    return ptx_begins(name, "and.") ? number & (0 - number)
           : mask && (ptx_begins(name, "xor.") || ptx_begins(name, "or."))
               ? (number | mask) & (0 - (number | mask))
           : ptx_begins(name, "shl.") && number < 31 ? UINT64_C(1) << number
                                                     : 1;
}

ptx_reach ptx_reach_of(const ptx_protocol *p, ptx_value value) {
    return ptx_reach_at(p, value, NULL);
}

/* The same where an act's conditions compare what alone moves with numbers: i < n, whatever i is.
 */
static void hold_whole(const ptx_protocol *p, const ptx_act *act, ptx_value value, ptx_value base,
                       ptx_reach *reach) {
    ptx_forms *forms = &p->v->forms;
    const ptx_form f = forms->form[ptx_form_sum(forms, value, base, UINT64_MAX)];
    const int64_t times = f.terms == 1 ? ptx_with_sign(f.term[0].times, f.bits) : 0;
    const ptx_value moves =
        f.terms == 1 ? ptx_form_atom(forms, f.term[0].atom, f.bits) : PTX_UNKNOWN;
    ptx_range x;
    if (reach->base == PTX_UNKNOWN || !ptx_value_range_at(p, moves, act, &x.low, &x.high)) {
        x = (ptx_range){INT32_MIN, INT32_MAX};
    }
    ptx_guard_walk at = {0};
    ptx_comparison is;
    for (ptx_condition c; ptx_act_condition(p, act, &at, &c);) {
        x = ptx_comparison_of(p, &c, &is) ? ptx_range_held(p, x, moves, &is) : x;
    }
    if (times <= 0 || x.low > x.high || x.low == INT32_MIN || x.high == INT32_MAX) {
        return;
    }
    const int64_t number = ptx_with_sign(f.number, f.bits);
    const ptx_reach by = {base, number + x.low * times, number + x.high * times, (uint64_t)times};
    if (reach->base == PTX_UNKNOWN || by.low > reach->low || by.high < reach->high) {
        *reach = by;
    }
}

ptx_reach ptx_reach_at(const ptx_protocol *p, ptx_value value, const ptx_act *act) {
    ptx_forms *forms = &p->v->forms;
    const ptx_form f = forms->form[value];
    ptx_reach out = {.low = ptx_with_sign(f.number, f.bits)};
    out.high = out.low;
    if (value == PTX_UNKNOWN) {
        return out;
    }
    ptx_value base = ptx_form_number(forms, 0, f.bits);
    int has_base = 0;
    int is_known = 1;
    ptx_remainder rest;
    const uint32_t done = ptx_remainder_in(p, &f, &rest);
    if (done) {
        out.low -= rest.times * rest.added;
        out.high += rest.times * (rest.n - 1 - rest.added);
        out.step = (uint64_t)rest.times;
    }
    for (uint32_t i = 0; i < f.terms; i++) {
        if (done >> i & 1) {
            continue;
        }
        const ptx_value atom = ptx_form_atom(forms, f.term[i].atom, f.bits);
        const int64_t times = ptx_with_sign(f.term[i].times, f.bits);
        int64_t low = 0;
        int64_t high = 0;
        if (ptx_is_base(p, f.term[i].atom, atom)) {
            base = ptx_form_sum(forms, base, atom, f.term[i].times);
            has_base = 1;
            continue;
        }
        is_known = is_known && ptx_value_range_at(p, atom, act, &low, &high);
        out.low += times > 0 ? low * times : high * times;
        out.high += times > 0 ? high * times : low * times;
        out.step = common_divisor(out.step, (uint64_t)(times < 0 ? -times : times) *
                                                unit_of(p, f.term[i].atom));
    }
    out = is_known ? out : (ptx_reach){0};
    out.base = is_known && has_base ? base : PTX_UNKNOWN;
    if (act && has_base) {
        hold_whole(p, act, value, base, &out);
    }
    return out;
}
