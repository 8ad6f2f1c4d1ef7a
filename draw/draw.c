/* SPDX-License-Identifier: Apache-2.0
 *
 * From a drawing to marks: what is asked is looked up once, then a picture draws it.
 */
#include <string.h>

#include "scene.h"
#include "tma/detail/chars.h"
#include "tma/grammar.h"

#define MOST_COUNTED_B (UINT64_C(1) << 20) /* beyond it rows are not counted: forged maps only */

enum { NEEDS_MAP, NEEDS_COPY, NEEDS_RUN };

static const struct {
    const char *name;
    const char *summary;
    void (*draw)(scene *s, int32_t y);
    int needs;
} pictures[TMA_PICTURES] = {
#define PICTURE(id, name, needs, summary) {name, summary, draw_##id, NEEDS_##needs},
#include "tma/draw_pictures.def"
};

static const char *const labels[TMA_LABELS] = {"number", "chunk", "coord", "bank"};
static const char *const colors[TMA_COLORS] = {"chunk", "row", "column", "bank"};

const char *tma_picture_name(uint32_t picture) {
    return picture < TMA_PICTURES ? pictures[picture].name : "?";
}

const char *tma_picture_summary(uint32_t picture) {
    return picture < TMA_PICTURES ? pictures[picture].summary : "?";
}

int tma_picture_needs_copy(uint32_t picture) {
    return picture < TMA_PICTURES && pictures[picture].needs == NEEDS_COPY;
}

static int needs_run(uint32_t picture) {
    return picture < TMA_PICTURES && pictures[picture].needs == NEEDS_RUN;
}

const char *tma_label_name(uint32_t label) {
    return label < TMA_LABELS ? labels[label] : "?";
}

const char *tma_color_name(uint32_t color) {
    return color < TMA_COLORS ? colors[color] : "?";
}

bool tma_picture_find(uint32_t *picture, const char *name) {
    for (uint32_t i = 0; picture && name && i < TMA_PICTURES; i++) {
        if (!text_compare(name, pictures[i].name)) {
            *picture = i;
            return true;
        }
    }
    return false;
}

static int is_gather(uint32_t mode) {
    return mode == TMA_MODE_GATHER4 || mode == TMA_MODE_SCATTER4;
}

static tma_instruction instruction_of(const tma_drawing *d, const tma_decoded *map) {
    tma_instruction in = {0};
    if (d->instruction) {
        return *d->instruction;
    }
    in.mode = map->spec.api == TMA_API_TILED ? TMA_MODE_TILE : TMA_MODE_IM2COL;
    return in;
}

/* Whether a run can be drawn: each warp that it names is there. */
static const char *unfit_run(const tma_drawing *d) {
    const tma_timeline *t = d->timeline;
    if (!t) {
        return "timeline draws a run: tma draw timeline FILE.trace";
    }
    int is_whole = t->kernel && t->end && t->warps && t->warp && t->marks <= TMA_TIMELINE_MARKS &&
                   (t->event || !t->events) && d->theme < TMA_THEMES;
    for (uint64_t i = 0; is_whole && i < t->events; i++) {
        is_whole = t->event[i].warp < t->warps && t->event[i].kind < TMA_TIMELINE_KINDS;
    }
    for (uint32_t i = 0; is_whole && i < t->marks; i++) {
        is_whole = t->mark[i].warp < t->warps && t->mark[i].what;
    }
    return is_whole ? NULL : "a null pointer, or a number that no picture has";
}

