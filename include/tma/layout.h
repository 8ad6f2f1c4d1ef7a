/* SPDX-License-Identifier: Apache-2.0
 *
 * The 128 bytes for code that looks at them itself, in CUDA kernels too: positions of fields, a few
 * readers, the swizzles. All of it comes out of the tables that the library itself uses
 * (fields.def, enums.def), and nothing here calls the library.
 *
 * Pure functions. C11, C++11 and up; with nvcc they are __host__ __device__.
 */
#ifndef TMA_LAYOUT_H
#define TMA_LAYOUT_H

#include <stdint.h>

#include "spec.h"

#if defined(TMA_LAYOUT_FUNCTION) /* a compiler that has to be told more */
#elif defined(__CUDACC__)
#define TMA_LAYOUT_FUNCTION static __host__ __device__ __forceinline__
#else
#define TMA_LAYOUT_FUNCTION static inline
#endif

/* Of each field of fields.def, e.g. BOX: TMA_LAYOUT_BOX_AT, the lowest bit of entry 0, counted from
 * the map's first; _WIDTH, its bits; _STEP, bits from an entry to the next; _COUNT, entries. The
 * field's form, whether it is stored less one for instance, is in docs/descriptor.md. */
enum {
#define TMA_FIELD(id, name, scope, form, word, bit, width, ...)                                    \
    TMA_LAYOUT_##id##_AT = 32 * (word) + (bit), TMA_LAYOUT_##id##_WIDTH = (width),                 \
    TMA_LAYOUT_##id##_STEP = 0, TMA_LAYOUT_##id##_COUNT = 1,
#define TMA_FIELD_ARRAY(id, name, scope, form, word, bit, width, count, step, ...)                 \
    TMA_LAYOUT_##id##_AT = 32 * (word) + (bit), TMA_LAYOUT_##id##_WIDTH = (width),                 \
    TMA_LAYOUT_##id##_STEP = (step), TMA_LAYOUT_##id##_COUNT = (count),
#include "fields.def"
#undef TMA_FIELD
#undef TMA_FIELD_ARRAY
    TMA_LAYOUT_BYTES = 128
};

/* 32 bits of the map: a map that a kernel uses is aligned, one on the host may lie anywhere. */
TMA_LAYOUT_FUNCTION uint32_t tma_layout_word(const void *map, uint32_t word) {
#if defined(__CUDA_ARCH__) || defined(__NVPTX__)
    return ((const uint32_t *)map)[word];
#else
    const uint8_t *b = (const uint8_t *)map + 4 * (uintptr_t)word;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
#endif
}

/* `width` bits from bit `at` on, within one word, as they are stored. */
TMA_LAYOUT_FUNCTION uint32_t tma_layout_bits(const void *map, uint32_t at, uint32_t width) {
    const uint32_t word = tma_layout_word(map, at / 32);
    return width < 32 ? word >> at % 32 & ((1u << width) - 1) : word;
}

/* Entry i of a field, as stored: TMA_LAYOUT_GET(map, BOX, 1). Not for the address, which has 64
 * bits. */
