/* SPDX-License-Identifier: Apache-2.0
 *
 * What the hardware asks of a map before it copies anything, whatever the coordinates. The driver
 * refuses most of what fails here; tensormap.replace, cuTensorMapReplaceAddress and other makers
 * don't. docs/open-questions.md has the probes.
 */
#include "geometry.h"
#include "map_layout.h"
#include "plan_internal.h"
#include "tma/map.h"

/* Of a global address; the form of the limit says how many. */
#define TMA_POWER_POW2(n)   n
#define POWER(form, n, ...) TMA_POWER_##form(n)
#define ADDRESS_BITS        TMA_LIMIT_ADDRESS(POWER)

/* What sm_90 does not look at: the address's bits from 57 on, and what is Blackwell's: atomicity,
 * large tensor and 96-byte swizzle. */
#define IGNORED(each)                                                                              \
    each(TMA_AT_ATOMICITY, TMA_WIDTH_ATOMICITY) each(TMA_AT_BIT21, TMA_WIDTH_BIT21)                \
        each(TMA_AT_SWIZZLE_96B, TMA_WIDTH_SWIZZLE_96B)                                            \
            each(TMA_AT_ADDRESS + ADDRESS_BITS, 64 - ADDRESS_BITS)

#define WORD_OF(at)     ((size_t)4 * ((at) / 32))
#define BITS(at, width) (((1u << (width)) - 1) << (at) % 32)
#define LOOK(at, width) set |= tma_load32(map + WORD_OF(at)) & BITS(at, width);
#define FORGET(at, width)                                                                          \
    tma_store32(copy->bytes + WORD_OF(at),                                                         \
                tma_load32(copy->bytes + WORD_OF(at)) & ~BITS(at, width));

const uint8_t *tma_as_hopper_reads(const uint8_t *map, tma_map *copy) {
    uint32_t set = 0;
    IGNORED(LOOK)
    if (!set) {
        return map;
    }
    memcpy(copy->bytes, map, TMA_MAP_BYTES);
    IGNORED(FORGET)
    return copy->bytes;
}

static tma_status check_codes(const tma_decoded *d, uint32_t bits, const tma_arch_row *arch,
                              tma_finding *why) {
    const tma_spec *s = &d->spec;
    uint64_t kills = d->odd & (TMA_ODD_RANK | TMA_ODD_INTERLEAVE);
    if (tma_rank_sliced(s->rank, s->api == TMA_API_TILED, s->interleave)) {
        kills |= TMA_ODD_RANK;
    }
    if (!(arch->features & TMA_FEATURE_PACKED) && (bits == 0 || bits % 8)) {
        kills |= TMA_ODD_ELEMENT;
    }
    if (kills) {
        return tma_stop(why, arch->sm, TMA_RULE_TRAP_MAP_CODE, -1, kills, NOT(kills));
    }
    if (d->odd & TMA_ODD_ELEMENT || (bits % 8 && s->interleave)) {
        return tma_stop(why, arch->sm, TMA_RULE_MAP_UNREADABLE, -1, d->odd & TMA_ODD_ELEMENT,
                        BAD(TMA_MUST_NOT_BE, TMA_UNIT_NONE, d->odd & TMA_ODD_ELEMENT, 0));
    }
    return TMA_OK;
}

/* A fill and a rounding are for floating-point types; only loads look at them. */
static tma_status check_load(const tma_decoded *d, const tma_arch_row *arch, tma_finding *why) {
    const tma_spec *s = &d->spec;
    if (tma_nan_integer(s->fill, tma_type_of(s->dtype))) {
        return tma_stop(why, arch->sm, TMA_RULE_TRAP_FILL_INTEGER, -1, s->dtype, NOT(s->dtype));
    }
    if (d->odd & TMA_ODD_TF32_FLAG) {
        return tma_stop(why, arch->sm, TMA_RULE_TRAP_TF32_FLAG, -1, s->dtype, NOT(s->dtype));
    }
    return TMA_OK;
}

static tma_status check_tensor(const tma_spec *s, const tma_arch_row *arch, tma_finding *why) {
    const uint32_t align_B = tma_align_B(s->interleave);
    if (tma_off_multiple(s->address, align_B)) {
        return tma_stop(why, arch->sm, TMA_RULE_TRAP_ADDRESS_ALIGN, -1, s->address,
                        BAD(TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_ADDRESS, s->address, align_B));
    }
    for (uint32_t i = 0; i < s->rank; i++) {
        if (tma_dim_kills(s->dim_el[i])) {
            return tma_stop(
                why, arch->sm, TMA_RULE_DIM_SIGNED, (int)i, s->dim_el[i],
                BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_EL, s->dim_el[i], TMA_VALUE(COPIED_DIM)));
        }
    }
    for (uint32_t i = 0; i + 1 < s->rank; i++) { /* all are multiples of 16: the field's unit */
        if (tma_off_multiple(s->stride_B[i], align_B)) {
            return tma_stop(why, arch->sm, TMA_RULE_TRAP_STRIDE_ALIGN, (int)i, s->stride_B[i],
                            BAD(TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_B, s->stride_B[i], align_B));
        }
    }
    return TMA_OK;
}

