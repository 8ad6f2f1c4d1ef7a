/* SPDX-License-Identifier: Apache-2.0
 *
 * Random specs: first one that should be right, then perhaps one that should not.
 */
#include "gen_spec.h"

#include <string.h>

#define PICK(r, pool) (pool)[random_below(r, sizeof(pool) / sizeof((pool)[0]))]

#define COPY_LIMIT_B 233472

tma_target gen_target(struct random_source *r) {
    static const uint32_t drivers[] = {13000, 13000, 12000, 12079, 12080,
                                       13010, 13020, 13049, 13050, 14000};
    const tma_arch_row *row = tma_arch_at(random_below(r, tma_arch_count()));
    const tma_target target = {.sm = row->sm, .suffix = row->suffix, .driver = PICK(r, drivers)};
    return target;
}

static void good_kind(struct random_source *r, tma_spec *s, const tma_target *target) {
    static const uint32_t apis[] = {TMA_API_TILED, TMA_API_TILED, TMA_API_IM2COL, TMA_API_WIDE};
    const uint64_t features = tma_arch_of(target)->features;
    s->api = PICK(r, apis);
    if (s->api == TMA_API_WIDE && target->driver < 12080) {
        s->api = TMA_API_IM2COL;
    }
    const int packed = features & TMA_FEATURE_PACKED && random_one_in(r, 4);
    s->dtype = packed ? random_in(r, 13, 15) : random_in(r, 0, 12);
    if (random_one_in(r, 3) && s->dtype != TMA_DTYPE_16U6_ALIGN16B) {
        s->interleave = random_in(r, 1, 2);
    }
    s->rank = random_in(r, s->api == TMA_API_TILED && !s->interleave ? 1 : 3, 5);
    const uint32_t atoms = s->api == TMA_API_WIDE ? 4 : 6;
    s->swizzle = random_in(r, 0, features & TMA_FEATURE_PACKED ? atoms : 3);
    if (features & TMA_FEATURE_SWIZZLE_96B && !s->interleave && random_one_in(r, 4)) {
        s->swizzle = TMA_SWIZZLE_96B;
    }
    if (s->dtype >= TMA_DTYPE_16U4_ALIGN16B) {
        static const uint32_t swizzles[] = {3, 4, 0, 6};
        const uint32_t most = s->dtype == TMA_DTYPE_16U6_ALIGN16B ? 4 : 3;
        s->swizzle = swizzles[random_below(r, s->api == TMA_API_WIDE ? 2 : most)];
    }
    s->l2 = random_in(r, 0, 3);
    s->fill =
        s->dtype >= TMA_DTYPE_FLOAT16 && s->dtype <= TMA_DTYPE_TFLOAT32_FTZ && random_one_in(r, 2);
    s->wide_mode =
        s->swizzle == TMA_SWIZZLE_96B && target->driver >= 13020 ? 0 : random_in(r, 0, 1);
}

/* Elements of one row of the box: whole 16 bytes, no wider than the swizzle. */
static uint32_t good_inner(struct random_source *r, const tma_spec *s) {
    const uint32_t bits = tma_dtype_bits(s->dtype);
    const uint32_t granule_el = bits == 6 ? 64 : 128 / bits;
    const uint32_t span_B = tma_swizzle_span_B(s->swizzle);
    uint32_t most = 256 / granule_el;
    if (s->dtype >= TMA_DTYPE_16U4_ALIGN16B) {
        return 128;
    }
    if (span_B && !s->interleave && span_B / 16 < most) {
        most = span_B / 16;
    }
    return granule_el * (random_one_in(r, 2) ? most : random_in(r, 1, most));
}

static uint64_t any_dim(struct random_source *r) {
    static const uint64_t pool[] = {1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000};
    return random_one_in(r, 12) ? PICK(r, pool)
                                : 1 + random_length(r, random_one_in(r, 2) ? 12 : 32);
}

