/* SPDX-License-Identifier: Apache-2.0
 *
 * box: the box in its tensor.
 */
#include "tensor_plane.h"

static void add_axes(tensor_plane *p) {
    axis_add(&p->across, 0, p->columns > 1);
    axis_add(&p->across, p->columns > 1 ? p->columns - 2 : 0, p->columns - 1);
    axis_add_ends(&p->across, p->from[0] - 1, p->from[0] + p->extent[0]);
    if (tma_plan_info(&p->s->plan)->rank > 1) {
        axis_add(&p->down, 0, p->rows > 1);
        axis_add(&p->down, p->rows > 1 ? p->rows - 2 : 0, p->rows - 1);
        axis_add_ends(&p->down, p->from[1] - 1, p->from[1] + p->extent[1]);
    } else {
        axis_add(&p->down, 0, 0);
    }
}

/* A level line with words over its middle. */
static void span_across(scene *s, int32_t x, int32_t end, int32_t y) {
    const int32_t middle = (x + end) / 2;
    canvas_arrow(s->out, TMA_STYLE_LINE, middle, y, x, y);
    canvas_arrow(s->out, TMA_STYLE_LINE, middle, y, end, y);
}

static void span_down(scene *s, int32_t x, int32_t y, int32_t end) {
    const int32_t middle = (y + end) / 2;
    canvas_arrow(s->out, TMA_STYLE_LINE, x, middle, x, y);
    canvas_arrow(s->out, TMA_STYLE_LINE, x, middle, x, end);
}

static void draw_spans(tensor_plane *p, int32_t below) {
    scene *s = p->s;
    const tma_spec *spec = &s->map.spec;
    const int32_t left = axis_px(&p->across, p->from[0]);
    const int32_t right = axis_px(&p->across, p->from[0] + p->extent[0]);
    const int32_t top = axis_px(&p->down, p->from[1]);
    const int32_t bottom = axis_px(&p->down, p->from[1] + p->extent[1]);
    const int32_t side = axis_end(&p->across) + 14;
    canvas_rect(s->out, TMA_STYLE_BOX_EDGE, left, top, right - left, bottom - top);
    span_across(s, left, right, below + 10);
    canvas_print(s->out, TMA_STYLE_TEXT, TEXT_CENTRED, (left + right) / 2, below + 28,
                 "box %u%s, %u B", spec->box_el[0],
                 tma_plan_info(&s->plan)->unit_B ? " units" : " el",
                 tma_plan_info(&s->plan)->unit_B ? tma_plan_info(&s->plan)->unit_B * spec->box_el[0]
                                                 : tma_plan_info(&s->plan)->row_shared_B);
    if (tma_plan_info(&s->plan)->rank > 1) {
        span_down(s, side, top, bottom);
        canvas_print(s->out, TMA_STYLE_TEXT, TEXT_BEGINS, side + 8, (top + bottom) / 2 + 4,
                     "box %u", spec->box_el[1]);
    }
}

#define LEVEL_PX 40 /* from one line of arrows to the next */
#define SIDE_PX  80

/* The tensor's size, its stride from row to row and what is stepped over. */
static void draw_sizes(tensor_plane *p, int32_t below) {
    scene *s = p->s;
    const tma_plan_facts *const facts = tma_plan_info(&s->plan);
    const int32_t left = axis_px(&p->across, 0);
    const int32_t right = plane_tensor_end(p);
    const int32_t level = below + LEVEL_PX;
    span_across(s, left, right, level + 10);
    canvas_print(s->out, TMA_STYLE_TEXT, TEXT_CENTRED, (left + right) / 2, level + 28,
                 "tensor size %" TMA_U64 "%s", facts->dim_el[0], facts->unit_B ? " units" : " el");
    if (facts->rank < 2) {
        return;
    }
    const int32_t side = axis_end(&p->across) + 14 + SIDE_PX;
    const int32_t top = axis_px(&p->down, 0);
    const int32_t bottom = axis_px(&p->down, p->rows);
    span_down(s, side, top, bottom);
    canvas_print(s->out, TMA_STYLE_TEXT, TEXT_BEGINS, side + 8, (top + bottom) / 2 + 24,
                 "tensor size %" TMA_U64, facts->dim_el[1]);
    const int64_t from = p->from[1] > 0 ? p->from[1] : 0;
    const int32_t row = axis_px(&p->down, from);
    const int32_t strides = side + SIDE_PX + 60;
    span_down(s, strides, row, axis_px(&p->down, from + 1));
    canvas_print(s->out, TMA_STYLE_TEXT, TEXT_BEGINS, strides + 8,
                 (row + axis_px(&p->down, from + 1)) / 2 + 4, "tensor stride %" TMA_U64 " B",
                 facts->step_B[1]);
    if (facts->stride_el[1] > 1) {
        const int32_t next = axis_px(&p->down, from + facts->stride_el[1]);
        const int32_t beyond = strides + SIDE_PX + 90;
        span_down(s, beyond, row, next);
        canvas_print(s->out, TMA_STYLE_TEXT, TEXT_BEGINS, beyond + 8, (row + next) / 2 + 4,
                     "traversal stride %u", facts->stride_el[1]);
    }
}

