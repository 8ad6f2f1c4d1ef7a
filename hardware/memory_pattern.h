/* SPDX-License-Identifier: Apache-2.0
 *
 * What memory holds before a copy: the patterns of tests/vectors/README.md, on the host and on the
 * device.
 */
#ifndef HARDWARE_MEMORY_PATTERN_H
#define HARDWARE_MEMORY_PATTERN_H

#include <stdint.h>

#ifdef __CUDACC__
#define PATTERN_FUNCTION static inline __host__ __device__
#else
#define PATTERN_FUNCTION static inline
#endif

#define WINDOW_UNTOUCHED 0xA5 /* every byte of the window before a load */

/* mix16, mix32 and mix64: random bits, special values and close exponents, side by side. */
enum memory_fill { FILL_RAND, FILL_SPECIAL, FILL_MIX16, FILL_MIX32, FILL_MIX64, FILLS };

#define FILL_NAMES                                                                                 \
    { "rand", "special", "mix16", "mix32", "mix64" }

PATTERN_FUNCTION uint64_t pattern_scramble(uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

PATTERN_FUNCTION uint32_t pattern_special16(uint32_t i) {
    const uint16_t values[32] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400,
                                 0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
                                 0x7c01, 0xfc01, 0x7e00, 0xfe00, 0x7fff, 0xffff, 0x3f80, 0xbf80,
                                 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7f81, 0x007f, 0x807f, 0x0080};
    return values[i & 31];
}

PATTERN_FUNCTION uint32_t pattern_special32(uint32_t i) {
    const uint32_t values[32] = {
        0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
        0x80800000, 0x3f800000, 0xbf800000, 0x3f801000, 0x3f803000, 0x3f801001, 0x3f802fff,
        0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001,
        0xff800001, 0x7fffffff, 0xffffffff, 0x00002000, 0x00001000, 0x7f7fe000, 0x7f7ff000,
        0x4b800000, 0x33800000, 0x01000000, 0x81000000};
    return values[i & 31];
}

/* 64-bit floats' zeros, subnormals, ones and their neighbours, largest, infinities, NaNs. */
PATTERN_FUNCTION uint64_t pattern_special64(uint32_t i) {
    const uint64_t values[16] = {0,
                                 1,
                                 0x000fffffffffffff,
                                 0x0010000000000000,
                                 0x3ff0000000000000,
                                 0x3ff0000000000001,
                                 0x3fefffffffffffff,
                                 0x3ca0000000000000, /* 2^-53: half of 1's last place */
                                 0x3cb0000000000000,
                                 0x7fefffffffffffff,
                                 0x7ff0000000000000,
                                 0x7ff0000000000001,
                                 0x7ff4000000000000,
                                 0x7ff8000000000000,
                                 0x7fffffffffffffff,
                                 0x0020000000000001};
    return values[i & 15] | (uint64_t)(i >> 4 & 1) << 63;
}

/* fill=special: 32-bit values where the seed is odd, 16-bit ones where it is even. */
PATTERN_FUNCTION uint64_t pattern_special(uint64_t seed, uint64_t bits) {
    uint64_t word = 0;
    if (seed & 1) {
        return pattern_special32((uint32_t)bits) |
               (uint64_t)pattern_special32((uint32_t)(bits >> 8)) << 32;
    }
    for (int k = 0; k < 4; k++) {
        word |= (uint64_t)pattern_special16((uint32_t)(bits >> (8 * k))) << (16 * k);
    }
    return word;
}

/* Bits 0 to 5 of `choice` choose; `bits` are the random value. */
PATTERN_FUNCTION uint32_t pattern_mixed16(uint32_t choice, uint32_t bits) {
    switch (choice & 3) {
    case 0:
        return pattern_special16(bits);
    case 1: /* bfloat16 of 2^-8 to 2^7 */
        return (bits & 0x807f) | (0x77 + (bits >> 8 & 15)) << 7;
    default:
        return bits & 0xffff;
    }
}

PATTERN_FUNCTION uint32_t pattern_mixed32(uint32_t choice, uint32_t bits) {
    switch (choice & 7) {
    case 0:
    case 1:
        return pattern_special32(bits);
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

PATTERN_FUNCTION uint64_t pattern_mixed64(uint32_t choice, uint64_t bits) {
    switch (choice & 7) {
    case 0:
    case 1:
        return pattern_special64((uint32_t)bits);
    case 2: /* subnormal */
        return bits & 0x800fffffffffffff;
    case 3:
    case 4:
    case 5: /* 2^-16 to 2^15 */
        return (bits & 0x800fffffffffffff) | (uint64_t)(0x3ef + (choice >> 3 & 31)) << 52;
    default:
        return bits;
    }
}

/* 64-bit little-endian word i of memory. */
PATTERN_FUNCTION uint64_t pattern_word(uint32_t fill, uint64_t seed, uint64_t i) {
    const uint64_t bits = pattern_scramble(seed * 0x100000001B3u + i);
    const uint64_t choice = fill >= FILL_MIX16 ? pattern_scramble(bits) : 0;
    uint64_t word = 0;
    switch (fill) {
    case FILL_SPECIAL:
        return pattern_special(seed, bits);
    case FILL_MIX16:
        for (int k = 0; k < 64; k += 16) {
            const uint32_t lane = pattern_mixed16((uint32_t)(choice >> k), (uint32_t)(bits >> k));
            word |= (uint64_t)(lane & 0xffff) << k;
        }
        return word;
    case FILL_MIX32:
        return pattern_mixed32((uint32_t)choice, (uint32_t)bits) |
               (uint64_t)pattern_mixed32((uint32_t)(choice >> 32), (uint32_t)(bits >> 32)) << 32;
    case FILL_MIX64:
        return pattern_mixed64((uint32_t)choice, bits);
    default:
        return bits;
    }
}

/* The seed of the window's pattern before a store. */
PATTERN_FUNCTION uint64_t pattern_window_seed(uint32_t fill, uint64_t seed) {
    return seed + (fill == FILL_SPECIAL ? 2 : 1);
}

#endif
