/* SPDX-License-Identifier: Apache-2.0
 *
 * barrier-init, expect-missing, wait-missing: what happens to mbarriers.
 */
#include <string.h>

#include "protocol_rules.h"
#include "tma/detail/chars.h"

/* --- what a kernel does to a barrier anywhere --- */

int ptx_is_first_of_barrier(const ptx_protocol *p, uint32_t act) {
    for (ptx_meeting m = ptx_meeting_of(p, &p->act[act]); ptx_meeting_next(&m);) {
        const ptx_act *a = m.act;
        if (a == &p->act[act] || (a->kind == p->act[act].kind &&
                                  ptx_barriers_alike(p, a, &p->act[act]) != PTX_DIFFERENT)) {
            return a == &p->act[act];
        }
    }
    return 1;
}

static void say_never_awaited(ptx_protocol *p, const ptx_act *copy) {
    const ptx_act *reader = ptx_reader_of(p, copy);
    char where[32] = "";
    tma_out out = tma_out_into(where, sizeof(where));
    if (reader) {
        tma_putf(&out, "line %d, where ", ptx_act_line(p, reader));
    }
    ptx_protocol_say(
        p, PTX_RULE_WAIT_MISSING, p->many[PTX_ACT_READ] != 0, copy,
        reader ? reader : ptx_end_behind(p, copy),
        "completes on a barrier that the kernel never waits for: nothing says when "
        "its bytes are there. Put mbarrier.try_wait.parity in a loop before %sthey are "
        "read",
        where);
}

static int is_never_awaited(const ptx_protocol *p, const ptx_act *copy) {
    return ptx_barrier_is_whole(p, copy) &&
           ptx_barrier_anywhere(p, copy, PTX_ACT_AWAIT) == PTX_DIFFERENT;
}

static void check_copy(ptx_protocol *p, uint32_t i) {
    const ptx_act *copy = &p->act[i];
    const int expects_none = copy->traits & PTX_OF_PAIR && p->many[PTX_ACT_INIT] &&
                             !p->many[PTX_ACT_EXPECT] && !p->many[PTX_ACT_CALL]; /* in any CTA */
    const int is_whole = ptx_barrier_is_whole(p, copy);
    if (!ptx_is_first_of_barrier(p, i) || (!is_whole && !expects_none)) {
        return;
    }
    if (expects_none || ptx_barrier_anywhere(p, copy, PTX_ACT_EXPECT) == PTX_DIFFERENT) {
        ptx_protocol_say(p, PTX_RULE_EXPECT_MISSING, 1, copy,
                         ptx_on_barrier(p, copy, PTX_ACT_AWAIT),
                         "completes bytes on a barrier on which the kernel never expects any: a "
                         "phase ends by its arrivals alone, before the bytes are there. Put "
                         "mbarrier.arrive.expect_tx on it before the copy");
    }
    if (is_never_awaited(p, copy)) {
        say_never_awaited(p, copy);
    }
}

/* Whether a block may have more than one row of threads, so that %tid.x names no thread alone: its
 * size says so, or else that the kernel asks for the row. */
static int has_rows(const ptx_protocol *p) {
    const char *size = ptx_head_most(p, ".reqntid") ? ".reqntid" : ".maxntid";
    int has = ptx_head_product(p, size) != ptx_head_most(p, size);
    for (uint32_t i = 0; !ptx_head_most(p, size) && i < p->v->forms.atoms; i++) {
        const ptx_atom *a = &p->v->forms.atom[i];
        const tma_ptx_span name =
            ptx_span(a->kind == PTX_ATOM_SPECIAL ? ptx_special_name(a->a) : "");
        has |= ptx_begins(name, "%tid.y") || ptx_begins(name, "%tid.z");
    }
    return has;
}

/* Whether one thread of the CTA comes to an act, once. */
static int is_once(const ptx_protocol *p, const ptx_act *a) {
    return ptx_act_loop(p, a) == PTX_NONE && ptx_act_is_elected(p, a) &&
           !ptx_act_is_of_each_warp(p, a) && (p->is_one_thread || !has_rows(p));
}

