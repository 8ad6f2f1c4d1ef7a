/* SPDX-License-Identifier: Apache-2.0
 *
 * Under which conditions blocks and steps run.
 */
#include <string.h>

#include "ptx_protocol.h"
#include "tma/detail/assert.h"

#define MOST_DEEP    6  /* operations in operations */
#define MOST_GUARDS  64 /* of one act that are looked at */
#define MOST_BROUGHT 8  /* conditions of a block that brings a predicate */

/* --- conditions --- */

/* setp.eq, setp.ne: of which number the difference of its operands is asked; 0: another predicate
 */
static int as_equality(ptx_values *v, const ptx_atom *a, ptx_condition *c) {
    const tma_ptx_span name = ptx_atom_opcode(v, a);
    const int is_equal = ptx_begins(name, "setp.eq.");
    if (a->d || (!is_equal && !ptx_begins(name, "setp.ne.")) || name.at[name.length - 3] == 'f') {
        return 0;
    }
    const ptx_value apart = ptx_form_sum(&v->forms, a->b, a->c, UINT64_MAX);
    if (apart == PTX_UNKNOWN) {
        return 0;
    }
    const ptx_form f = v->forms.form[apart];
    const ptx_value number = ptx_form_number(&v->forms, f.number, f.bits);
    c->key = ptx_form_sum(&v->forms, apart, number, UINT64_MAX);
    c->number = ptx_form_number(&v->forms, 0 - f.number, f.bits);
    c->number = v->forms.form[c->number].number;
    c->is_equal = 1;
    c->holds = (uint8_t)(c->holds == is_equal);
    return 1;
}

/* The atom that a value is alone, or null. */
static const ptx_atom *alone(const ptx_values *v, ptx_value value) {
    const ptx_form *f = &v->forms.form[value];
    return value != PTX_UNKNOWN && f->terms == 1 && f->term[0].times == 1 && !f->number
               ? &v->forms.atom[f->term[0].atom]
               : NULL;
}

/* "selp x, 1, 0, P" is 1: P. Returns P, or PTX_UNKNOWN where no predicate says it. */
static ptx_value chosen_by(const ptx_values *v, ptx_condition *c) {
    const ptx_atom *a = c->is_equal ? alone(v, c->key) : NULL;
    uint64_t yes = 0;
    uint64_t no = 0;
    if (!a || a->kind != PTX_ATOM_OPERATION || a->a != PTX_DO_SELECT ||
        !ptx_form_is_number(&v->forms, a->c, &yes) || !ptx_form_is_number(&v->forms, a->d, &no) ||
        yes == no || (c->number != yes && c->number != no)) {
        return PTX_UNKNOWN;
    }
    c->holds = (uint8_t)(c->holds == (c->number == yes));
    return a->b;
}

static ptx_condition condition_of(ptx_values *v, ptx_value predicate, int holds) {
    ptx_condition c = {.key = predicate, .holds = (uint8_t)(holds != 0)};
    if (predicate == PTX_UNKNOWN) {
        return c;
    }
    const ptx_form *f = &v->forms.form[predicate];
    if (f->bits == 1 && f->number) { /* not.pred */
        c.key = ptx_form_sum(&v->forms, predicate, ptx_form_number(&v->forms, 1, 1), 1);
        c.holds = !c.holds;
        f = &v->forms.form[c.key];
    }
    if (f->terms == 1 && f->term[0].times == 1 && !f->number) {
        const ptx_atom a = v->forms.atom[f->term[0].atom];
        as_equality(v, &a, &c);
    }
    return c;
}

ptx_condition ptx_condition_of(ptx_values *v, ptx_value predicate, int holds) {
    ptx_condition c = condition_of(v, predicate, holds);
    ptx_value by = PTX_UNKNOWN;
    for (int deep = 0; deep < MOST_DEEP && (by = chosen_by(v, &c)) != PTX_UNKNOWN; deep++) {
        c = condition_of(v, by, c.holds);
    }
    return c;
}

/* Whether two conditions cannot both be. */
int ptx_conditions_clash(const ptx_condition *a, const ptx_condition *b) {
    if (a->key == PTX_UNKNOWN || a->key != b->key || a->is_equal != b->is_equal) {
        return 0;
    }
    return a->number == b->number ? a->holds != b->holds : a->is_equal && a->holds && b->holds;
}

