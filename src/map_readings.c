/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of a map that sources dispute: what a chosen reading writes, and by which reading a word
 * was written. The default of each question is not here: map_encode.c makes it.
 */
#include "archs.h"
#include "bytes.h"
#include "map_layout.h"
#include "map_read.h"
#include "map_write.h"
#include "tma/detail/assert.h"
#include "traits.h"

/* The sliced box from which on bit 21 is set, where word 16 counts slices. */
#define LARGE_BOX_B UINT32_C(65536)

static int has_atom(const tma_spec *s) {
    return (tma_swizzle_of(s->swizzle)->traits & TMA_TRAIT_ATOM) != 0;
}

static int is_packed(const tma_spec *s) {
    return (tma_type_of(s->dtype)->traits & TMA_TRAIT_PACKED) != 0;
}

static int is_sliced(const tma_spec *s) {
    return s->interleave && s->interleave <= TMA_INTERLEAVE_32B && !is_packed(s);
}

static int is_sliced_box(const tma_spec *s) {
    return s->api == TMA_API_TILED && is_sliced(s);
}

static int is_sliced_column(const tma_spec *s) {
    return s->api != TMA_API_TILED && is_sliced(s);
}

static uint64_t span_B(const tma_spec *s) {
    (void)s;
    return tma_swizzle_repeat_B(TMA_SWIZZLE_128B);
}

static uint64_t no_bytes(const tma_spec *s) {
    (void)s;
    return 0;
}

static uint64_t box_slices_B(const tma_spec *s) {
    uint64_t all_B = tma_slice_B(s->interleave);
    for (uint32_t i = 0; i < s->rank && i < TMA_MAX_RANK; i++) {
        all_B *= s->box_el[i];
    }
    return all_B;
}

static uint64_t column_slices_B(const tma_spec *s) {
    return (uint64_t)tma_slice_B(s->interleave) * s->channels_per_pixel * s->pixels_per_column;
}

static const struct map_reading {
    uint8_t reading, value;           /* tma_reading_id, tma_reading_value */
    uint8_t word;                     /* the word that has another value then ... */
    int (*is_of)(const tma_spec *s);  /* ... in a map of such a spec ... */
    uint64_t (*B)(const tma_spec *s); /* ... and the value */
} rows[] = {
    {TMA_READING_ATOM_REPEAT, TMA_READS_ATOM_REPEAT_1, TMA_WORD(REPEAT, 0), has_atom, span_B},
    {TMA_READING_PACKED_BOX, TMA_READS_PACKED_BOX_1, TMA_WORD(BOX_BYTES, 0), is_packed, no_bytes},
    {TMA_READING_INTERLEAVE_BOX, TMA_READS_INTERLEAVE_BOX_1, TMA_WORD(BOX_BYTES, 0), is_sliced_box,
     box_slices_B},
    {TMA_READING_INTERLEAVE_PIXELS, TMA_READS_INTERLEAVE_PIXELS_1, TMA_WORD(BOX_BYTES, 0),
     is_sliced_column, column_slices_B},
};

void tma_write_readings(uint8_t *map, const tma_spec *s, const tma_arch_row *arch,
                        uint32_t readings) {
    const tma_target target = {.readings = readings};
    if (!(arch->features & TMA_FEATURE_BIT21)) {
        return; /* Hopper's words were seen */
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct map_reading *row = &rows[i];
        if (tma_target_reads(&target, row->reading) == row->value && row->is_of(s)) {
            tma_store32(map + (size_t)4 * row->word, (uint32_t)row->B(s));
            if (row->reading == TMA_READING_INTERLEAVE_BOX) {
                tma_put_large(map, row->B(s) >= LARGE_BOX_B);
            }
        }
    }
}

uint32_t tma_reading_of_word(const tma_spec *s, uint32_t word, uint32_t stored) {
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct map_reading *row = &rows[i];
        if (row->word == word && row->is_of(s) && (uint32_t)row->B(s) == stored) {
            return (uint32_t)row->value << row->reading * TMA_READING_BITS;
        }
    }
    return 0;
}
