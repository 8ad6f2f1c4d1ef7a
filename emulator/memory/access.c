/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads and stores of registers, single ones and vectors.
 */
#include "access.h"

#include <string.h>

#include "run_report.h"
#include "tma/detail/assert.h"

/* One register of an operand that may be a vector; null: a sink. */
static const emu_operand *element_of(const emu_warp *w, const emu_operand *o, uint32_t index) {
    const emu_operand *e =
        o->kind == EMU_VECTOR ? &w->machine->program->operand[o->first + index] : o;
    return e->kind == EMU_SINK ? NULL : e;
}

static uint32_t element_B(const emu_instruction *in) {
    return emu_type_of(in->type[0])->bits / 8u;
}

static uint32_t vector_of(const emu_instruction *in) {
    return in->vector ? in->vector : 1;
}

/* ---- loads ---- */

/* One element of memory for each lane, sign-extended where its type has a sign. */
#define FETCH_LANES(d, memory_type, wide_type, slot_type)                                          \
    do {                                                                                           \
        EMU_FOR_LANES(l, mask) {                                                                   \
            memory_type v;                                                                         \
            memcpy(&v, host[l] + at_B, sizeof(v));                                                 \
            (d)[l] = (slot_type)((slot_type)(wide_type)v & (slot_type)keep);                       \
        }                                                                                          \
    } while (0)

#define FETCH(name, memory_type, wide_type)                                                        \
    static inline void fetch_##name(void *to, uint32_t to_bits, uint32_t mask,                     \
                                    const uint8_t *const host[EMU_LANES], uint32_t at_B) {         \
        const uint64_t keep = to_bits < 64 ? (UINT64_C(1) << to_bits) - 1 : UINT64_MAX;            \
        uint64_t *wide = to;                                                                       \
        uint32_t *narrow = to;                                                                     \
        if (to_bits == 64) {                                                                       \
            FETCH_LANES(wide, memory_type, wide_type, uint64_t);                                   \
        } else {                                                                                   \
            FETCH_LANES(narrow, memory_type, wide_type, uint32_t);                                 \
        }                                                                                          \
    }

FETCH(u8, uint8_t, uint64_t)
FETCH(s8, int8_t, int64_t)
FETCH(u16, uint16_t, uint64_t)
FETCH(s16, int16_t, int64_t)
FETCH(u32, uint32_t, uint64_t)
FETCH(s32, int32_t, int64_t)
FETCH(u64, uint64_t, uint64_t)

static void fetch(void *to, uint32_t to_bits, uint32_t mask, const uint8_t *const host[EMU_LANES],
                  uint32_t at_B, uint32_t type) {
    const emu_type_traits *t = emu_type_of(type);
    switch (t->bits | (t->kind == 'S' ? 1u : 0u)) {
    case 8:
        fetch_u8(to, to_bits, mask, host, at_B);
        break;
    case 8 | 1:
        fetch_s8(to, to_bits, mask, host, at_B);
        break;
    case 16:
        fetch_u16(to, to_bits, mask, host, at_B);
        break;
    case 16 | 1:
        fetch_s16(to, to_bits, mask, host, at_B);
        break;
    case 32:
        fetch_u32(to, to_bits, mask, host, at_B);
        break;
    case 32 | 1:
        fetch_s32(to, to_bits, mask, host, at_B);
        break;
    default:
        fetch_u64(to, to_bits, mask, host, at_B);
        break;
    }
}

/* 128 bits: the low halves of all lanes, then the high ones. */
static void fetch_wide(uint64_t *to, uint32_t mask, const uint8_t *const host[EMU_LANES],
                       uint32_t at_B) {
    EMU_FOR_LANES(l, mask) {
        memcpy(&to[l], host[l] + at_B, 8);
        memcpy(&to[EMU_LANES + l], host[l] + at_B + 8, 8);
    }
}

/* A row of memory that lies as a register does. */
static int is_whole(const emu_reach *reach, const emu_operand *o, uint32_t each_B) {
    return reach->is_row && reach->size_B == each_B && (each_B == 4 || each_B == 8) && o &&
           emu_type_of(o->type)->bits == each_B * 8;
}

