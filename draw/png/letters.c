/* SPDX-License-Identifier: Apache-2.0 */
#include "letters.h"

#include "tma/detail/assert.h"
#include "tma/draw.h"

#define FORTIETHS     40
#define TWENTIETHS    20
#define BASE_Y        5 /* of a point's letter, above its least */
#define CURVE_PIECES  4
#define PEN_1000      43 /* half of the pen's width, in thousandths of the font's size */
#define BOLD_PEN_1000 70
#define UNKNOWN       "etutugeget"

static const struct {
    uint32_t code;
    const char *strokes;
} letters[] = {
#define LETTER(code, strokes) {code, strokes},
#include "letters.def"
};

static const char *strokes_of(uint32_t code) {
    for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++) {
        if (letters[i].code == code) {
            return letters[i].strokes;
        }
    }
    return code == ' ' ? "" : UNKNOWN;
}

/* The next character of UTF-8; bytes that are none come out as themselves. */
static uint32_t next_code(const char **text) {
    const unsigned char *at = (const unsigned char *)*text;
    uint32_t code = *at++;
    if (code >= 0xC0) {
        for (code &= code >= 0xE0 ? 0x0F : 0x1F; (*at & 0xC0) == 0x80; at++) {
            code = code << 6 | (*at & 0x3F);
        }
    }
    *text = (const char *)at;
    return code;
}

int32_t letters_width(const char *text, uint32_t px) {
    int32_t count = 0;
    while (*text) {
        next_code(&text);
        count++;
    }
    return count * (int32_t)px * TMA_DRAW_ADVANCE_100 * RASTER_PX / 100;
}

typedef struct point {
    int32_t x, y;
} point;

/* A letter in the making: the pen, and where the letter's own lower left corner is. */
typedef struct hand {
    raster_pen pen;
    const lettering *how;
    point corner;
} hand;

static int is_passed_by(const char *at) {
    return *at >= 'A' && *at <= 'Z';
}

static point point_at(const hand *h, const char *at) {
    const int32_t size = (int32_t)h->how->px * RASTER_PX;
    const int32_t x = (at[0] - (is_passed_by(at) ? 'A' : 'a')) * size / FORTIETHS;
    const int32_t y = (at[1] - 'a' - BASE_Y) * size / TWENTIETHS;
    const point straight = {h->corner.x + x, h->corner.y - y};
    const point upright = {h->corner.x - y, h->corner.y - x};
    return h->how->is_upright ? upright : straight;
}

static point between(point a, point b) {
    const point middle = {(a.x + b.x) / 2, (a.y + b.y) / 2};
    return middle;
}

static void line(hand *h, point from, point to) {
    raster_pen_line(&h->pen, from.x, from.y, to.x, to.y);
}

/* A parabola from one point to another, which looks at `by` from both. */
static void curve(hand *h, point from, point by, point to) {
    point last = from;
    for (int32_t i = 1; i <= CURVE_PIECES; i++) {
        const int32_t left = CURVE_PIECES - i;
        const int32_t all = CURVE_PIECES * CURVE_PIECES;
        const point next = {(left * left * from.x + 2 * left * i * by.x + i * i * to.x) / all,
                            (left * left * from.y + 2 * left * i * by.y + i * i * to.y) / all};
        line(h, last, next);
        last = next;
    }
}

/* Returns where the stroke ends: at a blank or the 0. */
static const char *stroke(hand *h, const char *at) {
    point last = point_at(h, at);
    for (at += 2; *at > ' '; at += 2) {
        const point next = point_at(h, at);
        if (!is_passed_by(at)) {
            line(h, last, next);
            last = next;
            continue;
        }
        TMA_ASSERT(at[2] > ' ');
        const point after = point_at(h, at + 2);
        const int has_end = !is_passed_by(at + 2);
        const point end = has_end ? after : between(next, after);
        curve(h, last, next, end);
        last = end;
        at += has_end ? 2 : 0;
    }
    return at;
}

/* Letters of one size look alike: each begins at a whole dot. */
static point whole(point p) {
    const int32_t half = RASTER_DOT / 2;
    const point dot = {(p.x + half) / RASTER_DOT * RASTER_DOT,
                       (p.y + half) / RASTER_DOT * RASTER_DOT};
    return dot;
}

static void letter(const raster *r, hand *h, point from, uint32_t code) {
    const lettering *how = h->how;
    h->corner = whole(from);
    const int32_t size = (int32_t)how->px * RASTER_PX;
    const int32_t room = 2 * RASTER_DOT; /* for the pen */
    raster_pen_begin(&h->pen, r, h->corner.x - (how->is_upright ? size : 0) - room,
                     h->corner.y - size - room,
                     size * (how->is_bold ? BOLD_PEN_1000 : PEN_1000) / 1000);
    for (const char *at = strokes_of(code); *at; at += *at == ' ') {
        at = stroke(h, at);
    }
    raster_pen_end(&h->pen, how->color);
}

void letters_write(const raster *r, const lettering *how, int32_t x, int32_t y, const char *text) {
    TMA_ASSERT(how->px <= LETTERS_MOST_PX);
    const int32_t advance = (int32_t)how->px * TMA_DRAW_ADVANCE_100 * RASTER_PX / 100;
    const int32_t high = (int32_t)how->px * RASTER_PX * 2;
    hand h = {.how = how};
    point from = {x, y};
    while (*text) {
        const uint32_t code = next_code(&text);
        const int is_here = from.y + high >= r->top_dot * RASTER_DOT &&
                            from.y - high <= (r->top_dot + r->rows) * RASTER_DOT;
        if (is_here) {
            letter(r, &h, from, code);
        }
        from.x += how->is_upright ? 0 : advance;
        from.y -= how->is_upright ? advance : 0;
    }
}
