/* SPDX-License-Identifier: Apache-2.0
 *
 * Stages of a ring that are counted by remainders, as compilers write x % n.
 */
#include "ptx_protocol.h"

#define MOST_STAGES      64
#define REMAINDER_TRIALS 52
#define MOST_DEEP        8 /* operations in a quotient */
#define MOST_SUMMED      4 /* atoms in what is divided */

/* A factor, or a number, with its sign. */
int64_t ptx_with_sign(uint64_t times, uint32_t bits) {
    const uint32_t shift = bits && bits < 64 ? 64 - bits : 0; /* 0: not said */
    return (int64_t)(times << shift) >> shift;
}

/* An address that is the same in all turns of all loops. */
int ptx_is_base(const ptx_protocol *p, uint32_t atom, ptx_value term) {
    return p->v->forms.atom[atom].loop == PTX_NONE && ptx_shared_variable(p->v, term) != PTX_NONE;
}

/* Numbers that x is tried with, for a quotient by n. */
static uint64_t remainder_trial(uint64_t i, uint64_t n) {
    if (i < 24) {
        return i;
    }
    if (i < 48) {
        return (UINT64_C(1) << (i - 18)) + i;
    }
    return i < 50 ? n - (i & 1) : (UINT64_C(1) << 31) / n * n - 1 - (i & 1);
}

/* Numbers of the atoms of a sum or difference that make it a number, others in each trial. 0: it is
 * none. */
static uint32_t part_number(const ptx_form *x, uint64_t number, uint64_t trial, ptx_held *held) {
    uint32_t rest = (uint32_t)(number - x->number);
    for (uint32_t i = 0; i < x->terms; i++) {
        const int64_t times = ptx_with_sign(x->term[i].times, x->bits);
        if (x->terms > MOST_SUMMED || (times != 1 && times != -1)) {
            return 0;
        }
        const uint32_t part =
            i + 1 == x->terms ? rest : (uint32_t)(rest * trial / REMAINDER_TRIALS);
        held[i] = (ptx_held){x->term[i].atom, times < 0 ? 0 - part : part};
        rest -= part;
    }
    return x->bits == 32 || !x->number ? x->terms : 0;
}

/* Whether a value is x / n as compilers write it, with a product and shifts: tried with numbers.
 * For such a product they are enough, for x below 2^31: floor(x * m / 2^s) with n * m = 2^s + e, x
 * = k * n + r, 0 <= r < n, is k + floor((r + x * e / 2^s) / n). If e < 0, it is wrong for x = n. If
 * e >= 0, it is right where x * e / 2^s < n - r; the right side is least for r = n - 1, and the
 * left one grows with x: where it is right for the largest such x, it is right for all before. Or
 * whether it is n * (x / n), as they mask it where n is a power of two. */
static int is_quotient(const ptx_protocol *p, ptx_value value, ptx_value of, int64_t n,
                       int64_t scale) {
    const ptx_form *x = &p->v->forms.form[of];
    for (uint64_t i = 0; i < REMAINDER_TRIALS; i++) {
        const uint64_t number = remainder_trial(i, (uint64_t)n);
        ptx_held held[MOST_SUMMED];
        ptx_first t = {.p = p, .around = PTX_NONE, .variable = PTX_NONE, .as = of};
        t.as_number = number;
        t.given = held; /* it may stand there in more bits, or in a sum with others, too */
        t.givens = part_number(x, number, i, held);
        uint64_t is = 0;
        if (!ptx_value_first(&t, value, &is) || is != number / (uint64_t)n * (uint64_t)scale) {
            return 0;
        }
    }
    return 1;
}

/* What an atom is a multiple of by its mask, a power of two; 1: it has none. */
static int64_t scale_of(const ptx_protocol *p, uint32_t atom) {
    const ptx_atom *a = &p->v->forms.atom[atom];
    uint64_t mask = 0;
    if (!ptx_begins(ptx_atom_opcode(p->v, a), "and.") || a->d ||
        !ptx_value_number(p->v, a->c, &mask)) {
        return 1;
    }
    const uint32_t n = 0 - (uint32_t)mask;
    return n <= MOST_STAGES && n && !(n & (n - 1)) ? (int64_t)n : 1;
}

