/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's calls that give memory back. They are passed on; which maps lose their memory by
 * them is remembered (map_memory.h).
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
