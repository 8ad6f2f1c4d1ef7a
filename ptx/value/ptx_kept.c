/* SPDX-License-Identifier: Apache-2.0
 *
 * What a thread keeps in its own memory under an address that registers hold: unoptimised code puts
 * what a lambda captures there, and gives its address to functions. A load has the value of the one
 * store that writes there, where that one comes before it on all ways.
 */
#include <string.h>

#include "ptx_values.h"

#define MOST_STEPS  400000
#define MOST_PAIRS  UINT64_C(4000000)
#define MOST_ROUNDS 4

typedef struct access {
    uint32_t step;
    uint32_t atom; /* of the variable; PTX_NONE: the address is not known */
    int64_t at;
    uint32_t bytes_B;
    uint8_t is_store, is_open; /* of the place in the variable nothing is known, */
    uint8_t is_beyond;         /* or it is there or further on */
    uint8_t is_plain;          /* one number, no guard */
} access;

typedef struct keeper {
    ptx_memory *memory;
    ptx_values *v;
    access *access;
    uint32_t accesses;
    int escapes; /* an address went where it is not followed */
    int unknown; /* a store somewhere */
} keeper;

static int is_local(const ptx_values *v, uint32_t atom) {
    const ptx_atom *a = &v->forms.atom[atom];
    return a->kind == PTX_ATOM_ADDRESS && ptx_is_text(v->g->rows->variable[a->a].v.space, "local");
}

/* The local variable that a value has the address of, or PTX_NONE. */
static uint32_t local_in(const ptx_values *v, ptx_value value) {
    const ptx_form *f = &v->forms.form[value];
    for (uint32_t i = 0; i < f->terms; i++) {
        if (is_local(v, f->term[i].atom)) {
            return f->term[i].atom;
        }
    }
    return PTX_NONE;
}

/* Whether an atom times a number is never below 0: turns of loops, as they are or in more bits (no
 * signed number of turns overflows). */
static int is_rising(const ptx_values *v, const ptx_term *term, uint32_t bits) {
    const ptx_atom *a = &v->forms.atom[term->atom];
    const int is_positive = term->times >> (bits - 1) == 0;
    if (a->kind == PTX_ATOM_TURN || (a->kind == PTX_ATOM_OPERATION && a->a == PTX_DO_ZERO_EXTEND)) {
        return is_positive;
    }
    if (a->kind != PTX_ATOM_OPERATION || a->a != PTX_DO_SIGN_EXTEND) {
        return 0;
    }
    const ptx_form *f = &v->forms.form[a->b];
    int is = is_positive && f->number >> (f->bits - 1) == 0;
    for (uint32_t i = 0; is && i < f->terms; i++) {
        is = v->forms.atom[f->term[i].atom].kind == PTX_ATOM_TURN &&
             f->term[i].times >> (f->bits - 1) == 0;
    }
    return is;
}

/* Whether an address is a variable's, plus a number, plus what is never below 0. */
static int is_beyond(const ptx_values *v, ptx_value value, uint32_t variable, int64_t *at) {
    const ptx_form *f = &v->forms.form[value];
    int is = f->bits == 32 || f->bits == 64;
    *at = f->bits == 32 ? (int32_t)(uint32_t)f->number : (int64_t)f->number;
    for (uint32_t i = 0; is && i < f->terms; i++) {
        is = f->term[i].atom == variable ? f->term[i].times == 1
                                         : is_rising(v, &f->term[i], f->bits);
    }
    return is;
}

/* Whether an address is one that no thread's own memory has: of a parameter, or another variable.
 */
static int is_elsewhere(const ptx_values *v, ptx_value value) {
    const ptx_form *f = &v->forms.form[value];
    int is = 0;
    for (uint32_t i = 0; value != PTX_UNKNOWN && i < f->terms; i++) {
        const uint8_t kind = v->forms.atom[f->term[i].atom].kind;
        is |= kind == PTX_ATOM_ADDRESS || kind == PTX_ATOM_PARAMETER;
    }
    return is;
}

/* ld, st: of this thread's own memory, or by a generic address. */
static int is_access(tma_ptx_span name) {
    static const char *const spaces[] = {"shared", "shared::cta", "shared::cluster", "global",
                                         "const",  "param",       "param::entry",    "param::func"};
    int is = ptx_begins(name, "ld.") || ptx_begins(name, "st.");
    for (size_t i = 0; is && i < sizeof(spaces) / sizeof(spaces[0]); i++) {
        is = !ptx_opcode_has(name, spaces[i]);
    }
    return is && !ptx_opcode_has(name, "async");
}

