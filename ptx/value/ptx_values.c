/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of a graph's places, block by block in the order of dominance.
 */
#include "ptx_values.h"

#include <string.h>

#define MOST_PASSES 8 /* loops in loops whose steps hang on each other */

typedef struct undo {
    uint32_t place;
    ptx_value value;
} undo;

typedef struct walk {
    ptx_memory *memory;
    ptx_values *v;
    undo *undo;
    uint32_t undos;
} walk;

static ptx_value merged_atom(ptx_values *v, const ptx_merge *m, uint32_t variant) {
    const uint32_t bits = ptx_place_bits(v, m->place);
    const ptx_graph *g = v->g;
    uint32_t loop = g->node[m->node].loop;
    if (variant && loop != PTX_NONE) {
        loop = g->loop[loop].parent; /* made before the loop is entered */
    }
    const ptx_atom atom = {.kind = PTX_ATOM_MERGED,
                           .bits = (uint8_t)bits,
                           .a = m->node,
                           .b = m->place,
                           .c = variant,
                           .loop = loop};
    return ptx_form_atom(&v->forms, ptx_atom_of(&v->forms, &atom), bits);
}

/* What the ways on bring: all the same, or PTX_UNKNOWN. *back says whether some lead back. */
static ptx_value brought(const ptx_values *v, const ptx_merge *m, int *back, int *tangled) {
    const ptx_graph *g = v->g;
    const ptx_node *node = &g->node[m->node];
    ptx_value same = PTX_UNKNOWN;
    int first = 1;
    for (uint32_t i = 0; i < node->ins; i++) {
        uint32_t loop = 0;
        const uint32_t from = g->in[node->first_in + i];
        if (g->node[from].order == PTX_NONE) {
            continue;
        }
        const ptx_way way = ptx_way_of(g, from, m->node, &loop);
        *back |= way == PTX_WAY_BACK;
        *tangled |= way == PTX_WAY_TANGLED;
        if (way == PTX_WAY_ON) {
            const ptx_value value = v->arg[m->first_arg + i];
            same = first || same == value ? value : PTX_UNKNOWN;
            first = 0;
        }
    }
    return same;
}

static ptx_value merged(ptx_values *v, const ptx_merge *m) {
    int back = 0;
    int tangled = 0;
    ptx_value same = brought(v, m, &back, &tangled);
    if (tangled || v->lost[m->place]) {
        return v->lost[m->place] ? PTX_UNKNOWN : merged_atom(v, m, 0);
    }
    if (!back) {
        return same == PTX_UNKNOWN ? merged_atom(v, m, 0) : same;
    }
    if (!m->is_stepped) {
        return merged_atom(v, m, 0);
    }
    same = same == PTX_UNKNOWN ? merged_atom(v, m, 1) : same;
    const uint32_t loop = v->g->node[m->node].loop;
    const ptx_atom turn = {.kind = PTX_ATOM_TURN, .bits = 64, .a = loop, .loop = loop};
    const ptx_value turns =
        ptx_form_atom(&v->forms, ptx_atom_of(&v->forms, &turn), v->forms.form[same].bits);
    const ptx_value stepped = ptx_form_sum(&v->forms, same, turns, m->step);
    return stepped == PTX_UNKNOWN ? merged_atom(v, m, 0) : stepped;
}

static void assign(walk *w, uint32_t place, ptx_value value) {
    if (w->v->now[place] != value) {
        PTX_APPEND(w, undo, undos, (undo){place, w->v->now[place]});
        w->v->now[place] = value;
    }
}

static void take_back(walk *w, uint32_t to) {
    while (w->undos > to) {
        const undo *u = &w->undo[--w->undos];
        w->v->now[u->place] = u->value;
    }
}

/* ptx_evaluate() hands results on through this. */
static void assign_now(ptx_values *v, uint32_t place, ptx_value value) {
    assign(v->walk, place, value);
}

static void evaluate_block(walk *w, uint32_t block) {
    ptx_values *v = w->v;
    const ptx_node *node = &v->g->node[block];
    for (uint32_t i = v->first_merge[block]; i != PTX_NONE; i = v->merge[i].next) {
        v->merge[i].value = merged(v, &v->merge[i]);
        assign(w, v->merge[i].place, v->merge[i].value);
    }
    for (uint32_t i = node->first; i < node->end && !w->memory->failed; i++) {
        ptx_evaluate(v, &v->g->step[i], i, assign_now);
    }
    for (uint32_t i = node->first_out; i < node->first_out + node->outs; i++) {
        const uint32_t to = v->g->out[i];
        for (uint32_t k = v->first_merge[to]; k != PTX_NONE; k = v->merge[k].next) {
            v->arg[v->merge[k].first_arg + v->g->out_slot[i]] = v->now[v->merge[k].place];
        }
    }
}

