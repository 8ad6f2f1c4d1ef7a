/* SPDX-License-Identifier: Apache-2.0
 *
 * The real cuda.h where the build found one; else its few types and numbers that the tests'
 * programs use, from the shim's own header. HAVE_CUDA_H says which.
 */
#ifndef SHIM_TESTS_CUDA_OR_MIRROR_H
#define SHIM_TESTS_CUDA_OR_MIRROR_H

#include <stdint.h>

#ifdef HAVE_CUDA_H
#include <cuda.h>
#else
typedef unsigned CUresult;
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
typedef unsigned CUtensorMapDataType;
typedef unsigned CUtensorMapInterleave;
typedef unsigned CUtensorMapSwizzle;
typedef unsigned CUtensorMapL2promotion;
typedef unsigned CUtensorMapFloatOOBfill;
typedef unsigned CUtensorMapIm2ColWideMode;
typedef unsigned CUdriverProcAddressQueryResult;
typedef struct CUtensorMap {
    _Alignas(64) uint64_t opaque[16];
} CUtensorMap;
#define CUDA_SUCCESS                      0u
#define CU_TENSOR_MAP_DATA_TYPE_FLOAT16   6u
#define CU_TENSOR_MAP_DATA_TYPE_BFLOAT16  9u
#define CU_TENSOR_MAP_INTERLEAVE_NONE     0u
#define CU_TENSOR_MAP_SWIZZLE_NONE        0u
#define CU_TENSOR_MAP_SWIZZLE_128B        3u
#define CU_TENSOR_MAP_L2_PROMOTION_NONE   0u
#define CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE 0u
#define CU_TENSOR_MAP_IM2COL_WIDE_MODE_W  0u
#endif

/* The calls, in cuda.h's types. */
typedef CUresult tiled_call(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType,
                            cuuint32_t tensorRank, void *globalAddress, const cuuint64_t *globalDim,
                            const cuuint64_t *globalStrides, const cuuint32_t *boxDim,
                            const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
                            CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
                            CUtensorMapFloatOOBfill oobFill);
typedef CUresult im2col_call(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType,
                             cuuint32_t tensorRank, void *globalAddress,
                             const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
                             const int *pixelBoxLowerCorner, const int *pixelBoxUpperCorner,
                             cuuint32_t channelsPerPixel, cuuint32_t pixelsPerColumn,
                             const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
                             CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
                             CUtensorMapFloatOOBfill oobFill);
typedef CUresult wide_call(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType,
                           cuuint32_t tensorRank, void *globalAddress, const cuuint64_t *globalDim,
                           const cuuint64_t *globalStrides, int pixelBoxLowerCornerWidth,
                           int pixelBoxUpperCornerWidth, cuuint32_t channelsPerPixel,
                           cuuint32_t pixelsPerColumn, const cuuint32_t *elementStrides,
                           CUtensorMapInterleave interleave, CUtensorMapIm2ColWideMode mode,
                           CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
                           CUtensorMapFloatOOBfill oobFill);
typedef CUresult replace_call(CUtensorMap *tensorMap, void *globalAddress);
typedef CUresult lookup_call(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags);
typedef CUresult lookup_v2_call(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                                CUdriverProcAddressQueryResult *symbolStatus);

#ifndef HAVE_CUDA_H
tiled_call cuTensorMapEncodeTiled;
im2col_call cuTensorMapEncodeIm2col;
wide_call cuTensorMapEncodeIm2colWide;
replace_call cuTensorMapReplaceAddress;
#endif

#endif
