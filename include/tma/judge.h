/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether one copy runs, for code that has no library and no memory to spare: what a kernel asks
 * before its copy, and what tma_plan_make() and tma_plan_at() ask themselves, read from the 128
 * bytes directly; and the end of the CTA's shared memory, which only a kernel knows.
 *
 * What sources dispute (readings.def) a kernel reads as the documents have it.
 *
 * Pure functions: nothing is written but *out, nothing is called. C11, C++11 and up; with nvcc they
 * are __host__ __device__; clang makes PTX of them (program/kernel/checker.c).
 */
#ifndef TMA_JUDGE_H
#define TMA_JUDGE_H

#include "detail/judge_bulk.h"

/* Whether a copy runs because one with this `pass` ran. `pass` is the bits that coordinate 0 must
 * not have, below 128, and above them the last shared address that is early enough. Stores and
 * reductions: also no coordinate is negative; multicasts: also tma_mask_beyond() is 0. Modes of
 * im2col have a pass of 0. */
#define TMA_PASS_BITS (TMA_VALUE(SHARED_ALIGN) - 1u)
#define TMA_PASSES(pass, coord0, shared_address)                                                   \
    (!(((pass)&TMA_PASS_BITS & (uint32_t)(coord0)) | ((shared_address)&TMA_PASS_BITS)) &&          \
     ((shared_address)&TMA_JUDGE_CTA_BITS) < (pass))

/* --- what kills the kernel whatever the coordinates --- */

TMA_CONDITION int tma_judge_reduces(uint32_t op, uint32_t dtype) {
    switch (op << 8 | dtype) {
#define ROW(op, dtype, bulk, rule, evidence) case TMA_OP_##op << 8 | TMA_DTYPE_##dtype:
#include "element_reductions.def"
        return 1;
    default:
        return 0;
    }
}

TMA_JUDGE_STAGE int tma_judge_store(tma_judge_fault *out, const tma_judge_map *m, uint32_t op) {
    if (op >= TMA_OP_ADD && op <= TMA_OP_XOR && !tma_judge_reduces(op, m->dtype)) {
        return TMA_JUDGE_NOT(TMA_RULE_TRAP_REDUCTION_TYPE, op);
    }
    for (uint32_t i = 0; !m->tiled && i + 2 < m->rank; i++) {
        const int32_t lower_px = tma_layout_lower_px(m->map, i);
        const int32_t upper_px = tma_layout_upper_px(m->map, i);
        if (tma_lower_outside(lower_px)) {
            return TMA_JUDGE_STOP(TMA_RULE_TRAP_CORNER_LOWER, (int)i, (int64_t)lower_px,
                                  TMA_MUST_BE_AT_LEAST, TMA_UNIT_PX, (int64_t)lower_px, 0);
        }
        if (tma_upper_outside(upper_px)) {
            return TMA_JUDGE_STOP(TMA_RULE_TRAP_CORNER_UPPER, (int)i, (int64_t)upper_px,
                                  TMA_MUST_BE_AT_MOST, TMA_UNIT_PX, (int64_t)upper_px, 0);
        }
    }
    return 0;
}

/* --- the position --- */

/* What a copy's operands are held against: of a map, or of a plan made from one. */
typedef struct tma_judge_limits {
    uint32_t op;
    uint32_t mode;
    uint32_t rank;
    uint32_t interleave; /* not 0: coordinate 0 counts pixels or slices, not elements */
    uint32_t bits;
    uint32_t granule_el; /* padded types: what coordinate 0 is a multiple of; else 0 */
    uint32_t pairs;      /* not 0: coordinate 0 is even and no more (a reading, readings.def) */
    uint32_t zeros;      /* not 0: every coordinate is 0, for .override says the sizes */
    uint32_t negative;   /* not 0: a store that takes negative coordinates */
    uint32_t align_B;    /* of the shared address */
    int32_t lower_px[TMA_MAX_SPATIAL]; /* im2col: the bounding box, 0 is W */
    int64_t last_px[TMA_MAX_SPATIAL];
} tma_judge_limits;

TMA_CONDITION uint32_t tma_judge_granule(const tma_judge_map *m) {
    return m->type.traits & TMA_TRAIT_PADDED ? m->coord_el : 0;
}

TMA_CONDITION uint32_t tma_judge_spatial(uint32_t mode, uint32_t rank) {
    return mode == TMA_MODE_IM2COL ? rank - 2 : 1; /* the wide modes move along W alone */
}

