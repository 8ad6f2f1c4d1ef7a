/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's memory. A CUdeviceptr is the host's own address.
 */
#include "libcuda_calls.h"

static void *address_of(device_address device) {
    return (void *)(uintptr_t)device; // NOLINT(performance-no-int-to-ptr): what a CUdeviceptr is
}

/* The driver refuses 0 bytes. */
static uint32_t allocate(void **out, size_t size_B, uint32_t type) {
    const uint32_t error = libcuda_state();
    if (error != CUDA_SUCCESS || !out || !size_B) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    return tma_program_allocate(out, size_B, type);
}

static uint32_t allocate_device(device_address *out, size_t size_B, uint32_t type) {
    void *at = NULL;
    const uint32_t error = out ? allocate(&at, size_B, type) : CUDA_INVALID_VALUE;
    if (error == CUDA_SUCCESS) {
        *out = (uintptr_t)at;
    }
    return error;
}

static uint32_t release(void *at, int was_registered) {
    const uint32_t error = libcuda_state();
    return error != CUDA_SUCCESS ? error : tma_program_release(at, was_registered);
}

uint32_t cuMemGetInfo_v2(size_t *free, size_t *total) {
    const uint32_t error = libcuda_state();
    if (error != CUDA_SUCCESS || !free || !total) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    *free = tma_program_device()->memory_B - tma_program_used_B();
    *total = tma_program_device()->memory_B;
    return CUDA_SUCCESS;
}

uint32_t cuMemAlloc_v2(device_address *dptr, size_t bytesize) {
    return allocate_device(dptr, bytesize, PROGRAM_DEVICE_MEMORY);
}

uint32_t cuMemAllocManaged(device_address *dptr, size_t bytesize, unsigned flags) {
    const int fits = flags == 1 || flags == 2 || flags == 4; /* CUmemAttach_flags */
    return fits ? allocate_device(dptr, bytesize, PROGRAM_MANAGED) : CUDA_INVALID_VALUE;
}

uint32_t cuMemAllocPitch_v2(device_address *dptr, size_t *pPitch, size_t WidthInBytes,
                            size_t Height, unsigned ElementSizeBytes) {
    void *at = NULL;
    uint32_t error = libcuda_state();
    const int is_element = ElementSizeBytes == 4 || ElementSizeBytes == 8 || ElementSizeBytes == 16;
    if (error == CUDA_SUCCESS && (!dptr || !is_element || !WidthInBytes || !Height)) {
        error = CUDA_INVALID_VALUE;
    }
    if (error == CUDA_SUCCESS) {
        error = tma_program_allocate_rows(&at, pPitch, WidthInBytes, Height);
    }
    if (error == CUDA_SUCCESS) {
        *dptr = (uintptr_t)at;
    }
    return error;
}

uint32_t cuMemFree_v2(device_address dptr) {
    return release(address_of(dptr), 0);
}

uint32_t cuMemAllocAsync(device_address *dptr, size_t bytesize, struct CUstream_st *hStream) {
    const uint32_t error = tma_program_stream_wait(hStream);
    return error != CUDA_SUCCESS ? error : cuMemAlloc_v2(dptr, bytesize);
}

uint32_t cuMemFreeAsync(device_address dptr, struct CUstream_st *hStream) {
    const uint32_t error = tma_program_stream_wait(hStream);
    return error != CUDA_SUCCESS ? error : cuMemFree_v2(dptr);
}

uint32_t cuMemHostAlloc(void **pp, size_t bytesize, unsigned Flags) {
    (void)Flags;
    return allocate(pp, bytesize, PROGRAM_HOST);
}

uint32_t cuMemAllocHost_v2(void **pp, size_t bytesize) {
    return cuMemHostAlloc(pp, bytesize, 0);
}

uint32_t cuMemFreeHost(void *p) {
    return p ? release(p, 0) : CUDA_INVALID_VALUE;
}

uint32_t cuMemHostRegister_v2(void *p, size_t bytesize, unsigned Flags) {
    (void)Flags;
    const uint32_t error = libcuda_state();
    return error != CUDA_SUCCESS ? error : tma_program_register(p, bytesize);
}

uint32_t cuMemHostUnregister(void *p) {
    return p ? release(p, 1) : CUDA_INVALID_VALUE;
}

uint32_t cuMemHostGetDevicePointer_v2(device_address *pdptr, void *p, unsigned Flags) {
    program_block block;
    const uint32_t error = libcuda_state();
    if (error != CUDA_SUCCESS || !pdptr || Flags || !tma_program_block_of(&block, p)) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    *pdptr = (uintptr_t)p;
    return CUDA_SUCCESS;
}

/* ---- what lies at an address ---- */

uint32_t cuMemGetAddressRange_v2(device_address *pbase, size_t *psize, device_address dptr) {
    program_block block;
    const uint32_t error = libcuda_state();
    if (error != CUDA_SUCCESS || !tma_program_block_of(&block, address_of(dptr))) {
        return error != CUDA_SUCCESS ? error : CUDA_SYMBOL_NOT_FOUND;
    }
    if (pbase) {
        *pbase = (uintptr_t)block.at;
    }
    if (psize) {
        *psize = block.size_B;
    }
    return CUDA_SUCCESS;
}

/* The numbers of CUpointer_attribute. */
enum {
    POINTER_CONTEXT = 1,
    POINTER_TYPE = 2,
    POINTER_DEVICE = 3,
    POINTER_HOST = 4,
    POINTER_IS_MANAGED = 8,
    POINTER_ORDINAL = 9,
    POINTER_BEGIN = 11,
    POINTER_SIZE = 12,
    POINTER_IS_MAPPED = 13
};

