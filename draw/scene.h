/* SPDX-License-Identifier: Apache-2.0
 *
 * One picture in the making: what is drawn, where the marks go, and the panels that several
 * pictures share.
 */
#ifndef DRAW_SCENE_H
#define DRAW_SCENE_H

#include "canvas.h"

#define MARGIN 24
#define CELL_W 64 /* 4 for each byte */
#define CELL_H 24
#define BYTE_W (CELL_W / TMA_CELL_B)
#define LINE_B TMA_LINE_B
#define CELLS  (LINE_B / TMA_CELL_B)
#define GUTTER 56

typedef struct scene {
    const tma_drawing *drawing;
    canvas *out;
    tma_decoded map;
    tma_plan plan; /* pictures that need one */
    tma_position at;
    tma_instruction in;
    tma_report_result report;
    int is_counted;      /* report says something: the box has few rows enough to count them */
    uint32_t most_rows;  /* that a walk looks at: all, or those of a box that is counted */
    uint32_t from, rows; /* of shared memory: those that are drawn */
    uint32_t all_rows;
    uint32_t unit_cells; /* that a drawn unit of an interleaved box holds; 0 elsewhere */
    int has_halves;      /* the swizzle moves 8 bytes: cells are drawn in halves, a and b */
    uint32_t shown;      /* a bit for each dimension whose coordinate differs within the box */
} scene;

/* A point to go on from. */
typedef struct place {
    int32_t x, y;
} place;

/* The pictures: from `y` on down. */
#define PICTURE(id, name, needs, summary) void draw_##id(scene *s, int32_t y);
#include "tma/draw_pictures.def"

/* picture_mma.c: the question, finished; or why there is nothing to draw. */
const char *mma_question(tma_mma_question *q, const tma_drawing *drawing, const tma_spec *spec);

/* Draws onto a canvas; its answers are tma_draw()'s. */
tma_status draw_onto(canvas *out, const tma_drawing *drawing, tma_finding *why);

/* The page behind a picture of this size, and how large that is. */
void draw_page(canvas *out, tma_draw_size *size);

/* ---- cell_look.c ---- */

/* A cell at x, y, scaled to its bytes there. */
void look_draw(const scene *s, const tma_cell *cell, int32_t x, int32_t y, int32_t width,
               int32_t height);

/* A box with what it means. Returns the y below. */
int32_t look_row(scene *s, int32_t x, int32_t y, tma_draw_style style, const char *sample,
                 const char *words);

/* Boxes with words for every kind of cell that the copy may have. Returns the y below. */
int32_t look_legend(scene *s, int32_t x, int32_t y);

/* ---- panels.c ---- */

/* Shared memory, lines of 128 bytes, from x, y on. Returns the right lower corner. */
place panel_shared(scene *s, int32_t x, int32_t y);

/* The rows of the box in global memory. */
place panel_rows(scene *s, int32_t x, int32_t y);

/* "rows 32 to 127 are not drawn", if so. Returns the y below. */
int32_t panel_cut_note(scene *s, int32_t x, int32_t y);

/* The coordinates of a row, those that differ: "c1 = 8128". */
void panel_row_words(const scene *s, const int64_t coord[TMA_MAX_RANK], tma_out *t);

#endif
