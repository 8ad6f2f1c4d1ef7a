/* SPDX-License-Identifier: Apache-2.0
 *
 * The room's memory from malloc(), for programs that have one.
 */
#ifndef PTX_PTX_HEAP_H
#define PTX_PTX_HEAP_H

#include "ptx_memory.h"

typedef struct ptx_heap {
    void *last; /* block */
} ptx_heap;

/* A ptx_more; the context is the heap. */
void *ptx_heap_more(void *context, size_t size_B);
ptx_memory ptx_heap_memory(ptx_heap *heap);
void ptx_heap_free(ptx_heap *heap);

#endif
