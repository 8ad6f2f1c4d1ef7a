/* SPDX-License-Identifier: Apache-2.0
 *
 * Stages that are filled, or given back, without the wait that their like have: proxy-load,
 * wait-missing. All of it is "may".
 */
#include <string.h>

#include "protocol_shapes.h"

#define MOST_PASSED 10000

/* From which use a way comes with no wait: any, one in the same loop, one in an earlier turn of a
 * loop around both (and no wait for any barrier between). */
enum { BARE = 1, BARE_IN_LOOP = 2, BARE_AROUND = 4 };
enum { NO_WAIT, OTHER_WAIT, PEER_PLANES };

/* What is done again and again on the barriers of a class: stages filled, or arrivals. */
typedef struct use_kind {
    uint32_t class;
    uint64_t partners;    /* classes of the waits before, one bit each */
    uint64_t once, often; /* those before one use, and before several */
    int gives;
    ptx_act_kind is;
} use_kind;

typedef struct passed {
    uint16_t uses, waits;
    uint8_t after; /* some way comes past a wait */
    uint8_t comes; /* some way comes here */
} passed;

typedef struct peers {
    ptx_protocol *p;
    const uint8_t *class_of; /* by act: + 1 */
    uint32_t classes;
    uint64_t before[PTX_MOST_CLASSES + 1];
    use_kind kind[2 * PTX_MOST_CLASSES];
    uint32_t kinds;
    const use_kind *now;
    uint32_t looks;   /* at acts beside ways, that are left */
    uint8_t *is_bare; /* by act: a way from another use comes there with no wait between; */
    uint8_t *joins;   /* by act: threads meet there with those who answer */
    passed
        *on_way; /* by block: on the way there with the most uses; no loop is gone through twice */
} peers;

static int is_wait_of(const peers *r, uint32_t act, uint64_t classes) {
    return r->p->act[act].kind == PTX_ACT_AWAIT && r->class_of[act] &&
           classes >> r->class_of[act] & 1;
}

/* Whether one arrival ends a phase, or an arrival of others stands between two acts: they expect
 * bytes of two phases. */
static int are_two_phases(const peers *r, uint32_t one, uint32_t other) {
    const ptx_protocol *p = r->p;
    const ptx_graph *g = p->v->g;
    const uint32_t from = g->node[ptx_act_block(p, &p->act[one])].order;
    const uint32_t to = g->node[ptx_act_block(p, &p->act[other])].order;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        const uint32_t order = g->node[ptx_act_block(p, a)].order;
        uint64_t number = 0;
        if ((a->kind == PTX_ACT_ARRIVE && r->class_of[i] == r->class_of[one] && order != to &&
             order != from && (order > from) == (order < to)) ||
            (a->kind == PTX_ACT_INIT && ptx_barriers_alike(p, a, &p->act[one]) != PTX_DIFFERENT &&
             ptx_value_number(p->v, a->number, &number) && (uint32_t)number == 1)) {
            return 1;
        }
    }
    return 0;
}

/* Whether two uses in one turn are of one stage: bytes in several parts, arrivals here and in
 * another CTA. A compiler may spell the barrier of a stage's copies in two ways. */
static int is_same_stage(const peers *r, uint32_t one, uint32_t other) {
    const ptx_act *a = &r->p->act[one];
    const ptx_act *b = &r->p->act[other];
    const int is_one_block = ptx_act_block(r->p, a) == ptx_act_block(r->p, b);
    if (a->kind == PTX_ACT_LOAD) {
        return is_one_block || a->barrier == b->barrier;
    }
    return a->barrier == b->barrier &&
           (is_one_block || (a->traits ^ b->traits) & PTX_TO_PEER ||
            (a->kind == PTX_ACT_EXPECT && !are_two_phases(r, one, other)));
}

