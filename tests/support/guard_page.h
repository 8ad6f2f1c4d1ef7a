/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory between two pages that nobody may touch: a byte read or written beside a buffer that lies
 * against one of them ends the test.
 */
#ifndef TESTS_GUARD_PAGE_H
#define TESTS_GUARD_PAGE_H

#include <stddef.h>
#include <stdint.h>

#define GUARD_SENTINEL 0xEE

struct guard_arena {
    uint8_t *bytes; /* between the pages */
    size_t size_B;
    uint8_t *placed; /* the buffer placed last */
    size_t placed_B;
};

/* Room for one buffer of up to size_B bytes. Fails the test if the system has no such memory. */
void guard_arena_make(struct guard_arena *arena, size_t size_B);
void guard_arena_free(struct guard_arena *arena);

/* A buffer against the page behind it (at_end) or the page before it; the 4 KiB on its other side
 * are set to the sentinel. What lay in the arena is lost. */
uint8_t *guard_arena_place(struct guard_arena *arena, size_t size_B, int at_end);

/* Whether the sentinels are as they were. */
int guard_arena_intact(const struct guard_arena *arena);

#endif
