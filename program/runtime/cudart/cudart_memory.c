/* SPDX-License-Identifier: Apache-2.0
 *
 * The runtime's memory: cudaMalloc and its kin, copies and sets.
 */
#include "cudart_calls.h"

PROGRAM_API cuda_error cudaMalloc(void **devPtr, size_t size);
cuda_error cudaMalloc(void **devPtr, size_t size) {
    return cudart_result(tma_program_allocate(devPtr, size, PROGRAM_DEVICE_MEMORY));
}

PROGRAM_API cuda_error cudaMallocAsync(void **devPtr, size_t size, cuda_stream stream);
cuda_error cudaMallocAsync(void **devPtr, size_t size, cuda_stream stream) {
    (void)stream;
    return cudaMalloc(devPtr, size);
}

PROGRAM_API cuda_error cudaMallocManaged(void **devPtr, size_t size, unsigned flags);
cuda_error cudaMallocManaged(void **devPtr, size_t size, unsigned flags) {
    (void)flags;
    return cudart_result(tma_program_allocate(devPtr, size, PROGRAM_MANAGED));
}

PROGRAM_API cuda_error cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height);
cuda_error cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height) {
    return cudart_result(tma_program_allocate_rows(devPtr, pitch, width, height));
}

PROGRAM_API cuda_error cudaHostAlloc(void **pHost, size_t size, unsigned flags);
cuda_error cudaHostAlloc(void **pHost, size_t size, unsigned flags) {
    (void)flags;
    return cudart_result(tma_program_allocate(pHost, size, PROGRAM_HOST));
}

PROGRAM_API cuda_error cudaMallocHost(void **ptr, size_t size);
cuda_error cudaMallocHost(void **ptr, size_t size) {
    return cudaHostAlloc(ptr, size, 0);
}

PROGRAM_API cuda_error cudaFree(void *devPtr);
cuda_error cudaFree(void *devPtr) {
    return cudart_result(tma_program_release(devPtr, 0));
}

PROGRAM_API cuda_error cudaFreeAsync(void *devPtr, cuda_stream stream);
cuda_error cudaFreeAsync(void *devPtr, cuda_stream stream) {
    (void)stream;
    return cudaFree(devPtr);
}

PROGRAM_API cuda_error cudaFreeHost(void *ptr);
cuda_error cudaFreeHost(void *ptr) {
    return cudaFree(ptr);
}

PROGRAM_API cuda_error cudaHostRegister(void *ptr, size_t size, unsigned flags);
cuda_error cudaHostRegister(void *ptr, size_t size, unsigned flags) {
    (void)flags;
    return cudart_result(tma_program_register(ptr, size));
}

PROGRAM_API cuda_error cudaHostUnregister(void *ptr);
cuda_error cudaHostUnregister(void *ptr) {
    return cudart_result(tma_program_release(ptr, 1));
}

PROGRAM_API cuda_error cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned flags);
cuda_error cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned flags) {
    (void)flags;
    if (!pDevice || !pHost) {
        return cudart_result(CUDA_INVALID_VALUE);
    }
    *pDevice = pHost;
    return CUDA_SUCCESS;
}

PROGRAM_API cuda_error cudaMemGetInfo(size_t *left, size_t *total);
cuda_error cudaMemGetInfo(size_t *left, size_t *total) {
    if (!left || !total) {
        return cudart_result(CUDA_INVALID_VALUE);
    }
    *left = tma_program_device()->memory_B - tma_program_used_B();
    *total = tma_program_device()->memory_B;
    return cudart_state();
}

PROGRAM_API cuda_error cudaPointerGetAttributes(cuda_pointer_attributes *out, const void *ptr);
cuda_error cudaPointerGetAttributes(cuda_pointer_attributes *out, const void *ptr) {
    program_block block;
    if (!out) {
        return cudart_result(CUDA_INVALID_VALUE);
    }
    *out = (cuda_pointer_attributes){.device = -2, .host_pointer = (void *)(uintptr_t)ptr};
    if (tma_program_block_of(&block, ptr)) {
        out->type = block.type == PROGRAM_REGISTERED ? PROGRAM_HOST : block.type;
        out->device = 0;
        out->device_pointer = (void *)(uintptr_t)ptr;
        out->host_pointer = out->type == PROGRAM_DEVICE_MEMORY ? NULL : out->device_pointer;
    }
    return CUDA_SUCCESS;
}

/* Where managed memory lies makes no difference: all that is behind the size is not looked at. */
static cuda_error managed(const void *ptr, size_t size_B) {
    program_block block;
    const int is = size_B && tma_program_block_of(&block, ptr) && block.type == PROGRAM_MANAGED;
    return cudart_result(is ? tma_program_died() : CUDA_INVALID_VALUE);
}

