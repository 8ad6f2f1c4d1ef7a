/* SPDX-License-Identifier: Apache-2.0
 *
 * Pieces are cut off the end of the memory; those that were given back are a list in the order of
 * their addresses, neighbours one piece, and the first that is large enough is taken again.
 */
#include "emulate_memory.h"

#include <stdint.h>
#include <string.h>

#define WASM_PAGE_B 65536
#define GROW_B      (1u << 20) /* at least: each time costs a call of the browser's */
#define HEAD_B      16

typedef struct piece {
    _Alignas(16) struct piece *next; /* while it is free */
    size_t size_B;                   /* with this head */
} piece;

_Static_assert(sizeof(piece) == HEAD_B, "what follows is aligned to 16 bytes");

static piece *first;

static piece *take_free(size_t size_B) {
    for (piece **link = &first; *link; link = &(*link)->next) {
        piece *p = *link;
        if (p->size_B < size_B) {
            continue;
        }
        if (p->size_B - size_B < 4 * HEAD_B) {
            *link = p->next;
            return p;
        }
        piece *rest = (piece *)((uint8_t *)p + size_B);
        *rest = (piece){.next = p->next, .size_B = p->size_B - size_B};
        *link = rest;
        p->size_B = size_B;
        return p;
    }
    return NULL;
}

static void join_next(piece *p) {
    if (p->next && (uint8_t *)p + p->size_B == (uint8_t *)p->next) {
        p->size_B += p->next->size_B;
        p->next = p->next->next;
    }
}

void memory_give(void *taken) {
    piece *p = taken ? (piece *)taken - 1 : NULL;
    piece *before = NULL, *next = first;
    if (!p) {
        return;
    }
    while (next && next < p) {
        before = next;
        next = next->next;
    }
    p->next = next;
    join_next(p);
    if (before) {
        before->next = p;
        join_next(before);
    } else {
        first = p;
    }
}

/* More of the module's memory becomes a free piece. */
static int grow(size_t size_B) {
    const size_t wanted = size_B > GROW_B ? size_B : GROW_B;
    const size_t pages = wanted / WASM_PAGE_B + (wanted % WASM_PAGE_B != 0);
    const size_t had = __builtin_wasm_memory_grow(0, pages);
    if (had == SIZE_MAX) {
        return -1;
    }
    piece *p = (piece *)(had * WASM_PAGE_B);
    p->size_B = pages * WASM_PAGE_B;
    memory_give(p + 1);
    return 0;
}

void *memory_take(size_t size_B) {
    const size_t whole_B = (size_B + 2 * HEAD_B - 1) / HEAD_B * HEAD_B;
    if (size_B > SIZE_MAX / 2) {
        return NULL;
    }
    piece *p = take_free(whole_B);
    if (!p && !grow(whole_B)) {
        p = take_free(whole_B);
    }
    return p ? p + 1 : NULL;
}

static int make_room(memory_text *t, size_t length) {
    size_t room_B = t->room_B ? t->room_B : 4096;
    while (room_B - t->length < length) {
        room_B *= 2;
    }
    char *at = room_B > t->room_B ? memory_take(room_B) : t->at;
    if (!at) {
        return -1;
    }
    if (at != t->at) {
        memcpy(at, t->at, t->length);
        memory_give(t->at);
        t->at = at;
        t->room_B = room_B;
    }
    return 0;
}

void memory_text_write(void *context, const char *text, size_t length) {
    memory_text *t = context;
    if (t->is_cut || length > t->most_B - t->length || make_room(t, length)) {
        t->is_cut = 1;
        return;
    }
    memcpy(t->at + t->length, text, length);
    t->length += length;
}
