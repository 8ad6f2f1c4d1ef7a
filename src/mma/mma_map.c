/* SPDX-License-Identifier: Apache-2.0
 *
 * A map's copies and an MMA's reads held against each other, 16 bytes at a time: neither side takes
 * 16 bytes apart.
 */
#include "mma_internal.h"

/* The part of an operand that one copy brings, in runs of `step` elements of the major index, which
 * both sides keep together, and where each run begins on either side, row 0. */
typedef struct runs {
    const tma_mma_descriptor *d;
    const tma_mma_operand *o;
    const tma_mma_copy *c;
    int by_k;                  /* the major index is k */
    uint32_t major, major_end; /* of the operand, */
    uint32_t row, row_end;     /* and */
    uint32_t in_major, in_row; /* the copy's element that its first is: may wrap */
    uint32_t step, count;      /* elements of a run; runs of a row */
    int differs;               /* one was seen elsewhere, the first of them */
    uint32_t mn, k;
    uint32_t read_at[TMA_VALUE(MMA_SIDE)];
    uint32_t written_at[TMA_VALUE(MMA_SIDE)];
} runs;

static void cut_runs(runs *r) {
    const tma_mma_type *type = tma_mma_type_at(r->o->type);
    const uint32_t unit_el = type->unit_el;
    r->step = r->major % unit_el || (r->in_major + r->major) % unit_el ? 1 : unit_el;
    r->count = (r->major_end - r->major + r->step - 1) / r->step;
    for (uint32_t run = 0; run < r->count; run++) {
        const uint32_t major = r->major + run * r->step;
        const uint32_t at = r->in_major + major;
        r->read_at[run] = r->d->start_B + major % unit_el * type->bits / 8 +
                          tma_mma_read_unit(r->d, r->o, major / unit_el);
        r->written_at[run] = r->c->start_B + at % unit_el * type->bits / 8 +
                             tma_mma_written_unit(r->c, at / unit_el);
    }
}

static void hold(tma_mma_difference *out, runs *r, uint32_t row, uint32_t run) {
    const uint32_t read =
        tma_mma_swizzled(r->d, r->read_at[run] + tma_mma_read_row(r->d, r->o->major, row));
    const uint32_t put =
        tma_swizzled(r->c->bits, r->written_at[run] + (r->in_row + row) * r->c->pitch_B);
    const uint32_t major = r->major + run * r->step;
    if (read == put) {
        out->equal_el += r->major_end - major < r->step ? r->major_end - major : r->step;
    } else if (!r->differs) {
        r->differs = 1;
        r->mn = r->by_k ? row : major;
        r->k = r->by_k ? major : row;
    }
}

/* The major index is outside for an operand that is MN-major, inside for the other: m slow. */
static void compare_runs(tma_mma_difference *out, runs *r) {
    cut_runs(r);
    if (r->by_k) {
        for (uint32_t row = r->row; row < r->row_end; row++) {
            for (uint32_t run = 0; run < r->count; run++) {
                hold(out, r, row, run);
            }
        }
        return;
    }
    for (uint32_t run = 0; run < r->count; run++) {
        for (uint32_t row = r->row; row < r->row_end; row++) {
            hold(out, r, row, run);
        }
    }
}

/* What of `count` from `from` on lies in a stretch, counted from `from`: *begin to the result. */
static uint32_t within(uint32_t *begin, uint32_t from, uint32_t count, uint32_t at, uint32_t size) {
    const uint32_t end = at + size > from ? at + size - from : 0;
    *begin = at > from ? at - from : 0;
    return end < count ? end : count;
}

typedef struct question {
    const tma_mma_descriptor *d;
    const tma_mma_operand *o;
    const tma_mma_fill *f;
    uint32_t mn0, k0;
} question;

/* One copy's part; how many elements it brings. *first is the first that is read elsewhere. */
static uint64_t compare_copy(tma_mma_difference *out, const question *q, const tma_mma_copy *c,
                             uint32_t first[2]) {
    const int by_k = q->o->major == TMA_MMA_K_MAJOR;
    const uint32_t majors = by_k ? tma_mma_k_of(q->o) : q->o->mn_el;
    const uint32_t rows = by_k ? q->o->mn_el : tma_mma_k_of(q->o);
    const uint32_t major0 = by_k ? q->k0 : q->mn0;
    const uint32_t row0 = by_k ? q->mn0 : q->k0;
    const uint32_t unit_el = tma_mma_type_at(q->o->type)->unit_el;
    runs r = {.d = q->d, .o = q->o, .c = c, .by_k = by_k};
    r.major_end = within(&r.major, major0, majors, c->major0, tma_mma_units(c) * unit_el);
    r.row_end = within(&r.row, row0, rows, c->row0, c->rows);
    r.in_major = major0 - c->major0;
    r.in_row = row0 - c->row0;
    if (r.major >= r.major_end || r.row >= r.row_end) {
        return 0;
    }
    compare_runs(out, &r);
    if (r.differs && (r.mn < first[0] || (r.mn == first[0] && r.k < first[1]))) {
        first[0] = r.mn;
        first[1] = r.k;
    }
    return (uint64_t)(r.major_end - r.major) * (r.row_end - r.row);
}

