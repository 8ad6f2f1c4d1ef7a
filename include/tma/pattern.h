/* SPDX-License-Identifier: Apache-2.0
 *
 * What memory held before a captured copy, and the hash of what it held after: fill=, seed= and
 * hash= of case lines (tests/vectors/README.md). A pattern's word is a function in this header, for
 * the host and, under nvcc, the device.
 */
#ifndef TMA_PATTERN_H
#define TMA_PATTERN_H

#include "text.h"

#ifdef __CUDACC__
#define TMA_ON_DEVICE __host__ __device__
#else
#define TMA_ON_DEVICE
#endif

#define TMA_WINDOW_UNTOUCHED 0xA5 /* every byte of the shared window before a load */

/* ramp32 and ramp16 count; mix16, mix32 and mix64 are random bits, special values and close
 * exponents side by side. The names are tma_pattern_name()'s, in this order. */
typedef enum tma_pattern {
    TMA_PATTERN_RAND,
    TMA_PATTERN_RAMP32,
    TMA_PATTERN_RAMP16,
    TMA_PATTERN_SPECIAL,
    TMA_PATTERN_MIX16,
    TMA_PATTERN_MIX32,
    TMA_PATTERN_MIX64,
    TMA_PATTERNS
} tma_pattern;

/* One step of splitmix64: a number that looks random, the same everywhere. */
static inline TMA_ON_DEVICE uint64_t tma_scramble(uint64_t x) {
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/* Bits of 16-bit floats: zeros, subnormals, ones, largest, infinities, NaNs, first half
 * precision's, then bfloat16's. */
static inline TMA_ON_DEVICE uint32_t tma_special16(uint32_t i) {
    const uint16_t values[32] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400,
                                 0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
                                 0x7c01, 0xfc01, 0x7e00, 0xfe00, 0x7fff, 0xffff, 0x3f80, 0xbf80,
                                 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7f81, 0x007f, 0x807f, 0x0080};
    return values[i & 31];
}

/* The same of 32-bit floats, ties of TF32's rounding and powers of two apart among them. */
static inline TMA_ON_DEVICE uint32_t tma_special32(uint32_t i) {
    const uint32_t values[32] = {
        0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
        0x80800000, 0x3f800000, 0xbf800000, 0x3f801000, 0x3f803000, 0x3f801001, 0x3f802fff,
        0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001,
        0xff800001, 0x7fffffff, 0xffffffff, 0x00002000, 0x00001000, 0x7f7fe000, 0x7f7ff000,
        0x4b800000, 0x33800000, 0x01000000, 0x81000000};
    return values[i & 31];
}

/* The same of 64-bit floats, halves of the last place of 1 among them; bit 4 of `i` is the sign. */
static inline TMA_ON_DEVICE uint64_t tma_special64(uint32_t i) {
    const uint64_t values[16] = {0,
                                 1,
                                 UINT64_C(0x000fffffffffffff),
                                 UINT64_C(0x0010000000000000),
                                 UINT64_C(0x3ff0000000000000),
                                 UINT64_C(0x3ff0000000000001),
                                 UINT64_C(0x3fefffffffffffff),
                                 UINT64_C(0x3ca0000000000000), /* 2^-53: half of 1's last place */
                                 UINT64_C(0x3cb0000000000000),
                                 UINT64_C(0x7fefffffffffffff),
                                 UINT64_C(0x7ff0000000000000),
                                 UINT64_C(0x7ff0000000000001),
                                 UINT64_C(0x7ff4000000000000),
                                 UINT64_C(0x7ff8000000000000),
                                 UINT64_C(0x7fffffffffffffff),
                                 UINT64_C(0x0020000000000001)};
    return values[i & 15] | (uint64_t)(i >> 4 & 1) << 63;
}

/* special: 32-bit values where the seed is odd, 16-bit ones where it is even. */
static inline TMA_ON_DEVICE uint64_t tma_special(uint64_t seed, uint64_t bits) {
    uint64_t word = 0;
    if (seed & 1) {
        return tma_special32((uint32_t)bits) | (uint64_t)tma_special32((uint32_t)(bits >> 8)) << 32;
    }
    for (int k = 0; k < 4; k++) {
        word |= (uint64_t)tma_special16((uint32_t)(bits >> (8 * k))) << (16 * k);
    }
    return word;
}

