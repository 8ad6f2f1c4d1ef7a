/* SPDX-License-Identifier: Apache-2.0
 *
 * Where each field of the 128 bytes sits, as constants out of fields.def, and how its bits are put
 * there and taken out. Everything here folds to shifts and masks where entry and kind are
 * constants, so that a layout costs nothing.
 */
#ifndef TMA_MAP_LAYOUT_H
#define TMA_MAP_LAYOUT_H

#include "bytes.h"
#include "tma/detail/assert.h"
#include "tma/limits.def"
#include "tma/map.h"

/* Of entry 0, in bits from the map's first; from entry to entry; how many. A field is one entry. */
enum {
#define TMA_FIELD(id, name, scope, form, word, bit, width, ...)                                    \
    TMA_AT_##id = 32 * (word) + (bit), TMA_WIDTH_##id = (width), TMA_STEP_##id = 0,                \
    TMA_COUNT_##id = 1,
#define TMA_FIELD_ARRAY(id, name, scope, form, word, bit, width, count, step, ...)                 \
    TMA_AT_##id = 32 * (word) + (bit), TMA_WIDTH_##id = (width), TMA_STEP_##id = (step),           \
    TMA_COUNT_##id = (count),
#include "tma/fields.def"
#undef TMA_FIELD
#undef TMA_FIELD_ARRAY
};

