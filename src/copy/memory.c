/* SPDX-License-Identifier: Apache-2.0
 *
 * The caller's memory: whether a copy stays in it, and how one that would leave it is reported.
 */
#include "memory.h"
#include "plan_internal.h"
#include "tma/detail/assert.h"
#include "tma/swizzle.h"

#define LINE_B  128
#define PIECE_B 8 /* the smallest stretch that a swizzle moves */

tma_status tma_global_fault(tma_finding *why, const tma_plan *plan, const tma_global *global,
                            uint64_t address) {
    const int there = tma_writes(plan) && tma_host(global, 0, address, 1) != NULL;
    return tma_stop(why, plan->sm, there ? TMA_RULE_MEMORY_READ_ONLY : TMA_RULE_MEMORY_GLOBAL, -1,
                    address, BAD(TMA_MUST_NOT_BE, TMA_UNIT_ADDRESS, address, address));
}

/* The rule is this library's own: it stands on every target alike. */
static int shared_fault(tma_finding *why, uint64_t address, tma_relation relation, uint64_t limit) {
    (void)tma_stop(why, tma_arch_of(NULL)->sm, TMA_RULE_MEMORY_SHARED, -1, address,
                   BAD(relation, TMA_UNIT_ADDRESS, address, limit));
    return 0;
}

uint8_t *tma_host_elsewhere(const tma_global *global, int write, uint64_t address,
                            uint64_t size_B) {
    uint64_t follows_B = 0;
    TMA_ASSERT(global->is_host || global->resolve);
    if (global->is_host) {
        return (uint8_t *)(uintptr_t)address;
    }
    uint8_t *host = global->resolve(global->context, address, size_B, write != 0, &follows_B);
    return follows_B >= size_B ? host : NULL;
}

uint8_t *tma_host_rows(const tma_global *global, int write, uint64_t address, uint64_t size_B,
                       uint64_t step_B, uint32_t *rows) {
    TMA_ASSERT(*rows && size_B);
    for (size_t i = 0; i < global->count; i++) {
        const tma_range *r = &global->ranges[i];
        const uint64_t offset = address - r->address;
        const uint8_t *const host = r->host || write ? r->host : r->read_only;
        if (address < r->address || offset > r->size_B || size_B > r->size_B - offset) {
            continue;
        }
        const uint64_t more = step_B ? (r->size_B - offset - size_B) / step_B : *rows;
        *rows = more < *rows ? (uint32_t)more + 1 : *rows;
        return host ? (uint8_t *)(uintptr_t)host + offset : NULL;
    }
    *rows = 1;
    return tma_host(global, write, address, size_B);
}

uint8_t *tma_host_part(const tma_global *global, int write, uint64_t address, uint64_t *size_B) {
    TMA_ASSERT(*size_B);
    for (size_t i = 0; i < global->count; i++) {
        const tma_range *r = &global->ranges[i];
        const uint64_t offset = address - r->address;
        if (address >= r->address && offset < r->size_B) {
            const uint8_t *const host = r->host || write ? r->host : r->read_only;
            *size_B = *size_B < r->size_B - offset ? *size_B : r->size_B - offset;
            return host ? (uint8_t *)(uintptr_t)host + offset : NULL;
        }
    }
    uint64_t follows_B = *size_B;
    uint8_t *const host = global->is_host   ? (uint8_t *)(uintptr_t)address
                          : global->resolve ? global->resolve(global->context, address, *size_B,
                                                              write != 0, &follows_B)
                                            : NULL;
    *size_B = *size_B < follows_B ? *size_B : follows_B;
    return *size_B ? host : NULL;
}

tma_status tma_check_memory(const tma_plan *plan, const tma_global *global,
                            const tma_window *window, tma_finding *why) {
    if (!global || !window || (!window->host && window->size_B)) {
        return tma_null_fault(why, global ? TMA_ARG_WINDOW : TMA_ARG_GLOBAL);
    }
    const uint64_t bits = tma_memory_reserved(global, window);
    return bits ? tma_stop(why, plan->sm, TMA_RULE_RESERVED_ZERO, -1, bits,
                           BAD(TMA_MUST_BE, TMA_UNIT_NONE, bits, 0))
                : TMA_OK;
}

tma_status tma_multicast_fault(const tma_plan *plan, tma_finding *why) {
    return tma_stop(why, plan->sm, TMA_RULE_MULTICAST_WINDOWS, -1, plan->op, NOT(plan->op));
}

uint64_t tma_copy_rows(const tma_plan *plan, const tma_position *at) {
    uint32_t offset[3];
    if (plan->mode != TMA_MODE_IM2COL_W && plan->mode != TMA_MODE_IM2COL_W128) {
        return plan->rows;
    }
    tma_plan_offsets(offset, plan, at);
    const uint64_t chunks = plan->mode == TMA_MODE_IM2COL_W128 ? 4 : 1;
    return plan->rows + chunks * offset[0];
}

int tma_in_window(const tma_window *w, uint64_t first, uint64_t end, tma_finding *why) {
    const uint64_t window_end = (uint64_t)w->address + w->size_B;
    if (first < w->address) {
        return shared_fault(why, first, TMA_MUST_BE_AT_LEAST, w->address);
    }
    return end <= window_end || shared_fault(why, end - 1, TMA_MUST_BE_BELOW, window_end);
}

/* A swizzle moves bytes within their line of 128; in a line that the copy does not fill, that can
 * be out of the window. `start` is where the rows begin, [first, end) what is looked at. */
static int line_in_window(const tma_plan *plan, const tma_window *w, uint64_t start, uint64_t first,
                          uint64_t end, tma_finding *why) {
    for (uint64_t at = first; at < end; at += PIECE_B) {
        const uint64_t in_row = (at - start) % plan->pitch_B;
        if (in_row < plan->row_shared_B) {
            const uint64_t left = plan->row_shared_B - in_row;
            const uint64_t moved = tma_swizzled(plan->swizzle_bits, (uint32_t)at);
            if (!tma_in_window(w, moved, moved + (left < PIECE_B ? left : PIECE_B), why)) {
                return 0;
            }
        }
    }
    return 1;
}

int tma_window_holds(const tma_plan *plan, const tma_position *at, const tma_window *window,
                     tma_finding *why) {
    const uint64_t rows = tma_copy_rows(plan, at);
    TMA_ASSERT(rows && plan->pitch_B);
    const uint64_t first = at->shared_address;
    const uint64_t end = first + (rows - 1) * plan->pitch_B + plan->row_shared_B;
    if (!tma_in_window(window, first, end, why)) {
        return 0;
    }
    if (end > TMA_VALUE(WINDOW)) {
        return shared_fault(why, end - 1, TMA_MUST_BE_BELOW, TMA_VALUE(WINDOW));
    }
    const uint64_t lines_end = (end + LINE_B - 1) / LINE_B * LINE_B;
    if (!plan->swizzle_bits.mask || (first / LINE_B * LINE_B >= window->address &&
                                     lines_end <= (uint64_t)window->address + window->size_B)) {
        return 1; /* no swizzle leaves its line */
    }
    const uint64_t first_line_end = first / LINE_B * LINE_B + LINE_B;
    const uint64_t last_line = end / LINE_B * LINE_B;
    return line_in_window(plan, window, first, first, end < first_line_end ? end : first_line_end,
                          why) &&
           line_in_window(plan, window, first, last_line > first ? last_line : first, end, why);
}
