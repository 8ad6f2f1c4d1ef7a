/* SPDX-License-Identifier: Apache-2.0
 *
 * Integer arithmetic: a row each in compute_integer.def, and the chains through CC.CF.
 */
#include "compute_bits.h"
#include "compute_rows.h"

#define ROW(operands, name, op, type, words, kind, out, expression)                                \
    COMPUTE_##operands(name, kind, out, expression)
#include "compute_integer.def"

/* x + y + CC.CF, or x - y - CC.CF; .cc leaves the carry or borrow. */
#define CHAIN(name, bits, put, takes, minus, last, X, Y)                                           \
    COMPUTE_LOOP(name) {                                                                           \
        const compute_u##bits *a_of = compute_in(w, in, 1);                                        \
        const compute_u##bits *b_of = compute_in(w, in, 2);                                        \
        const compute_u##bits *c_of = compute_in(w, in, last);                                     \
        const uint32_t before = (takes) ? w->carry : 0;                                            \
        uint32_t after = 0;                                                                        \
        compute_u##bits r[EMU_LANES];                                                              \
        for (uint32_t l = 0; l < EMU_LANES; l++) {                                                 \
            const uint##bits##_t a = a_of[l];                                                      \
            const uint##bits##_t b = b_of[l];                                                      \
            const uint##bits##_t c = c_of[l];                                                      \
            const uint##bits##_t x = (X);                                                          \
            const uint##bits##_t y = (Y);                                                          \
            const uint32_t carry = before >> l & 1;                                                \
            (void)a, (void)b, (void)c;                                                             \
            r[l] = (minus) ? x - y - carry : x + y + carry;                                        \
            after |= (uint32_t)((minus) ? x < y || (carry && x == y)                               \
                                        : r[l] < x || (carry && r[l] == x))                        \
                     << l;                                                                         \
        }                                                                                          \
        put(w, &in->operand[0], mask, r);                                                          \
        if (emu_flag(in, EMU_FLAG_CC)) {                                                           \
            w->carry = (w->carry & ~mask) | (after & mask);                                        \
        }                                                                                          \
        return EMU_NEXT;                                                                           \
    }

CHAIN(add_cc_32, 32, compute_put, 0, 0, 2, a, b)
CHAIN(add_cc_64, 64, compute_put_wide, 0, 0, 2, a, b)
CHAIN(addc_32, 32, compute_put, 1, 0, 2, a, b)
CHAIN(addc_64, 64, compute_put_wide, 1, 0, 2, a, b)
CHAIN(sub_cc_32, 32, compute_put, 0, 1, 2, a, b)
CHAIN(sub_cc_64, 64, compute_put_wide, 0, 1, 2, a, b)
CHAIN(subc_32, 32, compute_put, 1, 1, 2, a, b)
CHAIN(subc_64, 64, compute_put_wide, 1, 1, 2, a, b)
CHAIN(mad_lo_cc_32, 32, compute_put, 0, 0, 3, a *b, c)
CHAIN(mad_lo_cc_64, 64, compute_put_wide, 0, 0, 3, a *b, c)
CHAIN(madc_lo_32, 32, compute_put, 1, 0, 3, a *b, c)
CHAIN(madc_lo_64, 64, compute_put_wide, 1, 0, 3, a *b, c)
CHAIN(mad_hi_cc_u32, 32, compute_put, 0, 0, 3, (uint32_t)((uint64_t)a *b >> 32), c)
CHAIN(mad_hi_cc_s32, 32, compute_put, 0, 0, 3, high_s32(a, b), c)
CHAIN(mad_hi_cc_u64, 64, compute_put_wide, 0, 0, 3, high_u64(a, b), c)
CHAIN(mad_hi_cc_s64, 64, compute_put_wide, 0, 0, 3, high_s64(a, b), c)
CHAIN(madc_hi_u32, 32, compute_put, 1, 0, 3, (uint32_t)((uint64_t)a *b >> 32), c)
CHAIN(madc_hi_s32, 32, compute_put, 1, 0, 3, high_s32(a, b), c)
CHAIN(madc_hi_u64, 64, compute_put_wide, 1, 0, 3, high_u64(a, b), c)
CHAIN(madc_hi_s64, 64, compute_put_wide, 1, 0, 3, high_s64(a, b), c)

#define BOTH(name, op, type, words)                                                                \
    COMPUTE_FORM(name, op, type, words) COMPUTE_FORM(name, op, type, words##_CC)

static const compute_form FORMS[] = {
#define ROW(operands, name, op, type, words, kind, out, expression)                                \
    COMPUTE_FORM(name, op, type, words)
#include "compute_integer.def"
    COMPUTE_FORM(add_cc_32, ADD, INT32, CC) COMPUTE_FORM(add_cc_64, ADD, INT64, CC) COMPUTE_FORM(
        addc_32, ADDC, INT32, PLAIN) COMPUTE_FORM(addc_32, ADDC, INT32, CC)
        COMPUTE_FORM(addc_64, ADDC, INT64, PLAIN) COMPUTE_FORM(addc_64, ADDC, INT64, CC)
            COMPUTE_FORM(sub_cc_32, SUB, INT32, CC) COMPUTE_FORM(sub_cc_64, SUB, INT64, CC)
                COMPUTE_FORM(subc_32, SUBC, INT32, PLAIN) COMPUTE_FORM(subc_32, SUBC, INT32, CC)
                    COMPUTE_FORM(subc_64, SUBC, INT64, PLAIN) COMPUTE_FORM(subc_64, SUBC, INT64, CC)
                        COMPUTE_FORM(mad_lo_cc_32, MAD, INT32,
                                     LO_CC) COMPUTE_FORM(mad_lo_cc_64, MAD, INT64, LO_CC)
                            COMPUTE_FORM(mad_hi_cc_u32, MAD, U32, HI_CC)
                                COMPUTE_FORM(mad_hi_cc_s32, MAD, S32, HI_CC)
                                    COMPUTE_FORM(mad_hi_cc_u64, MAD, U64, HI_CC)
                                        COMPUTE_FORM(mad_hi_cc_s64, MAD, S64, HI_CC)
                                            BOTH(madc_lo_32, MADC, INT32, LO)
                                                BOTH(madc_lo_64, MADC, INT64, LO)
                                                    BOTH(madc_hi_u32, MADC, U32, HI)
                                                        BOTH(madc_hi_s32, MADC, S32, HI)
                                                            BOTH(madc_hi_u64, MADC, U64, HI)
                                                                BOTH(madc_hi_s64, MADC, S64, HI)};

emu_run compute_choose_integer(const emu_instruction *in) {
    return compute_find(FORMS, sizeof FORMS / sizeof FORMS[0], in);
}
