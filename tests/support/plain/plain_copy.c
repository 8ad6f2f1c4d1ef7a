/* SPDX-License-Identifier: Apache-2.0
 *
 * From row and offset to coordinates to addresses, every byte by itself.
 */
#include "plain_copy.h"

#include "swizzle_tables.h"
#include <string.h>

#define GROUP_EL 16

static int is_wide(uint32_t mode) {
    return mode == TMA_MODE_IM2COL_W || mode == TMA_MODE_IM2COL_W128;
}

static int is_pixels(uint32_t mode) {
    return mode == TMA_MODE_IM2COL || is_wide(mode);
}

static int is_rows4(uint32_t mode) {
    return mode == TMA_MODE_GATHER4 || mode == TMA_MODE_SCATTER4;
}

static int is_load(uint32_t op) {
    return op == TMA_OP_LOAD || op == TMA_OP_PREFETCH;
}

static uint32_t ceil_div(uint32_t a, uint32_t b) {
    return a / b + (a % b ? 1 : 0);
}

/* Indices visited along dimension i of a tile. */
static uint32_t visits(const tma_spec *s, uint32_t i) {
    if (s->interleave && i == s->rank - 2) {
        return 1;
    }
    return ceil_div(s->box_el[i], s->element_stride[i]);
}

static void plain_offsets(struct plain_copy *p) {
    const uint16_t *given = p->at->offset;
    if (!is_pixels(p->instruction->mode) || !is_load(p->instruction->op)) {
        return;
    }
    if (is_wide(p->instruction->mode)) {
        const uint32_t half = given[0] + 2048u * given[1];
        p->offset[0] = half % 2048;
        p->offset[1] = half / 2048 % 32;
    } else if (p->spec->rank == 3) {
        p->offset[0] = given[0];
    } else if (p->spec->rank == 4) {
        p->offset[0] = given[0] % 256;
        p->offset[1] = given[1] % 256;
    } else {
        const uint32_t half = given[0] + 32u * given[1] + 1024u * given[2];
        p->offset[0] = half % 32;
        p->offset[1] = half / 32 % 32;
        p->offset[2] = half / 1024 % 32;
    }
}

struct plain_copy plain_copy_of(const tma_spec *spec, const tma_instruction *instruction,
                                const tma_position *at) {
    static const struct {
        uint32_t swizzle;
        uint32_t span_B;
    } spans[] = {{TMA_SWIZZLE_32B, 32}, {TMA_SWIZZLE_64B, 64}, {TMA_SWIZZLE_96B, 96}};
    struct plain_copy p = {.spec = spec, .instruction = instruction, .at = at, .rows = 1};
    const uint32_t inner = spec->api == TMA_API_TILED ? spec->box_el[0] : spec->channels_per_pixel;
    p.row_B = spec->interleave ? 16 * spec->interleave : inner * tma_dtype_bits(spec->dtype) / 8;
    p.row_shared_B = p.row_B;
    if (spec->dtype >= TMA_DTYPE_16U4_ALIGN16B) {
        p.row_shared_B = inner; /* 16 bytes for every 16 elements */
    }
    p.pitch_B = p.row_shared_B;
    if (spec->swizzle && !spec->interleave) {
        p.pitch_B = 128;
        for (unsigned i = 0; i < 3; i++) {
            p.pitch_B = spans[i].swizzle == spec->swizzle ? spans[i].span_B : p.pitch_B;
        }
    }
    plain_offsets(&p);
    if (is_rows4(instruction->mode)) {
        p.rows = 4;
    } else if (instruction->mode == TMA_MODE_IM2COL_W128) {
        p.rows = 4 * (32 + p.offset[0]);
    } else if (is_pixels(instruction->mode)) {
        p.rows = spec->pixels_per_column + (is_wide(instruction->mode) ? p.offset[0] : 0);
    } else {
        for (uint32_t i = spec->interleave ? 0 : 1; i < spec->rank; i++) {
            p.rows *= visits(spec, i);
        }
    }
    return p;
}

static void tile_row(const struct plain_copy *p, uint32_t row, int64_t coord[TMA_MAX_RANK]) {
    uint32_t below = 1; /* rows for one step of this dimension */
    for (uint32_t i = p->spec->interleave ? 0 : 1; i < p->spec->rank; i++) {
        const uint32_t count = visits(p->spec, i);
        coord[i] += (int64_t)(row / below % count) * p->spec->element_stride[i];
        below *= count;
    }
}

/* The place number n of a walk that begins at *coord, goes up by step to last, and begins anew at
 * lower each time that it is through. Returns how often it was through before. */
static uint64_t strided(int64_t *coord, uint64_t n, int64_t lower, int64_t last, int64_t step) {
    const int64_t first_line = last < *coord ? 1 : (last - *coord) / step + 1;
    const int64_t line = last < lower ? 1 : (last - lower) / step + 1;
    if ((int64_t)n < first_line) {
        *coord += (int64_t)n * step;
        return 0;
    }
    n -= (uint64_t)first_line;
    *coord = lower + (int64_t)(n % (uint64_t)line) * step;
    return 1 + n / (uint64_t)line;
}

/* .im2col_no_offs::w: the pixels of one row of the bounding box, and nothing after them. */
static int ends_with_row(const struct plain_copy *p) {
    return p->instruction->mode == TMA_MODE_IM2COL_W && !is_load(p->instruction->op);
}

static int behind_row(const struct plain_copy *p, int64_t w) {
    const uint32_t dim = p->spec->interleave ? 0 : 1;
    return ends_with_row(p) && w - p->spec->upper_px[0] >= (int64_t)p->spec->dim_el[dim];
}

