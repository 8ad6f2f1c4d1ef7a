/* SPDX-License-Identifier: Apache-2.0
 *
 * proxy-store: generic writes that reach a bulk store with no fence.proxy.async on the way; and
 * proxy-load: generic accesses that a bulk load may overtake.
 */
#include "protocol_rules.h"

/* Backwards from the copy. */
enum {
    DIRECT,      /* nothing between */
    FENCED_LATE, /* a fence, no barrier between it and the copy: its own thread's alone */

    SYNCED,       /* a barrier, no fence: from here on any thread's way */
    LATE_SYNCED,  /* a fence behind the barrier */
    FENCED_OTHER, /* a fence that counts, beyond a barrier */
    FENCED_ALONE, /* likewise, which one thread alone runs: for its own writes */
    FENCED_SOME,  /* likewise, which some threads alone run */

    BEYOND, /* another copy, on some way: what is written before it may be that one's */
    LOADED, /* a wait for an mbarrier, on some way: a load may have brought bytes since */
    PLANES
};
#define CROSSED SYNCED
#define MEETS   (PTX_KIND(SYNC) | PTX_KIND(AWAIT)) /* threads do */

#define CERTAIN 3

typedef struct found {
    uint32_t act; /* + 1 */
    int rank;     /* more is better shown: rank_of() */
} found;

typedef struct store_context {
    found best[64];
    uint64_t fenced_open;  /* a fenced write may be what the copy moves */
    uint64_t near;         /* the best one is written behind all other copies */
    uint64_t alone;        /* a fence is there, of one thread alone */
    uint64_t some;         /* likewise, of some */
    uint32_t fence[2][64]; /* the last one of some threads alone, + 1; of this turn, of others */
} store_context;

static void pass_fence(ptx_flood *f, uint32_t act, uint64_t *plane) {
    store_context *c = f->context;
    const ptx_act *a = &f->p->act[act];
    const uint64_t sure = ptx_flood_surely(f, a);
    const int is_alone = ptx_act_is_elected(f->p, a);
    const int is_some = !is_alone && ptx_act_is_limited(f->p, a);
    const uint32_t to = is_alone ? FENCED_ALONE : is_some ? FENCED_SOME : FENCED_OTHER;
    for (uint32_t i = 0; is_some && i < 2 * f->seeds; i++) {
        uint32_t *fence = &c->fence[i % 2][i / 2];
        *fence = plane[i % 2 * f->planes + SYNCED] >> (i / 2) & 1 ? act + 1 : *fence;
    }
    for (uint32_t i = 0; i < 2 * f->planes; i += f->planes) {
        const uint64_t direct = plane[i + DIRECT];
        const uint64_t synced = plane[i + SYNCED];
        plane[i + FENCED_LATE] |= direct;
        plane[i + DIRECT] &= ~sure;
        plane[i + to] |= synced;
        plane[i + SYNCED] &= a->is_guarded ? UINT64_MAX : 0; /* another thread may not run it */
        if (!is_alone) {
            plane[i + FENCED_OTHER] |= plane[i + LATE_SYNCED];
            plane[i + LATE_SYNCED] &= a->is_guarded ? UINT64_MAX : 0;
        }
    }
}

/* Whether a fence of one thread alone counts for a write: it is that thread's. */
static int counts_alone(const ptx_flood *f, const ptx_act *write, const uint64_t *plane) {
    return ptx_flood_bits(f, plane, FENCED_ALONE) && ptx_act_is_elected(f->p, write);
}

/* Whether a bulk load may bring what a matrix descriptor names. */
static int may_be_loaded(const ptx_protocol *p, const ptx_act *fetch) {
    const uint32_t variable = ptx_shared_variable(p->v, fetch->number);
    for (uint32_t i = 0; i < p->acts; i++) {
        if (p->act[i].kind == PTX_ACT_LOAD) {
            const uint32_t into = ptx_shared_variable(p->v, p->act[i].at);
            if (into == PTX_NONE || into == variable) {
                return 1;
            }
        }
    }
    return p->many[PTX_ACT_REMOTE] != 0;
}

/* Where a copy, or what a descriptor names, begins in the first turns of loops, the variable at
 * PTX_PLACE_B. 0: not known. */
static int begins_at(const ptx_protocol *p, const ptx_act *a, uint32_t variable, int64_t *at) {
    const int is_fetch = a->kind == PTX_ACT_FETCH;
    ptx_first t = {.p = p, .around = PTX_NONE, .variable = variable, .address = PTX_PLACE_B};
    uint64_t bits = 0;
    t.thread = ptx_act_thread(p, a);
    t.follows = 1;
    t.first_cta = 1;
    if (!ptx_value_first(&t, is_fetch ? a->number : a->at, &bits)) {
        return 0;
    }
    *at = is_fetch ? (int64_t)ptx_descriptor_place(bits) : (int64_t)(uint32_t)bits;
    return 1;
}

