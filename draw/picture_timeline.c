/* SPDX-License-Identifier: Apache-2.0
 *
 * timeline: a kernel's run. Warps down, the order of execution across; below them the copies under
 * way and the phases of mbarriers; the two accesses of a finding; who waits where it ended.
 */
#include "scene.h"

#define NAME_W       112
#define STEP_W       34
#define ROW_H        22
#define BAR_H        18
#define ARROW_H      20 /* below the warps */
#define COLUMNS      48 /* if none are asked for */
#define MOST_WARPS   64
#define MOST_COPIES  24
#define MOST_PHASES  24
#define BEFORE_STEPS 4 /* before the first mark */

typedef struct view {
    scene *s;
    const tma_timeline *t;
    uint64_t first; /* step of the first column */
    uint64_t apart; /* steps of a column */
    uint32_t columns;
    uint64_t last;  /* step of the run */
    int32_t x, y;   /* of the cells */
    uint32_t kinds; /* that are drawn: bits */
} view;

static const struct {
    tma_draw_style style;
    const char *words;
    uint8_t rank; /* of several steps in a column the highest is shown */
} LOOK[TMA_TIMELINE_KINDS] = {
    [TMA_TIMELINE_INSTRUCTION] = {TMA_STYLE_PALE, "an instruction; the number is its line", 1},
    [TMA_TIMELINE_READ] = {TMA_STYLE_CHUNK_5, "a load; an mbarrier's wait", 2},
    [TMA_TIMELINE_WRITE] = {TMA_STYLE_CHUNK_0, "a store; an mbarrier's init", 3},
    [TMA_TIMELINE_ATOMIC] = {TMA_STYLE_CHUNK_2, "an atomic; an mbarrier's arrival", 4},
    [TMA_TIMELINE_ISSUED] = {TMA_STYLE_HALO, "a copy or an MMA, from its issue to its end", 5},
};

/* ---- which steps ---- */

static void choose_steps(view *v) {
    const tma_drawing *d = v->s->drawing;
    const tma_timeline *t = v->t;
    uint64_t from = UINT64_MAX, to = 0;
    for (uint64_t i = 0; i < t->events; i++) {
        v->last = t->event[i].step > v->last ? t->event[i].step : v->last;
    }
    for (uint32_t i = 0; i < t->marks && i < TMA_TIMELINE_MARKS; i++) {
        const uint64_t step = t->mark[i].step;
        from = step && step < from ? step : from;
        to = step > to ? step : to;
    }
    v->columns = d->lines ? d->lines : COLUMNS;
    v->columns = v->columns < TMA_DRAW_MOST_LINES ? v->columns : TMA_DRAW_MOST_LINES;
    if (d->row) {
        from = d->row;
    } else if (!to) { /* nothing marked: how it ended */
        from = v->last > v->columns ? v->last - v->columns + 1 : 1;
    } else {
        from = from > BEFORE_STEPS ? from - BEFORE_STEPS : 1;
    }
    v->first = from ? from : 1;
    v->apart = to > from && !d->row ? (to - from + BEFORE_STEPS) / v->columns + 1 : 1;
    const uint64_t left = v->last >= v->first ? (v->last - v->first) / v->apart + 1 : 1;
    v->columns = left < v->columns ? (uint32_t)left : v->columns;
}

/* The column of a step; -1: it is not drawn. */
static int32_t column_of(const view *v, uint64_t step) {
    if (step < v->first || (step - v->first) / v->apart >= v->columns) {
        return -1;
    }
    return (int32_t)((step - v->first) / v->apart);
}

static int32_t x_of(const view *v, int32_t column) {
    return v->x + column * STEP_W;
}

/* ---- warps ---- */

static int32_t y_of(const view *v, uint32_t warp) {
    return v->y + (int32_t)warp * ROW_H;
}

static int is_marked(const view *v, const tma_timeline_event *e) {
    for (uint32_t i = 0; i < v->t->marks && i < TMA_TIMELINE_MARKS; i++) {
        if (v->t->mark[i].step == e->step && v->t->mark[i].warp == e->warp) {
            return 1;
        }
    }
    return 0;
}

static void draw_step(view *v, const tma_timeline_event *e, uint32_t count) {
    const tma_timeline_warp *w = &v->t->warp[e->warp];
    WORDS(label);
    WORDS(title);
    tma_putf(&label, "%u", e->line);
    tma_putf(&title, "step %" TMA_U64 ": CTA %" TMA_U64 ", warp %u, line %u", e->step, w->cta,
             w->warp, e->line);
    if (count > 1) {
        tma_putf(&title, ", and %u more of this warp", count - 1);
    }
    v->kinds |= 1u << e->kind;
    canvas_cell(v->s->out, is_marked(v, e) ? TMA_STYLE_PICK : LOOK[e->kind].style,
                x_of(v, column_of(v, e->step)), y_of(v, e->warp), STEP_W, ROW_H, label.at, title.at,
                -1);
}

/* How much a step says: a mark before all others. */
static uint32_t rank_of(const view *v, const tma_timeline_event *e) {
    return is_marked(v, e) ? TMA_TIMELINE_KINDS : LOOK[e->kind].rank;
}

