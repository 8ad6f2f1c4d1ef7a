/* SPDX-License-Identifier: Apache-2.0
 *
 * What one step does to the places that it assigns.
 */
#include "ptx_operand_value.h"
#include "ptx_work.h"

/* --- results --- */

/* The instruction's result of which nothing is known. */
static ptx_value result(const ptx_work *w, uint32_t which, uint32_t bits) {
    const ptx_atom atom = {.kind = PTX_ATOM_RESULT,
                           .bits = (uint8_t)bits,
                           .a = w->index,
                           .b = which,
                           .loop = w->v->g->node[w->step->block].loop};
    return ptx_form_atom(w->f, ptx_atom_of(w->f, &atom), bits);
}

static ptx_value window(const ptx_work *w) {
    const tma_ptx_span name = w->v->g->codes->opcode[w->c->name];
    uint32_t letter = 0;
    for (size_t i = 4; i + 1 < name.length && !letter; i++) {
        /* cvta.to.shared.u64, cvta.const.u64: the first word but "to" */
        letter = name.at[i] == '.' && name.at[i + 1] != 't' ? (uint8_t)name.at[i + 1] : 0;
    }
    if (letter == 'g') {
        return ptx_form_number(w->f, 0, 64);
    }
    const ptx_atom atom = {.kind = PTX_ATOM_WINDOW, .bits = 64, .a = letter, .loop = PTX_NONE};
    return ptx_form_atom(w->f, ptx_atom_of(w->f, &atom), 64);
}

/* Two operands, and their numbers where they are known. */
typedef struct pair {
    ptx_value a, b;
    uint64_t x, y;
    int has_x, has_y;
} pair;

/* A shift to the left, or a product, by a number that is known; PTX_UNKNOWN: it is neither. */
static ptx_value multiple(const ptx_work *w, const pair *p) {
    const uint32_t bits = w->c->bits;
    if (w->c->op == PTX_OP_SHL && p->has_y) {
        return p->y >= bits ? ptx_form_number(w->f, 0, bits)
                            : ptx_form_times(w->f, p->a, UINT64_C(1) << p->y);
    }
    if (w->c->op == PTX_OP_MUL && p->has_x) {
        return ptx_form_times(w->f, p->b, p->x);
    }
    return w->c->op == PTX_OP_MUL && p->has_y ? ptx_form_times(w->f, p->a, p->y) : PTX_UNKNOWN;
}

/* Of x & 0, x | -1, x & -1, x | 0: the number or x; PTX_UNKNOWN: it is none of them. */
static ptx_value absorbed(const ptx_work *w, const pair *p) {
    const uint64_t all = UINT64_MAX >> (64 - w->c->bits);
    const int is_and = w->c->op == PTX_OP_AND;
    const uint64_t number = p->has_x ? p->x : p->y;
    if ((!is_and && w->c->op != PTX_OP_OR) || p->has_x == p->has_y || (number && number != all)) {
        return PTX_UNKNOWN;
    }
    return is_and == !number ? (p->has_x ? p->a : p->b) : p->has_x ? p->b : p->a;
}

/* x | c, x ^ c, x & c, where c changes known bits alone: a sum, in which nothing is carried. */
static ptx_value in_low_bits(const ptx_work *w, const pair *p) {
    const uint32_t op = w->c->op;
    const uint64_t mask = op == PTX_OP_AND ? ~p->y & (UINT64_MAX >> (64 - w->c->bits)) : p->y;
    uint64_t low = 0;
    if (!p->has_y || p->has_x || p->a == PTX_UNKNOWN ||
        (op != PTX_OP_AND && op != PTX_OP_OR && op != PTX_OP_XOR)) {
        return PTX_UNKNOWN;
    }
    const uint32_t known = ptx_value_low_bits(w->v, p->a, &low);
    if (known >= 64 || mask >> known) {
        return PTX_UNKNOWN;
    }
    const uint64_t is = op == PTX_OP_AND ? low & ~mask : op == PTX_OP_OR ? low | mask : low ^ mask;
    return ptx_form_sum(w->f, p->a, ptx_form_number(w->f, is - low, w->c->bits), 1);
}

