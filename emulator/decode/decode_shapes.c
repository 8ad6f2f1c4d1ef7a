/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether an instruction has the operands that its executor reads: operand_shapes.def.
 */
#include "decode.h"

static int is_result(const emu_operand *o) {
    return o->kind == EMU_REGISTER && !o->constant && o->slot >= 0;
}

/* .b types go with all others, .u with .s. */
static int goes_with(char a, char b) {
    return a == b || a == 'B' || b == 'B' || (a != 'F' && b != 'F');
}

/* A register of so many bits; constants are as wide as they are read; only their kind is asked. */
static int is_of(const emu_operand *o, uint32_t bits, char kind) {
    const emu_type_traits *own = emu_type_of(o->type);
    if (o->kind != EMU_REGISTER || (own->kind == 'P') != (kind == 'P')) {
        return 0;
    }
    return kind == 'P' || (o->slot < 0 ? own->bits >= bits || own->bits >= 32
                                       : own->bits == bits && goes_with(own->kind, kind));
}

static int is_of_type(const emu_operand *o, uint32_t type, uint32_t twice) {
    return is_of(o, (uint32_t)emu_type_of(type)->bits << twice, emu_type_of(type)->kind);
}

static int fits(const emu_instruction *in, const emu_operand *o, char letter) {
    switch (letter) {
    case 't':
        return is_of_type(o, in->type[0], 0);
    case 'u':
        return is_of_type(o, in->type[in->type[1] != EMU_NO_TYPE], 0);
    case 'w':
        return is_of_type(o, in->type[0], (uint32_t)emu_flag(in, EMU_FLAG_WIDE));
    case '4':
        return is_of(o, 32, 'B');
    case 'i':
        return is_of(o, 32, 'U');
    case 'p':
        return is_of(o, 1, 'P');
    case 'a':
        return o->kind == EMU_ADDRESS && !o->count;
    default:
        return o->kind == EMU_REGISTER || o->kind == EMU_SINK;
    }
}

/* Whether the result is discarded only where PTX lets it. */
static int has_results(const emu_instruction *in) {
    static const uint8_t DISCARDS[EMU_OPS] = {
#define EMU_DISCARDS(op) [EMU_OP_##op] = 1,
#include "operand_shapes.def"
    };
    return in->operand[0].kind != EMU_SINK || DISCARDS[in->op];
}

int decode_has_shape(const emu_instruction *in) {
    static const char *const SHAPE[EMU_OPS] = {
#define EMU_SHAPE(op, operands) [EMU_OP_##op] = (operands),
#include "operand_shapes.def"
    };
    const char *at = SHAPE[in->op];
    if (!has_results(in) || !at) {
        return has_results(in); /* its chooser asks */
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
        if (o->kind == EMU_ADDRESS) {
            const int is_written = addresses < in->spaces;
            const uint32_t space = is_written ? in->space[addresses++] : EMU_GENERIC;
            if (o->variable == EMU_NONE
                    ? o->slot == EMU_NO_SLOT && space != EMU_LOCAL
                    : is_written && !is_space_of(space, &p->variable[o->variable])) {
                return 0; /* ptxas 13.0 has numbers as addresses of .local alone */
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

int decode_has_sinks(const emu_instruction *in) {
    static const uint8_t HAS[EMU_OPS] = {
#define EMU_SINKS(op) [EMU_OP_##op] = 1,
#include "operand_shapes.def"
    };
    return HAS[in->op];
}

int decode_has_elements(const emu_instruction *in) {
    static const uint8_t HAS[EMU_OPS] = {
#define EMU_ELEMENTS(op) [EMU_OP_##op] = 1,
#include "operand_shapes.def"
    };
    return HAS[in->op];
}
