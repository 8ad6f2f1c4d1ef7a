/* SPDX-License-Identifier: Apache-2.0 */
#include "order_clock.h"

#include "heap.h"

#include <string.h>

#include "tma/detail/assert.h"

static size_t block_B(uint32_t count) {
    return sizeof(order_block) + count * sizeof(uint32_t);
}

static size_t clock_B(uint32_t count) {
    return sizeof(order_clock) + count * sizeof(order_part);
}

static void block_drop(order_clocks *s, order_block *block) {
    if (block && !--block->refs) {
        emu_give(s->machine, block);
    }
}

static void clock_drop(order_clocks *s, order_clock *clock) {
    if (clock && !--clock->refs) {
        for (uint32_t i = 0; i < clock->count; i++) {
            block_drop(s, clock->part[i].block);
        }
        emu_give(s->machine, clock);
    }
}

/* Where a CTA's part is or would be. */
static uint32_t part_at(const order_clock *clock, uint32_t cta) {
    uint32_t low = 0, high = clock->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (clock->part[middle].cta < cta) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const order_block *order_clock_block(const order_clock *clock, uint32_t cta) {
    if (!clock) {
        return 0;
    }
    const uint32_t i = part_at(clock, cta);
    return i < clock->count && clock->part[i].cta == cta ? clock->part[i].block : 0;
}

const order_block *order_know_of_cta(const order_know *know, uint32_t cta) {
    return know ? order_clock_block(know->clock[ORDER_HAPPENED], cta) : 0;
}

uint32_t order_clock_at(const order_clock *clock, uint32_t cta, uint32_t number) {
    const order_block *block = order_clock_block(clock, cta);
    return block && number < block->count ? block->at[number] : 0;
}

int order_block_lanes(const order_block *block, uint32_t first, uint32_t lanes, uint32_t epoch) {
    if (!lanes || !epoch) {
        return 1;
    }
    if (!block) {
        return 0;
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const uint32_t number = first + (uint32_t)__builtin_ctz(rest);
        if (number >= block->count || block->at[number] < epoch) {
            return 0;
        }
    }
    return 1;
}

int order_clock_lanes(const order_clock *clock, uint32_t cta, uint32_t first, uint32_t lanes,
                      uint32_t epoch) {
    return order_block_lanes(order_clock_block(clock, cta), first, lanes, epoch);
}

/* A block of at least `count` that only *block's holder has. */
static int block_own(order_clocks *s, order_block **block, uint32_t count) {
    order_block *old = *block;
    if (old && old->refs == 1 && old->count >= count) {
        return 1;
    }
    const uint32_t size = ((old && old->count > count ? old->count : count) + 31u) & ~31u;
    order_block *made = emu_take(s->machine, block_B(size));
    if (!made) {
        return 0;
    }
    made->refs = 1;
    made->count = size;
    const uint32_t kept = old ? old->count : 0;
    if (kept) {
        memcpy(made->at, old->at, kept * sizeof(uint32_t));
    }
    memset(made->at + kept, 0, (size - kept) * sizeof(uint32_t));
    block_drop(s, old);
    *block = made;
    return 1;
}

/* A clock that only its holder has, with a part for a CTA (EMU: cta UINT32_MAX: none is added). */
static order_part *clock_own(order_clocks *s, order_clock **clock, uint32_t cta) {
    order_clock *old = *clock;
    const uint32_t count = old ? old->count : 0, i = old ? part_at(old, cta) : 0;
    const int is_there = i < count && old->part[i].cta == cta;
    if (is_there && old->refs == 1) {
        return &old->part[i];
    }
    order_clock *made = emu_take(s->machine, clock_B(count + !is_there));
    if (!made) {
        return 0;
    }
    made->refs = 1;
    made->count = count + !is_there;
    for (uint32_t k = 0; k < count; k++) {
        order_part *to = &made->part[k + (!is_there && k >= i)];
        *to = old->part[k];
        if (to->block) {
            to->block->refs++;
        }
    }
    if (!is_there) {
        made->part[i] = (order_part){cta, 0};
    }
    clock_drop(s, old);
    *clock = made;
    return &made->part[i];
}

static int block_covers(const order_block *a, const order_block *b) {
    const uint32_t both = a->count < b->count ? a->count : b->count;
    uint32_t beyond = 0;
    for (uint32_t i = 0; i < both; i++) {
        beyond |= b->at[i] > a->at[i];
    }
    for (uint32_t i = both; i < b->count; i++) {
        beyond |= b->at[i] > 0;
    }
    return !beyond;
}

int order_clock_covers(const order_clock *clock, const order_clock *other) {
    for (uint32_t i = 0; other && i < other->count; i++) {
        const order_block *block = order_clock_block(clock, other->part[i].cta);
        if (block != other->part[i].block &&
            (!block || !block_covers(block, other->part[i].block))) {
            return 0;
        }
    }
    return 1;
}

static void part_join(order_clocks *s, order_clock **clock, uint32_t cta, order_block *other) {
    const order_block *mine = order_clock_block(*clock, cta);
    if (!other || mine == other || (mine && block_covers(mine, other))) {
        return;
    }
    order_part *part = clock_own(s, clock, cta);
    if (!part) {
        return;
    }
    if (!part->block || block_covers(other, part->block)) {
        block_drop(s, part->block);
        part->block = other;
        other->refs++;
        return;
    }
    if (block_own(s, &part->block, other->count)) {
        for (uint32_t i = 0; i < other->count; i++) {
            if (other->at[i] > part->block->at[i]) {
                part->block->at[i] = other->at[i];
            }
        }
    }
}

void order_clock_join(order_clocks *s, order_clock **clock, order_clock *other) {
    if (!other || *clock == other) {
        return;
    }
    if (!*clock) {
        *clock = order_clock_keep(other);
        return;
    }
    for (uint32_t i = 0, at = 0; i < other->count; i++) {
        const order_part *theirs = &other->part[i];
        const order_clock *own = *clock;
        while (at < own->count && own->part[at].cta < theirs->cta) {
            at++;
        }
        if (at == own->count || own->part[at].cta != theirs->cta ||
            own->part[at].block != theirs->block) { /* else they share it, as most do */
            part_join(s, clock, theirs->cta, theirs->block);
        }
    }
}

void order_clock_set(order_clocks *s, order_clock **clock, order_clock *other) {
    order_clock *kept = order_clock_keep(other);
    clock_drop(s, *clock);
    *clock = kept;
}

void order_clock_raise(order_clocks *s, order_clock **clock, uint32_t cta, uint32_t number,
                       uint32_t epoch) {
    if (order_clock_at(*clock, cta, number) >= epoch) {
        return;
    }
    order_part *part = clock_own(s, clock, cta);
    if (part && block_own(s, &part->block, number + 1)) {
        part->block->at[number] = epoch;
    }
}

void order_clock_raise_lanes(order_clocks *s, order_clock **clock, uint32_t cta, uint32_t first,
                             uint32_t lanes, const uint32_t *epoch) {
    order_part *part = clock_own(s, clock, cta);
    if (!part || !block_own(s, &part->block, first + 32)) {
        return;
    }
    uint32_t *at = part->block->at + first;
    for (uint32_t l = 0; l < 32; l++) {
        if (lanes >> l & 1 && at[l] < epoch[l]) {
            at[l] = epoch[l];
        }
    }
}

order_clock *order_clock_keep(order_clock *clock) {
    if (clock) {
        clock->refs++;
    }
    return clock;
}

order_know *order_know_keep(order_know *know) {
    if (know) {
        know->refs++;
    }
    return know;
}

void order_know_drop(order_clocks *s, order_know *know) {
    if (know && !--know->refs) {
        for (uint32_t i = 0; i < ORDER_CLOCKS; i++) {
            clock_drop(s, know->clock[i]);
        }
        emu_give(s->machine, know);
    }
}

order_know *order_know_own(order_clocks *s, order_know *know) {
    if (know && know->refs == 1) {
        return know;
    }
    order_know *made = emu_take(s->machine, sizeof *made);
    if (!made) {
        return know;
    }
    memset(made, 0, sizeof *made);
    made->refs = 1;
    for (uint32_t i = 0; know && i < ORDER_CLOCKS; i++) {
        made->clock[i] = order_clock_keep(know->clock[i]);
    }
    order_know_drop(s, know);
    return made;
}

static int same_clocks(const order_know *a, const order_know *b) {
    int same = 1;
    for (uint32_t i = 0; i < ORDER_CLOCKS; i++) {
        same &= a->clock[i] == b->clock[i];
    }
    return same;
}

order_clock *order_know_strict(const order_know *know) {
    return know->clock[know->clock[ORDER_STRICT] ? ORDER_STRICT : ORDER_HAPPENED];
}

/* *know, which only its holder has, gets a STRICT of its own. */
static void part_strict(order_clocks *s, order_know *know) {
    if (know->clock[ORDER_STRICT]) {
        return;
    }
    order_clock *happened = know->clock[ORDER_HAPPENED];
    if (!happened) {
        happened = emu_take(s->machine, clock_B(0));
        if (happened) {
            happened->refs = 0;
            happened->count = 0;
        }
    }
    know->clock[ORDER_STRICT] = order_clock_keep(happened);
}

/* The first clocks. */
static void join_first(order_clocks *s, order_know *know, const order_know *other,
                       uint32_t clocks) {
    for (uint32_t i = 0; know && i < clocks; i++) {
        order_clock_join(s, &know->clock[i], other->clock[i]);
    }
}

void order_know_join(order_clocks *s, order_know **know, const order_know *other) {
    if (!other || *know == other || (*know && same_clocks(*know, other))) {
        return;
    }
    *know = order_know_own(s, *know);
    if (*know && ((*know)->clock[ORDER_STRICT] || other->clock[ORDER_STRICT])) {
        part_strict(s, *know);
        order_clock_join(s, &(*know)->clock[ORDER_STRICT], order_know_strict(other));
    }
    join_first(s, *know, other, ORDER_STRICT);
}

void order_know_join_scoped(order_clocks *s, order_know **know, const order_know *other,
                            order_clock *strict) {
    const int is_whole = order_clock_covers(strict, other->clock[ORDER_HAPPENED]);
    *know = order_know_own(s, *know);
    if (*know && (!is_whole || (*know)->clock[ORDER_STRICT])) {
        part_strict(s, *know);
        order_clock_join(s, &(*know)->clock[ORDER_STRICT], strict);
    }
    join_first(s, *know, other, is_whole ? ORDER_STRICT : ORDER_RELEASED_CTA);
}

void order_know_join_alike(order_clocks *s, order_know **know, order_know *other) {
    if (!other || *know == other) {
        return;
    }
    if (!*know) {
        *know = order_know_keep(other);
        return;
    }
    const uintptr_t mix = (uintptr_t)*know * 31 + (uintptr_t)other;
    const uint32_t slot = (uint32_t)((mix >> 5) ^ (mix >> 14)) % ORDER_MEMOS;
    if (s->memo[slot].a != *know || s->memo[slot].b != other) {
        order_know *joined = order_know_keep(*know);
        order_know_join(s, &joined, other);
        order_know_drop(s, s->memo[slot].a);
        order_know_drop(s, s->memo[slot].b);
        order_know_drop(s, s->memo[slot].joined);
        s->memo[slot].a = order_know_keep(*know);
        s->memo[slot].b = order_know_keep(other);
        s->memo[slot].joined = joined;
    }
    order_know *joined = order_know_keep(s->memo[slot].joined);
    order_know_drop(s, *know);
    *know = joined;
}

void order_clocks_end(order_clocks *s) {
    for (uint32_t i = 0; i < ORDER_MEMOS; i++) {
        order_know_drop(s, s->memo[i].a);
        order_know_drop(s, s->memo[i].b);
        order_know_drop(s, s->memo[i].joined);
        s->memo[i].a = s->memo[i].b = s->memo[i].joined = 0;
    }
}
