/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory: what the device may touch is what was allocated or registered here, at the host's own
 * addresses. Copies are made at once.
 */
#include <stdlib.h>
#include <string.h>

#include "emulated_program.h"

#define ALIGNMENT_B 512 /* cudaMalloc's, as cudaDeviceProp.textureAlignment has it */
#define UNIT_B      16  /* a tensor store writes whole units */

enum { HOST = 1, DEVICE = 2, MANAGED = 3, REGISTERED = 4 };

static program_block *blocks; /* under the lock */
static size_t used_B;         /* of the device */

const program_block *program_blocks(void) {
    return blocks;
}

static int is_on_device(uint32_t type) {
    return type == DEVICE || type == MANAGED;
}

static cuda_error add(void *at, size_t size_B, uint32_t type) {
    const size_t device_B = is_on_device(type) ? size_B : 0;
    program_block *block = malloc(sizeof(*block));
    if (!block) {
        return CUDA_MEMORY_ALLOCATION;
    }
    program_lock();
    const int is_room = device_B <= PROGRAM_MEMORY_B - used_B;
    if (is_room) {
        *block = (program_block){.at = at, .size_B = size_B, .type = type, .next = blocks};
        blocks = block;
        used_B += device_B;
    }
    program_unlock();
    if (!is_room) {
        free(block);
    }
    return is_room ? CUDA_SUCCESS : CUDA_MEMORY_ALLOCATION;
}

static cuda_error allocate(void **out, size_t size_B, uint32_t type) {
    const cuda_error failed = program_failed();
    if (failed != CUDA_SUCCESS) {
        return failed;
    }
    if (!out) {
        return program_result(CUDA_INVALID_VALUE);
    }
    *out = NULL;
    if (!size_B) {
        return CUDA_SUCCESS;
    }
    if (size_B > PROGRAM_MEMORY_B) {
        return program_result(CUDA_MEMORY_ALLOCATION);
    }
    const size_t room_B = (size_B + ALIGNMENT_B - 1) / ALIGNMENT_B * ALIGNMENT_B;
    void *at = aligned_alloc(ALIGNMENT_B, room_B);
    if (!at || add(at, (size_B + UNIT_B - 1) / UNIT_B * UNIT_B, type) != CUDA_SUCCESS) {
        free(at);
        return program_result(CUDA_MEMORY_ALLOCATION);
    }
    *out = at;
    return CUDA_SUCCESS;
}

static cuda_error release(void *at, int was_registered) {
    const cuda_error failed = program_failed();
    if (!at || failed != CUDA_SUCCESS) {
        return failed;
    }
    program_lock();
    program_block **where = &blocks;
    while (*where && !((*where)->at == at && ((*where)->type == REGISTERED) == was_registered)) {
        where = &(*where)->next;
    }
    program_block *block = *where;
    if (block) {
        *where = block->next;
        used_B -= is_on_device(block->type) ? block->size_B : 0;
    }
    program_unlock();
    if (!block) {
        return program_result(CUDA_INVALID_VALUE);
    }
    if (!was_registered) {
        free(at);
    }
    free(block);
    return CUDA_SUCCESS;
}

PROGRAM_API cuda_error cudaMalloc(void **devPtr, size_t size);
cuda_error cudaMalloc(void **devPtr, size_t size) {
    return allocate(devPtr, size, DEVICE);
}

PROGRAM_API cuda_error cudaMallocAsync(void **devPtr, size_t size, cuda_stream stream);
cuda_error cudaMallocAsync(void **devPtr, size_t size, cuda_stream stream) {
    (void)stream;
    return allocate(devPtr, size, DEVICE);
}

PROGRAM_API cuda_error cudaMallocManaged(void **devPtr, size_t size, unsigned flags);
cuda_error cudaMallocManaged(void **devPtr, size_t size, unsigned flags) {
    (void)flags;
    return allocate(devPtr, size, MANAGED);
}

PROGRAM_API cuda_error cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height);
cuda_error cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height) {
    if (!pitch) {
        return program_result(CUDA_INVALID_VALUE);
    }
    if (width > PROGRAM_MEMORY_B) {
        return program_result(CUDA_MEMORY_ALLOCATION);
    }
    *pitch = (width + ALIGNMENT_B - 1) / ALIGNMENT_B * ALIGNMENT_B;
    if (*pitch && height > PROGRAM_MEMORY_B / *pitch) {
        return program_result(CUDA_MEMORY_ALLOCATION);
    }
    return allocate(devPtr, *pitch * height, DEVICE);
}

PROGRAM_API cuda_error cudaHostAlloc(void **pHost, size_t size, unsigned flags);
cuda_error cudaHostAlloc(void **pHost, size_t size, unsigned flags) {
    (void)flags;
    return allocate(pHost, size, HOST);
}

PROGRAM_API cuda_error cudaMallocHost(void **ptr, size_t size);
cuda_error cudaMallocHost(void **ptr, size_t size) {
    return allocate(ptr, size, HOST);
}

PROGRAM_API cuda_error cudaFree(void *devPtr);
cuda_error cudaFree(void *devPtr) {
    return release(devPtr, 0);
}

PROGRAM_API cuda_error cudaFreeAsync(void *devPtr, cuda_stream stream);
cuda_error cudaFreeAsync(void *devPtr, cuda_stream stream) {
    (void)stream;
    return release(devPtr, 0);
}

PROGRAM_API cuda_error cudaFreeHost(void *ptr);
cuda_error cudaFreeHost(void *ptr) {
    return release(ptr, 0);
}

