/* SPDX-License-Identifier: Apache-2.0
 *
 * What no map would take: a copy is tried on the maps that allow most.
 */
#include "ptx_internal.h"
#include "tma/limits.def"

/* Corners as wide as the rank allows: the driver's own limit, found by asking of a plain map. */
static void widen_corners(tma_spec *spec) {
    tma_spec plain = *spec;
    plain.interleave = TMA_INTERLEAVE_NONE;
    plain.swizzle = TMA_SWIZZLE_NONE;
    for (uint32_t i = 0; i < spec->rank; i++) {
        plain.dim_el[i] = 1 << 20;
    }
    for (uint32_t i = 0; i + 2 < spec->rank; i++) {
        for (int32_t wide = 1 << 15; wide && !spec->lower_px[i]; wide /= 2) {
            tma_spec tried = plain;
            tried.lower_px[i] = -wide;
            spec->lower_px[i] = tma_accepts(&tried, NULL) ? -wide : 0;
        }
    }
}

/* A large tensor of such elements whose rows are 16 bytes, or other of 16 bytes. */
static void wide_map(tma_spec *spec, const tma_instruction *in, uint32_t dtype,
                     tma_interleave interleave, tma_swizzle swizzle) {
    const int im2col = tma_mode_is_im2col(in->mode);
    const uint32_t pixel_el = 128 / tma_dtype_bits(dtype);
    const uint32_t row_el = interleave ? 1 : pixel_el;
    *spec = (tma_spec){.api = im2col ? TMA_API_IM2COL : TMA_API_TILED,
                       .dtype = dtype,
                       .rank = in->rank,
                       .interleave = interleave,
                       .swizzle = swizzle,
                       .address = 1 << 12,
                       .channels_per_pixel = pixel_el,
                       .pixels_per_column = 1};
    for (uint32_t i = 0; i < in->rank; i++) {
        spec->dim_el[i] = TMA_VALUE(COPIED_DIM);
        spec->box_el[i] = i ? 1 : row_el;
        spec->element_stride[i] = 1;
    }
    for (uint32_t i = 0; i + 1 < in->rank; i++) {
        spec->stride_B[i] = UINT64_C(1) << 34;
    }
    if (im2col && (in->op == TMA_OP_LOAD || in->op == TMA_OP_PREFETCH)) {
        widen_corners(spec);
    }
}

/* What is not known is 0, which every map takes. */
static tma_position known_of(const tma_ptx_statement *s, const tma_position *at, uint32_t unknown) {
    tma_position known = *at;
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        known.coord[i] = unknown & TMA_PTX_UNKNOWN_COORD << i ? 0 : known.coord[i];
    }
    for (uint32_t i = 0; i < TMA_MAX_SPATIAL; i++) {
        known.offset[i] = (uint16_t)(unknown & TMA_PTX_UNKNOWN_OFFSET << i ? 0 : known.offset[i]);
    }
    if (unknown & TMA_PTX_UNKNOWN_SHARED || !s->shared.kind) {
        known.shared_address = 0;
    }
    return known;
}

/* One copy on one such map. */
static tma_status try_map(const tma_instruction *in, const tma_position *at,
                          const tma_target *target, const tma_spec *spec, tma_finding *finding) {
    tma_map map;
    tma_plan plan;
    if (tma_encode_forced(map.bytes, spec, target, NULL)) {
        return TMA_INVALID;
    }
    const tma_status status = tma_plan_make(&plan, map.bytes, in, target, finding);
    return status == TMA_OK ? tma_plan_at(&plan, at, finding) : status;
}

/* Whether the copy runs on a map of some element type; maps that the target has not for this
 * instruction do not count. *why: the trap on the widest type that has the operation. */
static int runs_on_some(const tma_instruction *in, const tma_position *at, const tma_target *target,
                        tma_interleave interleave, tma_swizzle swizzle, tma_finding *why,
                        int *traps) {
    for (uint32_t dtype = TMA_DTYPE_TFLOAT32_FTZ + 1; dtype-- > 0;) {
        tma_spec spec;
        tma_finding finding;
        wide_map(&spec, in, dtype, interleave, swizzle);
        const tma_status status = try_map(in, at, target, &spec, &finding);
        if (status == TMA_OK) {
            return 1;
        }
        if (status == TMA_TRAP && finding.rule != TMA_RULE_TRAP_REDUCTION_TYPE &&
            (!*traps || tma_dtype_bits(dtype) == 64)) {
            *why = finding;
            *traps = 1;
        }
    }
    return 0;
}

/* Swizzles of smaller atoms ask less of the shared address. A driver makes such maps for targets
 * whose tensormap.replace knows none. */
static int has_atoms(const tma_target *target) {
    tma_spec spec = {.api = TMA_API_TILED,
                     .dtype = TMA_DTYPE_UINT8,
                     .rank = 2,
                     .swizzle = TMA_SWIZZLE_128B_ATOM_32B,
                     .dim_el = {128, 1},
                     .stride_B = {128},
                     .box_el = {128, 1},
                     .element_stride = {1, 1},
                     .address = 1 << 12};
    return !target || !tma_arch_of(target) || tma_accepts(&spec, target);
}

/* The same with any swizzle. *why: of the plain one. */
static int runs_swizzled(const tma_instruction *in, const tma_position *at,
                         const tma_target *target, tma_interleave interleave, tma_finding *why,
                         int *traps) {
    const tma_swizzle plain = tma_mode_is_wide(in->mode) ? TMA_SWIZZLE_128B : TMA_SWIZZLE_NONE;
    tma_finding other;
    int other_traps = 0;
    return runs_on_some(in, at, target, interleave, plain, why, traps) ||
           (*traps && has_atoms(target) &&
            runs_on_some(in, at, target, interleave, TMA_SWIZZLE_128B_ATOM_32B, &other,
                         &other_traps));
}

tma_status tma_ptx_judge(const tma_ptx_statement *s, const tma_position *at, uint32_t unknown,
                         const tma_target *target, tma_finding *why, const char **but) {
    tma_finding plain;
    tma_finding other;
    int traps = 0;
    if (but) {
        *but = NULL;
    }
    if (!s || !at || !ptx_is_copy(s->kind) || s->in.rank > TMA_MAX_RANK) {
        return TMA_OK;
    }
    const tma_position known = known_of(s, at, unknown);
    tma_instruction in = s->in;
    in.cta_mask = 0;
    in.overrides = 0; /* of which every map takes some */
    in.mask_bits = in.inspection = 0;
    if (runs_swizzled(&in, &known, target, TMA_INTERLEAVE_NONE, &plain, &traps) || !traps) {
        return TMA_OK;
    }
    if (why) {
        *why = plain;
    }
    const int slices_exist =
        in.rank >= 3 && !tma_mode_is_rows4(in.mode) && !tma_mode_is_wide(in.mode);
    for (int i = TMA_INTERLEAVE_16B; slices_exist && i <= TMA_INTERLEAVE_32B; i++) {
        traps = 0;
        if (runs_swizzled(&in, &known, target, (tma_interleave)i, &other, &traps)) {
            if (but) {
                *but = "an interleaved map";
            }
            return TMA_OK;
        }
    }
    return TMA_TRAP;
}
