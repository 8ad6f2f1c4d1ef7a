/* SPDX-License-Identifier: Apache-2.0 */
#include "compute.h"

uint32_t compute_words_of(const emu_instruction *in) {
    uint32_t words = 0;
#define WORD(word) words |= emu_flag(in, EMU_FLAG_##word) ? (uint32_t)COMPUTE_##word : 0;
    COMPUTE_WORDS(WORD)
#undef WORD
    return words;
}

static int is_for(uint32_t row, uint32_t type) {
    const emu_type_traits *traits = emu_type_of(type);
    const int is_integer = (traits->kind == 'U' || traits->kind == 'S' || traits->kind == 'B') &&
                           traits->elements == 1;
    switch (row) {
    case COMPUTE_TYPE_ANY:
        return 1;
    case COMPUTE_TYPE_INT16:
        return is_integer && traits->bits == 16;
    case COMPUTE_TYPE_INT32:
        return is_integer && traits->bits == 32;
    case COMPUTE_TYPE_INT64:
        return is_integer && traits->bits == 64;
    default:
        return row == type;
    }
}

emu_run compute_find(const compute_form *forms, size_t count, const emu_instruction *in) {
    const uint32_t words = compute_words_of(in);
    for (size_t i = 0; i < count; i++) {
        if (forms[i].op == in->op && forms[i].words == words &&
            is_for(forms[i].type, in->type[0])) {
            return compute_best(forms[i].run);
        }
    }
    return NULL;
}

uint64_t compute_lane(const emu_warp *w, const emu_operand *o, uint32_t lane) {
    return emu_type_of(o->type)->bits == 64 ? emu_u64(w, o)[lane] : emu_u32(w, o)[lane];
}

void compute_put_lane(const emu_warp *w, const emu_operand *o, uint32_t lane, uint64_t value) {
    if (o->kind != EMU_REGISTER) {
        return;
    }
    const uint32_t bits = emu_type_of(o->type)->bits;
    if (bits == 64) {
        emu_u64(w, o)[lane] = value;
    } else {
        emu_u32(w, o)[lane] = (uint32_t)(bits < 32 ? value & ((1u << bits) - 1) : value);
    }
}

const compute_u32 *compute_wide_amounts(const emu_warp *w, const emu_operand *o, uint32_t *own) {
    const uint64_t *wide = emu_u64(w, o);
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        own[l] = wide[l] > UINT32_MAX ? UINT32_MAX : (uint32_t)wide[l];
    }
    return own;
}
