/* SPDX-License-Identifier: Apache-2.0
 *
 * Stages of a ring that are counted by remainders, as compilers write x % n.
 */
#include "ptx_protocol.h"

#define MOST_STAGES      64
#define REMAINDER_TRIALS 52

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

/* x - n * (x / n) as compilers write it, with a product and shifts: tried with numbers. For such a
 * product they are enough, for x below 2^31: floor(x * m / 2^s) with n * m = 2^s + e, x = k * n +
 * r, 0 <= r < n, is k + floor((r + x * e / 2^s) / n). If e < 0, it is wrong for x = n. If e >= 0,
 * it is right where x * e / 2^s < n - r; the right side is least for r = n - 1, and the left one
 * grows with x: where it is right for the largest such x, it is right for all before. */
static int is_remainder(const ptx_protocol *p, ptx_value value, ptx_value of, int64_t n) {
    const ptx_form x = p->v->forms.form[of];
    uint32_t at = 0;
    while (at < x.terms && x.term[at].times != 1) {
        at++;
    }
    for (uint64_t i = 0; at < x.terms && i < REMAINDER_TRIALS; i++) {
        const uint64_t number = remainder_trial(i, (uint64_t)n);
        ptx_first t = {.p = p, .around = PTX_NONE, .variable = PTX_NONE, .as = &x, .as_term = at};
        uint64_t is = 0;
        t.as_number = (number - x.number) & UINT32_MAX;
        if (!ptx_value_first(&t, value, &is) || is != number % (uint64_t)n) {
            return 0;
        }
    }
    return at < x.terms;
}

/* Terms of a form that are times * (x % n) together: their bits, 0: there are none. */
uint32_t ptx_remainder_in(const ptx_protocol *p, const ptx_form *f, int64_t *times, int64_t *n) {
    ptx_forms *forms = &p->v->forms;
    for (uint32_t i = 0; f->bits == 32 && i < f->terms; i++) {
        const int64_t over = -ptx_with_sign(f->term[i].times, f->bits);
        const int is_operation = forms->atom[f->term[i].atom].kind == PTX_ATOM_OPERATION;
        for (uint32_t k = 0; is_operation && k < f->terms; k++) {
            *times = ptx_with_sign(f->term[k].times, f->bits);
            if (*times <= 0 || over <= *times || over % *times || over / *times > MOST_STAGES) {
                continue;
            }
            ptx_value of = ptx_form_number(forms, 0, f->bits);
            uint32_t bits = 1U << i;
            for (uint32_t m = 0; m < f->terms; m++) {
                const int64_t one = ptx_with_sign(f->term[m].times, f->bits);
                const ptx_value atom = ptx_form_atom(forms, f->term[m].atom, f->bits);
                if (m != i && one % *times == 0 && !ptx_is_base(p, f->term[m].atom, atom)) {
                    of = ptx_form_sum(forms, of, atom, (uint64_t)(one / *times));
                    bits |= 1U << m;
                }
            }
            *n = over / *times;
            const ptx_value by = ptx_form_atom(forms, f->term[i].atom, f->bits);
            const ptx_value rest = ptx_form_sum(forms, of, by, 0 - (uint64_t)*n);
            if (rest != PTX_UNKNOWN && is_remainder(p, rest, of, *n)) {
                return bits;
            }
        }
    }
    return 0;
}
