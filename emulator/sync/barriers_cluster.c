/* SPDX-License-Identifier: Apache-2.0
 *
 * barrier.cluster: every thread of the cluster that lives arrives, then waits.
 */
#include "async.h"
#include "heap.h"
#include "order.h"
#include "run_report.h"
#include "sync.h"
#include "threads.h"
#include "tma/detail/assert.h"
#include "words.h"

typedef struct at_barrier { /* of a warp: masks of lanes */
    uint32_t arrived;       /* in the open phase */
    uint32_t released;      /* whose phase is complete, and that have not waited for it since */
} at_barrier;

typedef struct near_sync { /* what lanes that came .relaxed told their own CTA */
    emu_sync open, done;
} near_sync;

typedef struct barrier {
    uint32_t warps; /* of a CTA */
    emu_sync open, done;
    near_sync *near;   /* by rank; null: none came so */
    at_barrier warp[]; /* rank * warps + warp */
} barrier;

static barrier *barrier_of(emu_cta *cta) {
    emu_cluster *cluster = cta->cluster;
    if (!cluster->barrier) {
        barrier *b = emu_take(cta->machine, sizeof(barrier) + (size_t)cluster->ctas * cta->warps *
                                                                  sizeof(at_barrier));
        if (b) {
            b->warps = cta->warps;
        }
        cluster->barrier = b;
    }
    return cluster->barrier;
}

void emu_sync_cluster_ends(emu_machine *m, emu_cluster *cluster) {
    barrier *b = cluster->barrier;
    if (b) {
        order_sync_clear(m, &b->open);
        order_sync_clear(m, &b->done);
        for (uint32_t i = 0; b->near && i < cluster->ctas; i++) {
            order_sync_clear(m, &b->near[i].open);
            order_sync_clear(m, &b->near[i].done);
        }
        emu_give(m, b->near);
    }
    emu_give(m, b);
    cluster->barrier = NULL;
}

static void complete_if_all(emu_machine *m, emu_cluster *cluster, barrier *b) {
    uint32_t came = 0;
    for (uint32_t i = 0; i < cluster->ctas * b->warps; i++) {
        const emu_cta *cta = cluster->cta[i / b->warps];
        if (cta && cta->warp[i % b->warps].live & ~b->warp[i].arrived) {
            return;
        }
        came |= b->warp[i].arrived;
    }
    if (!came) {
        return;
    }
    for (uint32_t i = 0; i < cluster->ctas * b->warps; i++) {
        b->warp[i].released |= b->warp[i].arrived;
        b->warp[i].arrived = 0;
    }
    order_sync_copy(m, &b->done, &b->open);
    order_sync_clear(m, &b->open);
    for (uint32_t i = 0; b->near && i < cluster->ctas; i++) {
        order_sync_copy(m, &b->near[i].done, &b->near[i].open);
        order_sync_clear(m, &b->near[i].open);
    }
    emu_progress_near(m, cluster);
}

void emu_barriers_exited(emu_warp *w, uint32_t mask) {
    emu_cluster *cluster = w->cta->cluster;
    TMA_ASSERT(!(w->live & mask));
    (void)mask;
    emu_named_exited(w->cta);
    if (cluster->barrier) {
        complete_if_all(w->machine, cluster, cluster->barrier);
    }
}

/* The run goes on, as if the instruction did nothing: what that leads to is found, too. */
static void open_question(emu_warp *w, const emu_instruction *in, uint32_t lanes, int twice) {
    const emu_who who = {.in = in,
                         .cta = w->cta->index,
                         .thread = w->index * EMU_LANES + (uint32_t)__builtin_ctz(lanes),
                         .proxy = "generic",
                         .what = "barrier.cluster"};
    emu_report(w->machine, twice ? TMA_EMULATE_RULE_ARRIVE_BEYOND : TMA_EMULATE_RULE_ARRIVE_MISSING,
               1, &who, NULL,
               twice ? "a thread arrives twice at the cluster's barrier without waiting between: "
                       "PTX leaves open what happens"
                     : "a thread waits at the cluster's barrier without having arrived: PTX leaves "
                       "open what happens",
               twice ? "barrier.cluster.wait between the two" : "barrier.cluster.arrive before it");
}

/* The barrier of the warp's cluster, once the lanes that .aligned asks for are there. */
static emu_step come(emu_warp *w, const emu_instruction *in, uint32_t *mask, barrier **b) {
    *b = barrier_of(w->cta);
    if (emu_flag(in, EMU_FLAG_ALIGNED)) {
        const emu_step step = emu_together(w, in, mask, UINT32_MAX);
        if (step != EMU_NEXT) {
            return step;
        }
    }
    return *b ? EMU_NEXT : EMU_STOPPED;
}

/* A fence that holds the thread's own CTA alone tells that one. */
static void arrive_relaxed(emu_warp *w, uint32_t mask, barrier *b) {
    const uint32_t ctas = w->cta->cluster->ctas;
    order_release_fenced(w, mask, &b->open, ctas > 1);
    if (ctas > 1 && !b->near) {
        b->near = emu_take(w->machine, ctas * sizeof(near_sync));
    }
    if (b->near) {
        order_release_fenced(w, mask, &b->near[w->cta->rank].open, 0);
    }
}

static emu_step arrive(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    barrier *b;
    const emu_step step = come(w, in, &mask, &b);
    if (step != EMU_NEXT) {
        return step;
    }
    at_barrier *at = &b->warp[w->cta->rank * b->warps + w->index];
    const uint32_t twice = (at->arrived | at->released) & mask;
    if (twice) {
        open_question(w, in, twice, 1);
        mask &= ~twice;
        if (!mask) {
            return EMU_NEXT;
        }
    }
    at->arrived |= mask;
    if (in->order == EMU_RELAXED) {
        arrive_relaxed(w, mask, b);
    } else {
        order_release(w, mask, &b->open);
    }
    complete_if_all(w->machine, w->cta->cluster, b);
    return EMU_NEXT;
}

static emu_step wait_all(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    barrier *b;
    const emu_step step = come(w, in, &mask, &b);
    if (step != EMU_NEXT) {
        return step;
    }
    at_barrier *at = &b->warp[w->cta->rank * b->warps + w->index];
    const uint32_t fresh = mask & ~(at->arrived | at->released);
    if (fresh) {
        open_question(w, in, fresh, 0);
        mask &= ~fresh;
        if (!mask) {
            return EMU_NEXT;
        }
    }
    if (mask & ~at->released) {
        w->now->wait = EMU_WAITS_CLUSTER;
        w->now->number = 0;
        return EMU_BLOCKED;
    }
    at->released &= ~mask;
    order_acquire(w, mask, &b->done);
    if (b->near) {
        order_acquire(w, mask, &b->near[w->cta->rank].done);
    }
    return EMU_NEXT;
}

emu_run emu_choose_cluster(const emu_instruction *in) {
    return in->op == EMU_OP_CLUSTER_ARRIVE ? arrive : wait_all;
}
