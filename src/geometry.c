/* SPDX-License-Identifier: Apache-2.0
 *
 * The shape of a copy: how many rows, how wide, how far apart in shared memory.
 */
#include "geometry.h"
#include "traits.h"

uint32_t tma_tile_count(const tma_spec *spec, uint32_t i) {
    const uint32_t step = spec->element_stride[i];
    if (i == 0 && spec->interleave == TMA_INTERLEAVE_NONE) {
        return spec->box_el[0];
    }
    if (spec->interleave != TMA_INTERLEAVE_NONE && i + 2 == spec->rank) {
        return 1;
    }
    return step <= 1 ? spec->box_el[i] : spec->box_el[i] / step + (spec->box_el[i] % step != 0);
}

/* Of packed types: 8 bytes of values and 8 of padding, or 12 and 4. */
static uint32_t padded_row_B(const tma_type_traits *type, uint32_t row_B) {
    return type->group_shared_B ? (uint32_t)((uint64_t)row_B * 8 / (type->group_el * type->bits) *
                                             type->group_shared_B)
                                : row_B;
}

tma_layout tma_layout_of(const tma_spec *spec) {
    const uint32_t bits = tma_dtype_bits(spec->dtype);
    const int tiled = spec->api == TMA_API_TILED;
    tma_layout layout = {1, 1, 0, 0, 0};
    if (spec->interleave != TMA_INTERLEAVE_NONE) {
        layout.row_B = layout.row_shared_B = layout.pitch_B = tma_slice_B(spec->interleave);
    } else {
        layout.row_el = tiled ? spec->box_el[0] : spec->channels_per_pixel;
        layout.row_B = (uint32_t)tma_elements_B(bits, layout.row_el);
        layout.row_shared_B = padded_row_B(tma_type_of(spec->dtype), layout.row_B);
        layout.pitch_B = spec->swizzle ? tma_swizzle_span_B(spec->swizzle) : layout.row_shared_B;
    }
    if (tiled) {
        for (uint32_t i = spec->interleave ? 0 : 1; i < spec->rank; i++) {
            layout.rows *= tma_tile_count(spec, i);
        }
    } else {
        int w128 = spec->api == TMA_API_WIDE && spec->wide_mode == TMA_WIDE_W128;
        layout.rows = w128 ? TMA_VALUE(W128_PIXELS) : spec->pixels_per_column;
    }
    return layout;
}

static uint64_t saturating_mul(uint64_t a, uint64_t b) {
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

uint64_t tma_box_bytes(const tma_spec *spec) {
    uint64_t bits = tma_dtype_bits(spec->dtype);
    if (spec->api != TMA_API_TILED) {
        bits = saturating_mul(bits * spec->channels_per_pixel, spec->pixels_per_column);
        return bits == UINT64_MAX ? bits : bits / 8;
    }
    uint32_t rank = spec->rank < TMA_MAX_RANK ? spec->rank : TMA_MAX_RANK;
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t step = spec->element_stride[i];
        bits = saturating_mul(bits, step > 1 ? spec->box_el[i] / step : spec->box_el[i]);
    }
    return bits == UINT64_MAX ? bits : bits / 8;
}
