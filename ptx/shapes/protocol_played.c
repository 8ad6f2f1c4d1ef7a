/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops in which one thread copies and all use what it copies: their turns are played one after the
 * other, with numbers for the places in shared memory. What is known of a place at the end of a
 * turn is known at the begin of the next one. All of it is "may": how often a loop turns is not
 * known, and what hangs on other conditions is taken to run.
 */
#include "protocol_shapes.h"
#include "protocol_turner.h"

#define MOST_PLAYED  24   /* turns */
#define MOST_COPIES  48   /* that are remembered */
#define MOST_TOUCHES 2000 /* accesses between two barriers of threads */

typedef enum role { NONE, ONE, SOME, ALL } role;

/* What an act is, as far as it is the same in all turns. */
typedef struct part {
    const ptx_act *act;
    uint32_t variable; /* of its place, or of its barrier */
    uint8_t role;
    uint8_t syncs; /* all threads of the copying one's group meet */
} part;

typedef struct copy {
    const ptx_act *act;
    uint32_t variable, at, bytes_B;
    uint32_t barrier_of, barrier; /* variable, place */
    uint32_t turn;
    uint32_t group;        /* of a store: how many were committed with it; 0: not yet */
    uint8_t one_knows;     /* that it is done: the thread that copies, */
    uint8_t all_know;      /* and all */
    uint8_t others_waited; /* some threads have; no barrier of threads since */
} copy;

typedef struct touch {
    const ptx_act *act;
    uint32_t variable, at, turn;
} touch;

typedef struct player {
    ptx_protocol *p;
    ptx_turner t;
    part *part;
    uint32_t parts;
    copy copy[MOST_COPIES];
    uint32_t copies;
    touch *touch; /* by all, since the last barrier of threads */
    uint32_t touches;
    uint32_t groups; /* committed */
    uint32_t turn;
    int of_warps;
    int said;
} player;

/* For how many threads a condition holds, of the first one of each warp and the last one: all, some
 * or none. SOME: it is not known. */
static role holds_for(const ptx_protocol *p, const ptx_condition *c) {
    const uint32_t most = ptx_most_threads(p);
    uint32_t asked = 0;
    uint32_t holds = 0;
    for (uint32_t thread = 0; thread < most;
         thread += thread + 32 < most || thread + 1 == most ? 32 : most - 1 - thread) {
        ptx_first t = {.p = p, .around = PTX_NONE, .variable = PTX_NONE, .thread = thread};
        uint64_t is = 0;
        t.only = PTX_NONE; /* what loops make is not known */
        if (!ptx_value_first(&t, c->key, &is)) {
            return SOME;
        }
        asked++;
        holds += (c->is_equal ? is == c->number : is & 1) == c->holds;
    }
    return holds == asked ? ALL : holds ? SOME : NONE;
}

/* Who runs an act of those that come to its loop. */
static role role_of(const ptx_protocol *p, const ptx_act *act, uint32_t loop) {
    const uint32_t head = p->guard_of[p->v->g->loop[loop].head];
    ptx_guard_walk at = {0};
    role is = ALL;
    for (ptx_condition c; is != ONE && ptx_act_condition(p, act, &at, &c);) {
        int is_heads = 0;
        for (uint32_t guard = head; guard != PTX_NONE && !is_heads; guard = p->guard[guard].up) {
            const ptx_condition *h = &p->guard[guard].is;
            is_heads = h->key == c.key && h->number == c.number && h->is_equal == c.is_equal &&
                       h->holds == c.holds;
        }
        const ptx_hangs on = is_heads ? PTX_HANGS_UNIFORM : ptx_condition_hangs(p, &c);
        const role holds = on == PTX_HANGS_THREAD ? holds_for(p, &c) : ALL;
        if (holds == NONE) {
            return NONE;
        }
        is = on == PTX_HANGS_ONE_THREAD ? ONE : holds == SOME ? SOME : is;
    }
    return is;
}

static int is_copy(const ptx_act *a) {
    return a->kind == PTX_ACT_STORE || a->kind == PTX_ACT_LOAD;
}

/* Whether an act is one that is not played. */
static int is_beyond(const ptx_act *a) {
    return a->kind == PTX_ACT_CALL || a->kind == PTX_ACT_REMOTE || a->kind == PTX_ACT_SEND ||
           a->kind == PTX_ACT_PEER || a->kind == PTX_ACT_INIT || a->kind == PTX_ACT_INVAL ||
           (a->kind == PTX_ACT_LOAD && a->traits & PTX_TO_CLUSTER) ||
           (a->kind == PTX_ACT_SYNC && a->traits & (PTX_GOES_ON | PTX_OF_MEMORY));
}

