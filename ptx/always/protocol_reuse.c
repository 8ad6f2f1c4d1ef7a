/* SPDX-License-Identifier: Apache-2.0
 *
 * store-reuse: shared memory that a bulk store still reads is written again, or the CTA ends.
 */
#include <string.h>

#include "ptx_protocol.h"

/* Forwards from the store: not committed, committed with so many groups behind it, waited for;
 * likewise, by one thread, and no barrier behind it. */
enum { OPEN_GROUP, GROUP, LAST_GROUP = GROUP + 7, WAITED, ALONE, PLANES };

typedef struct reuse_context {
    uint64_t waited;             /* on some way */
    uint64_t elected;            /* one thread alone copies */
    uint32_t write[64], end[64]; /* acts + 1 */
    uint32_t raced[64];          /* a write that nothing keeps behind the wait */
    uint32_t met[64];            /* a write of the same bytes, as far as is known, and no wait on
                                    any way there */
    uint8_t is_proved[64];
} reuse_context;

static void pass_wait(ptx_flood *f, const ptx_act *a, uint64_t *plane) {
    reuse_context *c = f->context;
    uint64_t allowed = 0;
    const uint64_t sure = ptx_flood_surely(f, a);
    if (!ptx_value_number(f->p->v, a->number, &allowed)) {
        allowed = 0;
    }
    for (uint32_t k = GROUP; k <= LAST_GROUP; k++) {
        if (k - GROUP >= allowed || k == LAST_GROUP) {
            const uint64_t bits = ptx_flood_bits(f, plane, k);
            c->waited |= bits;
            for (uint32_t i = 0; i < 2 * f->planes; i += f->planes) {
                plane[i + WAITED] |= plane[i + k] & ~c->elected;
                plane[i + ALONE] |= plane[i + k] & c->elected;
                plane[i + k] &= ~sure;
            }
        }
    }
}

/* What others may learn of a wait by. */
static int is_word(const ptx_act *a) {
    return a->kind == PTX_ACT_SYNC || a->kind == PTX_ACT_ARRIVE || a->kind == PTX_ACT_EXPECT ||
           a->kind == PTX_ACT_PEER;
}

static void pass_reuse(ptx_flood *f, uint32_t act, uint64_t *plane) {
    const ptx_act *a = &f->p->act[act];
    if (a->kind == PTX_ACT_COMMIT) {
        for (uint32_t k = LAST_GROUP; k > GROUP; k--) {
            ptx_flood_move(f, plane, k - 1, k, UINT64_MAX);
        }
        ptx_flood_move(f, plane, OPEN_GROUP, GROUP, UINT64_MAX);
    } else if (a->kind == PTX_ACT_WAIT_GROUP) {
        pass_wait(f, a, plane);
    } else if (is_word(a)) {
        ptx_flood_move(f, plane, ALONE, WAITED, UINT64_MAX); /* others may know of it */
    } else if (a->kind == PTX_ACT_CALL) {
        memset(plane, 0, 2 * (size_t)f->planes * sizeof(*plane));
    }
}

static uint64_t in_flight(const ptx_flood *f, const uint64_t *plane, int turned) {
    uint64_t bits = 0;
    for (uint32_t k = OPEN_GROUP; k <= LAST_GROUP; k++) {
        bits |= plane[k] | (turned ? plane[f->planes + k] : 0);
    }
    return bits;
}

/* Whether a write goes where a store reads, in whatever turn of loops, as far as is known. */
static int meets(const ptx_protocol *p, const ptx_act *write, const ptx_act *store) {
    return write->kind == PTX_ACT_WRITE && write->at != PTX_UNKNOWN && store->at != PTX_UNKNOWN &&
           ptx_is_constant(p->v, write->at) && ptx_is_constant(p->v, store->at) &&
           ptx_acts_meet_first(p, write, store);
}

