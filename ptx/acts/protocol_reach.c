/* SPDX-License-Identifier: Apache-2.0
 *
 * The range of a value, by those of what it is made of. A range is what holds in all turns of all
 * loops; one that does not settle is not known.
 */
#include <string.h>

#include "ptx_protocol.h"

#define MOST_DEEP    160   /* operations in operations: stages of a turn that a compiler unrolled */
#define MOST_LOOKED  50000 /* values, for one answer */
#define MOST_MERGED  12    /* values that ways bring together, in one */
#define MOST_ROUNDS  80    /* stages of a ring, and some */
#define MOST_STAGES  64
#define MOST_COUNTED 256  /* turns of a loop that values are tried with */
#define MOST_EXITS   64   /* blocks of a turn, back from its end */
#define MOST_GUARDS  4    /* around a way that brings a value */
#define MOST_TRIES   4000 /* numbers that one value is tried with */
#define MOST_LOOKS   6000 /* values, for what those that are tried hang on */
#define MOST_ASKED   64   /* values whose answers stay for a round */

typedef ptx_range range; /* low > high: no way brought one yet */

/* What a value was in this round, for one that stands in another one in several places. */
typedef struct asked {
    ptx_value value; /* PTX_UNKNOWN: none */
    int deep, fails;
    range is;
} asked;

typedef struct reacher {
    const ptx_protocol *p;
    const ptx_act *act; /* whose conditions hold, or null */
    uint32_t tries;     /* that are left */
    uint32_t looks;     /* likewise */
    uint32_t atom[MOST_MERGED];
    range of[MOST_MERGED];
    uint32_t atoms;
    int fails, changed;
    uint32_t looked;
    asked asked[MOST_ASKED];
} reacher;

static const range nothing = {1, 0};

static range value_range(reacher *r, ptx_value value, int deep);
static range moved(reacher *r, range sum, range x, int64_t times);

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

static int64_t number_of(const ptx_protocol *p, ptx_value value, int *is) {
    uint64_t number = 0;
    *is = ptx_value_number(p->v, value, &number) && number < INT32_MAX;
    return (int64_t)number;
}

/* A range of a value without what a condition excludes. */
static range held_by(const reacher *r, range x, ptx_value value, const ptx_condition *c) {
    ptx_comparison is;
    return ptx_comparison_of(r->p, c, &is) ? ptx_range_held(r->p, x, value, &is) : x;
}

/* A value on the side of a select that its predicate brings. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static range side(reacher *r, const ptx_atom *select, int yes, int deep) {
    const ptx_value value = yes ? select->c : select->d;
    const ptx_condition c = ptx_condition_of(r->p->v, select->b, yes);
    return held_by(r, value_range(r, value, deep), value, &c);
}

/* --- operations --- */

/* What a value is that counts in so many bits, read with a sign or without: -1 is the largest. */
static range as_read(range x, uint32_t bits, int is_signed) {
    if (x.low > x.high || bits > 32) {
        return x.low < 0 && !is_signed ? (range){0, INT64_MAX} : x;
    }
    const int64_t all = INT64_C(1) << bits;
    const int64_t least = is_signed ? -all / 2 : 0;
    const uint64_t wide = (uint64_t)x.high - (uint64_t)x.low;
    const int64_t low =
        least + (int64_t)(((uint64_t)x.low - (uint64_t)least) & (uint64_t)(all - 1));
    return wide < (uint64_t)(least + all - low) ? (range){low, low + (int64_t)wide}
                                                : (range){least, least + all - 1};
}

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static range read_range(reacher *r, ptx_value value, int is_signed, int deep) {
    return as_read(value_range(r, value, deep), r->p->v->forms.form[value].bits, is_signed);
}

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
    if (is_number && ptx_begins(name, "shr.") && y.low < 32 && x.high <= UINT32_MAX) {
        return (range){x.low >> y.low, x.high >> y.low};
    }
    if (x.high > INT32_MAX || y.high > INT32_MAX) {
        return fail(r);
    }
    if (ptx_begins(name, "xor.") || ptx_begins(name, "or.")) {
        return below_power(x, y);
    }
    if (is_number && ptx_begins(name, "shl.") && y.low < 32) {
        return (range){x.low << y.low, x.high << y.low};
    }
    return fail(r);
}

