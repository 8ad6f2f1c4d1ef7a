/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks between guard pages, each in an arena of its own.
 */
#include "exact_memory.h"

#include "guard_page.h"
#include "testing.h"

#define MOST_BLOCKS 128 /* cmocka's own are among them where it is linked in */
#define UNSET       0xA5

static struct guard_arena arena[MOST_BLOCKS];
static size_t blocks;
static size_t before;
static long left = -1;

void __real_free(void *block);
void *__wrap_malloc(size_t size_B);
void *__wrap_calloc(size_t count, size_t size_B);
void *__wrap_realloc(void *block, size_t size_B);
void __wrap_free(void *block);

void exact_memory_begins(void) {
    before = blocks;
}

void exact_memory_ends_after(long allocations) {
    left = allocations;
}

size_t exact_memory_blocks(void) {
    return blocks - before;
}

/* The number of a block, or MOST_BLOCKS. */
static size_t found(const void *block) {
    for (size_t i = 0; i < blocks; i++) {
        if (arena[i].placed == block) {
            return i;
        }
    }
    return MOST_BLOCKS;
}

size_t exact_memory_size(const void *block) {
    const size_t i = found(block);
    return i < blocks ? arena[i].placed_B : 0;
}

void *__wrap_malloc(size_t size_B) {
    if (!size_B || (left >= 0 && left-- == 0)) {
        return NULL; /* C lets nothing be a null pointer */
    }
    assert_true(blocks < MOST_BLOCKS);
    guard_arena_make(&arena[blocks], size_B);
    return memset(guard_arena_place(&arena[blocks++], size_B, 1), UNSET, size_B);
}

void *__wrap_calloc(size_t count, size_t size_B) {
    void *block = __wrap_malloc(count * size_B);
    return block ? memset(block, 0, count * size_B) : NULL;
}

void *__wrap_realloc(void *block, size_t size_B) {
    const size_t before_B = exact_memory_size(block);
    void *grown = __wrap_malloc(size_B);
    assert_true(!block || before_B);
    if (grown && block) {
        memcpy(grown, block, before_B < size_B ? before_B : size_B);
        __wrap_free(block);
    }
    return grown;
}

/* What the C library made for itself is its own. */
void __wrap_free(void *block) {
    const size_t i = found(block);
    if (i == MOST_BLOCKS) {
        __real_free(block);
        return;
    }
    assert_true(guard_arena_intact(&arena[i]));
    guard_arena_free(&arena[i]);
    arena[i] = arena[--blocks];
}
