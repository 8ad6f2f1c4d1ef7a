/* SPDX-License-Identifier: Apache-2.0
 *
 * The quick yes of judge.h: most maps and copies, asked all at once and without branches. What this
 * lets through passes every check there; what it does not is judged. tests/plan/test_judge.c holds
 * that.
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

/* The bits that coordinate 0 must not have, by the type's code: 16 over its bytes, less 1. */
#define TMA_QUICK_FIRST(id, name, cuda, ptx, imm, stored, evidence, bits, mantissa, traits, ...)   \
    | ((traits) & (TMA_TRAIT_PACKED | TMA_TRAIT_TF32) ? 0 : (uint64_t)(TMA_ALIGN_BIT / (bits)-1))  \
            << 4 * ((traits)&TMA_TRAIT_PACKED ? 0 : (stored))

/* The span of a swizzle by its mode, a byte each, in units of 16; 0: none. */
#define TMA_QUICK_SPAN(id, name, cuda, ptx, imm, stored, evidence, atom, span, repeat, align,      \
                       traits, ...)                                                                \
    | ((traits) & (TMA_TRAIT_ATOM | TMA_TRAIT_NO_CALL) ? 0u : (uint32_t)(span) / 16)               \
            << 8 * ((traits) & (TMA_TRAIT_ATOM | TMA_TRAIT_NO_CALL) ? 0 : (stored))

/* Rows of a tile in shared memory less one, where nothing is strided or interleaved: there are 2^32
 * at most. */
TMA_CONDITION uint32_t tma_quick_more_rows(const void *map) {
    return tma_layout_box_el(map, 1) * tma_layout_box_el(map, 2) * tma_layout_box_el(map, 3) *
               tma_layout_box_el(map, 4) -
           1;
}

/* Sizes beyond what is copied have the highest bit. */
TMA_CONDITION uint32_t tma_quick_large(const void *map) {
    const uint32_t dims = TMA_LAYOUT_GET(map, DIM, 0) | TMA_LAYOUT_GET(map, DIM, 1) |
                          TMA_LAYOUT_GET(map, DIM, 2) | TMA_LAYOUT_GET(map, DIM, 3) |
                          TMA_LAYOUT_GET(map, DIM, 4);
    return dims / (uint32_t)TMA_VALUE(COPIED_DIM);
}

/* All element strides, which lie side by side in one word: 1 is stored as 0. */
#define TMA_QUICK_STEPS                                                                            \
    ((uint32_t)((UINT64_C(1) << TMA_MAX_RANK * TMA_LAYOUT_ES_STEP) - 1) << TMA_LAYOUT_ES_AT % 32)

TMA_CONDITION uint32_t tma_quick_odd_sizes(const void *map) {
    return tma_quick_large(map) |
           (tma_layout_word(map, TMA_LAYOUT_ES_AT / 32) & (uint32_t)TMA_QUICK_STEPS);
}

/* Not 0 where the map has another rank than the instruction (0: any). */
TMA_CONDITION uint32_t tma_quick_odd_rank(const void *map, const tma_judge_site *site) {
    return site->rank ? TMA_LAYOUT_GET(map, RANK, 0) ^ (site->rank - 1)
                      : (uint32_t)(tma_layout_rank(map) > TMA_VALUE(RANK));
}

/* What a map says of its rows, in both kinds alike; element_B is 0 where something is odd. */
typedef struct tma_quick_rows_of {
    uint32_t element_B;
    uint32_t first_bits; /* that coordinate 0 must not have */
    uint32_t pitch_B;
    uint32_t row_B;
} tma_quick_rows_of;

/* NOLINTBEGIN(readability-function-cognitive-complexity): a term for each row of a table */

TMA_CONDITION tma_quick_rows_of tma_quick_row(const void *map, uint32_t inner_el) {
    const uint64_t element_bytes = 0
#define TMA_DTYPE_ROWS TMA_QUICK_BYTES
#include "enums.def"
        ;
    const uint64_t first_bits = 0
#define TMA_DTYPE_ROWS TMA_QUICK_FIRST
#include "enums.def"
        ;
    const uint32_t spans = 0
#define TMA_SWIZZLE_ROWS TMA_QUICK_SPAN
#include "enums.def"
        ;
    tma_quick_rows_of rows;
    const uint32_t code_at = 4 * TMA_LAYOUT_GET(map, ELEMENT, 0);
    const uint32_t span_B = (spans >> 8 * TMA_LAYOUT_GET(map, SWIZZLE, 0) & 0xFF) * 16;
    rows.element_B = (uint32_t)(element_bytes >> code_at) & 15;
    rows.first_bits = (uint32_t)(first_bits >> code_at) & 15;
    rows.row_B = inner_el * rows.element_B;
    rows.pitch_B = span_B ? span_B : rows.row_B;
    return rows;
}

