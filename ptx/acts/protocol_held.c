/* SPDX-License-Identifier: Apache-2.0
 *
 * What a condition says of one value: how it compares with a number.
 */
#include "ptx_protocol.h"

/* "x < n", with a sign or without, whichever side the number is on, or its contrary. */
static int order_of(const ptx_protocol *p, const ptx_atom *a, int holds, ptx_comparison *out) {
    const tma_ptx_span name = ptx_atom_opcode(p->v, a);
    uint64_t number = 0;
    if (!ptx_begins(name, "setp.") || a->d || name.length < 10 || name.at[7] != '.' ||
        (name.at[8] != 'u' && name.at[8] != 's')) {
        return 0;
    }
    const char order = name.at[5]; /* lt, le, lo, ls; gt, ge, hi, hs */
    const char how = name.at[6];
    const int is_left = ptx_value_number(p->v, a->b, &number); /* n < x: x > n */
    if ((order != 'l' && order != 'g' && order != 'h') ||
        (!is_left && !ptx_value_number(p->v, a->c, &number))) {
        return 0;
    }
    const int is_below = (order == 'l') != is_left;
    const int is_strict = how != 'e' && how != 's';
    *out = (ptx_comparison){.of = is_left ? a->c : a->b, .is_unsigned = name.at[8] == 'u'};
    const int64_t n = ptx_with_sign(number, p->v->forms.form[is_left ? a->b : a->c].bits);
    out->number = n + (is_below != is_strict); /* x <= n, x > n: x < n + 1, or not */
    out->is = is_below == (holds != 0) ? PTX_IS_BELOW : PTX_IS_NOT_BELOW;
    return n < INT32_MAX && n >= (out->is_unsigned ? 0 : INT32_MIN);
}

int ptx_comparison_of(const ptx_protocol *p, const ptx_condition *c, ptx_comparison *out) {
    if (c->key == PTX_UNKNOWN) {
        return 0;
    }
    const ptx_form *f = &p->v->forms.form[c->key];
    if (c->is_equal) {
        *out = (ptx_comparison){.of = c->key, .is = c->holds ? PTX_IS_EQUAL : PTX_IS_NOT_EQUAL};
        out->number = ptx_with_sign(c->number, f->bits);
        return out->number < INT32_MAX && out->number > INT32_MIN;
    }
    return f->terms == 1 && f->term[0].times == 1 && !f->number &&
           order_of(p, &p->v->forms.atom[f->term[0].atom], c->holds, out);
}

/* What holds of `x`, where it is `apart` from what is compared with a number; `all`: as many
 * numbers as its bits have, past which sums wrap. */
static ptx_range held(ptx_range x, const ptx_comparison *c, int64_t apart, int64_t all) {
    const int64_t n = c->number + apart;
    const int may_wrap = x.low - apart < (c->is_unsigned ? 0 : -all / 2) || /* below 0: large */
                         x.high - apart >= all / 2;
    switch ((ptx_is)c->is) {
    case PTX_IS_EQUAL:
        return x.low > n || x.high < n ? (ptx_range){1, 0} : (ptx_range){n, n};
    case PTX_IS_NOT_EQUAL:
        return (ptx_range){x.low + (x.low == n), x.high - (x.high == n)};
    case PTX_IS_BELOW:
        if (c->is_unsigned) {
            x.low = x.low < apart ? apart : x.low;
        }
        return may_wrap && !c->is_unsigned ? x
                                           : (ptx_range){x.low, x.high > n - 1 ? n - 1 : x.high};
    case PTX_IS_NOT_BELOW:
        return may_wrap ? x : (ptx_range){x.low < n ? n : x.low, x.high};
    }
    return x;
}

ptx_range ptx_range_held(const ptx_protocol *p, ptx_range x, ptx_value value,
                         const ptx_comparison *c) {
    uint64_t number = 0;
    if (x.low > x.high || !ptx_form_apart(&p->v->forms, value, c->of, &number)) {
        return x;
    }
    const uint32_t bits = p->v->forms.form[value].bits;
    const int64_t apart = ptx_with_sign(number, bits);
    const int64_t all = INT64_C(1) << (bits < 32 ? bits : 32);
    const int wraps = apart < INT32_MIN || apart > INT32_MAX || x.low <= c->number + apart - all ||
                      x.high >= all + apart + (c->number < 0 ? c->number : 0);
    return wraps ? x : held(x, c, apart, all);
}
