/* SPDX-License-Identifier: Apache-2.0
 *
 * From an address to file and line: .debug_line of a kernel's image (DWARF 2 to 4, as nvcc's).
 * What is inlined: nvcc 13.0 puts an extended operation 0x90 before the rows of an inlined
 * function, with the number of the row that called it (from 1 in the sequence; 0: none) and the
 * function's name in .debug_str. Read off cubins whose source is known.
 */
#ifndef DUMP_CORE_LINES_H
#define DUMP_CORE_LINES_H

#include "core_file.h"

#define CORE_MOST_CALLS 6

/* A line that something is inlined into. */
typedef struct core_call {
    char file[256];
    uint32_t line;
} core_call;

typedef struct core_line {
    char file[256];
    uint32_t line; /* 0: not known */
    /* What it is inlined into, the nearest first, the kernel's own line last; of more calls than
     * fit those before the last are left out. */
    core_call calls[CORE_MOST_CALLS];
    uint32_t call_count;
} core_line;

/* The line of the address in an image whose code was moved to where it ran. */
void core_line_of(core_line *out, core_elf *image, uint64_t address);

#endif
