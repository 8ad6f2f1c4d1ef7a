/* SPDX-License-Identifier: Apache-2.0
 *
 * The two sides of a copy: shared memory by its lines, global memory by the rows of the box.
 */
#include "scene.h"

#define HEAD_H   48
#define LABELS_W 88  /* shared addresses */
#define ROWS_W   200 /* coordinates and global addresses of rows */

typedef struct panel {
    scene *s;
    int32_t x, y;        /* of the first cell */
    uint64_t first_line; /* shared address */
    uint32_t named;      /* the row whose coordinates are written, plus one */
    uint32_t addressed;  /* and the one whose address is */
    uint32_t per_row;    /* lines of cells of a row */
} panel;

static int in_view(const scene *s, const tma_cell *cell) {
    return cell->row < s->from ? 0 : cell->row < s->from + s->rows ? 1 : -1;
}

static void shared_head(scene *s, int32_t x, int32_t y) {
    canvas_text(s->out, TMA_STYLE_HEAD, TEXT_BEGINS, x, y + 12, "shared memory");
    canvas_text(s->out, TMA_STYLE_SMALL, TEXT_ENDS, x + LABELS_W - 8, y + 30, "byte");
    canvas_text(s->out, TMA_STYLE_SMALL, TEXT_ENDS, x + LABELS_W - 8, y + 43, "banks");
    for (uint32_t i = 0; i < CELLS; i++) {
        const int32_t middle = x + LABELS_W + (int32_t)i * CELL_W + CELL_W / 2;
        const uint32_t bank = i * (TMA_CELL_B / TMA_BANK_B);
        canvas_print(s->out, TMA_STYLE_SMALL, TEXT_CENTRED, middle, y + 30, "+%u", i * TMA_CELL_B);
        canvas_print(s->out, TMA_STYLE_SMALL, TEXT_CENTRED, middle, y + 43, "%u-%u", bank,
                     bank + TMA_CELL_B / TMA_BANK_B - 1);
    }
}

static int shared_cell(void *context, const tma_cell *cell) {
    panel *p = (panel *)context;
    const int view = in_view(p->s, cell);
    if (view > 0) {
        const uint64_t at = cell->shared_address - p->first_line;
        look_draw(p->s, cell, p->x + (int32_t)(at % LINE_B) * BYTE_W,
                  p->y + (int32_t)(at / LINE_B) * CELL_H, (int32_t)cell->length_B * BYTE_W, CELL_H);
    }
    return view < 0 || p->s->out->stopped;
}

place panel_shared(scene *s, int32_t x, int32_t y) {
    const uint64_t begin =
        s->at.shared_address + (uint64_t)s->from * tma_plan_info(&s->plan)->pitch_B;
    const uint64_t end = begin + (uint64_t)s->rows * tma_plan_info(&s->plan)->pitch_B;
    panel p = {s, x + LABELS_W, y + HEAD_H, begin / LINE_B * LINE_B, 0, 0, 0};
    shared_head(s, x, y);
    uint32_t lines = 0;
    for (uint64_t line = p.first_line; line < end; line += LINE_B, lines++) {
        const int32_t top = p.y + (int32_t)lines * CELL_H;
        canvas_print(s->out, TMA_STYLE_SMALL, TEXT_ENDS, p.x - 8, top + 16, "0x%05" TMA_X64, line);
        for (uint32_t i = 0; i < CELLS; i++) {
            canvas_rect(s->out, TMA_STYLE_GAP, p.x + (int32_t)i * CELL_W, top, CELL_W, CELL_H);
        }
    }
    tma_cells(&s->plan, &s->at, shared_cell, &p);
    return (place){p.x + LINE_B * BYTE_W, p.y + (int32_t)lines * CELL_H};
}

void panel_row_words(const scene *s, const int64_t coord[TMA_MAX_RANK], tma_out *t) {
    const char *before = "c";
    for (uint32_t i = tma_plan_info(&s->plan)->first; i < tma_plan_info(&s->plan)->rank; i++) {
        if (s->shown & 1u << i) {
            tma_putf(t, "%s%u=%" TMA_D64, before, i, coord[i]);
            before = " c";
        }
    }
}

