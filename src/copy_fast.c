/* SPDX-License-Identifier: Apache-2.0
 *
 * A judged copy, cut into jobs for the kernels: per segment, rows outside the tensor are filled;
 * of the rows inside, the columns before and behind it are filled, whole chunks are moved, and the
 * one chunk that the tensor's edge cuts is put together by itself.
 */
#include "copy_fast.h"
#include "copy_kernels.h"
#include "memory.h"
#include "plan_internal.h"
#include "tma/element.h"
#include "tma/swizzle.h"

#define CHUNK_B 16
#define LINE_B  128

static const tma_kernels *kernels_of(uint32_t path) {
    switch (path) {
#ifdef TMA_HAS_AVX
    case TMA_PATH_AVX2:
        return &tma_kernels_avx2;
    case TMA_PATH_AVX512:
        return &tma_kernels_avx512;
#endif
    default:
        return &tma_kernels_portable;
    }
}

typedef struct fast {
    const tma_plan *plan;
    const tma_kernels *kernels;
    const tma_located *located;
    tma_columns columns;
    tma_job job; /* what all jobs of the copy share */
    uint32_t shared_address;
} fast;

static tma_job job_at(const fast *f, uint32_t row, uint32_t rows, uint32_t first_B,
                      uint32_t row_B) {
    tma_job job = f->job;
    job.address = f->shared_address + row * f->plan->pitch_B + first_B;
    job.rows = rows;
    job.row_B = row_B;
    return job;
}

/* Columns [first_B, end_B) of shared memory, in `rows` rows from `row` on. */
static void fill(const fast *f, uint32_t row, uint32_t rows, uint32_t first_B, uint32_t end_B) {
    if (!rows || first_B >= end_B || !tma_is_load(f->plan->op)) {
        return;
    }
    if (f->plan->group_el > 2) { /* padded types: fill is zeros, and only over the payload */
        static const uint8_t zeros[2048] = {0};
        tma_job job = job_at(f, row, rows, first_B, end_B - first_B);
        job.global = (uint8_t *)(uintptr_t)zeros; /* only read */
        job.step_B = 0;
        f->kernels->expand(&job);
        return;
    }
    const tma_job job = job_at(f, row, rows, first_B, end_B - first_B);
    f->kernels->fill(&job);
}

/* The chunk that the tensor's edge cuts: `valid_B` bytes of data, then fill. */
static void cut_chunk(const fast *f, uint32_t row, uint32_t first_B, const uint8_t *from,
                      uint32_t valid_B) {
    uint8_t chunk[CHUNK_B];
    for (uint32_t i = 0; i < CHUNK_B; i++) {
        chunk[i] = f->plan->fill == TMA_FILL_NAN ? (i % 2 ? 0x7F : 0xF7) : 0;
    }
    memcpy(chunk, from, valid_B);
    for (uint32_t i = 0; f->plan->tf32 && i < valid_B; i += 4) {
        uint32_t word;
        memcpy(&word, chunk + i, 4);
        word = tma_round_tf32(word);
        memcpy(chunk + i, &word, 4);
    }
    tma_job job = job_at(f, row, 1, first_B, CHUNK_B);
    job.tf32 = 0;
    job.global = chunk;
    f->kernels->load(&job);
}

static void move(const fast *f, tma_job *job) {
    if (f->plan->op == TMA_OP_STORE) {
        f->kernels->store(job);
    } else if (f->plan->op != TMA_OP_LOAD) {
        f->kernels->reduce(job);
    } else if (f->plan->group_el > 2) {
        f->kernels->expand(job);
    } else {
        f->kernels->load(job);
    }
}

/* Rows inside the tensor whose memory is together: `global` is their first column's. */
static void inside(const fast *f, uint32_t row, uint32_t rows, uint8_t *global, uint64_t step_B) {
    const tma_columns *c = &f->columns;
    const uint32_t end_B = c->written_B / CHUNK_B * CHUNK_B;
    const uint32_t cut_B = c->written_B - end_B;
    const uint32_t scale = f->plan->group_el > 2 ? f->plan->group_payload_B : CHUNK_B;
    const uint32_t first_shared_B = c->first_B / scale * CHUNK_B;
    const uint32_t end_shared_B = f->plan->group_el > 2 ? c->written_B / scale * CHUNK_B : end_B;
    if (first_shared_B) {
        fill(f, row, rows, 0, first_shared_B);
    }
    if (end_shared_B > first_shared_B) {
        tma_job job = job_at(f, row, rows, first_shared_B, end_shared_B - first_shared_B);
        job.global = global;
        job.step_B = step_B;
        if (rows > 1 && !job.bits.mask && !job.tf32 && job.row_B == step_B &&
            job.pitch_B == step_B && step_B * rows <= UINT32_MAX && f->plan->op <= TMA_OP_STORE &&
            f->plan->group_el <= 2) {
            job.row_B *= rows; /* one stretch in both memories */
            job.rows = 1;
        }
        move(f, &job);
    }
    if (f->plan->group_el > 2) {
        fill(f, row, rows, end_shared_B, f->plan->row_shared_B);
        return;
    }
    for (uint32_t i = 0; i < rows && cut_B; i++) { /* loads only: stores write whole chunks */
        cut_chunk(f, row + i, end_B, global + (end_B - c->first_B) + i * step_B, cut_B);
    }
    fill(f, row, rows, end_B + (cut_B ? CHUNK_B : 0), f->plan->row_shared_B);
}

static void segment(const fast *f, const tma_segment *s) {
    const uint32_t row_shared_B = f->plan->row_shared_B;
    const int columns = f->columns.written_B > f->columns.first_B;
    if (s->inside_rows == 0 || !columns) {
        fill(f, s->row, s->rows, 0, row_shared_B);
        return;
    }
    const uint32_t end = s->inside_first + s->inside_rows;
    const uint64_t address = s->address + (uint64_t)(f->columns.from + (int64_t)f->columns.first_B);
    fill(f, s->row, s->inside_first, 0, row_shared_B);
    if (f->located->whole) {
        inside(f, s->row + s->inside_first, s->inside_rows,
               (uint8_t *)(uintptr_t)(address + f->located->delta), s->step_B);
    } else {
        const uint32_t length_B = f->columns.written_B - f->columns.first_B;
        for (uint32_t i = 0; i < s->inside_rows; i++) {
            inside(f, s->row + s->inside_first + i, 1,
                   tma_host(f->located->global, address + i * s->step_B, length_B), s->step_B);
        }
    }
    fill(f, s->row + end, s->rows - end, 0, row_shared_B);
}

void tma_fast_copy(const tma_plan *plan, const tma_position *at, const tma_located *located,
                   const tma_window *window) {
    fast f = {0};
    tma_segments it;
    f.plan = plan;
    f.kernels = kernels_of(plan->path);
    f.located = located;
    f.columns = located->columns;
    f.shared_address = at->shared_address;
    f.job.window = (uint8_t *)window->host;
    f.job.window_address = window->address;
    f.job.pitch_B = plan->pitch_B;
    f.job.bits = plan->swizzle_bits;
    f.job.lined = LINE_B % plan->pitch_B == 0 && at->shared_address % plan->pitch_B == 0;
    f.job.fill = plan->fill;
    f.job.tf32 = plan->tf32 && plan->op == TMA_OP_LOAD;
    f.job.op = plan->op;
    f.job.dtype = plan->dtype;
    f.job.payload_B = plan->group_payload_B;
    tma_segments_begin(&it, plan, at);
    while (tma_segments_next(&it)) {
        segment(&f, &it.segment);
    }
}