/* The last stage of a load that begins at or before a place, in the variable: *stage, and *tile_B
 * as far as it is known. 0: that is not known; *stage stays where there is none. */
static int stage_before(const ptx_protocol *p, const ptx_act *load, uint32_t variable, int64_t at,
                        int64_t *stage, int64_t *tile_B) {
    const uint32_t into = ptx_shared_variable(p->v, load->at);
    const ptx_reach reach = ptx_reach_of(p, load->at);
    const int64_t step_B = reach.step > INT32_MAX ? 0 : (int64_t)reach.step;
    int64_t begin = 0;
    if (into != PTX_NONE && into != variable) {
        return 1;
    }
    if (into == PTX_NONE || reach.base == PTX_UNKNOWN || !begins_at(p, load, variable, &begin)) {
        return 0;
    }
    if (step_B && begin <= at) {
        const int64_t beyond = (at - begin) / step_B;
        const int64_t stages = (reach.high - reach.low) / step_B;
        begin += (beyond < stages ? beyond : stages) * step_B;
    }
    if (begin <= at && begin >= *stage) {
        *stage = begin;
        *tile_B = load->bytes_B ? (int64_t)load->bytes_B : step_B;
    }
    return 1;
}

/* The last stage that begins before it ends where the next one would begin. */
static int is_beside_loads(const ptx_protocol *p, const ptx_act *fetch) {
    const uint32_t variable = ptx_shared_variable(p->v, fetch->number);
    int64_t at = 0;
    int64_t stage = -1;
    int64_t tile_B = 0;
    if (p->many[PTX_ACT_REMOTE] || variable == PTX_NONE || !begins_at(p, fetch, variable, &at)) {
        return 0;
    }
    for (uint32_t i = 0; i < p->acts; i++) {
        if (p->act[i].kind == PTX_ACT_LOAD &&
            !stage_before(p, &p->act[i], variable, at, &stage, &tile_B)) {
            return 0;
        }
    }
    return stage < 0 || (tile_B && at - stage >= tile_B);
}

/* Whether some thread writes and does not come to the fence that some threads alone run. */
static int lacks_some(const ptx_flood *f, uint32_t bit, int here, const ptx_act *write) {
    const uint32_t fence = ((const store_context *)f->context)->fence[!here][bit];
    return fence && ptx_act_goes_without(f->p, write, &f->p->act[fence - 1]);
}

/* The ways that count: those of this turn of the loops around the copy, or the others. */
static const uint64_t *half_of(const ptx_flood *f, uint64_t one, uint64_t alone,
                               const uint64_t *plane) {
    const uint64_t here =
        plane[DIRECT] | plane[SYNCED] | plane[LATE_SYNCED] | (plane[FENCED_ALONE] & ~alone);
    return here & one ? plane : plane + f->planes;
}

/* 0: nothing is said; 1 may, the fence stands too late; 2 may, the bytes are not known; CERTAIN.
 * What a way meets in another turn of the loop that the copy is in is another story. */
static int rank_of(const ptx_flood *f, uint32_t bit, const ptx_act *write, const uint64_t *plane,
                   int *is_some) {
    const uint64_t one = UINT64_C(1) << bit;
    const ptx_act *copy = &f->p->act[f->seed[bit]];
    const uint64_t alone = counts_alone(f, write, plane) ? UINT64_MAX : 0;
    const uint64_t *half = half_of(f, one, alone, plane);
    const int here = half == plane;
    *is_some = (half[FENCED_SOME] & one) != 0;
    /* The documents ask for a fence between cp.async and an MMA, too. Triton's products of pointers
     * have none, and no chip was seen to need it: tma emulate has a note there. */
    if (write->traits & PTX_BY_CP_ASYNC && copy->kind == PTX_ACT_FETCH) {
        return 0;
    }
    const int is_left = *is_some && lacks_some(f, bit, here, write);
    const int is_bare = ((half[DIRECT] | half[SYNCED] | (half[FENCED_ALONE] & ~alone)) & one) != 0;
    const int is_late = (half[LATE_SYNCED] & one) != 0;
    const int is_fenced =
        ((half[FENCED_OTHER] | half[FENCED_LATE] | (half[FENCED_ALONE] & alone)) & one) != 0;
    if ((!is_bare && !is_late) || is_fenced || (*is_some && !is_left)) {
        return 0;
    }
    const ptx_overlap overlap = ptx_acts_overlap(f->p, write, copy);
    if (overlap == PTX_APART || ptx_acts_same_thread(f->p, write, copy) > is_bare) {
        return 0;
    }
    if (copy->kind == PTX_ACT_FETCH &&
        (!is_bare || !here || is_late ||
         (half[LOADED] & one && may_be_loaded(f->p, copy) && !is_beside_loads(f->p, copy)))) {
        return 0; /* a load may have brought what is read */
    }
    const int is_sure = overlap == PTX_OVERLAPS && here && !is_late && !*is_some &&
                        !(copy->kind == PTX_ACT_FETCH && may_be_loaded(f->p, copy));
    if (copy->kind == PTX_ACT_LOAD && !(here && overlap == PTX_OVERLAPS && !*is_some)) {
        return 0; /* a stage that is written for one use is loaded for the next one */
    }
    return !is_bare ? 1 : is_sure ? CERTAIN : 2;
}