static void good_tensor(struct random_source *r, tma_spec *s, uint32_t driver) {
    const int padded = s->dtype >= TMA_DTYPE_16U4_ALIGN16B;
    const uint64_t unit_B = s->interleave == TMA_INTERLEAVE_32B || padded ? 32 : 16;
    s->address = random_length(r, 57) / unit_B * unit_B;
    for (uint32_t i = 0; i < s->rank; i++) {
        s->dim_el[i] = any_dim(r);
        if (driver >= 13050 && s->dim_el[i] > 0x80000000) {
            s->dim_el[i] = 0x80000000;
        }
        s->element_stride[i] = random_one_in(r, 3) ? random_in(r, 1, 8) : 1;
    }
    if (s->dtype >= TMA_DTYPE_16U4_ALIGN8B) {
        const uint64_t granule_el = padded ? 128 : 2;
        s->dim_el[0] = (s->dim_el[0] + granule_el - 1) / granule_el * granule_el;
    }
    const uint64_t limit_B = UINT64_C(1) << 40;
    uint64_t stride_B = s->dim_el[0] * tma_dtype_bits(s->dtype) / 8;
    for (uint32_t i = 0; i + 1 < s->rank; i++) {
        stride_B = (stride_B + unit_B - 1) / unit_B * unit_B;
        if (stride_B >= limit_B || random_one_in(r, 4)) {
            stride_B = random_length(r, 40) / unit_B * unit_B;
        }
        s->stride_B[i] = stride_B;
        stride_B = s->dim_el[i + 1] && stride_B > UINT64_MAX / 64 / s->dim_el[i + 1]
                       ? limit_B
                       : stride_B * s->dim_el[i + 1];
    }
}

static void good_box(struct random_source *r, tma_spec *s) {
    s->box_el[0] = good_inner(r, s);
    const uint32_t inner_B = s->box_el[0] * tma_dtype_bits(s->dtype) / 8;
    const uint32_t inner_steps = s->box_el[0] / s->element_stride[0];
    uint64_t left =
        (uint64_t)COPY_LIMIT_B * s->box_el[0] / inner_B / (inner_steps ? inner_steps : 1);
    for (uint32_t i = 1; i < s->rank; i++) {
        const uint64_t most = left * s->element_stride[i] < 256 ? left * s->element_stride[i] : 256;
        const int small = random_one_in(r, 2) && most > 8;
        s->box_el[i] = random_in(r, 1, small ? 8 : (uint32_t)most);
        const uint32_t steps = s->box_el[i] / s->element_stride[i];
        left /= steps ? steps : 1;
        left = left ? left : 1;
    }
}

static void good_columns(struct random_source *r, tma_spec *s) {
    const int32_t half = s->rank == 3 ? 32768 : s->rank == 4 ? 128 : 16;
    const int32_t range = random_one_in(r, 2) ? half : 8;
    s->channels_per_pixel = good_inner(r, s);
    const uint32_t pixel_B = s->channels_per_pixel * tma_dtype_bits(s->dtype) / 8;
    const uint32_t most = COPY_LIMIT_B / pixel_B < 1024 ? COPY_LIMIT_B / pixel_B : 1024;
    s->pixels_per_column = random_in(r, 1, most);
    for (uint32_t i = 0; i + 2 < s->rank; i++) {
        uint64_t *dim_el = &s->dim_el[i + (s->interleave ? 0 : 1)];
        s->lower_px[i] = (int32_t)random_in(r, 0, (uint32_t)(2 * range - 1)) - range;
        s->upper_px[i] = (int32_t)random_in(r, 0, (uint32_t)(2 * range - 1)) - range;
        if (*dim_el > 0x7FFF0000) {
            *dim_el = 0x7FFF0000 - random_below(r, 1000) * 128;
        }
        if ((int64_t)*dim_el + s->upper_px[i] <= s->lower_px[i]) {
            *dim_el += (uint64_t)(s->lower_px[i] - s->upper_px[i] + 127) / 128 * 128 + 128;
        }
        if ((s->api == TMA_API_WIDE && i > 0) && *dim_el > 0x7FFFFFFF) {
            *dim_el = 1;
        }
    }
}

