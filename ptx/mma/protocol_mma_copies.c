/* SPDX-License-Identifier: Apache-2.0
 *
 * An operand that several copies of one map fill: two boxes beside each other, one instruction that
 * each warp runs for its own box, the slices that the CTAs of a cluster multicast to each other.
 * Where the boxes lie to each other in the tensor, and in shared memory, is asked of the values
 * that coordinates and addresses have.
 */
#include <string.h>

#include "protocol_mma.h"
#include "tma/measure.h"

#define MIDDLE     (1u << 16) /* where the first box stands in the tile: others may be before it */
#define MOST_APART (1 << 15)
#define MOST_WARPS 32
#define MOST_DEEP  8

typedef struct whole {
    const ptx_mma_part *part;
    const ptx_site *site; /* of the first copy */
    tma_spec spec;
    tma_mma_extent box;
    tma_mma_placed placed[TMA_MMA_PLACED];
    uint32_t count;
    int is_lost; /* something may be there that is not known */
    int assumed; /* see ptx_mma_whole() */
} whole;

const ptx_site *ptx_mma_site(const ptx_protocol *p, const ptx_act *act) {
    const uint32_t row = p->v->g->step[act->step].row;
    const uint32_t site = p->r->is_site[row] ? ptx_site_at(p->r, row) : PTX_NONE;
    return site == PTX_NONE || p->r->site[site].unread ? NULL : &p->r->site[site];
}

/* The special registers of a runner, as far as the kernel reads them. */
static void add_registers(ptx_mma_runner *r, const ptx_protocol *p, int is_column) {
    const uint32_t x = is_column ? 0 : r->cta;
    const uint32_t y = is_column ? r->cta : 0;
    const struct {
        ptx_special special;
        uint32_t number;
    } registers[] = {{PTX_SPECIAL_TID_X, 32 * r->warp}, {PTX_SPECIAL_CLUSTER_CTAID_X, x},
                     {PTX_SPECIAL_CTAID_X, x},          {PTX_SPECIAL_CLUSTER_CTAID_Y, y},
                     {PTX_SPECIAL_CTAID_Y, y},          {PTX_SPECIAL_CLUSTER_CTARANK, r->cta}};
    for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
        const uint32_t atom = ptx_special_atom(p->v, registers[i].special);
        if (atom != PTX_NONE && r->givens < PTX_MMA_GIVENS) {
            r->given[r->givens++] = (ptx_held){atom, registers[i].number};
        }
    }
}

ptx_mma_runner ptx_mma_runner_of(const ptx_protocol *p, const ptx_mma_turn *turn, uint32_t warp,
                                 uint32_t cta, int is_column) {
    ptx_mma_runner r = {.warp = warp, .cta = cta};
    for (uint32_t i = 0; turn && i < turn->givens; i++) {
        r.given[r.givens++] = turn->given[i];
    }
    add_registers(&r, p, is_column);
    return r;
}

static int mask_of(const ptx_protocol *p, const ptx_mma_runner *r, const ptx_act *act,
                   uint64_t *mask) {
    ptx_first t = {.p = p,
                   .around = PTX_NONE,
                   .variable = PTX_NONE,
                   .first_cta = 1,
                   .given = r->given,
                   .givens = r->givens};
    return act->mask != PTX_UNKNOWN && ptx_value_first(&t, act->mask, mask);
}

int ptx_mma_sends(const ptx_protocol *p, const ptx_mma_runner *r, const ptx_act *act) {
    const ptx_mma_runner here = {.warp = 0};
    uint64_t theirs = 0;
    uint64_t own = 0;
    return act->traits & PTX_TO_CLUSTER && mask_of(p, r, act, &theirs) &&
           mask_of(p, &here, act, &own) && theirs & 1 && own >> r->cta & 1;
}

static int is_first(const ptx_mma_runner *r) {
    return !r->warp && !r->cta;
}

static int value_for(const ptx_mma_part *m, const ptx_mma_runner *r, ptx_value value,
                     uint64_t *number, uint32_t *variable) {
    ptx_first t = {.p = m->p,
                   .around = PTX_NONE,
                   .variable = PTX_NONE,
                   .finds = 1,
                   .address = m->place,
                   .first_cta = 1,
                   .given = r->given,
                   .givens = r->givens};
    const int is = value != PTX_UNKNOWN && ptx_value_first(&t, value, number);
    *variable = t.variable;
    return is;
}