TMA_CONDITION tma_judge_limits tma_judge_limits_of(const tma_judge_map *m,
                                                   const tma_judge_site *site) {
    tma_judge_limits is;
    is.op = site->op;
    is.mode = site->mode;
    is.rank = m->rank;
    is.interleave = m->interleave;
    is.bits = m->type.bits;
    is.granule_el = tma_judge_granule(m);
    is.pairs = 0;
    is.zeros = 0; /* a kernel's copies are checked without .override */
    is.negative = site->mode == TMA_MODE_SCATTER4 && (site->features & TMA_FEATURE_PTX_94) != 0;
    is.align_B = m->has.align_B;
    for (uint32_t i = 0; i < TMA_MAX_SPATIAL; i++) {
        const int asked =
            tma_judge_is_im2col(site->mode) && i < tma_judge_spatial(site->mode, m->rank);
        is.lower_px[i] = asked ? tma_layout_lower_px(m->map, i) : 0;
        is.last_px[i] = asked ? tma_last_pixel(tma_layout_dim_el(m->map, m->interleave ? i : i + 1),
                                               tma_layout_upper_px(m->map, i))
                              : 0;
    }
    return is;
}

TMA_CONDITION int tma_judge_first(tma_judge_fault *out, const tma_judge_limits *is, int64_t coord) {
    if (is->interleave) {
        return 0;
    }
    if (is->pairs ? tma_coord_off_granule(coord, TMA_VALUE(PAIR))
                  : tma_coord_off_16B(coord, is->bits)) {
        return TMA_JUDGE_STOP(TMA_RULE_TRAP_COORD_ALIGN, 0, coord, TMA_MUST_BE_MULTIPLE_OF,
                              TMA_UNIT_B, coord * (int64_t)is->bits / 8, TMA_VALUE(ALIGN));
    }
    if (tma_coord_off_granule(coord, is->granule_el)) {
        return TMA_JUDGE_STOP(TMA_RULE_PACKED_COORD, 0, coord, TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_EL,
                              coord, is->granule_el);
    }
    return 0;
}

/* No loop has an index of coord[] that is not a constant: they stay in registers. */
TMA_CONDITION int tma_judge_negative(tma_judge_fault *out, const tma_judge_limits *is,
                                     const int32_t *coord) {
    const uint32_t coords = tma_judge_is_rows4(is->mode) ? TMA_MAX_RANK : is->rank;
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        if (i < coords && tma_coord_negative(coord[i])) {
            return TMA_JUDGE_STOP(TMA_RULE_TRAP_COORD_NEGATIVE, (int)i, (int64_t)coord[i],
                                  TMA_MUST_BE_AT_LEAST, TMA_UNIT_NONE, (int64_t)coord[i], 0);
        }
    }
    return 0;
}

TMA_CONDITION int tma_judge_zeros(tma_judge_fault *out, const tma_judge_limits *is,
                                  const int32_t *coord) {
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        if (is->zeros && i < is->rank && coord[i] != 0) {
            return TMA_JUDGE_STOP(TMA_RULE_OVERRIDE_COORD, (int)i, (int64_t)coord[i], TMA_MUST_BE,
                                  TMA_UNIT_NONE, (int64_t)coord[i], 0);
        }
    }
    return 0;
}

/* Spatial dimension i. The wide modes may start to the left of the bounding box (PTX 5.5.5.1);
 * nothing is said about their H and D. */
TMA_CONDITION int tma_judge_pixel(tma_judge_fault *out, const tma_judge_limits *is, uint32_t i,
                                  int64_t given) {
    const int dimension = (int)(is->interleave ? i : i + 1);
    if (given < is->lower_px[i] && is->mode == TMA_MODE_IM2COL) {
        return TMA_JUDGE_STOP(TMA_RULE_TRAP_BOX_LOWER, dimension, given, TMA_MUST_BE_AT_LEAST,
                              TMA_UNIT_PX, given, (int64_t)is->lower_px[i]);
    }
    if (given > is->last_px[i]) {
        return TMA_JUDGE_STOP(TMA_RULE_TRAP_BOX_UPPER, dimension, given, TMA_MUST_BE_AT_MOST,
                              TMA_UNIT_PX, given, is->last_px[i]);
    }
    return 0;
}

TMA_CONDITION int tma_judge_box(tma_judge_fault *out, const tma_judge_limits *is,
                                const int32_t *coord) {
    const uint32_t spatial = tma_judge_spatial(is->mode, is->rank);
    const int32_t c0 = coord[0];
    const int32_t c1 = coord[1];
    const int32_t c2 = coord[2];
    const int32_t c3 = coord[3];
    return tma_judge_pixel(out, is, 0, is->interleave ? c0 : c1) ||
           (spatial > 1 && tma_judge_pixel(out, is, 1, is->interleave ? c1 : c2)) ||
           (spatial > 2 && tma_judge_pixel(out, is, 2, is->interleave ? c2 : c3));
}

