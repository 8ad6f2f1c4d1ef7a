/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening a GPU: which one it is, and for which target the code that runs on it was compiled.
 */
#include <string.h>

#include "cuda_check.h"
#include "device.h"

static int opened;

/* 'a' where the code has all of its chip's instructions, 'f' where it has its family's. */
static __global__ void suffix_kernel(char *suffix) {
#if defined(__CUDA_ARCH_SPECIFIC__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
    *suffix = 'a';
#elif defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
    *suffix = 'f';
#else
    *suffix = 0;
#endif
}

static const char *read_suffix(char *suffix) {
    char *on_device = NULL;
    CUDA_TRY(cudaMalloc((void **)&on_device, 1));
    CUDA_TRY_KERNEL(suffix_kernel<<<1, 1>>>(on_device));
    CUDA_TRY(cudaMemcpy(suffix, on_device, 1, cudaMemcpyDeviceToHost));
    CUDA_TRY(cudaFree(on_device));
    return NULL;
}

const char *device_open(int ordinal, struct device_info *info) {
    cudaDeviceProp properties;
    int driver = 0;
    CUDA_TRY(cudaSetDevice(ordinal));
    CUDA_TRY(cudaGetDeviceProperties(&properties, ordinal));
    CUDA_TRY(cudaDriverGetVersion(&driver));
    opened = ordinal;
    memset(info, 0, sizeof(*info));
    memcpy(info->name, properties.name, sizeof(info->name));
    info->name[sizeof(info->name) - 1] = 0;
    info->target.sm = (uint16_t)(properties.major * 10 + properties.minor);
    info->target.driver = (uint32_t)driver;
    info->multiprocessors = (unsigned)properties.multiProcessorCount;
    info->shared_B = properties.sharedMemPerBlockOptin;
    return read_suffix(&info->target.suffix);
}

void device_use(void) {
    cudaSetDevice(opened);
}
