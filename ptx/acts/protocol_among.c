/* SPDX-License-Identifier: Apache-2.0
 *
 * In which variables of shared memory a barrier's address may lie. Each atom that it is made of is
 * looked at until nothing changes: a number in which no shared address is, a place in one of a few
 * variables, or anything, such as the distance between two of them. What memory or a parameter has
 * is a number that is not known.
 */
#include "ptx_protocol.h"

/* What an atom is: a number, 0; a place in a variable of these bits; or one of the last two. What
 * is beyond 58 variables has a bit together, and so has all that begins where .extern memory does.
 */
#define MOST_OWN 58u
#define EXTERN   (UINT64_C(1) << MOST_OWN)
#define OTHERS   (UINT64_C(2) << MOST_OWN)
#define OPEN     (UINT64_C(4) << MOST_OWN) /* beside these: a number in it is not known */
#define NOT_YET  (UINT64_C(8) << MOST_OWN)
#define ANYTHING (UINT64_C(16) << MOST_OWN)

typedef struct looked {
    uint32_t atom, merge, op; /* merge: of a merged one; op: of what calculates it */
    uint64_t is;
} looked;

typedef struct finder {
    ptx_memory *memory;
    const ptx_values *v;
    uint32_t *at; /* by atom: of `looked`, + 1 */
    looked *looked;
    uint32_t own[MOST_OWN], owns; /* variables, by bit */
    uint32_t lookeds;
    uint64_t looks;   /* what is left */
    uint32_t changed; /* in this round */
} finder;

/* One of two: on one way this, on the other one that. */
static uint64_t either(uint64_t a, uint64_t b) {
    if (a == NOT_YET || b == NOT_YET) {
        return a == NOT_YET ? b : a;
    }
    return !(a & ~OPEN) != !(b & ~OPEN) || (a | b) & ANYTHING ? ANYTHING : a | b;
}

/* What is calculated from both. */
static uint64_t both(uint64_t a, uint64_t b) {
    if (a == NOT_YET || b == NOT_YET) {
        return NOT_YET;
    }
    const uint64_t x = a & ~OPEN;
    if (!x || x != (b & ~OPEN)) {
        return !x || !(b & ~OPEN) ? a | b : ANYTHING;
    }
    return !(x & (x - 1)) && x != OTHERS ? a | b : ANYTHING;
}

static uint64_t bit_of(finder *f, uint32_t variable) {
    uint32_t i = 0;
    if (f->v->g->rows->variable[variable].is_extern) {
        return EXTERN;
    }
    while (i < f->owns && f->own[i] != variable) {
        i++;
    }
    if (i == MOST_OWN) {
        return OTHERS;
    }
    f->own[i] = variable;
    f->owns += i == f->owns;
    return UINT64_C(1) << i;
}

/* Of an instruction that is followed no further, too. */
static uint32_t op_of(const ptx_values *v, const ptx_step *step) {
    const uint32_t op = v->g->codes->code[step->row].op;
    return op == PTX_OP_OTHER ? ptx_op_of(ptx_row_opcode(v->g->codes, step->row)) : op;
}

static uint32_t made_by(const ptx_values *v, const ptx_atom *a) {
    return a->kind == PTX_ATOM_RESULT   ? op_of(v, &v->g->step[a->a])
           : a->kind == PTX_ATOM_MERGED ? PTX_NONE
                                        : ptx_op_of(ptx_atom_opcode(v, a));
}

static uint64_t atom_among(finder *f, uint32_t atom) {
    const ptx_atom *a = &f->v->forms.atom[atom];
    if (ptx_is_shared(f->v, a)) {
        return bit_of(f, a->a);
    }
    if (a->kind < PTX_ATOM_MERGED) {
        return a->kind == PTX_ATOM_PARAMETER || a->kind == PTX_ATOM_TURN ? OPEN : 0;
    }
    if (!f->at[atom]) {
        const uint32_t merge =
            a->kind == PTX_ATOM_MERGED ? ptx_merge_of(f->v, a->a, a->b) : PTX_NONE;
        PTX_APPEND(f, looked, lookeds, (looked){atom, merge, made_by(f->v, a), NOT_YET});
        f->at[atom] = f->lookeds;
    }
    return f->memory->failed || !f->looked ? ANYTHING : f->looked[f->at[atom] - 1].is;
}

/* `unknown`: what a register holds that nothing was put into. */
static uint64_t value_among(finder *f, ptx_value value, uint64_t unknown) {
    uint64_t is = 0;
    if (value == PTX_UNKNOWN) {
        return f->v->lost_places ? ANYTHING : unknown;
    }
    const ptx_form *form = &f->v->forms.form[value];
    for (uint32_t i = 0; i < form->terms; i++) {
        is = both(is, atom_among(f, form->term[i].atom));
    }
    return is;
}

/* What an instruction has as operands, but for its guard and what it assigns. */
static uint64_t operands(finder *f, const ptx_step *step) {
    const ptx_graph *g = f->v->g;
    const ptx_row *row = &g->rows->row[step->row];
    const ptx_code *c = &g->codes->code[step->row];
    uint64_t is = 0;
    for (uint32_t i = 0, def = 0; i < row->refs; i++) {
        const ptx_ref *ref = &g->rows->ref[row->first_ref + i];
        while (def < c->defs && g->codes->def[c->first_def + def] == PTX_NONE) {
            def++;
        }
        if (c->guarded && c->guard == row->first_ref + i) {
            continue;
        }
        if (def < c->defs && ref->place == g->codes->def[c->first_def + def]) {
            def++;
            if (!c->guarded) {
                continue; /* what was there before stays where a guard does not hold */
            }
        }
        is = both(is, value_among(f, f->v->use[step->first_use + i], 0));
    }
    return is;
}

