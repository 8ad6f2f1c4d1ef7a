/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps and instructions of random copies. place_copy.c says where they start.
 */
#include "draw_copy.h"

#include <tma/element.h>

#include "place_copy.h"

#define PICK(r, pool) (pool)[random_below(r, sizeof(pool) / sizeof((pool)[0]))]

static uint32_t bits_of(uint64_t value) {
    uint32_t bits = 0;
    while (value >> bits) {
        bits++;
    }
    return bits;
}

/* 1 to most: any of them, or small ones as often as large ones. */
static uint32_t any_scale(struct random_source *r, uint32_t most) {
    const uint32_t value =
        random_one_in(r, 2) ? random_in(r, 1, most) : (uint32_t)random_length(r, bits_of(most));
    return value == 0 ? 1 : value > most ? most : value;
}

/* A size along the first of `dims` dimensions that share `most` elements. */
static uint32_t share(struct random_source *r, uint64_t most, uint32_t dims) {
    const uint64_t even = UINT64_C(1) << (bits_of(most) / dims + (random_one_in(r, 4) ? 2 : 0));
    const uint64_t cap = even < most ? even : most;
    return any_scale(r, cap > 4096 ? 4096 : cap ? (uint32_t)cap : 1);
}

/* A reduction with a type that has it. */
static void draw_reduction(struct random_source *r, struct copy_case *c) {
    do {
        c->in.op = random_in(r, TMA_OP_ADD, TMA_OP_XOR);
        c->spec.dtype = random_in(r, 0, TMA_DTYPE_TFLOAT32_FTZ);
    } while (!tma_reduction_exists(c->in.op, c->spec.dtype));
}

static void draw_operation(struct random_source *r, struct copy_case *c, const tma_target *t) {
    const uint32_t shape = (uint32_t)random_below(r, 32);
    const int packed = tma_arch_of(t)->features & TMA_FEATURE_PACKED && random_one_in(r, 6);
    c->spec.dtype = packed ? random_in(r, TMA_DTYPE_16U4_ALIGN8B, TMA_DTYPE_16U6_ALIGN16B)
                           : random_in(r, 0, TMA_DTYPE_TFLOAT32_FTZ);
    c->in.op = shape < 15 ? TMA_OP_LOAD : shape < 22 ? TMA_OP_STORE : TMA_OP_PREFETCH;
    if (shape > 22) {
        draw_reduction(r, c);
    }
    c->in.cluster = c->in.op == TMA_OP_LOAD && random_one_in(r, 2);
}

static void draw_mode(struct random_source *r, struct copy_case *c, const tma_target *t) {
    const uint64_t features = tma_arch_of(t)->features;
    c->in.mode = random_below(r, 5) < 2 ? TMA_MODE_IM2COL : TMA_MODE_TILE;
    if (features & TMA_FEATURE_GATHER4_CTA && random_one_in(r, 4)) {
        c->in.mode = random_in(r, TMA_MODE_GATHER4, TMA_MODE_IM2COL_W128);
    }
    c->spec.api = c->in.mode == TMA_MODE_IM2COL     ? TMA_API_IM2COL
                  : c->in.mode >= TMA_MODE_IM2COL_W ? TMA_API_WIDE
                                                    : TMA_API_TILED;
}

static void draw_layout(struct random_source *r, struct copy_case *c, const tma_target *t) {
    tma_spec *s = &c->spec;
    const int atoms = tma_arch_of(t)->features & TMA_FEATURE_PACKED && random_one_in(r, 3);
    const int rows4 = c->in.mode == TMA_MODE_GATHER4 || c->in.mode == TMA_MODE_SCATTER4;
    if (random_below(r, 5) < 2 && !rows4 && s->api != TMA_API_WIDE &&
        s->dtype < TMA_DTYPE_16U4_ALIGN8B) {
        s->interleave = random_in(r, 1, 2);
    }
    s->rank = rows4 ? 2 : random_in(r, s->api == TMA_API_TILED && !s->interleave ? 1 : 3, 5);
    s->swizzle = random_in(r, 0, atoms ? TMA_SWIZZLE_128B_ATOM_64B : TMA_SWIZZLE_128B);
    if (s->api == TMA_API_WIDE) {
        s->swizzle = random_in(r, TMA_SWIZZLE_64B, TMA_SWIZZLE_128B);
    }
    if (tma_arch_of(t)->features & TMA_FEATURE_SWIZZLE_96B && !s->interleave &&
        random_one_in(r, 8)) {
        s->swizzle = TMA_SWIZZLE_96B; /* by tensormap.replace: copy_batch.c */
    }
    s->l2 = random_in(r, 0, 3);
    s->fill =
        s->dtype >= TMA_DTYPE_FLOAT16 && s->dtype <= TMA_DTYPE_TFLOAT32_FTZ && random_one_in(r, 2);
    s->wide_mode = s->api == TMA_API_WIDE && c->in.mode == TMA_MODE_IM2COL_W128;
    c->in.rank = s->rank;
}

