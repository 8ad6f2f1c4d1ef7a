/* SPDX-License-Identifier: Apache-2.0
 *
 * bar and barrier: the 16 named barriers of a CTA. Warps arrive, not threads: a warp has arrived
 * once all its lanes that live have, and counts as 32. One that arrives and then waits in the same
 * phase counts twice. Lanes of .aligned forms come together before; of the others each comes by
 * itself. bar.warp.sync.
 */
#include "access.h"
#include "async.h"
#include "heap.h"
#include "order.h"
#include "run_report.h"
#include "sync.h"
#include "threads.h"
#include "tma/detail/assert.h"
#include "warp.h"
#include "words.h"

#define NAMED 16u

/* What a warp has at one barrier: masks of lanes. */
typedef struct at_barrier {
    uint32_t times;          /* how often all its lanes have arrived in the open phase */
    uint32_t arrived;        /* since, of those for the next time */
    uint32_t waits;          /* that wait for the phase's end */
    uint32_t released;       /* whose phase is complete, and that have not been executed since */
    uint32_t popc, all, any; /* what .red gives to the released ones */
} at_barrier;

typedef struct named {
    uint32_t threads; /* the count that was named in the open phase; 0: none, all that live */
    uint32_t popc;    /* predicates in the open phase: how many were true */
    uint32_t falses;  /* and false */
    emu_sync open;
} named;

typedef struct barriers {
    named at[NAMED];
    at_barrier warp[]; /* warp * NAMED + barrier */
} barriers;

static barriers *barriers_of(emu_cta *cta) {
    if (!cta->barriers) {
        cta->barriers = emu_take(cta->machine, sizeof(barriers) +
                                                   (size_t)cta->warps * NAMED * sizeof(at_barrier));
    }
    return cta->barriers;
}

void emu_barriers_end(emu_cta *cta) {
    barriers *all = cta->barriers;
    for (uint32_t i = 0; all && i < NAMED; i++) {
        order_sync_clear(cta->machine, &all->at[i].open);
    }
    emu_give(cta->machine, all);
    cta->barriers = NULL;
}

static at_barrier *of_warp(barriers *all, uint32_t warp, uint32_t number) {
    return &all->warp[warp * NAMED + number];
}

/* Counts warps whose last lane has arrived or exited. Whether the open phase has all arrivals. */
static int is_complete(const emu_cta *cta, barriers *all, uint32_t number) {
    uint32_t came = 0;
    uint32_t lacks = 0;
    for (uint32_t i = 0; i < cta->warps; i++) {
        at_barrier *at = of_warp(all, i, number);
        if (at->arrived && !(cta->warp[i].live & ~at->arrived)) {
            at->times++;
            at->arrived = 0;
        }
        came += at->times;
        lacks += cta->warp[i].live && !at->times;
    }
    const uint32_t threads = all->at[number].threads;
    return came && (threads ? came * EMU_LANES >= threads : !lacks);
}

uint32_t emu_named_missing(const emu_cta *cta, uint32_t number, uint32_t *threads) {
    barriers *all = number < NAMED ? cta->barriers : NULL;
    uint32_t came = 0, live = 0;
    for (uint32_t i = 0; all && i < cta->warps; i++) {
        const at_barrier *at = of_warp(all, i, number);
        const uint32_t lanes = (uint32_t)__builtin_popcount(cta->warp[i].live);
        const uint32_t whole = all->at[number].threads ? EMU_LANES : lanes;
        came += (uint32_t)__builtin_popcount(at->arrived) + whole * at->times;
        live += lanes;
    }
    *threads = all && all->at[number].threads ? all->at[number].threads : live;
    return came < *threads ? *threads - came : 0;
}

int emu_named_counts(const emu_cta *cta, uint32_t number) {
    const barriers *all = number < NAMED ? cta->barriers : NULL;
    return all && all->at[number].threads != 0;
}