static void hit_reuse(ptx_flood *f, uint32_t act, const uint64_t *plane) {
    reuse_context *c = f->context;
    const ptx_act *a = &f->p->act[act];
    const int writes = a->kind == PTX_ACT_WRITE || a->kind == PTX_ACT_LOAD;
    if (!writes && a->kind != PTX_ACT_END) {
        return;
    }
    const uint64_t alone = ptx_flood_bits(f, plane, ALONE);
    const uint64_t waited = ptx_flood_bits(f, plane, WAITED);
    const uint64_t bits = in_flight(f, plane, 1) & ~waited & ~alone;
    const uint64_t same = in_flight(f, plane, 0);
    const uint64_t raced = a->kind == PTX_ACT_WRITE ? plane[ALONE] & ~waited : 0;
    for (uint32_t i = 0; i < f->seeds; i++) {
        if ((raced >> i & 1) && !c->raced[i] && !ptx_act_is_elected(f->p, a) &&
            ptx_acts_overlap(f->p, a, &f->p->act[f->seed[i]]) == PTX_OVERLAPS) {
            c->raced[i] = act + 1;
        }
        if (!(bits >> i & 1) || c->is_proved[i]) {
            continue;
        }
        if (!writes) {
            c->end[i] = act + 1;
            continue;
        }
        const ptx_overlap overlap = ptx_acts_overlap(f->p, a, &f->p->act[f->seed[i]]);
        const int is_proved = overlap == PTX_OVERLAPS && (same >> i & 1);
        if ((is_proved && !c->is_proved[i]) ||
            (overlap != PTX_APART && a->kind == PTX_ACT_WRITE && !c->write[i])) {
            c->write[i] = act + 1;
            c->is_proved[i] = (uint8_t)is_proved;
        }
        if (overlap == PTX_OPEN && !c->met[i] && meets(f->p, a, &f->p->act[f->seed[i]])) {
            c->met[i] = act + 1;
        }
    }
}

static void begin_reuse(ptx_flood *f) {
    reuse_context *c = f->context;
    for (uint32_t i = 0; i < f->seeds; i++) {
        c->elected |= (uint64_t)ptx_act_is_elected(f->p, &f->p->act[f->seed[i]]) << i;
    }
}

static int is_collective(const ptx_protocol *p, const ptx_act *write) {
    return ptx_begins(ptx_step_opcode(p->v->g, write->step), "stmatrix.");
}

/* Waits for groups, and nothing in the kernel makes one. 0: it is not so. */
static int say_no_commit(ptx_protocol *p, const ptx_act *copy) {
    uint32_t i = 0;
    if (p->many[PTX_ACT_COMMIT] || !p->many[PTX_ACT_WAIT_GROUP] || p->many[PTX_ACT_CALL]) {
        return 0;
    }
    while (p->act[i].kind != PTX_ACT_WAIT_GROUP) {
        i++;
    }
    ptx_protocol_say(p, PTX_RULE_STORE_REUSE, 1, copy, &p->act[i],
                     "line %d waits for groups of copies, and no cp.async.bulk.commit_group is "
                     "in the kernel: it waits for nothing, and this copy may still be under way "
                     "after it. Put cp.async.bulk.commit_group after the copy",
                     ptx_act_line(p, &p->act[i]));
    return 1;
}