/* Elements of a row of the box: whole 16 bytes, within the swizzle's span. */
static uint32_t inner_el(struct random_source *r, const tma_spec *s) {
    const uint32_t bits = tma_dtype_bits(s->dtype);
    const uint32_t granule_el = bits == 6 ? 64 : 128 / bits;
    const uint32_t span_B = s->interleave ? 0 : tma_swizzle_span_B(s->swizzle);
    uint32_t most = 256 / granule_el;
    if (s->dtype >= TMA_DTYPE_16U4_ALIGN16B) {
        return 128;
    }
    if (span_B && span_B / 16 < most) {
        most = span_B / 16;
    }
    return granule_el * (random_one_in(r, 3) ? most : random_in(r, 1, most));
}

/* Sizes that stay within the slice, as a rule; strides with gaps. */
static void draw_tensor(struct random_source *r, struct copy_case *c,
                        const struct copy_limits *limits) {
    tma_spec *s = &c->spec;
    const int padded = s->dtype >= TMA_DTYPE_16U4_ALIGN16B;
    const uint32_t unit_B = s->interleave == TMA_INTERLEAVE_32B || padded ? 32 : 16;
    const uint32_t bits = s->interleave ? 8 * unit_B : tma_dtype_bits(s->dtype);
    const uint64_t left_B = limits->global_B - 1024;
    const uint32_t row_B = share(r, left_B, s->rank) * (s->rank > 3 ? 8 : 4);
    s->address = random_one_in(r, 2) ? (uint64_t)unit_B * random_below(r, 16) : 0;
    s->dim_el[0] = (uint64_t)row_B * 8 / bits;
    s->dim_el[0] = s->dim_el[0] ? s->dim_el[0] : 1;
    if (s->dtype >= TMA_DTYPE_16U4_ALIGN8B) {
        const uint32_t granule_el = padded ? 128 : 2;
        s->dim_el[0] = (s->dim_el[0] + granule_el - 1) / granule_el * granule_el;
    }
    uint64_t stride_B = (s->dim_el[0] * bits + 7) / 8;
    for (uint32_t i = 1; i < s->rank; i++) {
        stride_B = (stride_B + unit_B - 1) / unit_B * unit_B;
        stride_B += random_one_in(r, 3) ? unit_B * random_below(r, 5) : 0;
        s->stride_B[i - 1] = stride_B;
        s->dim_el[i] = share(r, left_B / stride_B, s->rank - i);
        if (s->dim_el[i] == 1 && random_one_in(r, 8)) {
            s->stride_B[i - 1] = random_length(r, 40) / unit_B * unit_B; /* never taken */
        }
        stride_B *= s->dim_el[i];
    }
}

/* Loads take strides that nobody would store with: none, falling, overlapping; and where the
 * stride is 0, sizes of up to 2^32. */
static void odd_strides(struct random_source *r, tma_spec *s) {
    const uint32_t unit_B = s->interleave == TMA_INTERLEAVE_32B ? 32 : 16;
    for (uint32_t i = 0; i + 1 < s->rank; i++) {
        if (random_one_in(r, 2)) {
            s->stride_B[i] = (uint64_t)unit_B * (random_one_in(r, 2) ? 0 : random_below(r, 8));
            if (s->stride_B[i] == 0 && random_one_in(r, 3)) {
                s->dim_el[i + 1] = 1 + random_length(r, 32);
            }
        }
    }
}

/* Tensors that go on far behind the memory that there is: only what the copy touches must exist. */
static void enlarge(struct random_source *r, tma_spec *s) {
    static const uint64_t sizes[] = {0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0x100000000};
    const uint32_t i = (uint32_t)random_below(r, s->rank);
    const uint64_t size = random_one_in(r, 3) ? PICK(r, sizes) : random_length(r, 32);
    if (size > s->dim_el[i] && s->dtype < TMA_DTYPE_16U4_ALIGN8B) {
        s->dim_el[i] = size;
    }
}