/* The steps of a warp, of those in one column that which says most. */
static void draw_warp(view *v, uint32_t warp) {
    const tma_timeline_event *best = NULL;
    uint32_t count = 0;
    for (uint64_t i = 0; i < v->t->events; i++) {
        const tma_timeline_event *e = &v->t->event[i];
        const int32_t column = column_of(v, e->step);
        if (e->warp != warp || e->kind > TMA_TIMELINE_ATOMIC || column < 0) {
            continue;
        }
        if (best && column_of(v, best->step) != column) {
            draw_step(v, best, count);
            best = NULL;
        }
        count = best ? count + 1 : 1;
        best = !best || rank_of(v, e) > rank_of(v, best) ? e : best;
    }
    if (best) {
        draw_step(v, best, count);
    }
}

static void draw_head(const view *v) {
    for (uint32_t i = 0; i < v->columns; i += 4) {
        canvas_print(v->s->out, TMA_STYLE_SMALL, TEXT_BEGINS, x_of(v, (int32_t)i) + 2, v->y - 6,
                     "%" TMA_U64, v->first + i * v->apart);
    }
}

static uint32_t drawn_warps(const view *v) {
    return v->t->warps < MOST_WARPS ? v->t->warps : MOST_WARPS;
}

/* From the earlier access to the later one, below the warps: of a column one warp alone has a step,
 * so that nothing else stands between a step and there. What stands there all the same is drawn
 * over it. */
static void draw_marks(const view *v) {
    const int32_t below = y_of(v, drawn_warps(v)) + ARROW_H / 2;
    int32_t x[TMA_TIMELINE_MARKS], y[TMA_TIMELINE_MARKS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < v->t->marks && i < TMA_TIMELINE_MARKS; i++) {
        const tma_timeline_mark *m = &v->t->mark[i];
        const int32_t column = m->step ? column_of(v, m->step) : -1;
        if (column >= 0 && m->warp < drawn_warps(v)) {
            x[count] = x_of(v, column) + STEP_W / 2;
            y[count++] = y_of(v, m->warp) + ROW_H;
        }
    }
    if (count == TMA_TIMELINE_MARKS && x[0] != x[1]) {
        canvas_line(v->s->out, TMA_STYLE_BOX_EDGE, x[1], y[1], x[1], below);
        canvas_line(v->s->out, TMA_STYLE_BOX_EDGE, x[1], below, x[0], below);
        canvas_arrow(v->s->out, TMA_STYLE_BOX_EDGE, x[0], below, x[0], y[0]);
    }
}

static int32_t draw_warps(view *v) {
    const int32_t end = x_of(v, (int32_t)v->columns);
    const uint32_t warps = drawn_warps(v);
    draw_head(v);
    for (uint32_t i = 0; i < warps; i++) {
        canvas_rect(v->s->out, TMA_STYLE_FREE, v->x, y_of(v, i), end - v->x, ROW_H);
    }
    draw_marks(v);
    for (uint32_t i = 0; i < warps; i++) {
        const tma_timeline_warp *w = &v->t->warp[i];
        canvas_print(v->s->out, TMA_STYLE_TEXT, TEXT_ENDS, v->x - 8, y_of(v, i) + 15,
                     "CTA %" TMA_U64 " warp %u", w->cta, w->warp);
        draw_warp(v, i);
        if (w->waits) {
            canvas_print(v->s->out, TMA_STYLE_WARN, TEXT_BEGINS, end + 8, y_of(v, i) + 15,
                         "waits: %s", w->waits);
        }
    }
    return y_of(v, warps) + ARROW_H;
}

/* ---- copies ---- */

static uint64_t end_of(const view *v, const tma_timeline_event *issued) {
    for (const tma_timeline_event *e = issued; e < v->t->event + v->t->events; e++) {
        if (e->kind == TMA_TIMELINE_COMPLETE && e->copy == issued->copy) {
            return e->step;
        }
    }
    return UINT64_MAX;
}

/* From its issue, which is in the step behind `after`, to the step that it completes behind. */
static int draw_copy(view *v, const tma_timeline_event *issued, int32_t y) {
    const uint64_t begin = issued->step + 1, end = end_of(v, issued);
    const uint64_t last = v->first + v->columns * v->apart - 1;
    if (begin > last || end < v->first) {
        return 0;
    }
    const int32_t from = begin < v->first ? 0 : column_of(v, begin);
    const int32_t to = end > last ? (int32_t)v->columns - 1 : column_of(v, end);
    const int32_t width = ((to > from ? to : from) - from + 1) * STEP_W;
    WORDS(label);
    WORDS(title);
    tma_putf(&label, "%" TMA_U64, issued->copy);
    tma_putf(&title, "copy %" TMA_U64 ", line %u: issued at step %" TMA_U64, issued->copy,
             issued->line, begin);
    if (end == UINT64_MAX) {
        tma_put(&title, ", never complete");
    } else {
        tma_putf(&title, ", complete after step %" TMA_U64, end);
    }
    v->kinds |= 1u << TMA_TIMELINE_ISSUED;
    canvas_print(v->s->out, TMA_STYLE_TEXT, TEXT_ENDS, v->x - 8, y + 13, "copy, line %u",
                 issued->line);
    canvas_cell(v->s->out, LOOK[TMA_TIMELINE_ISSUED].style, x_of(v, from), y, width, BAR_H,
                label.at, title.at, -1);
    return 1;
}

