/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's launches.
 */
#include <string.h>

#include "libcuda_calls.h"
#include "libcuda_handles.h"

/* What `extra` names, in cuda.h's numbers. */
enum { EXTRA_END = 0, EXTRA_BUFFER = 1, EXTRA_SIZE = 2 };

static int take_extra(program_launch *how, void **extra) {
    for (; extra && (uintptr_t)*extra != EXTRA_END; extra += 2) {
        if ((uintptr_t)*extra == EXTRA_BUFFER) {
            how->params = extra[1];
        } else if ((uintptr_t)*extra == EXTRA_SIZE) {
            how->params_B = *(const size_t *)extra[1];
        } else {
            return 0;
        }
    }
    return 1;
}

static uint32_t launch(struct CUstream_st *stream, struct CUfunc_st *f, program_launch *how,
                       void **extra) {
    const uint32_t error = libcuda_state();
    program_kernel *k = error == CUDA_SUCCESS ? libcuda_kernel(f) : NULL;
    if (!k) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_RESOURCE_HANDLE;
    }
    if (!take_extra(how, extra) || (how->args && how->params)) {
        return CUDA_INVALID_VALUE;
    }
    return libcuda_result(tma_program_launch(stream, k, how));
}

uint32_t cuLaunchKernel(struct CUfunc_st *f, unsigned gridDimX, unsigned gridDimY,
                        unsigned gridDimZ, unsigned blockDimX, unsigned blockDimY,
                        unsigned blockDimZ, unsigned sharedMemBytes, struct CUstream_st *hStream,
                        void **kernelParams, void **extra) {
    program_launch how = {.grid = {gridDimX, gridDimY, gridDimZ},
                          .block = {blockDimX, blockDimY, blockDimZ},
                          .dynamic_shared_B = sharedMemBytes,
                          .args = kernelParams};
    return launch(hStream, f, &how, extra);
}

uint32_t cuLaunchCooperativeKernel(struct CUfunc_st *f, unsigned gridDimX, unsigned gridDimY,
                                   unsigned gridDimZ, unsigned blockDimX, unsigned blockDimY,
                                   unsigned blockDimZ, unsigned sharedMemBytes,
                                   struct CUstream_st *hStream, void **kernelParams) {
    program_launch how = {.grid = {gridDimX, gridDimY, gridDimZ},
                          .block = {blockDimX, blockDimY, blockDimZ},
                          .cooperative = 1,
                          .dynamic_shared_B = sharedMemBytes,
                          .args = kernelParams};
    return launch(hStream, f, &how, NULL);
}

static void take_attributes(program_launch *how, const struct CUlaunchConfig_st *config) {
    for (uint32_t i = 0; i < config->attributes; i++) {
        if (config->attribute[i].id == CUDA_ATTRIBUTE_CLUSTER) {
            memcpy(how->cluster, config->attribute[i].value.cluster, sizeof(how->cluster));
        } else if (config->attribute[i].id == CUDA_ATTRIBUTE_COOPERATIVE) {
            how->cooperative = config->attribute[i].value.cooperative != 0;
        }
    }
}

uint32_t cuLaunchKernelEx(const struct CUlaunchConfig_st *config, struct CUfunc_st *f,
                          void **kernelParams, void **extra) {
    if (!config || (config->attributes && !config->attribute)) {
        return CUDA_INVALID_VALUE;
    }
    program_launch how = {.dynamic_shared_B = config->dynamic_shared_B, .args = kernelParams};
    memcpy(how.grid, config->grid, sizeof(how.grid));
    memcpy(how.block, config->block, sizeof(how.block));
    take_attributes(&how, config);
    return launch(config->stream, f, &how, extra);
}

uint32_t cuLaunchHostFunc(struct CUstream_st *hStream, program_host_call *fn, void *userData) {
    const uint32_t error = libcuda_state();
    return error != CUDA_SUCCESS ? error : tma_program_call(hStream, fn, userData);
}

/* ---- occupancy ---- */

uint32_t cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks,
                                                              struct CUfunc_st *func, int blockSize,
                                                              size_t dynamicSMemSize,
                                                              unsigned flags) {
    const uint32_t error = libcuda_state();
    program_kernel *k = error == CUDA_SUCCESS ? libcuda_kernel(func) : NULL;
    if (!k || flags > 1) {
        return error != CUDA_SUCCESS ? error
               : k                   ? CUDA_INVALID_VALUE
                                     : CUDA_INVALID_RESOURCE_HANDLE;
    }
    return libcuda_result(tma_program_occupancy(numBlocks, k, blockSize, dynamicSMemSize));
}

uint32_t cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, struct CUfunc_st *func,
                                                     int blockSize, size_t dynamicSMemSize) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize,
                                                                dynamicSMemSize, 0);
}

uint32_t cuOccupancyMaxActiveClusters(int *numClusters, struct CUfunc_st *func,
                                      const struct CUlaunchConfig_st *config) {
    const uint32_t error = libcuda_state();
    program_launch how = {.grid = {1, 1, 1}};
    if (error != CUDA_SUCCESS || !config || (config->attributes && !config->attribute)) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    take_attributes(&how, config);
    return libcuda_kernel(func) ? tma_program_clusters(numClusters, how.cluster)
                                : CUDA_INVALID_RESOURCE_HANDLE;
}
