/* SPDX-License-Identifier: Apache-2.0
 *
 * The reference: one element after the other, as the documents and docs/facts.md say it. It shares
 * no loop with the fast copies, and is what they are held against. Two passes over the same loops:
 * the first only asks whether every byte of global memory is in the caller's ranges.
 */
#include "memory.h"
#include "plan_internal.h"
#include "tma/element.h"
#include "tma/swizzle.h"

#define UNIT_MAX_B 32 /* the longest slice unit */

typedef struct reference {
    const tma_plan *plan;
    const tma_position *at;
    const tma_global *global;
    const tma_window *window;
    tma_finding *why;
    int64_t coord[TMA_MAX_RANK]; /* of the row's first element */
    int64_t pixel[TMA_MAX_RANK]; /* im2col: the cursor, before offsets */
    uint32_t offset[3];
    int move; /* second pass */
} reference;

/* Shared bytes are found one by one, so that the swizzle needs no thought. */
static uint8_t *shared_byte(const reference *r, uint32_t row, uint32_t byte) {
    const uint32_t plain = r->at->shared_address + row * r->plan->pitch_B + byte;
    const uint32_t address = tma_swizzled(r->plan->swizzle_bits, plain);
    return (uint8_t *)r->window->host + (address - r->window->address);
}

static void read_shared(const reference *r, uint32_t row, uint32_t byte, uint8_t *to, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        to[i] = *shared_byte(r, row, byte + i);
    }
}

static void write_shared(const reference *r, uint32_t row, uint32_t byte, const uint8_t *from,
                         uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        *shared_byte(r, row, byte + i) = from[i];
    }
}

static uint64_t load_bits(const uint8_t *bytes, uint32_t n) {
    uint64_t value = 0;
    for (uint32_t i = n; i-- > 0;) {
        value = value << 8 | bytes[i];
    }
    return value;
}

