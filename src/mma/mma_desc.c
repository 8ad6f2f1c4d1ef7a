/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix descriptors as 64 bits and taken apart, out of mma_fields.def.
 */
#include "mma_internal.h"

enum { SHIFT_SHIFT_4 = 4, SHIFT_PLAIN = 0 };

/* BIT_family_id, WIDTH_family_id and so on, for the code below. */
enum {
#define TMA_MMA_FIELD(family, id, name, form, bit, width, fixed, meaning, evidence)                \
    BIT_##family##_##id = (bit), WIDTH_##family##_##id = (width), FIXED_##family##_##id = (fixed),
#include "tma/mma_fields.def"
};

static const tma_mma_field wgmma_fields[] = {
#define FIELD(family, name, form, bit, width, fixed, meaning, evidence)                            \
    ROW_##family({name, meaning, evidence, bit, width, SHIFT_##form, fixed}, )
#define ROW_WGMMA(...) __VA_ARGS__
#define ROW_TCGEN05(...)
#define TMA_MMA_FIELD(family, id, ...) FIELD(family, __VA_ARGS__)
#include "tma/mma_fields.def"
#undef ROW_WGMMA
#undef ROW_TCGEN05
};

static const tma_mma_field tcgen05_fields[] = {
#define ROW_WGMMA(...)
#define ROW_TCGEN05(...)               __VA_ARGS__
#define TMA_MMA_FIELD(family, id, ...) FIELD(family, __VA_ARGS__)
#include "tma/mma_fields.def"
};

static const tma_mma_type types[] = {
#define TMA_MMA_TYPE(id, name, bits, unit, k, on, padded) {name, bits, unit, k, on, padded},
#include "tma/mma_fields.def"
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

tma_mma_field tma_mma_field_at(uint32_t family, size_t index) {
    static const tma_mma_field none;
    if (family == TMA_MMA_WGMMA && index < COUNT_OF(wgmma_fields)) {
        return wgmma_fields[index];
    }
    return family == TMA_MMA_TCGEN05 && index < COUNT_OF(tcgen05_fields) ? tcgen05_fields[index]
                                                                         : none;
}

const tma_mma_type *tma_mma_type_at(uint32_t type) {
    return type < TMA_MMA_TYPES ? &types[type] : NULL;
}

tma_status tma_mma_type_for(uint32_t *type, uint32_t dtype) {
    uint32_t found = TMA_MMA_TYPES;
    switch (dtype) {
#define TMA_MMA_DTYPE(dtype, type)                                                                 \
    case TMA_DTYPE_##dtype:                                                                        \
        found = TMA_MMA_TYPE_##type;                                                               \
        break;
#include "tma/mma_fields.def"
    default:
        return TMA_INVALID;
    }
    if (!type) {
        return TMA_INVALID;
    }
    *type = found;
    return TMA_OK;
}

static uint32_t swizzle_of(uint32_t family, uint32_t stored) {
    switch (family << 8 | stored) {
#define TMA_MMA_SWIZZLE(family, name, stored, evidence)                                            \
    case TMA_MMA_##family << 8 | (stored):                                                         \
        return TMA_SWIZZLE_##name;
#include "tma/mma_fields.def"
    default:
        return UINT32_MAX;
    }
}

#define IN(family, id, number) ((uint64_t)(number) << BIT_##family##_##id)
#define OUT(family, id, bits)                                                                      \
    ((uint32_t)((bits) >> BIT_##family##_##id) & ((1u << WIDTH_##family##_##id) - 1))

/* Four fields sit in the same bits in both. */
#define SAME(id)                                                                                   \
    _Static_assert((int)BIT_WGMMA_##id == (int)BIT_TCGEN05_##id &&                                 \
                       (int)WIDTH_WGMMA_##id == (int)WIDTH_TCGEN05_##id,                           \
                   #id)
SAME(START);
SAME(LEADING);
SAME(STRIDE);
SAME(BASE);

/* A multiple of 16 bytes as its field has it. */
#define IN_UNITS(id, bytes) ((uint64_t)(bytes) << BIT_WGMMA_##id >> SHIFT_SHIFT_4)

/* What a family and a swizzle settle. */
enum { SWIZZLES = TMA_SWIZZLE_128B_ATOM_64B + 1, FIXED_WGMMA = 0 };
#define FIXED_TCGEN05 IN(TCGEN05, VERSION, FIXED_TCGEN05_VERSION)
static const struct {
    uint64_t bits;
    uint64_t exists;
} chosen[TMA_MMA_FAMILIES][SWIZZLES] = {
#define TMA_MMA_SWIZZLE(family, name, stored, evidence)                                            \
    [TMA_MMA_##family][TMA_SWIZZLE_##name] = {IN(family, SWIZZLE, stored) | FIXED_##family, 1},
#include "tma/mma_fields.def"
};

tma_status tma_mma_encode(uint64_t *out, const tma_mma_descriptor *d) {
    if (!out || !d || d->family >= TMA_MMA_FAMILIES || d->swizzle >= SWIZZLES) {
        return TMA_INVALID;
    }
    const uint32_t offsets = d->start_B | d->leading_B | d->stride_B;
    if (offsets & (~((uint32_t)TMA_VALUE(MMA_REACH) - 1) | (TMA_MMA_UNIT_B - 1)) ||
        d->base_offset >> WIDTH_WGMMA_BASE || d->leading_absolute > d->family ||
        !chosen[d->family][d->swizzle].exists) {
        return TMA_INVALID;
    }
    *out = chosen[d->family][d->swizzle].bits | IN_UNITS(START, d->start_B) |
           IN_UNITS(LEADING, d->leading_B) | IN_UNITS(STRIDE, d->stride_B) |
           IN(WGMMA, BASE, d->base_offset) | IN(TCGEN05, ABSOLUTE, d->leading_absolute);
    return TMA_OK;
}

tma_status tma_mma_decode(tma_mma_descriptor *out, uint32_t family, uint64_t bits) {
    if (!out || family >= TMA_MMA_FAMILIES) {
        return TMA_INVALID;
    }
    tma_mma_descriptor d = {.family = family,
                            .start_B = OUT(WGMMA, START, bits) * TMA_MMA_UNIT_B,
                            .leading_B = OUT(WGMMA, LEADING, bits) * TMA_MMA_UNIT_B,
                            .stride_B = OUT(WGMMA, STRIDE, bits) * TMA_MMA_UNIT_B,
                            .base_offset = OUT(WGMMA, BASE, bits)};
    if (family == TMA_MMA_WGMMA) {
        d.swizzle = swizzle_of(family, OUT(WGMMA, SWIZZLE, bits));
    } else {
        d.swizzle = swizzle_of(family, OUT(TCGEN05, SWIZZLE, bits));
        d.leading_absolute = OUT(TCGEN05, ABSOLUTE, bits);
    }
    if (d.swizzle == UINT32_MAX) {
        return TMA_UNKNOWN;
    }
    *out = d;
    return TMA_OK;
}
