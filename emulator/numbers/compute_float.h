/* SPDX-License-Identifier: Apache-2.0
 *
 * Single floating-point results, and the forms of floating-point instructions.
 */
#ifndef EMULATOR_COMPUTE_FLOAT_H
#define EMULATOR_COMPUTE_FLOAT_H

#include <float.h>

#include "compute.h"
#include "compute_number.h"

/* Results of float and double are rounded to their types: else all runs in integers. */
#ifndef COMPUTE_MACHINE_FLOATS
#define COMPUTE_MACHINE_FLOATS (FLT_EVAL_METHOD == 0)
#endif

#define COMPUTE_NAN_F32 0x7fffffffu
#define COMPUTE_NAN_F64 UINT64_C(0xfff8000000000000) /* of an invalid operation */
#define COMPUTE_QUIET   UINT64_C(0x0008000000000000)

static inline int compute_is_nan_f64(uint64_t bits) {
    return (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000);
}

/* How one form computes. */
typedef struct compute_rules {
    const compute_format *format;   /* of the result and c */
    const compute_format *operands; /* of a and b: another in add.f32.f16 */
    uint8_t op, rounding, ftz, sat, relu, oob;
} compute_rules;
compute_rules compute_rules_of(const emu_instruction *in);

/* a + b, a - b, a * b, a * b + c, a / b, 1 / a or the root of a, rounded once. */
uint64_t compute_arithmetic(const compute_rules *r, uint64_t a, uint64_t b, uint64_t c);

/* The lesser or greater of two numbers of f32, by the words of min, max or redux. */
uint32_t compute_extreme(uint32_t a, uint32_t b, const emu_instruction *in);

/* A subnormal number is a zero of its sign. */
static inline uint64_t compute_flushed(const compute_format *f, uint64_t bits) {
    return bits & compute_infinity_of(f) ? bits : bits & compute_sign_bit(f);
}

#if COMPUTE_MACHINE_FLOATS
/* a * b + c in double, rounded to odd: what is rounded to f32 once more is as if rounded once. */
static inline double compute_fused(float a, float b, float c) {
    const double product = (double)a * (double)b; /* exact */
    const double sum = product + (double)c;
    const double moved = sum - product;
    const double lost = (product - (sum - moved)) + ((double)c - moved); /* exact */
    const int outwards = (lost > 0) == (sum > 0);
    const int inexact = lost > 0 || lost < 0; /* not where it is a NaN */
    const uint64_t bits = compute_bits_of_f64(sum);
    const uint64_t odd = bits & 1 ? 0 : outwards ? 1 : UINT64_MAX;
    return compute_f64_of(bits + (inexact ? odd : 0));
}

#endif

/* The forms of f16 and bf16, of f32 and f64 with a machine that has fma; null: others. */
emu_run compute_choose_half(const emu_instruction *in);
emu_run compute_choose_fused(const emu_instruction *in);

/* .sat, .relu */
uint64_t compute_limited(const compute_rules *r, uint64_t bits);

#endif
