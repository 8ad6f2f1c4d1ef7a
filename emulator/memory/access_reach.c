/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a warp's lanes reach: addresses, places, what is written there.
 */
#include <string.h>

#include "access.h"
#include "order.h"
#include "places_odd.h"
#include "run_report.h"
#include "run_watch.h"
#include "tma/detail/assert.h"

static int has_register(const emu_operand *o) {
    return o->variable == EMU_NONE && o->slot != EMU_NO_SLOT;
}

/* The generic address of what an instruction names. PTX truncates to the width of its space: what a
 * step below 0 leaves above 32 bits is lost. The address of something elsewhere is none of it. */
static uint64_t generic_of(const emu_warp *w, uint32_t lane, uint32_t space, uint64_t named) {
    const uint64_t generic = emu_generic_of(space, named);
    emu_place place;
    return generic & EMU_ELSEWHERE && emu_window_of(space) &&
                   !emu_find_place(w, lane, named, &place)
               ? emu_window_of(space) + (uint32_t)named
               : generic;
}

void emu_addresses(const emu_warp *w, const emu_operand *o, uint32_t space,
                   uint64_t address[EMU_LANES]) {
    TMA_ASSERT(o->kind == EMU_ADDRESS || o->kind == EMU_REGISTER);
    uint64_t base = (uint64_t)o->number, step_B = 0;
    if (o->kind == EMU_REGISTER) {
        base = 0;
    }
    if (has_register(o)) {
        const uint64_t window = emu_window_of(space);
        if (emu_type_of(o->type)->bits == 64) {
            const uint64_t *r = emu_u64(w, o);
            for (uint32_t l = 0; l < EMU_LANES; l++) {
                address[l] = window ? generic_of(w, l, space, r[l] + base) : r[l] + base;
            }
            return;
        }
        const uint32_t *r = emu_u32(w, o);
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            address[l] = (uint32_t)(r[l] + (uint32_t)base) + window;
        }
        return;
    }
    if (o->variable != EMU_NONE) {
        base += emu_variable_address(w, o->variable, &step_B);
    } else {
        base = generic_of(w, 0, space, base);
    }
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        address[l] = base + l * step_B;
    }
}

uint64_t emu_address(const emu_warp *w, const emu_operand *o, uint32_t space, uint32_t lane) {
    uint64_t address[EMU_LANES];
    emu_addresses(w, o, space, address);
    return address[lane];
}

/* ---- places ---- */

typedef struct range {
    uint64_t low, high, bits; /* addresses, and all of them or-ed */
} range;

static range range_of(const uint64_t address[EMU_LANES], uint32_t mask) {
    range r = {UINT64_MAX, 0, 0};
    if (mask == EMU_ALL_LANES) {
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            r.low = address[l] < r.low ? address[l] : r.low;
            r.high = address[l] > r.high ? address[l] : r.high;
            r.bits |= address[l];
        }
        return r;
    }
    EMU_FOR_LANES(l, mask) {
        r.low = address[l] < r.low ? address[l] : r.low;
        r.high = address[l] > r.high ? address[l] : r.high;
        r.bits |= address[l];
    }
    return r;
}

/* Whether each lane's address is right behind the one of the lane before. */
static int is_row_of(const emu_reach *reach) {
    uint64_t apart = 0, behind = reach->address[0];
    if (reach->mask != EMU_ALL_LANES) {
        return 0;
    }
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        apart |= reach->address[l] ^ behind;
        behind += reach->size_B;
    }
    return !apart;
}

static range range_of_row(const emu_reach *reach) {
    const uint64_t first = reach->address[0];
    return (range){first, first + (EMU_LANES - 1) * (uint64_t)reach->size_B, first | reach->size_B};
}

static void fill_places(emu_reach *reach, uint64_t low) {
    EMU_FOR_LANES(l, reach->mask) {
        reach->place[l] = emu_place_behind(&reach->span, reach->address[l] - low);
    }
}

void emu_reach_fill(emu_reach *reach) {
    if (reach->is_row) {
        fill_places(reach, reach->address[0]);
    }
}

