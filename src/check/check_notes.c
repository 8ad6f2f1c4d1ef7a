/* SPDX-License-Identifier: Apache-2.0
 *
 * What the driver accepts and a user should know: maps whose copies fault or do something else
 * than they seem, and legal ones that surprise.
 */
#include "check_internal.h"
#include "geometry.h"

static void wide(tma_checker *c) {
    const tma_spec *s = c->spec;
    if (tma_rule_holds(TMA_RULE_WIDE_TARGET, c->arch)) { /* the gate of im2col::w too */
        tma_report_legal(&c->judge, TMA_RULE_WIDE_TARGET, AT(TMA_ARG_ARCH, -1, c->arch->sm),
                         BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_NONE, c->arch->sm, 100), 100);
    }
    const int listed = tma_swizzle_has(s->swizzle, TMA_TRAIT_WIDE_CALL);
    const int read = tma_swizzle_has(s->swizzle, TMA_TRAIT_WIDE_READ);
    if (!read && !tma_swizzle_has(s->swizzle, TMA_TRAIT_ATOM)) { /* atoms: refused */
        tma_report_legal(&c->judge, TMA_RULE_WIDE_SWIZZLE, AT(TMA_ARG_SWIZZLE, -1, s->swizzle),
                         NOT(s->swizzle), TMA_SWIZZLE_128B);
    }
    if (s->interleave != TMA_INTERLEAVE_NONE) {
        tma_report_legal(&c->judge, TMA_RULE_WIDE_INTERLEAVE,
                         AT(TMA_ARG_INTERLEAVE, -1, s->interleave),
                         BAD(TMA_MUST_BE, TMA_UNIT_NONE, s->interleave, TMA_INTERLEAVE_NONE),
                         TMA_INTERLEAVE_NONE);
    }
    if (read && !listed && !tma_swizzle_has(s->swizzle, TMA_TRAIT_ATOM)) {
        tma_report_legal(&c->judge, tma_wide_unlisted(s->swizzle),
                         AT(TMA_ARG_SWIZZLE, -1, s->swizzle), NOT(s->swizzle), TMA_SWIZZLE_128B);
    }
    const int is_taken = s->pixels_per_column >= 1 && s->pixels_per_column <= TMA_VALUE(PIXELS);
    if (s->wide_mode == TMA_WIDE_W128 && is_taken &&
        s->pixels_per_column != TMA_VALUE(W128_PIXELS)) {
        tma_report_legal(
            &c->judge, TMA_RULE_WIDE_W128_PIXELS, AT(TMA_ARG_PIXELS, -1, s->pixels_per_column),
            BAD(TMA_MUST_BE, TMA_UNIT_PX, s->pixels_per_column, TMA_VALUE(W128_PIXELS)),
            TMA_VALUE(W128_PIXELS));
    }
}

static void interleaved(tma_checker *c) {
    const tma_spec *s = c->spec;
    const uint32_t slice = c->rank - 2;
    if (c->bits == 4) { /* 6-bit types: refused, interleave-packed */
        tma_report_legal(&c->judge, TMA_RULE_INTERLEAVE_4BIT,
                         AT(TMA_ARG_INTERLEAVE, -1, s->interleave),
                         BAD(TMA_MUST_BE, TMA_UNIT_NONE, s->interleave, TMA_INTERLEAVE_NONE),
                         TMA_INTERLEAVE_NONE);
    }
    if (s->api == TMA_API_TILED && s->box_el[slice] > 1) {
        tma_report_legal(&c->judge, TMA_RULE_SLICE_BOX,
                         AT(TMA_ARG_BOX, (int)slice, s->box_el[slice]),
                         BAD(TMA_MUST_BE, TMA_UNIT_EL, s->box_el[slice], 1), 1);
    }
    const uint64_t channels_B = tma_elements_B(c->bits, s->channels_per_pixel);
    const uint64_t slice_B = tma_slice_B(s->interleave);
    if (s->api != TMA_API_TILED && channels_B != slice_B) {
        const tma_place place = AT(TMA_ARG_CHANNELS, -1, s->channels_per_pixel);
        const tma_fault fault = BAD(TMA_MUST_BE, TMA_UNIT_B, channels_B, slice_B);
        if ((c->type->traits &
             TMA_TRAIT_PADDED)) { /* these have a row of one length: inner-packed */
            tma_report(&c->judge, TMA_RULE_SLICE_CHANNELS, place, fault);
        } else {
            tma_report_legal(&c->judge, TMA_RULE_SLICE_CHANNELS, place, fault,
                             slice_B * 8 / c->bits);
        }
    }
}

