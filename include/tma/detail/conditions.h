/* SPDX-License-Identifier: Apache-2.0
 *
 * When a rule is broken, each condition once, on plain numbers: the rules of a map and the judging
 * of a copy ask the same ones, and so does a kernel (judge.h), which has no C library: nothing is
 * included here but tables of constants. 1: broken. What follows from it, and on which target,
 * stands in rules.def and traps.def.
 *
 * Pure functions, safe on any thread. C11, C++11 and up; with nvcc they are __host__ __device__.
 */
#ifndef TMA_CONDITIONS_H
#define TMA_CONDITIONS_H

#include "../type_traits.h"

#if defined(TMA_CONDITION) /* a compiler that has to be told more */
#elif defined(__CUDACC__)
#define TMA_CONDITION static __host__ __device__ __forceinline__
#else
#define TMA_CONDITION static inline
#endif

TMA_CONDITION int tma_off_multiple(uint64_t value, uint64_t unit) {
    return value % unit != 0;
}

/* Of rows, coordinates and sizes, whose elements have bits. */
#define TMA_ALIGN_BIT (UINT64_C(8) * TMA_VALUE(ALIGN))

/* --- the map --- */

/* What the address and the strides are multiples of, whatever the element type. */
TMA_CONDITION uint32_t tma_align_B(uint32_t interleave) {
    return interleave == TMA_INTERLEAVE_32B ? TMA_VALUE(ALIGN_32B) : TMA_VALUE(ALIGN);
}

/* Addresses and strides of padded types. */
TMA_CONDITION int tma_off_padded(uint64_t value, const tma_type_traits *type) {
    return (type->traits & (TMA_TRAIT_PADDED | TMA_TRAIT_HALVES)) == TMA_TRAIT_PADDED &&
           tma_off_multiple(value, TMA_VALUE(ALIGN_32B));
}

/* Ranks that im2col and interleaved maps have not. */
TMA_CONDITION int tma_rank_sliced(uint32_t rank, int tiled, uint32_t interleave) {
    return rank < TMA_VALUE(RANK_SLICED) && (!tiled || interleave != TMA_INTERLEAVE_NONE);
}

TMA_CONDITION int tma_dim_kills(uint64_t dim_el) {
    return dim_el > TMA_VALUE(COPIED_DIM);
}

/* A row of the box, as long as it is in global memory. */
TMA_CONDITION int tma_row_off_16B(uint32_t row_el, uint32_t bits) {
    return tma_off_multiple((uint64_t)row_el * bits, TMA_ALIGN_BIT);
}

TMA_CONDITION int tma_row_over_span(uint64_t row_B, uint32_t span_B, uint32_t interleave) {
    return interleave == TMA_INTERLEAVE_NONE && span_B && row_B > span_B;
}

TMA_CONDITION int tma_nan_integer(uint32_t fill, const tma_type_traits *type) {
    return fill == TMA_FILL_NAN && type->bits &&
           !(type->traits & (TMA_TRAIT_FLOAT | TMA_TRAIT_PACKED));
}

TMA_CONDITION int tma_nan_packed(uint32_t fill, const tma_type_traits *type) {
    return fill == TMA_FILL_NAN && type->traits & TMA_TRAIT_PACKED;
}

TMA_CONDITION int tma_dim_off_granule(uint64_t dim_el, const tma_type_traits *type) {
    return tma_off_multiple(dim_el, type->granule_el);
}

TMA_CONDITION int tma_row_not_padded(uint32_t row_el, const tma_type_traits *type) {
    return type->traits & TMA_TRAIT_PADDED && row_el != type->granule_el &&
           !(type->traits & TMA_TRAIT_HALVES && row_el == 2u * type->granule_el);
}

TMA_CONDITION int tma_is_6_bit(const tma_type_traits *type) {
    return type->bits == 6;
}

/* wide: of cuTensorMapEncodeIm2colWide. */
TMA_CONDITION int tma_swizzle_not_padded(const tma_swizzle_traits *swizzle,
                                         const tma_type_traits *type, int wide) {
    const uint32_t has = swizzle->traits;
    if (!(type->traits & TMA_TRAIT_PADDED)) {
        return 0;
    }
    if (has & TMA_TRAIT_TAKES_HALVES && type->traits & TMA_TRAIT_HALVES) {
        return 0;
    }
    if (wide) {
        return !(has & TMA_TRAIT_TAKES_PADDED && has & TMA_TRAIT_WIDE_CALL);
    }
    return !(has & TMA_TRAIT_TAKES_PADDED || (has & TMA_TRAIT_TAKES_6_BIT && tma_is_6_bit(type)));
}

/* Stores and reductions: a corner of im2col. */
TMA_CONDITION int tma_lower_outside(int64_t lower_px) {
    return lower_px < 0;
}

TMA_CONDITION int tma_upper_outside(int64_t upper_px) {
    return upper_px > 0;
}

TMA_CONDITION int tma_over_shared(uint64_t footprint_B, uint64_t shared_B) {
    return footprint_B > shared_B;
}

/* --- the shape --- */

/* Elements that a box visits along a dimension: ceil(box / element stride). */
TMA_CONDITION uint32_t tma_visited(uint32_t box_el, uint32_t step) {
    return step <= 1 ? box_el : box_el / step + (box_el % step != 0);
}

/* What a row of the payload occupies in shared memory: with padding 8 bytes of values and 8 more,
 * or 12 and 4. */
TMA_CONDITION uint32_t tma_padded_B(uint32_t row_B, const tma_type_traits *type) {
    return type->group_shared_B
               ? (uint32_t)((uint64_t)row_B * 8 / ((uint64_t)type->group_el * type->bits) *
                            type->group_shared_B)
               : row_B;
}

/* --- the position --- */

/* Whether a multicast names a CTA that its cluster has not; the mask has 16 bits, or 32. */
TMA_CONDITION int tma_mask_beyond(uint64_t cta_mask, uint64_t ctas) {
    return ctas < 32 && (cta_mask & 0xFFFFFFFF) >> ctas != 0;
}

/* What coordinate 0 of a padded type is a multiple of: of stores the type's own granule, but on
 * sm_107f as of loads (PTX 9.4, 9.7.10.28.5.1). */
TMA_CONDITION uint32_t tma_coord_granule(const tma_type_traits *type, uint64_t features) {
    return features & TMA_FEATURE_PTX_94 ? TMA_VALUE(PADDED) : type->granule_el;
}

TMA_CONDITION int tma_coord_off_16B(int64_t coord, uint32_t bits) {
    return coord * (int64_t)bits % (int64_t)TMA_ALIGN_BIT != 0;
}

TMA_CONDITION int tma_coord_off_granule(int64_t coord, uint32_t granule_el) {
    return granule_el && coord % granule_el != 0;
}

TMA_CONDITION int tma_coord_negative(int64_t coord) {
    return coord < 0;
}

/* The last pixel of the bounding box along a dimension. */
TMA_CONDITION int64_t tma_last_pixel(uint64_t dim_el, int32_t upper_px) {
    return (int64_t)dim_el - 1 + upper_px;
}

TMA_CONDITION uint32_t tma_halo_limit(int w128) {
    return w128 ? TMA_VALUE(HALO_W128) : TMA_VALUE(HALO);
}

#endif