static void draw_element_strides(struct random_source *r, tma_spec *s) {
    const int strided = random_one_in(r, 3);
    for (uint32_t i = 0; i < s->rank; i++) {
        s->element_stride[i] = strided ? random_in(r, 1, random_one_in(r, 4) ? 8 : 3) : 1;
    }
}

static void draw_box(struct random_source *r, struct copy_case *c) {
    tma_spec *s = &c->spec;
    const int rows4 = c->in.mode == TMA_MODE_GATHER4 || c->in.mode == TMA_MODE_SCATTER4;
    const int inside = random_one_in(r, 2);
    s->box_el[0] = inner_el(r, s);
    for (uint32_t i = 1; i < s->rank; i++) {
        static const uint32_t caps[] = {0, 0, 256, 40, 14, 9};
        const uint32_t cap = random_one_in(r, 6) ? 256 : caps[s->rank];
        const uint64_t most = inside && s->dim_el[i] < cap ? s->dim_el[i] : cap;
        s->box_el[i] = rows4 ? 1 : any_scale(r, (uint32_t)most);
    }
}

static int32_t corner(struct random_source *r, const tma_spec *s, int small) {
    const int32_t half = s->rank == 3 ? 32768 : s->rank == 4 ? 128 : 16;
    const int32_t range = small ? 4 : half;
    return (int32_t)random_below(r, (uint64_t)2 * range) - range;
}

/* Stores take no lower corner below 0 and no upper corner above it. */
static void draw_column(struct random_source *r, struct copy_case *c) {
    tma_spec *s = &c->spec;
    const int small = !random_one_in(r, 12);
    const int store = c->in.op != TMA_OP_LOAD && c->in.op != TMA_OP_PREFETCH;
    s->channels_per_pixel = inner_el(r, s);
    s->pixels_per_column = any_scale(r, random_one_in(r, 8) ? 1024 : 256);
    for (uint32_t i = 0; i + 2 < s->rank; i++) {
        if (i > 0 && s->api == TMA_API_WIDE) {
            break;
        }
        s->lower_px[i] = corner(r, s, small);
        s->upper_px[i] = corner(r, s, small);
        if (store && s->lower_px[i] < 0) {
            s->lower_px[i] = -(s->lower_px[i] + 1);
        }
        if (store && s->upper_px[i] > 0) {
            s->upper_px[i] = -s->upper_px[i];
        }
    }
}

/* What sm_103a and sm_107 store as .b6p2x16: rows of 48 bytes, sizes of whole ones. */
static void draw_halves(struct random_source *r, struct copy_case *c, const tma_target *t) {
    tma_spec *s = &c->spec;
    if (!(tma_arch_of(t)->features & TMA_FEATURE_STORE_HALVES) || c->in.op != TMA_OP_STORE ||
        s->api != TMA_API_TILED || s->dtype != TMA_DTYPE_16U6_ALIGN16B || random_one_in(r, 2)) {
        return;
    }
    s->box_el[0] = 64;
    s->swizzle = random_one_in(r, 3) ? TMA_SWIZZLE_64B : s->swizzle;
    s->dim_el[0] -= s->dim_el[0] > 64 && random_one_in(r, 2) ? 64 : 0;
    s->address += random_one_in(r, 2) ? 16 : 0;
}

void draw_copy(struct random_source *r, struct copy_case *c, const struct copy_limits *limits,
               const tma_target *target) {
    draw_operation(r, c, target);
    draw_mode(r, c, target);
    draw_layout(r, c, target);
    draw_tensor(r, c, limits);
    if ((c->in.op == TMA_OP_LOAD || c->in.op == TMA_OP_PREFETCH) && random_one_in(r, 8)) {
        odd_strides(r, &c->spec);
    }
    draw_element_strides(r, &c->spec);
    if (c->spec.api == TMA_API_TILED) {
        draw_box(r, c);
        draw_halves(r, c, target);
    } else {
        draw_column(r, c);
    }
    place_copy(r, c);
    if (random_one_in(r, 32)) {
        enlarge(r, &c->spec);
    }
    if (random_one_in(r, 32)) {
        break_copy(r, c);
    }
}
