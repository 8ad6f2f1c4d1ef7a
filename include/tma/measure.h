/* SPDX-License-Identifier: Apache-2.0
 *
 * What a kernel's author needs beside the map: bytes, pitches, alignments and counts.
 *
 * Pure functions: no allocation, no globals, no input or output, safe on any thread.
 */
#ifndef TMA_MEASURE_H
#define TMA_MEASURE_H

#include "check.h"
#include "spec.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One full copy of a map, tile mode for tiled maps, im2col mode for the others (for a wide map,
 * im2col::w without halo). All of it holds for every coordinate. */
typedef struct tma_measure_result {
    /* Bytes that one load counts on its barrier: the operand of expect_tx. Elements out of bounds
     * count, gaps and padding do not (docs/facts.md, Copies). */
    uint64_t copy_B;
    uint64_t rows;    /* rows of shared memory that one copy writes */
    uint32_t row_B;   /* payload of one row in shared memory, padding of packed types included */
    uint32_t pitch_B; /* from row to row: the swizzle's span if swizzled, else the row */
    uint64_t footprint_B; /* rows * pitch_B, in whole spans of the swizzle: what to allocate */
    uint32_t align_B;     /* the shared address must be a multiple: 128 (56 traps otherwise); with
                             a swizzle of atoms the atom, 32 or 64 by PTX 5.5.7, where the page of
                             cp.async.bulk.tensor and CUDA's guide ask for 128 */
    uint32_t pattern_B;   /* a multiple of this starts the swizzle's pattern at its first row */
    uint32_t coord0_el;   /* coordinate 0 must be a multiple of so many elements (16 bytes) */
    uint64_t count[TMA_MAX_RANK]; /* copies along each dimension to cover the tensor; for im2col:
                                     [0] over the channels, [1] over all pixels, then 1 */
    uint64_t copies;              /* all of them; UINT64_MAX if the product does not fit */
    uint64_t tensor_B; /* of global memory from the map's address to behind the tensor's last byte,
                          gaps between rows included; UINT64_MAX if that does not fit */
    uint64_t reserved[1]; /* 0 */
} tma_measure_result;

/* Fills *out for a spec that tma_accepts() on `target` (null: sm_90, driver 13.0); TMA_REFUSED
 * for another, TMA_INVALID on a null pointer; *out is then unchanged. */
TMA_EXPORT TMA_MUST_USE tma_status tma_measure(tma_measure_result *out, const tma_spec *spec,
                                               const tma_target *target);

/* tma_check() and tma_measure() at once, which judges each rule once: the findings as tma_check()
 * has them, and *measured (may be null): 0 in all members where a rule refuses the spec; the rows
 * of an accepted one are not 0. Any thread may call it. */
TMA_EXPORT TMA_MUST_USE size_t tma_check_measure(tma_measure_result *measured, tma_finding *out,
                                                 size_t capacity, const tma_spec *spec,
                                                 const tma_target *target);

#ifdef __cplusplus
}
#endif
#endif
