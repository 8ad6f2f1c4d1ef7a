/* SPDX-License-Identifier: Apache-2.0
 *
 * Cells that many threads read, as tables are, or count in: a read or an atomic meets those of its
 * own warp alone. What it stands for, of other warps, goes when there is no room for more.
 */
#include <string.h>

#include "shadow_cell.h"

#define ROOM_FIRST 15u /* twice and one more: with what is before it, powers of two of memory */

static uint32_t bucket_of(const order_crowd *r, uint32_t cta, uint32_t warp) {
    const uint32_t mix =
        (uint32_t)((cta * UINT64_C(64) + warp) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    return (uint32_t)((uint64_t)mix * r->room >> 32);
}

/* Silent ones are found by what they have in common. */
static uint32_t bucket(const order_crowd *r, const order_entry *e) {
    return e->flags & ORDER_IS_SILENT ? bucket_of(r, UINT32_MAX, e->in)
                                      : bucket_of(r, e->cta, e->warp);
}

static void count(const order_state *s, order_crowd *r, const order_entry *e, uint32_t by) {
    r->weak_reads += e->flags & ORDER_IS_STRONG ? 0 : by;
    r->atomics += e->flags & ORDER_IS_ATOMIC ? by : 0;
    r->sensitive += order_is_sensitive(s, e) ? by : 0;
}

static void put(const order_state *s, order_crowd *r, const order_entry *entry) {
    TMA_ASSERT(r->count < r->room && order_is_crowds(entry));
    count(s, r, entry, 1);
    uint32_t *head = &r->at[bucket(r, entry)].head;
    r->at[r->count].entry = *entry;
    r->at[r->count].next = *head;
    *head = ++r->count;
}

static uint32_t *link_to(order_crowd *r, uint32_t number) {
    uint32_t *link = &r->at[bucket(r, &r->at[number - 1].entry)].head;
    while (*link != number) {
        link = &r->at[*link - 1].next;
    }
    return link;
}

/* The last one takes its number. */
static void take_out(const order_state *s, order_crowd *r, uint32_t number) {
    count(s, r, &r->at[number - 1].entry, UINT32_MAX);
    *link_to(r, number) = r->at[number - 1].next;
    if (number != r->count) {
        *link_to(r, r->count) = number;
        r->at[number - 1].entry = r->at[r->count - 1].entry;
        r->at[number - 1].next = r->at[r->count - 1].next;
    }
    r->count--;
}

void order_crowd_end(order_state *s, order_cell *cell) {
    emu_give(s->machine, cell->crowd);
    cell->crowd = 0;
}

static int is_silent(const order_state *s, uint32_t cta) {
    return s->silent && s->silent[cta / 8] >> cta % 8 & 1;
}

/* Whether one like it is there: whatever comes later is unordered with both. */
static int has_silent(const order_crowd *r, const order_entry *e) {
    for (uint32_t n = r->at[bucket(r, e)].head; n; n = r->at[n - 1].next) {
        const order_entry *other = &r->at[n - 1].entry;
        if (other->flags == e->flags && other->in == e->in && other->bytes == e->bytes) {
            return 1;
        }
    }
    return 0;
}

static order_crowd *crowd_of(order_state *s, uint32_t room) {
    order_crowd *r = emu_take(s->machine, sizeof *r + room * sizeof r->at[0]);
    if (r) {
        r->room = room;
    } else {
        order_shadow_lost(s);
    }
    return r;
}

/* What is still needed, with room for half as much. */
static order_crowd *look_through(order_state *s, const order_actor *a, const order_crowd *old) {
    order_crowd *r = crowd_of(s, old->room);
    for (uint32_t i = 0; r && i < old->count; i++) {
        order_entry e = old->at[i].entry;
        if (is_silent(s, e.cta)) {
            e.flags |= ORDER_IS_SILENT;
        }
        if (!(a && order_stands_for(a, &e)) && !(e.flags & ORDER_IS_SILENT && has_silent(r, &e))) {
            put(s, r, &e);
        }
    }
    if (!r || r->count <= r->room / 2) {
        return r;
    }
    order_crowd *more = crowd_of(s, 2 * r->room + 1);
    for (uint32_t i = 0; more && i < r->count; i++) {
        put(s, more, &r->at[i].entry);
    }
    emu_give(s->machine, r);
    return more;
}

void order_crowd_add(order_state *s, const order_actor *a, order_cell *cell,
                     const order_entry *entry) {
    order_crowd *r = cell->crowd;
    if (!r) {
        cell->crowd = crowd_of(s, ROOM_FIRST);
    } else if (r->count == r->room) {
        order_crowd *more = look_through(s, a, r);
        if (!more) {
            return;
        }
        emu_give(s->machine, r);
        cell->crowd = more;
    }
    if (cell->crowd) {
        put(s, cell->crowd, entry);
    }
}

int order_crowd_joins(const order_actor *a, order_crowd *crowd) {
    const uint32_t *head = &crowd->at[bucket(crowd, &a->entry)].head;
    order_entry joined = {.lanes = 0};
    for (uint32_t n = *head, next; n; n = next) {
        order_entry *e = &crowd->at[n - 1].entry;
        next = crowd->at[n - 1].next;
        if (e->cta != a->entry.cta || e->warp != a->entry.warp) {
            continue;
        }
        if (order_joins(a, e)) {
            e->lanes |= a->entry.lanes;
            joined = *e;
        } else if (e->bytes & a->entry.bytes && order_stands_for(a, e)) {
            next = next == crowd->count ? n : next;
            take_out(a->state, crowd, n);
        }
    }
    for (uint32_t n = joined.lanes ? *head : 0, next; n; n = next) {
        next = crowd->at[n - 1].next;
        if (order_is_older(&crowd->at[n - 1].entry, &joined)) {
            next = next == crowd->count ? n : next;
            take_out(a->state, crowd, n);
        }
    }
    return joined.lanes != 0;
}

int order_crowd_passes(const order_actor *a, const order_crowd *crowd) {
    const uint8_t flags = a->entry.flags;
    if (!(flags & ORDER_IS_WRITE) && !crowd->atomics) {
        return 1;
    }
    return flags & ORDER_IS_STRONG && !(flags & ORDER_IS_ASYNC) &&
           (!(flags & ORDER_IS_WRITE) || (flags & ORDER_IS_ATOMIC && !crowd->weak_reads)) &&
           order_strong_pass(a, crowd->sensitive || order_is_sensitive(a->state, &a->entry));
}

void order_crowd_judge(order_actor *a, order_cell *cell, const order_context *context) {
    order_crowd *r = cell->crowd;
    for (uint32_t n = r->count; n > 0; n--) {
        const order_entry e = r->at[n - 1].entry;
        const int is_same = !(a->entry.flags & ORDER_IS_ASYNC) && order_joins(a, &e);
        if (e.bytes & a->entry.bytes && !is_same) {
            order_judge(a, &e, context);
            if (order_stands_for(a, &e)) {
                take_out(a->state, r, n);
            }
        }
    }
    if (!r->count) {
        order_crowd_end(a->state, cell);
    }
}

int order_crowd_quiet(const order_actor *a, const order_crowd *crowd) {
    for (uint32_t i = 0; i < crowd->count; i++) {
        if (!order_is_quiet(a, &crowd->at[i].entry)) {
            return 0;
        }
    }
    return 1;
}
