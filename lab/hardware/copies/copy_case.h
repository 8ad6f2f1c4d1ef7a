/* SPDX-License-Identifier: Apache-2.0
 *
 * One copy that hardware and library run.
 */
#ifndef HARDWARE_COPY_CASE_H
#define HARDWARE_COPY_CASE_H

#include <tma/copy.h>
#include <tma/map.h>

#define MOST_WINDOW_B (216u << 10)
#define MOST_GLOBAL_B (1u << 20)

struct copy_case {
    tma_spec spec; /* the address is an offset into the case's slice of global memory */
    tma_instruction in;
    tma_position at;   /* the shared address is an offset from the window's base */
    uint32_t window_B; /* the window begins at a 1024-byte aligned shared address */
    uint32_t global_B;
    uint32_t fill; /* tma_pattern */
    uint64_t seed;
    uint32_t expect_B; /* what the library says a load counts on its barrier */
    int traps;         /* the library says that the kernel is killed */
    tma_finding why;   /* for what, then */
};

#endif
