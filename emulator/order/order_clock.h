/* SPDX-License-Identifier: Apache-2.0
 *
 * Clocks: what is known of how far each thread and each asynchronous mechanism has come. A
 * component is (CTA, number): the CTA's threads first, then the mechanisms that order_async.c hands
 * out. Clocks, their parts and what threads know are shared and counted; one that two hold is not
 * changed.
 */
#ifndef EMULATOR_ORDER_CLOCK_H
#define EMULATOR_ORDER_CLOCK_H

#include "machine.h"

typedef struct order_block {
    uint32_t refs, count;
    uint32_t at[]; /* by component of one CTA */
} order_block;

typedef struct order_part {
    uint32_t cta;
    order_block *block;
} order_part;

typedef struct order_clock {
    uint32_t refs, count;
    order_part part[]; /* by cta, ascending */
} order_clock;

/* What one thread knows. HAPPENED: what happens before it. The others answer whether a write of a
 * component's epoch can be seen through another proxy: FENCED_*: the writer itself fenced it before
 * it told; SEEN_*: somebody who knew of it fenced; MAPS: released to the tensormap proxy;
 * INITS: fenced by fence.mbarrier_init, which relaxed arrivals tell; RELEASED: a fence.acq_rel or
 * fence.sc of somebody who knew of it lies before what is done now, so that relaxed writes tell of
 * it. CAME: came before in time, though no memory is ordered by it: what the issuer of a copy knew,
 * to those who wait for the copy (proof.c); what lanes did that met at shfl, vote, match, redux or
 * elect. STRICT: what happened before where a fence orders no thread that its scope does not hold;
 * null: as HAPPENED. RELEASED_*: STRICT at the last fences whose scopes hold these threads, where
 * scopes matter (order_scopes.c). SHARED, OWN: what happened before it beside HAPPENED, of accesses
 * to shared memory alone, and of threads' accesses to that of their own CTA alone; RELEASED_SHARED
 * and RELEASED_OWN are to them what RELEASED is to HAPPENED (order_restricted.c). */
typedef enum order_which {
    ORDER_HAPPENED,
    ORDER_FENCED_SHARED,
    ORDER_FENCED_GLOBAL,
    ORDER_SEEN_SHARED,
    ORDER_SEEN_GLOBAL,
    ORDER_MAPS,
    ORDER_INITS,
    ORDER_RELEASED,
    ORDER_CAME,
    ORDER_SHARED,
    ORDER_OWN,
    ORDER_RELEASED_SHARED,
    ORDER_RELEASED_OWN,
    ORDER_RELEASED_CTA,
    ORDER_RELEASED_CLUSTER,
    ORDER_RELEASED_ALL,
    ORDER_STRICT,
    ORDER_CLOCKS,
} order_which;

typedef struct order_know {
    uint32_t refs;
    order_clock *clock[ORDER_CLOCKS]; /* null: nothing */
} order_know;

#define ORDER_MEMOS 512
typedef struct order_clocks {
    emu_machine *machine;
    struct {
        order_know *a, *b, *joined;
    } memo[ORDER_MEMOS];
} order_clocks;

/* 0 where nothing is known. */
uint32_t order_clock_at(const order_clock *clock, uint32_t cta, uint32_t number);
/* Whether all of 32 components from `first` on that `lanes` names have come to an epoch. */
int order_clock_lanes(const order_clock *clock, uint32_t cta, uint32_t first, uint32_t lanes,
                      uint32_t epoch);

/* The same of a CTA's part by itself; null: nothing is known of it. */
const order_block *order_clock_block(const order_clock *clock, uint32_t cta);
const order_block *order_know_of_cta(const order_know *know, uint32_t cta); /* what happened */
int order_block_lanes(const order_block *block, uint32_t first, uint32_t lanes, uint32_t epoch);

/* Whether a clock includes another one (null: nothing). */
int order_clock_covers(const order_clock *clock, const order_clock *other);

/* *clock includes another one, or a component at an epoch. */
void order_clock_join(order_clocks *s, order_clock **clock, order_clock *other);
/* *clock is another one from now on. */
void order_clock_set(order_clocks *s, order_clock **clock, order_clock *other);
void order_clock_raise(order_clocks *s, order_clock **clock, uint32_t cta, uint32_t number,
                       uint32_t epoch);
/* ... components `first` + lane at epoch[lane]. */
void order_clock_raise_lanes(order_clocks *s, order_clock **clock, uint32_t cta, uint32_t first,
                             uint32_t lanes, const uint32_t *epoch);

/* Another holder; one holder less. Null is nothing. */
order_clock *order_clock_keep(order_clock *clock);
order_know *order_know_keep(order_know *know);
void order_know_drop(order_clocks *s, order_know *know);
/* One that only the caller holds, with the same in it; takes the caller's hold of `know`. */
order_know *order_know_own(order_clocks *s, order_know *know);
/* *know includes another one (may be null). The second remembers the answer: for joins that many
 * threads make alike. */
void order_know_join(order_clocks *s, order_know **know, const order_know *other);
/* The same, of which scopes hold both threads for `strict` alone: STRICT gets that. */
void order_know_join_scoped(order_clocks *s, order_know **know, const order_know *other,
                            order_clock *strict);
/* STRICT, or HAPPENED where that is the same. */
order_clock *order_know_strict(const order_know *know);
void order_know_join_alike(order_clocks *s, order_know **know, order_know *other);

void order_clocks_end(order_clocks *s); /* memos are given back */

#endif
