/* SPDX-License-Identifier: Apache-2.0
 *
 * im2col: the images, the bounding box, and the pixels in their order.
 */
#include <string.h>

#include "axis.h"
#include "scene.h"

#define PIXEL_W    32
#define PIXEL_H    24
#define HALO_H     12 /* of a halo pixel below the main one at the same place */
#define HALOS      4
#define PLANES     6 /* at most; the rest is said */
#define COORDS_W   64
#define GROUP_ROWS 8 /* that share a colour */
#define CORNER     7 /* the mark of a corner */

typedef struct images {
    scene *s;
    uint32_t w;    /* dimension of W; H and D behind it, where the map has them */
    uint32_t down; /* the dimension that is drawn downwards: H, or the images where H stays */
    int64_t first_px[TMA_MAX_SPATIAL], last_px[TMA_MAX_SPATIAL]; /* of the bounding box */
    int64_t offset[TMA_MAX_SPATIAL];
    int64_t low[2], high[2]; /* of the visited pixels, W and H */
    int64_t base[2];         /* of the filter where the copy begins, W and H */
    int64_t plane[PLANES][TMA_MAX_RANK];
    uint32_t planes, all_planes;
    int64_t last[TMA_MAX_RANK]; /* the plane that was seen last */
    uint32_t drawn;             /* which plane is drawn now */
    int64_t halo_w[HALOS];      /* where along W the first halo pixels lie */
    uint32_t halos;
    int32_t pixel_h;
    int draws_halo; /* the halo is drawn over the rest: im2col::w::128 loads those pixels twice */
    axis across, downwards;
} images;

static uint32_t image_of(const images *v) {
    return tma_plan_info(&v->s->plan)->rank - 1u;
}

/* One plane has all images below each other: copies that move along W alone. */
static int has_images_down(const images *v) {
    return v->down == image_of(v);
}

/* Planes differ in what is drawn neither across nor down. */
static int is_same_plane(const images *v, const int64_t *a, const int64_t *b) {
    for (uint32_t i = v->w + 1; i < tma_plan_info(&v->s->plan)->rank; i++) {
        if (i != v->down && a[i] != b[i]) {
            return 0;
        }
    }
    return 1;
}

static void widen(images *v, int i, int64_t at) {
    v->low[i] = at < v->low[i] ? at : v->low[i];
    v->high[i] = at > v->high[i] ? at : v->high[i];
}

static int find_plane(void *context, const tma_run *run) {
    images *v = (images *)context;
    if (run->offset_B) {
        return run->row >= v->s->most_rows;
    }
    if (!run->row) {
        v->low[0] = v->high[0] = run->coord[v->w];
        v->low[1] = v->high[1] = run->coord[v->down];
        v->base[0] = run->coord[v->w] - v->offset[0];
        v->base[1] = run->coord[v->down] - v->offset[1];
    }
    widen(v, 0, run->coord[v->w]);
    if (run->halo && v->halos < HALOS) {
        v->halo_w[v->halos++] = run->coord[v->w];
    }
    widen(v, 1, run->coord[v->down]);
    if (!v->all_planes || !is_same_plane(v, v->last, run->coord)) {
        v->all_planes++;
        memcpy(v->last, run->coord, sizeof(v->last));
        if (v->planes < PLANES) {
            memcpy(v->plane[v->planes++], run->coord, sizeof(v->last));
        }
    }
    return 0;
}

_Static_assert(7 + HALOS <= AXIS_SPANS,
               "two of the image, two of the box, two visited, the filter's base, and halos");

static void add_axis(axis *a, int64_t dim, int64_t box_first, int64_t box_last, int64_t low,
                     int64_t high) {
    axis_add(a, 0, dim > 1);
    axis_add(a, dim > 1 ? dim - 2 : 0, dim - 1);
    if (box_last >= box_first) {
        axis_add(a, box_first, box_first);
        axis_add(a, box_last, box_last);
    }
    axis_add_ends(a, low, high);
}

/* Whether the pixel of the filter's base lies in the plane of the first pixels. */
static int has_base(const images *v) {
    return !v->offset[2];
}

