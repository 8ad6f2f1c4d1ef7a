/* SPDX-License-Identifier: Apache-2.0
 *
 * Editing the 128 bytes: tensormap.replace field by field, and cuTensorMapReplaceAddress.
 */
#include "map_layout.h"
#include "tma/map.h"

#define ADDRESS_LIMIT (UINT64_C(1) << 57)

static const tma_replace_row rows[TMA_REPLACE_FIELDS] = {
#define ROW(id, name, ordinals, immediate_max, value, evidence)                                    \
    [TMA_REPLACE_##id] = {name, ordinals, immediate_max, value, evidence},
#include "replace_rows.def"
#undef ROW
};

const tma_replace_row *tma_replace_row_of(uint32_t field) {
    return field < TMA_REPLACE_FIELDS ? &rows[field] : NULL;
}

tma_status tma_replace_address(void *map, uint64_t address) {
    if (!map) {
        return TMA_ARGUMENT;
    }
    if (address == 0 || address % 16 || address >= ADDRESS_LIMIT) {
        return TMA_REFUSED;
    }
    tma_store64(map, address);
    return TMA_OK;
}

static void replace_bits(uint8_t *map, uint32_t word, uint32_t mask, uint32_t value) {
    tma_store32(map + (size_t)4 * word, (tma_word(map, word) & ~mask) | (value & mask));
}

static void replace_stride(uint8_t *map, uint32_t ordinal, uint64_t units) {
    tma_store32(map + (size_t)4 * (TMA_AT_WORD_STRIDE_0 + ordinal), (uint32_t)units);
    replace_bits(map, TMA_AT_WORD_HIGH_0, 15u << (4 * ordinal),
                 (uint32_t)(units >> 32 & 15) << (4 * ordinal));
}

/* PTX's numbers to element codes; 11 and 12 are codes 7 and 8 with the TF32 flag. */
static void replace_elemtype(uint8_t *map, uint32_t immediate) {
    static const uint8_t codes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 7, 8, 11, 12, 13};
    replace_bits(map, TMA_AT_WORD_ELEMENT, TMA_MASK(ELEMENT), TMA_PUT(ELEMENT, codes[immediate]));
    if (immediate == 11 || immediate == 12) {
        replace_bits(map, TMA_AT_WORD_TF32, TMA_MASK(TF32), TMA_MASK(TF32));
    }
}

static void replace_swizzle_mode(uint8_t *map, uint32_t immediate) {
    const uint32_t is_96B = immediate == 4;
    replace_bits(map, TMA_AT_WORD_SWIZZLE, TMA_MASK(SWIZZLE) | TMA_MASK(SWIZZLE_96B),
                 TMA_PUT(SWIZZLE, is_96B ? 0 : immediate) | TMA_PUT(SWIZZLE_96B, is_96B));
}

tma_status tma_replace(void *map, tma_replace_field field, uint32_t ordinal, uint64_t value,
                       uint32_t flags) {
    const tma_replace_row *row = tma_replace_row_of((uint32_t)field);
    if (!map || !row || (row->ordinals && ordinal >= (uint32_t)row->ordinals) ||
        (row->immediate_max >= 0 && value > (uint64_t)row->immediate_max)) {
        return TMA_ARGUMENT;
    }
    uint8_t *m = (uint8_t *)map;
    const uint32_t v = (uint32_t)value;
    switch (field) {
    case TMA_REPLACE_GLOBAL_ADDRESS:
        tma_store64(m, value);
        break;
    case TMA_REPLACE_RANK:
        replace_bits(m, TMA_AT_WORD_RANK, TMA_MASK(RANK), v << TMA_AT_BIT_RANK);
        break;
    case TMA_REPLACE_BOX_DIM:
        m[4 * TMA_AT_WORD_BOX_0 + 3 + ordinal] = (uint8_t)(v - 1); /* bytes 0x37 to 0x3B */
        break;
    case TMA_REPLACE_GLOBAL_DIM:
        tma_store32(m + (size_t)4 * (TMA_AT_WORD_DIM_0 + ordinal), v - 1);
        break;
    case TMA_REPLACE_GLOBAL_STRIDE:
        replace_stride(m, ordinal, flags & TMA_REPLACE_STRIDE_PRE_12_5 ? value : value >> 4);
        break;
    case TMA_REPLACE_ELEMENT_STRIDE:
        replace_bits(m, TMA_AT_WORD_ES_0, 7u << (3 * ordinal), (v - 1) << (3 * ordinal));
        break;
    case TMA_REPLACE_ELEMTYPE:
        replace_elemtype(m, v);
        break;
    case TMA_REPLACE_INTERLEAVE:
        replace_bits(m, TMA_AT_WORD_INTERLEAVE, TMA_MASK(INTERLEAVE), v << TMA_AT_BIT_INTERLEAVE);
        break;
    case TMA_REPLACE_SWIZZLE_MODE:
        replace_swizzle_mode(m, v);
        break;
    case TMA_REPLACE_FILL_MODE:
        replace_bits(m, TMA_AT_WORD_FILL, TMA_MASK(FILL), v << TMA_AT_BIT_FILL);
        break;
    case TMA_REPLACE_SWIZZLE_ATOMICITY: /* the compiler's code clears bit 21 with it */
        replace_bits(m, TMA_AT_WORD_ATOMICITY, TMA_MASK(ATOMICITY) | TMA_MASK(BIT21),
                     v << TMA_AT_BIT_ATOMICITY);
        break;
    case TMA_REPLACE_FIELDS:
        return TMA_ARGUMENT;
    }
    return TMA_OK;
}
