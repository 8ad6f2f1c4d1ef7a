/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix_registers.h"

#include "async.h"
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

typedef enum register_access {
    REGISTER_READ,       /* collides with who writes it */
    REGISTER_WRITE,      /* with who reads or writes it */
    REGISTER_ACCUMULATE, /* a wgmma's D: with who reads it; products follow one another */
} register_access;

static int collides(const matrix_owner *owner, register_access access) {
    return access == REGISTER_WRITE || owner->is_read == (access == REGISTER_ACCUMULATE);
}

/* The owner of a register that belongs to a wgmma, where this may not be done to it; else null. */
static const matrix_owner *owner_of(const matrix_owned *o, int32_t slot, register_access access) {
    const matrix_owner *owner = slot >= 0 && (uint32_t)slot < o->slots ? &o->owner[slot] : NULL;
    return owner && owner->until > o->over && collides(owner, access) ? owner : NULL;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as decode_list() */
static const matrix_owner *touches(const emu_warp *w, const matrix_owned *o,
                                   const emu_operand *operand, register_access access) {
    const matrix_owner *owner = NULL;
    switch (operand->kind) {
    case EMU_REGISTER:
        return owner_of(o, operand->slot, access);
    case EMU_ADDRESS:
        return owner_of(o, operand->slot, REGISTER_READ);
    case EMU_VECTOR:
        for (uint32_t i = 0; i < operand->count && !owner; i++) {
            owner = touches(w, o, &w->machine->program->operand[operand->first + i], access);
        }
        return owner;
    default:
        return NULL;
    }
}

/* A warp that comes back to the wgmma that it has met for owns the registers itself. */
static int was_issued(const emu_warp *w) {
    const uint32_t number = w->index % MATRIX_WARPS;
    const matrix_owned *first = w[-(ptrdiff_t)number].wgmma;
    return first && first->released >> number & 1;
}

static const matrix_owner *early_owner(const emu_warp *w, const emu_instruction *in) {
    const matrix_owned *o = w->wgmma;
    const int is_wgmma = in->op == EMU_OP_WGMMA;
    if (w->now->frame != o->frame || (is_wgmma && was_issued(w))) {
        return NULL;
    }
    const register_access first = is_wgmma ? REGISTER_ACCUMULATE : REGISTER_WRITE;
    const matrix_owner *owner = touches(w, o, &in->operand[0], first);
    owner = owner ? owner : touches(w, o, &in->also, REGISTER_WRITE);
    for (uint32_t i = 1; i < in->operands && !owner; i++) {
        owner = touches(w, o, &in->operand[i], REGISTER_READ);
    }
    return owner;
}

static emu_who who_of(const emu_warp *w, const emu_instruction *in, uint32_t lane,
                      const char *what) {
    return (emu_who){.in = in,
                     .cta = w->cta->index,
                     .thread = w->index * EMU_LANES + lane,
                     .proxy = "generic",
                     .what = what};
}

int matrix_finish(emu_warp *w) {
    const emu_warp *first = w - w->index % MATRIX_WARPS;
    for (emu_async *a = w->machine->async, *next; a; a = next) {
        next = a->next; /* in the order of issue each completes by itself */
        if (a->kind == EMU_ASYNC_WGMMA && a->warp == first && emu_async_finish(w->machine, a)) {
            return -1;
        }
    }
    return 0;
}

/* Once a wgmma: its registers count as given back then. The wgmmas complete first: ptxas puts a
 * wait between (C7517) or serialises them (C7513, C7515). Between two wgmmas it was seen to put
 * none, so that nobody knows the value there. */
int emu_registers_early(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const matrix_owner *owner = early_owner(w, in);
    if (!owner) {
        return 0;
    }
    matrix_owned *o = w->wgmma;
    const uint32_t lane = (uint32_t)__builtin_ctz(mask);
    const emu_instruction *wgmma = owner->wgmma;
    const emu_who later = who_of(w, in, lane, "register"),
                  earlier = who_of(w, wgmma, lane, "MMA's register");
    emu_report(w->machine, TMA_EMULATE_RULE_REGISTER_EARLY, 1, &later, &earlier,
               in->op == EMU_OP_WGMMA
                   ? "a wgmma takes a register that another one, under way, writes, or writes one "
                     "that it reads, which is undefined; here the other one completes first"
                   : "a register of a wgmma under way is read or written, which is undefined; "
                     "ptxas 12.8 and 13.0 put a wait before it (C7517, C7515), and so does this "
                     "run",
               "a wgmma.wait_group that covers it");
    for (uint32_t i = 0; i < o->slots; i++) {
        o->owner[i].until = o->owner[i].wgmma == wgmma ? 0 : o->owner[i].until;
    }
    return matrix_finish(w);
}
