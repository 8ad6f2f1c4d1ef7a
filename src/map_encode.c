/* SPDX-License-Identifier: Apache-2.0
 *
 * Spec to 128 bytes, as driver 13.0 was seen to write them.
 */
#include "map_layout.h"
#include "map_write.h"
#include "shared.h"
#include "tma/check.h"

static const uint8_t element_codes[] = {
#define TMA_DTYPE_ROWS(name, cuda, ptx, driver, imm, stored, evidence, bits, nan) stored,
#include "spec_enums.def"
#undef TMA_DTYPE_ROWS
};

static uint32_t stored_swizzle(uint32_t swizzle) {
    switch (swizzle) {
#define TMA_SWIZZLE_ROWS(name, cuda, ptx, driver, imm, stored, evidence, atom, span, repeat)       \
    case driver:                                                                                   \
        return TMA_PUT(SWIZZLE, stored) | TMA_PUT(ATOMICITY, atom) |                               \
               TMA_PUT(SWIZZLE_96B, (driver) == TMA_SWIZZLE_96B);
#include "spec_enums.def"
#undef TMA_SWIZZLE_ROWS
    default:
        return 0;
    }
}

/* Bit 21. Public sources say two things: drivers up to 13.1 look at the number of elements, later
 * ones at the memory that the tensor spans (release notes of driver 595.71.05: small tensors that
 * are not dense were marked large). Neither was seen by this project. */
#define LARGE_TENSOR_B   (UINT64_C(128) << 10)
#define DRIVER_BY_EXTENT 13020

int tma_large_tensor(const tma_spec *spec, uint32_t driver) {
    const uint32_t bits = tma_dtype_bits(spec->dtype);
    uint64_t elements_B = tma_elements_B(bits, spec->dim_el[0]);
    uint64_t extent_B = elements_B;
    for (uint32_t i = 1; i < spec->rank && i < TMA_MAX_RANK; i++) {
        const uint64_t dim_el = spec->dim_el[i];
        const uint64_t stride_B = spec->stride_B[i - 1];
        if (dim_el && elements_B > LARGE_TENSOR_B / dim_el) {
            elements_B = LARGE_TENSOR_B;
        } else {
            elements_B *= dim_el;
        }
        const uint64_t steps = dim_el ? dim_el - 1 : 0;
        extent_B +=
            stride_B && steps > LARGE_TENSOR_B / stride_B ? LARGE_TENSOR_B : steps * stride_B;
    }
    return (driver < DRIVER_BY_EXTENT ? elements_B : extent_B) >= LARGE_TENSOR_B;
}

static uint32_t word_2(const tma_spec *s, const tma_target *target) {
    const int tf32 = s->dtype == TMA_DTYPE_TFLOAT32 || s->dtype == TMA_DTYPE_TFLOAT32_FTZ;
    uint32_t word = TMA_PUT(KIND, s->api == TMA_API_TILED ? TMA_KIND_TILED : TMA_KIND_IM2COL) |
                    TMA_PUT(RANK, s->rank - 1) | TMA_PUT(INTERLEAVE, s->interleave) |
                    stored_swizzle(s->swizzle) | TMA_PUT(FILL, s->fill) | TMA_PUT(L2, s->l2);
    if (s->dtype < sizeof(element_codes)) {
        word |= TMA_PUT(ELEMENT, element_codes[s->dtype]) | TMA_PUT(TF32, tf32);
    }
    if (target && tma_arch_of(target)->features & TMA_FEATURE_BIT21) {
        word |= TMA_PUT(BIT21, tma_large_tensor(s, target->driver));
    }
    return word;
}

static uint32_t corners(const tma_spec *s) {
    const uint32_t count = s->rank - 2;
    const uint32_t width_bit = s->rank == 3 ? 16 : s->rank == 4 ? 8 : 5;
    const uint32_t mask = (1u << width_bit) - 1;
    uint32_t word = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && s->api == TMA_API_WIDE) {
            break; /* H and D corners are 0 */
        }
        word |= ((uint32_t)s->lower_px[i] & mask) << (i * width_bit);
        word |= ((uint32_t)s->upper_px[i] & mask) << (16 + i * width_bit);
    }
    return word;
}

void tma_write_map(uint8_t *map, const tma_spec *s, const tma_target *target) {
    const uint32_t rank = s->rank;
    const int tiled = s->api == TMA_API_TILED;
    uint32_t high = 0;
    uint32_t element_strides = 0;
    memset(map, 0, TMA_MAP_BYTES);
    tma_store64(map, s->address);
    tma_store32(map + 8, word_2(s, target));
    for (uint32_t i = 0; i + 1 < rank; i++) {
        const uint64_t units = s->stride_B[i] >> 4;
        tma_store32(map + 4 * (size_t)(TMA_AT_WORD_STRIDE_0 + i), (uint32_t)units);
        high |= (uint32_t)(units >> 32 & 15) << (4 * i);
    }
    tma_store32(map + (size_t)4 * TMA_AT_WORD_HIGH_0, high);
    for (uint32_t i = 0; i < rank; i++) {
        tma_store32(map + 4 * (size_t)(TMA_AT_WORD_DIM_0 + i), (uint32_t)(s->dim_el[i] - 1));
        element_strides |= ((s->element_stride[i] - 1) & 7) << (3 * i);
    }
    const uint32_t inner_el = tiled ? s->box_el[0] : s->channels_per_pixel;
    tma_store32(map + (size_t)4 * TMA_AT_WORD_ES_0, element_strides | TMA_PUT(BOX_0, inner_el - 1));
    if (tiled) {
        for (uint32_t i = 1; i < rank; i++) {
            map[4 * TMA_AT_WORD_BOX_1 + i - 1] = (uint8_t)(s->box_el[i] - 1);
        }
    } else {
        tma_store32(map + (size_t)4 * TMA_AT_WORD_LOWER_3D_W, corners(s));
        tma_store32(map + (size_t)4 * TMA_AT_WORD_PIXELS,
                    TMA_PUT(PIXELS, s->pixels_per_column - 1));
    }
    tma_store32(map + (size_t)4 * TMA_AT_WORD_BOX_BYTES, (uint32_t)tma_box_bytes(s));
    tma_store32(map + (size_t)4 * TMA_AT_WORD_REPEAT, tma_swizzle_repeat_B(s->swizzle));
}

tma_status tma_encode(tma_map *map, const tma_spec *spec, const tma_target *target) {
    if (!map || !spec || !tma_arch_of(target)) {
        return TMA_ARGUMENT;
    }
    if (!tma_accepts(spec, target)) {
        return TMA_REFUSED;
    }
    tma_write_map(map->bytes, spec, target);
    return TMA_OK;
}
