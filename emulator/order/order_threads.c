/* SPDX-License-Identifier: Apache-2.0
 *
 * What threads know: release, acquire, fences, flags.
 */
#include <string.h>

#include "order_state.h"
#include "run_report.h"

/* The lanes of a mask that know the same as its first. */
static uint32_t alike(const order_warp_state *w, uint32_t mask) {
    const order_know *first = w->know[__builtin_ctz(mask)];
    uint32_t same = 0;
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        same |= (uint32_t)(w->know[l] == first) << l;
    }
    return same & mask;
}

static void tick(order_warp_state *w, uint32_t mask) {
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        w->epoch[l] += mask >> l & 1;
    }
}

/* *know includes all that lanes know and did. */
static void publish(emu_warp *warp, uint32_t mask, order_know **know) {
    order_state *s = order_of(warp->machine);
    order_warp_state *w = warp->order;
    for (uint32_t rest = mask, group; rest; rest &= ~group) {
        group = alike(w, rest);
        order_know_join(&s->clocks, know, w->know[__builtin_ctz(rest)]);
        *know = order_know_own(&s->clocks, *know);
        if (*know) {
            order_clock_raise_lanes(&s->clocks, &(*know)->clock[ORDER_HAPPENED],
                                    (uint32_t)warp->cta->index, warp->index * EMU_LANES, group,
                                    w->epoch);
            if ((*know)->clock[ORDER_STRICT]) {
                order_clock_raise_lanes(&s->clocks, &(*know)->clock[ORDER_STRICT],
                                        (uint32_t)warp->cta->index, warp->index * EMU_LANES, group,
                                        w->epoch);
            }
        }
    }
}

static void learn(emu_warp *warp, uint32_t mask, order_know *other) {
    order_state *s = order_of(warp->machine);
    order_warp_state *w = warp->order;
    for (uint32_t rest = other ? mask : 0, group; rest; rest &= ~group) {
        group = alike(w, rest);
        order_know *know = order_know_keep(w->know[__builtin_ctz(rest)]);
        order_know_join_alike(&s->clocks, &know, other);
        EMU_FOR_LANES(l, group) {
            order_know_drop(&s->clocks, w->know[l]);
            w->know[l] = order_know_keep(know);
        }
        order_know_drop(&s->clocks, know);
    }
}

/* `fence`: that has what relaxed reads saw known; null: a release that follows them. What a fence
 * is too narrow for is kept for a wider one. The lanes that have nothing left. */
static uint32_t learn_pending(emu_warp *warp, const emu_instruction *fence, uint32_t mask,
                              order_pending pending[EMU_LANES]) {
    order_state *s = order_of(warp->machine);
    order_warp_state *w = warp->order;
    const order_holds holds = s->is_scoped && fence ? order_scope_of(fence) : ORDER_HOLDS_ALL;
    uint32_t kept = 0;
    EMU_FOR_LANES(l, mask) {
        if (pending[l].know && s->is_scoped) {
            order_know_join_scoped(&s->clocks, &w->know[l], pending[l].know, pending[l].by[holds]);
        } else if (pending[l].know) {
            learn(warp, 1u << l, pending[l].know);
        }
        if (pending[l].know && holds < ORDER_HOLDS_ALL) {
            kept |= 1u << l;
        } else {
            order_pending_drop(s, &pending[l]);
        }
    }
    return mask & ~kept;
}

static void learn_atoms(emu_warp *warp, const emu_instruction *fence, uint32_t mask) {
    order_warp_state *w = warp->order;
    if (w->atoms & mask) {
        w->atoms &= ~learn_pending(warp, fence, w->atoms & mask, w->atom_pending);
    }
}

/* A barrier behind a relaxed atomic hands on what the atomic saw: CUDA's samples count the CTAs
 * that are done by one, with no fence behind it. */
void order_release(emu_warp *w, uint32_t mask, emu_sync *sync) {
    if (order_of(w->machine) && mask) {
        learn_atoms(w, 0, mask);
        publish(w, mask, (order_know **)&sync->know);
        tick(w->order, mask);
    }
}

void order_acquire(emu_warp *w, uint32_t mask, const emu_sync *sync) {
    if (order_of(w->machine) && mask) {
        learn(w, mask, sync->know);
    }
}

