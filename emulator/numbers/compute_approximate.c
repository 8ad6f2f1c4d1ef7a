/* SPDX-License-Identifier: Apache-2.0
 *
 * ex2, lg2, rcp, rsqrt, sqrt, sin, cos, tanh: each a table of parabolas,
 * floor(c0 + c1 i + c2 s) of the low bits i of a piece, where s is the square of i in which
 * partial products below one column are left out one by one.
 */
#include "compute_approximate.h"

#include "compute_float.h"
#include "compute_tables.inc"

#define SIGN     0x80000000u
#define INFINITE 0x7f800000u
#define FRACTION 0x007fffffu
#define ONE      0x3f800000u
#define HALF     0x3f000000u
#define QUARTER  0x3e800000u
#define TWO_24   0x4b800000u
#define TWO_12   0x45800000u
#define TWO_M12  0x39800000u
#define M24      0xc1c00000u
#define TURN     0x3e22f983u /* 1 / 2 pi */

static int exponent_of(uint32_t x) {
    return (int)(x >> 23 & 255);
}

static int is_nan(uint32_t x) {
    return (x & ~SIGN) > INFINITE;
}

static int is_small(uint32_t x) { /* subnormal or zero */
    return !(x & INFINITE);
}

/* The square of `bits` low bits, in units of 2^column. */
static int64_t square(uint32_t i, uint32_t bits, uint32_t column) {
    uint64_t sum = 0;
    for (uint32_t j = 0; j < bits; j++) {
        const uint32_t from = column > 2 * j + 2 ? column - 1 - j : j + 1;
        const uint64_t products = ((uint64_t)(i >> from) << from) << (j + 1);
        const uint64_t own = 2 * j >= column ? (uint64_t)1 << 2 * j : 0;
        sum += i >> j & 1 ? products + own : 0;
    }
    return (int64_t)(sum >> column);
}

static int64_t parabola(const int64_t piece[3], uint32_t i, uint32_t bits, uint32_t column) {
    return piece[0] + piece[1] * (int64_t)i + piece[2] * square(i, bits, column);
}

/* Of 64 pieces of an octave (rcp: 128). */
static int64_t piece(const int64_t (*table)[3], uint32_t fraction, uint32_t bits, uint32_t column) {
    return parabola(table[fraction >> bits], fraction & ((1u << bits) - 1), bits, column);
}

/* magnitude 2^-places cut to f32; what is cut to nothing is +0. */
static uint32_t cut(int negative, uint64_t magnitude, int32_t places) {
    const compute_number x = {magnitude ? COMPUTE_NUMBER : COMPUTE_ZERO, negative != 0, -places, 0,
                              magnitude};
    const uint32_t bits = (uint32_t)compute_round(compute_format_of(EMU_F32), &x, EMU_RZ, 0, 0);
    return magnitude && bits == SIGN ? 0 : bits;
}

static uint32_t arithmetic(uint32_t op, uint32_t rounding, int ftz, uint32_t a, uint32_t b) {
    const compute_format *f = compute_format_of(EMU_F32);
    const compute_rules r = {.format = f,
                             .operands = f,
                             .op = (uint8_t)op,
                             .rounding = (uint8_t)rounding,
                             .ftz = (uint8_t)ftz};
    return (uint32_t)compute_arithmetic(&r, a, b, 0);
}

static uint32_t times(uint32_t a, uint32_t b) {
#if COMPUTE_MACHINE_FLOATS
    const uint32_t bits = compute_bits_of(compute_float_of(a) * compute_float_of(b));
    return is_nan(bits) ? COMPUTE_NAN_F32 : bits;
#else
    return arithmetic(EMU_OP_MUL, EMU_RN, 0, a, b);
#endif
}

/* ---- the unit ---- */

