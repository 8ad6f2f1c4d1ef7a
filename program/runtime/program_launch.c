/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches, as nvcc's <<<>>> and the runtime's calls make them; what is asked of kernels.
 */
#include <string.h>

#include "emulated_program.h"

/* NOLINTBEGIN(bugprone-reserved-identifier): names of the runtime */

#define MOST_CONFIGURATIONS 16

enum { FUNCTION_DYNAMIC_SHARED = 8 }; /* cudaFuncAttributeMaxDynamicSharedMemorySize */

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
        return program_result(CUDA_INVALID_CONFIGURATION);
    }
    const configuration *c = &pushed[--count];
    *grid = c->grid;
    *block = c->block;
    *sharedMem = c->shared_B;
    *(cuda_stream *)stream = c->stream;
    return CUDA_SUCCESS;
}

static cuda_error launch(const void *func, const program_launch *how) {
    const cuda_error failed = program_failed();
    if (failed != CUDA_SUCCESS) {
        return failed;
    }
    program_lock();
    program_kernel *k = program_kernel_of(func);
    cuda_error error = CUDA_INVALID_DEVICE_FUNCTION;
    if (k) {
        const size_t most_B =
            k->dynamic_shared_most_B ? (size_t)k->dynamic_shared_most_B : ATTRIBUTE_BLOCK_SHARED_B;
        error = how->dynamic_shared_B > most_B ? CUDA_INVALID_VALUE : program_run(k, how);
    }
    program_unlock();
    return program_result(error);
}

PROGRAM_API cuda_error cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args,
                                        size_t sharedMem, cuda_stream stream);
cuda_error cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t sharedMem,
                            cuda_stream stream) {
    (void)stream;
    const program_launch how = {.grid = {grid.x, grid.y, grid.z},
                                .block = {block.x, block.y, block.z},
                                .dynamic_shared_B = sharedMem,
                                .args = args};
    return launch(func, &how);
}

PROGRAM_API cuda_error cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block,
                                                   void **args, size_t sharedMem,
                                                   cuda_stream stream);
cuda_error cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args,
                                       size_t sharedMem, cuda_stream stream) {
    return cudaLaunchKernel(func, grid, block, args, sharedMem, stream);
}

PROGRAM_API cuda_error cudaLaunchKernelExC(const cuda_launch_config *config, const void *func,
                                           void **args);
cuda_error cudaLaunchKernelExC(const cuda_launch_config *config, const void *func, void **args) {
    if (!config || (config->attributes && !config->attribute)) {
        return program_result(CUDA_INVALID_VALUE);
    }
    program_launch how = {.grid = {config->grid.x, config->grid.y, config->grid.z},
                          .block = {config->block.x, config->block.y, config->block.z},
                          .dynamic_shared_B = config->dynamic_shared_B,
                          .args = args};
    for (uint32_t i = 0; i < config->attributes; i++) {
        if (config->attribute[i].id == CUDA_ATTRIBUTE_CLUSTER) {
            memcpy(how.cluster, config->attribute[i].value.cluster, sizeof(how.cluster));
        }
    }
    return launch(func, &how);
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

static cuda_error with_kernel(const void *func, program_kernel **k) {
    program_lock();
    *k = program_kernel_of(func);
    program_unlock();
    return program_result(*k ? CUDA_SUCCESS : CUDA_INVALID_DEVICE_FUNCTION);
}

PROGRAM_API cuda_error cudaFuncSetAttribute(const void *func, uint32_t attribute, int value);
cuda_error cudaFuncSetAttribute(const void *func, uint32_t attribute, int value) {
    program_kernel *k = NULL;
    const cuda_error error = with_kernel(func, &k);
    if (error != CUDA_SUCCESS || attribute != FUNCTION_DYNAMIC_SHARED) {
        return error;
    }
    if (value < 0 || value > ATTRIBUTE_BLOCK_SHARED_OPTIN_B) {
        return program_result(CUDA_INVALID_VALUE);
    }
    k->dynamic_shared_most_B = value;
    return CUDA_SUCCESS;
}

PROGRAM_API cuda_error cudaFuncGetAttributes(cuda_function_attributes *out, const void *func);
cuda_error cudaFuncGetAttributes(cuda_function_attributes *out, const void *func) {
    program_kernel *k = NULL;
    const cuda_error error = out ? with_kernel(func, &k) : program_result(CUDA_INVALID_VALUE);
    if (error == CUDA_SUCCESS && k) {
        *out = (cuda_function_attributes){.threads_most = ATTRIBUTE_BLOCK_THREADS,
                                          .ptx_version = 90,
                                          .binary_version = ATTRIBUTE_MAJOR * 10 + ATTRIBUTE_MINOR,
                                          .dynamic_shared_most_B = k->dynamic_shared_most_B};
    }
    return error;
}

PROGRAM_API cuda_error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func,
                                                                     int threads, size_t shared_B);
cuda_error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func, int threads,
                                                         size_t shared_B) {
    (void)threads;
    (void)shared_B;
    program_kernel *k = NULL;
    *blocks = 1; /* registers are not known */
    return with_kernel(func, &k);
}

/* NOLINTEND(bugprone-reserved-identifier) */
