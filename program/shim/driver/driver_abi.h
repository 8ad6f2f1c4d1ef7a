/* SPDX-License-Identifier: Apache-2.0
 *
 * The few types and numbers of cuda.h that are used here, so that no cuda.h is needed. Every
 * enumeration of C is 32 bits to a caller. tests/cases/same_as_cuda_h.c holds all of it against
 * cuda.h.
 */
#ifndef SHIM_DRIVER_ABI_H
#define SHIM_DRIVER_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "tma/map.h"

#define SHIM_EXPORT __attribute__((visibility("default")))

#define SHIM_MAP_ALIGNMENT_B 64 /* that CUtensorMap has in every cuda.h; 128 since CUDA 13 */

typedef uint32_t shim_result; /* CUresult */
#define SHIM_SUCCESS             0u
#define SHIM_ERROR_INVALID_VALUE 1u
#define SHIM_ERROR_STUB_LIBRARY  34u
#define SHIM_ERROR_NOT_FOUND     500u
#define SHIM_ERROR_ASSERT        710u
#define SHIM_ERROR_NOT_SUPPORTED 801u

typedef uint32_t shim_lookup_status; /* CUdriverProcAddressQueryResult */
#define SHIM_LOOKUP_SUCCESS                0u
#define SHIM_LOOKUP_NOT_FOUND              1u
#define SHIM_LOOKUP_VERSION_NOT_SUFFICIENT 2u

#define SHIM_LOOKUP_FLAGS      3u /* legacy stream and per-thread default stream */
#define SHIM_LOOKUP_PER_THREAD 2u

#define SHIM_LIBRARY_BINARY_IS_PRESERVED 1u /* of CUlibraryOption */

#define SHIM_ATTRIBUTE_MAJOR 75 /* CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, and _MINOR */
#define SHIM_ATTRIBUTE_MINOR 76

#define SHIM_DEVICE_MEMORY          2u  /* CU_MEMORYTYPE_DEVICE */
#define SHIM_POINTER_MEMORY_TYPE    2u  /* CU_POINTER_ATTRIBUTE_MEMORY_TYPE */
#define SHIM_POINTER_IS_MANAGED     8u  /* CU_POINTER_ATTRIBUTE_IS_MANAGED */
#define SHIM_POINTER_DEVICE_ORDINAL 9u  /* CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL */
#define SHIM_POINTER_RANGE_START    11u /* CU_POINTER_ATTRIBUTE_RANGE_START_ADDR */
#define SHIM_POINTER_RANGE_SIZE     12u /* CU_POINTER_ATTRIBUTE_RANGE_SIZE */

#define SHIM_REGISTER_FOR_DEVICES 3u /* CU_MEMHOSTREGISTER_PORTABLE and _DEVICEMAP */
#define SHIM_STREAM_NON_BLOCKING  1u /* CU_STREAM_NON_BLOCKING */
#define SHIM_CAPTURE_RELAXED      2u /* CU_STREAM_CAPTURE_MODE_RELAXED */

struct CUstream_st;
struct CUctx_st;
struct CUmemPoolHandle_st;
struct CUtensorMap_st; /* cuda.h's tag of CUtensorMap: 128 bytes */

/* The names are cuda.h's. */
typedef shim_result shim_tiled_call(struct CUtensorMap_st *tensorMap, uint32_t tensorDataType,
                                    uint32_t tensorRank, void *globalAddress,
                                    const uint64_t *globalDim, const uint64_t *globalStrides,
                                    const uint32_t *boxDim, const uint32_t *elementStrides,
                                    uint32_t interleave, uint32_t swizzle, uint32_t l2Promotion,
                                    uint32_t oobFill);
typedef shim_result shim_im2col_call(struct CUtensorMap_st *tensorMap, uint32_t tensorDataType,
                                     uint32_t tensorRank, void *globalAddress,
                                     const uint64_t *globalDim, const uint64_t *globalStrides,
                                     const int *pixelBoxLowerCorner, const int *pixelBoxUpperCorner,
                                     uint32_t channelsPerPixel, uint32_t pixelsPerColumn,
                                     const uint32_t *elementStrides, uint32_t interleave,
                                     uint32_t swizzle, uint32_t l2Promotion, uint32_t oobFill);
