/* SPDX-License-Identifier: Apache-2.0
 *
 * mbarriers: what threads and copies do to them is tma/barrier.h's; here are where they lie,
 * phases, and whom a phase orders. Their word is in no memory: a running kernel does not see it.
 */
#include "access.h"
#include "async.h"

#include "heap.h"
#include "order.h"
#include "places.h"
#include "run_report.h"
#include "run_watch.h"
#include "sync.h"
#include "threads.h"
#include "tma/detail/assert.h"
#include "tma/detail/chars.h"
#include "tma/text.h"
#include "words.h"
#include <string.h>

/* The table of a CTA: pages of slots, made when one is used. */
#define SLOT_B 8u
#define PAGE   64u

typedef struct page {
    emu_mbarrier at[PAGE];
} page;

static emu_mbarrier *slot_of(emu_cta *cta, uint32_t offset, int make) {
    TMA_ASSERT(offset % SLOT_B == 0 && offset < cta->shared_B);
    const uint32_t number = offset / SLOT_B;
    page **pages = cta->mbarriers;
    if (!pages && make) {
        pages = cta->mbarriers =
            emu_take(cta->machine, (cta->shared_B / SLOT_B / PAGE + 1) * sizeof(page *));
    }
    if (pages && !pages[number / PAGE] && make) {
        pages[number / PAGE] = emu_take(cta->machine, sizeof(page));
    }
    return pages && pages[number / PAGE] ? &pages[number / PAGE]->at[number % PAGE] : NULL;
}

emu_mbarrier *emu_mbarrier_at(emu_cta *cta, uint32_t offset) {
    emu_mbarrier *b =
        offset % SLOT_B == 0 && offset < cta->shared_B ? slot_of(cta, offset, 0) : NULL;
    return b && b->is_valid ? b : NULL;
}

static void report_unexpected(emu_machine *m, const emu_mbarrier *b) {
    char text[TMA_EMULATE_TEXT];
    tma_out out = tma_out_into(text, sizeof(text));
    tma_putf(&out, "%lld byte%s came to the mbarrier at ", -(long long)b->state.bytes_missing_B,
             text_plural((uint64_t) - (int64_t)b->state.bytes_missing_B));
    emu_put_shared(&out, m, b->offset);
    tma_put(&out, " in a phase that expects none of them, and nothing expected them before the CTA "
                  "ended");
    tma_emulate_finding *f = emu_report(
        m, TMA_EMULATE_RULE_EXPECT_MISSING, 1, NULL, NULL, text,
        "mbarrier.arrive.expect_tx or expect_tx of as many bytes as copies bring in the phase");
    if (f) {
        f->has_barrier = 1;
        f->barrier_address = b->offset;
        f->barrier_phase = b->state.parity;
        f->arrivals_missing = b->state.arrivals_missing;
        f->bytes_missing_B = b->state.bytes_missing_B;
    }
}

void emu_mbarriers_end(emu_cta *cta) {
    page **pages = cta->mbarriers;
    for (uint32_t i = 0; pages && i <= cta->shared_B / SLOT_B / PAGE; i++) {
        for (uint32_t k = 0; pages[i] && k < PAGE; k++) {
            const emu_mbarrier *b = &pages[i]->at[k];
            if (b->is_valid && b->state.bytes_missing_B < 0 && !cta->machine->stopped) {
                report_unexpected(cta->machine, b);
            }
            order_sync_clear(cta->machine, &pages[i]->at[k].open);
            order_sync_clear(cta->machine, &pages[i]->at[k].done);
        }
        emu_give(cta->machine, pages[i]);
    }
    emu_give(cta->machine, pages);
    cta->mbarriers = NULL;
}

/* ---- findings ---- */

static emu_who who_of(const emu_warp *w, uint32_t lane, const emu_instruction *in) {
    return (emu_who){.in = in,
                     .cta = w->cta->index,
                     .thread = w->index * EMU_LANES + lane,
                     .proxy = "generic",
                     .what = "mbarrier operation",
                     .space = EMU_SHARED_CTA};
}