int ptx_atom_tells_threads(const ptx_atom *a) {
    if (a->kind != PTX_ATOM_SPECIAL) {
        return 0;
    }
    const char *name = ptx_special_name(a->a);
    return ptx_begins(ptx_span(name), "%tid") || ptx_begins(ptx_span(name), "%lane");
}

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static ptx_hangs value_hangs(const ptx_protocol *p, ptx_value value, int deep) {
    const ptx_forms *forms = &p->v->forms;
    const ptx_form *f = &forms->form[value];
    ptx_hangs most = value == PTX_UNKNOWN || !deep ? PTX_HANGS_OTHER : PTX_HANGS_UNIFORM;
    for (uint32_t i = 0; i < f->terms && most != PTX_HANGS_OTHER; i++) {
        const ptx_atom *a = &forms->atom[f->term[i].atom];
        ptx_hangs is = PTX_HANGS_OTHER;
        if (ptx_atom_tells_threads(a)) {
            is = PTX_HANGS_THREAD;
        } else if (a->kind <= PTX_ATOM_WINDOW && a->kind != PTX_ATOM_NAMED) {
            is = PTX_HANGS_UNIFORM;
        } else if (a->kind == PTX_ATOM_OPERATION) {
            const uint32_t of[3] = {a->b, a->c, a->d};
            is = PTX_HANGS_UNIFORM;
            for (uint32_t k = 0; k < 3; k++) {
                const ptx_hangs one = of[k] ? value_hangs(p, of[k], deep - 1) : PTX_HANGS_UNIFORM;
                is = one > is ? one : is;
            }
        }
        most = is > most ? is : most;
    }
    return most;
}

ptx_hangs ptx_value_hangs(const ptx_protocol *p, ptx_value value) {
    return value_hangs(p, value, MOST_DEEP);
}

/* elect.sync's predicate. */
static int is_elected(const ptx_protocol *p, const ptx_condition *c) {
    const ptx_forms *forms = &p->v->forms;
    const ptx_form *f = &forms->form[c->key];
    if (c->key == PTX_UNKNOWN || f->terms != 1 ||
        forms->atom[f->term[0].atom].kind != PTX_ATOM_RESULT) {
        return 0;
    }
    return ptx_begins(ptx_step_opcode(p->v->g, forms->atom[f->term[0].atom].a), "elect.");
}

/* %tid.x & 31: one of a warp, or of more threads. */
static int is_in_group(const ptx_protocol *p, const ptx_atom *a) {
    const ptx_forms *forms = &p->v->forms;
    uint64_t mask = 0;
    if (!ptx_begins(ptx_atom_opcode(p->v, a), "and.b") || a->d ||
        !ptx_value_number(p->v, a->c, &mask) || mask < 31 || mask & (mask + 1)) {
        return 0;
    }
    const ptx_form *f = &forms->form[a->b];
    return f->terms == 1 && f->term[0].times == 1 &&
           ptx_atom_tells_threads(&forms->atom[f->term[0].atom]);
}

/* A product of numbers of threads: (%tid.z * %ntid.y + %tid.y) * %ntid.x. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int is_of_threads(const ptx_protocol *p, const ptx_atom *a, int deep) {
    const ptx_forms *forms = &p->v->forms;
    if (a->kind == PTX_ATOM_SPECIAL) {
        const tma_ptx_span name = ptx_span(ptx_special_name(a->a));
        return ptx_begins(name, "%tid.") || ptx_begins(name, "%ntid.");
    }
    int is = a->kind == PTX_ATOM_OPERATION && a->a == PTX_DO_PRODUCT && deep;
    for (uint32_t k = 0; k < 2 && is; k++) {
        const ptx_form *f = &forms->form[k ? a->c : a->b];
        for (uint32_t i = 0; i < f->terms && is; i++) {
            is = is_of_threads(p, &forms->atom[f->term[i].atom], deep - 1);
        }
    }
    return is;
}

/* The rank of a thread among all of the CTA, as cooperative groups count it. */
static int is_thread_rank(const ptx_protocol *p, const ptx_condition *c) {
    const ptx_form *f = &p->v->forms.form[c->key];
    uint32_t ranks = 0;
    int is = c->key != PTX_UNKNOWN && c->is_equal && f->terms > 1;
    for (uint32_t i = 0; i < f->terms && is; i++) {
        const ptx_atom *a = &p->v->forms.atom[f->term[i].atom];
        const int is_x =
            a->kind == PTX_ATOM_SPECIAL && ptx_is_text(ptx_span(ptx_special_name(a->a)), "%tid.x");
        is = is_x ? f->term[i].times == 1
                  : a->kind == PTX_ATOM_OPERATION && is_of_threads(p, a, MOST_DEEP);
        ranks += (uint32_t)is_x;
    }
    return is && ranks == 1;
}

