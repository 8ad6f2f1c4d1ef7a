/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's calls that give memory back or bring it. They are passed on; which maps lose their
 * memory by them, or have some again, is remembered (map_memory.h).
 */
#include "map_memory.h"
#include "own_work.h"
#include "real_driver.h"
#include "watch.h"

static shim_result freed(shim_result rc, uint64_t address, uint64_t size_B) {
    if (rc == SHIM_SUCCESS) {
        const struct own_work work = own_work_begin();
        map_memory_freed(address, size_B);
        own_work_end(&work);
    }
    return rc;
}

SHIM_EXPORT shim_result cuMemFree_v2(shim_address dptr) {
    shim_free_call *real = (shim_free_call *)real_function(AT_cuMemFree_v2);
    return real ? freed(real(dptr), dptr, 1) : watch_nothing_behind(AT_cuMemFree_v2);
}

SHIM_EXPORT shim_result cuMemFreeAsync(shim_address dptr, struct CUstream_st *hStream) {
    shim_free_async_call *real = (shim_free_async_call *)real_function(AT_cuMemFreeAsync);
    return real ? freed(real(dptr, hStream), dptr, 1) : watch_nothing_behind(AT_cuMemFreeAsync);
}

SHIM_EXPORT shim_result cuMemFreeAsync_ptsz(shim_address dptr, struct CUstream_st *hStream) {
    shim_free_async_call *real = (shim_free_async_call *)real_function(AT_cuMemFreeAsync_ptsz);
    return real ? freed(real(dptr, hStream), dptr, 1)
                : watch_nothing_behind(AT_cuMemFreeAsync_ptsz);
}

SHIM_EXPORT shim_result cuMemUnmap(shim_address ptr, size_t size) {
    shim_unmap_call *real = (shim_unmap_call *)real_function(AT_cuMemUnmap);
    return real ? freed(real(ptr, size), ptr, size) : watch_nothing_behind(AT_cuMemUnmap);
}

static shim_result came(shim_result rc, const shim_address *address, uint64_t size_B) {
    if (rc == SHIM_SUCCESS && address) {
        const struct own_work work = own_work_begin();
        map_memory_came(*address, size_B);
        own_work_end(&work);
    }
    return rc;
}

SHIM_EXPORT shim_result cuMemAlloc_v2(shim_address *dptr, size_t bytesize) {
    shim_alloc_call *real = (shim_alloc_call *)real_function(AT_cuMemAlloc_v2);
    return real ? came(real(dptr, bytesize), dptr, bytesize)
                : watch_nothing_behind(AT_cuMemAlloc_v2);
}

SHIM_EXPORT shim_result cuMemAllocPitch_v2(shim_address *dptr, size_t *pPitch, size_t WidthInBytes,
                                           size_t Height, unsigned ElementSizeBytes) {
    shim_alloc_pitch_call *real = (shim_alloc_pitch_call *)real_function(AT_cuMemAllocPitch_v2);
    if (!real) {
        return watch_nothing_behind(AT_cuMemAllocPitch_v2);
    }
    const shim_result rc = real(dptr, pPitch, WidthInBytes, Height, ElementSizeBytes);
    return came(rc, dptr, rc == SHIM_SUCCESS && pPitch ? (uint64_t)*pPitch * Height : 0);
}

SHIM_EXPORT shim_result cuMemAllocManaged(shim_address *dptr, size_t bytesize, unsigned flags) {
    shim_alloc_managed_call *real = (shim_alloc_managed_call *)real_function(AT_cuMemAllocManaged);
    return real ? came(real(dptr, bytesize, flags), dptr, bytesize)
                : watch_nothing_behind(AT_cuMemAllocManaged);
}

static shim_result alloc_async(enum shim_symbol which, shim_address *dptr, size_t bytesize,
                               struct CUstream_st *hStream) {
    shim_alloc_async_call *real = (shim_alloc_async_call *)real_function(which);
    return real ? came(real(dptr, bytesize, hStream), dptr, bytesize) : watch_nothing_behind(which);
}

SHIM_EXPORT shim_result cuMemAllocAsync(shim_address *dptr, size_t bytesize,
                                        struct CUstream_st *hStream) {
    return alloc_async(AT_cuMemAllocAsync, dptr, bytesize, hStream);
}

SHIM_EXPORT shim_result cuMemAllocAsync_ptsz(shim_address *dptr, size_t bytesize,
                                             struct CUstream_st *hStream) {
    return alloc_async(AT_cuMemAllocAsync_ptsz, dptr, bytesize, hStream);
}

static shim_result alloc_from_pool(enum shim_symbol which, shim_address *dptr, size_t bytesize,
                                   struct CUmemPoolHandle_st *pool, struct CUstream_st *hStream) {
    shim_alloc_pool_call *real = (shim_alloc_pool_call *)real_function(which);
    return real ? came(real(dptr, bytesize, pool, hStream), dptr, bytesize)
                : watch_nothing_behind(which);
}

SHIM_EXPORT shim_result cuMemAllocFromPoolAsync(shim_address *dptr, size_t bytesize,
                                                struct CUmemPoolHandle_st *pool,
                                                struct CUstream_st *hStream) {
    return alloc_from_pool(AT_cuMemAllocFromPoolAsync, dptr, bytesize, pool, hStream);
}

SHIM_EXPORT shim_result cuMemAllocFromPoolAsync_ptsz(shim_address *dptr, size_t bytesize,
                                                     struct CUmemPoolHandle_st *pool,
                                                     struct CUstream_st *hStream) {
    return alloc_from_pool(AT_cuMemAllocFromPoolAsync_ptsz, dptr, bytesize, pool, hStream);
}

SHIM_EXPORT shim_result cuMemMap(shim_address ptr, size_t size, size_t offset,
                                 unsigned long long handle, unsigned long long flags) {
    shim_map_call *real = (shim_map_call *)real_function(AT_cuMemMap);
    return real ? came(real(ptr, size, offset, handle, flags), &ptr, size)
                : watch_nothing_behind(AT_cuMemMap);
}