static void faulting_dims(tma_checker *c) {
    for (uint32_t i = 0; i < c->rank; i++) {
        const uint64_t given = c->spec->dim_el[i];
        if (tma_dim_kills(given)) {
            tma_report_legal(&c->judge, TMA_RULE_DIM_SIGNED, AT(TMA_ARG_DIM, (int)i, given),
                             BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_EL, given, TMA_VALUE(COPIED_DIM)),
                             TMA_VALUE(COPIED_DIM));
        }
    }
}

static void faulting(tma_checker *c) {
    const tma_spec *s = c->spec;
    const int accepted = c->judge.count == 0; /* else the footprint may not fit its integers */
    if (s->address == 0) {
        tma_report(&c->judge, TMA_RULE_ADDRESS_NULL, AT(TMA_ARG_ADDRESS, -1, 0),
                   BAD(TMA_MUST_NOT_BE, TMA_UNIT_ADDRESS, 0, 0));
    }
    const uint64_t row_bit = s->dim_el[0] * c->bits;
    if (s->interleave == TMA_INTERLEAVE_NONE && row_bit % TMA_ALIGN_BIT &&
        !(c->type->traits & TMA_TRAIT_PACKED)) {
        tma_report_legal(&c->judge, TMA_RULE_STORE_PAST_EDGE, AT(TMA_ARG_DIM, 0, s->dim_el[0]),
                         BAD(TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_B, row_bit / 8, TMA_VALUE(ALIGN)),
                         (row_bit / TMA_ALIGN_BIT + 1) * TMA_ALIGN_BIT / c->bits);
    }
    if (s->interleave == TMA_INTERLEAVE_NONE && s->element_stride[0] != 1 &&
        s->api == TMA_API_TILED) {
        tma_report_legal(&c->judge, TMA_RULE_ELEMENT_STRIDE_0,
                         AT(TMA_ARG_ELEMENT_STRIDE, 0, s->element_stride[0]),
                         BAD(TMA_MUST_BE, TMA_UNIT_EL, s->element_stride[0], 1), 1);
    }
    const tma_layout layout = tma_layout_of(s);
    const uint64_t footprint_B = layout.rows * layout.pitch_B;
    if (accepted && tma_over_shared(footprint_B, c->arch->shared_B)) {
        uint32_t i = c->rank - 1;
        while (s->api == TMA_API_TILED && i > 0 && tma_tile_count(s, i) <= 1) {
            i--;
        }
        const tma_place place = s->api == TMA_API_TILED
                                    ? AT(TMA_ARG_BOX, (int)i, s->box_el[i])
                                    : AT(TMA_ARG_PIXELS, -1, s->pixels_per_column);
        tma_report(&c->judge, TMA_RULE_COPY_BYTES, place,
                   BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_B, footprint_B, c->arch->shared_B));
    }
}

static void surprising_tile(tma_checker *c) {
    const tma_spec *s = c->spec;
    for (uint32_t i = 0; i < c->rank; i++) {
        const int slice = s->interleave && i + 2 == c->rank;
        if (s->box_el[i] > s->dim_el[i] && !slice) {
            tma_report(&c->judge, TMA_RULE_BOX_OUTSIDE, AT(TMA_ARG_BOX, (int)i, s->box_el[i]),
                       BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_EL, s->box_el[i], s->dim_el[i]));
        }
        if (s->element_stride[i] > s->box_el[i]) {
            tma_report(&c->judge, TMA_RULE_ELEMENT_STRIDE_BOX,
                       AT(TMA_ARG_ELEMENT_STRIDE, (int)i, s->element_stride[i]),
                       BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_EL, s->element_stride[i], s->box_el[i]));
        }
    }
}

/* What only stores of sm_103a take, if the map is accepted at all. */
static void store_halves(tma_checker *c) {
    const tma_spec *s = c->spec;
    const tma_type_traits *loaded = tma_type_of(s->dtype);
    int only = tma_off_padded(s->address, loaded) || tma_dim_off_granule(s->dim_el[0], loaded) ||
               tma_row_not_padded(c->inner_el, loaded) ||
               tma_swizzle_not_padded(tma_swizzle_of(s->swizzle), loaded, s->api == TMA_API_WIDE);
    for (uint32_t i = 0; i + 1 < c->rank; i++) {
        only |= tma_off_padded(s->stride_B[i], loaded);
    }
    if (c->type->traits & TMA_TRAIT_HALVES && only) {
        tma_report(&c->judge, TMA_RULE_STORE_HALVES, AT(TMA_ARG_DTYPE, -1, s->dtype),
                   NOT(s->dtype));
    }
}