#define TMA_LAYOUT_GET(map, id, i)                                                                 \
    tma_layout_bits(map, TMA_LAYOUT_##id##_AT + (uint32_t)(i)*TMA_LAYOUT_##id##_STEP,              \
                    TMA_LAYOUT_##id##_WIDTH)

/* What a map says, in the units of tma_spec. Dimensions are 0 for the innermost. */
TMA_LAYOUT_FUNCTION uint64_t tma_layout_address(const void *map) {
    const uint32_t word = TMA_LAYOUT_ADDRESS_AT / 32;
    return tma_layout_word(map, word) | (uint64_t)tma_layout_word(map, word + 1) << 32;
}

TMA_LAYOUT_FUNCTION uint32_t tma_layout_rank(const void *map) {
    return TMA_LAYOUT_GET(map, RANK, 0) + 1;
}

TMA_LAYOUT_FUNCTION bool tma_layout_is_tiled(const void *map) {
    return TMA_LAYOUT_GET(map, KIND, 0) == 0;
}

TMA_LAYOUT_FUNCTION uint64_t tma_layout_dim_el(const void *map, uint32_t dimension) {
    return (uint64_t)TMA_LAYOUT_GET(map, DIM, dimension) + 1;
}

/* The stride of dimension 1 and up. */
TMA_LAYOUT_FUNCTION uint64_t tma_layout_stride_B(const void *map, uint32_t dimension) {
    const uint64_t high = TMA_LAYOUT_GET(map, HIGH, dimension - 1);
    return (TMA_LAYOUT_GET(map, STRIDE, dimension - 1) | high << TMA_LAYOUT_STRIDE_WIDTH) << 4;
}

/* The element stride, 1 to 8 (PTX: traversal stride). */
TMA_LAYOUT_FUNCTION uint32_t tma_layout_element_stride(const void *map, uint32_t dimension) {
    return TMA_LAYOUT_GET(map, ES, dimension) + 1;
}

/* boxDim of a tiled map. */
TMA_LAYOUT_FUNCTION uint32_t tma_layout_box_el(const void *map, uint32_t dimension) {
    return TMA_LAYOUT_GET(map, BOX, dimension) + 1;
}

/* channelsPerPixel and pixelsPerColumn of an im2col map. */
TMA_LAYOUT_FUNCTION uint32_t tma_layout_channels(const void *map) {
    return TMA_LAYOUT_GET(map, CHANNELS, 0) + 1;
}

TMA_LAYOUT_FUNCTION uint32_t tma_layout_pixels(const void *map) {
    return TMA_LAYOUT_GET(map, PIXELS, 0) + 1;
}

/* `width` bits as a signed number. */
TMA_LAYOUT_FUNCTION int32_t tma_layout_signed(const void *map, uint32_t at, uint32_t width) {
    return (int32_t)(tma_layout_bits(map, at, width) << (32 - width)) >> (32 - width);
}
#define TMA_LAYOUT_SIGNED(map, id, i)                                                              \
    tma_layout_signed(map, TMA_LAYOUT_##id##_AT + (uint32_t)(i)*TMA_LAYOUT_##id##_STEP,            \
                      TMA_LAYOUT_##id##_WIDTH)

/* The corners of an im2col map along spatial dimension W, H or D (0, 1, 2). */
TMA_LAYOUT_FUNCTION int32_t tma_layout_lower_px(const void *map, uint32_t spatial) {
    const uint32_t rank = tma_layout_rank(map);
    return rank <= 3   ? TMA_LAYOUT_SIGNED(map, LOWER_3D, spatial)
           : rank == 4 ? TMA_LAYOUT_SIGNED(map, LOWER_4D, spatial)
                       : TMA_LAYOUT_SIGNED(map, LOWER_5D, spatial);
}

TMA_LAYOUT_FUNCTION int32_t tma_layout_upper_px(const void *map, uint32_t spatial) {
    const uint32_t rank = tma_layout_rank(map);
    return rank <= 3   ? TMA_LAYOUT_SIGNED(map, UPPER_3D, spatial)
           : rank == 4 ? TMA_LAYOUT_SIGNED(map, UPPER_4D, spatial)
                       : TMA_LAYOUT_SIGNED(map, UPPER_5D, spatial);
}

/* Bits of an element in global memory; 0 for a code that no type has. */
TMA_LAYOUT_FUNCTION uint32_t tma_layout_element_bits(const void *map) {
    const uint32_t code = TMA_LAYOUT_GET(map, ELEMENT, 0);
#define TMA_DTYPE_ROWS(id, name, cuda, ptx, imm, stored, evidence, bits, ...)                      \
    if (code == (stored)) {                                                                        \
        return (bits);                                                                             \
    }
#include "enums.def"
    return 0;
}

/* The map's swizzle in the driver's numbers (tma_swizzle), TMA_SWIZZLE_96B among them. */
TMA_LAYOUT_FUNCTION uint32_t tma_layout_swizzle(const void *map) {
    const uint32_t stored = TMA_LAYOUT_GET(map, SWIZZLE, 0);
    const uint32_t atom = TMA_LAYOUT_GET(map, ATOMICITY, 0);
    if (TMA_LAYOUT_GET(map, SWIZZLE_96B, 0)) {
        return TMA_SWIZZLE_96B;
    }
#define TMA_SWIZZLE_ROWS(id, name, cuda, ptx, imm, code, evidence, atomicity, ...)                 \
    if (TMA_SWIZZLE_##id != TMA_SWIZZLE_96B && stored == (code) &&                                 \
        (stored != 3 || atom == (atomicity))) {                                                    \
        return TMA_SWIZZLE_##id;                                                                   \
    }
#include "enums.def"
    return TMA_SWIZZLE_NONE;
}

/* Where the byte at a shared address really is under a swizzle (tma_swizzle): tma_swizzled() for
 * kernels, an exclusive or that is its own inverse. */
TMA_LAYOUT_FUNCTION uint32_t tma_layout_swizzled(uint32_t swizzle, uint32_t address) {
    switch (swizzle) {
#define TMA_SWIZZLE_ROWS(id, name, cuda, ptx, imm, code, evidence, atomicity, span, repeat, align, \
                         traits, shift, mask, flip_shift, flip_mask, seen)                         \
    case TMA_SWIZZLE_##id:                                                                         \
        return address ^ (address >> (shift) & (mask)) ^ (address >> (flip_shift) & (flip_mask));
#include "enums.def"
    default:
        return address;
    }
}

#endif
