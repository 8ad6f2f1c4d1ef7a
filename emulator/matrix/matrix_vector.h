/* SPDX-License-Identifier: Apache-2.0
 *
 * Eight columns at once: their exponents in one vector, their numbers in two.
 */
#ifndef EMULATOR_MATRIX_VECTOR_H
#define EMULATOR_MATRIX_VECTOR_H

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef int16_t matrix_exponents __attribute__((vector_size(16)));
typedef int32_t matrix_words __attribute__((vector_size(16)));
typedef float matrix_floats __attribute__((vector_size(16)));

#define MATRIX_FLOAT_BIAS     127
#define MATRIX_FLOAT_MANTISSA 23

static inline matrix_exponents matrix_larger(matrix_exponents a, matrix_exponents b) {
#ifdef __SSE2__
    return (matrix_exponents)_mm_max_epi16((__m128i)a, (__m128i)b);
#else
    const matrix_exponents is_more = a > b;
    return (a & is_more) | (b & ~is_more);
#endif
}

/* Powers of 2: the bits of 2^(e - bias) as floats, e from 0 (which gives 0) to 254. */
static inline void matrix_powers(matrix_exponents e, matrix_floats *low, matrix_floats *high) {
#ifdef __SSE2__
    const __m128i zero = _mm_setzero_si128();
    const __m128i upper = _mm_slli_epi16((__m128i)e, MATRIX_FLOAT_MANTISSA - 16);
    *low = (matrix_floats)_mm_castsi128_ps(_mm_unpacklo_epi16(zero, upper));
    *high = (matrix_floats)_mm_castsi128_ps(_mm_unpackhi_epi16(zero, upper));
#else
    int32_t bits[8];
    for (uint32_t n = 0; n < 8; n++) {
        bits[n] = (int32_t)e[n] << MATRIX_FLOAT_MANTISSA;
    }
    memcpy(low, bits, sizeof(*low));
    memcpy(high, bits + 4, sizeof(*high));
#endif
}

#endif
