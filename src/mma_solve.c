/* SPDX-License-Identifier: Apache-2.0
 *
 * From a map to the descriptor that reads what its copy leaves: offsets out of the copy's own
 * steps, then compared with it.
 */
#include "mma_internal.h"

/* Steps of the copy from the operand's first element on, before the swizzle. */
typedef struct steps {
    uint32_t first_B;
    uint32_t unit_B; /* to the next 16 bytes, */
    uint32_t span_B; /* to the next span of the swizzle, */
    uint32_t rows_B; /* to the next group of rows */
} steps;

static steps steps_of(const tma_mma_copy *c, uint32_t swizzle, uint32_t major, uint32_t unit0,
                      uint32_t row0) {
    const uint32_t span = tma_mma_span_B(swizzle) / TMA_MMA_UNIT_B;
    const uint32_t rows =
        major == TMA_MMA_K_MAJOR ? TMA_MMA_GROUP_ROWS : tma_mma_group_rows(swizzle);
    const uint32_t units = tma_mma_units(c);
    const uint32_t at = tma_mma_written_unit(c, unit0);
    steps s = {.first_B = c->start_B + at + row0 * c->pitch_B, .rows_B = rows * c->pitch_B};
    /* where the tile ends before the next one, any step will do: the one of a packed tile */
    s.unit_B = unit0 + 1 < units ? tma_mma_written_unit(c, unit0 + 1) - at : c->rows * c->pitch_B;
    s.span_B =
        unit0 + span < units ? tma_mma_written_unit(c, unit0 + span) - at : c->rows * c->pitch_B;
    return s;
}

static int instruction_takes(tma_mma_why *why, uint32_t family, const tma_mma_operand *o,
                             uint32_t swizzle) {
    tma_mma_descriptor d = {.family = family, .swizzle = swizzle};
    uint64_t bits;
    if (tma_mma_encode(&bits, &d) != TMA_OK) {
        return tma_mma_refuse(why, TMA_MMA_REASON_SWIZZLE, swizzle, 0);
    }
    const uint32_t said = tma_mma_judge(family, bits, o);
    if (said >> TMA_MMA_RULE_TYPE & 1) {
        return tma_mma_refuse(why, TMA_MMA_REASON_TYPE, o->type, 0);
    }
    if (said >> TMA_MMA_RULE_ATOM_32B & 1) {
        return tma_mma_refuse(why, TMA_MMA_REASON_ATOM_32B, swizzle, 0);
    }
    return said >> TMA_MMA_RULE_MN_MAJOR_TYPE & 1 || said >> TMA_MMA_RULE_PACKED_MAJOR & 1
               ? tma_mma_refuse(why, TMA_MMA_REASON_MAJOR, o->type, 0)
               : 1;
}

static int fits(tma_mma_why *why, const tma_spec *spec, const tma_mma_copy *c,
                const tma_mma_operand *o, uint32_t mn0, uint32_t k0) {
    const tma_mma_type *type = tma_mma_type_at(o->type);
    const int by_k = o->major == TMA_MMA_K_MAJOR;
    const uint32_t span_B = tma_mma_span_B(spec->swizzle);
    const uint32_t major0 = by_k ? k0 : mn0;
    const uint32_t row0 = by_k ? mn0 : k0;
    const uint32_t majors = by_k ? tma_mma_k_of(o) : o->mn_el;
    const uint32_t rows = by_k ? o->mn_el : tma_mma_k_of(o);
    const uint32_t major_el = tma_mma_units(c) * type->unit_el;
    if (row0 + rows > c->rows) {
        return tma_mma_refuse(why, TMA_MMA_REASON_BEYOND, rows,
                              row0 < c->rows ? c->rows - row0 : 0);
    }
    if (major0 + majors > major_el) {
        return tma_mma_refuse(why, TMA_MMA_REASON_BEYOND, majors,
                              major0 < major_el ? major_el - major0 : 0);
    }
    if (major0 % type->unit_el) {
        return tma_mma_refuse(why, TMA_MMA_REASON_ALIGN, major0 * type->bits / 8, TMA_MMA_UNIT_B);
    }
    if (!spec->swizzle && c->pitch_B != TMA_MMA_UNIT_B) {
        return tma_mma_refuse(why, TMA_MMA_REASON_PITCH, c->pitch_B, TMA_MMA_UNIT_B);
    }
    const uint32_t row_B = c->row_units * TMA_MMA_UNIT_B;
    const uint32_t first = major0 / type->unit_el % c->row_units;
    const uint32_t last = first + (majors + type->unit_el - 1) / type->unit_el;
    if (spec->swizzle && row_B < span_B && last > c->row_units) {
        return tma_mma_refuse(why, TMA_MMA_REASON_ROW, row_B, span_B);
    }
    return 1;
}

