/* SPDX-License-Identifier: Apache-2.0
 *
 * Fences that order some accesses alone: .sync_restrict::shared::cta releases what was done to
 * objects in the CTA's own shared memory, .sync_restrict::shared::cluster acquires what was done to
 * objects in shared memory. What they tell is in clocks of its own, which accesses to shared memory
 * ask beside HAPPENED.
 */
#include "order_state.h"
#include "words.h"

int order_is_restricted(const emu_instruction *in) {
    return emu_flag(in, EMU_FLAG_RESTRICT_CTA) || emu_flag(in, EMU_FLAG_RESTRICT_CLUSTER);
}

static void move_clock(order_clocks *s, order_know *know, order_which from, order_which to) {
    order_clock_join(s, &know->clock[to], know->clock[from]);
    order_clock_set(s, &know->clock[from], 0);
}

/* Time passed whatever memory is ordered: CAME is told as ever. */
order_know *order_restricted(order_clocks *s, order_know *told) {
    order_know *know = order_know_own(s, order_know_keep(told));
    if (know) {
        order_clock_join(s, &know->clock[ORDER_CAME], know->clock[ORDER_HAPPENED]);
        move_clock(s, know, ORDER_HAPPENED, ORDER_SHARED);
        move_clock(s, know, ORDER_RELEASED, ORDER_RELEASED_SHARED);
        order_clock_set(s, &know->clock[ORDER_MAPS], 0);
        for (uint32_t i = ORDER_RELEASED_CTA; i < ORDER_CLOCKS; i++) {
            order_clock_set(s, &know->clock[i], 0);
        }
    }
    return know;
}

/* What clocks of restricted fences say is released, by a fence that restricts nothing (is_all), or
 * by one that holds the CTA's own shared memory. */
void order_restricted_release(order_clocks *s, order_know *know, int is_all) {
    order_clock_join(s, &know->clock[is_all ? ORDER_RELEASED_SHARED : ORDER_RELEASED_OWN],
                     know->clock[ORDER_SHARED]);
    order_clock_join(s, &know->clock[ORDER_RELEASED_OWN], know->clock[ORDER_OWN]);
}

void order_restricted_tell(order_clocks *s, order_know *know) {
    order_clock_set(s, &know->clock[ORDER_SHARED], know->clock[ORDER_RELEASED_SHARED]);
    order_clock_set(s, &know->clock[ORDER_OWN], know->clock[ORDER_RELEASED_OWN]);
}

uint32_t order_shared_at(const order_know *know, uint32_t cta, uint32_t number) {
    const uint32_t all = know ? order_clock_at(know->clock[ORDER_HAPPENED], cta, number) : 0,
                   shared = know ? order_clock_at(know->clock[ORDER_SHARED], cta, number) : 0;
    return all > shared ? all : shared;
}

int order_knows_lane(const order_actor *a, const order_entry *e, uint32_t lane) {
    const order_know *know = a->know;
    const uint32_t number = e->warp * EMU_LANES + lane;
    if (!know) {
        return 0;
    }
    if (a->place && a->place->space != EMU_SHARED_CTA) {
        return order_clock_at(know->clock[ORDER_HAPPENED], e->cta, number) >= e->epoch;
    }
    const int is_own = a->place && a->place->cta->index == e->cta;
    return order_shared_at(know, e->cta, number) >= e->epoch ||
           (is_own && order_clock_at(know->clock[ORDER_OWN], e->cta, number) >= e->epoch);
}
