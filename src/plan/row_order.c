/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of a copy's rows: tile, gather4 and scatter4, im2col and its wide forms.
 * docs/facts.md, Copies; PTX 5.5.3 to 5.5.5.
 */
#include "row_order.h"

#include <string.h>

#include "geometry.h"
#include "plan_internal.h"
#include "tma/detail/assert.h"

static int64_t min64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

tma_columns tma_columns_of(const tma_plan *plan, const tma_position *at) {
    tma_columns c = {0, plan->row_el, 0, plan->row_B, plan->row_B, 0};
    if (plan->unit_B) {
        return c;
    }
    const int64_t from = at->coord[0];
    const int64_t dim = (int64_t)plan->dim_el[0];
    int64_t first = from < 0 ? min64(-from, plan->row_el) : 0;
    /* of packed types whole groups: no plan has other sizes, no copy begins elsewhere */
    int64_t end = from >= dim ? 0 : min64(plan->row_el, dim - from);
    const int64_t all = end > 0 ? end : 0;
    if (end <= first) {
        first = end = 0;
    }
    c.first_el = (uint32_t)first;
    c.end_el = (uint32_t)end;
    c.first_B = (uint32_t)(first * plan->bits / 8);
    c.end_B = (uint32_t)(end * plan->bits / 8);
    c.from = from * plan->bits / 8;
    c.written_B = c.end_B;
    TMA_ASSERT(c.first_el <= c.end_el && c.end_el <= plan->row_el);
    if (tma_writes_exactly(plan)) { /* bytes, of whatever group; stores begin inside */
        c.end_el = (uint32_t)all;
        c.end_B = c.written_B = (uint32_t)(all * plan->bits / 8);
    } else if (!tma_is_load(plan->op) && c.end_B) {
        const uint32_t whole_B =
            (c.end_B + TMA_VALUE(ALIGN) - 1) / TMA_VALUE(ALIGN) * TMA_VALUE(ALIGN);
        c.written_B = whole_B < plan->row_B ? whole_B : plan->row_B;
    }
    return c;
}

/* inside_first, inside_rows and address of a stretch along dimension `along`, from its coords. */
static void place(tma_row_order *it, uint32_t along) {
    const tma_plan *plan = it->plan;
    tma_stretch *s = &it->stretch;
    TMA_ASSERT(along < plan->rank && s->rows > 0);
    const int64_t step = plan->stride_el[along];
    uint64_t address = plan->address;
    s->step_B = plan->step_B[along] * (uint64_t)step;
    for (uint32_t i = plan->first; i < plan->rank; i++) {
        if (i != along) {
            if (s->coord[i] < 0 || s->coord[i] >= (int64_t)plan->dim_el[i]) {
                s->inside_first = s->inside_rows = 0;
                return;
            }
            address += (uint64_t)s->coord[i] * plan->step_B[i];
        }
    }
    const tma_index_range inside =
        tma_inside(s->coord[along], step, s->rows, (int64_t)plan->dim_el[along]);
    s->inside_first = inside.first;
    s->inside_rows = inside.count;
    address += (uint64_t)(s->coord[along] + (int64_t)s->inside_first * step) * plan->step_B[along];
    s->address = address;
}

static int next_tile(tma_row_order *it) {
    const tma_plan *plan = it->plan;
    tma_stretch *s = &it->stretch;
    const uint32_t first = plan->first;
    if (first >= plan->rank) { /* rank 1: one row */
        s->rows = s->inside_rows = 1;
        s->inside_first = 0;
        s->address = plan->address;
        s->step_B = 0;
        return 1;
    }
    s->rows = plan->count[first];
    place(it, first);
    for (uint32_t i = first + 1; i < plan->rank; i++) { /* for the stretch after this one */
        if (++it->k[i] < plan->count[i]) {
            it->cursor[i] += plan->stride_el[i];
            break;
        }
        it->k[i] = 0;
        it->cursor[i] = it->start[i];
    }
    return 1;
}

static int next_row4(tma_row_order *it, uint32_t row) {
    tma_stretch *s = &it->stretch;
    TMA_ASSERT(row < 4 && it->plan->rank == 2);
    s->rows = 1;
    s->coord[1] = it->start[1 + row];
    place(it, 1);
    return 1;
}

