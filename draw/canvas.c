/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks to the caller, and how far they reach.
 */
#include "canvas.h"

static void reach(canvas *c, int32_t x, int32_t y) {
    c->size.width = x > c->size.width ? x : c->size.width;
    c->size.height = y > c->size.height ? y : c->size.height;
}

static void put(canvas *c, const tma_mark *mark) {
    c->size.marks++;
    if (!c->stopped && c->visit) {
        c->stopped = c->visit(c->context, mark);
    }
}

void canvas_cell(canvas *c, tma_draw_style style, int32_t x, int32_t y, int32_t width,
                 int32_t height, const char *label, const char *title, int32_t cell) {
    const tma_mark mark = {.shape = TMA_MARK_RECT,
                           .style = (uint8_t)style,
                           .x = x,
                           .y = y,
                           .width = width,
                           .height = height,
                           .cell = cell,
                           .label = label,
                           .title = c->is_untitled ? NULL : title};
    reach(c, x + width, y + height);
    put(c, &mark);
}

void canvas_rect(canvas *c, tma_draw_style style, int32_t x, int32_t y, int32_t width,
                 int32_t height) {
    canvas_cell(c, style, x, y, width, height, NULL, NULL, -1);
}

static int32_t letters_of(const char *label) {
    int32_t letters = 0;
    for (const char *at = label; *at; at++) {
        letters += ((unsigned char)*at & 0xC0) != 0x80; /* UTF-8: what begins a letter */
    }
    return letters;
}

int32_t canvas_width(tma_draw_style style, const char *label) {
    return letters_of(label) * tma_style_row_of(style)->text_px * TMA_DRAW_ADVANCE_100 / 100;
}

void canvas_text(canvas *c, tma_draw_style style, text_anchor anchor, int32_t x, int32_t y,
                 const char *label) {
    const tma_mark mark = {.shape = TMA_MARK_TEXT,
                           .style = (uint8_t)style,
                           .x = x,
                           .y = y,
                           .width = (int32_t)anchor,
                           .cell = -1,
                           .label = label};
    const int32_t width = canvas_width(style, label);
    reach(c, anchor == TEXT_BEGINS ? x + width : anchor == TEXT_CENTRED ? x + width / 2 : x, y + 4);
    put(c, &mark);
}

static void stroke(canvas *c, tma_mark_shape shape, tma_draw_style style, int32_t x, int32_t y,
                   int32_t to_x, int32_t to_y) {
    const tma_mark mark = {.shape = (uint8_t)shape,
                           .style = (uint8_t)style,
                           .x = x,
                           .y = y,
                           .width = to_x - x,
                           .height = to_y - y,
                           .cell = -1};
    reach(c, x > to_x ? x : to_x, y > to_y ? y : to_y);
    put(c, &mark);
}

void canvas_line(canvas *c, tma_draw_style style, int32_t x, int32_t y, int32_t to_x,
                 int32_t to_y) {
    stroke(c, TMA_MARK_LINE, style, x, y, to_x, to_y);
}

void canvas_arrow(canvas *c, tma_draw_style style, int32_t x, int32_t y, int32_t to_x,
                  int32_t to_y) {
    stroke(c, TMA_MARK_ARROW, style, x, y, to_x, to_y);
}

/* Labels shrink before they are turned, and again before they are left out. */
#define READABLE_PX 9
#define LEAST_PX    7

static int fits(int32_t letters, uint32_t px, int32_t along, int32_t across) {
    return letters * (int32_t)px * TMA_DRAW_ADVANCE_100 / 100 <= along - 2 && (int32_t)px <= across;
}

uint32_t tma_mark_letters(int *upright, const tma_mark *mark) {
    const tma_style_row *style = mark ? tma_style_row_of(mark->style) : NULL;
    if (!style || !mark->label || !mark->label[0] || !upright) {
        return 0;
    }
    const int32_t letters = letters_of(mark->label);
    *upright = 0;
    for (uint32_t px = style->text_px; px >= LEAST_PX; px--) {
        if (fits(letters, px, mark->width, mark->height)) {
            return px;
        }
        if (px == READABLE_PX && fits(letters, px, mark->height, mark->width)) {
            *upright = 1;
            return px;
        }
    }
    return 0;
}
