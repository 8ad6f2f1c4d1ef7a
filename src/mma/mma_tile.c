/* SPDX-License-Identifier: Apache-2.0
 *
 * What copies leave in shared memory as an operand's tile: which of them brings an element, where
 * it lies, and which element lies at an address.
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

/* Where copies may begin, and that none of a row of them overwrites another. */
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

static int has_rows(tma_mma_why *why, const tma_spec *spec) {
    if (spec->rank < 1 || spec->rank > TMA_MAX_RANK || !tma_dtype_bits(spec->dtype) ||
        !tma_swizzle_of(spec->swizzle)->repeat_B || !is_of_size(spec)) {
        return tma_mma_refuse(why, TMA_MMA_REASON_MAP, 0, 0);
    }
    if (spec->interleave) {
        return tma_mma_refuse(why, TMA_MMA_REASON_NO_TILE, 0, 0);
    }
    return spec->swizzle != TMA_SWIZZLE_96B
               ? 1
               : tma_mma_refuse(why, TMA_MMA_REASON_SWIZZLE, spec->swizzle, 0);
}

/* A tile of one map, without those that are placed. */
static int copy_of(tma_mma_copy *out, tma_mma_why *why, const tma_spec *spec,
                   const tma_mma_tile *tile) {
    if (!has_rows(why, spec)) {
        return 0;
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
                          .swizzle = spec->swizzle,
                          .bits = tma_swizzle_of(spec->swizzle)->bits};
    return are_apart(why, out, tile, spec);
}

static uint32_t majors_of(const tma_mma_copy *c, uint32_t unit_el) {
    return tma_mma_units(c) * unit_el;
}

/* Whether two stretches have something in common. */
static int meet(uint32_t at, uint32_t size, uint32_t other, uint32_t other_size) {
    return at < other + other_size && other < at + size;
}

/* That two placed copies bring different elements to different places. */
static int are_two(tma_mma_why *why, const tma_mma_copy *a, const tma_mma_copy *b,
                   const tma_mma_operand *o) {
    const uint32_t unit_el = tma_mma_type_at(o->type)->unit_el;
    const tma_mma_copy *first = a->start_B < b->start_B ? a : b;
    const uint32_t apart_B = first == a ? b->start_B - a->start_B : a->start_B - b->start_B;
    const uint32_t copy_B = first->rows * first->panels * first->pitch_B;
    if (apart_B < copy_B) {
        return tma_mma_refuse(why, TMA_MMA_REASON_COPIES_OVERLAP, apart_B, copy_B);
    }
    if (meet(a->major0, majors_of(a, unit_el), b->major0, majors_of(b, unit_el)) &&
        meet(a->row0, a->rows, b->row0, b->rows)) {
        const uint32_t major = a->major0 > b->major0 ? a->major0 : b->major0;
        const uint32_t row = a->row0 > b->row0 ? a->row0 : b->row0;
        return o->major == TMA_MMA_K_MAJOR
                   ? tma_mma_refuse(why, TMA_MMA_REASON_PLACED_TWICE, row, major)
                   : tma_mma_refuse(why, TMA_MMA_REASON_PLACED_TWICE, major, row);
    }
    return 1;
}