/* Whether the result is the first operand: x & x, x | x, x | 0, x ^ 0, x >> 0. */
static int is_first(const ptx_work *w, const pair *p) {
    const uint32_t op = w->c->op;
    const int by_zero = p->has_y && !p->y;
    if (op == PTX_OP_AND || op == PTX_OP_OR) {
        return (p->a == p->b && p->a != PTX_UNKNOWN) || (by_zero && op == PTX_OP_OR);
    }
    return by_zero && (op == PTX_OP_XOR || op == PTX_OP_SHR);
}

/* (x << 3) & 8 is (x & 1) << 3: compilers spell it in both ways. */
static ptx_value masked(const ptx_work *w, const pair *p) {
    uint32_t by = 0;
    pair low = *p;
    low.a = ptx_form_halved(w->f, p->a, &by);
    low.y = p->y >> by;
    low.b = by ? ptx_form_number(w->f, low.y, w->c->bits) : p->b;
    ptx_value is = absorbed(w, &low);
    is = is == PTX_UNKNOWN ? in_low_bits(w, &low) : is;
    if (is == PTX_UNKNOWN) {
        const ptx_value of[2] = {low.a, low.b};
        is = ptx_form_operation(w->f, w->c->name, w->c->bits, of, 2);
    }
    return by ? ptx_form_times(w->f, is, UINT64_C(1) << by) : is;
}

static ptx_value binary(const ptx_work *w) {
    const uint32_t bits = w->c->bits;
    const int is_shift = w->c->op == PTX_OP_SHL || w->c->op == PTX_OP_SHR;
    pair p = {.a = ptx_work_arg(w, 0, bits), .b = ptx_work_arg(w, 1, is_shift ? 32 : bits)};
    p.has_x = ptx_form_is_number(w->f, p.a, &p.x);
    p.has_y = ptx_form_is_number(w->f, p.b, &p.y);
    if (w->c->op == PTX_OP_ADD || w->c->op == PTX_OP_SUB) {
        return ptx_work_is_plain(w)
                   ? ptx_form_sum_of_many(w->f, p.a, p.b, w->c->op == PTX_OP_ADD ? 1 : UINT64_MAX)
                   : PTX_UNKNOWN;
    }
    if (p.has_x && p.has_y) {
        return ptx_work_operation(w, bits);
    }
    if (bits == 1 && w->c->op == PTX_OP_XOR) {
        return ptx_form_sum(w->f, p.a, p.b, 1); /* of predicates */
    }
    if (w->c->op == PTX_OP_SHR && !w->c->is_signed && p.has_y && p.y < bits) {
        const ptx_value upper = ptx_form_upper(w->f, p.a, (uint32_t)p.y);
        if (upper != PTX_UNKNOWN) {
            return ptx_form_extend(w->f, upper, bits, 0);
        }
    }
    const ptx_value one = absorbed(w, &p);
    const ptx_value low = one != PTX_UNKNOWN ? one : in_low_bits(w, &p);
    const ptx_value times = low != PTX_UNKNOWN ? low : multiple(w, &p);
    if (times != PTX_UNKNOWN || is_first(w, &p)) {
        return times != PTX_UNKNOWN ? times : p.a;
    }
    if (w->c->op == PTX_OP_AND && p.has_y && p.a != PTX_UNKNOWN) {
        return masked(w, &p);
    }
    const ptx_value of[2] = {p.a, p.b};
    return ptx_form_operation(w->f, w->c->name, bits, of, 2);
}

static ptx_value convert(const ptx_work *w) {
    const uint32_t from = w->c->from_bits;
    if (!from || !w->c->bits || w->c->args != 1) {
        return PTX_UNKNOWN;
    }
    if (!ptx_work_is_plain(w)) {
        return ptx_work_operation(w, w->c->bits);
    }
    const ptx_value a = ptx_work_arg(w, 0, from);
    return ptx_form_extend(w->f, a, w->c->bits, w->c->from_signed);
}

