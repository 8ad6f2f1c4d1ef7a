/* SPDX-License-Identifier: Apache-2.0 */
#include "scalar_operands.h"

#include <stdlib.h>
#include <string.h>

static int is(const char *kind, uint32_t length, const char *word) {
    return strlen(word) == length && !memcmp(kind, word, length);
}

static uint64_t low_bits(uint32_t count) {
    return count < 64 ? ((uint64_t)1 << count) - 1 : UINT64_MAX;
}

static uint64_t mix(uint64_t x) {
    x = (x + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* f16x2 has 2, u8x4 4. */
static uint32_t parts_of(const char *kind, uint32_t length) {
    return length < 3 || kind[length - 2] != 'x' ? 1 : (uint32_t)(kind[length - 1] - '0');
}

uint32_t scalar_bits_of(const char *kind, uint32_t length) {
    static const struct {
        const char *kind;
        uint32_t bits;
    } odd[] = {{"pred", 1},    {"amount", 32}, {"bf16", 16},   {"tf32", 32},
               {"bf16x2", 32}, {"e4m3x2", 16}, {"e5m2x2", 16}, {"e2m3x2", 16},
               {"e3m2x2", 16}, {"e2m1x2", 8},  {"ue8m0x2", 16}};
    for (uint32_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        if (is(kind, length, odd[i].kind)) {
            return odd[i].bits;
        }
    }
    const uint32_t bits = (uint32_t)strtoul(kind + 1, NULL, 10);
    return bits * parts_of(kind, length);
}

static uint64_t float_value(uint32_t exponents, uint32_t fractions, uint64_t h, uint64_t r) {
    const uint64_t top = ((uint64_t)1 << exponents) - 1;
    const uint64_t bias = top >> 1;
    const uint64_t sign = h >> 63 << (exponents + fractions);
    const uint64_t fraction = h & low_bits(fractions);
    const uint64_t near = h >> 8 & 7;
    const uint64_t one = (uint64_t)1 << fractions;
    const uint64_t edges[16] = {0,
                                1,
                                one - 1,
                                one,
                                (top << fractions) - 1,
                                top << fractions,
                                (top << fractions) + 1,
                                (top << fractions) + one - 1,
                                bias << fractions,
                                (bias << fractions) + 1,
                                (bias - 1) << fractions,
                                ((bias + 1) << fractions) - 1,
                                (bias + (exponents > 5 ? 31 : 15)) << fractions,
                                (top << fractions) + (one >> 1),
                                one + 1,
                                (bias << fractions) - 1};
    switch (r & 7) {
    case 2:
        return sign | (bias - 4 + near) << fractions | fraction;
    case 3:
        return sign | (near & 3) << fractions | fraction;
    case 4:
        return sign | (top - 1 - (near & 3)) << fractions | fraction;
    case 5:
        return sign | edges[r >> 8 & 15];
    case 6:
        return sign | (bias + (r >> 8) % (exponents > 5 ? fractions + 12 : 16)) << fractions |
               fraction;
    default:
        return h & low_bits(1 + exponents + fractions);
    }
}

static uint64_t integer_value(uint32_t bits, uint64_t h, uint64_t r) {
    const uint64_t mask = low_bits(bits);
    const uint64_t edges[8] = {0,
                               1,
                               mask,
                               mask >> 1,
                               (mask >> 1) + 1,
                               (mask >> 1) + 2,
                               mask - 1,
                               mask >> 1 & ~(uint64_t)1};
    switch (r & 7) {
    case 2:
        return ((h & 63) - 32) & mask;
    case 3:
        return (h & mask) >> (r >> 8) % bits;
    case 4:
        return edges[h >> 8 & 7] & mask;
    case 5:
        return ~((h & mask) >> (r >> 8) % bits) & mask;
    case 6:
        return h & 255 & mask;
    default:
        return h & mask;
    }
}

static uint64_t element(const char *kind, uint32_t length, uint32_t index, uint32_t operand,
                        uint32_t part) {
    static const struct {
        const char *kind;
        uint32_t exponents, fractions;
    } floats[] = {{"f16", 5, 10}, {"bf16", 8, 7}, {"f32", 8, 23}, {"f64", 11, 52}, {"tf32", 8, 23}};
    const uint64_t h = mix((uint64_t)index * 64 + operand * 4 + part);
    const uint64_t r = mix(h);
    const uint32_t way = r & 7;
    const int copies = operand && way == 7;
    if (is(kind, length, "pred")) {
        return h & 1;
    }
    if (is(kind, length, "amount")) {
        return way == 0 ? h & UINT32_MAX : h >> 40 & (way < 3 ? 255 : way < 6 ? 63 : 31);
    }
    for (uint32_t i = 0; i < sizeof(floats) / sizeof(floats[0]); i++) {
        const uint32_t at = floats[i].exponents + floats[i].fractions;
        if (is(kind, length, floats[i].kind)) {
            return copies ? element(kind, length, index, 0, part) ^ (h & 3) ^ (h >> 63 << at)
                          : float_value(floats[i].exponents, floats[i].fractions, h, r);
        }
    }
    return copies ? element(kind, length, index, 0, part) ^ (h & 1)
                  : integer_value(scalar_bits_of(kind, length), h, r);
}

uint64_t scalar_value(const char *kind, uint32_t length, uint32_t index, uint32_t operand) {
    if (is(kind, length, "e2m1x2")) {
        return element("b8", 2, index, operand, 0);
    }
    const uint32_t parts = parts_of(kind, length);
    if (parts == 1) {
        return element(kind, length, index, operand, 0);
    }
    const int is_byte = kind[0] == 'e' || (kind[0] == 'u' && kind[1] == 'e');
    const char *one = is_byte ? "b8" : kind;
    const uint32_t of_one = is_byte ? 2 : length - 2;
    uint64_t value = 0;
    for (uint32_t k = 0; k < parts; k++) {
        value |= element(one, of_one, index, operand, k) << k * scalar_bits_of(one, of_one);
    }
    return value;
}