static void set_axes(images *v, int32_t x, int32_t y) {
    const tma_plan *plan = &v->s->plan;
    v->across.spans = v->downwards.spans = 0;
    add_axis(&v->across, (int64_t)tma_plan_info(plan)->dim_el[v->w], v->first_px[0], v->last_px[0],
             v->low[0], v->high[0]);
    for (uint32_t i = 0; i < v->halos; i++) {
        axis_add(&v->across, v->halo_w[i], v->halo_w[i]);
    }
    if (has_images_down(v)) {
        axis_add_ends(&v->downwards, v->low[1], v->high[1]);
    } else {
        add_axis(&v->downwards, (int64_t)tma_plan_info(plan)->dim_el[v->down], v->first_px[1],
                 v->last_px[1], v->low[1], v->high[1]);
    }
    if (has_base(v)) {
        axis_add(&v->across, v->base[0], v->base[0]);
        axis_add(&v->downwards, v->base[1], v->base[1]);
    }
    axis_finish(&v->across, x + COORDS_W, PIXEL_W);
    axis_finish(&v->downwards, y + 36, v->pixel_h);
}

static void draw_grid(const images *v, int32_t x, int32_t y) {
    const tma_plan_facts *const plan = tma_plan_info(&v->s->plan);
    canvas *out = v->s->out;
    canvas_text(out, TMA_STYLE_SMALL, TEXT_ENDS, x + COORDS_W - 8, y + 31, "w");
    for (uint32_t i = 0; i < v->across.count; i++) {
        canvas_print(out, TMA_STYLE_SMALL, TEXT_CENTRED, v->across.px[i] + PIXEL_W / 2, y + 31,
                     "%" TMA_D64, v->across.at[i]);
        if (axis_is_after_gap(&v->across, i)) {
            canvas_text(out, TMA_STYLE_TEXT, TEXT_CENTRED, v->across.px[i] - AXIS_GAP / 2, y + 31,
                        "...");
        }
    }
    for (uint32_t j = 0; j < v->downwards.count; j++) {
        const int64_t at = v->downwards.at[j];
        const int32_t y_px = v->downwards.px[j];
        const int in_h = at >= 0 && at < (int64_t)plan->dim_el[v->down];
        canvas_print(out, TMA_STYLE_SMALL, TEXT_ENDS, x + COORDS_W - 8, y_px + v->pixel_h / 2 + 4,
                     "%s%" TMA_D64,
                     j                    ? ""
                     : has_images_down(v) ? "n  "
                                          : "h  ",
                     at);
        if (axis_is_after_gap(&v->downwards, j)) {
            canvas_text(out, TMA_STYLE_TEXT, TEXT_ENDS, x + COORDS_W - 8, y_px - AXIS_GAP / 2 + 3,
                        "...");
        }
        for (uint32_t i = 0; i < v->across.count; i++) {
            const int64_t w = v->across.at[i];
            const int inside = in_h && w >= 0 && w < (int64_t)plan->dim_el[v->w];
            canvas_rect(out, inside ? TMA_STYLE_TENSOR : TMA_STYLE_BEYOND, v->across.px[i], y_px,
                        PIXEL_W, v->pixel_h);
        }
    }
}

static int draw_pixel(void *context, const tma_run *run) {
    images *v = (images *)context;
    const int i = axis_find(&v->across, run->coord[v->w]);
    const int j = axis_find(&v->downwards, run->coord[v->down]);
    if (run->offset_B || i < 0 || j < 0 || run->halo != v->draws_halo ||
        !is_same_plane(v, v->plane[v->drawn], run->coord)) {
        return v->s->out->stopped;
    }
    const int32_t above = run->halo ? v->pixel_h - HALO_H : 0;
    const int32_t down = above && v->pixel_h > PIXEL_H ? above : 0;
    tma_draw_style style = (tma_draw_style)(TMA_STYLE_CHUNK_0 + run->row / GROUP_ROWS % 8);
    style = run->kind == TMA_RUN_OUTSIDE ? TMA_STYLE_FILL : run->halo ? TMA_STYLE_HALO : style;
    WORDS(label);
    WORDS(title);
    tma_putf(&label, "%u", run->row);
    tma_putf(&title, "row %u of shared memory: (", run->row);
    for (uint32_t k = 0; k < run->rank; k++) {
        tma_putf(&title, "%s%" TMA_D64, k ? ", " : "", run->coord[k]);
    }
    tma_putf(&title, ")%s", run->halo ? ", a halo pixel" : "");
    if (run->kind == TMA_RUN_INSIDE) {
        tma_putf(&title, "; global 0x%" TMA_X64, run->address);
    }
    canvas_cell(v->s->out, style, v->across.px[i], v->downwards.px[j] + down, PIXEL_W,
                v->pixel_h - down, label.at, title.at, (int32_t)run->row);
    return v->s->out->stopped;
}

typedef struct edge {
    int32_t left, right, top, bottom;
} edge;

