/* SPDX-License-Identifier: Apache-2.0
 *
 * The inner loops of the fast copies, once for each width of the machine's vectors. A job is a
 * block of equal rows, each a whole number of 16-byte chunks, all inside the tensor or all outside.
 */
#ifndef TMA_COPY_KERNELS_H
#define TMA_COPY_KERNELS_H

#include "path_best.h"
#include "tma/copy.h"

/* The templates' functions are one with their callers: what is constant there makes the loop. */
#define TMA_INLINE static inline __attribute__((always_inline))

typedef struct tma_job {
    uint8_t *window; /* host byte of shared address window_address */
    uint8_t *global; /* host byte of the first row's first chunk */
    uint64_t step_B; /* from row to row in global memory */
    uint32_t window_address;
    uint32_t address; /* shared address of the first row's first chunk, not swizzled */
    uint32_t pitch_B;
    uint32_t rows;
    uint32_t row_B; /* bytes of each row in shared memory, a multiple of 16 */
    tma_swizzle_bits bits;
    uint8_t lined;     /* no row crosses a 128-byte line: its chunks share one exclusive or */
    uint8_t fill;      /* tma_fill */
    uint8_t tf32;      /* round what is loaded */
    uint8_t op, dtype; /* reductions */
    uint8_t payload_B; /* packed types: bytes of data in each chunk of 16, as loaded */
} tma_job;

typedef struct tma_kernels {
    void (*load)(const tma_job *job);   /* global to shared, rounding if tf32 */
    void (*store)(const tma_job *job);  /* shared to global */
    void (*fill)(const tma_job *job);   /* a constant to shared */
    void (*reduce)(const tma_job *job); /* shared to global, with what is there */
    void (*expand)(const tma_job *job); /* packed: global to shared, payload_B into each chunk */
} tma_kernels;

/* The loops of a path (tma_path); the portable ones for one that this build has not. */
const tma_kernels *tma_kernels_of(uint32_t path);

#define TMA_LINE_B 128

/* A job of all rows of a copy, its global memory not yet set. */
static inline tma_job tma_job_of(const tma_plan *p, uint32_t shared_address,
                                 const tma_window *window) {
    tma_job job;
    job.window = (uint8_t *)window->host;
    job.global = NULL;
    job.step_B = 0;
    job.window_address = window->address;
    job.address = shared_address;
    job.pitch_B = p->pitch_B;
    job.rows = p->rows;
    job.row_B = p->row_B;
    job.bits = p->swizzle_bits;
    /* pitches are powers of two where they divide a line */
    job.lined = p->pitch_B <= TMA_LINE_B && !(p->pitch_B & (p->pitch_B - 1)) &&
                !(shared_address & (p->pitch_B - 1));
    job.fill = p->fill;
    job.tf32 = p->tf32 && p->op == TMA_OP_LOAD;
    job.op = p->op;
    job.dtype = p->dtype;
    job.payload_B = p->group_payload_B;
    return job;
}

static inline void (*tma_mover_of(const tma_kernels *kernels, uint32_t op))(const tma_job *) {
    return op == TMA_OP_LOAD    ? kernels->load
           : op == TMA_OP_STORE ? kernels->store
                                : kernels->reduce;
}

extern const tma_kernels tma_kernels_portable;
#ifdef TMA_HAS_AVX
extern const tma_kernels tma_kernels_avx2;
extern const tma_kernels tma_kernels_avx512;
#endif

#endif