static int no_barrier(emu_warp *w, const emu_instruction *in, uint32_t lane, const emu_place *place,
                      const char *text) {
    emu_who who = who_of(w, lane, in);
    who.address = emu_shared_address(place->cta, place->at);
    who.size_B = SLOT_B;
    emu_report(w->machine, TMA_EMULATE_RULE_BARRIER_INIT, 1, &who, NULL, text,
               "mbarrier.init, ordered before the use");
    emu_stop(w->machine, TMA_EMULATE_TRAP, w, in, text);
    return -1;
}

/* Where an mbarrier lies: 8 bytes of shared memory. */
static int place_of(emu_warp *w, const emu_instruction *in, uint32_t lane, uint64_t generic,
                    emu_place *place) {
    if (emu_place_of(w, in, lane, generic, SLOT_B, SLOT_B, 1, place)) {
        return -1;
    }
    if (place->space != EMU_SHARED_CTA) {
        emu_stop(w->machine, TMA_EMULATE_TRAP, w, in, "the mbarrier does not lie in shared memory");
        return -1;
    }
    return 0;
}

static emu_mbarrier *barrier_at(emu_warp *w, const emu_instruction *in, uint32_t lane,
                                uint64_t generic, emu_place *place) {
    if (place_of(w, in, lane, generic, place)) {
        return NULL;
    }
    emu_mbarrier *b = slot_of(place->cta, (uint32_t)place->at, 0);
    if (!b || !b->is_valid) {
        no_barrier(w, in, lane, place,
                   b && b->init_row != PTX_NONE && b->state.count
                       ? "the mbarrier was invalidated"
                       : "the mbarrier was not initialised");
        return NULL;
    }
    return b;
}

emu_mbarrier *emu_mbarrier_of(emu_warp *w, const emu_instruction *in, uint32_t lane,
                              const emu_operand *o, uint32_t space, emu_place *place) {
    return barrier_at(w, in, lane, emu_address(w, o, space, lane), place);
}

static int dies(emu_warp *w, uint32_t lane, const emu_instruction *in, const emu_mbarrier *b,
                tma_barrier_death death) {
    emu_who who = who_of(w, lane, in);
    const int arrives = death == TMA_BARRIER_DIES_ARRIVALS;
    who.address = b->offset;
    who.size_B = SLOT_B;
    tma_emulate_finding *f = emu_report(
        w->machine, arrives ? TMA_EMULATE_RULE_ARRIVE_BEYOND : TMA_EMULATE_RULE_EXPECT_MISSING, 1,
        &who, NULL, tma_barrier_death_text(death), NULL);
    if (f) {
        f->has_barrier = 1;
        f->barrier_address = b->offset;
        f->barrier_phase = b->state.parity;
        f->arrivals_missing = b->state.arrivals_missing;
        f->bytes_missing_B = b->state.bytes_missing_B;
    }
    emu_stop(w->machine, TMA_EMULATE_TRAP, w, in, tma_barrier_death_text(death));
    return -1;
}

/* ---- operations ---- */

static void begin_phase(emu_mbarrier *b) {
    b->far.in = NULL;
    b->expected_B = b->came_B = 0;
    b->expects_in = b->brings_in = NULL;
}

static void count_bytes(emu_mbarrier *b, const emu_instruction *in, int come, uint32_t bytes_B) {
    if (bytes_B) {
        *(come ? &b->came_B : &b->expected_B) += bytes_B;
        *(come ? &b->brings_in : &b->expects_in) = in;
    }
}

static void note_teller(emu_mbarrier *b, const emu_instruction *in) {
    for (uint32_t i = 0; i < EMU_TOLD; i++) {
        b->told_in[i] = b->told_in[i] ? b->told_in[i] : in;
        if (b->told_in[i] == in) {
            return;
        }
    }
    b->told_more = 1;
}