static void store_bits(uint8_t *bytes, uint32_t n, uint64_t value) {
    for (uint32_t i = 0; i < n; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
}

/* Where the bytes of the element (or group, or slice unit) at these coordinates are, each by
 * itself: it may lie over two ranges. */
static int find_global(const reference *r, const int64_t c[TMA_MAX_RANK], uint32_t n,
                       uint8_t *host[UNIT_MAX_B]) {
    const tma_plan *p = r->plan;
    uint64_t address = p->address; /* all modulo 2^64, as the hardware adds and multiplies */
    for (uint32_t i = p->first; i < p->rank; i++) {
        address += (uint64_t)c[i] * p->step_B[i];
    }
    if (!p->unit_B) {
        address += (uint64_t)(c[0] * p->bits / 8);
    }
    for (uint32_t i = 0; i < n; i++) {
        host[i] = tma_host(r->global, tma_writes(p), address + i, 1);
        if (!host[i]) {
            tma_global_fault(r->why, p, r->global, address + i);
            return 0;
        }
    }
    return 1;
}

/* 16 elements of 6 bits each in a byte, to 12 bytes (PTX 5.5.1.1, .b6p2x16). */
static void pack_6(uint8_t to[12], const uint8_t from[16]) {
    memset(to, 0, 12);
    for (uint32_t bit = 0; bit < 96; bit++) {
        const uint32_t value = from[bit / 6] >> (bit % 6) & 1;
        to[bit / 8] = (uint8_t)(to[bit / 8] | value << bit % 8);
    }
}

static int load_element(const reference *r, uint32_t row, uint32_t byte, int inside,
                        const int64_t c[TMA_MAX_RANK]) {
    const tma_plan *p = r->plan;
    uint8_t bytes[UNIT_MAX_B];
    uint8_t *from[UNIT_MAX_B];
    const uint32_t n = p->group_global_B;
    for (uint32_t i = 0; i < n; i++) { /* OOB-NaN is 0x7FF7 in every 16 bits */
        bytes[i] = p->fill == TMA_FILL_NAN ? (i % 2 ? 0x7F : 0xF7) : 0;
    }
    if (inside) {
        if (!find_global(r, c, n, from)) {
            return 0;
        }
        for (uint32_t i = 0; i < n; i++) {
            bytes[i] = *from[i];
        }
        for (uint32_t i = 0; p->tf32 && i < n; i += 4) {
            store_bits(bytes + i, 4, tma_round_tf32((uint32_t)load_bits(bytes + i, 4)));
        }
    }
    if (r->move) {
        write_shared(r, row, byte, bytes, n);
    }
    return 1;
}

/* What the reduction makes of an element: `bytes` holds shared memory's, `host` says where global
 * memory's is. */
static void reduce_element(const tma_plan *p, uint8_t *bytes, uint8_t *const *host, uint32_t n) {
    uint8_t old[8] = {0};
    for (uint32_t i = 0; i < n; i++) {
        old[i] = *host[i];
    }
    store_bits(bytes, n, tma_reduce(p->op, p->dtype, load_bits(old, n), load_bits(bytes, n)));
}

static int store_element(const reference *r, uint32_t row, uint32_t byte,
                         const int64_t c[TMA_MAX_RANK]) {
    const tma_plan *p = r->plan;
    const int64_t left_B = (((int64_t)p->dim_el[0] - c[0]) * p->bits + 7) / 8;
    const uint32_t all_B = p->group_global_B; /* by one reading less, at the row's end */
    const uint32_t n = tma_writes_exactly(p) && left_B < all_B ? (uint32_t)left_B : all_B;
    const uint32_t size_B = p->unit_B ? tma_dtype_bits(p->dtype) / 8 : n;
    uint8_t bytes[UNIT_MAX_B] = {0};
    uint8_t packed[12];
    uint8_t *to[UNIT_MAX_B];
    if (!find_global(r, c, n, to)) {
        return 0;
    }
    if (!r->move) {
        return 1;
    }
    read_shared(r, row, byte, bytes, p->group_payload_B);
    if (p->bits == 6) {
        pack_6(packed, bytes);
        memcpy(bytes, packed, sizeof(packed));
    }
    for (uint32_t i = 0; i < n && p->op != TMA_OP_STORE; i += size_B) {
        reduce_element(p, bytes + i, to + i, size_B);
    }
    for (uint32_t i = 0; i < n; i++) {
        *to[i] = bytes[i];
    }
    return 1;
}

/* One row: its elements are consecutive along dimension 0. */
static int run_row(reference *r, uint32_t row) {
    const tma_plan *p = r->plan;
    int row_inside = 1;
    int64_t c[TMA_MAX_RANK];
    memcpy(c, r->coord, sizeof(c));
    for (uint32_t i = p->first; i < p->rank; i++) {
        row_inside = row_inside && c[i] >= 0 && c[i] < (int64_t)p->dim_el[i];
    }
    for (uint32_t e = 0; e < p->row_el; e += p->group_el) {
        const uint32_t byte = e / p->group_el * p->group_shared_B;
        const int64_t last = c[0] + (p->group_el - 1);
        const int64_t dim = (int64_t)p->dim_el[0];
        int inside = row_inside && (p->unit_B || (c[0] >= 0 && last < dim));
        if (!tma_is_load(p->op) && !p->unit_B) {
            /* stores write every 16-byte unit that begins in the row */
            const int64_t unit_B = c[0] * p->bits / 8 / 16 * 16;
            inside = row_inside && c[0] >= 0 && unit_B * 8 < dim * p->bits;
            inside = inside && (c[0] < dim || !tma_writes_exactly(p));
        }
        const int done = tma_is_load(p->op) ? load_element(r, row, byte, inside, c)
                         : inside           ? store_element(r, row, byte, c)
                                            : 1;
        if (!done) {
            return 0;
        }
        c[0] += p->unit_B ? 0 : p->group_el;
    }
    return 1;
}

/* Tile: row number to coordinates, dimension `first` fastest. */
static void place_tile(reference *r, uint32_t row) {
    const tma_plan *p = r->plan;
    for (uint32_t i = p->first; i < p->rank; i++) {
        r->coord[i] = r->at->coord[i] + (int64_t)(row % p->count[i]) * p->stride_el[i];
        row /= p->count[i];
    }
}

/* im2col: from one pixel to the next in the bounding box (PTX 5.5.4, 5.5.5). */
static void next_pixel(reference *r) {
    const tma_plan *p = r->plan;
    const int wide = p->mode != TMA_MODE_IM2COL;
    for (uint32_t i = 0; i < (wide ? 1u : p->spatial); i++) {
        const uint32_t dim = p->first + i;
        const int64_t shift = wide ? r->offset[1] : 0;
        r->pixel[dim] += p->stride_el[dim];
        if (wide && tma_ends_with_row(p)) {
            return;
        }
        if (r->pixel[dim] <= (int64_t)p->dim_el[dim] - 1 + p->upper_px[i] + shift) {
            return;
        }
        r->pixel[dim] = p->lower_px[i] + shift;
    }
    r->pixel[p->rank - 1] +=
        wide && !tma_plan_reads(p, TMA_READING_W_IMAGES) ? 1 : p->stride_el[p->rank - 1];
}

static void begin_pixels(reference *r) {
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        r->pixel[i] = r->at->coord[i];
    }
    if (r->plan->mode != TMA_MODE_IM2COL) {
        r->pixel[r->plan->first] += r->offset[1];
    }
}