const char *tma_draw_unfit(const tma_drawing *d) {
    tma_decoded map;
    tma_mma_question question;
    if (d && needs_run(d->picture)) {
        return unfit_run(d);
    }
    if (!d || !d->map || d->picture >= TMA_PICTURES || d->label >= TMA_LABELS ||
        d->color >= TMA_COLORS || d->theme >= TMA_THEMES || d->reader >= TMA_READERS ||
        tma_decode(&map, d->map) != TMA_OK) {
        return "a null pointer, or a number that no picture has";
    }
    const tma_instruction in = instruction_of(d, &map);
    const int tiled = map.spec.api == TMA_API_TILED;
    switch (d->picture) {
    case TMA_PICTURE_BOX:
        return tiled && !is_gather(in.mode) ? NULL
                                            : "box draws tiled maps in .tile mode; im2col and "
                                              "gather draw the others";
    case TMA_PICTURE_IM2COL:
        return tiled ? "im2col draws im2col maps; box draws tiled ones" : NULL;
    case TMA_PICTURE_GATHER:
        return is_gather(in.mode) ? NULL : "gather draws .tile::gather4 and .tile::scatter4 copies";
    case TMA_PICTURE_PACKED:
        return tma_dtype_bits(map.spec.dtype) % 8 ? NULL : "packed draws 4- and 6-bit types";
    case TMA_PICTURE_BANKS:
        return in.op == TMA_OP_LOAD ? NULL : "banks draws what a load left in shared memory";
    case TMA_PICTURE_MMA:
        return mma_question(&question, d, &map.spec);
    case TMA_PICTURE_SWIZZLE:
        return in.op == TMA_OP_PREFETCH ? "a prefetch has no shared memory" : NULL;
    default:
        return NULL;
    }
}

/* ---- The scene ---- */

static uint32_t lines_of_row(const scene *s) {
    const uint32_t lines = (tma_plan_info(&s->plan)->pitch_B + LINE_B - 1) / LINE_B;
    return lines ? lines : 1;
}

/* Which rows are drawn, so that no panel has more lines than asked for. */
static void choose_rows(scene *s) {
    const tma_plan_facts *const facts = tma_plan_info(&s->plan);
    const tma_drawing *d = s->drawing;
    const uint64_t pitch_B = facts->pitch_B ? facts->pitch_B : 1;
    uint32_t lines = d->lines ? d->lines : TMA_DRAW_LINES;
    lines = lines < TMA_DRAW_MOST_LINES ? lines : TMA_DRAW_MOST_LINES;
    s->is_counted = (uint64_t)facts->rows * pitch_B <= MOST_COUNTED_B;
    s->all_rows = facts->rows;
    if (s->is_counted && tma_plan_report(&s->report, &s->plan, &s->at, NULL) == TMA_OK) {
        s->all_rows = s->report.rows;
    }
    s->most_rows = s->is_counted ? s->all_rows : (uint32_t)(MOST_COUNTED_B / TMA_CELL_B);
    const uint64_t last_B = (uint64_t)d->row * pitch_B;
    s->from = d->row < s->all_rows && last_B <= MOST_COUNTED_B ? d->row : 0;
    s->rows = lines / lines_of_row(s);
    s->rows = s->rows ? s->rows : 1;
    s->rows = s->rows < s->all_rows - s->from ? s->rows : s->all_rows - s->from;
}

typedef struct differences {
    scene *s;
    int64_t first[TMA_MAX_RANK];
    int any;
} differences;

static int compare_coords(void *context, const tma_run *run) {
    differences *d = (differences *)context;
    if (run->row < d->s->from || run->row >= d->s->from + d->s->rows) {
        return run->row >= d->s->from;
    }
    if (!d->any) {
        memcpy(d->first, run->coord, sizeof(d->first));
        d->any = 1;
    }
    for (uint32_t i = 0; i < run->rank; i++) {
        d->s->shown |= run->coord[i] != d->first[i] ? 1u << i : 0;
    }
    return 0;
}

/* Whether any address bit changes the one that tells the halves of a cell apart. */
static int moves_halves(tma_swizzle_bits bits) {
    for (uint32_t bit = 0; bit < 16; bit++) {
        if ((tma_swizzled(bits, 1u << bit) ^ 1u << bit) & TMA_CELL_B / 2) {
            return 1;
        }
    }
    return 0;
}

