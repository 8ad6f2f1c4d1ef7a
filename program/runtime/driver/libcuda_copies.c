/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's copies and sets.
 */
#include "libcuda_calls.h"

static void *address_of(device_address device) {
    return (void *)(uintptr_t)device; // NOLINT(performance-no-int-to-ptr): what a CUdeviceptr is
}

static uint32_t copy(void *to, const void *from, size_t size_B, struct CUstream_st *stream) {
    const uint32_t error = libcuda_state();
    const program_copy what = {.to = to, .from = from, .width_B = size_B, .rows = 1};
    return error != CUDA_SUCCESS ? error : tma_program_copy(stream, &what);
}

uint32_t cuMemcpyAsync(device_address dst, device_address src, size_t ByteCount,
                       struct CUstream_st *hStream) {
    return copy(address_of(dst), address_of(src), ByteCount, hStream);
}

uint32_t cuMemcpy(device_address dst, device_address src, size_t ByteCount) {
    return cuMemcpyAsync(dst, src, ByteCount, NULL);
}

uint32_t cuMemcpyDtoDAsync_v2(device_address dstDevice, device_address srcDevice, size_t ByteCount,
                              struct CUstream_st *hStream) {
    return cuMemcpyAsync(dstDevice, srcDevice, ByteCount, hStream);
}

uint32_t cuMemcpyDtoD_v2(device_address dstDevice, device_address srcDevice, size_t ByteCount) {
    return cuMemcpyAsync(dstDevice, srcDevice, ByteCount, NULL);
}

uint32_t cuMemcpyHtoDAsync_v2(device_address dstDevice, const void *srcHost, size_t ByteCount,
                              struct CUstream_st *hStream) {
    return copy(address_of(dstDevice), srcHost, ByteCount, hStream);
}

uint32_t cuMemcpyHtoD_v2(device_address dstDevice, const void *srcHost, size_t ByteCount) {
    return cuMemcpyHtoDAsync_v2(dstDevice, srcHost, ByteCount, NULL);
}

uint32_t cuMemcpyDtoHAsync_v2(void *dstHost, device_address srcDevice, size_t ByteCount,
                              struct CUstream_st *hStream) {
    return copy(dstHost, address_of(srcDevice), ByteCount, hStream);
}

uint32_t cuMemcpyDtoH_v2(void *dstHost, device_address srcDevice, size_t ByteCount) {
    return cuMemcpyDtoHAsync_v2(dstHost, srcDevice, ByteCount, NULL);
}

/* ---- in rows ---- */

enum { TYPE_HOST = 1, TYPE_DEVICE = 2, TYPE_UNIFIED = 4 }; /* CUmemorytype; 3: arrays, not done */

static uint8_t *place(uint32_t type, const void *host, device_address device) {
    return type == TYPE_HOST                             ? (uint8_t *)(uintptr_t)host
           : type == TYPE_DEVICE || type == TYPE_UNIFIED ? address_of(device)
                                                         : NULL;
}

uint32_t cuMemcpy2DAsync_v2(const struct CUDA_MEMCPY2D_st *pCopy, struct CUstream_st *hStream) {
    const uint32_t error = libcuda_state();
    if (error != CUDA_SUCCESS || !pCopy) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    const struct CUDA_MEMCPY2D_st *c = pCopy;
    const size_t from_B = c->from_pitch_B ? c->from_pitch_B : c->from_x_B + c->width_B;
    const size_t to_B = c->to_pitch_B ? c->to_pitch_B : c->to_x_B + c->width_B;
    const uint8_t *from = place(c->from_type, c->from_host, c->from_device);
    uint8_t *to = place(c->to_type, c->to_host, c->to_device);
    if (!from || !to || c->width_B > from_B || c->width_B > to_B) {
        return CUDA_INVALID_VALUE;
    }
    const program_copy what = {.to = to + c->to_y * to_B + c->to_x_B,
                               .from = from + c->from_y * from_B + c->from_x_B,
                               .to_pitch_B = to_B,
                               .from_pitch_B = from_B,
                               .width_B = c->width_B,
                               .rows = c->rows};
    return tma_program_copy(hStream, &what);
}

uint32_t cuMemcpy2D_v2(const struct CUDA_MEMCPY2D_st *pCopy) {
    return cuMemcpy2DAsync_v2(pCopy, NULL);
}

uint32_t cuMemcpy2DUnaligned_v2(const struct CUDA_MEMCPY2D_st *pCopy) {
    return cuMemcpy2DAsync_v2(pCopy, NULL);
}

/* ---- sets ---- */

static uint32_t set(const program_set *what, struct CUstream_st *stream) {
    const uint32_t error = libcuda_state();
    const uint64_t at = (uintptr_t)what->to;
    const int is_aligned = !(at % what->element_B) && !(what->pitch_B % what->element_B);
    const int fits = what->rows <= 1 || what->width_el <= what->pitch_B / what->element_B;
    return error != CUDA_SUCCESS ? error
           : is_aligned && fits  ? tma_program_set(stream, what)
                                 : CUDA_INVALID_VALUE;
}

#define SETS(bits, type)                                                                           \
    uint32_t cuMemsetD##bits##Async(device_address dstDevice, type value, size_t N,                \
                                    struct CUstream_st *hStream) {                                 \
        return set(&(program_set){address_of(dstDevice), 0, N, 1, value, (bits) / 8}, hStream);    \
    }                                                                                              \
    uint32_t cuMemsetD##bits##_v2(device_address dstDevice, type value, size_t N) {                \
        return cuMemsetD##bits##Async(dstDevice, value, N, NULL);                                  \
    }                                                                                              \
    uint32_t cuMemsetD2D##bits##_v2(device_address dstDevice, size_t dstPitch, type value,         \
                                    size_t Width, size_t Height) {                                 \
        return set(                                                                                \
            &(program_set){address_of(dstDevice), dstPitch, Width, Height, value, (bits) / 8},     \
            NULL);                                                                                 \
    }

SETS(8, unsigned char)
SETS(16, unsigned short)
SETS(32, unsigned)
