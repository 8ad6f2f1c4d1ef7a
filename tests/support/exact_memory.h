/* SPDX-License-Identifier: Apache-2.0
 *
 * An allocator that forgives nothing: a block ends where a page begins that nobody may touch, holds
 * no zeros that nobody asked for, is somewhere else after each growth, and is gone when it is
 * freed. It takes the place of malloc, calloc, realloc and free where the linker puts it there
 * (--wrap).
 */
#ifndef TESTS_EXACT_MEMORY_H
#define TESTS_EXACT_MEMORY_H

#include <stddef.h>

/* What was allocated before counts no more: a cmocka that is linked in has blocks of its own. */
void exact_memory_begins(void);

/* How many allocations are answered from now on; negative: all. */
void exact_memory_ends_after(long allocations);

/* Blocks that were not freed yet, and the bytes of one; 0: it is none. */
size_t exact_memory_blocks(void);
size_t exact_memory_size(const void *block);

#endif
