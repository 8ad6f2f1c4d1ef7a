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
#include "traits.h"

#define FIRST  TMA_READING_ATOM_REPEAT
#define LAST   TMA_READING_INTERLEAVE_BOX
#define CHOSEN 1 /* of each there is one reading besides the default */

/* The sliced box from which on bit 21 is set, where word 16 counts slices. */
#define LARGE_BOX_B 65536

static uint32_t word_of(uint32_t reading) {
    return reading == TMA_READING_ATOM_REPEAT ? TMA_WORD(REPEAT, 0) : TMA_WORD(BOX_BYTES, 0);
}

/* A slice for each element. */
static int64_t slices_B(const tma_spec *s) {
    int64_t all_B = tma_slice_B(s->interleave);
    if (s->api != TMA_API_TILED) {
        return all_B * s->channels_per_pixel * s->pixels_per_column;
    }
    for (uint32_t i = 0; i < s->rank && i < TMA_MAX_RANK; i++) {
        all_B *= s->box_el[i];
    }
    return all_B;
}

/* What the word has by that reading; -1: nothing of such a map hangs on it. */
static int64_t other_B(const tma_spec *s, uint32_t reading) {
    const int is_packed = (tma_type_of(s->dtype)->traits & TMA_TRAIT_PACKED) != 0;
    const int has_atom = (tma_swizzle_of(s->swizzle)->traits & TMA_TRAIT_ATOM) != 0;
    const int is_sliced = s->interleave - 1 < TMA_INTERLEAVE_32B && !is_packed; /* 0 wraps */
    switch (reading) {
    case TMA_READING_ATOM_REPEAT:
        return has_atom ? (int64_t)tma_swizzle_repeat_B(TMA_SWIZZLE_128B) : -1;
    case TMA_READING_PACKED_BOX:
        return is_packed ? 0 : -1;
    default:
        return is_sliced ? slices_B(s) : -1;
    }
}

void tma_write_readings(uint8_t *map, const tma_spec *s, const tma_arch_row *arch,
                        uint32_t readings) {
    if (!(arch->features & TMA_FEATURE_BIT21)) {
        return; /* Hopper's words were seen */
    }
    for (uint32_t i = FIRST; i <= LAST; i++) {
        const int64_t value_B = readings >> i * TMA_READING_BITS & CHOSEN ? other_B(s, i) : -1;
        if (value_B >= 0) {
            tma_store32(map + (size_t)4 * word_of(i), (uint32_t)value_B);
            if (i == TMA_READING_INTERLEAVE_BOX && s->api == TMA_API_TILED) {
                tma_put_large(map, value_B >= LARGE_BOX_B);
            }
        }
    }
}

uint32_t tma_reading_of_word(const tma_spec *s, uint32_t word, uint32_t stored) {
    for (uint32_t i = FIRST; i <= LAST; i++) {
        const int64_t value_B = word_of(i) == word ? other_B(s, i) : -1;
        if (value_B >= 0 && (uint32_t)value_B == stored) {
            return (uint32_t)CHOSEN << i * TMA_READING_BITS;
        }
    }
    return 0;
}