void order_sync_copy(emu_machine *m, emu_sync *to, const emu_sync *from) {
    order_state *s = order_of(m);
    if (s && to != from) {
        order_know *know = order_know_keep(from->know);
        order_know_drop(&s->clocks, to->know);
        to->know = know;
        order_clock_set(&s->clocks, (order_clock **)&to->near_clock, from->near_clock);
    }
}

void order_sync_join(emu_machine *m, emu_sync *to, const emu_sync *from) {
    order_state *s = order_of(m);
    if (s) {
        order_know_join(&s->clocks, (order_know **)&to->know, from->know);
        order_clock_join(&s->clocks, (order_clock **)&to->near_clock, from->near_clock);
    }
}

void order_sync_clear(emu_machine *m, emu_sync *sync) {
    order_state *s = order_of(m);
    if (s) {
        order_know_drop(&s->clocks, sync->know);
        sync->know = 0;
        order_clock_set(&s->clocks, (order_clock **)&sync->near_clock, 0);
    }
}

void order_warp(emu_warp *w, uint32_t mask) {
    order_state *s = order_of(w->machine);
    if (s && mask) {
        order_know *know = 0;
        publish(w, mask, &know);
        tick(w->order, mask);
        learn(w, mask, know);
        order_know_drop(&s->clocks, know);
    }
}

void order_meet(emu_warp *warp, uint32_t mask) {
    order_state *s = order_of(warp->machine);
    order_warp_state *w = warp->order;
    if (!s || !(w->at_barrier & mask) || !(mask & (mask - 1))) {
        return;
    }
    order_know *know = 0;
    publish(warp, mask, &know);
    tick(w, mask);
    if (know) {
        order_know *met = order_know_own(&s->clocks, 0);
        for (uint32_t i = 0; met && i < 2; i++) {
            order_clock_join(&s->clocks, &met->clock[ORDER_CAME],
                             know->clock[i ? ORDER_CAME : ORDER_HAPPENED]);
        }
        learn(warp, mask, met);
        order_know_drop(&s->clocks, met);
    }
    order_know_drop(&s->clocks, know);
    w->at_barrier &= ~mask;
}

/* The next lanes that know the same, and that as only the caller holds it; they know it then. */
static order_know *group_begins(order_state *s, const order_warp_state *w, uint32_t rest,
                                uint32_t *group) {
    *group = alike(w, rest);
    return order_know_own(&s->clocks, order_know_keep(w->know[__builtin_ctz(rest)]));
}

static void group_ends(order_state *s, order_warp_state *w, uint32_t group, order_know *know) {
    EMU_FOR_LANES(l, group) {
        order_know_drop(&s->clocks, w->know[l]);
        w->know[l] = order_know_keep(know);
    }
    order_know_drop(&s->clocks, know);
}

/* What lanes know, with their own accesses so far, goes into clocks for another proxy. */
static void fence_proxy(emu_warp *warp, uint32_t mask, order_which own, order_which seen) {
    order_state *s = order_of(warp->machine);
    order_warp_state *w = warp->order;
    for (uint32_t rest = mask, group; rest; rest &= ~group) {
        order_know *know = group_begins(s, w, rest, &group);
        if (!know) {
            return;
        }
        const uint32_t cta = (uint32_t)warp->cta->index, first = warp->index * EMU_LANES;
        order_clock_raise_lanes(&s->clocks, &know->clock[own], cta, first, group, w->epoch);
        if (seen == ORDER_SEEN_SHARED) {
            order_clock_join(&s->clocks, &know->clock[seen], know->clock[ORDER_SHARED]);
            order_clock_join(&s->clocks, &know->clock[seen], know->clock[ORDER_OWN]);
        }
        if (own == ORDER_RELEASED || own == ORDER_RELEASED_OWN) {
            order_restricted_release(&s->clocks, know, own == ORDER_RELEASED);
        }
        if (seen != own || own == ORDER_RELEASED || own == ORDER_RELEASED_OWN) {
            /* Each lane's own accesses are among what it has seen; those of the others of the
             * warp are only as far as it knows of them. */
            order_clock_join(&s->clocks, &know->clock[seen], know->clock[ORDER_HAPPENED]);
            order_clock_raise_lanes(&s->clocks, &know->clock[seen], cta, first, group, w->epoch);
        }
        group_ends(s, w, group, know);
    }
    tick(w, mask);
}