TMA_CONDITION int tma_judge_halo(tma_judge_fault *out, uint32_t mode, const uint32_t wide[2]) {
    const uint32_t halo = tma_halo_limit(mode == TMA_MODE_IM2COL_W128);
    if (wide[0] >= halo) {
        return TMA_JUDGE_STOP(TMA_RULE_WIDE_HALO, 0, wide[0], TMA_MUST_BE_BELOW, TMA_UNIT_PX,
                              wide[0], halo);
    }
    if (wide[1] >= TMA_VALUE(W_OFFSET)) {
        return TMA_JUDGE_STOP(TMA_RULE_WIDE_OFFSET, 1, wide[1], TMA_MUST_BE_BELOW, TMA_UNIT_PX,
                              wide[1], TMA_VALUE(W_OFFSET));
    }
    return 0;
}

/* wide: wHalo and wOffset. */
TMA_CONDITION int tma_judge_position(tma_judge_fault *out, const tma_judge_limits *is,
                                     const int32_t *coord, const uint32_t wide[2],
                                     uint32_t shared_address) {
    if (is->op != TMA_OP_PREFETCH && tma_off_multiple(shared_address, is->align_B)) {
        return TMA_JUDGE_STOP(TMA_RULE_TRAP_SHARED_ALIGN, -1, shared_address,
                              TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_ADDRESS, shared_address,
                              is->align_B);
    }
    if (tma_judge_first(out, is, coord[0])) {
        return 1;
    }
    if ((!tma_judge_is_load(is->op) && !is->negative && tma_judge_negative(out, is, coord)) ||
        tma_judge_zeros(out, is, coord)) {
        return 1;
    }
    return tma_judge_is_im2col(is->mode) &&
           (tma_judge_box(out, is, coord) ||
            (is->mode != TMA_MODE_IM2COL && tma_judge_is_load(is->op) &&
             tma_judge_halo(out, is->mode, wide)));
}

TMA_JUDGE_STAGE int tma_judge_position_of(tma_judge_fault *out, const tma_judge_map *m,
                                          const tma_judge_site *site, const tma_judge_at *at) {
    const tma_judge_limits limits = tma_judge_limits_of(m, site);
    return tma_judge_position(out, &limits, at->coord, at->offset, at->shared_address);
}

/* --- the CTA's shared memory --- */

/* Rows of one copy; the halo was judged. */
TMA_CONDITION uint64_t tma_judge_copy_rows(const tma_judge_rows *rows, const tma_judge_site *site,
                                           const tma_judge_at *at) {
    switch (site->mode) {
    case TMA_MODE_GATHER4:
    case TMA_MODE_SCATTER4:
        return 4;
    case TMA_MODE_IM2COL_W:
        return rows->rows + (tma_judge_is_load(site->op) ? at->offset[0] : 0);
    case TMA_MODE_IM2COL_W128:
        return TMA_VALUE(W128_PIXELS) +
               (uint64_t)at->offset[0] * (TMA_VALUE(W128_PIXELS) / TMA_VALUE(W128_CHUNK));
    default:
        return rows->rows;
    }
}

TMA_JUDGE_STAGE int tma_judge_window(tma_judge_fault *out, const tma_judge_rows *rows,
                                     const tma_judge_site *site, const tma_judge_at *at) {
    const uint64_t extent_B =
        (tma_judge_copy_rows(rows, site, at) - 1) * rows->pitch_B + rows->row_B;
    const uint64_t end = (at->shared_address & TMA_JUDGE_CTA_BITS) + extent_B;
    out->pass = TMA_VALUE(WINDOW) - TMA_VALUE(SHARED_ALIGN);
    if (site->op == TMA_OP_PREFETCH || !at->window_end) {
        return 0;
    }
    if (end > at->window_end) {
        return TMA_JUDGE_STOP(TMA_RULE_MEMORY_SHARED, -1, end - 1, TMA_MUST_BE_BELOW,
                              TMA_UNIT_ADDRESS, end - 1, at->window_end);
    }
    out->pass = (at->window_end - (uint32_t)extent_B) & ~TMA_PASS_BITS;
    return 0;
}

/* Multicasts: no CTA that the cluster has not. */
TMA_CONDITION int tma_judge_mask(tma_judge_fault *out, const tma_judge_site *site,
                                 const tma_judge_at *at) {
    uint32_t cta = at->ctas;
    if (!site->multicast || !cta || !tma_mask_beyond(at->cta_mask, cta)) {
        return 0;
    }
    while (!(at->cta_mask >> cta & 1)) {
        cta++;
    }
    return TMA_JUDGE_STOP(TMA_RULE_MULTICAST_CLUSTER, -1, at->cta_mask, TMA_MUST_BE_BELOW,
                          TMA_UNIT_NONE, cta, at->ctas);
}