typedef shim_result shim_wide_call(struct CUtensorMap_st *tensorMap, uint32_t tensorDataType,
                                   uint32_t tensorRank, void *globalAddress,
                                   const uint64_t *globalDim, const uint64_t *globalStrides,
                                   int pixelBoxLowerCornerWidth, int pixelBoxUpperCornerWidth,
                                   uint32_t channelsPerPixel, uint32_t pixelsPerColumn,
                                   const uint32_t *elementStrides, uint32_t interleave,
                                   uint32_t mode, uint32_t swizzle, uint32_t l2Promotion,
                                   uint32_t oobFill);
typedef shim_result shim_replace_call(struct CUtensorMap_st *tensorMap, void *globalAddress);
typedef shim_result shim_class_call(struct CUtensorMap_st *tensorMap, uint32_t allocClass,
                                    uint32_t *outAllocClass);
typedef shim_result shim_lookup_call(const char *symbol, void **pfn, int cudaVersion,
                                     uint64_t flags);
typedef shim_result shim_lookup_v2_call(const char *symbol, void **pfn, int cudaVersion,
                                        uint64_t flags, shim_lookup_status *symbolStatus);

/* cuda.h's tags of CUmodule, CUlibrary and CUkernel; options are CUjit_option, CUlibraryOption. */
struct CUmod_st;
struct CUlib_st;
struct CUkern_st;
struct CUfunc_st;
typedef shim_result shim_module_file_call(struct CUmod_st **module, const char *fname);
typedef shim_result shim_module_data_call(struct CUmod_st **module, const void *image);
typedef shim_result shim_module_data_ex_call(struct CUmod_st **module, const void *image,
                                             unsigned numOptions, uint32_t *options,
                                             void **optionValues);
typedef shim_result shim_library_data_call(struct CUlib_st **library, const void *code,
                                           uint32_t *jitOptions, void **jitOptionsValues,
                                           unsigned numJitOptions, uint32_t *libraryOptions,
                                           void **libraryOptionValues, unsigned numLibraryOptions);
typedef shim_result shim_library_file_call(struct CUlib_st **library, const char *fileName,
                                           uint32_t *jitOptions, void **jitOptionsValues,
                                           unsigned numJitOptions, uint32_t *libraryOptions,
                                           void **libraryOptionValues, unsigned numLibraryOptions);
typedef shim_result shim_library_kernel_call(struct CUkern_st **pKernel, struct CUlib_st *library,
                                             const char *name);
typedef shim_result shim_library_module_call(struct CUmod_st **pMod, struct CUlib_st *library);
typedef shim_result shim_module_global_call(uint64_t *dptr, size_t *bytes, struct CUmod_st *hmod,
                                            const char *name);
typedef shim_result shim_library_global_call(uint64_t *dptr, size_t *bytes,
                                             struct CUlib_st *library, const char *name);

typedef shim_result shim_module_function_call(struct CUfunc_st **hfunc, struct CUmod_st *hmod,
                                              const char *name);
typedef shim_result shim_function_attribute_call(int *pi, int attrib, struct CUfunc_st *hfunc);
typedef shim_result shim_kernel_attribute_call(int *pi, int attrib, struct CUkern_st *kernel,
                                               int dev);
typedef shim_result shim_module_unload_call(struct CUmod_st *hmod);
typedef shim_result shim_library_unload_call(struct CUlib_st *library);
#define SHIM_FUNCTION_LOCAL_SIZE_B 3  /* CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES */
#define SHIM_FUNCTION_NUM_REGS     4  /* CU_FUNC_ATTRIBUTE_NUM_REGS */
#define SHIM_FUNCTION_CLUSTER_X    11 /* CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH; HEIGHT, DEPTH */

typedef shim_result shim_kernel_function_call(struct CUfunc_st **pFunc, struct CUkern_st *kernel);
typedef shim_result shim_function_name_call(const char **name, struct CUfunc_st *hfunc);

