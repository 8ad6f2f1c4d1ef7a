/* SPDX-License-Identifier: Apache-2.0
 *
 * libtma-draw: pictures of maps and copies, and the cells that they are made of.
 *
 * Forms of one thing, from plain to finished:
 *
 *   tma_cells()     every piece of 16 bytes that a copy moves, with its coordinates, both addresses
 *                   and its banks: numbers, for those who draw or test by themselves
 *   tma_draw()      a picture as marks: rectangles, words and lines with a style each, for screens,
 *                   paper (PDF by cairo) and terminals
 *   tma_draw_svg()  the picture as SVG, written into a buffer or through a callback; and
 *   tma_draw_png()  as PNG
 *
 * A library of its own on top of libtma-text (CMake libtma::draw, pkg-config libtma-draw). It knows
 * no fact of TMA: all is asked of libtma's plan, walk, cost, swizzle and tables.
 * Pure functions: no allocation, no globals, no input or output, any thread; the same drawing gives
 * the same bytes on every machine. Lengths of a picture are in units of 1/96 inch (CSS pixels).
 */
#ifndef TMA_DRAW_H
#define TMA_DRAW_H

#include "cost.h"
#include "map.h"
#include "mma_text.h"
#include "plan.h"
#include "text.h"
#include "walk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Cells ---- */

#define TMA_CELL_B 16 /* a cell is 16 bytes of shared memory, as in the PTX document's figures */

/* Bytes of one cell that lie together in both memories. A whole cell, or a part of one where the
 * tensor ends inside of it, where the swizzle moves less than 16 bytes, or beside padding. */
typedef struct tma_cell {
    uint8_t kind;             /* tma_run_kind */
    uint8_t rank;             /* of coord */
    uint8_t bank;             /* of shared memory, where the first byte lies */
    uint8_t banks;            /* how many from there on */
    uint32_t index;           /* 0, 1, 2 ... in the order of the calls */
    uint32_t number;          /* the cell's place in dense shared memory: what would lie at 16 *
                                 number without swizzle. PTX's tables number a line of 128 bytes
                                 0 to 7: number % 8 */
    uint32_t row;             /* of shared memory, 0 first */
    uint32_t offset_B;        /* in that row, before the swizzle */
    uint32_t global_offset_B; /* in the row of the box in global memory */
    uint32_t length_B;        /* in shared memory, 1 to 16 */
    uint32_t global_length_B; /* in global memory: another number for 6-bit stores, 0 for padding */
    int64_t coord[TMA_MAX_RANK]; /* of the first element, offsets and traversal included */
    uint64_t address;            /* global; meaningful if INSIDE or PAST_EDGE */
    uint32_t shared_address;     /* after the swizzle */
} tma_cell;

/* Returns 0 to go on; anything else ends the walk, which then returns it. */
typedef int (*tma_cell_visitor)(void *context, const tma_cell *cell);

/* Calls visit for each cell or part of one, in the order of tma_walk(). Returns 0, what the visitor
 * returned, or -1 if the copy traps or an argument is null. A prefetch has no shared memory: its
 * cells have the addresses of a load without swizzle. */
TMA_EXPORT int tma_cells(const tma_plan *plan, const tma_position *at, tma_cell_visitor visit,
                         void *context);

/* What a picture says of a cell when the mouse rests on it: coordinates, both addresses, banks.
 * snprintf's contract: at most size bytes with the 0, returns the whole length. */
TMA_EXPORT size_t tma_cell_text(char *text, size_t size, const tma_cell *cell,
                                const tma_plan *plan);

/* ---- Pictures ---- */

typedef enum tma_picture {
#define PICTURE(id, name, needs, summary) TMA_PICTURE_##id,
#include "draw_pictures.def"
    TMA_PICTURES
} tma_picture;

/* What a cell's words are. */
typedef enum tma_draw_label {
    TMA_LABEL_NUMBER = 0, /* tma_cell.number */
    TMA_LABEL_CHUNK = 1,  /* number modulo 8, as the PTX document prints it */
    TMA_LABEL_COORD = 2,  /* coordinates of the first element, those that differ */
    TMA_LABEL_BANK = 3,   /* the first bank */
    TMA_LABELS
} tma_draw_label;

