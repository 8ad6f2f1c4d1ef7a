/* SPDX-License-Identifier: Apache-2.0
 *
 * Random copies: mode and target first, then a type and a swizzle that go with them, a box, a
 * tensor not much larger, and a place.
 */
#include "gen_copy.h"

#include "support/cases/spec_line.h"
#include "support/plain/plain_copy.h"
#include "support/plain/swizzle_tables.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <tma/element.h>

#define ANY_REDUCTION TMA_OPS
#define PICK(r, pool) (pool)[random_below(r, sizeof(pool) / sizeof((pool)[0]))]

static int is_pixels(const struct gen_copy *c) {
    return c->spec.api != TMA_API_TILED;
}

static int is_wide(const struct gen_copy *c) {
    return c->instruction.mode >= TMA_MODE_IM2COL_W;
}

static int is_load(const struct gen_copy *c) {
    return c->instruction.op == TMA_OP_LOAD || c->instruction.op == TMA_OP_PREFETCH;
}

/* Stores that may begin outside the tensor. */
static int takes_negative(const struct gen_copy *c) {
    return is_load(c) || (c->instruction.mode == TMA_MODE_SCATTER4 && c->target.sm == 107);
}

static int is_reduction(const struct gen_copy *c) {
    return c->instruction.op >= TMA_OP_ADD && c->instruction.op <= TMA_OP_XOR;
}

static int is_padded(const struct gen_copy *c) {
    return c->spec.dtype >= TMA_DTYPE_16U4_ALIGN16B;
}

static int is_packed(const struct gen_copy *c) {
    return c->spec.dtype >= TMA_DTYPE_16U4_ALIGN8B;
}

static int32_t between(struct random_source *r, int64_t least, int64_t most) {
    return (int32_t)(least + (int64_t)random_below(r, (uint64_t)(most - least + 1)));
}

static void gen_instruction(struct random_source *r, struct gen_copy *c) {
    static const uint32_t modes[] = {TMA_MODE_TILE,     TMA_MODE_TILE,     TMA_MODE_TILE,
                                     TMA_MODE_TILE,     TMA_MODE_TILE,     TMA_MODE_IM2COL,
                                     TMA_MODE_IM2COL,   TMA_MODE_IM2COL,   TMA_MODE_GATHER4,
                                     TMA_MODE_SCATTER4, TMA_MODE_IM2COL_W, TMA_MODE_IM2COL_W128};
    static const uint32_t ops[] = {TMA_OP_LOAD,  TMA_OP_LOAD,  TMA_OP_LOAD,  TMA_OP_LOAD,
                                   TMA_OP_STORE, TMA_OP_STORE, TMA_OP_STORE, TMA_OP_PREFETCH,
                                   TMA_OP_ADD,   TMA_OP_ADD,   ANY_REDUCTION};
    static const tma_target newer[] = {{.sm = 100, .suffix = 'a', .driver = 13000},
                                       {.sm = 100, .suffix = 'f', .driver = 13000},
                                       {.sm = 103, .suffix = 'a', .driver = 13000},
                                       {.sm = 107, .suffix = 'a', .driver = 13000},
                                       {.sm = 110, .suffix = 'a', .driver = 13000}};
    static const tma_target older[] = {
        {.sm = 90, .driver = 13000},  {.sm = 90, .suffix = 'a', .driver = 13000},
        {.sm = 100, .driver = 13000}, {.sm = 103, .suffix = 'a', .driver = 13000},
        {.sm = 120, .driver = 13000}, {.sm = 120, .suffix = 'a', .driver = 13000}};
    tma_instruction *in = &c->instruction;
    in->mode = PICK(r, modes);
    in->op = PICK(r, ops);
    in->cluster = (uint32_t)random_below(r, 2);
    c->target = in->mode <= TMA_MODE_IM2COL ? PICK(r, older) : PICK(r, newer);
    if (in->mode > TMA_MODE_IM2COL) {
        const int loads = in->mode != TMA_MODE_SCATTER4;
        in->op = loads ? random_one_in(r, 8) ? TMA_OP_PREFETCH : TMA_OP_LOAD : TMA_OP_STORE;
    }
    if (in->mode == TMA_MODE_IM2COL_W && c->target.sm == 107 && random_one_in(r, 2)) {
        in->op = random_one_in(r, 2) ? TMA_OP_STORE : ANY_REDUCTION;
    }
    if (in->op == ANY_REDUCTION) {
        in->op = random_in(r, TMA_OP_ADD, TMA_OP_XOR);
    }
}

