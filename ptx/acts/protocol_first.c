/* SPDX-License-Identifier: Apache-2.0
 *
 * What a value is for the first thread, in the first turn of loops.
 */
#include "ptx_calculate.h"
#include "ptx_protocol.h"
#include "tma/detail/chars.h"

#define MOST_DEEP   40   /* operations in operations */
#define MOST_LOOKED 4096 /* values, for one answer */
#define WARP        32
#define MOST_THREAD 1024
#define MOST_GUARDS 16

static int value_first(ptx_first *t, ptx_value value, int deep, uint64_t *out);

ptx_value ptx_value_merged(const ptx_values *v, const ptx_atom *a, int back) {
    const ptx_graph *g = v->g;
    const ptx_node *n = &g->node[a->a];
    ptx_value same = PTX_UNKNOWN;
    const uint32_t at = ptx_merge_of(v, a->a, a->b);
    for (uint32_t i = 0; at != PTX_NONE && i < n->ins; i++) {
        uint32_t loop = 0;
        const uint32_t from = g->in[n->first_in + i];
        if (g->node[from].order != PTX_NONE &&
            (ptx_way_of(g, from, a->a, &loop) != PTX_WAY_ON) == back) {
            const ptx_value one = v->arg[v->merge[at].first_arg + i];
            if (same != PTX_UNKNOWN && one != same) {
                return PTX_UNKNOWN;
            }
            same = one;
        }
    }
    return same;
}

/* Whether a condition may hold for the thread. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int may_hold(ptx_first *t, const ptx_condition *c, int deep) {
    const int by_thread = t->by_thread;
    uint64_t is = 0;
    const int known = c->key != PTX_UNKNOWN && value_first(t, c->key, deep, &is);
    t->by_thread = by_thread;
    return !known || (c->is_equal ? is == c->number : (is & 1) != 0) == c->holds;
}

/* Whether the thread's own conditions let it come behind a guard, as far as they are known. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int passes(ptx_first *t, uint32_t guard, int deep) {
    for (uint32_t i = 0; guard != PTX_NONE && i < MOST_GUARDS; i++) {
        if (!may_hold(t, &t->p->guard[guard].is, deep)) {
            return 0;
        }
        guard = t->p->guard[guard].up;
    }
    return 1;
}

/* Whether the thread may come by a way. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int takes_way(ptx_first *t, uint32_t from, uint32_t to, int deep) {
    const ptx_node *n = &t->p->v->g->node[from];
    ptx_condition way = t->p->branch[from];
    way.holds ^= (uint8_t)(n->outs == 2 && t->p->v->g->out[n->first_out] != to);
    return (n->outs != 2 || may_hold(t, &way, deep)) && passes(t, t->p->guard_of[from], deep);
}

/* What the ways to a block bring, but those back to a loop. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static ptx_value brought(ptx_first *t, const ptx_atom *a, int deep) {
    const ptx_values *v = t->p->v;
    const ptx_graph *g = v->g;
    const ptx_node *n = &g->node[a->a];
    ptx_value same = PTX_UNKNOWN;
    const uint32_t at = ptx_merge_of(v, a->a, a->b);
    for (uint32_t i = 0; at != PTX_NONE && i < n->ins; i++) {
        uint32_t loop = 0;
        const uint32_t from = g->in[n->first_in + i];
        const ptx_value one = v->arg[v->merge[at].first_arg + i];
        if (g->node[from].order == PTX_NONE || ptx_way_of(g, from, a->a, &loop) != PTX_WAY_ON ||
            one == same || !takes_way(t, from, a->a, deep)) {
            continue;
        }
        if (same != PTX_UNKNOWN) {
            return PTX_UNKNOWN;
        }
        same = one;
    }
    return same;
}

/* What the way into a loop brings. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int entering(ptx_first *t, const ptx_atom *a, int deep, uint64_t *out) {
    const ptx_graph *g = t->p->v->g;
    const uint32_t loop = g->node[a->a].loop;
    const int is_head = loop != PTX_NONE && g->loop[loop].head == a->a;
    if (!is_head && !t->follows) {
        return 0;
    }
    ptx_value same = is_head ? ptx_value_merged(t->p->v, a, 0) : PTX_UNKNOWN;
    same = same == PTX_UNKNOWN && t->follows ? brought(t, a, deep - 1) : same;
    return same != PTX_UNKNOWN && value_first(t, same, deep - 1, out);
}

/* An opcode that ptx_calculate() does; the type's letter says the sign. */
static int opcode_of(const ptx_values *v, const ptx_atom *a, ptx_code *c) {
    static const uint8_t done[PTX_OPS] = {
        [PTX_OP_AND] = 1, [PTX_OP_OR] = 1,  [PTX_OP_XOR] = 1,   [PTX_OP_SHL] = 1,
        [PTX_OP_SHR] = 1, [PTX_OP_MIN] = 1, [PTX_OP_MAX] = 1,   [PTX_OP_BFE] = 1,
        [PTX_OP_DIV] = 1, [PTX_OP_REM] = 1, [PTX_OP_MUL_HI] = 1};
    const tma_ptx_span name = ptx_atom_opcode(v, a);
    const ptx_op op = ptx_op_of(name);
    if (!done[op] || !a->bits) {
        return 0;
    }
    size_t letter = name.length;
    while (letter && name.at[letter - 1] != '.') {
        letter--;
    }
    *c = (ptx_code){.op = (uint8_t)op, .bits = a->bits};
    c->is_signed = letter < name.length && name.at[letter] == 's';
    return 1;
}

