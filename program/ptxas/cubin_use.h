/* SPDX-License-Identifier: Apache-2.0
 *
 * What a kernel of a cubin uses: attributes of its section .nv.info, named as cuobjdump names them.
 */
#ifndef CLI_CUBIN_USE_H
#define CLI_CUBIN_USE_H

#include <stdint.h>

#include "tma/ptx_file.h"

typedef struct cubin_use {
    int is_known;
    uint32_t registers; /* of a thread: EIATTR_REGCOUNT */
    uint32_t stack_B;   /* of a thread, for spills and what is called: EIATTR_MIN_STACK_SIZE */
} cubin_use;

/* Each kernel's, of a file; those that it does not have are not known. */
void cubin_use_read(cubin_use *use, const tma_ptx_span *name, uint32_t names, const char *path);

/* The most registers that a function of a file has; 0: not known. */
uint32_t cubin_most_registers(const char *path);

#endif