/* What a lane of a call's .param holds. */
static ptx_value slot(const ptx_work *w, const ptx_ref *ref, uint32_t lane) {
    const uint32_t place = ptx_slot_lane(w->v->g, w->step->context, w->c, ref, lane);
    const int is_mixed = w->v->g->rows->symbol[ref->symbol].slot_bits == PTX_MIXED;
    return place == PTX_NONE || is_mixed ? PTX_UNKNOWN : w->v->now[place];
}

/* What a kernel's parameter holds. */
static ptx_value parameter(const ptx_work *w, uint32_t lane) {
    const ptx_value at = ptx_work_arg(w, 0, 64);
    int64_t offset = 0;
    const ptx_atom *base = ptx_value_base(w->v, at, &offset);
    const ptx_rows *rows = w->v->g->rows;
    const ptx_arg *arg = w->c->args ? &w->v->g->codes->arg[w->c->first_arg] : NULL;
    if (arg && arg->kind == PTX_ARG_NAME && arg->ref != PTX_NONE &&
        rows->ref[arg->ref].place != PTX_NONE &&
        rows->symbol[rows->ref[arg->ref].symbol].kind == PTX_IS_VARIABLE) {
        return slot(w, &rows->ref[arg->ref], lane); /* of a call */
    }
    if (!base || base->kind != PTX_ATOM_ADDRESS || !rows->variable[base->a].is_head ||
        rows->variable[base->a].function != w->v->g->root ||
        !rows->function[w->v->g->root].is_entry || offset < 0 || offset > INT32_MAX) {
        return PTX_UNKNOWN;
    }
    const ptx_atom atom = {.kind = PTX_ATOM_PARAMETER,
                           .bits = w->c->bits,
                           .a = base->a,
                           .b = (uint32_t)offset + lane * w->c->bits / 8u,
                           .c = w->c->bits,
                           .loop = PTX_NONE};
    return ptx_form_atom(w->f, ptx_atom_of(w->f, &atom), w->c->bits);
}

static ptx_value select(const ptx_work *w, ptx_value predicate, ptx_value yes, ptx_value no,
                        uint32_t bits) {
    uint64_t number = 0;
    if (ptx_form_is_number(w->f, predicate, &number)) {
        return number ? yes : no;
    }
    const ptx_value of[3] = {predicate, yes, no};
    return yes == no ? yes : ptx_form_operation(w->f, PTX_DO_SELECT, bits, of, 3);
}

static ptx_value selected(const ptx_work *w) {
    return w->c->args == 3 ? select(w, ptx_work_arg(w, 2, 1), ptx_work_arg(w, 0, w->c->bits),
                                    ptx_work_arg(w, 1, w->c->bits), w->c->bits)
                           : PTX_UNKNOWN;
}

/* mov.b64 {%r1, %r2}, %rd1: the parts of a number. */
static ptx_value unpacked(const ptx_work *w, uint32_t which) {
    const uint32_t part = w->c->bits / w->c->defs;
    const ptx_value all = w->c->args == 1 ? ptx_work_arg(w, 0, w->c->bits) : PTX_UNKNOWN;
    const ptx_value from = which ? ptx_form_upper(w->f, all, which * part) : all;
    return part * w->c->defs == w->c->bits ? ptx_form_cut(w->f, from, part) : PTX_UNKNOWN;
}

static ptx_value moved(const ptx_work *w) {
    if (w->c->args == 1) {
        return ptx_work_arg(w, 0, w->c->bits);
    }
    /* mov.b64 %rd1, {%r1, %r2}: the parts of a number */
    const uint32_t part = w->c->args ? w->c->bits / w->c->args : 0;
    ptx_value sum = ptx_form_number(w->f, 0, w->c->bits);
    for (uint32_t i = 0; part && part * w->c->args == w->c->bits && i < w->c->args; i++) {
        const ptx_value one = ptx_form_extend(w->f, ptx_work_arg(w, i, part), w->c->bits, 0);
        sum = ptx_form_sum(w->f, sum, one, UINT64_C(1) << (i * part));
    }
    return part ? sum : PTX_UNKNOWN;
}

