/* SPDX-License-Identifier: Apache-2.0
 *
 * A file that was read: its rows, what they do, its functions. Read once, judged and rewritten.
 */
#ifndef PTX_PTX_READING_H
#define PTX_PTX_READING_H

#include "ptx_code.h"
#include "ptx_functions.h"

typedef struct ptx_reading {
    const char *text;
    size_t size;
    ptx_rows rows;
    ptx_codes codes; /* of these rows, as the functions */
    ptx_functions functions;
} ptx_reading;

/* The text, the memory and *reading stay where they are. 0; or -1: there is no memory. */
int ptx_reading_make(ptx_reading *reading, ptx_memory *memory, const char *text, size_t size);

#endif
