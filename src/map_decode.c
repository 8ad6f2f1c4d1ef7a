/* SPDX-License-Identifier: Apache-2.0
 *
 * 128 bytes to spec. Everything decodes; what is odd about it is said.
 */
#include "map_layout.h"
#include "map_read.h"
#include "shared.h"
#include "tma/map.h"

#define RESERVED 0xFFu /* no enumerator has this number */

/* Both callers are short enough for it, and calls would cost a fifth of a decode. */
#define INLINE_TWICE static inline __attribute__((always_inline))

/* Rarely taken, so a branch: it costs less than making the bit each time. */
#define ODD_IF(condition, odd_bit)                                                                 \
    do {                                                                                           \
        if (__builtin_expect(condition, 0)) {                                                      \
            out->odd |= (odd_bit);                                                                 \
        }                                                                                          \
    } while (0)

#define FLAG TMA_ODD_TF32_FLAG
#define ATOM TMA_ODD_ATOMICITY
#define B96  TMA_ODD_SWIZZLE_96B

/* What the element code says: bits of an element, data type, what is odd. First without the TF32
 * flag, then with it, which makes another type of two of them. */
static const struct element_row {
    uint8_t bits;
    uint8_t dtype;
    uint16_t odd;
} elements[2][16] = {
    {{8, TMA_DTYPE_UINT8, 0},
     {16, TMA_DTYPE_UINT16, 0},
     {32, TMA_DTYPE_UINT32, 0},
     {32, TMA_DTYPE_INT32, 0},
     {64, TMA_DTYPE_UINT64, 0},
     {64, TMA_DTYPE_INT64, 0},
     {16, TMA_DTYPE_FLOAT16, 0},
     {32, TMA_DTYPE_FLOAT32, 0},
     {32, TMA_DTYPE_FLOAT32_FTZ, 0},
     {64, TMA_DTYPE_FLOAT64, 0},
     {16, TMA_DTYPE_BFLOAT16, 0},
     {4, TMA_DTYPE_16U4_ALIGN8B, 0},
     {4, TMA_DTYPE_16U4_ALIGN16B, 0},
     {6, TMA_DTYPE_16U6_ALIGN16B, 0},
     {0, RESERVED, TMA_ODD_ELEMENT},
     {0, RESERVED, TMA_ODD_ELEMENT}},
    {{8, TMA_DTYPE_UINT8, FLAG},
     {16, TMA_DTYPE_UINT16, FLAG},
     {32, TMA_DTYPE_UINT32, FLAG},
     {32, TMA_DTYPE_INT32, FLAG},
     {64, TMA_DTYPE_UINT64, FLAG},
     {64, TMA_DTYPE_INT64, FLAG},
     {16, TMA_DTYPE_FLOAT16, FLAG},
     {32, TMA_DTYPE_TFLOAT32, 0},
     {32, TMA_DTYPE_TFLOAT32_FTZ, 0},
     {64, TMA_DTYPE_FLOAT64, FLAG},
     {16, TMA_DTYPE_BFLOAT16, FLAG},
     {4, TMA_DTYPE_16U4_ALIGN8B, FLAG},
     {4, TMA_DTYPE_16U4_ALIGN16B, FLAG},
     {6, TMA_DTYPE_16U6_ALIGN16B, FLAG},
     {0, RESERVED, TMA_ODD_ELEMENT | FLAG},
     {0, RESERVED, TMA_ODD_ELEMENT | FLAG}},
};

/* What mode, atomicity and the 96-byte bit say together: bytes after which the pattern repeats,
 * swizzle, what is odd. A line for each atomicity, the mode within it. */
