/* SPDX-License-Identifier: Apache-2.0
 *
 * All of string.h that the libraries call.
 */
#ifndef PAGE_STRING_H
#define PAGE_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t length);
void *memset(void *to, int byte, size_t length);

#endif
