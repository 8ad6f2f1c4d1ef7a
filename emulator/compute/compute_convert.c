/* SPDX-License-Identifier: Apache-2.0
 *
 * cvt between any two types: each element is read as a number, limited, rounded once.
 */
#include "compute_half.h"
#include "compute_rows.h"

#if COMPUTE_MACHINE_FLOATS
static inline uint64_t double_of(float a) {
    const uint32_t bits = compute_bits_of(a);
    const uint64_t nan = (uint64_t)(bits & 0x80000000u) << 32 | UINT64_C(0x7ff8) << 48 |
                         (uint64_t)(bits & 0x7fffff) << 29;
    return (bits & INT32_MAX) > 0x7f800000u ? nan : compute_bits_of_f64((double)a);
}
static inline uint32_t single_of(double a) {
    const uint64_t wide = compute_bits_of_f64(a);
    const uint32_t nan =
        (uint32_t)(wide >> 63) << 31 | 0x7fc00000u | (uint32_t)(wide >> 29 & 0x3fffff);
    return compute_is_nan_f64(wide) ? nan : compute_bits_of((float)a);
}
#endif

#define ROW(operands, name, to, from, rounding, kind, out, expression)                             \
    COMPUTE_##operands(name, kind, out, expression)
#define FINITE(name, to, from, rounding, kind, out, expression)                                    \
    COMPUTE_2(name, kind, out, expression)
#include "compute_convert.def"

typedef struct usual {
    uint8_t to, from, rounding, satfinite;
    emu_run run[2];
} usual;