/* What a cell's colour says, of eight. */
typedef enum tma_draw_color {
    TMA_COLOR_CHUNK = 0,  /* number modulo 8 */
    TMA_COLOR_ROW = 1,    /* row modulo 8 */
    TMA_COLOR_COLUMN = 2, /* the cell in its row, modulo 8 */
    TMA_COLOR_BANK = 3,   /* the four banks of its place in shared memory */
    TMA_COLORS
} tma_draw_color;

typedef enum tma_draw_theme {
    TMA_THEME_AUTO = 0, /* light, and dark where the reader prefers it (SVG only) */
    TMA_THEME_LIGHT = 1,
    TMA_THEME_DARK = 2,
    TMA_THEMES
} tma_draw_theme;

#define TMA_DRAW_LINES      32  /* lines of cells that a panel has at most if none is asked for */
#define TMA_DRAW_MOST_LINES 512 /* and whatever is asked for */

/* ---- Runs of kernels ---- */

/* What happens at a step of a run. */
typedef enum tma_timeline_kind {
    TMA_TIMELINE_INSTRUCTION = 0, /* a warp executes one, without memory */
    TMA_TIMELINE_READ = 1,
    TMA_TIMELINE_WRITE = 2,
    TMA_TIMELINE_ATOMIC = 3,
    TMA_TIMELINE_ISSUED = 4, /* a copy, or an MMA that reads shared memory */
    TMA_TIMELINE_SOURCES_READ = 5,
    TMA_TIMELINE_COMPLETE = 6,
    TMA_TIMELINE_PHASE = 7, /* of an mbarrier: it completes */
    TMA_TIMELINE_KINDS
} tma_timeline_kind;

typedef struct tma_timeline_event {
    uint8_t kind;     /* tma_timeline_kind */
    uint32_t warp;    /* of tma_timeline.warp */
    uint32_t line;    /* of the PTX */
    uint64_t step;    /* from 1; of copies and phases: the last one before */
    uint64_t copy;    /* its number, from 1 */
    uint64_t barrier; /* PHASE: shared address */
    uint64_t phase;   /* PHASE: from 0 */
} tma_timeline_event;

typedef struct tma_timeline_warp {
    uint64_t cta;      /* in the grid */
    uint32_t warp;     /* in the CTA */
    const char *waits; /* where the run ended it waits: "mbarrier 0x400 at line 87"; null: it does
                          not */
} tma_timeline_warp;

/* An access of a finding. */
typedef struct tma_timeline_mark {
    uint32_t warp;
    uint32_t line;
    uint64_t step;    /* 0: not known */
    const char *what; /* "read", "copy's write" */
} tma_timeline_mark;

#define TMA_TIMELINE_MARKS 2

/* A run, as a trace of tma emulate has it. Events in the order of their steps. */
typedef struct tma_timeline {
    const char *kernel;
    const char *end;     /* "completed"; "no thread can move" */
    const char *finding; /* "wait-missing: the two accesses are unordered"; null: there is none */
    const tma_timeline_warp *warp;
    const tma_timeline_event *event;
    uint32_t warps, marks;
    uint64_t events;
    tma_timeline_mark mark[TMA_TIMELINE_MARKS]; /* the later access, then the earlier one */
    const char *missing; /* what would order them, or what does not come; null: nothing to say */
} tma_timeline;

