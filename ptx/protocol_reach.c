/* SPDX-License-Identifier: Apache-2.0
 *
 * How far an address moves: stages of a ring, by the ranges of the values that it is made of. A
 * range is what holds in all turns of all loops; one that does not settle is not known.
 */
#include "ptx_protocol.h"
#include "tma/detail/divisor.h"

#define MOST_DEEP        24    /* operations in operations */
#define MOST_LOOKED      50000 /* values, for one answer */
#define MOST_MERGED      12    /* values that ways bring together, in one */
#define MOST_ROUNDS      80    /* stages of a ring, and some */
#define MOST_STAGES      64
#define REMAINDER_TRIALS 52
#define MOST_LEAVES      12   /* operations in operations, where each is tried */
#define MOST_GUARDS      4    /* around a way that brings a value */
#define MOST_TRIES       4000 /* numbers that one value is tried with */

typedef struct range {
    int64_t low, high; /* low > high: no way brought one yet */
} range;

typedef struct reacher {
    const ptx_protocol *p;
    uint32_t tries; /* that are left */
    uint32_t atom[MOST_MERGED];
    range of[MOST_MERGED];
    uint32_t atoms;
    int fails, changed;
    uint32_t looked;
} reacher;

static const range nothing = {1, 0};

static range value_range(reacher *r, ptx_value value, int deep);

static range fail(reacher *r) {
    r->fails = 1;
    return nothing;
}

