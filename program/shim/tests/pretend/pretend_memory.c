/* SPDX-License-Identifier: Apache-2.0
 *
 * The pretend driver's memory: PRETEND_MEMORY=START+SIZE,... are ranges that are there until they
 * are freed, numbers as C has them; START^SIZE is the host's memory. What is allocated is the range
 * that was freed last, with the size that is asked for. PRETEND_END=N: what the stream
 * answers.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver_abi.h"
#include "gate.h"

#define MOST_RANGES 8

static struct range {
    uint64_t start, size_B;
    int is_hosts;
} ranges[MOST_RANGES];
static struct range *last_freed;

static void read_ranges(void) {
    static int done;
    const char *text = getenv("PRETEND_MEMORY");
    for (int i = 0; !done && text && *text && i < MOST_RANGES; i++) {
        char *end = NULL;
        ranges[i].start = strtoull(text, &end, 0);
        ranges[i].is_hosts = *end == '^';
        ranges[i].size_B = strtoull(end + 1, &end, 0);
        text = *end ? end + 1 : end;
    }
    done = 1;
}

static struct range *range_at(uint64_t address) {
    read_ranges();
    for (int i = 0; i < MOST_RANGES; i++) {
        if (address >= ranges[i].start && address - ranges[i].start < ranges[i].size_B) {
            return &ranges[i];
        }
    }
    return NULL;
}

enum { GATE_OPEN, GATE_CLOSED, GATE_MET };
static atomic_int gate;

void gate_close(void) {
    atomic_store(&gate, GATE_CLOSED);
}

int gate_is_met(void) {
    return atomic_load(&gate) == GATE_MET;
}

void gate_open(void) {
    atomic_store(&gate, GATE_OPEN);
}

void gate_pass(void) {
    int closed = GATE_CLOSED;
    if (atomic_compare_exchange_strong(&gate, &closed, GATE_MET)) {
        while (gate_is_met()) {
            (void)sched_yield();
        }
    }
}

SHIM_EXPORT shim_range_call cuMemGetAddressRange_v2;
SHIM_EXPORT shim_result cuMemGetAddressRange_v2(shim_address *pbase, size_t *psize,
                                                shim_address dptr) {
    const struct range *r = range_at(dptr);
    gate_pass();
    if (!r || r->is_hosts) {
        return SHIM_ERROR_NOT_FOUND; /* as an H200's driver 13.0 */
    }
    *pbase = r->start;
    *psize = r->size_B;
    return SHIM_SUCCESS;
}

SHIM_EXPORT shim_pointer_call cuPointerGetAttribute;
SHIM_EXPORT shim_result cuPointerGetAttribute(void *data, uint32_t attribute, shim_address ptr) {
    const struct range *r = range_at(ptr);
    if (!r || (attribute != SHIM_POINTER_RANGE_START && attribute != SHIM_POINTER_RANGE_SIZE)) {
        return SHIM_ERROR_INVALID_VALUE;
    }
    memcpy(data, attribute == SHIM_POINTER_RANGE_START ? &r->start : &r->size_B, sizeof(r->start));
    return SHIM_SUCCESS;
}

static shim_result give_back(const char *name, uint64_t address) {
    struct range *r = range_at(address);
    if (getenv("PRETEND_TRACE")) {
        printf("the driver's %s\n", name);
    }
    if (!r || r->start != address) {
        return SHIM_ERROR_INVALID_VALUE;
    }
    r->size_B = 0;
    last_freed = r;
    return SHIM_SUCCESS;
}

SHIM_EXPORT shim_result cuMemFree_v2(shim_address dptr) {
    return give_back("cuMemFree_v2", dptr);
}

SHIM_EXPORT shim_result cuMemFreeAsync(shim_address dptr, struct CUstream_st *hStream) {
    (void)hStream;
    return give_back("cuMemFreeAsync", dptr);
}

SHIM_EXPORT shim_result cuMemFreeAsync_ptsz(shim_address dptr, struct CUstream_st *hStream) {
    (void)hStream;
    return give_back("cuMemFreeAsync_ptsz", dptr);
}

SHIM_EXPORT shim_result cuMemUnmap(shim_address ptr, size_t size) {
    const struct range *r = range_at(ptr);
    return r && r->size_B == size ? give_back("cuMemUnmap", ptr) : SHIM_ERROR_INVALID_VALUE;
}

static shim_result have(const char *name, shim_address *address, size_t size_B) {
    if (getenv("PRETEND_TRACE")) {
        printf("the driver's %s\n", name);
    }
    if (!last_freed) {
        return SHIM_ERROR_INVALID_VALUE;
    }
    last_freed->size_B = size_B;
    *address = last_freed->start;
    last_freed = NULL;
    return SHIM_SUCCESS;
}

SHIM_EXPORT shim_result cuMemAlloc_v2(shim_address *dptr, size_t bytesize) {
    return have("cuMemAlloc_v2", dptr, bytesize);
}

SHIM_EXPORT shim_result cuMemAllocPitch_v2(shim_address *dptr, size_t *pPitch, size_t WidthInBytes,
                                           size_t Height, unsigned ElementSizeBytes) {
    *pPitch = WidthInBytes;
    return ElementSizeBytes == 4 ? have("cuMemAllocPitch_v2", dptr, WidthInBytes * Height)
                                 : SHIM_ERROR_INVALID_VALUE;
}

SHIM_EXPORT shim_result cuMemAllocManaged(shim_address *dptr, size_t bytesize, unsigned flags) {
    return flags == 1 ? have("cuMemAllocManaged", dptr, bytesize) : SHIM_ERROR_INVALID_VALUE;
}

SHIM_EXPORT shim_result cuMemAllocAsync(shim_address *dptr, size_t bytesize,
                                        struct CUstream_st *hStream) {
    (void)hStream;
    return have("cuMemAllocAsync", dptr, bytesize);
}

SHIM_EXPORT shim_result cuMemAllocAsync_ptsz(shim_address *dptr, size_t bytesize,
                                             struct CUstream_st *hStream) {
    (void)hStream;
    return have("cuMemAllocAsync_ptsz", dptr, bytesize);
}

SHIM_EXPORT shim_result cuMemAllocFromPoolAsync(shim_address *dptr, size_t bytesize,
                                                struct CUmemPoolHandle_st *pool,
                                                struct CUstream_st *hStream) {
    (void)pool;
    (void)hStream;
    return have("cuMemAllocFromPoolAsync", dptr, bytesize);
}

SHIM_EXPORT shim_result cuMemAllocFromPoolAsync_ptsz(shim_address *dptr, size_t bytesize,
                                                     struct CUmemPoolHandle_st *pool,
                                                     struct CUstream_st *hStream) {
    (void)pool;
    (void)hStream;
    return have("cuMemAllocFromPoolAsync_ptsz", dptr, bytesize);
}

SHIM_EXPORT shim_result cuMemMap(shim_address ptr, size_t size, size_t offset,
                                 unsigned long long handle, unsigned long long flags) {
    shim_address at = 0;
    return offset || handle != 1 || flags || !last_freed || last_freed->start != ptr
               ? SHIM_ERROR_INVALID_VALUE
               : have("cuMemMap", &at, size);
}

SHIM_EXPORT shim_stream_call cuStreamQuery;
SHIM_EXPORT shim_result cuStreamQuery(struct CUstream_st *hStream) {
    const char *end = getenv("PRETEND_END");
    (void)hStream;
    return end ? (shim_result)strtoul(end, NULL, 10) : SHIM_SUCCESS;
}