/* Whether the ways back bring what was there plus the same number. */
static int take_step(ptx_values *v, ptx_merge *m) {
    const ptx_graph *g = v->g;
    const ptx_node *node = &g->node[m->node];
    int first = 1;
    uint64_t step = 0;
    if (m->value == PTX_UNKNOWN || m->value != merged_atom(v, m, 0)) {
        return 0;
    }
    for (uint32_t i = 0; i < node->ins; i++) {
        uint32_t loop = 0;
        uint64_t more = 0;
        const uint32_t from = g->in[node->first_in + i];
        if (g->node[from].order == PTX_NONE || ptx_way_of(g, from, m->node, &loop) == PTX_WAY_ON) {
            continue;
        }
        const ptx_value by =
            ptx_form_sum(&v->forms, v->arg[m->first_arg + i], m->value, UINT64_MAX);
        if (loop == PTX_NONE || !ptx_form_is_number(&v->forms, by, &more) ||
            (!first && more != step)) {
            return 0;
        }
        step = more;
        first = 0;
    }
    if (first) {
        return 0;
    }
    m->step = step;
    m->is_stepped = 1;
    return 1;
}

/* One way through all blocks; how many loops' steps were found. */
static uint32_t pass(walk *w, const uint32_t *by_enter, uint32_t *open, uint32_t *undo_at) {
    ptx_values *v = w->v;
    const ptx_graph *g = v->g;
    uint32_t found = 0;
    uint32_t opens = 0;
    for (uint32_t i = 0; i < g->reached && !w->memory->failed; i++) {
        while (opens && !ptx_dominates(g, open[opens - 1], by_enter[i])) {
            take_back(w, undo_at[--opens]);
        }
        open[opens] = by_enter[i];
        undo_at[opens++] = w->undos;
        evaluate_block(w, by_enter[i]);
    }
    take_back(w, 0);
    for (uint32_t i = 0; i < v->merges && g->loops && !w->memory->failed; i++) {
        found += v->merge[i].is_stepped ? 0 : (uint32_t)take_step(v, &v->merge[i]);
    }
    return found;
}

/* What the root's registers and parameters hold at first. */
static void take_inputs(ptx_values *v) {
    const ptx_rows *rows = v->g->rows;
    const ptx_function *f = &rows->function[v->g->root];
    for (uint32_t i = f->first_parameter; i < f->end_parameter; i++) {
        for (uint32_t p = rows->symbol[i].slot; p != PTX_NONE; p = rows->place[p].before) {
            const uint32_t place = p - f->first_place;
            const uint32_t bits = ptx_place_bits(v, place);
            const ptx_atom atom = {
                .kind = PTX_ATOM_INPUT, .bits = (uint8_t)bits, .a = p, .loop = PTX_NONE};
            v->now[place] = ptx_form_atom(&v->forms, ptx_atom_of(&v->forms, &atom), bits);
        }
    }
}

static int follow(ptx_values *v) {
    const ptx_graph *g = v->g;
    uint32_t *by_enter = ptx_memory_take(v->memory, (size_t)g->reached + 1, sizeof(*by_enter));
    uint32_t *open = ptx_memory_take(v->memory, (size_t)g->reached + 1, sizeof(*open));
    uint32_t *undo_at = ptx_memory_take(v->memory, (size_t)g->reached + 1, sizeof(*undo_at));
    walk w = {.memory = v->memory, .v = v};
    if (v->memory->failed) {
        return -1;
    }
    for (uint32_t i = 0; i < g->reached; i++) {
        by_enter[g->node[g->ordered[i]].enter] = g->ordered[i];
    }
    v->walk = &w;
    for (int i = 0; i < MOST_PASSES && pass(&w, by_enter, open, undo_at) && !v->memory->failed;
         i++) {
    }
    v->walk = NULL;
    return v->memory->failed ? -1 : 0;
}

static uint32_t count_uses(ptx_graph *g) {
    uint32_t uses = 0;
    for (uint32_t i = 0; i < g->steps; i++) {
        g->step[i].first_use = uses;
        uses += g->rows->row[g->step[i].row].refs;
    }
    return uses;
}

