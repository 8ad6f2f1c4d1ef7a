/* SPDX-License-Identifier: Apache-2.0
 *
 * cost: the lines and sectors of global memory that a copy touches, in the order it touches them.
 */
#include <string.h>

#include "scene.h"

#define LABELS_W 120
#define SECTORS  (LINE_B / TMA_SECTOR_B)

/* Cells: rows of a map whose strides are 0 lie over one another, as many in one line as the box
 * has.
 */
#define MOST_CELLS (4u * CELLS * TMA_DRAW_MOST_LINES)

typedef struct lines_view {
    scene *s;
    int32_t x, y;
    uint32_t lines; /* drawn so far */
    uint32_t most;
    uint64_t last;                   /* the line that was drawn last, in bytes */
    int64_t first[TMA_MAX_RANK];     /* the first row of that line */
    int64_t row_coord[TMA_MAX_RANK]; /* and the one that was drawn last in it */
    uint32_t last_row;
    uint32_t rows;  /* in that line */
    uint32_t cells; /* drawn so far */
    uint32_t kinds; /* of bytes that were drawn: bits of tma_run_kind */
    int is_cut;
} lines_view;

/* The rows that lie in the line: one, two, or the first and the last. */
static void end_line(lines_view *v) {
    const int32_t y = v->y + (int32_t)(v->lines - 1) * CELL_H;
    WORDS(t);
    if (!v->rows) {
        return;
    }
    panel_row_words(v->s, v->first, &t);
    if (v->rows > 1) {
        tma_put(&t, v->rows > 2 ? " to " : ", ");
        panel_row_words(v->s, v->row_coord, &t);
    }
    canvas_text(v->s->out, TMA_STYLE_SMALL, TEXT_BEGINS, v->x + LINE_B * BYTE_W + 8, y + 16, t.at);
    v->rows = 0;
}

static void note_row(lines_view *v, const tma_run *run) {
    if (v->rows && v->last_row == run->row) {
        return;
    }
    if (!v->rows) {
        memcpy(v->first, run->coord, sizeof(v->first));
    }
    memcpy(v->row_coord, run->coord, sizeof(v->row_coord));
    v->last_row = run->row;
    v->rows++;
}

static void begin_line(lines_view *v, uint64_t line) {
    const int32_t y = v->y + (int32_t)v->lines * CELL_H;
    end_line(v);
    canvas_print(v->s->out, TMA_STYLE_SMALL, TEXT_ENDS, v->x - 8, y + 16, "0x%012" TMA_X64, line);
    for (uint32_t i = 0; i < SECTORS; i++) {
        canvas_rect(v->s->out, TMA_STYLE_FREE, v->x + (int32_t)(i * TMA_SECTOR_B * BYTE_W), y,
                    TMA_SECTOR_B * BYTE_W, CELL_H);
    }
    v->lines++;
    v->last = line;
}

/* The bytes of a run within one line. */
static void draw_bytes(lines_view *v, const tma_run *run, uint64_t from, uint64_t end) {
    const int32_t y = v->y + (int32_t)(v->lines - 1) * CELL_H;
    note_row(v, run);
    v->kinds |= 1u << run->kind;
    for (uint64_t at = from; at < end; v->cells++) {
        const uint64_t sector_end = at / TMA_SECTOR_B * TMA_SECTOR_B + TMA_SECTOR_B;
        const uint64_t to = sector_end < end ? sector_end : end;
        const int past = run->kind == TMA_RUN_PAST_EDGE;
        WORDS(label);
        WORDS(title);
        tma_putf(&label, "%" TMA_U64 " B", to - at);
        tma_putf(&title, "%" TMA_U64 " B of sector 0x%" TMA_X64 ", row %u", to - at,
                 at / TMA_SECTOR_B * TMA_SECTOR_B, run->row);
        canvas_cell(v->s->out,
                    past ? TMA_STYLE_EDGE : (tma_draw_style)(TMA_STYLE_CHUNK_0 + run->row % 8),
                    v->x + (int32_t)(at % LINE_B) * BYTE_W, y, (int32_t)(to - at) * BYTE_W, CELL_H,
                    label.at, title.at, (int32_t)run->row);
        at = to;
    }
}