/* 1: the condition does not hold for this runner; -1: it may not. */
/* NOLINTNEXTLINE(misc-no-recursion): deep */
static int fails(const ptx_mma_part *m, const ptx_mma_runner *r, const ptx_condition *c, int deep) {
    ptx_condition part[2];
    uint64_t number = 0;
    uint32_t variable = 0;
    const uint32_t parts = deep ? ptx_condition_parts(m->p, c, part) : 0;
    int may = 0;
    if (value_for(m, r, c->key, &number, &variable)) {
        const int is = c->is_equal ? number == c->number : (number & 1) != 0;
        return is != c->holds;
    }
    for (uint32_t i = 0; i < parts; i++) {
        const int one = fails(m, r, &part[i], deep - 1);
        if (one > 0) {
            return 1;
        }
        may |= one;
    }
    if (parts) {
        return may;
    }
    const ptx_hangs hangs = ptx_condition_hangs(m->p, c);
    return hangs == PTX_HANGS_THREAD ? -1 : 0; /* elect.sync: some thread of each warp */
}

/* Whether a runner other than the first comes to a copy whenever the first does. */
static int runs(const ptx_mma_part *m, const ptx_mma_runner *r, const ptx_mma_runner *first,
                const ptx_act *act) {
    ptx_guard_walk at = {0, 0};
    ptx_condition c;
    while (ptx_act_condition(m->p, act, &at, &c)) {
        const int here = r->cta ? fails(m, first, &c, MOST_DEEP) : 0; /* another warp's role */
        if (fails(m, r, &c, MOST_DEEP) != here) {
            return 0;
        }
    }
    return 1;
}

static int is_known(const whole *w, const ptx_mma_runner *r, const ptx_mma_runner *first,
                    ptx_value value, uint64_t *there, uint64_t *here) {
    uint32_t ignored = 0;
    return value_for(w->part, r, value, there, &ignored) &&
           value_for(w->part, first, value, here, &ignored);
}

/* How many low bits of a value are 0, also by a mask: "x & -256". */
static uint32_t low_zeros(const ptx_values *v, ptx_value value) {
    const ptx_form *f = &v->forms.form[value];
    const ptx_atom *a = f->terms == 1 ? &v->forms.atom[f->term[0].atom] : NULL;
    uint64_t low = 0;
    uint64_t mask = 0;
    const uint32_t bits = ptx_value_low_bits(v, value, &low);
    uint32_t zeros = 0;
    if (a && !f->number && ptx_begins(ptx_atom_opcode(v, a), "and.b") && !a->d &&
        ptx_value_number(v, a->c, &mask)) {
        while (zeros < 64 && !(mask >> zeros & 1)) {
            zeros++;
        }
        return zeros;
    }
    return low ? 0 : bits;
}

/* x | y, where y is known and lies below all bits that x may have: x + y. *other becomes x. */
static int adds(const whole *w, const ptx_mma_runner *r, const ptx_mma_runner *first,
                const ptx_atom *a, ptx_value *other, uint64_t *more) {
    const ptx_values *v = w->part->p->v;
    if (!ptx_begins(ptx_atom_opcode(v, a), "or.b") || a->d) {
        return 0;
    }
    for (uint32_t i = 0; i < 2; i++) {
        const ptx_value x = i ? a->b : a->c;
        uint64_t there = 0;
        uint64_t here = 0;
        if (is_known(w, r, first, i ? a->c : a->b, &there, &here)) {
            const uint32_t bits = low_zeros(v, x);
            *other = x;
            *more = there - here;
            return bits >= 64 || (there | here) >> bits == 0;
        }
    }
    return 0;
}

/* How much more a value is for a runner than for the first. */
/* NOLINTNEXTLINE(misc-no-recursion): deep */
static int changes(whole *w, const ptx_mma_runner *r, const ptx_mma_runner *first, ptx_value value,
                   int deep, uint64_t *out) {
    ptx_forms *forms = &w->part->p->v->forms;
    const ptx_form f = forms->form[value];
    *out = 0;
    for (uint32_t i = 0; i < f.terms; i++) {
        const ptx_atom a = forms->atom[f.term[i].atom];
        const ptx_value one = ptx_form_atom(forms, f.term[i].atom, f.bits);
        const ptx_condition as = {.key = one};
        ptx_value other = PTX_UNKNOWN;
        uint64_t there = 0;
        uint64_t here = 0;
        if (is_known(w, r, first, one, &there, &here)) {
            *out += f.term[i].times * (there - here);
        } else if (deep && adds(w, r, first, &a, &other, &here)) {
            if (!changes(w, r, first, other, deep - 1, &there)) {
                return 0;
            }
            *out += f.term[i].times * (there + here);
        } else if (r->cta) {
            w->assumed |= a.kind != PTX_ATOM_PARAMETER;
        } else if (ptx_condition_hangs(w->part->p, &as) != PTX_HANGS_UNIFORM) {
            return 0;
        }
    }
    return 1;
}

