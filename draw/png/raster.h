/* SPDX-License-Identifier: Apache-2.0
 *
 * Pixels: some rows of a picture, painted on. Places are in steps of 1/128 px; edges are smooth, as
 * each pixel is 16 points that are painted or not: whole numbers alone, the same on every machine.
 */
#ifndef DRAW_RASTER_H
#define DRAW_RASTER_H

#include <stdint.h>

#define RASTER_PIXEL_B 3   /* red, green, blue */
#define RASTER_PX      128 /* steps of a px */
#define RASTER_DOT     64  /* steps of a pixel: two pixels are a px */

typedef struct raster {
    uint8_t *pixel;
    int32_t width_dots; /* of a row */
    int32_t top_dot;    /* the first row's place in the picture */
    int32_t rows;
} raster;

typedef struct raster_box {
    int32_t left, top, right, bottom;
} raster_box;

void raster_fill(const raster *r, const raster_box *box, uint32_t color);

/* Lines at 45 degrees, 1 px wide, where x + y (rising) or x - y is a multiple of `apart`; `alpha`
 * of 255. */
void raster_hatch(const raster *r, const raster_box *box, uint32_t color, int is_rising,
                  int is_falling, int32_t apart, uint32_t alpha);

/* A round pen, which paints what it went over once, at its end. All of it lies within
 * RASTER_PEN_DOTS dots to the right of and below `left`, `top`. */
#define RASTER_PEN_DOTS 64

typedef struct raster_pen {
    const raster *paper;
    int32_t left_dot, top_dot;
    int32_t radius;
    uint16_t points[RASTER_PEN_DOTS][RASTER_PEN_DOTS];
} raster_pen;

void raster_pen_begin(raster_pen *pen, const raster *paper, int32_t left, int32_t top,
                      int32_t radius);
void raster_pen_line(raster_pen *pen, int32_t x, int32_t y, int32_t to_x, int32_t to_y);
void raster_pen_end(const raster_pen *pen, uint32_t color);

#endif
