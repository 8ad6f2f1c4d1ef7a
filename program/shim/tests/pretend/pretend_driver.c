/* SPDX-License-Identifier: Apache-2.0
 *
 * A libcuda.so.1 for tests: a driver's few functions on top of libtma, with faults on request.
 *   PRETEND_FAULT=bytes    a map with two bits that no driver 13.0 writes
 *                 flip     a map with bit PRETEND_BIT (0 to 1023) the other way
 *                 strict   refuses every call
 *                 lax      takes every call that has a rank
 *                 out      an allocation class that no call reports
 *                 blind    answers 0 and looks at nothing
 *                 gone     answers 0 to the calls that change a map, whose page nobody can read
 * then 700 ...  answers this number to every call PRETEND_CC=90          ten times the compute
 * capability; 0: no device PRETEND_DEVICE=0       the current device; each device but this one has
 * another capability PRETEND_OTHER=0        every second time that the current device is asked for,
 * it is this one, of capability 10.0 PRETEND_VERSION=13000  the driver's version PRETEND_NAME=4000
 * how long the name of error 990 is PRETEND_TRACE=1        prints each call PRETEND_ASKED=1 prints
 * each question about the device and the version PRETEND_IMAGE=FILE     where the last image of
 * kernels is left, as it came PRETEND_JIT=plain      refuses an image with libtma's checks (218);
 * none: every image (218) PRETEND_KERNEL=record  a kernel that leaves a record, when it is told
 * where skip    one that leaves three copies out cut     one that does not come to its end killed
 * one whose program is killed PRETEND_REGISTER=first the first memory for records is not taken none
 * no memory is Compiled with LACKS_WIDE it is a driver before 12.8: it has no
 * cuTensorMapEncodeIm2colWide.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver_abi.h"
#include "tma/map.h"

static const char *fault(void) {
    const char *text = getenv("PRETEND_FAULT");
    return text ? text : "";
}

static int number(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text ? (int)strtol(text, NULL, 10) : otherwise;
}

static int is_blind(void) {
    return !strcmp(fault(), "blind");
}

/* The page of a map, as if it had been unmapped. */
static int is_gone(void *map) {
    const uintptr_t page_B = (uintptr_t)sysconf(_SC_PAGESIZE);
    union {
        void *map;
        uintptr_t at;
    } page = {map};
    page.at &= ~(page_B - 1);
    return !strcmp(fault(), "gone") && !mprotect(page.map, page_B, PROT_NONE);
}

static void trace(const char *name) {
    if (number("PRETEND_TRACE", 0)) {
        printf("the driver's %s\n", name);
        fflush(stdout);
    }
}

/* A driver's constructors load and look up, too; whoever wraps that must not wait for itself. */
__attribute__((constructor)) static void begin(void) {
    void *self = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    (void)dlsym(self ? self : RTLD_DEFAULT, "cuGetProcAddress_v2");
}

static shim_result faulty(void *map, const tma_spec *spec) {
    tma_map made;
    if (!strcmp(fault(), "strict")) {
        return SHIM_ERROR_INVALID_VALUE;
    }
    if (*fault() >= '0' && *fault() <= '9') {
        return (shim_result)number("PRETEND_FAULT", 0);
    }
    if (!strcmp(fault(), "lax") && spec && spec->rank - 1 < TMA_MAX_RANK) {
        if (tma_encode_forced(made.bytes, spec, NULL, NULL) == TMA_OK) {
            memcpy(map, made.bytes, TMA_MAP_BYTES);
        }
        return SHIM_SUCCESS;
    }
    return UINT32_MAX;
}