/* Whether the same use of the same stage stands before an act. */
static int is_again(const peers *r, uint32_t act) {
    const ptx_protocol *p = r->p;
    const ptx_act *a = &p->act[act];
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *b = &p->act[i];
        if (i != act && b->kind == a->kind && !(b->traits & PTX_ONLY_BYTES) &&
            r->class_of[i] == r->class_of[act] && ptx_act_loop(p, a) == ptx_act_loop(p, b) &&
            (ptx_act_block(p, a) == ptx_act_block(p, b)
                 ? i < act
                 : ptx_dominates(p->v->g, ptx_act_block(p, b), ptx_act_block(p, a))) &&
            is_same_stage(r, i, act)) {
            return 1;
        }
    }
    return 0;
}

static int is_use(const peers *r, uint32_t act, const use_kind *k) {
    const ptx_act *a = &r->p->act[act];
    return r->class_of[act] == k->class && !(a->traits & (PTX_ONLY_BYTES | PTX_MEETS)) &&
           a->kind == k->is;
}

/* What shows that a stage is filled: its bytes are expected, or, where other threads alone expect
 * them, copied. */
static ptx_act_kind filled_by(const peers *r, uint32_t class) {
    const ptx_protocol *p = r->p;
    ptx_act_kind is = PTX_ACT_EXPECT;
    for (uint32_t i = 0; i < p->acts; i++) {
        int excludes = r->class_of[i] == class && p->act[i].kind == PTX_ACT_LOAD;
        for (uint32_t k = 0; excludes && k < p->acts; k++) {
            excludes = r->class_of[k] != class || p->act[k].kind != PTX_ACT_EXPECT ||
                       ptx_acts_exclude(p, &p->act[i], &p->act[k]) ||
                       !ptx_acts_share_thread(p, &p->act[i], &p->act[k]);
        }
        if (r->class_of[i] == class && p->act[i].kind == PTX_ACT_LOAD && !excludes) {
            return PTX_ACT_EXPECT;
        }
        is = excludes ? PTX_ACT_LOAD : is;
    }
    return is;
}

static use_kind kind_of(const peers *r, uint32_t kind) {
    use_kind k = {.class = kind / 2 + 1, .gives = (int)(kind & 1)};
    k.is = k.gives ? PTX_ACT_ARRIVE : filled_by(r, k.class);
    return k;
}

/* --- which wait stands before a use --- */

/* Whether all conditions of an act are those of another one, too. */
static int is_under_same(const ptx_protocol *p, const ptx_act *a, const ptx_act *other) {
    ptx_guard_walk at = {0};
    for (ptx_condition c; ptx_act_condition(p, a, &at, &c);) {
        ptx_guard_walk with = {0};
        int is = 0;
        for (ptx_condition o; !is && ptx_act_condition(p, other, &with, &o);) {
            is = c.key != PTX_UNKNOWN && ptx_conditions_same(&c, &o);
        }
        if (!is) {
            return 0;
        }
    }
    return 1;
}

/* Of the waits between a block and the one above it, on a way that joins again, the last one that a
 * use's own conditions lead past ("if (mask) wait; if (mask) use"); or PTX_NONE. */
static uint32_t wait_beside(peers *r, uint32_t use, uint32_t block, uint64_t classes) {
    const ptx_protocol *p = r->p;
    const ptx_graph *g = p->v->g;
    const uint32_t up = g->node[block].dominator;
    uint32_t last = PTX_NONE;
    if (g->node[block].ins < 2) {
        return last;
    }
    if (r->looks < p->acts) {
        ptx_leave_unjudged(p->r, g->root, PTX_BUDGET_PEERS);
        return last;
    }
    r->looks -= p->acts;
    for (uint32_t i = 0; i < p->acts; i++) {
        uint32_t at = ptx_act_block(p, &p->act[i]);
        if (!is_wait_of(r, i, classes) || g->node[at].order >= g->node[block].order ||
            g->node[at].order <= g->node[up].order || ptx_dominates(g, at, block)) {
            continue;
        }
        while (at && at != up && g->node[at].order > g->node[up].order) {
            at = g->node[at].dominator;
        }
        if (at == up && is_under_same(p, &p->act[i], &p->act[use]) &&
            (last == PTX_NONE || g->node[ptx_act_block(p, &p->act[i])].order >=
                                     g->node[ptx_act_block(p, &p->act[last])].order)) {
            last = i;
        }
    }
    return last;
}

