/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory from malloc().
 */
#include "ptx_heap.h"

#include <stdlib.h>

typedef struct block {
    struct block *before;
    size_t padding; /* what follows lies as malloc's blocks do */
} block;

void *ptx_heap_more(void *context, size_t size_B) {
    ptx_heap *heap = context;
    block *b = size_B < SIZE_MAX - sizeof(*b) ? malloc(sizeof(*b) + size_B) : NULL;
    if (!b) {
        return NULL;
    }
    b->before = heap->last;
    heap->last = b;
    return b + 1;
}

ptx_memory ptx_heap_memory(ptx_heap *heap) {
    return ptx_memory_of(ptx_heap_more, heap);
}

void ptx_heap_free(ptx_heap *heap) {
    for (block *b = heap->last; b;) {
        block *before = b->before;
        free(b);
        b = before;
    }
    heap->last = NULL;
}
