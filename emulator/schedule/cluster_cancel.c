/* SPDX-License-Identifier: Apache-2.0
 *
 * clusterlaunchcontrol: the next cluster that has not begun never does, and whoever asked for that
 * gets its first CTA's id as 16 bytes in shared memory, told at an mbarrier. PTX calls the bytes
 * opaque: these are the emulator's own.
 */
#include <string.h>

#include "access.h"
#include "async_copies.h"
#include "heap.h"
#include "order.h"
#include "run_report.h"
#include "schedule.h"

#define ANSWER_B  16u
#define CANCELLED 0x0c1c0001u /* the last word of an answer */
#define REFUSED   0x0c1c0000u

/* One request: its answer is the same in all CTAs of a multicast. */
typedef struct request {
    uint32_t answers; /* that are not written yet */
    uint32_t is_asked;
    uint32_t word[ANSWER_B / 4]; /* x, y, z, CANCELLED or REFUSED */
} request;

typedef struct answer {
    emu_async is; /* to: the CTA */
    request *of;
    emu_place target;
} answer;

/* ---- try_cancel ---- */

static int ask(emu_machine *m, emu_async *a) {
    request *r = ((answer *)a)->of;
    if (!r->is_asked) {
        r->is_asked = 1;
        r->word[3] = emu_residents_cancel(m, a->in, r->word) ? CANCELLED : REFUSED;
    }
    return 0;
}

static int complete(emu_machine *m, emu_async *a) {
    const answer *p = (answer *)a;
    request *r = p->of;
    for (uint32_t i = 0; i < ANSWER_B; i++) { /* little-endian, as all of the machine's memory */
        p->target.host[i] = (uint8_t)(r->word[i / 4] >> (8 * (i % 4)));
    }
    emu_now_written(m, &p->target, ANSWER_B);
    if (!--r->answers) {
        emu_give(m, r);
    }
    return emu_mbarrier_complete(a);
}

static void touches(emu_async *a) {
    order_async_access(a, ORDER_WRITE, ORDER_ASYNC, &((const answer *)a)->target, ANSWER_B);
    emu_touches_barrier(a);
}

/* The answer to one CTA; -1: the run is over. */
static int issue(emu_warp *w, const emu_instruction *in, uint32_t lane, request *r, emu_cta *to,
                 const emu_place *at, const emu_place *barrier) {
    answer *p = emu_async_new(w, lane, in, EMU_ASYNC_BULK, sizeof(*p));
    if (!p) {
        return -1;
    }
    p->of = r;
    p->target = emu_place_in(to, at->at);
    p->is.to = p->is.barrier_cta = to;
    p->is.barrier = (uint32_t)barrier->at;
    p->is.tx_B = ANSWER_B;
    p->is.read = ask;
    p->is.complete = complete;
    p->is.touches = touches;
    return emu_async_issue(&p->is);
}

static emu_who who_of(const emu_warp *w, const emu_instruction *in, uint32_t thread) {
    return (emu_who){.in = in,
                     .cta = w->cta->index,
                     .thread = thread,
                     .proxy = "generic",
                     .what = in->op == EMU_OP_TRY_CANCEL ? "request" : "look at the answer"};
}

static void check_refused(emu_warp *w, const emu_instruction *in, uint32_t lane) {
    const emu_cta *cta = w->cta;
    if (cta->refused_in) {
        const emu_who later = who_of(w, in, w->index * EMU_LANES + lane);
        const emu_who earlier = who_of(w, cta->refused_in, cta->refused_thread);
        emu_report(w->machine, TMA_EMULATE_RULE_CANCEL_AGAIN, 1, &later, &earlier,
                   "the CTA asks for another cluster though it has seen that none was left: "
                   "undefined",
                   "a branch on is_canceled out of the loop before the next request");
    }
}