int ptx_values_follow(ptx_values *v, ptx_memory *memory, ptx_graph *g, const uint32_t *kept) {
    *v = (ptx_values){.memory = memory, .g = g, .kept = kept};
    v->use = ptx_memory_take(memory, (size_t)count_uses(g) + 1, sizeof(*v->use));
    v->now = ptx_memory_take(memory, (size_t)g->places + 1, sizeof(*v->now));
    v->lost = ptx_memory_take(memory, (size_t)g->places + 1, 1);
    v->first_merge = ptx_memory_take(memory, (size_t)g->nodes + 1, sizeof(*v->first_merge));
    if (memory->failed || ptx_forms_begin(&v->forms, memory)) {
        return -1;
    }
    memset(v->first_merge, 0xFF, ((size_t)g->nodes + 1) * sizeof(*v->first_merge));
    if (ptx_merges_make(v)) {
        return -1;
    }
    take_inputs(v);
    return follow(v);
}

int ptx_value_guard(const ptx_values *v, const ptx_step *step) {
    uint64_t number = 0;
    const ptx_code *c = &v->g->codes->code[step->row];
    const uint32_t first_ref = v->g->rows->row[step->row].first_ref;
    if (!c->guarded) {
        return 1;
    }
    if (c->guard == PTX_NONE ||
        !ptx_value_number(v, v->use[step->first_use + (c->guard - first_ref)], &number)) {
        return -1;
    }
    return (number != 0) != c->negated;
}

/* The ways that a block's last instruction never takes, as its guard is a number; where it is not
 * run the last one is taken. */
static uint32_t find_never(const ptx_values *v, uint8_t *never) {
    const ptx_graph *g = v->g;
    uint32_t found = 0;
    for (uint32_t i = 0; i < g->reached; i++) {
        const ptx_node *node = &g->node[g->ordered[i]];
        const ptx_step *last = node->first < node->end ? &g->step[node->end - 1] : NULL;
        const uint32_t op = last ? g->codes->code[last->row].op : PTX_OP_OTHER;
        const int ends = last && (last->kind == PTX_STEP_ENTER ||
                                  (last->kind == PTX_STEP_ROW && ptx_op_ends_block(op)));
        if (!ends || !g->codes->code[last->row].guarded || !node->outs) {
            continue;
        }
        const int is_run = ptx_value_guard(v, last);
        const uint32_t follows = node->first_out + node->outs - 1;
        for (uint32_t k = node->first_out; is_run >= 0 && k <= follows; k++) {
            never[k] = (k == follows) == is_run;
            found += never[k];
        }
    }
    return found;
}

int ptx_values_make_once(ptx_values *v, ptx_memory *memory, ptx_graph *g, ptx_mark *mark) {
    uint8_t *never = ptx_memory_take(memory, (size_t)g->edges + 1, 1);
    *mark = ptx_memory_mark(memory);
    if (!never || ptx_values_follow(v, memory, g, NULL)) {
        return -1;
    }
    if (!find_never(v, never)) {
        return 0;
    }
    ptx_memory_back(memory, *mark);
    if (ptx_graph_without(g, never)) {
        return -1;
    }
    *mark = ptx_memory_mark(memory);
    return ptx_values_follow(v, memory, g, NULL);
}

int ptx_value_number(const ptx_values *v, ptx_value value, uint64_t *number) {
    return ptx_form_is_number(&v->forms, value, number);
}

int64_t ptx_value_signed(const ptx_values *v, ptx_value value) {
    const ptx_form *f = &v->forms.form[value];
    if (f->bits && f->bits < 64 && f->number >> (f->bits - 1)) {
        return (int64_t)(f->number | ~((UINT64_C(1) << f->bits) - 1));
    }
    return (int64_t)f->number;
}

ptx_value ptx_value_bare(ptx_values *v, ptx_value address) {
    const ptx_form f = v->forms.form[address];
    for (uint32_t i = 0; i < f.terms; i++) {
        if (v->forms.atom[f.term[i].atom].kind == PTX_ATOM_WINDOW) {
            const ptx_value window = ptx_form_atom(&v->forms, f.term[i].atom, f.bits);
            return ptx_form_sum(&v->forms, address, window, 0 - f.term[i].times);
        }
    }
    return address;
}

const ptx_atom *ptx_value_base(const ptx_values *v, ptx_value value, int64_t *added) {
    const ptx_form *f = &v->forms.form[value];
    const uint32_t shift = f->bits < 64 ? 64 - f->bits : 0;
    if (f->terms != 1 || f->term[0].times != 1) {
        return NULL;
    }
    *added = (int64_t)(f->number << shift) >> shift;
    return &v->forms.atom[f->term[0].atom];
}

