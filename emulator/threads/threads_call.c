/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls and returns: arguments and returns go lane by lane between frames, by registers or by the
 * frames' .param memory.
 */
#include <string.h>

#include "async.h"
#include "run_report.h"
#include "threads.h"

#define VALUE_B 16u /* a register holds no more */

static uint8_t *memory_of(const emu_frame *frame, const emu_variable *v, uint32_t lane) {
    return frame->memory + (size_t)lane * frame->function->local_B + v->offset_B;
}

/* Where a lane's value of a register of so many bits lies; the upper half of 128 apart. */
static uint8_t *lane_of(uint8_t *slots, uint32_t type, uint32_t lane) {
    const uint32_t bits = emu_type_of(type)->bits;
    return slots + (size_t)lane * (bits > 32 ? 8 : 4);
}

static void read_register(uint8_t value[VALUE_B], uint8_t *slots, uint32_t type, uint32_t lane) {
    const uint32_t bits = emu_type_of(type)->bits;
    memset(value, 0, VALUE_B);
    if (type == EMU_PRED) {
        value[0] = (uint8_t)(*(const uint32_t *)(const void *)slots >> lane & 1);
    } else {
        memcpy(value, lane_of(slots, type, lane), bits > 32 ? 8 : 4);
        if (bits > 64) {
            memcpy(value + 8, slots + 2 * (size_t)EMU_SLOT_B + (size_t)lane * 8, 8);
        }
    }
}

static void write_register(uint8_t *slots, uint32_t type, uint32_t lane,
                           const uint8_t value[VALUE_B]) {
    const uint32_t bits = emu_type_of(type)->bits;
    if (type == EMU_PRED) {
        uint32_t *mask = (uint32_t *)(void *)slots;
        *mask = (*mask & ~(1u << lane)) | (uint32_t)(value[0] & 1) << lane;
    } else if (bits > 32) {
        memcpy(lane_of(slots, type, lane), value, 8);
        if (bits > 64) {
            memcpy(slots + 2 * (size_t)EMU_SLOT_B + (size_t)lane * 8, value + 8, 8);
        }
    } else {
        uint32_t word = 0;
        memcpy(&word, value, 4);
        word &= bits < 32 ? (1u << bits) - 1 : UINT32_MAX;
        memcpy(lane_of(slots, type, lane), &word, 4);
    }
}

/* One side of a call: an operand in a frame, or a parameter of a function. */
typedef struct side {
    const emu_frame *frame;
    const emu_variable *variable; /* null: a register or constant */
    uint8_t *slots;               /* null: a variable */
    uint32_t type;
    int32_t slot;
} side;

static side side_of_operand(const emu_machine *m, const emu_frame *frame, const emu_operand *o) {
    if (o->kind == EMU_VARIABLE) {
        const emu_variable *v = &m->program->variable[o->variable];
        return (side){.frame = frame, .variable = v, .slot = EMU_NO_GUARD};
    }
    return (side){.frame = frame,
                  .slots = o->slot >= 0 ? frame->slots + (size_t)o->slot * EMU_SLOT_B
                                        : m->program->pool[~o->slot],
                  .type = o->type,
                  .slot = o->slot};
}

static side side_of_parameter(const emu_machine *m, const emu_frame *frame, uint32_t parameter) {
    const emu_variable *v = &m->program->variable[m->program->parameter[parameter]];
    if (!v->is_register) {
        return (side){.frame = frame, .variable = v, .slot = EMU_NO_GUARD};
    }
    return (side){.frame = frame,
                  .slots = frame->slots + (size_t)v->slot * EMU_SLOT_B,
                  .type = v->type,
                  .slot = v->slot};
}

