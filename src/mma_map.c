/* SPDX-License-Identifier: Apache-2.0
 *
 * A map's copy and an MMA's reads held against each other, 16 bytes at a time: neither side takes
 * 16 bytes apart.
 */
#include "mma_internal.h"
#include "tma/measure.h"

/* Boxes of maps that a driver makes: what the sums below are sure to hold. */
static int is_of_size(const tma_spec *spec) {
    const int tiled = spec->api == TMA_API_TILED;
    for (uint32_t i = 0; i < spec->rank && tiled; i++) {
        if (spec->box_el[i] > TMA_VALUE(BOX)) {
            return 0;
        }
    }
    return tiled || (spec->pixels_per_column <= TMA_VALUE(PIXELS) &&
                     spec->channels_per_pixel <= TMA_VALUE(CHANNELS));
}

int tma_mma_refuse(tma_mma_why *why, uint32_t reason, uint32_t value, uint32_t limit) {
    why->reason = reason;
    why->value = value;
    why->limit = limit;
    return 0;
}

/* Where copies may begin, and that none overwrites another. */
static int are_apart(tma_mma_why *why, const tma_mma_copy *c, const tma_mma_tile *tile,
                     const tma_spec *spec) {
    const uint32_t align_B = tma_swizzle_of(spec->swizzle)->align_B;
    const uint32_t copy_B = c->rows * c->panels * c->pitch_B;
    const uint32_t second_B = c->start_B + c->step_B;
    if (c->start_B % align_B) {
        return tma_mma_refuse(why, TMA_MMA_REASON_SHARED_ALIGN, c->start_B, align_B);
    }
    if (c->copies > 1 && second_B % align_B) {
        return tma_mma_refuse(why, TMA_MMA_REASON_SHARED_ALIGN, second_B, align_B);
    }
    return c->copies > 1 && tile->copy_step_B && c->step_B < copy_B
               ? tma_mma_refuse(why, TMA_MMA_REASON_COPIES_OVERLAP, c->step_B, copy_B)
               : 1;
}

int tma_mma_copy_of(tma_mma_copy *out, tma_mma_why *why, const tma_spec *spec,
                    const tma_mma_tile *tile) {
    if (spec->rank < 1 || spec->rank > TMA_MAX_RANK || !tma_dtype_bits(spec->dtype) ||
        !tma_swizzle_of(spec->swizzle)->repeat_B || !is_of_size(spec)) {
        return tma_mma_refuse(why, TMA_MMA_REASON_MAP, 0, 0);
    }
    if (spec->interleave) {
        return tma_mma_refuse(why, TMA_MMA_REASON_NO_TILE, 0, 0);
    }
    if (spec->swizzle == TMA_SWIZZLE_96B) {
        return tma_mma_refuse(why, TMA_MMA_REASON_SWIZZLE, spec->swizzle, 0);
    }
    const tma_layout layout = tma_layout_of(spec);
    uint32_t panels = 1;
    if (tile->panel_dims >= spec->rank) {
        return tma_mma_refuse(why, TMA_MMA_REASON_PANELS, spec->rank - 1, spec->rank);
    }
    for (uint32_t i = 0; i < tile->panel_dims && spec->api == TMA_API_TILED; i++) {
        panels *= tma_tile_count(spec, spec->rank - 1 - i);
    }
    const uint32_t copies = tile->copies ? tile->copies : 1;
    const uint64_t copy_B = layout.rows * layout.pitch_B;
    if (!panels || !layout.rows || layout.row_shared_B % TMA_MMA_UNIT_B ||
        layout.row_shared_B < TMA_MMA_UNIT_B) {
        return tma_mma_refuse(why, TMA_MMA_REASON_MAP, 0, 0);
    }
    if (copies > TMA_VALUE(MMA_SIDE) || copy_B > TMA_VALUE(MMA_REACH) ||
        tile->copy_step_B > TMA_VALUE(MMA_REACH) || tile->shared_address > TMA_VALUE(MMA_REACH)) {
        return tma_mma_refuse(why, TMA_MMA_REASON_TILE_SIZE, 0, TMA_VALUE(MMA_REACH));
    }
    *out = (tma_mma_copy){.start_B = tile->shared_address,
                          .row_units = layout.row_shared_B / TMA_MMA_UNIT_B,
                          .rows = (uint32_t)layout.rows / panels,
                          .pitch_B = layout.pitch_B,
                          .panels = panels,
                          .copies = copies,
                          .step_B = tile->copy_step_B ? tile->copy_step_B : (uint32_t)copy_B,
                          .bits = tma_swizzle_of(spec->swizzle)->bits};
    return are_apart(why, out, tile, spec);
}

