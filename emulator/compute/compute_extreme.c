/* SPDX-License-Identifier: Apache-2.0
 *
 * min, max, abs, neg, copysign of floating-point numbers: choices among bits.
 */
#include "compute_float.h"

#include "compute_rows.h"

typedef struct extreme_rules {
    uint64_t infinity, nan;
    int is_max, propagates, takes_signs, is_absolute, ftz, relu;
} extreme_rules;

static extreme_rules rules_of(const emu_instruction *in) {
    const compute_format *f = compute_format_of(in->type[0]);
    return (extreme_rules){
        .infinity = compute_infinity_of(f),
        .nan = compute_nan_of(f),
        .is_max = in->op == EMU_OP_MAX || in->operation == EMU_OPERATION_MAX,
        .propagates = emu_flag(in, EMU_FLAG_NAN),
        .takes_signs = emu_flag(in, EMU_FLAG_XORSIGN),
        .is_absolute = emu_flag(in, EMU_FLAG_ABS),
        .ftz = emu_flag(in, EMU_FLAG_FTZ),
        .relu = emu_flag(in, EMU_FLAG_RELU),
    };
}

/* Of two numbers whose sign is the highest bit. -0 lies under +0; a number beats a NaN. */
#define EXTREME(name, bits)                                                                        \
    static inline uint##bits##_t name(uint##bits##_t a, uint##bits##_t b, extreme_rules r) {       \
        const uint##bits##_t sign = (uint##bits##_t)1 << ((bits)-1);                               \
        const uint##bits##_t infinity = (uint##bits##_t)r.infinity;                                \
        if (r.ftz) {                                                                               \
            a = a & infinity ? a : a & sign;                                                       \
            b = b & infinity ? b : b & sign;                                                       \
        }                                                                                          \
        const uint##bits##_t given = r.takes_signs ? (a ^ b) & sign : 0;                           \
        if (r.is_absolute) {                                                                       \
            a &= ~sign;                                                                            \
            b &= ~sign;                                                                            \
        }                                                                                          \
        const int a_nan = (a & ~sign) > infinity;                                                  \
        const int b_nan = (b & ~sign) > infinity;                                                  \
        const int##bits##_t x = (int##bits##_t)(a & sign ? a ^ ~sign : a);                         \
        const int##bits##_t y = (int##bits##_t)(b & sign ? b ^ ~sign : b);                         \
        const int first = r.is_max ? x > y : x < y;                                                \
        const int none = r.propagates ? a_nan | b_nan : a_nan & b_nan;                             \
        uint##bits##_t best = a_nan ? b : b_nan ? a : first ? a : b;                               \
        best |= given;                                                                             \
        best = r.relu && best & sign ? 0 : best;                                                   \
        return none ? (uint##bits##_t)r.nan : best;                                                \
    }
EXTREME(extreme_32, 32)
EXTREME(extreme_64, 64)

uint32_t compute_extreme(uint32_t a, uint32_t b, const emu_instruction *in) {
    return extreme_32(a, b, rules_of(in));
}

COMPUTE_LOOP(extreme_f32) {
    const extreme_rules r = rules_of(in);
    const compute_u32 *a = compute_in(w, in, 1);
    const compute_u32 *b = compute_in(w, in, 2);
    uint32_t d[EMU_LANES];
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        d[l] = extreme_32(a[l], b[l], r);
    }
    if (in->operands > 3) {
        const compute_u32 *c = compute_in(w, in, 3);
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            d[l] = extreme_32(d[l], c[l], r);
        }
    }
    compute_put(w, &in->operand[0], mask, d);
    return EMU_NEXT;
}

COMPUTE_STEP(extreme_f64) {
    const extreme_rules r = rules_of(in);
    const compute_u64 *a = compute_in(w, in, 1);
    const compute_u64 *b = compute_in(w, in, 2);
    uint64_t d[EMU_LANES];
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        const int none = compute_is_nan_f64(a[l]) && compute_is_nan_f64(b[l]);
        d[l] = none ? b[l] | COMPUTE_QUIET : extreme_64(a[l], b[l], r);
    }
    compute_put_wide(w, &in->operand[0], mask, d);
    return EMU_NEXT;
}

