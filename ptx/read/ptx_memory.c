/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory in chunks.
 */
#include "ptx_memory.h"

#include <string.h>

#include "tma/detail/assert.h"

#define LEAST_B 65536
#define ALIGN_B 16

struct ptx_chunk {
    ptx_chunk *next;
    size_t size_B; /* behind this head */
    size_t used_B;
    size_t padding;
};

ptx_memory ptx_memory_of(ptx_more more, void *context) {
    return (ptx_memory){.more = more, .context = context};
}

/* A chunk with so much room, behind the one in use. */
static ptx_chunk *chunk_with(ptx_memory *m, size_t size_B) {
    ptx_chunk **link = m->now ? &m->now->next : &m->first;
    for (; *link; link = &(*link)->next) {
        (*link)->used_B = 0;
        if ((*link)->size_B >= size_B) {
            return *link;
        }
    }
    const size_t room = size_B > LEAST_B ? size_B : LEAST_B;
    ptx_chunk *chunk = m->more(m->context, sizeof(*chunk) + room);
    if (!chunk) {
        m->failed = 1;
        return NULL;
    }
    *chunk = (ptx_chunk){.size_B = room};
    *link = chunk;
    return chunk;
}

static void *take_bytes(ptx_memory *m, size_t size_B) {
    const size_t whole = (size_B + ALIGN_B - 1) / ALIGN_B * ALIGN_B;
    if (!m->now || m->now->size_B - m->now->used_B < whole) {
        ptx_chunk *chunk = chunk_with(m, whole);
        if (!chunk) {
            return NULL;
        }
        m->now = chunk;
    }
    void *at = (uint8_t *)(m->now + 1) + m->now->used_B;
    m->now->used_B += whole;
    TMA_ASSERT(m->now->used_B <= m->now->size_B);
    return at;
}

void *ptx_memory_take(ptx_memory *m, size_t count, size_t element_B) {
    TMA_ASSERT(element_B);
    if (count > SIZE_MAX / 4 / element_B) {
        m->failed = 1;
        return NULL;
    }
    void *at = take_bytes(m, count * element_B);
    return at ? memset(at, 0, count * element_B) : NULL;
}

const char *ptx_memory_text(ptx_memory *m, const char *text, size_t length) {
    char *to = ptx_memory_take(m, length + 1, 1);
    return to ? memcpy(to, text, length) : "";
}

void *ptx_grow(ptx_memory *m, void *array, uint32_t count, size_t element_B) {
    if (count & (count - 1) || (count && count < 16)) {
        return array;
    }
    void *grown = take_bytes(m, (count ? 2 * (size_t)count : 16) * element_B);
    return grown && count ? memcpy(grown, array, count * element_B) : grown;
}

ptx_mark ptx_memory_mark(const ptx_memory *m) {
    return (ptx_mark){m->now, m->now ? m->now->used_B : 0};
}

void ptx_memory_back(ptx_memory *m, ptx_mark mark) {
    TMA_ASSERT(!mark.chunk || mark.used <= mark.chunk->size_B);
    m->now = mark.chunk;
    if (mark.chunk) {
        mark.chunk->used_B = mark.used;
    }
}