static ptx_value with_windows(const ptx_work *w) {
    if (w->c->args != 1) {
        return PTX_UNKNOWN;
    }
    const ptx_value a = ptx_work_arg(w, 0, w->c->bits);
    const ptx_value base = ptx_form_cut(w->f, window(w), w->c->bits);
    return ptx_form_sum(w->f, a, base, w->c->op == PTX_OP_CVTA ? 1 : UINT64_MAX);
}

/* What the only result is, or one of setp's two; PTX_UNKNOWN: nothing is known of it. */
static ptx_value followed(const ptx_work *w, uint32_t which) {
    ptx_value value = PTX_UNKNOWN;
    if (w->c->op == PTX_OP_SETP) {
        return ptx_work_compared(w, which);
    }
    if (!w->c->bits) {
        return PTX_UNKNOWN;
    }
    switch (w->c->op) {
    case PTX_OP_MOVE:
        return w->c->defs == 1 ? moved(w) : unpacked(w, which);
    case PTX_OP_CVTA:
    case PTX_OP_CVTA_TO:
        return with_windows(w);
    case PTX_OP_CONVERT:
        return convert(w);
    case PTX_OP_MUL_WIDE:
        return ptx_work_product(w, 1);
    case PTX_OP_MUL:
        return ptx_work_product(w, 0);
    case PTX_OP_MAD:
    case PTX_OP_MAD_WIDE:
        value = ptx_work_product(w, w->c->op == PTX_OP_MAD_WIDE);
        return ptx_work_is_plain(w) && value != PTX_UNKNOWN
                   ? ptx_form_sum_of_many(w->f, value, ptx_work_arg(w, 2, w->f->form[value].bits),
                                          1)
                   : PTX_UNKNOWN;
    case PTX_OP_NOT: /* -1 - a */
        return w->c->args != 1 ? PTX_UNKNOWN
                               : ptx_form_sum(w->f, ptx_form_number(w->f, UINT64_MAX, w->c->bits),
                                              ptx_work_arg(w, 0, w->c->bits), UINT64_MAX);
    case PTX_OP_NEG:
        return w->c->args != 1 ? PTX_UNKNOWN
                               : ptx_form_times(w->f, ptx_work_arg(w, 0, w->c->bits), UINT64_MAX);
    case PTX_OP_SELP:
        return selected(w);
    case PTX_OP_LOAD_PARAM:
    case PTX_OP_LOAD_LOCAL:
    case PTX_OP_LOAD_PARAM_ENTRY:
    case PTX_OP_LOAD_PARAM_FUNC:
        return parameter(w, 0);
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_SHL:
    case PTX_OP_SHR:
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_MIN:
    case PTX_OP_MAX:
    case PTX_OP_DIV:
    case PTX_OP_REM:
        return w->c->args == 2 ? binary(w) : PTX_UNKNOWN;
    case PTX_OP_CALL:
    case PTX_OP_OTHER:
        return PTX_UNKNOWN;
    default:
        return ptx_work_operation(w, w->c->bits);
    }
}

/* Gives a place its value, or, under a guard, perhaps. */
static void put(const ptx_work *w, uint32_t place, uint32_t which, ptx_value value, int is_signed) {
    const uint32_t bits = ptx_place_bits(w->v, place);
    value = value == PTX_UNKNOWN ? result(w, which, bits)
                                 : ptx_form_extend(w->f, value, bits, is_signed);
    if (w->c->guarded && w->step->kind == PTX_STEP_ROW) {
        const ptx_row *row = &w->v->g->rows->row[w->step->row];
        const ptx_value predicate =
            w->c->guard == PTX_NONE
                ? PTX_UNKNOWN
                : w->v->use[w->step->first_use + (w->c->guard - row->first_ref)];
        const ptx_value old = w->v->now[place];
        value = w->c->negated ? select(w, predicate, old, value, bits)
                              : select(w, predicate, value, old, bits);
    }
    value = value == PTX_UNKNOWN ? result(w, which, bits) : value;
    w->assign(w->v, place, w->v->lost[place] ? PTX_UNKNOWN : value);
}

/* --- calls --- */