/* NOLINTEND(readability-function-cognitive-complexity) */

/* Not 0 where a row is none that is copied, if nothing is interleaved. */
TMA_CONDITION uint32_t tma_quick_odd_row(const tma_quick_rows_of *is) {
    return is->row_B % TMA_VALUE(ALIGN) | (uint32_t)(is->row_B > is->pitch_B);
}

TMA_CONDITION tma_quick_rows_of tma_quick_read(const void *map, uint32_t inner_el,
                                               uint32_t not_set) {
    tma_quick_rows_of rows = tma_quick_row(map, inner_el);
    const uint32_t odd = (tma_layout_word(map, TMA_LAYOUT_KIND_AT / 32) & not_set) |
                         tma_layout_word(map, TMA_LAYOUT_ADDRESS_AT / 32) % TMA_VALUE(ALIGN) |
                         tma_quick_odd_row(&rows);
    rows.element_B = odd ? 0 : rows.element_B;
    return rows;
}

/* A pass of one row and more, or 0 where they do not fit. */
TMA_CONDITION uint32_t tma_quick_pass(const tma_quick_rows_of *is, uint32_t more_rows,
                                      uint32_t window_end, int known) {
    const uint64_t extent_B = (uint64_t)more_rows * is->pitch_B + is->row_B;
    const uint32_t end = window_end ? window_end : (uint32_t)(TMA_VALUE(WINDOW) - 1);
    return (is->element_B != 0) & (extent_B <= end) & known
               ? ((end - (uint32_t)extent_B) & ~TMA_PASS_BITS) | is->first_bits
               : 0;
}

/* The pass of tma_judge_pass() (judge.h), found with fewer instructions; 0 where the copy has to
 * be judged. Some copies that have a pass get 0 here. */
TMA_LAYOUT_FUNCTION uint32_t tma_judge_quick(const void *map, const tma_judge_site *site,
                                             uint32_t window_end) {
    const tma_quick_rows_of rows = tma_quick_read(map, tma_layout_box_el(map, 0), TMA_QUICK_NOT);
    const int known = (site->mode == TMA_MODE_TILE) &
                      ((site->op == TMA_OP_LOAD) | (site->op == TMA_OP_STORE)) &
                      !(tma_quick_odd_rank(map, site) | tma_quick_odd_sizes(map));
    return tma_quick_pass(&rows, tma_quick_more_rows(map), window_end, known);
}

/* Whether a pixel lies in the bounding box, or there is no such dimension. */
TMA_CONDITION int tma_quick_pixel(const void *map, uint32_t i, uint32_t spatial, int32_t given) {
    return i >= spatial ||
           (given >= tma_layout_lower_px(map, i) &&
            given <= tma_last_pixel(tma_layout_dim_el(map, i + 1), tma_layout_upper_px(map, i)));
}

/* Not 0 where a corner is one that stores do not take: `field` has the corner's bits lowest. */
TMA_CONDITION uint32_t tma_quick_lower_outside(uint32_t field, uint32_t width) {
    return field >> (width - 1) & 1;
}

TMA_CONDITION uint32_t tma_quick_upper_outside(uint32_t field, uint32_t width) {
    return (field & ((UINT32_C(1) << (width - 1)) - 1)) && !tma_quick_lower_outside(field, width);
}

/* Whether stores take the corners of an im2col map, which lie in one word. */
TMA_CONDITION int tma_quick_corners(const void *map, uint32_t spatial) {
    const uint32_t width = spatial <= 1   ? TMA_LAYOUT_LOWER_3D_WIDTH
                           : spatial == 2 ? TMA_LAYOUT_LOWER_4D_WIDTH
                                          : TMA_LAYOUT_LOWER_5D_WIDTH;
    const uint32_t corners = tma_layout_word(map, TMA_LAYOUT_LOWER_3D_AT / 32);
    uint32_t outside = 0;
    for (uint32_t i = 0; i < TMA_MAX_SPATIAL; i++) {
        const uint32_t lower = corners >> (TMA_LAYOUT_LOWER_3D_AT % 32 + i * width) % 32;
        const uint32_t upper = corners >> (TMA_LAYOUT_UPPER_3D_AT % 32 + i * width) % 32;
        outside |= i < spatial ? tma_quick_lower_outside(lower, width) |
                                     tma_quick_upper_outside(upper, width)
                               : 0;
    }
    return !outside;
}

