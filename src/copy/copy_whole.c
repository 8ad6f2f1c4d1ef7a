/* SPDX-License-Identifier: Apache-2.0
 *
 * Boxes that lie in the tensor as a whole: no edges, nothing to fill, and the memory of all rows is
 * looked up at once.
 */
#include "copy_fast.h"
#include "copy_kernels.h"
#include "copy_list.h"
#include "memory.h"
#include "plan_internal.h"
#include "tma/detail/assert.h"

#define SHARED_ALIGN 127u /* the strictest that a swizzle asks for, so that no other is asked */

const tma_kernels *tma_kernels_of(uint32_t path) {
    switch (path) {
#ifdef TMA_HAS_AVX
    case TMA_PATH_AVX2:
        return &tma_kernels_avx2;
    case TMA_PATH_AVX512:
        return &tma_kernels_avx512;
    case TMA_PATH_AVX512FP16:
        return &tma_kernels_avx512fp16;
#endif
    default:
        return &tma_kernels_portable;
    }
}

/* A box whose rows have been found. */
typedef struct whole_box {
    const tma_plan *plan;
    const tma_kernels *kernels;
    uint8_t *shared;
    uint32_t address;
    uint8_t *host;
    uint64_t step_B;     /* between rows along dimension 1 */
    uint32_t plane_rows; /* along dimension 1; a rank beyond 2 has many such planes */
} whole_box;

/* From one plane of rows to the next in global memory. */
static inline uint64_t next_plane(const tma_plan *p, uint32_t k[TMA_MAX_RANK], uint64_t offset_B) {
    TMA_ASSERT(p->rank <= TMA_MAX_RANK);
    for (uint32_t i = 2; i < p->rank; i++) {
        const uint64_t step_B = p->step_B[i] * p->stride_el[i];
        if (++k[i] < p->count[i]) {
            return offset_B + step_B;
        }
        offset_B -= step_B * (p->count[i] - 1u);
        k[i] = 0;
    }
    return offset_B;
}

/* Rows that nothing moves, from one memory to the other. */
static __attribute__((noinline)) void move_straight(const whole_box *b) {
    const tma_plan *const p = b->plan;
    uint32_t k[TMA_MAX_RANK] = {0};
    uint64_t offset_B = 0;
    uint32_t row_B = p->row_B;
    uint32_t rows = b->plane_rows;
    if (row_B == b->step_B) { /* one stretch in both memories */
        row_B *= rows;
        rows = 1;
    }
    TMA_ASSERT(b->plane_rows && p->rows % b->plane_rows == 0);
    for (uint32_t row = 0; row < p->rows; row += b->plane_rows) {
        uint8_t *const shared = b->shared + (size_t)row * p->pitch_B;
        uint8_t *const host = b->host + offset_B;
        if (p->op == TMA_OP_LOAD) {
            b->kernels->straight(shared, p->pitch_B, host, b->step_B, rows, row_B);
        } else {
            b->kernels->straight(host, b->step_B, shared, p->pitch_B, rows, row_B);
        }
        offset_B = next_plane(p, k, offset_B);
    }
}

/* Any others, plane by plane. */
static __attribute__((noinline)) void move_job(const whole_box *b, const tma_window *window) {
    const tma_plan *const p = b->plan;
    uint32_t k[TMA_MAX_RANK] = {0};
    uint64_t offset_B = 0;
    tma_listing l;
    tma_job job = tma_job_of(p, b->address, window);
    void (*const move)(const tma_job *) = tma_mover_of(b->kernels, p->op);
    const int listed = p->rank > 2 && tma_listing_begin(&l, p, b->address, window);
    job.step_B = b->step_B;
    job.rows = b->plane_rows;
    TMA_ASSERT(job.rows && p->rows % job.rows == 0);
    for (uint32_t row = 0; row < p->rows; row += job.rows) {
        if (listed) {
            tma_listing_add(&l, b->host + offset_B, job.step_B, job.rows);
        } else {
            job.global = b->host + offset_B;
            move(&job);
            job.address += job.rows * p->pitch_B;
        }
        offset_B = next_plane(p, k, offset_B);
    }
    if (listed) {
        tma_listing_end(&l);
    }
}

int tma_whole_box(const tma_plan *p, const tma_position *at, const tma_global *global,
                  const tma_window *window) {
    uint64_t address = p->address;
    if (!p->box_extent_B || ((uint32_t)at->coord[0] & p->coord0_mask) ||
        at->shared_address & SHARED_ALIGN || !window->host || tma_position_reserved(at) ||
        tma_memory_reserved(global, window)) {
        return 0;
    }
    for (uint32_t i = 0; i < p->rank; i++) {
        const uint64_t c = (uint64_t)(int64_t)at->coord[i]; /* negative ones are beyond any room */
        if (c > p->room_el[i]) {
            return 0;
        }
        address += c * p->step_B[i];
    }
    const uint64_t shared_end = (uint64_t)at->shared_address + (uint64_t)p->rows * p->pitch_B;
    const uint64_t lines_end = (shared_end + TMA_LINE_B - 1) & ~(uint64_t)(TMA_LINE_B - 1);
    if (address < p->address || at->shared_address < window->address ||
        lines_end > (uint64_t)window->address + window->size_B || lines_end > TMA_VALUE(WINDOW)) {
        return 0;
    }
    uint8_t *const host = tma_host(global, tma_writes(p), address, p->box_extent_B);
    if (!host) {
        return 0;
    }
    const tma_kernels *const kernels = tma_kernels_of(p->path);
    uint8_t *const shared = (uint8_t *)window->host + (at->shared_address - window->address);
    const uint64_t step_B = p->rank > 1 ? p->step_B[1] * p->stride_el[1] : 0;
    const int moves = p->op <= TMA_OP_STORE && !p->tf32;
    if (moves && p->rank <= 2 && p->swizzle_bits.mask && p->row_B == p->pitch_B) {
        const tma_period rows = tma_period_of(kernels, p);
        if (rows) {
            rows(shared, at->shared_address, host, step_B, p->rows);
            return 1;
        }
    }
    const whole_box b = {
        p, kernels, shared, at->shared_address, host, step_B, p->rank > 1 ? p->count[1] : 1};
    if (moves && !p->swizzle_bits.mask) {
        move_straight(&b);
    } else {
        move_job(&b, window);
    }
    return 1;
}