static const struct swizzle_row {
    uint16_t repeat_B;
    uint8_t swizzle;
    uint8_t odd;
} swizzles[2][4][4] = {
    {{{16, 0, 0}, {256, 1, 0}, {512, 2, 0}, {1024, TMA_SWIZZLE_128B, 0}},
     {{16, 0, ATOM}, {256, 1, ATOM}, {512, 2, ATOM}, {512, TMA_SWIZZLE_128B_ATOM_32B, 0}},
     {{16, 0, ATOM}, {256, 1, ATOM}, {512, 2, ATOM}, {512, TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B, 0}},
     {{16, 0, ATOM}, {256, 1, ATOM}, {512, 2, ATOM}, {256, TMA_SWIZZLE_128B_ATOM_64B, 0}}},
    {{{256, 96, 0}, {256, 96, B96}, {256, 96, B96}, {256, 96, B96}},
     {{256, 96, ATOM | B96}, {256, 96, ATOM | B96}, {256, 96, ATOM | B96}, {256, 96, B96}},
     {{256, 96, ATOM | B96}, {256, 96, ATOM | B96}, {256, 96, ATOM | B96}, {256, 96, B96}},
     {{256, 96, ATOM | B96}, {256, 96, ATOM | B96}, {256, 96, ATOM | B96}, {256, 96, B96}}},
};

/* What word 2 says beside the members of a spec. */
typedef struct word_2 {
    uint32_t rank;
    uint32_t bits;     /* of an element */
    uint32_t repeat_B; /* what word 18 should be */
    int tiled;
} word_2;

INLINE_TWICE word_2 decode_word_2(tma_decoded *out, uint32_t word) {
    tma_spec *s = &out->spec;
    const struct element_row *element = &elements[TMA_GET(TF32, word)][TMA_GET(ELEMENT, word)];
    const struct swizzle_row *swizzle =
        &swizzles[TMA_GET(SWIZZLE_96B, word)][TMA_GET(ATOMICITY, word)][TMA_GET(SWIZZLE, word)];
    const uint32_t kind = TMA_GET(KIND, word);
    const uint32_t rank = TMA_GET(RANK, word) + 1;
    const uint32_t least = kind == TMA_KIND_IM2COL ? 3 : 1;
    out->odd = element->odd | swizzle->odd;
    out->kind = kind;
    out->bit21 = TMA_GET(BIT21, word);
    s->api = kind == TMA_KIND_IM2COL ? TMA_API_IM2COL : TMA_API_TILED;
    ODD_IF(kind > TMA_KIND_IM2COL, TMA_ODD_KIND);
    s->dtype = element->dtype;
    s->rank = rank;
    ODD_IF(rank - least > TMA_MAX_RANK - least, TMA_ODD_RANK);
    s->interleave = TMA_GET(INTERLEAVE, word);
    ODD_IF(s->interleave > TMA_INTERLEAVE_32B, TMA_ODD_INTERLEAVE);
    s->swizzle = swizzle->swizzle;
    s->l2 = TMA_GET(L2, word);
    s->fill = TMA_GET(FILL, word);
    s->wide_mode = 0;
    return (word_2){rank, element->bits, swizzle->repeat_B, kind != TMA_KIND_IM2COL};
}

/* The words that hold something of every dimension. */
typedef struct packed_words {
    uint32_t steps; /* word 13, element strides */
    uint32_t high;  /* word 7, high bits of strides */
    uint32_t boxes; /* word 14 */
} packed_words;

/* What every map has for dimension i. These three are inlined with i a constant. */
static inline void decode_dimension(tma_spec *s, const uint8_t *map, packed_words w, uint32_t i) {
    s->dim_el[i] = (uint64_t)tma_word(map, TMA_AT_WORD_DIM_0 + i) + 1;
    s->element_stride[i] = (w.steps >> (3 * i) & 7) + 1;
    if (i > 0) {
        const uint64_t high = w.high >> (4 * (i - 1)) & 15;
        s->stride_B[i - 1] = (tma_word(map, TMA_AT_WORD_STRIDE_0 + i - 1) | high << 32) << 4;
    }
}

/* Dimension i of a tiled map; returns what its box counts in word 16. */
static inline uint32_t decode_tile(tma_spec *s, const uint8_t *map, packed_words w, uint32_t i) {
    decode_dimension(s, map, w, i);
    s->box_el[i] = (i > 0 ? w.boxes >> (8 * (i - 1)) & 255 : w.steps >> 24) + 1;
    return tma_box_steps(s->box_el[i], (w.steps >> (3 * i) & 7) + 1);
}

