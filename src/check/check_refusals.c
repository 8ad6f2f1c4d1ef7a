/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules that refuse a map whatever its element type: what driver 13.0 was seen to enforce on
 * sm_90. One small function each; rules.def says what they say and who says so.
 */
#include "check_internal.h"
#include "geometry.h"

#define LEGAL(rule, place, fault, legal)                                                           \
    tma_report_legal(&c->judge, TMA_RULE_##rule, place, fault, (uint64_t)(legal))

uint64_t tma_address_align_B(const tma_checker *c) {
    return tma_off_padded(TMA_VALUE(ALIGN), c->type) ? TMA_VALUE(ALIGN_32B)
                                                     : tma_align_B(c->spec->interleave);
}

/* The least row of a box that is a multiple of 16 bytes, by all rules together. */
static uint32_t granule_el(const tma_checker *c) {
    const tma_type_traits *type = c->type;
    return type->traits & TMA_TRAIT_PADDED ? type->granule_el
           : c->bits                       ? 8 * TMA_VALUE(ALIGN) / c->bits
                                           : TMA_VALUE(ALIGN);
}

static void api_range(tma_checker *c) {
    if (c->spec->api > TMA_API_WIDE) {
        tma_report(&c->judge, TMA_RULE_API_RANGE, AT(TMA_ARG_API, -1, c->spec->api),
                   BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_NONE, c->spec->api, TMA_API_WIDE));
    }
}

static void reserved(tma_checker *c) {
    const tma_spec *s = c->spec;
    for (int i = -1; tma_reserved_bits(s) && i < (int)TMA_COUNT_OF(s->reserved); i++) {
        const uint32_t given = i < 0 ? s->reserved_0 : s->reserved[i];
        if (given) {
            LEGAL(RESERVED_ZERO, AT(TMA_ARG_RESERVED, i, given),
                  BAD(TMA_MUST_BE, TMA_UNIT_NONE, given, 0), 0);
        }
    }
}

static void rank(tma_checker *c) {
    const uint32_t given = c->spec->rank;
    const tma_place place = AT(TMA_ARG_RANK, -1, given);
    const int tiled = c->spec->api == TMA_API_TILED;
    if (given == 0) {
        LEGAL(RANK_RANGE, place, BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_NONE, 0, 1),
              tma_rank_sliced(1, tiled, c->spec->interleave) ? TMA_VALUE(RANK_SLICED) : 1);
    } else if (given > TMA_VALUE(RANK)) {
        LEGAL(RANK_RANGE, place, BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_NONE, given, TMA_VALUE(RANK)),
              TMA_VALUE(RANK));
    } else if (tma_rank_sliced(given, tiled, TMA_INTERLEAVE_NONE)) {
        LEGAL(RANK_IM2COL, place,
              BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_NONE, given, TMA_VALUE(RANK_SLICED)),
              TMA_VALUE(RANK_SLICED));
    } else if (tma_rank_sliced(given, tiled, c->spec->interleave)) {
        LEGAL(RANK_INTERLEAVE, place,
              BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_NONE, given, TMA_VALUE(RANK_SLICED)),
              TMA_VALUE(RANK_SLICED));
    }
}

static void address(tma_checker *c) {
    const uint64_t given = c->spec->address;
    const tma_place place = AT(TMA_ARG_ADDRESS, -1, given);
    if (given % TMA_VALUE(ALIGN)) {
        LEGAL(ADDRESS_ALIGN, place,
              BAD(TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_ADDRESS, given, TMA_VALUE(ALIGN)),
              given - given % tma_address_align_B(c));
    } else if (given % TMA_VALUE(ALIGN_32B) && c->spec->interleave == TMA_INTERLEAVE_32B) {
        LEGAL(ADDRESS_ALIGN_32, place,
              BAD(TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_ADDRESS, given, TMA_VALUE(ALIGN_32B)),
              given - given % TMA_VALUE(ALIGN_32B));
    }
    if (given >= TMA_VALUE(ADDRESS)) {
        tma_report(&c->judge, TMA_RULE_ADDRESS_LIMIT, place,
                   BAD(TMA_MUST_BE_BELOW, TMA_UNIT_ADDRESS, given, TMA_VALUE(ADDRESS)));
    }
}