/* Where the lanes are, in reach->span if that holds them all. */
static int find_places(emu_warp *w, const emu_instruction *in, emu_reach *reach, uint32_t align_B,
                       int writes) {
    const int is_row = is_row_of(reach);
    const range r = is_row ? range_of_row(reach) : range_of(reach->address, reach->mask);
    const uint32_t first = (uint32_t)__builtin_ctz(reach->mask);
    const uint64_t span_B = r.high - r.low + reach->size_B;
    reach->is_row = reach->is_one = 0;
    reach->there = reach->alike = 0;
    if (!(align_B && (r.bits & (align_B - 1))) && r.low >> 48 != EMU_LOCAL_WINDOW >> 48 &&
        emu_find_place(w, first, r.low, &reach->span) && reach->span.follows_B >= span_B &&
        !emu_odd_place(in, reach->span.space) &&
        (!writes || emu_may_write(w->machine, &reach->span))) {
        reach->is_one = 1;
        reach->is_row = (uint8_t)is_row;
        reach->span_B = span_B;
        if (!is_row) {
            fill_places(reach, r.low);
        }
        return 0;
    }
    EMU_FOR_LANES(l, reach->mask) {
        if (emu_place_of(w, in, l, reach->address[l], reach->size_B, align_B, writes,
                         &reach->place[l])) {
            return -1;
        }
    }
    return 0;
}

int emu_reach_places(emu_warp *w, const emu_instruction *in, emu_reach *reach, uint32_t align_B,
                     int writes) {
    if (find_places(w, in, reach, align_B, writes)) {
        return -1;
    }
    emu_reach_fill(reach);
    return 0;
}

static void report_undefined(emu_warp *w, const emu_instruction *in, uint32_t lane,
                             const char *what, const emu_place *place, uint32_t size_B,
                             const char *text) {
    const emu_who who = {.in = in,
                         .cta = w->cta->index,
                         .thread = w->index * EMU_LANES + lane,
                         .proxy = "generic",
                         .what = what,
                         .space = place ? place->space : (uint8_t)EMU_GLOBAL,
                         .address = place ? place->at : 0,
                         .size_B = size_B};
    emu_report(w->machine, TMA_EMULATE_RULE_UNINITIALISED, 1, &who, NULL, text, NULL);
}

int emu_reach_lazily(emu_warp *w, const emu_instruction *in, const emu_operand *o, uint32_t mask,
                     uint32_t size_B, int writes, emu_reach *reach) {
    reach->mask = mask;
    reach->size_B = size_B;
    if (has_register(o)) {
        const uint32_t undefined = emu_undefined(w, o) & mask;
        if (undefined) {
            report_undefined(w, in, (uint32_t)__builtin_ctz(undefined), writes ? "write" : "read",
                             NULL, size_B, "an address that nobody wrote");
        }
    }
    emu_addresses(w, o, in->spaces ? in->space[0] : EMU_GENERIC, reach->address);
    return find_places(w, in, reach, size_B, writes);
}

int emu_reach_operand(emu_warp *w, const emu_instruction *in, const emu_operand *o, uint32_t mask,
                      uint32_t size_B, int writes, emu_reach *reach) {
    if (emu_reach_lazily(w, in, o, mask, size_B, writes, reach)) {
        return -1;
    }
    emu_reach_fill(reach);
    return 0;
}

/* ---- what is written ---- */

uint32_t emu_undefined(const emu_warp *w, const emu_operand *o) {
    return w->machine->tracks && o->slot >= 0 ? w->now->frame->undefined[o->slot] : 0;
}

void emu_set_undefined(const emu_warp *w, const emu_operand *o, uint32_t mask, uint32_t undefined) {
    if (w->machine->tracks && o->slot >= 0) {
        uint32_t *u = &w->now->frame->undefined[o->slot];
        *u = (*u & ~mask) | (undefined & mask);
    }
}

static emu_place part_of(const emu_reach *reach, uint32_t lane, uint32_t at_B) {
    return reach->is_row ? emu_place_behind(&reach->span, (uint64_t)lane * reach->size_B + at_B)
                         : emu_place_behind(&reach->place[lane], at_B);
}

#define LOOK_AT_ONCE_B 4096 /* so much is looked at whole, gaps between the lanes included */