/* Elements of the map in 16 bytes as a copy leaves them. */
uint32_t tma_mma_unit_el(const tma_spec *spec) {
    const tma_type_traits *type = tma_type_of(spec->dtype);
    return type->group_shared_B ? type->group_el : TMA_MMA_UNIT_B * 8 / type->bits;
}

/* Maps of bytes are for operands of any type. */
static int are_elements(tma_mma_why *why, const tma_spec *spec, const tma_mma_operand *o) {
    const tma_mma_type *type = tma_mma_type_at(o->type);
    const uint32_t bits = tma_dtype_bits(spec->dtype);
    if (bits == 8) {
        return 1;
    }
    if (bits != type->bits) {
        return tma_mma_refuse(why, TMA_MMA_REASON_ELEMENT_SIZE, bits, type->bits);
    }
    return tma_mma_unit_el(spec) == type->unit_el
               ? 1
               : tma_mma_refuse(why, TMA_MMA_REASON_ELEMENT_BITS, 128 / tma_mma_unit_el(spec),
                                128 / type->unit_el);
}

int tma_mma_tile_of(tma_mma_copy *out, tma_mma_why *why, const tma_spec *spec,
                    const tma_mma_tile *tile, const tma_mma_operand *o) {
    return tma_mma_copy_of(out, why, spec, tile) && are_elements(why, spec, o);
}

static tma_mma_extent extent(const tma_mma_copy *c, const tma_mma_operand *o) {
    const uint32_t major_el = tma_mma_units(c) * tma_mma_type_at(o->type)->unit_el;
    return o->major == TMA_MMA_K_MAJOR ? (tma_mma_extent){c->rows, major_el}
                                       : (tma_mma_extent){major_el, c->rows};
}

tma_mma_extent tma_mma_extent_of(const tma_spec *spec, const tma_mma_tile *tile,
                                 const tma_mma_operand *o) {
    tma_mma_copy copy;
    tma_mma_why why;
    if (!spec || !tile || !o || !tma_mma_operand_known(o) ||
        !tma_mma_copy_of(&copy, &why, spec, tile)) {
        return (tma_mma_extent){0, 0};
    }
    return extent(&copy, o);
}

static tma_mma_place written(const tma_mma_copy *c, const tma_mma_operand *o, uint32_t mn,
                             uint32_t k) {
    const tma_mma_type *type = tma_mma_type_at(o->type);
    const uint32_t major = o->major == TMA_MMA_K_MAJOR ? k : mn;
    const uint32_t row = o->major == TMA_MMA_K_MAJOR ? mn : k;
    const uint32_t bit = major % type->unit_el * type->bits;
    const uint32_t linear =
        c->start_B + tma_mma_written_unit(c, major / type->unit_el) + row * c->pitch_B + bit / 8;
    return (tma_mma_place){tma_swizzled(c->bits, linear), bit % 8};
}