static void complete(emu_cta *cta, barriers *all, uint32_t number) {
    named *n = &all->at[number];
    order_phase_completes(cta, NULL, ORDER_NAMED(number), &n->open);
    for (uint32_t i = 0; i < cta->warps; i++) {
        at_barrier *at = of_warp(all, i, number);
        if (at->waits) {
            order_acquire(&cta->warp[i], at->waits, &n->open);
        }
        at->released |= at->waits;
        at->popc = n->popc;
        at->all = !n->falses;
        at->any = n->popc != 0;
        at->times = 0;
        at->arrived = 0;
        at->waits = 0;
    }
    order_sync_clear(cta->machine, &n->open);
    *n = (named){.threads = 0};
    emu_progress_near(cta->machine, cta->cluster);
}

void emu_named_exited(emu_cta *cta) {
    barriers *all = cta->barriers;
    for (uint32_t i = 0; all && i < NAMED; i++) {
        if (is_complete(cta, all, i)) {
            complete(cta, all, i);
        }
    }
}

/* Operands: [result,] barrier [, threads] [, predicate]. */
const emu_operand *emu_named_number(const emu_instruction *in) {
    return &in->operand[emu_flag(in, EMU_FLAG_RED)];
}

static const emu_operand *threads_of(const emu_instruction *in) {
    const int red = emu_flag(in, EMU_FLAG_RED);
    return in->operands > (red ? 3 : 1) ? &in->operand[red + 1] : NULL;
}

static int bad_numbers(emu_warp *w, const emu_instruction *in, const named *n, uint64_t number,
                       uint64_t threads, int is_open) {
    const char *text = number >= NAMED       ? "a CTA has barriers 0 to 15"
                       : threads % EMU_LANES ? "the thread count of a barrier is a multiple of 32"
                                             : NULL;
    if (!text && is_open && n->threads != threads) {
        text = "threads name different counts at one barrier in one phase: PTX leaves open what "
               "happens";
    }
    if (text) {
        emu_stop(w->machine, TMA_EMULATE_TRAP, w, in, text);
    }
    return text != NULL;
}

static int some_arrived(const emu_cta *cta, barriers *all, uint32_t number) {
    uint32_t some = 0;
    for (uint32_t i = 0; i < cta->warps; i++) {
        some |= of_warp(all, i, number)->arrived | of_warp(all, i, number)->times;
    }
    return some != 0;
}

static uint32_t clamped(uint64_t number) {
    return number < NAMED ? (uint32_t)number : NAMED;
}

/* Lanes of a mask that name the barrier and count of its first one, and both. */
static uint32_t alike(emu_warp *w, const emu_instruction *in, uint32_t mask, uint64_t *number,
                      uint64_t *threads) {
    const emu_operand *which = emu_named_number(in);
    const emu_operand *count = threads_of(in);
    const uint32_t first = (uint32_t)__builtin_ctz(mask);
    uint32_t same = 0;
    *number = emu_lane_value(w, which, first);
    *threads = count ? emu_lane_value(w, count, first) : 0;
    if (which->constant && (!count || count->constant)) {
        return mask;
    }
    EMU_FOR_LANES(lane, mask) {
        const uint64_t its = count ? emu_lane_value(w, count, lane) : 0;
        same |= (uint32_t)(emu_lane_value(w, which, lane) == *number && its == *threads) << lane;
    }
    return same;
}

/* Lanes arrive at one barrier; 0, or -1: the run is over. */
static int arrives(emu_warp *w, const emu_instruction *in, uint32_t lanes, uint32_t number,
                   uint64_t threads, int waits) {
    barriers *all = w->cta->barriers;
    if (bad_numbers(w, in, number < NAMED ? &all->at[number] : NULL, number, threads,
                    number < NAMED && some_arrived(w->cta, all, number))) {
        return -1;
    }
    named *n = &all->at[number];
    at_barrier *at = of_warp(all, w->index, number);
    n->threads = (uint32_t)threads;
    at->arrived |= lanes;
    at->waits |= waits ? lanes : 0;
    if (emu_flag(in, EMU_FLAG_RED)) {
        const uint32_t is = emu_predicate(w, &in->operand[in->operands - 1]) & lanes;
        n->popc += (uint32_t)__builtin_popcount(is);
        n->falses += (uint32_t)__builtin_popcount(lanes & ~is);
    }
    order_phase_arrives(w, in, lanes, w->cta, ORDER_NAMED(number));
    if (!threads) {
        order_wait_arrives(w, NULL, 0);
    }
    order_release(w, lanes, &n->open);
    if (is_complete(w->cta, all, number)) {
        complete(w->cta, all, number);
    }
    return 0;
}

