/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's calls on tensor maps: answered here, or passed on and watched.
 */
#include "encode_arguments.h"
#include "settings.h"
#include "stand_in.h"
#include "watch.h"

/* What a driver looked at is not known, whatever it answered. */
static enum encode_reading reading_of(int watching) {
    return watching ? READ_CAREFULLY : READ_PLAINLY;
}

SHIM_EXPORT shim_result cuTensorMapEncodeTiled(
    struct CUtensorMap_st *tensorMap, uint32_t tensorDataType, uint32_t tensorRank,
    void *globalAddress, const uint64_t *globalDim, const uint64_t *globalStrides,
    const uint32_t *boxDim, const uint32_t *elementStrides, uint32_t interleave, uint32_t swizzle,
    uint32_t l2Promotion, uint32_t oobFill) {
    const int watching = mode() == SHIM_WATCH;
    shim_result rc = SHIM_SUCCESS;
    if (watching) {
        shim_tiled_call *real = (shim_tiled_call *)real_function(AT_cuTensorMapEncodeTiled);
        if (!real) {
            return watch_nothing_behind(AT_cuTensorMapEncodeTiled);
        }
        rc = real(tensorMap, tensorDataType, tensorRank, globalAddress, globalDim, globalStrides,
                  boxDim, elementStrides, interleave, swizzle, l2Promotion, oobFill);
    }
    struct encode_call call = encode_call_begin(
        AT_cuTensorMapEncodeTiled, reading_of(watching), tensorMap, tensorDataType, tensorRank,
        globalAddress, globalDim, globalStrides, elementStrides);
    encode_call_box(&call, boxDim);
    encode_call_modes(&call, interleave, swizzle, l2Promotion, oobFill);
    return watching ? watch_encoded(&call, rc) : stand_in_encode(&call, tensorMap);
}

SHIM_EXPORT shim_result cuTensorMapEncodeIm2col(
    struct CUtensorMap_st *tensorMap, uint32_t tensorDataType, uint32_t tensorRank,
    void *globalAddress, const uint64_t *globalDim, const uint64_t *globalStrides,
    const int *pixelBoxLowerCorner, const int *pixelBoxUpperCorner, uint32_t channelsPerPixel,
    uint32_t pixelsPerColumn, const uint32_t *elementStrides, uint32_t interleave, uint32_t swizzle,
    uint32_t l2Promotion, uint32_t oobFill) {
    const int watching = mode() == SHIM_WATCH;
    shim_result rc = SHIM_SUCCESS;
    if (watching) {
        shim_im2col_call *real = (shim_im2col_call *)real_function(AT_cuTensorMapEncodeIm2col);
        if (!real) {
            return watch_nothing_behind(AT_cuTensorMapEncodeIm2col);
        }
        rc = real(tensorMap, tensorDataType, tensorRank, globalAddress, globalDim, globalStrides,
                  pixelBoxLowerCorner, pixelBoxUpperCorner, channelsPerPixel, pixelsPerColumn,
                  elementStrides, interleave, swizzle, l2Promotion, oobFill);
    }
    struct encode_call call = encode_call_begin(
        AT_cuTensorMapEncodeIm2col, reading_of(watching), tensorMap, tensorDataType, tensorRank,
        globalAddress, globalDim, globalStrides, elementStrides);
    encode_call_corners(&call, pixelBoxLowerCorner, pixelBoxUpperCorner);
    encode_call_column(&call, channelsPerPixel, pixelsPerColumn);
    encode_call_modes(&call, interleave, swizzle, l2Promotion, oobFill);
    return watching ? watch_encoded(&call, rc) : stand_in_encode(&call, tensorMap);
}

SHIM_EXPORT shim_result cuTensorMapEncodeIm2colWide(
    struct CUtensorMap_st *tensorMap, uint32_t tensorDataType, uint32_t tensorRank,
    void *globalAddress, const uint64_t *globalDim, const uint64_t *globalStrides,
    int pixelBoxLowerCornerWidth, int pixelBoxUpperCornerWidth, uint32_t channelsPerPixel,
    uint32_t pixelsPerColumn, const uint32_t *elementStrides, uint32_t interleave, uint32_t mode_w,
    uint32_t swizzle, uint32_t l2Promotion, uint32_t oobFill) {
    const int watching = mode() == SHIM_WATCH;
    shim_result rc = SHIM_SUCCESS;
    if (watching) {
        shim_wide_call *real = (shim_wide_call *)real_function(AT_cuTensorMapEncodeIm2colWide);
        if (!real) {
            return watch_nothing_behind(AT_cuTensorMapEncodeIm2colWide);
        }
        rc = real(tensorMap, tensorDataType, tensorRank, globalAddress, globalDim, globalStrides,
                  pixelBoxLowerCornerWidth, pixelBoxUpperCornerWidth, channelsPerPixel,
                  pixelsPerColumn, elementStrides, interleave, mode_w, swizzle, l2Promotion,
                  oobFill);
    }
    struct encode_call call = encode_call_begin(
        AT_cuTensorMapEncodeIm2colWide, reading_of(watching), tensorMap, tensorDataType, tensorRank,
        globalAddress, globalDim, globalStrides, elementStrides);
    call.spec.lower_px[0] = pixelBoxLowerCornerWidth;
    call.spec.upper_px[0] = pixelBoxUpperCornerWidth;
    call.spec.wide_mode = mode_w;
    encode_call_column(&call, channelsPerPixel, pixelsPerColumn);
    encode_call_modes(&call, interleave, swizzle, l2Promotion, oobFill);
    return watching ? watch_encoded(&call, rc) : stand_in_encode(&call, tensorMap);
}

SHIM_EXPORT shim_result cuTensorMapReplaceAddress(struct CUtensorMap_st *tensorMap,
                                                  void *globalAddress) {
    if (mode() == SHIM_STAND_IN) {
        return stand_in_replace(tensorMap, globalAddress);
    }
    shim_replace_call *real = (shim_replace_call *)real_function(AT_cuTensorMapReplaceAddress);
    if (!real) {
        return watch_nothing_behind(AT_cuTensorMapReplaceAddress);
    }
    const struct replace_call call = replace_call_begin(tensorMap, globalAddress);
    return watch_replaced(&call, real(tensorMap, globalAddress));
}

SHIM_EXPORT shim_result cuTensorMapSetAllocationClass(struct CUtensorMap_st *tensorMap,
                                                      uint32_t allocClass,
                                                      uint32_t *outAllocClass) {
    if (mode() == SHIM_STAND_IN) {
        return stand_in_class(tensorMap, allocClass, outAllocClass);
    }
    shim_class_call *real = (shim_class_call *)real_function(AT_cuTensorMapSetAllocationClass);
    if (!real) {
        return watch_nothing_behind(AT_cuTensorMapSetAllocationClass);
    }
    const struct class_call call = class_call_begin(tensorMap, allocClass, outAllocClass);
    return watch_classed(&call, real(tensorMap, allocClass, outAllocClass));
}
