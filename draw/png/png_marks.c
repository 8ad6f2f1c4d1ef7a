/* SPDX-License-Identifier: Apache-2.0 */
#include "png_marks.h"

#include "letters.h"
#include "tma/detail/assert.h"

#define HATCH_PX     8
#define HATCH_ALPHA  (255 * 2 / 5)
#define DASH         (4 * RASTER_PX)
#define DASH_AND_GAP (7 * RASTER_PX)
#define LABEL_100    35 /* of a label's size lie between its middle and its base line */

typedef struct look {
    uint32_t fill, line, ink;
    const tma_style_row *row;
} look;

static look look_of(const tma_mark *m, int is_dark) {
    const tma_style_row *r = tma_style_row_of(m->style);
    const look light = {r->fill, r->line, r->ink, r};
    const look dark = {r->dark_fill, r->dark_line, r->dark_ink, r};
    return is_dark ? dark : light;
}

static int32_t steps(int32_t px) {
    const int32_t kept = px > PNG_MOST_PX ? PNG_MOST_PX : px < -PNG_MOST_PX ? -PNG_MOST_PX : px;
    return kept * RASTER_PX;
}

/* Half of a line's width. */
static int32_t half_of(const look *l) {
    return l->row->width_10 * RASTER_PX / 20;
}

/* ---- Lines ---- */

typedef struct line {
    int32_t x, y, to_x, to_y;
} line;

static int32_t length_of(const line *l) {
    const uint64_t x = (uint64_t)((int64_t)(l->to_x - l->x) * (l->to_x - l->x));
    const uint64_t square = x + (uint64_t)((int64_t)(l->to_y - l->y) * (l->to_y - l->y));
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1) {
        root += (root + bit) * (root + bit) <= square ? bit : 0;
    }
    return (int32_t)root;
}

static int32_t part_of(int32_t from, int32_t to, int32_t at, int32_t length) {
    return from + (int32_t)((int64_t)(to - from) * at / length);
}

/* A piece: level and upright ones have square ends, others round ones. */
static void piece(const raster *r, const line *l, int32_t half, uint32_t color) {
    const int32_t left = l->x < l->to_x ? l->x : l->to_x;
    const int32_t top = l->y < l->to_y ? l->y : l->to_y;
    if (l->x != l->to_x && l->y != l->to_y) {
        raster_pen pen;
        raster_pen_begin(&pen, r, left - half, top - half, half);
        raster_pen_line(&pen, l->x, l->y, l->to_x, l->to_y);
        raster_pen_end(&pen, color);
        return;
    }
    const int32_t right = l->x < l->to_x ? l->to_x : l->x;
    const int32_t bottom = l->y < l->to_y ? l->to_y : l->y;
    const int32_t wide = l->x == l->to_x ? half : 0;
    const int32_t high = l->y == l->to_y ? half : 0;
    const raster_box box = {left - wide, top - high, right + wide, bottom + high};
    raster_fill(r, &box, color);
}

/* In pieces, where it is dashed every second one; `walked` says how far dashes have come. */
static void stroke(const raster *r, const line *l, const look *how, int32_t *walked) {
    const int32_t length = length_of(l);
    const int is_slanted = l->x != l->to_x && l->y != l->to_y;
    for (int32_t at = 0; at < length;) {
        const int32_t in_turn = *walked % DASH_AND_GAP;
        const int is_gap = how->row->dashed && in_turn >= DASH;
        int32_t run = is_gap ? DASH_AND_GAP - in_turn : DASH - in_turn;
        run = how->row->dashed ? run : is_slanted ? DASH : length;
        run = run < length - at ? run : length - at;
        const line part = {part_of(l->x, l->to_x, at, length), part_of(l->y, l->to_y, at, length),
                           part_of(l->x, l->to_x, at + run, length),
                           part_of(l->y, l->to_y, at + run, length)};
        if (!is_gap) {
            piece(r, &part, half_of(how), how->line);
        }
        at += run;
        *walked = (in_turn + run) % DASH_AND_GAP;
    }
}

