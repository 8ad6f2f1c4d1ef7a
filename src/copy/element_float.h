/* SPDX-License-Identifier: Apache-2.0
 *
 * Floating-point addition and comparison on bits, for any IEEE format up to 64 bits: whatever the
 * host's floating-point environment, the answer is the hardware's.
 */
#ifndef TMA_ELEMENT_FLOAT_H
#define TMA_ELEMENT_FLOAT_H

#include <stdint.h>

typedef struct tma_format {
    uint8_t exponent_bit;
    uint8_t mantissa_bit;
} tma_format;

static inline uint64_t tma_format_infinity(tma_format f) {
    return ((UINT64_C(1) << f.exponent_bit) - 1) << f.mantissa_bit;
}

static inline uint64_t tma_format_sign(tma_format f) {
    return UINT64_C(1) << (f.exponent_bit + f.mantissa_bit);
}

static inline int tma_format_is_nan(tma_format f, uint64_t a) {
    return (a & (tma_format_sign(f) - 1)) > tma_format_infinity(f);
}

/* A subnormal becomes 0 of its sign. */
static inline uint64_t tma_format_flush(tma_format f, uint64_t a) {
    return a & tma_format_infinity(f) ? a : a & tma_format_sign(f);
}

/* a + b rounded once to nearest even, neither being NaN; infinity less infinity gives a NaN. */
uint64_t tma_format_add(tma_format format, uint64_t a, uint64_t b);

/* a < b, with -0 below +0, neither being NaN. */
int tma_format_less(tma_format format, uint64_t a, uint64_t b);

#endif
