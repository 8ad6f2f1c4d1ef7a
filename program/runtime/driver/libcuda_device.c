/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's device, one.
 */
#include <stdio.h>
#include <string.h>

#include "libcuda_calls.h"

uint32_t cuInit(unsigned Flags) {
    if (Flags) {
        return CUDA_INVALID_VALUE;
    }
    program_context_init();
    return CUDA_SUCCESS;
}

uint32_t cuDriverGetVersion(int *driverVersion) {
    if (!driverVersion) {
        return CUDA_INVALID_VALUE;
    }
    *driverVersion = PROGRAM_VERSION;
    return CUDA_SUCCESS;
}

/* What a call for a device answers: `out` is where its answer goes. */
static uint32_t begin(const void *out, int dev) {
    const uint32_t state = program_context_state(0);
    return state != CUDA_SUCCESS ? state
           : !out                ? CUDA_INVALID_VALUE
           : dev                 ? CUDA_INVALID_DEVICE
                                 : CUDA_SUCCESS;
}

uint32_t cuDeviceGet(int *device, int ordinal) {
    const uint32_t error = begin(device, ordinal);
    if (error == CUDA_SUCCESS) {
        *device = 0;
    }
    return error;
}

uint32_t cuDeviceGetCount(int *count) {
    const uint32_t error = begin(count, 0);
    if (error == CUDA_SUCCESS) {
        *count = 1;
    }
    return error;
}

uint32_t cuDeviceGetName(char *name, int len, int dev) {
    const uint32_t error = begin(name, dev);
    if (error == CUDA_SUCCESS && len > 0) {
        snprintf(name, (size_t)len, "%s", tma_program_device()->name);
    }
    return error == CUDA_SUCCESS && len <= 0 ? CUDA_INVALID_VALUE : error;
}

uint32_t cuDeviceGetUuid_v2(struct CUuuid_st *uuid, int dev) {
    const uint32_t error = begin(uuid, dev);
    if (error == CUDA_SUCCESS) {
        memcpy(uuid->bytes, "libtma emulated", sizeof(uuid->bytes));
    }
    return error;
}

uint32_t cuDeviceGetUuid(struct CUuuid_st *uuid, int dev) {
    return cuDeviceGetUuid_v2(uuid, dev);
}

uint32_t cuDeviceTotalMem_v2(size_t *bytes, int dev) {
    const uint32_t error = begin(bytes, dev);
    if (error == CUDA_SUCCESS) {
        *bytes = tma_program_device()->memory_B;
    }
    return error;
}

uint32_t cuDeviceGetAttribute(int *pi, uint32_t attrib, int dev) {
    const uint32_t error = begin(pi, dev);
    if (error != CUDA_SUCCESS || !attrib || attrib >= PROGRAM_MOST_ATTRIBUTES) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    *pi = tma_program_attribute((int)attrib);
    return CUDA_SUCCESS;
}

uint32_t cuDeviceComputeCapability(int *major, int *minor, int dev) {
    const uint32_t error = begin(major && minor ? major : NULL, dev);
    if (error == CUDA_SUCCESS) {
        *major = PROGRAM_ATTRIBUTE(MAJOR);
        *minor = PROGRAM_ATTRIBUTE(MINOR);
    }
    return error;
}

uint32_t cuDeviceGetPCIBusId(char *pciBusId, int len, int dev) {
    const uint32_t error = begin(pciBusId, dev);
    if (error == CUDA_SUCCESS && len > 0) {
        snprintf(pciBusId, (size_t)len, "0000:00:00.0");
    }
    return error == CUDA_SUCCESS && len <= 0 ? CUDA_INVALID_VALUE : error;
}

uint32_t cuDeviceCanAccessPeer(int *canAccessPeer, int dev, int peerDev) {
    const uint32_t error = begin(canAccessPeer, dev ? dev : peerDev);
    if (error == CUDA_SUCCESS) {
        *canAccessPeer = 0;
    }
    return error;
}