/* setp.gt.s32, of two numbers: 1 where it is one that is done here. */
static int compared(const ptx_values *v, const ptx_atom *a, uint64_t x, uint64_t y, uint64_t *out) {
    const tma_ptx_span name = ptx_atom_opcode(v, a);
    /* "setp.", two letters, ".s32" */
    if (name.length < 10 || name.length > 11 || !ptx_begins(name, "setp.") || name.at[7] != '.') {
        return 0;
    }
    const int is_signed = name.at[8] == 's';
    const tma_ptx_span size = {name.at + name.length - 2, 2};
    const uint32_t bits = ptx_is_text(size, "32") ? 32 : ptx_is_text(size, "64") ? 64 : 0;
    if (!bits || (!is_signed && name.at[8] != 'u' && name.at[8] != 'b')) {
        return 0;
    }
    const uint64_t flip = is_signed ? UINT64_C(1) << (bits - 1) : 0; /* the sign's order */
    const uint64_t mask = UINT64_MAX >> (64 - bits);
    x = (x & mask) ^ flip;
    y = (y & mask) ^ flip;
    const char order = name.at[5]; /* eq, ne; lt, le, lo, ls; gt, ge, hi, hs */
    const int or_equal = x == y && (name.at[6] == 'e' || name.at[6] == 's');
    *out = (uint64_t)(order == 'e'   ? x == y
                      : order == 'n' ? x != y
                      : order == 'l' ? x < y || or_equal
                                     : x > y || or_equal);
    return 1;
}

static int extended(const ptx_values *v, const ptx_atom *a, uint64_t x, uint64_t *out) {
    const uint32_t from = v->forms.form[a->b].bits;
    const int is_negative = a->a == PTX_DO_SIGN_EXTEND && from && from < 64 && x >> (from - 1) & 1;
    *out = is_negative ? x | UINT64_MAX << from : x;
    return 1;
}

