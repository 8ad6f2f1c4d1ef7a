/* SPDX-License-Identifier: Apache-2.0
 *
 * A quick yes: a filter without branches per entry that is true only for maps that no rule
 * refuses. What it leaves open goes through the rules, so it may be narrower than they are, never
 * wider; tests/test_rules.c holds it against them.
 */
#include "check_internal.h"

/* All that is per dimension; 0 if nothing is out of place, and word 16 in *box_B. */
static uint64_t per_dimension(const tma_spec *s, uint32_t rank, uint64_t stride_mask) {
    uint64_t bad = 0;
    for (uint32_t i = 0; i < rank; i++) {
        bad |= (s->dim_el[i] - 1) >> 32;
        bad |= (s->element_stride[i] - 1) >> 3;
    }
    for (uint32_t i = 0; i + 1 < rank; i++) {
        bad |= s->stride_B[i] & stride_mask;
    }
    return bad;
}

static uint64_t tiled_box(const tma_spec *s, uint32_t rank, uint64_t *box_el) {
    uint64_t bad = 0;
    uint64_t product = 1;
    for (uint32_t i = 0; i < rank; i++) {
        const uint32_t step = s->element_stride[i];
        bad |= (s->box_el[i] - 1) >> 8;
        product *= step == 1 ? s->box_el[i] : s->box_el[i] / (step ? step : 1);
    }
    *box_el = product; /* at most 2^40 where nothing is bad */
    return bad;
}

static uint64_t im2col_box(const tma_spec *s, uint32_t rank, uint64_t *box_el) {
    const uint32_t first = s->interleave ? 0 : 1;
    const uint32_t spatial = s->api == TMA_API_WIDE ? 1 : rank - 2;
    const int32_t half = 1 << (tma_corner_bits(rank) - 1);
    uint64_t bad = (s->channels_per_pixel - 1) >> 8 | (s->pixels_per_column - 1) >> 10;
    for (uint32_t i = 0; i + 2 < rank; i++) {
        const int64_t lower = i < spatial ? s->lower_px[i] : 0;
        const int64_t upper = i < spatial ? s->upper_px[i] : 0;
        bad |= (uint64_t)(lower + half) >= 2 * (uint64_t)half;
        bad |= (uint64_t)(upper + half) >= 2 * (uint64_t)half;
        /* leaves the wrapping sums to the rules */
        bad |= s->dim_el[first + i] >= INT32_MAX - 65536;
        bad |= (int64_t)s->dim_el[first + i] + upper <= lower;
    }
    *box_el = (uint64_t)s->channels_per_pixel * s->pixels_per_column;
    return bad;
}

int tma_accepts_quickly(const tma_spec *s, const tma_target *target) {
    const uint32_t rank = s->rank;
    const uint32_t least = s->api != TMA_API_TILED || s->interleave ? 3 : 1;
    if (target &&
        (target->sm != 90 || (target->suffix && target->suffix != 'a') || target->driver < 12080)) {
        return 0; /* other targets have rules of their own */
    }
    if (s->api > TMA_API_WIDE || rank - least > TMA_MAX_RANK - least ||
        s->dtype > TMA_DTYPE_TFLOAT32_FTZ || s->interleave > TMA_INTERLEAVE_32B ||
        s->swizzle > TMA_SWIZZLE_128B || s->l2 > TMA_L2_256B || s->fill > TMA_FILL_NAN ||
        (s->api == TMA_API_WIDE && s->wide_mode > TMA_WIDE_W128)) {
        return 0;
    }
    const uint64_t align = s->interleave == TMA_INTERLEAVE_32B ? 31 : 15;
    uint64_t bad = s->address & (align | ~(TMA_ADDRESS_LIMIT - 1));
    bad |= s->fill == TMA_FILL_NAN && s->dtype <= TMA_DTYPE_INT64;
    bad |= per_dimension(s, rank, align | ~(TMA_STRIDE_LIMIT_B - 1));
    uint64_t box_el = 0;
    bad |= s->api == TMA_API_TILED ? tiled_box(s, rank, &box_el) : im2col_box(s, rank, &box_el);
    const uint32_t size_B = tma_dtype_bits(s->dtype) / 8;
    const uint32_t inner_el = s->api == TMA_API_TILED ? s->box_el[0] : s->channels_per_pixel;
    const uint32_t inner_B = inner_el * size_B; /* inner_el is at most 256 where nothing is bad */
    bad |= inner_B & 15;
    bad |= s->swizzle && !s->interleave && inner_B > 16u << s->swizzle;
    return !bad && box_el * size_B <= TMA_COPY_LIMIT_B;
}