/* The copy that brings all that comes to an expectation's barrier; null: there may be others. */
static const ptx_act *only_copy(const ptx_protocol *p, const ptx_act *expect) {
    const ptx_act *copy = NULL;
    for (ptx_meeting m = ptx_meeting_of(p, expect); ptx_meeting_next(&m);) {
        const ptx_act *a = m.act;
        const int brings = a->kind == PTX_ACT_LOAD || a->kind == PTX_ACT_REMOTE ||
                           ptx_begins(ptx_step_opcode(p->v->g, a->step), "mbarrier.complete_tx");
        const ptx_alike alike = a != expect && (brings || a->kind == PTX_ACT_EXPECT)
                                    ? ptx_barriers_alike(p, a, expect)
                                    : PTX_DIFFERENT;
        if (alike != PTX_DIFFERENT && (copy || alike != PTX_EQUAL || a->kind != PTX_ACT_LOAD ||
                                       ptx_reaches_others(p, a) || a->mask != PTX_UNKNOWN)) {
            return NULL;
        }
        copy = alike == PTX_EQUAL ? a : copy;
    }
    return copy && is_once(p, copy) && is_once(p, expect) ? copy : NULL;
}

/* Bytes of the only copy, which stands apart from what expects them. */
static void check_bytes(ptx_protocol *p, const ptx_act *expect) {
    uint64_t bytes_B = 0;
    const ptx_act *copy = ptx_value_number(p->v, expect->number, &bytes_B) && !p->many[PTX_ACT_CALL]
                              ? only_copy(p, expect)
                              : NULL;
    const ptx_site *site = copy ? ptx_step_site(p, &p->v->g->step[copy->step]) : NULL;
    bytes_B &= UINT32_MAX;
    if (site && site->has_bytes && site->bytes_B != bytes_B) {
        ptx_protocol_say_unless(p, PTX_RULE_EXPECT, 0, PTX_UNLESS_ACT, expect, copy,
                                "expects %" TMA_U64 " B, and line %d, the only copy on this "
                                "barrier, moves %" TMA_U64 " B. Expect %" TMA_U64 " B",
                                bytes_B, ptx_act_line(p, copy), site->bytes_B, site->bytes_B);
    }
}

static void check_expectation(ptx_protocol *p, uint32_t i) {
    const ptx_act *expect = &p->act[i];
    uint64_t bytes_B = 0;
    if (ptx_value_number(p->v, expect->number, &bytes_B) && !bytes_B) {
        return;
    }
    if (ptx_is_first_of_barrier(p, i) && ptx_barrier_is_whole(p, expect) &&
        !p->many[PTX_ACT_REMOTE] &&
        ptx_barrier_anywhere(p, expect, PTX_ACT_LOAD) == PTX_DIFFERENT && p->many[PTX_ACT_LOAD] &&
        ptx_barrier_anywhere(p, expect, PTX_ACT_ARRIVE) == PTX_DIFFERENT) {
        ptx_protocol_say(p, PTX_RULE_EXPECT_MISSING, 0, expect, NULL,
                         "expects bytes on a barrier on which no copy of the kernel completes: "
                         "unless another CTA's does, who waits for it waits forever");
    }
}

static int is_known(const ptx_protocol *p, ptx_value value, uint64_t number) {
    uint64_t is = 0;
    return ptx_value_number(p->v, value, &is) && is == number;
}

/* Whether a wait comes in several iterations of a loop, beside the one that it spins in itself. */
static int waits_again(const ptx_protocol *p, const ptx_act *wait) {
    const ptx_graph *g = p->v->g;
    const uint32_t loop = g->node[g->step[wait->step].block].loop;
    return loop != PTX_NONE && (!(wait->traits & PTX_SPINS) || g->loop[loop].parent != PTX_NONE);
}

ptx_wait_block ptx_wait_blocks(const ptx_protocol *p, const ptx_act *wait) {
    return is_known(p, wait->number, 0) ? PTX_WAIT_BLOCKS_AT_ONCE
           : waits_again(p, wait)       ? PTX_WAIT_BLOCKS_LATER
                                        : PTX_WAIT_PASSES;
}

static int arrives(const ptx_protocol *p, const ptx_act *wait) {
    for (ptx_meeting m = ptx_meeting_of(p, wait); ptx_meeting_next(&m);) {
        const ptx_act *a = m.act;
        if ((a->kind == PTX_ACT_ARRIVE || a->kind == PTX_ACT_REMOTE ||
             (a->kind == PTX_ACT_EXPECT && !(a->traits & PTX_ONLY_BYTES))) &&
            ptx_barriers_alike(p, a, wait) != PTX_DIFFERENT) {
            return 1;
        }
    }
    return 0;
}