static uint64_t result_among(finder *f, const ptx_atom *a, uint32_t op) {
    if (ptx_op_does(op, 'P')) {
        return 0; /* of a product, a phase */
    }
    if ((op >= PTX_OP_LOAD_PARAM && op <= PTX_OP_LOAD_PARAM_FUNC) || op == PTX_OP_LOAD ||
        op == PTX_OP_LDMATRIX || op == PTX_OP_ATOM) {
        return OPEN; /* what memory has is not followed */
    }
    const uint64_t is = operands(f, &f->v->g->step[a->a]);
    const int stays = op == PTX_OP_MOVE || op == PTX_OP_ADD;
    return stays || !(is & ~OPEN) || is == NOT_YET ? is : ANYTHING;
}

static uint64_t operation_among(finder *f, const ptx_atom *a, uint32_t op) {
    const uint64_t b = value_among(f, a->b, 0);
    const uint64_t c = a->c ? value_among(f, a->c, 0) : 0;
    const uint64_t d = a->d ? value_among(f, a->d, 0) : 0;
    if (a->a == PTX_DO_SELECT) {
        return either(c, d);
    }
    return both(op == PTX_OP_MIN || op == PTX_OP_MAX ? either(b, c) : both(b, c), d);
}

static uint64_t merge_among(finder *f, const ptx_atom *a, uint32_t merge) {
    uint64_t is = merge == PTX_NONE ? ANYTHING : NOT_YET;
    for (uint32_t i = 0; merge != PTX_NONE && i < f->v->g->node[a->a].ins; i++) {
        const uint64_t one = value_among(f, f->v->arg[f->v->merge[merge].first_arg + i], NOT_YET);
        is = either(is, one);
    }
    return is;
}

static void look(finder *f, uint32_t i) {
    const looked *l = &f->looked[i];
    const ptx_atom *a = &f->v->forms.atom[l->atom];
    const uint64_t is = a->kind == PTX_ATOM_MERGED   ? merge_among(f, a, l->merge)
                        : a->kind == PTX_ATOM_RESULT ? result_among(f, a, l->op)
                                                     : operation_among(f, a, l->op);
    const uint64_t now = either(f->looked[i].is, is);
    f->changed |= now != f->looked[i].is;
    f->looked[i].is = now;
}

/* Each one as far as it is known what it is made of; those that this finds stand behind it. */
static int look_at_all(finder *f) {
    f->looks = ptx_budget_most(PTX_BUDGET_AMONG);
    for (f->changed = 1; f->changed && f->looks && !f->memory->failed;) {
        const uint32_t before = f->lookeds;
        f->changed = 0;
        for (uint32_t i = 0; i < f->lookeds && f->looks; i++, f->looks--) {
            look(f, i < before ? before - 1 - i : i);
        }
        f->changed |= before != f->lookeds;
    }
    return !f->changed && f->looks;
}

typedef enum stays { LEAVES, TRUSTS, STAYS } stays;

/* Whether a barrier stays in the variable that its address begins in: where all is known that moves
 * it, it does or may leave; a number that is not known is trusted. */
static stays stays_inside(const ptx_values *v, const ptx_reach *reach, uint64_t is) {
    int64_t at = 0;
    const ptx_atom *base = reach->base == PTX_UNKNOWN ? NULL : ptx_value_base(v, reach->base, &at);
    if (!base || !ptx_is_shared(v, base)) {
        return is & OPEN ? TRUSTS : STAYS;
    }
    const uint64_t size_B = v->g->rows->variable[base->a].v.size_B;
    const int leaves = at + reach->low < 0 || (size_B && at + reach->high >= (int64_t)size_B);
    return leaves ? LEAVES : STAYS;
}

static void take_among(finder *f, ptx_act *a) {
    const uint64_t is = ptx_is_on_barrier(a) ? value_among(f, a->barrier, ANYTHING) : ANYTHING;
    const stays how = stays_inside(f->v, &a->reach, is);
    a->among = is < NOT_YET && how != LEAVES ? is & ~OPEN : 0;
    a->variable = 0;
    for (uint32_t k = 0; k < f->owns; k++) {
        a->variable = a->among == UINT64_C(1) << k ? f->own[k] + 1 : a->variable;
    }
    a->trusts = a->among && how == TRUSTS;
    a->leaves = ptx_is_on_barrier(a) && how == LEAVES;
}

void ptx_amongs_take(ptx_protocol *p) {
    finder f = {.memory = p->memory, .v = p->v};
    uint64_t all = ~UINT64_C(0); /* in which all barriers may be */
    int trusts = 0;
    f.at = ptx_memory_take(f.memory, (size_t)p->v->forms.atoms + 1, sizeof(*f.at));
    for (int take = 0; f.at && take < 2; take++) {
        for (uint32_t i = 0; i < p->acts; i++) {
            ptx_act *a = &p->act[i];
            take_among(&f, a);
            all &= a->among ? a->among : all;
            trusts |= a->trusts;
        }
        if (!take && !look_at_all(&f)) {
            ptx_leave_unjudged(p->r, p->v->g->root, PTX_BUDGET_AMONG);
            break; /* what is made of looked at atoms is not known */
        }
    }
    p->trusts = trusts && !all;
}
