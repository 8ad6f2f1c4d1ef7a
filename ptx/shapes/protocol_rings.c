/* SPDX-License-Identifier: Apache-2.0
 *
 * Rings of barriers, one for each stage, in pairs: full and empty. A turn of a loop that fills or
 * gives back more stages than it waits for on the other ring runs ahead: proxy-load, wait-missing.
 */
#include <string.h>

#include "protocol_shapes.h"

#define MOST_ROLES 32 /* rings of a kernel */
#define MOST_IN    32 /* stages in one turn */

typedef struct ring {
    ptx_reach is;
    uint32_t other; /* ring + 1 of the same stages; 0: not seen */
    int is_filled;  /* copies complete on it: arrivals there give no stage back */
} ring;

typedef struct ringer {
    ptx_protocol *p;
    ring ring[MOST_ROLES];
    uint32_t rings;
    uint8_t *of;     /* by act: ring + 1 */
    uint8_t *weight; /* by act: it counts in the loop that is looked at */
    uint8_t *mark;   /* by block */
    int8_t *best;    /* by block: by stages filled, most stages waited for, + 1 */
} ringer;

static int is_use(const ptx_act *a) {
    return a->kind == PTX_ACT_LOAD || a->kind == PTX_ACT_EXPECT ||
           (a->kind == PTX_ACT_ARRIVE && !(a->traits & PTX_MEETS));
}

static uint8_t ring_of(ringer *r, const ptx_act *a) {
    const ptx_reach *is = &a->reach;
    if ((!is_use(a) && a->kind != PTX_ACT_AWAIT) || is->base == PTX_UNKNOWN || !is->step) {
        return 0;
    }
    for (uint32_t i = 0; i < r->rings; i++) {
        const ptx_reach *at = &r->ring[i].is;
        if (at->base == is->base && at->low == is->low && at->high == is->high &&
            at->step == is->step) {
            return (uint8_t)(i + 1);
        }
    }
    if (!ptx_can_judge(r->p, PTX_BUDGET_ROLES, (uint64_t)r->rings + 1)) {
        return 0;
    }
    r->ring[r->rings++].is = *is;
    return (uint8_t)r->rings;
}

/* A barrier's address without what it is counted from. */
static ptx_value in_ring(const ringer *r, const ptx_act *a) {
    return ptx_form_sum(&r->p->v->forms, a->barrier, a->reach.base, UINT64_MAX);
}

/* Whether two acts are on the same stage of two rings of the same size. */
static int same_stage(const ringer *r, uint32_t a, uint32_t b) {
    const ptx_protocol *p = r->p;
    const ptx_reach *x = &p->act[a].reach;
    const ptx_reach *y = &p->act[b].reach;
    uint64_t apart = 0;
    return r->of[a] != r->of[b] && x->step == y->step && x->high - x->low == y->high - y->low &&
           ptx_form_apart(&p->v->forms, in_ring(r, &p->act[a]), in_ring(r, &p->act[b]), &apart) &&
           (int32_t)(uint32_t)apart == (int32_t)(x->low - y->low);
}

/* How well a ring fits another one: who uses one waits for the other and back, or one way alone; it
 * is the last one that is waited for before the other one is filled; it begins where the other
 * ends.
 */
static int fits(const ringer *r, const uint32_t *waits, const uint32_t *nearest, uint32_t a,
                uint32_t b) {
    const int there = waits[a] >> b & 1;
    const int back = waits[b] >> a & 1;
    const int is_nearest = nearest[a] == b + 1 || nearest[b] == a + 1;
    const int64_t apart = r->ring[a].is.low - r->ring[b].is.low;
    const int64_t size = r->ring[a].is.high - r->ring[a].is.low + (int64_t)r->ring[a].is.step;
    const int is_next =
        r->ring[a].is.base == r->ring[b].is.base && (apart == size || apart == -size);
    return there || back ? 1 + 2 * (there && back) + 2 * is_nearest + is_next : 0;
}

/* The ring + 1 whose same stage is waited for last on all ways to an act; 0: none is. */
static uint32_t nearest_to(const ringer *r, uint32_t act) {
    const ptx_protocol *p = r->p;
    const ptx_graph *g = p->v->g;
    const uint32_t to = ptx_act_block(p, &p->act[act]);
    uint32_t last = PTX_NONE;
    for (uint32_t i = 0; i < p->acts; i++) {
        const uint32_t block = ptx_act_block(p, &p->act[i]);
        if (r->of[i] && p->act[i].kind == PTX_ACT_AWAIT && same_stage(r, act, i) &&
            (block == to ? i < act : ptx_dominates(g, block, to)) &&
            (last == PTX_NONE ||
             g->node[block].order >= g->node[ptx_act_block(p, &p->act[last])].order)) {
            last = i;
        }
    }
    return last == PTX_NONE ? 0 : r->of[last];
}