static int place(tma_mma_copy *out, tma_mma_why *why, const tma_spec *spec,
                 const tma_mma_tile *tile, const tma_mma_operand *o, uint32_t index) {
    const tma_mma_placed *p = &tile->placed[index];
    const tma_mma_tile one = {.shared_address = p->shared_address, .panel_dims = tile->panel_dims};
    if (p->mn > TMA_VALUE(MMA_REACH) || p->k > TMA_VALUE(MMA_REACH)) {
        return tma_mma_refuse(why, TMA_MMA_REASON_TILE_SIZE, 0, TMA_VALUE(MMA_REACH));
    }
    if (!copy_of(out, why, p->spec ? p->spec : spec, &one)) {
        return 0;
    }
    out->major0 = o->major == TMA_MMA_K_MAJOR ? p->k : p->mn;
    out->row0 = o->major == TMA_MMA_K_MAJOR ? p->mn : p->k;
    return 1;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

int tma_mma_fill_of(tma_mma_fill *out, tma_mma_why *why, const tma_spec *spec,
                    const tma_mma_tile *tile, const tma_mma_operand *o) {
    const uint32_t unit_el = tma_mma_type_at(o->type)->unit_el;
    out->count = tile->placed_count ? tile->placed_count : 1;
    out->majors = out->rows = 0;
    if (out->count > TMA_MMA_PLACED || (tile->placed_count && !tile->placed)) {
        return tma_mma_refuse(why, TMA_MMA_REASON_PLACED_MANY, tile->placed_count, TMA_MMA_PLACED);
    }
    for (uint32_t i = 0; i < out->count; i++) {
        tma_mma_copy *c = &out->copy[i];
        if (!(tile->placed_count ? place(c, why, spec, tile, o, i) : copy_of(c, why, spec, tile))) {
            return 0;
        }
        for (uint32_t j = 0; j < i; j++) {
            if (!are_two(why, &out->copy[j], c, o)) {
                return 0;
            }
        }
        out->majors = larger(out->majors, c->major0 + majors_of(c, unit_el));
        out->rows = larger(out->rows, c->row0 + c->rows);
    }
    return 1;
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

int tma_mma_tile_of(tma_mma_fill *out, tma_mma_why *why, const tma_spec *spec,
                    const tma_mma_tile *tile, const tma_mma_operand *o) {
    if (!tma_mma_fill_of(out, why, spec, tile, o)) {
        return 0;
    }
    for (uint32_t i = 0; i < out->count; i++) {
        const tma_spec *own = tile->placed_count ? tile->placed[i].spec : NULL;
        if (!are_elements(why, own ? own : spec, o)) {
            return 0;
        }
    }
    return 1;
}

const tma_mma_copy *tma_mma_bringer(const tma_mma_fill *fill, const tma_mma_operand *o,
                                    uint32_t major, uint32_t row) {
    const uint32_t unit_el = tma_mma_type_at(o->type)->unit_el;
    for (uint32_t i = 0; i < fill->count; i++) {
        const tma_mma_copy *c = &fill->copy[i];
        if (major >= c->major0 && major - c->major0 < majors_of(c, unit_el) && row >= c->row0 &&
            row - c->row0 < c->rows) {
            return c;
        }
    }
    return NULL;
}

static tma_mma_extent extent(const tma_mma_fill *f, const tma_mma_operand *o) {
    return o->major == TMA_MMA_K_MAJOR ? (tma_mma_extent){f->rows, f->majors}
                                       : (tma_mma_extent){f->majors, f->rows};
}

tma_mma_extent tma_mma_extent_of(const tma_spec *spec, const tma_mma_tile *tile,
                                 const tma_mma_operand *o) {
    tma_mma_fill fill;
    tma_mma_why why;
    if (!spec || !tile || !o || !tma_mma_operand_known(o) ||
        !tma_mma_fill_of(&fill, &why, spec, tile, o)) {
        return (tma_mma_extent){0, 0};
    }
    return extent(&fill, o);
}

tma_status tma_mma_written(tma_mma_place *out, const tma_spec *spec, const tma_mma_tile *tile,
                           const tma_mma_operand *o, uint32_t mn, uint32_t k) {
    tma_mma_fill fill;
    tma_mma_why why;
    if (!out || !spec || !tile || !o || !tma_mma_operand_known(o) ||
        !tma_mma_fill_of(&fill, &why, spec, tile, o)) {
        return TMA_INVALID;
    }
    const tma_mma_type *type = tma_mma_type_at(o->type);
    const uint32_t major = o->major == TMA_MMA_K_MAJOR ? k : mn;
    const uint32_t row = o->major == TMA_MMA_K_MAJOR ? mn : k;
    const tma_mma_copy *c = tma_mma_bringer(&fill, o, major, row);
    if (!c) {
        return TMA_INVALID;
    }
    const uint32_t bit = (major - c->major0) % type->unit_el * type->bits;
    const uint32_t linear = tma_mma_written_at(c, type->unit_el, major, row) + bit / 8;
    *out = (tma_mma_place){tma_swizzled(c->bits, linear), bit % 8};
    return TMA_OK;
}

/* The same of one copy; *index counts those that it stands for. */
static int element_of(tma_mma_difference *out, const tma_mma_copy *c, const tma_mma_operand *o,
                      uint32_t address, uint32_t *index) {
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
        const uint32_t major = c->major0 +
                               (panel * c->row_units + in_row_B / TMA_MMA_UNIT_B) * type->unit_el +
                               in_unit;
        const uint32_t in_row = c->row0 + row % c->rows;
        out->other_mn = o->major == TMA_MMA_K_MAJOR ? in_row : major;
        out->other_k = o->major == TMA_MMA_K_MAJOR ? major : in_row;
        *index += i;
        return 1;
    }
    return 0;
}

int tma_mma_element_at(tma_mma_difference *out, const tma_mma_fill *f, const tma_mma_operand *o,
                       uint32_t address) {
    for (uint32_t i = 0; i < f->count; i++) {
        uint32_t index = i;
        if (element_of(out, &f->copy[i], o, address, &index)) {
            out->other_copy = index;
            return 1;
        }
    }
    return 0;
}