static int is_in_place(const ptx_act *a) {
    return a->kind == PTX_ACT_READ || a->kind == PTX_ACT_WRITE || is_copy(a);
}

/* The loop's acts in their order. 0: it is not one that is played. */
static int take_parts(player *r, uint32_t loop) {
    const ptx_protocol *p = r->p;
    const ptx_graph *g = p->v->g;
    uint32_t copies = 0;
    r->parts = 0;
    for (uint32_t i = g->node[g->loop[loop].head].order; i < g->reached; i++) {
        const uint32_t block = g->ordered[i];
        const uint32_t end =
            ptx_block_in_loop(g, block, loop) ? p->first[block + 1] : p->first[block];
        for (uint32_t k = p->first[block]; k < end; k++) {
            const ptx_act *a = &p->act[k];
            const int is_inner = ptx_act_loop(p, a) != loop;
            part *one = &r->part[r->parts];
            if (is_beyond(a) ||
                (is_inner && (is_copy(a) || a->kind == PTX_ACT_COMMIT ||
                              a->kind == PTX_ACT_WAIT_GROUP || a->kind == PTX_ACT_AWAIT))) {
                return 0;
            }
            if (!ptx_can_judge(p, PTX_BUDGET_PLAYED_ACTS, (uint64_t)r->parts + 1)) {
                return 0;
            }
            *one = (part){.act = a, .role = (uint8_t)role_of(p, a, loop)};
            one->variable = ptx_shared_variable(p->v, is_in_place(a) ? a->at : a->barrier);
            if (is_copy(a)) {
                copies++;
                r->of_warps |= ptx_act_is_of_each_warp(p, a);
                if (one->role != ONE) {
                    return 0;
                }
            }
            r->parts++;
        }
    }
    return copies != 0;
}

/* What the acts of the loop hang on, and who meets whom. */
static void begin(player *r, uint32_t loop) {
    const ptx_protocol *p = r->p;
    const int one_warp = r->of_warps || !p->has_warps || ptx_most_threads(p) <= 32;
    r->t = ptx_turner_of(r->p, loop);
    r->t.with_ways = 1;
    for (uint32_t i = 0; i < r->parts; i++) {
        part *one = &r->part[i];
        const ptx_act *a = one->act;
        one->syncs = (a->kind == PTX_ACT_SYNC && (one_warp || !(a->traits & PTX_OF_WARP))) ||
                     (a->kind == PTX_ACT_WARP && one_warp);
        if (is_in_place(a)) {
            ptx_turner_try(&r->t, a->at);
        }
        if (a->kind == PTX_ACT_LOAD || a->kind == PTX_ACT_AWAIT) {
            ptx_turner_try(&r->t, a->barrier);
        }
        ptx_turner_try_conditions(&r->t, a);
    }
    ptx_turner_try_exits(&r->t);
    r->copies = 0;
    r->touches = 0;
    r->groups = 0;
}

static int place_of(const player *r, const part *one, uint32_t *at) {
    uint64_t number = 0;
    const int is_known = one->variable != PTX_NONE &&
                         ptx_turner_number(&r->t, one->act, one->act->at, one->variable, &number);
    *at = (uint32_t)number;
    return is_known;
}

/* Whether an access begins in what a copy brings or takes, as far as that is known. */
static int is_within(uint32_t at, const copy *c) {
    const uint32_t bytes_B = c->bytes_B ? c->bytes_B : PTX_LEAST_COPY_B;
    return at >= c->at && at - c->at < bytes_B;
}

/* --- what is said --- */

static void say(player *r, ptx_rule rule, const ptx_act *about, const ptx_act *with,
                const char *what, const char *missing) {
    ptx_protocol *p = r->p;
    if (r->said || ptx_acts_exclude(p, about, with) || ptx_act_is_said(p, about, PTX_RULES) ||
        ptx_act_is_said(p, with, PTX_RULES)) {
        return;
    }
    r->said = 1;
    if (ptx_rule_is_said(p, rule)) {
        return; /* by a rule that knows more */
    }
    ptx_protocol_say(p, rule, 0, about, with,
                     "%s line %d, in turn %d of a loop (line %d), and %s (if the loop turns so "
                     "often, and what hangs on other conditions runs)",
                     what, ptx_act_line(p, with), (int)r->turn + 1, ptx_loop_line(p, r->t.loop),
                     missing);
}