/* The copy that brings an element of the operand; null: none. */
static const tma_mma_copy *bringer(const question *q, uint32_t mn, uint32_t k) {
    const int by_k = q->o->major == TMA_MMA_K_MAJOR;
    return tma_mma_bringer(q->f, q->o, by_k ? q->k0 + k : q->mn0 + mn,
                           by_k ? q->mn0 + mn : q->k0 + k);
}

/* The first element that no copy brings, if it comes before *first. */
static void find_left_out(const question *q, uint32_t first[2]) {
    for (uint32_t mn = 0; mn < q->o->mn_el && mn <= first[0]; mn++) {
        for (uint32_t k = 0; k < tma_mma_k_of(q->o); k++) {
            if (mn == first[0] && k >= first[1]) {
                return;
            }
            if (!bringer(q, mn, k)) {
                first[0] = mn;
                first[1] = k;
                return;
            }
        }
    }
}

static void name_first(tma_mma_difference *out, const question *q, const uint32_t first[2]) {
    const tma_mma_copy *c = bringer(q, first[0], first[1]);
    const int by_k = q->o->major == TMA_MMA_K_MAJOR;
    const tma_mma_type *type = tma_mma_type_at(q->o->type);
    out->mn = first[0];
    out->k = first[1];
    out->read_B = tma_mma_read(q->d, q->o, out->mn, out->k).address_B;
    out->has_element = (uint32_t)tma_mma_element_at(out, q->f, q->o, out->read_B);
    if (c) {
        const uint32_t major = by_k ? q->k0 + out->k : q->mn0 + out->mn;
        const uint32_t row = by_k ? q->mn0 + out->mn : q->k0 + out->k;
        const uint32_t in = major - c->major0;
        out->has_written = 1;
        out->written_B = tma_swizzled(c->bits, tma_mma_written_at(c, type->unit_el, major, row) +
                                                   in % type->unit_el * type->bits / 8);
        out->written_copy =
            (uint32_t)(c - q->f->copy) + in / type->unit_el / (c->row_units * c->panels);
    }
}

static void compare(tma_mma_difference *out, const question *q) {
    uint32_t first[2] = {UINT32_MAX, UINT32_MAX};
    uint64_t brought = 0;
    out->all_el = (uint64_t)q->o->mn_el * tma_mma_k_of(q->o);
    out->copies = q->f->count > 1 ? q->f->count : q->f->copy[0].copies;
    for (uint32_t i = 0; i < q->f->count; i++) {
        brought += compare_copy(out, q, &q->f->copy[i], first);
    }
    if (brought < out->all_el) {
        find_left_out(q, first);
    }
    if (first[0] != UINT32_MAX) {
        name_first(out, q, first);
    }
}

tma_status tma_mma_compare(tma_mma_difference *out, const tma_mma_descriptor *descriptor,
                           const tma_mma_operand *operand, const tma_spec *spec,
                           const tma_mma_tile *tile, uint32_t mn0, uint32_t k0) {
    if (!out || !descriptor || !operand || !spec || !tile || !tma_mma_operand_known(operand) ||
        mn0 > TMA_VALUE(MMA_REACH) || k0 > TMA_VALUE(MMA_REACH)) {
        return TMA_INVALID;
    }
    tma_mma_fill fill;
    tma_mma_why why;
    if (!tma_mma_tile_of(&fill, &why, spec, tile, operand)) {
        return TMA_REFUSED;
    }
    tma_mma_difference difference = {0};
    const question q = {.d = descriptor, .o = operand, .f = &fill, .mn0 = mn0, .k0 = k0};
    compare(&difference, &q);
    *out = difference;
    return TMA_OK;
}

uint32_t tma_mma_unfit(tma_mma_why *why, const tma_spec *spec, const tma_mma_tile *tile,
                       const tma_mma_operand *operand) {
    tma_mma_fill fill;
    tma_mma_why found = {.reason = TMA_MMA_REASON_NONE};
    if (!why) {
        return TMA_MMA_REASON_NO_TILE;
    }
    if (!spec || !tile || !operand || !tma_mma_operand_known(operand)) {
        *why = (tma_mma_why){.reason = TMA_MMA_REASON_NO_TILE};
        return TMA_MMA_REASON_NO_TILE;
    }
    (void)tma_mma_tile_of(&fill, &found, spec, tile, operand);
    *why = found;
    return found.reason;
}
