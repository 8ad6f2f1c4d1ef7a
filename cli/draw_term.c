/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures in the terminal: a letter's place for each 8 x 12 px. Rectangles colour their places,
 * words stand on top; without colours hatches and frames are letters.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw_output.h"

#define PLACE_W 8
#define PLACE_H 12

typedef struct glyph {
    char text[5]; /* one letter in UTF-8 */
    uint32_t ink, ground;
} glyph;

typedef struct screen {
    int32_t width, height; /* in places */
    glyph *glyphs;
    int dark;
} screen;

static glyph *glyph_at(screen *s, int32_t x, int32_t y) {
    return x >= 0 && y >= 0 && x < s->width && y < s->height ? &s->glyphs[y * s->width + x] : NULL;
}

static void put_letters(screen *s, int32_t x, int32_t y, const char *text, uint32_t ink) {
    for (; *text; x++) {
        size_t length = 1;
        while (((unsigned char)text[length] & 0xC0) == 0x80) {
            length++;
        }
        glyph *g = glyph_at(s, x, y);
        if (g && length < sizeof(g->text)) {
            memcpy(g->text, text, length);
            g->text[length] = 0;
            g->ink = ink;
        }
        text += length;
    }
}

/* Words that a narrow rectangle has no room for, a letter on each line. */
static void put_downwards(screen *s, int32_t x, int32_t y, const char *text, uint32_t ink) {
    char letter[5] = "";
    while (*text) {
        size_t length = 1;
        while (((unsigned char)text[length] & 0xC0) == 0x80 && length < sizeof(letter) - 1) {
            length++;
        }
        memcpy(letter, text, length);
        letter[length] = 0;
        put_letters(s, x, y++, letter, ink);
        text += length;
    }
}

static int32_t letters_of(const char *text) {
    int32_t letters = 0;
    for (; *text; text++) {
        letters += ((unsigned char)*text & 0xC0) != 0x80;
    }
    return letters;
}

static const char *hatch_letter(uint32_t hatch) {
    static const char *const letters[] = {" ", "/", "\\", "x"};
    return letters[hatch % 4];
}

static void put_rect(screen *s, const tma_mark *m, const tma_style_row *r) {
    const uint32_t ground = s->dark ? r->dark_fill : r->fill;
    const uint32_t line = s->dark ? r->dark_line : r->line;
    const int32_t left = m->x / PLACE_W;
    const int32_t right = (m->x + m->width + PLACE_W / 2) / PLACE_W;
    const int32_t top = m->y / PLACE_H;
    const int32_t bottom = (m->y + m->height + PLACE_H / 2) / PLACE_H;
    const int32_t middle = top + (bottom - top) / 2;
    for (int32_t y = top; y < bottom && ground != TMA_NO_COLOR; y++) {
        for (int32_t x = left; x < right; x++) {
            glyph *g = glyph_at(s, x, y);
            if (g) {
                snprintf(g->text, sizeof(g->text), "%s",
                         y == middle ? hatch_letter(r->hatch) : " ");
                g->ground = ground;
                g->ink = line;
            }
        }
    }
    if (m->label) {
        const int32_t letters = letters_of(m->label);
        const int32_t room = right - left;
        const uint32_t ink = s->dark ? r->dark_ink : r->ink;
        if (letters <= room) {
            put_letters(s, left + (room - letters) / 2, middle, m->label, ink);
        } else if (letters <= bottom - top) {
            put_downwards(s, left + room / 2, middle - letters / 2, m->label, ink);
        }
    }
}

/* Where the words of a mark begin. */
static int32_t text_left(const tma_mark *m) {
    return m->x / PLACE_W - letters_of(m->label) * (int32_t)m->width / 2;
}

/* Letters are wider here than in the picture's font: words go on behind the picture's edge. */
static int widen(void *context, const tma_mark *m) {
    screen *s = context;
    if (m->shape == TMA_MARK_TEXT && m->label) {
        const int32_t end = text_left(m) + letters_of(m->label);
        s->width = end > s->width ? end : s->width;
    }
    return 0;
}

static int put_mark(void *context, const tma_mark *m) {
    screen *s = context;
    const tma_style_row *r = tma_style_row_of(m->style);
    if (m->shape == TMA_MARK_RECT) {
        put_rect(s, m, r);
    } else if (m->shape == TMA_MARK_TEXT && m->label) {
        put_letters(s, text_left(m), (m->y - 4) / PLACE_H, m->label,
                    s->dark ? r->dark_fill : r->fill);
    }
    return 0;
}

static int is_blank(const glyph *g, int colored, uint32_t page) {
    return g && (!strcmp(g->text, " ") || !g->text[0]) && (!colored || g->ground == page);
}

static void print_color(FILE *out, const char *code, uint32_t color) {
    fprintf(out, "\033[%s;2;%u;%u;%um", code, (unsigned)(color >> 16 & 255),
            (unsigned)(color >> 8 & 255), (unsigned)(color & 255));
}

/* Behind the last place of a line that shows anything. */
static int32_t line_end(screen *s, int32_t y, int colored, uint32_t page) {
    int32_t end = s->width;
    while (end && is_blank(glyph_at(s, end - 1, y), colored, page)) {
        end--;
    }
    return end;
}

static void print_line(FILE *out, screen *s, int32_t y, int32_t end, int colored, uint32_t page) {
    uint32_t ink = TMA_NO_COLOR;
    uint32_t ground = page;
    for (int32_t x = 0; x < end; x++) {
        const glyph *g = glyph_at(s, x, y);
        if (colored && g->ground != ground) {
            ground = g->ground;
            if (ground == page) {
                fputs("\033[0m", out);
                ink = TMA_NO_COLOR;
            } else {
                print_color(out, "48", ground);
            }
        }
        if (colored && ground != page && g->ink != ink) {
            ink = g->ink;
            print_color(out, "38", ink);
        }
        fputs(g->text[0] ? g->text : " ", out);
    }
    fputs(colored && ground != page ? "\033[0m\n" : "\n", out);
}

int draw_term(FILE *out, const tma_drawing *drawing, color_mode color, tma_error *error) {
    const color_set colors = colors_for(out, color);
    const int colored = colors.end[0] != 0;
    int blank = 1; /* one of several empty lines is enough */
    tma_draw_size size;
    screen s = {.dark = drawing->theme == TMA_THEME_DARK};
    const tma_style_row *page = tma_style_row_of(TMA_STYLE_PAGE);
    const uint32_t ground = s.dark ? page->dark_fill : page->fill;
    if (tma_draw_measure(&size, drawing, NULL) != TMA_OK) {
        return tma_fail(error, "it cannot be drawn");
    }
    s.width = size.width / PLACE_W + 1;
    s.height = size.height / PLACE_H + 1;
    if (tma_draw(drawing, widen, &s, NULL) != TMA_OK) {
        return tma_fail(error, "it cannot be drawn");
    }
    s.glyphs = cli_got(calloc((size_t)s.width * (size_t)s.height, sizeof(*s.glyphs)));
    for (int32_t i = 0; i < s.width * s.height; i++) {
        s.glyphs[i].ground = ground;
    }
    const int failed = tma_draw(drawing, put_mark, &s, NULL) != TMA_OK;
    for (int32_t y = 0; y < s.height; y++) {
        const int32_t end = line_end(&s, y, colored, ground);
        if (end || !blank) {
            print_line(out, &s, y, end, colored, ground);
        }
        blank = !end;
    }
    free(s.glyphs);
    return failed ? tma_fail(error, "it cannot be drawn") : 0;
}