static void hit_store(ptx_flood *f, uint32_t act, const uint64_t *plane) {
    store_context *c = f->context;
    const ptx_act *a = &f->p->act[act];
    if (a->kind != PTX_ACT_WRITE) {
        return;
    }
    const uint64_t any = ptx_flood_below(f, plane, BEYOND);
    for (uint32_t i = 0; i < f->seeds; i++) {
        const uint64_t one = UINT64_C(1) << i;
        int is_some = 0;
        const uint64_t is_near = ~ptx_flood_bits(f, plane, BEYOND) & one;
        if (!(any & one) || (c->best[i].rank == CERTAIN && (c->near & one || !is_near))) {
            continue; /* nothing comes before that one */
        }
        const int rank = rank_of(f, i, a, plane, &is_some);
        if (rank > c->best[i].rank || (rank == c->best[i].rank && rank && is_near & ~c->near)) {
            c->best[i] = (found){act + 1, rank};
            c->near = (c->near & ~one) | is_near;
            c->alone = (c->alone & ~one) | (ptx_flood_bits(f, plane, FENCED_ALONE) & one);
            c->some = (c->some & ~one) | (is_some ? one : 0);
        }
        if (((plane[FENCED_OTHER] | plane[FENCED_LATE]) & one) &&
            ptx_acts_overlap(f->p, a, &f->p->act[f->seed[i]]) != PTX_APART) {
            c->fenced_open |= one;
        }
    }
}

/* Why no fence counts. */
static const char *why(const store_context *c, uint32_t bit, int is_load) {
    return c->best[bit].rank == 1
               ? "the fence.proxy.async is after the barrier, in the thread that "
                 "copies; whether it counts for other threads' writes is not "
                 "documented (an H200 was content with it)"
           : c->some >> bit & 1  ? "some threads alone run the fence.proxy.async between, and "
                                   "others write, too"
           : c->alone >> bit & 1 ? "one thread alone runs the fence.proxy.async between, and "
                                   "others write"
           : c->best[bit].rank != CERTAIN ? "no fence.proxy.async is on a path from there to here"
           : is_load ? "no fence.proxy.async is on any path from there to here, and the write may "
                       "land after the copy's bytes"
                     : "no fence.proxy.async is on any path from there to here";
}

static void say_store(ptx_flood *f, uint32_t bit) {
    const store_context *c = f->context;
    const ptx_act *copy = &f->p->act[f->seed[bit]];
    const ptx_act *write = &f->p->act[c->best[bit].act - 1];
    const int is_load = copy->kind == PTX_ACT_LOAD;
    const int is_sure = c->best[bit].rank == CERTAIN;
    const int is_late = c->best[bit].rank == 1;
    const int line = ptx_act_line(f->p, write);
    ptx_protocol_say_unless(
        f->p, is_load ? PTX_RULE_PROXY_LOAD : PTX_RULE_PROXY_STORE, is_sure,
        is_load ? PTX_UNLESS_ACT : PTX_UNLESS_NONE, copy, write,
        "%s line %d writes %s: %s%s. Put fence.proxy.async.shared::cta after line %d, %sbefore "
        "the barrier",
        is_load   ? "loads over what"
        : is_sure ? "reads shared memory as it was before"
                  : "may read shared memory as it was before",
        line, is_load ? "through the generic proxy" : "it", why(c, bit, is_load),
        is_sure || is_late || c->some >> bit & 1 ? ""
                                                 : " (whether the bytes are the same is not known)",
        line, is_late ? "" : "in each thread that writes, ");
}