/* A point of 6 px at the end of a line, as the SVG has it: along its axes. */
static void arrow_head(const raster *r, const tma_mark *m, const line *l, const look *how) {
    const int32_t back_x = m->width > 0 ? -6 : m->width < 0 ? 6 : 0;
    const int32_t back_y = m->height > 0 ? -6 : m->height < 0 ? 6 : 0;
    const int32_t side_x = m->width ? 0 : 4;
    const int32_t side_y = m->width ? 4 : 0;
    const int32_t half = half_of(how);
    raster_pen pen;
    raster_pen_begin(&pen, r, l->to_x - 10 * RASTER_PX - half, l->to_y - 10 * RASTER_PX - half,
                     half);
    for (int side = -1; side <= 1; side += 2) {
        raster_pen_line(&pen, l->to_x + steps(back_x + side * side_x),
                        l->to_y + steps(back_y + side * side_y), l->to_x, l->to_y);
    }
    raster_pen_end(&pen, how->line);
}

static void put_line(const raster *r, const tma_mark *m, const look *how) {
    const line l = {steps(m->x), steps(m->y), steps(m->x) + steps(m->width),
                    steps(m->y) + steps(m->height)};
    int32_t walked = 0;
    stroke(r, &l, how, &walked);
    if (m->shape == TMA_MARK_ARROW) {
        arrow_head(r, m, &l, how);
    }
}

/* ---- Rectangles and words ---- */

static void frame(const raster *r, const raster_box *b, const look *how) {
    const int32_t half = how->row->dashed ? 0 : half_of(how); /* corners are full */
    const line side[] = {{b->left - half, b->top, b->right + half, b->top},
                         {b->right, b->top - half, b->right, b->bottom + half},
                         {b->right + half, b->bottom, b->left - half, b->bottom},
                         {b->left, b->bottom + half, b->left, b->top - half}};
    int32_t walked = 0;
    for (size_t i = 0; i < sizeof(side) / sizeof(*side); i++) {
        stroke(r, &side[i], how, &walked);
    }
}

static void label(const raster *r, const tma_mark *m, const raster_box *box, const look *how) {
    int is_upright = 0;
    const uint32_t px = tma_mark_letters(&is_upright, m);
    if (!px || how->ink == TMA_NO_COLOR) {
        return;
    }
    const lettering letters = {px, how->ink, how->row->bold, is_upright};
    const int32_t along = letters_width(m->label, px) / 2;
    const int32_t down = (int32_t)px * RASTER_PX * LABEL_100 / 100;
    const int32_t x = (box->left + box->right) / 2;
    const int32_t y = (box->top + box->bottom) / 2;
    letters_write(r, &letters, is_upright ? x + down : x - along, is_upright ? y + along : y + down,
                  m->label);
}

static void rectangle(const raster *r, const tma_mark *m, const look *how) {
    const raster_box box = {steps(m->x), steps(m->y), steps(m->x) + steps(m->width),
                            steps(m->y) + steps(m->height)};
    const tma_hatch hatch = (tma_hatch)how->row->hatch;
    if (how->fill != TMA_NO_COLOR) {
        raster_fill(r, &box, how->fill);
    }
    if (how->row->width_10 && how->line != TMA_NO_COLOR) {
        frame(r, &box, how);
    }
    if (hatch != TMA_HATCH_NONE && how->line != TMA_NO_COLOR) {
        raster_hatch(r, &box, how->line, hatch != TMA_HATCH_FALLING, hatch != TMA_HATCH_RISING,
                     HATCH_PX * RASTER_PX, HATCH_ALPHA);
    }
    if (m->label) {
        label(r, m, &box, how);
    }
}

static void words(const raster *r, const tma_mark *m, const look *how) {
    const uint32_t px = how->row->text_px;
    const lettering letters = {px, how->fill, how->row->bold, 0};
    const int32_t before = letters_width(m->label, px) / 2 * m->width;
    letters_write(r, &letters, steps(m->x) - before, steps(m->y), m->label);
}

void png_mark(const raster *r, const tma_mark *m, int is_dark) {
    const look how = look_of(m, is_dark);
    TMA_ASSERT(how.row);
    switch ((tma_mark_shape)m->shape) {
    case TMA_MARK_RECT:
        rectangle(r, m, &how);
        break;
    case TMA_MARK_TEXT:
        words(r, m, &how);
        break;
    case TMA_MARK_LINE:
    case TMA_MARK_ARROW:
        put_line(r, m, &how);
        break;
    }
}