/* The elements say large, the memory between their first and last byte does not. */
static void class_large(tma_checker *c) {
    for (uint32_t i = 0; i + 1 < c->rank; i++) {
        if (c->spec->stride_B[i] >= TMA_VALUE(STRIDE)) {
            return; /* refused, and its products may not fit 64 bits */
        }
    }
    const uint64_t span_B = tma_class_size_B(c->spec, TMA_VALUE(EXTENT_DRIVER));
    const uint32_t driver = c->judge.driver;
    if (tma_rule_holds(TMA_RULE_CLASS_LARGE, c->arch) && span_B < TMA_VALUE(LARGE_TENSOR) &&
        tma_class_size_B(c->spec, driver) >= TMA_VALUE(LARGE_TENSOR)) {
        tma_report_legal(&c->judge, TMA_RULE_CLASS_LARGE, AT(TMA_ARG_DRIVER, -1, driver),
                         BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_B, span_B, TMA_VALUE(LARGE_TENSOR)),
                         TMA_VALUE(EXTENT_DRIVER));
    }
}

/* A row that is as wide as the span; padded types have few widths. */
static uint32_t full_row_el(const tma_checker *c, uint32_t span_B) {
    const uint32_t granule_el = c->type->granule_el;
    if (!(c->type->traits & TMA_TRAIT_PADDED)) {
        return span_B * 8 / c->bits;
    }
    return c->type->traits & TMA_TRAIT_HALVES && span_B > granule_el ? 2 * granule_el : granule_el;
}

static void surprising(tma_checker *c) {
    const tma_spec *s = c->spec;
    const uint32_t span_B = tma_swizzle_span_B(s->swizzle);
    const tma_layout layout = tma_layout_of(s);
    if (s->interleave == TMA_INTERLEAVE_32B && s->swizzle != TMA_SWIZZLE_32B) {
        tma_report_legal(
            &c->judge, TMA_RULE_INTERLEAVE_32B_SWIZZLE, AT(TMA_ARG_SWIZZLE, -1, s->swizzle),
            BAD(TMA_MUST_BE, TMA_UNIT_NONE, s->swizzle, TMA_SWIZZLE_32B), TMA_SWIZZLE_32B);
    }
    if (span_B && s->interleave == TMA_INTERLEAVE_NONE && layout.row_shared_B < span_B) {
        tma_report_legal(
            &c->judge, TMA_RULE_ROW_NARROW,
            AT(c->inner_argument, c->inner_argument == TMA_ARG_BOX ? 0 : -1, c->inner_el),
            BAD(TMA_MUST_BE, TMA_UNIT_B, layout.row_shared_B, span_B), full_row_el(c, span_B));
    }
    if (s->interleave && s->dim_el[0] * c->bits == UINT64_C(8) * tma_slice_B(s->interleave)) {
        tma_report(&c->judge, TMA_RULE_SLICE_UNITS, AT(TMA_ARG_DIM, 0, s->dim_el[0]),
                   BAD(TMA_MUST_NOT_BE, TMA_UNIT_EL, s->dim_el[0], s->dim_el[0]));
    }
    const uint32_t images = s->api == TMA_API_IM2COL ? s->element_stride[c->rank - 1] : 1;
    if (images > 1) {
        tma_report_legal(&c->judge, TMA_RULE_ELEMENT_STRIDE_IMAGES,
                         AT(TMA_ARG_ELEMENT_STRIDE, (int)c->rank - 1, images),
                         BAD(TMA_MUST_BE, TMA_UNIT_EL, images, 1), 1);
    }
    for (uint32_t i = 0; i < c->spatial; i++) {
        if (tma_lower_outside(s->lower_px[i])) {
            tma_report_legal(&c->judge, TMA_RULE_CORNER_STORE,
                             AT(TMA_ARG_LOWER, (int)i, (int64_t)s->lower_px[i]),
                             BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_PX, (int64_t)s->lower_px[i], 0), 0);
        }
        if (tma_upper_outside(s->upper_px[i])) {
            tma_report_legal(&c->judge, TMA_RULE_CORNER_STORE,
                             AT(TMA_ARG_UPPER, (int)i, (int64_t)s->upper_px[i]),
                             BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_PX, (int64_t)s->upper_px[i], 0), 0);
        }
    }
}

/* Whether the numbers mean enough to go on: a rank, a type and an interleave that exist. */
static int makes_sense(const tma_checker *c) {
    return c->spec->api <= TMA_API_WIDE && c->spec->rank - 1 < TMA_VALUE(RANK) && c->bits &&
           c->spec->interleave <= TMA_INTERLEAVE_32B &&
           !tma_rank_sliced(c->spec->rank, c->spec->api == TMA_API_TILED, c->spec->interleave);
}

void tma_check_notes(tma_checker *c) {
    if (!makes_sense(c)) {
        return;
    }
    faulting(c);
    faulting_dims(c);
    if (c->spec->interleave != TMA_INTERLEAVE_NONE) {
        interleaved(c);
    }
    if (c->spec->api == TMA_API_WIDE) {
        wide(c);
    }
    store_halves(c);
    class_large(c);
    tma_check_overlap(c);
    if (c->spec->api == TMA_API_TILED) {
        surprising_tile(c);
    }
    surprising(c);
}