/* A coordinate less that of the first copy: a for this runner less b for the first one. */
static int apart(whole *w, const ptx_mma_runner *r, const ptx_mma_runner *first, const ptx_act *act,
                 const tma_ptx_operand *coord, uint32_t i, int64_t *delta) {
    ptx_values *v = w->part->p->v;
    const ptx_graph *g = v->g;
    const ptx_value a = ptx_value_at(v, &g->step[act->step], coord);
    const ptx_value b = ptx_value_at(v, &g->step[w->part->copy->step], &w->site->s.coord[i]);
    uint64_t of_a = 0;
    uint64_t of_b = 0;
    uint32_t ignored = 0;
    if (a == PTX_UNKNOWN || b == PTX_UNKNOWN) {
        return 0;
    }
    if (value_for(w->part, r, a, &of_a, &ignored) &&
        value_for(w->part, first, b, &of_b, &ignored)) {
        *delta = (int32_t)(uint32_t)(of_a - of_b);
        return 1;
    }
    of_a = 0;
    if (!value_for(w->part, first, ptx_form_sum(&v->forms, a, b, UINT64_MAX), &of_b, &ignored) ||
        (!is_first(r) && !changes(w, r, first, a, MOST_DEEP, &of_a))) {
        return 0;
    }
    *delta = (int32_t)(uint32_t)(of_a + of_b);
    return 1;
}

/* Dimensions from one to another as one index: only the outermost that has several may differ. */
static int flatten(const tma_spec *spec, const int64_t *delta, uint32_t from, uint32_t to,
                   int64_t *out) {
    int64_t inner = 1;
    int64_t sum = 0;
    for (uint32_t i = from; i < to; i++) {
        if (sum && (delta[i] || spec->box_el[i] > 1)) {
            return 0;
        }
        sum += delta[i] * inner;
        inner *= spec->box_el[i];
    }
    *out = sum;
    return sum > -MOST_APART && sum < MOST_APART;
}

/* Where the box stands in the tile, counted from the first one's. */
static int offset_of(const whole *w, const int64_t *delta, tma_mma_placed *out) {
    const tma_spec *spec = &w->spec;
    const uint32_t panels = spec->rank - w->part->panel_dims;
    int64_t row = 0;
    int64_t panel = 0;
    if (!flatten(spec, delta, 1, panels, &row) ||
        !flatten(spec, delta, panels, spec->rank, &panel) || (panel && delta[0]) ||
        delta[0] <= -MOST_APART || delta[0] >= MOST_APART) {
        return 0;
    }
    const int64_t major = delta[0] + panel * (int64_t)spec->box_el[0];
    if (major <= -MOST_APART || major >= MOST_APART) {
        return 0;
    }
    const int by_k = w->part->operand->major == TMA_MMA_K_MAJOR;
    out->mn = (uint32_t)(MIDDLE + (by_k ? row : major));
    out->k = (uint32_t)(MIDDLE + (by_k ? major : row));
    return 1;
}

/* Whether the box has something of the operand. */
static int is_of_operand(const whole *w, const tma_mma_placed *one) {
    const tma_mma_operand *o = w->part->operand;
    const uint32_t mn = MIDDLE + w->part->begin[0];
    const uint32_t k = MIDDLE + w->part->begin[1];
    const uint32_t k_el = o->k_el ? o->k_el : tma_mma_type_at(o->type)->k_el;
    return one->mn < mn + o->mn_el && mn < one->mn + w->box.mn_el && one->k < k + k_el &&
           k < one->k + w->box.k_el;
}

static void add(whole *w, const tma_mma_placed *one) {
    for (uint32_t i = 0; i < w->count; i++) {
        const tma_mma_placed *p = &w->placed[i];
        if (p->shared_address == one->shared_address && p->mn == one->mn && p->k == one->k) {
            return;
        }
    }
    if (w->count < TMA_MMA_PLACED) {
        w->placed[w->count++] = *one;
    } else {
        w->is_lost = 1;
    }
}