uint32_t compute_ex2_ftz(uint32_t x) {
    const int shift = exponent_of(x) - 127;
    const uint32_t significand = (x & FRACTION) | 0x800000;
    const uint32_t beyond = x & SIGN ? 0 : INFINITE;
    if (is_nan(x)) {
        return COMPUTE_NAN_F32;
    }
    if (is_small(x)) {
        return ONE;
    }
    if (shift > 7) {
        return beyond;
    }
    /* 23 places, cut; a negative number with a fraction is ones' complemented */
    int64_t fixed = shift >= 0    ? (int64_t)significand << shift
                    : shift < -40 ? 0
                                  : (int64_t)significand >> -shift;
    if (x & SIGN) {
        fixed = fixed & FRACTION ? -fixed - 1 : -fixed;
    }
    const int64_t exponent = (fixed >> 23) + 127;
    if (exponent >= 255) {
        return INFINITE;
    }
    if (exponent <= 0) {
        return 0;
    }
    return (uint32_t)exponent << 23 |
           (uint32_t)(piece(EX2, (uint32_t)(fixed & FRACTION), 17, 19) >> 20);
}

uint32_t compute_rcp_ftz(uint32_t x) {
    const uint32_t fraction = x & FRACTION;
    const uint32_t sign = x & SIGN;
    if (is_nan(x)) {
        return COMPUTE_NAN_F32;
    }
    if (exponent_of(x) == 255) {
        return sign;
    }
    if (is_small(x)) {
        return sign | INFINITE;
    }
    const uint32_t r = fraction ? HALF + (uint32_t)(piece(RCP, fraction, 16, 17) >> 20) : ONE;
    const int exponent = (int)(r >> 23) - (exponent_of(x) - 127);
    return exponent <= 0 ? sign : sign | (r & FRACTION) | (uint32_t)exponent << 23;
}

/* Roots have two octaves: 1 to 2, and 2 to 4 where the exponent is odd; half of it comes back. */
static int octave(uint32_t x, int *half) {
    const int exponent = exponent_of(x) - 127;
    *half = (exponent - (exponent & 1)) / 2;
    return exponent & 1;
}

uint32_t compute_rsqrt_ftz(uint32_t x) {
    const uint32_t fraction = x & FRACTION;
    int half = 0;
    if (is_nan(x)) {
        return COMPUTE_NAN_F32;
    }
    if (is_small(x)) {
        return (x & SIGN) | INFINITE;
    }
    if (x & SIGN) {
        return COMPUTE_NAN_F32;
    }
    if (x == INFINITE) {
        return 0;
    }
    const int second = octave(x, &half);
    const int64_t fixed = piece(second ? RSQRT_2_4 : RSQRT_1_2, fraction, 17, 19);
    const uint32_t r = second || fraction ? HALF + (uint32_t)(fixed >> 20) : ONE;
    return r - (uint32_t)half * 0x800000u;
}

uint32_t compute_sqrt_ftz(uint32_t x) {
    int half = 0;
    if (is_nan(x)) {
        return COMPUTE_NAN_F32;
    }
    if (is_small(x)) {
        return x & SIGN;
    }
    if (x & SIGN) {
        return COMPUTE_NAN_F32;
    }
    if (x == INFINITE) {
        return x;
    }
    const int second = octave(x, &half);
    const int64_t fixed = piece(second ? SQRT_2_4 : SQRT_1_2, x & FRACTION, 17, 19);
    return ONE + (uint32_t)(fixed >> 20) + (uint32_t)half * 0x800000u;
}

uint32_t compute_lg2_ftz(uint32_t x) {
    const int exponent = exponent_of(x) - 127;
    if (is_nan(x)) {
        return COMPUTE_NAN_F32;
    }
    if (is_small(x)) {
        return SIGN | INFINITE;
    }
    if (x & SIGN) {
        return COMPUTE_NAN_F32;
    }
    if (x == INFINITE) {
        return x;
    }
    if (x == ONE) {
        return 0;
    }
    const uint64_t fixed = (uint64_t)(piece(LG2, x & FRACTION, 17, 19) >> 4); /* 36 places */
    if (exponent >= 0) {
        return cut(0, ((uint64_t)exponent << 36) + fixed, 36);
    }
    return cut(1, ((uint64_t)-exponent << 36) - fixed - 1, 36); /* ones' complement */
}