/* Whether all CTAs that get an answer are there; else the run is stopped. */
static int all_there(emu_warp *w, const emu_instruction *in, uint32_t lane) {
    const emu_cluster *cluster = w->cta->cluster;
    for (uint32_t rank = 0; rank < cluster->ctas; rank++) {
        if (!cluster->cta[rank]->running) {
            const emu_who who = who_of(w, in, w->index * EMU_LANES + lane);
            emu_report(w->machine, TMA_EMULATE_RULE_EXIT_EARLY, 1, &who, NULL,
                       "the answer goes to all CTAs of the cluster, and one of them has exited",
                       "barrier.cluster before a CTA's threads exit");
            emu_stop(w->machine, TMA_EMULATE_TRAP, w, in,
                     "the answer goes to all CTAs of the cluster, and one of them has exited");
            return 0;
        }
    }
    return 1;
}

/* An operand's place in the shared memory of the warp's own CTA. */
static int own_place(emu_warp *w, const emu_instruction *in, uint32_t lane, emu_place *at) {
    const uint32_t space = in->spaces ? in->space[0] : EMU_GENERIC;
    const uint64_t address = emu_address(w, &in->operand[0], space, lane);
    if (emu_place_of(w, in, lane, address, ANSWER_B, ANSWER_B, 1, at)) {
        return -1;
    }
    if (at->space != EMU_SHARED_CTA || at->cta != w->cta) {
        emu_stop(w->machine, TMA_EMULATE_TRAP, w, in,
                 "the answer's address does not lie in the CTA's own shared memory");
        return -1;
    }
    return 0;
}

/* [address], [mbar]. */
static int request_of_lane(emu_warp *w, const emu_instruction *in, uint32_t lane) {
    emu_place at, barrier;
    const uint32_t space = in->spaces ? in->space[0] : EMU_GENERIC;
    const int is_multicast = emu_flag(in, EMU_FLAG_MULTICAST_ALL);
    if (own_place(w, in, lane, &at) ||
        !emu_mbarrier_of(w, in, lane, &in->operand[1], space, &barrier)) {
        return -1;
    }
    if (barrier.cta != w->cta) {
        emu_stop(w->machine, TMA_EMULATE_TRAP, w, in,
                 "the mbarrier does not lie in the CTA's own shared memory");
        return -1;
    }
    if (is_multicast && !all_there(w, in, lane)) {
        return -1;
    }
    const emu_cluster *cluster = w->cta->cluster;
    request *r = emu_take(w->machine, sizeof(*r));
    if (!r) {
        return -1;
    }
    check_refused(w, in, lane);
    const uint32_t answers = is_multicast ? cluster->ctas : 1;
    r->answers = answers;
    for (uint32_t i = 0; i < answers; i++) { /* the last one gives the request back */
        if (issue(w, in, lane, r, is_multicast ? cluster->cta[i] : w->cta, &at, &barrier)) {
            return -1;
        }
    }
    return 0;
}

static emu_step try_cancel(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    order_unproved(w->machine, in, "which clusters are left to cancel hangs on the schedule");
    EMU_FOR_LANES(lane, mask) {
        if (request_of_lane(w, in, lane)) {
            return EMU_STOPPED;
        }
    }
    return EMU_NEXT;
}

emu_run emu_choose_try_cancel(const emu_instruction *in) {
    const int has_space = in->spaces == 1 && in->space[0] == EMU_SHARED_CTA;
    return (has_space || !in->spaces) && in->type[0] == EMU_B128 && in->operands == 2 &&
                   in->operand[0].kind == EMU_ADDRESS && in->operand[1].kind == EMU_ADDRESS
               ? try_cancel
               : NULL;
}

/* ---- query_cancel ---- */

/* A word of the answer in a register of 128 bits: the low halves of all lanes, then the high ones.
 */
static uint32_t word_of(const emu_warp *w, const emu_operand *o, uint32_t lane, uint32_t word) {
    const uint64_t half = emu_u64(w, o)[(word / 2) * EMU_LANES + lane];
    return (uint32_t)(half >> (word % 2 * 32));
}

/* Lanes whose register holds an answer that ends in this word. */
static uint32_t lanes_with(const emu_warp *w, const emu_operand *o, uint32_t mask, uint32_t last) {
    uint32_t lanes = 0;
    EMU_FOR_LANES(lane, mask) {
        lanes |= (uint32_t)(word_of(w, o, lane, 3) == last) << lane;
    }
    return lanes & ~emu_undefined(w, o);
}

