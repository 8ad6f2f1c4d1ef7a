/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of the room: blocks from one function that the caller passes, handed out piece by piece.
 * Nothing is given back piece by piece; the caller has its blocks back when all is done.
 */
#ifndef PTX_PTX_MEMORY_H
#define PTX_PTX_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* At least so many bytes, for any type; null: there is no more. */
typedef void *(*ptx_more)(void *context, size_t size_B);

typedef struct ptx_chunk ptx_chunk;

typedef struct ptx_memory {
    ptx_more more;
    void *context;
    ptx_chunk *first;
    ptx_chunk *now;
    int failed; /* there was no memory */
} ptx_memory;

ptx_memory ptx_memory_of(ptx_more more, void *context);

/* Zeroed; null: there is no memory, and m->failed is set. */
void *ptx_memory_take(ptx_memory *m, size_t count, size_t element_B);

/* A copy of a text; "" where there is no memory. */
const char *ptx_memory_text(ptx_memory *m, const char *text, size_t length);

/* Makes room for one more element of an array of `count`: 16, 32, 64 ... Null: there is no memory,
 * and the array is as it was. */
void *ptx_grow(ptx_memory *m, void *array, uint32_t count, size_t element_B);

/* What was taken since a mark is given back all at once. */
typedef struct ptx_mark {
    ptx_chunk *chunk;
    size_t used;
} ptx_mark;

ptx_mark ptx_memory_mark(const ptx_memory *m);
void ptx_memory_back(ptx_memory *m, ptx_mark mark);

/* Appends to an array of a struct whose member `memory` is a ptx_memory *: nothing, where there is
 * none left. */
#define PTX_APPEND(r, array, count, ...)                                                           \
    do {                                                                                           \
        void *grown_ = ptx_grow((r)->memory, (r)->array, (r)->count, sizeof(*(r)->array));         \
        if (grown_) {                                                                              \
            (r)->array = grown_;                                                                   \
            (r)->array[(r)->count++] = __VA_ARGS__;                                                \
        }                                                                                          \
    } while (0)

#endif