/* |turns| cut to 25 places; a quarter is 2^23 steps, quarters 2 and 4 run backwards. */
static uint32_t sine_of_turns(uint32_t y, int quarter_on) {
    const int shift = exponent_of(y) - 125;
    const uint32_t significand = (y & FRACTION) | 0x800000;
    if (exponent_of(y) == 255) {
        return COMPUTE_NAN_F32;
    }
    uint32_t turns = shift >= 25 || shift < -31 ? 0
                     : shift >= 0               ? significand << shift & 0x1ffffff
                                                : significand >> -shift;
    turns += quarter_on ? 0x800000 : 0;
    const uint32_t step = (turns & FRACTION) ^ (turns & 0x800000 ? FRACTION : 0);
    const int negative = (!quarter_on && y & SIGN) != ((turns & 0x1000000) != 0);
    const uint32_t r = cut(0, (uint64_t)piece(SINE, step, 17, 19), 37);
    return r | (negative ? SIGN : 0);
}

uint32_t compute_sin(uint32_t x) {
    return sine_of_turns(arithmetic(EMU_OP_MUL, EMU_RZ, 0, x, TURN), 0);
}

uint32_t compute_cos(uint32_t x) {
    return sine_of_turns(arithmetic(EMU_OP_MUL, EMU_RZ, 0, x, TURN), 1);
}

/* By exponent from 2^-8 on: the first piece, and how many bits of the fraction choose among them.
 */
static const uint8_t TANH_PIECES[][2] = {{0, 0},  {1, 0},  {2, 0},  {3, 1},  {5, 1}, {7, 2},
                                         {11, 2}, {15, 2}, {19, 3}, {27, 4}, {43, 3}};

uint32_t compute_tanh(uint32_t x) {
    const int k = exponent_of(x) - 119;
    const int octaves = (int)(sizeof TANH_PIECES / sizeof TANH_PIECES[0]);
    if (is_nan(x)) {
        return COMPUTE_NAN_F32;
    }
    if (k < 0) {
        return x;
    }
    if (k >= octaves) {
        return (x & SIGN) | ONE;
    }
    const uint32_t chosen = TANH_PIECES[k][1];
    const uint32_t fraction = x & FRACTION;
    const uint32_t i = fraction >> (6 - chosen) & 0x1ffff;
    const int64_t fixed =
        parabola(TANH[TANH_PIECES[k][0] + (fraction >> (23 - chosen))], i, 17, 19);
    return cut((int)(x >> 31), (uint64_t)fixed, 39);
}

/* ---- around the unit ---- */

uint32_t compute_ex2(uint32_t x) {
    if (x <= 0xc2fc0000u || is_nan(x)) { /* not under -126 */
        return compute_ex2_ftz(x);
    }
    const uint32_t root = compute_ex2_ftz(times(x, HALF));
    return times(root, root);
}

uint32_t compute_rcp(uint32_t x) {
    const uint32_t a = x & ~SIGN;
    const uint32_t scale = a > 0x7e800000u && a <= INFINITE ? QUARTER : is_small(x) ? TWO_24 : ONE;
    return times(scale, compute_rcp_ftz(times(x, scale)));
}

uint32_t compute_sqrt(uint32_t x) {
    return is_small(x) ? times(compute_sqrt_ftz(times(x, TWO_24)), TWO_M12) : compute_sqrt_ftz(x);
}

uint32_t compute_rsqrt(uint32_t x) {
    return is_small(x) ? times(compute_rsqrt_ftz(times(x, TWO_24)), TWO_12) : compute_rsqrt_ftz(x);
}

