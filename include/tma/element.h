/* SPDX-License-Identifier: Apache-2.0
 *
 * What happens to one element on its way: fill, rounding on load, reductions.
 * Facts and their evidence: docs/arithmetic.md, made from element_reductions.def.
 *
 * Pure functions. They work on bits, in the low bits of a uint64_t, and use no floating point.
 */
#ifndef TMA_ELEMENT_H
#define TMA_ELEMENT_H

#include "instruction.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a reduction exists for a type; the hardware traps on the others.
 * Source: all 104 pairs were run. */
TMA_EXPORT TMA_MUST_USE bool tma_reduction_exists(uint32_t op, uint32_t dtype);

/* global = global op shared, for a pair that exists; returns `global` unchanged for another. */
TMA_EXPORT uint64_t tma_reduce(uint32_t op, uint32_t dtype, uint64_t global, uint64_t shared);

/* A 32-bit float as a TF32 map loads it: rounded to nearest even at 10 bits, subnormals kept and
 * rounded, NaN 0x7FFFE000. Source: an H200 loaded all 2^32 values (docs/open-questions.md). */
TMA_EXPORT uint32_t tma_round_tf32(uint32_t value);

/* Where a bulk copy without a map reduces so. */
typedef enum tma_bulk_reduces {
    TMA_BULK_NONE = 0,   /* PTX has no such bulk reduction */
    TMA_BULK_GLOBAL = 1, /* to global memory */
    TMA_BULK_BOTH = 2    /* to shared memory of the cluster, too */
} tma_bulk_reduces;

/* One row of the table of reductions: what an operation does on a type, and who saw it. */
typedef struct tma_reduction_row {
    uint8_t op;    /* tma_op */
    uint8_t dtype; /* tma_dtype */
    uint8_t bulk;  /* tma_bulk_reduces */
    const char *rule;
    const char *evidence;
} tma_reduction_row;

/* All rows of the table, one by one. */
TMA_EXPORT size_t tma_reduction_count(void);
TMA_EXPORT const tma_reduction_row *tma_reduction_at(size_t index); /* null from the count on */

#ifdef __cplusplus
}
#endif
#endif