/* What to draw. Zero what is not wanted. */
typedef struct tma_drawing {
    uint32_t picture;                   /* tma_picture */
    const uint8_t *map;                 /* 128 bytes, aligned or not */
    const tma_instruction *instruction; /* null: a load in the map's own mode */
    const tma_position *at;             /* null: coordinates 0, shared address 0 */
    const tma_target *target;           /* null: sm_90, driver 13.0 */
    uint32_t reader;                    /* banks: tma_reader */
    uint32_t phase;                     /* banks: which of the reader's phases, 0 first */
    uint32_t label;                     /* tma_draw_label */
    uint32_t color;                     /* tma_draw_color */
    uint32_t theme;                     /* tma_draw_theme */
    uint32_t row;                       /* the first row of shared memory to draw; 0: all from the
                                           start */
    uint32_t lines;                     /* of cells in a panel; 0: TMA_DRAW_LINES */
    const char *source;                 /* SVG: words for <metadata>, e.g. the command that made it;
                                           null: the command with the map in hex */
    const tma_mma_question *mma;        /* mma: what is asked, finished or not; null: operand A,
                                           K-major, m64n128k16 */
    const tma_timeline *timeline;       /* timeline, which needs no map: the run */
    uint32_t untitled;                  /* 1: no marks' titles, half of an SVG's bytes and of the
                                           work: for who asks for them later (tma_draw()) */
} tma_drawing;

/* The words for a picture ("box"), "?" for an unknown number; and the number of a name: false, and
 * the number stays unchanged, if no name fits. */
TMA_EXPORT const char *tma_picture_name(uint32_t picture);
TMA_EXPORT const char *tma_picture_summary(uint32_t picture);
TMA_EXPORT TMA_MUST_USE bool tma_picture_find(uint32_t *picture, const char *name);
TMA_EXPORT const char *tma_label_name(uint32_t label);
TMA_EXPORT const char *tma_color_name(uint32_t color);

/* The options of one drawing, in the words of tma draw. */
typedef enum tma_draw_option {
#define TMA_DRAW_OPTION(id, ...) TMA_DRAW_##id,
#include "draw_options.def"
    TMA_DRAW_OPTIONS
} tma_draw_option;

/* "color-by"; null from TMA_DRAW_OPTIONS on. What its values are called ("row-4B"): null behind
 * the last, and where they are numbers. */
TMA_EXPORT const char *tma_draw_option_name(size_t option);
TMA_EXPORT const char *tma_draw_value_name(tma_draw_option option, size_t value);

/* One option and its value, a name or a number. */
TMA_EXPORT TMA_MUST_USE int tma_draw_words_set(tma_drawing *drawing, tma_draw_option option,
                                               const char *value, tma_error *error);

/* Writes the options of a drawing that differ from what tma draw takes by itself (the reader
 * ldmatrix, 0 for all others): " --label bank --phase 2". */
TMA_EXPORT void tma_put_draw_words(tma_out *out, const tma_drawing *drawing);

/* Whether the picture looks at instruction and position; else at the map alone, or (timeline,
 * after all others) at a run. */
TMA_EXPORT int tma_picture_needs_copy(uint32_t picture);

/* Why a drawing says nothing about its map or copy ("gather draws tile::gather4 ..."), or null if
 * it can be drawn. */
TMA_EXPORT const char *tma_draw_unfit(const tma_drawing *drawing);

/* ---- Marks ---- */

typedef enum tma_mark_shape {
    TMA_MARK_RECT, /* x, y, width, height; label in its middle */
    TMA_MARK_TEXT, /* label at x, y (the baseline); width: 0 begins there, 1 is centred, 2 ends */
    TMA_MARK_LINE, /* from x, y to x + width, y + height */
    TMA_MARK_ARROW /* the same with a point at its end */
} tma_mark_shape;

typedef enum tma_draw_style {
#define STYLE(id, ...) TMA_STYLE_##id,
#include "draw_styles.def"
    TMA_STYLES
} tma_draw_style;

/* Lines over a fill, so that kinds differ in grey too. */
typedef enum tma_hatch {
    TMA_HATCH_NONE,
    TMA_HATCH_RISING,  /* / */
    TMA_HATCH_FALLING, /* \ */
    TMA_HATCH_CROSSED, /* both */
} tma_hatch;

/* Colours are 0xRRGGBB; TMA_NO_COLOR draws nothing. */
#define TMA_NO_COLOR 0xFF000000u
typedef struct tma_style_row {
    const char *name; /* class in SVG */
    uint32_t fill;    /* of text: its colour */
    uint32_t line;
    uint32_t dark_fill;
    uint32_t dark_line;
    uint32_t ink; /* of the label in a rectangle */
    uint32_t dark_ink;
    uint8_t hatch;    /* tma_hatch */
    uint8_t width_10; /* of the line, in tenths */
    uint8_t text_px;  /* of text, and of labels that fit */
    uint8_t bold;
    uint8_t dashed;
} tma_style_row;

