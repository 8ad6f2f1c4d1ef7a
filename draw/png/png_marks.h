/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks as pixels.
 */
#ifndef DRAW_PNG_MARKS_H
#define DRAW_PNG_MARKS_H

#include "raster.h"
#include "tma/draw.h"

/* Places and lengths of marks in px, either way; larger ones are cut off there. */
#define PNG_MOST_PX (1 << 20)

void png_mark(const raster *r, const tma_mark *mark, int is_dark);

#endif
