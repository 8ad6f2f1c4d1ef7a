/* SPDX-License-Identifier: Apache-2.0 */
#include "raster.h"

#include <string.h>

#include "tma/detail/assert.h"

#define POINTS 4 /* of a dot along each axis */
#define POINT  (RASTER_DOT / POINTS)
#define ALL    (POINTS * POINTS)
#define OPAQUE 255
#define HATCH_R2                                                                                   \
    (2 * (RASTER_PX / 2) * (RASTER_PX / 2)) /* half a px across is this along x, squared */

static int32_t least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static int32_t most(int32_t a, int32_t b) {
    return a > b ? a : b;
}

static int32_t floor_by(int32_t n, int32_t by) {
    return (n - (n % by + by) % by) / by;
}

/* The dots that a box touches, of those that there are. */
static raster_box dots_of(const raster *r, const raster_box *box) {
    const raster_box dots = {
        most(floor_by(box->left, RASTER_DOT), 0), most(floor_by(box->top, RASTER_DOT), r->top_dot),
        least(floor_by(box->right - 1, RASTER_DOT) + 1, r->width_dots),
        least(floor_by(box->bottom - 1, RASTER_DOT) + 1, r->top_dot + r->rows)};
    return dots;
}

static uint8_t *dot_at(const raster *r, int32_t x, int32_t y) {
    TMA_ASSERT(x >= 0 && x < r->width_dots && y >= r->top_dot && y < r->top_dot + r->rows);
    return r->pixel +
           RASTER_PIXEL_B * ((size_t)(y - r->top_dot) * (size_t)r->width_dots + (size_t)x);
}

/* `painted` of a dot's ALL points in a colour, which covers `alpha` of OPAQUE. */
static void blend(uint8_t *dot, uint32_t color, uint32_t painted, uint32_t alpha) {
    const uint32_t all = ALL * OPAQUE;
    const uint32_t over = painted * alpha;
    if (over == all) {
        dot[0] = (uint8_t)(color >> 16);
        dot[1] = (uint8_t)(color >> 8);
        dot[2] = (uint8_t)color;
        return;
    }
    for (int i = 0; i < RASTER_PIXEL_B; i++) {
        const uint32_t c = color >> (16 - 8 * i) & 255;
        dot[i] = (uint8_t)((dot[i] * (all - over) + c * over + all / 2) / all);
    }
}

/* How many of the points of dot `dot`, along one axis, lie in from..to. */
static uint32_t points_in(int32_t dot, int32_t from, int32_t to) {
    uint32_t count = 0;
    if (dot * RASTER_DOT >= from && (dot + 1) * RASTER_DOT <= to) {
        return POINTS;
    }
    for (int32_t i = 0; i < POINTS; i++) {
        const int32_t at = dot * RASTER_DOT + i * POINT + POINT / 2;
        count += at >= from && at < to;
    }
    return count;
}

void raster_fill(const raster *r, const raster_box *box, uint32_t color) {
    const raster_box dots = dots_of(r, box);
    for (int32_t y = dots.top; y < dots.bottom; y++) {
        const uint32_t high = points_in(y, box->top, box->bottom);
        for (int32_t x = dots.left; x < dots.right; x++) {
            blend(dot_at(r, x, y), color, high * points_in(x, box->left, box->right), OPAQUE);
        }
    }
}

static int is_on_line(int32_t n, int32_t apart) {
    const int32_t above = (n % apart + apart) % apart;
    const int32_t off = least(above, apart - above);
    return off * off <= HATCH_R2;
}

void raster_hatch(const raster *r, const raster_box *box, uint32_t color, int is_rising,
                  int is_falling, int32_t apart, uint32_t alpha) {
    const raster_box dots = dots_of(r, box);
    for (int32_t y = dots.top; y < dots.bottom; y++) {
        for (int32_t x = dots.left; x < dots.right; x++) {
            uint32_t painted = 0;
            for (int32_t i = 0; i < ALL; i++) {
                const int32_t at_x = x * RASTER_DOT + i % POINTS * POINT + POINT / 2;
                const int32_t at_y = y * RASTER_DOT + i / POINTS * POINT + POINT / 2;
                painted += (is_rising && is_on_line(at_x + at_y, apart)) ||
                           (is_falling && is_on_line(at_x - at_y, apart));
            }
            blend(dot_at(r, x, y), color, painted, alpha);
        }
    }
}