/* Where lanes reach; of a whole row: where the first does. */
static void hosts_of(emu_reach *reach, const emu_operand *o, uint32_t each_B,
                     uint8_t *host[EMU_LANES]) {
    if (is_whole(reach, o, each_B)) {
        host[0] = reach->span.host;
        return;
    }
    emu_reach_fill(reach);
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        host[l] = reach->place[l].host;
    }
}

static void load_element(emu_warp *w, const emu_instruction *in, const emu_operand *to,
                         const emu_reach *reach, const uint8_t *const host[EMU_LANES],
                         uint32_t at_B) {
    const uint32_t bits = emu_type_of(to->type)->bits;
    void *lanes = emu_lanes(w, to->slot);
    const uint32_t each_B = element_B(in);
    if (each_B == 16) {
        fetch_wide(lanes, reach->mask, host, at_B);
    } else if (is_whole(reach, to, each_B)) {
        memcpy(lanes, host[0], (size_t)EMU_LANES * each_B);
    } else {
        fetch(lanes, bits, reach->mask, host, at_B, in->type[0]);
    }
    emu_set_undefined(w, to, reach->mask, emu_reach_unwritten(w->machine, reach, at_B, each_B));
}

static emu_step run_load(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_reach reach;
    uint8_t *host[EMU_LANES];
    const uint32_t each_B = element_B(in), count = vector_of(in);
    if (emu_reach_lazily(w, in, &in->operand[1], mask, each_B * count, 0, &reach)) {
        return EMU_STOPPED;
    }
    emu_reach_order(w, in, &reach, 1, 0);
    hosts_of(&reach, element_of(w, &in->operand[0], 0), each_B, host);
    for (uint32_t i = 0; i < count; i++) {
        const emu_operand *to = element_of(w, &in->operand[0], i);
        if (to) {
            load_element(w, in, to, &reach, (const uint8_t *const *)host, i * each_B);
        }
    }
    return EMU_NEXT;
}

/* A parameter or constant by its name: the same for all lanes, and no order is asked. */
static emu_step run_load_uniform(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_operand *o = &in->operand[1];
    const emu_variable *v = &w->machine->program->variable[o->variable];
    const uint32_t each_B = element_B(in), count = vector_of(in);
    const uint8_t *host[EMU_LANES];
    emu_place place;
    const uint32_t lane = (uint32_t)__builtin_ctz(mask);
    const uint64_t address = v->space == EMU_CONST ? w->machine->variable_address[o->variable]
                                                   : EMU_PARAM_WINDOW + v->offset_B;
    if (emu_place_of(w, in, lane, address + (uint64_t)o->number, each_B * count, each_B * count, 0,
                     &place)) {
        return EMU_STOPPED;
    }
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        host[l] = place.host;
    }
    for (uint32_t i = 0; i < count; i++) {
        const emu_operand *to = element_of(w, &in->operand[0], i);
        if (to && each_B == 16) {
            fetch_wide(emu_lanes(w, to->slot), mask, host, i * each_B);
        } else if (to) {
            fetch(emu_lanes(w, to->slot), emu_type_of(to->type)->bits, mask, host, i * each_B,
                  in->type[0]);
        }
        if (to) {
            emu_set_undefined(w, to, mask, 0);
        }
    }
    return EMU_NEXT;
}

/* ---- stores ---- */

#define PUT_LANES(memory_type, slot_type)                                                          \
    do {                                                                                           \
        const slot_type *s = from;                                                                 \
        EMU_FOR_LANES(l, mask) {                                                                   \
            const memory_type v = (memory_type)s[l];                                               \
            memcpy(host[l] + at_B, &v, sizeof(v));                                                 \
        }                                                                                          \
    } while (0)

