/* SPDX-License-Identifier: Apache-2.0
 *
 * 128 bytes to spec. Everything decodes; what is odd about it is said.
 */
#include "map_layout.h"
#include "shared.h"
#include "tma/map.h"

#define ELEMENT_CODES 14
#define RESERVED      0xFFu /* no enumerator has this number */

/* Element code to data type; TF32 is the float32 code and a flag. */
static uint32_t dtype_of(uint32_t code, uint32_t tf32) {
    static const uint8_t plain[ELEMENT_CODES] = {
        TMA_DTYPE_UINT8,         TMA_DTYPE_UINT16,        TMA_DTYPE_UINT32,
        TMA_DTYPE_INT32,         TMA_DTYPE_UINT64,        TMA_DTYPE_INT64,
        TMA_DTYPE_FLOAT16,       TMA_DTYPE_FLOAT32,       TMA_DTYPE_FLOAT32_FTZ,
        TMA_DTYPE_FLOAT64,       TMA_DTYPE_BFLOAT16,      TMA_DTYPE_16U4_ALIGN8B,
        TMA_DTYPE_16U4_ALIGN16B, TMA_DTYPE_16U6_ALIGN16B,
    };
    if (code >= ELEMENT_CODES) {
        return RESERVED;
    }
    if (tf32 && plain[code] == TMA_DTYPE_FLOAT32) {
        return TMA_DTYPE_TFLOAT32;
    }
    if (tf32 && plain[code] == TMA_DTYPE_FLOAT32_FTZ) {
        return TMA_DTYPE_TFLOAT32_FTZ;
    }
    return plain[code];
}

static uint32_t swizzle_of(uint32_t word) {
    const uint32_t mode = TMA_GET(SWIZZLE, word);
    const uint32_t atomicity = TMA_GET(ATOMICITY, word);
    if (TMA_GET(SWIZZLE_96B, word)) {
        return TMA_SWIZZLE_96B;
    }
    return mode == TMA_SWIZZLE_128B && atomicity ? TMA_SWIZZLE_128B + atomicity : mode;
}

static void decode_word_2(tma_decoded *out, uint32_t word) {
    tma_spec *s = &out->spec;
    const uint32_t tf32 = TMA_GET(TF32, word);
    out->kind = TMA_GET(KIND, word);
    out->bit21 = TMA_GET(BIT21, word);
    s->api = out->kind == TMA_KIND_IM2COL ? TMA_API_IM2COL : TMA_API_TILED;
    s->rank = TMA_GET(RANK, word) + 1;
    s->dtype = dtype_of(TMA_GET(ELEMENT, word), tf32);
    s->interleave = TMA_GET(INTERLEAVE, word);
    s->swizzle = swizzle_of(word);
    s->fill = TMA_GET(FILL, word);
    s->l2 = TMA_GET(L2, word);
    const uint32_t is_tf32 = s->dtype == TMA_DTYPE_TFLOAT32 || s->dtype == TMA_DTYPE_TFLOAT32_FTZ;
    const uint32_t is_96B = s->swizzle == TMA_SWIZZLE_96B;
    const uint32_t least = out->kind == TMA_KIND_IM2COL ? 3 : 1;
    out->odd =
        (out->kind > TMA_KIND_IM2COL ? TMA_ODD_KIND : 0) |
        (s->rank < least || s->rank > TMA_MAX_RANK ? TMA_ODD_RANK : 0) |
        (s->dtype == RESERVED ? TMA_ODD_ELEMENT : 0) |
        (s->interleave > TMA_INTERLEAVE_32B ? TMA_ODD_INTERLEAVE : 0) |
        (tf32 && !is_tf32 ? TMA_ODD_TF32_FLAG : 0) |
        (TMA_GET(ATOMICITY, word) && TMA_GET(SWIZZLE, word) != TMA_SWIZZLE_128B ? TMA_ODD_ATOMICITY
                                                                                : 0) |
        (is_96B && (TMA_GET(SWIZZLE, word) || TMA_GET(ATOMICITY, word)) ? TMA_ODD_SWIZZLE_96B : 0);
}

