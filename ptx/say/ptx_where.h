/* SPDX-License-Identifier: Apache-2.0
 *
 * What a compiler's line number means to who wrote the kernel.
 */
#ifndef PTX_PTX_WHERE_H
#define PTX_PTX_WHERE_H

#include "ptx_rows.h"

/* "kernel k, kernel.cu:12" of a line of the text, as far as that is known; an empty string where
 * nothing is. -1: there is no memory. */
int ptx_where(char *to, size_t room, const char *text, size_t size, size_t line);

#endif