static void place_pixel(reference *r) {
    memcpy(r->coord, r->pixel, sizeof(r->coord));
    for (uint32_t i = 0; i < r->plan->spatial && r->plan->mode == TMA_MODE_IM2COL; i++) {
        r->coord[r->plan->first + i] += r->offset[i];
    }
}

/* im2col::w::128: chunk and pixel of the chunk, 32 and more in the halo, that lie in row `row`. */
static void chunk_of_row(const tma_plan *p, uint32_t row, uint32_t halo, uint32_t *chunk,
                         uint32_t *pixel) {
    const uint32_t order = tma_plan_reads(p, TMA_READING_W128_HALO);
    if (order == 0) { /* 32 main ones, then their halo, and again */
        *chunk = row / (32 + halo);
        *pixel = row % (32 + halo);
    } else if (row < 128) {
        *chunk = row / 32;
        *pixel = row % 32;
    } else if (order == 1) { /* a pixel of each chunk's halo in turn */
        *chunk = (row - 128) % 4;
        *pixel = 32 + (row - 128) / 4;
    } else {
        *chunk = (row - 128) / halo;
        *pixel = 32 + (row - 128) % halo;
    }
}

/* The halo is what would come next, and the main pixels go on from there too; by other readings it
 * goes on along W beyond the box, or in the row after. Returns how many pixels of the walk come
 * before it, and in *beyond how many steps it takes on its own. */
static uint32_t walk_of_row(const tma_plan *p, uint32_t row, uint32_t halo, uint32_t *beyond) {
    uint32_t chunk = 0;
    uint32_t pixel = row;
    *beyond = 0;
    if (p->mode == TMA_MODE_IM2COL_W128) {
        chunk_of_row(p, row, halo, &chunk, &pixel);
        if (pixel >= 32 && tma_plan_reads(p, TMA_READING_HALO_PIXELS)) {
            *beyond = pixel - 31;
            pixel = 31;
        }
    }
    return chunk * 32 + pixel;
}

static void step_beyond(reference *r) {
    const tma_plan *p = r->plan;
    const int64_t last = (int64_t)p->dim_el[p->first] - 1 + p->upper_px[0] + r->offset[1];
    int64_t *w = &r->coord[p->first];
    *w += p->stride_el[p->first];
    if (tma_plan_reads(p, TMA_READING_HALO_PIXELS) == 2 && *w > last) {
        *w = p->lower_px[0] + (int64_t)r->offset[1];
        r->coord[p->first + 1]++;
    }
}

