/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks as SVG.
 */
#include <string.h>

#include "scene.h"

#define BUFFER_B 2048
#define HATCH_PX 8

typedef struct svg {
    tma_out *out;
    uint64_t styles; /* a bit for each that is used */
    size_t length;
    char buffer[BUFFER_B];
} svg;

static void flush(svg *s) {
    tma_put_bytes(s->out, s->buffer, s->length);
    s->length = 0;
}

static void put_char(svg *s, char c) {
    if (s->length == BUFFER_B) {
        flush(s);
    }
    s->buffer[s->length++] = c;
}

static void put_bytes(svg *s, const char *text, size_t length) {
    if (s->length + length > BUFFER_B) {
        flush(s);
    }
    if (length > BUFFER_B) {
        tma_put_bytes(s->out, text, length);
        return;
    }
    memcpy(s->buffer + s->length, text, length);
    s->length += length;
}

static void put(svg *s, const char *text) {
    while (*text) {
        put_char(s, *text++);
    }
}

static const char *entity_of(char c) {
    return c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : NULL;
}

/* Words of others, so that they cannot end what they stand in; XML has no control characters. */
static void put_words(svg *s, const char *text) {
    while (*text) {
        size_t plain = 0;
        while ((unsigned char)text[plain] >= 0x20 && !entity_of(text[plain])) {
            plain++;
        }
        put_bytes(s, text, plain);
        text += plain;
        const char *entity = entity_of(*text);
        if (entity) {
            put(s, entity);
        } else if (*text == '\n' || *text == '\t') {
            put_char(s, *text);
        }
        text += *text != 0;
    }
}

static void put_number(svg *s, int64_t number) {
    char digits[21];
    size_t at = sizeof(digits);
    uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    for (; left > UINT32_MAX; left /= 10) {
        digits[--at] = (char)('0' + left % 10);
    }
    uint32_t few = (uint32_t)left;
    do {
        digits[--at] = (char)('0' + few % 10);
        few /= 10;
    } while (few);
    if (number < 0) {
        digits[--at] = '-';
    }
    put_bytes(s, digits + at, sizeof(digits) - at);
}

static void put_attribute(svg *s, const char *name, int64_t number) {
    put_char(s, ' ');
    put(s, name);
    put(s, "=\"");
    put_number(s, number);
    put_char(s, '"');
}

static void put_class(svg *s, const tma_style_row *style, const char *more) {
    put(s, " class=\"");
    put(s, style->name);
    put(s, more);
    put_char(s, '"');
}

/* ---- The style block ---- */

static void put_color(svg *s, uint32_t color) {
    if (color == TMA_NO_COLOR) {
        put(s, "none");
        return;
    }
    put_char(s, '#');
    for (int shift = 20; shift >= 0; shift -= 4) {
        put_char(s, "0123456789abcdef"[color >> shift & 15]);
    }
}

static int is_text(const tma_style_row *r) {
    return r->ink == TMA_NO_COLOR && r->line == TMA_NO_COLOR;
}

static void begin_rule(svg *s, const tma_style_row *r, const char *what) {
    put(s, ".tma ");
    put(s, what);
    put(s, r->name);
    put_char(s, '{');
}

static void put_tenths(svg *s, uint32_t tenths) {
    put_number(s, tenths / 10);
    put_char(s, '.');
    put_number(s, tenths % 10);
}

static void put_size(svg *s, uint32_t px) {
    put(s, "font-size:");
    put_number(s, px);
    put(s, "px");
}

/* What both themes share. */
static void put_form(svg *s, const tma_style_row *r) {
    if (is_text(r)) {
        begin_rule(s, r, "text.");
        put_size(s, r->text_px);
        put(s, r->bold ? ";font-weight:bold}\n" : "}\n");
        return;
    }
    if (r->width_10) {
        begin_rule(s, r, ".");
        put(s, "stroke-width:");
        put_tenths(s, r->width_10);
        put(s, r->dashed ? ";stroke-dasharray:4 3}\n" : "}\n");
    }
    if (r->bold) {
        begin_rule(s, r, ".l-");
        put(s, "font-weight:bold}\n");
    }
    if (r->ink != TMA_NO_COLOR && r->text_px != tma_style_row_of(TMA_STYLE_PAGE)->text_px) {
        begin_rule(s, r, ".l-");
        put_size(s, r->text_px);
        put(s, "}\n");
    }
}

static void put_theme(svg *s, const tma_style_row *r, int dark) {
    const uint32_t line = dark ? r->dark_line : r->line;
    begin_rule(s, r, ".");
    put(s, "fill:");
    put_color(s, dark ? r->dark_fill : r->fill);
    if (r->line != TMA_NO_COLOR) {
        put(s, ";stroke:");
        put_color(s, line);
    }
    put(s, "}\n");
    if (r->hatch != TMA_HATCH_NONE) {
        begin_rule(s, r, ".h-");
        put(s, "stroke:");
        put_color(s, line);
        put(s, "}\n");
    }
    if (r->ink != TMA_NO_COLOR) {
        begin_rule(s, r, ".l-");
        put(s, "fill:");
        put_color(s, dark ? r->dark_ink : r->ink);
        put(s, "}\n");
    }
}