static void pixel_row(const struct plain_copy *p, uint32_t row, int64_t coord[TMA_MAX_RANK]) {
    const tma_spec *s = p->spec;
    const uint32_t mode = p->instruction->mode;
    const uint32_t w = s->interleave ? 0 : 1;
    uint64_t n = row;
    if (mode == TMA_MODE_IM2COL_W128) { /* 32 pixels, their halo, and on from the halo's first */
        const uint32_t turn = 32 + p->offset[0];
        n = row / turn * 32 + row % turn;
    }
    if (ends_with_row(p)) {
        coord[w] += (int64_t)row * s->element_stride[w];
        return;
    }
    if (is_wide(mode)) {
        const int64_t off = p->offset[1];
        coord[w] += off;
        n = strided(&coord[w], n, s->lower_px[0] + off,
                    (int64_t)s->dim_el[w] - 1 + s->upper_px[0] + off, s->element_stride[w]);
        coord[s->rank - 1] += (int64_t)n;
        return;
    }
    for (uint32_t i = 0; i < s->rank - 2; i++) {
        n = strided(&coord[w + i], n, s->lower_px[i],
                    (int64_t)s->dim_el[w + i] - 1 + s->upper_px[i], s->element_stride[w + i]);
        coord[w + i] += p->offset[i];
    }
    coord[s->rank - 1] += (int64_t)n * s->element_stride[s->rank - 1];
}

static void row_coordinates(const struct plain_copy *p, uint32_t row, int64_t coord[TMA_MAX_RANK]) {
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        coord[i] = i < p->spec->rank ? p->at->coord[i] : 0;
    }
    if (is_rows4(p->instruction->mode)) {
        coord[1] = p->at->coord[1 + row];
    } else if (is_pixels(p->instruction->mode)) {
        pixel_row(p, row, coord);
    } else {
        tile_row(p, row, coord);
    }
}

static int row_inside(const tma_spec *s, const int64_t coord[TMA_MAX_RANK]) {
    for (uint32_t i = s->interleave ? 0 : 1; i < s->rank; i++) {
        if (coord[i] < 0 || (uint64_t)coord[i] >= s->dim_el[i]) {
            return 0;
        }
    }
    return 1;
}

/* The bits of a row in global memory that offset_B of shared memory goes with: from the row's
 * first element on. 0 if it is padding. */
static int global_bits(const struct plain_copy *p, uint32_t offset_B, int64_t *bit) {
    const uint32_t bits = tma_dtype_bits(p->spec->dtype);
    *bit = (int64_t)offset_B * 8;
    if (p->spec->interleave || p->spec->dtype < TMA_DTYPE_16U4_ALIGN16B) {
        return 1;
    }
    if (bits == 6 && !is_load(p->instruction->op)) { /* .b6p2x16: a byte an element */
        *bit = (int64_t)offset_B * 6;
        return 1;
    }
    const uint32_t data_B = GROUP_EL * bits / 8;
    *bit = (int64_t)(offset_B / GROUP_EL * data_B + offset_B % GROUP_EL) * 8;
    return offset_B % GROUP_EL < data_B;
}

/* INSIDE, OUTSIDE or PAST_EDGE of the element that `bit` of dimension 0 belongs to. */
static tma_run_kind kind_of(const struct plain_copy *p, int64_t bit, int64_t dim_bit) {
    if (bit >= 0 && bit < dim_bit) {
        return TMA_RUN_INSIDE;
    }
    const int64_t unit_bit = bit / 128 * 128; /* stores write 16-byte units that begin inside */
    const int stores = !is_load(p->instruction->op);
    return stores && bit >= 0 && unit_bit < dim_bit ? TMA_RUN_PAST_EDGE : TMA_RUN_OUTSIDE;
}

struct plain_row plain_copy_row(const struct plain_copy *p, uint32_t row) {
    const tma_spec *s = p->spec;
    struct plain_row r = {.row = row, .address = s->address};
    row_coordinates(p, row, r.coord);
    r.inside = row_inside(s, r.coord) && !behind_row(p, r.coord[s->interleave ? 0 : 1]);
    for (uint32_t i = 1; i < s->rank; i++) {
        r.address += (uint64_t)r.coord[i] * s->stride_B[i - 1];
    }
    if (s->interleave) {
        r.address += (uint64_t)r.coord[0] * 16 * s->interleave;
    }
    return r;
}

struct plain_byte plain_copy_byte(const struct plain_copy *p, const struct plain_row *row,
                                  uint32_t offset_B) {
    const tma_spec *s = p->spec;
    const int64_t bits = tma_dtype_bits(s->dtype);
    struct plain_byte b = {.kind = TMA_RUN_INSIDE, .row = row->row, .offset_B = offset_B};
    int64_t bit = 0;
    const int data = global_bits(p, offset_B, &bit);
    memcpy(b.coord, row->coord, sizeof(b.coord));
    b.shared_address = swizzle_table_place(
        swizzle_table_of(s->swizzle), p->at->shared_address + row->row * p->pitch_B + offset_B);
    b.address = row->address;
    if (s->interleave) {
        b.address += offset_B;
    } else {
        const int64_t from_bit = b.coord[0] * bits + bit;
        b.kind = (uint8_t)kind_of(p, from_bit, (int64_t)s->dim_el[0] * bits);
        b.bit = (uint8_t)(from_bit % 8);
        b.coord[0] += data ? bit / bits : offset_B / GROUP_EL * GROUP_EL;
        b.address += (uint64_t)(from_bit / 8);
    }
    b.kind = (uint8_t)(!row->inside ? TMA_RUN_OUTSIDE : b.kind);
    b.kind = (uint8_t)(data ? b.kind : TMA_RUN_PADDING);
    return b;
}
