/* SPDX-License-Identifier: Apache-2.0
 *
 * Grids: from options and maps, in words and in JSON.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "out_text.h"
#include "plan_grid.h"
#include "tma/measure.h"

static const char *const names[] = {"whole", "cut", "outside", "traps"};
static const char *const texts[] = {"inside the tensor", "cut by the edge", "outside of it", ""};

static int multiply(uint64_t *product, uint64_t factor) {
    if (factor && *product > UINT64_MAX / factor) {
        return -1;
    }
    *product *= factor;
    return 0;
}

static int number(int64_t *out, const char **at, char end) {
    const size_t length = strcspn(*at, ":");
    int32_t read = 0;
    if ((*at)[length] != end || tma_read_i32(&read, *at, length, "", NULL)) {
        return -1;
    }
    *out = read;
    *at += length + (end != 0);
    return 0;
}

/* START:STEP:COUNT of one dimension. */
static int read_loop(grid_loop *loop, const char *text, uint32_t dim, tma_error *error) {
    const char *at = text;
    int64_t count = 0;
    if (number(&loop->start, &at, ':') || number(&loop->step, &at, ':') || number(&count, &at, 0)) {
        return tma_fail(error, "--grid[%u]: '%.80s' is no START:STEP:COUNT, e.g. 0:64:10", dim,
                        text);
    }
    if (count < 1) {
        return tma_fail(error, "--grid[%u]: a count of %" PRId64 ", must be at least 1", dim,
                        count);
    }
    loop->count = (uint64_t)count;
    return 0;
}

static int read_loops(grid_loop *loops, uint32_t rank, const char *text, tma_error *error) {
    char word[128];
    for (uint32_t i = 0; i < rank; i++) {
        const size_t length = strcspn(text, ",");
        if (!length || (text[length] == 0) != (i + 1 == rank)) {
            return tma_fail(
                error, "--grid: START:STEP:COUNT for each of %u dimensions, with commas", rank);
        }
        snprintf(word, sizeof(word), "%.*s", (int)(length < 127 ? length : 127), text);
        if (read_loop(&loops[i], word, i, error)) {
            return -1;
        }
        text += length + (text[length] != 0);
    }
    return 0;
}

/* Each loop's coordinates are numbers of 32 bits, as where it begins and its step are. */
static int loop_fits(const grid_loop *loop, uint32_t dim, tma_error *error) {
    const int64_t last = loop->count > UINT32_MAX
                             ? INT64_MAX
                             : loop->start + loop->step * (int64_t)(loop->count - 1);
    if (last < INT32_MIN || last > INT32_MAX) {
        return tma_fail(error, "--grid[%u]: coordinates are signed numbers of 32 bits", dim);
    }
    return 0;
}

/* Steps of a box from 0 on; im2col: of the box's traversal from the lower corner on. */
static void cover(grid_loop *loops, const copy_args *args, const tma_measure_result *measure) {
    const tma_spec *s = &args->asked.map.spec;
    const tma_plan_facts *facts = tma_plan_info(&args->plan);
    const uint32_t slice = facts->unit_B ? s->rank - 2 : TMA_MAX_RANK;
    for (uint32_t i = 0; i < s->rank; i++) {
        const uint32_t pixel = i - facts->first;
        if (s->api == TMA_API_TILED) {
            loops[i] = (grid_loop){0, i == slice ? 1 : s->box_el[i], measure->count[i]};
        } else if (i == slice || (i == 0 && !facts->unit_B)) {
            loops[i] = (grid_loop){0, facts->unit_B ? 1 : s->channels_per_pixel, measure->count[0]};
        } else {
            const int is_spatial = pixel < facts->spatial;
            const int64_t lower = is_spatial ? facts->lower_px[pixel] : 0;
            const int64_t upper = is_spatial ? facts->upper_px[pixel] : 0;
            const uint64_t extent = (uint64_t)((int64_t)facts->dim_el[i] + upper - lower);
            const uint32_t step = s->element_stride[i];
            loops[i] = (grid_loop){lower, step, (extent + step - 1) / step};
        }
    }
}

static int arrange(grid *g, const grid_loop *loops, const copy_args *args, uint64_t column,
                   tma_error *error) {
    const tma_plan_facts *facts = tma_plan_info(&args->plan);
    const int im2col = tma_mode_is_im2col(facts->mode);
    const uint32_t channel = facts->unit_B ? facts->rank - 2u : 0;
    g->copies = 1;
    for (uint32_t i = 0; i < facts->rank; i++) {
        grid_axis *axis = &g->axis[im2col ? i != channel : i];
        if (loop_fits(&loops[i], i, error)) {
            return -1;
        }
        axis->column = 1;
        axis->dim[axis->loops] = i;
        axis->loop[axis->loops++] = loops[i];
    }
    g->axes = im2col ? 2 : facts->rank;
    for (uint32_t i = 0; i < g->axes; i++) {
        grid_axis *axis = &g->axis[i];
        axis->count = 1;
        for (uint32_t k = 0; k < axis->loops; k++) {
            if (multiply(&axis->count, axis->loop[k].count)) {
                return tma_fail(error, "--grid: more copies than 64 bits hold");
            }
        }
        if (im2col && i == 1) {
            axis->column = column;
            axis->count = axis->count / column + (axis->count % column != 0);
        }
        if (multiply(&g->copies, axis->count)) {
            return tma_fail(error, "--grid: more copies than 64 bits hold");
        }
    }
    return 0;
}