static void say_reuse(ptx_flood *f, uint32_t bit, const reuse_context *c) {
    ptx_protocol *p = f->p;
    const ptx_act *copy = &p->act[f->seed[bit]];
    const int never = !(c->waited >> bit & 1);
    if (say_no_commit(p, copy)) {
        return;
    }
    if (never && c->write[bit] && !c->is_proved[bit] && !p->many[PTX_ACT_WAIT_GROUP] &&
        ptx_rule_is_said(p, PTX_RULE_STORE_REUSE)) {
        return; /* nothing waits for any store: said of one, where nothing is proved */
    }
    const int is_met = !c->is_proved[bit] && !never && c->met[bit];
    if (is_met || (c->write[bit] && (c->is_proved[bit] || never))) {
        const ptx_act *write = &p->act[(is_met ? c->met[bit] : c->write[bit]) - 1];
        ptx_protocol_say(
            p, PTX_RULE_STORE_REUSE, c->is_proved[bit], copy, write,
            "line %d writes shared memory that this copy %s: no cp.async.bulk.wait_group that "
            "covers its group is on %s from here to there%s. Put "
            "cp.async.bulk.wait_group.read before line %d, in the thread that commits, and a "
            "barrier after it",
            ptx_act_line(p, write), c->is_proved[bit] ? "still reads" : "may still read",
            c->is_proved[bit] || is_met ? "any path" : "a path",
            c->is_proved[bit] ? "" : " (whether the bytes are the same is not known)",
            ptx_act_line(p, write));
    } else if (c->raced[bit]) {
        const ptx_act *write = &p->act[c->raced[bit] - 1];
        const int by_warp = is_collective(p, write); /* it keeps a warp together */
        ptx_protocol_say(p, PTX_RULE_STORE_REUSE, !by_warp, copy, write,
                         "line %d writes shared memory that this copy %s: the thread that copies "
                         "waits for its group, and no barrier orders other %s after that wait. Put "
                         "bar.sync between the wait and line %d",
                         ptx_act_line(p, write), by_warp ? "may still read" : "still reads",
                         by_warp ? "warps" : "threads", ptx_act_line(p, write));
    } else if (c->end[bit] && p->many[PTX_ACT_COMMIT]) {
        const ptx_act *end = &p->act[c->end[bit] - 1];
        ptx_protocol_say(p, PTX_RULE_STORE_REUSE, 0, copy, end,
                         "the CTA may end at line %d while this copy still reads its shared "
                         "memory: no cp.async.bulk.wait_group is on a path from here to there. "
                         "Put cp.async.bulk.wait_group.read 0 before the end, in the thread that "
                         "commits",
                         ptx_act_line(p, end));
    }
}

/* --- in the same turn of the loops around the store --- */

static void hit_in_turn(ptx_flood *f, uint32_t act, const uint64_t *plane) {
    reuse_context *c = f->context;
    const ptx_act *a = &f->p->act[act];
    const int writes = a->kind == PTX_ACT_WRITE || a->kind == PTX_ACT_LOAD;
    const uint64_t bits = in_flight(f, plane, 0) & ~plane[WAITED] & ~plane[ALONE];
    for (uint32_t i = 0; writes && bits && i < f->seeds; i++) {
        if (bits >> i & 1 && !c->is_proved[i] &&
            ptx_acts_overlap(f->p, a, &f->p->act[f->seed[i]]) == PTX_OVERLAPS) {
            c->write[i] = act + 1;
            c->is_proved[i] = 1;
        }
    }
}

static void end_in_turn(ptx_flood *f) {
    const reuse_context *c = f->context;
    for (uint32_t i = 0; i < f->seeds; i++) {
        if (c->is_proved[i] &&
            !ptx_act_is_said(f->p, &f->p->act[f->seed[i]], PTX_RULE_STORE_REUSE)) {
            say_reuse(f, i, c);
        }
    }
}

static void end_reuse(ptx_flood *f) {
    const reuse_context *c = f->context;
    for (uint32_t i = 0; i < f->seeds; i++) {
        say_reuse(f, i, c);
    }
}

/* --- a ring of stages, and a wait that leaves as many groups under way --- */

static uint32_t loop_of(const ptx_protocol *p, const ptx_act *a) {
    return p->v->g->node[p->v->g->step[a->step].block].loop;
}

/* A term of a form as "and" of a value and a number, both moved left by what it is multiplied with:
 * (x & 1) * 16 is (x * 16) & 16. 0: it is no such one. */
static int masked(const ptx_protocol *p, const ptx_form *f, uint32_t term, ptx_value of[2]) {
    ptx_forms *forms = &p->v->forms;
    const ptx_atom a = forms->atom[f->term[term].atom];
    const uint64_t times = f->term[term].times;
    if (times & (times - 1) || !ptx_begins(ptx_atom_opcode(p->v, &a), "and.")) {
        return 0;
    }
    const ptx_value none = ptx_form_number(forms, 0, a.bits);
    of[0] = ptx_form_sum(forms, none, a.b, times);
    of[1] = ptx_form_sum(forms, none, a.c, times);
    return of[0] != PTX_UNKNOWN && of[1] != PTX_UNKNOWN;
}

