/* SPDX-License-Identifier: Apache-2.0
 *
 * The shape of a copy: how many rows, how wide, how far apart in shared memory.
 */
#include "geometry.h"

tma_layout tma_layout_of(const tma_spec *spec) {
    tma_layout layout = tma_row_of(spec);
    TMA_ASSERT(spec->rank >= 1 && spec->rank <= TMA_MAX_RANK);
    layout.rows = 1;
    if (spec->api == TMA_API_TILED) {
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
