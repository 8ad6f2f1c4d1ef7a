/* SPDX-License-Identifier: Apache-2.0
 *
 * Which shared memory addresses lie in, and whether accesses and copies meet there.
 */
#include <string.h>

#include "ptx_protocol.h"

#define MOST_DEEP    6  /* operations in operations */
#define LEAST_COPY_B 16 /* that a copy moves at least, where its map is not known */

static int is_shared(const ptx_values *v, const ptx_atom *a) {
    return a->kind == PTX_ATOM_ADDRESS && ptx_is_text(v->g->rows->variable[a->a].v.space, "shared");
}

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static uint32_t variable_in(const ptx_values *v, ptx_value value, int deep) {
    const ptx_form *f = &v->forms.form[value];
    uint32_t found = PTX_NONE;
    for (uint32_t i = 0; value != PTX_UNKNOWN && i < f->terms; i++) {
        const ptx_atom *a = &v->forms.atom[f->term[i].atom];
        if (is_shared(v, a)) {
            return a->a;
        }
        if (a->kind == PTX_ATOM_OPERATION && deep) {
            const uint32_t of[3] = {a->b, a->c, a->d};
            for (uint32_t k = 0; k < 3 && found == PTX_NONE; k++) {
                found = variable_in(v, of[k], deep - 1);
            }
        }
    }
    return found;
}

uint32_t ptx_shared_variable(const ptx_values *v, ptx_value address) {
    return variable_in(v, address, MOST_DEEP);
}

/* --- what an address is for the first thread, in the first turn of loops --- */

typedef struct first_turn {
    const ptx_protocol *p;
    uint32_t around; /* block: of loops that it is in no turn is the first one */
} first_turn;

static int value_first(const first_turn *t, ptx_value value, int deep, uint64_t *out);