int emu_mbarrier_apply(emu_warp *w, uint32_t lane, const emu_instruction *in, emu_mbarrier *b,
                       tma_barrier_operation operation, uint32_t count, uint32_t bytes_B) {
    const uint32_t parity = b->state.parity;
    const tma_barrier_death death = tma_barrier_apply(&b->state, operation, count, bytes_B);
    if (death != TMA_BARRIER_LIVES) {
        return dies(w, lane, in, b, death);
    }
    note_teller(b, in);
    count_bytes(b, in, operation == TMA_BARRIER_COMPLETE, bytes_B);
    if (b->state.parity != parity) {
        /* What is done to a barrier are atomics in a row: a wait that observes this phase is
         * ordered after the arrivals of earlier ones, too, so `open` goes on. */
        if (emu_is_watched(w->machine, TMA_EMULATE_BARRIER)) {
            emu_watch_barrier(w, in, lane, b->offset, b->phase);
        }
        b->phase++;
        b->completed_at = w->machine->instructions;
        b->was_far = b->far;
        begin_phase(b);
        order_phase_completes(w->cta->cluster->cta[b->offset >> EMU_RANK_SHIFT], in,
                              b->offset & EMU_OFFSET_BITS, &b->open);
        order_sync_copy(w->machine, &b->done, &b->open);
        emu_progress_near(w->machine, w->cta->cluster);
    }
    return 0;
}

/* The barrier that a piece of work tells; null: it was invalidated meanwhile, which is reported. No
 * document says that the kernel dies of it, so the run goes on, and nothing is told. */
static emu_mbarrier *told_by(const emu_async *a) {
    emu_mbarrier *b = emu_mbarrier_at(a->barrier_cta, a->barrier);
    if (!b) {
        emu_who who = who_of(a->warp, a->lane, a->in);
        who.what = a->kind == EMU_ASYNC_TCGEN05 ? "commit's arrival" : "copy's completion";
        who.address = emu_shared_address(a->barrier_cta, a->barrier);
        who.size_B = SLOT_B;
        emu_report(a->warp->machine, TMA_EMULATE_RULE_BARRIER_INIT, 1, &who, NULL,
                   "the mbarrier was invalidated before it is told: undefined by the document",
                   EMU_INVAL_MISSING);
    }
    return b;
}

int emu_mbarrier_arrive(emu_async *a, const emu_sync *known) {
    emu_mbarrier *b = told_by(a);
    if (!b) {
        return 0;
    }
    order_sync_join(a->warp->machine, &b->open, known);
    order_async_done(a, &b->open, 0);
    return emu_mbarrier_apply(a->warp, a->lane, a->in, b, TMA_BARRIER_ARRIVE, 1, 0);
}

int emu_mbarrier_complete(emu_async *a) {
    emu_mbarrier *b = a->barrier_cta ? told_by(a) : NULL;
    if (!b) {
        return 0;
    }
    order_async_done(a, &b->open, 0);
    return emu_mbarrier_apply(a->warp, a->lane, a->in, b, TMA_BARRIER_COMPLETE, 0, a->tx_B);
}

/* The places of all lanes' barriers, each of which is one. */
static int find_all(emu_warp *w, const emu_instruction *in, uint32_t mask, const emu_operand *o,
                    emu_mbarrier *b[EMU_LANES], emu_place place[EMU_LANES]) {
    uint64_t address[EMU_LANES];
    uint32_t before = (uint32_t)__builtin_ctz(mask);
    emu_addresses(w, o, in->spaces ? in->space[0] : EMU_GENERIC, address);
    EMU_FOR_LANES(lane, mask) {
        if (lane != before && address[lane] == address[before]) {
            b[lane] = b[before];
            place[lane] = place[before];
        } else {
            b[lane] = barrier_at(w, in, lane, address[lane], &place[lane]);
        }
        if (!b[lane]) {
            return -1;
        }
        before = lane;
    }
    return 0;
}

