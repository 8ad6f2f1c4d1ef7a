/* SPDX-License-Identifier: Apache-2.0
 *
 * alloca, stacksave, stackrestore: blocks of a lane's stack, one upon the other.
 */
#include "stack.h"

#include "access.h"
#include "control.h"
#include "heap.h"
#include "run_report.h"

#define ALIGN_B 8u /* where alloca names none */

typedef struct stack_block {
    struct stack_block *below; /* of the same frame */
    uint32_t at, size_B;
} stack_block;

#define HEAD_B ((sizeof(stack_block) + 15) / 16 * 16)

typedef struct frame_stack {
    stack_block *top[EMU_LANES];
} frame_stack;

int emu_stack_find(const emu_frame *frame, uint32_t lane, uint64_t local, emu_place *out) {
    const frame_stack *s = frame->stack;
    for (stack_block *b = s ? s->top[lane] : NULL; b; b = b->below) {
        const uint64_t offset = local - b->at;
        if (offset < b->size_B) {
            *out = (emu_place){.space = EMU_LOCAL,
                               .at = local,
                               .host = (uint8_t *)b + HEAD_B + offset,
                               .follows_B = b->size_B - offset};
            return 1;
        }
    }
    return 0;
}

/* Blocks of a lane from an address on. */
static void cut(emu_machine *m, stack_block **top, uint64_t from) {
    while (*top && (*top)->at >= from) {
        stack_block *b = *top;
        *top = b->below;
        emu_give(m, b);
    }
}

void emu_stack_drop(emu_machine *m, emu_frame *frame) {
    frame_stack *s = frame->stack;
    for (uint32_t lane = 0; s && lane < EMU_LANES; lane++) {
        cut(m, &s->top[lane], 0);
    }
    emu_give(m, s);
    frame->stack = NULL;
}

/* Where a lane's next block may begin. */
static uint64_t end_of(const emu_warp *w, uint32_t lane) {
    for (const emu_frame *f = w->now->frame; f; f = f->caller) {
        const frame_stack *s = f->stack;
        if (s && s->top[lane]) {
            return (uint64_t)s->top[lane]->at + s->top[lane]->size_B;
        }
    }
    return EMU_STACK_FIRST;
}

/* ---- alloca ---- */

/* The local address of a lane's new block; 0: the run is over. */
static uint64_t grown(emu_warp *w, const emu_instruction *in, uint32_t lane, uint64_t align_B) {
    emu_frame *frame = w->now->frame;
    const uint64_t size_B = emu_lane_value(w, &in->operand[1], lane);
    const uint64_t at = (end_of(w, lane) + align_B - 1) / align_B * align_B;
    if (at > UINT32_MAX || size_B > UINT32_MAX - at) {
        emu_stop(w->machine, TMA_EMULATE_LIMIT, w, in,
                 "alloca needs more than 2 GiB of a thread's local memory");
        return 0;
    }
    if (!frame->stack && !(frame->stack = emu_take(w->machine, sizeof(frame_stack)))) {
        return 0;
    }
    stack_block *b = emu_take(w->machine, HEAD_B + (size_t)size_B);
    if (b) {
        stack_block **top = &((frame_stack *)frame->stack)->top[lane];
        *b = (stack_block){.below = *top, .at = (uint32_t)at, .size_B = (uint32_t)size_B};
        *top = b;
    }
    return b ? at : 0;
}

static emu_step run_alloca(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    uint64_t value[EMU_LANES] = {0};
    EMU_FOR_LANES(lane, mask) {
        const uint64_t align_B =
            in->operands > 2 ? emu_lane_value(w, &in->operand[2], lane) : ALIGN_B;
        if (!align_B || align_B & (align_B - 1) || align_B > EMU_STACK_FIRST) {
            return emu_stop(w->machine, TMA_EMULATE_NOT_EXECUTED, w, in,
                            "alloca's alignment is no power of two up to 2^31");
        }
        if (!(value[lane] = grown(w, in, lane, align_B))) {
            return EMU_STOPPED;
        }
    }
    control_put(w, &in->operand[0], mask, value);
    return EMU_NEXT;
}

emu_run emu_choose_alloca(const emu_instruction *in) {
    return in->operands > 2 && !in->operand[2].constant ? NULL : run_alloca;
}

/* ---- stacksave, stackrestore ---- */

static emu_step run_save(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    uint64_t value[EMU_LANES] = {0};
    EMU_FOR_LANES(lane, mask) {
        value[lane] = end_of(w, lane);
    }
    control_put(w, &in->operand[0], mask, value);
    return EMU_NEXT;
}

emu_run emu_choose_stacksave(const emu_instruction *in) {
    (void)in;
    return run_save;
}

static emu_step run_restore(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    frame_stack *s = w->now->frame->stack;
    EMU_FOR_LANES(lane, s ? mask : 0) {
        cut(w->machine, &s->top[lane], emu_lane_value(w, &in->operand[0], lane));
    }
    return EMU_NEXT;
}

emu_run emu_choose_stackrestore(const emu_instruction *in) {
    return in->operands == 1 && in->operand[0].kind == EMU_REGISTER ? run_restore : NULL;
}