/* f16, bf16 and pairs: with their signs where that of f32 is. */
COMPUTE_STEP(extreme_halves) {
    extreme_rules r = rules_of(in);
    const compute_u32 *a = compute_in(w, in, 1);
    const compute_u32 *b = compute_in(w, in, 2);
    const int is_pair = emu_type_of(in->type[0])->elements == 2;
    uint32_t d[EMU_LANES];
    r.infinity <<= 16;
    r.nan <<= 16;
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        d[l] = extreme_32(a[l] << 16, b[l] << 16, r) >> 16;
    }
    for (uint32_t l = 0; l < EMU_LANES && is_pair; l++) {
        d[l] |= extreme_32(a[l] & 0xffff0000u, b[l] & 0xffff0000u, r) & 0xffff0000u;
    }
    compute_put(w, &in->operand[0], mask, d);
    return EMU_NEXT;
}

static int is_half(uint32_t type) {
    return type == EMU_F16 || type == EMU_F16X2 || type == EMU_BF16 || type == EMU_BF16X2;
}

emu_run compute_choose_extreme(const emu_instruction *in) {
    switch (in->type[0]) {
    case EMU_F32:
        return COMPUTE_BEST(extreme_f32);
    case EMU_F64:
        return extreme_f64;
    default:
        return is_half(in->type[0]) ? extreme_halves : compute_choose_integer(in);
    }
}

/* ---- signs ---- */

/* The sign is turned on the way to an addition of -0, which makes NaNs what it makes of them: f64
 * keeps them with their sign (an H200). */
static uint64_t turned(const emu_instruction *in, const compute_format *f, uint64_t x) {
    const uint64_t sign = compute_sign_bit(f);
    if (f->fraction_bits == 52 && (x & (sign - 1)) > compute_infinity_of(f)) {
        return x | COMPUTE_QUIET;
    }
    x = emu_flag(in, EMU_FLAG_FTZ) ? compute_flushed(f, x) : x;
    x = in->op == EMU_OP_NEG ? x ^ sign : x & ~sign;
    if ((x & (sign - 1)) <= compute_infinity_of(f)) {
        return x;
    }
    return compute_nan_of(f);
}

COMPUTE_STEP(sign_32) {
    const compute_format *f = compute_format_of(in->type[0]);
    const int is_pair = emu_type_of(in->type[0])->elements == 2;
    const uint32_t all = is_pair ? 0xffff : UINT32_MAX;
    const compute_u32 *a = compute_in(w, in, 1);
    uint32_t d[EMU_LANES];
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        d[l] = (uint32_t)turned(in, f, a[l] & all);
        d[l] |= is_pair ? (uint32_t)turned(in, f, a[l] >> 16) << 16 : 0;
    }
    compute_put(w, &in->operand[0], mask, d);
    return EMU_NEXT;
}

static inline uint32_t plain_nan(uint32_t x) {
    return (x & INT32_MAX) > 0x7f800000u ? COMPUTE_NAN_F32 : x;
}
COMPUTE_1(abs_f32, u32, u32, plain_nan(a &INT32_MAX))
COMPUTE_1(neg_f32, u32, u32, plain_nan(a ^ 0x80000000u))
COMPUTE_1(sign_64, u64, u64, turned(in, compute_format_of(EMU_F64), a))
COMPUTE_2(copysign_f32, u32, u32, (a & 0x80000000u) | (b & INT32_MAX))
COMPUTE_2(copysign_f64, u64, u64, (a & ~(uint64_t)INT64_MAX) | (b & INT64_MAX))

emu_run compute_choose_sign(const emu_instruction *in) {
    const uint32_t type = in->type[0];
    if (in->op == EMU_OP_COPYSIGN) {
        return type == EMU_F32   ? COMPUTE_BEST(copysign_f32)
               : type == EMU_F64 ? COMPUTE_BEST(copysign_f64)
                                 : NULL;
    }
    if (type == EMU_F64) {
        return COMPUTE_BEST(sign_64);
    }
    if (type == EMU_F32 && !emu_flag(in, EMU_FLAG_FTZ)) {
        return in->op == EMU_OP_NEG ? COMPUTE_BEST(neg_f32) : COMPUTE_BEST(abs_f32);
    }
    return type == EMU_F32 || is_half(type) ? sign_32 : compute_choose_integer(in);
}