/* A fence of a scope, before its epoch ends. */
static void fence_scope(emu_warp *warp, const emu_instruction *in, uint32_t mask) {
    order_state *s = order_of(warp->machine);
    order_warp_state *w = warp->order;
    for (uint32_t rest = s->is_scoped ? mask : 0, group; rest; rest &= ~group) {
        order_know *know = group_begins(s, w, rest, &group);
        if (!know) {
            return;
        }
        order_scope_fenced(s, know, in, warp, group);
        group_ends(s, w, group, know);
    }
}

/* What relaxed reads and atomics saw, as far as it lies in shared memory; a fence that restricts
 * nothing may still come. */
static void learn_restricted(emu_warp *warp, uint32_t mask) {
    order_state *s = order_of(warp->machine);
    order_warp_state *w = warp->order;
    EMU_FOR_LANES(l, mask) {
        order_know *const told[2] = {w->read_pending[l].know,
                                     w->atoms >> l & 1 ? w->atom_pending[l].know : 0};
        for (uint32_t i = 0; i < 2; i++) {
            order_know *know = told[i] ? order_restricted(&s->clocks, told[i]) : 0;
            learn(warp, 1u << l, know);
            order_know_drop(&s->clocks, know);
        }
    }
}

/* fence.acq_rel, fence.sc: relaxed writes that come behind it, in this thread or in one that a
 * barrier tells, publish what is known here; what relaxed reads saw is known from now on.
 * fence.release and fence.acquire do the one or the other. */
static void fence_flags(emu_warp *warp, const emu_instruction *in, uint32_t mask) {
    order_warp_state *w = warp->order;
    if (order_is_restricted(in)) {
        if (in->order == EMU_ACQUIRE) {
            learn_restricted(warp, mask);
        } else {
            fence_proxy(warp, mask, ORDER_RELEASED_OWN, ORDER_RELEASED_OWN);
        }
        return;
    }
    if (in->order != EMU_RELEASE) {
        learn_pending(warp, in, mask, w->read_pending);
        learn_atoms(warp, in, mask);
    }
    if (in->order != EMU_ACQUIRE) {
        fence_scope(warp, in, mask);
        fence_proxy(warp, mask, ORDER_RELEASED, ORDER_RELEASED);
    }
}

static order_map_acquired *acquired_row(order_state *s, const emu_warp *warp, uint64_t address,
                                        uint32_t lanes) {
    for (order_map_acquired *row = s->acquired; row; row = row->next) {
        if (row->address == address && row->cta == (uint32_t)warp->cta->index &&
            row->warp == warp->index && row->lanes == lanes) {
            return row;
        }
    }
    order_map_acquired *row = ORDER_TAKE(s, 1, order_map_acquired);
    if (row) {
        row->next = s->acquired;
        row->address = address;
        row->cta = (uint32_t)warp->cta->index;
        row->warp = warp->index;
        row->lanes = lanes;
        s->acquired = row;
    }
    return row;
}

static void acquire_map(emu_warp *warp, uint32_t mask, const emu_place *place) {
    order_state *s = order_of(warp->machine);
    order_warp_state *w = warp->order;
    for (uint32_t rest = mask, group; rest; rest &= ~group) {
        group = alike(w, rest);
        order_map_acquired *row = acquired_row(s, warp, place->at, group);
        const order_know *know = w->know[__builtin_ctz(rest)];
        if (row && know) {
            order_clock_join(&s->clocks, &row->maps, know->clock[ORDER_MAPS]);
        }
        if (row) {
            memcpy(row->epoch, w->epoch, sizeof row->epoch);
        }
    }
    tick(w, mask);
}