/* By name, where --map says that all maps are alike. */
static int is_same_map(const ptx_site *a, const ptx_site *b) {
    return a->layout == b->layout && a->map.kind == b->map.kind &&
           a->map.variable == b->map.variable && a->map.added == b->map.added &&
           ptx_same(a->map.name, b->map.name);
}

static void take(whole *w, const ptx_act *act, const ptx_mma_runner *r,
                 const ptx_mma_runner *first) {
    const ptx_mma_part *m = w->part;
    const ptx_site *site = ptx_mma_site(m->p, act);
    int64_t delta[TMA_MAX_RANK] = {0};
    uint64_t tile = 0;
    uint32_t variable = PTX_NONE;
    tma_mma_placed one = {0};
    if (!site || !is_same_map(site, w->site) || site->s.coords != w->site->s.coords ||
        site->s.in.mode != TMA_MODE_TILE || !value_for(m, r, act->at, &tile, &variable) ||
        variable != m->variable) {
        return;
    }
    if (r->cta && !ptx_mma_sends(m->p, r, act)) {
        return;
    }
    if (!is_first(r) && !runs(m, r, first, act)) {
        return;
    }
    for (uint32_t i = 0; i < w->spec.rank; i++) {
        if (!apart(w, r, first, act, &site->s.coord[i], i, &delta[i])) {
            return;
        }
    }
    one.shared_address = (uint32_t)tile;
    if (offset_of(w, delta, &one) && is_of_operand(w, &one)) {
        add(w, &one);
    }
}

/* All that run a copy, and what they write of the operand. */
static void take_all(whole *w, const ptx_act *act, uint32_t warps) {
    const int is_multicast = (act->traits & PTX_TO_CLUSTER) != 0;
    const ptx_mma_runner first = ptx_mma_runner_of(w->part->p, w->part->turn, 0, 0, 0);
    for (uint32_t i = 0; i < warps; i++) {
        const ptx_mma_runner r = ptx_mma_runner_of(w->part->p, w->part->turn, i, 0, 0);
        take(w, act, &r, &first);
    }
    for (uint32_t i = 2; is_multicast && i < 2 * PTX_MMA_CTAS; i++) {
        const ptx_mma_runner r = ptx_mma_runner_of(w->part->p, w->part->turn, 0, i / 2, i % 2 != 0);
        take(w, act, &r, &first);
    }
}

static int begin(whole *w) {
    const ptx_mma_part *m = w->part;
    const tma_mma_tile alone = {.shared_address = m->tile, .panel_dims = m->panel_dims};
    tma_decoded map;
    w->site = ptx_mma_site(m->p, m->copy);
    if (!w->site || w->site->layout == PTX_NONE ||
        tma_decode(&map, m->p->r->given[w->site->layout].map.bytes) != TMA_OK ||
        map.spec.api != TMA_API_TILED || w->site->s.in.mode != TMA_MODE_TILE ||
        w->site->s.coords < map.spec.rank || m->panel_dims >= map.spec.rank) {
        return 0;
    }
    w->spec = map.spec;
    w->box = tma_mma_extent_of(&w->spec, &alone, m->operand);
    return 1;
}

uint32_t ptx_mma_whole(const ptx_mma_part *m, int *assumed) {
    whole w = {.part = m};
    const uint32_t threads = ptx_head_product(m->p, ".reqntid");
    const uint32_t most = threads ? threads : ptx_head_product(m->p, ".maxntid");
    const uint32_t warps = most / 32 < MOST_WARPS ? (most + 31) / 32 + !most : MOST_WARPS;
    tma_mma_difference said;
    if (!begin(&w)) {
        return 0;
    }
    for (uint32_t i = 0; i < m->p->acts; i++) {
        if (m->p->act[i].kind == PTX_ACT_LOAD) {
            take_all(&w, &m->p->act[i], warps);
        }
    }
    const tma_mma_tile tile = {
        .panel_dims = m->panel_dims, .placed_count = w.count, .placed = w.placed};
    *assumed = w.assumed;
    return w.count && !w.is_lost &&
                   tma_mma_compare(&said, m->descriptor, m->operand, &w.spec, &tile,
                                   MIDDLE + m->begin[0], MIDDLE + m->begin[1]) == TMA_OK &&
                   said.equal_el == said.all_el
               ? w.count
               : 0;
}