static shim_result encoded(const char *name, void *map, const tma_spec *spec) {
    tma_map made;
    const int cc = number("PRETEND_CC", 90);
    const tma_target target = {.sm = (uint16_t)(cc ? cc : 90),
                               .driver = (uint32_t)number("PRETEND_VERSION", 13000)};
    trace(name);
    if (!strcmp(fault(), "blind")) {
        return SHIM_SUCCESS;
    }
    const shim_result wrong = faulty(map, spec);
    if (wrong != UINT32_MAX) {
        return wrong;
    }
    memset(map, 0xEE, 8); /* a driver often has written already when it refuses */
    if (tma_encode(made.bytes, spec, &target) != TMA_OK) {
        return SHIM_ERROR_INVALID_VALUE;
    }
    if (!strcmp(fault(), "bytes")) {
        made.bytes[36] ^= 1;  /* word 9: dim[1] */
        made.bytes[81] ^= 16; /* word 20: of no field */
    }
    if (!strcmp(fault(), "flip")) {
        const int bit = number("PRETEND_BIT", 0);
        made.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    memcpy(map, made.bytes, TMA_MAP_BYTES);
    return SHIM_SUCCESS;
}

/* Arrays are looked at for ranks that exist, up to the rank. Null ones are refused: with a rank of
 * 0 the spec is, too. */
static tma_spec described(tma_api api, uint32_t dtype, uint32_t rank, const void *address,
                          const uint64_t *dim, const uint64_t *stride, const uint32_t *step) {
    tma_spec spec = {.api = api, .dtype = dtype, .address = (uintptr_t)address};
    if ((*fault() >= '0' && *fault() <= '9') || !strcmp(fault(), "blind")) {
        return spec; /* a driver with such an error does not look at them */
    }
    spec.rank = dim && stride && step ? rank : 0;
    for (uint32_t i = 0; spec.rank <= TMA_MAX_RANK && i < spec.rank; i++) {
        spec.dim_el[i] = dim[i];
        spec.element_stride[i] = step[i];
        if (i + 1 < rank) {
            spec.stride_B[i] = stride[i];
        }
    }
    return spec;
}

SHIM_EXPORT shim_result cuTensorMapEncodeTiled(
    struct CUtensorMap_st *tensorMap, uint32_t tensorDataType, uint32_t tensorRank,
    void *globalAddress, const uint64_t *globalDim, const uint64_t *globalStrides,
    const uint32_t *boxDim, const uint32_t *elementStrides, uint32_t interleave, uint32_t swizzle,
    uint32_t l2Promotion, uint32_t oobFill) {
    tma_spec spec = described(TMA_API_TILED, tensorDataType, tensorRank, globalAddress, globalDim,
                              globalStrides, elementStrides);
    spec.rank = boxDim ? spec.rank : 0;
    for (uint32_t i = 0; spec.rank <= TMA_MAX_RANK && i < spec.rank; i++) {
        spec.box_el[i] = boxDim[i];
    }
    spec.interleave = interleave;
    spec.swizzle = swizzle;
    spec.l2 = l2Promotion;
    spec.fill = oobFill;
    return encoded("cuTensorMapEncodeTiled", tensorMap, &spec);
}

SHIM_EXPORT shim_result cuTensorMapEncodeIm2col(
    struct CUtensorMap_st *tensorMap, uint32_t tensorDataType, uint32_t tensorRank,
    void *globalAddress, const uint64_t *globalDim, const uint64_t *globalStrides,
    const int *pixelBoxLowerCorner, const int *pixelBoxUpperCorner, uint32_t channelsPerPixel,
    uint32_t pixelsPerColumn, const uint32_t *elementStrides, uint32_t interleave, uint32_t swizzle,
    uint32_t l2Promotion, uint32_t oobFill) {
    tma_spec spec = described(TMA_API_IM2COL, tensorDataType, tensorRank, globalAddress, globalDim,
                              globalStrides, elementStrides);
    for (uint32_t i = 0; spec.rank <= TMA_MAX_RANK && i + 2 < spec.rank; i++) {
        spec.lower_px[i] = pixelBoxLowerCorner[i];
        spec.upper_px[i] = pixelBoxUpperCorner[i];
    }
    spec.channels_per_pixel = channelsPerPixel;
    spec.pixels_per_column = pixelsPerColumn;
    spec.interleave = interleave;
    spec.swizzle = swizzle;
    spec.l2 = l2Promotion;
    spec.fill = oobFill;
    return encoded("cuTensorMapEncodeIm2col", tensorMap, &spec);
}

#ifndef LACKS_WIDE
SHIM_EXPORT shim_result cuTensorMapEncodeIm2colWide(
    struct CUtensorMap_st *tensorMap, uint32_t tensorDataType, uint32_t tensorRank,
    void *globalAddress, const uint64_t *globalDim, const uint64_t *globalStrides,
    int pixelBoxLowerCornerWidth, int pixelBoxUpperCornerWidth, uint32_t channelsPerPixel,
    uint32_t pixelsPerColumn, const uint32_t *elementStrides, uint32_t interleave, uint32_t mode,
    uint32_t swizzle, uint32_t l2Promotion, uint32_t oobFill) {
    tma_spec spec = described(TMA_API_WIDE, tensorDataType, tensorRank, globalAddress, globalDim,
                              globalStrides, elementStrides);
    spec.lower_px[0] = pixelBoxLowerCornerWidth;
    spec.upper_px[0] = pixelBoxUpperCornerWidth;
    spec.channels_per_pixel = channelsPerPixel;
    spec.pixels_per_column = pixelsPerColumn;
    spec.interleave = interleave;
    spec.wide_mode = mode;
    spec.swizzle = swizzle;
    spec.l2 = l2Promotion;
    spec.fill = oobFill;
    return encoded("cuTensorMapEncodeIm2colWide", tensorMap, &spec);
}
#endif

SHIM_EXPORT shim_result cuTensorMapReplaceAddress(struct CUtensorMap_st *tensorMap,
                                                  void *globalAddress) {
    trace("cuTensorMapReplaceAddress");
    if (is_gone(tensorMap)) {
        return SHIM_SUCCESS;
    }
    if (!strcmp(fault(), "blind")) {
        return SHIM_SUCCESS;
    }
    const shim_result wrong = faulty(tensorMap, NULL);
    if (wrong != UINT32_MAX) {
        return wrong;
    }
    const shim_result rc =
        tma_replace_address((uint8_t *)tensorMap, (uintptr_t)globalAddress, NULL) == TMA_OK
            ? SHIM_SUCCESS
            : SHIM_ERROR_INVALID_VALUE;
    if (!rc && !strcmp(fault(), "bytes")) {
        ((uint8_t *)tensorMap)[64] ^= 32; /* word 16: box_bytes */
    }
    return rc;
}

#ifndef LACKS_WIDE
SHIM_EXPORT shim_result cuTensorMapSetAllocationClass(struct CUtensorMap_st *tensorMap,
                                                      uint32_t allocClass,
                                                      uint32_t *outAllocClass) {
    const tma_target target = {.sm = (uint16_t)number("PRETEND_CC", 90),
                               .driver = (uint32_t)number("PRETEND_VERSION", 13000)};
    trace("cuTensorMapSetAllocationClass");
    if (is_gone(tensorMap)) {
        return SHIM_SUCCESS;
    }
    const shim_result wrong = faulty(tensorMap, NULL);
    if (wrong != UINT32_MAX) {
        return wrong;
    }
    if (!strcmp(fault(), "blind")) {
        return SHIM_SUCCESS;
    }
    const tma_status status =
        tma_set_allocation_class((uint8_t *)tensorMap, allocClass, outAllocClass, &target);
    if (!status && !strcmp(fault(), "bytes")) {
        ((uint8_t *)tensorMap)[10] ^= 0x20; /* bit 21 of word 2 */
    }
    if (!status && outAllocClass && !strcmp(fault(), "out")) {
        *outAllocClass = TMA_CLASS_AUTO;
    }
    return status == TMA_OK ? SHIM_SUCCESS : SHIM_ERROR_INVALID_VALUE;
}
#endif

SHIM_EXPORT shim_result cuDriverGetVersion(int *version) {
    if (number("PRETEND_ASKED", 0)) {
        printf("asked the version\n");
    }
    *version = number("PRETEND_VERSION", 13000);
    return SHIM_SUCCESS;
}

SHIM_EXPORT shim_result cuCtxGetDevice(int *device) {
    static int asked;
    const char *other = getenv("PRETEND_OTHER");
    *device = other && asked++ % 2 ? number("PRETEND_OTHER", 0) : number("PRETEND_DEVICE", 0);
    return number("PRETEND_CC", 90) ? SHIM_SUCCESS : 3;
}

SHIM_EXPORT shim_result cuDeviceGetAttribute(int *value, int attribute, int device) {
    const int current = device == number("PRETEND_DEVICE", 0);
    if (number("PRETEND_ASKED", 0)) {
        printf("asked attribute %d of %d\n", attribute, device);
    }
    const int cc = current ? number("PRETEND_CC", 90) : 100;
    *value = attribute == SHIM_ATTRIBUTE_MAJOR ? cc / 10 : cc % 10;
    return cc ? SHIM_SUCCESS : 3;
}

SHIM_EXPORT shim_result cuGetErrorName(shim_result error, const char **name) {
    static char endless[4001];
    *name = error == 911 ? "CUDA_ERROR_EXTERNAL_DEVICE" : NULL;
    if (error == 990) {
        *name = memset(endless, 'E', sizeof(endless) - 1);
        endless[number("PRETEND_NAME", sizeof(endless) - 1)] = 0;
    }
    return *name ? SHIM_SUCCESS : SHIM_ERROR_INVALID_VALUE;
}

SHIM_EXPORT shim_result cuGetErrorString(shim_result error, const char **text) {
    *text = error == 912 ? "the driver's own words" : NULL;
    return *text ? SHIM_SUCCESS : SHIM_ERROR_INVALID_VALUE;
}

/* --- kernels: a module or library is its image, a kernel a name in it --- */

static shim_result loaded(const char *name, void **to, const char *image, size_t size) {
    const char *jit = getenv("PRETEND_JIT");
    const char *path = getenv("PRETEND_IMAGE");
    trace(name);
    const int checks = memmem(image, size, "libtma_checker_", 15) != NULL;
    if (number("PRETEND_TRACE", 0)) {
        printf("image of %s: %zu B, %s\n", name, size, checks ? "checks" : "no checks");
    }
    FILE *file = path ? fopen(path, "wb") : NULL;
    if (file) {
        fwrite(image, 1, size, file);
        fclose(file);
    }
    if (jit && (!strcmp(jit, "none") || (!strcmp(jit, "plain") && checks))) {
        return 218;
    }
    char *kept = malloc(size + 1);
    if (!kept) {
        return 2; /* CUDA_ERROR_OUT_OF_MEMORY */
    }
    memcpy(kept, image, size);
    kept[size] = 0;
    *to = kept;
    return *fault() >= '0' && *fault() <= '9' ? (shim_result)number("PRETEND_FAULT", 0) : 0;
}

/* Text ends with a 0; of other images the first 4 bytes are looked at. */
static size_t image_size(const char *image) {
    return !strncmp(image,
                    "\x7f"
                    "ELF",
                    4) ||
                   !strncmp(image, "\x50\xed\x55\xba", 4) || !strncmp(image, "\xb1\x43\x62\x46", 4)
               ? 4
               : strlen(image);
}

static shim_result loaded_file(const char *name, void **to, const char *path) {
    static char image[1 << 20];
    if (is_blind()) {
        return SHIM_SUCCESS;
    }
    int cancelling = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
    FILE *file = fopen(path, "rb");
    const size_t size = file ? fread(image, 1, sizeof(image) - 1, file) : 0;
    if (file) {
        fclose(file);
    }
    pthread_setcancelstate(cancelling, NULL);
    return file ? loaded(name, to, image, size) : 301; /* CUDA_ERROR_FILE_NOT_FOUND */
}

/* The options are spoilt, as a driver writes the length of its log into them. */
static void spoil(unsigned count, void **values) {
    for (unsigned i = 0; i < count; i++) {
        values[i] = NULL;
    }
}

SHIM_EXPORT shim_result cuModuleLoad(struct CUmod_st **module, const char *fname) {
    return loaded_file("cuModuleLoad", (void **)module, fname);
}

SHIM_EXPORT shim_result cuModuleLoadData(struct CUmod_st **module, const void *image) {
    if (is_blind()) {
        return SHIM_SUCCESS;
    }
    return loaded("cuModuleLoadData", (void **)module, image, image_size(image));
}

SHIM_EXPORT shim_result cuModuleLoadDataEx(struct CUmod_st **module, const void *image,
                                           unsigned numOptions, uint32_t *options,
                                           void **optionValues) {
    if (is_blind()) {
        return SHIM_SUCCESS;
    }
    for (unsigned i = 0; i < numOptions; i++) {
        printf("option %u %p\n", options[i], optionValues[i]);
    }
    spoil(numOptions, optionValues);
    return loaded("cuModuleLoadDataEx", (void **)module, image, image_size(image));
}

SHIM_EXPORT shim_result cuModuleLoadFatBinary(struct CUmod_st **module, const void *image) {
    if (is_blind()) {
        return SHIM_SUCCESS;
    }
    return loaded("cuModuleLoadFatBinary", (void **)module, image, image_size(image));
}

/* What a program promised to leave where it is. */
static const char *preserved;

SHIM_EXPORT shim_result cuLibraryLoadData(struct CUlib_st **library, const void *code,
                                          uint32_t *jitOptions, void **jitOptionsValues,
                                          unsigned numJitOptions, uint32_t *libraryOptions,
                                          void **libraryOptionValues, unsigned numLibraryOptions) {
    if (is_blind()) {
        return SHIM_SUCCESS;
    }
    for (unsigned i = 0; i < numJitOptions; i++) {
        printf("option %u %p\n", jitOptions[i], jitOptionsValues[i]);
    }
    for (unsigned i = 0; i < numLibraryOptions; i++) {
        printf("library option %u %p\n", libraryOptions[i], libraryOptionValues[i]);
    }
    spoil(numJitOptions, jitOptionsValues);
    const shim_result rc = loaded("cuLibraryLoadData", (void **)library, code, image_size(code));
    for (unsigned i = 0; !rc && i < numLibraryOptions; i++) {
        if (libraryOptions[i] == SHIM_LIBRARY_BINARY_IS_PRESERVED) {
            preserved = code;
        }
    }
    return rc;
}

SHIM_EXPORT shim_result cuLibraryLoadFromFile(struct CUlib_st **library, const char *fileName,
                                              uint32_t *jitOptions, void **jitOptionsValues,
                                              unsigned numJitOptions, uint32_t *libraryOptions,
                                              void **libraryOptionValues,
                                              unsigned numLibraryOptions) {
    (void)libraryOptions;
    (void)libraryOptionValues;
    (void)numLibraryOptions;
    for (unsigned i = 0; i < numJitOptions; i++) {
        printf("option %u %p\n", jitOptions[i], jitOptionsValues[i]);
    }
    spoil(numJitOptions, jitOptionsValues);
    return loaded_file("cuLibraryLoadFromFile", (void **)library, fileName);
}

/* Found by its name in the image's text; its address is where. */
static shim_result found_in(const void *image, const char *name, const char **at) {
    *at = strstr(image, name);
    return *at ? SHIM_SUCCESS : SHIM_ERROR_NOT_FOUND;
}

SHIM_EXPORT shim_result cuLibraryGetKernel(struct CUkern_st **pKernel, struct CUlib_st *library,
                                           const char *name) {
    const char *at = NULL;
    trace("cuLibraryGetKernel");
    const shim_result rc = found_in(preserved ? (const void *)preserved : library, name, &at);
    memcpy(pKernel, &at, sizeof(at));
    return rc;
}

SHIM_EXPORT shim_result cuLibraryGetModule(struct CUmod_st **pMod, struct CUlib_st *library) {
    trace("cuLibraryGetModule");
    memcpy(pMod, &library, sizeof(library));
    return SHIM_SUCCESS;
}

SHIM_EXPORT shim_module_global_call cuModuleGetGlobal_v2;
SHIM_EXPORT shim_result cuModuleGetGlobal_v2(uint64_t *dptr, size_t *bytes, struct CUmod_st *hmod,
                                             const char *name) {
    const char *at = NULL;
    const shim_result rc = found_in(hmod, name, &at);
    *dptr = (uintptr_t)at;
    *bytes = sizeof(*dptr);
    return rc;
}

SHIM_EXPORT shim_library_global_call cuLibraryGetGlobal;
SHIM_EXPORT shim_result cuLibraryGetGlobal(uint64_t *dptr, size_t *bytes, struct CUlib_st *library,
                                           const char *name) {
    struct CUmod_st *module = NULL;
    memcpy(&module, &library, sizeof(module));
    return cuModuleGetGlobal_v2(dptr, bytes, module, name);
}

/* A kernel's registers: PRETEND_PLAIN without checks; with them PRETEND_CHECKED, and no more than
 * its .maxnreg. */
static int registers_of(const char *image) {
    const char *bound = strstr(image, ".maxnreg ");
    const int most = bound ? (int)strtol(bound + strlen(".maxnreg "), NULL, 10) : 255;
    const int all = strstr(image, "libtma_checker_") ? number("PRETEND_CHECKED", 32)
                                                     : number("PRETEND_PLAIN", 16);
    return all < most ? all : most;
}

static shim_result used(int *value, int attribute, const char *image) {
    trace(attribute == SHIM_FUNCTION_NUM_REGS ? "question for registers" : "question for memory");
    *value = attribute == SHIM_FUNCTION_NUM_REGS ? registers_of(image)
                                                 : 8 * !!strstr(image, ".maxnreg ");
    return SHIM_SUCCESS;
}

SHIM_EXPORT shim_module_function_call cuModuleGetFunction;
SHIM_EXPORT shim_result cuModuleGetFunction(struct CUfunc_st **hfunc, struct CUmod_st *hmod,
                                            const char *name) {
    const char *at = NULL;
    const shim_result rc = found_in(hmod, name, &at);
    memcpy(hfunc, &hmod, sizeof(hmod)); /* the image is all that is known of it */
    return rc;
}

SHIM_EXPORT shim_function_attribute_call cuFuncGetAttribute;
SHIM_EXPORT shim_result cuFuncGetAttribute(int *pi, int attrib, struct CUfunc_st *hfunc) {
    return used(pi, attrib, (const char *)hfunc);
}

SHIM_EXPORT shim_kernel_attribute_call cuKernelGetAttribute;
SHIM_EXPORT shim_result cuKernelGetAttribute(int *pi, int attrib, struct CUkern_st *kernel,
                                             int dev) {
    /* a name in a text: the text is asked from there on, and what stands before it */
    const char *at = (const char *)kernel;
    (void)dev;
    while (strncmp(at, ".version", 8) != 0 && at[-1]) {
        at--;
    }
    return used(pi, attrib, at);
}

SHIM_EXPORT shim_module_unload_call cuModuleUnload;
SHIM_EXPORT shim_result cuModuleUnload(struct CUmod_st *hmod) {
    trace("cuModuleUnload");
    free(hmod);
    return SHIM_SUCCESS;
}

SHIM_EXPORT shim_library_unload_call cuLibraryUnload;
SHIM_EXPORT shim_result cuLibraryUnload(struct CUlib_st *library) {
    trace("cuLibraryUnload");
    free(library);
    return SHIM_SUCCESS;
}

/* By its own addresses (the build links with -Bsymbolic), as a driver does it: not by dlsym. */
static const struct {
    const char *name;
    int since;
    void (*function)(void);
} entries[] = {
    {"cuTensorMapEncodeTiled", 12000, (void (*)(void))cuTensorMapEncodeTiled},
    {"cuTensorMapEncodeIm2col", 12000, (void (*)(void))cuTensorMapEncodeIm2col},
#ifndef LACKS_WIDE
    {"cuTensorMapEncodeIm2colWide", 12080, (void (*)(void))cuTensorMapEncodeIm2colWide},
#endif
    {"cuTensorMapReplaceAddress", 12000, (void (*)(void))cuTensorMapReplaceAddress},
#ifndef LACKS_WIDE
    {"cuTensorMapSetAllocationClass", 13050, (void (*)(void))cuTensorMapSetAllocationClass},
#endif
    {"cuGetErrorName", 6000, (void (*)(void))cuGetErrorName},
    {"cuGetErrorString", 6000, (void (*)(void))cuGetErrorString},
    {"cuModuleLoad", 2000, (void (*)(void))cuModuleLoad},
    {"cuModuleLoadData", 2000, (void (*)(void))cuModuleLoadData},
    {"cuModuleLoadDataEx", 2010, (void (*)(void))cuModuleLoadDataEx},
    {"cuModuleLoadFatBinary", 2000, (void (*)(void))cuModuleLoadFatBinary},
    {"cuLibraryLoadData", 12000, (void (*)(void))cuLibraryLoadData},
    {"cuLibraryLoadFromFile", 12000, (void (*)(void))cuLibraryLoadFromFile},
    {"cuLibraryGetKernel", 12000, (void (*)(void))cuLibraryGetKernel},
    {"cuLibraryGetModule", 12000, (void (*)(void))cuLibraryGetModule},
    {"cuMemFree", 3020, (void (*)(void))cuMemFree_v2},
    {"cuMemFreeAsync", 11020, (void (*)(void))cuMemFreeAsync},
    {"cuMemUnmap", 10020, (void (*)(void))cuMemUnmap},
    {"cuMemAlloc", 3020, (void (*)(void))cuMemAlloc_v2},
    {"cuMemAllocPitch", 3020, (void (*)(void))cuMemAllocPitch_v2},
    {"cuMemAllocManaged", 6000, (void (*)(void))cuMemAllocManaged},
    {"cuMemAllocAsync", 11020, (void (*)(void))cuMemAllocAsync},
    {"cuMemAllocFromPoolAsync", 11020, (void (*)(void))cuMemAllocFromPoolAsync},
    {"cuMemMap", 10020, (void (*)(void))cuMemMap},
    {"cuDriverGetVersion", 2020, (void (*)(void))cuDriverGetVersion},
    {"cuGetProcAddress", 12000, (void (*)(void))cuGetProcAddress_v2},
    {"cuGetProcAddress", 11030, (void (*)(void))cuGetProcAddress},
};

/* As an H200's driver 13.0 answers: what is not there is a success with a null pointer. */
SHIM_EXPORT shim_result cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion,
                                            uint64_t flags, shim_lookup_status *symbolStatus) {
    shim_lookup_status status = SHIM_LOOKUP_NOT_FOUND;
    union {
        void (*function)(void);
        void *address;
    } found = {NULL};
    if (cudaVersion > number("PRETEND_VERSION", 13000) || flags > SHIM_LOOKUP_FLAGS) {
        return SHIM_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; !found.function && i < sizeof(entries) / sizeof(entries[0]); i++) {
        if (!strcmp(symbol, entries[i].name)) {
            const int enough = (unsigned)cudaVersion >= (unsigned)entries[i].since;
            found.function = enough ? entries[i].function : NULL;
            status = enough ? SHIM_LOOKUP_SUCCESS : SHIM_LOOKUP_VERSION_NOT_SUFFICIENT;
        }
    }
    *pfn = found.address;
    if (symbolStatus) {
        *symbolStatus = status;
    }
    return SHIM_SUCCESS;
}

SHIM_EXPORT shim_result cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion,
                                         uint64_t flags) {
    void *found = NULL;
    const shim_result rc = cuGetProcAddress_v2(symbol, &found, cudaVersion, flags, NULL);
    if (found) {
        *pfn = found;
    }
    return rc == SHIM_SUCCESS && !found ? SHIM_ERROR_NOT_FOUND : rc;
}
