/* SPDX-License-Identifier: Apache-2.0
 *
 * The arguments of cuda.h's encode calls as a tma_spec, and CUtensorMap to tma_map and back; for
 * those who have NVIDIA's cuda.h, or include cuda_api.h before this. tma.h does not include this;
 * it needs no libcuda to link.
 *
 * Compiling it also proves, against a cuda.h, that this library's sizes and numbers are its own.
 */
#ifndef TMA_CUDA_DRIVER_H
#define TMA_CUDA_DRIVER_H

#ifdef TMA_CUDA_API_H
#define TMA_CUDA_HAS 13050 /* all that cuda_api.h declares */
#else
#include <cuda.h>
#ifdef CUDA_VERSION
#define TMA_CUDA_HAS CUDA_VERSION
#else
#define TMA_CUDA_HAS 0
#endif
#endif
#include <string.h>

#include "map.h"
#include "spec.h"

#if TMA_CUDA_HAS < 12000
#error "tma/cuda_driver.h needs the tensor maps of CUDA 12.0 or later"
#endif

#ifdef __cplusplus
#define TMA_CUDA_ASSERT(condition) static_assert(condition, #condition)
#else
#define TMA_CUDA_ASSERT(condition) _Static_assert(condition, #condition)
#endif
#ifdef __cplusplus
#define TMA_CUDA_NOTHING                                                                           \
    {}
#else
#define TMA_CUDA_NOTHING                                                                           \
    { 0 }
#endif
#define TMA_CUDA_SAME(ours, theirs) TMA_CUDA_ASSERT((int)(ours) == (int)(theirs))

TMA_CUDA_ASSERT(sizeof(CUtensorMap) == TMA_MAP_BYTES);
TMA_CUDA_ASSERT(sizeof(tma_map) == TMA_MAP_BYTES);

