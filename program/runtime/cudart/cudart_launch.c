/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches, as nvcc's <<<>>> and the runtime's calls make them; what is asked of kernels.
 */
#include <string.h>

#include "cudart_calls.h"

/* NOLINTBEGIN(bugprone-reserved-identifier): names of the runtime */

#define MOST_CONFIGURATIONS 16

typedef struct configuration {
    dim3 grid, block;
    size_t shared_B;
    cuda_stream stream;
} configuration;

static _Thread_local configuration pushed[MOST_CONFIGURATIONS];
static _Thread_local unsigned count;

PROGRAM_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t sharedMem,
                                                 cuda_stream stream);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t sharedMem, cuda_stream stream) {
    if (count == MOST_CONFIGURATIONS) {
        return CUDA_INVALID_CONFIGURATION;
    }
    pushed[count++] = (configuration){grid, block, sharedMem, stream};
    return 0;
}

PROGRAM_API cuda_error __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *sharedMem,
                                                  void *stream);
cuda_error __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *sharedMem, void *stream) {
    if (!count) {
        return cudart_result(CUDA_INVALID_CONFIGURATION);
    }
    const configuration *c = &pushed[--count];
    *grid = c->grid;
    *block = c->block;
    *sharedMem = c->shared_B;
    *(cuda_stream *)stream = c->stream;
    return CUDA_SUCCESS;
}

static cuda_error launch(cuda_stream stream, const void *func, const program_launch *how) {
    program_kernel *k = tma_program_kernel_of(func);
    return cudart_result(k ? tma_program_launch(stream, k, how) : CUDA_INVALID_DEVICE_FUNCTION);
}

PROGRAM_API cuda_error cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args,
                                        size_t sharedMem, cuda_stream stream);
cuda_error cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t sharedMem,
                            cuda_stream stream) {
    const program_launch how = {.grid = {grid.x, grid.y, grid.z},
                                .block = {block.x, block.y, block.z},
                                .dynamic_shared_B = sharedMem,
                                .args = args};
    return launch(stream, func, &how);
}

PROGRAM_API cuda_error cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block,
                                                   void **args, size_t sharedMem,
                                                   cuda_stream stream);
cuda_error cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args,
                                       size_t sharedMem, cuda_stream stream) {
    const program_launch how = {.grid = {grid.x, grid.y, grid.z},
                                .block = {block.x, block.y, block.z},
                                .cooperative = 1,
                                .dynamic_shared_B = sharedMem,
                                .args = args};
    return launch(stream, func, &how);
}

static void take_attributes(program_launch *how, const cuda_launch_config *config) {
    for (uint32_t i = 0; i < config->attributes; i++) {
        if (config->attribute[i].id == CUDA_ATTRIBUTE_CLUSTER) {
            memcpy(how->cluster, config->attribute[i].value.cluster, sizeof(how->cluster));
        } else if (config->attribute[i].id == CUDA_ATTRIBUTE_COOPERATIVE) {
            how->cooperative = config->attribute[i].value.cooperative != 0;
        }
    }
}

PROGRAM_API cuda_error cudaLaunchKernelExC(const cuda_launch_config *config, const void *func,
                                           void **args);
cuda_error cudaLaunchKernelExC(const cuda_launch_config *config, const void *func, void **args) {
    if (!config || (config->attributes && !config->attribute)) {
        return cudart_result(CUDA_INVALID_VALUE);
    }
    program_launch how = {.grid = {config->grid.x, config->grid.y, config->grid.z},
                          .block = {config->block.x, config->block.y, config->block.z},
                          .dynamic_shared_B = config->dynamic_shared_B,
                          .args = args};
    take_attributes(&how, config);
    return launch(config->stream, func, &how);
}

/* CUDA 13's compiler launches by a handle, which is the function here. */
PROGRAM_API cuda_error __cudaGetKernel(const void **kernel, const void *func);
cuda_error __cudaGetKernel(const void **kernel, const void *func) {
    *kernel = func;
    return CUDA_SUCCESS;
}

PROGRAM_API cuda_error __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args,
                                          size_t sharedMem, cuda_stream stream);
