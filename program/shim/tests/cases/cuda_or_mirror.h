/* SPDX-License-Identifier: Apache-2.0
 *
 * The real cuda.h where the build found one, else libtma's own declarations. HAVE_CUDA_H says
 * which.
 */
#ifndef SHIM_TESTS_CUDA_OR_MIRROR_H
#define SHIM_TESTS_CUDA_OR_MIRROR_H

#include <stdint.h>

#ifdef HAVE_CUDA_H
#include <cuda.h>
#else
#include "tma/cuda_api.h"
typedef unsigned CUdriverProcAddressQueryResult;
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

#endif