/* Bits that coordinate 0 must not have: units are powers of two. */
TMA_CONDITION uint32_t tma_judge_first_bits(const tma_judge_map *m) {
    const uint32_t bits = m->type.bits;
    const uint32_t granule_el = tma_judge_granule(m);
    if (m->interleave) {
        return 0;
    }
    return (uint32_t)(TMA_ALIGN_BIT / (bits & (0u - bits)) - 1u) |
           (granule_el ? granule_el - 1u : 0u);
}

/* A pass: shared addresses are multiples of 128, so that up to the last one is below it and some
 * bits, and without bits below the next one. */
TMA_CONDITION uint32_t tma_judge_with_bits(uint32_t last, uint32_t bits) {
    return last + (bits ? bits : (uint32_t)TMA_VALUE(SHARED_ALIGN));
}

/* Judges a map and an instruction once. The result is the pass that each copy of the two is
 * compared with, whatever its coordinates and addresses; it is 0 where no such copy runs, and *out
 * says why. Copies of im2col are also compared with the bounding box. Not for modes whose size is
 * an operand (the wide ones). */
TMA_LAYOUT_FUNCTION uint32_t tma_judge_pass(tma_judge_fault *out, const void *map,
                                            const tma_judge_site *site, uint32_t window_end) {
    const tma_judge_at at = {{0, 0, 0, 0, 0}, {0, 0}, 0, window_end, 0, 0, TMA_JUDGE_NO_BARRIER};
    tma_judge_map m;
    out->status = TMA_OK;
    out->rule = 0;
    out->pass = 0;
    tma_judge_read(&m, map, site);
    if (tma_judge_codes(out, &m, site->features)) {
        return 0;
    }
    const tma_judge_rows rows = tma_judge_rows_of(&m);
    if (tma_judge_the_map(out, &m, site, &rows) || tma_judge_mode(out, &m, site) ||
        tma_judge_types(out, &m, site) ||
        (!tma_judge_is_load(site->op) && tma_judge_store(out, &m, site->op)) ||
        tma_judge_window(out, &rows, site, &at)) {
        return 0;
    }
    return tma_judge_with_bits(out->pass, tma_judge_first_bits(&m));
}

/* Judges one copy: *out, and its status. TMA_TRAP: the hardware kills the kernel; TMA_MEMORY: the
 * copy leaves the CTA's shared memory, an illegal address; TMA_UNKNOWN: no fact says what the
 * hardware does. `map`: 128 bytes, in a kernel aligned to 4; not read of TMA_JUDGE_BULK
 * and TMA_JUDGE_BARRIER.
 * Instructions that no assembler makes are not asked for. Writes *out alone; any thread may call
 * it. */
TMA_LAYOUT_FUNCTION uint32_t tma_judge_copy(tma_judge_fault *out, const void *map,
                                            const tma_judge_site *site, const tma_judge_at *at) {
    tma_judge_map m;
    if (site->mode == TMA_JUDGE_BULK) {
        (void)tma_judge_bulk(out, site, at);
        return out->status;
    }
    if (site->mode == TMA_JUDGE_BARRIER) {
        (void)tma_judge_initialised(out, at);
        return out->status;
    }
    out->status = TMA_OK;
    out->rule = 0;
    out->pass = 0;
    tma_judge_read(&m, map, site);
    if (tma_judge_codes(out, &m, site->features)) {
        return out->status;
    }
    const tma_judge_rows rows = tma_judge_rows_of(&m);
    if (tma_judge_the_map(out, &m, site, &rows) || tma_judge_mode(out, &m, site) ||
        tma_judge_types(out, &m, site) ||
        (!tma_judge_is_load(site->op) && tma_judge_store(out, &m, site->op)) ||
        tma_judge_position_of(out, &m, site, at) || tma_judge_mask(out, site, at) ||
        tma_judge_window(out, &rows, site, at) || tma_judge_barrier(out, site, at)) {
        out->pass = 0;
        return out->status;
    }
    out->pass = tma_judge_is_im2col(site->mode)
                    ? 0
                    : tma_judge_with_bits(out->pass, tma_judge_first_bits(&m));
    return out->status;
}

/* The bytes that a load counts on its barrier, as tma_plan_report() has it; 0 if they cannot be
 * counted from the map. A copy that breaks a rule has them too: a kernel that waits for it expects
 * them. */
TMA_LAYOUT_FUNCTION uint64_t tma_judge_tx_B(const void *map, const tma_judge_site *site,
                                            const tma_judge_at *at) {
    tma_judge_map m;
    tma_judge_fault fault;
    tma_judge_read(&m, map, site);
    if (tma_judge_codes(&fault, &m, site->features)) {
        return 0;
    }
    const tma_judge_rows rows = tma_judge_rows_of(&m);
    const uint64_t row_B = m.interleave ? rows.row_B : (uint64_t)m.inner_el * m.type.bits / 8;
    return tma_judge_copy_rows(&rows, site, at) * row_B;
}

#endif
