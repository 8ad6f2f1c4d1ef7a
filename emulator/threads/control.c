/* SPDX-License-Identifier: Apache-2.0
 *
 * mov of registers and constants, packed and taken apart, and addresses from space to space.
 */
#include <string.h>

#include "access.h"
#include "compute_rows.h"
#include "control.h"
#include "tma/detail/assert.h"

void control_put(const emu_warp *w, const emu_operand *o, uint32_t mask,
                 const uint64_t value[EMU_LANES]) {
    uint32_t narrow[EMU_LANES];
    const uint32_t bits = emu_type_of(o->type)->bits;
    if (bits == 64) {
        compute_put_wide(w, o, mask, value);
        return;
    }
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        narrow[l] = (uint32_t)value[l] & (bits < 32 ? (1u << bits) - 1 : UINT32_MAX);
    }
    compute_put(w, o, mask, narrow);
}

uint64_t emu_lane_value(const emu_warp *w, const emu_operand *o, uint32_t lane) {
    const emu_type_traits *t = emu_type_of(o->type);
    if (o->kind != EMU_REGISTER) {
        return (uint64_t)o->number; /* not what its instruction takes; choosers ask */
    }
    const void *lanes = emu_lanes(w, o->slot);
    if (t->kind == 'P') {
        return emu_predicate(w, o) >> lane & 1;
    }
    const uint64_t bits =
        t->bits > 32 ? ((const compute_u64 *)lanes)[lane] : ((const compute_u32 *)lanes)[lane];
    const uint32_t unused = t->bits < 64 ? 64u - t->bits : 0;
    return t->kind == 'S' ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits;
}

/* ---- mov ---- */

static emu_step run_mov_predicate(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_set_predicate(w, &in->operand[0], mask, emu_predicate(w, &in->operand[1]));
    return EMU_NEXT;
}

COMPUTE_1(mov_32, u32, u32, a)
COMPUTE_1(mov_64, u64, u64, a)

/* Two 64-bit halves of a register of 128 bits. */
static emu_step run_mov128(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_operand to = in->operand[0], from = in->operand[1];
    for (uint32_t half = 0; half < 2; half++) {
        compute_put_wide(w, &to, mask, emu_u64(w, &from));
        to.slot += 2;
        from.slot += from.slot >= 0 ? 2 : -2;
    }
    return EMU_NEXT;
}

/* One whole in at most 128 bits of lanes. */
static void read_whole(const emu_warp *w, const emu_operand *o, uint32_t bits,
                       uint64_t whole[2][EMU_LANES]) {
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        whole[0][l] = bits > 32 ? emu_u64(w, o)[l] : emu_u32(w, o)[l];
        whole[1][l] = bits > 64 ? emu_u64(w, o)[EMU_LANES + l] : 0;
    }
}

static void write_whole(const emu_warp *w, const emu_operand *o, uint32_t bits, uint32_t mask,
                        uint64_t whole[2][EMU_LANES]) {
    emu_operand high = *o;
    if (bits <= 64) {
        control_put(w, o, mask, whole[0]);
        return;
    }
    high.slot += 2;
    compute_put_wide(w, o, mask, whole[0]);
    compute_put_wide(w, &high, mask, whole[1]);
}

/* {a, b, c, d} into one. */
static emu_step run_pack(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_operand *from = &in->operand[1];
    const uint32_t bits = emu_type_of(in->type[0])->bits, each = bits / from->count;
    uint64_t whole[2][EMU_LANES] = {{0}};
    for (uint32_t i = 0; i < from->count; i++) {
        const emu_operand *part = &w->machine->program->operand[from->first + i];
        uint64_t *const half = whole[i * each / 64];
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            const uint64_t value = each > 32 ? emu_u64(w, part)[l] : emu_u32(w, part)[l];
            half[l] |= value << (i * each % 64);
        }
    }
    write_whole(w, &in->operand[0], bits, mask, whole);
    return EMU_NEXT;
}

/* One into {a, b, c, d}. */
static emu_step run_unpack(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_operand *to = &in->operand[0];
    const uint32_t bits = emu_type_of(in->type[0])->bits, each = bits / to->count;
    uint64_t whole[2][EMU_LANES], value[EMU_LANES];
    read_whole(w, &in->operand[1], bits, whole);
    for (uint32_t i = 0; i < to->count; i++) {
        const uint64_t *const half = whole[i * each / 64];
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            value[l] = half[l] >> (i * each % 64);
        }
        control_put(w, &w->machine->program->operand[to->first + i], mask, value);
    }
    return EMU_NEXT;
}

