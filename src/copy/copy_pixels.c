/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads of pixels whose channels lie in the tensor as a whole, and the tensor in one range of
 * memory: stretch by stretch along W, each at once.
 */
#include "copy_fast.h"
#include "copy_kernels.h"
#include "memory.h"
#include "plan_internal.h"

#define SHARED_ALIGN 127u /* the strictest that a swizzle asks for, so that no other is asked */

/* Where a copy is, in the tensor's coordinates: the offsets are added. Along W it goes from `first`
 * to before `end`; the dimensions behind it follow when it is through. */
typedef struct pixels {
    const tma_plan *plan;
    const tma_kernels *kernels;
    tma_stream stream;     /* rows next to each other in both memories, or null */
    tma_period rows;       /* any other rows, or null: without a swizzle */
    const uint8_t *tensor; /* the column's first byte in pixel 0 */
    int64_t at[TMA_MAX_RANK];
    int64_t first[TMA_MAX_RANK];
    int64_t end[TMA_MAX_RANK];
} pixels;

/* Rows outside the tensor. A row fills its swizzle's span, so that the swizzle keeps it in place.
 */
static void fill(const pixels *x, uint8_t *shared, uint32_t size_B) {
    if (x->plan->fill == TMA_FILL_NAN) {
        const uint64_t nans = UINT64_C(0x7FF77FF77FF77FF7);
        for (uint32_t at = 0; at < size_B; at += 8) {
            memcpy(shared + at, &nans, 8);
        }
    } else {
        memset(shared, 0, size_B);
    }
}

/* Rows from `from` on; the first one's place in shared memory. */
static inline void move_rows(const pixels *x, uint8_t *shared, uint32_t address,
                             const uint8_t *from, uint32_t rows) {
    const tma_plan *const p = x->plan;
    const uint32_t size_B = rows * p->pitch_B;
    const uint64_t step_B = p->step_B[1] * p->stride_el[1];
    if (x->stream) {
        x->stream(shared, address, from, size_B);
    } else if (x->rows) {
        x->rows(shared, address, (uint8_t *)(uintptr_t)from, step_B, rows);
    } else if (step_B == p->pitch_B) {
        x->kernels->straight(shared, size_B, from, step_B, 1, size_B);
    } else {
        x->kernels->straight(shared, p->pitch_B, from, step_B, rows, p->pitch_B);
    }
}

/* A stretch that leaves the tensor. */
static void move_cut(const pixels *x, uint8_t *shared, uint32_t address, const uint8_t *line,
                     uint32_t rows) {
    const tma_plan *const p = x->plan;
    const int64_t step = p->stride_el[1];
    const tma_index_range in = tma_inside(x->at[1], step, rows, (int64_t)p->dim_el[1]);
    const uint32_t before_B = in.first * p->pitch_B;
    const uint32_t inside_B = before_B + in.count * p->pitch_B;
    if (before_B) {
        fill(x, shared, before_B);
    }
    if (in.count) {
        move_rows(x, shared + before_B, address + before_B,
                  line + (uint64_t)(x->at[1] + in.first * step) * p->step_B[1], in.count);
    }
    if (in.first + in.count < rows) {
        fill(x, shared + inside_B, rows * p->pitch_B - inside_B);
    }
}

/* The line along W; null: outside the tensor. */
static inline const uint8_t *line_of(const pixels *x) {
    const tma_plan *const p = x->plan;
    const uint8_t *line = x->tensor;
    for (uint32_t i = 2; i < p->rank; i++) {
        const uint64_t c = (uint64_t)x->at[i]; /* negative: beyond any size */
        if (c >= p->dim_el[i]) {
            return NULL;
        }
        line += c * p->step_B[i];
    }
    return line;
}

/* To the next line along W: of the bounding box, or in the wide modes of the next image. */
static inline void next_line(pixels *x) {
    const tma_plan *const p = x->plan;
    const uint32_t image = p->rank - 1u;
    x->at[1] = x->first[1];
    if (p->mode != TMA_MODE_IM2COL) {
        x->at[image]++;
        return;
    }
    for (uint32_t i = 2; i < image; i++) {
        x->at[i] += p->stride_el[i];
        if (x->at[i] < x->end[i]) {
            return;
        }
        x->at[i] = x->first[i];
    }
    x->at[image] += p->stride_el[image];
}

