/* SPDX-License-Identifier: Apache-2.0
 *
 * What a launch has to know of a kernel: its parameters' bytes, and whether it has bulk copies.
 */
#ifndef SHIM_KERNEL_HEAD_H
#define SHIM_KERNEL_HEAD_H

#include "tma/ptx_file.h"

#define MOST_PARAMETERS   64    /* as many as tma emulate takes */
#define MOST_PARAMETERS_B 32764 /* of all of a kernel, as the driver takes them */

struct kernel_parameter {
    tma_ptx_span name;
    uint32_t offset_B, size_B, align_B;
};

struct kernel_head {
    tma_ptx_span name;
    struct kernel_parameter parameter[MOST_PARAMETERS];
    uint32_t parameters;       /* that are laid out */
    tma_ptx_span not_laid_out; /* the first that is not: its size is not understood, it ends beyond
                                  MOST_PARAMETERS_B, or there are too many */
    uint32_t size_B;           /* of those that are */
    int has_copies; /* tensor or bulk, its own or those of functions where it calls some */
};

/* An entry of a PTX text; 0: it has none of that name. */
int kernel_head_of(struct kernel_head *to, const char *text, size_t text_B, const char *name);

#endif