static emu_step run_mov_variable(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_operand *from = &in->operand[1];
    uint64_t value[EMU_LANES], step_B = 0;
    const uint64_t first = emu_variable_address(w, from->variable, &step_B) -
                           emu_window_of(w->machine->program->variable[from->variable].space) +
                           (uint64_t)from->number;
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        value[l] = first + l * step_B;
    }
    control_put(w, &in->operand[0], mask, value);
    return EMU_NEXT;
}

static emu_step run_mov_function(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    uint64_t value[EMU_LANES];
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        value[l] = EMU_FUNCTION_ADDRESS(in->operand[1].number);
    }
    control_put(w, &in->operand[0], mask, value);
    return EMU_NEXT;
}

/* mov.v4.u32 {x, y, z, w}, %tid; w has no meaning and is 0. */
static emu_step run_mov_axes(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    static const uint64_t none[EMU_LANES];
    emu_instruction one = *in;
    for (uint32_t axis = 0; axis < 4; axis++) {
        one.operand[0] = w->machine->program->operand[in->operand[0].first + axis];
        one.operand[1].number = in->operand[1].number - EMU_SPECIALS + axis;
        if (axis < 3) {
            const emu_run run = control_choose_special(&one);
            run(w, &one, mask);
        } else {
            control_put(w, &one.operand[0], mask, none);
        }
    }
    return EMU_NEXT;
}

static int is_vector_of(const emu_operand *o, uint32_t bits) {
    return o->kind == EMU_VECTOR && o->count > 1 && bits >= 16 && bits % o->count == 0;
}

/* Slots of a register of so many bits. */
static uint32_t slots_of(uint32_t bits) {
    return bits > 64 ? 4 : bits > 32 ? 2 : 1;
}

/* A register of as many slots as the type; constants are as wide as they are read. */
static int is_of(const emu_operand *o, uint32_t type) {
    return o->kind == EMU_REGISTER && (o->type == EMU_PRED) == (type == EMU_PRED) &&
           slots_of(emu_type_of(o->type)->bits) == slots_of(emu_type_of(type)->bits);
}

static int is_result(const emu_operand *o) {
    return o->kind == EMU_REGISTER && o->slot >= 0;
}

/* Registers and constants of one width, which together are of the type. */
static int are_parts_of(const emu_operand *o, uint32_t bits) {
    return is_vector_of(o, bits) && !o->number && o->type != EMU_NO_TYPE && o->type != EMU_PRED &&
           slots_of(emu_type_of(o->type)->bits) == slots_of(bits / o->count);
}

static int is_whole(const emu_operand *o) {
    return o->kind == EMU_SPECIAL && o->number > EMU_SPECIALS;
}

static int moves_axes(const emu_instruction *in) {
    const emu_operand *to = &in->operand[0];
    return in->vector == 4 && is_whole(&in->operand[1]) && to->kind == EMU_VECTOR &&
           to->count == 4 && !to->constant &&
           (to->type == EMU_NO_TYPE || emu_type_of(to->type)->bits == 32) &&
           emu_type_of(in->type[0])->bits == 32;
}

static emu_run mov_of_register(const emu_instruction *in) {
    const uint32_t bits = emu_type_of(in->type[0])->bits;
    return !is_of(&in->operand[1], in->type[0]) ? NULL
           : in->type[0] == EMU_PRED            ? run_mov_predicate
           : bits == 128                        ? run_mov128
           : bits == 64                         ? COMPUTE_BEST(mov_64)
                                                : COMPUTE_BEST(mov_32);
}

emu_run emu_choose_mov(const emu_instruction *in) {
    const uint32_t bits = emu_type_of(in->type[0])->bits;
    const emu_operand *to = &in->operand[0];
    if (in->operands != 2 || (to->braced && in->operand[1].braced)) {
        return NULL;
    }
    if (in->vector == 4 || is_whole(&in->operand[1])) {
        return moves_axes(in) ? run_mov_axes : NULL;
    }
    if (is_vector_of(to, bits)) {
        return !to->constant && is_of(&in->operand[1], in->type[0]) ? run_unpack : NULL;
    }
    if (!is_result(to) || !is_of(to, in->type[0])) {
        return NULL;
    }
    switch (in->operand[1].kind) {
    case EMU_REGISTER:
        return mov_of_register(in);
    case EMU_VECTOR:
        return are_parts_of(&in->operand[1], bits) ? run_pack : NULL;
    case EMU_VARIABLE:
        return run_mov_variable;
    case EMU_FUNCTION:
        return run_mov_function;
    case EMU_SPECIAL:
        return control_choose_special(in);
    default:
        return NULL;
    }
}

