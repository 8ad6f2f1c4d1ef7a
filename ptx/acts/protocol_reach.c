/* SPDX-License-Identifier: Apache-2.0
 *
 * How far an address moves: stages of a ring, by the ranges of the values that it is made of. A
 * range is what holds in all turns of all loops; one that does not settle is not known.
 */
#include <string.h>

#include "ptx_protocol.h"
#include "tma/detail/divisor.h"

#define MOST_DEEP    160   /* operations in operations: stages of a turn that a compiler unrolled */
#define MOST_LOOKED  50000 /* values, for one answer */
#define MOST_MERGED  12    /* values that ways bring together, in one */
#define MOST_ROUNDS  80    /* stages of a ring, and some */
#define MOST_STAGES  64
#define MOST_COUNTED 256  /* turns of a loop that values are tried with */
#define MOST_GUARDS  4    /* around a way that brings a value */
#define MOST_TRIES   4000 /* numbers that one value is tried with */
#define MOST_LOOKS   6000 /* values, for what those that are tried hang on */
#define MOST_ASKED   64   /* values whose answers stay for a round */

typedef struct range {
    int64_t low, high; /* low > high: no way brought one yet */
} range;

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
    uint64_t number = 0;
    const int is_number = ptx_form_apart(&r->p->v->forms, value, other, &number);
    *apart = (int32_t)(uint32_t)number;
    return is_number;
}

