/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that the driver has loaded: who wants to know of them, and what they hold.
 */
#ifndef SHIM_LOADED_KERNELS_H
#define SHIM_LOADED_KERNELS_H

#include "driver_abi.h"

/* A module or a library: the one that is not null. */
struct loaded_kernels {
    struct CUmod_st *module;
    struct CUlib_st *library;
};

/* Called on the thread that loads, with the context that it has, after the driver's success. A
 * library may be loaded without a context: the call comes again whenever a kernel or the module of
 * it is asked for. errno is the caller's care. */
void kernels_loaded(const struct loaded_kernels *kernels);

/* The device address of a global variable in it, in the current context. The driver's answer. */
shim_result kernels_global(const struct loaded_kernels *kernels, const char *name,
                           uint64_t *address, size_t *size_B);

#endif