/* What is in the limits fits its field. */
#define TMA_FITS(limit, id, most)                                                                  \
    _Static_assert(TMA_VALUE(limit) <= (most), "limits.def: more than field " #id " holds")
TMA_FITS(RANK, RANK, 1 << TMA_WIDTH_RANK);
TMA_FITS(DIM, DIM, UINT64_C(1) << TMA_WIDTH_DIM);
TMA_FITS(STEP, ES, 1 << TMA_WIDTH_ES);
TMA_FITS(BOX, BOX, 1 << TMA_WIDTH_BOX);
TMA_FITS(CHANNELS, CHANNELS, 1 << TMA_WIDTH_CHANNELS);
TMA_FITS(PIXELS, PIXELS, 1 << TMA_WIDTH_PIXELS);
TMA_FITS(STRIDE, STRIDE, UINT64_C(1) << (TMA_WIDTH_STRIDE + TMA_WIDTH_HIGH + 4));
TMA_FITS(CORNER_3D, LOWER_3D, TMA_WIDTH_LOWER_3D);
TMA_FITS(CORNER_4D, LOWER_4D, TMA_WIDTH_LOWER_4D);
TMA_FITS(CORNER_5D, LOWER_5D, TMA_WIDTH_LOWER_5D);
_Static_assert(TMA_VALUE(RANK) == TMA_MAX_RANK, "limits.def: the rank of spec.h");

/* What the kind says, by the encode call that made the map. */
enum {
#define TMA_API_ROWS(id, name, cuda, ptx, imm, stored, evidence) TMA_KIND_##id = (stored),
#include "tma/enums.def"
};

/* What the CuTe DSL writes there: in each of 84 maps of nvidia-cutlass-dsl 4.7.0. */
#define TMA_KIND_HIGH_CUTE_DSL 1

/* Strides are stored in units of 16 bytes. */
#define TMA_STRIDE_SHIFT 4
_Static_assert(TMA_VALUE(ALIGN) % (1 << TMA_STRIDE_SHIFT) == 0,
               "limits.def: strides are whole units");

#ifdef __OPTIMIZE__
#define TMA_FOLDED static inline __attribute__((always_inline))
#else /* nothing folds, and gcc would take 44 s and 1.6 GB to find that out */
#define TMA_FOLDED static inline
#endif

/* Entry i of a field: its lowest bit in the map, its word, its place in the word, its bits. */
#define TMA_AT(id, i)     ((uint32_t)TMA_AT_##id + (uint32_t)(i) * (uint32_t)TMA_STEP_##id)
#define TMA_WORD(id, i)   (TMA_AT(id, i) / 32)
#define TMA_ONES(id)      ((uint32_t)((UINT64_C(1) << TMA_WIDTH_##id) - 1))
#define TMA_MASK(id, i)   (TMA_ONES(id) << TMA_AT(id, i) % 32)
#define TMA_IN(id, value) (((uint32_t)(value)&TMA_ONES(id)) << TMA_AT_##id % 32)
#define TMA_OUT(id, word) ((word) >> TMA_AT_##id % 32 & TMA_ONES(id))

/* The words that hold several fields, on their way into the map or out of it. */
typedef struct tma_words {
    uint32_t word[TMA_MAP_WORDS];
} tma_words;

/* A field has no word to itself: it goes by way of tma_words. */
#define TMA_SHARES(id) (TMA_WIDTH_##id < 32)

TMA_FOLDED void tma_put_at(uint8_t *map, tma_words *w, uint32_t at, uint32_t width,
                           uint32_t value) {
    TMA_ASSERT(at / 32 < TMA_MAP_WORDS && (width >= 32 || value >> width == 0));
    if (width < 32) {
        w->word[at / 32] |= value << at % 32;
    } else {
        tma_store32(map + (size_t)4 * (at / 32), value);
    }
}

TMA_FOLDED uint32_t tma_get_at(const uint8_t *map, const tma_words *w, uint32_t at,
                               uint32_t width) {
    if (width < 32) {
        return w->word[at / 32] >> at % 32 & ((1u << width) - 1);
    }
    return tma_word(map, at / 32);
}

/* Entry i of a field to and from a map and its words; the value is one that fits. */
#define TMA_PUT(map, w, id, i, value) tma_put_at(map, w, TMA_AT(id, i), TMA_WIDTH_##id, value)
#define TMA_GET(map, w, id, i)        tma_get_at(map, w, TMA_AT(id, i), TMA_WIDTH_##id)

/* Whether fields of a scope are in maps of this kind and rank. */
TMA_FOLDED int tma_in_scope(tma_field_scope scope, int im2col, uint32_t rank) {
    switch (scope) {
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

/* NOLINTBEGIN(readability-function-size,readability-function-cognitive-complexity): one statement
 * for each row of the table, folded away */
/* The shared words of a tiled or im2col map, read or written as wholes. A word of several fields
 * is named several times: the compiler keeps one. */
#define TMA_ENTRY(id, scope, i)                                                                    \
    if (TMA_SHARES(id) && (i) < TMA_COUNT_##id &&                                                  \
        (im2col ? TMA_FIELD_##scope != TMA_FIELD_TILED : TMA_FIELD_##scope <= TMA_FIELD_TILED)) {  \
        TMA_EACH(TMA_WORD(id, i));                                                                 \
    }
#define TMA_FIELD(id, name, scope, ...) TMA_ENTRY(id, scope, 0)
#define TMA_FIELD_ARRAY(id, name, scope, ...)                                                      \
    TMA_ENTRY(id, scope, 0)                                                                        \
    TMA_ENTRY(id, scope, 1)                                                                        \
    TMA_ENTRY(id, scope, 2)                                                                        \
    TMA_ENTRY(id, scope, 3)                                                                        \
    TMA_ENTRY(id, scope, 4)
#define TMA_EACH(n) w->word[n] = tma_word(map, n)
TMA_FOLDED void tma_load_shared(tma_words *w, const uint8_t *map, int im2col){
#include "tma/fields.def"
}
#undef TMA_EACH
#define TMA_EACH(n) tma_store32(map + (size_t)4 * (n), w->word[n])
TMA_FOLDED void tma_store_shared(uint8_t *map, const tma_words *w, int im2col) {
#include "tma/fields.def"
}
#undef TMA_EACH
#undef TMA_ENTRY
#undef TMA_FIELD
#undef TMA_FIELD_ARRAY

/* Of the dimension that an entry belongs to, whether it is below the rank. */
#define TMA_DIMENSION_WITHIN(i, rank) ((i) < (rank))
#define TMA_STRIDE_WITHIN(i, rank)    ((i) + 1 < (rank))
#define TMA_CORNER_WITHIN(i, rank)    1

/* Bits of a field in double word `pair` of the map, 0 if it has none there. */
TMA_FOLDED uint64_t tma_bits_in_pair(uint32_t pair, uint32_t at, uint32_t width) {
    const uint64_t ones = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
    return at / 64 == pair ? ones << at % 64 : 0;
}

/* The bits of double word `pair` that a map of this kind and rank uses. */
TMA_FOLDED uint64_t tma_used_in_pair(uint32_t pair, int im2col, uint32_t rank) {
    uint64_t used = 0;
#define TMA_FIELD(id, name, scope, ...)                                                            \
    used |= tma_in_scope(TMA_FIELD_##scope, im2col, rank)                                          \
                ? tma_bits_in_pair(pair, TMA_AT(id, 0), TMA_WIDTH_##id)                            \
                : 0;
#define TMA_ENTRY(id, scope, index, i)                                                             \
    used |= (i) < TMA_COUNT_##id && tma_in_scope(TMA_FIELD_##scope, im2col, rank) &&               \
                    TMA_##index##_WITHIN(i, rank)                                                  \
                ? tma_bits_in_pair(pair, TMA_AT(id, i), TMA_WIDTH_##id)                            \
                : 0;
#define TMA_FIELD_ARRAY(id, name, scope, form, word, bit, width, count, step, index, ...)          \
    TMA_ENTRY(id, scope, index, 0)                                                                 \
    TMA_ENTRY(id, scope, index, 1)                                                                 \
    TMA_ENTRY(id, scope, index, 2)                                                                 \
    TMA_ENTRY(id, scope, index, 3)                                                                 \
    TMA_ENTRY(id, scope, index, 4)
#include "tma/fields.def"
#undef TMA_FIELD
#undef TMA_FIELD_ARRAY
#undef TMA_ENTRY
    return used;
}

/* The bits of a map of this kind and rank that are set and that it does not use, all ored: 0 for
 * every map that a driver makes. */
TMA_FOLDED uint64_t tma_unused_bits(const uint8_t *map, int im2col, uint32_t rank) {
    uint64_t bits = 0;
#define TMA_LOOK(pair)                                                                             \
    {                                                                                              \
        const uint64_t used = tma_used_in_pair(pair, im2col, rank);                                \
        bits |= used == UINT32_MAX ? tma_word(map, 2 * (pair) + 1)                                 \
                : ~used            ? tma_load64(map + (size_t)8 * (pair)) & ~used                  \
                                   : 0;                                                                       \
    }
    TMA_LOOK(0)
    TMA_LOOK(1)
    TMA_LOOK(2)
    TMA_LOOK(3)
    TMA_LOOK(4)
    TMA_LOOK(5)
    TMA_LOOK(6)
    TMA_LOOK(7)
    TMA_LOOK(8)
    TMA_LOOK(9)
    TMA_LOOK(10)
    TMA_LOOK(11)
    TMA_LOOK(12)
    TMA_LOOK(13)
    TMA_LOOK(14)
    TMA_LOOK(15)
#undef TMA_LOOK
    return bits;
}
/* NOLINTEND(readability-function-size,readability-function-cognitive-complexity) */

#endif
