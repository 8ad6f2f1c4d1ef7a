/* SPDX-License-Identifier: Apache-2.0 */
#include "heap.h"

#include <string.h>

#include "run_report.h"
#include "tma/detail/assert.h"

/* Before each piece; 16 bytes, so that what follows is aligned. */
typedef struct head {
    union {
        struct head *next; /* while it is kept */
        uint64_t size_B;   /* large ones: with this head and the block's */
    } is;
    uint64_t class_of; /* 2^class_of bytes, this head counted; LARGE: a block of its own */
} head;

/* Before each block of the caller's. */
typedef struct block {
    _Alignas(16) struct block *next;
    struct block *before;
    uint64_t size_B;
} block;

#define SMALLEST 6  /* 64 bytes */
#define LARGEST  15 /* what is larger is a block of its own */
#define LARGE    UINT64_MAX
#define BLOCK_B  ((size_t)1 << 18)

_Static_assert(sizeof(head) == 16 && sizeof(block) % 16 == 0,
               "what follows is aligned to 16 bytes");
_Static_assert(LARGEST < EMU_HEAP_CLASSES, "a list each");

static block *new_block(emu_machine *m, size_t size_B) {
    const uint64_t most_B =
        m->launch && m->launch->most_memory_B ? m->launch->most_memory_B : MOST_MEMORY_B;
    block *b =
        m->heap.taken_B + size_B <= most_B ? m->host->allocate(m->host->context, size_B) : NULL;
    if (!b) {
        emu_stop(m, TMA_EMULATE_LIMIT, NULL, NULL, "there is no more memory for the run");
        return NULL;
    }
    m->heap.taken_B += size_B;
    *b = (block){.next = m->heap.blocks, .size_B = size_B};
    if (b->next) {
        b->next->before = b;
    }
    m->heap.blocks = b;
    return b;
}

/* A block cut into pieces of one class, which are kept. */
static int cut_block(emu_machine *m, uint32_t class_of) {
    block *b = new_block(m, BLOCK_B);
    const size_t piece_B = (size_t)1 << class_of;
    for (size_t at = BLOCK_B - piece_B; b && at; at -= piece_B) { /* the first is the block's own */
        head *h = (head *)((uint8_t *)b + at);
        h->is.next = m->heap.spare[class_of];
        h->class_of = class_of;
        m->heap.spare[class_of] = h;
    }
    return b != NULL;
}

static void *take_large(emu_machine *m, size_t size_B) {
    const size_t whole_B = sizeof(block) + sizeof(head) + size_B;
    block *b = new_block(m, whole_B > size_B ? whole_B : SIZE_MAX);
    if (!b) {
        return NULL;
    }
    head *h = (head *)(b + 1);
    *h = (head){.is = {.size_B = size_B}, .class_of = LARGE};
    memset(h + 1, 0, size_B);
    return h + 1;
}

void *emu_take(emu_machine *m, size_t size_B) {
    const size_t whole_B = sizeof(head) + size_B;
    if (whole_B > (size_t)1 << LARGEST || whole_B < size_B) {
        return take_large(m, size_B);
    }
    uint32_t class_of = SMALLEST;
    while (((size_t)1 << class_of) < whole_B) {
        class_of++;
    }
    if (!m->heap.spare[class_of] && !cut_block(m, class_of)) {
        return NULL;
    }
    head *h = m->heap.spare[class_of];
    m->heap.spare[class_of] = h->is.next;
    memset(h + 1, 0, size_B);
    return h + 1;
}

static void give_block(emu_machine *m, block *b) {
    TMA_ASSERT(m->heap.taken_B >= b->size_B);
    if (b->before) {
        b->before->next = b->next;
    } else {
        m->heap.blocks = b->next;
    }
    if (b->next) {
        b->next->before = b->before;
    }
    m->heap.taken_B -= b->size_B;
    m->host->release(m->host->context, b);
}

void emu_give(emu_machine *m, void *taken) {
    if (!taken) {
        return;
    }
    head *h = (head *)taken - 1;
    if (h->class_of == LARGE) {
        give_block(m, (block *)h - 1);
        return;
    }
    TMA_ASSERT(h->class_of >= SMALLEST && h->class_of <= LARGEST);
    h->is.next = m->heap.spare[h->class_of];
    m->heap.spare[h->class_of] = h;
}

void emu_heap_end(emu_machine *m) {
    while (m->heap.blocks) {
        give_block(m, m->heap.blocks);
    }
    m->heap = (emu_heap){.blocks = NULL};
}
