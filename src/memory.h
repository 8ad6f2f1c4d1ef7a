/* SPDX-License-Identifier: Apache-2.0
 *
 * The caller's memory: device ranges and the shared window.
 */
#ifndef TMA_MEMORY_H
#define TMA_MEMORY_H

#include "plan_internal.h"
#include "tma/copy.h"

/* Host bytes of [address, address + size_B), or null if no range holds all of them. */
static inline uint8_t *tma_host(const tma_global *global, uint64_t address, uint64_t size_B) {
    if (!global) {
        return (uint8_t *)(uintptr_t)address;
    }
    for (size_t i = 0; i < global->count; i++) {
        const tma_range *r = &global->ranges[i];
        const uint64_t offset = address - r->address;
        if (offset <= r->size_B && size_B <= r->size_B - offset && address >= r->address) {
            return (uint8_t *)r->host + offset;
        }
    }
    return NULL;
}

/* Whether all rows of a copy, halo and out-of-bounds ones included, lie in the window; the reason
 * in *why (may be null) if not. */
int tma_window_holds(const tma_plan *plan, const tma_position *at, const tma_window *window,
                     tma_finding *why);

/* copy_reference.c: what the reference would answer, without moving a byte. */
tma_status tma_judge_reference(const tma_plan *plan, const tma_position *at,
                               const tma_global *global, const tma_window *window,
                               tma_finding *why);

/* Rows of one copy with its halo. */
uint64_t tma_copy_rows(const tma_plan *plan, const tma_position *at);

/* TMA_MEMORY, and why: the byte at `address` is in no range. */
tma_status tma_global_fault(tma_finding *why, uint16_t sm, uint64_t address);

#endif