PROGRAM_API cuda_error cudaHostRegister(void *ptr, size_t size, unsigned flags);
cuda_error cudaHostRegister(void *ptr, size_t size, unsigned flags) {
    (void)flags;
    return program_result(ptr && size ? add(ptr, size, REGISTERED) : CUDA_INVALID_VALUE);
}

PROGRAM_API cuda_error cudaHostUnregister(void *ptr);
cuda_error cudaHostUnregister(void *ptr) {
    return release(ptr, 1);
}

PROGRAM_API cuda_error cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned flags);
cuda_error cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned flags) {
    (void)flags;
    if (!pDevice || !pHost) {
        return program_result(CUDA_INVALID_VALUE);
    }
    *pDevice = pHost;
    return CUDA_SUCCESS;
}

PROGRAM_API cuda_error cudaMemGetInfo(size_t *left, size_t *total);
cuda_error cudaMemGetInfo(size_t *left, size_t *total) {
    if (!left || !total) {
        return program_result(CUDA_INVALID_VALUE);
    }
    program_lock();
    *left = PROGRAM_MEMORY_B - used_B;
    program_unlock();
    *total = PROGRAM_MEMORY_B;
    return program_failed();
}

PROGRAM_API cuda_error cudaPointerGetAttributes(cuda_pointer_attributes *out, const void *ptr);
cuda_error cudaPointerGetAttributes(cuda_pointer_attributes *out, const void *ptr) {
    if (!out) {
        return program_result(CUDA_INVALID_VALUE);
    }
    *out = (cuda_pointer_attributes){.device = -2, .host_pointer = (void *)(uintptr_t)ptr};
    program_lock();
    for (const program_block *b = blocks; b; b = b->next) {
        if ((uintptr_t)ptr - (uintptr_t)b->at < b->size_B) {
            out->type = b->type == REGISTERED ? HOST : b->type;
            out->device = 0;
            out->device_pointer = (void *)(uintptr_t)ptr;
            out->host_pointer = out->type == DEVICE ? NULL : out->device_pointer;
        }
    }
    program_unlock();
    return CUDA_SUCCESS;
}

/* ---- copies ---- */

static cuda_error copy(void *to, const void *from, size_t size_B) {
    const cuda_error failed = program_failed();
    if (failed != CUDA_SUCCESS || !size_B) {
        return failed;
    }
    if (!to || !from) {
        return program_result(CUDA_INVALID_VALUE);
    }
    memmove(to, from, size_B);
    return CUDA_SUCCESS;
}

PROGRAM_API cuda_error cudaMemcpy(void *dst, const void *src, size_t count, uint32_t kind);
cuda_error cudaMemcpy(void *dst, const void *src, size_t count, uint32_t kind) {
    (void)kind;
    return copy(dst, src, count);
}

PROGRAM_API cuda_error cudaMemcpyAsync(void *dst, const void *src, size_t count, uint32_t kind,
                                       cuda_stream stream);
cuda_error cudaMemcpyAsync(void *dst, const void *src, size_t count, uint32_t kind,
                           cuda_stream stream) {
    (void)kind;
    (void)stream;
    return copy(dst, src, count);
}

PROGRAM_API cuda_error cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch,
                                    size_t width, size_t height, uint32_t kind);
cuda_error cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                        size_t height, uint32_t kind) {
    (void)kind;
    if (width > dpitch || width > spitch) {
        return program_result(CUDA_INVALID_VALUE);
    }
    cuda_error error = CUDA_SUCCESS;
    for (size_t row = 0; row < height && error == CUDA_SUCCESS; row++) {
        error = copy((uint8_t *)dst + row * dpitch, (const uint8_t *)src + row * spitch, width);
    }
    return error;
}

PROGRAM_API cuda_error cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                                         size_t width, size_t height, uint32_t kind,
                                         cuda_stream stream);
cuda_error cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                             size_t height, uint32_t kind, cuda_stream stream) {
    (void)stream;
    return cudaMemcpy2D(dst, dpitch, src, spitch, width, height, kind);
}

PROGRAM_API cuda_error cudaMemset(void *devPtr, int value, size_t count);
cuda_error cudaMemset(void *devPtr, int value, size_t count) {
    const cuda_error failed = program_failed();
    if (failed != CUDA_SUCCESS || !count) {
        return failed;
    }
    if (!devPtr) {
        return program_result(CUDA_INVALID_VALUE);
    }
    memset(devPtr, value, count);
    return CUDA_SUCCESS;
}

PROGRAM_API cuda_error cudaMemsetAsync(void *devPtr, int value, size_t count, cuda_stream stream);
cuda_error cudaMemsetAsync(void *devPtr, int value, size_t count, cuda_stream stream) {
    (void)stream;
    return cudaMemset(devPtr, value, count);
}

/* ---- pools: there is one, and nothing to do ---- */

PROGRAM_API cuda_error cudaDeviceGetDefaultMemPool(void **pool, int device);
cuda_error cudaDeviceGetDefaultMemPool(void **pool, int device) {
    if (!pool || device) {
        return program_result(device ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE);
    }
    *pool = &blocks;
    return CUDA_SUCCESS;
}

PROGRAM_API cuda_error cudaMemPoolTrimTo(void *pool, size_t most_B);
cuda_error cudaMemPoolTrimTo(void *pool, size_t most_B) {
    (void)pool;
    (void)most_B;
    return program_failed();
}

PROGRAM_API cuda_error cudaMemPoolSetAttribute(void *pool, uint32_t attribute, void *value);
cuda_error cudaMemPoolSetAttribute(void *pool, uint32_t attribute, void *value) {
    (void)pool;
    (void)attribute;
    (void)value;
    return program_failed();
}