static void dims(tma_checker *c) {
    const uint64_t most_el = tma_most_dim_el(c->judge.driver);
    for (uint32_t i = 0; i < c->rank; i++) {
        const uint64_t given = c->spec->dim_el[i];
        const tma_place place = AT(TMA_ARG_DIM, (int)i, given);
        if (given == 0) {
            LEGAL(DIM_ZERO, place, BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_EL, 0, 1),
                  i == 0 && c->bits ? c->type->granule_el : 1);
        } else if (given > TMA_VALUE(DIM)) {
            LEGAL(DIM_LIMIT, place, BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_EL, given, TMA_VALUE(DIM)),
                  most_el);
        } else if (given > most_el) {
            LEGAL(DIM_TEXT, place, BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_EL, given, most_el), most_el);
        }
    }
}

static void strides(tma_checker *c) {
    const uint64_t most_B = TMA_VALUE(STRIDE) - TMA_VALUE(ALIGN_32B);
    for (uint32_t i = 0; i + 1 < c->rank; i++) {
        const uint64_t given = c->spec->stride_B[i];
        const tma_place place = AT(TMA_ARG_STRIDE, (int)i, given);
        if (given >= TMA_VALUE(STRIDE)) {
            LEGAL(STRIDE_LIMIT, place, BAD(TMA_MUST_BE_BELOW, TMA_UNIT_B, given, TMA_VALUE(STRIDE)),
                  most_B);
        }
        if (given % TMA_VALUE(ALIGN)) {
            LEGAL(STRIDE_ALIGN, place,
                  BAD(TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_B, given, TMA_VALUE(ALIGN)),
                  tma_stride_legal(c, i, 0));
        } else if (given % TMA_VALUE(ALIGN_32B) && c->spec->interleave == TMA_INTERLEAVE_32B) {
            LEGAL(STRIDE_ALIGN_32, place,
                  BAD(TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_B, given, TMA_VALUE(ALIGN_32B)),
                  tma_stride_legal(c, i, 0));
        }
    }
}

static void boxes(tma_checker *c) {
    for (uint32_t i = 0; i < c->rank && c->spec->api == TMA_API_TILED; i++) {
        const uint32_t given = c->spec->box_el[i];
        const tma_place place = AT(TMA_ARG_BOX, (int)i, given);
        if (given == 0) {
            LEGAL(BOX_ZERO, place, BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_EL, 0, 1),
                  i == 0 ? granule_el(c) : 1);
        } else if (given > TMA_VALUE(BOX)) {
            LEGAL(BOX_LIMIT, place, BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_EL, given, TMA_VALUE(BOX)),
                  TMA_VALUE(BOX));
        }
    }
}

static void element_strides(tma_checker *c) {
    for (uint32_t i = 0; i < c->rank; i++) {
        const uint32_t given = c->spec->element_stride[i];
        const tma_place place = AT(TMA_ARG_ELEMENT_STRIDE, (int)i, given);
        const int ignored = i == 0 && c->spec->interleave == TMA_INTERLEAVE_NONE; /* by the text */
        if (given == 0) {
            tma_report_legal(
                &c->judge, ignored ? TMA_RULE_ELEMENT_STRIDE_0_RANGE : TMA_RULE_ELEMENT_STRIDE_ZERO,
                place, BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_EL, 0, 1), 1);
        } else if (given > TMA_VALUE(STEP)) {
            tma_report_legal(
                &c->judge,
                ignored ? TMA_RULE_ELEMENT_STRIDE_0_RANGE : TMA_RULE_ELEMENT_STRIDE_LIMIT, place,
                BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_EL, given, TMA_VALUE(STEP)), TMA_VALUE(STEP));
        }
    }
}

static void enumerations(tma_checker *c) {
    const tma_spec *s = c->spec;
    const struct {
        tma_rule_id rule;
        tma_argument argument;
        uint32_t given;
        uint32_t max;
    } rows[] = {
        {TMA_RULE_DTYPE_RANGE, TMA_ARG_DTYPE, s->dtype, TMA_DTYPES - 1},
        {TMA_RULE_INTERLEAVE_RANGE, TMA_ARG_INTERLEAVE, s->interleave, TMA_INTERLEAVE_32B},
        {TMA_RULE_SWIZZLE_RANGE, TMA_ARG_SWIZZLE, s->swizzle == TMA_SWIZZLE_96B ? 0 : s->swizzle,
         TMA_SWIZZLE_128B_ATOM_64B},
        {TMA_RULE_L2_RANGE, TMA_ARG_L2, s->l2, TMA_L2_256B},
        {TMA_RULE_FILL_RANGE, TMA_ARG_FILL, s->fill, TMA_FILL_NAN},
        {TMA_RULE_WIDE_MODE_RANGE, TMA_ARG_WIDE_MODE, s->api == TMA_API_WIDE ? s->wide_mode : 0,
         TMA_WIDE_W128},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].given > rows[i].max) {
            tma_report(&c->judge, rows[i].rule, AT(rows[i].argument, -1, rows[i].given),
                       BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_NONE, rows[i].given, rows[i].max));
        }
    }
}

