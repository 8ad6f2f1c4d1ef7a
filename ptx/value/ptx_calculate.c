/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions on numbers: arithmetic, shifts, and what is compared.
 */
#include "ptx_calculate.h"

typedef struct operands {
    const ptx_code *c;
    uint64_t a, b, d;
    int64_t x, y; /* a and b as .s64 */
} operands;

/* In so many bits, as .s64. */
static int64_t as_signed(uint64_t number, uint32_t bits) {
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    const uint64_t low = number & ((sign - 1) | sign);
    return (int64_t)((low ^ sign) - sign);
}

static uint64_t shifted_left(const operands *o) {
    const uint32_t by = (uint32_t)o->b;
    return by >= o->c->bits ? 0 : o->a << by;
}

/* A shift by more than there are bits leaves the sign, or 0. */
static uint64_t shifted_right(const operands *o) {
    const uint32_t most = o->c->bits - 1u;
    const uint32_t by = (uint32_t)o->b;
    if (o->c->is_signed) {
        const uint32_t least = by > most ? most : by;
        const uint64_t sign = o->x < 0 && least ? ~(UINT64_MAX >> least) : 0;
        return (uint64_t)o->x >> least | sign;
    }
    return by > most ? 0 : o->a >> by;
}

static int is_less(const operands *o) {
    return o->c->is_signed ? o->x < o->y : o->a < o->b;
}

/* As C++'s / and %, which nvcc compiles to them: to 0, the remainder with the dividend's sign. What
 * has no result is left to those who know what a GPU makes of it. */
static int divided(const operands *o, uint64_t *out) {
    const int is_div = o->c->op == PTX_OP_DIV;
    const int64_t lowest = as_signed(UINT64_C(1) << (o->c->bits - 1), o->c->bits);
    if (!o->b || (o->c->is_signed && o->y == -1 && o->x == lowest)) {
        return 0;
    }
    if (o->c->is_signed) {
        *out = (uint64_t)(is_div ? o->x / o->y : o->x % o->y);
    } else {
        *out = is_div ? o->a / o->b : o->a % o->b;
    }
    return 1;
}

/* The upper half of a product. */
static uint64_t upper(const operands *o) {
    const uint32_t bits = o->c->bits;
    if (bits < 64) {
        return o->c->is_signed ? (uint64_t)(o->x * o->y) >> bits : o->a * o->b >> bits;
    }
    const uint64_t low = UINT32_MAX;
    const uint64_t cross = (o->a >> 32) * (o->b & low) + ((o->a & low) * (o->b & low) >> 32);
    const uint64_t other = (o->a & low) * (o->b >> 32) + (cross & low);
    const uint64_t product = (o->a >> 32) * (o->b >> 32) + (cross >> 32) + (other >> 32);
    return !o->c->is_signed ? product : product - (o->x < 0 ? o->b : 0) - (o->y < 0 ? o->a : 0);
}

/* Of the low 24 bits of two numbers the product, or its bits from the 16th on. */
static uint64_t product_24(const operands *o, int is_high) {
    const int64_t product = o->c->is_signed ? as_signed(o->a, 24) * as_signed(o->b, 24)
                                            : (int64_t)((o->a & 0xFFFFFF) * (o->b & 0xFFFFFF));
    return (uint64_t)product >> (is_high ? 16 : 0);
}

/* cvt.sat: the nearest number that the result's type has. `c` has the two types. */
static uint64_t saturated(const ptx_code *c, uint64_t number) {
    const uint64_t highest = UINT64_MAX >> (64 - c->bits + (c->is_signed != 0));
    const uint64_t mask = UINT64_MAX >> (64 - c->from_bits);
    const int64_t x = as_signed(number, c->from_bits);
    if (!c->from_signed || x >= 0) {
        return (number & mask) > highest ? highest : number & mask;
    }
    const int64_t lowest = c->is_signed ? -(int64_t)highest - 1 : 0;
    return (uint64_t)(x < lowest ? lowest : x);
}

static int of_two(const operands *o, tma_ptx_span opcode, uint64_t *out) {
    switch (o->c->op) {
    case PTX_OP_SHL:
        *out = shifted_left(o);
        return 1;
    case PTX_OP_SHR:
        *out = shifted_right(o);
        return 1;
    case PTX_OP_MIN:
        *out = is_less(o) ? o->a : o->b;
        return 1;
    case PTX_OP_MAX:
        *out = is_less(o) ? o->b : o->a;
        return 1;
    case PTX_OP_DIV:
    case PTX_OP_REM:
        return divided(o, out);
    case PTX_OP_MUL_HI:
        *out = upper(o);
        return 1;
    case PTX_OP_MUL24:
        *out = product_24(o, ptx_opcode_has(opcode, "hi"));
        return 1;
    default:
        return 0;
    }
}

static int of_three(const operands *o, tma_ptx_span opcode, uint64_t *out) {
    switch (o->c->op) {
    case PTX_OP_MAD_HI:
        *out = upper(o) + o->d;
        return 1;
    case PTX_OP_MAD24:
        *out = product_24(o, ptx_opcode_has(opcode, "hi")) + o->d;
        return 1;
    case PTX_OP_SAD:
        *out = (is_less(o) ? o->b - o->a : o->a - o->b) + o->d;
        return 1;
    default:
        return 0;
    }
}

int ptx_calculate(const ptx_code *c, tma_ptx_span opcode, const uint64_t *of, uint32_t count,
                  uint64_t *out) {
    const int saturates = ptx_opcode_has(opcode, "sat");
    const uint64_t mask = UINT64_MAX >> (64 - c->bits);
    if (ptx_opcode_has(opcode, "cc") || ptx_opcode_has(opcode, "relu")) {
        return 0;
    }
    if (c->op == PTX_OP_CONVERT && count == 1 && saturates) {
        *out = saturated(c, of[0]);
        return 1;
    }
    if (saturates || !count || count > PTX_MOST_CALCULATED) {
        return 0;
    }
    operands o = {.c = c, .a = of[0] & mask, .x = as_signed(of[0], c->bits)};
    if (count > 1) { /* what to shift by has 32 bits */
        o.b = of[1] & (c->op == PTX_OP_SHL || c->op == PTX_OP_SHR ? UINT32_MAX : mask);
        o.y = as_signed(of[1], c->bits);
    }
    o.d = count > 2 ? of[2] : 0;
    if (c->op == PTX_OP_ABS && count == 1) {
        *out = o.x < 0 ? 0 - o.a : o.a;
        return 1;
    }
    if ((count == 2 && of_two(&o, opcode, out)) || (count == 3 && of_three(&o, opcode, out))) {
        return 1;
    }
    return ptx_calculate_bits(c, opcode, of, count, out);
}
