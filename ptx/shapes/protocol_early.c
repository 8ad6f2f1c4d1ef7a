/* SPDX-License-Identifier: Apache-2.0
 *
 * proxy-load: a stage that an MMA may still read is given back, or loaded over: no
 * wgmma.wait_group and no wait for a tcgen05.commit between. All of it is "may".
 */
#include <string.h>

#include "protocol_shapes.h"

#define NO_WAY 255
#define MOST   200 /* groups that are counted */

/* Where an act's bytes begin for the first thread in the first turns of all loops. */
typedef struct place {
    uint32_t variable; /* PTX_NONE: it is not known */
    uint32_t at;
} place;

typedef struct early {
    ptx_protocol *p;
    place *place; /* by act */
    uint8_t
        *groups; /* by block: committed behind the MMA on the way with most of them, or NO_WAY */
    uint8_t *is_done;    /* by block: on some way the MMA is known to be done */
    const uint8_t *ends; /* by act: a wait for a barrier that tcgen05.commit arrives on */
} early;

static int is_opcode(const ptx_protocol *p, const ptx_act *a, const char *begins) {
    return ptx_begins(ptx_step_opcode(p->v->g, a->step), begins);
}

static void take_places(const early *r) {
    const ptx_protocol *p = r->p;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        const int is_fetch = a->kind == PTX_ACT_FETCH;
        const ptx_value value = is_fetch ? a->number : a->at;
        ptx_first t = {.p = p, .around = PTX_NONE, .address = PTX_PLACE_B, .first_cta = 1};
        uint64_t bits = 0;
        r->place[i].variable = PTX_NONE;
        t.variable = is_fetch || a->kind == PTX_ACT_LOAD ? ptx_shared_variable(p->v, value)
                                                         : (uint32_t)PTX_NONE;
        if (t.variable != PTX_NONE && ptx_value_first(&t, value, &bits)) {
            r->place[i] =
                (place){t.variable, is_fetch ? ptx_descriptor_place(bits) : (uint32_t)bits};
        }
    }
}

/* The copy that brings what an MMA reads: the last one that begins at or before it. */
static const ptx_act *copy_of(const early *r, uint32_t fetch) {
    uint32_t best = PTX_NONE;
    const place *f = &r->place[fetch];
    for (uint32_t i = 0; f->variable != PTX_NONE && i < r->p->acts; i++) {
        const place *l = &r->place[i];
        if (r->p->act[i].kind == PTX_ACT_LOAD && l->variable == f->variable && l->at <= f->at &&
            (best == PTX_NONE || l->at > r->place[best].at ||
             (l->at == r->place[best].at && r->p->act[best].reach.base == PTX_UNKNOWN))) {
            best = i;
        }
    }
    return best == PTX_NONE ? NULL : &r->p->act[best];
}

static int same_ring(const ptx_reach *x, const ptx_reach *y) {
    return x->base != PTX_UNKNOWN && x->base == y->base && x->low == y->low && x->high == y->high &&
           x->step == y->step;
}

/* Whether two barriers are those of one stage: as far into rings of one size. */
static int same_stage(const ptx_protocol *p, const ptx_act *a, const ptx_act *b) {
    ptx_forms *forms = &p->v->forms;
    const ptx_reach *x = &a->reach;
    const ptx_reach *y = &b->reach;
    uint64_t apart = 0;
    if (x->base == PTX_UNKNOWN || y->base == PTX_UNKNOWN || x->step != y->step ||
        x->high - x->low != y->high - y->low) {
        return 0;
    }
    const ptx_value in_x = ptx_form_sum(forms, a->barrier, x->base, UINT64_MAX);
    const ptx_value in_y = ptx_form_sum(forms, b->barrier, y->base, UINT64_MAX);
    return ptx_form_apart(forms, in_x, in_y, &apart) &&
           (int32_t)(uint32_t)apart == (int32_t)(x->low - y->low);
}

/* Whether `a` comes before `b` in one turn: on all ways, or in the order of blocks. */
static int is_before(const ptx_protocol *p, const ptx_act *a, const ptx_act *b) {
    const uint32_t x = p->v->g->node[ptx_act_block(p, a)].order;
    const uint32_t y = p->v->g->node[ptx_act_block(p, b)].order;
    return x == y ? a < b : x < y;
}