static void gen_type(struct random_source *r, struct gen_copy *c) {
    const uint64_t features = tma_arch_of(&c->target)->features;
    const uint32_t op = c->instruction.op;
    tma_spec *s = &c->spec;
    do {
        s->dtype = random_in(r, 0, TMA_DTYPE_TFLOAT32_FTZ);
    } while (is_reduction(c) && !tma_reduction_exists(op, s->dtype));
    if (features & TMA_FEATURE_PACKED && random_one_in(r, 3) && !is_reduction(c)) {
        s->dtype = random_in(r, TMA_DTYPE_16U4_ALIGN8B, TMA_DTYPE_16U6_ALIGN16B);
        if (s->dtype == TMA_DTYPE_16U4_ALIGN16B && op == TMA_OP_STORE) {
            s->dtype = TMA_DTYPE_16U6_ALIGN16B;
        }
    }
    if (is_packed(c) && c->target.sm == 120) {
        c->instruction.cluster = 0;
    }
    s->fill = s->dtype >= TMA_DTYPE_FLOAT16 && !is_packed(c) && random_one_in(r, 2);
}

static int swizzle_fits(const struct gen_copy *c, uint32_t swizzle) {
    const uint64_t features = tma_arch_of(&c->target)->features;
    if (swizzle == TMA_SWIZZLE_96B &&
        (!(features & TMA_FEATURE_SWIZZLE_96B) || c->spec.interleave ||
         c->instruction.mode == TMA_MODE_IM2COL_W128)) {
        return 0;
    }
    if (swizzle > TMA_SWIZZLE_128B && swizzle != TMA_SWIZZLE_96B &&
        !(features & TMA_FEATURE_PACKED)) {
        return 0;
    }
    if (swizzle == TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B &&
        (!is_load(c) || is_wide(c) || is_padded(c))) {
        return 0;
    }
    if (is_padded(c) && swizzle != TMA_SWIZZLE_NONE &&
        (swizzle < TMA_SWIZZLE_128B || swizzle == TMA_SWIZZLE_96B)) {
        return 0;
    }
    if (is_padded(c) && swizzle == TMA_SWIZZLE_128B_ATOM_64B && is_load(c)) {
        return 0; /* 16U6_ALIGN16B stores with it, 16U4_ALIGN16B has it not */
    }
    return swizzle != TMA_SWIZZLE_NONE || !is_wide(c);
}

static void gen_shape(struct random_source *r, struct gen_copy *c) {
    static const uint32_t pixels[] = {TMA_API_IM2COL, TMA_API_WIDE};
    tma_spec *s = &c->spec;
    const uint32_t mode = c->instruction.mode;
    const int gathers = mode == TMA_MODE_GATHER4 || mode == TMA_MODE_SCATTER4;
    s->api = mode == TMA_MODE_TILE || gathers ? TMA_API_TILED
             : is_wide(c)                     ? PICK(r, pixels)
                                              : TMA_API_IM2COL;
    s->wide_mode = mode == TMA_MODE_IM2COL_W128;
    if ((mode == TMA_MODE_TILE || mode == TMA_MODE_IM2COL) && !is_packed(c) &&
        random_one_in(r, 3)) {
        s->interleave = random_in(r, TMA_INTERLEAVE_16B, TMA_INTERLEAVE_32B);
    }
    s->rank = gathers ? 2 : random_in(r, s->interleave || is_pixels(c) ? 3 : 1, TMA_MAX_RANK);
    do {
        s->swizzle = swizzle_tables[random_below(r, swizzle_table_count)].swizzle;
    } while (!swizzle_fits(c, s->swizzle));
    const int atoms = s->swizzle > TMA_SWIZZLE_128B && s->swizzle != TMA_SWIZZLE_96B;
    if (atoms && c->target.sm == 120) {
        c->instruction.cluster = 0;
    }
}

