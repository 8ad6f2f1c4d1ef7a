/* SPDX-License-Identifier: Apache-2.0
 *
 * What nvcc has a program register before main(): fatbinaries, kernels, variables.
 */
#include <stdlib.h>
#include <string.h>

#include "cudart_calls.h"

/* NOLINTBEGIN(bugprone-reserved-identifier): names of the runtime */

/* ---- the calls; names and types are host_runtime.h's ---- */

PROGRAM_API void **__cudaRegisterFatBinary(void *fatCubin);
void **__cudaRegisterFatBinary(void *fatCubin) {
    program_module *m = tma_program_module_new(fatCubin, SIZE_MAX);
    if (!m) {
        abort();
    }
    return (void **)m;
}

PROGRAM_API void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFatBinaryEnd(void **handle) {
    (void)handle;
}

PROGRAM_API void __cudaUnregisterFatBinary(void **handle);
void __cudaUnregisterFatBinary(void **handle) {
    tma_program_module_free((program_module *)handle);
}

PROGRAM_API char __cudaInitModule(void **handle);
char __cudaInitModule(void **handle) {
    (void)handle;
    return 1;
}

PROGRAM_API void __cudaRegisterFunction(void **handle, const char *host, char *device,
                                        const char *name, int threads, void *tid, void *bid,
                                        void *block, void *grid, int *warp);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, void *tid, void *bid, void *block, void *grid, int *warp) {
    (void)device;
    (void)threads;
    (void)tid;
    (void)bid;
    (void)block;
    (void)grid;
    (void)warp;
    if (!tma_program_kernel_new((program_module *)handle, name, strlen(name), host)) {
        abort();
    }
}

PROGRAM_API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name,
                                   int is_extern, size_t size, int is_constant, int is_global);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern,
                       size_t size, int is_constant, int is_global) {
    (void)device; /* the same name */
    (void)is_extern;
    (void)size;
    (void)is_constant;
    (void)is_global;
    if (!tma_program_symbol_new((program_module *)handle, host, name)) {
        abort();
    }
}

/* NOLINTEND(bugprone-reserved-identifier) */