/* Whether who fills a stage waits for it to be given back by an arrival: of barriers that stay, the
 * last one that is waited for before the copy. */
static int is_empty_of(const ptx_protocol *p, const ptx_act *arrive, const ptx_act *load) {
    const ptx_act *last = NULL;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *w = &p->act[i];
        if (w->kind != PTX_ACT_AWAIT || ptx_act_loop(p, w) != ptx_act_loop(p, load) ||
            !is_before(p, w, load) || ptx_barriers_alike(p, w, load) != PTX_DIFFERENT) {
            continue;
        }
        if (w->reach.step && same_stage(p, w, load) && same_ring(&w->reach, &arrive->reach)) {
            return 1;
        }
        last = !last || is_before(p, last, w) ? w : last;
    }
    return last && !arrive->reach.step && !load->reach.step &&
           ptx_barriers_alike(p, last, arrive) == PTX_EQUAL;
}

/* Behind an MMA: groups committed on the way with most of them, and whether it is known to be done
 * on some way. */
typedef struct way {
    uint8_t groups, is_done;
} way;

/* What a block does to an MMA's groups, from an act on up to another one. */
static void past_acts(const early *r, uint32_t begin, uint32_t end, uint8_t *groups,
                      uint8_t *is_done) {
    const ptx_protocol *p = r->p;
    for (uint32_t i = begin; i < end; i++) {
        const ptx_act *a = &p->act[i];
        uint64_t number = 0;
        if (a->kind == PTX_ACT_MMA_COMMIT) {
            *groups += *groups < MOST;
        } else if (a->kind == PTX_ACT_MMA_WAIT) {
            *is_done |= !ptx_value_number(p->v, a->number, &number) || number < *groups;
        } else if (a->kind == PTX_ACT_CALL || r->ends[i]) {
            *is_done = 1;
        }
    }
}

/* From an act in a block on to all that comes behind it in the same turn. */
static void follow(const early *r, uint32_t from, uint32_t act, way begin) {
    const ptx_protocol *p = r->p;
    const ptx_graph *g = p->v->g;
    memset(r->groups, NO_WAY, g->nodes);
    memset(r->is_done, 0, g->nodes);
    r->groups[from] = begin.groups;
    r->is_done[from] = begin.is_done;
    for (uint32_t i = g->node[from].order; i < g->reached; i++) {
        const uint32_t block = g->ordered[i];
        uint8_t groups = r->groups[block];
        uint8_t is_done = r->is_done[block];
        if (groups == NO_WAY) {
            continue;
        }
        past_acts(r, block == from ? act : p->first[block], p->first[block + 1], &groups, &is_done);
        for (uint32_t k = 0; k < g->node[block].outs; k++) {
            const uint32_t to = g->out[g->node[block].first_out + k];
            if (g->node[to].order > i && (k > 1 || p->can_branch[block] >> k & 1)) {
                const uint8_t there = r->groups[to];
                r->groups[to] = there == NO_WAY || groups > there ? groups : there;
                r->is_done[to] |= is_done;
            }
        }
    }
}

/* Whether an act is behind the MMA that was followed, and no way there knows that it is done. */
static int is_unfinished_at(const early *r, uint32_t mma, uint32_t act) {
    const ptx_protocol *p = r->p;
    const uint32_t block = ptx_act_block(p, &p->act[act]);
    const int is_own = mma != PTX_NONE && block == ptx_act_block(p, &p->act[mma]);
    uint8_t groups = r->groups[block];
    uint8_t is_done = r->is_done[block];
    if (groups == NO_WAY || (is_own && act < mma)) {
        return 0;
    }
    past_acts(r, is_own ? mma : p->first[block], act, &groups, &is_done);
    return !is_done;
}

/* Whether the last wait of a turn for a copy before an MMA is for the stage that an arrival in the
 * same turn gives back: behind the arrival it is for the stage's next bytes. */
static int is_waited_stage(const early *r, const ptx_act *load, const ptx_act *mma,
                           const ptx_act *arrive) {
    const ptx_protocol *p = r->p;
    const ptx_act *last = NULL;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *w = &p->act[i];
        if (w->kind == PTX_ACT_AWAIT && ptx_act_loop(p, w) == ptx_act_loop(p, arrive) &&
            is_before(p, w, mma) &&
            (same_ring(&w->reach, &load->reach) || ptx_barriers_alike(p, w, load) == PTX_EQUAL)) {
            last = !last || is_before(p, last, w) ? w : last;
        }
    }
    return last && same_stage(p, last, arrive) && is_before(p, last, arrive);
}

