/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments to spec.
 */
#include "encode_call.h"

#include <string.h>

/* How many entries of an array the driver looks at. */
static uint32_t entries(const struct encode_call *call, uint32_t fewer) {
    const uint32_t rank = call->spec.rank <= TMA_MAX_RANK ? call->spec.rank : 0;
    return rank > fewer ? rank - fewer : 0;
}

static const void *checked(struct encode_call *call, const void *array, uint32_t count,
                           tma_argument argument) {
    if (count && !array) {
        call->nulls |= 1u << argument;
    }
    return count ? array : NULL;
}

static void put_u32(struct encode_call *call, uint32_t *to, const uint32_t *from,
                    tma_argument argument) {
    const uint32_t count = entries(call, 0);
    if (checked(call, from, count, argument)) {
        memcpy(to, from, count * sizeof(*to));
    }
}

static void put_corner(struct encode_call *call, int32_t *to, const int *from,
                       tma_argument argument) {
    const uint32_t count = entries(call, 2);
    if (checked(call, from, count, argument)) {
        memcpy(to, from, count * sizeof(*to));
    } else {
        for (uint32_t i = 0; i < count; i++) {
            to[i] = INT32_MIN;
        }
    }
}

struct encode_call encode_call_begin(enum shim_symbol symbol, const void *map, uint32_t dtype,
                                     uint32_t rank, const void *address, const uint64_t *dim,
                                     const uint64_t *stride, const uint32_t *element_stride) {
    struct encode_call call;
    memset(&call, 0, sizeof(call)); /* padding too: reports are told apart by its bytes */
    call.symbol = symbol;
    call.map = map;
    call.spec.api = symbol == AT_cuTensorMapEncodeTiled    ? TMA_API_TILED
                    : symbol == AT_cuTensorMapEncodeIm2col ? TMA_API_IM2COL
                                                           : TMA_API_WIDE;
    call.spec.dtype = dtype;
    call.spec.rank = rank;
    call.spec.address = (uint64_t)(uintptr_t)address;
    const uint32_t dims = entries(&call, 0);
    const uint32_t strides = entries(&call, 1);
    if (checked(&call, dim, dims, TMA_ARG_DIM)) {
        memcpy(call.spec.dim_el, dim, dims * sizeof(*dim));
    }
    if (checked(&call, stride, strides, TMA_ARG_STRIDE)) {
        memcpy(call.spec.stride_B, stride, strides * sizeof(*stride));
    } else {
        memset(call.spec.stride_B, 0xFF, strides * sizeof(*stride));
    }
    put_u32(&call, call.spec.element_stride, element_stride, TMA_ARG_ELEMENT_STRIDE);
    return call;
}

void encode_call_box(struct encode_call *call, const uint32_t *box) {
    put_u32(call, call->spec.box_el, box, TMA_ARG_BOX);
}

void encode_call_corners(struct encode_call *call, const int *lower, const int *upper) {
    put_corner(call, call->spec.lower_px, lower, TMA_ARG_LOWER);
    put_corner(call, call->spec.upper_px, upper, TMA_ARG_UPPER);
}

void encode_call_column(struct encode_call *call, uint32_t channels, uint32_t pixels) {
    call->spec.channels_per_pixel = channels;
    call->spec.pixels_per_column = pixels;
}

void encode_call_modes(struct encode_call *call, uint32_t interleave, uint32_t swizzle, uint32_t l2,
                       uint32_t fill) {
    call->spec.interleave = interleave;
    call->spec.swizzle = swizzle;
    call->spec.l2 = l2;
    call->spec.fill = fill;
}