/* Whether one of the barrier's waits may be for another phase than the one before its first, which
 * parity 1 asks for and which is over. */
static int is_awaited(const ptx_protocol *p, const ptx_act *wait) {
    for (ptx_meeting m = ptx_meeting_of(p, wait); ptx_meeting_next(&m);) {
        if (m.act->kind == PTX_ACT_AWAIT && !is_known(p, m.act->number, 1) &&
            ptx_barriers_alike(p, m.act, wait) != PTX_DIFFERENT) {
            return 1;
        }
    }
    return 0;
}

static void check_wait(ptx_protocol *p, uint32_t i) {
    const ptx_act *wait = &p->act[i];
    if (ptx_is_first_of_barrier(p, i) && ptx_barrier_is_whole(p, wait) && !arrives(p, wait) &&
        is_awaited(p, wait) && ptx_wait_blocks(p, wait)) {
        ptx_protocol_say(p, PTX_RULE_ARRIVE_MISSING, 1, wait, ptx_on_barrier(p, wait, PTX_ACT_INIT),
                         "waits for a barrier on which nothing ever arrives: its phase never "
                         "completes. Put mbarrier.arrive on it, or tcgen05.commit, where the "
                         "memory that it guards is no longer read");
    }
}

/* --- a load's bytes are read before its barrier is waited for --- */

enum { NOT_WAITED, OTHERS, WAITED, WAIT_PLANES };

/* What others may learn of a wait by. */
static int is_word(const ptx_act *a) {
    return a->kind == PTX_ACT_SYNC || a->kind == PTX_ACT_ARRIVE || a->kind == PTX_ACT_EXPECT ||
           a->kind == PTX_ACT_CALL || a->kind == PTX_ACT_PEER;
}

/* Whether no thread has waited for a copy when another one reads: no wait leads to the read, nor
 * to anything that tells others of it. */
static int is_read_first(const ptx_protocol *p, const ptx_act *copy, uint32_t read) {
    uint8_t *from = ptx_memory_take(p->memory, (size_t)p->acts + 1, 1);
    ptx_mark_waits(p, copy, from);
    const uint8_t *behind = from ? ptx_acts_reached(p, from, NULL, NULL) : NULL;
    for (uint32_t i = 0; behind && i < p->acts; i++) {
        if ((i == read || is_word(&p->act[i])) && behind[i]) {
            return 0;
        }
    }
    return behind && !ptx_is_signalled(p, &p->act[read]);
}

static int waits(ptx_protocol *p, const ptx_act *a, const ptx_act *copy) {
    return ptx_is_wait_for(p, a, copy);
}

static int is_brought(ptx_protocol *p, const ptx_act *read, const ptx_act *copy) {
    return ptx_acts_overlap(p, read, copy) == PTX_OVERLAPS ? PTX_SURE : PTX_NOT;
}

static int is_unawaited(ptx_protocol *p, const ptx_act *read, const ptx_act *copy) {
    (void)read;
    return copy->barrier != PTX_UNKNOWN && !is_never_awaited(p, copy);
}

static int is_unawaited_by_others(ptx_protocol *p, const ptx_act *read, const ptx_act *copy) {
    return is_unawaited(p, read, copy) && is_read_first(p, copy, (uint32_t)(read - p->act));
}

#define READ_EARLY(plane, which)                                                                   \
    {                                                                                              \
        .access = PTX_KIND(READ), .open = PTX_HERE(plane), .shut = PTX_EVER(WAITED), .is_last = 1, \
        .most = PTX_SURE, .rule = PTX_RULE_WAIT_MISSING, .unless = PTX_UNLESS_ACT,                 \
        .is = is_brought, .holds = (which),                                                        \
        .text = "line @ reads the bytes that this copy brings, and its barrier is not waited for " \
                "on any path from here to there. Put mbarrier.try_wait.parity on it in a loop "    \
                "before line @",                                                                   \
    }

static int may_cost_waits(ptx_protocol *p) {
    const uint64_t copies = (uint64_t)p->many[PTX_ACT_LOAD] + p->many[PTX_ACT_REMOTE];
    return ptx_can_judge(p, PTX_BUDGET_AWAIT, /* paths from a copy come to all acts */
                         p->acts * copies + p->pairs[PTX_ACT_EXPECT] + p->pairs[PTX_ACT_AWAIT]);
}

