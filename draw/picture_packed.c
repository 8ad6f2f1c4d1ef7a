/* SPDX-License-Identifier: Apache-2.0
 *
 * packed: one group of 16 elements of 4 or 6 bits, bit by bit, in both memories.
 */
#include "scene.h"

#define BIT_W     8
#define SIDE_W    120
#define BYTE_BITS 8

/* `count` bytes with their numbers, as a ruler over what follows. */
static void draw_ruler(scene *s, int32_t x, int32_t y, uint32_t count, const char *name) {
    canvas_text(s->out, TMA_STYLE_HEAD, TEXT_BEGINS, MARGIN, y + 34, name);
    for (uint32_t i = 0; i < count; i++) {
        const int32_t left = x + (int32_t)i * BYTE_BITS * BIT_W;
        canvas_print(s->out, TMA_STYLE_SMALL, TEXT_CENTRED, left + BYTE_BITS * BIT_W / 2, y + 10,
                     "byte %u", i);
        canvas_line(s->out, TMA_STYLE_LINE, left, y + 4, left, y + 50);
    }
    canvas_line(s->out, TMA_STYLE_LINE, x + (int32_t)count * BYTE_BITS * BIT_W, y + 4,
                x + (int32_t)count * BYTE_BITS * BIT_W, y + 50);
}

/* The elements side by side, `pitch` bits apart; what lies between them is padding. */
static void draw_elements(scene *s, int32_t x, int32_t y, uint32_t pitch_bit) {
    const tma_plan_facts *const facts = tma_plan_info(&s->plan);
    for (uint32_t k = 0; k < facts->group_el; k++) {
        const int32_t left = x + (int32_t)(k * pitch_bit) * BIT_W;
        WORDS(label);
        WORDS(title);
        tma_putf(&label, "%u", k);
        tma_putf(&title, "element %u: bits %u to %u", k, k * pitch_bit,
                 k * pitch_bit + facts->bits - 1);
        canvas_cell(s->out, (tma_draw_style)(TMA_STYLE_CHUNK_0 + k % 8), left, y,
                    facts->bits * BIT_W, CELL_H, label.at, title.at, (int32_t)k);
        if (pitch_bit > facts->bits) {
            canvas_rect(s->out, TMA_STYLE_PADDING, left + facts->bits * BIT_W, y,
                        (int32_t)(pitch_bit - facts->bits) * BIT_W, CELL_H);
        }
    }
}

void draw_PACKED(scene *s, int32_t y) {
    const tma_plan_facts *const p = tma_plan_info(&s->plan);
    const int32_t x = MARGIN + SIDE_W;
    const uint32_t shared_bit =
        p->group_el ? p->group_payload_B * (uint32_t)BYTE_BITS / p->group_el : 0;
    const int loads = s->in.op == TMA_OP_LOAD || s->in.op == TMA_OP_PREFETCH;
    draw_ruler(s, x, y, p->group_global_B, "global");
    draw_elements(s, x, y + 18, p->bits);
    canvas_arrow(s->out, TMA_STYLE_LINE, x + 24, y + (loads ? 58 : 86), x + 24,
                 y + (loads ? 86 : 58));
    canvas_print(s->out, TMA_STYLE_TEXT, TEXT_BEGINS, x + 40, y + 76,
                 "%u elements of %u bits: %u B in global memory, %u B in shared memory",
                 p->group_el, p->bits, p->group_global_B, p->group_shared_B);
    y += 94;
    draw_ruler(s, x, y, p->group_shared_B, "shared");
    draw_elements(s, x, y + 18, shared_bit);
    const int32_t rest = (int32_t)(p->group_shared_B - p->group_payload_B) * BYTE_BITS * BIT_W;
    if (rest) {
        canvas_cell(s->out, TMA_STYLE_PADDING, x + (int32_t)p->group_payload_B * BYTE_BITS * BIT_W,
                    y + 18, rest, CELL_H, "padding, left alone", NULL, -1);
    }
    canvas_text(s->out, TMA_STYLE_SMALL, TEXT_BEGINS, x, y + 68,
                "bit 0 of each byte at its left; element 0 is the one with the lowest address");
    if (shared_bit > p->bits) {
        canvas_print(s->out, TMA_STYLE_SMALL, TEXT_BEGINS, x, y + 84,
                     "the upper %u bits of each element in shared memory are not stored",
                     shared_bit - p->bits);
    }
}
