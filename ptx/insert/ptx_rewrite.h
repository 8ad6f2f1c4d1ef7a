/* SPDX-License-Identifier: Apache-2.0
 *
 * A PTX file with a check before each of its tensor copies (tma/ptx_check.h).
 */
#ifndef PTX_PTX_REWRITE_H
#define PTX_PTX_REWRITE_H

#include <stdio.h>

#include "ptx_reading.h"

/* Copies, reductions and prefetches. */
typedef struct ptx_rewrite_count {
    uint32_t found;
    uint32_t checked;
    uint32_t kernels; /* with such, */
    uint32_t large;   /* and those whose registers, as it seems, decide how large a block may be
                         (ptx_cap_is_likely()) */
} ptx_rewrite_count;

/* Writes the file with its checks to `out`; what is not understood stays as it is. `notes` gets a
 * line for each kernel that has copies, and one for each copy that is left, with the reason.
 * `on_fault`: tma_ptx_check_fault. 0; or -1: there is no memory, and nothing is written, or a part
 * could not be. */
int ptx_rewrite(FILE *out, FILE *notes, const char *text, size_t size, uint32_t on_fault,
                ptx_rewrite_count *count);
int ptx_rewrite_of(FILE *out, FILE *notes, const ptx_reading *reading, uint32_t on_fault,
                   ptx_rewrite_count *count);

#endif
