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

/* Where a copy is. Along W the cursor runs from `lower` to `last`; the dimensions behind it follow
 * when it is through. All are the filter's base: the offsets are added for the memory. */
typedef struct pixels {
    const tma_plan *plan;
    const tma_kernels *kernels;
    tma_stream stream; /* rows next to each other in both memories, or null */
    tma_period rows;   /* any other rows, or null: without a swizzle */
    uint8_t *shared;   /* of the next row */
    uint32_t address;
    const uint8_t *tensor; /* the column's first byte in pixel 0 */
    const uint8_t *line;   /* the same, of the cursor's line along W; null: outside the tensor */
    int64_t cursor[TMA_MAX_RANK];
    int64_t lower[TMA_MAX_RANK];
    int64_t last[TMA_MAX_RANK];
    uint32_t offset[TMA_MAX_RANK];
} pixels;

/* Rows outside the tensor. A row fills its swizzle's span, so that the swizzle keeps it in place.
 */
static void fill(pixels *x, uint32_t rows) {
    const uint32_t size_B = rows * x->plan->pitch_B;
    if (x->plan->fill == TMA_FILL_NAN) {
        const uint64_t nans = UINT64_C(0x7FF77FF77FF77FF7);
        for (uint32_t at = 0; at < size_B; at += 8) {
            memcpy(x->shared + at, &nans, 8);
        }
    } else if (size_B) {
        memset(x->shared, 0, size_B);
    }
    x->shared += size_B;
    x->address += size_B;
}

static void move_rows(pixels *x, const uint8_t *from, uint64_t step_B, uint32_t rows) {
    const uint32_t pitch_B = x->plan->pitch_B;
    const uint32_t size_B = rows * pitch_B;
    if (x->stream) {
        x->stream(x->shared, x->address, from, size_B);
    } else if (x->rows) {
        x->rows(x->shared, x->address, (uint8_t *)(uintptr_t)from, step_B, rows);
    } else if (step_B == pitch_B) {
        x->kernels->straight(x->shared, pitch_B, from, step_B, 1, size_B);
    } else {
        x->kernels->straight(x->shared, pitch_B, from, step_B, rows, pitch_B);
    }
    x->shared += size_B;
    x->address += size_B;
}

/* `rows` rows from the cursor on. */
static void stretch(pixels *x, uint32_t rows) {
    const tma_plan *const p = x->plan;
    if (!x->line) {
        fill(x, rows);
        return;
    }
    const int64_t step = p->stride_el[1];
    const int64_t from = x->cursor[1] + x->offset[1];
    const tma_index_range in = tma_inside(from, step, rows, (int64_t)p->dim_el[1]);
    if (in.first) {
        fill(x, in.first);
    }
    if (in.count) {
        move_rows(x, x->line + (uint64_t)(from + in.first * step) * p->step_B[1],
                  (uint64_t)step * p->step_B[1], in.count);
    }
    if (in.first + in.count < rows) {
        fill(x, rows - in.first - in.count);
    }
}

/* Finds the cursor's line along W. */
static void find_line(pixels *x) {
    const tma_plan *const p = x->plan;
    const uint8_t *line = x->tensor;
    for (uint32_t i = 2; i < p->rank; i++) {
        const uint64_t c = (uint64_t)(x->cursor[i] + x->offset[i]); /* negative: beyond any size */
        if (c >= p->dim_el[i]) {
            x->line = NULL;
            return;
        }
        line += c * p->step_B[i];
    }
    x->line = line;
}

/* To the next line along W: of the bounding box, or in the wide modes of the next image. */
static void next_line(pixels *x) {
    const tma_plan *const p = x->plan;
    const uint32_t image = p->rank - 1u;
    x->cursor[1] = x->lower[1];
    if (p->mode != TMA_MODE_IM2COL) {
        x->cursor[image]++;
        return;
    }
    for (uint32_t i = 2; i < image; i++) {
        x->cursor[i] += p->stride_el[i];
        if (x->cursor[i] <= x->last[i]) {
            return;
        }
        x->cursor[i] = x->lower[i];
    }
    x->cursor[image] += p->stride_el[image];
}

static void walk(pixels *x, uint32_t rows) {
    const uint32_t step = x->plan->stride_el[1];
    for (;;) {
        const int64_t room_px = x->last[1] - x->cursor[1];
        const int64_t room = (step == 1 ? room_px : room_px / step) + 1;
        const uint32_t now = room < rows ? (uint32_t)room : rows;
        find_line(x);
        stretch(x, now);
        rows -= now;
        if (!rows) {
            return;
        }
        next_line(x);
    }
}

/* Sets the cursor; 0 if the copy begins where none may, or has no box to walk through. */
static int begin(pixels *x, const tma_position *at) {
    const tma_plan *const p = x->plan;
    const int wide = p->mode != TMA_MODE_IM2COL;
    uint32_t offset[TMA_MAX_SPATIAL];
    tma_plan_offsets(offset, p, at);
    const uint32_t shift = wide ? offset[1] : 0; /* moves box and start alike */
    x->offset[p->rank - 1] = 0;
    x->cursor[p->rank - 1] = at->coord[p->rank - 1];
    for (uint32_t i = 0; i < p->spatial; i++) {
        const int64_t start = at->coord[1 + i];
        const int64_t lower = p->lower_px[i];
        const int64_t last = tma_last_pixel(p->dim_el[1 + i], p->upper_px[i]);
        const int boxed = !wide || i == 0; /* the wide modes have a box along W alone */
        if (boxed && (start > last || lower > last || (!wide && start < lower))) {
            return 0;
        }
        const uint32_t shift_px = i == 0 ? shift : 0;
        x->cursor[1 + i] = start + shift_px;
        x->lower[1 + i] = lower + shift_px;
        x->last[1 + i] = last + shift_px;
        x->offset[1 + i] = wide ? 0 : offset[i];
    }
    return 1;
}

/* The loops for the rows of a plan, if it has any. */
static int choose(pixels *x) {
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
        !choose(&x) || !begin(&x, at)) {
        return 0;
    }
    x.tensor = tma_host(global, 0, p->address, p->tensor_extent_B);
    if (!x.tensor) {
        return 0;
    }
    x.tensor += column * p->bits / 8;
    x.shared = (uint8_t *)window->host + (at->shared_address - window->address);
    x.address = at->shared_address;
    walk(&x, (uint32_t)rows);
    return 1;
}