/* %tid.x, or %laneid: one of them alone. */
static int is_one_register(const ptx_protocol *p, const ptx_condition *c) {
    const ptx_form *f = &p->v->forms.form[c->key];
    const ptx_atom *a = f->terms == 1 ? &p->v->forms.atom[f->term[0].atom] : NULL;
    return c->is_equal && a && (ptx_atom_tells_threads(a) || is_in_group(p, a));
}

ptx_hangs ptx_condition_hangs(const ptx_protocol *p, const ptx_condition *c) {
    if (c->holds && (is_elected(p, c) || is_one_register(p, c) || is_thread_rank(p, c))) {
        return PTX_HANGS_ONE_THREAD;
    }
    return is_elected(p, c) ? PTX_HANGS_THREAD : ptx_value_hangs(p, c->key);
}

/* --- blocks --- */

static void take_branch(ptx_protocol *p, uint32_t block) {
    const ptx_graph *g = p->v->g;
    const ptx_node *n = &g->node[block];
    uint64_t known = 0;
    p->can_branch[block] = 3;
    if (n->first == n->end || n->outs != 2 || g->out[n->first_out] == g->out[n->first_out + 1]) {
        return;
    }
    const ptx_step *step = &g->step[n->end - 1];
    const ptx_code *c = &g->codes->code[step->row];
    if (step->kind != PTX_STEP_ROW || c->op != PTX_OP_BRANCH || c->guard == PTX_NONE) {
        return;
    }
    const ptx_row *row = &g->rows->row[step->row];
    const ptx_value value = p->v->use[step->first_use + (c->guard - row->first_ref)];
    if (ptx_value_number(p->v, value, &known)) {
        p->can_branch[block] = (known & 1) != c->negated ? 1 : 2;
        return;
    }
    p->branch[block] = ptx_condition_of(p->v, value, !c->negated);
    const ptx_form *f = &p->v->forms.form[p->branch[block].key];
    if (p->branch[block].is_equal && !f->terms) { /* numbers alone */
        const int holds = (p->branch[block].number == 0) == p->branch[block].holds;
        p->can_branch[block] = holds ? 1 : 2;
        p->branch[block].key = PTX_UNKNOWN;
    }
}

uint32_t ptx_condition_parts(const ptx_protocol *p, const ptx_condition *c, ptx_condition part[2]) {
    ptx_values *v = p->v;
    const ptx_form *f = &v->forms.form[c->key];
    const ptx_atom *at = f->terms == 1 && f->term[0].times == 1 && !f->number
                             ? &v->forms.atom[f->term[0].atom]
                             : NULL;
    if (!at || at->kind != PTX_ATOM_OPERATION || at->a >= v->g->codes->opcodes || at->d) {
        return 0;
    }
    const ptx_atom a = *at;
    const tma_ptx_span name = v->g->codes->opcode[a.a];
    const int is_word = c->is_equal && c->holds && !c->number && ptx_begins(name, "or.b");
    if (is_word) {
        for (uint32_t i = 0; i < 2; i++) {
            const ptx_value x = i ? a.c : a.b;
            const ptx_form is = v->forms.form[x];
            const ptx_value number = ptx_form_number(&v->forms, is.number, is.bits);
            part[i] = (ptx_condition){.is_equal = 1, .holds = 1};
            part[i].key = ptx_form_sum(&v->forms, x, number, UINT64_MAX);
            part[i].number =
                v->forms.form[ptx_form_number(&v->forms, 0 - is.number, is.bits)].number;
        }
        return 2;
    }
    if (c->is_equal || !ptx_begins(name, c->holds ? "and.pred" : "or.pred")) {
        return 0;
    }
    part[0] = ptx_condition_of(v, a.b, c->holds);
    part[1] = ptx_condition_of(v, a.c, c->holds);
    return 2;
}

/* The one way that can have brought a predicate where ways meet, as it is now: from which block,
 * and the predicate there. Compilers that do not optimise make "x && y" so. PTX_NONE: not known. */