/* `width` bits of a word from `bit` on, as a signed number; gcc and clang shift signs in. */
static inline int32_t signed_bits(uint32_t word, uint32_t bit, uint32_t width) {
    return (int32_t)(word << (32 - bit - width)) >> (32 - width);
}

static inline void decode_corner(tma_spec *s, uint32_t word, uint32_t i, uint32_t width) {
    s->lower_px[i] = signed_bits(word, i * width, width);
    s->upper_px[i] = signed_bits(word, 16 + i * width, width);
}

/* These two return the elements that word 16 counts. */
INLINE_TWICE uint64_t decode_tiled(tma_spec *s, const uint8_t *map, packed_words w, uint32_t rank) {
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

INLINE_TWICE uint64_t decode_im2col(tma_spec *s, const uint8_t *map, packed_words w,
                                    uint32_t rank) {
    switch (rank) {
    default: /* 5, or beyond */
        decode_dimension(s, map, w, 4);
        /* fall through */
    case 4:
        decode_dimension(s, map, w, 3);
        /* fall through */
    case 3:
        decode_dimension(s, map, w, 2);
        /* fall through */
    case 2:
        decode_dimension(s, map, w, 1);
        /* fall through */
    case 1:
        decode_dimension(s, map, w, 0);
    }
    if (rank == 3) {
        decode_corner(s, w.boxes, 0, 16);
    } else if (rank == 4) {
        decode_corner(s, w.boxes, 0, 8);
        decode_corner(s, w.boxes, 1, 8);
    } else if (rank > 4) {
        decode_corner(s, w.boxes, 0, 5);
        decode_corner(s, w.boxes, 1, 5);
        decode_corner(s, w.boxes, 2, 5);
    }
    s->channels_per_pixel = (w.steps >> 24) + 1;
    s->pixels_per_column = TMA_GET(PIXELS, tma_word(map, TMA_AT_WORD_PIXELS)) + 1;
    return (uint64_t)s->channels_per_pixel * s->pixels_per_column;
}

/* Whether something is set in what belongs to dimensions beyond the rank. */
static inline int beyond_rank(const uint8_t *map, packed_words w, uint32_t rank, int tiled) {
    uint64_t bits = (w.steps & 0x7FFF) >> (3 * rank) | (w.high & 0xFFFF) >> (4 * (rank - 1));
    bits |= tiled ? w.boxes >> (8 * (rank - 1)) : 0;
    for (uint32_t i = rank; i < TMA_MAX_RANK; i++) {
        bits |= tma_word(map, TMA_AT_WORD_DIM_0 + i) | tma_word(map, TMA_AT_WORD_STRIDE_0 + i - 1);
    }
    return bits != 0;
}

/* The bits of each word that some field of a map of this kind and rank owns; of words 19 to 31 no
 * field owns any. */
static void owned_bits(uint32_t kind, uint32_t rank, uint32_t owned[19]) {
    for (uint32_t i = 0; i < 19; i++) {
        owned[i] = UINT32_MAX;
    }
    owned[2] = TMA_MASK(SWIZZLE_96B) | (TMA_MASK(SWIZZLE_96B) - 1);
    owned[7] = 0xFFFF;
    owned[13] = TMA_MASK(BOX_0) | 0x7FFF;
    owned[14] = kind == TMA_KIND_IM2COL && rank >= 5 ? 0x7FFF7FFF : UINT32_MAX;
    owned[15] = kind == TMA_KIND_IM2COL ? TMA_MASK(PIXELS) : 0;
    owned[17] = 0;
}

uint32_t tma_unowned(const void *map, uint32_t words[TMA_MAP_WORDS]) {
    uint32_t owned[19];
    uint32_t count = 0;
    const uint32_t word_2 = tma_word(map, 2);
    owned_bits(TMA_GET(KIND, word_2), TMA_GET(RANK, word_2) + 1, owned);
    for (uint32_t i = 0; i < TMA_MAP_WORDS; i++) {
        words[i] = tma_word(map, i) & ~(i < 19 ? owned[i] : 0);
        for (uint32_t bits = words[i]; bits; bits &= bits - 1) {
            count++;
        }
    }
    return count;
}

static int has_unowned(const uint8_t *map, int tiled, uint32_t rank) {
    const uint8_t *behind = map + (size_t)4 * (TMA_AT_WORD_REPEAT + 1); /* words 19 to 31: none */
    uint32_t bits = tma_word(map, 2) >> 23 | tma_word(map, 7) >> 16 | tma_word(map, 17);
    bits |= tma_word(map, 13) & 0xFF8000;
    bits |= !tiled && rank >= 5 ? tma_word(map, 14) & 0x80008000 : 0;
    bits |= tma_word(map, 15) >> (tiled ? 0 : TMA_AT_WIDTH_PIXELS);
    const uint64_t rest = tma_load64(behind) | tma_load64(behind + 8) | tma_load64(behind + 16) |
                          tma_load64(behind + 24) | tma_load64(behind + 32) |
                          tma_load64(behind + 40) | tma_load32(behind + 48);
    return (bits | rest) != 0;
}

/* Corners, channels and pixels are the last members of a spec. */
#define COLUMNS_AT offsetof(tma_spec, lower_px)

/* All that the map says of a spec; and, if it is to be judged, what is odd beyond word 2. */
INLINE_TWICE void read_map(tma_decoded *out, const uint8_t *bytes, int judge) {
    const packed_words w = {tma_word(bytes, TMA_AT_WORD_ES_0), tma_word(bytes, TMA_AT_WORD_HIGH_0),
                            tma_word(bytes, TMA_AT_WORD_BOX_1)};
    const word_2 two = decode_word_2(out, tma_word(bytes, 2));
    tma_spec *s = &out->spec;
    s->address = tma_load64(bytes);
    memset(s->box_el, 0, sizeof(s->box_el));
    memset((uint8_t *)s + COLUMNS_AT, 0, sizeof(*s) - COLUMNS_AT);
    if (two.rank < TMA_MAX_RANK) {
        memset(s->dim_el, 0, sizeof(s->dim_el));
        memset(s->stride_B, 0, sizeof(s->stride_B));
        memset(s->element_stride, 0, sizeof(s->element_stride));
        ODD_IF(judge && beyond_rank(bytes, w, two.rank, two.tiled), TMA_ODD_BEYOND_RANK);
    }
    const uint64_t counted_el =
        two.tiled ? decode_tiled(s, bytes, w, two.rank) : decode_im2col(s, bytes, w, two.rank);
    if (judge) {
        out->box_B = tma_word(bytes, TMA_AT_WORD_BOX_BYTES);
        out->repeat_B = tma_word(bytes, TMA_AT_WORD_REPEAT);
        ODD_IF(out->box_B != (uint32_t)(counted_el * two.bits / 8), TMA_ODD_BOX_BYTES);
        ODD_IF(out->repeat_B != two.repeat_B, TMA_ODD_REPEAT);
        ODD_IF(has_unowned(bytes, two.tiled, two.rank), TMA_ODD_UNOWNED);
    }
}

void tma_read_map(tma_decoded *out, const void *map) {
    read_map(out, (const uint8_t *)map, 0);
}

tma_status tma_decode(tma_decoded *out, const void *map) {
    if (!out || !map) {
        return TMA_ARGUMENT;
    }
    read_map(out, (const uint8_t *)map, 1);
    return TMA_OK;
}

const char *tma_odd_text(uint32_t odd_bit) {
    switch (odd_bit) {
    case TMA_ODD_KIND:
        return "the kind is neither 0 (tiled) nor 1 (im2col)";
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
               "or another maker's";
    case TMA_ODD_REPEAT:
        return "word 18 is not what the swizzle gives: stale after tensormap.replace, or another "
               "maker's";
    case TMA_ODD_BEYOND_RANK:
        return "a size, stride, box or element stride beyond the rank is set";
    case TMA_ODD_UNOWNED:
        return "bits are set that belong to no field";
    default:
        return "";
    }
}
