/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads of other CTAs in a CTA's shared memory: it must not end before it knows that they are
 * done.
 */
#include "order_state.h"
#include "run_report.h"

/* Those of a warp's accesses, and those of its operations on each mbarrier, by themselves. */
static order_guest *guest_of(order_state *s, order_cta_state *c, const order_actor *a,
                             uint32_t warp, uint64_t phase) {
    for (order_guest *guest = c->guest; guest; guest = guest->next) {
        if (guest->cta == a->entry.cta && guest->warp == warp && !guest->phase == !phase &&
            (!phase || guest->place.at == a->place->at)) {
            return guest;
        }
    }
    order_guest *guest = emu_take(s->machine, sizeof *guest);
    if (guest) {
        *guest = (order_guest){.next = c->guest, .cta = a->entry.cta, .warp = warp};
        c->guest = guest;
    }
    return guest;
}

void order_guest_comes(order_state *s, const emu_warp *warp, uint32_t lane, const order_actor *a) {
    order_cta_state *c = a->place->cta->order;
    const uint64_t *phases = ((const order_warp_state *)warp->order)->phase;
    const uint64_t phase = phases ? phases[lane] + 1 : 0;
    order_guest *guest = c ? guest_of(s, c, a, warp->index, phase) : 0;
    if (guest) {
        guest->phase = phase;
        guest->epoch[lane] = a->entry.epoch;
        guest->iteration = a->entry.iteration;
        guest->writes = (a->entry.flags & ORDER_IS_WRITE) != 0;
        guest->in = &s->machine->program->code[a->entry.in];
        guest->place = *a->place;
    }
}

void order_guests_seen(emu_cta *cta, uint32_t barrier, uint64_t open) {
    order_cta_state *c = order_of(cta->machine) ? cta->order : 0;
    for (order_guest *guest = c ? c->guest : 0; guest; guest = guest->next) {
        if (guest->phase && guest->place.at == barrier && guest->phase <= open) {
            for (uint32_t l = 0; l < EMU_LANES; l++) {
                guest->epoch[l] = 0;
            }
        }
    }
}

static void report(order_state *s, const order_guest *guest, uint32_t lane) {
    const emu_who who = {.in = guest->in,
                         .cta = guest->cta,
                         .thread = guest->warp * EMU_LANES + lane,
                         .proxy = "generic",
                         .what = guest->writes ? "write" : "read",
                         .space = EMU_SHARED_CTA,
                         .address = (guest->place.cta->rank << EMU_RANK_SHIFT) + guest->place.at,
                         .iteration = guest->iteration};
    emu_report(s->machine, TMA_EMULATE_RULE_EXIT_EARLY, 1, &who, 0,
               "the CTA whose shared memory it is may have ended: none of its threads waited for "
               "this access",
               "barrier.cluster.arrive and wait between the access and the end of that CTA");
}

void order_guests_judge(order_state *s, const emu_cta *cta, const order_know *know) {
    order_cta_state *c = cta->order;
    for (order_guest *guest = c->guest, *next; guest; guest = next) {
        next = guest->next;
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            if (guest->epoch[l] &&
                order_shared_at(know, guest->cta, guest->warp * EMU_LANES + l) < guest->epoch[l]) {
                report(s, guest, l);
                break;
            }
        }
        emu_give(s->machine, guest);
    }
    c->guest = 0;
}