tma_status tma_mma_written(tma_mma_place *out, const tma_spec *spec, const tma_mma_tile *tile,
                           const tma_mma_operand *o, uint32_t mn, uint32_t k) {
    tma_mma_copy copy;
    tma_mma_why why;
    if (!out || !spec || !tile || !o || !tma_mma_operand_known(o) ||
        !tma_mma_copy_of(&copy, &why, spec, tile)) {
        return TMA_INVALID;
    }
    const tma_mma_extent size = extent(&copy, o);
    if (mn >= size.mn_el || k >= size.k_el) {
        return TMA_INVALID;
    }
    *out = written(&copy, o, mn, k);
    return TMA_OK;
}

/* Which element of the tile lies at a shared address, if any: the place of an element back. */
static int element_at(const tma_mma_copy *c, const tma_mma_operand *o, uint32_t address,
                      uint32_t *mn, uint32_t *k) {
    const tma_mma_type *type = tma_mma_type_at(o->type);
    const uint32_t at = tma_swizzled(c->bits, address);
    for (uint32_t i = 0; i < c->copies; i++) {
        const uint32_t from_B = at - c->start_B - i * c->step_B;
        const uint32_t row = from_B / c->pitch_B;
        const uint32_t in_row_B = from_B % c->pitch_B;
        const uint32_t in_unit = in_row_B % TMA_MMA_UNIT_B * 8 / type->bits;
        if (row >= c->rows * c->panels || in_row_B / TMA_MMA_UNIT_B >= c->row_units ||
            in_unit >= type->unit_el) {
            continue;
        }
        const uint32_t panel = i * c->panels + row / c->rows;
        const uint32_t major =
            (panel * c->row_units + in_row_B / TMA_MMA_UNIT_B) * type->unit_el + in_unit;
        *mn = o->major == TMA_MMA_K_MAJOR ? row % c->rows : major;
        *k = o->major == TMA_MMA_K_MAJOR ? major : row % c->rows;
        return 1;
    }
    return 0;
}

static void name_first(tma_mma_difference *out, const tma_mma_descriptor *d,
                       const tma_mma_operand *o, const tma_mma_copy *c, uint32_t mn0, uint32_t k0) {
    const tma_mma_extent size = extent(c, o);
    const uint32_t mn = mn0 + out->mn;
    const uint32_t k = k0 + out->k;
    out->read_B = tma_mma_read(d, o, out->mn, out->k).address_B;
    out->has_written = mn >= mn0 && k >= k0 && mn < size.mn_el && k < size.k_el;
    out->written_B = out->has_written ? written(c, o, mn, k).address_B : 0;
    out->has_element = (uint32_t)element_at(c, o, out->read_B, &out->other_mn, &out->other_k);
}

/* An operand in runs of `step` elements of the major index, which both sides keep together, and
 * where each run begins on either side, row 0. */
typedef struct runs {
    const tma_mma_descriptor *d;
    const tma_mma_operand *o;
    const tma_mma_copy *c;
    int by_k;              /* the major index is k */
    uint32_t majors, rows; /* of the operand */
    uint32_t major0, row0; /* where it begins in the tile */
    uint32_t major_end;    /* of the tile */
    uint32_t step, count;  /* elements of a run; runs of a row */
    int differs;           /* one was seen elsewhere */
    uint32_t read_at[TMA_VALUE(MMA_SIDE)];
    uint32_t written_at[TMA_VALUE(MMA_SIDE)];
} runs;

static void cut_runs(runs *r, uint32_t mn0, uint32_t k0) {
    const tma_mma_type *type = tma_mma_type_at(r->o->type);
    r->by_k = r->o->major == TMA_MMA_K_MAJOR;
    r->majors = r->by_k ? tma_mma_k_of(r->o) : r->o->mn_el;
    r->rows = r->by_k ? r->o->mn_el : tma_mma_k_of(r->o);
    r->major0 = r->by_k ? k0 : mn0;
    r->row0 = r->by_k ? mn0 : k0;
    r->major_end = tma_mma_units(r->c) * type->unit_el;
    r->step = r->major0 % type->unit_el ? 1 : type->unit_el;
    r->count = (r->majors + r->step - 1) / r->step;
    for (uint32_t run = 0; run < r->count; run++) {
        const uint32_t major = run * r->step;
        const uint32_t at = r->major0 + major;
        r->read_at[run] = r->d->start_B + major % type->unit_el * type->bits / 8 +
                          tma_mma_read_unit(r->d, r->o, major / type->unit_el);
        r->written_at[run] = r->c->start_B + at % type->unit_el * type->bits / 8 +
                             tma_mma_written_unit(r->c, at / type->unit_el);
    }
}