static void read_at(player *r, const part *one, uint32_t at) {
    for (uint32_t i = 0; i < r->copies; i++) {
        const copy *c = &r->copy[i];
        if (c->act->kind == PTX_ACT_LOAD && c->variable == one->variable && is_within(at, c) &&
            !c->all_know && !(one->role == ONE && c->one_knows)) {
            say(r, PTX_RULE_WAIT_MISSING, one->act, c->act, "reads what is loaded at",
                c->one_knows || c->others_waited
                    ? "some threads alone have waited for these bytes, with no barrier behind "
                      "that wait. Put the wait in all threads that read, or a barrier behind it"
                    : "nobody has waited for these bytes. Put mbarrier.try_wait.parity on the "
                      "stage's barrier in a loop before it");
        }
    }
}

static void write_at(player *r, const part *one, uint32_t at) {
    for (uint32_t i = 0; i < r->copies; i++) {
        const copy *c = &r->copy[i];
        if (c->act->kind == PTX_ACT_STORE && c->variable == one->variable && is_within(at, c) &&
            !c->all_know && one->role == ALL) {
            say(r, PTX_RULE_STORE_REUSE, one->act, c->act, "writes what may still be read at",
                c->one_knows ? "no barrier of threads stands behind the wait_group that covers "
                               "that group. Put one before the write"
                             : "no wait_group that covers that group stands before the last "
                               "barrier of threads. Put cp.async.bulk.wait_group.read before it, "
                               "and leave fewer groups under way");
        }
    }
}

/* A copy of a place that others have touched since the last barrier of threads. */
static void meet_touches(player *r, const part *one, const copy *c) {
    const int loads = one->act->kind == PTX_ACT_LOAD;
    for (uint32_t i = 0; i < r->touches; i++) {
        const touch *t = &r->touch[i];
        if (t->variable != c->variable || !is_within(t->at, c) ||
            (!loads && t->act->kind == PTX_ACT_READ)) {
            continue;
        }
        say(r, loads ? PTX_RULE_PROXY_LOAD : PTX_RULE_PROXY_STORE, one->act, t->act,
            loads ? "loads over what all threads use at" : "copies what all threads write at",
            loads ? "no barrier of threads stands between. Put one before the load"
                  : "no barrier of threads stands between. Put fence.proxy.async behind the "
                    "writes, in each thread, and a barrier before the copy");
    }
}

static void load_over(player *r, const part *one, const copy *c) {
    for (uint32_t i = 0; i < r->copies; i++) {
        const copy *s = &r->copy[i];
        if (s->act->kind == PTX_ACT_STORE && s->variable == c->variable && s->at == c->at &&
            !s->one_knows && s->group) {
            say(r, PTX_RULE_STORE_REUSE, one->act, s->act, "loads over what may still be read at",
                "no wait_group that covers that group stands between. Put "
                "cp.async.bulk.wait_group.read before the load, and leave fewer groups under way");
        }
    }
}

/* --- what acts do --- */

static void forget(player *r, uint32_t copy) {
    r->copy[copy] = r->copy[--r->copies];
}

static void remember(player *r, const copy *c) {
    for (uint32_t i = 0; i < r->copies; i++) {
        const copy *old = &r->copy[i];
        const int is_same = old->variable == c->variable && old->at == c->at;
        if (is_same && (old->act->kind == c->act->kind || c->act->kind == PTX_ACT_LOAD)) {
            forget(r, i--);
        }
    }
    if (r->copies == MOST_COPIES) {
        forget(r, 0);
    }
    r->copy[r->copies++] = *c;
}

static void play_copy(player *r, const part *one) {
    uint64_t barrier = 0;
    copy c = {.act = one->act,
              .variable = one->variable,
              .bytes_B = one->act->bytes_B,
              .turn = r->turn,
              .barrier_of = PTX_NONE};
    if (!place_of(r, one, &c.at)) {
        return;
    }
    meet_touches(r, one, &c);
    if (one->act->kind == PTX_ACT_LOAD) {
        const uint32_t of = ptx_shared_variable(r->p->v, one->act->barrier);
        if (of == PTX_NONE ||
            !ptx_turner_number(&r->t, one->act, one->act->barrier, of, &barrier)) {
            return;
        }
        c.barrier_of = of;
        c.barrier = (uint32_t)barrier;
        load_over(r, one, &c);
    }
    remember(r, &c);
}

/* A wait: for loads on its barrier; one that is not known may be for any of them. What it waits for
 * may have been told by the thread that copies. */
