/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether an instruction has the operands that its executor reads: operand_shapes.def.
 */
#include "decode.h"

static int is_result(const emu_operand *o) {
    return o->kind == EMU_REGISTER && !o->constant && o->slot >= 0;
}

int decode_goes_with(char a, char b) {
    return a == b || a == 'B' || b == 'B' || (a != 'F' && b != 'F');
}

/* ptxas 13.0 takes a register of .f16x2 for an integer of 32 bits, but in packed operations. */
static char kind_beside(const emu_type_traits *own, const emu_type_traits *t) {
    const int is_packed = t->kind == 'F' && t->elements > 1;
    return own->kind == 'F' && own->elements > 1 && !is_packed ? 'U' : own->kind;
}

/* Constants are as wide as they are read; only their kind is asked. */
static int fits(const emu_instruction *in, const emu_operand *o, char letter) {
    const emu_type_traits *own = emu_type_of(o->type);
    uint32_t type = EMU_B32, twice = 0;
    switch (letter) {
    case 'w':
        twice = (uint32_t)emu_flag(in, EMU_FLAG_WIDE);
        type = in->type[0];
        break;
    case 't':
        type = in->type[0];
        break;
    case 'u':
        type = in->type[in->type[1] != EMU_NO_TYPE];
        break;
    case '4':
        break;
    case 'i':
    case 's':
        type = EMU_U32;
        break;
    case 'l':
        type = EMU_U64;
        break;
    case 'm':
        type = emu_flag(in, EMU_FLAG_PARITY) ? EMU_U32 : EMU_U64;
        break;
    case 'p':
        type = EMU_PRED;
        break;
    case 'a':
        return o->kind == EMU_ADDRESS && !o->count;
    default:
        return o->kind == EMU_REGISTER;
    }
    const emu_type_traits *t = emu_type_of(type);
    const uint32_t bits = (uint32_t)t->bits << twice;
    const char kind = kind_beside(own, t);
    const int is_wide = o->slot < 0 ? own->bits >= bits || own->bits >= 32
                                    : own->bits == bits && decode_goes_with(kind, t->kind);
    return o->kind == EMU_REGISTER && (own->kind == 'P') == (t->kind == 'P') &&
           (is_wide || t->kind == 'P');
}

/* decode_may() says whether a result may be _. */
static int may_stand(const emu_instruction *in, const emu_operand *o, char letter,
                     int is_results_place) {
    return o->kind == EMU_SINK ? is_results_place
                               : fits(in, o, letter) && (!is_results_place || is_result(o));
}

int decode_may(const emu_instruction *in, uint32_t what) {
    static const uint8_t MAY[EMU_OPS] = {
#define EMU_MAY(op, what) [EMU_OP_##op] = (what),
#include "operand_shapes.def"
    };
    return (MAY[in->op] & what) != 0;
}

/* Whether registers of floating point and integers in memory are apart, as ptxas 13.0 has them. */
static int holds_memory(const emu_instruction *in) {
    static const uint8_t HOLDS[EMU_OPS] = {
#define EMU_HOLDS(op, operand) [EMU_OP_##op] = (operand) + 1,
#include "operand_shapes.def"
    };
    if (!HOLDS[in->op]) {
        return 1;
    }
    const emu_operand *o = &in->operand[HOLDS[in->op] - 1];
    const emu_type_traits *t = emu_type_of(in->type[0]), *own = emu_type_of(o->type);
    const char kind = kind_beside(own, t);
    const int are_floats = t->kind == 'F' && kind == 'F';
    const int is_vector = o->braced || o->kind == EMU_VECTOR;
    const int are_bits = is_vector && own->kind != 'F' && own->bits == t->bits;
    return o->constant || o->type == EMU_NO_TYPE ||
           ((are_bits || decode_goes_with(kind, t->kind)) &&
            !(are_floats && own->bits != t->bits) &&
            !(t->kind == 'F' && (t->bits < 32 || t->elements > 1)));
}

int decode_has_shape(const emu_instruction *in) {
    static const char *const SHAPE[EMU_OPS] = {
#define EMU_SHAPE(op, operands) [EMU_OP_##op] = (operands),
#include "operand_shapes.def"
    };
    const char *at = SHAPE[in->op];
    if (in->operand[0].kind == EMU_SINK && !decode_may(in, DECODE_DISCARDS)) {
        return 0;
    }
    if (!at) {
        return holds_memory(in); /* its chooser asks the rest */
    }
    uint32_t i = 0;
    int at_will = 0;
    for (; *at; at++) {
        if (*at == '?') {
            at_will = 1;
        } else if (i < in->operands) {
            const emu_operand *o = &in->operand[i];
            if (!may_stand(in, o, *at, i == 0 && *at != 'a' && *at != 's')) {
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
