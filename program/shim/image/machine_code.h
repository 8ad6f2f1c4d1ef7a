/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code that a program loads: whether it has tensor copies, and whether they have checks.
 */
#ifndef SHIM_MACHINE_CODE_H
#define SHIM_MACHINE_CODE_H

#include <stddef.h>
#include <stdint.h>

/* How many kernels of a cubin have tensor copies and no checks. `most_B`: how much there is;
 * SIZE_MAX where nobody said. Of what is no such ELF file, 0. */
uint32_t machine_code_unchecked(const void *image, size_t most_B);

/* The bytes of a cubin, from its first to the last that its tables name; 0: it is none. */
size_t machine_code_size(const void *image, size_t most_B);

#endif