/* Steps the pixel over the end of a row of the bounding box: the next row, plane, image. */
static void carry(tma_row_order *it, int64_t cursor[TMA_MAX_RANK]) {
    const tma_plan *plan = it->plan;
    const uint32_t image = plan->rank - 1u;
    const uint32_t first = plan->first;
    cursor[first] = it->lower[first];
    if (plan->mode != TMA_MODE_IM2COL) { /* along W alone, image after image */
        cursor[image] += tma_plan_reads(plan, TMA_READING_W_IMAGES) ? plan->stride_el[image] : 1;
        return;
    }
    for (uint32_t i = first + 1; i < first + plan->spatial; i++) {
        cursor[i] += plan->stride_el[i];
        if (cursor[i] <= it->last[i]) {
            return;
        }
        cursor[i] = it->lower[i];
    }
    cursor[image] += plan->stride_el[image];
}

/* The rows until the 32 main pixels, or their halo, are through. */
static uint32_t rows_of_chunk(tma_row_order *it, uint32_t left) {
    if (it->plan->mode != TMA_MODE_IM2COL_W128) {
        return left;
    }
    if (it->chunk == 0) {
        it->in_halo = !it->in_halo && it->halo;
        it->chunk = it->in_halo ? it->halo : TMA_VALUE(W128_CHUNK);
        if (it->in_halo) {
            memcpy(it->saved, it->cursor, sizeof(it->saved));
        } else if (it->halo && it->stretch.row) {
            memcpy(it->cursor, it->saved, sizeof(it->saved));
        }
    }
    return it->chunk < left ? it->chunk : left;
}

/* --- readings of im2col::w::128 other than the document's: a row at a time --- */

/* The chunk of row `row` of shared memory, and which of its pixels: main ones first, then halo. */
static uint32_t w128_pixel(const tma_row_order *it, uint32_t row, uint32_t *chunk) {
    const uint32_t chunk_px = TMA_VALUE(W128_CHUNK);
    const uint32_t chunks = TMA_VALUE(W128_PIXELS) / chunk_px;
    const uint32_t order = tma_plan_reads(it->plan, TMA_READING_W128_HALO);
    if (order == TMA_READS_W128_HALO_0) {
        *chunk = row / (chunk_px + it->halo);
        return row % (chunk_px + it->halo);
    }
    if (row < TMA_VALUE(W128_PIXELS)) {
        *chunk = row / chunk_px;
        return row % chunk_px;
    }
    const uint32_t behind = row - TMA_VALUE(W128_PIXELS);
    const int one_of_each = order == TMA_READS_W128_HALO_1;
    *chunk = one_of_each ? behind % chunks : behind / it->halo;
    return chunk_px + (one_of_each ? behind / chunks : behind % it->halo);
}

/* Halo pixel `index` from the chunk's last main pixel on, where the walk does not simply go on. */
static void leave_row(const tma_row_order *it, int64_t cursor[TMA_MAX_RANK], uint32_t index) {
    const tma_plan *plan = it->plan;
    const uint32_t along = plan->first;
    for (uint32_t i = 0; i < index; i++) {
        cursor[along] += plan->stride_el[along];
        if (cursor[along] > it->last[along] &&
            tma_plan_reads(plan, TMA_READING_HALO_PIXELS) == TMA_READS_HALO_PIXELS_2) {
            cursor[along] = it->lower[along];
            cursor[along + 1] += 1; /* of a rank-3 map the image */
        }
    }
}

static int next_w128_row(tma_row_order *it) {
    const tma_plan *plan = it->plan;
    tma_stretch *s = &it->stretch;
    const uint32_t along = plan->first;
    const uint32_t chunk_px = TMA_VALUE(W128_CHUNK);
    int64_t cursor[TMA_MAX_RANK];
    uint32_t chunk = 0;
    const uint32_t pixel = w128_pixel(it, s->row, &chunk);
    const int walks = tma_plan_reads(plan, TMA_READING_HALO_PIXELS) == TMA_READS_HALO_PIXELS_0;
    it->in_halo = pixel >= chunk_px;
    const uint32_t beyond = it->in_halo && !walks ? pixel - chunk_px + 1 : 0;
    memcpy(cursor, it->cursor, sizeof(cursor)); /* where the copy begins, all along */
    for (uint32_t i = 0; i < chunk * chunk_px + pixel - beyond; i++) {
        cursor[along] += plan->stride_el[along];
        if (cursor[along] > it->last[along]) {
            carry(it, cursor);
        }
    }
    leave_row(it, cursor, beyond);
    for (uint32_t i = 0; i < plan->rank; i++) {
        s->coord[i] = cursor[i];
    }
    s->rows = 1;
    place(it, along);
    return 1;
}