const ptx_paths ptx_rule_read_early = {
    .seeds = PTX_KIND(LOAD),
    .needs = PTX_KIND(READ),
    .asks = may_cost_waits,
    .planes = WAIT_PLANES,
    .stays_own = 1,
    .passing = {{PTX_KIND(SYNC), 0, PTX_HERE(NOT_WAITED), PTX_MOVES, OTHERS, NULL, NULL},
                {PTX_KIND(CALL), 0, PTX_BELOW(WAIT_PLANES), PTX_ENDS, 0, NULL, NULL},
                {PTX_KIND(AWAIT), 0, PTX_HERE(NOT_WAITED) | PTX_HERE(OTHERS), PTX_MOVES, WAITED,
                 waits, NULL}},
    .claim = {READ_EARLY(NOT_WAITED, is_unawaited), /* another thread may have waited: */
              READ_EARLY(OTHERS, is_unawaited_by_others)},
};

void ptx_await_check(ptx_protocol *p) {
    const uint32_t acts = may_cost_waits(p) ? p->acts : 0;
    for (uint32_t i = 0; i < acts; i++) {
        if (p->act[i].kind == PTX_ACT_LOAD || p->act[i].kind == PTX_ACT_REMOTE) {
            check_copy(p, i);
        } else if (p->act[i].kind == PTX_ACT_EXPECT) {
            check_expectation(p, i);
            check_bytes(p, &p->act[i]);
        } else if (p->act[i].kind == PTX_ACT_AWAIT) {
            check_wait(p, i);
        }
    }
}

void ptx_waiters_check(ptx_protocol *p) {
    const uint32_t acts = p->many[PTX_ACT_READ] && may_cost_waits(p) ? p->acts : 0;
    for (uint32_t i = 0; i < acts; i++) {
        if (p->act[i].kind == PTX_ACT_LOAD && ptx_is_first_of_barrier(p, i)) {
            ptx_waiters_of(p, &p->act[i]);
        }
    }
}

/* --- used with nothing between it and its initialisation --- */

enum { RAW, ORDERED, SHARED, CLUSTERED, WAITED_FOR, INVALIDATED, INIT_PLANES };

typedef struct init_context {
    uint32_t act[64]; /* + 1 */
    int rank[64];
} init_context;

/* Whether an act's barrier is the one that is initialised: always, or in some turn of its loop. */
static int is_on_init(const ptx_protocol *p, const ptx_act *a, const ptx_act *init) {
    const ptx_reach *x = &a->reach;
    const ptx_reach *y = &init->reach;
    return ptx_barriers_alike(p, a, init) == PTX_EQUAL ||
           (a->kind != PTX_ACT_INIT && x->base != PTX_UNKNOWN && x->base == y->base && x->step &&
            x->low <= y->low && y->high <= x->high &&
            ptx_barriers_alike(p, a, init) != PTX_DIFFERENT);
}

static int waits_for_init(ptx_protocol *p, const ptx_act *a, const ptx_act *init) {
    return is_on_init(p, a, init);
}

static int may_invalidate(ptx_protocol *p, const ptx_act *a, const ptx_act *init) {
    return ptx_barriers_alike(p, a, init) != PTX_DIFFERENT;
}

/* Whether a barrier joins all threads of the CTA, not those of one warp of several. */
static int joins(ptx_protocol *p, const ptx_act *sync, const ptx_act *init) {
    (void)init;
    return !(sync->traits & PTX_OF_WARP && p->has_warps);
}

static int joins_warp(ptx_protocol *p, const ptx_act *sync, const ptx_act *init) {
    return !joins(p, sync, init);
}

/* By block: whether it leads to a loop; the last one asked for is kept. */
static const uint8_t *leading_to(ptx_protocol *p, uint32_t loop) {
    const ptx_graph *g = p->v->g;
    if (!p->leads) {
        p->leads = ptx_memory_take(p->memory, (size_t)g->nodes + 1, 1);
        p->leads_todo = ptx_memory_take(p->memory, (size_t)g->nodes + 1, sizeof(uint32_t));
    }
    if (p->memory->failed || p->work < g->nodes) {
        return NULL;
    }
    if (p->leads_to != loop + 1) {
        p->work -= g->nodes;
        memset(p->leads, 0, g->nodes);
        p->leads[g->loop[loop].head] = 1;
        ptx_blocks_mark_leading(p, p->leads, p->leads_todo);
        p->leads_to = loop + 1;
    }
    return p->leads;
}