static void say(ptx_protocol *p, const ptx_act *arrive, const ptx_act *mma, int is_wgmma) {
    const int line = ptx_act_line(p, mma);
    ptx_protocol_say(p, PTX_RULE_PROXY_LOAD, 0, arrive, mma,
                     "gives a stage back that the MMA at line %d reads, and nothing says that it "
                     "is done: %s between. The next load may overwrite what is still read (if it "
                     "comes so soon). %s",
                     line,
                     is_wgmma ? "no wgmma.wait_group that covers it stands"
                              : "no wait for a tcgen05.commit stands",
                     is_wgmma ? "Put wgmma.wait_group before the arrival, or give back the stage "
                                "of an earlier MMA"
                              : "Give the stage back by tcgen05.commit on this barrier");
}

/* Whether an arrival is in the loop of an MMA or in one around it; in none, it is behind a loop
 * that a compiler unrolled, if its barrier is one of a ring. */
static int is_in_turn(const ptx_protocol *p, const ptx_act *arrive, const ptx_act *fetch) {
    const uint32_t loop = ptx_act_loop(p, arrive);
    const uint32_t inner = ptx_act_loop(p, fetch);
    return loop == PTX_NONE ? inner == PTX_NONE && arrive->reach.step
                            : inner != PTX_NONE && ptx_loop_in_loop(p->v->g, inner, loop);
}

/* An arrival of threads that gives back what an MMA of the same turn reads. */
static int check_arrivals(const early *r, uint32_t mma, uint32_t fetch, const ptx_act *load) {
    ptx_protocol *p = r->p;
    const int is_wgmma = is_opcode(p, &p->act[mma], "wgmma.");
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (a->kind == PTX_ACT_ARRIVE && !is_opcode(p, a, "tcgen05.") && !is_opcode(p, a, "cp.") &&
            is_in_turn(p, a, &p->act[fetch]) && is_unfinished_at(r, mma, i) &&
            is_waited_stage(r, load, &p->act[mma], a) && is_empty_of(p, a, load)) {
            say(p, a, &p->act[mma], is_wgmma);
            return 1;
        }
    }
    return 0;
}

/* tcgen05.commit, and behind it in the same turn an MMA that reads the same stage. */
static int check_commits(const early *r, uint32_t mma, const ptx_act *load) {
    ptx_protocol *p = r->p;
    for (uint32_t i = 0; i < mma; i++) {
        const ptx_act *a = &p->act[i];
        const ptx_act *m = &p->act[mma];
        if (a->kind != PTX_ACT_ARRIVE || !is_opcode(p, a, "tcgen05.commit") ||
            ptx_act_loop(p, a) != ptx_act_loop(p, m) || !is_before(p, a, m) ||
            !is_waited_stage(r, load, m, a) || !is_empty_of(p, a, load)) {
            continue;
        }
        ptx_protocol_say(p, PTX_RULE_PROXY_LOAD, 0, a, m,
                         "gives a stage back when the MMAs before it are done, and line %d reads "
                         "the same stage behind it: the next load may overwrite what is still "
                         "read (if it comes so soon). Put tcgen05.commit behind the last MMA of "
                         "the stage",
                         ptx_act_line(p, m));
        return 1;
    }
    return 0;
}

/* --- one place that is loaded again in the next turn --- */

/* What the ways back to a loop's head bring. 0: there are none. */
static int comes_back(const early *r, uint32_t mma, uint32_t loop, way *out) {
    const ptx_protocol *p = r->p;
    const ptx_graph *g = p->v->g;
    const uint32_t head = g->loop[loop].head;
    *out = (way){NO_WAY, 0};
    for (uint32_t i = 0; i < g->node[head].ins; i++) {
        const uint32_t from = g->in[g->node[head].first_in + i];
        if (g->node[from].order == PTX_NONE || r->groups[from] == NO_WAY ||
            !ptx_block_in_loop(g, from, loop)) {
            continue;
        }
        way one = {r->groups[from], r->is_done[from]};
        past_acts(r, from == ptx_act_block(p, &p->act[mma]) ? mma : p->first[from],
                  p->first[from + 1], &one.groups, &one.is_done);
        out->groups = out->groups == NO_WAY || one.groups > out->groups ? one.groups : out->groups;
        out->is_done |= one.is_done;
    }
    return out->groups != NO_WAY;
}