static uint32_t attribute(void *data, uint32_t which, const program_block *b, device_address ptr) {
    const int is_hosts = b->type == PROGRAM_HOST || b->type == PROGRAM_REGISTERED;
    switch (which) {
    case POINTER_CONTEXT:
        *(struct CUctx_st **)data = program_context_current();
        return CUDA_SUCCESS;
    case POINTER_TYPE:
        *(uint32_t *)data = is_hosts ? PROGRAM_HOST : PROGRAM_DEVICE_MEMORY;
        return CUDA_SUCCESS;
    case POINTER_DEVICE:
        *(uint64_t *)data = ptr;
        return CUDA_SUCCESS;
    case POINTER_HOST:
        if (b->type == PROGRAM_DEVICE_MEMORY) {
            return CUDA_INVALID_VALUE;
        }
        *(uint64_t *)data = ptr;
        return CUDA_SUCCESS;
    case POINTER_IS_MANAGED:
        *(uint32_t *)data = b->type == PROGRAM_MANAGED;
        return CUDA_SUCCESS;
    case POINTER_ORDINAL:
        *(int *)data = 0;
        return CUDA_SUCCESS;
    case POINTER_BEGIN:
        *(uint64_t *)data = (uintptr_t)b->at;
        return CUDA_SUCCESS;
    case POINTER_SIZE:
        *(size_t *)data = b->size_B;
        return CUDA_SUCCESS;
    case POINTER_IS_MAPPED:
        *(uint32_t *)data = 1;
        return CUDA_SUCCESS;
    default:
        return CUDA_NOT_SUPPORTED;
    }
}

uint32_t cuPointerGetAttribute(void *data, uint32_t attribute_number, device_address ptr) {
    program_block block;
    const uint32_t error = libcuda_state();
    if (error != CUDA_SUCCESS || !data || !tma_program_block_of(&block, address_of(ptr))) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    return attribute(data, attribute_number, &block, ptr);
}

/* What is not known leaves its value as it was; the driver writes zeros or nulls there. */
uint32_t cuPointerGetAttributes(unsigned numAttributes, uint32_t *attributes, void **data,
                                device_address ptr) {
    const uint32_t error = libcuda_state();
    if (error != CUDA_SUCCESS || !attributes || !data || !numAttributes) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    for (unsigned i = 0; i < numAttributes; i++) {
        cuPointerGetAttribute(data[i], attributes[i], ptr);
    }
    return CUDA_SUCCESS;
}

/* ---- pools: there is one, and nothing to do ---- */

static char default_pool; /* an address to tell by */

uint32_t cuDeviceGetDefaultMemPool(struct CUmemPoolHandle_st **pool_out, int dev) {
    const uint32_t error = program_context_state(0);
    if (error != CUDA_SUCCESS || !pool_out || dev) {
        return error != CUDA_SUCCESS ? error : dev ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    }
    *pool_out = (struct CUmemPoolHandle_st *)(void *)&default_pool;
    return CUDA_SUCCESS;
}

uint32_t cuDeviceGetMemPool(struct CUmemPoolHandle_st **pool, int dev) {
    return cuDeviceGetDefaultMemPool(pool, dev);
}

static uint32_t with_pool(const struct CUmemPoolHandle_st *pool) {
    const uint32_t error = program_context_state(0);
    return error != CUDA_SUCCESS                 ? error
           : (const void *)pool != &default_pool ? CUDA_INVALID_VALUE
                                                 : CUDA_SUCCESS;
}

uint32_t cuMemAllocFromPoolAsync(device_address *dptr, size_t bytesize,
                                 struct CUmemPoolHandle_st *pool, struct CUstream_st *hStream) {
    const uint32_t error = with_pool(pool);
    return error != CUDA_SUCCESS ? error : cuMemAllocAsync(dptr, bytesize, hStream);
}

uint32_t cuMemPoolTrimTo(struct CUmemPoolHandle_st *pool, size_t minBytesToKeep) {
    (void)minBytesToKeep;
    return with_pool(pool);
}

/* CUmemPool_attribute: three switches (int), a threshold, and four sizes, all uint64_t. Nothing
 * depends on the first four. */
enum { POOL_SWITCHES = 3, POOL_THRESHOLD = 4, POOL_SIZES = 8 };
static int pool_switch[POOL_SWITCHES + 1] = {0, 1, 1, 1};
static uint64_t pool_threshold;

uint32_t cuMemPoolSetAttribute(struct CUmemPoolHandle_st *pool, uint32_t attr, void *value) {
    const uint32_t error = with_pool(pool);
    if (error != CUDA_SUCCESS || !value || !attr || attr > POOL_THRESHOLD) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    if (attr == POOL_THRESHOLD) {
        pool_threshold = *(const uint64_t *)value;
    } else {
        pool_switch[attr] = *(const int *)value;
    }
    return CUDA_SUCCESS;
}

uint32_t cuMemPoolGetAttribute(struct CUmemPoolHandle_st *pool, uint32_t attr, void *value) {
    const uint32_t error = with_pool(pool);
    if (error != CUDA_SUCCESS || !value || !attr || attr > POOL_SIZES) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    if (attr <= POOL_SWITCHES) {
        *(int *)value = pool_switch[attr];
    } else {
        *(uint64_t *)value = attr == POOL_THRESHOLD ? pool_threshold : tma_program_used_B();
    }
    return CUDA_SUCCESS;
}
