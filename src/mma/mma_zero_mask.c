/* SPDX-License-Identifier: Apache-2.0
 *
 * tcgen05.mma.ws's zero-column mask: its 64 bits, and which columns of B it leaves.
 */
#include "mma_internal.h"

enum {
#define TMA_ZERO_MASK_FIELD(id, name, bit, width, less, meaning)                                   \
    BIT_##id = (bit), WIDTH_##id = (width), LESS_##id = (less),
#include "tma/mma_fields.def"
};

static const tma_mma_field fields[] = {
#define TMA_ZERO_MASK_FIELD(id, name, bit, width, less, meaning)                                   \
    {name, meaning, "PTX 9.7.16.4.3, table 45", bit, width, 0, 0},
#include "tma/mma_fields.def"
};

#define FIELDS      (sizeof(fields) / sizeof(fields[0]))
#define PARTS       4u   /* of the mask with m 32 */
#define PART_ROWS   128u /* m of a mask in one part */
#define OUT(id)     ((uint32_t)(bits >> BIT_##id) & ((1u << WIDTH_##id) - 1))
#define IN(id, n)   ((uint64_t)(n) << BIT_##id)
#define FITS(id, n) (!((n) >> WIDTH_##id))

tma_mma_field tma_mma_zero_mask_field_at(size_t index) {
    static const tma_mma_field none;
    return index < FIELDS ? fields[index] : none;
}

uint64_t tma_mma_zero_mask_unowned(void) {
    uint64_t owned = 0;
    for (size_t i = 0; i < FIELDS; i++) {
        owned |= (((uint64_t)1 << fields[i].width_bit) - 1) << fields[i].bit;
    }
    return ~owned;
}

uint32_t tma_mma_zero_mask_judge(uint64_t bits, uint32_t m_el) {
    const uint32_t most_el =
        m_el == PART_ROWS / PARTS ? TMA_VALUE(ZERO_SHIFT_32) : TMA_VALUE(ZERO_SHIFT);
    return (OUT(SHIFT) > most_el ? 1u << TMA_MMA_RULE_ZERO_SHIFT : 0) |
           (bits & tma_mma_zero_mask_unowned() ? 1u << TMA_MMA_RULE_ZERO_UNOWNED : 0);
}

tma_status tma_mma_zero_mask_decode(tma_mma_zero_mask *out, uint64_t bits) {
    if (!out) {
        return TMA_INVALID;
    }
    *out = (tma_mma_zero_mask){
        .start_el = {OUT(START_0), OUT(START_1), OUT(START_2), OUT(START_3)},
        .first_is_zeros = {OUT(FIRST_0), OUT(FIRST_1), OUT(FIRST_2), OUT(FIRST_3)},
        .has_zeros = OUT(NON_ZERO),
        .skip_span_el = OUT(SKIP) + LESS_SKIP,
        .use_span_el = OUT(USE) + LESS_USE,
        .shift_el = OUT(SHIFT)};
    return TMA_OK;
}

tma_status tma_mma_zero_mask_encode(uint64_t *out, const tma_mma_zero_mask *mask) {
    if (!out || !mask || mask->has_zeros > 1 || !mask->skip_span_el || !mask->use_span_el ||
        !FITS(SKIP, mask->skip_span_el - LESS_SKIP) || !FITS(USE, mask->use_span_el - LESS_USE) ||
        mask->shift_el > TMA_VALUE(ZERO_SHIFT)) {
        return TMA_INVALID;
    }
    for (uint32_t i = 0; i < PARTS; i++) {
        if (!FITS(START_0, mask->start_el[i]) || mask->first_is_zeros[i] > 1) {
            return TMA_INVALID;
        }
    }
    *out = IN(START_0, mask->start_el[0]) | IN(START_1, mask->start_el[1]) |
           IN(START_2, mask->start_el[2]) | IN(START_3, mask->start_el[3]) |
           IN(FIRST_0, mask->first_is_zeros[0]) | IN(FIRST_1, mask->first_is_zeros[1]) |
           IN(FIRST_2, mask->first_is_zeros[2]) | IN(FIRST_3, mask->first_is_zeros[3]) |
           IN(NON_ZERO, mask->has_zeros) | IN(SKIP, mask->skip_span_el - LESS_SKIP) |
           IN(USE, mask->use_span_el - LESS_USE) | IN(SHIFT, mask->shift_el);
    return TMA_OK;
}

/* Whether the mask has a 1 for a column of one of its parts. */
static int is_zeros(const tma_mma_zero_mask *mask, uint32_t readings, uint32_t part,
                    uint32_t column) {
    const int is_turned = tma_mma_reads(readings, TMA_MMA_READING_ZERO_SPANS) != 0;
    const uint32_t zeros_el = is_turned ? mask->use_span_el : mask->skip_span_el;
    const uint32_t used_el = is_turned ? mask->skip_span_el : mask->use_span_el;
    const uint32_t first_el = mask->first_is_zeros[part] ? zeros_el : used_el;
    uint32_t start = mask->start_el[part];
    if (start >= first_el && tma_mma_reads(readings, TMA_MMA_READING_ZERO_START)) {
        start = first_el - 1;
    }
    const uint32_t at = (column + start) % (zeros_el + used_el);
    return mask->first_is_zeros[part] ? at < zeros_el : at >= used_el;
}

uint32_t tma_mma_zero_mask_column(const tma_mma_zero_mask *mask, uint32_t readings, uint32_t m_el,
                                  uint32_t n_el, uint32_t column) {
    if (!mask || (m_el != PART_ROWS && m_el != PART_ROWS / 2 && m_el != PART_ROWS / PARTS) ||
        column >= n_el || n_el > TMA_VALUE(MMA_SIDE) || n_el % (PART_ROWS / m_el) ||
        !mask->skip_span_el || !mask->use_span_el) {
        return TMA_MMA_ZEROS;
    }
    const uint32_t part_el = n_el / (PART_ROWS / m_el);
    return mask->has_zeros && is_zeros(mask, readings, column / part_el, column % part_el)
               ? TMA_MMA_ZEROS
               : column + mask->shift_el;
}