/* ---- addresses ---- */

static void read_address(const emu_warp *w, const emu_operand *o, uint64_t out[EMU_LANES]) {
    const int is_wide = emu_type_of(o->type)->bits > 32;
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        out[l] = is_wide ? emu_u64(w, o)[l] : emu_u32(w, o)[l];
    }
}

static emu_step run_cvta(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    uint64_t value[EMU_LANES];
    const uint64_t window = emu_window_of(in->space[0]);
    const uint64_t add = emu_flag(in, EMU_FLAG_TO) ? 0 - window : window;
    read_address(w, &in->operand[1], value);
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        value[l] += add;
    }
    control_put(w, &in->operand[0], mask, value);
    return EMU_NEXT;
}

emu_run emu_choose_cvta(const emu_instruction *in) {
    return in->spaces == 1 && in->operands == 2 && is_result(&in->operand[0]) &&
                   in->operand[1].kind == EMU_REGISTER
               ? run_cvta
               : NULL;
}

static int lies_in(const emu_warp *w, uint64_t address, uint32_t space) {
    const uint64_t window = address & ~(uint64_t)UINT32_MAX;
    const uint32_t rank = (uint32_t)address >> EMU_RANK_SHIFT;
    const int is_shared = window == EMU_SHARED_WINDOW && rank < w->cta->cluster->ctas;
    switch (space) {
    case EMU_SHARED_CLUSTER:
        return is_shared;
    case EMU_SHARED_CTA:
        return is_shared && rank == w->cta->rank;
    case EMU_GLOBAL:
    case EMU_CONST: {
        const emu_allocation *a = emu_allocation_of(w->machine, address);
        const int is_const = a && a->space == EMU_CONST;
        return address < EMU_WINDOWS && is_const == (space == EMU_CONST);
    }
    default:
        return window == emu_window_of(space);
    }
}

static emu_step run_isspacep(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    uint64_t address[EMU_LANES];
    uint32_t lies = 0;
    read_address(w, &in->operand[1], address);
    EMU_FOR_LANES(l, mask) {
        lies |= (uint32_t)lies_in(w, address[l], in->space[0]) << l;
    }
    emu_set_predicate(w, &in->operand[0], mask, lies);
    return EMU_NEXT;
}

emu_run emu_choose_isspacep(const emu_instruction *in) {
    return in->spaces == 1 && in->operands == 2 && is_result(&in->operand[0]) &&
                   in->operand[1].kind == EMU_REGISTER
               ? run_isspacep
               : NULL;
}

/* An address of shared memory in the CTA of another rank of the cluster. */
static emu_step run_mapa(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    uint64_t value[EMU_LANES];
    const uint64_t rank = (UINT64_C(0xFFFFFFFF) >> EMU_RANK_SHIFT) << EMU_RANK_SHIFT;
    read_address(w, &in->operand[1], value);
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        value[l] = (value[l] & ~rank) | (uint64_t)emu_u32(w, &in->operand[2])[l] << EMU_RANK_SHIFT;
    }
    control_put(w, &in->operand[0], mask, value);
    return EMU_NEXT;
}

emu_run emu_choose_mapa(const emu_instruction *in) {
    return in->operands == 3 && is_result(&in->operand[0]) && in->operand[1].kind == EMU_REGISTER &&
                   in->operand[2].kind == EMU_REGISTER
               ? run_mapa
               : NULL;
}

static emu_step run_getctarank(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    uint64_t value[EMU_LANES];
    read_address(w, &in->operand[1], value);
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        value[l] = (uint32_t)value[l] >> EMU_RANK_SHIFT;
    }
    control_put(w, &in->operand[0], mask, value);
    return EMU_NEXT;
}

emu_run emu_choose_getctarank(const emu_instruction *in) {
    return in->operands == 2 && is_result(&in->operand[0]) && in->operand[1].kind == EMU_REGISTER
               ? run_getctarank
               : NULL;
}
