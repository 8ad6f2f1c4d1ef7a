/* SPDX-License-Identifier: Apache-2.0
 *
 * libtma-cudart.so: cudaGetDriverEntryPoint and its kin, for programs that use the shared CUDA
 * runtime where no driver is. The runtime itself gives up there before it looks for anything, so
 * the look-ups of what libtma-cuda.so has are answered in front of it; all others go on to it.
 * A library of its own, because where there is a driver nothing needs it.
 */
#include <dlfcn.h>
#include <stddef.h>

#include "driver_abi.h"

#define RUNTIME_INSUFFICIENT_DRIVER 35u /* what the runtime answers without driver */
#define ANY_VERSION                 12080

typedef shim_result runtime_lookup(const char *symbol, void **funcPtr, unsigned long long flags,
                                   shim_lookup_status *driverStatus);
typedef shim_result runtime_lookup_version(const char *symbol, void **funcPtr, unsigned cudaVersion,
                                           unsigned long long flags,
                                           shim_lookup_status *driverStatus);

union runtime_function {
    void *address;
    runtime_lookup *lookup;
    runtime_lookup_version *lookup_version;
};

/* Found, or refused: the answer in the runtime's numbers, which for these are the driver's. */
static int answered(const char *symbol, void **funcPtr, int version, unsigned long long flags,
                    shim_lookup_status *driverStatus, shim_result *rc) {
    shim_lookup_status status = SHIM_LOOKUP_SUCCESS;
    const shim_result found = cuGetProcAddress_v2(symbol, funcPtr, version, flags, &status);
    if (status == SHIM_LOOKUP_NOT_FOUND) {
        return 0;
    }
    *rc = found;
    if (driverStatus) {
        *driverStatus = status;
    }
    return 1;
}

#define LOOKUP_VERSION(name)                                                                       \
    SHIM_EXPORT runtime_lookup_version name;                                                       \
    shim_result name(const char *symbol, void **funcPtr, unsigned cudaVersion,                     \
                     unsigned long long flags, shim_lookup_status *driverStatus) {                 \
        shim_result rc = RUNTIME_INSUFFICIENT_DRIVER;                                              \
        if (answered(symbol, funcPtr, (int)cudaVersion, flags, driverStatus, &rc)) {               \
            return rc;                                                                             \
        }                                                                                          \
        const union runtime_function next = {dlsym(RTLD_NEXT, #name)};                             \
        if (next.lookup_version) {                                                                 \
            rc = next.lookup_version(symbol, funcPtr, cudaVersion, flags, driverStatus);           \
        }                                                                                          \
        return rc;                                                                                 \
    }

#define LOOKUP(name)                                                                               \
    SHIM_EXPORT runtime_lookup name;                                                               \
    shim_result name(const char *symbol, void **funcPtr, unsigned long long flags,                 \
                     shim_lookup_status *driverStatus) {                                           \
        shim_result rc = RUNTIME_INSUFFICIENT_DRIVER;                                              \
        if (answered(symbol, funcPtr, ANY_VERSION, flags, driverStatus, &rc)) {                    \
            return rc;                                                                             \
        }                                                                                          \
        const union runtime_function next = {dlsym(RTLD_NEXT, #name)};                             \
        if (next.lookup) {                                                                         \
            rc = next.lookup(symbol, funcPtr, flags, driverStatus);                                \
        }                                                                                          \
        return rc;                                                                                 \
    }

LOOKUP(cudaGetDriverEntryPoint)
LOOKUP(cudaGetDriverEntryPoint_ptsz)
LOOKUP_VERSION(cudaGetDriverEntryPointByVersion)
LOOKUP_VERSION(cudaGetDriverEntryPointByVersion_ptsz)