static inline void walk(pixels *x, uint8_t *shared, uint32_t address, uint32_t rows) {
    const tma_plan *const p = x->plan;
    const int64_t step = p->stride_el[1];
    const int64_t dim = (int64_t)p->dim_el[1];
    for (;;) {
        const int64_t from = x->at[1];
        const int64_t room_px = x->end[1] - from;
        const int64_t room = step == 1 ? room_px : (room_px + step - 1) / step;
        const uint32_t now = room < rows ? (uint32_t)room : rows;
        const uint8_t *const line = line_of(x);
        const uint32_t size_B = now * p->pitch_B;
        if (!line) {
            fill(x, shared, size_B);
        } else if (from >= 0 && from + (now - 1) * step < dim) {
            move_rows(x, shared, address, line + (uint64_t)from * p->step_B[1], now);
        } else {
            move_cut(x, shared, address, line, now);
        }
        rows -= now;
        if (!rows) {
            return;
        }
        shared += size_B;
        address += size_B;
        next_line(x);
    }
}

/* Sets the cursor; 0 if the copy begins where none may, or has no box to walk through. */
static inline int begin(pixels *x, const tma_position *at) {
    const tma_plan *const p = x->plan;
    uint32_t offset[TMA_MAX_SPATIAL];
    tma_plan_offsets(offset, p, at);
    x->at[p->rank - 1] = at->coord[p->rank - 1];
    uint32_t i = 0;
    do { /* such maps have W at least */
        const int64_t start = at->coord[1 + i];
        const int64_t lower = p->lower_px[i];
        const int64_t last = tma_last_pixel(p->dim_el[1 + i], p->upper_px[i]);
        if (start < lower || start > last) {
            return 0;
        }
        x->at[1 + i] = start + offset[i];
        x->first[1 + i] = lower + offset[i];
        x->end[1 + i] = last + offset[i] + 1;
    } while (++i < p->spatial);
    return 1;
}

/* The same for the wide modes: a box along W alone, that the copy may begin before. */
static int begin_wide(pixels *x, const tma_position *at) {
    const tma_plan *const p = x->plan;
    uint32_t offset[TMA_MAX_SPATIAL];
    tma_plan_offsets(offset, p, at);
    const int64_t lower = p->lower_px[0];
    const int64_t last = tma_last_pixel(p->dim_el[1], p->upper_px[0]);
    if (at->coord[1] > last || lower > last) {
        return 0;
    }
    for (uint32_t i = 2; i < p->rank; i++) {
        x->at[i] = at->coord[i];
    }
    x->at[1] = (int64_t)at->coord[1] + offset[1]; /* moves box and start alike */
    x->first[1] = lower + offset[1];
    x->end[1] = last + offset[1] + 1;
    return 1;
}

/* The loops for the rows of a plan, if it has any. */
static inline int choose(pixels *x) {
    const tma_plan *const p = x->plan;
    const uint32_t number = tma_period_number(p);
    const int together = p->step_B[1] * p->stride_el[1] == p->pitch_B;
    x->kernels = tma_kernels_of(p->path);
    x->rows = x->kernels->load_periods[number];
    x->stream = together ? x->kernels->streams[number] : TMA_NO_STREAM;
    return x->rows || x->stream || !p->swizzle_bits.mask;
}

static int halo_fits(const tma_plan *p, const tma_position *at) {
    return p->mode == TMA_MODE_IM2COL ||
           (at->offset[0] < tma_halo_limit(0) && at->offset[1] < TMA_VALUE(W_OFFSET));
}

int tma_whole_pixels(const tma_plan *p, const tma_position *at, const tma_global *global,
                     const tma_window *window) {
    pixels x;
    const uint64_t column = (uint64_t)(int64_t)at->coord[0]; /* negative: beyond any size */
    if (p->op != TMA_OP_LOAD || p->mode == TMA_MODE_IM2COL_W128 || p->readings || p->tf32 ||
        p->unit_B || p->group_el > 2 || p->row_B != p->pitch_B || !p->tensor_extent_B ||
        at->shared_address & SHARED_ALIGN || column & p->coord0_mask || column >= p->dim_el[0] ||
        p->dim_el[0] - column < p->row_el || !window->host || tma_position_reserved(at) ||
        tma_memory_reserved(global, window) || !halo_fits(p, at)) {
        return 0;
    }
    const uint64_t rows = tma_copy_rows(p, at);
    const uint64_t shared_end = at->shared_address + rows * p->pitch_B;
    const uint64_t lines_end = (shared_end + TMA_LINE_B - 1) & ~(uint64_t)(TMA_LINE_B - 1);
    x.plan = p;
    if (at->shared_address < window->address ||
        lines_end > (uint64_t)window->address + window->size_B || lines_end > TMA_VALUE(WINDOW) ||
        !choose(&x) || !(p->mode == TMA_MODE_IM2COL ? begin(&x, at) : begin_wide(&x, at))) {
        return 0;
    }
    x.tensor = tma_host(global, 0, p->address, p->tensor_extent_B);
    if (!x.tensor) {
        return 0;
    }
    x.tensor += column * p->bits / 8;
    walk(&x, (uint8_t *)window->host + (at->shared_address - window->address), at->shared_address,
         (uint32_t)rows);
    return 1;
}