static int next_pixels(tma_row_order *it) {
    const tma_plan *plan = it->plan;
    tma_stretch *s = &it->stretch;
    const uint32_t along = plan->first;
    const int64_t step = plan->stride_el[along];
    const uint32_t left = rows_of_chunk(it, it->rows - s->row);
    for (uint32_t i = 0; i < plan->rank; i++) {
        s->coord[i] = it->cursor[i] + it->offset[i];
    }
    int64_t room = (it->last[along] - it->cursor[along]) / step + 1;
    room = room < 1 ? 1 : room; /* an empty box still gives a pixel a row */
    s->rows = it->behind_row ? left : (uint32_t)min64(room, left);
    place(it, along);
    s->inside_rows = it->behind_row ? 0 : s->inside_rows;
    it->chunk -= plan->mode == TMA_MODE_IM2COL_W128 ? s->rows : 0;
    it->cursor[along] += (int64_t)s->rows * step;
    if (it->cursor[along] > it->last[along]) {
        it->behind_row = tma_ends_with_row(plan);
        if (!it->behind_row) {
            carry(it, it->cursor);
        }
    }
    return 1;
}

static void begin_pixels(tma_row_order *it, const tma_position *at) {
    const tma_plan *plan = it->plan;
    uint32_t offset[3];
    tma_plan_offsets(offset, plan, at);
    const int wide = plan->mode != TMA_MODE_IM2COL;
    const int64_t shift = wide ? offset[1] : 0; /* wOffset moves box and start alike */
    for (uint32_t i = 0; i < plan->spatial; i++) {
        const uint32_t dim = plan->first + i;
        it->lower[dim] = plan->lower_px[i] + (i == 0 ? shift : 0);
        it->last[dim] = (int64_t)plan->dim_el[dim] - 1 + plan->upper_px[i] + (i == 0 ? shift : 0);
        it->offset[dim] = wide ? 0 : offset[i];
    }
    if (tma_ends_with_row(plan) && tma_plan_reads(plan, TMA_READING_NO_OFFS_W_END)) {
        it->last[plan->first] = (int64_t)plan->dim_el[plan->first] - 1; /* the tensor's own edge */
    }
    it->cursor[plan->first] += shift;
    it->halo = wide ? offset[0] : 0;
    it->rows += plan->mode == TMA_MODE_IM2COL_W128 ? plan->rows / TMA_VALUE(W128_CHUNK) * it->halo
                                                   : it->halo;
    it->in_halo = 1; /* so that the first chunk is of main pixels */
    it->by_row = plan->mode == TMA_MODE_IM2COL_W128 && it->halo &&
                 (tma_plan_reads(plan, TMA_READING_W128_HALO) ||
                  tma_plan_reads(plan, TMA_READING_HALO_PIXELS));
}

int tma_row_order_in_halo(const tma_row_order *it, uint32_t row) {
    const uint32_t mode = it->plan->mode;
    return mode == TMA_MODE_IM2COL_W128 ? it->in_halo && it->halo
                                        : mode == TMA_MODE_IM2COL_W && row >= it->plan->rows;
}

int tma_plan_pixel_box(int64_t first_px[TMA_MAX_SPATIAL], int64_t last_px[TMA_MAX_SPATIAL],
                       const tma_plan *plan, const tma_position *at) {
    tma_row_order it;
    if (!first_px || !last_px || !plan || !at || !tma_is_im2col_mode(plan->mode)) {
        return 0;
    }
    tma_row_order_begin(&it, plan, at);
    for (uint32_t i = 0; i < plan->spatial; i++) {
        first_px[i] = it.lower[plan->first + i];
        last_px[i] = it.last[plan->first + i];
    }
    return plan->spatial;
}

void tma_row_order_begin(tma_row_order *it, const tma_plan *plan, const tma_position *at) {
    TMA_ASSERT(plan->rank >= 1 && plan->rank <= TMA_MAX_RANK && plan->first <= 1 && plan->rows);
    memset(it, 0, sizeof(*it));
    it->plan = plan;
    it->rows = plan->rows;
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        it->start[i] = it->cursor[i] = at->coord[i];
    }
    it->stretch.coord[0] = at->coord[0];
    if (tma_is_im2col_mode(plan->mode)) {
        begin_pixels(it, at);
    }
}

int tma_row_order_next(tma_row_order *it) {
    tma_stretch *s = &it->stretch;
    s->row += s->rows;
    if (s->row >= it->rows) {
        return 0;
    }
    if (tma_is_im2col_mode(it->plan->mode)) {
        return it->by_row ? next_w128_row(it) : next_pixels(it);
    }
    if (tma_is_rows4(it->plan->mode)) {
        return next_row4(it, s->row);
    }
    memcpy(s->coord, it->cursor, it->plan->rank * sizeof s->coord[0]);
    return next_tile(it);
}
