/* SPDX-License-Identifier: Apache-2.0
 *
 * What a warp waits for, from the machine code around its PC (sm_90).
 */
#ifndef DUMP_CORE_WAIT_H
#define DUMP_CORE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

typedef enum core_wait_kind {
    CORE_RUNS = 0,    /* nothing that is known to wait */
    CORE_MBARRIER,    /* mbarrier.try_wait, test_wait in a loop */
    CORE_BAR_SYNC,    /* barrier.cta, __syncthreads */
    CORE_CLUSTER,     /* barrier.cluster.wait */
    CORE_GROUP,       /* cp.async.*wait_group, wgmma.wait_group */
    CORE_GRID,        /* griddepcontrol.wait */
    CORE_SPIN_GLOBAL, /* a loop around a load or an atomic of global memory */
    CORE_SPIN_SHARED, /* the same in shared memory */
    CORE_CONVERGES,   /* for the other lanes of its warp */
    CORE_UNKNOWN,     /* no code, or code that is not sm_90's */
    CORE_WAIT_KINDS
} core_wait_kind;

typedef struct core_wait {
    uint32_t kind;
    uint32_t register_;       /* of the address; 255 is zero */
    uint32_t uniform;         /* added to it; 63 is zero */
    int32_t offset;           /* added too */
    uint32_t parity_register; /* the parity in its highest bit; 255 is zero */
    uint32_t bar;             /* number of bar.sync, where bar_known */
    uint32_t bar_threads;     /* that it waits for; 0: all */
    bool bar_known;
    bool sure;  /* the registers still hold what the wait was given */
    int32_t at; /* of the instruction, from the PC, in bytes */
} core_wait;

/* `code` are `count` instructions of 16 bytes; the PC is at number `pc`. */
void core_wait_of(core_wait *out, const uint8_t *code, uint32_t count, uint32_t pc);

#endif
