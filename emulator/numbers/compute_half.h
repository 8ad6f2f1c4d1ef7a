/* SPDX-License-Identifier: Apache-2.0
 *
 * f16 and bf16 to and from f32 on bits, without branches.
 */
#ifndef EMULATOR_COMPUTE_HALF_H
#define EMULATOR_COMPUTE_HALF_H

#include "compute_float.h"

#if COMPUTE_MACHINE_FLOATS

static inline float compute_of_f16(uint32_t h) {
    const uint32_t sign = (h & 0x8000) << 16;
    const uint32_t exponent = h & 0x7c00;
    const uint32_t shifted = (h & 0x7fff) << 13;
    const float small = compute_float_of(shifted + (113u << 23)) - 0x1p-14F;
    const uint32_t special = h & 0x3ff ? COMPUTE_NAN_F32 : sign | 0x7f800000u;
    const uint32_t number = sign | (shifted + (112u << 23));
    return compute_float_of(exponent == 0x7c00 ? special
                            : exponent         ? number
                                               : sign | compute_bits_of(small));
}

/* to nearest even */
static inline uint32_t compute_to_f16(float x) {
    const uint32_t bits = compute_bits_of(x);
    const uint32_t a = bits & INT32_MAX;
    const uint32_t sign = bits >> 16 & 0x8000;
    /* 0.5 has its last place where a subnormal f16 has its own */
    const uint32_t small = compute_bits_of(compute_float_of(a) + 0.5F) - (126u << 23);
    const uint32_t number = (a - (112u << 23) + 0xfff + (a >> 13 & 1)) >> 13;
    const uint32_t kept = a < 113u << 23 ? small : number < 0x7c00 ? number : 0x7c00;
    return a > 0x7f800000u ? 0x7fff : sign | (a >= 0x47800000u ? 0x7c00 : kept);
}

/* To nearest even and finite, of FP8: `first` is the lowest normal exponent as f32 has it, a
 * subnormal number has its last place where `raised` has its own. */
static inline uint32_t compute_to_fp8(float x, uint32_t first, uint32_t shift, float raised,
                                      uint32_t largest) {
    const uint32_t bits = compute_bits_of(x);
    const uint32_t a = bits & INT32_MAX;
    const uint32_t half = (1u << (shift - 1)) - 1;
    const uint32_t small = compute_bits_of(compute_float_of(a) + raised) - compute_bits_of(raised);
    const uint32_t number = (a - ((first - 1) << 23) + half + (a >> shift & 1)) >> shift;
    const uint32_t kept = a < first << 23 ? small : number < largest ? number : largest;
    return a > 0x7f800000u ? 0x7f : (bits >> 24 & 0x80) | kept;
}
static inline uint32_t compute_to_e4m3(float x) {
    return compute_to_fp8(x, 121, 20, 0x1p14F, 0x7e);
}
static inline uint32_t compute_to_e5m2(float x) {
    return compute_to_fp8(x, 113, 21, 0x1p7F, 0x7b);
}

#endif

static inline uint32_t compute_to_bf16(uint32_t bits) {
    return (bits & INT32_MAX) > 0x7f800000u ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

#endif
