/* SPDX-License-Identifier: Apache-2.0
 *
 * What happens before what, and which accesses race. The executor says what threads and
 * asynchronous work do; order/ keeps clocks and shadow memory and reports findings (run_report.h).
 * Every function does nothing where machine->ordered is 0.
 *
 * Shared addresses are canonical here: the CTA, and the offset in its shared memory. Tensor memory
 * is told in cells of 16 lanes of a column, 4 bytes each: at = (lane / 16 * 512 + column) * 4.
 */
#ifndef EMULATOR_ORDER_H
#define EMULATOR_ORDER_H

#include "machine.h"

typedef enum order_kind {
    ORDER_READ,
    ORDER_WRITE,
    ORDER_ATOMIC, /* reads and writes at once; never races with another atomic */
    ORDER_INIT,   /* mbarrier.init and inval: a write, whose races are called barrier-init */
} order_kind;

typedef enum order_proxy {
    ORDER_GENERIC,
    ORDER_ASYNC,     /* bulk and tensor copies, wgmma operands */
    ORDER_TENSORMAP, /* a copy's read of its map */
    ORDER_CONSTANT,
    ORDER_TENSOR, /* tcgen05's accesses to tensor memory */
} order_proxy;

/* Begins and ends: a launch, a CTA with its warps (their `order` members are set). */
int order_begin(emu_machine *m);
int order_cta_begins(emu_cta *cta);
void order_cta_exits(emu_cta *cta); /* its last thread exits: is anything under way that nobody
                                       waited for? Called first. */
void order_cta_ends(emu_cta *cta);
void order_end(emu_machine *m); /* all is given back */

/* One instruction's accesses through the generic proxy, lane by lane: place[l] for lanes of the
 * mask (global or shared ones; others are ignored), `size_B` bytes each. `strong`: relaxed,
 * volatile or stronger: conflicts of two strong accesses are no data race. Called in execution
 * order: a read before, a write before or after its bytes change is the same. */
void order_access(emu_warp *w, const emu_instruction *in, uint32_t mask, order_kind kind,
                  int strong, const emu_place place[EMU_LANES], uint32_t size_B);

/* A store's writes. */
typedef struct order_alike {
    uint32_t before; /* lanes whose bytes were there before it: another warp may have put them there
                        with the same instruction, and either order leaves the same */
    uint32_t lanes;  /* lanes that write what all lanes with the same bytes write */
} order_alike;
void order_store(emu_warp *w, const emu_instruction *in, uint32_t mask, order_alike same,
                 int strong, const emu_place place[EMU_LANES], uint32_t size_B);

/* Either, of a whole warp's plain load or store whose lanes come one right behind the other in one
 * allocation, from `first` on. */
void order_row(emu_warp *w, const emu_instruction *in, int writes, uint32_t same,
               const emu_place *first, uint32_t size_B);

/* Release and acquire of lanes: into and from what synchronises. Accesses after a release are not
 * covered by it. */
void order_release(emu_warp *w, uint32_t mask, emu_sync *sync);
void order_acquire(emu_warp *w, uint32_t mask, const emu_sync *sync);
/* The same of what is written .relaxed: with a fence before it, or one that comes behind it.
 * is_far: threads of other CTAs of the cluster acquire, whom the fence has to hold. */
void order_release_fenced(emu_warp *w, uint32_t mask, emu_sync *sync, int is_far);
void order_acquire_later(emu_warp *w, uint32_t mask, const emu_sync *sync);
/* An arrival at an mbarrier of a CTA, released as it is written. */
void order_arrive(emu_warp *w, const emu_instruction *in, uint32_t mask, const emu_cta *at,
                  emu_sync *open);
/* An arrival at another CTA's barrier, whose threads wait there: whether its scope holds them. */
void order_arrives_at(emu_warp *w, const emu_instruction *in, uint32_t lane,
                      const emu_place *barrier);
/* A wait that acquires, in whose phase a thread of another CTA arrived: whether its scope holds
 * that one. */
void order_waits_for(emu_warp *w, const emu_instruction *in, uint32_t lane,
                     const emu_place *barrier, const emu_instruction *arrival, uint32_t cta,
                     uint32_t thread);
void order_sync_copy(emu_machine *m, emu_sync *to, const emu_sync *from); /* to = from */
void order_sync_join(emu_machine *m, emu_sync *to, const emu_sync *from); /* to includes from */
void order_sync_clear(emu_machine *m, emu_sync *sync); /* given back: the beginning again */

/* Lanes of one warp order each other: bar.warp.sync. */
void order_warp(emu_warp *w, uint32_t mask);

/* Lanes came to mbarriers (accesses of ORDER_ATOMIC), whose open phases, from 0, are given. */
void order_at_barrier(emu_warp *w, const emu_instruction *in, uint32_t mask,
                      const emu_place place[EMU_LANES], const uint64_t phase[EMU_LANES],
                      uint32_t size_B);
/* A thread of the CTA saw a phase of its mbarrier complete, and phase `open`, from 0, is open: what
 * arrived in those before it is over, also what was relaxed and orders nothing. */
void order_guests_seen(emu_cta *cta, uint32_t barrier, uint64_t open);
/* Lanes met at shfl, vote, match, redux or elect, which order no memory: what they did at mbarriers
 * before came before what they do afterwards. */
void order_meet(emu_warp *w, uint32_t mask);