/* Everything between the first lane's and the last lane's bytes is written. */
static int is_all_written(emu_machine *m, const emu_reach *reach) {
    return reach->is_one && reach->span_B <= LOOK_AT_ONCE_B &&
           emu_is_written(m, &reach->span, reach->span_B);
}

uint32_t emu_reach_unwritten(emu_machine *m, const emu_reach *reach, uint32_t at_B,
                             uint32_t size_B) {
    uint32_t unwritten = 0;
    if (!m->tracks || is_all_written(m, reach)) {
        return 0;
    }
    EMU_FOR_LANES(l, reach->mask) {
        const emu_place part = part_of(reach, l, at_B);
        unwritten |= (uint32_t)!emu_is_written(m, &part, size_B) << l;
    }
    return unwritten;
}

void emu_reach_write(emu_warp *w, const emu_instruction *in, const emu_reach *reach, uint32_t at_B,
                     uint32_t size_B, uint32_t undefined) {
    emu_machine *m = w->machine;
    undefined &= reach->mask;
    if (!m->tracks || (!undefined && is_all_written(m, reach))) {
        return;
    }
    if (!undefined && reach->is_row) {
        emu_now_written(m, &reach->span, reach->span_B);
        return;
    }
    EMU_FOR_LANES(l, reach->mask) {
        const emu_place part = part_of(reach, l, at_B);
        if (!(undefined >> l & 1)) {
            emu_now_written(m, &part, size_B);
        } else if (part.space == EMU_GLOBAL) {
            report_undefined(w, in, l, "write", &part, size_B,
                             "a value that nobody wrote goes to global memory");
        } else {
            emu_now_unwritten(m, &part, size_B);
        }
    }
}

/* ---- order ---- */

static int is_strong(const emu_instruction *in) {
    return in->order != EMU_NO_ORDER && in->order != EMU_WEAK;
}

static uint32_t semantics_of(uint32_t order) {
    switch (order) {
    case EMU_ACQUIRE:
        return ORDER_ACQUIRES;
    case EMU_RELEASE:
        return ORDER_RELEASES;
    case EMU_ACQ_REL:
    case EMU_SC:
        return ORDER_ACQUIRES | ORDER_RELEASES;
    default:
        return 0; /* relaxed, volatile, mmio */
    }
}

void emu_reach_differ(emu_reach *reach) {
    EMU_FOR_LANES(l, reach->mask & ~reach->alike) {
        EMU_FOR_LANES(k, reach->alike) {
            const uint64_t from = reach->address[k] + reach->size_B - 1 - reach->address[l];
            if (from < 2 * (uint64_t)reach->size_B - 1) {
                reach->alike &= ~(UINT32_C(1) << k);
            }
        }
    }
}

void emu_reach_order(emu_warp *w, const emu_instruction *in, emu_reach *reach, int reads,
                     int writes) {
    if (emu_is_watched(w->machine, TMA_EMULATE_ACCESS)) {
        emu_reach_fill(reach);
        emu_watch_access(w, in, reach->mask, reach->place, reach->size_B, reads, writes);
    }
    if (!w->machine->ordered) {
        return;
    }
    const int is_atomic = reads && writes;
    if (reach->is_row && !is_atomic && !is_strong(in)) {
        order_row(w, in, writes, reach->there, &reach->span, reach->size_B);
        return;
    }
    emu_reach_fill(reach);
    const order_kind kind = is_atomic ? ORDER_ATOMIC : writes ? ORDER_WRITE : ORDER_READ;
    if (kind == ORDER_WRITE) {
        order_store(w, in, reach->mask, (order_alike){reach->there, reach->alike}, is_strong(in),
                    reach->place, reach->size_B);
    } else {
        order_access(w, in, reach->mask, kind, is_atomic || is_strong(in), reach->place,
                     reach->size_B);
    }
    if (!is_atomic && !is_strong(in)) {
        return;
    }
    const uint32_t semantics = semantics_of(in->order);
    EMU_FOR_LANES(l, reach->mask) {
        order_flag(w, in, l, reads, writes, semantics, &reach->place[l], reach->size_B);
    }
}