/* Of two numbers that are known; `code` is null where no opcode says what is done. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int of_two(ptx_first *t, const ptx_atom *a, const ptx_code *code, const uint64_t two[2],
                  int deep, uint64_t *out) {
    const ptx_values *v = t->p->v;
    if (a->a == PTX_DO_PRODUCT || a->a == PTX_DO_SUM) {
        *out = a->a == PTX_DO_PRODUCT ? two[0] * two[1] : two[0] + two[1];
        return 1;
    }
    if (!code) {
        return compared(v, a, two[0], two[1], out);
    }
    uint64_t of[3] = {two[0], two[1], 0};
    const uint32_t count = code->op == PTX_OP_BFE ? 3 : 2;
    return (count == 2 || value_first(t, a->d, deep - 1, &of[2])) &&
           ptx_calculate(code, v->g->codes->opcode[a->a], of, count, out);
}

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int operation_first(ptx_first *t, const ptx_atom *a, int deep, uint64_t *out) {
    const ptx_values *v = t->p->v;
    uint64_t x = 0;
    uint64_t y = 0;
    ptx_code c;
    const int has_x = value_first(t, a->b, deep - 1, &x);
    if (a->a == PTX_DO_ZERO_EXTEND || a->a == PTX_DO_SIGN_EXTEND) {
        return has_x && extended(v, a, x, out);
    }
    if (a->a == PTX_DO_SELECT) {
        return has_x && value_first(t, x ? a->c : a->d, deep - 1, out);
    }
    const int is_code = opcode_of(v, a, &c);
    const int is_product = a->a == PTX_DO_PRODUCT;
    *out = 0;
    if (has_x && !x && (is_product || (is_code && (c.op == PTX_OP_AND || c.op == PTX_OP_SHR)))) {
        return 1;
    }
    if ((!has_x && !is_product) || !value_first(t, a->c, deep - 1, &y)) {
        return 0;
    }
    if (is_product && !y) {
        return 1;
    }
    if (!has_x) {
        return 0;
    }
    return of_two(t, a, is_code ? &c : NULL, (const uint64_t[2]){x, y}, deep, out);
}

/* What lane 0 of the first warp holds: shfl.sync.idx.b32 %r, %r1, 0, 31, -1 */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int shuffled(ptx_first *t, const ptx_atom *a, int deep, uint64_t *out) {
    ptx_values *v = t->p->v;
    const ptx_step *step = &v->g->step[a->a];
    uint64_t lane = 0;
    tma_ptx_parts parts;
    if (step->kind != PTX_STEP_ROW || tma_ptx_split(&parts, &v->g->rows->row[step->row].piece) ||
        !tma_ptx_is(&parts, "shfl", "idx") || parts.count < 4 ||
        !ptx_value_number(v, ptx_value_of_text(v, step, parts.operand[2]), &lane) || lane) {
        return 0;
    }
    t->by_thread = 1;
    const uint32_t thread = t->thread;
    t->thread -= thread % WARP;
    const int is_known =
        value_first(t, ptx_value_of_text(v, step, parts.operand[1]), deep - 1, out);
    t->thread = thread;
    return is_known;
}

/* What a vector gets of a number: mov.b64 {%r1, %r2}, %q1 */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int unpacked(ptx_first *t, const ptx_atom *a, int deep, uint64_t *out) {
    ptx_values *v = t->p->v;
    const ptx_step *step = &v->g->step[a->a];
    const ptx_code *c = &v->g->codes->code[step->row];
    tma_ptx_parts parts;
    if (step->kind != PTX_STEP_ROW || c->op != PTX_OP_MOVE || c->guarded || c->defs < 2 ||
        tma_ptx_split(&parts, &v->g->rows->row[step->row].piece) || parts.count != 2 ||
        !value_first(t, ptx_value_of_text(v, step, parts.operand[1]), deep - 1, out)) {
        return 0;
    }
    const uint32_t part_bits = c->bits / c->defs;
    *out = *out >> (a->b * part_bits) & ((UINT64_C(1) << part_bits) - 1);
    return part_bits && part_bits < 64;
}