static int check_same_place(const early *r, uint32_t mma, uint32_t fetch, uint32_t load) {
    ptx_protocol *p = r->p;
    const ptx_act *m = &p->act[mma];
    const ptx_act *l = &p->act[load];
    const uint32_t loop = ptx_act_loop(p, l);
    way back;
    const ptx_value read = p->act[fetch].number;
    if (loop == PTX_NONE || ptx_act_loop(p, m) != loop || l->at == PTX_UNKNOWN ||
        read == PTX_UNKNOWN || ptx_value_moves(p, l->at, loop) || ptx_value_moves(p, read, loop) ||
        !comes_back(r, mma, loop, &back)) {
        return 0;
    }
    follow(r, p->v->g->loop[loop].head, p->first[p->v->g->loop[loop].head], back);
    if (!is_unfinished_at(r, PTX_NONE, load)) {
        return 0;
    }
    const int is_wgmma = is_opcode(p, m, "wgmma.");
    ptx_protocol_say(p, PTX_RULE_PROXY_LOAD, 0, l, m,
                     "loads over what the MMA at line %d reads in the turn before, and nothing "
                     "says that it is done: no %s stands on any way between (whether it is done by "
                     "then is not known). Put one before the threads meet",
                     ptx_act_line(p, m),
                     is_wgmma ? "wgmma.wait_group that covers it" : "wait for a tcgen05.commit");
    return 1;
}

static const uint8_t *take_ends(const ptx_protocol *p) {
    uint8_t *ends = ptx_memory_take(p->memory, (size_t)p->acts + 1, 1);
    for (uint32_t i = 0; ends && i < p->acts; i++) {
        for (uint32_t k = 0; k < p->acts && p->act[i].kind == PTX_ACT_AWAIT && !ends[i]; k++) {
            const ptx_act *a = &p->act[k];
            ends[i] = a->kind == PTX_ACT_ARRIVE && is_opcode(p, a, "tcgen05.commit") &&
                      ptx_barriers_alike(p, &p->act[i], a) != PTX_DIFFERENT;
        }
    }
    return ends;
}

void ptx_early_check(ptx_protocol *p) {
    const size_t acts = (size_t)p->acts + 1;
    const size_t nodes = (size_t)p->v->g->nodes + 1;
    early r = {.p = p};
    if (!p->many[PTX_ACT_LOAD] || !p->many[PTX_ACT_FETCH] ||
        !ptx_can_judge(p, PTX_BUDGET_EARLY, (uint64_t)p->acts * p->many[PTX_ACT_AWAIT]) ||
        !ptx_can_judge(p, PTX_BUDGET_EARLY_READS,
                       (uint64_t)p->many[PTX_ACT_FETCH] * (acts + nodes))) {
        return;
    }
    r.place = ptx_memory_take(p->memory, acts, sizeof(*r.place));
    r.groups = ptx_memory_take(p->memory, nodes, 1);
    r.is_done = ptx_memory_take(p->memory, nodes, 1);
    r.ends = take_ends(p);
    if (!r.place || !r.groups || !r.is_done || !r.ends) {
        return;
    }
    take_places(&r);
    uint32_t mma = PTX_NONE;
    int said = 0;
    for (uint32_t i = 0; i < p->acts && !said; i++) {
        const int is_fetch = p->act[i].kind == PTX_ACT_FETCH;
        mma = p->act[i].kind == PTX_ACT_MMA ? i : mma;
        const ptx_act *load = is_fetch && mma != PTX_NONE ? copy_of(&r, i) : NULL;
        if (load) {
            const uint32_t block = ptx_act_block(p, &p->act[mma]);
            follow(&r, block, mma, (way){0, 0});
            said = check_arrivals(&r, mma, i, load) ||
                   (is_opcode(p, &p->act[mma], "tcgen05.") && check_commits(&r, mma, load)) ||
                   check_same_place(&r, mma, i, (uint32_t)(load - p->act));
        }
    }
}