/* What the call does not look at may be anything. */
static void fill_unused(struct random_source *r, tma_spec *s) {
    const uint64_t junk = random_one_in(r, 2) ? random_u64(r) : 0;
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        if (i >= s->rank) {
            s->dim_el[i] = junk;
            s->element_stride[i] = (uint32_t)junk;
        }
        if (i >= s->rank || s->api != TMA_API_TILED) {
            s->box_el[i] = (uint32_t)junk;
        }
    }
    for (uint32_t i = s->rank - 1; i < TMA_MAX_STRIDES; i++) {
        s->stride_B[i] = junk;
    }
    const uint32_t corners = s->api == TMA_API_TILED ? 0 : s->api == TMA_API_WIDE ? 1 : s->rank - 2;
    for (uint32_t i = corners; i < TMA_MAX_SPATIAL; i++) {
        s->lower_px[i] = (int32_t)junk;
        s->upper_px[i] = (int32_t)(junk >> 7);
    }
    if (s->api == TMA_API_TILED) {
        s->channels_per_pixel = (uint32_t)junk;
        s->pixels_per_column = (uint32_t)junk;
    }
    if (s->api != TMA_API_WIDE) {
        s->wide_mode = (uint32_t)junk;
    }
}

tma_spec gen_good_spec(struct random_source *r, const tma_target *target) {
    tma_spec s;
    memset(&s, 0, sizeof(s));
    good_kind(r, &s, target);
    good_tensor(r, &s, target->driver);
    if (s.api == TMA_API_TILED) {
        good_box(r, &s);
    } else {
        good_columns(r, &s);
    }
    fill_unused(r, &s);
    return s;
}

static void spoil_u64(struct random_source *r, uint64_t *value, const uint64_t *pool,
                      size_t count) {
    switch (random_below(r, 4)) {
    case 0:
        *value += random_in(r, 0, 1) ? 16 : UINT64_MAX; /* 16 more, or 1 less */
        break;
    case 1:
        *value = random_length(r, 64);
        break;
    default:
        *value = pool[random_below(r, count)];
    }
}

static void spoil_u32(struct random_source *r, uint32_t *value, const uint32_t *pool,
                      size_t count) {
    switch (random_below(r, 6)) {
    case 0:
        *value += random_in(r, 0, 1) ? 1 : UINT32_MAX;
        break;
    case 1:
        *value = (uint32_t)random_length(r, 32);
        break;
    default:
        *value = pool[random_below(r, count)];
    }
}

#define SPOIL_64(r, value, ...)                                                                    \
    do {                                                                                           \
        static const uint64_t pool_[] = {__VA_ARGS__};                                             \
        spoil_u64(r, value, pool_, sizeof(pool_) / sizeof(pool_[0]));                              \
    } while (0)
#define SPOIL_32(r, value, ...)                                                                    \
    do {                                                                                           \
        static const uint32_t pool_[] = {__VA_ARGS__};                                             \
        spoil_u32(r, value, pool_, sizeof(pool_) / sizeof(pool_[0]));                              \
    } while (0)

static void spoil_corner(struct random_source *r, int32_t *corner) {
    static const int32_t pool[] = {-17,       -16,       15,     16,     -129,  -128,
                                   127,       128,       -32769, -32768, 32767, 32768,
                                   INT32_MIN, INT32_MAX, 0,      -1,     1};
    *corner = random_one_in(r, 6) ? (int32_t)(random_u64(r) >> 33) - (1 << 30) : PICK(r, pool);
}

static void spoil_enumeration(struct random_source *r, tma_spec *s) {
    switch (random_below(r, 8)) {
    case 0:
        SPOIL_32(r, &s->api, 0, 1, 2, 3, UINT32_MAX);
        break;
    case 1:
        SPOIL_32(r, &s->dtype, 0, 5, 6, 12, 13, 14, 15, 16, UINT32_MAX);
        break;
    case 2:
        SPOIL_32(r, &s->rank, 0, 1, 2, 3, 4, 5, 6, 7, 8, UINT32_MAX);
        break;
    case 3:
        SPOIL_32(r, &s->interleave, 0, 1, 2, 3, 4, UINT32_MAX);
        break;
    case 4:
        SPOIL_32(r, &s->swizzle, 0, 1, 2, 3, 4, 5, 6, 7, 8, 95, 96, 97, UINT32_MAX);
        break;
    case 5:
        SPOIL_32(r, &s->l2, 0, 3, 4, UINT32_MAX);
        break;
    case 6:
        SPOIL_32(r, &s->fill, 0, 1, 2, UINT32_MAX);
        break;
    default:
        SPOIL_32(r, &s->wide_mode, 0, 1, 2, UINT32_MAX);
    }
}