uint32_t compute_lg2(uint32_t x) {
    return is_small(x) ? arithmetic(EMU_OP_ADD, EMU_RN, 0, compute_lg2_ftz(times(x, TWO_24)), M24)
                       : compute_lg2_ftz(x);
}

uint32_t compute_div_approx(uint32_t a, uint32_t b, int ftz) {
    if (!ftz && is_small(b)) {
        a = times(a, TWO_24);
        b = times(b, TWO_24);
    }
    return arithmetic(EMU_OP_MUL, EMU_RN, ftz, a, compute_rcp_ftz(b));
}

uint32_t compute_div_full(uint32_t a, uint32_t b, int ftz) {
    const uint32_t k = b & ~SIGN;
    const uint32_t scale = k > 0x7e800000u && k <= INFINITE ? QUARTER
                           : !ftz && is_small(b)            ? TWO_24
                                                            : 0;
    if (scale) {
        a = arithmetic(EMU_OP_MUL, EMU_RN, ftz, a, scale);
        b = arithmetic(EMU_OP_MUL, EMU_RN, ftz, b, scale);
    }
    return arithmetic(EMU_OP_MUL, EMU_RN, ftz, a, compute_rcp_ftz(b));
}

/* ---- f64: 20 bits of the upper word are looked at ---- */

uint32_t compute_rcp_upper(uint32_t x) {
    const int exponent = (int)(x >> 20 & 2047);
    const uint32_t fraction = x & 0xfffff;
    const uint32_t sign = x & SIGN;
    if (exponent == 2047) {
        return fraction ? COMPUTE_NAN_F32 : sign;
    }
    if (!exponent) {
        return sign | 0x7ff00000u;
    }
    const uint32_t r = compute_rcp_ftz(ONE | fraction << 3);
    const int to = (int)(r >> 23) - 127 - (exponent - 1023) + 1023;
    return to <= 0 ? sign : sign | (uint32_t)to << 20 | (r >> 3 & 0xfffff);
}

uint32_t compute_rsqrt_upper(uint32_t x) {
    const int exponent = (int)(x >> 20 & 2047) - 1023;
    const uint32_t fraction = x & 0xfffff;
    if (exponent == 1024 && fraction) {
        return COMPUTE_NAN_F32;
    }
    if (exponent == -1023) {
        return (x & SIGN) | 0x7ff00000u;
    }
    if (x & SIGN) {
        return COMPUTE_NAN_F32;
    }
    if (exponent == 1024) {
        return 0;
    }
    const int odd = exponent & 1;
    const uint32_t r = compute_rsqrt_ftz((uint32_t)(127 + odd) << 23 | fraction << 3);
    return (uint32_t)((int)(r >> 23) - 127 - (exponent - odd) / 2 + 1023) << 20 |
           (r >> 3 & 0xfffff);
}

/* ---- f16, bf16 ---- */

static uint32_t widened(int is_bf16, uint32_t h) {
    if (is_bf16) {
        return h << 16;
    }
    const compute_number x = compute_read(compute_format_of(EMU_F16), h);
    return (uint32_t)compute_round(compute_format_of(EMU_F32), &x, EMU_RN, 0, 0);
}

static uint32_t halved(int is_bf16, uint32_t f) {
    if (!is_bf16 && !is_nan(f) && (f & ~SIGN) >= 0x47800000u) { /* 2^16 */
        return (f >> 16 & 0x8000) | 0x7c00;
    }
    const compute_number x = compute_read(compute_format_of(EMU_F32), f);
    const uint32_t type = is_bf16 ? EMU_BF16 : EMU_F16;
    return (uint32_t)compute_round(compute_format_of(type), &x, EMU_RZ, 0, 0);
}

uint32_t compute_tanh_half(int is_bf16, uint32_t x) {
    return halved(is_bf16, compute_tanh(widened(is_bf16, x)));
}

uint32_t compute_ex2_half(int is_bf16, uint32_t x) {
    return halved(is_bf16, compute_ex2_ftz(widened(is_bf16, x)));
}