cuda_error __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args,
                              size_t sharedMem, cuda_stream stream) {
    return cudaLaunchKernel(kernel, grid, block, args, sharedMem, stream);
}

/* ---- attributes ---- */

PROGRAM_API cuda_error cudaFuncSetAttribute(const void *func, uint32_t attribute, int value);
cuda_error cudaFuncSetAttribute(const void *func, uint32_t attribute, int value) {
    program_kernel *k = tma_program_kernel_of(func);
    return cudart_result(k ? tma_program_kernel_set(k, attribute, value)
                           : CUDA_INVALID_DEVICE_FUNCTION);
}

PROGRAM_API cuda_error cudaFuncSetCacheConfig(const void *func, uint32_t config);
cuda_error cudaFuncSetCacheConfig(const void *func, uint32_t config) {
    (void)config;
    return cudart_result(tma_program_kernel_of(func) ? tma_program_died()
                                                     : CUDA_INVALID_DEVICE_FUNCTION);
}

PROGRAM_API cuda_error cudaFuncGetAttributes(cuda_function_attributes *out, const void *func);
cuda_error cudaFuncGetAttributes(cuda_function_attributes *out, const void *func) {
    program_kernel *k = tma_program_kernel_of(func);
    if (!k || !out) {
        return cudart_result(out ? CUDA_INVALID_DEVICE_FUNCTION : CUDA_INVALID_VALUE);
    }
    int value[KERNEL_ATTRIBUTES] = {0};
    for (uint32_t i = 0; i < KERNEL_ATTRIBUTES; i++) {
        const cuda_error error = tma_program_kernel_get(&value[i], i, k);
        if (error != CUDA_SUCCESS) {
            return cudart_result(error);
        }
    }
    *out = (cuda_function_attributes){
        .shared_B = (size_t)value[KERNEL_SHARED_B],
        .local_B = (size_t)value[KERNEL_LOCAL_B],
        .threads_most = value[KERNEL_THREADS],
        .ptx_version = value[KERNEL_PTX_VERSION],
        .binary_version = value[KERNEL_BINARY_VERSION],
        .dynamic_shared_most_B = value[KERNEL_DYNAMIC_SHARED_B],
        .cluster_must_be_set = value[KERNEL_CLUSTER_MUST_BE_SET],
        .cluster = {value[KERNEL_CLUSTER_X], value[KERNEL_CLUSTER_Y], value[KERNEL_CLUSTER_Z]},
        .non_portable_cluster = value[KERNEL_NON_PORTABLE_CLUSTER],
    };
    return CUDA_SUCCESS;
}

/* ---- occupancy: registers are not known, so 1 for what fits at all ---- */

PROGRAM_API cuda_error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *func, int threads, size_t shared_B, unsigned flags);
cuda_error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *func,
                                                                  int threads, size_t shared_B,
                                                                  unsigned flags) {
    (void)flags;
    program_kernel *k = tma_program_kernel_of(func);
    return cudart_result(k ? tma_program_occupancy(blocks, k, threads, shared_B)
                           : CUDA_INVALID_DEVICE_FUNCTION);
}

PROGRAM_API cuda_error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func,
                                                                     int threads, size_t shared_B);
cuda_error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func, int threads,
                                                         size_t shared_B) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, func, threads, shared_B,
                                                                  0);
}

PROGRAM_API cuda_error cudaOccupancyMaxActiveClusters(int *clusters, const void *func,
                                                      const cuda_launch_config *config);
cuda_error cudaOccupancyMaxActiveClusters(int *clusters, const void *func,
                                          const cuda_launch_config *config) {
    program_launch how = {.grid = {1, 1, 1}};
    if (!config || (config->attributes && !config->attribute)) {
        return cudart_result(CUDA_INVALID_VALUE);
    }
    take_attributes(&how, config);
    program_kernel *k = tma_program_kernel_of(func);
    return cudart_result(k ? tma_program_clusters(clusters, how.cluster)
                           : CUDA_INVALID_DEVICE_FUNCTION);
}

/* NOLINTEND(bugprone-reserved-identifier) */
