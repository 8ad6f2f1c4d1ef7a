/* SPDX-License-Identifier: Apache-2.0
 *
 * A judged copy, cut into jobs for the kernels: per stretch, rows outside the tensor are filled;
 * of the rows inside, the columns before and behind it are filled, whole chunks are moved, and the
 * one chunk that the tensor's edge cuts is put together by itself.
 */
#include "copy_fast.h"
#include "copy_kernels.h"
#include "copy_list.h"
#include "memory.h"
#include "plan_internal.h"
#include "tma/detail/assert.h"
#include "tma/element.h"
#include "tma/swizzle.h"

#define CHUNK_B 16

typedef struct fast {
    const tma_plan *plan;
    const tma_kernels *kernels;
    const tma_located *located;
    tma_job job; /* what all jobs of the copy share */
    void (*move)(const tma_job *job);
    uint32_t shared_address;
    uint32_t first_B; /* of a row in shared memory: fill up to here, */
    uint32_t end_B;   /* whole chunks up to here, */
    uint32_t cut_B;   /* so much of the chunk that the tensor's edge cuts, then fill */
    uint32_t row_shared_B;
    uint32_t length_B; /* of a row in global memory; 0: no column is inside */
    uint64_t column;   /* of its first byte, from coordinate 0 on */
    int load;
    int padded; /* 4- and 6-bit types in chunks of their own */
} fast;

static tma_job job_at(const fast *f, uint32_t row, uint32_t rows, uint32_t first_B,
                      uint32_t row_B) {
    tma_job job = f->job;
    TMA_ASSERT(rows && row_B && row_B % CHUNK_B == 0 && first_B + row_B <= f->row_shared_B);
    job.address = f->shared_address + row * job.pitch_B + first_B;
    job.rows = rows;
    job.row_B = row_B;
    return job;
}

/* Columns [first_B, end_B) of shared memory, in `rows` rows from `row` on. */
static void fill(const fast *f, uint32_t row, uint32_t rows, uint32_t first_B, uint32_t end_B) {
    static const uint8_t zeros[2048] = {0};
    if (!rows || first_B >= end_B || !f->load) {
        return;
    }
    tma_job job = job_at(f, row, rows, first_B, end_B - first_B);
    if (f->padded) {                              /* zeros, and only over the payload */
        job.global = (uint8_t *)(uintptr_t)zeros; /* only read */
        job.step_B = 0;
        f->kernels->expand(&job);
    } else {
        f->kernels->fill(&job);
    }
}

/* The chunk that the tensor's edge cuts: f->cut_B bytes of data, then fill. */
static void cut_chunk(const fast *f, uint32_t row, const uint8_t *from) {
    uint8_t chunk[CHUNK_B];
    TMA_ASSERT(f->load && f->cut_B < CHUNK_B);
    for (uint32_t i = 0; i < CHUNK_B; i++) {
        chunk[i] = f->job.fill == TMA_FILL_NAN ? (i % 2 ? 0x7F : 0xF7) : 0;
    }
    memcpy(chunk, from, f->cut_B);
    for (uint32_t i = 0; f->job.tf32 && i < f->cut_B; i += 4) {
        uint32_t word;
        memcpy(&word, chunk + i, 4);
        word = tma_round_tf32(word);
        memcpy(chunk + i, &word, 4);
    }
    tma_job job = job_at(f, row, 1, f->end_B, CHUNK_B);
    job.tf32 = 0;
    job.global = chunk;
    f->kernels->load(&job);
}

/* Rows inside the tensor whose memory is together: `global` is their first column's. */
static void inside(const fast *f, uint32_t row, uint32_t rows, uint8_t *global, uint64_t step_B) {
    fill(f, row, rows, 0, f->first_B);
    if (f->end_B > f->first_B) {
        tma_job job = job_at(f, row, rows, f->first_B, f->end_B - f->first_B);
        job.global = global;
        job.step_B = step_B;
        if (job.row_B == step_B && job.pitch_B == step_B && !job.bits.mask && !job.tf32 &&
            f->plan->op <= TMA_OP_STORE && !f->padded && step_B * rows <= UINT32_MAX) {
            job.row_B *= rows; /* one stretch in both memories */
            job.rows = 1;
        }
        f->move(&job);
    }
    for (uint32_t i = 0; i < rows && f->cut_B; i++) { /* loads only: stores write whole chunks */
        cut_chunk(f, row + i, global + (f->end_B - f->first_B) + i * step_B);
    }
    fill(f, row, rows, f->end_B + (f->cut_B ? CHUNK_B : 0), f->row_shared_B);
}

/* A row of global memory that lies in several ranges, to `bytes` or from there. */
static void move_pieces(const fast *f, uint64_t address, uint8_t *bytes, int back) {
    uint64_t left_B = f->length_B;
    for (uint64_t part_B = left_B; left_B; left_B -= part_B, part_B = left_B) {
        uint8_t *const host = tma_host_part(f->located->global, !f->load, address, &part_B);
        TMA_ASSERT(host && part_B); /* tma_locate() has found all of them */
        memcpy(back ? host : bytes, back ? bytes : host, (size_t)part_B);
        bytes += part_B;
        address += part_B;
    }
}