/* How many of an instruction's names hold addresses of local variables. */
static uint32_t locals_of(const ptx_values *v, const ptx_step *step) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < v->g->rows->row[step->row].refs; i++) {
        count += local_in(v, v->use[step->first_use + i]) != PTX_NONE;
    }
    return count;
}

static void take_access(keeper *k, uint32_t index, const ptx_step *step, tma_ptx_span name) {
    ptx_values *v = k->v;
    const ptx_code *c = &v->g->codes->code[step->row];
    const int stores = name.at[0] == 's';
    tma_ptx_parts parts;
    access one = {.step = index, .atom = PTX_NONE, .is_store = (uint8_t)stores};
    if (tma_ptx_split(&parts, &v->g->rows->row[step->row].piece) || parts.count < 2) {
        k->unknown |= stores;
        return;
    }
    const ptx_value address = ptx_value_of_text(v, step, parts.operand[stores ? 0 : 1]);
    const ptx_value bare = address == PTX_UNKNOWN ? address : ptx_value_bare(v, address);
    const uint32_t lanes = ptx_opcode_has(name, "v8")   ? 8
                           : ptx_opcode_has(name, "v4") ? 4
                           : ptx_opcode_has(name, "v2") ? 2
                                                        : 1;
    one.atom = local_in(v, bare);
    const int is_known = one.atom != PTX_NONE && ptx_value_base(v, bare, &one.at);
    one.is_beyond = !is_known && one.atom != PTX_NONE && is_beyond(v, bare, one.atom, &one.at);
    one.is_open = !is_known && !one.is_beyond;
    one.bytes_B = c->bits ? lanes * c->bits / 8 : 32;
    one.is_plain = lanes == 1 && c->bits && !c->guarded && !ptx_opcode_has(name, "volatile");
    k->escapes |= stores && locals_of(v, step) > (one.atom != PTX_NONE);
    k->unknown |= stores && one.atom == PTX_NONE && !is_elsewhere(v, bare);
    if (one.atom != PTX_NONE) {
        PTX_APPEND(k, access, accesses, one);
    }
}

/* Whether an instruction has an operand in memory, which it may write: atom, red, st.async. */
static int has_memory(const ptx_values *v, const ptx_step *step) {
    tma_ptx_parts parts;
    int has = tma_ptx_split(&parts, &v->g->rows->row[step->row].piece) != 0;
    for (uint32_t i = 0; !has && i < parts.count && i < TMA_PTX_PARTS; i++) {
        has = ptx_begins(parts.operand[i], "[");
    }
    return has;
}

/* What else is done with addresses: what gives a value that is followed no further lets them out.
 */
static void take_step(keeper *k, uint32_t index, const ptx_step *step) {
    ptx_values *v = k->v;
    const ptx_code *c = &v->g->codes->code[step->row];
    const tma_ptx_span name = v->g->codes->opcode[c->name];
    if (step->kind != PTX_STEP_ROW) {
        return;
    }
    if (is_access(name)) {
        take_access(k, index, step, name);
    } else if (c->op == PTX_OP_OTHER && locals_of(v, step)) {
        k->escapes = 1;
        k->unknown |= has_memory(v, step);
    }
}

/* Addresses in operations, and where ways bring them together with others. */
static void take_lost(keeper *k) {
    ptx_values *v = k->v;
    for (uint32_t i = 0; i < v->forms.atoms && !k->escapes; i++) {
        const ptx_atom *a = &v->forms.atom[i];
        const uint32_t of[3] = {a->b, a->c, a->d};
        for (uint32_t j = 0; a->kind == PTX_ATOM_OPERATION && j < 3; j++) {
            k->escapes |= of[j] && local_in(v, of[j]) != PTX_NONE;
        }
    }
    for (uint32_t i = 0; i < v->merges && !k->escapes; i++) {
        const ptx_merge *m = &v->merge[i];
        const uint32_t is = local_in(v, m->value);
        for (uint32_t j = 0; j < v->g->node[m->node].ins; j++) {
            const uint32_t one = local_in(v, v->arg[m->first_arg + j]);
            k->escapes |= one != PTX_NONE && one != is;
        }
    }
}

static int ends_before(const access *a, const access *b) {
    return !a->is_beyond && a->at + (int64_t)a->bytes_B <= b->at;
}