static void carry_lane(const side *to, const side *from, uint32_t lane) {
    uint8_t value[VALUE_B] = {0};
    if (to->variable && from->variable) {
        const uint64_t size_B = to->variable->size_B < from->variable->size_B
                                    ? to->variable->size_B
                                    : from->variable->size_B;
        memcpy(memory_of(to->frame, to->variable, lane),
               memory_of(from->frame, from->variable, lane), (size_t)size_B);
        return;
    }
    if (from->variable) {
        const uint64_t size_B = from->variable->size_B;
        memcpy(value, memory_of(from->frame, from->variable, lane),
               size_B < VALUE_B ? (size_t)size_B : VALUE_B);
    } else if (from->slots) {
        read_register(value, from->slots, from->type, lane);
    }
    if (to->variable) {
        const uint64_t size_B = to->variable->size_B;
        memcpy(memory_of(to->frame, to->variable, lane), value,
               size_B < VALUE_B ? (size_t)size_B : VALUE_B);
    } else if (to->slots) {
        write_register(to->slots, to->type, lane, value);
    }
}

static void carry(const emu_machine *m, const side *to, const side *from, uint32_t mask) {
    EMU_FOR_LANES(lane, mask) {
        carry_lane(to, from, lane);
    }
    if (m->tracks && to->slot >= 0) {
        uint32_t *undefined = &to->frame->undefined[to->slot];
        const uint32_t of_source = from->slot >= 0 ? from->frame->undefined[from->slot] : 0;
        *undefined = (*undefined & ~mask) | (of_source & mask);
    }
}

/* ---- what builtins see ---- */

uint64_t emu_argument(const emu_warp *w, const emu_instruction *call, uint32_t index,
                      uint32_t lane) {
    const emu_operand *list = &call->operand[2];
    if (index >= list->count) {
        return 0;
    }
    const emu_operand *o = &w->machine->program->operand[list->first + index];
    const side from = side_of_operand(w->machine, w->now->frame, o);
    uint8_t value[VALUE_B] = {0};
    if (from.variable) {
        memcpy(value, memory_of(from.frame, from.variable, lane),
               from.variable->size_B < 8 ? (size_t)from.variable->size_B : 8);
    } else {
        read_register(value, from.slots, from.type, lane);
    }
    uint64_t number;
    memcpy(&number, value, sizeof(number));
    return number;
}

void emu_return(emu_warp *w, const emu_instruction *call, uint32_t index, uint32_t lane,
                const void *bytes, size_t size_B) {
    const emu_operand *list = &call->operand[0];
    if (index >= list->count) {
        return;
    }
    const emu_operand *o = &w->machine->program->operand[list->first + index];
    if (o->kind == EMU_SINK) {
        return;
    }
    const side to = side_of_operand(w->machine, w->now->frame, o);
    uint8_t value[VALUE_B] = {0};
    memcpy(value, bytes, size_B);
    if (to.variable) {
        memcpy(memory_of(to.frame, to.variable, lane), value,
               to.variable->size_B < size_B ? (size_t)to.variable->size_B : size_B);
    } else if (to.slot >= 0) {
        write_register(to.slots, to.type, lane, value);
        if (w->machine->tracks) {
            to.frame->undefined[to.slot] &= ~(1u << lane);
        }
    }
}

/* ---- call and ret ---- */

static emu_step enter(emu_warp *w, const emu_instruction *in, uint32_t mask,
                      const emu_function *function) {
    const emu_machine *m = w->machine;
    const emu_operand *list = &in->operand[2];
    if (list->count != function->parameters || in->operand[0].count != function->returns) {
        return emu_stop(w->machine, TMA_EMULATE_NOT_EXECUTED, w, in,
                        "the call has other arguments than the function's parameters");
    }
    const emu_frame *caller = w->now->frame;
    const emu_frame *frame = emu_frame_enter(w, function, in);
    if (!frame) {
        return EMU_STOPPED;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const side from = side_of_operand(m, caller, &m->program->operand[list->first + i]);
        const side to = side_of_parameter(m, frame, function->first_parameter + i);
        carry(m, &to, &from, mask);
    }
    return EMU_JUMPED;
}

