/* SPDX-License-Identifier: Apache-2.0
 *
 * One floating-point result of any format, rounding and limit, in integers.
 */
#include "compute_float.h"

compute_rules compute_rules_of(const emu_instruction *in) {
    const compute_format *format = compute_format_of(in->type[0]);
    const int is_mixed = in->type[1] == EMU_F16 || in->type[1] == EMU_BF16;
    return (compute_rules){
        .format = format,
        .operands = is_mixed ? compute_format_of(in->type[1]) : format,
        .op = (uint8_t)(in->op == EMU_OP_MAD ? EMU_OP_FMA : in->op),
        .rounding = in->rounding == EMU_NO_ROUNDING ? EMU_RN : in->rounding,
        .ftz = (uint8_t)emu_flag(in, EMU_FLAG_FTZ),
        .sat = (uint8_t)emu_flag(in, EMU_FLAG_SAT),
        .relu = (uint8_t)emu_flag(in, EMU_FLAG_RELU),
        .oob = (uint8_t)emu_flag(in, EMU_FLAG_OOB),
    };
}

uint64_t compute_limited(const compute_rules *r, uint64_t bits) {
    const uint64_t sign = compute_sign_bit(r->format);
    const int is_nan = (bits & (sign - 1)) > compute_infinity_of(r->format);
    if (r->sat) {
        const uint64_t one = compute_one_of(r->format);
        return is_nan || bits & sign ? 0 : bits < one ? bits : one;
    }
    return r->relu && !is_nan && bits & sign ? 0 : bits;
}

/* f64 alone keeps a NaN's bits, made quiet: the first of b, c and a in the order of the unit's
 * fma(a, b, c), which a sum goes through as fma(a, 1, b). 0: there is none. */
static uint64_t kept_nan(const compute_rules *r, uint64_t a, uint64_t b, uint64_t c) {
    if (r->format->fraction_bits != 52) {
        return 0;
    }
    const int divides = r->op == EMU_OP_DIV;
    const uint64_t order[3] = {divides ? a : b, c, divides ? b : a};
    for (uint32_t k = 0; k < 3; k++) {
        if (compute_is_nan_f64(order[k])) {
            return order[k] | COMPUTE_QUIET;
        }
    }
    return 0;
}

static uint64_t rounded(const compute_rules *r, const compute_number *x) {
    if (x->kind == COMPUTE_NOT_A_NUMBER && r->format->fraction_bits == 52) {
        return COMPUTE_NAN_F64;
    }
    return compute_limited(r, compute_round(r->format, x, r->rounding, r->ftz, 0));
}

static compute_number operand(const compute_rules *r, const compute_format *f, uint64_t bits) {
    return compute_read(f, r->ftz && f == r->format ? compute_flushed(f, bits) : bits);
}

/* What a copy's NaN fill writes: nothing is added for it. */
static int is_fill(uint64_t bits) {
    return (bits & 0x7fff) == 0x7ff7;
}

static uint64_t sum_or_product(const compute_rules *r, uint64_t a, uint64_t b, uint64_t c) {
    const int product = r->op == EMU_OP_MUL || r->op == EMU_OP_FMA;
    if (r->oob && (is_fill(a) || is_fill(b))) {
        return 0;
    }
    const uint64_t nan = kept_nan(r, a, b, product ? c : 0);
    if (nan) {
        return nan;
    }
    const compute_number x = operand(r, r->operands, a);
    compute_number y = operand(r, product ? r->operands : r->format, b);
    compute_number z;
    if (product) {
        z = compute_product(&x, &y);
        if (r->op == EMU_OP_FMA) {
            const compute_number addend = operand(r, r->format, c);
            z = compute_sum(&z, &addend, r->rounding);
        }
    } else {
        y.negative ^= r->op == EMU_OP_SUB;
        z = compute_sum(&x, &y, r->rounding);
    }
    return rounded(r, &z);
}

static uint64_t divided(const compute_rules *r, uint64_t a, uint64_t b) {
    const uint64_t nan = kept_nan(r, a, b, 0);
    if (nan) {
        return nan;
    }
    const compute_number x = operand(r, r->format, a);
    const compute_number y = operand(r, r->format, b);
    const compute_number z = compute_quotient(&x, &y);
    return rounded(r, &z);
}

static uint64_t rooted(const compute_rules *r, uint64_t a) {
    const uint64_t nan = kept_nan(r, a, 0, 0);
    if (nan) {
        return nan;
    }
    const compute_number x = operand(r, r->format, a);
    const compute_number z = compute_root(&x);
    return rounded(r, &z);
}

uint64_t compute_arithmetic(const compute_rules *r, uint64_t a, uint64_t b, uint64_t c) {
    switch (r->op) {
    case EMU_OP_DIV:
        return divided(r, a, b);
    case EMU_OP_RCP:
        return divided(r, compute_one_of(r->format), a);
    case EMU_OP_SQRT:
        return rooted(r, a);
    default:
        return sum_or_product(r, a, b, c);
    }
}
