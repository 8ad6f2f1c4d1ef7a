/* SPDX-License-Identifier: Apache-2.0
 *
 * What a kernel's author needs beside the map.
 */
#include "tma/measure.h"
#include "check_internal.h"
#include "geometry.h"
#include "tma/check.h"
#include "traits.h"

#include <string.h>

static uint64_t divide_up(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}

static uint64_t times(uint64_t a, uint64_t b) {
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static void count_tiles(tma_measure_result *out, const tma_spec *s) {
    for (uint32_t i = 0; i < s->rank; i++) {
        const int slice = s->interleave && i + 2 == s->rank;
        out->count[i] = divide_up(s->dim_el[i], slice ? 1 : s->box_el[i]);
    }
}

/* Pixels of the bounding boxes of all images, in steps of the element strides. */
static void count_columns(tma_measure_result *out, const tma_spec *s) {
    const uint32_t first = s->interleave ? 0 : 1;
    const uint32_t image = s->rank - 1;
    uint64_t pixels = divide_up(s->dim_el[image], s->element_stride[image]);
    for (uint32_t i = 0; i + 2 < s->rank; i++) {
        const int corners = s->api != TMA_API_WIDE || i == 0;
        const int64_t lower = corners ? s->lower_px[i] : 0;
        const int64_t upper = corners ? s->upper_px[i] : 0;
        const uint64_t extent = (uint64_t)((int64_t)s->dim_el[first + i] + upper - lower);
        pixels = times(pixels, divide_up(extent, s->element_stride[first + i]));
    }
    out->count[0] =
        s->interleave ? s->dim_el[s->rank - 2] : divide_up(s->dim_el[0], s->channels_per_pixel);
    out->count[1] = divide_up(pixels, out->rows);
}

/* From the first byte of the tensor to behind its last. */
static uint64_t tensor_B(const tma_spec *s) {
    const uint64_t unit_B = tma_slice_B(s->interleave);
    const uint64_t bits = tma_type_of(s->dtype)->bits;
    uint64_t size_B =
        unit_B ? times(s->dim_el[0], unit_B) : divide_up(times(s->dim_el[0], bits), 8);
    for (uint32_t i = 1; i < s->rank; i++) {
        const uint64_t rest_B = times(s->dim_el[i] - 1, s->stride_B[i - 1]);
        size_B = size_B > UINT64_MAX - rest_B ? UINT64_MAX : size_B + rest_B;
    }
    return size_B;
}

static void measure(tma_measure_result *out, const tma_spec *spec) {
    const tma_layout layout = tma_layout_of(spec);
    tma_measure_result result = {0};
    result.rows = layout.rows;
    result.row_B = layout.row_shared_B;
    result.pitch_B = layout.pitch_B;
    result.copy_B = layout.rows * layout.row_B;
    result.footprint_B = layout.rows * layout.pitch_B;
    if (spec->interleave && spec->swizzle) { /* dense rows: a swizzle moves within its whole span */
        const uint32_t span_B = tma_swizzle_span_B(spec->swizzle);
        result.footprint_B = (result.footprint_B + span_B - 1) / span_B * span_B;
    }
    result.align_B = tma_swizzle_of(spec->swizzle)->align_B;
    result.pattern_B = tma_swizzle_repeat_B(spec->swizzle);
    if (result.pattern_B < result.align_B) {
        result.pattern_B = result.align_B;
    }
    /* padded types start at multiples of their granule (PTX), others of 16 bytes (captured) */
    const tma_type_traits *type = tma_type_of(spec->dtype);
    result.coord0_el = spec->interleave                  ? 1u
                       : type->traits & TMA_TRAIT_PADDED ? (uint32_t)type->granule_el
                                                         : 8u * TMA_VALUE(ALIGN) / type->bits;
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        result.count[i] = 1;
    }
    if (spec->api == TMA_API_TILED) {
        count_tiles(&result, spec);
    } else {
        count_columns(&result, spec);
    }
    result.copies = 1;
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        result.copies = times(result.copies, result.count[i]);
    }
    result.tensor_B = tensor_B(spec);
    *out = result;
}

tma_status tma_measure(tma_measure_result *out, const tma_spec *spec, const tma_target *target) {
    if (!out || !spec) {
        return TMA_INVALID;
    }
    if (!tma_accepts(spec, target)) {
        return TMA_REFUSED;
    }
    measure(out, spec);
    return TMA_OK;
}

size_t tma_check_measure(tma_measure_result *measured, tma_finding *out, size_t capacity,
                         const tma_spec *spec, const tma_target *target) {
    bool accepted = false;
    const size_t count = tma_check_whether(&accepted, out, capacity, spec, target);
    if (measured) {
        memset(measured, 0, sizeof(*measured));
    }
    if (measured && accepted) {
        measure(measured, spec);
    }
    return count;
}