/* What a call gives for a place of a parameter. */
static ptx_value given(const ptx_work *w, const ptx_step *caller, const ptx_arg *arg,
                       const ptx_symbol *formal, const ptx_place *to) {
    const ptx_rows *rows = w->v->g->rows;
    const ptx_symbol *actual = arg->ref != PTX_NONE && rows->ref[arg->ref].symbol != PTX_NONE
                                   ? &rows->symbol[rows->ref[arg->ref].symbol]
                                   : NULL;
    if (actual && actual->kind == PTX_IS_VARIABLE) {
        const uint32_t place = ptx_place_alike(w->v->g, caller->context, actual, to);
        return formal->slot_bits != PTX_MIXED && place != PTX_NONE ? w->v->now[place] : PTX_UNKNOWN;
    }
    const uint32_t bits = formal->kind == PTX_IS_VARIABLE ? to->bits : formal->bits;
    return to->number || bits > 64 ? PTX_UNKNOWN
                                   : ptx_arg_value(w->v, caller, arg, bits ? bits : 1);
}

static void enter(const ptx_work *w) {
    const ptx_graph *g = w->v->g;
    const ptx_context *context = &g->context[w->step->context];
    const ptx_function *f = &g->rows->function[context->function];
    ptx_step caller = *w->step;
    caller.context = context->parent;
    for (uint32_t i = f->first_parameter; i < f->end_parameter; i++) {
        const uint32_t k = w->c->lanes + 1u + (i - f->first_parameter);
        const ptx_symbol *formal = &g->rows->symbol[i];
        for (uint32_t p = formal->slot; p != PTX_NONE; p = g->rows->place[p].before) {
            const ptx_value value = k < w->c->args
                                        ? given(w, &caller, &g->codes->arg[w->c->first_arg + k],
                                                formal, &g->rows->place[p])
                                        : PTX_UNKNOWN;
            put(w, ptx_place_in(g, w->step->context, p), p, value, 0);
        }
    }
}

/* What is returned into one operand of a call. */
static void receive(const ptx_work *w, const ptx_arg *arg, const ptx_symbol *formal) {
    const ptx_graph *g = w->v->g;
    const ptx_context *context = &g->context[w->step->context];
    if (arg->ref == PTX_NONE || g->rows->ref[arg->ref].symbol == PTX_NONE) {
        return;
    }
    const ptx_symbol *actual = &g->rows->symbol[g->rows->ref[arg->ref].symbol];
    for (uint32_t p = actual->slot; p != PTX_NONE; p = g->rows->place[p].before) {
        const int is_slot = actual->kind == PTX_IS_VARIABLE;
        if (!is_slot && p != g->rows->ref[arg->ref].place) {
            continue; /* another one of %r<4> */
        }
        const uint32_t from = !formal ? PTX_NONE
                              : is_slot
                                  ? ptx_place_alike(g, w->step->context, formal, &g->rows->place[p])
                                  : ptx_place_at(g, w->step->context, formal, 0);
        put(w, ptx_place_in(g, context->parent, p), p,
            from == PTX_NONE ? PTX_UNKNOWN : w->v->now[from], 0);
    }
}

static void leave(const ptx_work *w) {
    const ptx_graph *g = w->v->g;
    const ptx_function *f = &g->rows->function[g->context[w->step->context].function];
    for (uint32_t k = 0; k < w->c->lanes; k++) {
        receive(w, &g->codes->arg[w->c->first_arg + k],
                f->returns + k < f->first_parameter ? &g->rows->symbol[f->returns + k] : NULL);
    }
}

/* --- all of a step --- */

static void read_names(ptx_values *v, const ptx_step *step) {
    const ptx_row *row = &v->g->rows->row[step->row];
    ptx_step reader = *step;
    if (step->kind != PTX_STEP_ROW) {
        reader.context = v->g->context[step->context].parent;
    }
    for (uint32_t i = 0; i < row->refs; i++) {
        v->use[step->first_use + i] =
            ptx_value_of_ref(v, &reader, &v->g->rows->ref[row->first_ref + i]);
    }
}

