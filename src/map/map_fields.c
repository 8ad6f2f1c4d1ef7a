/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of fields as data, an entry of an array each by itself, and what no field owns.
 */
#include "map_layout.h"
#include "map_read.h"

#define DIMENSION_NAME(i) #i
#define STRIDE_NAME(i)    #i
#define CORNER_NAME(i)    CORNER_NAME_##i
#define CORNER_NAME_0     "W"
#define CORNER_NAME_1     "H"
#define CORNER_NAME_2     "D"

/* What the meaning ends with, and the dimension that the entry belongs to. */
#define DIMENSION_OF(i) #i
#define STRIDE_OF(i)    STRIDE_OF_##i
#define STRIDE_OF_0     "1"
#define STRIDE_OF_1     "2"
#define STRIDE_OF_2     "3"
#define STRIDE_OF_3     "4"
#define CORNER_OF(i)    CORNER_NAME_##i

#define DIMENSION_BELONGS(i) (i)
#define STRIDE_BELONGS(i)    ((i) + 1)
#define CORNER_BELONGS(i)    TMA_NO_DIMENSION

#define ENTRIES_1(entry, ...) entry(0, __VA_ARGS__)
#define ENTRIES_2(entry, ...) ENTRIES_1(entry, __VA_ARGS__) entry(1, __VA_ARGS__)
#define ENTRIES_3(entry, ...) ENTRIES_2(entry, __VA_ARGS__) entry(2, __VA_ARGS__)
#define ENTRIES_4(entry, ...) ENTRIES_3(entry, __VA_ARGS__) entry(3, __VA_ARGS__)
#define ENTRIES_5(entry, ...) ENTRIES_4(entry, __VA_ARGS__) entry(4, __VA_ARGS__)

#define ENTRY(i, id, name, scope, form, index, meaning, evidence)                                  \
    {name "[" index##_NAME(i) "]",                                                                 \
     TMA_FIELD_##scope,                                                                            \
     TMA_FIELD_##form,                                                                             \
     (uint8_t)TMA_WORD(id, i),                                                                     \
     (uint8_t)(TMA_AT(id, i) % 32),                                                                \
     TMA_WIDTH_##id,                                                                               \
     index##_BELONGS(i),                                                                           \
     meaning index##_OF(i),                                                                        \
     evidence},

static const tma_field_row fields[] = {
#define TMA_FIELD(id, name, scope, form, word, bit, width, meaning, evidence)                      \
    {name,  TMA_FIELD_##scope, TMA_FIELD_##form, word,    bit,                                     \
     width, TMA_NO_DIMENSION,  meaning,          evidence},
#define TMA_FIELD_ARRAY(id, name, scope, form, word, bit, width, count, step, index, meaning,      \
                        evidence)                                                                  \
    ENTRIES_##count(ENTRY, id, name, scope, form, index, meaning, evidence)
#include "tma/fields.def"
#undef TMA_FIELD
#undef TMA_FIELD_ARRAY
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

size_t tma_field_count(void) {
    return FIELDS;
}

const tma_field_row *tma_field_at(size_t index) {
    return index < FIELDS ? &fields[index] : NULL;
}

bool tma_field_applies(const tma_field_row *row, const tma_decoded *decoded) {
    return row && decoded &&
           tma_in_scope((tma_field_scope)row->scope, decoded->kind == TMA_KIND_IM2COL,
                        decoded->spec.rank);
}

static uint32_t mask_of(const tma_field_row *row) {
    return (uint32_t)(((UINT64_C(1) << row->width_bit % 64) - 1) << row->bit);
}

uint64_t tma_field_read(const tma_field_row *row, const uint8_t *map) {
    if (!row || !map) {
        return 0;
    }
    if (row->width_bit > 32) {
        return tma_load64((const uint8_t *)map + (size_t)4 * row->word);
    }
    return (tma_word(map, row->word) & mask_of(row)) >> row->bit;
}

uint32_t tma_unowned(uint32_t words[TMA_MAP_WORDS], const uint8_t *map) {
    uint32_t count = 0;
    tma_decoded decoded;
    if (!words || !map) {
        return 0;
    }
    tma_read_map(&decoded, map);
    for (uint32_t i = 0; i < TMA_MAP_WORDS; i++) {
        words[i] = tma_word(map, i);
    }
    for (size_t k = 0; k < FIELDS; k++) {
        if (tma_field_applies(&fields[k], &decoded)) {
            words[fields[k].word] &= fields[k].width_bit > 32 ? 0 : ~mask_of(&fields[k]);
            words[fields[k].word + 1] &= fields[k].width_bit > 32 ? 0 : UINT32_MAX;
        }
    }
    for (uint32_t i = 0; i < TMA_MAP_WORDS; i++) {
        for (uint32_t bits = words[i]; bits; bits &= bits - 1) {
            count++;
        }
    }
    return count;
}

int tma_beyond_rank(const uint8_t *map, const tma_decoded *decoded) {
    for (size_t k = 0; k < FIELDS; k++) {
        const tma_field_row *row = &fields[k];
        if (row->dimension != TMA_NO_DIMENSION && row->dimension >= decoded->spec.rank &&
            tma_field_applies(row, decoded) && tma_field_read(row, map)) {
            return 1;
        }
    }
    return 0;
}