static int same_term(const ptx_protocol *p, const ptx_form *f, uint32_t i, const ptx_form *s,
                     uint32_t k) {
    ptx_value x[2];
    ptx_value y[2];
    return (f->term[i].atom == s->term[k].atom && f->term[i].times == s->term[k].times) ||
           (masked(p, f, i, x) && masked(p, s, k, y) && x[0] == y[0] && x[1] == y[1]);
}

/* Whether an address is made of the same stage of a loop, and of the same variable. */
static int has_stage(const ptx_protocol *p, ptx_value address, ptx_value stage, uint32_t loop) {
    const ptx_form f = p->v->forms.form[address];
    const ptx_form s = p->v->forms.form[stage];
    int has = address != PTX_UNKNOWN &&
              ptx_shared_variable(p->v, address) == ptx_shared_variable(p->v, stage);
    for (uint32_t i = 0; i < s.terms && has; i++) {
        const uint32_t made = p->v->forms.atom[s.term[i].atom].loop;
        int same = made == PTX_NONE || !ptx_loop_in_loop(p->v->g, made, loop);
        for (uint32_t k = 0; k < f.terms; k++) {
            same |= same_term(p, &f, k, &s, i);
        }
        has &= same;
    }
    return has;
}

/* Stages that the place of a store goes round in a loop. */
static uint64_t stages_of(const ptx_protocol *p, const ptx_act *store, uint32_t loop) {
    ptx_forms *forms = &p->v->forms;
    const ptx_form f = forms->form[store->at];
    ptx_value moves = ptx_form_number(forms, 0, f.bits);
    for (uint32_t i = 0; i < f.terms; i++) {
        const uint32_t made = forms->atom[f.term[i].atom].loop;
        if (made != PTX_NONE && ptx_loop_in_loop(p->v->g, made, loop)) {
            const ptx_value atom = ptx_form_atom(forms, f.term[i].atom, f.bits);
            moves = ptx_form_sum(forms, moves, atom, f.term[i].times);
        }
    }
    const ptx_reach ring = ptx_reach_of(p, moves);
    return ring.step ? (uint64_t)(ring.high - ring.low) / ring.step + 1 : 0;
}

/* Groups under way, as the store's thread knows, and as others do. */
#define MANY   200
#define NO_WAY 255
typedef struct under_way {
    uint8_t own, others;
} under_way;

typedef struct ring_of_stores {
    ptx_protocol *p;
    const ptx_act *store;
    uint32_t loop;
    uint64_t stages;
    uint32_t waits, other_waits; /* in the loop; by other threads */
    under_way *at;               /* by block */
} ring_of_stores;

static uint8_t least(uint8_t a, uint8_t b) {
    return a < b ? a : b;
}

/* What a block does to them, up to an act. */
static under_way past_acts(const ring_of_stores *r, uint32_t block, uint32_t end, under_way now) {
    for (uint32_t i = r->p->first[block]; i < end; i++) {
        const ptx_act *a = &r->p->act[i];
        const int is_group = a->kind == PTX_ACT_WAIT_GROUP || a->kind == PTX_ACT_COMMIT;
        uint64_t number = 0;
        if (is_group && ptx_acts_exclude(r->p, a, r->store)) {
            continue;
        }
        if (a->kind == PTX_ACT_WAIT_GROUP) {
            number = ptx_value_number(r->p->v, a->number, &number) ? number : 0;
            now.own = least(now.own, (uint8_t)(number < MANY ? number : MANY));
        } else if (a->kind == PTX_ACT_COMMIT) {
            now.own = least((uint8_t)(now.own + 1), MANY);
            now.others = least((uint8_t)(now.others + 1), MANY);
        } else if (is_word(a)) {
            now.others = least(now.others, now.own);
        }
    }
    return now;
}