static tma_status set_scene(scene *s, const tma_drawing *d, canvas *out, tma_finding *why) {
    memset(s, 0, sizeof(*s));
    const tma_plan_facts *const facts = tma_plan_info(&s->plan);
    if (tma_draw_unfit(d)) {
        return TMA_INVALID;
    }
    s->drawing = d;
    s->out = out;
    if (needs_run(d->picture)) {
        return TMA_OK;
    }
    if (tma_decode(&s->map, d->map) != TMA_OK) {
        return TMA_INVALID;
    }
    s->in = instruction_of(d, &s->map);
    if (d->at) {
        s->at = *d->at;
    }
    if (pictures[d->picture].needs == NEEDS_MAP) {
        return TMA_OK;
    }
    tma_status status = tma_plan_make(&s->plan, d->map, &s->in, d->target, why);
    status = status == TMA_OK ? tma_plan_at(&s->plan, &s->at, why) : status;
    if (status == TMA_OK) {
        differences differ = {s, {0}, 0};
        choose_rows(s);
        s->has_halves = moves_halves(tma_plan_info(&s->plan)->swizzle_bits);
        tma_walk_rows(&s->plan, &s->at, compare_coords, &differ);
        s->shown |= facts->unit_B ? 0 : 1;
        s->shown |= facts->rank > 1 ? 1u << facts->first : 0;
    }
    return status;
}

/* ---- Words above the picture ---- */

static void put_name(tma_out *t, const char *before, tma_enum_kind kind, uint32_t number) {
    const tma_enum_row *row = tma_enum_row_of(kind, number);
    if (row) {
        tma_putf(t, "%s%s", before, row->name);
    } else {
        tma_putf(t, "%s%u", before, number);
    }
}

static void put_sizes(tma_out *t, const char *before, const uint32_t *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        tma_putf(t, "%s%u", i ? " × " : before, list[i]);
    }
}

static void put_corner(tma_out *t, const char *before, const int32_t *corner, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        tma_putf(t, "%s%d", i ? "," : before, corner[i]);
    }
}

/* A map that im2col::w reads has corners along W; along H and D it stores 0. */
static void put_box(tma_out *t, const tma_spec *spec, uint32_t rank, int is_wide) {
    if (spec->api == TMA_API_TILED) {
        put_sizes(t, ", box ", spec->box_el, rank);
        return;
    }
    const uint32_t spatial = rank <= 2 ? 0 : is_wide ? 1 : rank - 2;
    put_corner(t, ", lower corner ", spec->lower_px, spatial);
    put_corner(t, ", upper corner ", spec->upper_px, spatial);
    tma_putf(t, ", channels %u, pixels %u", spec->channels_per_pixel, spec->pixels_per_column);
}

static void put_map(tma_out *t, const tma_spec *spec, int is_wide) {
    const uint32_t rank = spec->rank < TMA_MAX_RANK ? spec->rank : TMA_MAX_RANK;
    int strides = 0;
    put_name(t, "", TMA_ENUM_DTYPE, spec->dtype);
    for (uint32_t i = 0; i < rank; i++) {
        tma_putf(t, "%s%" TMA_U64, i ? " × " : ", tensor ", spec->dim_el[i]);
        strides |= spec->element_stride[i] > 1;
    }
    put_box(t, spec, rank, is_wide);
    if (strides) {
        put_sizes(t, ", element strides ", spec->element_stride, rank);
    }
    if (spec->interleave) {
        put_name(t, ", interleave ", TMA_ENUM_INTERLEAVE, spec->interleave);
    }
    put_name(t, ", swizzle ", TMA_ENUM_SWIZZLE, spec->swizzle);
}

static int has_offsets(const scene *s) {
    return tma_mode_offsets(s->in.op, s->in.mode, tma_plan_info(&s->plan)->rank) != 0;
}

