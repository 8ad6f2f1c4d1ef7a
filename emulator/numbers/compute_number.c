/* SPDX-License-Identifier: Apache-2.0 */
#include "compute_number.h"

#include "tma/detail/assert.h"

#define TOP 125 /* where sums have their operands' highest bit: one is left for the carry */

static const compute_format FORMATS[EMU_TYPES] = {
    [EMU_F16] = {5, 10, COMPUTE_IEEE},
    [EMU_F16X2] = {5, 10, COMPUTE_IEEE},
    [EMU_BF16] = {8, 7, COMPUTE_IEEE},
    [EMU_BF16X2] = {8, 7, COMPUTE_IEEE},
    [EMU_TF32] = {8, 10, COMPUTE_IEEE},
    [EMU_F32] = {8, 23, COMPUTE_IEEE},
    [EMU_F32X2] = {8, 23, COMPUTE_IEEE},
    [EMU_F64] = {11, 52, COMPUTE_IEEE},
    [EMU_E5M2] = {5, 2, COMPUTE_IEEE},
    [EMU_E5M2X2] = {5, 2, COMPUTE_IEEE},
    [EMU_E4M3] = {4, 3, COMPUTE_NAN_IS_ALL_ONES},
    [EMU_E4M3X2] = {4, 3, COMPUTE_NAN_IS_ALL_ONES},
    [EMU_E2M1] = {2, 1, COMPUTE_FINITE},
    [EMU_E2M1X2] = {2, 1, COMPUTE_FINITE},
    [EMU_E2M3] = {2, 3, COMPUTE_FINITE},
    [EMU_E2M3X2] = {2, 3, COMPUTE_FINITE},
    [EMU_E3M2] = {3, 2, COMPUTE_FINITE},
    [EMU_E3M2X2] = {3, 2, COMPUTE_FINITE},
};

const compute_format *compute_format_of(uint32_t type) {
    return type < EMU_TYPES && FORMATS[type].exponent_bits ? &FORMATS[type] : NULL;
}

/* ---- 128 bits ---- */

static uint32_t top_of(uint64_t high, uint64_t low) {
    TMA_ASSERT(high || low);
    return high ? 127u - (uint32_t)__builtin_clzll(high) : 63u - (uint32_t)__builtin_clzll(low);
}

static void shift_left(compute_number *x, uint32_t by) {
    TMA_ASSERT(by < 128);
    if (by >= 64) {
        x->high = x->low << (by - 64);
        x->low = 0;
    } else if (by) {
        x->high = x->high << by | x->low >> (64 - by);
        x->low <<= by;
    }
    x->exponent -= (int32_t)by;
}

/* What is shifted out stays as a lowest bit that is set. */
static void shift_right(compute_number *x, uint32_t by) {
    uint64_t lost = 0;
    if (by >= 128) {
        lost = x->high | x->low;
        x->high = x->low = 0;
    } else if (by >= 64) {
        lost = x->low | (by > 64 ? x->high << (128 - by) : 0);
        x->low = x->high >> (by - 64);
        x->high = 0;
    } else if (by) {
        lost = x->low << (64 - by);
        x->low = x->low >> by | x->high << (64 - by);
        x->high >>= by;
    }
    x->low |= lost != 0;
    x->exponent += (int32_t)by;
}

static void raise(compute_number *x) {
    shift_left(x, TOP - top_of(x->high, x->low));
}

/* ---- formats ---- */

uint64_t compute_sign_bit(const compute_format *f) {
    return (uint64_t)1 << (f->exponent_bits + f->fraction_bits);
}

uint64_t compute_infinity_of(const compute_format *f) {
    return (((uint64_t)1 << f->exponent_bits) - 1) << f->fraction_bits;
}

uint64_t compute_largest_of(const compute_format *f) {
    switch (f->specials) {
    case COMPUTE_IEEE:
        return compute_infinity_of(f) - 1;
    case COMPUTE_NAN_IS_ALL_ONES:
        return compute_sign_bit(f) - 2;
    default:
        return compute_sign_bit(f) - 1;
    }
}

