/* SPDX-License-Identifier: Apache-2.0
 *
 * The shape of a copy: how many rows, how wide, how far apart in shared memory, and which indices
 * lie in the tensor.
 */
#ifndef TMA_GEOMETRY_H
#define TMA_GEOMETRY_H

#include "tma/detail/assert.h"
#include "tma/detail/conditions.h"
#include "tma/spec.h"
#include "traits.h"

/* What one full copy of a map occupies. Source: docs/facts.md, Copies. */
typedef struct tma_layout {
    uint64_t rows;
    uint32_t row_el;       /* elements of a row; 1 (a slice unit) if interleaved */
    uint32_t row_B;        /* bytes that a row counts on the barrier: its payload */
    uint32_t row_shared_B; /* bytes that it occupies: payload and the padding of packed types */
    uint32_t pitch_B;
} tma_layout;

/* For a spec whose rank, type, interleave and swizzle are in range; element strides of 0 count as
 * 1. Tile mode for tiled specs, im2col for the others. */
tma_layout tma_layout_of(const tma_spec *spec);

/* The same but for the rows; `interleave` and `type` are the spec's, or what is known of them. */
static inline tma_layout tma_row_as(const tma_spec *spec, uint32_t interleave,
                                    const tma_type_traits *type) {
    tma_layout row = {0, 1, 0, 0, 0};
    if (interleave != TMA_INTERLEAVE_NONE) {
        row.row_B = row.row_shared_B = row.pitch_B = tma_slice_B(interleave);
        return row;
    }
    row.row_el = spec->api == TMA_API_TILED ? spec->box_el[0] : spec->channels_per_pixel;
    row.row_B = (uint32_t)((uint64_t)row.row_el * type->bits / 8);
    row.row_shared_B = tma_padded_B(row.row_B, type);
    row.pitch_B = spec->swizzle ? tma_swizzle_of(spec->swizzle)->span_B : row.row_shared_B;
    return row;
}

static inline tma_layout tma_row_of(const tma_spec *spec) {
    return tma_row_as(spec, spec->interleave, tma_type_of(spec->dtype));
}

/* Elements that a tile copy visits along dimension i: ceil(box / element stride); without
 * interleave all of the box along dimension 0; with it one slice along dimension rank - 2. */
static inline uint32_t tma_tile_count(const tma_spec *spec, uint32_t i) {
    const uint32_t step = spec->element_stride[i];
    if (i == 0 && spec->interleave == TMA_INTERLEAVE_NONE) {
        return spec->box_el[0];
    }
    if (spec->interleave != TMA_INTERLEAVE_NONE && i + 2 == spec->rank) {
        return 1;
    }
    return tma_visited(spec->box_el[i], step);
}

/* The indices along a dimension that are inside the tensor. */
typedef struct tma_index_range {
    uint32_t first;
    uint32_t count;
} tma_index_range;

/* Which of `count` indices from `from` on, `step` apart, lie in [0, dim). */
static inline tma_index_range tma_inside(int64_t from, int64_t step, uint32_t count, int64_t dim) {
    TMA_ASSERT(step > 0 && count > 0 && dim >= 0);
    const int64_t last = from + (int64_t)(count - 1) * step;
    tma_index_range r = {0, count};
    if (from >= 0 && last < dim) {
        return r;
    }
    const int64_t before = -from + step - 1; /* most steps are 1: no division */
    const int64_t room = dim - from + step - 1;
    const int64_t first = from >= 0 ? 0 : step == 1 ? before : before / step;
    const int64_t end = from >= dim ? 0 : last < dim ? count : step == 1 ? room : room / step;
    r.first = (uint32_t)(first < end ? first : 0);
    r.count = (uint32_t)(first < end ? end - first : 0);
    TMA_ASSERT(r.first + r.count <= count);
    return r;
}

/* Payload bytes of `elements` consecutive elements in global memory, rounded down. */
static inline uint64_t tma_elements_B(uint32_t bits, uint64_t elements) {
    return elements * bits / 8;
}

/* floor(box / step) for boxes to 256 and steps from 1 to 8, without a division. */
static inline uint32_t tma_box_steps(uint32_t box, uint32_t step) {
    static const uint32_t reciprocal[8] = {65537, 32769, 21846, 16385, 13108, 10923, 9363, 8193};
    return box * reciprocal[(step - 1) & 7] >> 16;
}

/* The number that the driver limits to 228 KiB and stores in word 16: size * product of
 * floor(box / element stride), or size * channels * pixels. UINT64_MAX if it does not fit. */
uint64_t tma_box_bytes(const tma_spec *spec);

static inline uint64_t tma_at_most(uint64_t value, uint64_t limit) {
    return value < limit ? value : limit;
}

/* The size that a driver calls large from LARGE_TENSOR on: of all elements, or, from EXTENT_DRIVER
 * on, from the first byte to the last. It is cut on the way, so that no product leaves 64 bits:
 * what is larger is at least LARGE_TENSOR, and no more is said. */
static inline uint64_t tma_class_size_B(const tma_spec *s, uint32_t driver) {
    const uint64_t enough = TMA_VALUE(LARGE_TENSOR);
    uint64_t size_B = tma_at_most(s->dim_el[0], enough * 2) * tma_type_of(s->dtype)->bits / 8;
    for (uint32_t i = 1; i < s->rank && size_B < enough; i++) {
        if (driver >= TMA_VALUE(EXTENT_DRIVER)) {
            size_B += tma_at_most(s->dim_el[i] - 1, enough) * s->stride_B[i - 1];
        } else {
            size_B *= tma_at_most(s->dim_el[i], enough);
        }
    }
    return size_B;
}

#endif