/* What is done to barriers, for who watches: an arrival as an atomic, a wait as a read. */
static void watch_all(const emu_warp *w, const emu_instruction *in, uint32_t mask,
                      const emu_place place[EMU_LANES], int reads, int writes) {
    if (emu_is_watched(w->machine, TMA_EMULATE_ACCESS)) {
        emu_watch_access(w, in, mask, place, SLOT_B, reads, writes);
    }
}

static void come_to(emu_warp *w, const emu_instruction *in, uint32_t mask,
                    emu_mbarrier *const b[EMU_LANES], const emu_place place[EMU_LANES]) {
    uint64_t phase[EMU_LANES];
    EMU_FOR_LANES(lane, mask) {
        phase[lane] = b[lane]->phase;
    }
    order_at_barrier(w, in, mask, place, phase, SLOT_B);
}

static int access_all(emu_warp *w, const emu_instruction *in, uint32_t mask, const emu_operand *o,
                      emu_mbarrier *b[EMU_LANES], emu_place place[EMU_LANES]) {
    if (find_all(w, in, mask, o, b, place)) {
        return -1;
    }
    come_to(w, in, mask, b, place);
    watch_all(w, in, mask, place, 1, 1);
    return 0;
}

/* A barrier that is there already: only mbarrier.inval ends it. */
static void report_again(emu_warp *w, const emu_instruction *in, uint32_t lane,
                         const emu_place *place) {
    emu_who who = who_of(w, lane, in);
    who.what = "initialisation";
    who.address = emu_shared_address(place->cta, place->at);
    who.size_B = SLOT_B;
    emu_report(w->machine, TMA_EMULATE_RULE_BARRIER_INIT, 1, &who, NULL,
               "mbarrier.init over a barrier that was not invalidated",
               "mbarrier.inval before it, when nobody uses the barrier any more");
}

static emu_step init(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_place place[EMU_LANES];
    const uint32_t space = in->spaces ? in->space[0] : EMU_GENERIC;
    EMU_FOR_LANES(lane, mask) {
        if (place_of(w, in, lane, emu_address(w, &in->operand[0], space, lane), &place[lane])) {
            return EMU_STOPPED;
        }
        emu_mbarrier *b = slot_of(place[lane].cta, (uint32_t)place[lane].at, 1);
        if (!b) {
            return EMU_STOPPED;
        }
        if (b->is_valid) {
            report_again(w, in, lane, &place[lane]);
        }
        order_access(w, in, UINT32_C(1) << lane, ORDER_INIT, 0, place, SLOT_B);
        if (!tma_barrier_init(&b->state, (uint32_t)emu_lane_value(w, &in->operand[1], lane))) {
            no_barrier(w, in, lane, &place[lane],
                       "the count of mbarrier.init is not from 1 to 2^20 - 1");
            return EMU_STOPPED;
        }
        b->offset = emu_shared_address(place[lane].cta, place[lane].at);
        b->phase = 0;
        b->completed_at = 0;
        b->was_far.in = NULL;
        begin_phase(b);
        b->init_row = in->row;
        b->is_valid = 1;
        memset(b->issuer, 0, sizeof(b->issuer));
        memset(b->told_in, 0, sizeof(b->told_in));
        b->told_more = 0;
        order_sync_clear(w->machine, &b->open);
        order_sync_clear(w->machine, &b->done);
        order_phase_begins(place[lane].cta, (uint32_t)place[lane].at);
        emu_now_written(w->machine, &place[lane], SLOT_B);
    }
    watch_all(w, in, mask, place, 0, 1);
    return EMU_NEXT;
}