static range both(range a, range b) {
    if (a.low > a.high || b.low > b.high) {
        return a.low > a.high ? b : a;
    }
    return (range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

/* --- values under a condition --- */

/* A range without what a comparison of it with a number excludes. */
static range held(range x, const char *than, int64_t n, int holds) {
    static const char *const words[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    static const char *const others[] = {"ne", "eq", "ge", "gt", "le", "lt"};
    size_t i = 0;
    while (i < 6 && !(words[i][0] == than[0] && words[i][1] == than[1])) {
        i++;
    }
    const char *is = i == 6 ? "" : holds ? words[i] : others[i];
    switch (is[0]) {
    case 'e':
        return x.low > n || x.high < n ? nothing : (range){n, n};
    case 'n':
        return (range){x.low + (x.low == n), x.high - (x.high == n)};
    case 'l':
        return (range){x.low, x.high > n - (is[1] == 't') ? n - (is[1] == 't') : x.high};
    case 'g':
        return (range){x.low < n + (is[1] == 't') ? n + (is[1] == 't') : x.low, x.high};
    default:
        return x;
    }
}

static int64_t number_of(const ptx_protocol *p, ptx_value value, int *is) {
    uint64_t number = 0;
    *is = ptx_value_number(p->v, value, &number) && number < INT32_MAX;
    return (int64_t)number;
}

/* Whether two values are always so far apart. */
static int are_apart(const reacher *r, ptx_value value, ptx_value other, int64_t *apart) {
    ptx_forms *forms = &r->p->v->forms;
    const ptx_value is = ptx_form_sum(forms, value, other, UINT64_MAX);
    uint64_t number = 0;
    *apart = 0;
    if (is == PTX_UNKNOWN || !ptx_form_is_number(forms, is, &number)) {
        return 0;
    }
    *apart = (int32_t)(uint32_t)number;
    return 1;
}

/* A value on the side of a select that its predicate brings. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static range side(reacher *r, const ptx_atom *select, int yes, int deep) {
    const ptx_values *v = r->p->v;
    const ptx_value value = yes ? select->c : select->d;
    const ptx_form *f = &v->forms.form[select->b];
    const range x = value_range(r, value, deep);
    const ptx_atom *a = f->terms == 1 ? &v->forms.atom[f->term[0].atom] : NULL;
    if (!a || a->kind != PTX_ATOM_OPERATION || a->a >= v->g->codes->opcodes || a->d ||
        !ptx_begins(v->g->codes->opcode[a->a], "setp.")) {
        return x;
    }
    int is = 0;
    int64_t apart = 0;
    const int64_t n = number_of(r->p, a->c, &is);
    return is && are_apart(r, value, a->b, &apart)
               ? held(x, v->g->codes->opcode[a->a].at + 5, n + apart, yes)
               : x;
}

/* --- operations --- */

static range below_power(range a, range b) {
    int64_t all = 1;
    while (all <= a.high || all <= b.high) {
        all <<= 1;
    }
    return (range){0, all - 1};
}

static range of_two(reacher *r, tma_ptx_span name, range x, range y) {
    const int is_number = y.low == y.high;
    if (x.low > x.high || y.low > y.high) {
        return nothing;
    }
    if (ptx_begins(name, "min.")) {
        return (range){x.low < y.low ? x.low : y.low, x.high < y.high ? x.high : y.high};
    }
    if (ptx_begins(name, "max.")) {
        return (range){x.low > y.low ? x.low : y.low, x.high > y.high ? x.high : y.high};
    }
    if (x.low < 0 || y.low < 0) {
        return fail(r);
    }
    if (ptx_begins(name, "xor.") || ptx_begins(name, "or.")) {
        return below_power(x, y);
    }
    if (is_number && ptx_begins(name, "shr.") && y.low < 32) {
        return (range){x.low >> y.low, x.high >> y.low};
    }
    if (is_number && ptx_begins(name, "shl.") && y.low < 32 && x.high < INT32_MAX) {
        return (range){x.low << y.low, x.high << y.low};
    }
    return fail(r);
}

/* What is so whatever one operand is: a remainder, a mask. */
static int of_one(const ptx_protocol *p, tma_ptx_span name, const ptx_atom *a, range *out) {
    int is = 0;
    const int64_t c = number_of(p, a->c, &is);
    /* rem.s: a place in a ring is none of a negative number */
    if (is && ((c && ptx_begins(name, "rem.")) || ptx_begins(name, "and."))) {
        *out = (range){0, ptx_begins(name, "and.") ? c : c - 1};
        return 1;
    }
    const int64_t b = number_of(p, a->b, &is);
    *out = (range){0, b};
    if (is && ptx_begins(name, "and.")) {
        return 1;
    }
    *out = (range){0, 1};
    return ptx_begins(name, "setp.") ||
           (name.length > 5 && ptx_is_text((tma_ptx_span){name.at + name.length - 5, 5}, ".pred"));
}

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static range operation_range(reacher *r, const ptx_atom *a, int deep) {
    const ptx_values *v = r->p->v;
    if (a->a == PTX_DO_ZERO_EXTEND || a->a == PTX_DO_SIGN_EXTEND) {
        return value_range(r, a->b, deep);
    }
    if (a->a == PTX_DO_SELECT) {
        return both(side(r, a, 1, deep), side(r, a, 0, deep));
    }
    if (a->a == PTX_DO_PRODUCT) {
        const range x = value_range(r, a->b, deep);
        const range y = value_range(r, a->c, deep);
        const int ok = x.low >= 0 && y.low >= 0 && x.high < INT32_MAX && y.high < INT32_MAX;
        return x.low > x.high || y.low > y.high ? nothing
               : ok                             ? (range){x.low * y.low, x.high * y.high}
                                                : fail(r);
    }
    range out;
    if (a->a >= v->g->codes->opcodes) {
        return fail(r);
    }
    const tma_ptx_span name = v->g->codes->opcode[a->a];
    if (of_one(r->p, name, a, &out)) {
        return out;
    }
    return a->c && !a->d ? of_two(r, name, value_range(r, a->b, deep), value_range(r, a->c, deep))
                         : fail(r);
}

/* --- what ways bring together --- */

/* A range of a value without what a condition excludes. */
static range held_by(reacher *r, range x, ptx_value value, const ptx_condition *c) {
    int64_t apart = 0;
    if (c->key == PTX_UNKNOWN || !c->is_equal || c->number >= INT32_MAX ||
        !are_apart(r, value, c->key, &apart)) {
        return x;
    }
    return held(x, "eq", (int64_t)c->number + apart, c->holds);
}

/* What one way brings, under the conditions that it is taken on. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static range way_range(reacher *r, uint32_t from, uint32_t to, ptx_value value, int deep) {
    const ptx_graph *g = r->p->v->g;
    range x = value_range(r, value, deep);
    ptx_condition c = r->p->branch[from];
    const ptx_node *n = &g->node[from];
    if (n->outs == 2) {
        c.holds = (g->out[n->first_out] == to) == c.holds;
        x = held_by(r, x, value, &c);
    }
    uint32_t guard = r->p->guard_of[from];
    for (int i = 0; i < MOST_GUARDS && guard != PTX_NONE; i++, guard = r->p->guard[guard].up) {
        x = held_by(r, x, value, &r->p->guard[guard].is);
    }
    return x;
}

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static range merged_range(reacher *r, const ptx_atom *a, int deep) {
    const ptx_values *v = r->p->v;
    const ptx_node *n = &v->g->node[a->a];
    uint32_t at = v->first_merge[a->a];
    range sum = nothing;
    while (at != PTX_NONE && v->merge[at].place != a->b) {
        at = v->merge[at].next;
    }
    if (at == PTX_NONE) {
        return fail(r);
    }
    for (uint32_t i = 0; i < n->ins; i++) {
        uint32_t loop = 0;
        const uint32_t from = v->g->in[n->first_in + i];
        if (v->g->node[from].order != PTX_NONE &&
            (!a->c || ptx_way_of(v->g, from, a->a, &loop) == PTX_WAY_ON)) {
            sum = both(sum, way_range(r, from, a->a, v->arg[v->merge[at].first_arg + i], deep));
        }
    }
    return sum;
}

/* What is known so far; the first time it is put down. */
static range known_range(reacher *r, uint32_t atom) {
    for (uint32_t i = 0; i < r->atoms; i++) {
        if (r->atom[i] == atom) {
            return r->of[i];
        }
    }
    if (r->atoms == MOST_MERGED) {
        return fail(r);
    }
    r->atom[r->atoms] = atom;
    r->of[r->atoms++] = nothing;
    r->changed = 1;
    return nothing;
}

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static range atom_range(reacher *r, uint32_t atom, int deep) {
    const ptx_atom a = r->p->v->forms.atom[atom];
    if (a.kind == PTX_ATOM_MERGED) {
        return known_range(r, atom);
    }
    if (a.kind == PTX_ATOM_SPECIAL) {
        const tma_ptx_span name = ptx_span(ptx_special_name(a.a));
        return ptx_begins(name, "%laneid")        ? (range){0, 31}
               : ptx_begins(name, "%cluster_cta") ? (range){0, 31}
               : ptx_begins(name, "%tid")         ? (range){0, 1023}
                                                  : fail(r);
    }
    return a.kind == PTX_ATOM_OPERATION && deep ? operation_range(r, &a, deep - 1) : fail(r);
}

static range moved(reacher *r, range sum, range x, int64_t times) {
    if (sum.low > sum.high || x.low > x.high) {
        return nothing;
    }
    if (x.low < INT32_MIN || x.high > INT32_MAX || times < INT32_MIN || times > INT32_MAX ||
        sum.low < INT32_MIN || sum.high > INT32_MAX) {
        return fail(r);
    }
    const int64_t one = x.low * times;
    const int64_t other = x.high * times;
    return (range){sum.low + (one < other ? one : other), sum.high + (one < other ? other : one)};
}

/* A factor, or a number, with its sign. */
static int64_t with_sign(uint64_t times, uint32_t bits) {
    const uint32_t shift = bits && bits < 64 ? 64 - bits : 0; /* 0: not said */
    return (int64_t)(times << shift) >> shift;
}

/* An address that is the same in all turns of all loops. */
static int is_base(const ptx_protocol *p, uint32_t atom, ptx_value term) {
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
static uint32_t remainder_in(const ptx_protocol *p, const ptx_form *f, int64_t *times, int64_t *n) {
    ptx_forms *forms = &p->v->forms;
    for (uint32_t i = 0; f->bits == 32 && i < f->terms; i++) {
        const int64_t over = -with_sign(f->term[i].times, f->bits);
        const int is_operation = forms->atom[f->term[i].atom].kind == PTX_ATOM_OPERATION;
        for (uint32_t k = 0; is_operation && k < f->terms; k++) {
            *times = with_sign(f->term[k].times, f->bits);
            if (*times <= 0 || over <= *times || over % *times || over / *times > MOST_STAGES) {
                continue;
            }
            ptx_value of = ptx_form_number(forms, 0, f->bits);
            uint32_t bits = 1U << i;
            for (uint32_t m = 0; m < f->terms; m++) {
                const int64_t one = with_sign(f->term[m].times, f->bits);
                const ptx_value atom = ptx_form_atom(forms, f->term[m].atom, f->bits);
                if (m != i && one % *times == 0 && !is_base(p, f->term[m].atom, atom)) {
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

/* The one value that ways bring together which a value hangs on; 0: it hangs on something else. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int find_leaf(const ptx_protocol *p, ptx_value value, uint32_t *leaf, int deep) {
    const ptx_form *f = &p->v->forms.form[value];
    int finds = value != PTX_UNKNOWN && deep;
    for (uint32_t i = 0; i < f->terms && finds; i++) {
        const ptx_atom *a = &p->v->forms.atom[f->term[i].atom];
        if (a->kind == PTX_ATOM_MERGED) {
            finds = *leaf == PTX_NONE || *leaf == f->term[i].atom;
            *leaf = f->term[i].atom;
        } else if (a->kind == PTX_ATOM_OPERATION) {
            const uint32_t of[3] = {a->b, a->c, a->d};
            for (uint32_t k = 0; k < 3 && finds; k++) {
                finds = !of[k] || find_leaf(p, of[k], leaf, deep - 1);
            }
        } else {
            finds = 0;
        }
    }
    return finds;
}

/* A value for each number that it may be made of, where these are few. */
static int enumerate(reacher *r, ptx_value value, range *out) {
    uint32_t leaf = PTX_NONE;
    if (!r->tries || !find_leaf(r->p, value, &leaf, MOST_LEAVES) || leaf == PTX_NONE) {
        return 0;
    }
    const range x = known_range(r, leaf);
    const ptx_form as = {.bits = 64, .terms = 1, .term = {{leaf, 1}}};
    *out = nothing;
    if (r->fails || x.low < 0 || x.high >= MOST_STAGES) {
        return 0;
    }
    for (int64_t i = x.low; i <= x.high; i++, r->tries--) {
        ptx_first t = {.p = r->p, .around = PTX_NONE, .variable = PTX_NONE, .as = &as};
        uint64_t is = 0;
        t.as_number = (uint64_t)i;
        if (!r->tries || !ptx_value_first(&t, value, &is)) {
            return 0;
        }
        const int64_t one = with_sign(is, r->p->v->forms.form[value].bits);
        *out = both(*out, (range){one, one});
    }
    return 1;
}

static range plain_range(reacher *r, ptx_value value, int deep);

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static range value_range(reacher *r, ptx_value value, int deep) {
    range is = plain_range(r, value, deep);
    if (r->fails) {
        r->fails = 0;
        r->fails = !enumerate(r, value, &is);
    }
    return is;
}

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static range plain_range(reacher *r, ptx_value value, int deep) {
    const ptx_form f = r->p->v->forms.form[value];
    range sum = {with_sign(f.number, f.bits), with_sign(f.number, f.bits)};
    if (value == PTX_UNKNOWN || sum.low < INT32_MIN || sum.low > INT32_MAX ||
        ++r->looked > MOST_LOOKED) {
        return fail(r);
    }
    int64_t times = 0;
    int64_t n = 0;
    const uint32_t done = remainder_in(r->p, &f, &times, &n);
    if (done) {
        sum = moved(r, sum, (range){0, n - 1}, times);
    }
    for (uint32_t i = 0; i < f.terms && !r->fails; i++) {
        sum = done >> i & 1 ? sum
                            : moved(r, sum, atom_range(r, f.term[i].atom, deep),
                                    with_sign(f.term[i].times, f.bits));
    }
    return r->fails ? nothing : sum;
}

/* Until nothing is new. */
static int settle(reacher *r, ptx_value value, range *out) {
    for (int round = 0; round < MOST_ROUNDS && !r->fails; round++) {
        r->changed = 0;
        *out = value_range(r, value, MOST_DEEP);
        for (uint32_t i = 0; i < r->atoms && !r->fails; i++) {
            const ptx_atom a = r->p->v->forms.atom[r->atom[i]];
            const range now = both(r->of[i], merged_range(r, &a, MOST_DEEP));
            r->changed |= now.low != r->of[i].low || now.high != r->of[i].high;
            r->of[i] = now;
        }
        if (!r->changed) {
            return !r->fails && out->low <= out->high;
        }
    }
    return 0;
}

int ptx_value_range(const ptx_protocol *p, ptx_value value, int64_t *low, int64_t *high) {
    reacher r = {.p = p, .tries = MOST_TRIES};
    range is = nothing;
    const int settles = settle(&r, value, &is);
    *low = is.low;
    *high = is.high;
    return settles;
}

/* --- addresses --- */

/* What all numbers of an atom are multiples of, as masks and shifts have it. */
static uint64_t unit_of(const ptx_protocol *p, uint32_t atom) {
    const ptx_atom *a = &p->v->forms.atom[atom];
    uint64_t number = 0;
    if (a->kind != PTX_ATOM_OPERATION || a->a >= p->v->g->codes->opcodes ||
        !ptx_value_number(p->v, a->c, &number) || !number || number > INT32_MAX) {
        return 1;
    }
    const tma_ptx_span name = p->v->g->codes->opcode[a->a];
    return ptx_begins(name, "and.")                  ? number & (0 - number)
           : ptx_begins(name, "shl.") && number < 31 ? UINT64_C(1) << number
                                                     : 1;
}

ptx_reach ptx_reach_of(const ptx_protocol *p, ptx_value value) {
    ptx_forms *forms = &p->v->forms;
    const ptx_form f = forms->form[value];
    ptx_reach out = {.low = with_sign(f.number, f.bits)};
    out.high = out.low;
    if (value == PTX_UNKNOWN) {
        return out;
    }
    ptx_value base = ptx_form_number(forms, 0, f.bits);
    int has_base = 0;
    int64_t stage_B = 0;
    int64_t stages = 0;
    const uint32_t done = remainder_in(p, &f, &stage_B, &stages);
    if (done) {
        out.high += stage_B * (stages - 1);
        out.step = (uint64_t)stage_B;
    }
    for (uint32_t i = 0; i < f.terms; i++) {
        if (done >> i & 1) {
            continue;
        }
        const ptx_value atom = ptx_form_atom(forms, f.term[i].atom, f.bits);
        const int64_t times = with_sign(f.term[i].times, f.bits);
        int64_t low = 0;
        int64_t high = 0;
        if (is_base(p, f.term[i].atom, atom)) {
            base = ptx_form_sum(forms, base, atom, f.term[i].times);
            has_base = 1;
            continue;
        }
        if (!ptx_value_range(p, atom, &low, &high)) {
            return (ptx_reach){0};
        }
        out.low += times > 0 ? low * times : high * times;
        out.high += times > 0 ? high * times : low * times;
        out.step = common_divisor(out.step, (uint64_t)(times < 0 ? -times : times) *
                                                unit_of(p, f.term[i].atom));
    }
    out.base = has_base ? base : PTX_UNKNOWN;
    return out;
}

int ptx_reaches_apart(const ptx_reach *a, const ptx_reach *b, int64_t a_B, int64_t b_B) {
    if (a->base == PTX_UNKNOWN || a->base != b->base) {
        return 0;
    }
    if (a->high + a_B <= b->low || b->high + b_B <= a->low) {
        return 1;
    }
    const int64_t step = (int64_t)common_divisor(a->step, b->step); /* places are so far apart */
    if (!step) {
        return 0;
    }
    const int64_t apart = ((b->low - a->low) % step + step) % step;
    return apart >= a_B && step - apart >= b_B;
}
