/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures on paper, by cairo.
 */
#include <errno.h>
#include <string.h>

#include "cairo_calls.h"
#include "draw_output.h"

#define PDF_PT   0.75
#define HATCH_PX 8

typedef struct paper {
    const cairo_calls *call;
    cairo_t *cairo;
    int dark;
} paper;

static int set_color(paper *p, uint32_t color, double alpha) {
    if (color == TMA_NO_COLOR) {
        return 0;
    }
    p->call->set_source_rgba(p->cairo, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0,
                             (color & 255) / 255.0, alpha);
    return 1;
}

static int32_t multiple_below(int32_t n) {
    return n - (n % HATCH_PX + HATCH_PX) % HATCH_PX;
}

/* Lines x + y = constant, or x - y, at multiples of HATCH_PX, as in the SVG. */
static void hatch(paper *p, const tma_mark *m, int falling) {
    const int32_t least = falling ? m->x - m->y - m->height : m->x + m->y;
    for (int32_t at = multiple_below(least) + HATCH_PX; at < least + m->width + m->height;
         at += HATCH_PX) {
        p->call->move_to(p->cairo, falling ? at + m->y : at - m->y, m->y);
        p->call->rel_line_to(p->cairo, falling ? m->height : -m->height, m->height);
    }
}

static void hatches(paper *p, const tma_mark *m, const tma_style_row *r) {
    if (r->hatch == TMA_HATCH_NONE || !set_color(p, p->dark ? r->dark_line : r->line, 0.4)) {
        return;
    }
    p->call->save(p->cairo);
    p->call->rectangle(p->cairo, m->x, m->y, m->width, m->height);
    p->call->clip(p->cairo);
    if (r->hatch != TMA_HATCH_FALLING) {
        hatch(p, m, 0);
    }
    if (r->hatch != TMA_HATCH_RISING) {
        hatch(p, m, 1);
    }
    p->call->set_line_width(p->cairo, 1);
    p->call->set_dash(p->cairo, NULL, 0, 0);
    p->call->stroke(p->cairo);
    p->call->restore(p->cairo);
}

static void pen(paper *p, const tma_style_row *r) {
    static const double dashes[] = {4, 3};
    p->call->set_line_width(p->cairo, r->width_10 / 10.0);
    p->call->set_dash(p->cairo, dashes, r->dashed ? 2 : 0, 0);
}

static void words(paper *p, const char *text, double x, double y, double px, int bold, int anchor) {
    cairo_text_extents_t extents;
    p->call->select_font_face(p->cairo, "monospace", CAIRO_FONT_SLANT_NORMAL,
                              bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    p->call->set_font_size(p->cairo, px);
    p->call->text_extents(p->cairo, text, &extents);
    p->call->move_to(p->cairo, x - extents.x_advance * anchor / 2, y);
    p->call->show_text(p->cairo, text);
}

static void label(paper *p, const tma_mark *m, const tma_style_row *r) {
    int upright = 0;
    const uint32_t px = tma_mark_letters(&upright, m);
    if (!px || !set_color(p, p->dark ? r->dark_ink : r->ink, 1)) {
        return;
    }
    p->call->save(p->cairo);
    p->call->translate(p->cairo, m->x + m->width / 2.0, m->y + m->height / 2.0);
    if (upright) {
        p->call->rotate(p->cairo, -1.5707963267948966);
    }
    words(p, m->label, 0, px * 0.35, px, r->bold, 1);
    p->call->restore(p->cairo);
}

static void rectangle(paper *p, const tma_mark *m, const tma_style_row *r) {
    p->call->rectangle(p->cairo, m->x, m->y, m->width, m->height);
    if (set_color(p, p->dark ? r->dark_fill : r->fill, 1)) {
        p->call->fill_preserve(p->cairo);
    }
    if (r->width_10 && set_color(p, p->dark ? r->dark_line : r->line, 1)) {
        pen(p, r);
        p->call->stroke_preserve(p->cairo);
    }
    p->call->new_path(p->cairo);
    hatches(p, m, r);
    if (m->label) {
        label(p, m, r);
    }
}

static void stroke(paper *p, const tma_mark *m, const tma_style_row *r) {
    const double x = m->x + m->width;
    const double y = m->y + m->height;
    set_color(p, p->dark ? r->dark_line : r->line, 1);
    p->call->move_to(p->cairo, m->x, m->y);
    p->call->line_to(p->cairo, x, y);
    if (m->shape == TMA_MARK_ARROW) {
        const double back_x = m->width > 0 ? -6 : m->width < 0 ? 6 : 0;
        const double back_y = m->height > 0 ? -6 : m->height < 0 ? 6 : 0;
        const double side_x = m->width ? 0 : 4;
        const double side_y = m->width ? 4 : 0;
        p->call->move_to(p->cairo, x + back_x - side_x, y + back_y - side_y);
        p->call->line_to(p->cairo, x, y);
        p->call->line_to(p->cairo, x + back_x + side_x, y + back_y + side_y);
    }
    pen(p, r);
    p->call->stroke(p->cairo);
}

static int put_mark(void *context, const tma_mark *m) {
    paper *p = context;
    const tma_style_row *r = tma_style_row_of(m->style);
    if (m->shape == TMA_MARK_RECT) {
        rectangle(p, m, r);
    } else if (m->shape == TMA_MARK_TEXT) {
        set_color(p, p->dark ? r->dark_fill : r->fill, 1);
        words(p, m->label, m->x, m->y, r->text_px, r->bold, (int)m->width);
    } else {
        stroke(p, m, r);
    }
    return 0;
}

typedef struct stream {
    const output_file *output;
    int error; /* errno of the first part that was not written */
} stream;

static cairo_status_t put_bytes(void *context, const unsigned char *bytes, unsigned int size_B) {
    stream *s = context;
    if (!s->error && output_put(s->output->fd, bytes, size_B)) {
        s->error = errno ? errno : EIO;
    }
    return s->error ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

int draw_cairo_there(tma_error *why) {
    cairo_calls calls;
    return cairo_calls_find(&calls, why);
}

/* Through a stream: of a file, cairo 1.16 does not say that its end could not be written. */
const char *draw_cairo(const output_file *output, const tma_drawing *drawing) {
    tma_draw_size size;
    if (tma_draw_measure(&size, drawing, NULL) != TMA_OK) {
        return "it cannot be drawn";
    }
    cairo_calls call;
    tma_error why;
    if (cairo_calls_find(&call, &why)) {
        return "cairo is not there any more";
    }
    stream to = {output, 0};
    cairo_surface_t *surface = call.pdf_surface_create_for_stream(
        put_bytes, &to, size.width * PDF_PT, size.height * PDF_PT);
    paper p = {&call, call.create(surface), drawing->theme == TMA_THEME_DARK};
    call.scale(p.cairo, PDF_PT, PDF_PT);
    const int drawn = tma_draw(drawing, put_mark, &p, NULL) == TMA_OK;
    cairo_status_t status = call.status(p.cairo);
    call.destroy(p.cairo);
    call.surface_finish(surface);
    status = status == CAIRO_STATUS_SUCCESS ? call.surface_status(surface) : status;
    call.surface_destroy(surface);
    return !drawn                           ? "it cannot be drawn"
           : to.error                       ? strerror(to.error)
           : status != CAIRO_STATUS_SUCCESS ? call.status_to_string(status)
                                            : NULL;
}
