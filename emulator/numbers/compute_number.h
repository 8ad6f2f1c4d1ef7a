/* SPDX-License-Identifier: Apache-2.0
 *
 * Floating-point numbers of any of PTX's formats in integers: read, added, multiplied, divided,
 * rounded once. No floating-point unit, no library, no rounding mode of the machine.
 */
#ifndef EMULATOR_COMPUTE_NUMBER_H
#define EMULATOR_COMPUTE_NUMBER_H

#include "program.h"
#include "words.h"

typedef enum compute_specials {
    COMPUTE_IEEE,            /* infinities and NaNs in the highest exponent */
    COMPUTE_NAN_IS_ALL_ONES, /* e4m3: one NaN, no infinity */
    COMPUTE_FINITE,          /* e2m1, e2m3, e3m2: neither */
} compute_specials;

typedef struct compute_format {
    uint8_t exponent_bits, fraction_bits;
    uint8_t specials;
} compute_format;

/* The format of a type's elements; null: it is no such type (integers, ue8m0). */
const compute_format *compute_format_of(uint32_t type);

typedef enum compute_kind {
    COMPUTE_ZERO,
    COMPUTE_NUMBER,
    COMPUTE_INFINITY,
    COMPUTE_NOT_A_NUMBER,
} compute_kind;

/* (high : low) 2^exponent. The lowest bit may stand for all that lies below it. */
typedef struct compute_number {
    uint8_t kind, negative;
    int32_t exponent;
    uint64_t high, low;
} compute_number;

static inline uint32_t compute_width(const compute_format *f) {
    return 1u + f->exponent_bits + f->fraction_bits;
}
uint64_t compute_sign_bit(const compute_format *f);
uint64_t compute_infinity_of(const compute_format *f); /* the highest exponent, no fraction */
uint64_t compute_largest_of(const compute_format *f);  /* finite */
uint64_t compute_nan_of(const compute_format *f);      /* that an H200 makes: no sign, all ones */
uint64_t compute_one_of(const compute_format *f);

compute_number compute_read(const compute_format *f, uint64_t bits);
compute_number compute_integer(uint64_t magnitude, int negative);

/* Rounded: flushes what is tiny after rounding to a full significand (ftz), saturates instead of
 * overflowing to infinity. */
uint64_t compute_round(const compute_format *f, const compute_number *x, uint32_t rounding, int ftz,
                       int saturates);

/* To an integer: its magnitude, UINT64_MAX where it is larger. */
uint64_t compute_to_integer(const compute_number *x, uint32_t rounding);

compute_number compute_product(const compute_number *a, const compute_number *b);
/* rounding: of an exact zero's sign */
compute_number compute_sum(const compute_number *a, const compute_number *b, uint32_t rounding);
compute_number compute_quotient(const compute_number *a, const compute_number *b);
compute_number compute_root(const compute_number *x);

#endif
