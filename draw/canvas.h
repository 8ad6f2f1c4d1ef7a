/* SPDX-License-Identifier: Apache-2.0
 *
 * Where pictures put their marks: the caller's visitor behind a few short calls.
 */
#ifndef DRAW_CANVAS_H
#define DRAW_CANVAS_H

#include "tma/draw.h"
#include "tma/text.h"

/* Words in the making: a tma_out named t over a buffer of its own. */
#define WORDS_B 512
#define WORDS(t)                                                                                   \
    char t##_words[WORDS_B]; /* NOLINT */                                                          \
    tma_out t = tma_out_into(t##_words, WORDS_B)

typedef struct canvas {
    tma_mark_visitor visit;
    void *context;
    int stopped;
    int is_silent;   /* sizes and styles are asked for, not the words of cells: the most of the work
                      */
    int is_untitled; /* nor their titles */
    tma_draw_size size; /* of all marks so far, without the margin */
} canvas;

typedef enum text_anchor { TEXT_BEGINS = 0, TEXT_CENTRED = 1, TEXT_ENDS = 2 } text_anchor;

/* A rectangle with words in its middle (null: none) and words for who asks. */
void canvas_cell(canvas *c, tma_draw_style style, int32_t x, int32_t y, int32_t width,
                 int32_t height, const char *label, const char *title, int32_t cell);

void canvas_rect(canvas *c, tma_draw_style style, int32_t x, int32_t y, int32_t width,
                 int32_t height);

void canvas_text(canvas *c, tma_draw_style style, text_anchor anchor, int32_t x, int32_t y,
                 const char *label);

/* The same with tma_putf()'s words. */
#define canvas_print(c, style, anchor, x, y, ...)                                                  \
    do {                                                                                           \
        WORDS(print);                                                                              \
        tma_putf(&print, __VA_ARGS__);                                                             \
        canvas_text(c, style, anchor, x, y, print.at);                                             \
    } while (0)

void canvas_line(canvas *c, tma_draw_style style, int32_t x, int32_t y, int32_t to_x, int32_t to_y);

void canvas_arrow(canvas *c, tma_draw_style style, int32_t x, int32_t y, int32_t to_x,
                  int32_t to_y);

/* Width of `label` in a text style. */
int32_t canvas_width(tma_draw_style style, const char *label);

#endif
