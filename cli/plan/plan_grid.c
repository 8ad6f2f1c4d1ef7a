/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting a grid. How a copy fares follows from how it lies along each axis, so each axis is gone
 * along by itself, its positions are sorted into classes that lie alike, and one copy of each
 * combination of classes is judged.
 */
#include "plan_grid.h"

#include <string.h>

#include "tma/detail/assert.h"
#include "tma/detail/divisor.h"
#include "tma/measure.h"

#define CLASSES 64
#define AT_ONCE 65536 /* positions between two looks at the clock */

/* Positions of an axis that lie alike. */
typedef struct class {
    grid_kind kind; /* but for the other axes */
    int is_negative;
    int rule, index; /* of the trap, 0 if none */
    uint64_t count;
    uint32_t shown;
    uint64_t first[GRID_FIRST];
} class;

typedef struct classes {
    uint32_t count;
    class of[CLASSES];
} classes;

/* Keeps the least numbers, in order. */
static void keep(uint64_t *kept, uint32_t *count, uint64_t number) {
    TMA_ASSERT(*count <= GRID_FIRST);
    uint32_t i = *count;
    if (i == GRID_FIRST && number >= kept[i - 1]) {
        return;
    }
    i -= i == GRID_FIRST;
    for (; i > 0 && kept[i - 1] > number; i--) {
        kept[i] = kept[i - 1];
    }
    kept[i] = number;
    *count += *count < GRID_FIRST;
}

static void set_axis(tma_position *at, const grid_axis *axis, uint64_t k) {
    uint64_t turn = k * axis->column;
    for (uint32_t i = 0; i < axis->loops; i++) {
        const grid_loop *loop = &axis->loop[i];
        TMA_ASSERT(loop->count);
        at->coord[axis->dim[i]] =
            (int32_t)(loop->start + loop->step * (int64_t)(turn % loop->count));
        turn /= loop->count;
    }
}

void grid_position(tma_position *at, const grid *g, uint64_t number) {
    for (uint32_t i = 0; i < g->axes; i++) {
        set_axis(at, &g->axis[i], number % g->axis[i].count);
        number /= g->axis[i].count;
    }
}

/* How many of `count` indices from `from` on, `step` apart, are below dim and not negative. */
static grid_kind line_kind(int64_t from, uint32_t step, uint32_t count, uint64_t dim) {
    TMA_ASSERT(step && count);
    uint32_t inside = 0;
    for (uint32_t i = 0; i < count; i++) {
        const int64_t index = from + (int64_t)i * step;
        inside += index >= 0 && (uint64_t)index < dim;
    }
    return inside == count ? GRID_WHOLE : inside ? GRID_CUT : GRID_OUTSIDE;
}

/* From index to index of a tile. */
static uint32_t box_step(const tma_plan_facts *facts, uint32_t dim) {
    const int all = (dim == 0 && !facts->unit_B) || facts->stride_el[dim] == 0;
    return all ? 1 : facts->stride_el[dim];
}

static grid_kind column_kind(const tma_plan_facts *facts, const copy_args *args,
                             const tma_position *at) {
    tma_report_result report;
    tma_position first = *at;
    uint64_t row_B = facts->row_B;
    first.coord[facts->unit_B ? facts->rank - 2 : 0] = 0;
    if (tma_plan_report(&report, &args->plan, &first, NULL) != TMA_OK) {
        return GRID_WHOLE; /* traps: asked again */
    }
    if (!facts->unit_B && facts->dim_el[0] < facts->row_el) {
        row_B = facts->dim_el[0] * facts->bits / 8;
    }
    return report.inside_B == report.rows * row_B ? GRID_WHOLE
           : report.inside_B                      ? GRID_CUT
                                                  : GRID_OUTSIDE;
}

