/* SPDX-License-Identifier: Apache-2.0
 *
 * Letters as lines of a pen, each TMA_DRAW_ADVANCE_100 hundredths of its size wide.
 */
#ifndef DRAW_LETTERS_H
#define DRAW_LETTERS_H

#include <stdint.h>

#include "raster.h"

typedef struct lettering {
    uint32_t px; /* at most LETTERS_MOST_PX */
    uint32_t color;
    int is_bold;
    int is_upright; /* runs upwards */
} lettering;

#define LETTERS_MOST_PX 20

/* How long `text`, UTF-8, is in steps of the raster. */
int32_t letters_width(const char *text, uint32_t px);

/* From x, y on, which lie on the base line. What has no strokes here is an empty frame. */
void letters_write(const raster *r, const lettering *how, int32_t x, int32_t y, const char *text);

#endif
