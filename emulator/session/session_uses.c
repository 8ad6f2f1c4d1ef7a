/* SPDX-License-Identifier: Apache-2.0
 *
 * Parameters followed through a kernel's registers: loaded, added to, used as an address. No order
 * of instructions is looked at: what a register may ever hold.
 */
#include "session_uses.h"

#include "launch.h"
#include "tma/detail/chars.h"
#include "tma/grammar.h"

typedef struct follower {
    const emu_program *p;
    const emu_function *f;
    uint64_t *value;   /* by slot: fields whose value it holds, or something added to it */
    uint64_t *address; /* ... whose own address */
    session_uses *out;
    int changed;
} follower;

static uint64_t of_slot(const uint64_t *facts, const emu_operand *o) {
    return o->kind == EMU_REGISTER && o->slot >= 0 ? facts[o->slot] : 0;
}

static void join(follower *f, uint64_t *facts, const emu_operand *to, uint64_t with) {
    if (to->kind == EMU_REGISTER && to->slot >= 0 && (facts[to->slot] | with) != facts[to->slot]) {
        facts[to->slot] |= with;
        f->changed = 1;
    }
}

/* The bit of a field; 0: it is none of the kernel's, or there are too many. */
static uint64_t bit_of(follower *f, uint32_t parameter, int64_t offset_B) {
    const emu_variable *v = &f->p->variable[f->p->parameter[f->f->first_parameter + parameter]];
    session_uses *u = f->out;
    for (uint32_t i = 0; i < u->fields; i++) {
        if (u->field[i].parameter == parameter && u->field[i].offset_B == offset_B) {
            return UINT64_C(1) << i;
        }
    }
    if (offset_B < 0 || (uint64_t)offset_B >= v->size_B || u->fields == SESSION_FIELDS) {
        return 0;
    }
    u->field[u->fields++] = (session_field){.parameter = parameter, .offset_B = (uint32_t)offset_B};
    f->changed = 1;
    return UINT64_C(1) << (u->fields - 1);
}

static uint64_t bit_of_variable(follower *f, uint32_t variable, int64_t offset_B) {
    for (uint32_t i = 0; i < f->f->parameters && i < SESSION_MOST_PARAMS; i++) {
        if (f->p->parameter[f->f->first_parameter + i] == variable) {
            return bit_of(f, i, offset_B);
        }
    }
    return 0;
}

/* The fields so many bytes behind others. */
static uint64_t moved(follower *f, uint64_t fields, int64_t by_B) {
    uint64_t out = 0;
    for (uint32_t i = 0; i < SESSION_FIELDS; i++) {
        if (fields >> i & 1) {
            const session_field *from = &f->out->field[i];
            out |= bit_of(f, from->parameter, from->offset_B + by_B);
        }
    }
    return out;
}

/* Fields that an address operand names, so many bytes behind it. */
static uint64_t named_by(follower *f, const emu_operand *o, int64_t behind_B) {
    if (o->variable != EMU_NONE) {
        return bit_of_variable(f, o->variable, o->number + behind_B);
    }
    return o->slot >= 0 ? moved(f, f->address[o->slot], o->number + behind_B) : 0;
}

static void flow(follower *f, const emu_instruction *in, uint32_t from, uint32_t end) {
    for (uint32_t i = from; i < end && i < in->operands; i++) {
        join(f, f->value, &in->operand[0], of_slot(f->value, &in->operand[i]));
        join(f, f->address, &in->operand[0], of_slot(f->address, &in->operand[i]));
        if (in->operand[i].kind == EMU_VARIABLE) {
            join(f, f->address, &in->operand[0],
                 bit_of_variable(f, in->operand[i].variable, in->operand[i].number));
        }
    }
}

/* An address and a number; or a value and anything. */
static void take_sum(follower *f, const emu_instruction *in) {
    const emu_operand *by = &in->operand[2];
    for (uint32_t i = 1; i < 3; i++) {
        join(f, f->value, &in->operand[0], of_slot(f->value, &in->operand[i]));
    }
    if (by->constant) {
        join(f, f->address, &in->operand[0],
             moved(f, of_slot(f->address, &in->operand[1]), by->number));
    }
}

static int is_wide(const emu_operand *o) {
    return o->kind == EMU_REGISTER && emu_type_of(o->type)->bits == 64;
}

static void take_lane(follower *f, const emu_instruction *in, const emu_operand *to,
                      uint32_t lane) {
    const emu_type_traits *t = emu_type_of(in->type[0]);
    const uint32_t size_B = t->bits / 8u;
    const uint64_t of = named_by(f, &in->operand[1], (int64_t)lane * size_B);
    for (uint32_t i = 0; i < SESSION_FIELDS; i++) {
        if (of >> i & 1) {
            f->out->field[i].size_B = size_B;
            f->out->field[i].is_float |= t->kind == 'F';
        }
    }
    join(f, f->value, to, is_wide(to) ? of : 0);
}

