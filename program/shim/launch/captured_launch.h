/* SPDX-License-Identifier: Apache-2.0
 *
 * tma capture: a launch as a file that tma emulate executes.
 */
#ifndef SHIM_CAPTURED_LAUNCH_H
#define SHIM_CAPTURED_LAUNCH_H

#include "driver_abi.h"

/* A launch as the driver is asked for it; pointers are the program's. */
struct launch_call {
    struct CUfunc_st *function; /* or a CUkernel */
    uint32_t grid[3], block[3];
    uint32_t shared_B;
    struct CUstream_st *stream;
    const shim_launch_attribute *attribute;
    uint32_t attributes;
    void **params;
    void **extra;
};

/* Whether a launch of this may be wanted: it is not known yet, or some are still to be written. */
int captured_launch_is_awaited(const struct CUfunc_st *function);

/* Before the driver gets it: writes it where LIBTMA_CAPTURE says, if it is one that is wanted.
 * errno stays. */
void captured_launch(const struct launch_call *call);

#endif