/* One such row: brought together, and what the copy makes of it taken apart again. */
static __attribute__((noinline)) void inside_pieces(const fast *f, uint32_t row, uint64_t address) {
    uint8_t bytes[TMA_ROW_LIMIT_B];
    TMA_ASSERT(f->length_B <= sizeof(bytes));
    move_pieces(f, address, bytes, 0);
    inside(f, row, 1, bytes, 0);
    if (!f->load) {
        move_pieces(f, address, bytes, 1);
    }
}

/* Rows from `row` on, of which some stretch is inside; its first one's memory, and the distance. */
static void block(const fast *f, uint32_t row, uint32_t rows, uint32_t inside_first,
                  uint32_t inside_rows, uint64_t address, uint64_t step_B) {
    if (inside_rows == 0 || !f->length_B) {
        fill(f, row, rows, 0, f->row_shared_B);
        return;
    }
    const uint32_t end = inside_first + inside_rows;
    TMA_ASSERT(end <= rows);
    address += f->column;
    fill(f, row, inside_first, 0, f->row_shared_B);
    if (f->located->whole) {
        inside(f, row + inside_first, inside_rows,
               (uint8_t *)(uintptr_t)(address + f->located->delta), step_B);
    } else {
        for (uint32_t i = 0, there = 0; i < inside_rows; i += there) {
            there = inside_rows - i;
            uint8_t *const host = tma_host_rows(f->located->global, !f->load, address + i * step_B,
                                                f->length_B, step_B, &there);
            if (host) {
                inside(f, row + inside_first + i, there, host, step_B);
            } else {
                there = 1;
                inside_pieces(f, row + inside_first + i, address + i * step_B);
            }
        }
    }
    fill(f, row + end, rows - end, 0, f->row_shared_B);
}

/* A tile: its index ranges are the same for every block, so that nothing is asked per row. */
static void tile(const fast *f, const tma_position *at) {
    const tma_plan *p = f->plan;
    const tma_index_range *inside = f->located->inside;
    const uint32_t along = p->first;
    uint32_t k[TMA_MAX_RANK] = {0};
    if (along >= p->rank) {
        block(f, 0, 1, 0, 1, p->address, 0);
        return;
    }
    const uint64_t step_B = p->step_B[along] * p->stride_el[along];
    for (uint32_t row = 0; row < p->rows; row += p->count[along]) {
        uint32_t rows_inside = inside[along].count;
        uint64_t address = p->address;
        for (uint32_t i = along; i < p->rank; i++) {
            const uint32_t index = i == along ? inside[i].first : k[i];
            if (i > along && index - inside[i].first >= inside[i].count) {
                rows_inside = 0;
            }
            address += (uint64_t)(at->coord[i] + (int64_t)index * p->stride_el[i]) * p->step_B[i];
        }
        block(f, row, p->count[along], inside[along].first, rows_inside, address, step_B);
        for (uint32_t i = along + 1; i < p->rank && ++k[i] == p->count[i]; i++) {
            k[i] = 0;
        }
    }
}

static void stretches(const fast *f, const tma_position *at) {
    tma_row_order it;
    tma_row_order_begin(&it, f->plan, at);
    while (tma_row_order_next(&it)) {
        const tma_stretch *s = &it.stretch;
        block(f, s->row, s->rows, s->inside_first, s->inside_rows, s->address, s->step_B);
    }
}

/* Where the columns of the tensor lie in a row of shared memory. */
static void set_columns(fast *f, const tma_columns *c) {
    const uint32_t group_B = f->plan->group_global_B;
    f->length_B = c->written_B - c->first_B;
    f->column = (uint64_t)(c->from + (int64_t)c->first_B);
    f->row_shared_B = f->plan->row_shared_B;
    if (f->padded) {
        f->first_B = c->first_B / group_B * CHUNK_B;
        f->end_B = c->written_B / group_B * CHUNK_B;
        f->cut_B = 0;
    } else {
        f->first_B = c->first_B;
        f->end_B = c->written_B & ~(CHUNK_B - 1u);
        f->cut_B = c->written_B - f->end_B;
    }
    TMA_ASSERT(f->end_B <= f->row_shared_B && (f->first_B <= f->end_B || !f->length_B));
}

void tma_fast_copy(const tma_plan *plan, const tma_position *at, const tma_located *located,
                   const tma_window *window) {
    TMA_ASSERT(plan->path != TMA_PATH_REFERENCE && plan->op != TMA_OP_PREFETCH && window->host);
    const int few_stretches = plan->mode == TMA_MODE_TILE && plan->rank <= 2 && located->whole;
    if (!few_stretches && !located->pieces && tma_list_copy(plan, at, located, window)) {
        return;
    }
    fast f;
    f.plan = plan;
    f.kernels = tma_kernels_of(plan->path);
    f.located = located;
    f.shared_address = at->shared_address;
    f.load = plan->op == TMA_OP_LOAD;
    f.padded = plan->group_el > 2;
    f.move = !f.padded ? tma_mover_of(f.kernels, plan->op)
             : f.load  ? f.kernels->expand
                       : f.kernels->pack;
    set_columns(&f, &located->columns);
    f.job = tma_job_of(plan, at->shared_address, window);
    if (plan->mode == TMA_MODE_TILE) {
        tile(&f, at);
    } else {
        stretches(&f, at);
    }
}
