/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules about what a target has: 4- and 6-bit types, swizzle atomicities, the 96-byte swizzle,
 * wide maps' driver. Most are a document's words: no Blackwell driver was asked.
 */
#include "check_internal.h"
#include "geometry.h"

static void dtype_target(tma_checker *c) {
    if (c->type->traits & TMA_TRAIT_PACKED && tma_rule_holds(TMA_RULE_DTYPE_TARGET, c->arch)) {
        tma_report(&c->judge, TMA_RULE_DTYPE_TARGET, AT(TMA_ARG_DTYPE, -1, c->spec->dtype),
                   BAD(TMA_MUST_BE_BELOW, TMA_UNIT_NONE, c->spec->dtype, TMA_DTYPE_16U4_ALIGN8B));
    }
}

static void swizzle_target(tma_checker *c) {
    const uint32_t given = c->spec->swizzle;
    const tma_place place = AT(TMA_ARG_SWIZZLE, -1, given);
    if (tma_swizzle_has(given, TMA_TRAIT_ATOM) &&
        tma_rule_holds(TMA_RULE_SWIZZLE_TARGET, c->arch)) {
        tma_report_legal(&c->judge, TMA_RULE_SWIZZLE_TARGET, place,
                         BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_NONE, given, TMA_SWIZZLE_128B),
                         TMA_SWIZZLE_128B);
    }
    if (tma_swizzle_has(given, TMA_TRAIT_NO_CALL) &&
        (!(c->arch->features & TMA_FEATURE_SWIZZLE_96B) ||
         c->spec->interleave != TMA_INTERLEAVE_NONE)) {
        tma_report(&c->judge, TMA_RULE_SWIZZLE_96B, place, NOT(given));
    }
}

static void wide_swizzle(tma_checker *c) {
    const uint32_t given = c->spec->swizzle;
    if (c->spec->api == TMA_API_WIDE && tma_rule_holds(TMA_RULE_WIDE_SWIZZLE_ATOM, c->arch) &&
        tma_swizzle_has(given, TMA_TRAIT_ATOM) && !tma_swizzle_has(given, TMA_TRAIT_WIDE_CALL)) {
        tma_report_legal(&c->judge, TMA_RULE_WIDE_SWIZZLE_ATOM, AT(TMA_ARG_SWIZZLE, -1, given),
                         NOT(given), TMA_SWIZZLE_128B);
    }
}

static void wide_driver(tma_checker *c) {
    if (c->spec->api == TMA_API_WIDE && c->judge.driver < TMA_VALUE(WIDE_DRIVER)) {
        tma_report_legal(
            &c->judge, TMA_RULE_WIDE_DRIVER, AT(TMA_ARG_DRIVER, -1, c->judge.driver),
            BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_NONE, c->judge.driver, TMA_VALUE(WIDE_DRIVER)),
            TMA_VALUE(WIDE_DRIVER));
    }
}

/* What the text of 13.2 adds for wide maps. */
static void wide_text(tma_checker *c) {
    const tma_spec *s = c->spec;
    const uint32_t driver = c->judge.driver;
    if (s->api == TMA_API_WIDE && driver < TMA_VALUE(WIDE_TEXT_DRIVER) &&
        c->type->traits & TMA_TRAIT_HALVES && tma_swizzle_has(s->swizzle, TMA_TRAIT_TAKES_HALVES)) {
        tma_report_legal(
            &c->judge, TMA_RULE_WIDE_64B_6BIT, AT(TMA_ARG_DRIVER, -1, driver),
            BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_NONE, driver, TMA_VALUE(WIDE_TEXT_DRIVER)),
            TMA_VALUE(WIDE_TEXT_DRIVER));
    }
    if (s->api == TMA_API_WIDE && driver >= TMA_VALUE(WIDE_TEXT_DRIVER) &&
        s->wide_mode == TMA_WIDE_W128 && tma_swizzle_has(s->swizzle, TMA_TRAIT_NO_CALL) &&
        tma_rule_holds(TMA_RULE_WIDE_96B_MODE, c->arch)) {
        tma_report_legal(&c->judge, TMA_RULE_WIDE_96B_MODE, AT(TMA_ARG_WIDE_MODE, -1, s->wide_mode),
                         BAD(TMA_MUST_BE, TMA_UNIT_NONE, s->wide_mode, TMA_WIDE_W), TMA_WIDE_W);
    }
}