/* What a loop makes: its turns, and what it carries. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int turned_first(ptx_first *t, const ptx_atom *a, int deep, uint64_t *out) {
    const int is_turned = a->kind == PTX_ATOM_TURN || a->kind == PTX_ATOM_MERGED;
    if (is_turned && a->loop == PTX_NONE && t->follows) {
        return !a->c && deep && entering(t, a, deep, out);
    }
    if (!is_turned || a->loop == PTX_NONE || (t->only && a->loop != t->only - 1) ||
        (t->around != PTX_NONE && ptx_block_in_loop(t->p->v->g, t->around, a->loop))) {
        return 0;
    }
    return a->kind == PTX_ATOM_TURN || (!a->c && deep && entering(t, a, deep, out));
}

/* What one of the ways brings. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int joined_first(ptx_first *t, const ptx_atom *a, int deep, uint64_t *out) {
    const ptx_values *v = t->p->v;
    const ptx_node *n = &v->g->node[a->a];
    const uint32_t at = ptx_merge_of(v, a->a, a->b);
    for (uint32_t i = 0; at != PTX_NONE && i < n->ins; i++) {
        uint32_t loop = 0;
        const uint32_t from = v->g->in[n->first_in + i];
        const ptx_value one = v->arg[v->merge[at].first_arg + i];
        if (v->g->node[from].order != PTX_NONE && one != PTX_UNKNOWN &&
            ptx_way_of(v->g, from, a->a, &loop) == PTX_WAY_ON &&
            value_first(t, one, deep - 1, out)) {
            t->by_way = 1;
            return 1;
        }
    }
    return 0;
}

static int address_first(ptx_first *t, const ptx_atom *a, uint64_t *out) {
    if (t->finds && t->variable == PTX_NONE && ptx_is_shared(t->p->v, a)) {
        t->variable = a->a;
    }
    *out = t->address;
    return t->variable != PTX_NONE && a->a == t->variable;
}

static int special_first(ptx_first *t, uint32_t special, uint64_t *out) {
    t->by_thread = 1;
    switch (special) {
    case PTX_SPECIAL_TID_X:
        *out = t->thread;
        return 1;
    case PTX_SPECIAL_LANEID:
        *out = t->thread % WARP;
        return 1;
    case PTX_SPECIAL_TID_Y:
    case PTX_SPECIAL_TID_Z:
        return 1;
    case PTX_SPECIAL_CTAID_X:
    case PTX_SPECIAL_CTAID_Y:
    case PTX_SPECIAL_CTAID_Z:
    case PTX_SPECIAL_CLUSTER_CTAID_X:
    case PTX_SPECIAL_CLUSTER_CTAID_Y:
    case PTX_SPECIAL_CLUSTER_CTAID_Z:
    case PTX_SPECIAL_CLUSTER_CTARANK:
        return t->first_cta;
    default:
        return 0;
    }
}

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int atom_first(ptx_first *t, const ptx_atom *a, int deep, uint64_t *out) {
    *out = 0;
    if (a->kind != PTX_ATOM_OPERATION && t->turning && a->loop != PTX_NONE &&
        ptx_loop_in_loop(t->p->v->g, a->loop, t->turning - 1)) {
        return 0;
    }
    if (a->kind == PTX_ATOM_SPECIAL) {
        return special_first(t, a->a, out);
    }
    if (a->kind == PTX_ATOM_ADDRESS) {
        return address_first(t, a, out);
    }
    if (a->kind == PTX_ATOM_WINDOW && a->a == 's' && t->first_cta) {
        t->by_window = 1;
        return 1;
    }
    if (a->kind == PTX_ATOM_RESULT) {
        return deep && (unpacked(t, a, deep, out) || (!a->b && shuffled(t, a, deep, out)));
    }
    if (a->kind == PTX_ATOM_OPERATION) {
        return deep && operation_first(t, a, deep, out);
    }
    return turned_first(t, a, deep, out) ||
           (t->joins && deep && a->kind == PTX_ATOM_MERGED && joined_first(t, a, deep, out));
}

static int is_given(const ptx_first *t, uint32_t atom, uint64_t *out) {
    for (uint32_t i = 0; i < t->givens; i++) {
        if (t->given[i].atom == atom) {
            *out = t->given[i].number;
            return 1;
        }
    }
    return 0;
}

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int value_first(ptx_first *t, ptx_value value, int deep, uint64_t *out) {
    const ptx_form f = t->p->v->forms.form[value];
    uint64_t sum = f.number;
    if (++t->looked > MOST_LOOKED) {
        return 0;
    }
    if (value != PTX_UNKNOWN && value == t->as) {
        *out = t->as_number;
        return 1;
    }
    for (uint32_t i = 0; i < f.terms; i++) {
        uint64_t one = 0;
        if (!is_given(t, f.term[i].atom, &one) &&
            !atom_first(t, &t->p->v->forms.atom[f.term[i].atom], deep, &one)) {
            return 0;
        }
        sum += f.term[i].times * one;
    }
    *out = f.bits < 64 ? sum & ((UINT64_C(1) << f.bits) - 1) : sum;
    return value != PTX_UNKNOWN;
}

int ptx_value_first(ptx_first *t, ptx_value value, uint64_t *out) {
    t->looked = 0;
    return value_first(t, value, MOST_DEEP, out);
}

uint32_t ptx_most_threads(const ptx_protocol *p) {
    const uint32_t exact = ptx_head_product(p, ".reqntid");
    const uint32_t most = exact ? exact : ptx_head_product(p, ".maxntid");
    return most && most < MOST_THREAD ? most : MOST_THREAD;
}

uint32_t ptx_act_thread(const ptx_protocol *p, const ptx_act *act) {
    const uint32_t guard = p->guard_of[p->v->g->step[act->step].block];
    uint16_t *known = guard == PTX_NONE ? NULL : &p->thread_of[guard];
    if (known && !*known) {
        ptx_first t = {.p = p, .around = PTX_NONE, .variable = PTX_NONE};
        while (t.thread < ptx_most_threads(p) && !passes(&t, guard, MOST_DEEP)) {
            t.thread = t.thread == 0 ? 1 : t.thread == 1 ? WARP : t.thread + WARP;
            t.looked = 0;
        }
        *known = (uint16_t)(t.thread < ptx_most_threads(p) ? 1 + t.thread : 1);
    }
    return known ? *known - 1u : 0;
}

uint32_t ptx_act_threads(const ptx_protocol *p, const ptx_act *act, uint32_t threads, int warps) {
    const uint32_t guard = p->guard_of[ptx_act_block(p, act)];
    uint32_t count = 0;
    uint32_t last = PTX_NONE; /* warp */
    for (uint32_t thread = 0; thread < threads; thread++) {
        ptx_first t = {.p = p, .around = PTX_NONE, .variable = PTX_NONE, .thread = thread};
        t.only = PTX_NONE; /* what loops make is not known */
        if ((!warps || thread / WARP != last) && passes(&t, guard, MOST_DEEP)) {
            last = thread / WARP;
            count++;
        }
    }
    return count;
}