/* One walk over a turn's blocks in their order, and back to the heads of the loops in it; whether
 * a way leaves less than was known. */
static int walk_turn(const ring_of_stores *r, under_way *round) {
    const ptx_graph *g = r->p->v->g;
    const uint32_t head = g->loop[r->loop].head;
    int again = 0;
    for (uint32_t i = g->node[head].order; i < g->reached; i++) {
        const uint32_t block = g->ordered[i];
        if (r->at[block].own == NO_WAY || !ptx_block_in_loop(g, block, r->loop)) {
            continue;
        }
        const under_way now = past_acts(r, block, r->p->first[block + 1], r->at[block]);
        for (uint32_t k = 0; k < g->node[block].outs; k++) {
            const uint32_t to = g->out[g->node[block].first_out + k];
            under_way *there = to == head ? round : &r->at[to];
            const under_way less = {least(there->own, now.own), least(there->others, now.others)};
            if ((less.own != there->own || less.others != there->others) &&
                ptx_act_takes_way(r->p, r->store, block, k)) {
                again |= to != head && g->node[to].order <= i;
                *there = less;
            }
        }
    }
    return again;
}

/* From a loop's head to an act, or round to the head: the least that a way leaves. */
static under_way past_turn(const ring_of_stores *r, under_way now, uint32_t act) {
    const ptx_graph *g = r->p->v->g;
    const uint32_t to = act == PTX_NONE ? PTX_NONE : g->step[r->p->act[act].step].block;
    under_way round = {NO_WAY, NO_WAY};
    memset(r->at, NO_WAY, g->nodes * sizeof(*r->at));
    r->at[g->loop[r->loop].head] = now;
    while (walk_turn(r, &round)) {
    }
    if (to == PTX_NONE) {
        return round;
    }
    return r->at[to].own == NO_WAY ? (under_way){0, 0} : past_acts(r, to, act, r->at[to]);
}

static void say_ring(const ring_of_stores *r, const ptx_act *write, under_way is, int by_others) {
    ptx_protocol *p = r->p;
    const int line = ptx_act_line(p, write);
    const int stages = (int)r->stages;
    if (is.own >= MANY) {
        ptx_protocol_say(p, PTX_RULE_STORE_REUSE, 0, r->store, write,
                         "its ring has %d stages, and %s: line %d writes a stage whose store %d "
                         "iterations before may still read it (the trip count is not known). "
                         "Put cp.async.bulk.wait_group.read %d before line %d, in the thread that "
                         "commits, and a barrier after it",
                         stages,
                         r->other_waits
                             ? "the thread that commits its groups waits for none in "
                               "the loop, another thread's wait_group does not cover them"
                             : "no cp.async.bulk.wait_group is in the loop",
                         line, stages, stages - 1, line);
    } else if (by_others && is.own < r->stages) {
        ptx_protocol_say(p, PTX_RULE_STORE_REUSE, 0, r->store, write,
                         "its ring has %d stages, and the thread that copies waits for its groups: "
                         "no barrier orders other threads after that wait when line %d writes a "
                         "stage whose store %d iterations before may still read it (the trip "
                         "count is not known). Put bar.sync between the wait and line %d",
                         stages, line, stages, line);
    } else {
        ptx_protocol_say(p, PTX_RULE_STORE_REUSE, 0, r->store, write,
                         "its ring has %d stages, and where line %d writes one, %d groups may be "
                         "under way: the store %d iterations before may still read it (the "
                         "trip count is not known). Put cp.async.bulk.wait_group.read %d before "
                         "line %d, or a lower number there",
                         stages, line, (int)is.own, stages, stages - 1, line);
    }
}

/* Whether a wait_group stands in a loop around the ring's, and not in it. */
static int waits_around(const ring_of_stores *r) {
    const ptx_graph *g = r->p->v->g;
    for (uint32_t i = 0; i < r->p->acts; i++) {
        const ptx_act *a = &r->p->act[i];
        const uint32_t loop = a->kind == PTX_ACT_WAIT_GROUP ? loop_of(r->p, a) : PTX_NONE;
        if (loop != PTX_NONE && loop != r->loop && ptx_loop_in_loop(g, r->loop, loop)) {
            return 1;
        }
    }
    return 0;
}