static uint32_t brought_by(const ptx_protocol *p, const ptx_condition *c, ptx_value *is) {
    const ptx_values *v = p->v;
    const ptx_atom *a = c->is_equal ? NULL : alone(v, c->key);
    uint32_t by = PTX_NONE;
    if (!a || a->kind != PTX_ATOM_MERGED || a->c) {
        return PTX_NONE;
    }
    const ptx_node *n = &v->g->node[a->a];
    const uint32_t at = ptx_merge_of(v, a->a, a->b);
    for (uint32_t i = 0; at != PTX_NONE && i < n->ins; i++) {
        uint32_t loop = 0;
        uint64_t number = 0;
        const uint32_t from = v->g->in[n->first_in + i];
        const ptx_value one = v->arg[v->merge[at].first_arg + i];
        if (v->g->node[from].order == PTX_NONE ||
            (ptx_value_number(v, one, &number) && (number & 1) != c->holds)) {
            continue;
        }
        if (by != PTX_NONE || ptx_way_of(v->g, from, a->a, &loop) != PTX_WAY_ON) {
            return PTX_NONE;
        }
        by = from;
        *is = one;
    }
    return by;
}

static uint32_t guards_of(ptx_protocol *p, ptx_condition is, uint32_t up, int deep);

/* What holds where a predicate was brought, as guards under `up`. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static uint32_t guards_brought(ptx_protocol *p, const ptx_condition *is, uint32_t up, int deep) {
    ptx_value there = PTX_UNKNOWN;
    const uint32_t from = brought_by(p, is, &there);
    uint32_t guard = from == PTX_NONE ? PTX_NONE : p->guard_of[from];
    const uint32_t common = up;
    for (int i = 0; i < MOST_BROUGHT && guard != PTX_NONE && guard != common; i++) {
        const ptx_condition one = p->guard[guard].is;
        guard = p->guard[guard].up;
        PTX_APPEND(p, guard, guards, (ptx_guard){up, one});
        if (p->memory->failed) {
            return PTX_NONE;
        }
        up = p->guards - 1;
    }
    if (from == PTX_NONE || there == PTX_UNKNOWN) {
        return up;
    }
    const ptx_condition one = ptx_condition_of(p->v, there, is->holds);
    return one.key == PTX_UNKNOWN || !p->v->forms.form[one.key].terms ? up
                                                                      : guards_of(p, one, up, deep);
}

/* A condition and what it is made of as guards; the innermost. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static uint32_t guards_of(ptx_protocol *p, ptx_condition is, uint32_t up, int deep) {
    ptx_condition part[2];
    const uint32_t parts = deep ? ptx_condition_parts(p, &is, part) : 0;
    up = deep ? guards_brought(p, &is, up, deep - 1) : up;
    for (uint32_t i = 0; i < parts; i++) {
        up = part[i].key == PTX_UNKNOWN ? up : guards_of(p, part[i], up, deep - 1);
    }
    PTX_APPEND(p, guard, guards, (ptx_guard){up, is});
    return p->memory->failed ? PTX_NONE : p->guards - 1;
}

/* Ways into a block but those from where no way leads, and those back to it. */
static uint32_t ways_into(const ptx_graph *g, uint32_t block) {
    uint32_t ways = 0;
    for (uint32_t i = 0; i < g->node[block].ins; i++) {
        const uint32_t from = g->in[g->node[block].first_in + i];
        ways += g->node[from].order != PTX_NONE && !ptx_dominates(g, block, from);
    }
    return ways;
}

/* The condition that a block has beyond that of the block before it that it cannot be reached
 * without. */
static uint32_t guard_behind(ptx_protocol *p, uint32_t block) {
    const ptx_graph *g = p->v->g;
    const uint32_t before = g->node[block].dominator;
    const ptx_node *n = &g->node[before];
    const uint32_t up = p->guard_of[before];
    for (uint32_t i = 0; i < n->outs && p->branch[before].key != PTX_UNKNOWN; i++) {
        if (g->out[n->first_out + i] == block && ways_into(g, block) == 1) {
            ptx_condition is = p->branch[before];
            is.holds ^= (uint8_t)i;
            return guards_of(p, is, up, MOST_DEEP);
        }
    }
    return ways_into(g, block) > 1 ? ptx_guards_met(p, block, up) : up;
}

