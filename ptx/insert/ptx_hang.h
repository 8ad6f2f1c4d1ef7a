/* SPDX-License-Identifier: Apache-2.0
 *
 * A PTX file whose loops of mbarrier.try_wait and test_wait end after a time: the kernel leaves
 * what the barrier lacks (program/kernel/hang.c) and traps.
 */
#ifndef PTX_PTX_HANG_H
#define PTX_PTX_HANG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct ptx_hang_count {
    uint32_t found;   /* mbarrier.try_wait and test_wait */
    uint32_t bounded; /* of them */
} ptx_hang_count;

/* Writes the file with its waits bounded to `out`; what is not understood stays as it is. `notes`
 * gets a line for each wait that is left, with the reason. 0; or -1: there is no memory, and
 * nothing is written, or a part could not be. */
int ptx_hang_rewrite(FILE *out, FILE *notes, const char *text, size_t size, uint32_t limit_ms,
                     ptx_hang_count *count);

#endif