/* Elements of a row: whole 16 bytes, no wider than the swizzle. */
static uint32_t gen_inner(struct random_source *r, const struct gen_copy *c) {
    const tma_spec *s = &c->spec;
    const uint32_t bits = tma_dtype_bits(s->dtype);
    if (is_padded(c)) {
        return 128;
    }
    const uint32_t unit_el = 128 / bits;
    uint32_t most = 256 / unit_el;
    if (s->swizzle && !s->interleave) {
        const uint32_t span = tma_swizzle_span_B(s->swizzle) / 16;
        most = span < most ? span : most;
    } else if (!random_one_in(r, 4)) {
        most = most < 10 ? most : 10;
    }
    return unit_el * (random_one_in(r, 3) ? most : random_in(r, 1, most));
}

static uint32_t pitch_of(const struct gen_copy *c) {
    return plain_copy_of(&c->spec, &c->instruction, &c->at).pitch_B;
}

static void gen_box(struct random_source *r, struct gen_copy *c) {
    tma_spec *s = &c->spec;
    const int strided = random_one_in(r, 3);
    for (uint32_t i = 0; i < s->rank; i++) {
        s->element_stride[i] = strided ? random_in(r, 1, 8) : 1;
    }
    if (is_pixels(c)) {
        s->channels_per_pixel = gen_inner(r, c);
        const uint32_t most = GEN_COPY_SHARED_B / pitch_of(c) / 2;
        s->pixels_per_column =
            random_in(r, 1, random_one_in(r, 6) ? most < 1024 ? most : 1024 : 70);
        return;
    }
    s->box_el[0] = gen_inner(r, c);
    uint32_t left = GEN_COPY_SHARED_B / pitch_of(c);
    for (uint32_t i = s->interleave ? 0 : 1; i < s->rank; i++) {
        const uint32_t most = random_one_in(r, 6) ? 256 : 6;
        const uint32_t box = random_in(r, 1, left < most ? left : most);
        left /= box;
        s->box_el[i] = box * s->element_stride[i] < 256 ? box * s->element_stride[i] : 256;
    }
    if (c->instruction.mode == TMA_MODE_GATHER4 || c->instruction.mode == TMA_MODE_SCATTER4) {
        s->box_el[1] = 1;
    }
}

static uint64_t round_up(uint64_t n, uint64_t to) {
    return (n + to - 1) / to * to;
}

static uint64_t unit_B(const struct gen_copy *c) {
    return c->spec.interleave == TMA_INTERLEAVE_32B || is_padded(c) ? 32 : 16;
}

static uint64_t row_end_B(const tma_spec *s) {
    return s->interleave ? s->dim_el[0] * 16 * s->interleave
                         : round_up(s->dim_el[0] * tma_dtype_bits(s->dtype), 128) / 8;
}

uint64_t gen_copy_extent_B(const tma_spec *s) {
    uint64_t extent_B = row_end_B(s);
    for (uint32_t i = 1; i < s->rank; i++) {
        extent_B += (s->dim_el[i] - 1) * s->stride_B[i - 1];
    }
    return extent_B;
}

int gen_copy_is_dense(const tma_spec *s) {
    uint64_t below_B = row_end_B(s);
    for (uint32_t i = 1; i < s->rank; i++) {
        if (s->stride_B[i - 1] < below_B) {
            return 0;
        }
        below_B = s->stride_B[i - 1] * s->dim_el[i];
    }
    return 1;
}

/* Sizes about those of the box. */
static void gen_dims(struct random_source *r, enum gen_size size, struct gen_copy *c) {
    static const uint64_t beyond[] = {0x10000, 0x1000000, 0x7FFFFFFF, 0x80000000}; /* more traps */
    tma_spec *s = &c->spec;
    const int roomy = random_one_in(r, 3); /* the box fits */
    for (uint32_t i = 0; i < s->rank; i++) {
        const uint32_t box = is_pixels(c) ? 8 : s->box_el[i];
        s->dim_el[i] = random_in(r, 1, random_one_in(r, 2) ? 2 * box + 3 : 12);
        s->dim_el[i] += roomy ? box : 0;
        if (size == GEN_ANY && random_one_in(r, 30)) {
            s->dim_el[i] = PICK(r, beyond);
        }
    }
    if (!s->interleave) {
        const uint32_t inner = is_pixels(c) ? s->channels_per_pixel : s->box_el[0];
        s->dim_el[0] = random_in(r, roomy ? inner : 1, 2 * inner + 9);
        if (random_one_in(r, 5)) { /* rows of box and tensor are one and the same */
            s->dim_el[0] = inner;
        }
    }
    if (is_packed(c)) {
        s->dim_el[0] = round_up(s->dim_el[0], is_padded(c) ? 128 : 2);
    }
}

