/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions on numbers.
 */
#include "ptx_calculate.h"

typedef struct operands {
    const ptx_code *c;
    uint64_t a, b;
    int64_t x, y; /* as .s64 */
} operands;

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

static uint64_t smaller(const operands *o) {
    return (o->c->is_signed ? o->x < o->y : o->a < o->b) ? o->a : o->b;
}

static uint64_t greater(const operands *o) {
    return (o->c->is_signed ? o->x > o->y : o->a > o->b) ? o->a : o->b;
}

/* Signs and 0 are left to those who know what a GPU makes of them. */
static int divided(const operands *o, uint64_t *out) {
    if (!o->b || (o->c->is_signed && (o->x < 0 || o->y < 0))) {
        return 0;
    }
    *out = o->c->op == PTX_OP_DIV ? o->a / o->b : o->a % o->b;
    return 1;
}

int ptx_calculate(const ptx_code *c, uint64_t a, uint64_t b, uint64_t *out) {
    const uint64_t sign = UINT64_C(1) << (c->bits - 1);
    const uint64_t mask = (sign - 1) | sign;
    const operands o = {c, a, b, (int64_t)(a & sign ? a | ~mask : a),
                        (int64_t)(b & sign ? b | ~mask : b)};
    switch (c->op) {
    case PTX_OP_MUL:
        *out = a * b;
        return 1;
    case PTX_OP_AND:
        *out = a & b;
        return 1;
    case PTX_OP_OR:
        *out = a | b;
        return 1;
    case PTX_OP_XOR:
        *out = a ^ b;
        return 1;
    case PTX_OP_SHL:
        *out = shifted_left(&o);
        return 1;
    case PTX_OP_SHR:
        *out = shifted_right(&o);
        return 1;
    case PTX_OP_MIN:
        *out = smaller(&o);
        return 1;
    case PTX_OP_MAX:
        *out = greater(&o);
        return 1;
    case PTX_OP_DIV:
    case PTX_OP_REM:
        return divided(&o, out);
    default:
        return 0;
    }
}