void order_fence(emu_warp *w, const emu_instruction *in, uint32_t mask, order_fence_kind kind,
                 uint32_t scope, const emu_place *place) {
    order_state *s = order_of(w->machine);
    (void)scope;
    if (!s || !mask) {
        return;
    }
    switch (kind) {
    case ORDER_FENCE_SC:
    case ORDER_FENCE_ACQ_REL:
        fence_flags(w, in, mask);
        return;
    case ORDER_FENCE_BARRIER_INIT: /* of its thread's initialisations, and of nothing else */
        fence_proxy(w, mask, ORDER_INITS, ORDER_INITS);
        return;
    case ORDER_FENCE_PROXY_ASYNC:
        fence_proxy(w, mask, ORDER_FENCED_SHARED, ORDER_SEEN_SHARED);
        fence_proxy(w, mask, ORDER_FENCED_GLOBAL, ORDER_SEEN_GLOBAL);
        return;
    case ORDER_FENCE_PROXY_ASYNC_SHARED:
        if (order_is_restricted(in)) { /* of one direction: it acquires or releases, too */
            fence_flags(w, in, mask);
        }
        fence_proxy(w, mask, ORDER_FENCED_SHARED, ORDER_SEEN_SHARED);
        return;
    case ORDER_FENCE_PROXY_ASYNC_GLOBAL:
        fence_proxy(w, mask, ORDER_FENCED_GLOBAL, ORDER_SEEN_GLOBAL);
        return;
    case ORDER_FENCE_MAP_RELEASE:
        fence_flags(w, in, mask); /* it is a release of its scope, too */
        fence_proxy(w, mask, ORDER_MAPS, ORDER_MAPS);
        return;
    case ORDER_FENCE_MAP_ACQUIRE:
        fence_flags(w, in, mask);
        if (place) {
            acquire_map(w, mask, place);
        }
        return;
    case ORDER_FENCE_WGMMA:
    case ORDER_FENCE_ALIAS:
        return;
    }
}

/* What a relaxed write of a lane tells: what was fenced; initialisations by their own clock. */
static void publish_fenced(emu_warp *warp, uint32_t lane, order_know **know) {
    order_state *s = order_of(warp->machine);
    order_know *own = ((order_warp_state *)warp->order)->know[lane];
    if (own && (own->clock[ORDER_RELEASED] || own->clock[ORDER_INITS] ||
                own->clock[ORDER_RELEASED_SHARED] || own->clock[ORDER_RELEASED_OWN])) {
        order_know *fenced = order_know_own(&s->clocks, order_know_keep(own));
        if (fenced) {
            order_clock_set(&s->clocks, &fenced->clock[ORDER_HAPPENED],
                            fenced->clock[ORDER_RELEASED]);
            order_clock_set(&s->clocks, &fenced->clock[ORDER_STRICT], 0);
            order_restricted_tell(&s->clocks, fenced);
            order_know_join(&s->clocks, know, fenced);
            order_know_drop(&s->clocks, fenced);
        }
    }
}

void order_release_fenced(emu_warp *warp, uint32_t mask, emu_sync *sync, int is_far) {
    order_state *s = order_of(warp->machine);
    const uint32_t holds = is_far ? ORDER_HOLDS_CLUSTER : ORDER_HOLDS_CTA;
    for (uint32_t rest = s ? mask : 0, group; rest; rest &= ~group) {
        order_know *told = 0;
        group = alike(warp->order, rest);
        publish_fenced(warp, (uint32_t)__builtin_ctz(rest), &told);
        if (told && s->is_scoped) {
            order_know_join_scoped(&s->clocks, (order_know **)&sync->know, told,
                                   told->clock[ORDER_RELEASED_CTA + holds]);
        } else {
            order_know_join(&s->clocks, (order_know **)&sync->know, told);
        }
        order_know_drop(&s->clocks, told);
    }
}

void order_arrive(emu_warp *w, const emu_instruction *in, uint32_t mask, const emu_cta *at,
                  emu_sync *open) {
    order_state *s = order_of(w->machine);
    emu_sync one = {0}, *told = s && s->is_scoped ? &one : open;
    if (in->order == EMU_RELAXED) {
        order_release_fenced(w, mask, told, at != w->cta);
    } else {
        order_release(w, mask, told);
    }
    if (one.know && at == w->cta) {
        order_clock_join(&s->clocks, (order_clock **)&one.near_clock, order_know_strict(one.know));
    }
    if (told == &one) {
        order_sync_join(w->machine, open, &one);
        order_sync_clear(w->machine, &one);
    }
}

