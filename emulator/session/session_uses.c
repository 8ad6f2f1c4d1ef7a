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
    uint64_t *value;   /* by slot: parameters whose value it holds, or something added to it */
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

/* The bit of a parameter's variable; 0: it is none of the kernel's. */
static uint64_t bit_of(const follower *f, uint32_t variable) {
    for (uint32_t i = 0; i < f->f->parameters && i < SESSION_MOST_PARAMS; i++) {
        if (f->p->parameter[f->f->first_parameter + i] == variable) {
            return UINT64_C(1) << i;
        }
    }
    return 0;
}

static void flow(follower *f, const emu_instruction *in, uint32_t from, uint32_t end) {
    for (uint32_t i = from; i < end && i < in->operands; i++) {
        join(f, f->value, &in->operand[0], of_slot(f->value, &in->operand[i]));
        join(f, f->address, &in->operand[0], of_slot(f->address, &in->operand[i]));
        if (in->operand[i].kind == EMU_VARIABLE) {
            join(f, f->address, &in->operand[0], bit_of(f, in->operand[i].variable));
        }
    }
}

static int is_wide(const emu_operand *o) {
    return o->kind == EMU_REGISTER && emu_type_of(o->type)->bits == 64;
}

static void take_load(follower *f, const emu_instruction *in) {
    const emu_operand *from = &in->operand[1];
    uint64_t of = from->variable != EMU_NONE ? bit_of(f, from->variable) : 0;
    of |= from->kind == EMU_ADDRESS && from->slot >= 0 ? f->address[from->slot] : 0;
    const emu_operand *to = &in->operand[0];
    for (uint32_t i = 0; i < to->count && to->kind == EMU_VECTOR; i++) {
        const emu_operand *lane = &f->p->operand[to->first + i];
        join(f, f->value, lane, is_wide(lane) ? of : 0);
    }
    join(f, f->value, to, is_wide(to) ? of : 0);
}

static void take_map(follower *f, const emu_instruction *in, const emu_operand *o) {
    const tma_ptx_statement *s = &f->p->statement[in->statement];
    const uint64_t address = o->variable != EMU_NONE ? bit_of(f, o->variable)
                             : o->slot >= 0          ? f->address[o->slot]
                                                     : 0;
    const uint64_t value = o->slot >= 0 && o->variable == EMU_NONE ? f->value[o->slot] : 0;
    const int has_rows = tma_mode_is_rows4(s->in.mode);
    f->out->map |= address;
    f->out->pointer_to_map |= value;
    for (uint32_t i = 0; i < SESSION_MOST_PARAMS; i++) {
        if ((address | value) >> i & 1) {
            f->out->rank[i] = (uint8_t)(has_rows ? 2 : s->coords);
            f->out->is_im2col[i] = (uint8_t)tma_mode_is_im2col(s->in.mode);
        }
    }
}

static void take_addresses(follower *f, const emu_instruction *in) {
    for (uint32_t i = 0; i < in->operands; i++) {
        const emu_operand *o = &in->operand[i];
        if (o->kind != EMU_ADDRESS) {
            continue;
        }
        if (in->statement != EMU_NONE && o->count) {
            take_map(f, in, o);
        } else if (o->slot >= 0 && o->variable == EMU_NONE) {
            f->out->pointer |= f->value[o->slot];
        }
    }
}

static void take_instruction(follower *f, const emu_instruction *in) {
    switch (in->op) {
    case EMU_OP_MOV:
    case EMU_OP_CVTA:
        flow(f, in, 1, 2);
        if (in->op == EMU_OP_CVTA && in->space[0] == EMU_GLOBAL) {
            f->out->pointer |= of_slot(f->value, &in->operand[1]);
        }
        break;
    case EMU_OP_ADD:
    case EMU_OP_SELP:
        flow(f, in, 1, 3);
        break;
    case EMU_OP_SUB:
        flow(f, in, 1, 2);
        break;
    case EMU_OP_MAD:
        flow(f, in, 3, 4);
        break;
    case EMU_OP_LD:
        if (in->space[0] == EMU_PARAM_ENTRY) {
            take_load(f, in);
        }
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