static int32_t draw_copies(view *v, int32_t y) {
    uint32_t drawn = 0, left = 0;
    for (uint64_t i = 0; i < v->t->events; i++) {
        const tma_timeline_event *e = &v->t->event[i];
        if (e->kind != TMA_TIMELINE_ISSUED) {
            continue;
        }
        if (drawn == MOST_COPIES) {
            left++;
        } else if (draw_copy(v, e, y)) {
            y += BAR_H + 4;
            drawn++;
        }
    }
    if (left) {
        canvas_print(v->s->out, TMA_STYLE_SMALL, TEXT_BEGINS, v->x, y + 10,
                     "%u later copies are not drawn", left);
        y += 18;
    }
    return y;
}

/* ---- phases ---- */

static int32_t draw_phases(view *v, int32_t y) {
    uint32_t drawn = 0;
    for (uint64_t i = 0; i < v->t->events && drawn < MOST_PHASES; i++) {
        const tma_timeline_event *e = &v->t->event[i];
        const int32_t column = column_of(v, e->step);
        if (e->kind != TMA_TIMELINE_PHASE || column < 0) {
            continue;
        }
        const int32_t x = x_of(v, column) + STEP_W;
        canvas_line(v->s->out, TMA_STYLE_PIXELS_EDGE, x, v->y, x, y + 12);
        canvas_print(v->s->out, TMA_STYLE_SMALL, TEXT_BEGINS, x + 3, y + 12,
                     "mbarrier 0x%" TMA_X64 " of CTA %" TMA_U64 ": phase %" TMA_U64 " completes",
                     e->barrier, v->t->warp[e->warp].cta, e->phase);
        y += 16;
        drawn++;
    }
    return y;
}

/* ---- the words ---- */

static int32_t draw_words(const view *v, int32_t y) {
    static const char *const WHICH[TMA_TIMELINE_MARKS] = {"later", "earlier"};
    const tma_timeline *t = v->t;
    canvas_print(v->s->out, TMA_STYLE_TEXT, TEXT_BEGINS, MARGIN, y,
                 "kernel %s: %s, %" TMA_U64 " steps", t->kernel, t->end, v->last);
    y += 18;
    if (t->finding) {
        canvas_text(v->s->out, TMA_STYLE_WARN, TEXT_BEGINS, MARGIN, y, t->finding);
        y += 18;
    }
    if (t->missing) {
        WORDS(missing);
        tma_putf(&missing, "missing: %s", t->missing);
        canvas_text(v->s->out, TMA_STYLE_TEXT, TEXT_BEGINS, MARGIN, y, missing.at);
        y += 18;
    }
    for (uint32_t i = 0; i < t->marks && i < TMA_TIMELINE_MARKS; i++) {
        const tma_timeline_mark *m = &t->mark[i];
        const tma_timeline_warp *w = &t->warp[m->warp];
        WORDS(step);
        tma_putf(&step, ", step %" TMA_U64, m->step);
        canvas_print(v->s->out, TMA_STYLE_TEXT, TEXT_BEGINS, MARGIN, y,
                     "%s: %s of CTA %" TMA_U64 ", warp %u, line %u%s",
                     t->marks > 1 ? WHICH[i] : "at", m->what, w->cta, w->warp, m->line,
                     m->step ? step.at : "");
        y += 18;
    }
    return y;
}

static int32_t draw_legend(view *v, int32_t y) {
    for (uint32_t kind = 0; kind < TMA_TIMELINE_KINDS; kind++) {
        if (v->kinds >> kind & 1 && LOOK[kind].words) {
            y = look_row(v->s, MARGIN, y, LOOK[kind].style, "n", LOOK[kind].words);
        }
    }
    if (v->t->marks) {
        y = look_row(v->s, MARGIN, y, TMA_STYLE_PICK, "n", "an access of the finding");
    }
    return y;
}

void draw_TIMELINE(scene *s, int32_t y) {
    view v = {.s = s, .t = s->drawing->timeline, .x = MARGIN + NAME_W};
    choose_steps(&v);
    y = draw_words(&v, y);
    v.y = y + 20;
    y = draw_warps(&v);
    y = draw_copies(&v, y);
    y = draw_phases(&v, y + 4);
    y = draw_legend(&v, y + 12);
    if (v.apart > 1) {
        canvas_print(s->out, TMA_STYLE_SMALL, TEXT_BEGINS, MARGIN, y + 14,
                     "a column is %" TMA_U64 " steps; of a warp's the one that says most is drawn",
                     v.apart);
        y += 18;
    }
    if (v.t->warps > drawn_warps(&v)) {
        canvas_print(s->out, TMA_STYLE_WARN, TEXT_BEGINS, MARGIN, y + 14,
                     "%u of %u warps are drawn", drawn_warps(&v), v.t->warps);
    }
}
