/* SPDX-License-Identifier: Apache-2.0
 *
 * What JavaScript calls. It writes a text to page_text(), calls, and finds what is answered at
 * page_out(), so many bytes as the call returned.
 */
#include "answer.h"

#define EXPORT(type) __attribute__((visibility("default"))) type

static char text[PAGE_TEXT + 1];
static char room[PAGE_TEXT + 1];
static char words[2][TMA_WORD_ROOM];
static char out[(PAGE_TEXT > TMA_DRAW_MOST_SVG_B ? PAGE_TEXT : TMA_DRAW_MOST_SVG_B) + (1 << 16)];
static ask_text request;
static size_t text_size;

EXPORT(char *) page_text(void) {
    return text;
}

EXPORT(size_t) page_text_room(void) {
    return PAGE_TEXT;
}

/* Room for an option's name (0) and value (1). */
EXPORT(char *) page_argument(int which) {
    return words[which != 0];
}

EXPORT(size_t) page_argument_room(void) {
    return sizeof(words[0]);
}

EXPORT(const char *) page_out(void) {
    return out;
}

static size_t done(const tma_out *to) {
    return to->length < to->size ? to->length : to->size - 1;
}

EXPORT(size_t) page_ask(size_t length, size_t pick) {
    tma_out to = tma_out_into(out, sizeof(out));
    text_size = length < PAGE_TEXT ? length : PAGE_TEXT;
    text[text_size] = 0;
    const int is_ptx = page_is_ptx(text, text_size);
    ask_read(&request, text, is_ptx ? 0 : text_size, pick, room);
    page_answer(&to, &request, is_ptx ? text : NULL, text_size);
    return done(&to);
}

/* Whether what was asked last has a picture. */
static int has_picture(const tma_drawing *d) {
    return request.kind >= ASK_SPEC && request.asked.is_accepted &&
           !(*request.unfit.text && tma_picture_needs_copy(d->picture)) && !tma_draw_unfit(d);
}

/* The picture as SVG, of what was asked last; 0 where there is none. */
EXPORT(size_t) page_draw(int theme, int untitled) {
    tma_out to = tma_out_into(out, sizeof(out));
    tma_drawing d = page_drawing(&request, request.asked.drawing.picture);
    d.untitled = untitled != 0;
    if (!d.theme) {
        d.theme = (uint32_t)theme;
    }
    if (!has_picture(&d) || tma_draw_svg(&to, &d, NULL) != TMA_OK || to.length >= to.size) {
        return 0;
    }
    return done(&to);
}

static int put_title(void *to, const tma_mark *mark) {
    tma_put((tma_out *)to, mark->title ? mark->title : "");
    tma_put((tma_out *)to, "\n");
    return 0;
}

/* The titles of that picture's marks, a line each. */
EXPORT(size_t) page_titles(void) {
    tma_out to = tma_out_into(out, sizeof(out));
    const tma_drawing d = page_drawing(&request, request.asked.drawing.picture);
    if (!has_picture(&d) || tma_draw(&d, put_title, &to, NULL) != TMA_OK || to.length >= to.size) {
        return 0;
    }
    return done(&to);
}

/* The text with option words[0] set to words[1]. */
EXPORT(size_t) page_edit(void) {
    tma_out to = tma_out_into(out, sizeof(out));
    page_put_edited(&to, &request, text, text_size, words[0], words[1]);
    return done(&to);
}