TMA_CUDA_SAME(TMA_DTYPE_UINT8, CU_TENSOR_MAP_DATA_TYPE_UINT8);
TMA_CUDA_SAME(TMA_DTYPE_UINT16, CU_TENSOR_MAP_DATA_TYPE_UINT16);
TMA_CUDA_SAME(TMA_DTYPE_UINT32, CU_TENSOR_MAP_DATA_TYPE_UINT32);
TMA_CUDA_SAME(TMA_DTYPE_INT32, CU_TENSOR_MAP_DATA_TYPE_INT32);
TMA_CUDA_SAME(TMA_DTYPE_UINT64, CU_TENSOR_MAP_DATA_TYPE_UINT64);
TMA_CUDA_SAME(TMA_DTYPE_INT64, CU_TENSOR_MAP_DATA_TYPE_INT64);
TMA_CUDA_SAME(TMA_DTYPE_FLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
TMA_CUDA_SAME(TMA_DTYPE_FLOAT32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
TMA_CUDA_SAME(TMA_DTYPE_FLOAT64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64);
TMA_CUDA_SAME(TMA_DTYPE_BFLOAT16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
TMA_CUDA_SAME(TMA_DTYPE_FLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ);
TMA_CUDA_SAME(TMA_DTYPE_TFLOAT32, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32);
TMA_CUDA_SAME(TMA_DTYPE_TFLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ);
TMA_CUDA_SAME(TMA_INTERLEAVE_NONE, CU_TENSOR_MAP_INTERLEAVE_NONE);
TMA_CUDA_SAME(TMA_INTERLEAVE_16B, CU_TENSOR_MAP_INTERLEAVE_16B);
TMA_CUDA_SAME(TMA_INTERLEAVE_32B, CU_TENSOR_MAP_INTERLEAVE_32B);
TMA_CUDA_SAME(TMA_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE);
TMA_CUDA_SAME(TMA_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_32B);
TMA_CUDA_SAME(TMA_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_64B);
TMA_CUDA_SAME(TMA_SWIZZLE_128B, CU_TENSOR_MAP_SWIZZLE_128B);
TMA_CUDA_SAME(TMA_L2_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE);
TMA_CUDA_SAME(TMA_L2_64B, CU_TENSOR_MAP_L2_PROMOTION_L2_64B);
TMA_CUDA_SAME(TMA_L2_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
TMA_CUDA_SAME(TMA_L2_256B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
TMA_CUDA_SAME(TMA_FILL_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
TMA_CUDA_SAME(TMA_FILL_NAN, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
#if TMA_CUDA_HAS >= 12080 /* Blackwell's */
TMA_CUDA_SAME(TMA_DTYPE_16U4_ALIGN8B, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B);
TMA_CUDA_SAME(TMA_DTYPE_16U4_ALIGN16B, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B);
TMA_CUDA_SAME(TMA_DTYPE_16U6_ALIGN16B, CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B);
TMA_CUDA_SAME(TMA_SWIZZLE_128B_ATOM_32B, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B);
TMA_CUDA_SAME(TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B);
TMA_CUDA_SAME(TMA_SWIZZLE_128B_ATOM_64B, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B);
TMA_CUDA_SAME(TMA_WIDE_W, CU_TENSOR_MAP_IM2COL_WIDE_MODE_W);
TMA_CUDA_SAME(TMA_WIDE_W128, CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128);
#endif

#if TMA_CUDA_HAS >= 13050
TMA_CUDA_SAME(TMA_CLASS_AUTO, CU_TENSOR_MAP_ALLOC_CLASS_AUTO);
TMA_CUDA_SAME(TMA_CLASS_SMALL, CU_TENSOR_MAP_ALLOC_CLASS_SMALL);
TMA_CUDA_SAME(TMA_CLASS_LARGE, CU_TENSOR_MAP_ALLOC_CLASS_LARGE);
#endif

/* What the three encode calls share. Of each array just the entries that the driver looks at are
 * read, at most 5 whatever the rank. A null array gives entries that no rule takes, so that
 * tma_check() names it. */
static inline tma_spec tma_cuda_spec_(tma_api api, CUtensorMapDataType dtype, cuuint32_t rank,
                                      const void *address, const cuuint64_t *dim,
                                      const cuuint64_t *stride, const cuuint32_t *element_stride) {
    tma_spec spec = TMA_CUDA_NOTHING;
    spec.api = (uint32_t)api;
    spec.dtype = (uint32_t)dtype;
    spec.rank = rank;
    spec.address = (uint64_t)(uintptr_t)address;
    for (uint32_t i = 0; i < rank && i < TMA_MAX_RANK; i++) {
        spec.dim_el[i] = dim ? dim[i] : 0;
        spec.element_stride[i] = element_stride ? element_stride[i] : 0;
    }
    for (uint32_t i = 0; i + 1 < rank && i < TMA_MAX_STRIDES; i++) {
        spec.stride_B[i] = stride ? stride[i] : UINT64_MAX;
    }
    return spec;
}

static inline void tma_cuda_modes_(tma_spec *spec, CUtensorMapInterleave interleave,
                                   CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2,
                                   CUtensorMapFloatOOBfill fill) {
    spec->interleave = (uint32_t)interleave;
    spec->swizzle = (uint32_t)swizzle;
    spec->l2 = (uint32_t)l2;
    spec->fill = (uint32_t)fill;
}

/* The arguments of cuTensorMapEncodeTiled, in its order, less the map. */
static inline tma_spec tma_cuda_tiled(CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
                                      const void *globalAddress, const cuuint64_t *globalDim,
                                      const cuuint64_t *globalStrides, const cuuint32_t *boxDim,
                                      const cuuint32_t *elementStrides,
                                      CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                      CUtensorMapL2promotion l2Promotion,
                                      CUtensorMapFloatOOBfill oobFill) {
    tma_spec spec = tma_cuda_spec_(TMA_API_TILED, tensorDataType, tensorRank, globalAddress,
                                   globalDim, globalStrides, elementStrides);
    for (uint32_t i = 0; i < tensorRank && i < TMA_MAX_RANK; i++) {
        spec.box_el[i] = boxDim ? boxDim[i] : 0;
    }
    tma_cuda_modes_(&spec, interleave, swizzle, l2Promotion, oobFill);
    return spec;
}

/* The arguments of cuTensorMapEncodeIm2col, in its order, less the map. */
static inline tma_spec tma_cuda_im2col(
    CUtensorMapDataType tensorDataType, cuuint32_t tensorRank, const void *globalAddress,
    const cuuint64_t *globalDim, const cuuint64_t *globalStrides, const int *pixelBoxLowerCorner,
    const int *pixelBoxUpperCorner, cuuint32_t channelsPerPixel, cuuint32_t pixelsPerColumn,
    const cuuint32_t *elementStrides, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion l2Promotion, CUtensorMapFloatOOBfill oobFill) {
    tma_spec spec = tma_cuda_spec_(TMA_API_IM2COL, tensorDataType, tensorRank, globalAddress,
                                   globalDim, globalStrides, elementStrides);
    for (uint32_t i = 0; i + 2 < tensorRank && i < TMA_MAX_SPATIAL; i++) {
        spec.lower_px[i] = pixelBoxLowerCorner ? pixelBoxLowerCorner[i] : INT32_MIN;
        spec.upper_px[i] = pixelBoxUpperCorner ? pixelBoxUpperCorner[i] : INT32_MIN;
    }
    spec.channels_per_pixel = channelsPerPixel;
    spec.pixels_per_column = pixelsPerColumn;
    tma_cuda_modes_(&spec, interleave, swizzle, l2Promotion, oobFill);
    return spec;
}

#if TMA_CUDA_HAS >= 12080
/* The arguments of cuTensorMapEncodeIm2colWide, in its order, less the map. */
static inline tma_spec tma_cuda_im2col_wide(
    CUtensorMapDataType tensorDataType, cuuint32_t tensorRank, const void *globalAddress,
    const cuuint64_t *globalDim, const cuuint64_t *globalStrides, int pixelBoxLowerCornerWidth,
    int pixelBoxUpperCornerWidth, cuuint32_t channelsPerPixel, cuuint32_t pixelsPerColumn,
    const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
    CUtensorMapFloatOOBfill oobFill) {
    tma_spec spec = tma_cuda_spec_(TMA_API_WIDE, tensorDataType, tensorRank, globalAddress,
                                   globalDim, globalStrides, elementStrides);
    spec.lower_px[0] = pixelBoxLowerCornerWidth;
    spec.upper_px[0] = pixelBoxUpperCornerWidth;
    spec.channels_per_pixel = channelsPerPixel;
    spec.pixels_per_column = pixelsPerColumn;
    spec.wide_mode = (uint32_t)mode;
    tma_cuda_modes_(&spec, interleave, swizzle, l2Promotion, oobFill);
    return spec;
}
#endif

#if TMA_CUDA_HAS >= 13050
/* cuTensorMapSetAllocationClass for a target, without a driver: its arguments in its order, and
 * what it answers; tma_set_allocation_class() says what a target without the class does. */
static inline CUresult tma_cuda_set_allocation_class(CUtensorMap *tensorMap,
                                                     CUtensorMapAllocClass allocClass,
                                                     CUtensorMapAllocClass *outAllocClass,
                                                     const tma_target *target) {
    uint32_t now = TMA_CLASS_SMALL;
    const tma_status status =
        tma_set_allocation_class((uint8_t *)tensorMap, (uint32_t)allocClass, &now, target);
    if (outAllocClass) {
        *outAllocClass = (CUtensorMapAllocClass)now;
    }
    return status == TMA_OK ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
#endif

/* The 128 bytes of a CUtensorMap, which may be aligned to less than a tma_map: what the readers and
 * writers of map.h and tma_plan_make() take. */
static inline const uint8_t *tma_cuda_bytes(const CUtensorMap *map) {
    return (const uint8_t *)map;
}

static inline uint8_t *tma_cuda_bytes_of(CUtensorMap *map) {
    return (uint8_t *)map;
}

/* The same 128 bytes in the other type. */
static inline tma_map tma_cuda_to_map(const CUtensorMap *from) {
    tma_map map;
    memcpy(map.bytes, from, sizeof map.bytes);
    return map;
}

static inline CUtensorMap tma_cuda_from_map(const tma_map *from) {
    CUtensorMap map;
    memcpy(&map, from->bytes, sizeof map);
    return map;
}

#endif
