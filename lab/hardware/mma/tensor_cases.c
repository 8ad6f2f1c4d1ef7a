/* SPDX-License-Identifier: Apache-2.0
 *
 * Random products of tcgen05.mma: types, shapes, descriptors, bytes.
 */
#include <string.h>

#include "tensor_forms.h"

#define SLACK_B 1024u /* that a swizzle may move what lies last */

/* ---- bytes ---- */

/* Numbers near 1, or any bits. */
static uint32_t element(struct random_source *r, uint32_t type, int any) {
    const uint32_t bits = (uint32_t)random_u64(r);
    if (any) {
        return bits;
    }
    switch (type) {
    case TMA_MMA_TYPE_F16:
        return (bits & 0x83ff) | random_in(r, 11, 18) << 10;
    case TMA_MMA_TYPE_BF16:
        return (bits & 0x807f) | random_in(r, 123, 130) << 7;
    case TMA_MMA_TYPE_TF32:
        return (bits & 0x807fffff) | random_in(r, 123, 130) << 23;
    case TMA_MMA_TYPE_E4M3:
    case TMA_MMA_TYPE_E5M2:
        return bits & 0xbf;
    default:
        return bits;
    }
}

static void fill(struct random_source *r, uint8_t *to, size_t size_B, uint32_t type, int any) {
    const uint32_t bits = tma_mma_type_at(type)->bits, step_B = bits < 8 ? 1 : bits / 8;
    for (size_t at = 0; at < size_B; at += step_B) {
        const uint32_t word = element(r, type, any);
        for (uint32_t i = 0; i < step_B; i++) {
            to[at + i] = (uint8_t)(word >> 8 * i);
        }
    }
}

/* An element of 4 or 6 bits lies in the middle of its byte in tensor memory. */
static void clear_padding(uint8_t *bytes, size_t size_B, uint32_t type) {
    const tma_mma_type *t = tma_mma_type_at(type);
    for (size_t i = 0; i < size_B && t->padded; i++) {
        bytes[i] &= t->bits == 4 ? 0x3c : 0x7e;
    }
}

static uint32_t four_bytes(struct random_source *r, uint32_t least, uint32_t most) {
    uint32_t word = 0;
    for (uint32_t i = 0; i < 4; i++) {
        word |= random_in(r, least, most) << 8 * i;
    }
    return word;
}

/* Metadata that says something: two places of four; of tf32 one of two. */
static uint32_t metadata(struct random_source *r, uint32_t type) {
    static const uint8_t two[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0x6, 0xe}, one[] = {0x4, 0xe};
    uint32_t word = 0;
    for (uint32_t i = 0; i < 8; i++) {
        word |= (uint32_t)(type == TMA_MMA_TYPE_TF32 ? one[random_below(r, 2)]
                                                     : two[random_below(r, 7)])
                << 4 * i;
    }
    return word;
}

static void draw_lanes(struct random_source *r, tensor_case *c, int any, int is_ue4m3) {
    const uint32_t d = c->d_type == 1   ? TMA_MMA_TYPE_TF32
                       : c->d_type == 0 ? TMA_MMA_TYPE_F16
                                        : TMA_MMA_TYPE_S8;
    const uint32_t least = any        ? 0
                           : is_ue4m3 ? 0x30
                                      : 120,
                   most = any        ? is_ue4m3 ? 0x7f : 255
                          : is_ue4m3 ? 0x47
                                     : 134;
    for (uint32_t i = 0; i < 128 * TENSOR_CTAS; i++) {
        tensor_lane_words *lane = &c->input.lane[i];
        memset(lane, 0, sizeof(*lane));
        lane->d = element(r, d, any) & (c->d_type ? UINT32_MAX : 0xffff);
        fill(r, (uint8_t *)lane->a, sizeof(lane->a), c->a_type, any);
        clear_padding((uint8_t *)lane->a, sizeof(lane->a), c->a_type);
        for (uint32_t word = 0; word < 12; word++) {
            *(word < 4 ? &lane->scale_a[word] : &lane->scale_b[word - 4]) =
                four_bytes(r, least, most);
        }
        for (uint32_t word = 0; word < 4; word++) {
            lane->metadata[word] = metadata(r, c->a_type);
        }
    }
}

/* ---- shapes and descriptors ---- */

static uint32_t type_of(struct random_source *r, const tensor_form *f, int is_narrow) {
    for (;;) {
        const uint32_t type = tma_idesc_type(f->kind, (uint32_t)random_below(r, 8));
        if (type < TMA_MMA_TYPES && (is_narrow || !tma_mma_type_at(type)->padded)) {
            return type;
        }
    }
}