/* im2col_no_offs::w: what comes behind the row's end, as it is read, is not stored. */
static int is_behind_row(const reference *r) {
    const tma_plan *p = r->plan;
    const uint32_t reading = tma_plan_reads(p, TMA_READING_NO_OFFS_W_END);
    const int64_t edge = (int64_t)p->dim_el[p->first] + (reading ? 0 : p->upper_px[0]);
    return p->mode == TMA_MODE_IM2COL_W && !tma_is_load(p->op) && reading < 2 &&
           r->pixel[p->first] >= edge;
}

static int run_pixels(reference *r) {
    const tma_plan *p = r->plan;
    const uint32_t halo = p->mode == TMA_MODE_IM2COL ? 0 : r->offset[0];
    const int w128 = p->mode == TMA_MODE_IM2COL_W128;
    const uint32_t rows = p->rows + (w128 ? 4 : 1) * halo;
    uint32_t at = 0;
    begin_pixels(r);
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t beyond = 0;
        const uint32_t wanted = walk_of_row(p, row, halo, &beyond);
        if (wanted < at) {
            begin_pixels(r);
            at = 0;
        }
        for (; at < wanted; at++) {
            next_pixel(r);
        }
        if (is_behind_row(r)) {
            return 1;
        }
        place_pixel(r);
        for (; beyond > 0; beyond--) {
            step_beyond(r);
        }
        if (!run_row(r, row)) {
            return 0;
        }
    }
    return 1;
}

static int run(reference *r) {
    const tma_plan *p = r->plan;
    r->coord[0] = r->at->coord[0];
    if (tma_is_im2col_mode(p->mode)) {
        return run_pixels(r);
    }
    for (uint32_t row = 0; row < p->rows; row++) {
        if (tma_is_rows4(p->mode)) {
            r->coord[1] = r->at->coord[1 + row];
        } else {
            place_tile(r, row);
        }
        if (!run_row(r, row)) {
            return 0;
        }
    }
    return 1;
}

/* Judges, and moves if `move`. */
static tma_status copy(const tma_plan *plan, const tma_position *at, const tma_global *global,
                       const tma_window *window, tma_finding *why, int move) {
    const tma_status status = tma_plan_runs(plan, at, why);
    if (status != TMA_OK || plan->op == TMA_OP_PREFETCH) {
        return status;
    }
    const tma_status memory = tma_check_memory(plan, global, window, why);
    if (memory != TMA_OK) {
        return memory;
    }
    const tma_position own_at = *at; /* these may lie in what the copy writes */
    const tma_window own_window = *window;
    reference r = {0};
    r.plan = plan;
    r.at = &own_at;
    r.global = global;
    r.window = &own_window;
    r.why = why;
    tma_plan_offsets(r.offset, plan, r.at);
    if (!tma_window_holds(plan, r.at, r.window, why) || !run(&r)) {
        return TMA_MEMORY;
    }
    r.move = move;
    if (move) {
        run(&r);
    }
    return TMA_OK;
}

tma_status tma_move_by_reference(const tma_plan *plan, const tma_position *at,
                                 const tma_global *global, const tma_window *window,
                                 tma_finding *why) {
    return copy(plan, at, global, window, why, 1);
}

tma_status tma_copy_reference(const tma_plan *plan, const tma_position *at,
                              const tma_global *global, const tma_window *window,
                              tma_finding *why) {
    if (!plan) {
        return tma_null_fault(why, TMA_ARG_PLAN);
    }
    return tma_plan_mask(plan) ? tma_multicast_fault(plan, why)
                               : tma_move_by_reference(plan, at, global, window, why);
}

tma_status tma_judge_reference(const tma_plan *plan, const tma_position *at,
                               const tma_global *global, const tma_window *window,
                               tma_finding *why) {
    return copy(plan, at, global, window, why, 0);
}