/* By ring that copies fill: the one that is waited for last before each of them, + 1. Where it is
 * so of two rings it tells nothing. */
static void take_nearest(const ringer *r, uint32_t *nearest) {
    uint32_t of[MOST_ROLES] = {0};
    for (uint32_t i = 0; i < r->p->acts; i++) {
        if (r->of[i] && r->p->act[i].kind == PTX_ACT_LOAD) {
            uint32_t *is = &of[r->of[i] - 1];
            const uint32_t one = nearest_to(r, i);
            *is = !*is || *is == one ? one : (uint32_t)PTX_NONE;
        }
    }
    for (uint32_t a = 0; a < r->rings; a++) {
        int is_alone = of[a] != PTX_NONE;
        for (uint32_t b = 0; b < r->rings; b++) {
            is_alone &= b == a || of[b] != of[a];
        }
        nearest[a] = is_alone ? of[a] : 0;
    }
}

static void pair_up(ringer *r) {
    uint32_t waits[MOST_ROLES] = {0}; /* by ring: on whose same stage a user waits */
    uint32_t nearest[MOST_ROLES] = {0};
    for (uint32_t i = 0; i < r->p->acts; i++) {
        for (uint32_t k = 0; r->of[i] && is_use(&r->p->act[i]) && k < r->p->acts; k++) {
            if (r->of[k] && r->p->act[k].kind == PTX_ACT_AWAIT && same_stage(r, i, k)) {
                waits[r->of[i] - 1] |= UINT32_C(1) << (r->of[k] - 1);
            }
        }
    }
    take_nearest(r, nearest);
    for (uint32_t a = 0; a < r->rings; a++) {
        int best = 0;
        for (uint32_t b = 0; b < r->rings; b++) {
            const int fit = b == a ? 0 : fits(r, waits, nearest, a, b);
            r->ring[a].other = fit > best ? b + 1 : r->ring[a].other;
            best = fit > best ? fit : best;
        }
    }
}

/* --- one loop, one pair --- */

typedef struct pair_in {
    uint32_t loop, uses, waits; /* rings + 1 */
    int gives; /* the uses are arrivals; else copies and what they are expected by */
} pair_in;

static int takes_part(const ringer *r, const pair_in *in, uint32_t act) {
    const ptx_act *a = &r->p->act[act];
    return (a->kind == PTX_ACT_AWAIT && r->of[act] == in->waits) ||
           (is_use(a) && r->of[act] == in->uses && (a->kind == PTX_ACT_ARRIVE) == in->gives);
}

/* Whether an act on the same barrier counts already. */
static int is_weighed(const ringer *r, uint32_t act) {
    const ptx_act *a = &r->p->act[act];
    for (uint32_t k = 0; k < r->p->acts; k++) {
        if (r->weight[k] && r->p->act[k].barrier == a->barrier &&
            (r->p->act[k].kind == PTX_ACT_AWAIT) == (a->kind == PTX_ACT_AWAIT)) {
            return 1;
        }
    }
    return 0;
}

/* Whether all acts of a pair are in the loop itself or outside of it; *spins: some wait there waits
 * to the end. */
static int is_flat(const ringer *r, const pair_in *in, int *spins) {
    const ptx_protocol *p = r->p;
    *spins = 0;
    for (uint32_t i = 0; i < p->acts; i++) {
        const uint32_t loop = takes_part(r, in, i) ? ptx_act_loop(p, &p->act[i]) : PTX_NONE;
        if (loop != PTX_NONE && ptx_loop_in_loop(p->v->g, loop, in->loop)) {
            if (loop != in->loop) {
                return 0;
            }
            *spins |= p->act[i].kind == PTX_ACT_AWAIT && p->act[i].traits & PTX_SPINS;
        }
    }
    return 1;
}

static int expects_in(const ringer *r, const pair_in *in) {
    for (uint32_t i = 0; i < r->p->acts; i++) {
        const ptx_act *a = &r->p->act[i];
        if (a->kind == PTX_ACT_EXPECT && takes_part(r, in, i) &&
            ptx_act_loop(r->p, a) == in->loop) {
            return 1;
        }
    }
    return 0;
}