static void dim_packed(tma_checker *c) {
    const uint64_t given = c->spec->dim_el[0];
    const uint32_t granule_el = c->type->granule_el;
    if (c->rank && tma_dim_off_granule(given, c->type)) {
        tma_report_legal(&c->judge, TMA_RULE_DIM_PACKED, AT(TMA_ARG_DIM, 0, given),
                         BAD(TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_EL, given, granule_el),
                         (given / granule_el + 1) * granule_el);
    }
}

static void fill_packed(tma_checker *c) {
    if (tma_nan_packed(c->spec->fill, c->type)) {
        tma_report_legal(&c->judge, TMA_RULE_FILL_NAN_PACKED, AT(TMA_ARG_FILL, -1, c->spec->fill),
                         NOT(TMA_FILL_NAN), TMA_FILL_NONE);
    }
}

static void padded_alignment(tma_checker *c) {
    const uint64_t address = c->spec->address;
    if (tma_off_padded(address, c->type) && !tma_off_multiple(address, TMA_VALUE(ALIGN))) {
        tma_report_legal(
            &c->judge, TMA_RULE_ADDRESS_ALIGN_PACKED, AT(TMA_ARG_ADDRESS, -1, address),
            BAD(TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_ADDRESS, address, TMA_VALUE(ALIGN_32B)),
            address - address % TMA_VALUE(ALIGN_32B));
    }
    for (uint32_t i = 0; i + 1 < c->rank; i++) {
        const uint64_t stride_B = c->spec->stride_B[i];
        if (tma_off_padded(stride_B, c->type) && !tma_off_multiple(stride_B, TMA_VALUE(ALIGN))) {
            tma_report_legal(
                &c->judge, TMA_RULE_STRIDE_ALIGN_PACKED, AT(TMA_ARG_STRIDE, (int)i, stride_B),
                BAD(TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_B, stride_B, TMA_VALUE(ALIGN_32B)),
                tma_stride_legal(c, i, 0));
        }
    }
}

static void inner_packed(tma_checker *c) {
    const uint32_t row_el = c->type->granule_el;
    if (tma_row_not_padded(c->inner_el, c->type)) {
        tma_report_legal(
            &c->judge, TMA_RULE_INNER_PACKED,
            AT(c->inner_argument, c->inner_argument == TMA_ARG_BOX ? 0 : -1, c->inner_el),
            BAD(TMA_MUST_BE, TMA_UNIT_EL, c->inner_el, row_el), row_el);
    }
}

static void layout_packed(tma_checker *c) {
    const tma_swizzle_traits *swizzle = tma_swizzle_of(c->spec->swizzle);
    if (tma_is_6_bit(c->type) && c->spec->interleave != TMA_INTERLEAVE_NONE) {
        tma_report_legal(&c->judge, TMA_RULE_INTERLEAVE_PACKED,
                         AT(TMA_ARG_INTERLEAVE, -1, c->spec->interleave),
                         BAD(TMA_MUST_BE, TMA_UNIT_NONE, c->spec->interleave, TMA_INTERLEAVE_NONE),
                         TMA_INTERLEAVE_NONE);
    }
    if (swizzle->repeat_B &&
        tma_swizzle_not_padded(swizzle, c->type, c->spec->api == TMA_API_WIDE)) {
        tma_report_legal(&c->judge, TMA_RULE_SWIZZLE_PACKED,
                         AT(TMA_ARG_SWIZZLE, -1, c->spec->swizzle), NOT(c->spec->swizzle),
                         TMA_SWIZZLE_128B);
    }
}

void tma_check_packed(tma_checker *c) {
    dtype_target(c);
    swizzle_target(c);
    wide_swizzle(c);
    wide_driver(c);
    wide_text(c);
    if (c->type->traits & TMA_TRAIT_PACKED && tma_rule_holds(TMA_RULE_DIM_PACKED, c->arch)) {
        dim_packed(c);
        fill_packed(c);
        if ((c->type->traits & TMA_TRAIT_PADDED)) {
            padded_alignment(c);
            inner_packed(c);
            layout_packed(c);
        }
    }
}