static void put_copy(tma_out *t, const scene *s) {
    const uint32_t coords = is_gather(s->in.mode) ? TMA_MAX_RANK : tma_plan_info(&s->plan)->rank;
    tma_putf(t, "%s, %s", tma_op_name(s->in.op), tma_mode_name(s->in.mode));
    for (uint32_t i = 0; i < coords; i++) {
        tma_putf(t, "%s%d", i ? ", " : ", {", s->at.coord[i]);
    }
    tma_put(t, "}");
    if (has_offsets(s) && tma_mode_is_wide(s->in.mode)) {
        tma_putf(t, ", wHalo %u, wOffset %u", s->at.offset[0], s->at.offset[1]);
    } else if (has_offsets(s)) {
        for (uint32_t i = 0; i < tma_plan_info(&s->plan)->spatial; i++) {
            tma_putf(t, "%s%u", i ? ", " : ", {", s->at.offset[i]);
        }
        tma_put(t, "}");
    }
    if (s->in.op != TMA_OP_PREFETCH) {
        tma_putf(t, ", shared address 0x%x", s->at.shared_address);
    }
}

static int32_t heading(scene *s) {
    const uint32_t picture = s->drawing->picture;
    WORDS(map);
    WORDS(copy);
    const char *summary = tma_picture_summary(picture);
    const char first = *summary >= 'a' && *summary <= 'z' ? (char)(*summary - 'a' + 'A') : *summary;
    canvas_print(s->out, TMA_STYLE_TITLE, TEXT_BEGINS, MARGIN, MARGIN + 16, "%c%s", first,
                 summary + 1);
    if (needs_run(picture)) {
        return MARGIN + 42;
    }
    put_map(&map, &s->map.spec, tma_mode_is_wide(s->in.mode));
    canvas_text(s->out, TMA_STYLE_TEXT, TEXT_BEGINS, MARGIN, MARGIN + 38, map.at);
    if (!tma_picture_needs_copy(picture)) {
        return MARGIN + 60;
    }
    put_copy(&copy, s);
    canvas_text(s->out, TMA_STYLE_TEXT, TEXT_BEGINS, MARGIN, MARGIN + 56, copy.at);
    WORDS(readings);
    tma_put(&readings, "the sources disagree here; drawn as ");
    if (tma_put_plan_readings(&readings, &s->plan, &s->at)) {
        canvas_text(s->out, TMA_STYLE_TEXT, TEXT_BEGINS, MARGIN, MARGIN + 74, readings.at);
        return MARGIN + 102;
    }
    return MARGIN + 84;
}

tma_status draw_onto(canvas *out, const tma_drawing *d, tma_finding *why) {
    scene s;
    const tma_status status = set_scene(&s, d, out, why);
    if (status == TMA_OK) {
        out->is_untitled = d->untitled || out->is_silent;
        pictures[d->picture].draw(&s, heading(&s));
    }
    return status;
}

void draw_page(canvas *out, tma_draw_size *size) {
    size->width += MARGIN;
    size->height += MARGIN;
    size->marks++;
    canvas_rect(out, TMA_STYLE_PAGE, 0, 0, size->width, size->height);
}

tma_status tma_draw_measure(tma_draw_size *out, const tma_drawing *d, tma_finding *why) {
    canvas c = {.is_silent = 1};
    const tma_status status = out ? draw_onto(&c, d, why) : TMA_INVALID;
    if (status == TMA_OK) {
        *out = c.size;
        draw_page(&c, out);
    }
    return status;
}

tma_status tma_draw(const tma_drawing *d, tma_mark_visitor visit, void *context, tma_finding *why) {
    canvas measured = {.is_silent = 1};
    const tma_status status = visit ? draw_onto(&measured, d, why) : TMA_INVALID;
    if (status == TMA_OK) {
        canvas c = {.visit = visit, .context = context};
        draw_page(&c, &measured.size);
        draw_onto(&c, d, NULL);
    }
    return status;
}
