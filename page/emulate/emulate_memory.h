/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of the module, which grows: pieces aligned to 16 bytes.
 */
#ifndef PAGE_EMULATE_MEMORY_H
#define PAGE_EMULATE_MEMORY_H

#include <stddef.h>

/* Not zeroed; null: there is no more. */
void *memory_take(size_t size_B);
void memory_give(void *taken); /* null: nothing */

/* A text that grows, or stands still at `most_B`: then it is not whole. */
typedef struct memory_text {
    char *at;
    size_t length, room_B, most_B;
    int is_cut;
} memory_text;

/* A tma_write: context is a memory_text. */
void memory_text_write(void *context, const char *text, size_t length);

#endif