static void fill_nan_integer(tma_checker *c) {
    if (tma_nan_integer(c->spec->fill, c->type)) {
        LEGAL(FILL_NAN_INTEGER, AT(TMA_ARG_FILL, -1, c->spec->fill), NOT(TMA_FILL_NAN),
              TMA_FILL_NONE);
    }
}

static void inner_span(tma_checker *c) {
    const uint32_t span_B = tma_swizzle_span_B(c->spec->swizzle);
    const uint64_t inner_B = tma_elements_B(c->bits, c->inner_el);
    if (!tma_row_over_span(inner_B, span_B, c->spec->interleave)) {
        return;
    }
    const tma_place place =
        AT(c->inner_argument, c->inner_argument == TMA_ARG_BOX ? 0 : -1, c->inner_el);
    const tma_fault fault = BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_B, inner_B, span_B);
    if (!(c->type->traits & TMA_TRAIT_PADDED)) {
        LEGAL(INNER_SPAN, place, fault, span_B * 8 / c->bits);
    } else if (tma_elements_B(c->bits, c->type->granule_el) <= span_B) {
        LEGAL(INNER_SPAN, place, fault, c->type->granule_el);
    } else { /* their rows have one length: the swizzle is to blame */
        tma_report(&c->judge, TMA_RULE_INNER_SPAN, place, fault);
    }
}

static void inner_16B(tma_checker *c) {
    const uint64_t inner_bit = (uint64_t)c->inner_el * c->bits;
    if (!tma_row_off_16B(c->inner_el, c->bits)) {
        return;
    }
    const int documented =
        c->spec->api == TMA_API_TILED && c->spec->interleave == TMA_INTERLEAVE_NONE;
    const uint32_t unit_el = granule_el(c);
    const uint32_t most_el = (c->type->traits & TMA_TRAIT_PADDED) ? unit_el : TMA_VALUE(BOX);
    const uint32_t legal = c->inner_el >= most_el ? most_el : (c->inner_el / unit_el + 1) * unit_el;
    tma_report_legal(&c->judge, documented ? TMA_RULE_INNER_16B : TMA_RULE_INNER_16B_ALWAYS,
                     AT(c->inner_argument, c->inner_argument == TMA_ARG_BOX ? 0 : -1, c->inner_el),
                     BAD(TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_B, inner_bit / 8, TMA_VALUE(ALIGN)),
                     legal);
}

static void channels_and_pixels(tma_checker *c) {
    if (c->spec->api == TMA_API_TILED) {
        return;
    }
    const tma_place channels = AT(TMA_ARG_CHANNELS, -1, c->spec->channels_per_pixel);
    const tma_place pixels = AT(TMA_ARG_PIXELS, -1, c->spec->pixels_per_column);
    if (channels.given == 0) {
        LEGAL(CHANNELS_ZERO, channels, BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_EL, 0, 1), granule_el(c));
    } else if (channels.given > TMA_VALUE(CHANNELS)) {
        LEGAL(CHANNELS_LIMIT, channels,
              BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_EL, channels.given, TMA_VALUE(CHANNELS)),
              TMA_VALUE(CHANNELS));
    }
    if (pixels.given == 0) {
        LEGAL(PIXELS_ZERO, pixels, BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_PX, 0, 1), 1);
    } else if (pixels.given > TMA_VALUE(PIXELS)) {
        const int ignored = c->spec->api == TMA_API_WIDE && c->spec->wide_mode == TMA_WIDE_W128;
        tma_report_legal(&c->judge, ignored ? TMA_RULE_PIXELS_LIMIT_W128 : TMA_RULE_PIXELS_LIMIT,
                         pixels,
                         BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_PX, pixels.given, TMA_VALUE(PIXELS)),
                         TMA_VALUE(PIXELS));
    }
}

static void corner_range(tma_checker *c) {
    const int32_t max = (1 << (tma_corner_bits(c->spec->rank) - 1)) - 1;
    for (uint32_t i = 0; i < 2 * c->spatial; i++) {
        const int is_upper = i >= c->spatial;
        const uint32_t at = is_upper ? i - c->spatial : i;
        const int32_t given = is_upper ? c->spec->upper_px[at] : c->spec->lower_px[at];
        const tma_place place =
            AT(is_upper ? TMA_ARG_UPPER : TMA_ARG_LOWER, (int)at, (int64_t)given);
        const int allowed = /* by the text */
            c->spec->api == TMA_API_WIDE && given >= INT16_MIN && given <= INT16_MAX;
        const tma_rule_id rule = allowed ? TMA_RULE_CORNER_RANGE_WIDE : TMA_RULE_CORNER_RANGE;
        if (given > max) {
            tma_report_legal(&c->judge, rule, place,
                             BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_PX, (int64_t)given, (int64_t)max),
                             (uint64_t)max);
        } else if (given < -max - 1) {
            tma_report_legal(
                &c->judge, rule, place,
                BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_PX, (int64_t)given, (int64_t)-max - 1),
                (uint64_t)((int64_t)-max - 1));
        }
    }
}

