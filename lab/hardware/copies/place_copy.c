/* SPDX-License-Identifier: Apache-2.0
 *
 * Starts of random copies.
 */
#include "place_copy.h"

#define PICK(r, pool)  (pool)[random_below(r, sizeof(pool) / sizeof((pool)[0]))]
#define SHARED_ALIGN_B 128

static int32_t clamped(int64_t value) {
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

static int is_store(const struct copy_case *c) {
    return c->in.op != TMA_OP_LOAD && c->in.op != TMA_OP_PREFETCH;
}

/* A coordinate along a dimension of `size` elements, of which a copy takes `reach`. */
static int32_t coordinate(struct random_source *r, uint64_t size, uint64_t reach, int store) {
    static const int32_t extremes[] = {INT32_MIN, INT32_MIN + 1,   -65536,        -1,
                                       65536,     INT32_MAX - 255, INT32_MAX - 1, INT32_MAX};
    const uint32_t style = (uint32_t)random_below(r, 32);
    int64_t at = 0;
    if (style == 0) {
        at = PICK(r, extremes);
    } else if (style < 10) { /* all of it inside, where it fits */
        at = size > reach ? (int64_t)random_below(r, size - reach + 1) : 0;
    } else if (style < 20) {
        at = (int64_t)random_below(r, size);
    } else if (style < 24) {
        at = (int64_t)size - 1 - (int64_t)random_below(r, reach);
    } else {
        at = (int64_t)random_below(r, size + reach + 2) - (int64_t)reach - 1;
    }
    return store && at < 0 ? 0 : clamped(at);
}

/* Without interleave the first coordinate stands at whole 16 bytes. */
static int32_t aligned(const tma_spec *s, int32_t coord) {
    const int padded = s->dtype >= TMA_DTYPE_16U4_ALIGN16B;
    const int halves = padded && s->box_el[0] == 64; /* draw_copy.c, draw_halves */
    const int64_t granule_el = halves ? 64 : padded ? 128 : 128 / (int64_t)tma_dtype_bits(s->dtype);
    if (s->interleave) {
        return coord;
    }
    int64_t rest = coord % granule_el;
    rest = rest < 0 ? rest + granule_el : rest;
    return clamped(coord - rest);
}

static void place_tile(struct random_source *r, struct copy_case *c) {
    const tma_spec *s = &c->spec;
    for (uint32_t i = 0; i < s->rank; i++) {
        const uint64_t reach =
            s->box_el[i] > s->element_stride[i] ? s->box_el[i] : s->element_stride[i];
        c->at.coord[i] = coordinate(r, s->dim_el[i], reach, is_store(c));
    }
    c->at.coord[0] = aligned(s, c->at.coord[0]);
}

static void place_rows(struct random_source *r, struct copy_case *c) {
    const tma_spec *s = &c->spec;
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        c->at.coord[i] = coordinate(r, s->dim_el[i ? 1 : 0], i ? 1 : s->box_el[0], is_store(c));
    }
    c->at.coord[0] = aligned(s, c->at.coord[0]);
}

/* Somewhere in the bounding box. */
static int32_t in_box(struct random_source *r, const tma_spec *s, uint32_t i) {
    const uint64_t size = s->dim_el[i + (s->interleave ? 0 : 1)];
    const int64_t first = s->lower_px[i];
    const int64_t last = (int64_t)size - 1 + s->upper_px[i];
    const uint64_t count = last > first ? (uint64_t)(last - first + 1) : 1;
    if (random_one_in(r, 4)) {
        return clamped(random_one_in(r, 2) ? first : last);
    }
    return clamped(first + (int64_t)random_below(r, count));
}

static void place_offsets(struct random_source *r, struct copy_case *c) {
    const int wide = c->spec.api == TMA_API_WIDE;
    const int odd = random_one_in(r, 16);
    for (uint32_t i = 0; i < 3; i++) {
        c->at.offset[i] = (uint16_t)(odd    ? random_length(r, 16)
                                     : wide ? random_below(r, i ? 32 : 20)
                                            : random_below(r, 5));
    }
}

static void place_column(struct random_source *r, struct copy_case *c) {
    const tma_spec *s = &c->spec;
    const uint32_t first = s->interleave ? 0 : 1;
    const uint32_t slices = s->interleave ? s->rank - 2 : 0;
    const uint32_t images = s->rank - 1;
    const uint64_t channels = s->interleave ? 1 : s->channels_per_pixel;
    for (uint32_t i = 0; i + 2 < s->rank; i++) {
        c->at.coord[first + i] = in_box(r, s, i);
    }
    c->at.coord[slices] = coordinate(r, s->dim_el[slices], channels, is_store(c));
    if (!s->interleave) {
        c->at.coord[0] = aligned(s, random_one_in(r, 3) ? 0 : c->at.coord[0]);
    }
    c->at.coord[images] =
        coordinate(r, s->dim_el[images], random_one_in(r, 4) ? 3 : 1, is_store(c));
    place_offsets(r, c);
}

void place_copy(struct random_source *r, struct copy_case *c) {
    c->at.shared_address = random_one_in(r, 2) ? SHARED_ALIGN_B * (uint32_t)random_below(r, 24) : 0;
    if (c->in.mode == TMA_MODE_GATHER4 || c->in.mode == TMA_MODE_SCATTER4) {
        place_rows(r, c);
    } else if (c->spec.api == TMA_API_TILED) {
        place_tile(r, c);
    } else {
        place_column(r, c);
    }
}

void break_copy(struct random_source *r, struct copy_case *c) {
    static const uint32_t shifts[] = {16, 32, 64, 8, 1, 112};
    tma_spec *s = &c->spec;
    const uint32_t i = (uint32_t)random_below(r, s->rank);
    const uint32_t spatial = s->rank > 2 ? (uint32_t)random_below(r, s->rank - 2) : 0;
    switch (random_below(r, 6)) {
    case 0:
        c->at.shared_address += PICK(r, shifts);
        return;
    case 1:
        c->at.coord[0] =
            (int32_t)((uint32_t)c->at.coord[0] + (random_one_in(r, 2) ? 1 : UINT32_MAX));
        return;
    case 2:
        c->at.coord[i] = -1 - (int32_t)random_below(r, 20);
        return;
    case 3:
        c->in.op = is_store(c) ? random_in(r, TMA_OP_ADD, TMA_OP_XOR) : c->in.op;
        return;
    case 4:
        if (random_one_in(r, 2)) {
            s->lower_px[spatial] = -1 - (int32_t)random_below(r, 3);
        } else {
            s->upper_px[spatial] = 1 + (int32_t)random_below(r, 3);
        }
        return;
    default:
        c->at.coord[i] = (int32_t)((uint32_t)c->at.coord[i] + (uint32_t)random_below(r, 7) - 3);
    }
}
