/* SPDX-License-Identifier: Apache-2.0
 *
 * The quick yes of judge.h: most maps and copies, asked all at once and without branches. What this
 * lets through passes every check there; what it does not is judged. tests/test_judge.c holds that.
 */
#ifndef TMA_JUDGE_QUICK_H
#define TMA_JUDGE_QUICK_H

#include "judge.h"

/* The bits of a field of one entry in its word. */
#define TMA_QUICK_BITS(id)                                                                         \
    ((uint32_t)((UINT64_C(1) << TMA_LAYOUT_##id##_WIDTH) - 1) << TMA_LAYOUT_##id##_AT % 32)

/* What is nowhere set in the word of the types: another kind, interleave, fill, TF32, atomicities.
 */
#define TMA_QUICK_NOT                                                                              \
    (TMA_QUICK_BITS(KIND) | TMA_QUICK_BITS(INTERLEAVE) | TMA_QUICK_BITS(FILL) |                    \
     TMA_QUICK_BITS(TF32) | TMA_QUICK_BITS(ATOMICITY) | TMA_QUICK_BITS(SWIZZLE_96B))
#define TMA_QUICK_IN_WORD_2(id) ((int)TMA_LAYOUT_##id##_AT / 32 == (int)TMA_LAYOUT_KIND_AT / 32)

/* Bytes of an element by its code, four bits each; 0: no such type, or one of 4 or 6 bits. */
#define TMA_QUICK_BYTES(id, name, cuda, ptx, imm, stored, evidence, bits, mantissa, traits, ...)   \
    | ((traits) & (TMA_TRAIT_PACKED | TMA_TRAIT_TF32) ? 0 : (uint64_t)(bits) / 8)                  \
            << 4 * ((traits)&TMA_TRAIT_PACKED ? 0 : (stored))

/* The span of a swizzle by its mode, a byte each, in units of 16; 0: none. */
#define TMA_QUICK_SPAN(id, name, cuda, ptx, imm, stored, evidence, atom, span, repeat, align,      \
                       traits, ...)                                                                \
    | ((traits) & (TMA_TRAIT_ATOM | TMA_TRAIT_NO_CALL) ? 0u : (uint32_t)(span) / 16)               \
            << 8 * ((traits) & (TMA_TRAIT_ATOM | TMA_TRAIT_NO_CALL) ? 0 : (stored))

/* Rows of a tile in shared memory, where nothing is strided or interleaved. */
TMA_CONDITION uint64_t tma_quick_rows(const void *map) {
    return (uint64_t)tma_layout_box_el(map, 1) * tma_layout_box_el(map, 2) *
           tma_layout_box_el(map, 3) * tma_layout_box_el(map, 4);
}

/* Sizes beyond what is copied have the highest bit. */
TMA_CONDITION uint32_t tma_quick_large(const void *map) {
    const uint32_t dims = TMA_LAYOUT_GET(map, DIM, 0) | TMA_LAYOUT_GET(map, DIM, 1) |
                          TMA_LAYOUT_GET(map, DIM, 2) | TMA_LAYOUT_GET(map, DIM, 3) |
                          TMA_LAYOUT_GET(map, DIM, 4);
    return dims / (uint32_t)TMA_VALUE(COPIED_DIM);
}

/* And element strides of 1 are 0. */
TMA_CONDITION uint32_t tma_quick_odd_sizes(const void *map) {
    const uint32_t steps = TMA_LAYOUT_GET(map, ES, 0) | TMA_LAYOUT_GET(map, ES, 1) |
                           TMA_LAYOUT_GET(map, ES, 2) | TMA_LAYOUT_GET(map, ES, 3) |
                           TMA_LAYOUT_GET(map, ES, 4);
    return tma_quick_large(map) | steps;
}

/* What a map says of its rows, in both kinds alike; element_B is 0 where something is odd. */
typedef struct tma_quick_rows_of {
    uint32_t element_B;
    uint32_t span_B;
    uint32_t row_B;
} tma_quick_rows_of;

TMA_CONDITION tma_quick_rows_of tma_quick_read(const void *map, uint32_t inner_el,
                                               uint32_t not_set) {
    const uint64_t element_bytes = 0
#define TMA_DTYPE_ROWS TMA_QUICK_BYTES
#include "enums.def"
        ;
    const uint32_t spans = 0
#define TMA_SWIZZLE_ROWS TMA_QUICK_SPAN
#include "enums.def"
        ;
    tma_quick_rows_of rows;
    const uint32_t element_B =
        (uint32_t)(element_bytes >> 4 * TMA_LAYOUT_GET(map, ELEMENT, 0)) & 15;
    const uint32_t row_B = inner_el * element_B;
    const uint32_t span_B = (spans >> 8 * TMA_LAYOUT_GET(map, SWIZZLE, 0) & 0xFF) * 16;
    const int right = !(tma_layout_word(map, TMA_LAYOUT_KIND_AT / 32) & not_set) &&
                      !(row_B % TMA_VALUE(ALIGN)) && (!span_B || row_B <= span_B) &&
                      !(tma_layout_word(map, TMA_LAYOUT_ADDRESS_AT / 32) % TMA_VALUE(ALIGN));
    rows.element_B = right ? element_B : 0;
    rows.span_B = span_B;
    rows.row_B = row_B;
    return rows;
}

/* The pass of tma_judge_pass() (judge.h), found with fewer instructions; 0 where the copy has to
 * be judged. Some copies that have a pass get 0 here. */
TMA_LAYOUT_FUNCTION uint32_t tma_judge_quick(const void *map, const tma_judge_site *site,
                                             uint32_t window_end) {
    const tma_quick_rows_of rows = tma_quick_read(map, tma_layout_box_el(map, 0), TMA_QUICK_NOT);
    const uint64_t extent_B =
        (tma_quick_rows(map) - 1) * (rows.span_B ? rows.span_B : rows.row_B) + rows.row_B;
    const uint32_t rank = tma_layout_rank(map);
    const uint32_t end = window_end ? window_end : (uint32_t)(TMA_VALUE(WINDOW) - 1);
    const int known = rows.element_B && site->mode == TMA_MODE_TILE &&
                      (site->op == TMA_OP_LOAD || site->op == TMA_OP_STORE) &&
                      (!site->rank || site->rank == rank) && rank <= TMA_VALUE(RANK);
    const int fits = !tma_quick_odd_sizes(map) && extent_B <= end;
    return known && fits
               ? ((end - (uint32_t)extent_B) & ~TMA_PASS_BITS) |
                     ((uint32_t)TMA_VALUE(ALIGN) / (rows.element_B ? rows.element_B : 1) - 1)
               : 0;
}

/* Whether a pixel lies in the bounding box, or there is no such dimension. */
TMA_CONDITION int tma_quick_pixel(const void *map, uint32_t i, uint32_t spatial, int32_t given) {
    return i >= spatial ||
           (given >= tma_layout_lower_px(map, i) &&
            given <= tma_last_pixel(tma_layout_dim_el(map, i + 1), tma_layout_upper_px(map, i)));
}

/* Whether stores take the corners of an im2col map. */
TMA_CONDITION int tma_quick_corners(const void *map, uint32_t spatial) {
    int inside = 1;
    for (uint32_t i = 0; i < TMA_MAX_SPATIAL; i++) {
        inside &= i >= spatial || (!tma_lower_outside(tma_layout_lower_px(map, i)) &&
                                   !tma_upper_outside(tma_layout_upper_px(map, i)));
    }
    return inside;
}

/* tma_judge_quick() for im2col. Each copy is then compared with the bounding box:
 * tma_quick_limit(). */
TMA_LAYOUT_FUNCTION uint32_t tma_judge_quick_im2col_map(const void *map, const tma_judge_site *site,
                                                        uint32_t window_end) {
    const tma_quick_rows_of rows =
        tma_quick_read(map, tma_layout_channels(map), TMA_QUICK_NOT & ~TMA_QUICK_BITS(KIND));
    const uint64_t extent_B =
        (uint64_t)(tma_layout_pixels(map) - 1) * (rows.span_B ? rows.span_B : rows.row_B) +
        rows.row_B;
    const uint32_t rank = tma_layout_rank(map);
    const uint32_t end = window_end ? window_end : (uint32_t)(TMA_VALUE(WINDOW) - 1);
    const int known = rows.element_B && site->mode == TMA_MODE_IM2COL &&
                      !tma_layout_is_tiled(map) &&
                      (site->op == TMA_OP_LOAD ||
                       (site->op == TMA_OP_STORE && tma_quick_corners(map, rank - 2))) &&
                      (!site->rank || site->rank == rank) && rank >= TMA_VALUE(RANK_SLICED) &&
                      rank <= TMA_VALUE(RANK) && !tma_quick_large(map);
    return known && extent_B <= end
               ? ((end - (uint32_t)extent_B) & ~TMA_PASS_BITS) |
                     ((uint32_t)TMA_VALUE(ALIGN) / (rows.element_B ? rows.element_B : 1) - 1)
               : 0;
}

/* Of dimension i, which is spatial dimension `spatial`, where the map has that. */
TMA_CONDITION int32_t tma_quick_limit_of(const void *map, uint32_t i, uint32_t spatial, int most) {
    const int64_t last =
        tma_last_pixel(tma_layout_dim_el(map, i), tma_layout_upper_px(map, spatial));
    if (spatial + 2 >= tma_layout_rank(map)) {
        return most ? INT32_MAX : INT32_MIN;
    }
    if (!most) {
        return tma_layout_lower_px(map, spatial);
    }
    return last > INT32_MAX ? INT32_MAX : (int32_t)last;
}

/* The least (most is 0) or the largest value that coordinate i of an im2col copy may have;
 * INT32_MIN or INT32_MAX where no bounding box limits it. */
TMA_LAYOUT_FUNCTION int32_t tma_quick_limit(const void *map, uint32_t i, int most) {
    if (TMA_LAYOUT_GET(map, INTERLEAVE, 0)) {
        return i < TMA_MAX_SPATIAL ? tma_quick_limit_of(map, i, i, most)
                                   : (most ? INT32_MAX : INT32_MIN);
    }
    return i ? tma_quick_limit_of(map, i, i - 1, most) : (most ? INT32_MAX : INT32_MIN);
}

/* Not 0 if an im2col load runs; 0 if it has to be judged. Such a load has no pass, because its box
 * lies in the map. The mask of a multicast is not looked at. */
TMA_LAYOUT_FUNCTION int tma_judge_quick_im2col(const void *map, const tma_judge_site *site,
                                               const tma_judge_at *at) {
    const uint32_t pass =
        site->op == TMA_OP_LOAD ? tma_judge_quick_im2col_map(map, site, at->window_end) : 0;
    const uint32_t spatial = tma_layout_rank(map) - 2;
    return TMA_PASSES(pass, at->coord[0], at->shared_address) &&
           tma_quick_pixel(map, 0, spatial, at->coord[1]) &&
           tma_quick_pixel(map, 1, spatial, at->coord[2]) &&
           tma_quick_pixel(map, 2, spatial, at->coord[3]);
}

#if defined(__cplusplus)
static_assert
#else
_Static_assert
#endif
    (TMA_QUICK_IN_WORD_2(INTERLEAVE) && TMA_QUICK_IN_WORD_2(FILL) && TMA_QUICK_IN_WORD_2(TF32) &&
         TMA_QUICK_IN_WORD_2(ATOMICITY) && TMA_QUICK_IN_WORD_2(SWIZZLE_96B),
     "fields.def: these are in one word");

#endif