static emu_step inval(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_place place[EMU_LANES];
    const uint32_t space = in->spaces ? in->space[0] : EMU_GENERIC;
    EMU_FOR_LANES(lane, mask) {
        emu_mbarrier *b = emu_mbarrier_of(w, in, lane, &in->operand[0], space, &place[lane]);
        if (!b) {
            return EMU_STOPPED;
        }
        order_access(w, in, UINT32_C(1) << lane, ORDER_INIT, 0, place, SLOT_B);
        b->is_valid = 0;
    }
    return EMU_NEXT;
}

/* The operation of an instruction: its drop, .noComplete and .expect_tx. */
static tma_barrier_operation operation_of(const emu_instruction *in) {
    const int drops = emu_flag(in, EMU_FLAG_ARRIVE_DROP);
    if (emu_flag(in, EMU_FLAG_EXPECT_TX)) {
        return drops ? TMA_BARRIER_ARRIVE_DROP_EXPECT : TMA_BARRIER_ARRIVE_EXPECT;
    }
    if (emu_flag(in, EMU_FLAG_NO_COMPLETE)) {
        return drops ? TMA_BARRIER_ARRIVE_DROP_NO_COMPLETE : TMA_BARRIER_ARRIVE_NO_COMPLETE;
    }
    return drops ? TMA_BARRIER_ARRIVE_DROP : TMA_BARRIER_ARRIVE;
}

/* The state that an arrival returns: the word's upper half as it was before. */
#define TOKEN_BITS UINT64_C(0xffffffff00000000)

/* Lanes of a mask whose barrier is that of its first one. */
static uint32_t same_barrier(uint32_t mask, emu_mbarrier *const b[EMU_LANES]) {
    const emu_mbarrier *first = b[__builtin_ctz(mask)];
    uint32_t same = 0;
    EMU_FOR_LANES(lane, mask) {
        same |= (uint32_t)(b[lane] == first) << lane;
    }
    return same;
}

/* One arrival each at one barrier in one phase: released at once. */
static int releases_together(emu_warp *w, const emu_instruction *in, uint32_t mask,
                             const emu_operand *number, emu_mbarrier *const b[EMU_LANES],
                             const emu_place *place) {
    emu_mbarrier *first = b[__builtin_ctz(mask)];
    if (number || in->order == EMU_RELAXED || same_barrier(mask, b) != mask ||
        first->state.arrivals_missing < (uint32_t)__builtin_popcount(mask)) {
        return 0;
    }
    order_phase_arrives(w, in, mask, place->cta, (uint32_t)place->at);
    order_arrive(w, in, mask, place->cta, &first->open);
    return 1;
}

/* .noComplete "must not cause the mbarrier to complete its current phase, otherwise the behavior is
 * undefined" (PTX ISA, mbarrier.arrive). */
static int arrive_once(emu_warp *w, uint32_t lane, const emu_instruction *in, emu_mbarrier *b,
                       uint32_t count, uint32_t bytes_B) {
    const uint64_t phase = b->phase;
    if (emu_mbarrier_apply(w, lane, in, b, operation_of(in), count, bytes_B)) {
        return -1;
    }
    if (emu_flag(in, EMU_FLAG_NO_COMPLETE) && b->phase != phase) {
        emu_who who = who_of(w, lane, in);
        who.address = b->offset;
        who.size_B = SLOT_B;
        emu_report(w->machine, TMA_EMULATE_RULE_ARRIVE_BEYOND, 1, &who, NULL,
                   "an arrival with .noComplete completes the phase: undefined by the document",
                   "an arrival of the phase that is still to come, or one without .noComplete");
    }
    return 0;
}