/* Which acts count: one of each barrier that is used in each turn, the first wait for each (none
 * where no one waits to the end). 0: a barrier is used in some turns only, or none is. Where a
 * stage's bytes are expected, its copies are not counted: a compiler may spell their barrier in
 * another way, (k << 4) & 16 and (k & 1) << 4. */
static int weigh(ringer *r, const pair_in *in) {
    const ptx_protocol *p = r->p;
    const int expects = expects_in(r, in);
    int spins = 0;
    int uses = 0;
    int copies = in->gives; /* who expects bytes need not be who copies */
    memset(r->weight, 0, p->acts);
    if (!is_flat(r, in, &spins)) {
        return 0;
    }
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        const int waits = a->kind == PTX_ACT_AWAIT;
        if (!waits && takes_part(r, in, i) && ptx_act_loop(p, a) == in->loop &&
            !ptx_value_moves(p, a->barrier, in->loop)) {
            return 0; /* parts of one stage */
        }
        if (takes_part(r, in, i) && ptx_act_loop(p, a) == in->loop && !is_weighed(r, i) &&
            !(expects && a->kind == PTX_ACT_LOAD) &&
            (waits ? spins : ptx_is_in_each_turn(p, p->v->g->step[a->step].block, in->loop))) {
            r->weight[i] = 1;
            uses += !waits;
        }
    }
    for (uint32_t i = 0; i < p->acts; i++) {
        if (takes_part(r, in, i) && p->act[i].kind != PTX_ACT_AWAIT &&
            ptx_act_loop(p, &p->act[i]) == in->loop) {
            if (!is_weighed(r, i) && !(expects && p->act[i].kind == PTX_ACT_LOAD)) {
                return 0;
            }
            copies |= p->act[i].kind == PTX_ACT_LOAD;
        }
    }
    return uses > 0 && uses < MOST_IN && copies;
}

/* What a block adds to each number of uses. */
static void past_block(const ringer *r, uint32_t block, int8_t *best) {
    const ptx_protocol *p = r->p;
    for (uint32_t i = p->first[block]; i < p->first[block + 1]; i++) {
        if (!r->weight[i]) {
            continue;
        }
        if (p->act[i].kind != PTX_ACT_AWAIT) {
            for (uint32_t k = MOST_IN; k-- > 0;) {
                best[k] = k ? best[k - 1] : (int8_t)0;
            }
            continue;
        }
        for (uint32_t k = 0; k < MOST_IN; k++) {
            best[k] = (int8_t)(best[k] + (best[k] && best[k] < INT8_MAX));
        }
    }
}

/* The most stages used in one turn, and the most that are waited for with so many. */
static int turn(const ringer *r, uint32_t loop, int *waits) {
    const ptx_graph *g = r->p->v->g;
    int uses = 0;
    *waits = 0;
    memset(r->best, 0, (size_t)g->nodes * MOST_IN);
    r->best[(size_t)g->loop[loop].head * MOST_IN] = 1;
    for (uint32_t i = g->node[g->loop[loop].head].order; i < g->reached; i++) {
        const uint32_t block = g->ordered[i];
        int8_t best[MOST_IN];
        if (!ptx_block_in_loop(g, block, loop)) {
            continue;
        }
        memcpy(best, &r->best[(size_t)block * MOST_IN], MOST_IN);
        past_block(r, block, best);
        for (uint32_t k = 0; k < g->node[block].outs; k++) {
            const uint32_t to = g->out[g->node[block].first_out + k];
            if (k < 2 && !(r->p->can_branch[block] >> k & 1)) {
                continue;
            }
            for (int n = 0; n < MOST_IN; n++) {
                int8_t *there = &r->best[(size_t)to * MOST_IN + (size_t)n];
                if (to == g->loop[loop].head && best[n] &&
                    (n > uses || (n == uses && best[n] - 1 > *waits))) {
                    *waits = best[n] - 1;
                    uses = n;
                } else if (g->node[to].order > i && best[n] > *there) {
                    *there = best[n];
                }
            }
        }
    }
    return uses;
}

