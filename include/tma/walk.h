/* SPDX-License-Identifier: Apache-2.0
 *
 * Every run of bytes that one copy moves, in the hardware's order: for pictures, traces, counts.
 *
 * No allocation, no globals; the visitor is called on the caller's thread.
 */
#ifndef TMA_WALK_H
#define TMA_WALK_H

#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tma_run_kind {
    TMA_RUN_INSIDE = 0,    /* between global and shared memory */
    TMA_RUN_OUTSIDE = 1,   /* a load fills it, a store drops it; no global address */
    TMA_RUN_PAST_EDGE = 2, /* a store's or reduction's bytes behind the end of a row, up to 16 */
    TMA_RUN_PADDING = 3    /* packed types: shared bytes that a load leaves alone */
} tma_run_kind;

/* Bytes that lie together in global and in shared memory. */
typedef struct tma_run {
    uint8_t kind; /* tma_run_kind */
    uint8_t rank;
    uint8_t halo; /* im2col::w and ::w128: 1 for the pixels that wHalo adds */
    uint8_t reserved_0;
    uint32_t row;       /* of shared memory, 0 first */
    uint32_t offset_B;  /* within the row of shared memory, before the swizzle */
    uint32_t barrier_B; /* a load's: what the run counts on the barrier; all of them together are
                           expect_tx's operand. Length_B if INSIDE or OUTSIDE, else 0 */
    int64_t coord[TMA_MAX_RANK]; /* of the first element, offsets and traversal included */
    uint64_t address;            /* global; meaningful if INSIDE or PAST_EDGE */
    uint32_t shared_address;     /* after the swizzle */
    uint32_t length_B;           /* in shared memory */
    uint32_t global_length_B;    /* in global memory: differs for 6-bit stores only */
    uint32_t reserved[5];        /* 0 */
} tma_run;

/* Where a pull of runs is: zero it to begin. Plain data without pointers: a copy of it is another
 * walk from there. */
typedef struct tma_cursor {
    uint64_t opaque[64] TMA_ZERO;
} tma_cursor;

/* The next runs of a copy, as many as `capacity` takes (at least 1), in the order of tma_walk():
 * TMA_OK and *count of them in `out`; *count is 0 after the last. The cursor moves on; plan and
 * position must stay what they were when it began. Else tma_plan_at()'s answer, or TMA_INVALID for
 * a null pointer or no capacity. Each call begins with the row that the one before ended in, so it
 * costs what it returns and less than one row more. */
TMA_EXPORT TMA_MUST_USE tma_status tma_runs(tma_run *out, size_t capacity, size_t *count,
                                            tma_cursor *cursor, const tma_plan *plan,
                                            const tma_position *at, tma_finding *why);

/* Returns 0 to go on; anything else ends the walk, which then returns it. */
typedef int (*tma_visitor)(void *context, const tma_run *run);

/* Calls visit for each run of a copy that tma_plan_at() lets run, in the hardware's order. Runs are
 * split wherever either memory is not contiguous, so at every swizzle atom that moves. A prefetch
 * has no shared memory, and is walked as tma_walk_rows() does. Returns 0, what the visitor
 * returned, or -1 if the copy traps or an argument is null. */
TMA_EXPORT int tma_walk(const tma_plan *plan, const tma_position *at, tma_visitor visit,
                        void *context);

/* The same with one call for each row and kind. It ignores the swizzle: shared_address is the
 * address of the unswizzled row. */
TMA_EXPORT int tma_walk_rows(const tma_plan *plan, const tma_position *at, tma_visitor visit,
                             void *context);

#ifdef __cplusplus
}
#endif
#endif