int ptx_act_goes_without(const ptx_protocol *p, const ptx_act *act, const ptx_act *other) {
    const uint32_t one = p->guard_of[p->v->g->step[act->step].block];
    const uint32_t two = p->guard_of[p->v->g->step[other->step].block];
    for (uint32_t thread = 0; thread < ptx_most_threads(p); thread += WARP) {
        ptx_first t = {.p = p, .around = PTX_NONE, .variable = PTX_NONE, .thread = thread};
        if (passes(&t, one, MOST_DEEP) && !passes(&t, two, MOST_DEEP)) {
            return 1;
        }
    }
    return 0;
}

int ptx_act_passes_by(const ptx_protocol *p, const ptx_act *act, const uint8_t *others) {
    const uint32_t guard = p->guard_of[p->v->g->step[act->step].block];
    for (uint32_t thread = 0; thread < ptx_most_threads(p); thread += WARP) {
        ptx_first t = {.p = p, .around = PTX_NONE, .variable = PTX_NONE, .thread = thread};
        int is = passes(&t, guard, MOST_DEEP);
        for (uint32_t i = 0; is && i < p->acts; i++) {
            is = !others[i] || !passes(&t, p->guard_of[ptx_act_block(p, &p->act[i])], MOST_DEEP);
        }
        if (is) {
            return 1;
        }
    }
    return 0;
}