static int solve(tma_mma_descriptor *out, tma_mma_why *why, const tma_spec *spec,
                 const tma_mma_tile *tile, uint32_t family, const tma_mma_operand *o, uint32_t mn0,
                 uint32_t k0) {
    tma_mma_copy c;
    if (!tma_mma_tile_of(&c, why, spec, tile, o)) {
        return 0;
    }
    if (!instruction_takes(why, family, o, spec->swizzle) || !fits(why, spec, &c, o, mn0, k0)) {
        return 0;
    }
    const tma_mma_type *type = tma_mma_type_at(o->type);
    const int by_k = o->major == TMA_MMA_K_MAJOR;
    const steps s =
        steps_of(&c, spec->swizzle, o->major, (by_k ? k0 : mn0) / type->unit_el, by_k ? mn0 : k0);
    tma_mma_descriptor d = {.family = family, .swizzle = spec->swizzle, .start_B = s.first_B};
    if (spec->swizzle) {
        d.leading_B = by_k ? TMA_MMA_UNIT_B : s.span_B; /* by k: "not used, assumed to be 1" */
        d.stride_B = s.rows_B;
    } else {
        d.leading_B = by_k ? s.unit_B : s.rows_B;
        d.stride_B = by_k ? s.rows_B : s.unit_B;
    }
    const uint32_t most = d.leading_B > d.stride_B ? d.leading_B : d.stride_B;
    if (most >= TMA_VALUE(MMA_REACH)) {
        return tma_mma_refuse(why, TMA_MMA_REASON_OFFSET, most, TMA_VALUE(MMA_REACH));
    }
    if (d.start_B >= TMA_VALUE(MMA_REACH)) {
        return tma_mma_refuse(why, TMA_MMA_REASON_ADDRESS, d.start_B, TMA_VALUE(MMA_REACH));
    }
    if (d.start_B % TMA_MMA_UNIT_B) {
        return tma_mma_refuse(why, TMA_MMA_REASON_ALIGN, d.start_B, TMA_MMA_UNIT_B);
    }
    tma_mma_difference difference;
    if (tma_mma_compare(&difference, &d, o, spec, tile, mn0, k0) != TMA_OK ||
        difference.equal_el != difference.all_el) {
        return tma_mma_refuse(why, TMA_MMA_REASON_DIFFERS, difference.mn, difference.k);
    }
    *out = d;
    return 1;
}

/* A box and a swizzle that would do, tried on the same question: the row as it is or as long as the
 * swizzle's span. */
static void suggest(tma_mma_why *why, const tma_spec *spec, const tma_mma_tile *tile,
                    uint32_t family, const tma_mma_operand *o, uint32_t mn0, uint32_t k0) {
    static const uint8_t swizzles[] = {TMA_SWIZZLE_128B, TMA_SWIZZLE_64B, TMA_SWIZZLE_32B,
                                       TMA_SWIZZLE_128B_ATOM_32B, TMA_SWIZZLE_NONE};
    const uint32_t row_el = spec->box_el[0];
    for (uint32_t i = 0; i < 2 * sizeof(swizzles) && spec->api == TMA_API_TILED; i++) {
        tma_spec other = *spec;
        tma_mma_tile others = *tile;
        tma_mma_descriptor d;
        tma_mma_why ignored;
        other.swizzle = swizzles[i / 2];
        const uint32_t span_el =
            tma_mma_span_B(other.swizzle) / TMA_MMA_UNIT_B * tma_mma_unit_el(spec);
        other.box_el[0] = i % 2 ? span_el : row_el;
        if (other.box_el[0] > span_el || (i % 2 && span_el > row_el)) {
            continue;
        }
        const uint32_t copies = tile->copies ? tile->copies : 1;
        others.copies = copies * ((row_el + other.box_el[0] - 1) / other.box_el[0]);
        others.copy_step_B = 0;
        if (solve(&d, &ignored, &other, &others, family, o, mn0, k0)) {
            why->would_box0_el = other.box_el[0];
            why->would_swizzle = other.swizzle;
            return;
        }
    }
}

tma_status tma_mma_descriptor_of(tma_mma_descriptor *out, tma_mma_why *why, const tma_spec *spec,
                                 const tma_mma_tile *tile, uint32_t family,
                                 const tma_mma_operand *o, uint32_t mn0, uint32_t k0) {
    if (!out || !why || !spec || !tile || !o || family >= TMA_MMA_FAMILIES ||
        !tma_mma_operand_known(o) || mn0 > TMA_VALUE(MMA_REACH) || k0 > TMA_VALUE(MMA_REACH)) {
        return TMA_INVALID;
    }
    tma_mma_why reason = {0};
    if (solve(out, &reason, spec, tile, family, o, mn0, k0)) {
        return TMA_OK;
    }
    tma_mma_why unfit;
    const uint32_t none = tma_mma_unfit(&unfit, spec, tile, o);
    if ((!none || none == TMA_MMA_REASON_SWIZZLE) && reason.reason != TMA_MMA_REASON_TYPE) {
        suggest(&reason, spec, tile, family, o, mn0, k0);
    }
    *why = reason;
    return TMA_REFUSED;
}