/* Sizes, strides and element strides; all five are read, those beyond the rank should be 0. */
static void decode_tensor(tma_decoded *out, const uint8_t *map) {
    tma_spec *s = &out->spec;
    const uint32_t rank = s->rank;
    const uint32_t high = tma_word(map, TMA_AT_WORD_HIGH_0);
    const uint32_t strides = tma_word(map, TMA_AT_WORD_ES_0);
    uint64_t beyond = 0;
    s->address = tma_load64(map);
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        const uint32_t dim = tma_word(map, TMA_AT_WORD_DIM_0 + i);
        const uint32_t step = strides >> (3 * i) & 7;
        if (i < rank) {
            s->dim_el[i] = (uint64_t)dim + 1;
            s->element_stride[i] = step + 1;
        } else {
            beyond |= dim | step;
        }
    }
    for (uint32_t i = 0; i < TMA_MAX_STRIDES; i++) {
        const uint64_t units =
            tma_word(map, TMA_AT_WORD_STRIDE_0 + i) | (uint64_t)(high >> (4 * i) & 15) << 32;
        if (i + 1 < rank) {
            s->stride_B[i] = units << 4;
        } else {
            beyond |= units;
        }
    }
    out->odd |= beyond ? TMA_ODD_BEYOND_RANK : 0;
}

static void decode_tile_box(tma_decoded *out, const uint8_t *map) {
    uint32_t beyond = 0;
    out->spec.box_el[0] = map[4 * TMA_AT_WORD_BOX_0 + 3] + 1u;
    for (uint32_t i = 1; i < TMA_MAX_RANK; i++) {
        const uint32_t box = map[4 * TMA_AT_WORD_BOX_1 + i - 1];
        if (i < out->spec.rank) {
            out->spec.box_el[i] = box + 1;
        } else {
            beyond |= box;
        }
    }
    out->odd |= beyond ? TMA_ODD_BEYOND_RANK : 0;
}

static int32_t sign_extend(uint32_t value, uint32_t width_bit) {
    const uint32_t sign = 1u << (width_bit - 1);
    return (int32_t)(value & (sign - 1)) - (int32_t)(value & sign);
}

static void decode_corners(tma_decoded *out, const uint8_t *map) {
    tma_spec *s = &out->spec;
    const uint32_t word = tma_word(map, TMA_AT_WORD_LOWER_3D_W);
    const uint32_t width_bit = s->rank <= 3 ? 16 : s->rank == 4 ? 8 : 5;
    for (uint32_t i = 0; i < TMA_MAX_SPATIAL && i + 2 < s->rank; i++) {
        s->lower_px[i] = sign_extend(word >> (i * width_bit), width_bit);
        s->upper_px[i] = sign_extend(word >> (16 + i * width_bit), width_bit);
    }
    s->channels_per_pixel = map[4 * TMA_AT_WORD_CHANNELS + 3] + 1u;
    s->pixels_per_column = TMA_GET(PIXELS, tma_word(map, TMA_AT_WORD_PIXELS)) + 1;
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
    owned[14] = kind == TMA_KIND_IM2COL && rank == 5 ? 0x7FFF7FFF : UINT32_MAX;
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

static int has_unowned(const uint8_t *map, uint32_t kind, uint32_t rank) {
    const uint32_t is_im2col = kind == TMA_KIND_IM2COL;
    uint32_t bits = tma_word(map, 2) >> 23 | tma_word(map, 7) >> 16 | tma_word(map, 17);
    bits |= tma_word(map, 13) & 0xFF8000;
    bits |= is_im2col && rank == 5 ? tma_word(map, 14) & 0x80008000 : 0;
    bits |= is_im2col ? tma_word(map, 15) >> 10 : tma_word(map, 15);
    for (uint32_t i = 19; i < TMA_MAP_WORDS; i++) {
        bits |= tma_word(map, i);
    }
    return bits != 0;
}

tma_status tma_decode(tma_decoded *out, const void *map) {
    if (!out || !map) {
        return TMA_ARGUMENT;
    }
    const uint8_t *bytes = (const uint8_t *)map;
    memset(out, 0, sizeof(*out));
    decode_word_2(out, tma_word(bytes, 2));
    decode_tensor(out, bytes);
    if (out->kind == TMA_KIND_IM2COL) {
        decode_corners(out, bytes);
    } else {
        decode_tile_box(out, bytes);
    }
    out->box_B = tma_word(bytes, TMA_AT_WORD_BOX_BYTES);
    out->repeat_B = tma_word(bytes, TMA_AT_WORD_REPEAT);
    if (out->box_B != (uint32_t)tma_box_bytes(&out->spec)) {
        out->odd |= TMA_ODD_BOX_BYTES;
    }
    if (out->repeat_B != tma_swizzle_repeat_B(out->spec.swizzle)) {
        out->odd |= TMA_ODD_REPEAT;
    }
    if (has_unowned(bytes, out->kind, out->spec.rank)) {
        out->odd |= TMA_ODD_UNOWNED;
    }
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
