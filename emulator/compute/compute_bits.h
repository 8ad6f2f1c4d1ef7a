/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of single numbers that rows of compute_integer.def and compute_logic.def name. Each is
 * defined for all operands.
 */
#ifndef EMULATOR_COMPUTE_BITS_H
#define EMULATOR_COMPUTE_BITS_H

#include <stdint.h>

static inline int32_t clamp_s32(int64_t x) {
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x;
}

static inline int32_t between(int32_t x, int32_t least, int32_t most) {
    return x < least ? least : x > most ? most : x;
}

static inline int32_t positive(int32_t x) {
    return x < 0 ? 0 : x;
}

static inline uint32_t high_s32(uint32_t a, uint32_t b) {
    return (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32);
}

static inline uint64_t high_u64(uint64_t a, uint64_t b) {
    const uint64_t a0 = (uint32_t)a;
    const uint64_t a1 = a >> 32;
    const uint64_t b0 = (uint32_t)b;
    const uint64_t b1 = b >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    return a1 * b1 + (middle >> 32) + ((a0 * b1 + (uint32_t)middle) >> 32);
}

static inline uint64_t high_s64(uint64_t a, uint64_t b) {
    return high_u64(a, b) - (a >> 63 ? b : 0) - (b >> 63 ? a : 0);
}

/* The product of two polynomials over GF(2): of 128 bits the low and the high half. */
static inline uint64_t carryless_low(uint64_t a, uint64_t b) {
    uint64_t r = 0;
    for (uint32_t k = 0; k < 64; k++) {
        r ^= (0 - (b >> k & 1)) & a << k;
    }
    return r;
}

static inline uint64_t carryless_high(uint64_t a, uint64_t b) {
    uint64_t r = 0;
    for (uint32_t k = 1; k < 64; k++) {
        r ^= (0 - (b >> k & 1)) & a >> (64 - k);
    }
    return r;
}

static inline uint64_t product_u24(uint32_t a, uint32_t b) {
    return (uint64_t)(a & 0xffffff) * (b & 0xffffff);
}

static inline int64_t product_s24(uint32_t a, uint32_t b) {
    return (int64_t)((int32_t)(a << 8) >> 8) * ((int32_t)(b << 8) >> 8);
}

/* PTX leaves division by zero open; the code of ptxas 13.0 makes quotient and remainder all ones.
 */
static inline int32_t quotient_s32(int32_t a, int32_t b) {
    return !b ? -1 : b == -1 ? (int32_t)(0u - (uint32_t)a) : a / b;
}

static inline int64_t quotient_s64(int64_t a, int64_t b) {
    return !b ? -1 : b == -1 ? (int64_t)(0u - (uint64_t)a) : a / b;
}

static inline int32_t remainder_s32(int32_t a, int32_t b) {
    return !b ? -1 : b == -1 ? 0 : a % b;
}

static inline int64_t remainder_s64(int64_t a, int64_t b) {
    return !b ? -1 : b == -1 ? 0 : a % b;
}

/* The low word of b:a shifted right by 0 to 32. */
static inline uint32_t funnel(uint32_t a, uint32_t b, uint32_t shift) {
    return (uint32_t)(((uint64_t)b << 32 | a) >> shift);
}

static inline uint32_t population(uint64_t x) {
    return (uint32_t)__builtin_popcountll(x);
}

/* The highest bit set; of 0 UINT32_MAX. */
static inline uint32_t top_bit(uint64_t x) {
    return x ? 63u - (uint32_t)__builtin_clzll(x) : UINT32_MAX;
}

static inline uint32_t shift_amount(uint32_t last, uint64_t x) {
    return x ? last - top_bit(x) : UINT32_MAX;
}

static inline uint64_t reversed(uint64_t x) {
    x = (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;
    x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0fu) | (x & 0x0f0f0f0f0f0f0f0fu) << 4;
    return __builtin_bswap64(x);
}

static inline uint64_t low_bits(uint32_t count) {
    return count < 64 ? ((uint64_t)1 << count) - 1 : UINT64_MAX;
}