static void put_themes(svg *s, int dark) {
    for (uint32_t i = 0; i < TMA_STYLES; i++) {
        if (s->styles >> i & 1) {
            put_theme(s, tma_style_row_of(i), dark);
        }
    }
}

static void put_styles(svg *s, uint32_t theme) {
    put(s, "<style>\n"
           ".tma text{font-family:ui-monospace,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;");
    put_size(s, tma_style_row_of(TMA_STYLE_PAGE)->text_px);
    put(s, ";text-anchor:middle}\n"
           ".tma text.b{text-anchor:start}\n"
           ".tma text.e{text-anchor:end}\n"
           ".tma .hatch{fill:none;stroke-width:1;stroke-opacity:.4}\n"
           ".tma .line{fill:none}\n");
    for (uint32_t i = 0; i < TMA_STYLES; i++) {
        if (s->styles >> i & 1) {
            put_form(s, tma_style_row_of(i));
        }
    }
    put_themes(s, theme == TMA_THEME_DARK);
    if (theme == TMA_THEME_AUTO) {
        put(s, "@media (prefers-color-scheme:dark){\n");
        put_themes(s, 1);
        put(s, "}\n");
    }
    put(s, "</style>\n");
}

/* ---- Marks ---- */

static int32_t min(int32_t a, int32_t b) {
    return a < b ? a : b;
}

/* Lines x + y = constant, or x - y, at multiples of HATCH_PX, so that those of neighbours meet. */
static void put_hatch(svg *s, const tma_mark *m, int falling) {
    const int32_t phase = falling ? m->x + m->width - m->y : m->x + m->y;
    const int32_t off = (phase % HATCH_PX + HATCH_PX) % HATCH_PX;
    for (int32_t d = falling && off ? off : HATCH_PX - off; d < m->width + m->height;
         d += HATCH_PX) {
        const int32_t from = min(d, m->width); /* begins at the top edge or the right one */
        const int32_t down = d - from;
        const int32_t run = min(d, m->height) - down;
        put_char(s, 'M');
        put_number(s, falling ? m->x + m->width - from : m->x + from);
        put_char(s, ' ');
        put_number(s, m->y + down);
        put_char(s, 'l');
        put_number(s, falling ? run : -run);
        put_char(s, ' ');
        put_number(s, run);
    }
}

static void put_hatches(svg *s, const tma_mark *m, const tma_style_row *r) {
    put(s, "<path class=\"hatch h-");
    put(s, r->name);
    put(s, "\" d=\"");
    if (r->hatch != TMA_HATCH_FALLING) {
        put_hatch(s, m, 0);
    }
    if (r->hatch != TMA_HATCH_RISING) {
        put_hatch(s, m, 1);
    }
    put(s, "\"/>");
}

static void put_label(svg *s, const tma_mark *m, const tma_style_row *r) {
    int upright = 0;
    const uint32_t px = tma_mark_letters(&upright, m);
    if (!px) {
        return;
    }
    const int32_t x = m->x + m->width / 2 + (upright ? (int32_t)px * 35 / 100 : 0);
    const int32_t y = m->y + m->height / 2 + (upright ? 0 : (int32_t)px * 35 / 100 + 1);
    put(s, "<text class=\"l-");
    put(s, r->name);
    put_char(s, '"');
    put_attribute(s, "x", x);
    put_attribute(s, "y", y);
    if (px != r->text_px) {
        put(s, " style=\"");
        put_size(s, px);
        put_char(s, '"');
    }
    if (upright) {
        put(s, " transform=\"rotate(-90 ");
        put_number(s, x);
        put_char(s, ' ');
        put_number(s, y);
        put(s, ")\"");
    }
    put_char(s, '>');
    put_words(s, m->label);
    put(s, "</text>");
}

static void put_rect(svg *s, const tma_mark *m, const tma_style_row *r) {
    const int group = m->title || m->cell >= 0;
    if (group) {
        put(s, "<g");
        if (m->cell >= 0) {
            put_attribute(s, "data-cell", m->cell);
        }
        put_char(s, '>');
    }
    if (m->title) {
        put(s, "<title>");
        put_words(s, m->title);
        put(s, "</title>");
    }
    put(s, "<rect");
    put_class(s, r, "");
    put_attribute(s, "x", m->x);
    put_attribute(s, "y", m->y);
    put_attribute(s, "width", m->width);
    put_attribute(s, "height", m->height);
    put(s, "/>");
    if (r->hatch != TMA_HATCH_NONE) {
        put_hatches(s, m, r);
    }
    if (m->label) {
        put_label(s, m, r);
    }
    put(s, group ? "</g>\n" : "\n");
}

