/* SPDX-License-Identifier: Apache-2.0
 *
 * A picture as letters, for draw_term.c and term_stack.c.
 */
#ifndef CLI_TERM_SCREEN_H
#define CLI_TERM_SCREEN_H

#include <stdint.h>

#include "tma/draw.h"

typedef struct term_glyph {
    char text[5]; /* one letter in UTF-8; none: a blank */
    uint8_t is_word;
    uint8_t is_head; /* a panel's heading begins here */
    uint32_t ink, ground;
} term_glyph;

typedef struct term_screen {
    int32_t width, height; /* in letters */
    term_glyph *glyphs;    /* line by line */
    int dark;
    int32_t place_dpx; /* a letter's width in tenths of the picture's px */
    uint32_t page;     /* the ground where nothing is */
    uint32_t lost;     /* letters that found no room, or stand on or beside another word's */
} term_screen;

/* The picture, a letter for so many tenths of a px. 0, or -1 if it cannot be drawn; either way to
 * be freed. */
int term_screen_draw(term_screen *s, const tma_drawing *drawing, int32_t place_dpx);
void term_screen_free(term_screen *s);

#endif