/* What a store puts into this thread's memory. */
static ptx_value stored_value(ptx_values *v, uint32_t store) {
    const ptx_step *step = &v->g->step[store];
    const uint32_t bits = v->g->codes->code[step->row].bits;
    tma_ptx_parts parts;
    if (tma_ptx_split(&parts, &v->g->rows->row[step->row].piece) || parts.count != 2) {
        return PTX_UNKNOWN;
    }
    const ptx_value value = ptx_value_of_text(v, step, parts.operand[1]);
    return value == PTX_UNKNOWN || v->forms.form[value].bits < bits
               ? PTX_UNKNOWN
               : ptx_form_cut(&v->forms, value, bits);
}

static void put_results(const ptx_work *w) {
    const ptx_graph *g = w->v->g;
    const uint32_t kept = w->v->kept ? w->v->kept[w->index] : 0;
    const int is_load = w->c->op >= PTX_OP_LOAD_PARAM && w->c->op <= PTX_OP_LOAD_PARAM_FUNC;
    for (uint32_t i = 0; i < w->c->defs; i++) {
        const uint32_t place = g->codes->def[w->c->first_def + i];
        ptx_value value = PTX_UNKNOWN;
        if (w->c->defs == 1 || w->c->op == PTX_OP_SETP || w->c->op == PTX_OP_MOVE ||
            (is_load && w->c->lanes == w->c->defs)) {
            value = kept                         ? stored_value(w->v, kept - 1)
                    : is_load && w->c->lanes > 1 ? parameter(w, i)
                                                 : followed(w, i);
        }
        if (place != PTX_NONE) {
            put(w, ptx_place_in(g, w->step->context, place), i, value, w->c->is_signed);
        }
    }
}

static void put_stored(const ptx_work *w) {
    const ptx_graph *g = w->v->g;
    const ptx_arg *at = &g->codes->arg[w->c->first_arg];
    if (w->c->args != 1u + w->c->lanes || at->ref == PTX_NONE ||
        g->rows->ref[at->ref].place == PTX_NONE ||
        g->rows->symbol[g->rows->ref[at->ref].symbol].kind != PTX_IS_VARIABLE) {
        return; /* where a register points to */
    }
    for (uint32_t lane = 0; lane < w->c->lanes; lane++) {
        const uint32_t place =
            ptx_slot_lane(g, w->step->context, w->c, &g->rows->ref[at->ref], lane);
        if (place != PTX_NONE) {
            const ptx_value value =
                w->c->bits ? ptx_work_arg(w, 1 + lane, w->c->bits) : PTX_UNKNOWN;
            put(w, place, lane, value, 0);
        }
    }
}

/* A call that is not put in returns something. */
static void put_returned(const ptx_work *w) {
    const ptx_graph *g = w->v->g;
    for (uint32_t k = 0; k < w->c->lanes; k++) {
        const ptx_arg *arg = &g->codes->arg[w->c->first_arg + k];
        if (arg->ref == PTX_NONE || g->rows->ref[arg->ref].symbol == PTX_NONE) {
            continue;
        }
        const ptx_symbol *s = &g->rows->symbol[g->rows->ref[arg->ref].symbol];
        for (uint32_t p = s->kind == PTX_IS_VARIABLE ? s->slot : PTX_NONE; p != PTX_NONE;
             p = g->rows->place[p].before) {
            put(w, ptx_place_in(g, w->step->context, p), p, PTX_UNKNOWN, 0);
        }
    }
}

void ptx_evaluate(ptx_values *v, const ptx_step *step, uint32_t index, ptx_assign assign) {
    const ptx_work w = {v, &v->forms, step, index, &v->g->codes->code[step->row], assign};
    read_names(v, step);
    if (step->kind == PTX_STEP_ENTER) {
        enter(&w);
    } else if (step->kind == PTX_STEP_LEAVE) {
        leave(&w);
    } else {
        put_results(&w);
        if (ptx_code_stores(w.c)) {
            put_stored(&w);
        } else if (w.c->op == PTX_OP_CALL) {
            put_returned(&w);
        }
    }
}
