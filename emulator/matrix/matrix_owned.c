/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix_registers.h"

#include "heap.h"
#include "matrix_wgmma.h"
#include "run_report.h"
#include "tma/detail/assert.h"

matrix_owned *matrix_owned_of(emu_warp *w) {
    if (!w->wgmma) {
        w->wgmma = emu_take(w->machine, sizeof(matrix_owned));
    }
    return w->wgmma;
}

static void give_registers(emu_machine *m, matrix_owned *o) {
    emu_give(m, o->until);
    emu_give(m, o->is_read);
    o->until = NULL;
    o->is_read = NULL;
    o->frame = NULL;
    o->slots = 0;
}

void emu_wgmma_ends(emu_warp *w) {
    if (w->wgmma) {
        give_registers(w->machine, w->wgmma);
        emu_give(w->machine, w->wgmma);
        w->wgmma = NULL;
    }
}

/* The frame whose registers are looked at: another one's only when nothing belongs to the first. */
static int take_frame(emu_warp *w, matrix_owned *o, emu_frame *frame) {
    if (o->frame && o->last > o->over) {
        return 0;
    }
    const uint32_t slots = frame->function->slots;
    if (slots > o->slots) {
        give_registers(w->machine, o);
        o->until = emu_take(w->machine, slots * sizeof(*o->until));
        o->is_read = emu_take(w->machine, slots);
        if (!o->until || !o->is_read) {
            return -1;
        }
        o->slots = slots;
    }
    for (uint32_t i = 0; i < o->slots && o->frame != frame; i++) {
        o->until[i] = 0;
    }
    o->frame = frame;
    return 0;
}

int matrix_own(emu_warp *w, const matrix_registers *r, int reads_only) {
    matrix_owned *o = matrix_owned_of(w);
    if (!o || (o->frame != r->frame && take_frame(w, o, r->frame))) {
        return -1;
    }
    for (uint32_t i = 0; i < matrix_register_count(r->operand) && o->frame == r->frame; i++) {
        const int32_t slot = matrix_slot(r, i);
        if (slot >= 0) {
            o->until[slot] = o->committed + 1;
            o->is_read[slot] = (uint8_t)reads_only;
        }
    }
    o->last = o->committed + 1;
    w->busy = o->last > o->over;
    return 0;
}

void matrix_disown(emu_warp *w, uint32_t pending) {
    matrix_owned *o = w->wgmma;
    if (!o) {
        return;
    }
    const uint32_t over = o->committed > pending ? o->committed - pending : 0;
    o->over = over > o->over ? over : o->over;
    w->busy = o->last > o->over;
}

/* ---- touched too early ---- */

/* 1: the register belongs to a wgmma, and this is what it may not do. */
static int is_owned(const matrix_owned *o, int32_t slot, int writes) {
    return slot >= 0 && (uint32_t)slot < o->slots && o->until[slot] > o->over &&
           (writes || !o->is_read[slot]);
}

static int touches(const emu_warp *w, const matrix_owned *o, const emu_operand *operand,
                   int writes) {
    switch (operand->kind) {
    case EMU_REGISTER:
        return is_owned(o, operand->slot, writes);
    case EMU_ADDRESS:
        return is_owned(o, operand->slot, 0);
    case EMU_VECTOR:
        for (uint32_t i = 0; i < operand->count; i++) {
            if (touches(w, o, &w->machine->program->operand[operand->first + i], writes)) {
                return 1;
            }
        }
        return 0;
    default:
        return 0;
    }
}

static int is_wgmma(const emu_instruction *in) {
    return in->op == EMU_OP_WGMMA || in->op == EMU_OP_WGMMA_FENCE ||
           in->op == EMU_OP_WGMMA_COMMIT || in->op == EMU_OP_WGMMA_WAIT;
}

void emu_registers_early(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const matrix_owned *o = w->wgmma;
    if (is_wgmma(in) || w->now->frame != o->frame) {
        return;
    }
    int early = touches(w, o, &in->operand[0], 1) || touches(w, o, &in->also, 1);
    for (uint32_t i = 1; i < in->operands && !early; i++) {
        early = touches(w, o, &in->operand[i], 0);
    }
    if (early) {
        const emu_who who = {.in = in,
                             .cta = w->cta->index,
                             .thread = w->index * EMU_LANES + (uint32_t)__builtin_ctz(mask),
                             .proxy = "generic",
                             .what = "register"};
        emu_report(w->machine, TMA_EMULATE_RULE_REGISTER_EARLY, 1, &who, NULL,
                   "a register of a wgmma under way is read or written",
                   "a wgmma.wait_group that covers it");
    }
}
