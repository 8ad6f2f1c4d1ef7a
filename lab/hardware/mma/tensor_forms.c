/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor_forms.h"

static const struct {
    uint8_t kind, is_nvf4, scales;
    const char *words;
} kinds[] = {
    {TMA_IDESC_KIND_F16, 0, 0, "f16"},
    {TMA_IDESC_KIND_TF32, 0, 0, "tf32"},
    {TMA_IDESC_KIND_F8F6F4, 0, 0, "f8f6f4"},
    {TMA_IDESC_KIND_I8, 0, 0, "i8"},
    {TMA_IDESC_KIND_MXF8F6F4, 0, 1, "mxf8f6f4.block_scale.block32"},
    {TMA_IDESC_KIND_MXF4, 0, 2, "mxf4.block_scale.block32"},
    {TMA_IDESC_KIND_MXF4, 1, 2, "mxf4nvf4.block_scale.block32"},
    {TMA_IDESC_KIND_MXF4, 1, 4, "mxf4nvf4.block_scale.block16"},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* sm_100a and sm_110a alone have .kind::i8. */
static int has_kind(const tma_target *target, uint32_t kind) {
    return kind != TMA_IDESC_KIND_I8 || target->sm == 100 || target->sm == 110;
}

/* One CTA, a pair, .ws; A in shared and in tensor memory; dense and sparse. */
int tensor_form_at(tensor_form *form, const tma_target *target, size_t index) {
    for (size_t i = 0; i < KINDS * 3 * 2 * 2; i++) {
        const size_t kind = i % KINDS, mode = i / KINDS % 3;
        if ((kinds[kind].scales && mode == 2) || !has_kind(target, kinds[kind].kind)) {
            continue;
        }
        if (!index--) {
            *form = (tensor_form){.kind = kinds[kind].kind,
                                  .is_nvf4 = kinds[kind].is_nvf4,
                                  .ctas = mode == 1 ? 2 : 1,
                                  .is_ws = mode == 2,
                                  .from_tensor = i / KINDS / 3 % 2,
                                  .scales = kinds[kind].scales,
                                  .is_sparse = i / KINDS / 6 % 2};
            return 1;
        }
    }
    return 0;
}

void tensor_form_words(char *out, size_t size, const tensor_form *form) {
    const char *kind = "";
    for (size_t i = 0; i < KINDS; i++) {
        if (kinds[i].kind == form->kind && kinds[i].is_nvf4 == form->is_nvf4 &&
            kinds[i].scales == form->scales) {
            kind = kinds[i].words;
        }
    }
    (void)snprintf(out, size, "%s%scta_group::%u.kind::%s", form->is_ws ? "ws." : "",
                   form->is_sparse ? "sp." : "", (unsigned)form->ctas, kind);
}