static emu_step arrive(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_mbarrier *b[EMU_LANES];
    emu_place place[EMU_LANES] = {{.space = 0}};
    const emu_operand *const number = in->operands > 2 ? &in->operand[2] : NULL;
    const int expects = emu_flag(in, EMU_FLAG_EXPECT_TX);
    if (access_all(w, in, mask, &in->operand[1], b, place)) {
        return EMU_STOPPED;
    }
    const int together = releases_together(w, in, mask, number, b, &place[__builtin_ctz(mask)]);
    EMU_FOR_LANES(lane, mask) {
        const uint32_t value = number ? (uint32_t)emu_lane_value(w, number, lane) : 1;
        if (in->operand[0].kind == EMU_REGISTER) {
            emu_u64(w, &in->operand[0])[lane] = tma_barrier_word(&b[lane]->state) & TOKEN_BITS;
            emu_set_undefined(w, &in->operand[0], UINT32_C(1) << lane, 0);
        }
        if (!together) {
            order_phase_arrives(w, in, UINT32_C(1) << lane, place[lane].cta,
                                (uint32_t)place[lane].at);
        }
        if (place[lane].cta != w->cta) {
            b[lane]->far = (emu_arrival){in, (uint32_t)w->cta->index, w->index * EMU_LANES + lane};
        }
        if (!together) {
            order_arrive(w, in, UINT32_C(1) << lane, place[lane].cta, &b[lane]->open);
        }
        order_arrives_at(w, in, lane, &place[lane]);
        if (arrive_once(w, lane, in, b[lane], expects ? 1 : value, expects ? value : 0)) {
            return EMU_STOPPED;
        }
    }
    return EMU_NEXT;
}

/* mbarrier.expect_tx and complete_tx: relaxed, they order nothing. */
static emu_step transact(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_mbarrier *b[EMU_LANES];
    emu_place place[EMU_LANES] = {{.space = 0}};
    const tma_barrier_operation operation =
        emu_flag(in, EMU_FLAG_EXPECT_TX) ? TMA_BARRIER_EXPECT : TMA_BARRIER_COMPLETE;
    if (access_all(w, in, mask, &in->operand[0], b, place)) {
        return EMU_STOPPED;
    }
    EMU_FOR_LANES(lane, mask) {
        order_phase_expects(w, in, UINT32_C(1) << lane, place[lane].cta, (uint32_t)place[lane].at);
        if (emu_mbarrier_apply(w, lane, in, b[lane], operation, 0,
                               (uint32_t)emu_lane_value(w, &in->operand[1], lane))) {
            return EMU_STOPPED;
        }
    }
    return EMU_NEXT;
}

static emu_step pending_count(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    order_unproved(w->machine, in, "how many arrivals a phase lacks hangs on their order");
    EMU_FOR_LANES(lane, mask) {
        tma_barrier b;
        tma_barrier_read(&b, emu_u64(w, &in->operand[1])[lane]);
        emu_u32(w, &in->operand[0])[lane] = b.arrivals_missing;
    }
    return EMU_NEXT;
}

/* ---- waits ---- */

/* Lanes whose phase is complete: by parity, or by the state that an arrival of it returned. */
static uint32_t complete_lanes(emu_warp *w, const emu_instruction *in, uint32_t mask,
                               emu_mbarrier *const b[EMU_LANES]) {
    const emu_operand *token = &in->operand[2];
    const uint32_t shift = emu_flag(in, EMU_FLAG_PARITY) ? 0 : 63;
    uint32_t complete = 0;
    EMU_FOR_LANES(lane, mask) {
        const uint32_t parity = (uint32_t)(emu_lane_value(w, token, lane) >> shift) & 1;
        complete |= (uint32_t)!tma_barrier_waits(&b[lane]->state, parity) << lane;
    }
    return complete;
}

/* Barrier and parity. */
static uint64_t waited_for(emu_warp *w, const emu_instruction *in, uint32_t mask,
                           emu_mbarrier *const b[EMU_LANES]) {
    const uint32_t lane = (uint32_t)__builtin_ctz(mask);
    return (uint64_t)b[lane]->offset << 32 | (uint32_t)emu_lane_value(w, &in->operand[2], lane);
}