/* A value on the side of a select that its predicate brings. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static range side(reacher *r, const ptx_atom *select, int yes, int deep) {
    const ptx_values *v = r->p->v;
    const ptx_value value = yes ? select->c : select->d;
    const ptx_form *f = &v->forms.form[select->b];
    const range x = value_range(r, value, deep);
    const ptx_atom *a = f->terms == 1 ? &v->forms.atom[f->term[0].atom] : NULL;
    if (!a || !ptx_begins(ptx_atom_opcode(v, a), "setp.") || a->d) {
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

/* Bits that a value may have, where a mask says them, moved left or not; 0: not known. */
static int64_t mask_of(const ptx_protocol *p, ptx_value value) {
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
    const int64_t mask = is && !a->d ? mask_of(p, a->b) : 0;
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

/* A range of an atom without what an act's condition excludes: "is it 0", or a comparison. */
static range held_at(reacher *r, range x, uint32_t shuffle, ptx_condition *c) {
    const ptx_values *v = r->p->v;
    const ptx_value value = ptx_form_atom(&r->p->v->forms, shuffle, 32);
    c->key = ptx_as_shuffle(r->p, c->key, shuffle);
    const ptx_form *f = &v->forms.form[c->key];
    const ptx_atom a = v->forms.atom[f->terms == 1 ? f->term[0].atom : 0];
    int64_t apart = 0;
    int is = 0;
    const tma_ptx_span name = ptx_atom_opcode(v, &a);
    if (c->key == PTX_UNKNOWN || c->is_equal || f->terms != 1 || a.d || !a.c ||
        !ptx_begins(name, "setp.")) {
        return held_by(r, x, value, c);
    }
    const int64_t n = number_of(r->p, a.c, &is);
    const ptx_value of = ptx_as_shuffle(r->p, a.b, shuffle);
    const int is_apart = is && of != PTX_UNKNOWN && are_apart(r, value, of, &apart);
    if (!is_apart || (apart && name.length > 8 && name.at[8] == 'u' && x.low < apart &&
                      !c->holds == (name.at[5] == 'l'))) {
        return x; /* what is below 0 is large */
    }
    return held(x, name.at + 5, n + apart, c->holds);
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

/* How often a loop goes back where each turn adds more than 1, from one number to another. */
static range turns_by(reacher *r, const ptx_condition *c, ptx_value first, int64_t by) {
    uint64_t number = 0;
    const int is = first != PTX_UNKNOWN && ptx_value_number(r->p->v, first, &number);
    const int64_t apart =
        is ? ptx_with_sign(c->number - number, r->p->v->forms.form[first].bits) : 0;
    return !is || apart % by || apart / by < 0 ? fail(r) : (range){0, apart / by};
}

/* How often a loop goes back at most, where one of its blocks that each turn passes leaves it when
 * the turns are as many as a value says, and this one is above 0 before the loop. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static range turns_until(reacher *r, uint32_t atom, uint32_t loop, uint32_t block, int deep) {
    ptx_forms *forms = &r->p->v->forms;
    const ptx_condition *c = &r->p->branch[block];
    const ptx_form f = forms->form[c->key];
    uint64_t times = 0;
    for (uint32_t i = 0; i < f.terms; i++) {
        times = f.term[i].atom == atom ? f.term[i].times : times;
    }
    const int64_t by = ptx_with_sign(times, f.bits);
    const ptx_value turn = ptx_form_atom(forms, atom, f.bits);
    if (by > 1 || by < -1) {
        return turns_by(r, c, ptx_form_sum(forms, c->key, turn, (uint64_t)-by), by);
    }
    const ptx_value rest =
        by == 1 || by == -1 ? ptx_form_sum(forms, c->key, turn, (uint64_t)-by) : PTX_UNKNOWN;
    if (rest == PTX_UNKNOWN) {
        return fail(r);
    }
    const ptx_value number = ptx_form_number(forms, c->number, f.bits);
    const ptx_value last = by == 1 ? ptx_form_sum(forms, number, rest, UINT64_MAX)
                                   : ptx_form_sum(forms, rest, number, UINT64_MAX);
    range x = last == PTX_UNKNOWN ? fail(r) : value_range(r, last, deep);
    uint32_t guard = r->p->guard_of[r->p->v->g->loop[loop].head];
    for (int i = 0; i < MOST_GUARDS && guard != PTX_NONE; i++, guard = r->p->guard[guard].up) {
        x = last == PTX_UNKNOWN ? x : held_by(r, x, last, &r->p->guard[guard].is);
    }
    return x.low < 0 || x.low > x.high ? fail(r) : (range){0, x.high};
}

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static range turn_range(reacher *r, uint32_t atom, uint32_t loop, int deep) {
    const uint32_t block = ptx_loop_last(r->p, loop);
    return block == PTX_NONE ? fail(r) : turns_until(r, atom, loop, block, deep);
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

static int range_at(const ptx_protocol *p, ptx_value value, const ptx_act *act, int64_t *low,
                    int64_t *high) {
    reacher r = {.p = p, .act = act, .tries = MOST_TRIES, .looks = MOST_LOOKS};
    range is = nothing;
    const int settles = settle(&r, value, &is);
    *low = is.low;
    *high = is.high;
    return settles;
}

int ptx_value_range(const ptx_protocol *p, ptx_value value, int64_t *low, int64_t *high) {
    return range_at(p, value, NULL, low, high);
}

/* --- addresses --- */

/* What all numbers of an atom are multiples of, as masks and shifts have it. */
static uint64_t unit_of(const ptx_protocol *p, uint32_t atom) {
    const ptx_atom *a = &p->v->forms.atom[atom];
    uint64_t number = 0;
    const tma_ptx_span name = ptx_atom_opcode(p->v, a);
    if (!name.length || !ptx_value_number(p->v, a->c, &number) || !number || number > INT32_MAX) {
        return 1;
    }
    const uint64_t mask = (uint64_t)mask_of(p, a->b);
    return ptx_begins(name, "and.") ? number & (0 - number)
           : mask && (ptx_begins(name, "xor.") || ptx_begins(name, "or."))
               ? (number | mask) & (0 - (number | mask))
           : ptx_begins(name, "shl.") && number < 31 ? UINT64_C(1) << number
                                                     : 1;
}

ptx_reach ptx_reach_of(const ptx_protocol *p, ptx_value value) {
    return ptx_reach_at(p, value, NULL);
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
        if (!range_at(p, atom, act, &low, &high)) {
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