void order_acquire_later(emu_warp *warp, uint32_t mask, const emu_sync *sync) {
    order_state *s = order_of(warp->machine);
    order_warp_state *w = warp->order;
    EMU_FOR_LANES(l, s ? mask : 0) {
        order_know *know = sync->know;
        order_know_join(&s->clocks, &w->read_pending[l].know, know);
        for (uint32_t i = 0; know && s->is_scoped && i < ORDER_SCOPES; i++) {
            order_clock_join(&s->clocks, &w->read_pending[l].by[i],
                             i == ORDER_HOLDS_CTA ? sync->near_clock : order_know_strict(know));
        }
    }
}

static order_flag_row *flag_row(order_state *s, const emu_place *place) {
    emu_cta *cta = place->space == EMU_SHARED_CTA ? place->cta : 0;
    const uint64_t mix = (place->at >> 2) * UINT64_C(0x9e3779b97f4a7c15);
    order_flag_row **head = &s->flag[mix >> 52 & (ORDER_HASH - 1)];
    for (order_flag_row *row = *head; row; row = row->next) {
        if (row->cta == cta && row->at == place->at) {
            return row;
        }
    }
    order_flag_row *row = ORDER_TAKE(s, 1, order_flag_row);
    if (row) {
        *row = (order_flag_row){.next = *head, .cta = cta, .at = place->at};
        *head = row;
    }
    return row;
}

static void flag_read(emu_warp *warp, const emu_instruction *in, uint32_t lane, int writes,
                      uint32_t semantics, const order_flag_row *row) {
    order_state *s = order_of(warp->machine);
    order_warp_state *w = warp->order;
    if (!(semantics & ORDER_ACQUIRES)) {
        order_pending *pending = writes ? &w->atom_pending[lane] : &w->read_pending[lane];
        order_know_join(&s->clocks, &pending->know, row->know);
        order_scope_hear(s, warp->cta, row, pending->by);
        w->atoms |= (uint32_t)(writes != 0) << lane;
    } else if (s->is_scoped) { /* a release by the write is judged by itself */
        order_clock *by[ORDER_SCOPES] = {0};
        order_scope_hear(s, warp->cta, row, by);
        order_know_join_scoped(&s->clocks, &w->know[lane], row->know,
                               by[row->released.in ? ORDER_HOLDS_ALL : order_scope_of(in)]);
        order_scope_drop(s, by);
    } else {
        learn(warp, 1u << lane, row->know);
    }
}

/* Whether it tells anything. */
static int flag_written(emu_warp *warp, const emu_instruction *in, uint32_t lane,
                        uint32_t semantics, order_flag_row *row) {
    order_state *s = order_of(warp->machine);
    order_warp_state *w = warp->order;
    order_know *told = 0;
    if (semantics & ORDER_RELEASES) {
        order_scope_note(row, warp, in, lane);
        publish(warp, 1u << lane, &told);
        tick(w, 1u << lane);
    } else {
        publish_fenced(warp, lane, &told);
        if (told) {
            row->released.in = 0;
        }
    }
    if (!told) {
        return 0;
    }
    order_scope_tell(s, warp->cta, row, told, semantics & ORDER_RELEASES);
    order_know_join(&s->clocks, &row->know, told);
    order_know_drop(&s->clocks, told);
    return 1;
}

void order_flag(emu_warp *warp, const emu_instruction *in, uint32_t lane, int reads, int writes,
                uint32_t semantics, const emu_place *place, uint32_t size_B) {
    order_state *s = order_of(warp->machine);
    if (!s || (place->space != EMU_GLOBAL && place->space != EMU_SHARED_CTA)) {
        return;
    }
    order_flag_row *row = flag_row(s, place);
    if (!row) {
        return;
    }
    if (reads && row->know) {
        flag_read(warp, in, lane, writes, semantics, row);
        if (semantics & ORDER_ACQUIRES) {
            order_scope_judge(row, warp, in, lane, place, size_B);
        }
    }
    if (writes && !reads) { /* a plain store ends a release sequence; an atomic continues it */
        order_know_drop(&s->clocks, row->know);
        row->know = 0;
        row->released.in = 0;
        order_scope_forget(s, row);
    }
    if (writes && flag_written(warp, in, lane, semantics, row)) {
        ((order_cta_state *)warp->cta->order)->tells |= place->space == EMU_GLOBAL;
    }
}