/* Of the waits for other barriers that all ways to a use come past, behind the last use of its
 * kind: the nearest one whose class is among some; PTX_NONE: there is none. *all: the classes of
 * all. */
static uint32_t wait_before(peers *r, uint32_t use, const use_kind *k, uint64_t among,
                            uint64_t *all) {
    const ptx_protocol *p = r->p;
    const ptx_graph *g = p->v->g;
    uint32_t block = ptx_act_block(p, &p->act[use]);
    uint32_t nearest = PTX_NONE;
    for (uint32_t from = use;; from = p->first[block + 1]) {
        for (uint32_t i = from; i-- > p->first[block];) {
            if (is_use(r, i, k) && !is_same_stage(r, i, use)) {
                return nearest;
            }
            if (is_wait_of(r, i, ~(UINT64_C(1) << k->class))) {
                *all |= UINT64_C(1) << r->class_of[i];
                nearest = nearest == PTX_NONE && among >> r->class_of[i] & 1 ? i : nearest;
            }
        }
        if (block == 0 || g->node[block].dominator == block) {
            return nearest;
        }
        const uint32_t beside = wait_beside(r, use, block, ~(UINT64_C(1) << k->class));
        if (beside != PTX_NONE) {
            *all |= UINT64_C(1) << r->class_of[beside];
            nearest = nearest == PTX_NONE && among >> r->class_of[beside] & 1 ? beside : nearest;
        }
        block = g->node[block].dominator;
    }
}

/* By class: which other ones are waited for before its uses. */
static void take_before(peers *r) {
    for (uint32_t i = 0; i < 2 * r->classes; i++) {
        const use_kind k = kind_of(r, i);
        for (uint32_t act = 0; act < r->p->acts; act++) {
            if (is_use(r, act, &k)) {
                wait_before(r, act, &k, 0, &r->before[k.class]);
            }
        }
    }
}

/* What uses wait for: the nearest one of those who wait for them in turn. */
static void take_partners(peers *r, use_kind *k) {
    uint64_t among = 0;
    uint64_t all = 0;
    for (uint32_t i = 1; i <= r->classes; i++) {
        among |= (r->before[i] >> k->class & r->before[k->class] >> i & 1) << i;
    }
    for (uint32_t i = 0; i < r->p->acts; i++) {
        const uint32_t wait = is_use(r, i, k) ? wait_before(r, i, k, among, &all) : PTX_NONE;
        if (wait != PTX_NONE) {
            const uint8_t class = r->class_of[wait];
            k->partners |= UINT64_C(1) << class;
            k->once &= ~(UINT64_C(1) << class);
            k->once |= k->often >> class & 1 ? 0 : UINT64_C(1) << class;
            k->often |= UINT64_C(1) << class;
        }
    }
    k->often &= ~k->once;
}

/* Where a compiler unrolled a ring, its stages' barriers are classes of their own. Before a use
 * whose wait is missing stands the wait for the stage before it, which is no partner. */
static void drop_neighbours(peers *r) {
    for (uint32_t i = 0; i < r->kinds; i++) {
        use_kind *k = &r->kind[i];
        uint64_t others = 0;
        for (uint32_t n = 0; n < r->kinds; n++) {
            others |= n != i && r->kind[n].gives == k->gives ? r->kind[n].often : 0;
        }
        if (k->often) {
            k->partners &= ~(k->once & others);
        }
    }
}

static void take_kinds(peers *r) {
    for (uint32_t i = 0; i < 2 * r->classes; i++) {
        use_kind k = kind_of(r, i);
        take_partners(r, &k);
        r->kind[r->kinds++] = k;
    }
    drop_neighbours(r);
}

/* --- uses with no wait before them --- */