/* Of those that count; *before: the one before it, or NULL. */
static const ptx_act *last_use(const ringer *r, const ptx_act **before) {
    const ptx_act *last = NULL;
    *before = NULL;
    for (uint32_t i = 0; i < r->p->acts; i++) {
        if (r->weight[i] && r->p->act[i].kind != PTX_ACT_AWAIT) {
            *before = last;
            last = &r->p->act[i];
        }
    }
    return last;
}

static void check_pair(ringer *r, const pair_in *in) {
    const ptx_act *before = NULL;
    int waits = 0;
    if (!weigh(r, in)) {
        return;
    }
    const int uses = turn(r, in->loop, &waits);
    const ptx_act *use = uses > waits ? last_use(r, &before) : NULL;
    if (!use || (!waits && ptx_loop_is_told(r->p, in->loop, r->of, in->waits)) ||
        ptx_loop_is_said(r->p, in->gives ? PTX_RULE_WAIT_MISSING : PTX_RULE_PROXY_LOAD, in->loop) ||
        (!in->gives &&
         ptx_comes_to_each_once(r->p, ptx_act_block(r->p, use), in->loop, in->loop, &use->reach))) {
        return;
    }
    const int line = ptx_loop_line(r->p, in->loop);
    if (in->gives) {
        ptx_protocol_say_turns(
            r->p, in->loop, PTX_RULE_WAIT_MISSING, 0, use, before,
            "each turn of the loop at line %d gives %d stage%s of this ring back and "
            "waits for %d: the bytes of one may not be there when they are read (if "
            "the loop comes back to the stage). Put mbarrier.try_wait.parity on each "
            "stage's full barrier in a loop before it is read",
            line, uses, uses == 1 ? "" : "s", waits);
    } else {
        ptx_protocol_say_turns(
            r->p, in->loop, PTX_RULE_PROXY_LOAD, 0, use, before,
            "each turn of the loop at line %d fills %d stage%s of this ring and waits "
            "for %d to be given back: one may still be read when it is overwritten "
            "(if the loop comes back to the stage). Put a wait for each stage's empty "
            "barrier before it is filled",
            line, uses, uses == 1 ? "" : "s", waits);
    }
}

/* --- a stage that is read after it was given back --- */

/* Where the ways of a thread part from those of the others that do not run an act: the block that
 * all of them come past. */
static uint32_t parting(const ptx_protocol *p, const ptx_act *act) {
    const ptx_graph *g = p->v->g;
    uint32_t block = g->step[act->step].block;
    for (uint32_t guard = p->guard_of[block]; guard != PTX_NONE && block;) {
        const ptx_hangs on = ptx_condition_hangs(p, &p->guard[guard].is);
        const uint32_t before = g->node[block].dominator;
        if ((on != PTX_HANGS_ONE_THREAD && on != PTX_HANGS_THREAD) ||
            g->node[before].loop != g->node[block].loop) {
            break;
        }
        block = before;
        if (p->guard_of[block] != guard) {
            break;
        }
    }
    return block;
}

/* Whether one act is behind another in the same turn of the same loop, on each way, or in a loop in
 * that one; `before` may be some threads' alone. */
static int is_behind(const ringer *r, uint32_t act, uint32_t before) {
    const ptx_protocol *p = r->p;
    const ptx_graph *g = p->v->g;
    const uint32_t a = g->step[p->act[before].step].block;
    const uint32_t b = g->step[p->act[act].step].block;
    const uint32_t loop = g->node[a].loop;
    const int is_in = g->node[b].loop == loop || ptx_block_in_loop(g, b, loop);
    if (a == b || !is_in || ptx_dominates(g, a, b)) {
        return a == b ? before < act : is_in;
    }
    const uint32_t parts = parting(p, &p->act[before]);
    if (parts == b || !ptx_dominates(g, parts, b)) {
        return 0;
    }
    ptx_blocks_in_turn(p, r->mark, a, loop, 0);
    return r->mark[b];
}

static int has_term(const ptx_form *f, uint32_t atom) {
    uint32_t i = 0;
    while (i < f->terms && f->term[i].atom != atom) {
        i++;
    }
    return i < f->terms;
}

/* Whether an address is made of the stage of a barrier: of all its values that are no base, and of
 * no other one that the same loop makes, which would be another stage. */
