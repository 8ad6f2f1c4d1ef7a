/* SPDX-License-Identifier: Apache-2.0
 *
 * Literals and constant expressions, and the pool of constants.
 */
#include <string.h>

#include "decode.h"
#include "float_bits.h"
#include "ptx_constant.h"

/* 0f3F800000, 0d3FF0000000000000: the bits; 0: it is neither. */
static uint32_t take_hex(tma_ptx_span text, uint64_t *bits) {
    const uint32_t width = text.length == 10 ? 32 : 64;
    const char kind = width == 32 ? 'f' : 'd';
    if ((text.length != 10 && text.length != 18) || text.at[0] != '0' ||
        (text.at[1] != kind && text.at[1] != kind - 'a' + 'A')) {
        return 0;
    }
    *bits = 0;
    for (size_t i = 2; i < text.length; i++) {
        const int digit = text_digit(text.at[i]);
        if (digit < 0 || digit > 15) {
            return 0;
        }
        *bits = *bits << 4 | (unsigned)digit;
    }
    return width;
}

/* A floating-point literal as a type reads it: .f32 and .f64 by value, others of the same width as
 * they are. */
static int take_float(tma_ptx_span text, const emu_type_traits *type, uint64_t *bits) {
    const int is_negative = text.length && text.at[0] == '-';
    const tma_ptx_span digits = {text.at + is_negative, text.length - (size_t)is_negative};
    double value;
    const uint32_t width = take_hex(digits, bits);
    if (width == 32) {
        value = compute_float_of((uint32_t)*bits);
    } else if (width == 64) {
        value = compute_f64_of(*bits);
    } else if (!decode_double(digits, &value)) {
        return 0;
    }
    if (is_negative) {
        *bits ^= UINT64_C(1) << (width ? width - 1 : 63);
        value = -value;
    }
    if (width && width == type->bits) {
        return 1; /* NaNs keep their bits */
    }
    *bits = type->bits == 32 ? compute_bits_of((float)value) : compute_bits_of_f64(value);
    return type->bits == 32 || type->bits == 64;
}

int decode_number(tma_ptx_span text, uint32_t type, uint64_t *bits) {
    const emu_type_traits *t = emu_type_of(type);
    int64_t number = 0;
    ptx_skip_blanks(&text);
    if (ptx_constant(text, &number)) {
        const int is_whole = t->kind != 'F' || t->bits < 32 || t->elements > 1;
        *bits = (uint64_t)number;
        if (!is_whole) {
            *bits = t->bits == 32 ? compute_bits_of((float)number)
                                  : compute_bits_of_f64((double)number);
        }
    } else if (!take_float(text, t, bits)) {
        return 0;
    }
    if (t->kind == 'P') {
        *bits = *bits != 0;
    } else if (t->bits < 64) {
        *bits &= (UINT64_C(1) << t->bits) - 1;
    }
    return 1;
}

int decode_is_literal(tma_ptx_span text, uint32_t type, int own) {
    const emu_type_traits *t = emu_type_of(type);
    int64_t number = 0;
    uint64_t bits = 0;
    ptx_skip_blanks(&text);
    if (ptx_constant(text, &number)) {
        return t->kind != 'F' || !own;
    }
    const int is_negative = text.length && text.at[0] == '-';
    const uint32_t width =
        take_hex((tma_ptx_span){text.at + is_negative, text.length - (size_t)is_negative}, &bits);
    if (is_negative && width) {
        return 0;
    }
    return t->kind == 'F' ? t->elements == 1 : t->kind == 'B' && t->bits == (width ? width : 64);
}

/* --- the pool --- */

static uint32_t width_of(uint32_t type) {
    const emu_type_traits *t = emu_type_of(type);
    return t->kind == 'P' ? 1 : t->bits <= 32 ? 32 : 64;
}

static int is_there(const decode *d, uint32_t at, uint64_t bits, uint32_t width) {
    const uint8_t *slot = d->p->pool[at];
    uint64_t there;
    uint32_t word;
    memcpy(&there, slot, sizeof(there));
    memcpy(&word, slot, sizeof(word));
    if (width == 1) { /* a mask, and nothing behind it */
        return there == (bits ? UINT32_MAX : 0);
    }
    return width == 64 ? there == bits && at + 1 < d->p->constants
                       : there == (bits | bits << 32) && word == (uint32_t)bits;
}

static int grow(decode *d) {
    const uint32_t old = d->constant_slots;
    const decode_pooled *from = d->constant_slot;
    d->constant_slots = old ? 2 * old : 256;
    d->constant_slot = ptx_memory_take(d->memory, d->constant_slots, sizeof(*from));
    if (!d->constant_slot) {
        return -1;
    }
    memset(d->constant_slot, 0xFF, d->constant_slots * sizeof(*from));
    for (uint32_t i = 0; i < old; i++) {
        if (from[i].number != EMU_NONE) {
            uint64_t bits;
            memcpy(&bits, d->p->pool[from[i].number], sizeof(bits));
            bits = from[i].width == 64 ? bits : (uint32_t)bits;
            uint32_t at = (uint32_t)((bits * 0x9E3779B97F4A7C15u) >> 40) & (d->constant_slots - 1);
            while (d->constant_slot[at].number != EMU_NONE) {
                at = (at + 1) & (d->constant_slots - 1);
            }
            d->constant_slot[at] = from[i];
        }
    }
    return 0;
}

/* The lanes of a new constant. */
static void fill(decode *d, uint64_t bits, uint32_t width) {
    uint32_t lanes[2 * EMU_SLOT_B / 4] = {width == 1 && bits ? UINT32_MAX : 0};
    for (uint32_t lane = 0; lane < EMU_LANES && width == 64; lane++) {
        memcpy(&lanes[(size_t)2 * lane], &bits, sizeof(bits));
    }
    for (uint32_t lane = 0; lane < EMU_LANES && width == 32; lane++) {
        lanes[lane] = (uint32_t)bits;
    }
    for (uint32_t i = 0; i < (width == 64 ? 2 : 1); i++) {
        void *pool = ptx_grow(d->memory, d->p->pool, d->p->constants, EMU_SLOT_B);
        if (pool) {
            d->p->pool = pool;
            memcpy(d->p->pool[d->p->constants++], &lanes[(size_t)i * EMU_LANES], EMU_SLOT_B);
        }
    }
}

int32_t decode_constant(decode *d, uint64_t bits, uint32_t type) {
    const uint32_t width = width_of(type);
    if (d->memory->failed || (2 * (d->p->constants + 2) > d->constant_slots && grow(d))) {
        return ~0;
    }
    const uint64_t key = width == 1 ? (bits ? UINT32_MAX : 0) : bits;
    uint32_t at = (uint32_t)((key * 0x9E3779B97F4A7C15u) >> 40) & (d->constant_slots - 1);
    for (; d->constant_slot[at].number != EMU_NONE; at = (at + 1) & (d->constant_slots - 1)) {
        const decode_pooled *pooled = &d->constant_slot[at];
        if (pooled->width == width && is_there(d, pooled->number, bits, width)) {
            return ~(int32_t)pooled->number;
        }
    }
    d->constant_slot[at] = (decode_pooled){d->p->constants, width};
    fill(d, bits, width);
    return ~(int32_t)d->constant_slot[at].number;
}
