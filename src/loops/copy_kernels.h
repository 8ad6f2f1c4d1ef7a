/* SPDX-License-Identifier: Apache-2.0
 *
 * The inner loops of the fast copies, once for each width of the machine's vectors. A job is a
 * block of equal rows, each a whole number of 16-byte chunks, all inside the tensor or all outside.
 */
#ifndef TMA_COPY_KERNELS_H
#define TMA_COPY_KERNELS_H

#include <string.h>

#include "path_best.h"
#include "tma/copy.h"
#include "traits.h"

/* The templates' functions are one with their callers: what is constant there makes the loop. Under
 * sanitizers, which check each pointer of each copy of a loop, that takes a minute to compile. */
#if defined(TMA_ASSERTIONS)
#define TMA_INLINE static inline
#define TMA_UNROLL_8
#else
#define TMA_INLINE static inline __attribute__((always_inline))
#if defined(__clang__)
#define TMA_UNROLL_8 _Pragma("clang loop unroll_count(8)")
#elif defined(__GNUC__)
#define TMA_UNROLL_8 _Pragma("GCC unroll 8")
#else
#define TMA_UNROLL_8
#endif
#endif

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
    uint8_t period;    /* tma_period_number() */
    uint8_t payload_B; /* packed types: bytes of data in each chunk of 16, as loaded */
} tma_job;

/* A swizzle's bits as constants: tma_bits_of_128B(). */
#define TMA_SWIZZLE_ROWS(name, w, c, m, d, s, e, atomicity, span, repeat, align, traits, shift,    \
                         mask, flip_shift, flip_mask, since)                                       \
    TMA_INLINE tma_swizzle_bits tma_bits_of_##name(void) {                                         \
        const tma_swizzle_bits bits = {shift, mask, flip_shift, flip_mask};                        \
        return bits;                                                                               \
    }
#include "tma/enums.def"

/* Rows that fill the span of one swizzle: `shared` is the host byte of the first row, unswizzled,
 * at shared address `address`. Loads and stores, without rounding. */
typedef void (*tma_period)(uint8_t *shared, uint32_t address, uint8_t *global, uint64_t step_B,
                           uint32_t rows);

#define TMA_NO_PERIOD ((tma_period)0)

/* The same for loads of rows that lie anywhere, each at its own pointer. */
typedef void (*tma_list)(uint8_t *shared, uint32_t address, const uint8_t *const *rows,
                         uint32_t count);
#define TMA_NO_LIST ((tma_list)0)

/* And for loads of rows that lie next to each other: size_B bytes, whole rows. */
typedef void (*tma_stream)(uint8_t *shared, uint32_t address, const uint8_t *from, uint32_t size_B);
#define TMA_NO_STREAM ((tma_stream)0)

/* The swizzles' numbers begin at 0, but for one far off, which has no such loop. */
#define TMA_PERIODS                8
#define TMA_NO_PERIODS             (TMA_PERIODS - 1)
#define TMA_PERIOD_NUMBER(swizzle) ((swizzle) < TMA_PERIODS ? (swizzle) : TMA_NO_PERIODS)

/* Which loops of a table are for rows as far apart as a plan's: those of its swizzle, unless
 * interleave sets the pitch. */
static inline uint8_t tma_period_number(const tma_plan *p) {
    return (uint8_t)(tma_swizzle_of(p->swizzle)->span_B == p->pitch_B
                         ? TMA_PERIOD_NUMBER(p->swizzle)
                         : TMA_NO_PERIODS);
}

typedef struct tma_kernels {
    void (*load)(const tma_job *job);   /* global to shared, rounding if tf32 */
    void (*store)(const tma_job *job);  /* shared to global */
    void (*fill)(const tma_job *job);   /* a constant to shared */
    void (*reduce)(const tma_job *job); /* shared to global, with what is there */
    void (*expand)(const tma_job *job); /* packed: global to shared, payload_B into each chunk */
    void (*pack)(const tma_job *job);   /* 6-bit: shared to global, 16 bytes of values into 12 */
    /* Rows that nothing moves, from one memory to the other. */
    void (*straight)(uint8_t *to, uint64_t to_step_B, const uint8_t *from, uint64_t from_step_B,
                     uint32_t rows, uint32_t row_B);
    const tma_period *load_periods; /* by tma_period_number(); null: there is none */
    const tma_period *store_periods;
    const tma_list *list_periods;
    const tma_stream *streams;
} tma_kernels;

/* The loops of a path (tma_path); the portable ones for one that this build has not. */
const tma_kernels *tma_kernels_of(uint32_t path);

#define TMA_LINE_B 128

/* A row of a packed type with padding, of 128 bytes: 8 or 12 into each chunk, chunk c holding group
 * c ^ x. */
typedef void tma_expand_line(uint8_t *line, const uint8_t *from, uint32_t payload_B, uint32_t x);

/* tma_expand_line in C alone. */
TMA_INLINE void tma_expand_line_in_c(uint8_t *line, const uint8_t *from, uint32_t payload_B,
                                     uint32_t x) {
    TMA_UNROLL_8
    for (uint32_t c = 0; c < 8; c++) {
        uint8_t *to = line + (size_t)16 * (c ^ x);
        memcpy(to, from + (size_t)payload_B * c, 8);
        if (payload_B == 12) {
            memcpy(to + 8, from + (size_t)payload_B * c + 8, 4);
        }
    }
}

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
    job.period = tma_period_number(p);
    job.payload_B = p->group_payload_B;
    return job;
}

/* copy_pack.c: the same with numbers, without vectors. */
void tma_pack(const tma_job *job);

static inline void (*tma_mover_of(const tma_kernels *kernels, uint32_t op))(const tma_job *) {
    return op == TMA_OP_LOAD    ? kernels->load
           : op == TMA_OP_STORE ? kernels->store
                                : kernels->reduce;
}

/* The loop for the rows of a plan, if they fill their swizzle's span and only move; or null. */
static inline tma_period tma_period_of(const tma_kernels *kernels, const tma_plan *p) {
    const tma_period *const periods =
        p->op == TMA_OP_LOAD ? kernels->load_periods : kernels->store_periods;
    return periods[tma_period_number(p)];
}

extern const tma_kernels tma_kernels_portable;
#ifdef TMA_HAS_AVX
extern const tma_kernels tma_kernels_avx2;
extern const tma_kernels tma_kernels_avx512;
extern const tma_kernels tma_kernels_avx512fp16;
#endif

#endif
