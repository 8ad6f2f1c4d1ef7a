/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns: the same words that the program which captured the case lines wrote on the GPU.
 */
#include "pattern.h"

#include <string.h>

#include "names.h"

#define WORD_B     8
#define SEED_STEP  UINT64_C(0x100000001B3)
#define FNV_OFFSET UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME  UINT64_C(0x100000001b3)

static const char *pattern_name(size_t i) {
    static const char *const names[] = {"rand",  "ramp32", "ramp16", "special",
                                        "mix16", "mix32",  "mix64"};
    return i < sizeof(names) / sizeof(names[0]) ? names[i] : NULL;
}

int pattern_named(const char *text, pattern *out, cli_error *error) {
    for (size_t i = 0; pattern_name(i); i++) {
        if (!strcmp(text, pattern_name(i))) {
            *out = (pattern)i;
            return 0;
        }
    }
    return name_unknown(text, "fill", pattern_name, error);
}

static uint64_t splitmix64(uint64_t x) {
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

/* Bits of 32-bit floats: zeros, subnormals, ones, ties of TF32 rounding, largest, infinities, NaNs,
 * powers of two apart. */
static const uint32_t special32[32] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x3f800000, 0xbf800000, 0x3f801000, 0x3f803000, 0x3f801001, 0x3f802fff, 0x7f7fffff, 0xff7fffff,
    0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001, 0x7fffffff, 0xffffffff,
    0x00002000, 0x00001000, 0x7f7fe000, 0x7f7ff000, 0x4b800000, 0x33800000, 0x01000000, 0x81000000,
};

/* The same of 16-bit floats, first half precision's, then bfloat16's. */
static const uint16_t special16[32] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3c00, 0xbc00, 0x3c01,
    0x3bff, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0xfc01, 0x7e00, 0xfe00, 0x7fff, 0xffff,
    0x3f80, 0xbf80, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7f81, 0x007f, 0x807f, 0x0080,
};

static uint64_t special_word(uint64_t seed, uint64_t random) {
    uint64_t word = 0;
    if (seed & 1) {
        return special32[random & 31] | (uint64_t)special32[random >> 8 & 31] << 32;
    }
    for (unsigned k = 0; k < 4; k++) {
        word |= (uint64_t)special16[random >> (8 * k) & 31] << (16 * k);
    }
    return word;
}

static uint64_t ramp16_word(uint64_t i) {
    uint64_t word = 0;
    for (unsigned k = 0; k < 4; k++) {
        word |= ((4 * i + k) & 0xffff) << (16 * k);
    }
    return word;
}

/* The same of 64-bit floats, halves of the last place of 1 among them; bit 4 is the sign. */
static uint64_t special64(uint32_t i) {
    static const uint64_t values[16] = {
        0x0000000000000000, 0x0000000000000001, 0x000fffffffffffff, 0x0010000000000000,
        0x3ff0000000000000, 0x3ff0000000000001, 0x3fefffffffffffff, 0x3ca0000000000000,
        0x3cb0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff0000000000001,
        0x7ff4000000000000, 0x7ff8000000000000, 0x7fffffffffffffff, 0x0020000000000001,
    };
    return values[i % 16] | (uint64_t)(i / 16 % 2) << 63;
}

/* Special values, bfloat16 of 2^-8 to 2^7, random bits. */
static uint64_t mix16(uint32_t choice, uint32_t bits) {
    switch (choice % 4) {
    case 0:
        return special16[bits % 32];
    case 1:
        return (bits & 0x807f) | (0x77 + (bits >> 8) % 16) << 7;
    default:
        return bits & 0xffff;
    }
}

/* Special values, ties of TF32 rounding and their neighbours, subnormals, 2^-16 to 2^15, random. */
static uint64_t mix32(uint32_t choice, uint32_t bits) {
    switch (choice % 8) {
    case 0:
    case 1:
        return special32[bits % 32];
    case 2:
        return (bits & ~0x1fffU) | (0x0fff + bits % 3);
    case 3:
        return bits & 0x807fffff;
    case 4:
    case 5:
        return (bits & 0x807fffff) | (0x6f + (choice >> 3) % 32) << 23;
    default:
        return bits;
    }
}

static uint64_t mix64(uint32_t choice, uint64_t bits) {
    const uint64_t fraction = bits & 0x800fffffffffffff;
    switch (choice % 8) {
    case 0:
    case 1:
        return special64((uint32_t)bits);
    case 2:
        return fraction;
    case 3:
    case 4:
    case 5:
        return fraction | (uint64_t)(0x3ef + (choice >> 3) % 32) << 52;
    default:
        return bits;
    }
}

/* Each lane is chosen by the same bits of one more turn of splitmix64. */
static uint64_t mixed_word(pattern kind, uint64_t bits) {
    const uint64_t choice = splitmix64(bits);
    uint64_t word = 0;
    if (kind == PATTERN_MIX64) {
        return mix64((uint32_t)choice, bits);
    }
    if (kind == PATTERN_MIX32) {
        return mix32((uint32_t)choice, (uint32_t)bits) |
               mix32((uint32_t)(choice >> 32), (uint32_t)(bits >> 32)) << 32;
    }
    for (unsigned k = 0; k < 64; k += 16) {
        word |= (mix16((uint32_t)(choice >> k), (uint32_t)(bits >> k)) & 0xffff) << k;
    }
    return word;
}

static uint64_t pattern_word(pattern kind, uint64_t seed, uint64_t i) {
    switch (kind) {
    case PATTERN_RAMP32:
        return (uint32_t)(2 * i) | (uint64_t)(uint32_t)(2 * i + 1) << 32;
    case PATTERN_RAMP16:
        return ramp16_word(i);
    case PATTERN_SPECIAL:
        return special_word(seed, splitmix64(seed * SEED_STEP + i));
    case PATTERN_MIX16:
    case PATTERN_MIX32:
    case PATTERN_MIX64:
        return mixed_word(kind, splitmix64(seed * SEED_STEP + i));
    default:
        return splitmix64(seed * SEED_STEP + i);
    }
}

static void store_word(uint8_t *at, uint64_t word) {
    for (unsigned k = 0; k < WORD_B; k++) {
        at[k] = (uint8_t)(word >> (8 * k));
    }
}

void pattern_fill(uint8_t *bytes, size_t size_B, pattern kind, uint64_t seed) {
    for (size_t at = 0; at + WORD_B <= size_B; at += WORD_B) {
        store_word(bytes + at, pattern_word(kind, seed, at / WORD_B));
    }
}

uint64_t pattern_hash(const uint8_t *bytes, size_t size_B) {
    uint64_t hash = FNV_OFFSET;
    for (size_t i = 0; i < size_B; i++) {
        hash = (hash ^ bytes[i]) * FNV_PRIME;
    }
    return hash;
}
