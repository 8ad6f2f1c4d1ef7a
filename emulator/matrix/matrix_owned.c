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
    emu_give(m, o->owner);
    o->owner = NULL;
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
        o->owner = emu_take(w->machine, slots * sizeof(*o->owner));
        if (!o->owner) {
            return -1;
        }
        o->slots = slots;
    }
    for (uint32_t i = 0; i < o->slots && o->frame != frame; i++) {
        o->owner[i].until = 0;
    }
    o->frame = frame;
    return 0;
}

int matrix_own(emu_warp *w, const emu_instruction *wgmma, const matrix_registers *r,
               int reads_only) {
    matrix_owned *o = matrix_owned_of(w);
    if (!o || (o->frame != r->frame && take_frame(w, o, r->frame))) {
        return -1;
    }
    for (uint32_t i = 0; i < matrix_register_count(r->operand) && o->frame == r->frame; i++) {
        const int32_t slot = matrix_slot(r, i);
        if (slot >= 0) {
            o->owner[slot] = (matrix_owner){wgmma, o->committed + 1, (uint8_t)reads_only};
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

/* The owner of a register that belongs to a wgmma, where this may not be done to it; else null. */
static const matrix_owner *owner_of(const matrix_owned *o, int32_t slot, int writes) {
    const matrix_owner *owner = slot >= 0 && (uint32_t)slot < o->slots ? &o->owner[slot] : NULL;
    return owner && owner->until > o->over && (writes || !owner->is_read) ? owner : NULL;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as decode_list() */
static const matrix_owner *touches(const emu_warp *w, const matrix_owned *o,
                                   const emu_operand *operand, int writes) {
    const matrix_owner *owner = NULL;
    switch (operand->kind) {
    case EMU_REGISTER:
        return owner_of(o, operand->slot, writes);
    case EMU_ADDRESS:
        return owner_of(o, operand->slot, 0);
    case EMU_VECTOR:
        for (uint32_t i = 0; i < operand->count && !owner; i++) {
            owner = touches(w, o, &w->machine->program->operand[operand->first + i], writes);
        }
        return owner;
    default:
        return NULL;
    }
}

static int is_wgmma(const emu_instruction *in) {
    return in->op == EMU_OP_WGMMA || in->op == EMU_OP_WGMMA_FENCE ||
           in->op == EMU_OP_WGMMA_COMMIT || in->op == EMU_OP_WGMMA_WAIT;
}

static emu_who who_of(const emu_warp *w, const emu_instruction *in, uint32_t lane,
                      const char *what) {
    return (emu_who){.in = in,
                     .cta = w->cta->index,
                     .thread = w->index * EMU_LANES + lane,
                     .proxy = "generic",
                     .what = what};
}

/* The documents leave it undefined; ptxas 13.0 sees it and puts a wait before it (C7517), so that
 * it may cost time alone. Once a wgmma: its registers count as given back then. */
void emu_registers_early(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    matrix_owned *o = w->wgmma;
    if (is_wgmma(in) || w->now->frame != o->frame) {
        return;
    }
    const matrix_owner *owner = touches(w, o, &in->operand[0], 1);
    owner = owner ? owner : touches(w, o, &in->also, 1);
    for (uint32_t i = 1; i < in->operands && !owner; i++) {
        owner = touches(w, o, &in->operand[i], 0);
    }
    if (!owner) {
        return;
    }
    const uint32_t lane = (uint32_t)__builtin_ctz(mask);
    const emu_instruction *wgmma = owner->wgmma;
    const emu_who later = who_of(w, in, lane, "register"),
                  earlier = who_of(w, wgmma, lane, "MMA's register");
    emu_report(w->machine, TMA_EMULATE_RULE_REGISTER_EARLY, 0, &later, &earlier,
               "a register of a wgmma under way is read or written, which is undefined; ptxas 13.0 "
               "puts a wait before it (C7517)",
               "a wgmma.wait_group that covers it");
    for (uint32_t i = 0; i < o->slots; i++) {
        o->owner[i].until = o->owner[i].wgmma == wgmma ? 0 : o->owner[i].until;
    }
}