static void play_wait(player *r, const part *one) {
    uint64_t number = 0;
    const int is_known =
        one->variable != PTX_NONE &&
        ptx_turner_number(&r->t, one->act, one->act->barrier, one->variable, &number);
    int is_loads = 0;
    for (uint32_t i = 0; i < r->copies; i++) {
        copy *c = &r->copy[i];
        const int is_for =
            !is_known || (c->barrier_of == one->variable && c->barrier == (uint32_t)number);
        if (c->act->kind == PTX_ACT_LOAD && is_for) {
            is_loads = is_known;
            c->one_knows = 1;
            c->others_waited = 1;
            c->all_know |= one->role == ALL;
        } else if (c->act->kind == PTX_ACT_STORE && one->role != ONE) {
            c->all_know |= c->one_knows;
        }
    }
    r->touches = is_loads ? r->touches : 0; /* what readers arrive on, perhaps */
}

static void play_sync(player *r) {
    for (uint32_t i = 0; i < r->copies; i++) {
        copy *c = &r->copy[i];
        c->one_knows |= c->others_waited;
        c->all_know |= c->one_knows;
    }
    r->touches = 0;
}

static void play_groups(player *r, const part *one) {
    uint64_t left = 0;
    const int commits = one->act->kind == PTX_ACT_COMMIT;
    r->groups += (uint32_t)commits;
    if (!commits && !ptx_value_number(r->p->v, one->act->number, &left)) {
        left = 0;
    }
    for (uint32_t i = 0; i < r->copies; i++) {
        copy *c = &r->copy[i];
        if (c->act->kind != PTX_ACT_STORE) {
            continue;
        }
        if (commits && !c->group) {
            c->group = r->groups;
        } else if (!commits && (!c->group || c->group + left <= r->groups)) {
            c->one_knows = 1;
        }
    }
}

static void play_access(player *r, const part *one) {
    uint32_t at = 0;
    if (one->role == SOME || !place_of(r, one, &at)) {
        return;
    }
    if (one->act->kind == PTX_ACT_READ) {
        read_at(r, one, at);
    } else {
        write_at(r, one, at);
    }
    if (one->role == ALL && r->touches < MOST_TOUCHES) {
        r->touch[r->touches++] = (touch){one->act, one->variable, at, r->turn};
    }
}

static void play_part(player *r, const part *one) {
    const ptx_act *a = one->act;
    if (one->syncs) {
        play_sync(r);
        return;
    }
    if (one->role == NONE) {
        return;
    }
    switch (a->kind) {
    case PTX_ACT_READ:
    case PTX_ACT_WRITE:
        play_access(r, one);
        break;
    case PTX_ACT_LOAD:
    case PTX_ACT_STORE:
        play_copy(r, one);
        break;
    case PTX_ACT_COMMIT:
    case PTX_ACT_WAIT_GROUP:
        play_groups(r, one);
        break;
    case PTX_ACT_AWAIT:
        if (a->traits & PTX_SPINS) {
            play_wait(r, one);
        }
        break;
    default:
        break;
    }
}

static void play(player *r, uint32_t loop) {
    r->of_warps = 0;
    if (!take_parts(r, loop)) {
        return;
    }
    begin(r, loop);
    for (r->turn = 0; r->turn < MOST_PLAYED && !r->said && !r->t.fails; r->turn++) {
        for (uint32_t i = 0; i < r->parts && !r->said; i++) {
            if (!ptx_turner_leaves_out(&r->t, r->part[i].act)) {
                play_part(r, &r->part[i]);
            }
        }
        if (ptx_turner_ends(&r->t) || !ptx_turner_go_on(&r->t)) {
            break;
        }
    }
}

void ptx_played_check(ptx_protocol *p) {
    const ptx_graph *g = p->v->g;
    player r = {.p = p};
    uint64_t blocks = 0;
    uint8_t *copies = ptx_memory_take(p->memory, (size_t)g->loops + 1, 1);
    r.part = ptx_memory_take(p->memory, (size_t)ptx_budget_most(PTX_BUDGET_PLAYED_ACTS) + 1,
                             sizeof(*r.part));
    r.touch = ptx_memory_take(p->memory, MOST_TOUCHES, sizeof(*r.touch));
    if (!copies || !r.part || !r.touch) {
        return;
    }
    for (uint32_t i = 0; i < p->acts; i++) {
        const uint32_t loop = is_copy(&p->act[i]) ? ptx_act_loop(p, &p->act[i]) : PTX_NONE;
        copies[loop == PTX_NONE ? g->loops : loop] = 1;
    }
    for (uint32_t loop = 0; loop < g->loops; loop++) {
        blocks += copies[loop] ? g->reached - g->node[g->loop[loop].head].order : 0;
        if (copies[loop] && ptx_can_judge(p, PTX_BUDGET_PLAYED, blocks)) {
            play(&r, loop);
            r.said = 0;
        }
    }
}