#define PUT(name, memory_type)                                                                     \
    static inline void put_##name(const void *from, uint32_t from_bits, uint32_t mask,             \
                                  uint8_t *const host[EMU_LANES], uint32_t at_B) {                 \
        if (from_bits == 64) {                                                                     \
            PUT_LANES(memory_type, uint64_t);                                                      \
        } else {                                                                                   \
            PUT_LANES(memory_type, uint32_t);                                                      \
        }                                                                                          \
    }

PUT(8, uint8_t)
PUT(16, uint16_t)
PUT(32, uint32_t)
PUT(64, uint64_t)

/* As fetch_wide(). */
static void put_wide(const uint64_t *from, uint32_t mask, uint8_t *const host[EMU_LANES],
                     uint32_t at_B) {
    EMU_FOR_LANES(l, mask) {
        memcpy(host[l] + at_B, &from[l], 8);
        memcpy(host[l] + at_B + 8, &from[EMU_LANES + l], 8);
    }
}

static void put(const void *from, uint32_t from_bits, uint32_t mask, uint8_t *const host[EMU_LANES],
                uint32_t at_B, uint32_t each_B) {
    switch (each_B) {
    case 1:
        put_8(from, from_bits, mask, host, at_B);
        break;
    case 2:
        put_16(from, from_bits, mask, host, at_B);
        break;
    case 4:
        put_32(from, from_bits, mask, host, at_B);
        break;
    case 8:
        put_64(from, from_bits, mask, host, at_B);
        break;
    default:
        put_wide(from, mask, host, at_B);
        break;
    }
}

/* The same for 32 numbers in a row. */
#define SAME_ROW(type)                                                                             \
    static uint32_t same_row_##type(const void *value, const uint8_t *host) {                      \
        const type *own = value;                                                                   \
        type there[EMU_LANES];                                                                     \
        uint32_t same = 0;                                                                         \
        memcpy(there, host, sizeof(there));                                                        \
        for (uint32_t l = 0; l < EMU_LANES; l++) {                                                 \
            same |= there[l] == own[l] ? emu_lane_bit[l] : 0;                                      \
        }                                                                                          \
        return same;                                                                               \
    }
SAME_ROW(uint32_t)
SAME_ROW(uint64_t)

/* Lanes whose values are in memory. */
static uint32_t same_lanes(emu_warp *w, const emu_instruction *in, const emu_reach *reach,
                           uint8_t *const host[EMU_LANES], uint32_t each_B) {
    uint32_t same = w->machine->ordered ? reach->mask : 0;
    const emu_operand *first = element_of(w, &in->operand[1], 0);
    if (same && is_whole(reach, first, each_B)) {
        const void *lanes = emu_lanes(w, first->slot);
        return each_B == 4 ? same_row_uint32_t(lanes, host[0]) : same_row_uint64_t(lanes, host[0]);
    }
    for (uint32_t i = 0; same && i < vector_of(in); i++) {
        const emu_operand *from = element_of(w, &in->operand[1], i);
        const uint32_t bits = emu_type_of(from->type)->bits;
        uint8_t value[EMU_LANES][16], *at[EMU_LANES];
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            at[l] = value[l];
        }
        put(emu_lanes(w, from->slot), bits, same, at, 0, each_B);
        EMU_FOR_LANES(l, same) {
            if (memcmp(value[l], host[l] + (size_t)i * each_B, each_B) != 0) {
                same &= ~(UINT32_C(1) << l);
            }
        }
    }
    return same;
}

static emu_step run_store(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_reach reach;
    uint8_t *host[EMU_LANES];
    const uint32_t each_B = element_B(in), count = vector_of(in);
    if (emu_reach_lazily(w, in, &in->operand[0], mask, each_B * count, 1, &reach)) {
        return EMU_STOPPED;
    }
    hosts_of(&reach, element_of(w, &in->operand[1], 0), each_B, host);
    reach.there = same_lanes(w, in, &reach, host, each_B);
    for (uint32_t i = 0; i < count; i++) {
        const emu_operand *from = element_of(w, &in->operand[1], i);
        TMA_ASSERT(from);
        const void *lanes = emu_lanes(w, from->slot);
        if (is_whole(&reach, from, each_B)) {
            memcpy(host[0], lanes, (size_t)EMU_LANES * each_B);
        } else {
            put(lanes, emu_type_of(from->type)->bits, mask, host, i * each_B, each_B);
        }
        emu_reach_write(w, in, &reach, i * each_B, each_B, emu_undefined(w, from));
    }
    if (!reach.is_row) { /* else no two lanes have the same bytes */
        reach.alike = same_lanes(w, in, &reach, host, each_B);
        emu_reach_differ(&reach);
    }
    emu_reach_order(w, in, &reach, 0, 1);
    return EMU_NEXT;
}