/* Position and length of bfe and bfi: 8 bits of them; of 64-bit forms, which are ptxas's code, all
 * (an H200, ptxas 13.0). */
static inline uint32_t place_in(uint32_t number, uint32_t last) {
    return last == 31 ? number & 255 : number < 255 ? number : 255;
}

/* bfe: what lies beyond the highest bit `last` is its sign. */
static inline uint64_t field(uint64_t a, uint32_t at, uint32_t length, int is_signed,
                             uint32_t last) {
    at = place_in(at, last);
    length = place_in(length, last);
    if (!length) {
        return 0;
    }
    const uint32_t top = at + length - 1 < last ? at + length - 1 : last;
    const uint64_t sign = is_signed && a >> top & 1 ? UINT64_MAX : 0;
    const uint64_t kept = low_bits(at > last ? 0 : top - at + 1);
    return (at > last ? 0 : a >> at & kept) | (sign & ~kept);
}

static inline uint64_t inserted(uint64_t a, uint64_t into, uint32_t at, uint32_t length,
                                uint32_t last) {
    at = place_in(at, last);
    length = place_in(length, last);
    if (at > last) {
        return into;
    }
    const uint64_t mask = low_bits(length) << at;
    return (into & ~mask) | (a << at & mask);
}

static inline uint32_t nth_set(uint32_t mask, uint32_t base, uint32_t offset) {
    const int32_t step = (int32_t)offset < 0 ? -1 : 1;
    uint32_t left = (int32_t)offset < 0 ? 0u - offset : offset;
    if (offset == 0x80000000u) {
        return 0; /* an H200 */
    }
    if (!left) {
        return base < 32 && mask >> base & 1 ? base : UINT32_MAX;
    }
    for (int64_t at = (int32_t)base; at >= 0 && at < 32; at += step) {
        left -= mask >> at & 1;
        if (!left) {
            return (uint32_t)at;
        }
    }
    return UINT32_MAX;
}

static inline uint32_t bit_mask(uint32_t at, uint32_t width, int clamps) {
    const uint64_t from = clamps && at >= 32 ? 32 : at & 31;
    const uint64_t bits = clamps && width >= 32 ? 32 : width & 31;
    return (uint32_t)(((((uint64_t)1 << bits) - 1)) << from);
}

static inline uint32_t extended(uint32_t a, uint32_t width, int is_signed, int clamps) {
    if (clamps && width >= 32) {
        return a;
    }
    width &= 31;
    const uint32_t low = ((uint32_t)1 << width) - 1;
    const int negative = is_signed && width && a >> (width - 1) & 1;
    return (a & low) | (negative ? ~low : 0);
}

static inline uint32_t permuted(uint32_t a, uint32_t b, uint64_t selector) {
    const uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t r = 0;
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t which = (uint32_t)(selector >> 4 * k);
        const uint32_t byte = (uint32_t)(bytes >> 8 * (which & 7)) & 0xff;
        r |= (which & 8 ? (byte >> 7) * 0xff : byte) << 8 * k;
    }
    return r;
}

static inline int32_t part(uint32_t x, uint32_t at, uint32_t bits, int is_signed) {
    const uint32_t raised = x << (32 - at - bits);
    return is_signed ? (int32_t)raised >> (32 - bits) : (int32_t)(raised >> (32 - bits));
}

static inline uint32_t dot_4(uint32_t a, uint32_t b, int a_signed, int b_signed) {
    int32_t sum = 0;
    for (uint32_t k = 0; k < 4; k++) {
        sum += part(a, 8 * k, 8, a_signed) * part(b, 8 * k, 8, b_signed);
    }
    return (uint32_t)sum;
}

static inline uint32_t dot_2(uint32_t a, uint32_t b, int a_signed, int b_signed) {
    int32_t sum = 0;
    for (uint32_t k = 0; k < 2; k++) {
        sum += part(a, 16 * k, 16, a_signed) * part(b, 8 * k, 8, b_signed);
    }
    return (uint32_t)sum;
}

#endif