/* What the documents ask of maps of 4- and 6-bit types; no machine was asked. */
static tma_status check_packed(const tma_spec *s, const tma_type_traits *type, uint32_t inner_el,
                               const tma_arch_row *arch, tma_finding *why) {
    if (tma_nan_packed(s->fill, type)) {
        return tma_stop(why, arch->sm, TMA_RULE_FILL_NAN_PACKED, -1, s->fill, NOT(s->fill));
    }
    if (tma_off_padded(s->address, type)) {
        return tma_stop(
            why, arch->sm, TMA_RULE_ADDRESS_ALIGN_PACKED, -1, s->address,
            BAD(TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_ADDRESS, s->address, TMA_VALUE(ALIGN_32B)));
    }
    for (uint32_t i = 0; i + 1 < s->rank; i++) {
        if (tma_off_padded(s->stride_B[i], type)) {
            return tma_stop(
                why, arch->sm, TMA_RULE_STRIDE_ALIGN_PACKED, (int)i, s->stride_B[i],
                BAD(TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_B, s->stride_B[i], TMA_VALUE(ALIGN_32B)));
        }
    }
    if (tma_dim_off_granule(s->dim_el[0], type)) {
        return tma_stop(why, arch->sm, TMA_RULE_DIM_PACKED, 0, s->dim_el[0],
                        BAD(TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_EL, s->dim_el[0], type->granule_el));
    }
    if (tma_row_not_padded(inner_el, type)) {
        return tma_stop(why, arch->sm, TMA_RULE_INNER_PACKED, s->api == TMA_API_TILED ? 0 : -1,
                        inner_el, BAD(TMA_MUST_BE, TMA_UNIT_EL, inner_el, type->granule_el));
    }
    if (tma_swizzle_not_padded(tma_swizzle_of(s->swizzle), type, 0)) {
        return tma_stop(why, arch->sm, TMA_RULE_SWIZZLE_PACKED, -1, s->swizzle, NOT(s->swizzle));
    }
    return TMA_OK;
}

static tma_status check_row(const tma_spec *s, uint32_t bits, uint32_t op, const tma_arch_row *arch,
                            tma_finding *why) {
    const tma_type_traits *type = tma_type_on(s->dtype, arch->features, op == TMA_OP_STORE);
    const int tiled = s->api == TMA_API_TILED;
    const uint32_t inner_el = tiled ? s->box_el[0] : s->channels_per_pixel;
    const uint32_t row_B = inner_el * bits / 8;
    const uint32_t span_B = tma_swizzle_span_B(s->swizzle);
    const int index = tiled ? 0 : -1;
    if (bits % 8) {
        const tma_status status = check_packed(s, type, inner_el, arch, why);
        if (status != TMA_OK ||
            (type->traits & (TMA_TRAIT_PADDED | TMA_TRAIT_HALVES)) == TMA_TRAIT_PADDED) {
            return status;
        }
    }
    if (!s->interleave && tma_row_off_16B(inner_el, bits)) {
        return tma_stop(why, arch->sm, TMA_RULE_TRAP_ROW_16B, index, inner_el,
                        BAD(TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_B, row_B, TMA_VALUE(ALIGN)));
    }
    if (tma_row_over_span(row_B, span_B, s->interleave)) {
        return tma_stop(why, arch->sm, TMA_RULE_TRAP_ROW_SPAN, index, inner_el,
                        BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_B, row_B, span_B));
    }
    return TMA_OK;
}

/* Rows that no shared memory can hold. */
static tma_status check_rows(const tma_spec *s, const tma_arch_row *arch, tma_finding *why) {
    const tma_layout layout = tma_layout_of(s);
    const uint64_t footprint_B = layout.rows * layout.pitch_B;
    if (tma_over_shared(footprint_B, TMA_VALUE(WINDOW))) {
        return tma_stop(why, arch->sm, TMA_RULE_COPY_ROWS, -1, footprint_B,
                        BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_B, footprint_B, TMA_VALUE(WINDOW)));
    }
    return TMA_OK;
}

tma_status tma_plan_check_map(const tma_decoded *d, uint32_t bits, uint32_t op,
                              const tma_arch_row *arch, tma_finding *why) {
    tma_status status = check_codes(d, bits, arch, why);
    if (status == TMA_OK) {
        status = check_tensor(&d->spec, arch, why);
    }
    if (status == TMA_OK) {
        status = check_row(&d->spec, bits, op, arch, why);
    }
    if (status == TMA_OK) {
        status = check_rows(&d->spec, arch, why);
    }
    return status == TMA_OK && op == TMA_OP_LOAD ? check_load(d, arch, why) : status;
}
