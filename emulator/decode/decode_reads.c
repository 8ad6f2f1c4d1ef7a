/* SPDX-License-Identifier: Apache-2.0
 *
 * What immediates are read as: reads.def.
 */
#include "decode.h"

#define EMU_ANY UINT32_MAX

static const struct {
    const char *first;
    uint32_t operand;
    uint8_t type;
} READS[] = {
#define EMU_READS(first, operand, type) {first, operand, type},
#include "reads.def"
};

static uint32_t last_type(const emu_instruction *in) {
    uint32_t last = 0;
    while (last < sizeof(in->type) && in->type[last]) {
        last++;
    }
    return last ? in->type[last - 1] : EMU_U32;
}

static uint32_t twice(uint32_t type) {
    switch (type) {
    case EMU_U16:
        return EMU_U32;
    case EMU_S16:
        return EMU_S32;
    case EMU_U32:
        return EMU_U64;
    default:
        return EMU_S64;
    }
}

uint32_t decode_reads_type(const decode_opcode *o, uint32_t index) {
    const uint32_t last = last_type(&o->in);
    for (size_t i = 0; i < sizeof(READS) / sizeof(READS[0]); i++) {
        if (ptx_is_text(o->word[0], READS[i].first) &&
            (READS[i].operand == index || READS[i].operand == EMU_ANY)) {
            const int is_matrix = READS[i].type == EMU_B32 || o->in.op == EMU_OP_WMMA_MMA ||
                                  (o->in.op == EMU_OP_WMMA_STORE && index == 1);
            const int is_double = is_matrix && o->in.type[0] == EMU_F64;
            return is_double ? EMU_B64 : READS[i].type;
        }
    }
    if (index == 3 && emu_flag(&o->in, EMU_FLAG_WIDE)) {
        return twice(last);
    }
    if (ptx_is_text(o->word[0], "slct") && index < 3) {
        return o->in.type[0];
    }
    return last;
}