/* The row of a style; null if there is no such style. */
TMA_EXPORT const tma_style_row *tma_style_row_of(uint32_t style);

/* Of a monospace font of 1 px: the width that pictures reckon with, in hundredths. */
#define TMA_DRAW_ADVANCE_100 60

typedef struct tma_mark {
    uint8_t shape; /* tma_mark_shape */
    uint8_t style; /* tma_draw_style */
    int32_t x, y, width, height;
    int32_t cell;      /* marks of the same bytes have the same number, tma_cell.index; -1: none.
                          im2col and cost: the row of shared memory */
    const char *label; /* words to see, or null */
    const char *title; /* words for who asks (the mouse, a screen reader), or null */
} tma_mark;

/* How the label of a rectangle is written: the size of its letters in px, 0 if they do not fit; in
 * *upright 1 where it is turned to run upwards. */
TMA_EXPORT uint32_t tma_mark_letters(int *upright, const tma_mark *mark);

/* Returns 0 to go on; anything else ends the drawing. */
typedef int (*tma_mark_visitor)(void *context, const tma_mark *mark);

typedef struct tma_draw_size {
    int32_t width, height;
    uint32_t marks;
} tma_draw_size;

/* Calls visit for each mark, those further back first; TMA_OK, also where the visitor ended it.
 * TMA_INVALID for null pointers, unknown numbers and a drawing that is unfit (tma_draw_unfit());
 * what tma_plan_make() and tma_plan_at() answer where the copy does not run, with the finding in
 * *why (may be null). Nothing is called then. Strings of a mark live until visit returns. */
TMA_EXPORT TMA_MUST_USE tma_status tma_draw(const tma_drawing *drawing, tma_mark_visitor visit,
                                            void *context, tma_finding *why);

/* The size of the drawing that tma_draw() makes. */
TMA_EXPORT TMA_MUST_USE tma_status tma_draw_measure(tma_draw_size *out, const tma_drawing *drawing,
                                                    tma_finding *why);

/* ---- SVG ---- */

/* Writes the picture as one SVG document, into a buffer or through a function (text.h). UTF-8,
 * without an XML declaration, so that it may stand in HTML too: rect, text, path, g, title, one
 * style block whose rules begin with .tma, <metadata> with what makes it again (tma_drawing.source,
 * and always the 128 bytes in hex). What shows the same cell has the same data-cell, tma_cell.index
 * (in im2col and cost the row of shared memory), on both sides. Each mark of tma_draw() is a line
 * of its own behind the style block's last. Answers as tma_draw() does. At most TMA_DRAW_MOST_SVG_B
 * bytes, whatever the map says. */
#define TMA_DRAW_MOST_SVG_B (8 << 20)
TMA_EXPORT TMA_MUST_USE tma_status tma_draw_svg(tma_out *out, const tma_drawing *drawing,
                                                tma_finding *why);

/* ---- PNG ---- */

/* Writes the picture as a PNG file: TMA_DRAW_PNG_SCALE pixels a px, 24 bits each, in the drawing's
 * theme (auto is light), with letters of its own; the same bytes on every machine. `work` is memory
 * of the caller, of which nothing is kept: at least TMA_DRAW_PNG_LEAST_B() of the width that
 * tma_draw_measure() says, or TMA_INVALID is answered. The picture is drawn once for each part that
 * fits in: 1 MiB has most at once. Answers else as tma_draw() does. */
#define TMA_DRAW_PNG_SCALE 2
#define TMA_DRAW_PNG_LEAST_B(width_px)                                                             \
    ((size_t)(width_px)*2 * 3 * TMA_DRAW_PNG_SCALE) /* two rows */
TMA_EXPORT TMA_MUST_USE tma_status tma_draw_png(tma_out *out, const tma_drawing *drawing,
                                                void *work, size_t work_B, tma_finding *why);

#ifdef __cplusplus
}
#endif
#endif