/* tma_judge_quick() for im2col. Each copy is then compared with the bounding box:
 * tma_quick_limit(). */
TMA_LAYOUT_FUNCTION uint32_t tma_judge_quick_im2col_map(const void *map, const tma_judge_site *site,
                                                        uint32_t window_end) {
    const tma_quick_rows_of rows =
        tma_quick_read(map, tma_layout_channels(map), TMA_QUICK_NOT & ~TMA_QUICK_BITS(KIND));
    const uint32_t rank = tma_layout_rank(map);
    const int known = site->mode == TMA_MODE_IM2COL && !tma_layout_is_tiled(map) &&
                      (site->op == TMA_OP_LOAD ||
                       (site->op == TMA_OP_STORE && tma_quick_corners(map, rank - 2))) &&
                      rank >= TMA_VALUE(RANK_SLICED) &&
                      !(tma_quick_odd_rank(map, site) | tma_quick_large(map));
    return tma_quick_pass(&rows, tma_layout_pixels(map) - 1, window_end, known);
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

/* --- as exact as the judgement, for targets before packed types --- */

/* The codes of element types with a trait, a bit each. */
#define TMA_QUICK_FLOATS(id, name, cuda, ptx, imm, stored, evidence, bits, mantissa, traits, ...)  \
    | (uint32_t)(((traits)&TMA_TRAIT_FLOAT) != 0) << (stored)
#define TMA_QUICK_FLAGGED(id, name, cuda, ptx, imm, stored, evidence, bits, mantissa, traits, ...) \
    | (uint32_t)(((traits)&TMA_TRAIT_TF32) != 0) << (stored)
#define TMA_QUICK_TYPE(id, name, cuda, ptx, imm, stored, evidence, bits, mantissa, traits, ...)    \
    | (uint32_t)(dtype == TMA_DTYPE_##id)                                                          \
            << ((stored) | (((traits)&TMA_TRAIT_TF32) != 0) << TMA_LAYOUT_ELEMENT_WIDTH)

TMA_CONDITION uint32_t tma_quick_type(uint32_t dtype) {
    return 0
#define TMA_DTYPE_ROWS TMA_QUICK_TYPE
#include "enums.def"
        ;
}

/* NOLINTBEGIN(readability-function-cognitive-complexity): a term for each row of a table */

/* The element types that an operation takes, a bit each: its code, and above it the TF32 flag. */
TMA_LAYOUT_FUNCTION uint32_t tma_quick_types(uint32_t operation) {
    uint32_t types = operation >= TMA_OP_ADD && operation <= TMA_OP_XOR ? 0 : UINT32_MAX;
#define ROW(op, dtype, bulk, rule, evidence)                                                       \
    types |= operation == TMA_OP_##op ? tma_quick_type(TMA_DTYPE_##dtype) : 0;
#include "element_reductions.def"
    return types;
}

/* tma_visited() without a division, for sizes and steps that a map can have: step and size are at
 * most 8 and 256, and 2^11 is enough for a reciprocal. */
#define TMA_QUICK_RECIPROCAL(step) ((UINT64_C(2048) + (step)-1) / (step))
#define TMA_QUICK_RECIPROCALS(first)                                                               \
    (TMA_QUICK_RECIPROCAL(first) | TMA_QUICK_RECIPROCAL((first) + 1) << 16 |                       \
     TMA_QUICK_RECIPROCAL((first) + 2) << 32 | TMA_QUICK_RECIPROCAL((first) + 3) << 48)
TMA_CONDITION uint32_t tma_quick_visited(uint32_t box_el, uint32_t step) {
    const uint64_t reciprocals = step > 4 ? TMA_QUICK_RECIPROCALS(5) : TMA_QUICK_RECIPROCALS(1);
    const uint32_t reciprocal = (uint32_t)(reciprocals >> 16 * ((step - 1) % 4)) & 0xFFFF;
    return (box_el + step - 1) * reciprocal >> 11;
}

/* NOLINTEND(readability-function-cognitive-complexity) */

/* The lowest entry of a field whose entries stand side by side. */
#define TMA_QUICK_ONE(id) ((UINT32_C(1) << TMA_LAYOUT_##id##_WIDTH) - 1)

/* What a loop over the dimensions finds. */
typedef struct tma_quick_dims {
    uint64_t rows;
    uint32_t odd; /* not 0: a size or a stride that no copy takes */
} tma_quick_dims;

/* An interleaved map's slices, or its rows' elements, are no rows: dimension `no_row`. */
TMA_CONDITION tma_quick_dims tma_quick_dims_of(const void *map, uint32_t tiled, uint32_t no_row,
                                               uint32_t align_bits) {
    const uint32_t rank = tma_layout_rank(map);
    tma_quick_dims is = {tiled ? 1u : tma_layout_pixels(map), 0};
    uint32_t steps = tma_layout_word(map, TMA_LAYOUT_ES_AT / 32) >> TMA_LAYOUT_ES_AT % 32;
    uint64_t boxes = (tma_layout_word(map, TMA_LAYOUT_BOX_AT / 32) |
                      (uint64_t)tma_layout_word(map, TMA_LAYOUT_BOX_AT / 32 + 1) << 32) >>
                     TMA_LAYOUT_BOX_AT % 32;
    uint32_t bits = 0; /* dimension 0 has no stride */
    TMA_JUDGE_ROLLED
    for (uint32_t i = 0; i < TMA_MAX_RANK && i < rank; i++) {
        const uint32_t step = (steps & TMA_QUICK_ONE(ES)) + 1;
        const uint32_t visited =
            tma_quick_visited((uint32_t)(boxes & TMA_QUICK_ONE(BOX)) + 1, step);
        const uint32_t stride = (uint32_t)tma_layout_stride_B(map, i);
        is.odd |= (uint32_t)tma_dim_kills(tma_layout_dim_el(map, i)) | (stride & bits);
        is.rows *= (tiled & (i != no_row)) ? visited : 1;
        bits = align_bits;
        steps >>= TMA_LAYOUT_ES_STEP;
        boxes >>= TMA_LAYOUT_BOX_STEP;
    }
    return is;
}

/* Not 0 where the map's codes, its type or its rank are none that the copy takes. */
TMA_CONDITION uint32_t tma_quick_refuses(const void *map, const tma_judge_site *site,
                                         uint32_t types) {
    const uint32_t floats = 0
#define TMA_DTYPE_ROWS TMA_QUICK_FLOATS
#include "enums.def"
        ;
    const uint32_t flagged = 0
#define TMA_DTYPE_ROWS TMA_QUICK_FLAGGED
#include "enums.def"
        ;
    const uint32_t code = TMA_LAYOUT_GET(map, ELEMENT, 0);
    const uint32_t flag = TMA_LAYOUT_GET(map, TF32, 0);
    const uint32_t with_flag = flag & flagged >> code;
    const uint32_t load = site->op == TMA_OP_LOAD;
    const uint32_t tiled = tma_layout_is_tiled(map);
    const uint32_t rank = tma_layout_rank(map);
    const uint32_t interleave = TMA_LAYOUT_GET(map, INTERLEAVE, 0);
    const uint32_t least = (tiled & !interleave) ? 1u : (uint32_t)TMA_VALUE(RANK_SLICED);
    const uint32_t no_type = ~types >> (code | with_flag << TMA_LAYOUT_ELEMENT_WIDTH) & 1;
    const uint32_t not_loaded =
        (TMA_LAYOUT_GET(map, FILL, 0) & ~(floats >> code)) | (flag & ~with_flag);
    return (uint32_t)(interleave > TMA_INTERLEAVE_32B) | (rank > TMA_VALUE(RANK)) | (rank < least) |
           (site->rank && site->rank != rank) | (tiled == (site->mode == TMA_MODE_IM2COL)) |
           no_type | (load & not_loaded);
}

/* tma_judge_pass() of targets without TMA_FEATURE_PACKED, tiles and im2col, in far fewer
 * instructions and without saying why: for kernels, whose compiler takes longer for the judgement
 * than for all the rest. `types`: tma_quick_types(). */
TMA_LAYOUT_FUNCTION uint32_t tma_judge_whole(const void *map, const tma_judge_site *site,
                                             uint32_t types, uint32_t window_end) {
    const uint32_t interleave = TMA_LAYOUT_GET(map, INTERLEAVE, 0);
    const uint32_t tiled = site->mode == TMA_MODE_TILE || tma_layout_is_tiled(map);
    const uint32_t rank = tma_layout_rank(map);
    const int is_load = tma_judge_is_load(site->op);
    const uint32_t align_bits = tma_align_B(interleave) - 1;
    const tma_quick_dims dims =
        tma_quick_dims_of(map, tiled, interleave ? rank - 2 : 0, align_bits);
    tma_quick_rows_of rows =
        tma_quick_row(map, tiled ? tma_layout_box_el(map, 0) : tma_layout_channels(map));
    const uint32_t odd_row = interleave ? 0 : tma_quick_odd_row(&rows);
    if (interleave) {
        rows.pitch_B = rows.row_B = TMA_VALUE(SLICE) * interleave;
        rows.first_bits = 0;
    }
    const uint32_t odd =
        dims.odd | odd_row | (tma_layout_word(map, TMA_LAYOUT_ADDRESS_AT / 32) & align_bits);
    const uint64_t extent_B = (dims.rows - 1) * rows.pitch_B + rows.row_B;
    const int any = (site->op == TMA_OP_PREFETCH) | !window_end;
    const uint32_t last_any = (uint32_t)(TMA_VALUE(WINDOW) - TMA_VALUE(SHARED_ALIGN));
    const uint32_t last = any ? last_any : (window_end - (uint32_t)extent_B) & ~TMA_PASS_BITS;
    const uint32_t between = last == last_any ? 0 : (uint32_t)TMA_VALUE(SHARED_ALIGN);
    const int runs = !(odd | tma_quick_refuses(map, site, types)) & (rows.element_B != 0) &
                     (dims.rows * rows.pitch_B <= TMA_VALUE(WINDOW)) &
                     (any | (extent_B <= window_end)) &
                     (is_load || tiled || tma_quick_corners(map, rank - 2));
    return runs ? last + (rows.first_bits ? rows.first_bits : between) : 0;
}

#if defined(__cplusplus)
static_assert
#else
_Static_assert
#endif
    ((int)TMA_LAYOUT_ES_STEP == (int)TMA_LAYOUT_ES_WIDTH &&
         (int)TMA_LAYOUT_ES_AT % 32 + TMA_MAX_RANK * (int)TMA_LAYOUT_ES_STEP <= 32 &&
         (int)TMA_LAYOUT_BOX_STEP == (int)TMA_LAYOUT_BOX_WIDTH &&
         (int)TMA_LAYOUT_BOX_AT % 32 + TMA_MAX_RANK * (int)TMA_LAYOUT_BOX_STEP <= 64,
     "fields.def: element strides stand side by side in one word, sizes of boxes in two");

#if defined(__cplusplus)
static_assert
#else
_Static_assert
#endif
    (TMA_QUICK_IN_WORD_2(INTERLEAVE) && TMA_QUICK_IN_WORD_2(FILL) && TMA_QUICK_IN_WORD_2(TF32) &&
         TMA_QUICK_IN_WORD_2(ATOMICITY) && TMA_QUICK_IN_WORD_2(SWIZZLE_96B),
     "fields.def: these are in one word");

#define TMA_QUICK_CORNER(id, of)                                                                   \
    ((int)TMA_LAYOUT_##id##_AT == (int)TMA_LAYOUT_##of##_3D_AT &&                                  \
     (int)TMA_LAYOUT_##id##_STEP == (int)TMA_LAYOUT_##id##_WIDTH)

#if defined(__cplusplus)
static_assert
#else
_Static_assert
#endif
    (TMA_QUICK_CORNER(LOWER_3D, LOWER) && TMA_QUICK_CORNER(LOWER_4D, LOWER) &&
         TMA_QUICK_CORNER(LOWER_5D, LOWER) && TMA_QUICK_CORNER(UPPER_3D, UPPER) &&
         TMA_QUICK_CORNER(UPPER_4D, UPPER) && TMA_QUICK_CORNER(UPPER_5D, UPPER) &&
         (int)TMA_LAYOUT_LOWER_3D_AT / 32 == (int)TMA_LAYOUT_UPPER_3D_AT / 32 &&
         (int)TMA_LAYOUT_UPPER_4D_WIDTH == (int)TMA_LAYOUT_LOWER_4D_WIDTH &&
         (int)TMA_LAYOUT_UPPER_5D_WIDTH == (int)TMA_LAYOUT_LOWER_5D_WIDTH,
     "fields.def: corners stand side by side in one word");

#endif
