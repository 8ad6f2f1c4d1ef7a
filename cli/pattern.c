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
    static const char *const names[] = {"rand", "ramp32", "ramp16", "special"};
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

static uint64_t pattern_word(pattern kind, uint64_t seed, uint64_t i) {
    switch (kind) {
    case PATTERN_RAMP32:
        return (uint32_t)(2 * i) | (uint64_t)(uint32_t)(2 * i + 1) << 32;
    case PATTERN_RAMP16:
        return ramp16_word(i);
    case PATTERN_SPECIAL:
        return special_word(seed, splitmix64(seed * SEED_STEP + i));
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
