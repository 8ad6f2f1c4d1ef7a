/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the checker share: checker.c judges, fault.c is what a broken rule ends in.
 */
#ifndef KERNEL_CHECKER_H
#define KERNEL_CHECKER_H

#define TMA_CONDITION       static inline __attribute__((always_inline))
#define TMA_LAYOUT_FUNCTION TMA_CONDITION
#define TMA_JUDGE_STAGE     TMA_CONDITION
#define TMA_JUDGE_ROLLED    _Pragma("clang loop unroll(disable)")

#include "tma/judge_quick.h"

/* What the rewriter writes for each site, as 64-bit numbers: ptx/check/ptx_check.c. Up to the
 * strings in the order of a record. */
typedef struct checked_site {
    tma_judge_site site;
    uint32_t line;
    uint32_t coords; /* how many the instruction has */
    const char *file;
    const char *function;
    const char *opcode;
} checked_site;

/* What the thread passes: the operands, and where the map is. Its bytes may be a copy. */
typedef struct checked_position {
    tma_judge_at at;
    uint64_t map;
} checked_position;

#define WINDOW_UNIT_B 128u /* what shared memory is given out in */

/* What tma_check_copy() answers where the copy is not to be made; no pass is that. */
#define SKIP_COPY UINT32_MAX

/* One of fault.c's; it comes back where the copy is skipped. */
void tma_fault(const void *map, const checked_site *where, const checked_position *position);

#endif
