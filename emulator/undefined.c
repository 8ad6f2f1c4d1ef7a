/* SPDX-License-Identifier: Apache-2.0 */
#include "undefined.h"

#include "report.h"
#include "words.h"

static uint32_t operand_undefined(const emu_warp *w, const emu_frame *frame, const emu_operand *o) {
    uint32_t undefined = 0;
    switch (o->kind) {
    case EMU_REGISTER:
        return o->slot >= 0 ? frame->undefined[o->slot] : 0;
    case EMU_VECTOR:
        for (uint32_t i = 0; i < o->count; i++) {
            undefined |= operand_undefined(w, frame, &w->machine->program->operand[o->first + i]);
        }
        return undefined;
    default:
        return 0;
    }
}

static void set_operand(const emu_warp *w, emu_frame *frame, const emu_operand *o, uint32_t mask,
                        uint32_t undefined) {
    if (o->kind == EMU_REGISTER && o->slot >= 0) {
        uint32_t *u = &frame->undefined[o->slot];
        *u = (*u & ~mask) | (undefined & mask);
    } else if (o->kind == EMU_VECTOR) {
        for (uint32_t i = 0; i < o->count; i++) {
            set_operand(w, frame, &w->machine->program->operand[o->first + i], mask, undefined);
        }
    }
}

/* selp: of the operand that the predicate chose alone. */
static uint32_t selected(const emu_warp *w, const emu_frame *frame, const emu_instruction *in) {
    const uint32_t chosen =
        *(const uint32_t *)(in->operand[3].slot >= 0
                                ? frame->slots + (size_t)in->operand[3].slot * EMU_SLOT_B
                                : w->machine->program->pool[~in->operand[3].slot]);
    const uint32_t first = in->operand[3].negated ? ~chosen : chosen;
    return (operand_undefined(w, frame, &in->operand[1]) & first) |
           (operand_undefined(w, frame, &in->operand[2]) & ~first) |
           operand_undefined(w, frame, &in->operand[3]);
}

static void report_branch(emu_warp *w, const emu_frame *frame, const emu_instruction *in,
                          uint32_t mask) {
    const uint32_t undefined = frame->undefined[in->guard] & mask;
    if (undefined) {
        const emu_who who = {.in = in,
                             .cta = w->cta->index,
                             .thread = w->index * EMU_LANES + (uint32_t)__builtin_ctz(undefined),
                             .proxy = "generic",
                             .what = "branch"};
        emu_report(w->machine, TMA_EMULATE_RULE_UNINITIALISED, 1, &who, 0,
                   "a branch by a predicate that nobody wrote", "a value for it");
    }
}

void emu_flow(emu_warp *w, emu_frame *frame, const emu_instruction *in, uint32_t mask) {
    switch (in->op) {
    case EMU_OP_BRA:
        if (in->guard >= 0) {
            report_branch(w, frame, in, mask);
        }
        return;
    case EMU_OP_LD:
    case EMU_OP_LDU:
    case EMU_OP_ATOM:
    case EMU_OP_CALL:
    case EMU_OP_LDMATRIX:
    case EMU_OP_MOVMATRIX:
    case EMU_OP_MMA:
    case EMU_OP_MMA_COL:
    case EMU_OP_WGMMA:
        return;
    default:
        break;
    }
    uint32_t undefined = 0;
    if (in->op == EMU_OP_SELP) {
        undefined = selected(w, frame, in);
    } else if (in->pure) {
        for (uint32_t i = 1; i < in->operands; i++) {
            undefined |= operand_undefined(w, frame, &in->operand[i]);
        }
    }
    set_operand(w, frame, &in->operand[0], mask, undefined);
    set_operand(w, frame, &in->also, mask, undefined);
}
