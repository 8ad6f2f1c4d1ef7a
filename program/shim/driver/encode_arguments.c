/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments to spec.
 */
#include "encode_arguments.h"

#include <string.h>

#include "careful_read.h"

/* How many entries of an array the driver looks at. */
static uint32_t entries(const struct encode_call *call, uint32_t fewer) {
    const uint32_t rank = call->spec.rank <= TMA_MAX_RANK ? call->spec.rank : 0;
    return rank > fewer ? rank - fewer : 0;
}

static void read_array(struct encode_call *call, tma_argument argument, void *to, const void *from,
                       size_t size_B) {
    if (!from) {
        call->nulls |= UINT64_C(1) << argument;
    } else if (call->reading == READ_PLAINLY) {
        memcpy(to, from, size_B);
    } else if (size_B && read_carefully(to, from, size_B)) {
        memset(to, 0, size_B);
        call->unreadable |= UINT64_C(1) << argument;
    }
}

struct encode_call encode_call_begin(enum shim_symbol symbol, enum encode_reading reading,
                                     const void *map, uint32_t dtype, uint32_t rank,
                                     const void *address, const uint64_t *dim,
                                     const uint64_t *stride, const uint32_t *element_stride) {
    struct encode_call call;
    memset(&call, 0, sizeof(call)); /* padding too: reports are told apart by its bytes */
    call.symbol = symbol;
    call.reading = reading;
    call.map = map;
    call.spec.api = symbol == AT_cuTensorMapEncodeTiled    ? TMA_API_TILED
                    : symbol == AT_cuTensorMapEncodeIm2col ? TMA_API_IM2COL
                                                           : TMA_API_WIDE;
    call.spec.dtype = dtype;
    call.spec.rank = rank;
    call.spec.address = (uint64_t)(uintptr_t)address;
    read_array(&call, TMA_ARG_DIM, call.spec.dim_el, dim, entries(&call, 0) * sizeof(*dim));
    read_array(&call, TMA_ARG_STRIDE, call.spec.stride_B, stride,
               entries(&call, 1) * sizeof(*stride));
    read_array(&call, TMA_ARG_ELEMENT_STRIDE, call.spec.element_stride, element_stride,
               entries(&call, 0) * sizeof(*element_stride));
    return call;
}

void encode_call_box(struct encode_call *call, const uint32_t *box) {
    read_array(call, TMA_ARG_BOX, call->spec.box_el, box, entries(call, 0) * sizeof(*box));
}

void encode_call_corners(struct encode_call *call, const int *lower, const int *upper) {
    const size_t size_B = entries(call, 2) * sizeof(*lower);
    read_array(call, TMA_ARG_LOWER, call->spec.lower_px, lower, size_B);
    read_array(call, TMA_ARG_UPPER, call->spec.upper_px, upper, size_B);
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

int encode_call_accepted(const struct encode_call *call, const tma_target *target, tma_map *made) {
    return !call->nulls && !call->unreadable &&
           tma_encode(made->bytes, &call->spec, target) == TMA_OK;
}
