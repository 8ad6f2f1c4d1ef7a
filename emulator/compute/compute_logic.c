/* SPDX-License-Identifier: Apache-2.0
 *
 * Bits: a row each in compute_logic.def; bfi and lop3, which have more operands.
 */
#include "compute_bits.h"
#include "compute_rows.h"

#define COMPUTE_FIELD(name, kind, out, expression)                                                 \
    COMPUTE_LOOP(name) {                                                                           \
        uint32_t own[2][EMU_LANES];                                                                \
        const COMPUTE_AS_##kind *a_of = compute_in(w, in, 1);                                      \
        const compute_u32 *n_of = compute_amounts(w, &in->operand[2], own[0]);                     \
        const compute_u32 *m_of = compute_amounts(w, &in->operand[3], own[1]);                     \
        COMPUTE_AS_##out r[EMU_LANES];                                                             \
        for (uint32_t l = 0; l < EMU_LANES; l++) {                                                 \
            const COMPUTE_IS_##kind a = a_of[l];                                                   \
            const uint32_t n = n_of[l];                                                            \
            const uint32_t m = m_of[l];                                                            \
            r[l] = COMPUTE_CUT_##out(expression);                                                  \
        }                                                                                          \
        COMPUTE_PUT_##out(w, &in->operand[0], mask, r);                                            \
        return EMU_NEXT;                                                                           \
    }

#define ROW(operands, name, op, type, words, kind, out, expression)                                \
    COMPUTE_##operands(name, kind, out, expression)
#include "compute_logic.def"

#define INSERT(name, bits, put)                                                                    \
    COMPUTE_LOOP(name) {                                                                           \
        uint32_t own[2][EMU_LANES];                                                                \
        const compute_u##bits *a = compute_in(w, in, 1);                                           \
        const compute_u##bits *b = compute_in(w, in, 2);                                           \
        const compute_u32 *at = compute_amounts(w, &in->operand[3], own[0]);                       \
        const compute_u32 *length = compute_amounts(w, &in->operand[4], own[1]);                   \
        compute_u##bits r[EMU_LANES];                                                              \
        for (uint32_t l = 0; l < EMU_LANES; l++) {                                                 \
            r[l] = (uint##bits##_t)inserted(a[l], b[l], at[l], length[l], (bits)-1);               \
        }                                                                                          \
        put(w, &in->operand[0], mask, r);                                                          \
        return EMU_NEXT;                                                                           \
    }
INSERT(bfi_32, 32, compute_put)
INSERT(bfi_64, 64, compute_put_wide)

/* The table's bit 4 a + 2 b + c, by choosing among its bits; bit[n] is all of a lane's bits. */
static uint32_t looked_up(uint32_t a, uint32_t b, uint32_t c, const uint32_t bit[8]) {
    const uint32_t x0 = bit[0] ^ (c & (bit[0] ^ bit[1]));
    const uint32_t x1 = bit[2] ^ (c & (bit[2] ^ bit[3]));
    const uint32_t x2 = bit[4] ^ (c & (bit[4] ^ bit[5]));
    const uint32_t x3 = bit[6] ^ (c & (bit[6] ^ bit[7]));
    const uint32_t y0 = x0 ^ (b & (x0 ^ x1));
    const uint32_t y1 = x2 ^ (b & (x2 ^ x3));
    return y0 ^ (a & (y0 ^ y1));
}

COMPUTE_LOOP(lop3) {
    const compute_u32 *a = compute_in(w, in, 1);
    const compute_u32 *b = compute_in(w, in, 2);
    const compute_u32 *c = compute_in(w, in, 3);
    const uint32_t table = *(const compute_u32 *)compute_in(w, in, 4);
    uint32_t bit[8];
    uint32_t r[EMU_LANES];
    uint32_t some = 0;
    for (uint32_t k = 0; k < 8; k++) {
        bit[k] = 0u - (table >> k & 1);
    }
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        r[l] = looked_up(a[l], b[l], c[l], bit);
    }
    if (in->also.kind == EMU_REGISTER) { /* d|p, q */
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            some |= (uint32_t)(r[l] != 0) << l;
        }
        const uint32_t q = emu_predicate(w, &in->operand[5]);
        emu_set_predicate(w, &in->also, mask, in->boolean == EMU_BOOLEAN_AND ? some & q : some | q);
    }
    compute_put(w, &in->operand[0], mask, r);
    return EMU_NEXT;
}

/* Of predicates all lanes are one word. */
COMPUTE_LOOP(predicates) {
    const uint32_t a = emu_predicate(w, &in->operand[1]);
    const uint32_t b = in->operands > 2 ? emu_predicate(w, &in->operand[2]) : 0;
    const uint32_t r = in->op == EMU_OP_AND   ? a & b
                       : in->op == EMU_OP_OR  ? a | b
                       : in->op == EMU_OP_XOR ? a ^ b
                                              : ~a;
    emu_set_predicate(w, &in->operand[0], mask, r);
    return EMU_NEXT;
}

static const compute_form FORMS[] = {
#define ROW(operands, name, op, type, words, kind, out, expression)                                \
    COMPUTE_FORM(name, op, type, words)
#include "compute_logic.def"
    COMPUTE_FORM(bfi_32, BFI, B32, PLAIN) COMPUTE_FORM(bfi_64, BFI, B64, PLAIN)
        COMPUTE_FORM(lop3, LOP3, B32, PLAIN) COMPUTE_FORM(predicates, AND, PRED, PLAIN)
            COMPUTE_FORM(predicates, OR, PRED, PLAIN) COMPUTE_FORM(predicates, XOR, PRED, PLAIN)
                COMPUTE_FORM(predicates, NOT, PRED, PLAIN)};

emu_run compute_choose_logic(const emu_instruction *in) {
    return compute_find(FORMS, sizeof FORMS / sizeof FORMS[0], in);
}
