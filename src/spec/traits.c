/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of enums.def that say what sets an element type or a swizzle apart.
 */
#include "traits.h"

const tma_type_traits tma_types[TMA_DTYPES + 1] = {
#define TMA_DTYPE_ROWS(id, name, cuda, ptx, imm, stored, evidence, bits, mantissa, traits,         \
                       granule, group, group_shared)                                               \
    [TMA_DTYPE_##id] = {bits, mantissa, traits, stored, granule, group, group_shared},
#include "tma/enums.def"
};

const tma_type_traits tma_type_halves = {
#define TMA_DTYPE_HALVES_ROWS(id, name, cuda, ptx, imm, stored, evidence, bits, mantissa, traits,  \
                              granule, group, shared_B)                                            \
    bits, mantissa, traits, stored, granule, group, shared_B
#include "tma/enums.def"
};

const tma_swizzle_traits tma_swizzles[TMA_SWIZZLE_NUMBERS + 1] = {
#define TMA_SWIZZLE_ROWS(id, name, cuda, ptx, imm, stored, evidence, atom, span, repeat, align,    \
                         traits, shift, mask, flip_shift, flip_mask, seen)                         \
    [TMA_SWIZZLE_##                                                                                \
        id] = {span, repeat, traits, stored, atom, align, {shift, mask, flip_shift, flip_mask}},
#include "tma/enums.def"
};

uint32_t tma_dtype_bits(uint32_t dtype) {
    return tma_type_of(dtype)->bits;
}

uint32_t tma_swizzle_span_B(uint32_t swizzle) {
    return tma_swizzle_of(swizzle)->span_B;
}

uint32_t tma_swizzle_repeat_B(uint32_t swizzle) {
    return tma_swizzle_of(swizzle)->repeat_B;
}