static int overlap(const access *a, const access *b) {
    return a->atom == b->atom &&
           (a->is_open || b->is_open || (!ends_before(a, b) && !ends_before(b, a)));
}

/* The one store that a load's value is from: its step, or PTX_NONE. */
static uint32_t source_of(const keeper *k, const access *load) {
    const ptx_graph *g = k->v->g;
    const access *only = NULL;
    for (uint32_t i = 0; i < k->accesses; i++) {
        const access *s = &k->access[i];
        if (s->is_store && overlap(s, load)) {
            if (only) {
                return PTX_NONE;
            }
            only = s;
        }
    }
    if (!only || only->is_open || only->is_beyond || !only->is_plain || only->at != load->at ||
        only->bytes_B != load->bytes_B) {
        return PTX_NONE;
    }
    const uint32_t from = g->step[only->step].block;
    const uint32_t to = g->step[load->step].block;
    const uint32_t loop = g->node[from].loop;
    const int is_before = from == to ? only->step < load->step : ptx_dominates(g, from, to);
    return is_before && (loop == PTX_NONE || ptx_block_in_loop(g, to, loop)) ? only->step
                                                                             : (uint32_t)PTX_NONE;
}

/* By step: where a load's value is from, + 1. `hopes`: stores of which nothing is known are taken
 * to go elsewhere. How many there are. */
static uint32_t take_kept(ptx_values *v, uint32_t *kept, int hopes) {
    const ptx_graph *g = v->g;
    keeper k = {.memory = v->memory, .v = v};
    uint32_t count = 0;
    memset(kept, 0, ((size_t)g->steps + 1) * sizeof(*kept));
    for (uint32_t i = 0; i < g->reached; i++) {
        const ptx_node *n = &g->node[g->ordered[i]];
        for (uint32_t at = n->first; at < n->end; at++) {
            take_step(&k, at, &g->step[at]);
        }
    }
    take_lost(&k);
    const int is_many = (uint64_t)k.accesses * k.accesses > MOST_PAIRS;
    v->has_unkept |= is_many;
    if (v->memory->failed || (!hopes && k.escapes && k.unknown) || is_many) {
        return 0;
    }
    for (uint32_t i = 0; i < k.accesses; i++) {
        const access *load = &k.access[i];
        const uint32_t from = load->is_store || load->is_open || load->is_beyond || !load->is_plain
                                  ? (uint32_t)PTX_NONE
                                  : source_of(&k, load);
        kept[load->step] = from == PTX_NONE ? 0 : from + 1;
        count += from != PTX_NONE;
    }
    return count;
}

static int has_local(const ptx_values *v) {
    for (uint32_t i = 0; i < v->forms.atoms; i++) {
        if (is_local(v, i)) {
            return 1;
        }
    }
    return 0;
}

static int are_same(const uint32_t *a, const uint32_t *b, uint32_t count) {
    uint32_t i = 0;
    while (i < count && a[i] == b[i]) {
        i++;
    }
    return i == count;
}

/* Follows all steps again with what loads bring; what was followed before goes back to `mark`. */
static int follow_kept(ptx_values *v, ptx_memory *memory, ptx_graph *g, ptx_mark mark,
                       uint32_t *kept, uint32_t *next) {
    for (int round = 0; round < MOST_ROUNDS; round++) {
        take_kept(v, next, 1);
        if (memory->failed || are_same(kept, next, g->steps)) {
            break;
        }
        memcpy(kept, next, (size_t)g->steps * sizeof(*kept));
        ptx_memory_back(memory, mark);
        if (ptx_values_follow(v, memory, g, kept)) {
            return -1;
        }
    }
    /* by what is known now, no other store comes to these places: then none came there before */
    take_kept(v, next, 0);
    if (memory->failed || are_same(kept, next, g->steps)) {
        return memory->failed ? -1 : 0;
    }
    ptx_memory_back(memory, mark);
    return ptx_values_follow(v, memory, g, NULL);
}

int ptx_values_make(ptx_values *v, ptx_memory *memory, ptx_graph *g) {
    uint32_t *kept = ptx_memory_take(memory, 2 * ((size_t)g->steps + 1), sizeof(*kept));
    ptx_mark mark;
    if (!kept || ptx_values_make_once(v, memory, g, &mark)) {
        return -1;
    }
    const int asks = has_local(v) && !g->opaque && !v->lost_places;
    v->has_unkept = asks && g->steps > MOST_STEPS;
    return !asks || v->has_unkept ? 0 : follow_kept(v, memory, g, mark, kept, kept + g->steps + 1);
}
