/* SPDX-License-Identifier: Apache-2.0
 *
 * The CUDA runtime's four look-ups, asked without CUDA; and, where RUNTIME is defined, a library in
 * the runtime's place, which says what it was asked and finds nothing.
 */
#include <stdio.h>

#include "driver_abi.h"

typedef shim_result lookup(const char *symbol, void **funcPtr, unsigned long long flags,
                           shim_lookup_status *driverStatus);
typedef shim_result lookup_version(const char *symbol, void **funcPtr, unsigned cudaVersion,
                                   unsigned long long flags, shim_lookup_status *driverStatus);
SHIM_EXPORT lookup cudaGetDriverEntryPoint, cudaGetDriverEntryPoint_ptsz;
SHIM_EXPORT lookup_version cudaGetDriverEntryPointByVersion, cudaGetDriverEntryPointByVersion_ptsz;

#ifdef RUNTIME
static shim_result asked(const char *call, const char *symbol, unsigned version,
                         unsigned long long flags, shim_lookup_status *status) {
    printf("the runtime's %s: %s %u %llu\n", call, symbol, version, flags);
    *status = 66;
    return 999;
}

#define LOOKUP(name)                                                                               \
    shim_result name(const char *symbol, void **funcPtr, unsigned long long flags,                 \
                     shim_lookup_status *driverStatus) {                                           \
        (void)funcPtr;                                                                             \
        return asked(#name, symbol, 0, flags, driverStatus);                                       \
    }
#define LOOKUP_VERSION(name)                                                                       \
    shim_result name(const char *symbol, void **funcPtr, unsigned cudaVersion,                     \
                     unsigned long long flags, shim_lookup_status *driverStatus) {                 \
        (void)funcPtr;                                                                             \
        return asked(#name, symbol, cudaVersion, flags, driverStatus);                             \
    }

LOOKUP(cudaGetDriverEntryPoint)
LOOKUP(cudaGetDriverEntryPoint_ptsz)
LOOKUP_VERSION(cudaGetDriverEntryPointByVersion)
LOOKUP_VERSION(cudaGetDriverEntryPointByVersion_ptsz)
#else
static lookup *const lookups[] = {cudaGetDriverEntryPoint, cudaGetDriverEntryPoint_ptsz};
static lookup_version *const versions[] = {cudaGetDriverEntryPointByVersion,
                                           cudaGetDriverEntryPointByVersion_ptsz};

static void print(shim_result rc, shim_lookup_status status, const void *found) {
    printf("%u, status %u, %s\n", rc, status, found ? "found" : "null");
}

static void ask(const char *symbol, unsigned version) {
    for (int i = 0; i < 2; i++) {
        shim_lookup_status status = 77;
        void *found = NULL;
        const shim_result rc = version ? versions[i](symbol, &found, version, 2, &status)
                                       : lookups[i](symbol, &found, 1, &status);
        print(rc, status, found);
    }
}

int main(void) {
    void *found = NULL;
    ask("cuTensorMapEncodeTiled", 0);
    ask("cuTensorMapEncodeTiled", 12000);
    ask("cuTensorMapEncodeTiled", 11080);
    ask("cuNothing", 0);
    ask("cuNothing", 12000);
    const shim_result rc = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, 0, NULL);
    print(rc, 77, found); /* who wants no status */
    return 0;
}
#endif
