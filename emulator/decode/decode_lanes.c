/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors: of operands in braces, and registers of .v2 and .v4.
 */
#include "decode.h"

uint8_t decode_of_what(const emu_operand *o) {
    return o->constant ? o->of : EMU_OF_REGISTERS;
}

/* What executors ask of a vector as a whole: see emu_operand. With one element of bits it is one of
 * bits to ptxas 13.0. */
static void sum_up(emu_operand *o, const emu_operand *lanes) {
    int is_uniform = 1;
    uint8_t literal = EMU_NO_TYPE;
    for (uint32_t i = 0; i < o->count; i++) {
        o->of |= decode_of_what(&lanes[i]);
        if (lanes[i].kind == EMU_SINK) {
            o->number++;
            continue;
        }
        is_uniform &= lanes[i].kind == EMU_REGISTER;
        o->constant |= lanes[i].constant || lanes[i].slot < 0;
        if (lanes[i].constant) {
            literal = lanes[i].type; /* as wide as the registers beside it */
            continue;
        }
        const uint32_t bits = emu_type_of(lanes[i].type)->bits;
        is_uniform &= o->type == EMU_NO_TYPE || bits == emu_type_of(o->type)->bits;
        o->type = emu_type_of(o->type)->kind == 'B' ? o->type : lanes[i].type;
    }
    o->type = !is_uniform ? (uint8_t)EMU_NO_TYPE : o->type != EMU_NO_TYPE ? o->type : literal;
}

emu_operand decode_vector(decode *d, const emu_operand *lanes, uint32_t count) {
    emu_operand o = {.kind = EMU_VECTOR, .variable = EMU_NONE, .count = count};
    sum_up(&o, lanes);
    o.first = d->p->all_operands;
    for (uint32_t i = 0; i < count; i++) {
        PTX_APPEND(d->p, operand, all_operands, lanes[i]);
    }
    return o;
}

static emu_operand none(decode *d) {
    d->why = d->why ? d->why : DECODE_NO_OPERAND;
    return (emu_operand){.variable = EMU_NONE};
}

/* .x or .r behind a register of .v2 or .v4: its number; of another letter, and of none, more than
 * it has. */
static uint32_t take_lane(tma_ptx_span *rest) {
    static const char letters[] = "xyzwrgba";
    uint32_t at = 0;
    while (rest->length > 1 && letters[at] && letters[at] != rest->at[1]) {
        at++;
    }
    const size_t taken = rest->length > 1 ? 2 : rest->length;
    *rest = (tma_ptx_span){rest->at + taken, rest->length - taken};
    return letters[at] ? at % 4 : UINT32_MAX;
}

emu_operand decode_lane(decode *d, emu_operand first, uint32_t count, tma_ptx_span *rest) {
    emu_operand lanes[4];
    const int32_t slots = (emu_type_of(first.type)->bits + 31) / 32;
    for (uint32_t i = 0; i < count; i++) {
        lanes[i] = first;
        lanes[i].slot += (int32_t)i * (slots ? slots : 1);
    }
    if (!rest->length || rest->at[0] != '.') {
        return d->deep > 1 ? none(d) : decode_vector(d, lanes, count);
    }
    const uint32_t lane = take_lane(rest);
    return lane < count ? lanes[lane] : none(d);
}
