/* SPDX-License-Identifier: Apache-2.0
 *
 * Fields in words.
 */
#include "tma/detail/chars.h"
#include "tma/view.h"

/* Rows of arrays are named "dim[3]"; strides have one entry less. */
bool tma_field_is_live(const tma_field_row *row, const tma_decoded *decoded) {
    const size_t length = text_length(row->name);
    const size_t bracket = text_until(row->name, length, '[');
    uint64_t index = 0;
    if (!tma_field_applies(row, decoded)) {
        return 0;
    }
    if (bracket == length ||
        tma_number_of(&index, row->name + bracket + 1, length - bracket - 2) != TMA_NUMBER_OK) {
        return 1;
    }
    return index + (uint64_t)text_begins(row->name, "stride") < decoded->spec.rank;
}

bool tma_field_is_shown(const tma_field_row *row, const tma_decoded *decoded, const uint8_t *map) {
    return tma_field_applies(row, decoded) &&
           (tma_field_is_live(row, decoded) || tma_field_read(row, map) != 0);
}

/* The enumerator behind a code, where the row is one. */
static const char *enumerator(const tma_field_row *row, const tma_spec *s, uint64_t bits) {
    const struct {
        const char *name;
        tma_enum_kind kind;
        uint32_t number;
    } rows[] = {
        {"kind", TMA_ENUM_API, bits <= TMA_API_IM2COL ? (uint32_t)bits : UINT32_MAX},
        {"elemtype", TMA_ENUM_DTYPE, s->dtype},
        {"interleave", TMA_ENUM_INTERLEAVE, s->interleave},
        {"swizzle", TMA_ENUM_SWIZZLE, bits <= TMA_SWIZZLE_128B ? (uint32_t)bits : UINT32_MAX},
        {"fill", TMA_ENUM_FILL, s->fill},
        {"l2_promotion", TMA_ENUM_L2, s->l2},
        {"large_tensor", TMA_ENUM_CLASS, bits ? TMA_CLASS_LARGE : TMA_CLASS_SMALL},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (text_same(row->name, rows[i].name)) {
            const tma_enum_row *found = tma_enum_row_of(rows[i].kind, rows[i].number);
            return found ? found->name : "no such";
        }
    }
    if (text_same(row->name, "swizzle_atomicity")) {
        const size_t count = tma_enum_count(TMA_ENUM_ATOMICITY);
        return bits < count ? tma_enum_at(TMA_ENUM_ATOMICITY, (size_t)bits)->name : "no such";
    }
    return NULL;
}

static int64_t sign_extended(uint64_t bits, uint32_t width_bit) {
    const uint64_t sign = UINT64_C(1) << (width_bit - 1);
    return (int64_t)(bits & (sign - 1)) - (int64_t)(bits & sign);
}

void tma_put_field(tma_out *out, const tma_field_row *row, const tma_decoded *decoded,
                   const uint8_t *map) {
    const uint64_t bits = tma_field_read(row, map);
    const char *word = enumerator(row, &decoded->spec, bits);
    if (word) {
        tma_putf(out, "%" TMA_U64 " (%s)", bits, word);
        return;
    }
    switch (row->form) {
    case TMA_FIELD_MINUS_ONE:
        tma_putf(out, "%" TMA_U64, bits + 1);
        break;
    case TMA_FIELD_SIGNED:
        tma_putf(out, "%" TMA_D64, sign_extended(bits, row->width_bit));
        break;
    case TMA_FIELD_SHIFT_4:
        tma_putf(out, "%" TMA_U64 " x 16 B", bits);
        break;
    default:
        if (row->width_bit > 32) {
            tma_putf(out, "0x%" TMA_X64, bits);
        } else {
            tma_putf(out, "%" TMA_U64, bits);
        }
    }
}

void tma_put_field_bits(tma_out *out, const tma_field_row *row) {
    if (row->width_bit == 1) {
        tma_putf(out, "[%u]", row->bit);
    } else {
        tma_putf(out, "[%u:%u]", row->bit + row->width_bit - 1u, row->bit);
    }
}