static const usual USUAL[] = {
#define ROW(operands, name, to, from, rounding, kind, out, expression)                             \
    {EMU_##to, EMU_##from, EMU_##rounding, 0, COMPUTE_RUNS(name)},
#define FINITE(name, to, from, rounding, kind, out, expression)                                    \
    {EMU_##to, EMU_##from, EMU_##rounding, 1, COMPUTE_RUNS(name)},
#include "compute_convert.def"
};

/* ---- any other ---- */

static uint64_t low_bits(uint32_t count) {
    return count < 64 ? ((uint64_t)1 << count) - 1 : UINT64_MAX;
}

static int is_f32(uint32_t type) {
    return type == EMU_F32;
}

/* A power of two, or a NaN; no sign. */
static compute_number read_ue8m0(uint64_t bits) {
    return bits == 255 ? (compute_number){COMPUTE_NOT_A_NUMBER, 0, 0, 0, 0}
                       : (compute_number){COMPUTE_NUMBER, 0, (int32_t)bits - 127, 0, 1};
}

static uint64_t round_ue8m0(const compute_number *x, uint32_t rounding, int saturates) {
    static const compute_format WIDE = {11, 52, COMPUTE_IEEE};
    if (x->kind == COMPUTE_NOT_A_NUMBER) {
        return 255;
    }
    if (x->kind == COMPUTE_ZERO) {
        return 0;
    }
    const uint64_t most = saturates ? 254 : 255;
    if (x->kind == COMPUTE_INFINITY) {
        return most;
    }
    compute_number magnitude = *x;
    magnitude.negative = 0;
    const uint64_t bits = compute_round(&WIDE, &magnitude, EMU_RZ, 0, 0);
    const int64_t exponent =
        (int64_t)(bits >> 52) - 1023 + 127 + (rounding == EMU_RP && bits & low_bits(52) ? 1 : 0);
    return exponent < 0 ? 0 : exponent > 254 ? most : (uint64_t)exponent;
}

static compute_number read_integer(const emu_type_traits *from, uint64_t bits) {
    bits &= low_bits(from->bits);
    const int negative = from->kind == 'S' && bits >> (from->bits - 1) & 1;
    return compute_integer(negative ? (0 - bits) & low_bits(from->bits) : bits, negative);
}

static uint64_t to_integer(const emu_instruction *in, const compute_number *x) {
    const emu_type_traits *to = emu_type_of(in->type[0]);
    const emu_type_traits *from = emu_type_of(in->type[1]);
    const int is_signed = to->kind == 'S';
    const uint64_t most = low_bits(is_signed ? to->bits - 1u : to->bits);
    if (x->kind == COMPUTE_NOT_A_NUMBER) {
        return from->bits == 64 || to->bits == 64 ? (uint64_t)1 << (to->bits - 1) : 0;
    }
    const uint64_t magnitude =
        x->kind == COMPUTE_INFINITY ? UINT64_MAX : compute_to_integer(x, in->rounding);
    if (from->kind != 'F' && !emu_flag(in, EMU_FLAG_SAT)) {
        return x->negative ? 0 - magnitude : magnitude;
    }
    if (!x->negative) {
        return magnitude < most ? magnitude : most;
    }
    return !is_signed ? 0 : magnitude <= most ? 0 - magnitude : ~most;
}

static int is_integral(uint32_t rounding) {
    return rounding == EMU_RNI || rounding == EMU_RZI || rounding == EMU_RMI || rounding == EMU_RPI;
}

/* rna is no instruction of the hardware: half of the last place is added to finite numbers, what
 * lies below is cut, NaNs are kept. */
static uint64_t to_tf32_away(uint32_t bits, int saturates) {
    bits += (bits & INT32_MAX) < 0x7f800000u ? 0x1000u : 0;
    bits &= 0xffffe000u;
    return saturates && (bits & INT32_MAX) >= 0x7f800000u ? bits - 0x2000u : bits;
}

static uint64_t to_float(const emu_instruction *in, const compute_format *to,
                         const compute_number *x) {
    compute_number y = *x;
    if (is_integral(in->rounding) && x->kind == COMPUTE_NUMBER && x->exponent < 0) {
        y = compute_integer(compute_to_integer(x, in->rounding), x->negative);
    }
    if (emu_flag(in, EMU_FLAG_SAT) && (y.kind == COMPUTE_NOT_A_NUMBER || y.negative)) {
        return 0;
    }
    if (emu_flag(in, EMU_FLAG_RELU) && y.kind != COMPUTE_NOT_A_NUMBER && y.negative) {
        return 0;
    }
    const uint64_t bits =
        compute_round(to, &y, in->rounding, emu_flag(in, EMU_FLAG_FTZ) && is_f32(in->type[0]),
                      emu_flag(in, EMU_FLAG_SATFINITE));
    const uint64_t one = compute_one_of(to);
    return emu_flag(in, EMU_FLAG_SAT) && bits > one ? one : bits;
}

/* A NaN made wider, or of f64 narrower, keeps its sign and its upper bits and is quiet (an H200).
 * That of f32 with .ftz went through an instruction that makes the usual one of it. */
static uint64_t kept_nan(const emu_instruction *in, const compute_format *to, uint64_t bits) {
    const compute_format *from = compute_format_of(in->type[1]);
    const uint64_t sign = bits >> (from->exponent_bits + from->fraction_bits) & 1;
    uint64_t part = bits & low_bits(from->fraction_bits);
    if (is_f32(in->type[1]) && emu_flag(in, EMU_FLAG_FTZ)) {
        return UINT64_C(0x7fffffffe0000000);
    }
    part = to->fraction_bits > from->fraction_bits
               ? part << (to->fraction_bits - from->fraction_bits)
               : part >> (from->fraction_bits - to->fraction_bits);
    return sign << (to->exponent_bits + to->fraction_bits) | compute_infinity_of(to) |
           (uint64_t)1 << (to->fraction_bits - 1) | part;
}

static uint64_t converted(const emu_instruction *in, uint64_t bits) {
    const emu_type_traits *from = emu_type_of(in->type[1]);
    const compute_format *format = compute_format_of(in->type[1]);
    const compute_format *to = compute_format_of(in->type[0]);
    compute_number x;
    if (in->rounding == EMU_RNA) {
        return to_tf32_away((uint32_t)bits, emu_flag(in, EMU_FLAG_SATFINITE));
    }
    if (in->type[1] == EMU_UE8M0X2) {
        x = read_ue8m0(bits);
    } else if (format) {
        if (emu_flag(in, EMU_FLAG_FTZ) && is_f32(in->type[1])) {
            bits = compute_flushed(format, bits);
        }
        x = compute_read(format, bits);
    } else {
        x = read_integer(from, bits);
    }
    if (in->type[0] == EMU_UE8M0X2) {
        return round_ue8m0(&x, in->rounding, emu_flag(in, EMU_FLAG_SATFINITE));
    }
    if (!to) {
        return to_integer(in, &x);
    }
    if (x.kind == COMPUTE_NOT_A_NUMBER && !emu_flag(in, EMU_FLAG_SAT) &&
        (in->type[0] == EMU_F64 || in->type[1] == EMU_F64)) {
        return kept_nan(in, to, bits);
    }
    return to_float(in, to, &x) << (in->type[0] == EMU_TF32 ? 13 : 0);
}

/* Of two operands the first comes into the upper element. */
COMPUTE_STEP(convert) {
    const emu_type_traits *to = emu_type_of(in->type[0]);
    const emu_type_traits *from = emu_type_of(in->type[1]);
    const uint32_t to_bits = to->bits / to->elements;
    const uint32_t from_bits = from->bits / from->elements;
    EMU_FOR_LANES(lane, mask) {
        uint64_t d = 0;
        for (uint32_t k = 0; k < to->elements; k++) {
            const int apart = to->elements > from->elements;
            const uint64_t a = compute_lane(w, &in->operand[apart ? 2 - k : 1], lane);
            const uint64_t element = a >> (apart ? 0 : k * from_bits) & low_bits(from_bits);
            const uint64_t r = converted(in, element) & low_bits(to_bits);
            d |= r << k * to_bits;
        }
        if (to->kind == 'S') { /* a wider register takes its sign */
            const uint32_t up = 64u - to->bits;
            d = (uint64_t)((int64_t)(d << up) >> up);
        }
        compute_put_lane(w, &in->operand[0], lane, d);
    }
    return EMU_NEXT;
}

/* ---- cvt.pack: {a, b} saturated, put under c's bits ---- */

static uint64_t limited(int32_t x, const emu_type_traits *to) {
    const int64_t most = (int64_t)low_bits(to->kind == 'S' ? to->bits - 1u : to->bits);
    const int64_t least = to->kind == 'S' ? -most - 1 : 0;
    return (uint64_t)(x > most ? most : x < least ? least : x) & low_bits(to->bits);
}

COMPUTE_STEP(pack) {
    const emu_type_traits *to = emu_type_of(in->type[0]);
    EMU_FOR_LANES(lane, mask) {
        const uint64_t c = in->operands > 3 ? compute_lane(w, &in->operand[3], lane) : 0;
        const int32_t a = (int32_t)compute_lane(w, &in->operand[1], lane);
        const int32_t b = (int32_t)compute_lane(w, &in->operand[2], lane);
        const uint64_t low = limited(b, to) | limited(a, to) << (to->bits & 31);
        compute_put_lane(w, &in->operand[0], lane, to->bits < 16 ? c << 2 * to->bits | low : low);
    }
    return EMU_NEXT;
}

emu_run compute_choose_pack(const emu_instruction *in) {
    return emu_type_of(in->type[0])->bits <= 16 && in->type[1] == EMU_S32 ? pack : NULL;
}

/* ---- which ---- */

static uint32_t register_bits(const emu_operand *o) {
    const uint32_t bits = emu_type_of(o->type)->bits;
    return bits == 64 ? 64 : 32;
}

static int is_as_wide(const emu_operand *o, uint32_t type) {
    const uint32_t bits = emu_type_of(type)->bits;
    return register_bits(o) == (bits == 64 ? 64 : 32);
}

static emu_run usual_run(const emu_instruction *in) {
    const int satfinite = emu_flag(in, EMU_FLAG_SATFINITE);
    const int others =
        emu_flag(in, EMU_FLAG_SAT) || emu_flag(in, EMU_FLAG_FTZ) || emu_flag(in, EMU_FLAG_RELU);
    if (others || !is_as_wide(&in->operand[0], in->type[0]) ||
        !is_as_wide(&in->operand[1], in->type[1])) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof USUAL / sizeof USUAL[0]; i++) {
        const usual *u = &USUAL[i];
        if (u->to == in->type[0] && u->from == in->type[1] && u->rounding == in->rounding &&
            u->satfinite == satfinite) {
            return compute_best(u->run);
        }
    }
    return NULL;
}

emu_run compute_choose_convert(const emu_instruction *in) {
    const uint32_t to = in->type[0];
    const uint32_t from = in->type[1];
    const uint32_t apart = emu_type_of(to)->elements > emu_type_of(from)->elements;
    if (!emu_type_of(to)->bits || !emu_type_of(from)->bits || in->type[2] != EMU_NO_TYPE ||
        in->rounding == EMU_RS || (in->rounding == EMU_RNA && to != EMU_TF32) ||
        in->operands != 2 + apart) {
        return NULL;
    }
    const emu_run run = usual_run(in);
    return run ? run : convert;
}