/* What lies at a CUlaunchConfig and a CUlaunchAttribute. */
typedef struct shim_launch_attribute {
    uint32_t id, padding;
    union {
        uint32_t cluster[3];
        char bytes[64];
    } value;
} shim_launch_attribute;
typedef struct shim_launch_config {
    uint32_t grid[3], block[3], shared_B;
    struct CUstream_st *stream;
    const shim_launch_attribute *attribute;
    uint32_t attributes;
} shim_launch_config;
struct CUlaunchConfig_st;          /* cuda.h's tag of it */
#define SHIM_LAUNCH_COOPERATIVE 2u /* CU_LAUNCH_ATTRIBUTE_COOPERATIVE */
#define SHIM_LAUNCH_CLUSTER     4u /* CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION */
#define SHIM_STREAM_PER_THREAD  ((struct CUstream_st *)2) /* CU_STREAM_PER_THREAD */
#define SHIM_EXTRA_BUFFER       ((void *)1)               /* CU_LAUNCH_PARAM_BUFFER_POINTER */
#define SHIM_EXTRA_SIZE         ((void *)2)               /* CU_LAUNCH_PARAM_BUFFER_SIZE */
typedef shim_result shim_launch_call(struct CUfunc_st *f, unsigned gridDimX, unsigned gridDimY,
                                     unsigned gridDimZ, unsigned blockDimX, unsigned blockDimY,
                                     unsigned blockDimZ, unsigned sharedMemBytes,
                                     struct CUstream_st *hStream, void **kernelParams,
                                     void **extra);
typedef shim_result shim_launch_ex_call(const struct CUlaunchConfig_st *config, struct CUfunc_st *f,
                                        void **kernelParams, void **extra);
typedef shim_result shim_cooperative_call(struct CUfunc_st *f, unsigned gridDimX, unsigned gridDimY,
                                          unsigned gridDimZ, unsigned blockDimX, unsigned blockDimY,
                                          unsigned blockDimZ, unsigned sharedMemBytes,
                                          struct CUstream_st *hStream, void **kernelParams);

typedef unsigned long long shim_address; /* CUdeviceptr */
typedef shim_result shim_free_call(shim_address dptr);
typedef shim_result shim_free_async_call(shim_address dptr, struct CUstream_st *hStream);
typedef shim_result shim_unmap_call(shim_address ptr, size_t size);
typedef shim_result shim_alloc_call(shim_address *dptr, size_t bytesize);
typedef shim_result shim_alloc_pitch_call(shim_address *dptr, size_t *pPitch, size_t WidthInBytes,
                                          size_t Height, unsigned ElementSizeBytes);
typedef shim_result shim_alloc_managed_call(shim_address *dptr, size_t bytesize, unsigned flags);
typedef shim_result shim_alloc_async_call(shim_address *dptr, size_t bytesize,
                                          struct CUstream_st *hStream);
typedef shim_result shim_alloc_pool_call(shim_address *dptr, size_t bytesize,
                                         struct CUmemPoolHandle_st *pool,
                                         struct CUstream_st *hStream);
typedef shim_result shim_map_call(shim_address ptr, size_t size, size_t offset,
                                  unsigned long long handle, unsigned long long flags);
typedef shim_result shim_range_call(shim_address *pbase, size_t *psize, shim_address dptr);
typedef shim_result shim_pointer_call(void *data, uint32_t attribute, shim_address ptr);

typedef shim_result shim_register_call(void *p, size_t bytesize, unsigned Flags);
typedef shim_result shim_unregister_call(void *p);
typedef shim_result shim_device_pointer_call(uint64_t *pdptr, void *p, unsigned Flags);
typedef shim_result shim_write_call(uint64_t dstDevice, const void *srcHost, size_t ByteCount,
                                    struct CUstream_st *hStream);
typedef shim_result shim_read_call(void *dstHost, shim_address srcDevice, size_t ByteCount,
                                   struct CUstream_st *hStream);
typedef shim_result shim_capturing_call(struct CUstream_st *hStream, uint32_t *captureStatus);
typedef shim_result shim_stream_create_call(struct CUstream_st **phStream, unsigned Flags);
typedef shim_result shim_stream_call(struct CUstream_st *hStream);
typedef shim_result shim_capture_mode_call(uint32_t *mode);
typedef shim_result shim_version_call(int *driverVersion);
typedef shim_result shim_device_call(int *device);
typedef shim_result shim_attribute_call(int *value, int attribute, int device);
typedef shim_result shim_error_text_call(shim_result error, const char **pStr);

#define SHIM_CALL(name, type, since) SHIM_EXPORT type name;
#include "symbols.def"

#endif
