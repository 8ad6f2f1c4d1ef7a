/* SPDX-License-Identifier: Apache-2.0
 *
 * class_calls WAY: cuTensorMapSetAllocationClass, found by dlsym ("handle"), cuGetProcAddress_v2
 * ("lookup2") or the linker ("direct"), on a map of 64 KiB and one of 64 MiB. Prints each answer,
 * *outAllocClass, bit 21 of word 2, and whether any other bit changed.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "driver_abi.h"

#define UNTOUCHED 77u

static shim_class_call *found(const char *way) {
    union {
        void *address;
        shim_lookup_v2_call *lookup;
        shim_class_call *call;
    } as = {NULL};
    void *handle = dlopen("libcuda.so.1", RTLD_NOW);
    if (!strcmp(way, "direct")) {
        return cuTensorMapSetAllocationClass;
    }
    as.address = handle ? dlsym(handle, !strcmp(way, "handle") ? "cuTensorMapSetAllocationClass"
                                                               : "cuGetProcAddress_v2")
                        : NULL;
    if (as.address && strcmp(way, "handle") != 0) {
        void *function = NULL;
        as.lookup("cuTensorMapSetAllocationClass", &function, 13050, 0, NULL);
        as.address = function;
    }
    return as.call;
}

static void encode(uint8_t *map, uint32_t rows) {
    const uint64_t dim[2] = {256, rows};
    const uint64_t stride[1] = {512};
    const uint32_t box[2] = {64, 64};
    const uint32_t step[2] = {1, 1};
    const shim_result rc =
        cuTensorMapEncodeTiled((struct CUtensorMap_st *)map, 9, 2, (void *)0x7f0000000000, dim,
                               stride, box, step, 0, 3, 0, 0);
    printf("encode %u, bit %d\n", rc, map[10] >> 5 & 1);
}

static void set(shim_class_call *call, uint8_t *map, uint32_t allocation_class, int with_out) {
    uint8_t before[TMA_MAP_BYTES] = {0};
    uint8_t after[TMA_MAP_BYTES] = {0};
    uint32_t out = UNTOUCHED;
    if (map) {
        memcpy(before, map, sizeof(before));
    }
    errno = 77;
    const shim_result rc =
        call((struct CUtensorMap_st *)map, allocation_class, with_out ? &out : NULL);
    const int error = errno;
    if (map) {
        memcpy(after, map, sizeof(after));
    }
    const int bit = after[10] >> 5 & 1;
    before[10] = (uint8_t)(before[10] & ~0x20);
    after[10] = (uint8_t)(after[10] & ~0x20);
    printf("class %u: %u, errno %d, out %u, bit %d, %s\n", allocation_class, rc, error, out, bit,
           memcmp(before, after, sizeof(after)) ? "spoilt" : "else the same");
}

int main(int argc, char **argv) {
    static _Alignas(128) uint8_t map[TMA_MAP_BYTES];
    shim_class_call *call = found(argc > 1 ? argv[1] : "direct");
    if (!call) {
        printf("cuTensorMapSetAllocationClass was not found\n");
        return 1;
    }
    for (int large = 0; large < 2; large++) {
        encode(map, large ? 131072 : 128);
        set(call, map, 2, 1);
        set(call, map, 0, 1);
        set(call, map, 1, 1);
        set(call, map, 0, 0);
        set(call, map, 3, 1);
    }
    set(call, NULL, 0, 1);
    set(call, NULL, 0, 0);
    set(call, map, 3, 0);
    return 0;
}
