/* SPDX-License-Identifier: Apache-2.0
 *
 * Floating-point values as the tests see them: taken apart into doubles, rounded with the C
 * library's rint(), put together again. The library works on bits alone.
 */
#ifndef TESTS_PLAIN_FLOAT_H
#define TESTS_PLAIN_FLOAT_H

#include <stdint.h>

struct plain_format {
    int mantissa_bit;
    int least_exponent; /* of the smallest normal number: -14, -126 */
    int most_exponent;  /* of the largest finite one: 15, 127 */
};

extern const struct plain_format plain_half;     /* f16 */
extern const struct plain_format plain_bfloat16; /* bf16 */
extern const struct plain_format plain_single;   /* f32 */
extern const struct plain_format plain_tf32;     /* f32's exponents, 10 bits of mantissa */

/* The value of the bits of f16, bf16 or f32; any NaN is a NaN. */
double plain_value(const struct plain_format *format, uint32_t bits);

/* The nearest value of the format, ties to even, as a double; beyond the largest, infinity. */
double plain_round(const struct plain_format *format, double value);

/* The bits of a value that the format has exactly. Not for NaN. */
uint32_t plain_bits(const struct plain_format *format, double value);

/* What a TF32 map makes of a 32-bit float on its way to shared memory. */
uint32_t plain_round_tf32(uint32_t bits);

#endif
