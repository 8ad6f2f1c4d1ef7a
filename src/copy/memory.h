/* SPDX-License-Identifier: Apache-2.0
 *
 * The caller's memory: device ranges and the shared window.
 */
#ifndef TMA_MEMORY_H
#define TMA_MEMORY_H

#include "plan_internal.h"
#include "tma/copy.h"
#include "traits.h"

/* Whether copies with this plan go by the reference on this machine: the loops read elements as
 * little-endian numbers, and add in the C type's own precision. */
static inline int tma_by_reference(const tma_plan *plan) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    const int elements = tma_is_reduction(plan->op) || plan->fill == TMA_FILL_NAN || plan->tf32;
#elif defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
    const int elements = plan->op == TMA_OP_ADD && tma_type_has(plan->dtype, TMA_TRAIT_FLOAT);
#else
    const int elements = 0;
#endif
    return elements || plan->path == TMA_PATH_REFERENCE;
}

/* Host bytes of [address, address + size_B) as the resolver or the host itself has them. */
uint8_t *tma_host_elsewhere(const tma_global *global, int write, uint64_t address, uint64_t size_B);

/* Host bytes of [address, address + size_B), or null if nothing holds all of them. */
static inline uint8_t *tma_host(const tma_global *global, int write, uint64_t address,
                                uint64_t size_B) {
    for (size_t i = 0; i < global->count; i++) {
        const tma_range *r = &global->ranges[i];
        const uint64_t offset = address - r->address;
        if (offset <= r->size_B && size_B <= r->size_B - offset && address >= r->address) {
            if (r->host) {
                return (uint8_t *)r->host + offset;
            }
            /* only loads get that far */
            return write || !r->read_only ? NULL : (uint8_t *)(uintptr_t)r->read_only + offset;
        }
    }
    return global->is_host || global->resolve ? tma_host_elsewhere(global, write, address, size_B)
                                              : NULL;
}

/* The same of rows that are step_B apart, *rows of them: the first one's bytes; *rows becomes how
 * many, from there on, the same range holds. */
uint8_t *tma_host_rows(const tma_global *global, int write, uint64_t address, uint64_t size_B,
                       uint64_t step_B, uint32_t *rows);

/* Host bytes from `address` on, and in *size_B how many of those asked for are together; null if
 * not even the first is there. */
uint8_t *tma_host_part(const tma_global *global, int write, uint64_t address, uint64_t *size_B);

static inline int tma_writes(const tma_plan *plan) {
    return !tma_is_load(plan->op);
}

/* Not 0 if a reserved member of the memory given is set. */
static inline uint64_t tma_memory_reserved(const tma_global *global, const tma_window *window) {
    uint64_t bits = window->reserved;
    bits |= global->reserved[0] | global->reserved[1] | global->reserved[2];
    for (size_t i = 0; i < global->count; i++) {
        bits |= global->ranges[i].reserved;
    }
    return bits;
}

/* What is wrong with the memory given, beside where it lies: null, or reserved members. */
tma_status tma_check_memory(const tma_plan *plan, const tma_global *global,
                            const tma_window *window, tma_finding *why);

/* Whether all rows of a copy, halo and out-of-bounds ones included, lie in the window; the reason
 * in *why (may be null) if not. */
int tma_window_holds(const tma_plan *plan, const tma_position *at, const tma_window *window,
                     tma_finding *why);

/* Whether [first, end) lies in the window; the reason in *why (may be null) if not. */
int tma_in_window(const tma_window *w, uint64_t first, uint64_t end, tma_finding *why);

/* copy_reference.c: the reference itself, for one window of a multicast too; and what it would
 * answer, without moving a byte. */
tma_status tma_move_by_reference(const tma_plan *plan, const tma_position *at,
                                 const tma_global *global, const tma_window *window,
                                 tma_finding *why);
tma_status tma_judge_reference(const tma_plan *plan, const tma_position *at,
                               const tma_global *global, const tma_window *window,
                               tma_finding *why);

/* TMA_INVALID, and why: one window where a multicast load needs one for each CTA. */
tma_status tma_multicast_fault(const tma_plan *plan, tma_finding *why);

/* Rows of one copy with its halo. */
uint64_t tma_copy_rows(const tma_plan *plan, const tma_position *at);

/* TMA_MEMORY, and why: the byte at `address` is nowhere, or nothing may be stored there. */
tma_status tma_global_fault(tma_finding *why, const tma_plan *plan, const tma_global *global,
                            uint64_t address);

#endif