static void give_result(emu_warp *w, const emu_instruction *in, uint32_t lane,
                        const at_barrier *at) {
    const emu_operand *to = &in->operand[0];
    emu_set_undefined(w, to, UINT32_C(1) << lane, 0);
    if (in->operation == EMU_OPERATION_POPC) {
        emu_u32(w, to)[lane] = at->popc;
    } else {
        const uint32_t is = in->operation == EMU_OPERATION_AND ? at->all : at->any;
        emu_set_predicate(w, to, UINT32_C(1) << lane, is << lane);
    }
}

/* sync and red: arrives once, and goes on when all lanes have been released. */
static emu_step wait_all(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    barriers *all = barriers_of(w->cta);
    uint64_t number = 0;
    uint64_t threads = 0;
    int blocked = 0;
    if (!all) {
        return EMU_STOPPED;
    }
    for (uint32_t rest = mask, same; rest; rest &= ~same) {
        same = alike(w, in, rest, &number, &threads);
        const at_barrier *at = of_warp(all, w->index, (uint32_t)number % NAMED);
        const uint32_t fresh = number < NAMED ? same & ~(at->waits | at->released) : same;
        if (fresh && arrives(w, in, fresh, clamped(number), threads, 1)) {
            return EMU_STOPPED;
        }
        if (same & ~at->released) {
            blocked = 1;
            w->now->number = number;
        }
    }
    if (blocked) {
        w->now->wait = EMU_WAITS_BARRIER;
        return EMU_BLOCKED;
    }
    for (uint32_t rest = mask, same; rest; rest &= ~same) {
        same = alike(w, in, rest, &number, &threads);
        at_barrier *at = of_warp(all, w->index, (uint32_t)number);
        at->released &= ~same;
        EMU_FOR_LANES(lane, emu_flag(in, EMU_FLAG_RED) ? same : 0) {
            give_result(w, in, lane, at);
        }
    }
    return EMU_NEXT;
}

static emu_step wait_aligned(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_step step = emu_together(w, in, &mask, UINT32_MAX);
    return step == EMU_NEXT ? wait_all(w, in, mask) : step;
}

static emu_step arrive(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    if (!barriers_of(w->cta)) {
        return EMU_STOPPED;
    }
    for (uint32_t rest = mask, same; rest; rest &= ~same) {
        uint64_t number = 0;
        uint64_t threads = 0;
        same = alike(w, in, rest, &number, &threads);
        if (arrives(w, in, same, clamped(number), threads, 0)) {
            return EMU_STOPPED;
        }
    }
    return EMU_NEXT;
}

static emu_step arrive_aligned(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_step step = emu_together(w, in, &mask, UINT32_MAX);
    return step == EMU_NEXT ? arrive(w, in, mask) : step;
}

static void order_lanes(emu_warp *w, const emu_instruction *in, uint32_t lanes, uint32_t members) {
    (void)in;
    (void)members;
    order_warp(w, lanes);
}

static emu_step warp_sync(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    return warp_together(w, in, mask, 0, order_lanes);
}

emu_run emu_choose_barrier(const emu_instruction *in) {
    const int aligned = emu_flag(in, EMU_FLAG_ALIGNED) || in->op == EMU_OP_BAR_SYNC ||
                        in->op == EMU_OP_BAR_RED || in->op == EMU_OP_BAR_ARRIVE;
    switch (in->op) {
    case EMU_OP_BAR_WARP_SYNC:
        return warp_sync;
    case EMU_OP_BAR_ARRIVE:
    case EMU_OP_BARRIER_ARRIVE:
        return aligned ? arrive_aligned : arrive;
    default:
        return aligned ? wait_aligned : wait_all;
    }
}