/* Each block once, whichever ways lead to it. */
static void reach(ptx_protocol *p) {
    const ptx_graph *g = p->v->g;
    uint32_t *todo = ptx_memory_take(p->memory, (size_t)g->nodes + 1, sizeof(*todo));
    uint32_t todos = 0;
    if (!todo || !g->reached) {
        return;
    }
    p->is_reached[0] = 1;
    todo[todos++] = 0;
    while (todos) {
        const uint32_t node = todo[--todos];
        const ptx_node *n = &g->node[node];
        for (uint32_t k = 0; k < n->outs; k++) {
            const uint32_t to = g->out[n->first_out + k];
            if ((k > 1 || p->can_branch[node] >> k & 1) && !p->is_reached[to]) {
                p->is_reached[to] = 1;
                todo[todos++] = to;
            }
        }
    }
}

int ptx_guards_make(ptx_protocol *p) {
    const ptx_graph *g = p->v->g;
    p->guard_of = ptx_memory_take(p->memory, (size_t)g->nodes + 1, sizeof(*p->guard_of));
    p->branch = ptx_memory_take(p->memory, (size_t)g->nodes + 1, sizeof(*p->branch));
    p->can_branch = ptx_memory_take(p->memory, (size_t)g->nodes + 1, 1);
    p->is_reached = ptx_memory_take(p->memory, (size_t)g->nodes + 1, 1);
    if (p->memory->failed) {
        return -1;
    }
    p->is_one_thread = ptx_head_most(p, ".reqntid") == 1 || ptx_head_most(p, ".maxntid") == 1;
    memset(p->guard_of, 0xFF, ((size_t)g->nodes + 1) * sizeof(*p->guard_of));
    for (uint32_t i = 0; i < g->reached; i++) {
        take_branch(p, g->ordered[i]);
    }
    reach(p);
    for (uint32_t i = 1; i < g->reached; i++) { /* what dominates a block is ordered before it */
        p->guard_of[g->ordered[i]] = guard_behind(p, g->ordered[i]);
    }
    return p->memory->failed ? -1 : 0;
}

/* --- acts --- */

typedef struct numbers {
    uint32_t most, product;
} numbers;

static numbers head_numbers(const ptx_protocol *p, const char *directive) {
    const tma_ptx_span head = p->v->g->rows->function[p->v->g->root].head;
    const char *at = text_within(head.at, head.length, directive);
    numbers all = {0, 1};
    uint32_t number = 0;
    if (!at) {
        return (numbers){0, 0};
    }
    const char *const end = head.at + head.length;
    for (at += text_length(directive); at < end; at++) {
        const int is_digit = text_is_digit(*at);
        if (!is_digit && *at != ',' && !text_is_space(*at)) {
            break;
        }
        number = !is_digit ? 0 : number < 10000 ? 10 * number + (uint32_t)(*at - '0') : number;
        all.most = number > all.most ? number : all.most;
        if (is_digit && (at + 1 == end || !text_is_digit(at[1])) && all.product < 10000) {
            all.product *= number;
        }
    }
    return all;
}

uint32_t ptx_head_most(const ptx_protocol *p, const char *directive) {
    return head_numbers(p, directive).most;
}

uint32_t ptx_head_product(const ptx_protocol *p, const char *directive) {
    return head_numbers(p, directive).product;
}

int ptx_act_condition(const ptx_protocol *p, const ptx_act *act, ptx_guard_walk *at,
                      ptx_condition *out) {
    if (at->begun == 0) {
        at->begun = 1;
        at->next = p->guard_of[p->v->g->step[act->step].block];
        if (act->is_guarded) {
            *out = act->guard;
            return 1;
        }
    }
    if (at->next == PTX_NONE || at->begun > MOST_GUARDS) {
        return 0;
    }
    *out = p->guard[at->next].is;
    at->next = p->guard[at->next].up;
    at->begun++;
    return 1;
}

static int is_of_one_thread(const ptx_protocol *p, const ptx_act *act) {
    ptx_guard_walk at = {0};
    for (ptx_condition c; ptx_act_condition(p, act, &at, &c);) {
        if (ptx_condition_hangs(p, &c) == PTX_HANGS_ONE_THREAD) {
            return 1;
        }
    }
    return 0;
}

int ptx_act_is_elected(const ptx_protocol *p, const ptx_act *act) {
    TMA_ASSERT(act >= p->act && act < p->act + p->acts && p->elected);
    uint8_t *known = &p->elected[act - p->act];
    if (!*known) {
        *known = (uint8_t)(1 + (p->is_one_thread || is_of_one_thread(p, act)));
    }
    return *known - 1;
}

