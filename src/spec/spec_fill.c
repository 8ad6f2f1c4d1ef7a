/* SPDX-License-Identifier: Apache-2.0
 *
 * What most callers leave to a rule: packed strides and element strides of 1.
 */
#include "tma/spec.h"

#define SLICE_BIT 128u /* of interleave 16B; 32B has twice that */

static bool multiply(uint64_t *product, uint64_t by) {
    if (by && *product > UINT64_MAX / by) {
        return false;
    }
    *product *= by;
    return true;
}

/* Rows without gaps, each dimension right behind the one before it. */
static bool pack(tma_spec *s) {
    const uint64_t unit_bit =
        s->interleave ? (uint64_t)SLICE_BIT * s->interleave : tma_dtype_bits(s->dtype);
    uint64_t extent = s->dim_el[0];
    if (s->rank < 2) {
        return true;
    }
    if (!unit_bit || !multiply(&extent, unit_bit)) {
        return false;
    }
    extent = extent / 8 + (extent % 8 != 0);
    for (uint32_t i = 0; i + 1 < s->rank; i++) {
        s->stride_B[i] = extent;
        if (i + 2 < s->rank && !multiply(&extent, s->dim_el[i + 1])) {
            return false;
        }
    }
    return true;
}

tma_status tma_spec_fill(tma_spec *spec) {
    if (!spec || spec->rank - 1 >= TMA_MAX_RANK) {
        return TMA_INVALID;
    }
    tma_spec filled = *spec;
    bool strides_given = false;
    for (uint32_t i = 0; i < filled.rank; i++) {
        strides_given |= i + 1 < filled.rank && filled.stride_B[i];
        filled.element_stride[i] += filled.element_stride[i] == 0;
    }
    if (!strides_given && !pack(&filled)) {
        return TMA_INVALID;
    }
    *spec = filled;
    return TMA_OK;
}