static void bounding_box(tma_checker *c) {
    const tma_spec *s = c->spec;
    if (s->api == TMA_API_TILED || c->rank < 3) {
        return;
    }
    const uint32_t first = s->interleave == TMA_INTERLEAVE_NONE ? 1 : 0;
    for (uint32_t i = 0; i + 2 < c->rank; i++) {
        const int32_t lower = i < c->spatial ? s->lower_px[i] : 0;
        const int32_t upper = i < c->spatial ? s->upper_px[i] : 0;
        const uint32_t sum = (uint32_t)s->dim_el[first + i] + (uint32_t)upper;
        /* Cut to 32 bits and read as signed, as the driver does: rules.def, bounding-box-empty. */
        const int64_t end = sum > INT32_MAX ? (int64_t)sum - (INT64_C(1) << 32) : (int64_t)sum;
        if (end <= lower) {
            const tma_place place = i < c->spatial
                                        ? AT(TMA_ARG_UPPER, (int)i, (int64_t)upper)
                                        : AT(TMA_ARG_DIM, (int)(first + i), s->dim_el[first + i]);
            const int64_t legal = (int64_t)lower + 1 - (int64_t)(uint32_t)s->dim_el[first + i];
            const tma_fault fault = BAD(TMA_MUST_BE_ABOVE, TMA_UNIT_PX, end, (int64_t)lower);
            const int32_t most = 1 << (tma_corner_bits(c->spec->rank) - 1);
            if (i < c->spatial && lower < INT32_MAX && legal >= -most && legal < most) {
                tma_report_legal(&c->judge, TMA_RULE_BOX_EMPTY, place, fault, (uint64_t)legal);
            } else {
                tma_report(&c->judge, TMA_RULE_BOX_EMPTY, place, fault);
            }
        }
    }
}

/* How often dimension i counts in the driver's formula. */
static uint64_t box_steps(const tma_spec *s, uint32_t i) {
    return s->element_stride[i] > 1 ? s->box_el[i] / s->element_stride[i] : s->box_el[i];
}

/* Too many bytes: to blame is the outermost dimension of the box that counts more than one step, or
 * the pixels, and legal is as many whole steps as fit. Dimension 0 is never offered less: its
 * length has rules of its own. */
static void box_bytes(tma_checker *c) {
    const tma_spec *s = c->spec;
    const uint64_t bytes = tma_box_bytes(s);
    if (bytes <= TMA_VALUE(BOX_BYTES)) {
        return;
    }
    const tma_fault fault = BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_B, bytes, TMA_VALUE(BOX_BYTES));
    tma_place place = AT(TMA_ARG_PIXELS, -1, s->pixels_per_column);
    uint64_t step_el = 1;
    if (s->api == TMA_API_TILED) {
        uint32_t i = c->rank ? c->rank - 1 : 0;
        while (i > 0 && box_steps(s, i) <= 1) {
            i--;
        }
        place = AT(TMA_ARG_BOX, (int)i, s->box_el[i]);
        step_el = s->element_stride[i] > 1 ? s->element_stride[i] : 1;
    }
    const uint64_t steps = place.given / step_el;
    const uint64_t legal = bytes == UINT64_MAX ? 0 : steps * TMA_VALUE(BOX_BYTES) / bytes * step_el;
    if (legal && place.index != 0) { /* 0: other dimensions are to blame too */
        LEGAL(BOX_BYTES, place, fault, legal);
    } else {
        tma_report(&c->judge, TMA_RULE_BOX_BYTES, place, fault);
    }
}

void tma_check_refusals(tma_checker *c) {
    reserved(c);
    api_range(c);
    enumerations(c);
    rank(c);
    address(c);
    dims(c);
    strides(c);
    boxes(c);
    element_strides(c);
    fill_nan_integer(c);
    channels_and_pixels(c);
    corner_range(c);
    bounding_box(c);
    if (c->bits) {
        inner_span(c);
        inner_16B(c);
        box_bytes(c);
    }
}