uint64_t compute_nan_of(const compute_format *f) {
    return compute_sign_bit(f) - 1;
}

uint64_t compute_one_of(const compute_format *f) {
    return (((uint64_t)1 << (f->exponent_bits - 1)) - 1) << f->fraction_bits;
}

static int32_t lowest_exponent(const compute_format *f) {
    return 2 - (1 << (f->exponent_bits - 1));
}

compute_number compute_read(const compute_format *f, uint64_t bits) {
    const uint64_t magnitude = bits & (compute_sign_bit(f) - 1);
    const uint64_t fraction = bits & (((uint64_t)1 << f->fraction_bits) - 1);
    const int32_t exponent = (int32_t)(magnitude >> f->fraction_bits);
    compute_number x = {COMPUTE_NUMBER, (bits & compute_sign_bit(f)) != 0, 0, 0, fraction};
    if (f->specials == COMPUTE_IEEE ? magnitude >= compute_infinity_of(f)
                                    : magnitude > compute_largest_of(f)) {
        x.kind = magnitude == compute_infinity_of(f) && f->specials == COMPUTE_IEEE
                     ? COMPUTE_INFINITY
                     : COMPUTE_NOT_A_NUMBER;
        return x;
    }
    if (!magnitude) {
        x.kind = COMPUTE_ZERO;
    }
    if (exponent) {
        x.low |= (uint64_t)1 << f->fraction_bits;
    }
    x.exponent = lowest_exponent(f) + (exponent ? exponent - 1 : 0) - f->fraction_bits;
    return x;
}

compute_number compute_integer(uint64_t magnitude, int negative) {
    return (compute_number){magnitude ? COMPUTE_NUMBER : COMPUTE_ZERO, negative != 0, 0, 0,
                            magnitude};
}

/* ---- rounding ---- */

/* Whether a magnitude goes up whose next two bits (the second: anything more) are `rest`. */
static int goes_up(uint32_t rounding, int negative, int is_odd, uint32_t rest) {
    switch (rounding) {
    case EMU_RZ:
    case EMU_RZI:
        return 0;
    case EMU_RM:
    case EMU_RMI:
        return negative && rest;
    case EMU_RP:
    case EMU_RPI:
        return !negative && rest;
    default: /* to nearest, ties to even */
        return rest > 2 || (rest == 2 && is_odd);
    }
}

/* x cut at 2^at and rounded, in units of 2^at. */
static uint64_t rounded_at(const compute_number *x, int32_t at, uint32_t rounding) {
    compute_number cut = *x;
    const int32_t by = at - 2 - x->exponent;
    if (by > 0) {
        shift_right(&cut, (uint32_t)by);
    } else {
        shift_left(&cut, (uint32_t)-by);
    }
    TMA_ASSERT(!cut.high);
    const uint64_t whole = cut.low >> 2;
    return whole +
           (uint64_t)goes_up(rounding, x->negative, (int)(whole & 1), (uint32_t)(cut.low & 3));
}

static uint64_t overflown(const compute_format *f, int negative, uint32_t rounding, int saturates) {
    const int inwards =
        rounding == EMU_RZ || (rounding == EMU_RM && !negative) || (rounding == EMU_RP && negative);
    if (saturates || inwards || f->specials == COMPUTE_FINITE) {
        return compute_largest_of(f);
    }
    return f->specials == COMPUTE_IEEE ? compute_infinity_of(f) : compute_nan_of(f);
}