/* The function that a lane calls; null: there is none at that address. */
static const emu_function *callee(const emu_warp *w, const emu_instruction *in, uint32_t lane) {
    const emu_program *p = w->machine->program;
    const emu_operand *o = &in->operand[1];
    uint64_t index = (uint64_t)o->number;
    if (o->kind != EMU_FUNCTION) {
        const uint64_t address = emu_lane_value(w, o, lane) - EMU_FUNCTION_FIRST;
        index = address % 16 ? UINT64_MAX : address / 16;
    }
    return index < p->functions ? &p->function[index] : NULL;
}

/* Registers, and .param memory of the frame. */
static int are_sound(const emu_program *p, const emu_instruction *in, const emu_operand *list,
                     int returns) {
    for (uint32_t i = 0; i < list->count; i++) {
        const emu_operand *o = &p->operand[list->first + i];
        const emu_variable *v = o->kind == EMU_VARIABLE ? &p->variable[o->variable] : NULL;
        const int is_ours = v && v->space == EMU_PARAM_CALL && v->function == in->function &&
                            !v->is_register && !o->number;
        const int is_register = o->kind == EMU_REGISTER && !(returns && o->slot < 0);
        if (!is_ours && !is_register && !(returns && o->kind == EMU_SINK)) {
            return 0;
        }
    }
    return 1;
}

static emu_step run_call(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_fragment *f = w->now;
    if (mask != f->mask) { /* some pass it by: they meet behind it */
        return emu_part(w, mask, f->pc, f->pc + 1, f->pc + 1);
    }
    const emu_function *function = callee(w, in, (uint32_t)__builtin_ctz(mask));
    uint32_t same = 0;
    EMU_FOR_LANES(lane, mask) {
        same |= (uint32_t)(callee(w, in, lane) == function) << lane;
    }
    if (same != mask) { /* several functions: one after the other */
        return emu_part(w, same, f->pc, f->pc, f->pc + 1);
    }
    const emu_program *p = w->machine->program;
    if (!are_sound(p, in, &in->operand[0], 1) || !are_sound(p, in, &in->operand[2], 0)) {
        return emu_stop(w->machine, TMA_EMULATE_NOT_EXECUTED, w, in,
                        "arguments of a call are registers and .param variables of the caller");
    }
    if (function && function->is_defined && !function->is_entry) {
        return enter(w, in, mask, function);
    }
    if (function && function->builtin) {
        return emu_builtin_run(w, in, mask, function->builtin);
    }
    return emu_stop(w->machine, TMA_EMULATE_NOT_EXECUTED, w, in,
                    function ? "a function that the module only declares"
                             : "no function is at the address that is called");
}

emu_run emu_choose_call(const emu_instruction *in) {
    const emu_operand *target = &in->operand[1];
    const int is_target = target->kind == EMU_FUNCTION ||
                          (target->kind == EMU_REGISTER && emu_type_of(target->type)->bits == 64);
    return in->operands == 3 && is_target && in->operand[0].kind == EMU_VECTOR &&
                   in->operand[2].kind == EMU_VECTOR
               ? run_call
               : NULL;
}

static void leave(emu_warp *w, uint32_t mask) {
    const emu_machine *m = w->machine;
    const emu_frame *frame = w->now->frame;
    const emu_operand *list = &frame->call->operand[0];
    for (uint32_t i = 0; i < list->count; i++) {
        const emu_operand *o = &m->program->operand[list->first + i];
        if (o->kind != EMU_SINK) {
            const side to = side_of_operand(m, frame->caller, o);
            const side from = side_of_parameter(m, frame, frame->function->first_return + i);
            carry(m, &to, &from, mask);
        }
    }
    emu_frame_leave(w);
}

static emu_step run_ret(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_fragment *f = w->now;
    const emu_frame *frame = f->frame;
    (void)in;
    if (!frame->caller) {
        emu_lanes_exit(w, mask);
        emu_barriers_exited(w, mask);
    } else if (f->pc == frame->function->end) {
        leave(w, mask);
    } else {
        return emu_part(w, mask, frame->function->end, f->pc + 1, frame->function->end);
    }
    return EMU_JUMPED;
}

emu_run emu_choose_ret(const emu_instruction *in) {
    (void)in;
    return run_ret;
}
