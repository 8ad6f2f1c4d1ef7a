/* SPDX-License-Identifier: Apache-2.0
 *
 * Operands that all copies have: shared addresses, mbarriers, masks of CTAs.
 */
#include "async_copies.h"

#include <string.h>

#include "access.h"
#include "order.h"
#include "run_report.h"
#include "tma/detail/assert.h"

#define MBARRIER_B 8

emu_cta *emu_shared_operand(emu_warp *w, const emu_instruction *in, uint32_t lane,
                            const emu_operand *o, uint32_t space, uint32_t *address) {
    const uint64_t generic = emu_address(w, o, space, lane);
    const uint64_t shared = generic - EMU_SHARED_WINDOW;
    const uint64_t rank = shared >> EMU_RANK_SHIFT;
    emu_place place;
    if (generic >= EMU_SHARED_WINDOW && rank < w->cta->cluster->ctas &&
        w->cta->cluster->cta[rank]) {
        *address = (uint32_t)shared;
        return w->cta->cluster->cta[rank];
    }
    if (!emu_place_of(w, in, lane, generic, 1, 0, 0, &place)) { /* else it has said so */
        emu_stop(w->machine, TMA_EMULATE_TRAP, w, in,
                 "an address that has to lie in shared memory does not");
    }
    return NULL;
}

int emu_check_multicast(emu_warp *w, const emu_instruction *in, uint32_t lane, uint32_t mask) {
    const uint32_t ctas = w->cta->cluster->ctas;
    if (ctas >= 32 || !(mask >> ctas)) {
        return 0;
    }
    const emu_who who = {.in = in,
                         .cta = w->cta->index,
                         .thread = w->index * EMU_LANES + lane,
                         .proxy = "async",
                         .what = "copy's write",
                         .space = EMU_SHARED_CLUSTER};
    emu_report(w->machine, TMA_EMULATE_RULE_MULTICAST_CLUSTER, 1, &who, NULL,
               "the mask of the multicast names a CTA that the cluster does not have", NULL);
    emu_stop(w->machine, TMA_EMULATE_TRAP, w, in,
             "the mask of the multicast names a CTA that the cluster does not have");
    return -1;
}

int emu_tells(emu_async *a, const emu_operand *o, emu_cta *of, uint32_t tx_B) {
    emu_place place;
    if (!emu_mbarrier_of(a->warp, a->in, a->lane, o, EMU_SHARED_CLUSTER, &place)) {
        return -1;
    }
    a->barrier_cta = of ? of : place.cta;
    a->barrier = (uint32_t)place.at;
    a->tx_B = tx_B;
    return 0;
}

void emu_check_source(emu_async *a, const emu_place *place, uint64_t size_B) {
    emu_machine *m = a->warp->machine;
    if (!m->tracks || emu_is_written(m, place, size_B)) {
        return;
    }
    const emu_who who = {.in = a->in,
                         .cta = a->warp->cta->index,
                         .thread = a->warp->index * EMU_LANES + a->lane,
                         .proxy = "async",
                         .what = "copy's read",
                         .space = EMU_SHARED_CTA,
                         .address = emu_shared_address(place->cta, place->at),
                         .size_B = size_B};
    emu_report(m, TMA_EMULATE_RULE_UNINITIALISED, 1, &who, NULL,
               "bytes of shared memory that nobody wrote go to global memory", NULL);
}

/* An operand's registers, lane by lane. */
static void values_of(const emu_warp *w, const emu_operand *o, uint64_t value[EMU_LANES]) {
    memset(value, 0, EMU_LANES * sizeof(*value));
    if (o->kind == EMU_ADDRESS) {
        emu_addresses(w, o, EMU_GENERIC, value);
    } else if (o->kind == EMU_REGISTER) {
        EMU_FOR_LANES(lane, UINT32_MAX) {
            value[lane] = emu_lane_value(w, o, lane);
        }
    }
}

/* Lanes that have the first one's values of an operand. */
static uint32_t alike(const emu_warp *w, const emu_operand *o, uint32_t mask) {
    uint64_t value[EMU_LANES];
    uint32_t same = mask;
    values_of(w, o, value);
    for (uint32_t i = 0; i <= o->count; i++) {
        const uint64_t first = value[__builtin_ctz(mask)];
        EMU_FOR_LANES(lane, mask) {
            same &= ~((uint32_t)(value[lane] != first) << lane);
        }
        if (i < o->count) {
            values_of(w, &w->machine->program->operand[o->first + i], value);
        }
    }
    return same;
}

void emu_issues(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    w->issuer = in;
    w->issues = w->machine->issued + 1;
    w->issues_alike = mask;
    for (uint32_t i = 0; i < in->operands && w->issues_alike & (w->issues_alike - 1); i++) {
        w->issues_alike = alike(w, &in->operand[i], w->issues_alike);
    }
}

/* Whether a thread is the first time one that the barrier is told by. */
static int is_new_issuer(emu_mbarrier *b, const emu_async *a) {
    const uintptr_t issuer = (uintptr_t)a->warp + a->lane;
    for (uint32_t i = 0; i < sizeof(b->issuer) / sizeof(b->issuer[0]); i++) {
        if (b->issuer[i] == issuer) {
            return 0;
        }
    }
    b->issuer[b->next_issuer] = issuer;
    b->next_issuer = (uint8_t)((b->next_issuer + 1u) % (sizeof(b->issuer) / sizeof(b->issuer[0])));
    return 1;
}

void emu_touches_barrier(emu_async *a) {
    emu_mbarrier *b = a->barrier_cta ? emu_mbarrier_at(a->barrier_cta, a->barrier) : NULL;
    if (a->barrier_cta && (!b || is_new_issuer(b, a))) {
        const emu_place place = emu_place_in(a->barrier_cta, a->barrier);
        order_async_access(a, ORDER_ATOMIC, ORDER_GENERIC, &place, MBARRIER_B);
    }
}

emu_step emu_copy_trap(emu_machine *m, const emu_warp *w, uint32_t lane, const emu_instruction *in,
                       const tma_finding *why) {
    if (why->rule != TMA_RULE_MEMORY_GLOBAL) {
        return emu_trap(m, w, lane, in, why);
    }
    char text[TMA_EMULATE_TEXT];
    tma_out out = tma_out_into(text, sizeof(text));
    emu_put_outside(&out, m, why->value);
    const emu_who who = {.in = in,
                         .cta = w->cta->index,
                         .thread = w->index * EMU_LANES + lane,
                         .what = "copy",
                         .proxy = "async"};
    emu_report(m, TMA_EMULATE_RULE_TRAP, 1, &who, NULL, text, NULL);
    return emu_stop(m, TMA_EMULATE_TRAP, w, in, text);
}
