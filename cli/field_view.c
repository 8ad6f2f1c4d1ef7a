/* SPDX-License-Identifier: Apache-2.0
 *
 * Fields in words.
 */
#include "field_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tma/spec.h"

static int begins(const char *name, const char *with) {
    return !strncmp(name, with, strlen(with));
}

/* Rows of arrays are named "dim[3]"; strides have one entry less. */
int field_is_live(const tma_field_row *row, const tma_decoded *decoded) {
    const char *bracket = strchr(row->name, '[');
    if (!tma_field_applies(row, decoded)) {
        return 0;
    }
    if (!bracket || bracket[1] < '0' || bracket[1] > '9') {
        return 1;
    }
    const uint32_t index = (uint32_t)strtoul(bracket + 1, NULL, 10);
    return index + begins(row->name, "stride") < decoded->spec.rank;
}

int field_is_shown(const tma_field_row *row, const tma_decoded *decoded, const void *map) {
    return tma_field_applies(row, decoded) &&
           (field_is_live(row, decoded) || tma_field_read(row, map) != 0);
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
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (!strcmp(row->name, rows[i].name)) {
            const tma_enum_row *found = tma_enum_row_of(rows[i].kind, rows[i].number);
            return found ? found->name : "no such";
        }
    }
    if (!strcmp(row->name, "swizzle_atomicity")) {
        size_t count = 0;
        const tma_enum_row *atomicities = tma_enum_rows(TMA_ENUM_ATOMICITY, &count);
        return bits < count ? atomicities[bits].name : "no such";
    }
    return NULL;
}

static int64_t sign_extended(uint64_t bits, uint32_t width_bit) {
    const uint64_t sign = UINT64_C(1) << (width_bit - 1);
    return (int64_t)(bits & (sign - 1)) - (int64_t)(bits & sign);
}

void field_value(const tma_field_row *row, const tma_decoded *decoded, const void *map, char *text,
                 size_t size) {
    const uint64_t bits = tma_field_read(row, map);
    const char *word = enumerator(row, &decoded->spec, bits);
    if (word) {
        snprintf(text, size, "%" PRIu64 " (%s)", bits, word);
        return;
    }
    switch (row->form) {
    case TMA_FIELD_MINUS_ONE:
        snprintf(text, size, "%" PRIu64, bits + 1);
        break;
    case TMA_FIELD_SIGNED:
        snprintf(text, size, "%" PRId64, sign_extended(bits, row->width_bit));
        break;
    case TMA_FIELD_SHIFT_4:
        snprintf(text, size, "%" PRIu64 " x 16 B", bits);
        break;
    default:
        snprintf(text, size, row->width_bit > 32 ? "0x%" PRIx64 : "%" PRIu64, bits);
    }
}

void field_bits(const tma_field_row *row, char *text, size_t size) {
    if (row->width_bit == 1) {
        snprintf(text, size, "[%u]", row->bit);
    } else {
        snprintf(text, size, "[%u:%u]", row->bit + row->width_bit - 1u, row->bit);
    }
}