static void put_text(svg *s, const tma_mark *m, const tma_style_row *r) {
    static const char *const anchors[] = {" b", "", " e"};
    put(s, "<text");
    put_class(s, r, anchors[m->width % 3]);
    put_attribute(s, "x", m->x);
    put_attribute(s, "y", m->y);
    put_char(s, '>');
    put_words(s, m->label);
    put(s, "</text>\n");
}

/* A point of 6 px at the end of a line that is level or upright. */
static void put_point(svg *s, const tma_mark *m) {
    const int32_t x = m->width > 0 ? -6 : m->width < 0 ? 6 : 0;
    const int32_t y = m->height > 0 ? -6 : m->height < 0 ? 6 : 0;
    const int32_t across = m->width ? 0 : 4;
    const int32_t along = m->width ? 4 : 0;
    put_char(s, 'm');
    put_number(s, x - across);
    put_char(s, ' ');
    put_number(s, y - along);
    put_char(s, 'l');
    put_number(s, across - x);
    put_char(s, ' ');
    put_number(s, along - y);
    put_char(s, 'l');
    put_number(s, x + across);
    put_char(s, ' ');
    put_number(s, y + along);
}

static void put_stroke(svg *s, const tma_mark *m, const tma_style_row *r) {
    put(s, "<path");
    put_class(s, r, "");
    put(s, " d=\"M");
    put_number(s, m->x);
    put_char(s, ' ');
    put_number(s, m->y);
    put_char(s, 'l');
    put_number(s, m->width);
    put_char(s, ' ');
    put_number(s, m->height);
    if (m->shape == TMA_MARK_ARROW) {
        put_point(s, m);
    }
    put(s, "\"/>\n");
}

static int put_mark(void *context, const tma_mark *m) {
    svg *s = (svg *)context;
    const tma_style_row *r = tma_style_row_of(m->style);
    if (m->shape == TMA_MARK_RECT) {
        put_rect(s, m, r);
    } else if (m->shape == TMA_MARK_TEXT) {
        put_text(s, m, r);
    } else {
        put_stroke(s, m, r);
    }
    return 0;
}

static int note_style(void *context, const tma_mark *m) {
    ((svg *)context)->styles |= UINT64_C(1) << m->style;
    return 0;
}

/* ---- The document ---- */

static void put_list(svg *s, const char *option, const int64_t *list, uint32_t count) {
    put(s, option);
    for (uint32_t i = 0; i < count; i++) {
        put(s, i ? "," : "=");
        put_number(s, list[i]);
    }
}

static void put_instruction(svg *s, const tma_drawing *d) {
    int64_t list[TMA_MAX_RANK];
    if (d->instruction) {
        put(s, " --op ");
        put(s, tma_op_name(d->instruction->op));
        put(s, " --mode ");
        put(s, tma_mode_name(d->instruction->mode));
    }
    if (d->at) {
        for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
            list[i] = d->at->coord[i];
        }
        put_list(s, " --coord", list, TMA_MAX_RANK);
        put_list(s, " --shared", (const int64_t[]){d->at->shared_address}, 1);
    }
}

static void put_metadata(svg *s, const tma_drawing *d) {
    const uint8_t *map = d->map;
    put(s, "<metadata>\n");
    if (d->source) {
        put_words(s, d->source);
    } else {
        put(s, "tma draw ");
        put(s, tma_picture_name(d->picture));
        put_instruction(s, d);
    }
    put(s, map ? "\nmap " : "");
    for (uint32_t i = 0; map && i < TMA_MAP_BYTES; i++) {
        put_char(s, "0123456789abcdef"[map[i] >> 4]);
        put_char(s, "0123456789abcdef"[map[i] & 15]);
    }
    put(s, "\n</metadata>\n");
}

static void put_head(svg *s, const tma_drawing *d, const tma_draw_size *size) {
    put(s, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tma\" role=\"img\"");
    put_attribute(s, "width", size->width);
    put_attribute(s, "height", size->height);
    put(s, " viewBox=\"0 0 ");
    put_number(s, size->width);
    put_char(s, ' ');
    put_number(s, size->height);
    put(s, "\">\n<title>");
    put(s, tma_picture_name(d->picture));
    put(s, ": ");
    put(s, tma_picture_summary(d->picture));
    put(s, "</title>\n");
    put_metadata(s, d);
    put_styles(s, d->theme);
}

tma_status tma_draw_svg(tma_out *out, const tma_drawing *d, tma_finding *why) {
    svg s = {.out = out};
    canvas first = {.visit = note_style, .context = &s, .is_silent = 1};
    canvas second = {.visit = put_mark, .context = &s};
    const tma_status status = out ? draw_onto(&first, d, why) : TMA_INVALID;
    if (status == TMA_OK) {
        s.styles |= UINT64_C(1) << TMA_STYLE_PAGE;
        tma_draw_size size = {first.size.width + MARGIN, first.size.height + MARGIN, 0};
        put_head(&s, d, &size);
        draw_page(&second, &first.size);
        draw_onto(&second, d, NULL);
        put(&s, "</svg>\n");
        flush(&s);
    }
    return status;
}
