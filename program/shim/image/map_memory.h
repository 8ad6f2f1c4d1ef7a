/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory behind a program's maps, for programs whose kernels have checks: a map whose tensor
 * reaches where no memory is, or whose memory was freed, is right in itself, and no check in a
 * kernel can see it. What the driver knows of the memory is asked when a map is made; it is said
 * when a kernel has ended with an error and left no record of a broken rule.
 */
#ifndef SHIM_MAP_MEMORY_H
#define SHIM_MAP_MEMORY_H

#include "tma/spec.h"

#include "driver_abi.h"

/* Whether kernels have checks. Where they have none, nothing below does anything. */
int map_memory_is_wanted(void);

/* A map that the driver made, or gave another address. Of very many, the last are remembered. */
void map_memory_made(const tma_spec *spec, const tma_target *target);

/* [address, address + size_B) was given back; size_B is 1 where only the beginning is known. */
void map_memory_freed(uint64_t address, uint64_t size_B);

/* [address, address + size_B) is there, perhaps again. */
void map_memory_came(uint64_t address, uint64_t size_B);

/* What a call answered: says which maps lack memory, once, if that is an error of a kernel. */
void map_memory_look(shim_result rc);

/* The range of memory that an address is in; 0 where the driver has none there. */
int map_memory_range(uint64_t address, uint64_t *start, uint64_t *end);

/* What was allocated there as one: of memory that is mapped piece by piece (cuMemMap) the addresses
 * that were reserved for all pieces (H200, driver 13.0). */
int map_memory_reserved(uint64_t address, uint64_t *start, uint64_t *end);

#endif