static void row_label(panel *p, const tma_cell *cell, int32_t top) {
    canvas *out = p->s->out;
    if (p->named != cell->row + 1) {
        WORDS(t);
        p->named = cell->row + 1;
        panel_row_words(p->s, cell->coord, &t);
        canvas_text(out, TMA_STYLE_SMALL, TEXT_BEGINS, p->x - ROWS_W, top + 16, t.at);
    }
    if (p->addressed != cell->row + 1 && cell->kind == TMA_RUN_INSIDE) {
        p->addressed = cell->row + 1;
        canvas_print(out, TMA_STYLE_SMALL, TEXT_ENDS, p->x - 8, top + 16, "0x%012" TMA_X64,
                     cell->address - cell->global_offset_B);
    }
}

static int row_cell(void *context, const tma_cell *cell) {
    panel *p = (panel *)context;
    const int view = in_view(p->s, cell);
    if (view > 0) {
        const uint32_t line =
            (cell->row - p->s->from) * p->per_row + cell->global_offset_B / LINE_B;
        const int32_t top = p->y + (int32_t)line * CELL_H;
        row_label(p, cell, top);
        if (cell->global_length_B) {
            look_draw(p->s, cell, p->x + (int32_t)(cell->global_offset_B % LINE_B) * BYTE_W, top,
                      (int32_t)cell->global_length_B * BYTE_W, CELL_H);
        }
    }
    return view < 0 || p->s->out->stopped;
}

static uint32_t row_global_B(const scene *s) {
    const tma_plan_facts *const facts = tma_plan_info(&s->plan);
    return facts->group_el > 1 ? facts->row_shared_B / facts->group_shared_B * facts->group_global_B
                               : facts->row_B;
}

/* How wide panel_rows() is. */
static int32_t rows_width(const scene *s) {
    const uint32_t wide_B = row_global_B(s) < LINE_B ? row_global_B(s) : LINE_B;
    return ROWS_W + (int32_t)wide_B * BYTE_W;
}

/* Above the rows, and coordinate 0 of each column where a row is one line of elements. */
static void rows_head(const panel *p) {
    const tma_plan *plan = &p->s->plan;
    const tma_plan_facts *const facts = tma_plan_info(plan);
    const uint32_t group_B = facts->group_el > 1 ? facts->group_global_B : facts->bits / 8;
    const uint32_t step_B = group_B > TMA_CELL_B / 2 ? group_B : TMA_CELL_B;
    const int has_columns = !facts->unit_B && p->per_row == 1 && group_B;
    canvas_text(p->s->out, TMA_STYLE_SMALL, TEXT_ENDS, p->x - 8, p->y - 5,
                has_columns ? "address   c0" : "address");
    if (!has_columns) {
        return;
    }
    for (uint32_t at_B = 0; at_B < row_global_B(p->s); at_B += step_B) {
        canvas_print(p->s->out, TMA_STYLE_SMALL, TEXT_CENTRED,
                     p->x + (int32_t)at_B * BYTE_W + (int32_t)step_B * BYTE_W / 2, p->y - 5,
                     "%" TMA_D64, p->s->at.coord[0] + (int64_t)(at_B / group_B) * facts->group_el);
    }
}

place panel_rows(scene *s, int32_t x, int32_t y) {
    const uint32_t per_row = (row_global_B(s) + LINE_B - 1) / LINE_B;
    panel p = {s, x + ROWS_W, y + HEAD_H, 0, 0, 0, per_row};
    canvas_text(s->out, TMA_STYLE_HEAD, TEXT_BEGINS, x, y + 12,
                "global memory: the box, row by row");
    canvas_text(s->out, TMA_STYLE_SMALL, TEXT_BEGINS, x, y + 43, "row");
    rows_head(&p);
    tma_cells(&s->plan, &s->at, row_cell, &p);
    return (place){x + rows_width(s), p.y + (int32_t)(s->rows * per_row) * CELL_H};
}

int32_t panel_cut_note(scene *s, int32_t x, int32_t y) {
    if (!s->from && s->rows >= s->all_rows) {
        return y;
    }
    canvas_print(s->out, TMA_STYLE_WARN, TEXT_BEGINS, x, y + 14,
                 "rows %u to %u of 0 to %u are drawn", s->from, s->from + s->rows - 1,
                 s->all_rows - 1);
    return y + 22;
}
