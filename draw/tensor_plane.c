/* SPDX-License-Identifier: Apache-2.0
 *
 * A plane of a tensor.
 */
#include "tensor_plane.h"

#include <string.h>

#define COORDS_W 80
#define COORDS_H 36

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

void plane_begin(tensor_plane *p, scene *s) {
    const tma_plan *plan = &s->plan;
    const tma_plan_facts *const facts = tma_plan_info(plan);
    memset(p, 0, sizeof(*p));
    p->s = s;
    p->cell_el = facts->unit_B ? 1
                               : (int64_t)facts->group_el * TMA_CELL_B /
                                     (facts->group_shared_B ? facts->group_shared_B : 1);
    p->cell_el = p->cell_el ? p->cell_el : 1;
    s->unit_cells = facts->unit_B / TMA_CELL_B;
    const int64_t dim = (int64_t)facts->dim_el[0];
    p->columns = (dim + p->cell_el - 1) / p->cell_el;
    p->tail_el = dim - (p->columns - 1) * p->cell_el;
    p->rows = facts->rank > 1 ? (int64_t)facts->dim_el[1] : 1;
    p->from[0] = floor_div(s->at.coord[0], p->cell_el);
    p->from[1] = facts->rank > 1 ? s->at.coord[1] : 0;
    const int64_t wide =
        facts->unit_B ? (int64_t)s->map.spec.box_el[0] : facts->row_shared_B / TMA_CELL_B;
    p->extent[0] = wide ? wide : 1;
    p->extent[1] = facts->rank > 1 ? s->map.spec.box_el[1] : 1;
}

static void draw_cell(const tensor_plane *p, uint32_t i, uint32_t j) {
    canvas *out = p->s->out;
    const int64_t column = p->across.at[i];
    const int64_t row = p->down.at[j];
    const int32_t x = p->across.px[i];
    const int32_t y = p->down.px[j];
    const int in_box = column >= p->from[0] && column < p->from[0] + p->extent[0] &&
                       row >= p->from[1] && row < p->from[1] + p->extent[1];
    const int inside = column >= 0 && column < p->columns && row >= 0 && row < p->rows;
    int32_t width = inside ? PLANE_W : 0;
    if (inside && column == p->columns - 1) {
        width = (int32_t)(PLANE_W * p->tail_el / p->cell_el);
    }
    if (width) {
        canvas_rect(out, in_box ? TMA_STYLE_SKIPPED : TMA_STYLE_TENSOR, x, y, width, PLANE_H);
    }
    if (width < PLANE_W) {
        canvas_rect(out, TMA_STYLE_BEYOND, x + width, y, PLANE_W - width, PLANE_H);
    }
}

static void draw_coords(const tensor_plane *p, int32_t x, int32_t y) {
    canvas *out = p->s->out;
    canvas_text(out, TMA_STYLE_SMALL, TEXT_ENDS, x + COORDS_W - 8, y + 18, "c0");
    for (uint32_t i = 0; i < p->across.count; i++) {
        canvas_print(out, TMA_STYLE_SMALL, TEXT_CENTRED, p->across.px[i] + PLANE_W / 2, y + 18,
                     "%" TMA_D64, p->across.at[i] * p->cell_el);
        if (axis_is_after_gap(&p->across, i)) {
            canvas_text(out, TMA_STYLE_TEXT, TEXT_CENTRED, p->across.px[i] - AXIS_GAP / 2, y + 18,
                        "...");
        }
    }
    for (uint32_t j = 0; j < p->down.count && tma_plan_info(&p->s->plan)->rank > 1; j++) {
        canvas_print(out, TMA_STYLE_SMALL, TEXT_ENDS, x + COORDS_W - 8,
                     p->down.px[j] + PLANE_H / 2 + 4, "%s%" TMA_D64, j ? "" : "c1   ",
                     p->down.at[j]);
        if (axis_is_after_gap(&p->down, j)) {
            canvas_text(out, TMA_STYLE_TEXT, TEXT_ENDS, x + COORDS_W - 8,
                        p->down.px[j] - AXIS_GAP / 2 + 3, "...");
        }
    }
}

static int32_t column_px(const tensor_plane *p, int64_t el) {
    const int64_t column = floor_div(el, p->cell_el);
    const int64_t part = el - column * p->cell_el;
    const int32_t into =
        axis_find(&p->across, column) >= 0 ? (int32_t)(PLANE_W * part / p->cell_el) : 0;
    return axis_px(&p->across, column) + into;
}

int32_t plane_tensor_end(const tensor_plane *p) {
    return column_px(p, (int64_t)tma_plan_info(&p->s->plan)->dim_el[0]);
}

void plane_draw(tensor_plane *p, int32_t x, int32_t y) {
    axis_finish(&p->across, x + COORDS_W, PLANE_W);
    axis_finish(&p->down, y + COORDS_H - 12, PLANE_H);
    draw_coords(p, x, y);
    for (uint32_t j = 0; j < p->down.count; j++) {
        for (uint32_t i = 0; i < p->across.count; i++) {
            draw_cell(p, i, j);
        }
    }
    const int32_t left = column_px(p, 0);
    const int32_t top = axis_px(&p->down, 0);
    canvas_rect(p->s->out, TMA_STYLE_TENSOR_EDGE, left, top, plane_tensor_end(p) - left,
                axis_px(&p->down, p->rows) - top);
}

static int is_other_plane(const tensor_plane *p, const tma_cell *cell) {
    for (uint32_t i = 2; i < cell->rank; i++) {
        if (cell->coord[i] != p->plane[i]) {
            return 1;
        }
    }
    return 0;
}

static int visit_cell(void *context, const tma_cell *cell) {
    tensor_plane *p = (tensor_plane *)context;
    if (!cell->index) {
        memcpy(p->plane, cell->coord, sizeof(p->plane));
    }
    if (is_other_plane(p, cell)) {
        return 1;
    }
    const int64_t column = floor_div(cell->coord[0], p->cell_el);
    const int i = axis_find(&p->across, column);
    const int j = axis_find(&p->down, cell->rank > 1 ? cell->coord[1] : 0);
    if (i >= 0 && j >= 0 && cell->kind != TMA_RUN_PADDING) {
        const int32_t into =
            (int32_t)(PLANE_W * (cell->coord[0] - column * p->cell_el) / p->cell_el);
        const int32_t wide =
            tma_plan_info(&p->s->plan)->unit_B || tma_plan_info(&p->s->plan)->group_el > 1
                ? PLANE_W
                : (int32_t)(PLANE_W * cell->length_B / TMA_CELL_B);
        if (!tma_plan_info(&p->s->plan)->unit_B || cell->offset_B == 0) {
            look_draw(p->s, cell, p->across.px[i] + into, p->down.px[j], wide, PLANE_H);
        }
    }
    return p->s->out->stopped;
}

void plane_visited(tensor_plane *p) {
    tma_cells(&p->s->plan, &p->s->at, visit_cell, p);
}
