/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels whose file does not say how many threads a block has: with checks they must not use more
 * registers than any block that launches without checks can have.
 */
#ifndef PTX_PTX_CAP_H
#define PTX_PTX_CAP_H

#include <stdio.h>

#include "ptx_rows.h"

#define PTX_CAP_NONE         255   /* registers of a thread: the most that there are */
#define PTX_CAP_MOST_THREADS 1024u /* of a block */

/* A kernel of a file with checks. */
typedef struct ptx_cap {
    tma_ptx_span name;  /* points into the text */
    uint32_t registers; /* at most; PTX_CAP_NONE: nothing is to be said */
} ptx_cap;

/* The most registers with which every block launches that launches with `registers`, and how many
 * threads that is. */
uint32_t ptx_cap_of(uint32_t registers, uint32_t *threads);

/* Whether a kernel may well have more registers than all blocks launch with, which nothing bounds:
 * a guess that costs nothing, from its length and its widest instruction. */
int ptx_cap_is_likely(const ptx_rows *rows, const ptx_function *f);

/* The kernels of a file with checks that have some, and neither .maxntid, .reqntid nor .maxnreg.
 * How many; *caps is the caller's to free. -1: there is no memory. */
int ptx_cap_kernels(ptx_cap **caps, const char *text, size_t size);

/* Writes the file with .maxnreg at the kernels that have a number. Without a block size the
 * compiler ignores setmaxnreg (C7508), with .maxnreg it would not: it is taken out of them. 0; or
 * -1: there is no memory, or a part could not be written. */
int ptx_cap_write(FILE *out, const char *text, size_t size, const ptx_cap *cap, uint32_t caps);

#endif
