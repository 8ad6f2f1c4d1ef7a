/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that is linked with no libcuda and looks the encoders up, each way that is common:
 *   found_calls handle    dlopen("libcuda.so.1"), dlsym: Triton
 *   found_calls default   dlsym(RTLD_DEFAULT)
 *   found_calls lookup    dlsym of cuGetProcAddress, of CUDA 11
 *   found_calls lookup2   dlsym of cuGetProcAddress_v2: CUDA's runtime
 *   found_calls nested    cuGetProcAddress_v2 asked for cuGetProcAddress, and that asked
 *   found_calls first     what becomes of errno in a process's first call, and in the next
 *   found_calls bad       a call whose arrays are nowhere
 *   found_calls faults    a call that breaks as many rules as one can
 *   found_calls edges     arrays and maps that end where memory ends, and 8 or 64 bytes behind it
 *   found_calls names     what cuGetProcAddress_v2 answers to names and versions
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "call_cases.h"

static const char *const names[] = {"cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col",
                                    "cuTensorMapEncodeIm2colWide", "cuTensorMapReplaceAddress"};

static void *handle; /* the driver's, or RTLD_DEFAULT */

/* As careful programs do it: an error left behind by somebody else counts as one. */
static void *symbol(const char *name) {
    dlerror();
    void *found = dlsym(handle, name);
    const char *error = dlerror();
    if (error) {
        printf("dlsym %s: %s\n", name, error);
    }
    return found;
}

static lookup_v2_call *v2_by_symbol(void) {
    union {
        void *address;
        lookup_v2_call *call;
    } as = {symbol("cuGetProcAddress_v2")};
    return as.call;
}

static lookup_v2_call *nested(void) {
    union {
        void *address;
        lookup_v2_call *call;
    } as = {NULL};
    lookup_v2_call *first = v2_by_symbol();
    if (first) {
        first("cuGetProcAddress", &as.address, 12000, 0, NULL);
    }
    return as.call;
}

static void *found(const char *way, const char *name) {
    void *function = NULL;
    if (!strcmp(way, "lookup")) {
        union {
            void *address;
            lookup_call *call;
        } as = {symbol("cuGetProcAddress")};
        if (as.call) {
            as.call(name, &function, 12080, 0);
        }
    } else if (!strcmp(way, "lookup2") || !strcmp(way, "nested")) {
        lookup_v2_call *lookup = !strcmp(way, "nested") ? nested() : v2_by_symbol();
        if (lookup) {
            lookup(name, &function, 12080, 0, NULL);
        }
    } else {
        function = symbol(name);
    }
    return function;
}

static void ask(lookup_v2_call *lookup, const char *name, int version, cuuint64_t flags) {
    void *function = &handle;
    CUdriverProcAddressQueryResult status = 77;
    const CUresult rc = lookup(name, &function, version, flags, &status);
    printf("%s %d %d: %u, status %u, %s\n", *name ? name : "-", version, (int)flags, (unsigned)rc,
           (unsigned)status,
           function == &handle ? "untouched"
           : function          ? "found"
                               : "null");
}

/* The same of the first cuGetProcAddress, which has no status. */
static int first_lookup(void) {
    union {
        void *address;
        lookup_call *call;
    } as = {symbol("cuGetProcAddress")};
    const int versions[] = {13000, 11080, 13010};
    for (int i = 0; as.call && i < 3; i++) {
        void *function = &handle;
        const CUresult rc = as.call(names[0], &function, versions[i], 0);
        printf("first %d: %u, %s\n", versions[i], (unsigned)rc,
               function == &handle ? "untouched" : "found");
    }
    return !as.call;
}

static int names_and_versions(void) {
    lookup_v2_call *lookup = v2_by_symbol();
    if (!lookup) {
        return 1;
    }
    for (int i = 0; i < 4; i++) {
        ask(lookup, names[i], 13000, 0);
    }
    ask(lookup, "cuTensorMapEncodeTiled", 11080, 0);
    ask(lookup, "cuTensorMapEncodeTiled", 12000, 0);
    ask(lookup, "cuTensorMapEncodeIm2colWide", 12000, 0);
    ask(lookup, "cuTensorMapEncodeIm2colWide", 12080, 2);
    ask(lookup, "cuTensorMapEncodeTiled", 13010, 0);
    ask(lookup, "cuTensorMapEncodeTiled", 12000, 4);
    ask(lookup, "cuTensorMapEncodeNothing", 13000, 0);
    ask(lookup, "cuGetProcAddress", 11030, 0);
    ask(lookup, "cuGetProcAddress_v2", 13000, 0);
    ask(lookup, "", 13000, 0);
    ask(lookup, "cuTensorMapEncodeTiled", -1, 0);
    return first_lookup();
}