/* Whether the first turns of all loops around an act come to it, each where its loop has one, and
 * before the loops no barrier of threads stands, or none of the cluster. */
static int comes_unmet(ptx_protocol *p, const ptx_act *a, int of_cluster) {
    const ptx_graph *g = p->v->g;
    uint32_t block = ptx_act_block(p, a);
    uint32_t outer = PTX_NONE;
    for (uint32_t loop = ptx_act_loop(p, a); loop != PTX_NONE; loop = g->loop[loop].parent) {
        if (!ptx_comes_in_each_turn(p, block, loop)) {
            return 0;
        }
        block = g->loop[loop].head;
        outer = loop;
    }
    const uint8_t *leads = outer == PTX_NONE ? NULL : leading_to(p, outer);
    for (uint32_t i = 0; leads && i < p->acts; i++) {
        const uint16_t traits = p->act[i].traits;
        const uint32_t at = ptx_act_block(p, &p->act[i]);
        if (p->act[i].kind == PTX_ACT_SYNC && !(traits & PTX_OF_WARP) &&
            (traits & PTX_OF_CLUSTER || !of_cluster) && leads[at] &&
            !ptx_block_in_loop(g, at, outer)) {
            return 0;
        }
    }
    return leads != NULL;
}

/* Whether threads wait for a barrier that one thread has initialised. 1: in a first turn */
static int waits_unmet(ptx_protocol *p, const ptx_act *init, const ptx_act *a, int is_alone) {
    if (!ptx_act_is_elected(p, init) || ptx_act_is_elected(p, a) || ptx_is_signalled(p, a)) {
        return 0;
    }
    return is_alone ? 2 : comes_unmet(p, a, 0);
}

/* What an act does wrongly with a barrier that another one initialised. 0: nothing; 1: may; 2 */
static int wrong_use(const ptx_flood *f, uint32_t bit, const ptx_act *a, const uint64_t *plane) {
    const ptx_act *init = &f->p->act[f->seed[bit]];
    const uint64_t clustered = ptx_flood_bits(f, plane, CLUSTERED);
    const uint64_t shared = ptx_flood_bits(f, plane, SHARED) | clustered;
    const uint64_t later = ptx_flood_bits(f, plane, WAITED_FOR);
    const int is_raw =
        (plane[RAW] & ~ptx_flood_bits(f, plane, ORDERED) & ~shared & ~later) >> bit & 1;
    const int is_alone = ((plane[RAW] | plane[ORDERED]) & ~shared) >> bit & 1;
    if (ptx_reaches_others(f->p, a) && !(clustered >> bit & 1)) {
        const uint64_t open = plane[RAW] | plane[ORDERED] | plane[SHARED];
        const int is = (open & ~later) >> bit & 1         ? 2
                       : open >> bit & 1 && a->reach.step ? comes_unmet(f->p, a, 1)
                                                          : 0;
        return ptx_is_of_several(f->p) || !(a->traits & PTX_TO_FIRST) ? is : 0;
    }
    if (a->kind == PTX_ACT_ARRIVE || a->kind == PTX_ACT_REMOTE) {
        return 0;
    }
    if (a->kind == PTX_ACT_LOAD) {
        return is_raw;
    }
    if (a->kind == PTX_ACT_AWAIT) {
        return (plane[RAW] | plane[ORDERED]) >> bit & 1 ? waits_unmet(f->p, init, a, is_alone) : 0;
    }
    const int is_open =
        is_alone || (plane[SHARED] | plane[CLUSTERED] | plane[WAITED_FOR]) >> bit & 1;
    const int is_ended = ptx_flood_bits(f, plane, INVALIDATED) >> bit & 1; /* on some way */
    return is_open && !is_ended ? 2 : 0;
}

static void hit_init(ptx_flood *f, uint32_t act, const uint64_t *plane) {
    init_context *c = f->context;
    const ptx_act *a = &f->p->act[act];
    if (a->kind != PTX_ACT_LOAD && a->kind != PTX_ACT_AWAIT && a->kind != PTX_ACT_INIT &&
        a->kind != PTX_ACT_ARRIVE && a->kind != PTX_ACT_REMOTE) {
        return;
    }
    const uint64_t live = ptx_flood_below(f, plane, INVALIDATED); /* of others no use is wrong */
    for (uint32_t i = 0; live && i < f->seeds; i++) {
        if (live >> i & 1 && is_on_init(f->p, a, &f->p->act[f->seed[i]])) {
            const int wrong = wrong_use(f, i, a, plane);
            if (wrong > c->rank[i]) {
                c->act[i] = act + 1;
                c->rank[i] = wrong;
            }
        }
    }
}