static void take_load(follower *f, const emu_instruction *in) {
    const emu_operand *to = &in->operand[0];
    for (uint32_t i = 0; i < to->count && to->kind == EMU_VECTOR; i++) {
        take_lane(f, in, &f->p->operand[to->first + i], i);
    }
    if (to->kind != EMU_VECTOR) {
        take_lane(f, in, to, 0);
    }
}

static void take_map(follower *f, const emu_instruction *in, const emu_operand *o) {
    const tma_ptx_statement *s = &f->p->statement[in->statement];
    const uint64_t own = named_by(f, o, 0);
    const uint64_t held = o->slot >= 0 && o->variable == EMU_NONE ? f->value[o->slot] : 0;
    for (uint32_t i = 0; i < SESSION_FIELDS; i++) {
        if ((own | held) >> i & 1) {
            session_field *field = &f->out->field[i];
            field->is_map |= own >> i & 1;
            field->is_held |= held >> i & 1;
            field->rank = (uint8_t)(tma_mode_is_rows4(s->in.mode) ? 2 : s->coords);
            field->is_im2col = (uint8_t)tma_mode_is_im2col(s->in.mode);
            field->is_rows4 = (uint8_t)tma_mode_is_rows4(s->in.mode);
        }
    }
}

static void take_pointers(follower *f, uint64_t fields) {
    for (uint32_t i = 0; i < SESSION_FIELDS; i++) {
        f->out->field[i].is_pointer |= fields >> i & 1;
    }
}

/* An address that is put into a map. */
static void take_replaced(follower *f, const emu_instruction *in) {
    const tma_ptx_statement *s = in->statement != EMU_NONE ? &f->p->statement[in->statement] : NULL;
    if (s && s->kind == TMA_PTX_REPLACE && s->field == TMA_REPLACE_GLOBAL_ADDRESS) {
        take_pointers(f, of_slot(f->value, &in->operand[in->operands - 1]));
    }
}

static void take_addresses(follower *f, const emu_instruction *in) {
    take_replaced(f, in);
    for (uint32_t i = 0; i < in->operands; i++) {
        const emu_operand *o = &in->operand[i];
        if (o->kind != EMU_ADDRESS) {
            continue;
        }
        if (in->statement != EMU_NONE && o->count) {
            take_map(f, in, o);
        } else if (o->slot >= 0 && o->variable == EMU_NONE) {
            take_pointers(f, f->value[o->slot]);
        }
    }
}

static void take_instruction(follower *f, const emu_instruction *in) {
    switch (in->op) {
    case EMU_OP_MOV:
    case EMU_OP_CVTA:
        flow(f, in, 1, 2);
        if (in->op == EMU_OP_CVTA && in->space[0] == EMU_GLOBAL) {
            take_pointers(f, of_slot(f->value, &in->operand[1]));
        }
        break;
    case EMU_OP_CVT: /* Triton takes parameters' addresses in 32 bits */
        join(f, f->address, &in->operand[0], of_slot(f->address, &in->operand[1]));
        break;
    case EMU_OP_ADD:
        take_sum(f, in);
        break;
    case EMU_OP_SELP:
        flow(f, in, 1, 3);
        break;
    case EMU_OP_SUB:
        join(f, f->value, &in->operand[0], of_slot(f->value, &in->operand[1]));
        break;
    case EMU_OP_MAD:
        join(f, f->value, &in->operand[0], of_slot(f->value, &in->operand[3]));
        break;
    case EMU_OP_LD:
        take_load(f, in);
        break;
    default:
        break;
    }
    take_addresses(f, in);
}

static void take_shared(follower *f) {
    for (uint32_t i = 0; i < f->f->used; i++) {
        const emu_variable *v = &f->p->variable[f->p->used[f->f->first_used + i]];
        if (v->space == EMU_SHARED_CTA) {
            f->out->has_dynamic |= v->is_extern;
            f->out->static_B += (uint32_t)v->size_B + v->align_B;
        }
    }
}

int session_uses_of(session_uses *out, const session *s) {
    follower f = {.p = emu_program_of(s->emulator), .out = out, .changed = 1};
    *out = (session_uses){0};
    f.f = emu_kernel_of(f.p, s->kernel, text_length(s->kernel), NULL);
    if (!f.f) {
        return -1;
    }
    f.value = ptx_memory_take(s->memory, f.f->slots + 1u, sizeof(*f.value));
    f.address = ptx_memory_take(s->memory, f.f->slots + 1u, sizeof(*f.address));
    if (!f.value || !f.address) {
        return -1;
    }
    take_shared(&f);
    while (f.changed) {
        f.changed = 0;
        for (uint32_t at = f.f->first; at < f.f->end; at++) {
            take_instruction(&f, &f.p->code[at]);
        }
    }
    return 0;
}
