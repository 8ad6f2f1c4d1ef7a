/* SPDX-License-Identifier: Apache-2.0
 *
 * add, sub, mul, fma to nearest of f32, f32x2 and f64: the machine's own, vectors of them.
 */
#include "compute_float.h"

#include "compute_rows.h"

#if COMPUTE_MACHINE_FLOATS

static inline float canonical(float x) {
    const uint32_t bits = compute_bits_of(x);
    return compute_float_of((bits & INT32_MAX) > 0x7f800000u ? COMPUTE_NAN_F32 : bits);
}

static inline float flushed(float x) {
    const uint32_t bits = compute_bits_of(x);
    return compute_float_of(bits & 0x7f800000u ? bits : bits & 0x80000000u);
}

/* A result of two numbers: the first NaN among them stays, made quiet. */
static inline double either(double r, double first, double second) {
    const uint64_t x = compute_bits_of_f64(first);
    const uint64_t y = compute_bits_of_f64(second);
    const uint64_t z = compute_bits_of_f64(r);
    return compute_f64_of(compute_is_nan_f64(x)   ? x | COMPUTE_QUIET
                          : compute_is_nan_f64(y) ? y | COMPUTE_QUIET
                          : compute_is_nan_f64(z) ? COMPUTE_NAN_F64
                                                  : z);
}

/* .ftz: a zero if the result is subnormal after rounding to 24 bits as if exponents had no end. */
static inline float flushed_of(double x) {
    const double least = 0x0.ffffff8p-126; /* the tie, which goes up */
    const uint32_t sign = (uint32_t)(compute_bits_of_f64(x) >> 32) & 0x80000000u;
    return x < least && x > -least ? compute_float_of(sign) : canonical((float)x);
}

#define ROW(operands, name, op, type, words, kind, expression)                                     \
    COMPUTE_##operands(name, kind, kind, expression)
#include "compute_float.def"

static const compute_form FORMS[] = {
#define ROW(operands, name, op, type, words, kind, expression) COMPUTE_FORM(name, op, type, words)
#include "compute_float.def"
};
#endif

/* Any other form, element by element. */
COMPUTE_STEP(arithmetic) {
    const compute_rules r = compute_rules_of(in);
    const uint32_t elements = emu_type_of(in->type[0])->elements;
    const uint32_t width = compute_width(r.format);
    const uint64_t all = width < 64 ? ((uint64_t)1 << width) - 1 : UINT64_MAX;
    EMU_FOR_LANES(lane, mask) {
        const uint64_t a = compute_lane(w, &in->operand[1], lane);
        const uint64_t b = in->operands > 2 ? compute_lane(w, &in->operand[2], lane) : 0;
        const uint64_t c = in->operands > 3 ? compute_lane(w, &in->operand[3], lane) : 0;
        uint64_t d = 0;
        for (uint32_t k = 0; k < elements; k++) {
            const uint32_t at = k * width;
            d |= compute_arithmetic(&r, a >> at & all, b >> at & all, c >> at & all) << at;
        }
        compute_put_lane(w, &in->operand[0], lane, d);
    }
    return EMU_NEXT;
}

emu_run compute_choose_float(const emu_instruction *in) {
    if (!compute_format_of(in->type[0])) {
        return NULL;
    }
#if COMPUTE_MACHINE_FLOATS
    if ((in->rounding == EMU_NO_ROUNDING || in->rounding == EMU_RN) && in->type[1] == EMU_NO_TYPE) {
        const emu_run fused = compute_choose_fused(in);
        const emu_run half = fused ? fused : compute_choose_half(in);
        const emu_run run = half ? half : compute_find(FORMS, sizeof FORMS / sizeof FORMS[0], in);
        if (run && !emu_flag(in, EMU_FLAG_OOB)) {
            return run;
        }
    }
#endif
    return arithmetic;
}

emu_run compute_choose_add(const emu_instruction *in) {
    return emu_type_of(in->type[0])->kind == 'F' ? compute_choose_float(in)
                                                 : compute_choose_integer(in);
}