/* Whether a form has times * (of - n * the quotient of `of` by n), less a number: its terms. */
static uint32_t remainder_of(const ptx_protocol *p, const ptx_form *f, uint32_t quotient,
                             ptx_value of, ptx_remainder *out) {
    const ptx_form *x = &p->v->forms.form[of];
    const int64_t over =
        -ptx_with_sign(f->term[quotient].times, f->bits) * scale_of(p, f->term[quotient].atom);
    uint32_t bits = UINT32_C(1) << quotient;
    *out = (ptx_remainder){.added = ptx_with_sign(x->number, x->bits)};
    for (uint32_t i = 0; i < x->terms; i++) {
        const int64_t in_x = ptx_with_sign(x->term[i].times, x->bits);
        uint32_t k = 0;
        while (k < f->terms && f->term[k].atom != x->term[i].atom) {
            k++;
        }
        const int64_t one = k < f->terms ? ptx_with_sign(f->term[k].times, f->bits) : 0;
        if (one % in_x || !one || (i && one / in_x != out->times)) {
            return 0;
        }
        out->times = one / in_x;
        bits |= UINT32_C(1) << k;
    }
    out->n = out->times > 0 && over % out->times == 0 ? over / out->times : 0;
    const int64_t most = INT32_MAX / MOST_STAGES;
    return out->n > 1 && out->n <= MOST_STAGES && out->added > -most && out->added < most ? bits
                                                                                          : 0;
}

/* The term that adds 1 to a quotient where it is below 0, as compilers divide numbers with a sign:
 * its upper bit, or that of what it is a shift of. PTX_NONE: there is none. */
static uint32_t sign_of(const ptx_protocol *p, const ptx_form *f, uint32_t quotient) {
    ptx_forms *forms = &p->v->forms;
    const ptx_value whole = ptx_form_atom(forms, f->term[quotient].atom, f->bits);
    for (uint32_t i = 0; i < f->terms; i++) {
        const ptx_atom *a = &forms->atom[f->term[i].atom];
        uint64_t by = 0;
        if (i != quotient && f->term[i].times == f->term[quotient].times &&
            ptx_begins(ptx_atom_opcode(p->v, a), "shr.") && !a->d &&
            (a->b == whole || a->b == forms->atom[f->term[quotient].atom].b) &&
            ptx_value_number(p->v, a->c, &by) && by == 31) {
            return i;
        }
    }
    return PTX_NONE;
}

/* The same for what a quotient may be one of: its operand, and that one's single atom. */
static uint32_t remainder_at(const ptx_protocol *p, const ptx_form *f, uint32_t quotient,
                             ptx_value of, ptx_remainder *out) {
    ptx_forms *forms = &p->v->forms;
    const uint32_t sign = sign_of(p, f, quotient);
    ptx_value by = ptx_form_atom(forms, f->term[quotient].atom, f->bits);
    uint32_t bits = by == PTX_UNKNOWN ? 0 : remainder_of(p, f, quotient, of, out);
    if (bits && sign != PTX_NONE) {
        by = ptx_form_sum(forms, by, ptx_form_atom(forms, f->term[sign].atom, f->bits), 1);
        bits |= UINT32_C(1) << sign;
    }
    const int64_t scale = scale_of(p, f->term[quotient].atom);
    return bits && is_quotient(p, by, of, out->n, scale) ? bits : 0;
}

/* What a quotient is made of, from its own atom on: the operand that it is the quotient of. */
static uint32_t remainder_by(const ptx_protocol *p, const ptx_form *f, uint32_t quotient,
                             ptx_remainder *out) {
    ptx_forms *forms = &p->v->forms;
    uint32_t todo[MOST_DEEP] = {f->term[quotient].atom};
    uint32_t count = 1;
    for (uint32_t i = 0; i < count; i++) {
        if (forms->atom[todo[i]].kind != PTX_ATOM_OPERATION) {
            continue;
        }
        const ptx_value of = forms->atom[todo[i]].b;
        const ptx_form x = forms->form[of];
        uint32_t bits = remainder_at(p, f, quotient, of, out);
        if (!bits && x.terms == 1) {
            bits = remainder_at(p, f, quotient, ptx_form_atom(forms, x.term[0].atom, f->bits), out);
        }
        if (bits) {
            return bits;
        }
        for (uint32_t k = 0; k < x.terms && count < MOST_DEEP; k++) {
            const uint32_t atom = x.term[k].atom; /* of a sum of x and its product, or its sign */
            todo[count] = atom;
            count += forms->atom[atom].kind == PTX_ATOM_OPERATION;
        }
    }
    return 0;
}

/* Of several the one that holds the others: x may have a remainder in itself. */
uint32_t ptx_remainder_in(const ptx_protocol *p, const ptx_form *f, ptx_remainder *out) {
    uint32_t most = 0;
    for (uint32_t i = 0; f->bits == 32 && i < f->terms; i++) {
        ptx_remainder is;
        const uint32_t bits =
            ptx_with_sign(f->term[i].times, f->bits) < 0 ? remainder_by(p, f, i, &is) : 0;
        if (bits && (bits & most) == most) {
            most = bits;
            *out = is;
        }
    }
    return most;
}