static void say_init(const ptx_flood *f, const ptx_act *init, const ptx_act *use, uint32_t more,
                     int is_sure) {
    const int line = ptx_act_line(f->p, use);
    char others[64] = "";
    tma_out out = tma_out_into(others, sizeof(others));
    if (more) {
        tma_putf(&out, " (and so with %u more barrier%s)", more, text_plural(more));
    }
    if (ptx_reaches_others(f->p, use)) {
        const int has_others = ptx_act_has_others(f->p, use);
        ptx_protocol_say(f->p, PTX_RULE_BARRIER_INIT, has_others && is_sure, init, use,
                         "line %d reaches the same barrier of other CTAs of the cluster, which may "
                         "not have initialised theirs: no barrier of the cluster is between%s. "
                         "Put fence.mbarrier_init.release.cluster, barrier.cluster.arrive and "
                         "barrier.cluster.wait after the initialisation",
                         line,
                         has_others ? "" : " (whether the cluster has other CTAs is not known)");
    } else if (use->kind == PTX_ACT_LOAD) {
        ptx_protocol_say(f->p, PTX_RULE_BARRIER_INIT, 0, init, use,
                         "the copy at line %d completes on it%s, and no fence.mbarrier_init, "
                         "fence.proxy.async or barrier is between: whether the copy may find "
                         "it as it was before is not documented. Put "
                         "fence.mbarrier_init.release.cluster after the initialisation",
                         line, others);
    } else if (use->kind == PTX_ACT_AWAIT) {
        ptx_protocol_say(f->p, PTX_RULE_BARRIER_INIT, is_sure, init, use,
                         "other threads wait for it at line %d, and no barrier is between the "
                         "initialisation, which one thread does, and %s. Put bar.sync 0 after "
                         "it (and fence.mbarrier_init.release.cluster before the first copy)",
                         line, is_sure ? "them" : "the first iteration there, if it has one");
    } else {
        ptx_protocol_say(f->p, PTX_RULE_BARRIER_INIT, 1, init, use,
                         "line %d initialises it again, and no mbarrier.inval is between. Put "
                         "mbarrier.inval before the second initialisation, or initialise once",
                         line);
    }
}

static void end_init(ptx_flood *f) {
    const init_context *c = f->context;
    uint32_t first = PTX_NONE; /* may is said once */
    uint32_t more = 0;
    for (uint32_t i = 0; i < f->seeds; i++) {
        if (c->rank[i] == 2) {
            say_init(f, &f->p->act[f->seed[i]], &f->p->act[c->act[i] - 1], 0, 1);
        } else if (c->rank[i]) {
            more += first != PTX_NONE;
            first = first == PTX_NONE ? i : first;
        }
    }
    if (first != PTX_NONE) {
        say_init(f, &f->p->act[f->seed[first]], &f->p->act[c->act[first] - 1], more, 0);
    }
}

const ptx_paths ptx_rule_used_raw = {
    .seeds = PTX_KIND(INIT),
    .needs = PTX_KIND(LOAD) | PTX_KIND(REMOTE) | PTX_KIND(PEER),
    .planes = INIT_PLANES,
    .stays_own = 1,
    .hit = hit_init,
    .end = end_init,
    .passing = {{PTX_KIND(AWAIT), 0, PTX_BELOW(WAITED_FOR), PTX_MOVES, WAITED_FOR, waits_for_init,
                 NULL}, /* later turns */
                {PTX_KIND(FENCE) | PTX_KIND(FENCE_ASYNC), 0, PTX_HERE(RAW), PTX_MOVES, ORDERED,
                 NULL, NULL},
                {PTX_KIND(SYNC), 0, PTX_HERE(RAW), PTX_MOVES, ORDERED, joins_warp, NULL},
                {PTX_KIND(SYNC), 0, PTX_HERE(RAW) | PTX_HERE(ORDERED), PTX_MOVES, SHARED, joins,
                 NULL},
                {PTX_KIND(SYNC), PTX_OF_CLUSTER, PTX_HERE(SHARED), PTX_MOVES, CLUSTERED, NULL,
                 NULL},
                {PTX_KIND(CALL), 0, PTX_BELOW(INIT_PLANES), PTX_ENDS, 0, NULL, NULL},
                {PTX_KIND(INVAL), 0, PTX_BELOW(INVALIDATED), PTX_MOVES, INVALIDATED, may_invalidate,
                 NULL}},
};