int ptx_act_is_of_each_warp(const ptx_protocol *p, const ptx_act *act) {
    ptx_guard_walk at = {0};
    int is = 0;
    for (ptx_condition c; !p->is_one_thread && ptx_act_condition(p, act, &at, &c);) {
        const ptx_form *f = &p->v->forms.form[c.key];
        if (ptx_condition_hangs(p, &c) == PTX_HANGS_ONE_THREAD) {
            const ptx_atom *a = &p->v->forms.atom[f->terms == 1 ? f->term[0].atom : 0];
            if (f->terms == 1 && ptx_atom_tells_threads(a) &&
                !ptx_begins(ptx_span(ptx_special_name(a->a)), "%lane")) {
                return 0;
            }
            is = 1;
        }
    }
    return is;
}

static int has_condition(const ptx_protocol *p, const ptx_act *act, const ptx_condition *wanted) {
    ptx_guard_walk at = {0};
    for (ptx_condition c; ptx_act_condition(p, act, &at, &c);) {
        if (ptx_conditions_same(&c, wanted)) {
            return 1;
        }
    }
    return 0;
}

int ptx_acts_same_thread(const ptx_protocol *p, const ptx_act *a, const ptx_act *b) {
    ptx_guard_walk at = {0};
    if (p->is_one_thread) {
        return 1;
    }
    for (ptx_condition c; ptx_act_condition(p, a, &at, &c);) {
        if (ptx_condition_hangs(p, &c) == PTX_HANGS_ONE_THREAD && has_condition(p, b, &c)) {
            return 1;
        }
    }
    return 0;
}

int ptx_act_is_of_one_turn(const ptx_protocol *p, const ptx_act *act, const ptx_act *other) {
    const uint32_t block = ptx_act_block(p, other);
    ptx_guard_walk at = {0};
    for (ptx_condition c; ptx_act_condition(p, act, &at, &c);) {
        const ptx_form *f = &p->v->forms.form[c.key];
        for (uint32_t i = 0; c.is_equal && c.holds && i < f->terms; i++) {
            const ptx_atom *a = &p->v->forms.atom[f->term[i].atom];
            if (a->kind == PTX_ATOM_TURN && ptx_block_in_loop(p->v->g, block, a->a) &&
                ptx_block_in_loop(p->v->g, ptx_act_block(p, act), a->a) &&
                !has_condition(p, other, &c)) {
                return 1;
            }
        }
    }
    return 0;
}

/* Whether a value is the same in all turns of all loops. */
int ptx_is_constant(const ptx_values *v, ptx_value value) {
    const ptx_form *f = &v->forms.form[value];
    for (uint32_t i = 0; i < f->terms; i++) {
        if (v->forms.atom[f->term[i].atom].loop != PTX_NONE) {
            return 0;
        }
    }
    return 1;
}

int ptx_act_may_have(const ptx_protocol *p, const ptx_act *act, const ptx_condition *is) {
    ptx_guard_walk at = {0};
    const int stays = is->key != PTX_UNKNOWN && ptx_is_constant(p->v, is->key);
    for (ptx_condition c; stays && ptx_act_condition(p, act, &at, &c);) {
        if (ptx_conditions_clash(&c, is)) {
            return 0;
        }
    }
    return 1;
}

ptx_condition ptx_way_condition(const ptx_protocol *p, uint32_t block, uint32_t out) {
    ptx_condition way = p->branch[block];
    way.holds ^= (uint8_t)(out == 1);
    return way;
}

int ptx_act_takes_way(const ptx_protocol *p, const ptx_act *act, uint32_t block, uint32_t out) {
    const ptx_condition way = ptx_way_condition(p, block, out);
    return (out >= 2 || p->can_branch[block] >> out & 1) && ptx_act_may_have(p, act, &way);
}

int ptx_acts_exclude(const ptx_protocol *p, const ptx_act *a, const ptx_act *b) {
    ptx_guard_walk at = {0};
    for (ptx_condition c; ptx_act_condition(p, a, &at, &c);) {
        ptx_guard_walk other = {0};
        for (ptx_condition d; ptx_act_condition(p, b, &other, &d);) {
            if (ptx_conditions_clash(&c, &d) &&
                (ptx_condition_hangs(p, &c) != PTX_HANGS_OTHER ||
                 ptx_is_constant(p->v, c.key))) { /* a thread has one of it */
                return 1;
            }
        }
    }
    return 0;
}