/* Bits that a value may have, where a mask says them, moved left or not; 0: not known. */
int64_t ptx_value_mask(const ptx_protocol *p, ptx_value value) {
    const ptx_form *f = &p->v->forms.form[value];
    const ptx_atom *a = f->terms == 1 ? &p->v->forms.atom[f->term[0].atom] : NULL;
    int is = 0;
    const int64_t mask = a && a->kind == PTX_ATOM_OPERATION && a->c ? number_of(p, a->c, &is) : 0;
    const uint64_t times = a ? f->term[0].times : 0;
    return is && !f->number && times <= UINT16_MAX && !(times & (times - 1)) &&
                   ptx_begins(ptx_atom_opcode(p->v, a), "and.")
               ? mask * (int64_t)times
               : 0;
}

/* Some bits of a value, and a number: with or without them. */
static int of_masked(const ptx_protocol *p, tma_ptx_span name, const ptx_atom *a, range *out) {
    int is = 0;
    const int64_t c = a->c ? number_of(p, a->c, &is) : 0;
    const int64_t mask = is && !a->d ? ptx_value_mask(p, a->b) : 0;
    const int xors = ptx_begins(name, "xor.");
    *out = (range){xors ? c & ~mask : c, c | mask};
    return mask && (xors || ptx_begins(name, "or."));
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
    const int64_t bits = a->d ? number_of(p, a->d, &is) : 0;
    if (a->d && is && bits < 31 && ptx_begins(name, "bfe.u")) {
        *out = (range){0, (INT64_C(1) << bits) - 1};
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
        return read_range(r, a->b, a->a == PTX_DO_SIGN_EXTEND, deep);
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
    if (a->a == PTX_DO_SUM) {
        return moved(r, value_range(r, a->b, deep), value_range(r, a->c, deep), 1);
    }
    range out;
    if (a->a >= v->g->codes->opcodes) {
        return fail(r);
    }
    const tma_ptx_span name = v->g->codes->opcode[a->a];
    if (of_one(r->p, name, a, &out) || of_masked(r->p, name, a, &out)) {
        return out;
    }
    if (!a->c || a->d) {
        return fail(r);
    }
    const int is_signed = name.length > 4 && name.at[4] == 's'; /* min.s32, shr.s32 */
    return of_two(r, name, read_range(r, a->b, is_signed, deep),
                  read_range(r, a->c, is_signed, deep));
}

/* --- what ways bring together --- */

/* Likewise, what those of a block do. */
static range held_in(const reacher *r, range x, ptx_value value, uint32_t block) {
    uint32_t guard = r->p->guard_of[block];
    for (int i = 0; i < MOST_GUARDS && guard != PTX_NONE; i++, guard = r->p->guard[guard].up) {
        x = held_by(r, x, value, &r->p->guard[guard].is);
    }
    return x;
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
    return held_in(r, x, value, from);
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

/* A range of a shuffle's result without what an act's condition excludes. */
static range held_at(const reacher *r, range x, uint32_t shuffle, const ptx_condition *c) {
    ptx_comparison is;
    if (!ptx_comparison_of(r->p, c, &is)) {
        return x;
    }
    is.of = ptx_as_shuffle(r->p, is.of, shuffle);
    return ptx_range_held(r->p, x, ptx_form_atom(&r->p->v->forms, shuffle, 32), &is);
}

/* What a shuffle brings: what some lane has. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static range shuffled_range(reacher *r, uint32_t atom, const ptx_atom *a, int deep) {
    const ptx_value of = deep ? ptx_shuffle_source(r->p, a) : PTX_UNKNOWN;
    range x = of == PTX_UNKNOWN ? fail(r) : value_range(r, of, deep - 1);
    ptx_guard_walk at = {0};
    for (ptx_condition c; r->act && x.low <= x.high && a->loop == PTX_NONE &&
                          ptx_act_condition(r->p, r->act, &at, &c);) {
        x = held_at(r, x, atom, &c);
    }
    return x;
}

/* How often a loop goes back at most, where it goes on while a sum of `first` and as many times
 * `by` as there were turns is below a number, or is not. */
static range turns_while(reacher *r, const ptx_comparison *is, range first, int64_t by) {
    const int up = is->is == PTX_IS_BELOW;
    const int64_t n = is->number;
    const int64_t far = up ? n - first.low : first.high - n + 1; /* that turns go at most */
    const int64_t step = up ? by : -by;
    const int wraps = n + by > INT32_MAX || n + by < INT32_MIN ||
                      (is->is_unsigned && (first.low < 0 || n + by < 0));
    if ((!up && is->is != PTX_IS_NOT_BELOW) || step <= 0 || wraps) {
        return fail(r);
    }
    return (range){0, far <= 0 ? 0 : (far - 1) / step + 1};
}

/* The same, where it goes on until this is a number: what the turns are then, if that is not below
 * 0 before the loop. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static range turns_until(reacher *r, uint32_t loop, ptx_value first, int64_t n, int64_t by,
                         int deep) {
    ptx_forms *forms = &r->p->v->forms;
    const int64_t step = by < 0 ? -by : by;
    const ptx_value number = ptx_form_number(forms, (uint64_t)n, forms->form[first].bits);
    const ptx_value last = by < 0 ? ptx_form_sum(forms, first, number, UINT64_MAX)
                                  : ptx_form_sum(forms, number, first, UINT64_MAX);
    range x = last == PTX_UNKNOWN ? fail(r) : value_range(r, last, deep);
    x = held_in(r, x, last, r->p->v->g->loop[loop].head);
    const int is_met = step == 1 || (step && x.low == x.high && x.low % step == 0);
    return x.low < 0 || x.low > x.high || !is_met ? fail(r) : (range){0, x.high / step};
}

/* What a comparison that a turn goes on under lets the loop go back at most; one that says nothing
 * of the turns fails. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static range turns_under(reacher *r, uint32_t atom, uint32_t loop, const ptx_condition *c,
                         int deep) {
    ptx_forms *forms = &r->p->v->forms;
    ptx_comparison is;
    if (!ptx_comparison_of(r->p, c, &is)) {
        return fail(r);
    }
    const ptx_form f = forms->form[is.of];
    int64_t by = 0;
    for (uint32_t i = 0; i < f.terms; i++) {
        by = f.term[i].atom == atom ? ptx_with_sign(f.term[i].times, f.bits) : by;
    }
    const ptx_value turn = by ? ptx_form_atom(forms, atom, f.bits) : PTX_UNKNOWN;
    const ptx_value first = ptx_form_sum(forms, is.of, turn, 0 - (uint64_t)by);
    if (first == PTX_UNKNOWN) {
        return fail(r);
    }
    if (is.is == PTX_IS_NOT_EQUAL) {
        return turns_until(r, loop, first, is.number, by, deep);
    }
    const range x = value_range(r, first, deep);
    return r->fails || x.low > x.high ? nothing : turns_while(r, &is, x, by);
}

/* How often a loop goes back at most, by the blocks that each turn passes: those that lead out of
 * the loop where a comparison does not hold. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static range turn_range(reacher *r, uint32_t atom, uint32_t loop, int deep) {
    const ptx_graph *g = r->p->v->g;
    uint32_t block = ptx_loop_back(g, loop);
    range is = fail(r);
    for (int i = 0; r->fails && i < MOST_EXITS && block != PTX_NONE; i++) {
        const uint32_t *to = &g->out[g->node[block].first_out];
        for (uint32_t out = 0; r->fails && g->node[block].outs == 2 && out < 2; out++) {
            const ptx_condition c = ptx_way_condition(r->p, block, out);
            if (!ptx_block_in_loop(g, to[!out], loop)) {
                r->fails = 0;
                is = turns_under(r, atom, loop, &c, deep);
            }
        }
        block = block == g->loop[loop].head ? PTX_NONE : g->node[block].dominator;
    }
    return is;
}

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static range atom_range(reacher *r, uint32_t atom, int deep) {
    const ptx_atom a = r->p->v->forms.atom[atom];
    if (a.kind == PTX_ATOM_RESULT) {
        return shuffled_range(r, atom, &a, deep);
    }
    if (a.kind == PTX_ATOM_MERGED) {
        return known_range(r, atom);
    }
    if (a.kind == PTX_ATOM_TURN && deep) {
        return turn_range(r, atom, a.a, deep - 1);
    }
    if (a.kind == PTX_ATOM_SPECIAL) {
        const tma_ptx_span name = ptx_span(ptx_special_name(a.a));
        return ptx_begins(name, "%laneid")        ? (range){0, 31}
               : ptx_begins(name, "%cluster_cta") ? (range){0, 31}
               : ptx_is_text(name, "%tid.x")      ? (range){0, ptx_most_threads(r->p) - 1}
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

/* The numbers that a value may be made of: few, or the turns of a loop that has no more than those
 * of a compiler's 8 bits. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static range leaf_range(reacher *r, uint32_t leaf) {
    const ptx_atom a = r->p->v->forms.atom[leaf];
    const int turns = a.kind == PTX_ATOM_TURN;
    const range x = turns ? turn_range(r, leaf, a.a, MOST_DEEP) : known_range(r, leaf);
    return r->fails || x.low < 0 || x.high >= (turns ? MOST_COUNTED : MOST_STAGES) ? fail(r) : x;
}

/* A value for each number that it may be made of. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int enumerate(reacher *r, ptx_value value, uint32_t leaf, range *out) {
    const range x = leaf_range(r, leaf);
    ptx_held held = {.atom = leaf};
    *out = nothing;
    if (r->fails) {
        return 0;
    }
    for (int64_t i = x.low; i <= x.high; i++, r->tries--) {
        ptx_first t = {.p = r->p, .around = PTX_NONE, .variable = PTX_NONE, .givens = 1};
        uint64_t is = 0;
        held.number = (uint64_t)i;
        t.given = &held;
        if (!r->tries || !ptx_value_first(&t, value, &is)) {
            return 0;
        }
        const int64_t one = ptx_with_sign(is, r->p->v->forms.form[value].bits);
        *out = both(*out, (range){one, one});
    }
    return 1;
}

static range plain_range(reacher *r, ptx_value value, int deep);

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static range value_range(reacher *r, ptx_value value, int deep) {
    if (r->fails) { /* of a value that stands beside this one */
        return nothing;
    }
    asked *before = &r->asked[value % MOST_ASKED];
    if (before->value == value && value != PTX_UNKNOWN &&
        (!before->fails || before->deep >= deep)) {
        r->fails = before->fails;
        return before->is;
    }
    range is = plain_range(r, value, deep);
    /* what stands there twice goes against itself: x - x / 5 * 5 is not below 0 */
    if (r->fails || (is.low <= is.high && is.low < 0)) {
        uint32_t leaf = 0;
        range tried = nothing;
        const uint32_t places = ptx_value_leaf(r->p, value, &leaf, &r->looks);
        const int fails = r->fails;
        r->fails = 0;
        const int is_done = places > (fails ? 0U : 1U) && enumerate(r, value, leaf, &tried);
        r->fails = !is_done && fails;
        is = is_done ? tried : is;
    }
    *before = (asked){value, deep, r->fails, is};
    return is;
}

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static range plain_range(reacher *r, ptx_value value, int deep) {
    const ptx_form f = r->p->v->forms.form[value];
    range sum = {ptx_with_sign(f.number, f.bits), ptx_with_sign(f.number, f.bits)};
    if (value == PTX_UNKNOWN || sum.low < INT32_MIN || sum.low > INT32_MAX ||
        ++r->looked > MOST_LOOKED) {
        return fail(r);
    }
    ptx_remainder rest;
    const uint32_t done = ptx_remainder_in(r->p, &f, &rest);
    if (done) {
        sum = moved(r, sum, (range){-rest.added, rest.n - 1 - rest.added}, rest.times);
    }
    for (uint32_t i = 0; i < f.terms && !r->fails; i++) {
        sum = done >> i & 1 ? sum
                            : moved(r, sum, atom_range(r, f.term[i].atom, deep),
                                    ptx_with_sign(f.term[i].times, f.bits));
    }
    return r->fails ? nothing : sum;
}

/* Until nothing is new. */
static int settle(reacher *r, ptx_value value, range *out) {
    for (int round = 0; round < MOST_ROUNDS && !r->fails; round++) {
        r->changed = 0;
        memset(r->asked, 0, sizeof(r->asked));
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

int ptx_value_range_at(const ptx_protocol *p, ptx_value value, const ptx_act *act, int64_t *low,
                       int64_t *high) {
    reacher r = {.p = p, .act = act, .tries = MOST_TRIES, .looks = MOST_LOOKS};
    range is = nothing;
    const int settles = settle(&r, value, &is);
    *low = is.low;
    *high = is.high;
    return settles;
}

int ptx_value_range(const ptx_protocol *p, ptx_value value, int64_t *low, int64_t *high) {
    return ptx_value_range_at(p, value, NULL, low, high);
}
