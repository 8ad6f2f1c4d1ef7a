/* SPDX-License-Identifier: Apache-2.0
 *
 * A zero-column mask in words.
 */
#include "tma/limits.def"
#include "tma/mma_text.h"

#define LINE_EL 64u /* columns that a line shows */

static void put_fields(tma_out *out, uint64_t bits) {
    for (size_t i = 0; tma_mma_zero_mask_field_at(i).name; i++) {
        const tma_mma_field f = tma_mma_zero_mask_field_at(i);
        tma_putf(out, "%2u-%-2u  %-16s ", (unsigned)(f.bit + f.width_bit - 1u), (unsigned)f.bit,
                 f.name);
        tma_putf(out, "%-4u %s\n", (unsigned)(bits >> f.bit & (((uint64_t)1 << f.width_bit) - 1)),
                 f.meaning);
    }
}

static void put_columns(tma_out *out, const tma_mma_zero_mask *mask, const tma_mma_question *q) {
    tma_putf(out, "m %u, columns 0 to %u of the product (. column of B, 0 zeros):\n",
             (unsigned)q->m_el, (unsigned)(q->n_el - 1));
    for (uint32_t n = 0; n < q->n_el; n++) {
        const int is_zeros = tma_mma_zero_mask_column(mask, q->operand.readings, q->m_el, q->n_el,
                                                      n) == TMA_MMA_ZEROS;
        if (n % LINE_EL == 0) {
            tma_putf(out, "n %-4u ", (unsigned)n);
        }
        tma_put(out, is_zeros ? "0" : ".");
        tma_put(out, n % LINE_EL == LINE_EL - 1 || n + 1 == q->n_el ? "\n" : "");
    }
    tma_putf(out, "the MMA reads columns %u to %u of B\n", (unsigned)mask->shift_el,
             (unsigned)(mask->shift_el + q->n_el - 1));
}

int tma_put_mma_zero_mask(tma_out *out, uint64_t bits, const tma_mma_question *q) {
    tma_mma_zero_mask mask;
    const uint32_t said = tma_mma_zero_mask_judge(bits, q->m_el);
    if (!q->n_el || q->n_el > TMA_VALUE(MMA_SIDE) ||
        tma_mma_zero_mask_decode(&mask, bits) != TMA_OK) {
        return 1;
    }
    tma_putf(out, "0x%016" TMA_X64 ", a zero-column mask of tcgen05.mma.ws\n", bits);
    put_fields(out, bits);
    put_columns(out, &mask, q);
    tma_put_mma_said(out, said);
    return said != 0;
}
