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

/* Rank 3 to 5: the rows of dimension 1, once for each index of the outer dimensions; moved by
 * `job`, or listed. */
static void outer(tma_job *job, tma_listing *l, const tma_plan *p, uint8_t *first,
                  void (*move)(const tma_job *)) {
    uint64_t offset_B = 0;
    uint32_t k[TMA_MAX_RANK] = {0};
    job->rows = p->count[1];
    for (uint32_t row = 0; row < p->rows; row += job->rows) {
        if (l) {
            tma_listing_add(l, first + offset_B, job->step_B, job->rows);
        } else {
            job->global = first + offset_B;
            move(job);
            job->address += job->rows * p->pitch_B;
        }
        for (uint32_t i = 2; i < p->rank; i++) {
            offset_B += p->step_B[i] * p->stride_el[i];
            if (++k[i] < p->count[i]) {
                break;
            }
            offset_B -= p->step_B[i] * p->stride_el[i] * p->count[i];
            k[i] = 0;
        }
    }
}

int tma_whole_box(const tma_plan *p, const tma_position *at, const tma_global *global,
                  const tma_window *window) {
    uint64_t address = p->address;
    uint64_t step_B = 0;
    if (!p->box_extent_B || ((uint32_t)at->coord[0] & p->coord0_mask) ||
        at->shared_address & SHARED_ALIGN || tma_position_reserved(at) ||
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
    if (p->rank > 1) {
        step_B = p->step_B[1] * p->stride_el[1];
    }
    if (p->op <= TMA_OP_STORE && p->rank <= 2 && !p->tf32 && p->row_B == p->pitch_B) {
        uint8_t *const shared = (uint8_t *)window->host + (at->shared_address - window->address);
        const tma_period rows = tma_period_of(kernels, p);
        if (rows) {
            rows(shared, at->shared_address, host, step_B, p->rows);
            return 1;
        }
    }
    tma_job job = tma_job_of(p, at->shared_address, window);
    void (*const mover)(const tma_job *) = tma_mover_of(kernels, p->op);
    job.global = host;
    job.step_B = step_B;
    if (p->rank > 2) {
        tma_listing listing;
        const int listed = tma_listing_begin(&listing, p, at->shared_address, window);
        outer(&job, listed ? &listing : NULL, p, host, mover);
        if (listed) {
            tma_listing_end(&listing);
        }
        return 1;
    }
    if (job.row_B == step_B && job.pitch_B == step_B && !job.bits.mask && !job.tf32 &&
        p->op <= TMA_OP_STORE) {
        job.row_B *= job.rows; /* one stretch in both memories; rows are at most 256 */
        job.rows = 1;
    }
    mover(&job);
    return 1;
}
