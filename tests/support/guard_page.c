/* SPDX-License-Identifier: Apache-2.0
 *
 * Guard pages by mmap and mprotect.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "guard_page.h"

#include "testing.h"
#include <sys/mman.h>
#include <unistd.h>

#define BESIDE_B 4096

static size_t page_B(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

void guard_arena_make(struct guard_arena *arena, size_t size_B) {
    const size_t page = page_B();
    const size_t inner_B = (size_B + page - 1) / page * page;
    uint8_t *mapping =
        mmap(NULL, inner_B + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(mapping != MAP_FAILED);
    assert_int_equal(mprotect(mapping, page, PROT_NONE), 0);
    assert_int_equal(mprotect(mapping + page + inner_B, page, PROT_NONE), 0);
    *arena = (struct guard_arena){mapping + page, inner_B, mapping + page, 0};
}

void guard_arena_free(struct guard_arena *arena) {
    munmap(arena->bytes - page_B(), arena->size_B + 2 * page_B());
}

/* The bytes beside the placed buffer, on the side where no page guards it. */
static size_t beside(const struct guard_arena *arena, uint8_t **first) {
    const size_t before_B = (size_t)(arena->placed - arena->bytes);
    const size_t behind_B = arena->size_B - before_B - arena->placed_B;
    if (before_B) {
        const size_t size_B = before_B < BESIDE_B ? before_B : BESIDE_B;
        *first = arena->placed - size_B;
        return size_B;
    }
    *first = arena->placed + arena->placed_B;
    return behind_B < BESIDE_B ? behind_B : BESIDE_B;
}

uint8_t *guard_arena_place(struct guard_arena *arena, size_t size_B, int at_end) {
    uint8_t *first = NULL;
    assert_true(size_B <= arena->size_B);
    arena->placed = arena->bytes + (at_end ? arena->size_B - size_B : 0);
    arena->placed_B = size_B;
    const size_t beside_B = beside(arena, &first);
    memset(first, GUARD_SENTINEL, beside_B);
    return arena->placed;
}

int guard_arena_intact(const struct guard_arena *arena) {
    uint8_t *first = NULL;
    const size_t beside_B = beside(arena, &first);
    for (size_t i = 0; i < beside_B; i++) {
        if (first[i] != GUARD_SENTINEL) {
            return 0;
        }
    }
    return 1;
}