uint64_t compute_round(const compute_format *f, const compute_number *x, uint32_t rounding, int ftz,
                       int saturates) {
    const uint64_t sign = x->negative ? compute_sign_bit(f) : 0;
    const int32_t lowest = lowest_exponent(f);
    if (x->kind == COMPUTE_NOT_A_NUMBER) {
        return f->specials == COMPUTE_FINITE ? compute_largest_of(f) : compute_nan_of(f);
    }
    if (x->kind == COMPUTE_ZERO) {
        return sign;
    }
    if (x->kind == COMPUTE_INFINITY) {
        return sign | overflown(f, x->negative, EMU_RN, saturates);
    }
    int32_t top = (int32_t)top_of(x->high, x->low) + x->exponent;
    if (ftz && top < lowest) {
        /* is it still, once it is rounded as if exponents had no end? */
        const uint64_t full = rounded_at(x, top - f->fraction_bits, rounding);
        if (top < lowest - 1 || full >> f->fraction_bits < 2) {
            return sign;
        }
    }
    top = top < lowest ? lowest : top;
    /* the leading one adds 1 to the exponent's field, and so does a carry */
    const uint64_t r = rounded_at(x, top - f->fraction_bits, rounding) +
                       ((uint64_t)(uint32_t)(top - lowest) << f->fraction_bits);
    return sign | (r > compute_largest_of(f) ? overflown(f, x->negative, rounding, saturates) : r);
}

uint64_t compute_to_integer(const compute_number *x, uint32_t rounding) {
    if (x->kind == COMPUTE_ZERO) {
        return 0;
    }
    TMA_ASSERT(x->kind == COMPUTE_NUMBER);
    if ((int32_t)top_of(x->high, x->low) + x->exponent >= 64) {
        return UINT64_MAX;
    }
    if (x->exponent >= 0) {
        compute_number whole = *x;
        shift_left(&whole, (uint32_t)x->exponent);
        return whole.low;
    }
    return rounded_at(x, 0, rounding); /* a fraction: under 2^62 */
}

/* ---- arithmetic ---- */

static compute_number special(compute_kind kind, int negative) {
    return (compute_number){(uint8_t)kind, negative != 0, 0, 0, 0};
}

compute_number compute_product(const compute_number *a, const compute_number *b) {
    const int negative = a->negative ^ b->negative;
    if (a->kind == COMPUTE_NOT_A_NUMBER || b->kind == COMPUTE_NOT_A_NUMBER ||
        (a->kind == COMPUTE_INFINITY && b->kind == COMPUTE_ZERO) ||
        (a->kind == COMPUTE_ZERO && b->kind == COMPUTE_INFINITY)) {
        return special(COMPUTE_NOT_A_NUMBER, 0);
    }
    if (a->kind == COMPUTE_INFINITY || b->kind == COMPUTE_INFINITY) {
        return special(COMPUTE_INFINITY, negative);
    }
    if (a->kind == COMPUTE_ZERO || b->kind == COMPUTE_ZERO) {
        return special(COMPUTE_ZERO, negative);
    }
    TMA_ASSERT(!a->high && !b->high);
    const uint64_t a0 = (uint32_t)a->low;
    const uint64_t a1 = a->low >> 32;
    const uint64_t b0 = (uint32_t)b->low;
    const uint64_t b1 = b->low >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    const uint64_t high = a1 * b1 + (middle >> 32) + ((a0 * b1 + (uint32_t)middle) >> 32);
    return (compute_number){COMPUTE_NUMBER, (uint8_t)negative, a->exponent + b->exponent, high,
                            a->low * b->low};
}

static compute_number sum_of_numbers(compute_number a, compute_number b, uint32_t rounding) {
    raise(&a);
    raise(&b);
    if (a.exponent < b.exponent) {
        const compute_number other = a;
        a = b;
        b = other;
    }
    const int64_t apart = (int64_t)a.exponent - b.exponent;
    shift_right(&b, apart < 128 ? (uint32_t)apart : 128);
    b.exponent = a.exponent;
    if (a.negative == b.negative) {
        a.low += b.low;
        a.high += b.high + (a.low < b.low);
        return a;
    }
    if (a.high < b.high || (a.high == b.high && a.low < b.low)) {
        const compute_number other = a;
        a = b;
        b = other;
    }
    a.high -= b.high + (a.low < b.low);
    a.low -= b.low;
    return a.high || a.low ? a : special(COMPUTE_ZERO, rounding == EMU_RM);
}

