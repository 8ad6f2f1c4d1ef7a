/* SPDX-License-Identifier: Apache-2.0
 *
 * What a copy costs: sectors and lines of global memory, bank conflicts of shared memory.
 *
 * Pure functions: no allocation, no globals, no input or output, safe on any thread.
 */
#ifndef TMA_COST_H
#define TMA_COST_H

#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMA_SECTOR_B 32  /* of global memory: what L2 fetches */
#define TMA_LINE_B   128 /* four of them; and a line of shared memory over all its banks */
#define TMA_BANKS    32  /* of shared memory */
#define TMA_BANK_B   4   /* in each, before the next bank has its turn */

/* Global memory that one copy touches, row by row in the hardware's order. A sector or line that
 * the row before ended in is not counted again; one that rows further apart share is. */
typedef struct tma_global_cost {
    uint64_t bytes_B; /* read, or written */
    uint64_t sectors; /* of TMA_SECTOR_B */
    uint64_t lines;   /* of TMA_LINE_B */
} tma_global_cost;

/* TMA_OK, or tma_plan_at()'s answer. At most a millisecond, however large the box: rows are not
 * counted one by one. */
TMA_EXPORT TMA_MUST_USE tma_status tma_cost_global(tma_global_cost *out, const tma_plan *plan,
                                                   const tma_position *at);

/* How a warp reads what a load left in shared memory. Row readers take consecutive pieces of a row
 * and go on in the next; column readers take the same piece of consecutive rows, lane i of row i;
 * ldmatrix takes 16 bytes of each of 8 rows for each of its matrices. */
typedef enum tma_reader {
    TMA_READER_ROW_4B,
    TMA_READER_ROW_8B,
    TMA_READER_ROW_16B,
    TMA_READER_COLUMN_4B,
    TMA_READER_COLUMN_8B,
    TMA_READER_COLUMN_16B,
    TMA_READER_LDMATRIX,
    TMA_READERS
} tma_reader;

/* Wavefronts: how many turns the 32 banks of 4 bytes need. A warp's 4-byte accesses are one phase
 * of 32 lanes, 8-byte ones two of 16, 16-byte ones four of 8; lanes that read the same word share
 * it. Source: CUDA Programming Guide, shared memory; documented, not seen on hardware. */
typedef struct tma_bank_cost {
    uint32_t phases;     /* that were counted over the whole tile */
    uint32_t wavefronts; /* in all; equal to phases if nothing conflicts */
    uint32_t worst;      /* of one phase */
} tma_bank_cost;

/* Counts over all rows of one copy, in at most a millisecond however many they are: phases repeat
 * with the swizzle's pattern. TMA_INVALID for a reader that the rows are too short for, and
 * for null pointers; tma_plan_at()'s answer for a copy that traps. */
TMA_EXPORT TMA_MUST_USE tma_status tma_cost_banks(tma_bank_cost *out, const tma_plan *plan,
                                                  const tma_position *at, tma_reader reader);

/* One phase of a reader: who reads where. */
typedef struct tma_bank_phase {
    uint32_t lanes;              /* of the warp that take part */
    uint32_t access_B;           /* each */
    uint32_t wavefronts;         /* that they need together */
    uint32_t address[TMA_BANKS]; /* shared, of each lane */
} tma_bank_phase;

/* One of the phases that tma_cost_banks() counts, by its number. TMA_INVALID if there are fewer
 * phases; otherwise the status is that of tma_cost_banks(). */
TMA_EXPORT TMA_MUST_USE tma_status tma_cost_phase(tma_bank_phase *out, const tma_plan *plan,
                                                  const tma_position *at, tma_reader reader,
                                                  uint32_t phase);

/* "row 4 B", "column 16 B", "ldmatrix"; "?" for an unknown number. */
TMA_EXPORT const char *tma_reader_name(uint32_t reader);

#ifdef __cplusplus
}
#endif
#endif
