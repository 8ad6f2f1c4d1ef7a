/* SPDX-License-Identifier: Apache-2.0
 *
 * Doubles hold every value of these formats, and every sum of two that matters: 53 bits are more
 * than twice the 24 of the longest format and two.
 */
#include "plain_float.h"

#include <math.h>

const struct plain_format plain_half = {10, -14, 15};
const struct plain_format plain_bfloat16 = {7, -126, 127};
const struct plain_format plain_single = {23, -126, 127};
const struct plain_format plain_tf32 = {10, -126, 127};

#define TF32_NAN 0x7FFFE000

static uint32_t exponent_bits(const struct plain_format *f) {
    return (uint32_t)(f->most_exponent - f->least_exponent + 2); /* all ones */
}

static uint32_t sign_bit(const struct plain_format *f) {
    return (exponent_bits(f) + 1) << f->mantissa_bit;
}

double plain_value(const struct plain_format *f, uint32_t bits) {
    const uint32_t one = 1u << f->mantissa_bit;
    const uint32_t exponent = bits / one % (exponent_bits(f) + 1);
    const uint32_t fraction = bits % one;
    const double sign = bits & sign_bit(f) ? -1.0 : 1.0;
    if (exponent == exponent_bits(f)) {
        return fraction ? (double)NAN : sign * (double)INFINITY;
    }
    if (exponent == 0) {
        return sign * ldexp(fraction, f->least_exponent - f->mantissa_bit);
    }
    return sign * ldexp(one + fraction, (int)exponent - 1 + f->least_exponent - f->mantissa_bit);
}

double plain_round(const struct plain_format *f, double value) {
    int exponent = 0;
    if (value == 0 || !isfinite(value)) {
        return value;
    }
    frexp(value, &exponent); /* value is below 2^exponent and at least half of it */
    exponent = exponent - 1 < f->least_exponent ? f->least_exponent : exponent - 1;
    const double rounded =
        ldexp(rint(ldexp(value, f->mantissa_bit - exponent)), exponent - f->mantissa_bit);
    const double beyond = ldexp(1, f->most_exponent + 1);
    return fabs(rounded) >= beyond ? copysign((double)INFINITY, value) : rounded;
}

uint32_t plain_bits(const struct plain_format *f, double value) {
    const uint32_t sign = signbit(value) ? sign_bit(f) : 0;
    int exponent = 0;
    value = fabs(value);
    if (isinf(value)) {
        return sign | exponent_bits(f) << f->mantissa_bit;
    }
    if (value < ldexp(1, f->least_exponent)) {
        return sign | (uint32_t)ldexp(value, f->mantissa_bit - f->least_exponent);
    }
    frexp(value, &exponent);
    const uint32_t mantissa = (uint32_t)ldexp(value, f->mantissa_bit - (exponent - 1));
    const uint32_t biased = (uint32_t)(exponent - 1 - f->least_exponent + 1);
    return sign | (biased << f->mantissa_bit) | (mantissa - (1u << f->mantissa_bit));
}

uint32_t plain_round_tf32(uint32_t bits) {
    const double value = plain_value(&plain_single, bits);
    return isnan(value) ? TF32_NAN : plain_bits(&plain_single, plain_round(&plain_tf32, value));
}