void gen_spoil(struct random_source *r, tma_spec *s) {
    const uint64_t i = random_below(r, TMA_MAX_RANK);
    switch (random_below(r, 10)) {
    case 0:
        SPOIL_64(r, &s->address, 0, 8, 16, 32, 48, (UINT64_C(1) << 57) - 32,
                 (UINT64_C(1) << 57) - 16, UINT64_C(1) << 57, UINT64_MAX);
        break;
    case 1:
        SPOIL_64(r, &s->dim_el[i], 0, 1, 127, 128, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF,
                 0x100000000, 0x100000001, (UINT64_C(1) << 62) + 1, (UINT64_C(1) << 63) + 1,
                 UINT64_MAX);
        break;
    case 2:
        SPOIL_64(r, &s->stride_B[i % TMA_MAX_STRIDES], 0, 8, 16, 32, 48, UINT64_C(1) << 36,
                 (UINT64_C(1) << 40) - 32, (UINT64_C(1) << 40) - 16, (UINT64_C(1) << 40) - 8,
                 UINT64_C(1) << 40, UINT64_MAX);
        break;
    case 3:
        SPOIL_32(r, &s->box_el[i], 0, 1, 2, 15, 16, 127, 128, 255, 256, 257, UINT32_MAX);
        break;
    case 4:
        SPOIL_32(r, &s->element_stride[i], 0, 1, 2, 7, 8, 9, UINT32_MAX);
        break;
    case 5:
        spoil_corner(r, random_one_in(r, 2) ? &s->lower_px[i % 3] : &s->upper_px[i % 3]);
        break;
    case 6:
        SPOIL_32(r, &s->channels_per_pixel, 0, 1, 8, 16, 64, 128, 255, 256, 257, 512, UINT32_MAX);
        break;
    case 7:
        SPOIL_32(r, &s->pixels_per_column, 0, 1, 128, 1023, 1024, 1025, UINT32_MAX);
        break;
    default:
        spoil_enumeration(r, s);
    }
}

tma_spec gen_spec(struct random_source *r, const tma_target *target) {
    tma_spec s = gen_good_spec(r, target);
    if (!random_one_in(r, 5)) { /* a spoilt argument is often still a right one */
        for (uint32_t n = random_in(r, 1, 3); n > 0; n--) {
            gen_spoil(r, &s);
        }
    }
    return s;
}

tma_spec gen_plain(const tma_spec *spec) {
    tma_spec s = *spec;
    const int tiled = s.api == TMA_API_TILED;
    const uint32_t corners = tiled ? 0 : s.api == TMA_API_WIDE ? 1 : s.rank - 2;
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        s.dim_el[i] = i < s.rank ? s.dim_el[i] : 0;
        s.element_stride[i] = i < s.rank ? s.element_stride[i] : 0;
        s.box_el[i] = tiled && i < s.rank ? s.box_el[i] : 0;
    }
    for (uint32_t i = 0; i < TMA_MAX_STRIDES; i++) {
        s.stride_B[i] = i + 1 < s.rank ? s.stride_B[i] : 0;
    }
    for (uint32_t i = 0; i < TMA_MAX_SPATIAL; i++) {
        s.lower_px[i] = i < corners ? s.lower_px[i] : 0;
        s.upper_px[i] = i < corners ? s.upper_px[i] : 0;
    }
    if (tiled) {
        s.channels_per_pixel = 0;
        s.pixels_per_column = 0;
    } else {
        s.api = TMA_API_IM2COL;
    }
    s.wide_mode = 0;
    return s;
}

tma_spec gen_encoded(struct random_source *r, const tma_target *target, tma_map *map) {
    for (;;) {
        const tma_spec spec = gen_good_spec(r, target);
        if (tma_encode(map->bytes, &spec, target) == TMA_OK) {
            return spec;
        }
    }
}