/* ---- what only advises ---- */

emu_step emu_run_nothing(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    (void)w;
    (void)in;
    (void)mask;
    return EMU_NEXT;
}

#define DISCARD_B 128

/* The bytes are anything from now on. */
static emu_step run_discard(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_reach reach;
    if (emu_reach_operand(w, in, &in->operand[0], mask, DISCARD_B, 1, &reach)) {
        return EMU_STOPPED;
    }
    emu_reach_order(w, in, &reach, 0, 1);
    EMU_FOR_LANES(l, mask) {
        emu_now_unwritten(w->machine, &reach.place[l], DISCARD_B);
    }
    return EMU_NEXT;
}

/* A cache policy is a number that only cache hints take. */
static emu_step run_policy(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    uint64_t *to = emu_u64(w, &in->operand[0]);
    EMU_FOR_LANES(l, mask) {
        to[l] = 0;
    }
    emu_set_undefined(w, &in->operand[0], mask, 0);
    return EMU_NEXT;
}

/* ---- forms ---- */

static int is_memory_type(const emu_instruction *in) {
    const emu_type_traits *t = emu_type_of(in->type[0]);
    const uint32_t whole_B = t->bits / 8u * vector_of(in);
    return t->bits >= 8 && t->bits % 8 == 0 && t->kind != 'P' && whole_B <= 32 &&
           (whole_B & (whole_B - 1)) == 0;
}

/* A register takes an element, and an element of 128 bits takes a whole register. */
static int is_wide_enough(const emu_instruction *in, const emu_operand *o) {
    const uint32_t bits = emu_type_of(in->type[0])->bits, width = emu_bits_of(o);
    return o->kind == EMU_SINK || o->number == (int64_t)vector_of(in) || width == bits ||
           (width > bits && width <= 64);
}

emu_run emu_choose_load(const emu_instruction *in) {
    if (!is_memory_type(in) || in->operands < 2 || in->operand[1].kind != EMU_ADDRESS ||
        !emu_is_target(&in->operand[0], vector_of(in)) || !is_wide_enough(in, &in->operand[0])) {
        return NULL;
    }
    const int is_named = in->operand[1].variable != EMU_NONE;
    if (is_named && in->spaces && in->order == EMU_NO_ORDER &&
        (in->space[0] == EMU_PARAM_ENTRY || in->space[0] == EMU_CONST)) {
        return run_load_uniform;
    }
    return run_load;
}

emu_run emu_choose_store(const emu_instruction *in) {
    return is_memory_type(in) && in->operands >= 2 && in->operand[0].kind == EMU_ADDRESS &&
                   emu_is_source(&in->operand[1], vector_of(in)) &&
                   is_wide_enough(in, &in->operand[1]) && !(in->spaces && in->space[0] == EMU_TMEM)
               ? run_store
               : NULL;
}

emu_run emu_choose_hint(const emu_instruction *in) {
    (void)in;
    return emu_run_nothing;
}

emu_run emu_choose_discard(const emu_instruction *in) {
    return in->operands >= 1 && in->operand[0].kind == EMU_ADDRESS ? run_discard : NULL;
}

emu_run emu_choose_policy(const emu_instruction *in) {
    return in->operands >= 1 && emu_is_target(&in->operand[0], 1) &&
                   emu_bits_of(&in->operand[0]) == 64
               ? run_policy
               : NULL;
}
