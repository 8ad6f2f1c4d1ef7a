/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions on numbers: those that pick bits. The PTX ISA's sections 9.7.1 and 9.7.8 say what
 * they give.
 */
#include "ptx_calculate.h"
#include "tma/detail/assert.h"

typedef struct operands {
    const ptx_code *c;
    tma_ptx_span opcode;
    uint32_t bits;
    uint64_t mask;
    uint64_t of[PTX_MOST_CALCULATED]; /* in the type's bits */
} operands;

static uint64_t low_bits(uint64_t count) {
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* The highest bit that is set, 64: none. */
static uint32_t highest(uint64_t number) {
    uint32_t at = 64;
    for (uint32_t i = 0; i < 64; i++) {
        at = number >> i & 1 ? i : at;
    }
    return at;
}

static uint64_t ones(uint64_t number) {
    uint64_t count = 0;
    for (; number; number &= number - 1) {
        count++;
    }
    return count;
}

static uint64_t reversed(const operands *o) {
    uint64_t out = 0;
    for (uint32_t i = 0; i < o->bits; i++) {
        out |= (o->of[0] >> i & 1) << (o->bits - 1 - i);
    }
    return out;
}

/* bfe: behind the highest bit, .s types have the field's sign and .u types 0. */
static uint64_t field(const operands *o) {
    const uint32_t at = (uint32_t)o->of[1] & 0xFF;
    const uint32_t length = (uint32_t)o->of[2] & 0xFF;
    const uint32_t last = at + length - 1;
    const uint64_t sign =
        o->c->is_signed && length ? o->of[0] >> (last < o->bits ? last : o->bits - 1) & 1 : 0;
    uint64_t out = 0;
    for (uint32_t i = 0; i < o->bits; i++) {
        out |= (i < length && at + i < o->bits ? o->of[0] >> (at + i) & 1 : sign) << i;
    }
    return out;
}

/* bfi: some low bits of a in the place of others of b. */
static uint64_t inserted(const operands *o) {
    const uint32_t at = (uint32_t)o->of[2] & 0xFF;
    const uint64_t field = low_bits(o->of[3] & 0xFF) & (at < 64 ? UINT64_MAX >> at : 0);
    return at < o->bits ? (o->of[1] & ~(field << at)) | (o->of[0] & field) << at : o->of[1];
}

/* bfind: where the highest bit is that is no sign. */
static uint64_t found(const operands *o) {
    const uint64_t a = o->of[0];
    const uint32_t at = highest(o->c->is_signed && a >> (o->bits - 1) ? ~a & o->mask : a);
    if (at == 64) {
        return UINT32_MAX;
    }
    return ptx_opcode_has(o->opcode, "shiftamt") ? o->bits - 1 - at : at;
}

/* lop3: bit 4 * a + 2 * b + c of a table of eight. */
static uint64_t looked_up(const operands *o) {
    uint64_t out = 0;
    for (uint32_t i = 0; i < o->bits; i++) {
        const uint64_t row =
            (o->of[0] >> i & 1) << 2 | (o->of[1] >> i & 1) << 1 | (o->of[2] >> i & 1);
        out |= (o->of[3] >> row & 1) << i;
    }
    return out;
}

/* prmt without a mode: four bytes of eight, or eight times a byte's sign. */
static uint64_t permuted(const operands *o) {
    const uint64_t bytes = o->of[1] << 32 | o->of[0];
    uint64_t out = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t which = (uint32_t)(o->of[2] >> 4 * i) & 0xF;
        const uint64_t byte = bytes >> 8 * (which & 7) & 0xFF;
        out |= (which & 8 ? (byte >> 7) * 0xFF : byte) << 8 * i;
    }
    return out;
}

/* shf: 32 bits out of 64. */
static uint64_t funnelled(const operands *o) {
    const uint64_t both = o->of[1] << 32 | o->of[0];
    const uint64_t by = ptx_opcode_has(o->opcode, "wrap") ? o->of[2] & 31
                        : o->of[2] < 32                   ? o->of[2]
                                                          : 32;
    return ptx_opcode_has(o->opcode, "l") ? both << by >> 32 : both >> by;
}

static int has_mode(const operands *o) {
    static const char *const modes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    int has = 0;
    for (uint32_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        has |= ptx_opcode_has(o->opcode, modes[i]);
    }
    return has;
}

static int of_one(const operands *o, uint64_t *out) {
    switch (o->c->op) {
    case PTX_OP_POPC:
        *out = ones(o->of[0]);
        return 1;
    case PTX_OP_CLZ:
        *out = o->of[0] ? o->bits - 1 - highest(o->of[0]) : o->bits;
        return 1;
    case PTX_OP_BREV:
        *out = reversed(o);
        return 1;
    case PTX_OP_CNOT:
        *out = !o->of[0];
        return 1;
    case PTX_OP_BFIND:
        *out = found(o);
        return 1;
    default:
        return 0;
    }
}

static int of_more(const operands *o, uint32_t count, uint64_t *out) {
    const uint32_t op = o->c->op;
    const int is_32 = o->bits == 32;
    if (op == PTX_OP_BFE && count == 3) {
        *out = field(o);
    } else if (op == PTX_OP_BFI && count == 4) {
        *out = inserted(o);
    } else if (op == PTX_OP_LOP3 && count == 4 && is_32) {
        *out = looked_up(o);
    } else if (op == PTX_OP_PRMT && count == 3 && is_32 && !has_mode(o)) {
        *out = permuted(o);
    } else if (op == PTX_OP_SHF && count == 3 && is_32) {
        *out = funnelled(o);
    } else {
        return 0;
    }
    return 1;
}

int ptx_calculate_bits(const ptx_code *c, tma_ptx_span opcode, const uint64_t *of, uint32_t count,
                       uint64_t *out) {
    operands o = {.c = c, .opcode = opcode, .bits = c->bits, .mask = low_bits(c->bits)};
    TMA_ASSERT(count && count <= PTX_MOST_CALCULATED && c->bits);
    for (uint32_t i = 0; i < count; i++) {
        o.of[i] = of[i] & o.mask;
    }
    if (count == 2) {
        *out = c->op == PTX_OP_AND  ? o.of[0] & o.of[1]
               : c->op == PTX_OP_OR ? o.of[0] | o.of[1]
                                    : o.of[0] ^ o.of[1];
        return c->op == PTX_OP_AND || c->op == PTX_OP_OR || c->op == PTX_OP_XOR;
    }
    return count == 1 ? of_one(&o, out) : of_more(&o, count, out);
}
