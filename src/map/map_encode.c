/* SPDX-License-Identifier: Apache-2.0
 *
 * Spec to 128 bytes, as driver 13.0 was seen to write them.
 */
#include "archs.h"
#include "check_internal.h"
#include "geometry.h"
#include "map_layout.h"
#include "map_write.h"
#include "traits.h"

/* What the fields that say a data type hold, those that share a word in one number. */
static const struct {
    uint32_t home; /* the bits in the element code's word */
    uint8_t tf32;
} elements[] = {
#define TMA_DTYPE_ROWS(id, name, cuda, ptx, imm, stored, evidence, bits, mantissa, traits, ...)    \
    [TMA_DTYPE_##                                                                                  \
        id] = {TMA_IN(ELEMENT, stored) | BESIDE(ELEMENT, TF32, ((traits)&TMA_TRAIT_TF32) != 0),    \
               ((traits)&TMA_TRAIT_TF32) != 0},
#define BESIDE(home, id, value) (TMA_WORD(id, 0) == TMA_WORD(home, 0) ? TMA_IN(id, value) : 0)
#include "tma/detail/assert.h"
#include "tma/enums.def"
};

/* The same for a swizzle, and word 18. */
static const struct {
    uint32_t home; /* the bits in the swizzle's word */
    uint8_t atomicity;
    uint8_t is_96B;
    uint16_t repeat_B;
} swizzles[TMA_SWIZZLE_NUMBERS] = {
#define TMA_SWIZZLE_ROWS(id, name, cuda, ptx, imm, stored, evidence, atom, span, repeat, ...)      \
    [TMA_SWIZZLE_##id] = {TMA_IN(SWIZZLE, stored) | BESIDE(SWIZZLE, ATOMICITY, atom) |             \
                              BESIDE(SWIZZLE, SWIZZLE_96B, TMA_SWIZZLE_##id == TMA_SWIZZLE_96B),   \
                          atom, TMA_SWIZZLE_##id == TMA_SWIZZLE_96B, repeat},
#include "tma/enums.def"
};

/* PUT where another field's number has not brought these bits along. */
#define PUT_UNLESS_BESIDE(home, id, value)                                                         \
    if (TMA_WORD(id, 0) != TMA_WORD(home, 0)) {                                                    \
        TMA_PUT(map, w, id, 0, value);                                                             \
    }

TMA_FOLDED void put_enumerations(uint8_t *map, tma_words *w, const tma_spec *s) {
    TMA_PUT(map, w, KIND, 0,
            s->api == TMA_API_TILED  ? TMA_KIND_TILED
            : s->api == TMA_API_WIDE ? TMA_KIND_WIDE
                                     : TMA_KIND_IM2COL);
    TMA_PUT(map, w, RANK, 0, s->rank - 1);
    TMA_PUT(map, w, INTERLEAVE, 0, tma_interleave_stored(s->interleave));
    TMA_PUT(map, w, FILL, 0, tma_fill_stored(s->fill));
    TMA_PUT(map, w, L2, 0, tma_l2_stored(s->l2));
    w->word[TMA_WORD(ELEMENT, 0)] |= elements[s->dtype].home;
    PUT_UNLESS_BESIDE(ELEMENT, TF32, elements[s->dtype].tf32)
    w->word[TMA_WORD(SWIZZLE, 0)] |= swizzles[s->swizzle].home;
    PUT_UNLESS_BESIDE(SWIZZLE, ATOMICITY, swizzles[s->swizzle].atomicity)
    PUT_UNLESS_BESIDE(SWIZZLE, SWIZZLE_96B, swizzles[s->swizzle].is_96B)
}

/* Dimension i of any map; inlined with i a constant, as the next two are. */
TMA_FOLDED void put_dimension(uint8_t *map, tma_words *w, const tma_spec *s, uint32_t i) {
    TMA_PUT(map, w, DIM, i, (uint32_t)(s->dim_el[i] - 1));
    TMA_PUT(map, w, ES, i, s->element_stride[i] - 1);
    if (i > 0) {
        TMA_ASSERT(s->stride_B[i - 1] % (1u << TMA_STRIDE_SHIFT) == 0);
        const uint64_t units = s->stride_B[i - 1] >> TMA_STRIDE_SHIFT;
        TMA_PUT(map, w, STRIDE, i - 1, (uint32_t)units & TMA_ONES(STRIDE));
        TMA_PUT(map, w, HIGH, i - 1, (uint32_t)(units >> TMA_WIDTH_STRIDE));
    }
}

TMA_FOLDED void put_tile(uint8_t *map, tma_words *w, const tma_spec *s, uint32_t i) {
    put_dimension(map, w, s, i);
    TMA_PUT(map, w, BOX, i, s->box_el[i] - 1);
}

#define PUT_CORNER(rank, i)                                                                        \
    TMA_PUT(map, w, LOWER_##rank##D, i, (uint32_t)s->lower_px[i] & TMA_ONES(LOWER_##rank##D));     \
    TMA_PUT(map, w, UPPER_##rank##D, i, (uint32_t)s->upper_px[i] & TMA_ONES(UPPER_##rank##D));

TMA_FOLDED void put_tiled(uint8_t *map, tma_words *w, const tma_spec *s) {
    switch (s->rank) {
    case 5:
        put_tile(map, w, s, 4);
        /* fall through */
    case 4:
        put_tile(map, w, s, 3);
        /* fall through */
    case 3:
        put_tile(map, w, s, 2);
        /* fall through */
    case 2:
        put_tile(map, w, s, 1);
        /* fall through */
    default:
        put_tile(map, w, s, 0);
    }
    tma_store_shared(map, w, 0);
}

TMA_FOLDED void put_im2col(uint8_t *map, tma_words *w, const tma_spec *s) {
    /* a wide map's H and D corners are 0 */
    if (s->rank == 5) {
        put_dimension(map, w, s, 4);
        put_dimension(map, w, s, 3);
        PUT_CORNER(5, 0)
        if (s->api != TMA_API_WIDE) {
            PUT_CORNER(5, 1)
            PUT_CORNER(5, 2)
        }
    } else if (s->rank == 4) {
        put_dimension(map, w, s, 3);
        PUT_CORNER(4, 0)
        if (s->api != TMA_API_WIDE) {
            PUT_CORNER(4, 1)
        }
    } else {
        PUT_CORNER(3, 0)
    }
    put_dimension(map, w, s, 2);
    put_dimension(map, w, s, 1);
    put_dimension(map, w, s, 0);
    TMA_PUT(map, w, CHANNELS, 0, s->channels_per_pixel - 1);
    TMA_PUT(map, w, PIXELS, 0, s->pixels_per_column - 1);
    tma_store_shared(map, w, 1);
}

int tma_is_large(const tma_spec *s, uint32_t driver) {
    return tma_class_size_B(s, driver) >= TMA_VALUE(LARGE_TENSOR);
}

void tma_put_large(uint8_t *map, int large) {
    uint8_t *word = map + (size_t)4 * TMA_WORD(BIT21, 0);
    const uint32_t others = tma_load32(word) & ~TMA_MASK(BIT21, 0);
    tma_store32(word, large ? others | TMA_MASK(BIT21, 0) : others);
}

void tma_write_map(uint8_t *map, const tma_spec *s, const tma_arch_row *arch, uint32_t driver,
                   uint32_t box_B, uint32_t readings) {
    tma_words words = {{0}};
    tma_words *const w = &words;
    TMA_ASSERT(s->rank >= (s->api == TMA_API_TILED ? 1u : 3u) && s->rank <= TMA_MAX_RANK);
    TMA_ASSERT(s->dtype < TMA_DTYPES && s->swizzle < TMA_SWIZZLE_NUMBERS);
    memset(map, 0, TMA_MAP_BYTES / 2); /* halves become moves, the whole a loop */
    memset(map + TMA_MAP_BYTES / 2, 0, TMA_MAP_BYTES / 2);
    tma_store64(map + TMA_AT_ADDRESS / 8, s->address);
    TMA_PUT(map, w, BOX_BYTES, 0, box_B);
    TMA_PUT(map, w, REPEAT, 0, swizzles[s->swizzle].repeat_B);
    put_enumerations(map, w, s);
    if (s->api == TMA_API_TILED) {
        put_tiled(map, w, s);
    } else {
        put_im2col(map, w, s);
    }
    if (arch->features & TMA_FEATURE_BIT21) {
        if (__builtin_expect(tma_is_large(s, driver), 0)) {
            tma_put_large(map, 1);
        }
    }
    if (__builtin_expect(readings != 0, 0)) {
        tma_write_readings(map, s, arch, readings);
    }
}

/* The map is written while the spec is read. */
static int overlap(const uint8_t *map, const tma_spec *spec) {
    return (uintptr_t)map - (uintptr_t)spec + (TMA_MAP_BYTES - 1) <
           TMA_MAP_BYTES - 1 + sizeof(*spec);
}

tma_status tma_encode(uint8_t *map, const tma_spec *spec, const tma_target *target) {
    const tma_arch_row *arch = tma_arch_for(target);
    const uint32_t driver = target ? target->driver : TMA_VALUE(SEEN_DRIVER);
    if (!map || !spec || overlap(map, spec) || !tma_is_target(target, arch)) {
        return TMA_INVALID;
    }
    uint32_t box_B = tma_accepts_quickly(spec, arch, driver);
    if (box_B == TMA_NOT_QUICKLY) {
        if (!tma_accepts_by_rules(spec, target)) {
            return TMA_REFUSED;
        }
        box_B = (uint32_t)tma_box_bytes(spec);
    }
    tma_write_map(map, spec, arch, driver, box_B, target ? target->readings : 0);
    return TMA_OK;
}