/* Whether a run of a row lies where the MMA reads it. */
static int is_equal(const runs *r, uint32_t row, uint32_t run) {
    const uint32_t read =
        tma_mma_swizzled(r->d, r->read_at[run] + tma_mma_read_row(r->d, r->o->major, row));
    const uint32_t put =
        tma_swizzled(r->c->bits, r->written_at[run] + (r->row0 + row) * r->c->pitch_B);
    return read == put && r->row0 + row < r->c->rows && r->major0 + run * r->step < r->major_end;
}

static void hold(tma_mma_difference *out, runs *r, uint32_t row, uint32_t run) {
    const uint32_t major = run * r->step;
    if (is_equal(r, row, run)) {
        out->equal_el += r->majors - major < r->step ? r->majors - major : r->step;
    } else if (!r->differs) {
        r->differs = 1;
        out->mn = r->by_k ? row : major;
        out->k = r->by_k ? major : row;
    }
}

/* All of an operand. The major index is outside for an operand that is MN-major, inside for the
 * other: m slow. */
static void compare(tma_mma_difference *out, const tma_mma_descriptor *d, const tma_mma_operand *o,
                    const tma_mma_copy *c, uint32_t mn0, uint32_t k0) {
    runs r = {.d = d, .o = o, .c = c};
    cut_runs(&r, mn0, k0);
    for (uint32_t i = 0; i < (r.by_k ? r.rows : r.count); i++) {
        for (uint32_t j = 0; j < (r.by_k ? r.count : r.rows); j++) {
            hold(out, &r, r.by_k ? i : j, r.by_k ? j : i);
        }
    }
    out->all_el = (uint64_t)r.majors * r.rows;
    if (r.differs) {
        name_first(out, d, o, c, mn0, k0);
    }
}

tma_status tma_mma_compare(tma_mma_difference *out, const tma_mma_descriptor *descriptor,
                           const tma_mma_operand *operand, const tma_spec *spec,
                           const tma_mma_tile *tile, uint32_t mn0, uint32_t k0) {
    if (!out || !descriptor || !operand || !spec || !tile || !tma_mma_operand_known(operand) ||
        mn0 > TMA_VALUE(MMA_REACH) || k0 > TMA_VALUE(MMA_REACH)) {
        return TMA_INVALID;
    }
    tma_mma_copy copy;
    tma_mma_why why;
    if (!tma_mma_tile_of(&copy, &why, spec, tile, operand)) {
        return TMA_REFUSED;
    }
    tma_mma_difference difference = {0};
    compare(&difference, descriptor, operand, &copy, mn0, k0);
    *out = difference;
    return TMA_OK;
}

uint32_t tma_mma_unfit(tma_mma_why *why, const tma_spec *spec, const tma_mma_tile *tile,
                       const tma_mma_operand *operand) {
    tma_mma_copy copy;
    tma_mma_why found = {.reason = TMA_MMA_REASON_NONE};
    if (!why) {
        return TMA_MMA_REASON_NO_TILE;
    }
    if (!spec || !tile || !operand || !tma_mma_operand_known(operand)) {
        *why = (tma_mma_why){.reason = TMA_MMA_REASON_NO_TILE};
        return TMA_MMA_REASON_NO_TILE;
    }
    (void)tma_mma_tile_of(&copy, &found, spec, tile, operand);
    *why = found;
    return found.reason;
}
