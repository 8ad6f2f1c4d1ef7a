/* SPDX-License-Identifier: Apache-2.0
 *
 * A picture as letters: rectangles colour their places, words stand on top; without colours hatches
 * and frames are letters.
 */
#include "term_screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_error.h"

#define PLACE_H 12 /* px of a line */
#define DPX     10 /* tenths of a px */

static int32_t place_of(const term_screen *s, int32_t x_px) {
    return x_px * DPX / s->place_dpx;
}

static term_glyph *glyph_at(term_screen *s, int32_t x, int32_t y) {
    return x >= 0 && y >= 0 && x < s->width && y < s->height ? &s->glyphs[y * s->width + x] : NULL;
}

static int is_word_at(term_screen *s, int32_t x, int32_t y) {
    const term_glyph *g = glyph_at(s, x, y);
    return g && g->is_word;
}

static void put_letters(term_screen *s, int32_t x, int32_t y, const char *text, uint32_t ink) {
    s->lost += is_word_at(s, x - 1, y); /* a word beside a word */
    for (; *text; x++) {
        size_t length = 1;
        while (((unsigned char)text[length] & 0xC0) == 0x80) {
            length++;
        }
        term_glyph *g = glyph_at(s, x, y);
        if (g && length < sizeof(g->text)) {
            s->lost += g->is_word; /* and one on a word */
            g->is_word = *text != ' ';
            memcpy(g->text, text, length);
            g->text[length] = 0;
            g->ink = ink;
        }
        text += length;
    }
    s->lost += is_word_at(s, x, y);
}

/* Words that a narrow rectangle has no room for, a letter on each line. */
static void put_downwards(term_screen *s, int32_t x, int32_t y, const char *text, uint32_t ink) {
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

static void put_rect(term_screen *s, const tma_mark *m, const tma_style_row *r) {
    const uint32_t ground = s->dark ? r->dark_fill : r->fill;
    const uint32_t line = s->dark ? r->dark_line : r->line;
    const int32_t left = place_of(s, m->x);
    const int32_t right = place_of(s, m->x + m->width + s->place_dpx / (2 * DPX));
    const int32_t top = m->y / PLACE_H;
    const int32_t bottom = (m->y + m->height + PLACE_H / 2) / PLACE_H;
    const int32_t middle = top + (bottom - top) / 2;
    for (int32_t y = top; y < bottom && ground != TMA_NO_COLOR; y++) {
        for (int32_t x = left; x < right; x++) {
            term_glyph *g = glyph_at(s, x, y);
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
        } else {
            s->lost += (uint32_t)letters;
        }
    }
}

/* Where the words of a mark begin. */
static int32_t text_left(const term_screen *s, const tma_mark *m) {
    return place_of(s, m->x) - letters_of(m->label) * (int32_t)m->width / 2;
}

/* Letters are wider here than in the picture's font: words go on past the picture's edge. */
static int widen(void *context, const tma_mark *m) {
    term_screen *s = context;
    if (m->shape == TMA_MARK_TEXT && m->label) {
        const int32_t end = text_left(s, m) + letters_of(m->label);
        s->width = end > s->width ? end : s->width;
    }
    return 0;
}

static int put_mark(void *context, const tma_mark *m) {
    term_screen *s = context;
    const tma_style_row *r = tma_style_row_of(m->style);
    if (m->shape == TMA_MARK_RECT) {
        put_rect(s, m, r);
    } else if (m->shape == TMA_MARK_TEXT && m->label) {
        const int32_t x = text_left(s, m);
        const int32_t y = (m->y - 4) / PLACE_H;
        put_letters(s, x, y, m->label, s->dark ? r->dark_fill : r->fill);
        if (m->style == TMA_STYLE_HEAD && glyph_at(s, x, y)) {
            glyph_at(s, x, y)->is_head = 1;
        }
    }
    return 0;
}

int term_screen_draw(term_screen *s, const tma_drawing *drawing, int32_t place_dpx) {
    tma_draw_size size;
    const tma_style_row *page = tma_style_row_of(TMA_STYLE_PAGE);
    *s = (term_screen){.dark = drawing->theme == TMA_THEME_DARK, .place_dpx = place_dpx};
    s->page = s->dark ? page->dark_fill : page->fill;
    if (tma_draw_measure(&size, drawing, NULL) != TMA_OK) {
        return -1;
    }
    s->width = place_of(s, size.width) + 1;
    s->height = size.height / PLACE_H + 1;
    if (tma_draw(drawing, widen, s, NULL) != TMA_OK) {
        return -1;
    }
    s->glyphs = cli_got(calloc((size_t)s->width * (size_t)s->height, sizeof(*s->glyphs)));
    for (int32_t i = 0; i < s->width * s->height; i++) {
        s->glyphs[i].ground = s->page;
    }
    return tma_draw(drawing, put_mark, s, NULL) == TMA_OK ? 0 : -1;
}

void term_screen_free(term_screen *s) {
    free(s->glyphs);
    s->glyphs = NULL;
}
