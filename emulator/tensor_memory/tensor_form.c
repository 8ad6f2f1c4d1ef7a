/* SPDX-License-Identifier: Apache-2.0
 *
 * The instruction descriptor of a tcgen05.mma, and what it may say.
 */
#include "tensor_mma.h"
#include "tma/detail/assert.h"

static const tensor_layout LAYOUTS[] = {
#define TENSOR_LAYOUT(letter, m, ctas, is_ws, sparse, sixteens, parts)                             \
    {#letter[0], m, ctas, is_ws, sparse, sixteens, parts},
#include "tensor_layouts.def"
};

static const struct {
    uint8_t flag, kind, scales;
} KINDS[] = {
#define TENSOR_KIND(flag, kind, scales) {EMU_FLAG_##flag, TMA_IDESC_KIND_##kind, scales},
#include "tensor_kinds.def"
};

static const tensor_layout *layout_of(uint32_t m, uint32_t ctas, int is_ws, uint32_t is_sparse) {
    for (size_t i = 0; i < sizeof(LAYOUTS) / sizeof(LAYOUTS[0]); i++) {
        const tensor_layout *l = &LAYOUTS[i];
        if (l->m == m && l->ctas == ctas && l->is_ws == is_ws &&
            (l->sparse == 2 || l->sparse == is_sparse)) {
            return l;
        }
    }
    return NULL;
}

static uint32_t field(uint32_t kind, uint32_t idesc, const char *name) {
    const tma_idesc_field f = tma_idesc_field_find(kind, name);
    return f.name ? tma_idesc_read(idesc, f) : 0;
}

static uint8_t scales_of(const emu_instruction *in, uint8_t usual) {
    return emu_flag(in, EMU_FLAG_SCALE_VEC_1X)                                      ? 1
           : emu_flag(in, EMU_FLAG_SCALE_VEC_2X)                                    ? 2
           : emu_flag(in, EMU_FLAG_SCALE_VEC_4X) || emu_flag(in, EMU_FLAG_BLOCK_16) ? 4
           : emu_flag(in, EMU_FLAG_BLOCK_32) && usual == 4                          ? 2
                                                                                    : usual;
}

/* Table 39's columns of N. */
static int is_n(const tensor_form *f, uint32_t kind) {
    const uint32_t n = f->n;
    if (f->layout->is_ws) {
        return n == 64 || n == 128 || (n == 256 && !f->is_sparse);
    }
    const int is_wide = kind == TMA_IDESC_KIND_I8;
    const uint32_t step = f->ctas * (is_wide && n > 32 ? 16u : is_wide && f->ctas == 2 ? 16u : 8u);
    return n >= 8u * f->ctas && n <= TENSOR_N && n % step == 0;
}

static const char *types_of(tensor_form *f, uint32_t kind, uint32_t idesc) {
    static const uint8_t D[] = {EMU_F16, EMU_F32, EMU_S32};
    const uint32_t a = tma_idesc_type(kind, field(kind, idesc, "a_type")),
                   b = tma_idesc_type(kind, field(kind, idesc, "b_type"));
    const int is_scaled = kind >= TMA_IDESC_KIND_MXF8F6F4;
    const uint32_t d = is_scaled ? 1 : field(kind, idesc, "d_type");
    const int is_integer = kind == TMA_IDESC_KIND_I8;
    if (a == TMA_MMA_TYPES || b == TMA_MMA_TYPES || d > 2 || is_integer != (d == 2)) {
        return "the instruction descriptor names a type that its kind does not have";
    }
    if ((kind == TMA_IDESC_KIND_TF32 && d != 1) ||
        (kind == TMA_IDESC_KIND_F16 && (a != b || (a == TMA_MMA_TYPE_BF16 && d != 1)))) {
        return "the instruction descriptor has types that do not go together";
    }
    f->a = (uint8_t)a;
    f->b = (uint8_t)b;
    f->d = D[d];
    f->k_a = tma_mma_type_at(a)->k_el;
    f->k = f->is_sparse ? 2 * f->k_a : f->k_a;
    return NULL;
}

static const char *scaling_of(tensor_form *f, uint32_t kind, uint32_t idesc) {
    f->scale_a = (uint8_t)field(kind, idesc, "scale_a_id");
    f->scale_b = (uint8_t)field(kind, idesc, "scale_b_id");
    f->is_ue8m0 = (uint8_t)field(kind, idesc, "scale_type");
    if ((f->scale_a | f->scale_b) % f->scales || f->scale_a + f->scales > 4 ||
        f->scale_b + f->scales > 4) {
        return "a scale factor's number in the instruction descriptor does not fit the vector";
    }
    if (field(kind, idesc, "k_96")) {
        return "K of 96 (sm_103a) is not executed";
    }
    return !f->is_ue8m0 && f->scales != 4
               ? "ue4m3 scale factors go with blocks of 16 elements alone"
               : NULL;
}

static const char *sparsity_of(const tensor_form *f, uint32_t kind, uint32_t idesc) {
    if (field(kind, idesc, "sparse") != f->is_sparse) {
        return f->is_sparse
                   ? "the instruction is .sp, and its descriptor does not say sparse"
                   : "the instruction descriptor says sparse, and the instruction is not .sp";
    }
    return f->is_sparse && f->selector && kind != TMA_IDESC_KIND_F16 && kind != TMA_IDESC_KIND_TF32
               ? "a sparsity selector that is not 0, of a kind that has no other"
               : NULL;
}

/* Table 39's M that a layout has, but the kind does not: with scale factors 128 rows at least, of
 * sparse pairs 256. */
static int is_m(const tensor_form *f) {
    return f->layout && (!f->scales || f->layout->m >= (f->is_sparse ? 128u * f->ctas : 128u));
}

int tensor_form_of(tensor_form *f, const emu_instruction *in, uint32_t idesc, const char **why) {
    size_t i = 0;
    while (!emu_flag(in, KINDS[i].flag)) {
        i++;
    }
    const uint32_t kind = KINDS[i].kind;
    *f = (tensor_form){.ctas = emu_flag(in, EMU_FLAG_GROUP_2) ? 2 : 1,
                       .scales = KINDS[i].scales ? scales_of(in, KINDS[i].scales) : 0,
                       .n = field(kind, idesc, "n"),
                       .is_sparse = (uint8_t)emu_flag(in, EMU_FLAG_SP),
                       .selector = (uint8_t)field(kind, idesc, "sparsity_selector"),
                       .turns_a = (uint8_t)field(kind, idesc, "transpose_a"),
                       .turns_b = (uint8_t)field(kind, idesc, "transpose_b"),
                       .saturates = (uint8_t)field(kind, idesc, "saturate"),
                       .negates = field(kind, idesc, "negate_a") != field(kind, idesc, "negate_b")};
    const uint32_t m = field(kind, idesc, "m");
    f->layout = layout_of(m, f->ctas, emu_flag(in, EMU_FLAG_WS), f->is_sparse);
    *why = types_of(f, kind, idesc);
    if (!*why && f->scales) {
        *why = scaling_of(f, kind, idesc);
    }
    if (!*why) {
        *why = sparsity_of(f, kind, idesc);
    }
    if (!*why && (idesc & tma_idesc_unowned(kind))) {
        *why = "bits of the instruction descriptor are set that belong to no field";
    }
    if (!*why && !is_m(f)) {
        *why = "M of the instruction descriptor is none that the instruction has";
    } else if (!*why && !is_n(f, kind)) {
        *why = "N of the instruction descriptor is none that the instruction has";
    }
    f->rows = m / f->ctas;
    return *why ? -1 : 0;
}
