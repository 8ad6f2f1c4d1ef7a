/* SPDX-License-Identifier: Apache-2.0
 *
 * Sparse A of tcgen05.mma.sp: metadata in tensor memory. What its four bits say is PTX ISA
 * 9.7.16.10.8; which cell has whose, figures 262 to 267, compared with CUTLASS' tmem_e_frg and
 * tmem_e_frg_ws (mma_traits_sm100_frag.hpp). No Blackwell was measured.
 */
#include "matrix_fragment.h"
#include "tensor_mma.h"

#define GROUP_BIT 4  /* of metadata: which elements of a chunk of A's row are stored */
#define HALF_BIT  16 /* of a word: one row's */
#define ROWS      16 /* whose metadata lies in as many lanes, where a word has two rows' */

static uint32_t bits_of(const tensor_form *f) {
    return emu_type_of(tensor_element(f->a))->bits;
}

/* Chunks of A's row: of 2, 4 or 8 elements of K. */
static uint32_t groups_of(const tensor_form *f) {
    return f->k / (bits_of(f) == 32 ? 2 : bits_of(f) == 4 ? 8 : 4);
}

uint32_t tensor_metadata_columns(const tensor_form *f) {
    return bits_of(f) >= 16 ? 1 : groups_of(f) * GROUP_BIT / 32;
}

/* The row whose lane has a group's four bits, their column and bit. Types of 16 and 32 bits: of 16
 * rows r and r + 8 share a word; lane r has the first half of K, lane r + 8 the second. Smaller
 * ones: each row has its own lane. */
static uint32_t teller_of(const tensor_form *f, uint32_t row, uint32_t group, uint32_t *column,
                          uint32_t *bit) {
    if (bits_of(f) >= 16) {
        const uint32_t half = groups_of(f) / 2;
        *column = f->selector;
        *bit = row % ROWS / 8 * HALF_BIT + group % half * GROUP_BIT;
        return row / ROWS * ROWS + group / half * 8 + row % 8;
    }
    *column = group * GROUP_BIT / 32;
    *bit = group * GROUP_BIT % 32;
    return row;
}

static int says_nothing(const tensor_mma *t, const emu_cta *cta, uint32_t lane, uint32_t column) {
    const int is_written = tensor_is_written(cta->tensor, lane, column);
    tensor_wrong(t->async.warp, t->async.in, t->async.lane, TMA_EMULATE_RULE_TRAP, "MMA",
                 TENSOR_ADDRESS(lane, column),
                 is_written ? "metadata of a sparse A that names no elements that it may: undefined"
                            : "metadata of a sparse A that nobody wrote",
                 "tcgen05.cp or .st of the metadata, ordered before the MMA");
    return -1;
}

int tensor_indices(const tensor_mma *t, uint32_t i, uint32_t part, uint8_t (*index)[MATRIX_K]) {
    const tensor_form *f = &t->form;
    const tensor_memory *memory = t->cta[i]->tensor;
    const uint32_t groups = groups_of(f), type = tensor_element(f->a);
    for (uint32_t at = 0; at < f->rows * groups; at++) {
        const uint32_t row = at / groups, group = at % groups;
        uint32_t column, bit;
        const uint32_t teller = teller_of(f, row, group, &column, &bit);
        const uint32_t lane = (t->metadata >> 16) + tensor_lane(f->layout, teller, part);
        column += t->metadata & 0xffff;
        const uint32_t nibble = memory->cell[lane][column] >> bit & 15;
        if (!matrix_is_meaningful(type, nibble, 0)) {
            return says_nothing(t, t->cta[i], lane, column);
        }
        matrix_choose(type, nibble, group, index[row]);
    }
    return 0;
}