/* ---- The pen ---- */

void raster_pen_begin(raster_pen *pen, const raster *paper, int32_t left, int32_t top,
                      int32_t radius) {
    memset(pen, 0, sizeof(*pen));
    pen->paper = paper;
    pen->left_dot = floor_by(left, RASTER_DOT);
    pen->top_dot = floor_by(top, RASTER_DOT);
    pen->radius = radius;
}

typedef struct line {
    int64_t x, y, along_x, along_y, length2, radius2;
} line;

/* Whether the line comes within its radius of a point. */
static int is_near(const line *l, int32_t x, int32_t y) {
    const int64_t from_x = x - l->x;
    const int64_t from_y = y - l->y;
    const int64_t along = from_x * l->along_x + from_y * l->along_y;
    const int64_t across = from_x * l->along_y - from_y * l->along_x;
    const int64_t end_x = along <= 0 ? from_x : from_x - l->along_x;
    const int64_t end_y = along <= 0 ? from_y : from_y - l->along_y;
    return along > 0 && along < l->length2 ? across * across <= l->radius2 * l->length2
                                           : end_x * end_x + end_y * end_y <= l->radius2;
}

static uint16_t points_near(const line *l, int32_t dot_x, int32_t dot_y) {
    uint32_t found = 0;
    for (int32_t i = 0; i < ALL; i++) {
        found |= (uint32_t)is_near(l, dot_x * RASTER_DOT + i % POINTS * POINT + POINT / 2,
                                   dot_y * RASTER_DOT + i / POINTS * POINT + POINT / 2)
                 << i;
    }
    return (uint16_t)found;
}

/* The pen's rows that are on the paper. */
static raster_box rows_of(const raster_pen *pen) {
    const raster *r = pen->paper;
    const raster_box rows = {.top = most(r->top_dot - pen->top_dot, 0),
                             .bottom = least(r->top_dot + r->rows - pen->top_dot, RASTER_PEN_DOTS)};
    return rows;
}

void raster_pen_line(raster_pen *pen, int32_t x, int32_t y, int32_t to_x, int32_t to_y) {
    const int64_t along_x = to_x - x;
    const int64_t along_y = to_y - y;
    const line l = {x,
                    y,
                    along_x,
                    along_y,
                    along_x * along_x + along_y * along_y,
                    (int64_t)pen->radius * pen->radius};
    const int32_t left = floor_by(least(x, to_x) - pen->radius, RASTER_DOT) - pen->left_dot;
    const int32_t right = floor_by(most(x, to_x) + pen->radius, RASTER_DOT) - pen->left_dot;
    const int32_t top = floor_by(least(y, to_y) - pen->radius, RASTER_DOT) - pen->top_dot;
    const int32_t bottom = floor_by(most(y, to_y) + pen->radius, RASTER_DOT) - pen->top_dot;
    TMA_ASSERT(left >= 0 && right < RASTER_PEN_DOTS && top >= 0 && bottom < RASTER_PEN_DOTS);
    const raster_box rows = rows_of(pen);
    for (int32_t row = most(top, rows.top); row <= bottom && row < rows.bottom; row++) {
        for (int32_t dot = left; dot <= right; dot++) {
            pen->points[row][dot] |= points_near(&l, pen->left_dot + dot, pen->top_dot + row);
        }
    }
}

void raster_pen_end(const raster_pen *pen, uint32_t color) {
    const raster *r = pen->paper;
    const raster_box rows = rows_of(pen);
    for (int32_t row = rows.top; row < rows.bottom; row++) {
        for (int32_t i = 0; i < RASTER_PEN_DOTS; i++) {
            const int32_t x = pen->left_dot + i;
            uint32_t painted = 0;
            for (uint32_t left = pen->points[row][i]; left; left &= left - 1) {
                painted++;
            }
            if (painted && x >= 0 && x < r->width_dots) {
                blend(dot_at(r, x, pen->top_dot + row), color, painted, OPAQUE);
            }
        }
    }
}
