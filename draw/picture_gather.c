/* SPDX-License-Identifier: Apache-2.0
 *
 * gather: the four rows of the tensor, and where they lie in shared memory.
 */
#include "tensor_plane.h"

#define ROWS 4

/* Behind each row that is picked: where it comes to lie. */
static void draw_names(const tensor_plane *p) {
    for (uint32_t j = 0; j < p->down.count; j++) {
        WORDS(t);
        for (uint32_t i = 0; i < ROWS; i++) {
            if (p->s->at.coord[1 + i] == p->down.at[j]) {
                tma_putf(&t, t.length ? ", %u" : "shared row %u", i);
            }
        }
        canvas_text(p->s->out, TMA_STYLE_TEXT, TEXT_BEGINS, axis_end(&p->across) + 16,
                    p->down.px[j] + 16, t.at);
    }
}

/* The four bounding boxes. */
static void draw_boxes(const tensor_plane *p) {
    const int32_t left = axis_px(&p->across, p->from[0]);
    const int32_t right = axis_px(&p->across, p->from[0] + p->extent[0]);
    for (uint32_t i = 0; i < ROWS; i++) {
        const int32_t top = axis_px(&p->down, p->s->at.coord[1 + i]);
        canvas_rect(p->s->out, TMA_STYLE_BOX_EDGE, left, top, right - left, PLANE_H);
    }
}

void draw_GATHER(scene *s, int32_t y) {
    tensor_plane p;
    plane_begin(&p, s);
    p.extent[1] = 0; /* there is no box of rows */
    axis_add(&p.across, 0, p.columns > 1);
    axis_add(&p.across, p.columns - 1, p.columns - 1);
    axis_add_ends(&p.across, p.from[0] - 1, p.from[0] + p.extent[0]);
    for (uint32_t i = 0; i < ROWS; i++) {
        axis_add(&p.down, s->at.coord[1 + i], s->at.coord[1 + i]);
    }
    axis_add(&p.down, 0, 0);
    axis_add(&p.down, p.rows - 1, p.rows - 1);
    plane_draw(&p, MARGIN, y);
    plane_visited(&p);
    draw_boxes(&p);
    draw_names(&p);
    place corner = {0, axis_end(&p.down)};
    if (s->in.op != TMA_OP_PREFETCH) {
        corner = panel_shared(s, MARGIN, corner.y + 24);
    }
    corner.y = look_row(s, MARGIN, corner.y + 16, TMA_STYLE_BOX_EDGE, NULL,
                        "the four boxes: a row each, from the same column on");
    look_legend(s, MARGIN, corner.y);
}