compute_number compute_sum(const compute_number *a, const compute_number *b, uint32_t rounding) {
    if (a->kind == COMPUTE_NOT_A_NUMBER || b->kind == COMPUTE_NOT_A_NUMBER ||
        (a->kind == COMPUTE_INFINITY && b->kind == COMPUTE_INFINITY &&
         a->negative != b->negative)) {
        return special(COMPUTE_NOT_A_NUMBER, 0);
    }
    if (a->kind == COMPUTE_INFINITY || b->kind == COMPUTE_INFINITY) {
        return a->kind == COMPUTE_INFINITY ? *a : *b;
    }
    if (a->kind == COMPUTE_ZERO && b->kind == COMPUTE_ZERO) {
        return special(COMPUTE_ZERO, a->negative == b->negative ? a->negative : rounding == EMU_RM);
    }
    if (a->kind == COMPUTE_ZERO || b->kind == COMPUTE_ZERO) {
        return a->kind == COMPUTE_ZERO ? *b : *a;
    }
    return sum_of_numbers(*a, *b, rounding);
}

compute_number compute_quotient(const compute_number *a, const compute_number *b) {
    const int negative = a->negative ^ b->negative;
    if (a->kind == COMPUTE_NOT_A_NUMBER || b->kind == COMPUTE_NOT_A_NUMBER ||
        (a->kind == b->kind && a->kind != COMPUTE_NUMBER)) {
        return special(COMPUTE_NOT_A_NUMBER, 0);
    }
    if (a->kind == COMPUTE_INFINITY || b->kind == COMPUTE_ZERO) {
        return special(COMPUTE_INFINITY, negative);
    }
    if (a->kind == COMPUTE_ZERO || b->kind == COMPUTE_INFINITY) {
        return special(COMPUTE_ZERO, negative);
    }
    /* both in [1, 2) 2^62: 60 bits of the quotient one by one, the rest as one more */
    const uint32_t up_a = (uint32_t)__builtin_clzll(a->low) - 1;
    const uint32_t up_b = (uint32_t)__builtin_clzll(b->low) - 1;
    const uint64_t divisor = b->low << up_b;
    uint64_t rest = a->low << up_a;
    uint64_t quotient = 0;
    for (uint32_t k = 0; k < 60; k++) {
        quotient <<= 1;
        if (rest >= divisor) {
            rest -= divisor;
            quotient |= 1;
        }
        rest <<= 1;
    }
    const int32_t exponent = a->exponent - (int32_t)up_a - (b->exponent - (int32_t)up_b) - 59 - 1;
    return (compute_number){COMPUTE_NUMBER, (uint8_t)negative, exponent, 0,
                            quotient << 1 | (rest != 0)};
}

compute_number compute_root(const compute_number *x) {
    if (x->kind == COMPUTE_ZERO || x->kind == COMPUTE_NOT_A_NUMBER) {
        return *x;
    }
    if (x->negative) {
        return special(COMPUTE_NOT_A_NUMBER, 0);
    }
    if (x->kind == COMPUTE_INFINITY) {
        return *x;
    }
    uint32_t up = (uint32_t)__builtin_clzll(x->low);
    if ((x->exponent - (int32_t)up) & 1) {
        up--; /* a significand with an even exponent; its highest bit is 63 or 62 */
    }
    uint64_t left = x->low << up;
    uint64_t rest = 0;
    uint64_t root = 0;
    for (uint32_t k = 0; k < 57; k++) { /* of the significand 2^50 */
        rest = rest << 2 | left >> 62;
        left <<= 2;
        const uint64_t trial = root << 2 | 1;
        root <<= 1;
        if (rest >= trial) {
            rest -= trial;
            root |= 1;
        }
    }
    return (compute_number){COMPUTE_NUMBER, 0, (x->exponent - (int32_t)up - 50) / 2 - 1, 0,
                            root << 1 | (rest != 0)};
}
