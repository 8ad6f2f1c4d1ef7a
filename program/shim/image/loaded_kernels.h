/* SPDX-License-Identifier: Apache-2.0
 *
 * What kernels hold that the driver has loaded.
 */
#ifndef SHIM_LOADED_KERNELS_H
#define SHIM_LOADED_KERNELS_H

#include "driver_abi.h"

/* A module or a library: the one that is not null. */
struct loaded_kernels {
    struct CUmod_st *module;
    struct CUlib_st *library;
};

/* The device address of a global variable in it, in the current context. The driver's answer. */
shim_result kernels_global(const struct loaded_kernels *kernels, const char *name,
                           uint64_t *address, size_t *size_B);

/* What a kernel of it uses: registers of a thread, and bytes of local memory for spills and what is
 * called. The driver's answer; a library is asked on the current context's device. */
shim_result kernels_use(const struct loaded_kernels *kernels, const char *name, int *registers,
                        int *local_B);

/* Takes it out of the driver again. */
void kernels_unload(const struct loaded_kernels *kernels);

#endif
