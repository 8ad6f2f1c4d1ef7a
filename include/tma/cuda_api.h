/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's interface to tensor maps, for programs without NVIDIA's cuda.h: types, numbers and
 * calls of the CUDA Driver API, section "Tensor Map Object Management", by their documented names.
 * Where cuda.h was included before, this header declares nothing; cuda.h after it does not compile.
 *
 * The calls are answered by libtma-driver.a (linked, no shared library and no driver needed), by
 * libtma-cuda.so (program/shim/README.md), or by NVIDIA's libcuda.so: it is the same interface. A
 * call that is refused returns CUDA_ERROR_INVALID_VALUE and leaves the map as it was; libtma's then
 * says on standard error which rule is broken. All calls are safe on any thread.
 *
 * Numbers are those of spec.h, map.h and driver_codes.def; tests hold them against cuda.h.
 */
#if !defined(TMA_CUDA_API_H) && !defined(__cuda_cuda_h__) && !defined(CUDA_VERSION)
#define TMA_CUDA_API_H

#include <stdint.h>

#include "map.h"
#include "spec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

/* The 128 bytes. Where they stand when a copy uses them, a multiple of 64 B is required, and the
 * document asks for that; cuda.h aligns them to 128 B since CUDA 13.0. Define
 * TMA_CUDA_MAP_ALIGNMENT_B as 64 before this header for the type as it was. */
#ifndef TMA_CUDA_MAP_ALIGNMENT_B
#define TMA_CUDA_MAP_ALIGNMENT_B 128
#endif
#define CU_TENSOR_MAP_NUM_QWORDS 16
typedef struct CUtensorMap_st {
#ifdef __cplusplus
    alignas(TMA_CUDA_MAP_ALIGNMENT_B)
#else
    _Alignas(TMA_CUDA_MAP_ALIGNMENT_B)
#endif
        cuuint64_t opaque[CU_TENSOR_MAP_NUM_QWORDS];
} CUtensorMap;

/* All that the driver's calls return, as of CUDA 13.5: driver_codes.def, which has the meaning of
 * those that an encode call, or an earlier kernel's fault, makes them return. */
typedef enum cudaError_enum {
#define DRIVER_CODE(name, number, about, words, meaning) CUDA_ERROR_##name = number,
#define DRIVER_CODE_NAME(name, number)                   CUDA_ERROR_##name = number,
#include "driver_codes.def"
#undef DRIVER_CODE
    CUDA_SUCCESS = 0
} CUresult;

typedef enum CUtensorMapDataType_enum {
    CU_TENSOR_MAP_DATA_TYPE_UINT8 = TMA_DTYPE_UINT8,
    CU_TENSOR_MAP_DATA_TYPE_UINT16 = TMA_DTYPE_UINT16,
    CU_TENSOR_MAP_DATA_TYPE_UINT32 = TMA_DTYPE_UINT32,
    CU_TENSOR_MAP_DATA_TYPE_INT32 = TMA_DTYPE_INT32,
    CU_TENSOR_MAP_DATA_TYPE_UINT64 = TMA_DTYPE_UINT64,
    CU_TENSOR_MAP_DATA_TYPE_INT64 = TMA_DTYPE_INT64,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = TMA_DTYPE_FLOAT16,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT32 = TMA_DTYPE_FLOAT32,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT64 = TMA_DTYPE_FLOAT64,
    CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = TMA_DTYPE_BFLOAT16,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ = TMA_DTYPE_FLOAT32_FTZ,
    CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 = TMA_DTYPE_TFLOAT32,
    CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ = TMA_DTYPE_TFLOAT32_FTZ,
    CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B = TMA_DTYPE_16U4_ALIGN8B,
    CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B = TMA_DTYPE_16U4_ALIGN16B,
    CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B = TMA_DTYPE_16U6_ALIGN16B
} CUtensorMapDataType;

typedef enum CUtensorMapInterleave_enum {
    CU_TENSOR_MAP_INTERLEAVE_NONE = TMA_INTERLEAVE_NONE,
    CU_TENSOR_MAP_INTERLEAVE_16B = TMA_INTERLEAVE_16B,
    CU_TENSOR_MAP_INTERLEAVE_32B = TMA_INTERLEAVE_32B
} CUtensorMapInterleave;