/* What the way into a loop brings. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int entering(const first_turn *t, const ptx_atom *a, int deep, uint64_t *out) {
    const ptx_values *v = t->p->v;
    const ptx_graph *g = v->g;
    const ptx_node *n = &g->node[a->a];
    ptx_value same = PTX_UNKNOWN;
    uint32_t at = v->first_merge[a->a];
    while (at != PTX_NONE && v->merge[at].place != a->b) {
        at = v->merge[at].next;
    }
    for (uint32_t i = 0; at != PTX_NONE && i < n->ins; i++) {
        uint32_t loop = 0;
        const uint32_t from = g->in[n->first_in + i];
        if (g->node[from].order != PTX_NONE && ptx_way_of(g, from, a->a, &loop) == PTX_WAY_ON) {
            const ptx_value one = v->arg[v->merge[at].first_arg + i];
            if (same != PTX_UNKNOWN && one != same) {
                return 0;
            }
            same = one;
        }
    }
    return same != PTX_UNKNOWN && n->loop != PTX_NONE && g->loop[n->loop].head == a->a &&
           value_first(t, same, deep - 1, out);
}

static int is_word(const ptx_values *v, const ptx_atom *a, const char *word) {
    if (a->a >= v->g->codes->opcodes) {
        return 0;
    }
    const tma_ptx_span name = v->g->codes->opcode[a->a];
    return name.length > strlen(word) && memcmp(name.at, word, strlen(word)) == 0 &&
           name.at[strlen(word)] == '.';
}

/* Operations as they are computed on small numbers, which are not negative. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int operation_first(const first_turn *t, const ptx_atom *a, int deep, uint64_t *out) {
    const ptx_values *v = t->p->v;
    uint64_t x = 0;
    uint64_t y = 0;
    const int has_x = value_first(t, a->b, deep - 1, &x) && x <= INT32_MAX;
    const int has_y = value_first(t, a->c, deep - 1, &y) && y <= INT32_MAX;
    *out = x;
    if (a->a == PTX_DO_ZERO_EXTEND || a->a == PTX_DO_SIGN_EXTEND) {
        return has_x;
    }
    if (has_x && !x && (is_word(v, a, "and") || is_word(v, a, "shr") || a->a == PTX_DO_PRODUCT)) {
        return 1;
    }
    if (!has_x || !has_y) {
        return 0;
    }
    if (is_word(v, a, "and")) {
        *out = x & y;
    } else if (is_word(v, a, "or")) {
        *out = x | y;
    } else if (is_word(v, a, "xor")) {
        *out = x ^ y;
    } else if (is_word(v, a, "shr")) {
        *out = y < 32 ? x >> y : 0;
    } else if (a->a == PTX_DO_PRODUCT) {
        *out = x * y;
    } else {
        return 0;
    }
    return 1;
}

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int atom_first(const first_turn *t, const ptx_atom *a, int deep, uint64_t *out) {
    const ptx_graph *g = t->p->v->g;
    const int is_turned = a->kind == PTX_ATOM_TURN || a->kind == PTX_ATOM_MERGED;
    *out = 0;
    if (a->kind == PTX_ATOM_SPECIAL) {
        const char *name = ptx_special_name(a->a);
        return strncmp(name, "%tid", 4) == 0 || strcmp(name, "%laneid") == 0;
    }
    if (a->kind == PTX_ATOM_OPERATION) {
        return deep && operation_first(t, a, deep, out);
    }
    if (!is_turned || a->loop == PTX_NONE || ptx_block_in_loop(g, t->around, a->loop)) {
        return 0;
    }
    return a->kind == PTX_ATOM_TURN || (!a->c && deep && entering(t, a, deep, out));
}

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int value_first(const first_turn *t, ptx_value value, int deep, uint64_t *out) {
    const ptx_form f = t->p->v->forms.form[value];
    uint64_t sum = f.number;
    for (uint32_t i = 0; i < f.terms; i++) {
        uint64_t one = 0;
        if (!atom_first(t, &t->p->v->forms.atom[f.term[i].atom], deep, &one)) {
            return 0;
        }
        sum += f.term[i].times * one;
    }
    *out = f.bits < 64 ? sum & ((UINT64_C(1) << f.bits) - 1) : sum;
    return value != PTX_UNKNOWN;
}

static ptx_overlap by_number(int64_t apart, const ptx_act *access, const ptx_act *copy) {
    const int64_t copy_B = copy->bytes_B ? copy->bytes_B : LEAST_COPY_B;
    const int64_t access_B = access->bytes_B ? access->bytes_B : LEAST_COPY_B;
    if (apart > -access_B && apart < copy_B) {
        return PTX_OVERLAPS;
    }
    return apart < 0 || copy->bytes_B ? PTX_APART : PTX_OPEN;
}

ptx_overlap ptx_acts_overlap(const ptx_protocol *p, const ptx_act *access, const ptx_act *copy) {
    ptx_values *v = p->v;
    const uint32_t a = ptx_shared_variable(v, access->at);
    const uint32_t b = ptx_shared_variable(v, copy->at);
    if (a == PTX_NONE || a != b) {
        return PTX_APART;
    }
    const ptx_value apart = ptx_form_sum(&v->forms, access->at, copy->at, UINT64_MAX);
    if (apart == PTX_UNKNOWN) {
        return PTX_OPEN;
    }
    const first_turn t = {p, v->g->step[copy->step].block};
    uint64_t first = 0;
    if (!value_first(&t, apart, MOST_DEEP, &first)) {
        return PTX_OPEN;
    }
    const ptx_overlap at_first = by_number((int32_t)(uint32_t)first, access, copy);
    return v->forms.form[apart].terms && at_first == PTX_APART ? PTX_OPEN : at_first;
}

ptx_alike ptx_barriers_alike(const ptx_protocol *p, const ptx_act *a, const ptx_act *b) {
    return ptx_values_alike(p->v, a->barrier, b->barrier);
}
