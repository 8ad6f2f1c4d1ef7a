/* SPDX-License-Identifier: Apache-2.0
 *
 * 128 bytes to spec. Everything decodes; what is odd about it is said.
 */
#include "geometry.h"
#include "map_layout.h"
#include "map_read.h"
#include "tma/map.h"
#include "traits.h"

#define RESERVED 0xFFu /* no enumerator has this number */

/* Both callers are short enough for it, and calls would cost a fifth of a decode. */
#define INLINE_TWICE static inline __attribute__((always_inline))

/* Rarely taken, so a branch: it costs less than making the bit each time. */
#define ODD_IF(condition, odd_bit)                                                                 \
    do {                                                                                           \
        if (__builtin_expect((condition) != 0, 0)) {                                               \
            out->odd |= (odd_bit);                                                                 \
        }                                                                                          \
    } while (0)

/* What TF32 flag and element code say together: data type and bits of an element, 0 if no type has
 * them. */
static const struct element_row {
    uint8_t bits;
    uint8_t dtype;
} elements[TMA_ONES(TF32) + 1][TMA_ONES(ELEMENT) + 1] = {
#define TMA_DTYPE_ROWS(id, name, cuda, ptx, imm, stored, evidence, bits, mantissa, traits, ...)    \
    [((traits)&TMA_TRAIT_TF32) != 0][stored] = {bits, TMA_DTYPE_##id},
#include "tma/enums.def"
};

/* What the 96-byte bit, atomicity and mode say together: swizzle and bytes after which its pattern
 * repeats, 0 if no swizzle has them. */
static const struct swizzle_row {
    uint16_t repeat_B;
    uint8_t swizzle;
} swizzles[TMA_ONES(SWIZZLE_96B) + 1][TMA_ONES(ATOMICITY) + 1][TMA_ONES(SWIZZLE) + 1] = {
#define TMA_SWIZZLE_ROWS(id, name, cuda, ptx, imm, stored, evidence, atom, span, repeat, ...)      \
    [TMA_SWIZZLE_##id == TMA_SWIZZLE_96B][atom][stored] = {repeat, TMA_SWIZZLE_##id},
#include "tma/enums.def"
};

/* The flag on a type that has it not is forgotten; a code without a type is none. */
static __attribute__((noinline)) struct element_row odd_element(tma_decoded *out, uint32_t tf32,
                                                                uint32_t code) {
    static const struct element_row reserved = {0, RESERVED};
    out->odd |= tf32 ? TMA_ODD_TF32_FLAG : 0;
    out->odd |= elements[0][code].bits ? 0 : TMA_ODD_ELEMENT;
    return elements[0][code].bits ? elements[0][code] : reserved;
}

/* The 96-byte bit goes before mode and atomicity, the mode before an atomicity that it has not. */
static __attribute__((noinline)) struct swizzle_row odd_swizzle(tma_decoded *out, uint32_t is_96B,
                                                                uint32_t atomicity, uint32_t mode) {
    out->odd |= swizzles[0][atomicity][mode].repeat_B ? 0 : TMA_ODD_ATOMICITY;
    out->odd |= is_96B ? TMA_ODD_SWIZZLE_96B : 0;
    return is_96B ? swizzles[1][0][0] : swizzles[0][0][mode];
}

/* What the enumerations say beside the members of a spec. */
typedef struct read_types {
    uint32_t rank;
    uint32_t bits;     /* of an element */
    uint32_t repeat_B; /* what word 18 should be */
    int im2col;
} read_types;

#define GET(id, i) TMA_GET(map, w, id, i)

TMA_FOLDED read_types decode_types(tma_decoded *out, const uint8_t *map, const tma_words *w,
                                   int im2col) {
    tma_spec *s = &out->spec;
    struct element_row element = elements[GET(TF32, 0)][GET(ELEMENT, 0)];
    struct swizzle_row swizzle = swizzles[GET(SWIZZLE_96B, 0)][GET(ATOMICITY, 0)][GET(SWIZZLE, 0)];
    const uint32_t rank = GET(RANK, 0) + 1;
    const uint32_t least = im2col ? TMA_VALUE(RANK_SLICED) : 1;
    out->odd = 0;
    if (__builtin_expect(!element.bits, 0)) {
        element = odd_element(out, GET(TF32, 0), GET(ELEMENT, 0));
    }
    if (__builtin_expect(!swizzle.repeat_B, 0)) {
        swizzle = odd_swizzle(out, GET(SWIZZLE_96B, 0), GET(ATOMICITY, 0), GET(SWIZZLE, 0));
    }
    out->kind = GET(KIND, 0);
    out->bit21 = GET(BIT21, 0);
    s->api = im2col ? TMA_API_IM2COL : TMA_API_TILED;
    ODD_IF(GET(KIND_HIGH, 0), TMA_ODD_KIND);
    s->dtype = element.dtype;
    s->rank = rank;
    ODD_IF(rank - least > TMA_MAX_RANK - least, TMA_ODD_RANK);
    s->interleave = tma_interleave_driver(GET(INTERLEAVE, 0));
    ODD_IF(s->interleave > TMA_INTERLEAVE_32B, TMA_ODD_INTERLEAVE);
    s->swizzle = swizzle.swizzle;
    s->l2 = tma_l2_driver(GET(L2, 0));
    s->fill = tma_fill_driver(GET(FILL, 0));
    s->wide_mode = 0;
    s->reserved_0 = 0;
    out->readings = out->reserved_0 = 0;
    out->reserved[0] = 0;
    memset(s->reserved, 0, sizeof(s->reserved));
    return (read_types){rank, element.bits, swizzle.repeat_B, im2col};
}

/* A word that is not what the default makes: some reading's, or nobody's. */
static __attribute__((noinline)) void judge_word(tma_decoded *out, uint32_t word, uint32_t stored,
                                                 uint32_t made, uint32_t odd_bit) {
    const uint32_t reading = stored != made ? tma_reading_of_word(&out->spec, word, stored) : 0;
    out->readings |= reading;
    out->odd |= stored == made || reading ? 0 : odd_bit;
}

/* What every map has for dimension i. These three are inlined with i a constant. */
TMA_FOLDED void decode_dimension(tma_spec *s, const uint8_t *map, const tma_words *w, uint32_t i) {
    s->dim_el[i] = (uint64_t)GET(DIM, i) + 1;
    s->element_stride[i] = GET(ES, i) + 1;
    if (i > 0) {
        const uint64_t high = GET(HIGH, i - 1);
        s->stride_B[i - 1] = (GET(STRIDE, i - 1) | high << TMA_WIDTH_STRIDE) << TMA_STRIDE_SHIFT;
    }
}

/* Dimension i of a tiled map; returns what its box counts in word 16. */
TMA_FOLDED uint32_t decode_tile(tma_spec *s, const uint8_t *map, const tma_words *w, uint32_t i) {
    decode_dimension(s, map, w, i);
    s->box_el[i] = GET(BOX, i) + 1;
    return tma_box_steps(s->box_el[i], GET(ES, i) + 1);
}

/* The lowest `width` bits of a number, as a signed one; gcc and clang shift signs in. */
TMA_FOLDED int32_t signed_bits(uint32_t bits, uint32_t width) {
    return (int32_t)(bits << (32 - width)) >> (32 - width);
}

#define DECODE_CORNER(rank, i)                                                                     \
    s->lower_px[i] = signed_bits(GET(LOWER_##rank##D, i), TMA_WIDTH_LOWER_##rank##D);              \
    s->upper_px[i] = signed_bits(GET(UPPER_##rank##D, i), TMA_WIDTH_UPPER_##rank##D)

/* These two return the elements that word 16 counts. */
TMA_FOLDED uint64_t decode_tiled(tma_spec *s, const uint8_t *map, const tma_words *w,
                                 uint32_t rank) {
    uint64_t counted_el = 1;
    switch (rank) {
    default: /* 5, or beyond */
        counted_el *= decode_tile(s, map, w, 4);
        /* fall through */
    case 4:
        counted_el *= decode_tile(s, map, w, 3);
        /* fall through */
    case 3:
        counted_el *= decode_tile(s, map, w, 2);
        /* fall through */
    case 2:
        counted_el *= decode_tile(s, map, w, 1);
        /* fall through */
    case 1:
        counted_el *= decode_tile(s, map, w, 0);
    }
    return counted_el;
}

TMA_FOLDED uint64_t decode_im2col(tma_spec *s, const uint8_t *map, const tma_words *w,
                                  uint32_t rank) {
    if (rank >= 5) {
        decode_dimension(s, map, w, 4);
        decode_dimension(s, map, w, 3);
        DECODE_CORNER(5, 0);
        DECODE_CORNER(5, 1);
        DECODE_CORNER(5, 2);
    } else if (rank == 4) {
        decode_dimension(s, map, w, 3);
        DECODE_CORNER(4, 0);
        DECODE_CORNER(4, 1);
    } else if (rank == 3) {
        DECODE_CORNER(3, 0);
    }
    if (rank >= 3) {
        decode_dimension(s, map, w, 2);
    }
    if (rank >= 2) {
        decode_dimension(s, map, w, 1);
    }
    decode_dimension(s, map, w, 0);
    s->channels_per_pixel = GET(CHANNELS, 0) + 1;
    s->pixels_per_column = GET(PIXELS, 0) + 1;
    return (uint64_t)s->channels_per_pixel * s->pixels_per_column;
}

/* Whether anything is set that a map of this kind and rank does not use. */
TMA_FOLDED int has_unused(const uint8_t *map, int im2col, uint32_t rank) {
    if (rank == 5) {
        return tma_unused_bits(map, im2col, 5) != 0;
    }
    if (rank == 4) {
        return tma_unused_bits(map, im2col, 4) != 0;
    }
    if (rank == 3) {
        return tma_unused_bits(map, im2col, 3) != 0;
    }
    if (rank == 2 && !im2col) {
        return tma_unused_bits(map, 0, 2) != 0;
    }
    if (rank == 1 && !im2col) {
        return tma_unused_bits(map, 0, 1) != 0;
    }
    return 1; /* no such rank: look closely */
}

static __attribute__((noinline)) void look_closely(tma_decoded *out, const uint8_t *map) {
    uint32_t words[TMA_MAP_WORDS];
    ODD_IF(tma_beyond_rank(map, out), TMA_ODD_BEYOND_RANK);
    ODD_IF(tma_unowned(words, map), TMA_ODD_UNOWNED);
}

/* Corners, channels and pixels lie together in a spec. */
#define COLUMNS_AT offsetof(tma_spec, lower_px)
#define COLUMNS_B  (offsetof(tma_spec, element_stride) - COLUMNS_AT)

/* All that the map says of a spec; and, if it is to be judged, what is odd beyond the types. */
INLINE_TWICE void read_map(tma_decoded *out, const uint8_t *map, int judge) {
    tma_words words;
    tma_words *const w = &words;
    tma_load_shared(w, map, 0); /* of both kinds: the kind is in one of them */
    tma_load_shared(w, map, 1);
    const read_types types = decode_types(out, map, w, GET(KIND, 0) == TMA_KIND_IM2COL);
    tma_spec *s = &out->spec;
    s->address = tma_load64(map + TMA_AT_ADDRESS / 8);
    memset(s->box_el, 0, sizeof(s->box_el));
    memset((uint8_t *)s + COLUMNS_AT, 0, COLUMNS_B);
    if (types.rank < TMA_MAX_RANK) {
        memset(s->dim_el, 0, sizeof(s->dim_el));
        memset(s->stride_B, 0, sizeof(s->stride_B));
        memset(s->element_stride, 0, sizeof(s->element_stride));
    }
    uint64_t counted_el;
    int unused;
    if (types.im2col) {
        counted_el = decode_im2col(s, map, w, types.rank);
        unused = judge && has_unused(map, 1, types.rank);
    } else {
        counted_el = decode_tiled(s, map, w, types.rank);
        unused = judge && has_unused(map, 0, types.rank);
    }
    if (judge) {
        out->box_B = GET(BOX_BYTES, 0);
        out->repeat_B = GET(REPEAT, 0);
        const uint32_t made_B = (uint32_t)(counted_el * types.bits / 8);
        if (__builtin_expect(out->box_B != made_B || out->repeat_B != types.repeat_B, 0)) {
            judge_word(out, TMA_WORD(BOX_BYTES, 0), out->box_B, made_B, TMA_ODD_BOX_BYTES);
            judge_word(out, TMA_WORD(REPEAT, 0), out->repeat_B, types.repeat_B, TMA_ODD_REPEAT);
        }
        if (__builtin_expect(unused, 0)) {
            look_closely(out, map);
        }
    }
}

void tma_read_map(tma_decoded *out, const uint8_t *map) {
    read_map(out, map, 0);
}

tma_status tma_decode(tma_decoded *out, const uint8_t *map) {
    if (!out || !map) {
        return TMA_INVALID;
    }
    read_map(out, map, 1);
    return TMA_OK;
}

const char *tma_odd_text(uint64_t odd_bit) {
    switch (odd_bit) {
    case TMA_ODD_KIND:
        return "word 2 [3:1] is not 0: no driver writes that; NVIDIA's CuTe DSL "
               "(nvidia-cutlass-dsl) "
               "writes 1, and bytes 64 to 127 not at all; copies look at bit 0 alone";
    case TMA_ODD_RANK:
        return "the rank is beyond 5, or below 3 for im2col";
    case TMA_ODD_ELEMENT:
        return "no element type has this code";
    case TMA_ODD_INTERLEAVE:
        return "no interleave has the number 3";
    case TMA_ODD_TF32_FLAG:
        return "the TF32 flag is set on a type that is not 32-bit float: "
               "tensormap.replace.elemtype leaves it behind";
    case TMA_ODD_ATOMICITY:
        return "a swizzle atomicity is set without the 128-byte swizzle";
    case TMA_ODD_SWIZZLE_96B:
        return "the 96-byte swizzle is set beside another swizzle or an atomicity";
    case TMA_ODD_BOX_BYTES:
        return "word 16 is not what box and element strides give: stale after tensormap.replace, "
               "or no driver that was asked made the map";
    case TMA_ODD_REPEAT:
        return "word 18 is not what the swizzle gives: stale after tensormap.replace, or no driver "
               "that was asked made the map";
    case TMA_ODD_BEYOND_RANK:
        return "a size, stride, box or element stride beyond the rank is set";
    case TMA_ODD_UNOWNED:
        return "bits are set that belong to no field";
    default:
        return "";
    }
}
