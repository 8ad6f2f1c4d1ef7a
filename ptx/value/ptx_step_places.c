/* SPDX-License-Identifier: Apache-2.0
 *
 * Which places steps assign, and what places are.
 */
#include "ptx_operand_value.h"

static const ptx_place *place_of(const ptx_graph *g, uint32_t context, uint32_t place) {
    const ptx_context *c = &g->context[context];
    return &g->rows->place[g->rows->function[c->function].first_place + (place - c->first_place)];
}

uint32_t ptx_place_in(const ptx_graph *g, uint32_t context, uint32_t place) {
    const ptx_context *c = &g->context[context];
    return c->first_place + (place - g->rows->function[c->function].first_place);
}

/* The last context that begins at or before it. */
uint32_t ptx_place_context(const ptx_graph *g, uint32_t place) {
    uint32_t low = 0;
    uint32_t high = g->contexts;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (g->context[middle].first_place <= place) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

uint32_t ptx_place_bits(const ptx_values *v, uint32_t place) {
    const ptx_place *p = place_of(v->g, ptx_place_context(v->g, place), place);
    const ptx_symbol *s = &v->g->rows->symbol[p->symbol];
    const uint32_t bits = s->kind == PTX_IS_VARIABLE ? p->bits : s->bits;
    return bits == 0 ? 1 : bits > 64 ? 64 : bits;
}

uint32_t ptx_place_at(const ptx_graph *g, uint32_t context, const ptx_symbol *s, uint32_t number) {
    for (uint32_t i = s->slot; i != PTX_NONE; i = g->rows->place[i].before) {
        if (g->rows->place[i].number == number) {
            return ptx_place_in(g, context, i);
        }
    }
    return PTX_NONE;
}

uint32_t ptx_place_alike(const ptx_graph *g, uint32_t context, const ptx_symbol *s,
                         const ptx_place *other) {
    const uint32_t at =
        s->slot_bits == PTX_MIXED ? PTX_NONE : ptx_place_at(g, context, s, other->number);
    return at != PTX_NONE && place_of(g, context, at)->bits == other->bits ? at : PTX_NONE;
}

/* The offset of a slot's lane, from the one that is named. */
uint32_t ptx_slot_lane(const ptx_graph *g, uint32_t context, const ptx_code *c, const ptx_ref *ref,
                       uint32_t lane) {
    const uint32_t number = g->rows->place[ref->place].number + lane * (c->bits / 8u);
    return ptx_place_at(g, context, &g->rows->symbol[ref->symbol], number);
}

typedef struct taker {
    const ptx_graph *g;
    void (*take)(void *context, uint32_t place);
    void *context;
} taker;

/* All places of a .param. */
static void take_slots(const taker *t, uint32_t context, const ptx_symbol *s) {
    for (uint32_t p = s->slot; p != PTX_NONE; p = t->g->rows->place[p].before) {
        t->take(t->context, ptx_place_in(t->g, context, p));
    }
}

/* A function's parameters, where it is called. */
static void take_parameters(const taker *t, const ptx_step *step) {
    const ptx_function *f = &t->g->rows->function[t->g->context[step->context].function];
    for (uint32_t i = f->first_parameter; i < f->end_parameter; i++) {
        take_slots(t, step->context, &t->g->rows->symbol[i]);
    }
}

static const ptx_symbol *slot_of(const ptx_graph *g, uint32_t ref) {
    const uint32_t symbol = ref == PTX_NONE ? PTX_NONE : g->rows->ref[ref].symbol;
    const int is_slot = symbol != PTX_NONE && g->rows->symbol[symbol].kind == PTX_IS_VARIABLE;
    return is_slot ? &g->rows->symbol[symbol] : NULL;
}

int ptx_code_stores(const ptx_code *c) {
    return c->op == PTX_OP_STORE_PARAM || c->op == PTX_OP_STORE_PARAM_FUNC ||
           c->op == PTX_OP_STORE_LOCAL;
}

void ptx_step_lanes(const ptx_graph *g, const ptx_step *step,
                    void (*take)(void *context, uint32_t place), void *context) {
    const ptx_code *c = &g->codes->code[step->row];
    const ptx_row *row = &g->rows->row[step->row];
    for (uint32_t i = row->first_ref; i < row->first_ref + row->refs; i++) {
        const ptx_ref *ref = &g->rows->ref[i];
        const int is_slot = ref->place != PTX_NONE && slot_of(g, i);
        for (uint32_t lane = 0; is_slot && c->op != PTX_OP_CALL && lane < c->lanes; lane++) {
            const uint32_t place = ptx_slot_lane(g, step->context, c, ref, lane);
            if (place != PTX_NONE) {
                take(context, place);
            }
        }
    }
}

/* What a call returns into. */
static void take_returned(const taker *t, const ptx_code *c, uint32_t context) {
    for (uint32_t k = 0; k < c->lanes; k++) {
        const ptx_symbol *s = slot_of(t->g, t->g->codes->arg[c->first_arg + k].ref);
        if (s) {
            take_slots(t, context, s);
        }
    }
}

void ptx_step_places(const ptx_values *v, const ptx_step *step,
                     void (*take)(void *context, uint32_t place), void *context) {
    const ptx_graph *g = v->g;
    const ptx_code *c = &g->codes->code[step->row];
    const taker t = {g, take, context};
    const uint32_t around =
        step->kind == PTX_STEP_ROW ? step->context : g->context[step->context].parent;
    if (step->kind == PTX_STEP_ENTER) {
        take_parameters(&t, step);
        return;
    }
    for (uint32_t i = 0; i < c->defs; i++) {
        if (g->codes->def[c->first_def + i] != PTX_NONE) {
            take(context, ptx_place_in(g, around, g->codes->def[c->first_def + i]));
        }
    }
    if (ptx_code_stores(c)) {
        ptx_step_lanes(g, step, take, context);
    }
    if (c->op == PTX_OP_CALL) {
        take_returned(&t, c, around);
    }
}

/* Where an operand of a call is, or an offset in it. */
static uint32_t actual_place(const ptx_graph *g, uint32_t context, const ptx_arg *arg,
                             uint32_t number) {
    const ptx_symbol *s = slot_of(g, arg->ref);
    if (s) {
        return ptx_place_at(g, context, s, number);
    }
    const uint32_t place = arg->ref == PTX_NONE ? PTX_NONE : g->rows->ref[arg->ref].place;
    return place == PTX_NONE ? PTX_NONE : ptx_place_in(g, context, place);
}

/* What is given for a parameter's place. */
static uint32_t given_place(const ptx_graph *g, const ptx_step *step, uint32_t place) {
    const ptx_context *inner = &g->context[step->context];
    const ptx_function *f = &g->rows->function[inner->function];
    const ptx_code *c = &g->codes->code[step->row];
    const ptx_place *p = &g->rows->place[f->first_place + (place - inner->first_place)];
    const uint32_t k = c->lanes + 1u + (p->symbol - f->first_parameter);
    return p->symbol >= f->first_parameter && k < c->args
               ? actual_place(g, inner->parent, &g->codes->arg[c->first_arg + k], p->number)
               : PTX_NONE;
}

/* What is returned into a place. */
static uint32_t returned_place(const ptx_graph *g, const ptx_step *step, uint32_t place) {
    const ptx_context *inner = &g->context[step->context];
    const ptx_context *outer = &g->context[inner->parent];
    const ptx_function *f = &g->rows->function[inner->function];
    const ptx_code *c = &g->codes->code[step->row];
    const uint32_t own =
        g->rows->function[outer->function].first_place + (place - outer->first_place);
    for (uint32_t k = 0; k < c->lanes && f->returns + k < f->first_parameter; k++) {
        const uint32_t ref = g->codes->arg[c->first_arg + k].ref;
        const ptx_symbol *s = slot_of(g, ref);
        const ptx_symbol *formal = &g->rows->symbol[f->returns + k];
        if (s && s == &g->rows->symbol[g->rows->place[own].symbol]) {
            return ptx_place_at(g, step->context, formal, g->rows->place[own].number);
        }
        if (!s && ref != PTX_NONE && g->rows->ref[ref].place == own) {
            return ptx_place_at(g, step->context, formal, 0);
        }
    }
    return PTX_NONE;
}

uint32_t ptx_step_source(const ptx_values *v, const ptx_step *step, uint32_t place) {
    return step->kind == PTX_STEP_ENTER ? given_place(v->g, step, place)
                                        : returned_place(v->g, step, place);
}
