/* SPDX-License-Identifier: Apache-2.0
 *
 * add, sub, mul, fma of f16, bf16 and their pairs to nearest, through wider numbers: a sum or
 * product that is rounded to odd first is as if rounded once.
 */
#include "compute_half.h"

#include "compute_rows.h"

#if COMPUTE_MACHINE_FLOATS

/* To f32, rounded to odd: the last bit stands for all below it. */
static inline float odd(double x) {
    const float near = (float)x;
    const uint32_t bits = compute_bits_of(near);
    const double far = (double)near;
    const double magnitude = x < 0 ? -x : x;
    const double rounded = far < 0 ? -far : far;
    const int inexact = rounded < magnitude || rounded > magnitude; /* not of NaNs */
    return compute_float_of(inexact ? (bits - (rounded > magnitude)) | 1 : bits);
}

static inline uint32_t bf16_of(double x) {
    return compute_to_bf16(compute_bits_of(odd(x)));
}

static inline float float_of_bf16(uint32_t h) {
    return compute_float_of(h << 16);
}

/* Sums of two fit: 24 bits are two more than twice 11; products are exact in f32 or f64. */
#define F16_ADD(a, b, c) compute_to_f16(compute_of_f16(a) + compute_of_f16(b))
#define F16_SUB(a, b, c) compute_to_f16(compute_of_f16(a) - compute_of_f16(b))
#define F16_MUL(a, b, c) compute_to_f16(compute_of_f16(a) * compute_of_f16(b))
#define F16_FMA(a, b, c)                                                                           \
    compute_to_f16(odd(compute_fused(compute_of_f16(a), compute_of_f16(b), compute_of_f16(c))))
#define BF16_ADD(a, b, c) compute_to_bf16(compute_bits_of(float_of_bf16(a) + float_of_bf16(b)))
#define BF16_SUB(a, b, c) compute_to_bf16(compute_bits_of(float_of_bf16(a) - float_of_bf16(b)))
#define BF16_MUL(a, b, c) bf16_of((double)float_of_bf16(a) * (double)float_of_bf16(b))
#define BF16_FMA(a, b, c)                                                                          \
    bf16_of(compute_fused(float_of_bf16(a), float_of_bf16(b), float_of_bf16(c)))

#define HALF(name, operands, expression)                                                           \
    COMPUTE_LOOP(name) {                                                                           \
        const compute_u32 *a = compute_in(w, in, 1);                                               \
        const compute_u32 *b = compute_in(w, in, 2);                                               \
        const compute_u32 *c = compute_in(w, in, operands);                                        \
        uint32_t r[EMU_LANES];                                                                     \
        for (uint32_t l = 0; l < EMU_LANES; l++) {                                                 \
            r[l] = expression(a[l] & 0xffff, b[l] & 0xffff, c[l] & 0xffff);                        \
        }                                                                                          \
        (void)c;                                                                                   \
        compute_put(w, &in->operand[0], mask, r);                                                  \
        return EMU_NEXT;                                                                           \
    }                                                                                              \
    COMPUTE_LOOP(name##_pair) {                                                                    \
        const compute_u32 *a = compute_in(w, in, 1);                                               \
        const compute_u32 *b = compute_in(w, in, 2);                                               \
        const compute_u32 *c = compute_in(w, in, operands);                                        \
        uint32_t r[EMU_LANES];                                                                     \
        for (uint32_t l = 0; l < EMU_LANES; l++) {                                                 \
            r[l] = expression(a[l] & 0xffff, b[l] & 0xffff, c[l] & 0xffff);                        \
        }                                                                                          \
        for (uint32_t l = 0; l < EMU_LANES; l++) {                                                 \
            r[l] |= expression(a[l] >> 16, b[l] >> 16, c[l] >> 16) << 16;                          \
        }                                                                                          \
        (void)c;                                                                                   \
        compute_put(w, &in->operand[0], mask, r);                                                  \
        return EMU_NEXT;                                                                           \
    }
HALF(add_f16, 2, F16_ADD)
HALF(sub_f16, 2, F16_SUB)
HALF(mul_f16, 2, F16_MUL)
HALF(fma_f16, 3, F16_FMA)
HALF(add_bf16, 2, BF16_ADD)
HALF(sub_bf16, 2, BF16_SUB)
HALF(mul_bf16, 2, BF16_MUL)
HALF(fma_bf16, 3, BF16_FMA)

#define FORMS_OF(name, op)                                                                         \
    COMPUTE_FORM(name##_f16, op, F16, PLAIN)                                                       \
    COMPUTE_FORM(name##_f16_pair, op, F16X2, PLAIN)                                                \
    COMPUTE_FORM(name##_bf16, op, BF16, PLAIN)                                                     \
    COMPUTE_FORM(name##_bf16_pair, op, BF16X2, PLAIN)

static const compute_form FORMS[] = {FORMS_OF(add, ADD) FORMS_OF(sub, SUB) FORMS_OF(mul, MUL)
                                         FORMS_OF(fma, FMA)};

emu_run compute_choose_half(const emu_instruction *in) {
    const int is_near = in->rounding == EMU_NO_ROUNDING || in->rounding == EMU_RN;
    return is_near && in->type[1] == EMU_NO_TYPE && !emu_flag(in, EMU_FLAG_OOB)
               ? compute_find(FORMS, sizeof FORMS / sizeof FORMS[0], in)
               : NULL;
}

#else

emu_run compute_choose_half(const emu_instruction *in) {
    (void)in;
    return NULL;
}

#endif