/* bar.sync ID: its number, PTX_UNKNOWN: it has none, or it is not known. */
static ptx_value sync_id(const ptx_protocol *p, const ptx_act *sync) {
    const ptx_step *step = &p->v->g->step[sync->step];
    tma_ptx_parts parts;
    if (step->kind != PTX_STEP_ROW || tma_ptx_split(&parts, &p->v->g->rows->row[step->row].piece) ||
        !parts.count ||
        (!tma_ptx_is(&parts, "bar", "sync") && !tma_ptx_is(&parts, "bar", "arrive") &&
         !tma_ptx_is(&parts, "barrier", "sync") && !tma_ptx_is(&parts, "barrier", "arrive"))) {
        return PTX_UNKNOWN;
    }
    return ptx_value_of_text(p->v, step, parts.operand[0]);
}

/* barrier.cluster: never a barrier of the CTA. */
static int is_of_cluster(const ptx_protocol *p, const ptx_act *sync) {
    return ptx_begins(ptx_step_opcode(p->v->g, sync->step), "barrier.cluster.");
}

/* Whether who arrives on the partners' barriers may come to a barrier of threads. */
static int joins_others(const peers *r, const ptx_act *sync) {
    const ptx_protocol *p = r->p;
    const ptx_value id = sync_id(p, sync);
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *other = &p->act[i];
        if (other->kind != PTX_ACT_SYNC || other->traits & PTX_OF_WARP ||
            is_of_cluster(p, sync) != is_of_cluster(p, other) ||
            (id != PTX_UNKNOWN && sync_id(p, other) != id && sync_id(p, other) != PTX_UNKNOWN)) {
            continue;
        }
        for (uint32_t k = 0; k < p->acts; k++) {
            const ptx_act *a = &p->act[k];
            const int signals = a->kind == PTX_ACT_ARRIVE || a->kind == PTX_ACT_EXPECT;
            if (signals && r->class_of[k] && r->now->partners >> r->class_of[k] & 1 &&
                !ptx_acts_exclude(p, other, a)) {
                return 1;
            }
        }
    }
    return 0;
}

/* Which barriers of threads are an answer to a use: they say, too, that a stage is free. */
static void take_joins(peers *r) {
    for (uint32_t i = 0; i < r->p->acts; i++) {
        const ptx_act *a = &r->p->act[i];
        r->joins[i] = (uint8_t)(a->kind == PTX_ACT_CALL ||
                                (a->kind == PTX_ACT_SYNC &&
                                 !(a->traits & (PTX_OF_WARP | PTX_GOES_ON)) && joins_others(r, a)));
    }
}

static void pass_bare(ptx_flood *f, uint32_t act, uint64_t *plane) {
    const peers *r = *(peers **)f->context;
    const int is_open = f->p->act[act].kind == PTX_ACT_AWAIT && ptx_is_vague(f->p, &f->p->act[act]);
    if (r->joins[act] || is_open || is_wait_of(r, act, r->now->partners) ||
        is_use(r, act, r->now)) {
        memset(plane, 0, 2 * (size_t)f->planes * sizeof(*plane));
    } else if (f->p->act[act].kind == PTX_ACT_AWAIT) {
        ptx_flood_move(f, plane, NO_WAIT, OTHER_WAIT, UINT64_MAX);
    }
}

/* Whether one act comes behind another one in their order, and a loop is around both. */
static int is_around(const ptx_protocol *p, const ptx_act *behind, const ptx_act *act) {
    const ptx_graph *g = p->v->g;
    uint32_t loop = ptx_act_loop(p, act);
    while (loop != PTX_NONE && !ptx_block_in_loop(g, ptx_act_block(p, behind), loop)) {
        loop = g->loop[loop].parent;
    }
    return loop != PTX_NONE &&
           g->node[ptx_act_block(p, behind)].order > g->node[ptx_act_block(p, act)].order;
}