static int has_stage(const ptx_protocol *p, ptx_value address, const ptx_act *barrier) {
    const ptx_form *f = &p->v->forms.form[address];
    const ptx_form *s = &p->v->forms.form[barrier->barrier];
    const ptx_atom *atom = p->v->forms.atom;
    const uint32_t loop = ptx_act_loop(p, barrier);
    int has = address != PTX_UNKNOWN;
    int stages = 0;
    for (uint32_t i = 0; i < s->terms && has; i++) {
        const int is_base = atom[s->term[i].atom].loop == PTX_NONE;
        has = is_base || has_term(f, s->term[i].atom);
        stages += !is_base;
    }
    for (uint32_t i = 0; i < f->terms && has; i++) {
        const uint32_t made = atom[f->term[i].atom].loop;
        has = made == PTX_NONE || made != loop || has_term(s, f->term[i].atom);
    }
    return has && stages;
}

/* Whether an address lies in the ring of tiles that copies on a ring of barriers fill. */
static int is_filled_by(const ringer *r, const ptx_reach *at, uint32_t ring) {
    for (uint32_t i = 0; i < r->p->acts; i++) {
        if (r->p->act[i].kind == PTX_ACT_LOAD && r->of[i] == ring) {
            const ptx_reach tile = ptx_reach_of(r->p, r->p->act[i].at);
            if (tile.base != PTX_UNKNOWN && tile.base == at->base && at->low >= tile.low &&
                at->low < tile.low + (int64_t)tile.step) {
                return 1;
            }
        }
    }
    return 0;
}

static void check_given_back(ringer *r, uint32_t arrive) {
    ptx_protocol *p = r->p;
    const ptx_act *back = &p->act[arrive];
    const uint32_t full = r->of[arrive] ? r->ring[r->of[arrive] - 1].other : 0;
    if (!full || back->kind != PTX_ACT_ARRIVE ||
        ptx_loop_is_said(p, PTX_RULE_PROXY_LOAD, ptx_act_loop(p, back))) {
        return;
    }
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *read = &p->act[i];
        if (read->kind != PTX_ACT_READ || !is_behind(r, i, arrive) ||
            !has_stage(p, read->at, back)) {
            continue;
        }
        const ptx_reach at = ptx_reach_of(p, read->at);
        if (is_filled_by(r, &at, full)) {
            ptx_protocol_say(p, PTX_RULE_PROXY_LOAD, 0, back, read,
                             "gives its stage back, and line %d reads the stage behind it: the "
                             "next load may have overwritten it. Arrive behind line %d, and "
                             "behind all other reads of the stage",
                             ptx_act_line(p, read), ptx_act_line(p, read));
            return;
        }
    }
}

void ptx_rings_check(ptx_protocol *p) {
    const ptx_graph *g = p->v->g;
    ringer r = {.p = p};
    const uint64_t asked = (uint64_t)p->many[PTX_ACT_LOAD] + p->many[PTX_ACT_EXPECT] +
                           p->many[PTX_ACT_ARRIVE] + p->many[PTX_ACT_AWAIT];
    if (!p->many[PTX_ACT_LOAD] || !p->many[PTX_ACT_AWAIT] || p->many[PTX_ACT_CALL] ||
        !ptx_can_judge(p, PTX_BUDGET_RINGS, asked * p->acts * (g->loops + 1))) {
        return;
    }
    r.of = ptx_memory_take(p->memory, (size_t)p->acts + 1, 1);
    r.weight = ptx_memory_take(p->memory, (size_t)p->acts + 1, 1);
    r.best = ptx_memory_take(p->memory, ((size_t)g->nodes + 1) * MOST_IN, 1);
    for (uint32_t i = 0; r.of && i < p->acts; i++) {
        r.of[i] = ring_of(&r, &p->act[i]);
    }
    r.mark = ptx_memory_take(p->memory, (size_t)g->nodes + 1, 1);
    if (!r.of || !r.weight || !r.best || !r.mark) {
        return;
    }
    ptx_stages_check(p);
    pair_up(&r);
    for (uint32_t i = 0; i < p->acts; i++) {
        check_given_back(&r, i);
    }
    for (uint32_t i = 0; i < p->acts; i++) {
        if (p->act[i].kind == PTX_ACT_LOAD && r.of[i]) {
            r.ring[r.of[i] - 1].is_filled = 1;
        }
    }
    for (uint32_t loop = 0; loop < g->loops; loop++) {
        for (uint32_t i = 0; i < 2 * r.rings; i++) {
            const pair_in in = {loop, i / 2 + 1, r.ring[i / 2].other, i & 1};
            if (in.waits && !(in.gives && r.ring[i / 2].is_filled)) {
                check_pair(&r, &in);
            }
        }
    }
}