/* Variables that may lie at the same place: .extern .shared all begin at one. */
static int is_extern_shared(const ptx_values *v, const ptx_atom *a) {
    const ptx_variable *one = &v->g->rows->variable[a->a];
    return one->is_extern && ptx_is_text(one->v.space, "shared");
}

ptx_alike ptx_values_alike(ptx_values *v, ptx_value a, ptx_value b) {
    uint64_t number = 0;
    if (a == PTX_UNKNOWN || b == PTX_UNKNOWN) {
        return PTX_MAYBE;
    }
    a = ptx_value_bare(v, a);
    b = ptx_value_bare(v, b);
    const uint32_t bits = v->forms.form[a].bits < v->forms.form[b].bits ? v->forms.form[a].bits
                                                                        : v->forms.form[b].bits;
    a = ptx_form_cut(&v->forms, a, bits);
    b = ptx_form_cut(&v->forms, b, bits);
    if (ptx_form_apart(&v->forms, a, b, &number)) {
        return number ? PTX_DIFFERENT : PTX_EQUAL;
    }
    int64_t added = 0;
    const ptx_atom *x = ptx_value_base(v, a, &added);
    const ptx_atom *y = ptx_value_base(v, b, &added);
    if (x && y && x->kind == PTX_ATOM_ADDRESS && y->kind == PTX_ATOM_ADDRESS && x->a != y->a) {
        return is_extern_shared(v, x) && is_extern_shared(v, y) ? PTX_MAYBE : PTX_DIFFERENT;
    }
    return PTX_MAYBE;
}

ptx_value ptx_value_over(ptx_values *v, ptx_value value, uint32_t from, uint32_t to) {
    uint32_t loop = 0;
    const ptx_way way = ptx_way_of(v->g, from, to, &loop);
    const ptx_form f = v->forms.form[value];
    ptx_value sum = value;
    if (way == PTX_WAY_ON) {
        return value;
    }
    for (uint32_t i = 0; i < f.terms; i++) {
        const ptx_atom *atom = &v->forms.atom[f.term[i].atom];
        if (atom->kind == PTX_ATOM_TURN && atom->a == loop) {
            const ptx_value earlier = ptx_form_number(&v->forms, 0 - f.term[i].times, f.bits);
            sum = ptx_form_sum(&v->forms, sum, earlier, 1);
            continue;
        }
        const int stays = atom->kind <= PTX_ATOM_WINDOW;
        if (atom->is_mixed || (way == PTX_WAY_TANGLED && !stays) ||
            (atom->loop != PTX_NONE && ptx_loop_in_loop(v->g, atom->loop, loop))) {
            return PTX_UNKNOWN;
        }
    }
    return sum;
}

/* The low bits that `and` with a number leaves 0. */
static uint32_t masked(const ptx_values *v, const ptx_atom *atom) {
    uint64_t a = 0;
    uint64_t b = 0;
    uint32_t bits = 0;
    if (!ptx_begins(ptx_atom_opcode(v, atom), "and.")) {
        return 0;
    }
    const int has_a = ptx_form_is_number(&v->forms, atom->b, &a);
    const int has_b = ptx_form_is_number(&v->forms, atom->c, &b);
    const uint64_t mask = has_a ? a : has_b ? b : 1;
    while (bits < 31 && !(mask >> bits & 1)) {
        bits++;
    }
    return bits;
}

static uint32_t aligned(const void *context, const ptx_atom *atom) {
    const ptx_values *v = context;
    uint32_t bits = 0;
    if (atom->kind != PTX_ATOM_ADDRESS) {
        return masked(v, atom);
    }
    const uint32_t align_B = v->g->rows->variable[atom->a].v.align_B;
    while (bits < 31 && align_B && !(align_B >> bits & 1)) {
        bits++;
    }
    return align_B && align_B == 1u << bits ? bits : 0;
}

uint32_t ptx_value_low_bits(const ptx_values *v, ptx_value value, uint64_t *number) {
    return ptx_form_low_bits(&v->forms, value, aligned, v, number);
}

uint32_t ptx_merge_of(const ptx_values *v, uint32_t block, uint32_t place) {
    uint32_t i = v->first_merge[block];
    while (i != PTX_NONE && v->merge[i].place != place) {
        i = v->merge[i].next;
    }
    return i;
}