typedef enum CUtensorMapSwizzle_enum {
    CU_TENSOR_MAP_SWIZZLE_NONE = TMA_SWIZZLE_NONE,
    CU_TENSOR_MAP_SWIZZLE_32B = TMA_SWIZZLE_32B,
    CU_TENSOR_MAP_SWIZZLE_64B = TMA_SWIZZLE_64B,
    CU_TENSOR_MAP_SWIZZLE_128B = TMA_SWIZZLE_128B,
    CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B = TMA_SWIZZLE_128B_ATOM_32B,
    CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B = TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B,
    CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B = TMA_SWIZZLE_128B_ATOM_64B
} CUtensorMapSwizzle;

typedef enum CUtensorMapL2promotion_enum {
    CU_TENSOR_MAP_L2_PROMOTION_NONE = TMA_L2_NONE,
    CU_TENSOR_MAP_L2_PROMOTION_L2_64B = TMA_L2_64B,
    CU_TENSOR_MAP_L2_PROMOTION_L2_128B = TMA_L2_128B,
    CU_TENSOR_MAP_L2_PROMOTION_L2_256B = TMA_L2_256B
} CUtensorMapL2promotion;

typedef enum CUtensorMapFloatOOBfill_enum {
    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = TMA_FILL_NONE,
    CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA = TMA_FILL_NAN
} CUtensorMapFloatOOBfill;

typedef enum CUtensorMapIm2ColWideMode_enum {
    CU_TENSOR_MAP_IM2COL_WIDE_MODE_W = TMA_WIDE_W,
    CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128 = TMA_WIDE_W128
} CUtensorMapIm2ColWideMode;

typedef enum CUtensorMapAllocClass_enum { /* CUDA 13.5 */
                                          CU_TENSOR_MAP_ALLOC_CLASS_AUTO = TMA_CLASS_AUTO,
                                          CU_TENSOR_MAP_ALLOC_CLASS_SMALL = TMA_CLASS_SMALL,
                                          CU_TENSOR_MAP_ALLOC_CLASS_LARGE = TMA_CLASS_LARGE
} CUtensorMapAllocClass;

#ifdef _WIN32
#define CUDAAPI __stdcall
#else
#define CUDAAPI
#endif

/* Arrays are innermost first. globalDim, boxDim, elementStrides: tensorRank entries, in elements
 * (interleaved maps count slices as rows.md says); globalStrides: tensorRank - 1 entries, in bytes,
 * of dimension 1 and beyond; corners: tensorRank - 2 entries, in pixels, W first. */
CUresult CUDAAPI cuTensorMapEncodeTiled(
    CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
    void *globalAddress, const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
    const cuuint32_t *boxDim, const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
    CUtensorMapFloatOOBfill oobFill);

CUresult CUDAAPI cuTensorMapEncodeIm2col(
    CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
    void *globalAddress, const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
    const int *pixelBoxLowerCorner, const int *pixelBoxUpperCorner, cuuint32_t channelsPerPixel,
    cuuint32_t pixelsPerColumn, const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
    CUtensorMapFloatOOBfill oobFill);

CUresult CUDAAPI cuTensorMapEncodeIm2colWide(
    CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
    void *globalAddress, const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
    int pixelBoxLowerCornerWidth, int pixelBoxUpperCornerWidth, cuuint32_t channelsPerPixel,
    cuuint32_t pixelsPerColumn, const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
    CUtensorMapFloatOOBfill oobFill);

CUresult CUDAAPI cuTensorMapReplaceAddress(CUtensorMap *tensorMap, void *globalAddress);

/* CUDA 13.5. outAllocClass, if not null, is the class in effect afterwards. */
CUresult CUDAAPI cuTensorMapSetAllocationClass(CUtensorMap *tensorMap,
                                               CUtensorMapAllocClass allocClass,
                                               CUtensorMapAllocClass *outAllocClass);

/* The enumerator's name, and the driver's words for it, as static text. An error that is not known
 * gives CUDA_ERROR_INVALID_VALUE and sets *pStr to null; libtma knows those of CUresult above. */
CUresult CUDAAPI cuGetErrorName(CUresult error, const char **pStr);
CUresult CUDAAPI cuGetErrorString(CUresult error, const char **pStr);

#ifdef __cplusplus
}
#endif

#endif