static void gen_tensor(struct random_source *r, enum gen_size size, struct gen_copy *c) {
    tma_spec *s = &c->spec;
    const int odd = random_one_in(r, 12);
    do {
        gen_dims(r, size, c);
        uint64_t below_B = row_end_B(s);
        for (uint32_t i = 1; i < s->rank; i++) {
            uint64_t stride_B = round_up(below_B, unit_B(c));
            stride_B += random_one_in(r, 3) ? unit_B(c) * random_in(r, 1, 9) : 0;
            if (odd) { /* overlapping, repeating, backwards: the driver takes them */
                stride_B = unit_B(c) * random_below(r, 20);
            }
            s->stride_B[i - 1] = stride_B & ((UINT64_C(1) << 40) - 1);
            below_B = stride_B * s->dim_el[i];
        }
    } while (size == GEN_SMALL && gen_copy_extent_B(s) > GEN_COPY_EXTENT_B);
    s->address = round_up(random_length(r, 46), unit_B(c));
}

static void gen_corners(struct random_source *r, struct gen_copy *c) {
    tma_spec *s = &c->spec;
    const int store = !is_load(c);
    const int32_t widest = s->rank == 5 ? 15 : 40;
    const int32_t range = random_one_in(r, 8) ? widest : 3;
    for (uint32_t i = 0; i < (s->api == TMA_API_WIDE ? 1 : s->rank - 2); i++) {
        const int64_t dim = (int64_t)s->dim_el[i + (s->interleave ? 0 : 1)];
        do {
            s->lower_px[i] = between(r, store ? 0 : -range, range);
            s->upper_px[i] = between(r, -range, store ? 0 : range);
        } while (dim + s->upper_px[i] - s->lower_px[i] <= 0);
    }
}

static void gen_channel(struct random_source *r, struct gen_copy *c) {
    const tma_spec *s = &c->spec;
    const int64_t unit_el = is_padded(c) ? 128 : 128 / tma_dtype_bits(s->dtype);
    const int64_t row_el = is_pixels(c) ? s->channels_per_pixel : s->box_el[0];
    const int64_t most = (int64_t)s->dim_el[0] + row_el;
    const int64_t range = most < 5000 ? most : 5000;
    c->at.coord[0] = between(r, takes_negative(c) ? -row_el - unit_el : 0, range);
    if (random_one_in(r, 2)) {
        c->at.coord[0] = 0;
    }
    if (!random_one_in(r, 60)) {
        c->at.coord[0] = (int32_t)(c->at.coord[0] / unit_el * unit_el);
    }
}

static int32_t gen_index(struct random_source *r, const struct gen_copy *c, uint32_t i) {
    const tma_spec *s = &c->spec;
    const int64_t box = is_pixels(c) ? 4 : s->box_el[i];
    const int64_t dim = (int64_t)s->dim_el[i];
    const int64_t far = dim > INT32_MAX - 1000 ? INT32_MAX - 1000 : dim;
    const int64_t least = takes_negative(c) || random_one_in(r, 60) ? -box : 0;
    return random_one_in(r, 2) ? between(r, least, far + 2) : between(r, least, far < 5 ? far : 5);
}

/* A tile that is inside as a whole, as far as there is room. */
static void gen_inside(struct random_source *r, struct gen_copy *c) {
    const tma_spec *s = &c->spec;
    for (uint32_t i = 0; i < s->rank; i++) {
        if (s->dim_el[i] >= s->box_el[i]) {
            const uint64_t room = s->dim_el[i] - s->box_el[i];
            c->at.coord[i] = (int32_t)random_below(r, (room < 1000 ? room : 1000) + 1);
        }
    }
    if (!s->interleave && !random_one_in(r, 30)) {
        const int32_t unit_el = is_padded(c) ? 128 : 128 / (int32_t)tma_dtype_bits(s->dtype);
        c->at.coord[0] = c->at.coord[0] / unit_el * unit_el;
    }
}