static int is_earlier(const ptx_protocol *p, uint32_t act) {
    for (uint32_t i = 0; i < act; i++) {
        if (p->act[i].kind == PTX_ACT_STORE && p->act[i].at == p->act[act].at) {
            return 1;
        }
    }
    return 0;
}

/* Whether each turn makes one group, or one of each place that it stores from. */
static int take_loop(ring_of_stores *r) {
    const ptx_protocol *p = r->p;
    uint32_t stores = 0;
    uint32_t commits = 0;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (a->kind == PTX_ACT_CALL) {
            return 0;
        }
        if (!ptx_block_in_loop(p->v->g, p->v->g->step[a->step].block, r->loop)) {
            continue;
        }
        const int is_other = ptx_acts_exclude(p, a, r->store);
        stores += a->kind == PTX_ACT_STORE && !is_other && !is_earlier(p, i);
        commits += a->kind == PTX_ACT_COMMIT && !is_other;
        r->waits += a->kind == PTX_ACT_WAIT_GROUP && !is_other;
        r->other_waits += a->kind == PTX_ACT_WAIT_GROUP && is_other;
    }
    return commits == 1 || (commits && stores == commits);
}

static int check_ring(ptx_protocol *p, const ptx_act *store, under_way *at) {
    ring_of_stores r = {.p = p, .store = store, .loop = loop_of(p, store), .at = at};
    if (r.loop == PTX_NONE || store->at == PTX_UNKNOWN) {
        return 0;
    }
    r.stages = stages_of(p, store, r.loop);
    const uint32_t block = p->v->g->step[store->step].block;
    const uint32_t turns = r.stages > 1 ? ptx_loop_turns(p, r.loop, block) : 0;
    if (r.stages < 2 || r.stages >= MANY || (turns && turns <= r.stages) || !take_loop(&r) ||
        (!r.waits && waits_around(&r))) {
        return 0;
    }
    const int is_alone = ptx_act_is_elected(p, store);
    const under_way begun = past_turn(&r, (under_way){MANY, MANY}, PTX_NONE);
    for (uint32_t i = 0; i < p->acts && begun.own != NO_WAY; i++) {
        const ptx_act *a = &p->act[i];
        if ((a->kind != PTX_ACT_WRITE && a->kind != PTX_ACT_LOAD) ||
            !ptx_block_in_loop(p->v->g, p->v->g->step[a->step].block, r.loop) ||
            !has_stage(p, a->at, store->at, r.loop)) {
            continue;
        }
        const int by_others = is_alone && !ptx_acts_same_thread(p, a, store);
        const under_way is = past_turn(&r, begun, i);
        if ((by_others ? is.others : is.own) >= r.stages) {
            say_ring(&r, a, is, by_others);
            return 1;
        }
    }
    return 0;
}

void ptx_reuse_check(ptx_protocol *p) {
    reuse_context c;
    ptx_flood f = ptx_flood_of(PLANES, pass_reuse, hit_reuse, &c, sizeof(c));
    f.begin = begin_reuse;
    f.stays_own = 1;
    if (p->many[PTX_ACT_STORE] && !ptx_flood_begin(&f, p)) {
        ptx_flood_all(&f, PTX_ACT_STORE, end_reuse);
        f.by_turn = 1;
        f.hit = hit_in_turn;
        ptx_flood_all(&f, PTX_ACT_STORE, end_in_turn);
        under_way *at = ptx_memory_take(p->memory, (size_t)p->v->g->nodes + 1, sizeof(*at));
        int said = at == NULL;
        for (uint32_t i = 0; i < p->acts && !said; i++) {
            said = p->act[i].kind == PTX_ACT_STORE && check_ring(p, &p->act[i], at);
        }
    }
}