/* The class of position k of axis a, the others at `at`. */
static class judge(const grid_axis *axis, int is_column, uint64_t k, const copy_args *args,
                   const tma_position *others) {
    const tma_plan_facts *facts = tma_plan_info(&args->plan);
    const uint32_t dim = axis->dim[0];
    tma_position at = *others;
    tma_finding why = {0};
    class c = {0};
    set_axis(&at, axis, k);
    if (tma_plan_at(&args->plan, &at, &why) != TMA_OK) {
        c.kind = GRID_TRAPS;
        c.rule = why.rule;
        c.index = (int)why.index; // NOLINT(bugprone-signed-char-misuse,cert-str34-c): -1 is none
        c.is_negative = !is_column && at.coord[dim] < 0;
    } else if (is_column) {
        c.kind = column_kind(facts, args, &at);
    } else if (tma_mode_is_im2col(facts->mode)) {
        c.kind = line_kind(at.coord[dim], 1, facts->unit_B ? 1 : facts->row_el, facts->dim_el[dim]);
        c.is_negative = at.coord[dim] < 0;
    } else {
        c.kind =
            line_kind(at.coord[dim], box_step(facts, dim), facts->count[dim], facts->dim_el[dim]);
        c.is_negative = at.coord[dim] < 0;
    }
    return c;
}

static void add(classes *all, const class *c, uint64_t k, uint64_t count, uint64_t every) {
    uint32_t i = 0;
    while (i < all->count &&
           !(all->of[i].kind == c->kind && all->of[i].is_negative == c->is_negative &&
             all->of[i].rule == c->rule && all->of[i].index == c->index)) {
        i++;
    }
    if (i == all->count) {
        TMA_ASSERT(i < CLASSES);
        all->of[all->count++] = *c;
    }
    all->of[i].count += count;
    for (uint64_t n = 0; n < GRID_FIRST && n < count; n++) {
        keep(all->of[i].first, &all->of[i].shown, k + n * every);
    }
}

/* After so many positions of a loop its copies repeat, as long as they lie between the same two of
 * the places where a box begins to leave the tensor; 0 if unknown. */
static uint64_t period(const copy_args *args, const grid_loop *loop, uint32_t dim) {
    const tma_plan_facts *facts = tma_plan_info(&args->plan);
    tma_measure_result measure;
    if (tma_measure(&measure, &args->asked.map.spec, &args->asked.map.target.target) != TMA_OK) {
        return 0;
    }
    const uint64_t repeat_el = (uint64_t)(dim == 0 ? measure.coord0_el : 1) * box_step(facts, dim);
    const uint64_t step = (uint64_t)(loop->step < 0 ? -loop->step : loop->step);
    if (!repeat_el) {
        return 0;
    }
    return repeat_el / common_divisor(repeat_el, step ? step : repeat_el);
}

/* The first position of the loop from k on at which one of the marks lies behind the coordinate. */
static uint64_t stretch_end(const grid_loop *loop, uint64_t k, const int64_t *mark,
                            uint32_t marks) {
    TMA_ASSERT(k < loop->count);
    const int64_t now = loop->start + loop->step * (int64_t)k;
    uint64_t end = loop->count;
    for (uint32_t i = 0; i < marks && loop->step; i++) {
        const int up = loop->step > 0;
        if (up ? now < mark[i] : now >= mark[i]) {
            const uint64_t way = (uint64_t)(up ? mark[i] - now : now - mark[i] + 1);
            const uint64_t step = (uint64_t)(up ? loop->step : -loop->step);
            const uint64_t at = k + (way + step - 1) / step;
            end = at < end ? at : end;
        }
    }
    return end;
}

static void walk_line(classes *all, const grid_axis *axis, const copy_args *args,
                      const tma_position *others, progress *shown) {
    const tma_plan_facts *facts = tma_plan_info(&args->plan);
    const grid_loop *loop = &axis->loop[0];
    const uint32_t dim = axis->dim[0];
    const uint64_t every = period(args, loop, dim);
    const int64_t tensor = (int64_t)facts->dim_el[dim];
    const int im2col = tma_mode_is_im2col(facts->mode);
    const uint32_t count = im2col ? facts->row_el : facts->count[dim];
    const int64_t reach = (int64_t)(count - 1) * (im2col ? 1 : box_step(facts, dim));
    const int64_t marks[] = {-reach, 0, tensor - reach, tensor};
    for (uint64_t k = 0; k < axis->count;) {
        const uint64_t end = every ? stretch_end(loop, k, marks, 4) : axis->count;
        TMA_ASSERT(end > k && end <= axis->count);
        const uint64_t turn = every && every < end - k ? every : end - k;
        for (uint64_t n = 0; n < turn; n++) {
            const class c = judge(axis, 0, k + n, args, others);
            add(all, &c, k + n, (end - k - n + turn - 1) / turn, turn);
            if (n % AT_ONCE == 0) {
                progress_at(shown, k + n, axis->count);
            }
        }
        k = end;
    }
}

