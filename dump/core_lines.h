/* SPDX-License-Identifier: Apache-2.0
 *
 * From an address to file and line: .debug_line of a kernel's image (DWARF 2 to 4, as nvcc's).
 */
#ifndef DUMP_CORE_LINES_H
#define DUMP_CORE_LINES_H

#include "core_file.h"

typedef struct core_line {
    char file[256];
    uint32_t line; /* 0: not known */
} core_line;

/* The line of the address in an image whose code was moved to where it ran. */
void core_line_of(core_line *out, core_elf *image, uint64_t address);

#endif