static void draw_types(struct random_source *r, tensor_case *c) {
    const tensor_form *f = &c->form;
    c->a_type = type_of(r, f, !f->from_tensor || f->scales);
    c->b_type = f->kind == TMA_IDESC_KIND_F16 ? c->a_type : type_of(r, f, 1);
    c->d_type = f->kind == TMA_IDESC_KIND_I8 ? 2
                : f->kind == TMA_IDESC_KIND_F8F6F4 ||
                        (f->kind == TMA_IDESC_KIND_F16 && c->a_type == TMA_MMA_TYPE_F16)
                    ? (uint32_t)random_below(r, 2)
                    : 1;
}

static uint32_t draw_m(struct random_source *r, const tensor_form *f) {
    if (f->is_ws) {
        return 32u << random_below(r, 3);
    }
    if (f->scales && (f->ctas == 1 || f->is_sparse)) {
        return 128u * f->ctas;
    }
    return f->ctas == 1 || !f->scales ? (64u << random_below(r, 2)) * f->ctas
                                      : 128u << random_below(r, 2);
}

static uint32_t draw_n(struct random_source *r, const tensor_form *f) {
    if (f->is_ws) {
        return 64u << random_below(r, f->is_sparse ? 2 : 3);
    }
    const uint32_t step = (f->kind == TMA_IDESC_KIND_I8 ? 16u : 8u) * f->ctas;
    return step * random_in(r, 1, random_one_in(r, 3) ? 256 / step : 4);
}

static uint32_t parts_of(const tensor_form *f, uint32_t m) {
    return f->is_ws ? 128 / m : f->ctas == 2 && m == 128 && !f->is_sparse ? 2 : 1;
}

static int may_turn(const tensor_case *c, uint32_t type, uint32_t mn) {
    const tma_mma_type *t = tma_mma_type_at(type);
    return c->form.kind != TMA_IDESC_KIND_MXF4 && t->bits >= 8 && mn % (128 / t->bits) == 0 &&
           !tma_mma_type_at(c->a_type)->padded && !tma_mma_type_at(c->b_type)->padded;
}

/* In [from_B, from_B + room_B) of shared memory, in any layout that the type has. */
static uint64_t draw_descriptor(struct random_source *r, const tma_mma_operand *o, uint32_t from_B,
                                uint32_t room_B) {
    static const uint32_t swizzles[] = {TMA_SWIZZLE_NONE, TMA_SWIZZLE_32B, TMA_SWIZZLE_64B,
                                        TMA_SWIZZLE_128B};
    const int is_tf32 = o->type == TMA_MMA_TYPE_TF32 && o->major == TMA_MMA_MN_MAJOR;
    tma_mma_descriptor d = {.family = TMA_MMA_TCGEN05,
                            .swizzle =
                                is_tf32 ? TMA_SWIZZLE_128B_ATOM_32B : swizzles[random_below(r, 4)],
                            .start_B = from_B + 16 * (uint32_t)random_below(r, 32),
                            .leading_B = 16 * random_in(r, 1, 128),
                            .stride_B = 16 * (uint32_t)random_below(r, 128)};
    uint64_t bits = 0;
    for (;;) {
        const tma_mma_place last = tma_mma_read(&d, o, o->mn_el - 1, o->k_el - 1);
        if (last.address_B + SLACK_B < from_B + room_B) {
            break;
        }
        d.leading_B = d.leading_B / 32 * 16;
        d.stride_B = d.stride_B / 32 * 16;
    }
    return tma_mma_encode(&bits, &d) == TMA_OK ? bits : 0;
}

static void put(uint32_t *idesc, uint32_t kind, const char *name, uint32_t number) {
    const tma_idesc_field field = tma_idesc_field_find(kind, name);
    if (field.name && tma_idesc_write(idesc, field, number) != TMA_OK) {
        *idesc = UINT32_MAX; /* which no instruction takes */
    }
}

static uint32_t stored_type(uint32_t kind, uint32_t type) {
    uint32_t number = 0;
    while (tma_idesc_type(kind, number) != type) {
        number++;
    }
    return number;
}