static void end_store(ptx_flood *f) {
    const store_context *c = f->context;
    for (uint32_t i = 0; i < f->seeds; i++) {
        const int is_open = c->best[i].rank == 2 && (c->fenced_open & ~c->near) >> i & 1;
        int is_said = 0; /* may is said once of a write */
        for (uint32_t k = 0; k < i && c->best[i].rank < CERTAIN; k++) {
            is_said |= c->best[k].act == c->best[i].act;
        }
        const uint8_t late = f->p->act[f->seed[i]].kind == PTX_ACT_LOAD ? 2 : 1;
        is_said |= c->best[i].rank == 1 && f->p->is_late_said & late;
        if (c->best[i].rank && !is_open && !is_said) {
            f->p->is_late_said |= c->best[i].rank == 1 ? late : 0;
            say_store(f, i);
        }
    }
}

/* One kind of access: what reads or writes shared memory through the async proxy. */
const ptx_paths ptx_rule_proxies = {
    .seeds = PTX_KIND(STORE) | PTX_KIND(SEND) | PTX_KIND(FETCH) | PTX_KIND(LOAD),
    .needs = PTX_KIND(WRITE),
    .planes = PLANES,
    .crossed = CROSSED,
    .backwards = 1,
    .by_turn = 1,
    .hit = hit_store,
    .end = end_store,
    .passing = {{.kinds = PTX_KIND(FENCE_ASYNC), .by = pass_fence},
                {PTX_KIND(AWAIT), 0, PTX_BELOW(BEYOND), PTX_ADDS, LOADED, NULL, NULL},
                {MEETS, 0, PTX_HERE(DIRECT), PTX_MOVES, SYNCED, NULL, NULL},
                {MEETS, 0, PTX_HERE(FENCED_LATE) | PTX_HERE(FENCED_ALONE), PTX_MOVES, LATE_SYNCED,
                 NULL, NULL}, /* a fence of one thread alone is behind this one */
                {PTX_KIND(STORE), 0, PTX_BELOW(BEYOND), PTX_ADDS, BEYOND, NULL, NULL},
                {PTX_KIND(CALL), 0, PTX_BELOW(PLANES), PTX_ENDS, 0, NULL, NULL}},
};

/* --- accesses of other threads that no barrier keeps before a copy --- */

enum { NO_SYNC, AFTER_SYNC, SYNC_PLANES };

static int is_of_others(ptx_protocol *p, const ptx_act *a, const ptx_act *copy) {
    return ptx_act_is_elected(p, copy) && !ptx_act_is_elected(p, a) &&
                   ptx_acts_overlap(p, a, copy) == PTX_OVERLAPS
               ? PTX_SURE
               : PTX_NOT;
}

/* They may come to it after the copy. */
static int may_come_later(ptx_protocol *p, const ptx_act *a, const ptx_act *copy) {
    return p->has_warps && is_of_others(p, a, copy) && ptx_act_goes_without(p, a, copy) ? PTX_MAY
                                                                                        : PTX_NOT;
}

const ptx_paths ptx_rule_loaded_over = {
    .seeds = PTX_KIND(LOAD),
    .needs = PTX_KIND(READ) | PTX_KIND(WRITE),
    .planes = SYNC_PLANES,
    .backwards = 1,
    .passing = {{MEETS | PTX_KIND(CALL), 0, PTX_HERE(NO_SYNC), PTX_MOVES, AFTER_SYNC, NULL, NULL}},
    .claim = {{.access = PTX_KIND(READ) | PTX_KIND(WRITE),
               .open = PTX_HERE(NO_SYNC),
               .shut = PTX_EVER(AFTER_SYNC),
               .is_last = 1,
               .most = PTX_SURE,
               .rule = PTX_RULE_PROXY_LOAD,
               .is = is_of_others,
               .text = "overwrites shared memory that other threads still ~ at line @: no barrier "
                       "is on any path from there to here. Put bar.sync, or a wait for an mbarrier "
                       "that they arrive on, between"}},
};

const ptx_paths ptx_rule_stored_unmet = {
    .seeds = PTX_KIND(STORE),
    .needs = PTX_KIND(WRITE),
    .planes = SYNC_PLANES,
    .backwards = 1,
    .by_turn = 1,
    .passing = {{MEETS | PTX_KIND(CALL), 0, PTX_HERE(NO_SYNC), PTX_MOVES, AFTER_SYNC, NULL, NULL}},
    .claim = {{.access = PTX_KIND(WRITE),
               .open = PTX_HERE(NO_SYNC),
               .shut = PTX_HERE(AFTER_SYNC),
               .is_last = 1,
               .most = PTX_MAY,
               .rule = PTX_RULE_PROXY_STORE,
               .unless = PTX_UNLESS_ACT,
               .is = may_come_later,
               .text = "one thread copies what other threads write at line @, and no barrier is on "
                       "any path from there to here in the same iteration: they may come there "
                       "later (whether the CTA has other warps is not known). Put "
                       "fence.proxy.async.shared::cta in each thread that writes, then bar.sync, "
                       "before the copy"}},
};
