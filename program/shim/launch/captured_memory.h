/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory that a captured launch can reach: allocations at the addresses that they have, and
 * what is in them when the launch's turn comes.
 */
#ifndef SHIM_CAPTURED_MEMORY_H
#define SHIM_CAPTURED_MEMORY_H

#include "driver_abi.h"
#include "tma/json.h"

#define MOST_ALLOCATIONS 512
#define MEMORY_PIECE_B   (1u << 20)

struct captured_allocation {
    uint64_t start, end;
    int has_contents; /* they are in the file */
};

struct captured_memory {
    struct captured_allocation allocation[MOST_ALLOCATIONS];
    uint32_t allocations;
    uint64_t left_B; /* of contents, that may still be taken */
    struct CUstream_st *stream;
    uint8_t piece[MEMORY_PIECE_B];
};

/* `most_B` of contents at most, 0: none. Nor are there any while the stream is captured into a
 * graph. */
void captured_memory_begin(struct captured_memory *m, uint64_t most_B, struct CUstream_st *stream);

/* Whether the driver knows memory at a device's address; the allocation that it is in. */
int captured_memory_range(uint64_t address, uint64_t *start, uint64_t *end);

/* The allocation at an address, if there is one; of memory that is mapped piece by piece (cuMemMap)
 * all pieces next to it. Where contents are taken and it is small, those that its words point to,
 * too. */
void captured_memory_add(struct captured_memory *m, uint64_t address);

/* All that lie one behind the other in so many bytes: what is mapped piece by piece (cuMemMap) is
 * several. */
void captured_memory_reach(struct captured_memory *m, uint64_t address, uint64_t size_B);

/* The list `memory` of the file. Waits for the stream, where contents are taken. */
void captured_memory_put(tma_json *json, struct captured_memory *m);

#endif