static void hit_bare(ptx_flood *f, uint32_t act, const uint64_t *plane) {
    const peers *r = *(peers **)f->context;
    const uint64_t turned = plane[f->planes + NO_WAIT] | plane[f->planes + OTHER_WAIT];
    const uint64_t strict = ptx_flood_bits(f, plane, NO_WAIT);
    const uint64_t bits = strict | ptx_flood_bits(f, plane, OTHER_WAIT);
    for (uint32_t i = 0; bits && is_use(r, act, r->now) && i < f->seeds; i++) {
        const uint32_t use = f->seed[i];
        const ptx_act *a = &f->p->act[use];
        const ptx_act *other = &f->p->act[act];
        const int is_same = !(turned >> i & 1) && is_same_stage(r, use, act);
        if (bits >> i & 1 && is_use(r, use, r->now) && (!is_same || use == act)) {
            r->is_bare[use] |= BARE;
            r->is_bare[use] |=
                ptx_act_loop(f->p, a) == ptx_act_loop(f->p, other) ? BARE_IN_LOOP : 0;
            r->is_bare[use] |= strict >> i & 1 && is_around(f->p, other, a) ? BARE_AROUND : 0;
        }
    }
}

static void end_bare(ptx_flood *f) {
    (void)f;
}

/* What an act adds to the way past it. */
static void go_past(const peers *r, uint32_t act, passed *x) {
    if (is_wait_of(r, act, r->now->partners)) {
        x->after = 1;
        x->waits += x->waits < MOST_PASSED && r->p->act[act].traits & PTX_SPINS;
    } else if (is_use(r, act, r->now) && !is_again(r, act)) {
        x->uses += x->uses < MOST_PASSED;
    }
}

/* Uses and waits on ways to each block, each loop gone through once: of who uses most. */
static void take_ways(peers *r) {
    const ptx_graph *g = r->p->v->g;
    memset(r->on_way, 0, g->nodes * sizeof(*r->on_way));
    for (uint32_t i = 0; i < g->reached; i++) {
        const uint32_t block = g->ordered[i];
        passed x = r->on_way[block];
        for (uint32_t k = r->p->first[block]; k < r->p->first[block + 1]; k++) {
            go_past(r, k, &x);
        }
        for (uint32_t k = 0; k < g->node[block].outs; k++) {
            const uint32_t to = g->out[g->node[block].first_out + k];
            passed *there = &r->on_way[to];
            const uint8_t after = there->after | x.after;
            if (g->node[to].order > i && (!there->comes || x.uses > there->uses ||
                                          (x.uses == there->uses && x.waits > there->waits))) {
                *there = (passed){x.uses, x.waits, 0, 1};
            }
            there->after = after;
        }
    }
}

/* Whether as many stages were used before a use as were waited for; not where loops are left: who
 * gives stages back late gives the last ones back behind them. In no loop, what stands before the
 * first wait makes a ring ready. */
static int runs_ahead(const peers *r, uint32_t use) {
    const uint32_t block = ptx_act_block(r->p, &r->p->act[use]);
    const uint32_t loop = ptx_act_loop(r->p, &r->p->act[use]);
    passed x = r->on_way[block];
    for (uint32_t k = r->p->first[block]; k < use; k++) {
        go_past(r, k, &x);
    }
    int waits = (x.after && r->is_bare[use] & BARE_IN_LOOP) || r->is_bare[use] & BARE_AROUND;
    for (uint32_t k = 0; k < r->p->acts && !waits; k++) {
        waits = is_wait_of(r, k, r->now->partners) && ptx_act_loop(r->p, &r->p->act[k]) == loop &&
                (loop != PTX_NONE || x.after);
    }
    return x.waits <= x.uses && waits;
}