/* Where the pixels from first to last lie, `shift` along each. */
static edge find_edge(const images *v, const int64_t *first, const int64_t *last,
                      const int64_t *shift) {
    const int64_t images = (int64_t)tma_plan_info(&v->s->plan)->dim_el[v->down];
    int64_t down_first = first[1] + shift[1];
    int64_t down_last = last[1] + shift[1];
    if (has_images_down(v)) { /* all that are drawn and are there */
        down_first = v->low[1] > 0 ? v->low[1] : 0;
        down_last = v->high[1] < images ? v->high[1] : images - 1;
    }
    return (edge){axis_px(&v->across, first[0] + shift[0]),
                  axis_px(&v->across, last[0] + shift[0] + 1), axis_px(&v->downwards, down_first),
                  axis_px(&v->downwards, down_last + 1)};
}

static int is_empty(edge e) {
    return e.right <= e.left || e.bottom <= e.top;
}

static void draw_edge(const images *v, tma_draw_style style, edge e) {
    if (!is_empty(e)) {
        canvas_rect(v->s->out, style, e.left, e.top, e.right - e.left, e.bottom - e.top);
    }
}

static int is_moved(const images *v) {
    return v->offset[0] || v->offset[1] || v->offset[2];
}

static const int64_t unmoved[TMA_MAX_SPATIAL] = {0, 0, 0};

static void draw_edges(const images *v) {
    int64_t last[TMA_MAX_SPATIAL] = {0, 0, 0};
    for (uint32_t i = 0; i < tma_plan_info(&v->s->plan)->spatial; i++) {
        last[i] = (int64_t)tma_plan_info(&v->s->plan)->dim_el[v->w + i] - 1;
    }
    draw_edge(v, TMA_STYLE_TENSOR_EDGE, find_edge(v, unmoved, last, unmoved));
    draw_edge(v, TMA_STYLE_BOX_EDGE, find_edge(v, v->first_px, v->last_px, unmoved));
    if (is_moved(v)) {
        draw_edge(v, TMA_STYLE_PIXELS_EDGE, find_edge(v, v->first_px, v->last_px, v->offset));
    }
}

/* The bounding box's corners, and the filter's base where the copy begins. */
static void draw_marks(const images *v) {
    const edge box = find_edge(v, v->first_px, v->last_px, unmoved);
    draw_edge(v, TMA_STYLE_BOX_EDGE, box);
    if (!is_empty(box)) {
        canvas_rect(v->s->out, TMA_STYLE_CORNER, box.left, box.top, CORNER, CORNER);
        canvas_rect(v->s->out, TMA_STYLE_CORNER, box.right - CORNER, box.bottom - CORNER, CORNER,
                    CORNER);
    }
    const int i = axis_find(&v->across, v->base[0]);
    const int j = axis_find(&v->downwards, v->base[1]);
    if (!v->drawn && has_base(v) && i >= 0 && j >= 0) {
        canvas_rect(v->s->out, TMA_STYLE_BASE_EDGE, v->across.px[i], v->downwards.px[j], PIXEL_W,
                    v->pixel_h);
    }
}

static void draw_plane(images *v, int32_t x, int32_t y) {
    const int64_t *at = v->plane[v->drawn];
    WORDS(t);
    set_axes(v, x, y);
    if (!has_images_down(v)) {
        tma_putf(&t, "image n = %" TMA_D64, at[image_of(v)]);
    } else if (tma_plan_info(&v->s->plan)->spatial > 1) {
        tma_putf(&t, "row h = %" TMA_D64 " of each image", at[v->w + 1]);
    }
    if (tma_plan_info(&v->s->plan)->spatial > 2) {
        tma_putf(&t, ", depth d = %" TMA_D64, at[v->w + 2]);
    }
    canvas_text(v->s->out, TMA_STYLE_HEAD, TEXT_BEGINS, x, y + 14, t.at);
    draw_grid(v, x, y);
    draw_edges(v);
    v->draws_halo = 0;
    tma_walk_rows(&v->s->plan, &v->s->at, draw_pixel, v);
    v->draws_halo = 1;
    tma_walk_rows(&v->s->plan, &v->s->at, draw_pixel, v);
    draw_marks(v);
}

static int32_t key_row(scene *s, int32_t y, tma_draw_style style, const char *sample,
                       const char *words) {
    canvas_cell(s->out, style, MARGIN, y + 1, 32, 17, sample, NULL, -1);
    canvas_text(s->out, TMA_STYLE_TEXT, TEXT_BEGINS, MARGIN + 40, y + 14, words);
    return y + 24;
}

