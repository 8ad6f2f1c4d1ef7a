/* SPDX-License-Identifier: Apache-2.0
 *
 * All of string.h that the libraries call.
 */
#ifndef PAGE_STRING_H
#define PAGE_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t length);
void *memset(void *to, int byte, size_t length);

/* The emulator's alone: emulate/emulate_strings.c. */
void *memmove(void *to, const void *from, size_t length);
int memcmp(const void *a, const void *b, size_t length);
void *memchr(const void *in, int byte, size_t length);
size_t strlen(const char *text);
char *strchr(const char *text, int byte);

#endif