static emu_step is_canceled(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_operand *from = &in->operand[1];
    const uint32_t refused = lanes_with(w, from, mask, REFUSED);
    const uint32_t cancelled = lanes_with(w, from, mask, CANCELLED);
    if (refused && !w->cta->refused_in) {
        w->cta->refused_in = in;
        w->cta->refused_thread = w->index * EMU_LANES + (uint32_t)__builtin_ctz(refused);
    }
    emu_set_predicate(w, &in->operand[0], mask, cancelled);
    emu_set_undefined(w, &in->operand[0], mask, ~(refused | cancelled));
    return EMU_NEXT;
}

static void put_word(emu_warp *w, const emu_operand *to, const emu_operand *from, uint32_t mask,
                     uint32_t word, uint32_t known) {
    if (to->kind != EMU_REGISTER) {
        return;
    }
    EMU_FOR_LANES(lane, mask) {
        emu_u32(w, to)[lane] = word_of(w, from, lane, word);
    }
    emu_set_undefined(w, to, mask, ~known);
}

/* Whose ids these lanes ask for. */
static void note_asked(emu_warp *w, const emu_operand *from, uint32_t lanes) {
    EMU_FOR_LANES(lane, lanes) {
        const uint32_t ctaid[3] = {word_of(w, from, lane, 0), word_of(w, from, lane, 1),
                                   word_of(w, from, lane, 2)};
        emu_residents_asked(w->machine, ctaid);
    }
}

static emu_step first_ctaid(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_operand *to = &in->operand[0], *from = &in->operand[1];
    const emu_operand *all = w->machine->program->operand;
    const uint32_t known = lanes_with(w, from, mask, CANCELLED);
    note_asked(w, from, known);
    if (lanes_with(w, from, mask, REFUSED)) {
        emu_note(w->machine, in,
                 "asks for the id of a cluster though none was cancelled: what it gives is "
                 "undefined");
    }
    if (to->kind != EMU_VECTOR) {
        const uint32_t word = emu_flag(in, EMU_FLAG_FIRST_CTAID_Z)   ? 2
                              : emu_flag(in, EMU_FLAG_FIRST_CTAID_Y) ? 1
                                                                     : 0;
        put_word(w, to, from, mask, word, known);
        return EMU_NEXT;
    }
    for (uint32_t i = 0; i < to->count; i++) { /* the fourth is unspecified */
        put_word(w, &all[to->first + i], from, mask, i, i < 3 ? known : 0);
    }
    return EMU_NEXT;
}

emu_run emu_choose_query_cancel(const emu_instruction *in) {
    const emu_operand *to = &in->operand[0], *from = &in->operand[1];
    const int is_register = to->kind == EMU_REGISTER && !to->constant && to->slot >= 0;
    const int has_source = in->operands == 2 && in->also.kind == EMU_ABSENT &&
                           from->kind == EMU_REGISTER && !from->constant &&
                           from->type == EMU_B128 && in->type[1] == EMU_B128;
    const int is_one = emu_flag(in, EMU_FLAG_FIRST_CTAID_X) + emu_flag(in, EMU_FLAG_FIRST_CTAID_Y) +
                           emu_flag(in, EMU_FLAG_FIRST_CTAID_Z) ==
                       1;
    if (!has_source) {
        return NULL;
    }
    if (emu_flag(in, EMU_FLAG_IS_CANCELED)) {
        return in->type[0] == EMU_PRED && is_register && to->type == EMU_PRED ? is_canceled : NULL;
    }
    if (in->type[0] != EMU_B32) {
        return NULL;
    }
    return in->vector == 4
               ? emu_flag(in, EMU_FLAG_FIRST_CTAID) && to->kind == EMU_VECTOR &&
                         emu_is_target(to, 4) && (to->number == 4 || emu_bits_of(to) == 32)
                     ? first_ctaid
                     : NULL
           : is_one && emu_bits_of(to) == 32 && is_register ? first_ctaid
                                                            : NULL;
}