#define TABLE_COLUMNS 7

static int32_t draw_table(scene *s, int32_t x, int32_t y) {
    const tma_plan_facts *const facts = tma_plan_info(&s->plan);
    static const char *const heads[TABLE_COLUMNS] = {
        "dimension",     "globalDim",  "step in bytes",  "boxDim",
        "elementStride", "coordinate", "indices visited"};
    static const int32_t ends[TABLE_COLUMNS] = {80, 190, 330, 410, 530, 640, 780};
    for (uint32_t k = 0; k < TABLE_COLUMNS; k++) {
        canvas_text(s->out, TMA_STYLE_SMALL, TEXT_ENDS, x + ends[k], y + 10, heads[k]);
    }
    for (uint32_t i = 0; i < facts->rank; i++) {
        const uint64_t cells[TABLE_COLUMNS] = {
            i, facts->dim_el[i],  facts->step_B[i], s->map.spec.box_el[i], facts->stride_el[i],
            0, s->report.count[i]};
        y += 18;
        for (uint32_t k = 0; k < TABLE_COLUMNS; k++) {
            if (k == 5) {
                canvas_print(s->out, TMA_STYLE_TEXT, TEXT_ENDS, x + ends[k], y + 10, "%d",
                             s->at.coord[i]);
            } else if (!(k == 6 && !s->is_counted) && !(k == 2 && !cells[2])) {
                canvas_print(s->out, TMA_STYLE_TEXT, TEXT_ENDS, x + ends[k], y + 10, "%" TMA_U64,
                             cells[k]);
            }
        }
    }
    return y + 28;
}

static int32_t draw_key(scene *s, int32_t x, int32_t y) {
    static const struct {
        tma_draw_style style;
        const char *words;
    } rows[] = {
        {TMA_STYLE_TENSOR_EDGE, "the tensor"},
        {TMA_STYLE_BOX_EDGE, "the box"},
        {TMA_STYLE_SKIPPED, "in the box, not visited: the traversal stride steps over it"},
    };
    for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].style == TMA_STYLE_SKIPPED && s->map.spec.element_stride[1] < 2 &&
            !(tma_plan_info(&s->plan)->unit_B && s->map.spec.element_stride[0] > 1)) {
            continue;
        }
        canvas_rect(s->out, rows[i].style, x, y + 2, 32, 16);
        canvas_text(s->out, TMA_STYLE_TEXT, TEXT_BEGINS, x + 40, y + 14, rows[i].words);
        y += 24;
    }
    return look_legend(s, x, y);
}

static int32_t draw_plane_note(scene *s, int32_t y) {
    WORDS(t);
    if (tma_plan_info(&s->plan)->rank < 3) {
        return y;
    }
    tma_put(&t, "the picture shows the plane");
    for (uint32_t i = 2; i < tma_plan_info(&s->plan)->rank; i++) {
        tma_putf(&t, "%s c%u = %d", i > 2 ? "," : "", i, s->at.coord[i]);
    }
    canvas_text(s->out, TMA_STYLE_TEXT, TEXT_BEGINS, MARGIN, y + 14, t.at);
    return y + 24;
}

void draw_BOX(scene *s, int32_t y) {
    tensor_plane p;
    plane_begin(&p, s);
    add_axes(&p);
    plane_draw(&p, MARGIN, y);
    plane_visited(&p);
    draw_spans(&p, axis_end(&p.down));
    draw_sizes(&p, axis_end(&p.down));
    y = draw_plane_note(s, axis_end(&p.down) + LEVEL_PX + 44);
    y = draw_table(s, MARGIN, y);
    draw_key(s, MARGIN, y);
}
