/* SPDX-License-Identifier: Apache-2.0
 *
 * The copies that are timed against memcpy, and what a careful programmer would write instead.
 */
#ifndef BENCH_COPY_CASES_H
#define BENCH_COPY_CASES_H

#include <tma/tma.h>

typedef struct copy_bench copy_bench;

/* Moves what the copy at position `at` moves, into or out of a packed buffer. */
typedef void (*copy_yard)(const copy_bench *bench, const tma_position *at);

struct copy_bench {
    const char *name;
    const char *yard_name;
    double target;     /* least ratio of the yardstick's time to ours */
    const char *words; /* of the spec, the command's */
    uint32_t op;       /* tma_op */
    uint32_t mode;     /* tma_mode */
    copy_yard yard;
    int threads;     /* 0: one; else all cores, the batch call */
    uint64_t page_B; /* the tensor's memory is given in ranges of so much; 0: one range */

    /* filled in by copy_cases() and the bench */
    tma_spec spec; /* address 0: set when the tensor is there */
    uint8_t *tensor;
    uint64_t tensor_B;
    uint8_t *packed; /* the yardstick's buffer */
    uint8_t *window;
    tma_range *ranges;
    size_t range_count;
    uint8_t **pages; /* the yardstick's table of the same */
    tma_position *positions;
    size_t count;
    uint64_t copy_B; /* payload of one copy */
};

/* The table; *count receives its length. */
copy_bench *copy_cases(size_t *count);

/* native_yards.c: plain loops with the library's arithmetic. */
typedef struct yard_loops {
    void (*round_tf32)(uint32_t *to, const uint32_t *from, size_t n);
    void (*add_f32)(uint32_t *to, const uint32_t *from, size_t n);
    void (*add_f16)(uint16_t *to, const uint16_t *from, size_t n);
    void (*add_bf16)(uint16_t *to, const uint16_t *from, size_t n);
    void (*pack_6_bit)(uint8_t *to, const uint8_t *from, size_t groups);
} yard_loops;

/* Compiled for this machine, for AVX2, and for every processor of its kind. */
extern const yard_loops yard_loops_native;
extern const yard_loops yard_loops_avx2;
extern const yard_loops yard_loops_portable;

/* The loops that a path is measured against: what a compiler may use where no more is there. */
void yard_loops_for(uint32_t path);

/* copy_yards.c */
void yard_runs(const copy_bench *bench, const tma_position *at);
void yard_whole(const copy_bench *bench, const tma_position *at);
void yard_box(const copy_bench *bench, const tma_position *at);
void yard_paged(const copy_bench *bench, const tma_position *at);
void yard_rows4(const copy_bench *bench, const tma_position *at);
void yard_padded_store(const copy_bench *bench, const tma_position *at);
void yard_wide(const copy_bench *bench, const tma_position *at);
void yard_16(const copy_bench *bench, const tma_position *at);
void yard_pixels(const copy_bench *bench, const tma_position *at);
void yard_tf32(const copy_bench *bench, const tma_position *at);
void yard_store(const copy_bench *bench, const tma_position *at);
void yard_reduce(const copy_bench *bench, const tma_position *at);

#endif
