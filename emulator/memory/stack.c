/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of a lane's stack, one upon the other.
 */
#include "stack.h"

#include "heap.h"
#include "run_report.h"

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

uint64_t emu_stack_end(const emu_warp *w, uint32_t lane) {
    for (const emu_frame *f = w->now->frame; f; f = f->caller) {
        const frame_stack *s = f->stack;
        if (s && s->top[lane]) {
            return (uint64_t)s->top[lane]->at + s->top[lane]->size_B;
        }
    }
    return EMU_STACK_FIRST;
}

uint64_t emu_stack_grow(emu_warp *w, const emu_instruction *in, uint32_t lane, uint64_t size_B,
                        uint64_t align_B) {
    emu_frame *frame = w->now->frame;
    const uint64_t at = (emu_stack_end(w, lane) + align_B - 1) / align_B * align_B;
    if (at > UINT32_MAX || size_B > UINT32_MAX - at) {
        emu_stop(w->machine, TMA_EMULATE_LIMIT, w, in,
                 "alloca needs more than 2 GiB of a thread's local memory");
        return 0;
    }
    if (!frame->stack && !(frame->stack = emu_take(w->machine, sizeof(frame_stack)))) {
        return 0;
    }
    stack_block *b = emu_take(w->machine, emu_size(HEAD_B + size_B));
    if (b) {
        stack_block **top = &((frame_stack *)frame->stack)->top[lane];
        *b = (stack_block){.below = *top, .at = (uint32_t)at, .size_B = (uint32_t)size_B};
        *top = b;
    }
    return b ? at : 0;
}

void emu_stack_cut(emu_warp *w, uint32_t lane, uint64_t from) {
    frame_stack *s = w->now->frame->stack;
    if (s) {
        cut(w->machine, &s->top[lane], from);
    }
}