static void say_bare(const peers *r, const ptx_act *use, const ptx_act *like, int wait_line) {
    ptx_protocol *p = r->p;
    if (r->now->gives) {
        ptx_protocol_say_turns(
            p, ptx_act_loop(p, use), PTX_RULE_WAIT_MISSING, 0, use, like,
            "arrives again with no wait since the arrival before, and line %d, which "
            "arrives on the same barriers, stands behind a wait (line %d): the bytes "
            "of a stage may not be there when they are read (which ways are taken is "
            "not known). Put mbarrier.try_wait.parity in a loop before the stage is "
            "read",
            ptx_act_line(p, like), wait_line);
    } else {
        ptx_protocol_say_turns(
            p, ptx_act_loop(p, use), PTX_RULE_PROXY_LOAD, 0, use, like,
            "fills another stage with no wait since the one before, and line %d, "
            "which fills one of the same stages, stands behind a wait (line %d): the "
            "stage may still be read when it is overwritten (which ways are taken is "
            "not known). Put a wait for the stage's empty barrier before it",
            ptx_act_line(p, like), wait_line);
    }
}

/* Of those that have their wait, the one nearest before a use without; else the last one. */
static uint32_t like_of(peers *r, const use_kind *k, uint32_t bare, uint32_t *wait) {
    const ptx_node *node = r->p->v->g->node;
    const uint32_t at = node[ptx_act_block(r->p, &r->p->act[bare])].order;
    uint32_t like = PTX_NONE;
    uint32_t before = 0; /* the order of the nearest one before, + 1 */
    uint64_t all = 0;
    for (uint32_t i = 0; i < r->p->acts; i++) {
        if (!is_use(r, i, k) || is_again(r, i) || r->is_bare[i]) {
            continue;
        }
        const uint32_t one = wait_before(r, i, k, k->partners, &all);
        const uint32_t order = node[ptx_act_block(r->p, &r->p->act[i])].order;
        const int is_before = order < at || (order == at && i < bare);
        if (one != PTX_NONE && (is_before ? order + 1 >= before : !before)) {
            before = is_before ? order + 1 : before;
            like = i;
            *wait = one;
        }
    }
    return like;
}

static void check_kind(peers *r, ptx_flood *f, const use_kind *k) {
    ptx_protocol *p = r->p;
    uint32_t bare = PTX_NONE;
    uint32_t bares = 0;
    uint32_t wait = PTX_NONE;
    r->now = k;
    memset(r->is_bare, 0, p->acts);
    take_joins(r);
    ptx_flood_all(f, k->is, end_bare);
    for (uint32_t i = 0; i < p->acts; i++) {
        if (is_use(r, i, k) && !is_again(r, i) && r->is_bare[i]) {
            bares++;
            bare = i;
        }
    }
    const uint32_t like = bares == 1 ? like_of(r, k, bare, &wait) : PTX_NONE;
    if (like == PTX_NONE || ptx_act_is_said(p, &p->act[bare], PTX_RULES)) {
        return;
    }
    take_ways(r);
    if (runs_ahead(r, bare)) {
        say_bare(r, &p->act[bare], &p->act[like], ptx_act_line(p, &p->act[wait]));
    }
}

void ptx_peers_check(ptx_protocol *p) {
    const size_t acts = (size_t)p->acts + 1;
    const size_t nodes = (size_t)p->v->g->nodes + 1;
    peers r = {.p = p, .looks = (uint32_t)ptx_budget_most(PTX_BUDGET_PEERS)};
    peers *context = &r;
    ptx_flood f = ptx_flood_of(PEER_PLANES, pass_bare, hit_bare, &context, 0);
    f.backwards = 1;
    f.stays_own = 1;
    if (!p->many[PTX_ACT_AWAIT]) {
        return;
    }
    r.class_of = ptx_classes_of(p, &r.classes);
    r.is_bare = ptx_memory_take(p->memory, acts, 1);
    r.joins = ptx_memory_take(p->memory, acts, 1);
    r.on_way = ptx_memory_take(p->memory, nodes, sizeof(*r.on_way));
    if (!r.class_of || !r.is_bare || !r.joins || !r.on_way || ptx_flood_begin(&f, p)) {
        return;
    }
    take_before(&r);
    take_kinds(&r);
    for (uint32_t i = 0; i < r.kinds; i++) {
        if (r.kind[i].partners) {
            check_kind(&r, &f, &r.kind[i]);
        }
    }
}
