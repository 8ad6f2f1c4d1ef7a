/* SPDX-License-Identifier: Apache-2.0
 *
 * The copies that hardware and library run, by seed and number.
 */
#ifndef HARDWARE_RANDOM_COPIES_H
#define HARDWARE_RANDOM_COPIES_H

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

/* The case of a number. Never one that the driver refuses or the target's compiler does not take.
 */
void copy_case_make(struct copy_case *copy, uint64_t seed, uint64_t number,
                    const tma_target *target);

/* The plan of a case whose slice begins at `slice`; its map in *map. Fails on no case that
 * copy_case_make() made and that does not trap. */
tma_status copy_case_plan(tma_plan *plan, tma_map *map, const struct copy_case *copy,
                          uint64_t slice, const tma_target *target, tma_finding *why);

#endif
