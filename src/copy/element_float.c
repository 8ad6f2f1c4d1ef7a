/* SPDX-License-Identifier: Apache-2.0
 *
 * Floating-point addition and comparison on bits.
 */
#include "element_float.h"

#define GUARD_BIT 3 /* guard, round and sticky below the last place */

/* Shifts right, keeping whether anything was lost in the lowest bit. */
static uint64_t shift_sticky(uint64_t value, uint64_t by) {
    if (by == 0) {
        return value;
    }
    if (by > 63) {
        return value != 0;
    }
    return value >> by | ((value & ((UINT64_C(1) << by) - 1)) != 0);
}

/* `mantissa` has GUARD_BIT extra bits and may be denormal; `exponent` is the biased exponent that
 * its leading bit would have at the format's implicit place. */
static uint64_t round_pack(tma_format f, uint64_t sign, int64_t exponent, uint64_t mantissa) {
    const uint64_t one = UINT64_C(1) << (f.mantissa_bit + GUARD_BIT);
    const int64_t top = (INT64_C(1) << f.exponent_bit) - 1;
    while (mantissa >= one << 1) {
        mantissa = shift_sticky(mantissa, 1);
        exponent++;
    }
    while (mantissa < one && exponent > 1) {
        mantissa <<= 1;
        exponent--;
    }
    const uint64_t rest = mantissa & 7;
    mantissa >>= GUARD_BIT;
    mantissa += rest > 4 || (rest == 4 && mantissa & 1);
    if (mantissa >> f.mantissa_bit == 0) {
        return sign | mantissa; /* zero or subnormal */
    }
    /* the implicit bit carries into the exponent, and so does rounding up to the next power */
    const uint64_t bits = ((uint64_t)(exponent - 1) << f.mantissa_bit) + mantissa;
    return sign | (bits >= (uint64_t)top << f.mantissa_bit ? tma_format_infinity(f) : bits);
}

uint64_t tma_format_add(tma_format f, uint64_t a, uint64_t b) {
    const uint64_t sign_bit = tma_format_sign(f);
    const uint64_t infinity = tma_format_infinity(f);
    const uint64_t fraction = (UINT64_C(1) << f.mantissa_bit) - 1;
    if ((a & (sign_bit - 1)) < (b & (sign_bit - 1))) { /* a is the larger magnitude */
        const uint64_t t = a;
        a = b;
        b = t;
    }
    const uint64_t sign = a & sign_bit;
    const int differ = ((a ^ b) & sign_bit) != 0;
    const uint64_t big = a & (sign_bit - 1);
    const uint64_t small = b & (sign_bit - 1);
    if (big == infinity) {
        return differ && small == infinity ? infinity | 1 : a;
    }
    const uint64_t e_big = big >> f.mantissa_bit;
    const uint64_t e_small = small >> f.mantissa_bit;
    const uint64_t m_big = (big & fraction) | (e_big ? fraction + 1 : 0);
    const uint64_t m_small = (small & fraction) | (e_small ? fraction + 1 : 0);
    const uint64_t distance = (e_big ? e_big : 1) - (e_small ? e_small : 1);
    const uint64_t shifted = shift_sticky(m_small << GUARD_BIT, distance);
    const uint64_t sum = differ ? (m_big << GUARD_BIT) - shifted : (m_big << GUARD_BIT) + shifted;
    if (sum == 0) { /* x - x is +0, -0 + -0 is -0 */
        return differ ? 0 : sign;
    }
    return round_pack(f, sign, (int64_t)(e_big ? e_big : 1), sum);
}

int tma_format_less(tma_format f, uint64_t a, uint64_t b) {
    const uint64_t sign_bit = tma_format_sign(f);
    const int a_negative = (a & sign_bit) != 0;
    const int b_negative = (b & sign_bit) != 0;
    if (a_negative != b_negative) {
        return a_negative;
    }
    return a_negative ? a > b : a < b;
}