/* "(w -1, h -1)": a corner of the bounding box. */
static void put_corner(tma_out *t, const images *v, const int64_t *at) {
    const int along_w = v->s->in.mode != TMA_MODE_IM2COL;
    const uint32_t spatial = along_w ? 1 : tma_plan_info(&v->s->plan)->spatial;
    for (uint32_t i = 0; i < spatial; i++) {
        tma_putf(t, "%s%c %" TMA_D64, i ? ", " : "(", "whd"[i], at[i]);
    }
    tma_putf(t, ")");
}

static const char *box_words(const scene *s) {
    return s->in.mode == TMA_MODE_IM2COL
               ? "the bounding box, from the lower to the upper corner: where the filter's base is"
           : s->at.offset[1] ? "the bounding box along W, moved by wOffset"
                             : "the bounding box along W, from the lower to the upper corner";
}

static void draw_key(const images *v, int32_t y) {
    scene *s = v->s;
    const int wide = s->in.mode != TMA_MODE_IM2COL;
    y = key_row(s, y, TMA_STYLE_CHUNK_0, "n",
                "row n of shared memory; the colour changes every 8 rows");
    if (s->report.fill_B || s->report.dropped_B) {
        y = key_row(s, y, TMA_STYLE_FILL, "n",
                    tma_plan_info(&s->plan)->op != TMA_OP_LOAD ? "outside the image: dropped"
                                                               : "outside the image: filled");
    }
    if (wide && s->at.offset[0]) {
        y = key_row(s, y, TMA_STYLE_HALO, "n", "a halo pixel (wHalo)");
    }
    y = key_row(s, y, TMA_STYLE_TENSOR_EDGE, NULL, "the image");
    y = key_row(s, y, TMA_STYLE_BOX_EDGE, NULL, box_words(s));
    WORDS(corners);
    tma_putf(&corners, "its corners: the lower ");
    put_corner(&corners, v, v->first_px);
    tma_putf(&corners, ", the upper ");
    put_corner(&corners, v, v->last_px);
    y = key_row(s, y, TMA_STYLE_CORNER, NULL, corners.at);
    if (has_base(v)) {
        y = key_row(s, y, TMA_STYLE_BASE_EDGE, NULL,
                    wide ? "the first pixel: the start coordinate, moved by wOffset"
                         : "the filter's base for row 0: the instruction's coordinates");
    }
    if (is_moved(v)) {
        key_row(s, y, TMA_STYLE_PIXELS_EDGE, NULL,
                "the box moved by the im2col offsets: where the pixels come from");
    }
}

static void find_box(images *v) {
    uint32_t offset[TMA_MAX_SPATIAL];
    tma_plan_pixel_box(v->first_px, v->last_px, &v->s->plan, &v->s->at);
    if (v->s->in.mode == TMA_MODE_IM2COL) {
        tma_plan_offsets(offset, &v->s->plan, &v->s->at);
        for (uint32_t i = 0; i < tma_plan_info(&v->s->plan)->spatial; i++) {
            v->offset[i] = offset[i];
        }
    }
    const int along_w = v->s->in.mode != TMA_MODE_IM2COL || tma_plan_info(&v->s->plan)->spatial < 2;
    const int twice = v->s->in.mode == TMA_MODE_IM2COL_W128 && v->s->at.offset[0];
    v->pixel_h = twice ? PIXEL_H + HALO_H : PIXEL_H;
    v->down = along_w ? image_of(v) : v->w + 1;
}

void draw_IM2COL(scene *s, int32_t y) {
    images v;
    memset(&v, 0, sizeof(v));
    v.s = s;
    v.w = tma_plan_info(&s->plan)->first;
    find_box(&v);
    tma_walk_rows(&s->plan, &s->at, find_plane, &v);
    const uint32_t per_line = v.planes > 4 ? 3 : 2;
    int32_t below = y;
    int32_t x = MARGIN;
    for (v.drawn = 0; v.drawn < v.planes; v.drawn++) {
        if (v.drawn && v.drawn % per_line == 0) {
            y = below + 16;
            x = MARGIN;
        }
        draw_plane(&v, x, y);
        below = axis_end(&v.downwards) > below ? axis_end(&v.downwards) : below;
        x = axis_end(&v.across) + GUTTER;
    }
    y = below + 16;
    if (v.all_planes > v.planes) {
        canvas_print(s->out, TMA_STYLE_WARN, TEXT_BEGINS, MARGIN, y + 14,
                     "the first %u of %u images are drawn", v.planes, v.all_planes);
        y += 24;
    }
    draw_key(&v, y);
}
