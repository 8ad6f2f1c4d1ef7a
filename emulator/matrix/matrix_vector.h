/* SPDX-License-Identifier: Apache-2.0
 *
 * Eight columns at once: their exponents in one vector, their numbers in another. Where vectors are
 * of 16 bytes the compiler makes two of one; what is MATRIX_TWICE is compiled for wider ones, too.
 */
#ifndef EMULATOR_MATRIX_VECTOR_H
#define EMULATOR_MATRIX_VECTOR_H

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define MATRIX_INLINE static inline __attribute__((always_inline))

typedef int16_t matrix_exponents __attribute__((vector_size(16)));
typedef int32_t matrix_words __attribute__((vector_size(32)));
typedef float matrix_floats __attribute__((vector_size(32)));
/* Four columns. */
typedef int32_t matrix_half __attribute__((vector_size(16)));
typedef float matrix_half_floats __attribute__((vector_size(16)));
typedef double matrix_doubles __attribute__((vector_size(32)));
typedef uint64_t matrix_longs __attribute__((vector_size(32)));

#define MATRIX_FLOAT_BIAS     127
#define MATRIX_FLOAT_MANTISSA 23

MATRIX_INLINE matrix_exponents matrix_larger(matrix_exponents a, matrix_exponents b) {
#ifdef __SSE2__
    return (matrix_exponents)_mm_max_epi16((__m128i)a, (__m128i)b);
#else
    const matrix_exponents is_more = a > b;
    return (a & is_more) | (b & ~is_more);
#endif
}

MATRIX_INLINE matrix_exponents matrix_smaller(matrix_exponents a, matrix_exponents b) {
    return -matrix_larger(-a, -b);
}

/* Powers of 2: 2^e, and what is under 2^-126 is 0; e up to 127. */
MATRIX_INLINE matrix_floats matrix_powers(matrix_exponents e) {
    const matrix_exponents zero = {0};
    const matrix_exponents field = matrix_larger(e + (int16_t)MATRIX_FLOAT_BIAS, zero);
    return (matrix_floats)(__builtin_convertvector(field, matrix_words) << MATRIX_FLOAT_MANTISSA);
}

MATRIX_INLINE matrix_words matrix_cut(matrix_floats x) {
    return __builtin_convertvector(x, matrix_words); /* towards zero */
}

MATRIX_INLINE int matrix_any(matrix_words x) {
    uint64_t two[4];
    memcpy(two, &x, sizeof(two));
    return (two[0] | two[1] | two[2] | two[3]) != 0;
}

#endif