/* A lane of the mixed patterns: low bits of `choice` choose, `bits` are the random value. */
static inline TMA_ON_DEVICE uint32_t tma_mixed16(uint32_t choice, uint32_t bits) {
    switch (choice & 3) {
    case 0:
        return tma_special16(bits);
    case 1: /* bfloat16 of 2^-8 to 2^7 */
        return (bits & 0x807f) | (0x77 + (bits >> 8 & 15)) << 7;
    default:
        return bits & 0xffff;
    }
}

static inline TMA_ON_DEVICE uint32_t tma_mixed32(uint32_t choice, uint32_t bits) {
    switch (choice & 7) {
    case 0:
    case 1:
        return tma_special32(bits);
    case 2: /* a tie of TF32's rounding, or one beside it */
        return (bits & 0xffffe000) | (0x0fff + bits % 3);
    case 3: /* subnormal */
        return bits & 0x807fffff;
    case 4:
    case 5: /* 2^-16 to 2^15 */
        return (bits & 0x807fffff) | (0x6f + (choice >> 3 & 31)) << 23;
    default:
        return bits;
    }
}

static inline TMA_ON_DEVICE uint64_t tma_mixed64(uint32_t choice, uint64_t bits) {
    const uint64_t fraction = bits & UINT64_C(0x800fffffffffffff);
    switch (choice & 7) {
    case 0:
    case 1:
        return tma_special64((uint32_t)bits);
    case 2: /* subnormal */
        return fraction;
    case 3:
    case 4:
    case 5: /* 2^-16 to 2^15 */
        return fraction | (uint64_t)(0x3ef + (choice >> 3 & 31)) << 52;
    default:
        return bits;
    }
}

/* 64-bit little-endian word i of memory. */
static inline TMA_ON_DEVICE uint64_t tma_pattern_word(uint32_t fill, uint64_t seed, uint64_t i) {
    const uint64_t bits = tma_scramble(seed * UINT64_C(0x100000001B3) + i);
    const uint64_t choice = fill >= TMA_PATTERN_MIX16 ? tma_scramble(bits) : 0;
    uint64_t word = 0;
    switch (fill) {
    case TMA_PATTERN_RAMP32:
        return (uint32_t)(2 * i) | (uint64_t)(uint32_t)(2 * i + 1) << 32;
    case TMA_PATTERN_RAMP16:
        for (int k = 0; k < 4; k++) {
            word |= ((4 * i + (uint64_t)k) & 0xffff) << (16 * k);
        }
        return word;
    case TMA_PATTERN_SPECIAL:
        return tma_special(seed, bits);
    case TMA_PATTERN_MIX16:
        for (int k = 0; k < 64; k += 16) {
            const uint32_t lane = tma_mixed16((uint32_t)(choice >> k), (uint32_t)(bits >> k));
            word |= (uint64_t)(lane & 0xffff) << k;
        }
        return word;
    case TMA_PATTERN_MIX32:
        return tma_mixed32((uint32_t)choice, (uint32_t)bits) |
               (uint64_t)tma_mixed32((uint32_t)(choice >> 32), (uint32_t)(bits >> 32)) << 32;
    case TMA_PATTERN_MIX64:
        return tma_mixed64((uint32_t)choice, bits);
    default:
        return bits;
    }
}

/* The seed of the window's pattern before a store. */
static inline TMA_ON_DEVICE uint64_t tma_window_seed(uint32_t fill, uint64_t seed) {
    return seed + (fill == TMA_PATTERN_SPECIAL ? 2 : 1);
}

#ifdef __cplusplus
extern "C" {
#endif

/* "rand", "ramp32", "ramp16", "special", "mix16", "mix32", "mix64"; null from TMA_PATTERNS on. */
TMA_EXPORT const char *tma_pattern_name(size_t pattern);

/* Fills bytes; the last word may be cut. */
TMA_EXPORT void tma_pattern_fill(void *bytes, size_t size_B, tma_pattern pattern, uint64_t seed);

/* FNV-1a of 64 bits. */
TMA_EXPORT uint64_t tma_hash(const void *bytes, size_t size_B);

#ifdef __cplusplus
}
#endif

#endif