static void gen_pixel(struct random_source *r, struct gen_copy *c) {
    const tma_spec *s = &c->spec;
    const uint32_t offsets = s->rank == 3 ? 40 : s->rank == 4 ? 12 : 6;
    for (uint32_t i = 0; i < s->rank - 2; i++) {
        const uint32_t dim = i + (s->interleave ? 0 : 1);
        const int64_t lower = s->lower_px[i];
        const int64_t last = (int64_t)s->dim_el[dim] - 1 + s->upper_px[i];
        const int64_t far = last > lower + 3000 ? lower + 3000 : last;
        const int left = is_wide(c) && i == 0 && random_one_in(r, 3);
        c->at.coord[dim] = between(r, left ? lower - 9 : lower, far > INT32_MAX ? INT32_MAX : far);
        if (is_wide(c) && i > 0) {
            c->at.coord[dim] = gen_index(r, c, dim);
        }
        c->at.offset[i] = (uint16_t)random_below(r, random_one_in(r, 9) ? 65536 : offsets);
    }
    if (is_wide(c)) {
        const uint32_t halo = c->instruction.mode == TMA_MODE_IM2COL_W ? 512 : 32;
        c->at.offset[0] = (uint16_t)random_below(r, random_one_in(r, 9) ? halo : 5);
        c->at.offset[1] = (uint16_t)random_below(r, random_one_in(r, 3) ? 32 : 5);
    }
}

void gen_copy_position(struct random_source *r, enum gen_size size, struct gen_copy *c) {
    const tma_spec *s = &c->spec;
    memset(&c->at, 0, sizeof(c->at));
    for (uint32_t i = 0; i < s->rank; i++) {
        c->at.coord[i] = gen_index(r, c, i);
    }
    if (!s->interleave) {
        gen_channel(r, c);
    }
    if (is_pixels(c)) {
        gen_pixel(r, c);
    } else if (c->instruction.mode != TMA_MODE_TILE) {
        for (uint32_t i = 1; i < TMA_MAX_RANK; i++) {
            c->at.coord[i] = gen_index(r, c, 1);
        }
    } else if (random_one_in(r, 3)) {
        gen_inside(r, c);
    } else if (size == GEN_ANY && random_one_in(r, 40)) {
        c->at.coord[random_below(r, s->rank)] =
            random_one_in(r, 2) ? INT32_MAX / 16 * 16 : INT32_MIN;
    }
    const uint32_t align_B = swizzle_table_of(s->swizzle)->align_B;
    c->at.shared_address = 0x2000 + align_B * (uint32_t)random_below(r, 64);
    c->at.shared_address += random_one_in(r, 50) ? 16 : 0;
    if (c->instruction.op == TMA_OP_PREFETCH) { /* nobody looks at it */
        c->at.shared_address += (uint32_t)random_below(r, 200);
    }
}

void gen_copy(struct random_source *r, enum gen_size size, struct gen_copy *c) {
    do {
        memset(c, 0, sizeof(*c));
        gen_instruction(r, c);
        gen_type(r, c);
        gen_shape(r, c);
        gen_box(r, c);
        gen_tensor(r, size, c);
        if (is_pixels(c)) {
            gen_corners(r, c);
        }
        gen_copy_position(r, size, c);
    } while (tma_encode_forced(c->map.bytes, &c->spec, &c->target, NULL) != TMA_OK);
}

char *gen_copy_line(const struct gen_copy *c, char text[GEN_COPY_LINE_BYTES]) {
    char spec[SPEC_LINE_BYTES];
    const tma_instruction *in = &c->instruction;
    const int32_t *x = c->at.coord;
    const uint16_t *o = c->at.offset;
    snprintf(text, GEN_COPY_LINE_BYTES,
             "%s op=%s mode=%s cluster=%u coord=%d,%d,%d,%d,%d off=%u,%u,%u shared=0x%x",
             spec_line(&c->spec, &c->target, spec), tma_op_name(in->op), tma_mode_name(in->mode),
             in->cluster, x[0], x[1], x[2], x[3], x[4], o[0], o[1], o[2], c->at.shared_address);
    return text;
}