static int first_calls(const struct driver_calls *calls) {
    CUtensorMap map;
    for (int i = 0; i < 2; i++) {
        errno = 77;
        const CUresult rc = encode_matrix(calls->tiled, &map, 64, 0x7f0000000000);
        const int error = errno;
        printf("encode %u, errno %d\n", (unsigned)rc, error);
    }
    return 0;
}

/* A driver that has something else to say does not look at the arrays. */
static int bad_pointers(const struct driver_calls *calls) {
    static CUtensorMap map;
    const cuuint64_t *nowhere = (const cuuint64_t *)8;
    const cuuint32_t box[2] = {64, 128};
    const CUresult rc =
        calls->tiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, NULL, nowhere, nowhere, box, box,
                     CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                     CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    printf("encode %u\n", (unsigned)rc);
    printf("replace %u\n", (unsigned)calls->replace((CUtensorMap *)(uintptr_t)64, &map));
    return 0;
}

static int many_faults(const struct driver_calls *calls) {
    static CUtensorMap map;
    static const cuuint64_t dim[5] = {0};
    static const cuuint64_t far = (cuuint64_t)1 << 60;
    const cuuint64_t stride[4] = {far + 8, far + 24, far + 40, far + 56};
    static const cuuint32_t step[5] = {0};
    static const int corner[3] = {99999, -99999, 77777};
    const CUresult rc =
        calls->im2col(&map, (CUtensorMapDataType)99, 5, (void *)(uintptr_t)(far + 8), dim, stride,
                      corner, corner, 0, 0, step, (CUtensorMapInterleave)9, (CUtensorMapSwizzle)99,
                      (CUtensorMapL2promotion)9, (CUtensorMapFloatOOBfill)9);
    printf("encode %u\n", (unsigned)rc);
    return 0;
}

/* A matrix whose sizes and map lie at these addresses. */
static void encode_at(const struct driver_calls *calls, uint8_t *sizes, uint8_t *map) {
    static const cuuint64_t stride[1] = {8192};
    static const cuuint32_t box[2] = {64, 128};
    static const cuuint32_t step[2] = {1, 1};
    const CUresult rc =
        calls->tiled((CUtensorMap *)(void *)map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2,
                     (void *)(uintptr_t)0x7f0000000000, (const cuuint64_t *)(const void *)sizes,
                     stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                     CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    printf("encode %u\n", (unsigned)rc);
}

static int edges(const struct driver_calls *calls) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *pages =
        mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t *end = pages + 2 * page;
    if (pages == MAP_FAILED || mprotect(end, page, PROT_NONE)) {
        return 1;
    }
    memset(end - page, 1, page); /* other sizes elsewhere: a report comes once for each spec */
    memset(end - page, 2, 64);
    memset(end - page + 64, 3, 64);
    memset(end - page - 8, 4, 16);
    encode_at(calls, end - 16, end - page);
    encode_at(calls, end - 8, end - page);
    encode_at(calls, end - page, end - 128);
    encode_at(calls, end - page + 64, end - 64);
    encode_at(calls, end - page - 8, end - page - 64); /* over two pages that are there */
    return 0;
}

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "handle";
    union {
        void *address[4];
        struct driver_calls calls;
    } as;
    if (strcmp(way, "default") != 0 && strcmp(way, "first") != 0) {
        handle = dlopen("libcuda.so.1", RTLD_NOW);
        if (!handle) {
            printf("no libcuda.so.1\n");
            return 1;
        }
    }
    if (!strcmp(way, "names")) {
        return names_and_versions();
    }
    for (int i = 0; i < 4; i++) {
        as.address[i] = found(way, names[i]);
        if (!as.address[i]) {
            printf("%s was not found\n", names[i]);
            return 1;
        }
    }
    if (!strcmp(way, "first")) {
        return first_calls(&as.calls);
    }
    begin_driver(handle);
    if (!strcmp(way, "bad")) {
        return bad_pointers(&as.calls);
    }
    if (!strcmp(way, "faults")) {
        return many_faults(&as.calls);
    }
    if (!strcmp(way, "edges")) {
        return edges(&as.calls);
    }
    run_cases(&as.calls);
    return 0;
}