/* Fences. */
typedef enum order_fence_kind {
    ORDER_FENCE_ACQ_REL,     /* fence.acq_rel, membar.cta: pairs with flags in memory */
    ORDER_FENCE_SC,          /* fence.sc, membar.gl: ordered in the order of execution besides */
    ORDER_FENCE_PROXY_ASYNC, /* fence.proxy.async, all spaces */
    ORDER_FENCE_PROXY_ASYNC_SHARED,
    ORDER_FENCE_PROXY_ASYNC_GLOBAL,
    ORDER_FENCE_BARRIER_INIT, /* fence.mbarrier_init.release.cluster */
    ORDER_FENCE_WGMMA,
    ORDER_FENCE_MAP_RELEASE, /* fence.proxy.tensormap::generic.release */
    ORDER_FENCE_MAP_ACQUIRE, /* ... acquire: place[] is the map, 128 bytes */
    ORDER_FENCE_ALIAS,
} order_fence_kind;
void order_fence(emu_warp *w, const emu_instruction *in, uint32_t mask, order_fence_kind kind,
                 uint32_t scope, const emu_place *place);

/* Memory flags: an access with semantics (ld.acquire, st.release, atom.acq_rel …; relaxed ones take
 * part in fence patterns: semantics 0; else ORDER_ACQUIRES and ORDER_RELEASES) at a place of one
 * lane, in execution order, beside order_access(). */
#define ORDER_ACQUIRES 1u
#define ORDER_RELEASES 2u
void order_flag(emu_warp *w, const emu_instruction *in, uint32_t lane, int reads, int writes,
                uint32_t semantics, const emu_place *place, uint32_t size_B);

/* ---- asynchronous work ---- */

/* At issue, in the issuing instruction: keeps what the issuer knows (a->order). A wgmma is a
 * rendezvous: the warps of its warpgroup (their earlier accesses are ordered before it, too);
 * others: one warp, a->lane. */
void order_issue(emu_warp *w, emu_async *a);
void order_issue_together(emu_warp *const *warp, uint32_t warps, emu_async *a);

/* What it will touch: called for every range of it AT ISSUE, right after order_issue(), not when
 * the bytes move (a race does not depend on when that is): `size_B` bytes from a place on. A copy
 * reads its map through ORDER_TENSORMAP; the mbarrier that it tells is an ORDER_ATOMIC of 8 bytes.
 */
void order_async_access(emu_async *a, order_kind kind, order_proxy proxy, const emu_place *place,
                        uint64_t size_B);

/* Its completion told to a mechanism: whoever acquires `sync` afterwards is ordered after what it
 * did. `reads_only`: .read groups: after its reads alone. */
void order_async_done(emu_async *a, emu_sync *sync, int reads_only);

/* Whether a thread's tcgen05.commit arrive in their order (the reading commit-order). */
int order_has_commits(const emu_machine *m);

/* A commit of lanes to which no path has work; is_issued: order_issue() was told of it. */
void order_commits_nothing(emu_warp *w, const emu_instruction *in, uint32_t mask, int is_issued);

/* All is over with it: a->order is given back. */
void order_async_ends(emu_async *a);

/* ---- whether other schedules would do the same (proof.c) ---- */

/* They may not: the first reason is kept. */
void order_unproved(emu_machine *m, const emu_instruction *in, const char *why);

/* setmaxnreg: who gives registers back behind a warp that took some, may do so too late for it. */
void order_pool_changes(emu_warp *w, const emu_instruction *in, int takes);

/* Phases of a barrier: an mbarrier by its CTA and offset, a named one by ORDER_NAMED(). begins: it
 * is initialised. arrives, expects: lanes, before it counts. told: a copy, likewise. waits: lanes
 * that met a phase, before they acquire it. completes: what it orders is in `open` then. */
#define ORDER_NAMED(number) (UINT32_MAX - (number))
void order_phase_begins(emu_cta *cta, uint32_t offset);
void order_phase_arrives(emu_warp *w, const emu_instruction *in, uint32_t mask, emu_cta *cta,
                         uint32_t offset);
void order_phase_expects(emu_warp *w, const emu_instruction *in, uint32_t mask, emu_cta *cta,
                         uint32_t offset);
void order_phase_told(emu_async *a);
void order_phase_waits(emu_warp *w, const emu_instruction *in, uint32_t mask, emu_cta *cta,
                       uint32_t offset);
/* Lanes were told yes or, those that are not among `complete`, no by an mbarrier. */
void order_wait_answered(emu_warp *w, const emu_instruction *in, uint32_t mask, uint32_t complete,
                         emu_cta *cta, uint32_t offset);
/* A warp arrives at an mbarrier; cta null: at a barrier of all threads of its CTA. */
void order_wait_arrives(emu_warp *w, emu_cta *cta, uint32_t offset);
void order_phase_completes(emu_cta *cta, const emu_instruction *in, uint32_t offset,
                           emu_sync *open);

/* A wait of lanes, of which some are told that the phase is complete; `what`: barrier and parity.
 */
void order_says_no(emu_warp *w, const emu_instruction *in, uint32_t mask, uint32_t complete,
                   uint64_t what);
/* An instruction of lanes that were told no: w->asks. */
void order_after_no(emu_warp *w, const emu_instruction *in);

/* A new life of bytes: mbarrier.init or inval over them, memory that malloc hands out. */
void order_forget(emu_machine *m, const emu_place *place, uint64_t size_B);

#endif