typedef struct unmet {
    ptx_protocol *p;
    uint8_t *marked;   /* by act: what tells of other threads */
    const uint8_t *is; /* by act: some way leads there from one of them */
} unmet;

/* Whether two barriers may be one, as far as their ring says. */
static int are_of_one_ring(const ptx_protocol *p, const ptx_act *use, const ptx_act *init) {
    return use->reach.step && use->reach.base != PTX_UNKNOWN &&
           (use->reach.base == init->reach.base ||
            ptx_shared_variable(p->v, use->barrier) == ptx_shared_variable(p->v, init->barrier)) &&
           ptx_barriers_alike(p, use, init) == PTX_MAYBE;
}

/* A use of a barrier that another thread initialises, with nothing before it. 2: nothing can be
 * there; 1: on some way nothing is */
static int is_unmet(const unmet *u, uint32_t act) {
    const ptx_act *use = &u->p->act[act];
    if ((use->kind == PTX_ACT_LOAD || use->kind == PTX_ACT_EXPECT) &&
        ptx_act_is_elected(u->p, use) && !u->is[act]) {
        return 2;
    }
    const ptx_mark room = ptx_memory_mark(u->p->memory);
    const uint8_t *comes =
        use->kind == PTX_ACT_AWAIT && use->traits & PTX_SPINS && !ptx_is_signalled(u->p, use)
            ? ptx_acts_reached(u->p, NULL, u->marked, use)
            : NULL;
    const int is = comes && comes[act];
    ptx_memory_back(u->p->memory, room);
    return is;
}

/* One thread uses a barrier that another one initialises. 1: that is said. */
static int check_unmet(ptx_protocol *p, const ptx_act *use, int unmet) {
    for (ptx_meeting m = ptx_meeting_of(p, use); ptx_meeting_next(&m);) {
        const ptx_act *init = m.act;
        if (init->kind != PTX_ACT_INIT || !ptx_act_is_elected(p, init) ||
            (ptx_barriers_alike(p, use, init) != PTX_EQUAL &&
             (unmet == 2 || !are_of_one_ring(p, use, init))) ||
            !ptx_acts_exclude(p, use, init)) {
            continue;
        }
        const int line = ptx_act_line(p, use);
        ptx_protocol_say_unless(p, PTX_RULE_BARRIER_INIT, unmet == 2, PTX_UNLESS_KERNEL, init, use,
                                "another thread uses it at line %d, and no barrier %s between the "
                                "initialisation and there%s. Put bar.sync 0 before line %d, in all "
                                "threads",
                                line, unmet == 2 ? "can be" : "is",
                                unmet == 2 ? "" : ", where its loop has an iteration", line);
        return 1;
    }
    return 0;
}

static void check_other_thread(ptx_protocol *p) {
    unmet u = {.p = p, .marked = ptx_memory_take(p->memory, (size_t)p->acts + 1, 1)};
    for (uint32_t i = 0; u.marked && i < p->acts; i++) {
        const uint8_t kind = p->act[i].kind;
        u.marked[i] = kind == PTX_ACT_SYNC || kind == PTX_ACT_CALL || kind == PTX_ACT_AWAIT;
    }
    u.is = u.marked ? ptx_acts_reached(p, u.marked, NULL, NULL) : NULL;
    for (uint32_t i = 0; u.is && i < p->acts; i++) {
        const int is = is_unmet(&u, i);
        if (is && check_unmet(p, &p->act[i], is)) {
            return;
        }
    }
}

void ptx_init_check(ptx_protocol *p) {
    if (p->many[PTX_ACT_INIT] &&
        p->many[PTX_ACT_LOAD] + p->many[PTX_ACT_REMOTE] + p->many[PTX_ACT_PEER] &&
        ptx_can_judge(p, PTX_BUDGET_INIT, (uint64_t)p->acts * p->many[PTX_ACT_INIT]) &&
        ptx_can_judge(p, PTX_BUDGET_INIT_WAITS,
                      (uint64_t)p->v->g->nodes * p->many[PTX_ACT_AWAIT])) {
        check_other_thread(p);
    }
}