static void walk_column(classes *all, const grid_axis *axis, const copy_args *args,
                        const tma_position *others, progress *shown) {
    for (uint64_t k = 0; k < axis->count; k++) {
        const class c = judge(axis, 1, k, args, others);
        add(all, &c, k, 1, 1);
        if (k % 256 == 0) {
            progress_at(shown, k, axis->count);
        }
    }
}

static grid_group *group_of(grid_counts *out, grid_kind kind, const tma_finding *why) {
    uint32_t i = kind;
    if (kind == GRID_TRAPS) {
        while (i < out->groups &&
               !(out->group[i].why.rule == why->rule && out->group[i].why.index == why->index)) {
            i++;
        }
    }
    if (i == out->groups) {
        out->groups++;
        TMA_ASSERT(i < sizeof(out->group) / sizeof(out->group[0]));
        out->group[i].kind = kind;
    }
    return &out->group[i];
}

/* The copies whose position on each axis is of the class picked. */
static void count_together(grid_counts *out, const grid *g, const classes *all,
                           const uint32_t *picked, const copy_args *args) {
    tma_position at = args->asked.copy.at;
    tma_finding why = {0};
    grid_kind kind = GRID_WHOLE;
    uint64_t copies = 1;
    uint32_t tuples = 1;
    for (uint32_t i = 0; i < g->axes; i++) {
        const class *c = &all[i].of[picked[i]];
        TMA_ASSERT(c->count && c->shown && c->shown <= GRID_FIRST);
        set_axis(&at, &g->axis[i], c->first[0]);
        kind = c->kind > kind ? c->kind : kind;
        copies *= c->count;
        tuples *= c->shown;
    }
    if (tma_plan_at(&args->plan, &at, &why) != TMA_OK) {
        kind = GRID_TRAPS;
    }
    grid_group *group = group_of(out, kind, &why);
    const uint64_t least_before = group->shown ? group->number[0] : UINT64_MAX;
    group->copies += copies;
    for (uint32_t n = 0; n < tuples; n++) {
        uint32_t rest = n;
        uint64_t number = 0;
        uint64_t turn = 1;
        for (uint32_t i = 0; i < g->axes; i++) {
            const class *c = &all[i].of[picked[i]];
            number += c->first[rest % c->shown] * turn;
            turn *= g->axis[i].count;
            rest /= c->shown;
        }
        keep(group->number, &group->shown, number);
    }
    if (kind == GRID_TRAPS && group->number[0] < least_before) {
        group->why = why;
    }
}

/* A start that no bounding box refuses. */
static tma_position in_the_box(const copy_args *args) {
    const tma_plan_facts *facts = tma_plan_info(&args->plan);
    tma_position at = args->asked.copy.at;
    for (uint32_t i = 0; i < facts->spatial; i++) {
        at.coord[facts->first + i] = facts->lower_px[i];
    }
    return at;
}

void grid_count(grid_counts *out, const grid *g, const copy_args *args) {
    static classes all[TMA_MAX_RANK];
    uint32_t picked[TMA_MAX_RANK] = {0};
    tma_position others = args->asked.copy.at;
    progress shown;
    memset(out, 0, sizeof(*out));
    memset(all, 0, sizeof(all));
    out->groups = GRID_TRAPS;
    for (uint32_t i = 0; i < out->groups; i++) {
        out->group[i].kind = (grid_kind)i;
    }
    progress_begin(&shown, "starts");
    const int im2col = tma_mode_is_im2col(tma_plan_info(&args->plan)->mode);
    for (uint32_t i = 0; i < g->axes; i++) {
        others = im2col && i == 0 ? in_the_box(args) : args->asked.copy.at;
        (im2col && i == 1 ? walk_column : walk_line)(&all[i], &g->axis[i], args, &others, &shown);
    }
    progress_end(&shown);
    for (uint32_t i = 0; i < g->axes;) {
        count_together(out, g, all, picked, args);
        for (i = 0; i < g->axes && ++picked[i] == all[i].count; i++) {
            picked[i] = 0;
        }
    }
}
