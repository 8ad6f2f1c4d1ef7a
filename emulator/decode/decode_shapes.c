/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether an instruction has the operands that its executor reads: operand_shapes.def.
 */
#include "decode.h"

/* Slots of a register: 1, 2, 4; 0: a predicate. */
static uint32_t width_of(uint32_t type) {
    const uint32_t bits = emu_type_of(type)->bits;
    return type == EMU_PRED ? 0 : bits > 64 ? 4 : bits > 32 ? 2 : 1;
}

static int is_result(const emu_operand *o) {
    return o->kind == EMU_REGISTER && !o->constant && o->slot >= 0;
}

/* Constants are as wide as they are read; only their kind is asked. */
static int has_width(const emu_operand *o, uint32_t width) {
    const uint32_t own = width_of(o->type);
    return o->kind == EMU_REGISTER && (o->slot < 0 ? own >= width && !own == !width : own == width);
}

static int fits(const emu_instruction *in, const emu_operand *o, char letter) {
    switch (letter) {
    case 't':
        return has_width(o, width_of(in->type[0]));
    case 'u':
        return has_width(o, width_of(in->type[1]));
    case 'w':
        return has_width(o, width_of(in->type[0]) << emu_flag(in, EMU_FLAG_WIDE)) ||
               (emu_flag(in, EMU_FLAG_WIDE) && emu_type_of(in->type[0])->bits == 16 &&
                has_width(o, 1));
    case '4':
        return has_width(o, 1);
    case 'p':
        return has_width(o, 0);
    case 'a':
        return o->kind == EMU_ADDRESS && !o->count;
    default:
        return o->kind == EMU_REGISTER || o->kind == EMU_SINK;
    }
}

int decode_has_shape(const emu_instruction *in) {
    static const char *const SHAPE[EMU_OPS] = {
#define EMU_SHAPE(op, operands) [EMU_OP_##op] = (operands),
#include "operand_shapes.def"
    };
    const char *at = SHAPE[in->op];
    if (!at) {
        return 1; /* its chooser asks */
    }
    uint32_t i = 0;
    int at_will = 0;
    for (; *at; at++) {
        if (*at == '?') {
            at_will = 1;
        } else if (i < in->operands) {
            const emu_operand *o = &in->operand[i];
            if (!fits(in, o, *at) || (i            ? o->kind == EMU_SINK
                                      : *at != 'a' ? !(is_result(o) || o->kind == EMU_SINK)
                                                   : 0)) {
                return 0;
            }
            i++;
        } else if (!at_will) {
            return 0;
        }
    }
    const emu_operand *also = &in->also;
    return i == in->operands && (also->kind == EMU_ABSENT || also->kind == EMU_SINK ||
                                 (is_result(also) && also->type == EMU_PRED));
}

static int is_space_of(uint32_t space, const emu_variable *v) {
    switch (space) {
    case EMU_SHARED_CTA:
    case EMU_SHARED_CLUSTER:
        return v->space == EMU_SHARED_CTA || v->space == EMU_SHARED_CLUSTER;
    case EMU_PARAM_ENTRY:
    case EMU_PARAM_CALL:
        return v->space == EMU_PARAM_ENTRY || v->space == EMU_PARAM_CALL;
    default:
        return v->space == space;
    }
}

int decode_has_spaces(const emu_program *p, const emu_instruction *in) {
    uint32_t addresses = 0;
    for (uint32_t i = 0; i < in->operands && in->statement == EMU_NONE; i++) {
        const emu_operand *o = &in->operand[i];
        if (o->kind == EMU_ADDRESS && addresses < in->spaces) {
            const uint32_t space = in->space[addresses++];
            if (o->variable != EMU_NONE && !is_space_of(space, &p->variable[o->variable])) {
                return 0;
            }
        }
    }
    return 1;
}

int decode_has_vectors(const emu_instruction *in) {
    static const uint8_t HAS[EMU_OPS] = {
#define EMU_VECTORS(op) [EMU_OP_##op] = 1,
#include "operand_shapes.def"
    };
    return HAS[in->op] && (in->op != EMU_OP_MOV || emu_type_of(in->type[0])->kind == 'B');
}
