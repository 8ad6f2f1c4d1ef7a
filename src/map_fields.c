/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of fields as data, for rulers, diffs and documents.
 */
#include "map_layout.h"
#include "tma/map.h"

static const tma_field_row fields[] = {
#define FIELD(id, name, scope, form, word, bit, width, meaning, evidence)                          \
    {name, TMA_FIELD_##scope, TMA_FIELD_##form, word, bit, width, meaning, evidence},
#include "map_fields.def"
#undef FIELD
};

const tma_field_row *tma_field_rows(size_t *count) {
    if (count) {
        *count = sizeof(fields) / sizeof(fields[0]);
    }
    return fields;
}

int tma_field_applies(const tma_field_row *row, const tma_decoded *decoded) {
    if (!row || !decoded) {
        return 0;
    }
    const int im2col = decoded->kind == TMA_KIND_IM2COL;
    const uint32_t rank = decoded->spec.rank;
    switch (row->scope) {
    case TMA_FIELD_TILED:
        return !im2col;
    case TMA_FIELD_IM2COL:
        return im2col;
    case TMA_FIELD_IM2COL_3D:
        return im2col && rank <= 3;
    case TMA_FIELD_IM2COL_4D:
        return im2col && rank == 4;
    case TMA_FIELD_IM2COL_5D:
        return im2col && rank >= 5;
    default:
        return 1;
    }
}

uint64_t tma_field_read(const tma_field_row *row, const void *map) {
    if (!row || !map) {
        return 0;
    }
    if (row->width_bit > 32) {
        return tma_load64((const uint8_t *)map + (size_t)4 * row->word);
    }
    const uint64_t mask = (UINT64_C(1) << row->width_bit) - 1;
    return tma_word(map, row->word) >> row->bit & mask;
}