/* Waits that are over are accesses; what says no is asked again, or nobody looks at it. */
static void answer(emu_warp *w, const emu_instruction *in, uint32_t mask, uint32_t complete,
                   emu_mbarrier *const b[EMU_LANES], const emu_place place[EMU_LANES]) {
    watch_all(w, in, mask, place, 1, 0);
    if (complete) {
        come_to(w, in, complete, b, place);
    }
    for (uint32_t rest = mask, same; rest; rest &= ~same) {
        same = same_barrier(rest, b);
        const emu_place *at = &place[__builtin_ctz(same)];
        if (same & complete) {
            order_phase_waits(w, in, same & complete, at->cta, (uint32_t)at->at);
            if (at->cta == w->cta) {
                order_guests_seen(w->cta, (uint32_t)at->at, b[__builtin_ctz(same)]->phase);
            }
        }
        order_wait_answered(w, in, same, same & complete, at->cta, (uint32_t)at->at);
        order_says_no(w, in, same, same & complete, waited_for(w, in, same, b));
    }
    emu_set_predicate(w, &in->operand[0], mask, complete);
    emu_set_undefined(w, &in->operand[0], mask, 0);
    for (uint32_t rest = complete, same; rest; rest &= ~same) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const emu_arrival *far = &b[lane]->was_far;
        same = same_barrier(rest, b);
        (in->order == EMU_RELAXED ? order_acquire_later : order_acquire)(w, same, &b[lane]->done);
        if (far->in) {
            order_waits_for(w, in, lane, &place[lane], far->in, far->cta, far->thread);
        }
    }
}

static emu_step test_wait(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_mbarrier *b[EMU_LANES];
    emu_place place[EMU_LANES] = {{.space = 0}};
    if (find_all(w, in, mask, &in->operand[1], b, place)) {
        return EMU_STOPPED;
    }
    answer(w, in, mask, complete_lanes(w, in, mask, b), b, place);
    return EMU_NEXT;
}

/* Waits until some lane's phase is complete. Once a phase it says no before it waits (so that an
 * answer that nobody looks at is found), and again where the schedule has it give up. */
static emu_step try_wait(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_mbarrier *b[EMU_LANES];
    emu_place place[EMU_LANES] = {{.space = 0}};
    emu_fragment *f = w->now;
    if (find_all(w, in, mask, &in->operand[1], b, place)) {
        return EMU_STOPPED;
    }
    const uint32_t complete = complete_lanes(w, in, mask, b);
    const emu_mbarrier *first = b[__builtin_ctz(mask)];
    const uint64_t phase = (uint64_t)first->offset << 32 | (uint32_t)(first->phase + 1);
    const int says_no =
        f->gives_up || (f->failed != phase && w->machine->schedule != TMA_EMULATE_EARLY);
    if (!complete && !says_no) {
        f->wait = EMU_WAITS_MBARRIER;
        f->number = first->offset;
        return EMU_BLOCKED;
    }
    f->failed = complete ? f->failed : phase;
    f->gives_up = 0;
    answer(w, in, mask, complete, b, place);
    return EMU_NEXT;
}

emu_run emu_choose_mbarrier(const emu_instruction *in) {
    switch (in->op) {
    case EMU_OP_MBARRIER_INIT:
        return init;
    case EMU_OP_MBARRIER_INVAL:
        return inval;
    case EMU_OP_MBARRIER_ARRIVE:
    case EMU_OP_MBARRIER_ARRIVE_DROP:
        return arrive;
    case EMU_OP_MBARRIER_EXPECT_TX:
    case EMU_OP_MBARRIER_COMPLETE_TX:
        return transact;
    case EMU_OP_MBARRIER_TEST_WAIT:
        return in->also.kind == EMU_ABSENT ? test_wait : NULL;
    case EMU_OP_MBARRIER_TRY_WAIT:
        return in->also.kind == EMU_ABSENT ? try_wait : NULL;
    case EMU_OP_MBARRIER_PENDING_COUNT:
        return pending_count;
    default:
        return NULL;
    }
}
