/* SPDX-License-Identifier: Apache-2.0
 *
 * store-reuse: shared memory that a bulk store still reads is written again, or the CTA ends.
 */
#include "protocol_rules.h"

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

static void pass_wait(ptx_flood *f, uint32_t act, uint64_t *plane) {
    reuse_context *c = f->context;
    const ptx_act *a = &f->p->act[act];
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

static void pass_commit(ptx_flood *f, uint32_t act, uint64_t *plane) {
    (void)act;
    for (uint32_t k = LAST_GROUP; k > GROUP; k--) {
        ptx_flood_move(f, plane, k - 1, k, UINT64_MAX);
    }
    ptx_flood_move(f, plane, OPEN_GROUP, GROUP, UINT64_MAX);
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

static void say_reuse(ptx_flood *f, uint32_t bit) {
    const reuse_context *c = f->context;
    ptx_protocol *p = f->p;
    const ptx_act *copy = &p->act[f->seed[bit]];
    const int never = !(c->waited >> bit & 1);
    if (say_no_commit(p, copy)) {
        return;
    }
    /* nothing waits for any store: said of one */
    const ptx_unless unless = never && !c->is_proved[bit] && !p->many[PTX_ACT_WAIT_GROUP]
                                  ? PTX_UNLESS_KERNEL
                                  : PTX_UNLESS_NONE;
    const int is_met = !c->is_proved[bit] && !never && c->met[bit];
    if (is_met || (c->write[bit] && (c->is_proved[bit] || never))) {
        const ptx_act *write = &p->act[(is_met ? c->met[bit] : c->write[bit]) - 1];
        ptx_protocol_say_unless(
            p, PTX_RULE_STORE_REUSE, c->is_proved[bit], unless, copy, write,
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

static void end_reuse(ptx_flood *f) {
    for (uint32_t i = 0; i < f->seeds; i++) {
        say_reuse(f, i);
    }
}

/* What others may learn of a wait by. */
#define WORD (PTX_KIND(SYNC) | PTX_KIND(ARRIVE) | PTX_KIND(EXPECT) | PTX_KIND(PEER))

#define REUSE_ROW(...)                                                                             \
    {                                                                                              \
        .seeds = PTX_KIND(STORE), .needs = PTX_KIND(STORE), .planes = PLANES, .stays_own = 1,      \
        .begin = begin_reuse,                                                                      \
        .passing = {{.kinds = PTX_KIND(COMMIT), .by = pass_commit},                                \
                    {.kinds = PTX_KIND(WAIT_GROUP), .by = pass_wait},                              \
                    {WORD, 0, PTX_HERE(ALONE), PTX_MOVES, WAITED, NULL, NULL},                     \
                    {PTX_KIND(CALL), 0, PTX_BELOW(PLANES), PTX_ENDS, 0, NULL, NULL}},              \
        __VA_ARGS__                                                                                \
    }

const ptx_paths ptx_rule_reused = REUSE_ROW(.hit = hit_reuse, .end = end_reuse);

/* In the same turn of the loops around the store. */
static int is_read_still(ptx_protocol *p, const ptx_act *write, const ptx_act *store) {
    return ptx_acts_overlap(p, write, store) == PTX_OVERLAPS ? PTX_SURE : PTX_NOT;
}

const ptx_paths ptx_rule_reused_in_turn =
    REUSE_ROW(.by_turn = 1,
              .claim = {
                  {.access = PTX_KIND(WRITE) | PTX_KIND(LOAD),
                   .open = PTX_BELOW(WAITED),
                   .shut = PTX_HERE(WAITED) | PTX_HERE(ALONE),
                   .most = PTX_SURE,
                   .rule = PTX_RULE_STORE_REUSE,
                   .unless = PTX_UNLESS_ACT,
                   .is = is_read_still,
                   .text =
                       "line @ writes shared memory that this copy still reads: no "
                       "cp.async.bulk.wait_group that covers its group is on any path from here "
                       "to there. Put cp.async.bulk.wait_group.read before line @, in the thread "
                       "that commits, and a barrier after it"}});
