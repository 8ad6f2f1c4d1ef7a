/* SPDX-License-Identifier: Apache-2.0
 *
 * From a map to the descriptor that reads what its copy leaves: offsets out of the copy's own
 * steps, then compared with it.
 */
#include "mma_internal.h"

/* Steps of the copies from the operand's first element on, before the swizzle. */
typedef struct steps {
    uint32_t first_B;
    uint32_t unit_B; /* to the next 16 bytes, */
    uint32_t span_B; /* to the next span of the swizzle, */
    uint32_t rows_B; /* to the next group of rows */
} steps;

/* From the first element to another one; where the tile ends before it, any step will do: the one
 * of a packed tile. */
static uint32_t step_to(const tma_mma_fill *f, const tma_mma_operand *o, uint32_t first_B,
                        uint32_t major, uint32_t row, uint32_t packed_B) {
    const tma_mma_copy *c = tma_mma_bringer(f, o, major, row);
    return c ? tma_mma_written_at(c, tma_mma_type_at(o->type)->unit_el, major, row) - first_B
             : packed_B;
}

static steps steps_of(const tma_mma_fill *f, const tma_mma_copy *c, const tma_mma_operand *o,
                      uint32_t major, uint32_t row) {
    const uint32_t unit_el = tma_mma_type_at(o->type)->unit_el;
    const uint32_t span_el = tma_mma_span_B(c->swizzle) / TMA_MMA_UNIT_B * unit_el;
    const uint32_t rows =
        o->major == TMA_MMA_K_MAJOR ? TMA_MMA_GROUP_ROWS : tma_mma_group_rows(c->swizzle);
    const uint32_t panel_B = c->rows * c->pitch_B;
    steps s = {.first_B = tma_mma_written_at(c, unit_el, major, row)};
    s.unit_B = step_to(f, o, s.first_B, major + unit_el, row, panel_B);
    s.span_B = step_to(f, o, s.first_B, major + span_el, row, panel_B);
    s.rows_B = step_to(f, o, s.first_B, major, row + rows, rows * c->pitch_B);
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

/* Where in the tile an operand begins, and how much of it there is. */
typedef struct stretch {
    uint32_t major, majors;
    uint32_t row, rows;
} stretch;

static stretch stretch_of(const tma_mma_operand *o, uint32_t mn0, uint32_t k0) {
    const uint32_t k = tma_mma_k_of(o);
    return o->major == TMA_MMA_K_MAJOR ? (stretch){k0, k, mn0, o->mn_el}
                                       : (stretch){mn0, o->mn_el, k0, k};
}

static int fits(tma_mma_why *why, const tma_mma_fill *f, const tma_mma_operand *o, stretch s) {
    const uint32_t unit_el = tma_mma_type_at(o->type)->unit_el;
    const int by_k = o->major == TMA_MMA_K_MAJOR;
    if (s.row + s.rows > f->rows) {
        why->along = by_k ? 1 : 2;
        return tma_mma_refuse(why, TMA_MMA_REASON_BEYOND, s.rows,
                              s.row < f->rows ? f->rows - s.row : 0);
    }
    if (s.major + s.majors > f->majors) {
        why->along = by_k ? 2 : 1;
        return tma_mma_refuse(why, TMA_MMA_REASON_BEYOND, s.majors,
                              s.major < f->majors ? f->majors - s.major : 0);
    }
    const tma_mma_copy *c = tma_mma_bringer(f, o, s.major, s.row);
    const uint32_t from_B =
        (c ? s.major - c->major0 : s.major) * tma_mma_type_at(o->type)->bits / 8;
    return c && (s.major - c->major0) % unit_el
               ? tma_mma_refuse(why, TMA_MMA_REASON_ALIGN, from_B, TMA_MMA_UNIT_B)
               : 1;
}

/* Of the copy that brings the first element. */
static int has_such_rows(tma_mma_why *why, const tma_mma_copy *c, const tma_mma_operand *o,
                         stretch s) {
    const uint32_t unit_el = tma_mma_type_at(o->type)->unit_el;
    const uint32_t span_B = tma_mma_span_B(c->swizzle);
    const uint32_t row_B = c->row_units * TMA_MMA_UNIT_B;
    const uint32_t first = (s.major - c->major0) / unit_el % c->row_units;
    const uint32_t last = first + (s.majors + unit_el - 1) / unit_el;
    if (!c->swizzle && c->pitch_B != TMA_MMA_UNIT_B) {
        return tma_mma_refuse(why, TMA_MMA_REASON_PITCH, c->pitch_B, TMA_MMA_UNIT_B);
    }
    return c->swizzle && row_B < span_B && last > c->row_units
               ? tma_mma_refuse(why, TMA_MMA_REASON_ROW, row_B, span_B)
               : 1;
}

/* The descriptor by the steps of the copies; whether it reads what they leave is not asked yet. */
static int by_steps(tma_mma_descriptor *out, tma_mma_why *why, const steps *s, uint32_t major) {
    const int by_k = major == TMA_MMA_K_MAJOR;
    out->start_B = s->first_B;
    if (out->swizzle) {
        out->leading_B = by_k ? TMA_MMA_UNIT_B : s->span_B; /* by k: "not used, assumed to be 1" */
        out->stride_B = s->rows_B;
    } else {
        out->leading_B = by_k ? s->unit_B : s->rows_B;
        out->stride_B = by_k ? s->rows_B : s->unit_B;
    }
    const uint32_t most = out->leading_B > out->stride_B ? out->leading_B : out->stride_B;
    if (most >= TMA_VALUE(MMA_REACH)) {
        return tma_mma_refuse(why, TMA_MMA_REASON_OFFSET, most, TMA_VALUE(MMA_REACH));
    }
    if (out->start_B >= TMA_VALUE(MMA_REACH)) {
        return tma_mma_refuse(why, TMA_MMA_REASON_ADDRESS, out->start_B, TMA_VALUE(MMA_REACH));
    }
    return out->start_B % TMA_MMA_UNIT_B
               ? tma_mma_refuse(why, TMA_MMA_REASON_ALIGN, out->start_B, TMA_MMA_UNIT_B)
               : 1;
}

static int agrees(tma_mma_why *why, const tma_mma_descriptor *d, const tma_spec *spec,
                  const tma_mma_tile *tile, const tma_mma_operand *o, uint32_t mn0, uint32_t k0) {
    tma_mma_difference said = {0};
    if (tma_mma_compare(&said, d, o, spec, tile, mn0, k0) == TMA_OK &&
        said.equal_el == said.all_el) {
        return 1;
    }
    return said.has_written
               ? tma_mma_refuse(why, TMA_MMA_REASON_DIFFERS, said.mn, said.k)
               : tma_mma_refuse(why, TMA_MMA_REASON_NOT_BROUGHT, mn0 + said.mn, k0 + said.k);
}

static int solve(tma_mma_descriptor *out, tma_mma_why *why, const tma_spec *spec,
                 const tma_mma_tile *tile, uint32_t family, const tma_mma_operand *o, uint32_t mn0,
                 uint32_t k0) {
    tma_mma_fill f;
    const stretch from = stretch_of(o, mn0, k0);
    if (!tma_mma_tile_of(&f, why, spec, tile, o)) {
        return 0;
    }
    const tma_mma_copy *c = tma_mma_bringer(&f, o, from.major, from.row);
    tma_mma_descriptor d = {.family = family, .swizzle = c ? c->swizzle : f.copy[0].swizzle};
    if (!instruction_takes(why, family, o, d.swizzle) || !fits(why, &f, o, from)) {
        return 0;
    }
    if (!c) {
        return tma_mma_refuse(why, TMA_MMA_REASON_NOT_BROUGHT, mn0, k0);
    }
    const steps s = steps_of(&f, c, o, from.major, from.row);
    if (!has_such_rows(why, c, o, from) || !by_steps(&d, why, &s, o->major) ||
        !agrees(why, &d, spec, tile, o, mn0, k0)) {
        return 0;
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
    const int has_boxes = spec->api == TMA_API_TILED && !tile->placed_count;
    for (uint32_t i = 0; i < 2 * sizeof(swizzles) && has_boxes; i++) {
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
