/* SPDX-License-Identifier: Apache-2.0
 *
 * How a cell looks: style, words, and the legend of both.
 */
#include "scene.h"

static tma_draw_style pastel(uint32_t number) {
    return (tma_draw_style)(TMA_STYLE_CHUNK_0 + number % 8);
}

static tma_draw_style look_of(const scene *s, const tma_cell *cell) {
    switch (cell->kind) {
    case TMA_RUN_OUTSIDE:
        return TMA_STYLE_FILL;
    case TMA_RUN_PAST_EDGE:
        return TMA_STYLE_EDGE;
    case TMA_RUN_PADDING:
        return TMA_STYLE_PADDING;
    default:
        break;
    }
    switch (s->drawing->color) {
    case TMA_COLOR_ROW:
        return pastel(cell->row);
    case TMA_COLOR_COLUMN:
        return pastel(cell->offset_B / TMA_CELL_B);
    case TMA_COLOR_BANK:
        return pastel(cell->bank * TMA_BANK_B / TMA_CELL_B);
    default:
        return pastel(cell->number);
    }
}

static void put_coords(const scene *s, const tma_cell *cell, tma_out *t) {
    int any = 0;
    for (uint32_t i = 0; i < cell->rank; i++) {
        if (s->shown & 1u << i) {
            tma_put(t, any++ ? "," : "");
            tma_putf(t, "%" TMA_D64, cell->coord[i]);
        }
    }
}

static const char *outside_word(const scene *s) {
    return tma_plan_info(&s->plan)->op != TMA_OP_LOAD ? "drop"
           : s->map.spec.fill == TMA_FILL_NAN         ? "NaN"
                                                      : "fill";
}

/* The words of a cell that is `width` wide. */
static void look_label(const scene *s, const tma_cell *cell, char *text, size_t size) {
    tma_out t = tma_out_into(text, size);
    if (cell->kind == TMA_RUN_PADDING) {
        tma_put(&t, "pad");
    } else if (cell->kind == TMA_RUN_OUTSIDE) {
        tma_put(&t, outside_word(s));
    } else if (s->drawing->label == TMA_LABEL_COORD) {
        put_coords(s, cell, &t);
    } else if (s->drawing->label == TMA_LABEL_BANK) {
        tma_putf(&t, "%u", cell->bank);
    } else {
        const uint32_t number =
            s->drawing->label == TMA_LABEL_CHUNK ? cell->number % CELLS : cell->number;
        tma_putf(&t, "%u", number);
        if (s->unit_cells > 1 && cell->kind == TMA_RUN_INSIDE) {
            tma_putf(&t, "-%u", number + s->unit_cells - 1);
        }
    }
    if (s->has_halves && cell->kind == TMA_RUN_INSIDE && s->drawing->label <= TMA_LABEL_CHUNK) {
        tma_put(&t, cell->offset_B % TMA_CELL_B ? "b" : "a");
    }
    if (cell->kind == TMA_RUN_PAST_EDGE) {
        tma_put(&t, "!");
    }
}

void look_draw(const scene *s, const tma_cell *cell, int32_t x, int32_t y, int32_t width,
               int32_t height) {
    char label[WORDS_B];
    char title[WORDS_B];
    label[0] = title[0] = 0;
    if (!s->out->is_silent) {
        look_label(s, cell, label, sizeof(label));
    }
    if (!s->out->is_untitled) {
        tma_cell_text(title, sizeof(title), cell, &s->plan);
    }
    canvas_cell(s->out, look_of(s, cell), x, y, width, height, label, title, (int32_t)cell->index);
}

int32_t look_row(scene *s, int32_t x, int32_t y, tma_draw_style style, const char *sample,
                 const char *words) {
    canvas_cell(s->out, style, x, y, 32, 18, sample, NULL, -1);
    canvas_text(s->out, TMA_STYLE_TEXT, TEXT_BEGINS, x + 40, y + 13, words);
    return y + 24;
}

static const char *chunk_words(const scene *s) {
    if (s->unit_cells > 1 && s->drawing->label <= TMA_LABEL_CHUNK) {
        return s->drawing->label == TMA_LABEL_CHUNK
                   ? "a unit of 32 B: two pieces of 16 B, numbered within 128 B of shared memory"
                   : "a unit of 32 B: two pieces of 16 B, numbered in the order of the rows";
    }
    if (s->has_halves && s->drawing->label <= TMA_LABEL_CHUNK) {
        return s->drawing->label == TMA_LABEL_CHUNK
                   ? "8 B inside the tensor, half a or b of a piece of 16 B, numbered within 128 B"
                   : "8 B inside the tensor, half a or b of a piece of 16 B, numbered in the order "
                     "of the rows";
    }
    switch (s->drawing->label) {
    case TMA_LABEL_CHUNK:
        return "16 B inside the tensor, numbered within 128 B of dense shared memory";
    case TMA_LABEL_COORD:
        return "16 B inside the tensor, named by the coordinates of its first element";
    case TMA_LABEL_BANK:
        return "16 B inside the tensor, named by the first of its banks";
    default:
        return "16 B inside the tensor, numbered in the order of the rows";
    }
}

static const char *sample_of(const scene *s) {
    const int numbers = s->drawing->label <= TMA_LABEL_CHUNK;
    return !numbers ? "n" : s->unit_cells > 1 ? "n-m" : s->has_halves ? "na" : "n";
}

int32_t look_legend(scene *s, int32_t x, int32_t y) {
    const tma_plan_facts *const facts = tma_plan_info(&s->plan);
    const int loads = facts->op == TMA_OP_LOAD;
    y = look_row(s, x, y, TMA_STYLE_CHUNK_0, sample_of(s), chunk_words(s));
    if (s->report.fill_B || s->report.dropped_B) {
        y = look_row(s, x, y, TMA_STYLE_FILL, outside_word(s),
                     !loads                             ? "outside the tensor: dropped, not stored"
                     : s->map.spec.fill == TMA_FILL_NAN ? "outside the tensor: filled with NaN"
                                                        : "outside the tensor: filled with zeros");
    }
    if (s->report.past_edge_B) {
        y = look_row(s, x, y, TMA_STYLE_EDGE, "n!",
                     "behind the end of the tensor's row, written all the same: a store writes "
                     "whole 16 B");
    }
    if (facts->group_payload_B != facts->group_shared_B) {
        y = look_row(s, x, y, TMA_STYLE_PADDING, "pad", "padding: a load leaves it alone");
    }
    return y;
}