static void draw_idesc(struct random_source *r, const tensor_case *c, tensor_job *job, uint32_t m,
                       uint32_t n, int is_ue4m3) {
    const tensor_form *f = &c->form;
    const int negates = f->kind != TMA_IDESC_KIND_I8;
    uint32_t *to = &job->idesc;
    put(to, f->kind, "a_type", stored_type(f->kind, c->a_type));
    put(to, f->kind, "b_type", stored_type(f->kind, c->b_type));
    put(to, f->kind, "d_type", c->d_type);
    put(to, f->kind, "m", m);
    put(to, f->kind, "n", n);
    put(to, f->kind, "sparse", f->is_sparse);
    put(to, f->kind, "negate_a", negates && random_one_in(r, 3));
    put(to, f->kind, "negate_b", negates && random_one_in(r, 3));
    put(to, f->kind, "saturate", !negates && random_one_in(r, 2));
    put(to, f->kind, "scale_type", !is_ue4m3);
    if (f->scales) {
        put(to, f->kind, "scale_a_id", f->scales * (uint32_t)random_below(r, 4 / f->scales));
        put(to, f->kind, "scale_b_id", f->scales * (uint32_t)random_below(r, 4 / f->scales));
    }
    if (f->is_sparse && f->kind <= TMA_IDESC_KIND_TF32) {
        put(to, f->kind, "sparsity_selector", (uint32_t)random_below(r, 2));
    }
}

static void draw_job(struct random_source *r, const tensor_case *c, tensor_job *job, int is_ue4m3) {
    const tensor_form *f = &c->form;
    const uint32_t m = draw_m(r, f), n = draw_n(r, f), rows = m / f->ctas, columns = n / f->ctas;
    const uint32_t k_a = tma_mma_type_at(c->a_type)->k_el;
    const int turns_a = !f->from_tensor && may_turn(c, c->a_type, rows) && random_one_in(r, 3),
              turns_b = may_turn(c, c->b_type, columns) && random_one_in(r, 3);
    const tma_mma_operand a = {TMA_MMA_A, turns_a ? TMA_MMA_MN_MAJOR : TMA_MMA_K_MAJOR,
                               c->a_type, rows,
                               k_a,       0,
                               {0}},
                          b = {TMA_MMA_B,
                               turns_b ? TMA_MMA_MN_MAJOR : TMA_MMA_K_MAJOR,
                               c->b_type,
                               columns,
                               f->is_sparse ? 2 * k_a : k_a,
                               0,
                               {0}};
    const uint32_t in_part = n / parts_of(f, m);
    const int is_half = rows == 64 && !f->is_ws && (f->ctas == 1 || f->is_sparse);
    memset(job, 0, sizeof(*job));
    job->a = draw_descriptor(r, &a, 0, TENSOR_A_B);
    job->b = draw_descriptor(r, &b, TENSOR_B_FROM, TENSOR_SHARED - TENSOR_B_FROM);
    draw_idesc(r, c, job, m, n, is_ue4m3);
    put(&job->idesc, f->kind, "transpose_a", (uint32_t)turns_a);
    put(&job->idesc, f->kind, "transpose_b", (uint32_t)turns_b);
    job->column = in_part < 16 ? 0 : 8 * (uint32_t)random_below(r, (in_part - 8) / 8 + 1);
    job->adds = random_one_in(r, 4) ? 0 : 1;
    job->lane = is_half && random_one_in(r, 2) ? 16 : 0;
    job->metadata = 2 * (uint32_t)random_below(r, 2);
    for (uint32_t i = 0; i < 4 * TENSOR_CTAS; i++) {
        const uint32_t some = (uint32_t)random_u64(r), fewer = some & (uint32_t)random_u64(r);
        job->disabled[i] = random_one_in(r, 2) ? 0 : fewer;
    }
}

void tensor_case_draw(tensor_case *c, const tensor_form *form, const tma_target *target,
                      uint64_t seed) {
    struct random_source r = {seed};
    const int any = random_one_in(&r, 4), is_ue4m3 = form->scales == 4 && random_one_in(&r, 2);
    c->form = *form;
    draw_types(&r, c);
    c->issuer = (uint32_t)random_below(&r, form->ctas);
    const uint32_t scale_d = random_one_in(&r, 2) ? (uint32_t)random_below(&r, 16) : 0;
    c->scale_d =
        form->kind <= TMA_IDESC_KIND_TF32 && !form->is_ws && target->sm != 110 ? scale_d : 0;
    fill(&r, c->input.image, TENSOR_B_FROM, c->a_type, any);
    fill(&r, c->input.image + TENSOR_B_FROM, TENSOR_IMAGE_B - TENSOR_B_FROM, c->b_type, any);
    draw_lanes(&r, c, any, is_ue4m3);
    for (uint32_t i = 0; i < TENSOR_JOBS; i++) {
        draw_job(&r, c, &c->input.job[i], is_ue4m3);
    }
}