int grid_of(grid *g, const copy_args *args, const char *text, tma_error *error) {
    const tma_plan_facts *facts = tma_plan_info(&args->plan);
    tma_measure_result measure;
    grid_loop loops[TMA_MAX_RANK] = {{0, 0, 0}};
    uint64_t column = 1;
    memset(g, 0, sizeof(*g));
    if (facts->mode != TMA_MODE_TILE && facts->mode != TMA_MODE_IM2COL) {
        return tma_fail(error, "--grid: modes tile and im2col; this is %s",
                        tma_mode_name(facts->mode));
    }
    if (text) {
        if (read_loops(loops, facts->rank, text, error)) {
            return -1;
        }
    } else if (tma_measure(&measure, &args->asked.map.spec, &args->asked.map.target.target) ==
               TMA_OK) {
        cover(loops, args, &measure);
        column = facts->mode == TMA_MODE_IM2COL ? measure.rows : 1;
    } else {
        return tma_fail(error, "--grid: the driver makes no such map, so no box of it covers the "
                               "tensor: give the loop as --grid=START:STEP:COUNT,...");
    }
    return arrange(g, loops, args, column, error);
}

static void put_position(FILE *out, const grid *g, uint64_t copy, const copy_args *args) {
    tma_position at = args->asked.copy.at;
    grid_position(&at, g, copy);
    for (uint32_t i = 0; i < tma_plan_info(&args->plan)->rank; i++) {
        fprintf(out, "%s%" PRId32, i ? ", " : "{", at.coord[i]);
    }
    fputc('}', out);
}

static void put_first(FILE *out, const grid *g, const grid_group *group, const copy_args *args) {
    for (uint32_t i = 0; i < group->shown; i++) {
        fputs(i ? ", " : ": ", out);
        put_position(out, g, group->number[i], args);
    }
    fputs(group->copies > group->shown ? " ...\n" : "\n", out);
}

static void put_shape(FILE *out, const grid *g) {
    for (uint32_t i = 0; i < g->axes; i++) {
        fprintf(out, "%s%" PRIu64, i ? " x " : "", g->axis[i].count);
    }
}

void grid_print(FILE *out, const grid *g, const grid_counts *counts, const copy_args *args,
                const color_set *colors) {
    fputs("a grid of ", out);
    put_shape(out, g);
    if (g->axes > 1) {
        fprintf(out, " = %" PRIu64, g->copies);
    }
    fprintf(out, " copies%s\n",
            tma_plan_info(&args->plan)->mode == TMA_MODE_TILE ? ""
                                                              : " (over channels, over pixels)");
    for (uint32_t i = 0; i < GRID_TRAPS; i++) {
        const grid_group *group = &counts->group[i];
        fprintf(out, "    %-24s %" PRIu64, texts[i], group->copies);
        put_first(out, g, group, args);
    }
    for (uint32_t i = GRID_TRAPS; i < counts->groups; i++) {
        const grid_group *group = &counts->group[i];
        fprintf(out, "\n%strap%s with %s: %" PRIu64, colors->severity[0], colors->end,
                tma_trap_name(&group->why), group->copies);
        put_first(out, g, group, args);
        out_finding(out, &group->why, colors);
    }
}

static void first_json(tma_json *json, const grid *g, const grid_group *group,
                       const copy_args *args) {
    tma_json_list(json, "first_coord");
    for (uint32_t i = 0; i < group->shown; i++) {
        tma_position at = args->asked.copy.at;
        grid_position(&at, g, group->number[i]);
        tma_json_list(json, NULL);
        for (uint32_t k = 0; k < tma_plan_info(&args->plan)->rank; k++) {
            tma_json_i64(json, NULL, at.coord[k]);
        }
        tma_json_end(json);
    }
    tma_json_end(json);
}

void grid_json(tma_json *json, const grid *g, const grid_counts *counts, const copy_args *args) {
    tma_json_object(json, "grid");
    tma_json_list(json, "count");
    for (uint32_t i = 0; i < g->axes; i++) {
        tma_json_u64(json, NULL, g->axis[i].count);
    }
    tma_json_end(json);
    tma_json_u64(json, "copies", g->copies);
    for (uint32_t i = 0; i < GRID_TRAPS; i++) {
        tma_json_object(json, names[i]);
        tma_json_u64(json, "copies", counts->group[i].copies);
        first_json(json, g, &counts->group[i], args);
        tma_json_end(json);
    }
    tma_json_list(json, names[GRID_TRAPS]);
    for (uint32_t i = GRID_TRAPS; i < counts->groups; i++) {
        const grid_group *group = &counts->group[i];
        tma_json_object(json, NULL);
        tma_json_u64(json, "copies", group->copies);
        tma_json_text(json, "trap", tma_trap_name(&group->why));
        first_json(json, g, group, args);
        tma_json_finding(json, "finding", &group->why);
        tma_json_end(json);
    }
    tma_json_end(json);
    tma_json_end(json);
}