PROGRAM_API cuda_error cudaMemPrefetchAsync(const void *devPtr, size_t count);
cuda_error cudaMemPrefetchAsync(const void *devPtr, size_t count) {
    return managed(devPtr, count);
}

PROGRAM_API cuda_error cudaMemAdvise(const void *devPtr, size_t count);
cuda_error cudaMemAdvise(const void *devPtr, size_t count) {
    return managed(devPtr, count);
}

PROGRAM_API cuda_error cudaStreamAttachMemAsync(cuda_stream stream, void *devPtr);
cuda_error cudaStreamAttachMemAsync(cuda_stream stream, void *devPtr) {
    program_block block;
    const int is = tma_program_block_of(&block, devPtr) && block.type == PROGRAM_MANAGED;
    return cudart_result(is ? tma_program_stream_wait(stream) : CUDA_INVALID_VALUE);
}

/* ---- copies ---- */

PROGRAM_API cuda_error cudaMemcpyAsync(void *dst, const void *src, size_t count, uint32_t kind,
                                       cuda_stream stream);
cuda_error cudaMemcpyAsync(void *dst, const void *src, size_t count, uint32_t kind,
                           cuda_stream stream) {
    (void)kind;
    const program_copy copy = {.to = dst, .from = src, .width_B = count, .rows = 1};
    return cudart_result(tma_program_copy(stream, &copy));
}

PROGRAM_API cuda_error cudaMemcpy(void *dst, const void *src, size_t count, uint32_t kind);
cuda_error cudaMemcpy(void *dst, const void *src, size_t count, uint32_t kind) {
    return cudaMemcpyAsync(dst, src, count, kind, NULL);
}

PROGRAM_API cuda_error cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                                         size_t width, size_t height, uint32_t kind,
                                         cuda_stream stream);
cuda_error cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                             size_t height, uint32_t kind, cuda_stream stream) {
    (void)kind;
    const program_copy copy = {dst, src, dpitch, spitch, width, height};
    const int fits = width <= dpitch && width <= spitch;
    return cudart_result(fits ? tma_program_copy(stream, &copy) : CUDA_INVALID_VALUE);
}

PROGRAM_API cuda_error cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch,
                                    size_t width, size_t height, uint32_t kind);
cuda_error cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                        size_t height, uint32_t kind) {
    return cudaMemcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, NULL);
}

PROGRAM_API cuda_error cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width,
                                         size_t height, cuda_stream stream);
cuda_error cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height,
                             cuda_stream stream) {
    const program_set set = {devPtr, pitch, width, height, (uint8_t)value, 1};
    const int fits = width <= pitch || height <= 1;
    return cudart_result(fits ? tma_program_set(stream, &set) : CUDA_INVALID_VALUE);
}

PROGRAM_API cuda_error cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width,
                                    size_t height);
cuda_error cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height) {
    return cudaMemset2DAsync(devPtr, pitch, value, width, height, NULL);
}

PROGRAM_API cuda_error cudaMemsetAsync(void *devPtr, int value, size_t count, cuda_stream stream);
cuda_error cudaMemsetAsync(void *devPtr, int value, size_t count, cuda_stream stream) {
    return cudaMemset2DAsync(devPtr, count, value, count, 1, stream);
}

PROGRAM_API cuda_error cudaMemset(void *devPtr, int value, size_t count);
cuda_error cudaMemset(void *devPtr, int value, size_t count) {
    return cudaMemsetAsync(devPtr, value, count, NULL);
}

/* ---- pools: there is one, and nothing to do ---- */

static char default_pool; /* an address to tell by */

PROGRAM_API cuda_error cudaDeviceGetDefaultMemPool(void **pool, int device);
cuda_error cudaDeviceGetDefaultMemPool(void **pool, int device) {
    if (!pool || device) {
        return cudart_result(device ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE);
    }
    *pool = &default_pool;
    return CUDA_SUCCESS;
}

PROGRAM_API cuda_error cudaMemPoolTrimTo(void *pool, size_t most_B);
cuda_error cudaMemPoolTrimTo(void *pool, size_t most_B) {
    (void)pool;
    (void)most_B;
    return cudart_state();
}

PROGRAM_API cuda_error cudaMemPoolSetAttribute(void *pool, uint32_t attribute, void *value);
cuda_error cudaMemPoolSetAttribute(void *pool, uint32_t attribute, void *value) {
    (void)pool;
    (void)attribute;
    (void)value;
    return cudart_state();
}