static int line_run(void *context, const tma_run *run) {
    lines_view *v = (lines_view *)context;
    if (run->row >= v->s->most_rows || v->cells >= MOST_CELLS) {
        v->is_cut = 1;
        return 1;
    }
    if (run->kind != TMA_RUN_INSIDE && run->kind != TMA_RUN_PAST_EDGE) {
        return v->s->out->stopped;
    }
    const uint64_t end = run->address + run->global_length_B;
    for (uint64_t at = run->address; at < end;) {
        const uint64_t line = at / LINE_B * LINE_B;
        const uint64_t to = end - line < LINE_B ? end : line + LINE_B;
        if (!v->lines || line != v->last) {
            v->is_cut = v->lines == v->most;
            if (v->is_cut) {
                return 1;
            }
            begin_line(v, line);
        }
        draw_bytes(v, run, at, to);
        at = to;
    }
    return v->s->out->stopped;
}

static int32_t draw_totals(scene *s, int32_t y) {
    tma_global_cost cost;
    if (!s->is_counted || tma_cost_global(&cost, &s->plan, &s->at) != TMA_OK) {
        return y;
    }
    const uint64_t moved_B = cost.sectors * TMA_SECTOR_B;
    canvas_print(s->out, TMA_STYLE_HEAD, TEXT_BEGINS, MARGIN, y + 14,
                 "%" TMA_U64 " B in %" TMA_U64 " sectors of %u B and %" TMA_U64 " lines of %u B",
                 cost.bytes_B, cost.sectors, TMA_SECTOR_B, cost.lines, TMA_LINE_B);
    if (moved_B) {
        canvas_print(s->out, TMA_STYLE_TEXT, TEXT_BEGINS, MARGIN, y + 34,
                     "%" TMA_U64 " %% of the sectors' bytes are used",
                     cost.bytes_B * 100 / moved_B);
    }
    return y + 52;
}

static int32_t draw_key(const lines_view *v, int32_t y) {
    scene *s = v->s;
    y = look_row(s, MARGIN, y + 4, TMA_STYLE_CHUNK_0, "n B",
                 "bytes of the copy; the colour changes with the row of the box");
    if (v->kinds & 1u << TMA_RUN_PAST_EDGE) {
        y = look_row(s, MARGIN, y, TMA_STYLE_EDGE, "n B",
                     "written behind the end of the tensor's row: a store writes whole 16 B");
    }
    return look_row(s, MARGIN, y, TMA_STYLE_FREE, NULL,
                    "bytes of the line that the copy does not use; a sector that it touches "
                    "is moved whole");
}

void draw_COST(scene *s, int32_t y) {
    const uint32_t asked = s->drawing->lines ? s->drawing->lines : TMA_DRAW_LINES;
    lines_view v = {.s = s, .x = MARGIN + LABELS_W};
    v.most = asked < TMA_DRAW_MOST_LINES ? asked : TMA_DRAW_MOST_LINES;
    y = draw_totals(s, y);
    for (uint32_t i = 0; i < SECTORS; i++) {
        canvas_print(s->out, TMA_STYLE_SMALL, TEXT_CENTRED,
                     v.x + (int32_t)(i * TMA_SECTOR_B + TMA_SECTOR_B / 2) * BYTE_W, y + 10,
                     "sector %u", i);
    }
    v.y = y + 18;
    tma_walk_rows(&s->plan, &s->at, line_run, &v);
    end_line(&v);
    y = v.y + (int32_t)v.lines * CELL_H + 8;
    if (v.kinds) {
        y = draw_key(&v, y);
    }
    if (v.is_cut) {
        canvas_print(s->out, TMA_STYLE_WARN, TEXT_BEGINS, MARGIN, y + 20,
                     "the first %u lines are drawn, in the order of the copy's rows", v.lines);
    } else if (!v.lines) {
        canvas_text(s->out, TMA_STYLE_TEXT, TEXT_BEGINS, MARGIN, y + 14,
                    "no byte of the box lies in the tensor");
    }
}
