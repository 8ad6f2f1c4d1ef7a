/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of shared memory.
 */
#include "picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli_error.h"
#include "tma/detail/chars.h"
#include "tma/draw.h"

#define LINE_B  128
#define CELLS   (LINE_B / TMA_CELL_B)
#define TEXT_B  64
#define COLOURS 6

/* 16 bytes of shared memory. */
typedef struct cell {
    uint8_t kinds;   /* a bit for each tma_run_kind in it; none: a gap */
    uint8_t named_B; /* where the element lies that names it */
    uint8_t unit_B;  /* the element's byte within its interleave unit */
    uint32_t row;
    int64_t coord[TMA_MAX_RANK];
} cell;

typedef struct picture {
    const tma_plan *plan;
    uint64_t first; /* shared address of the first line */
    uint64_t lines;
    cell *cells;
    unsigned shown;  /* a bit for each dimension whose coordinate differs */
    unsigned kinds;  /* in any cell */
    unsigned partly; /* in a cell with elements of the tensor */
    int width;       /* of a cell's text */
} picture;

static int has_coords(unsigned kinds) {
    return (kinds & (1u << TMA_RUN_INSIDE | 1u << TMA_RUN_PAST_EDGE)) != 0;
}

/* A place in memory is named by the first of the parts in it that have coordinates, one inside the
 * tensor if there is any. */
static int add_part(void *context, const tma_cell *part) {
    picture *p = context;
    const uint64_t at = part->shared_address - p->first;
    const uint32_t in_cell = (uint32_t)(at % TMA_CELL_B);
    const uint32_t unit_B = tma_plan_info(p->plan)->unit_B;
    cell *c = &p->cells[at / TMA_CELL_B];
    const int was = has_coords(c->kinds);
    c->kinds |= (uint8_t)(1u << part->kind);
    if (!was || (part->kind == TMA_RUN_INSIDE && in_cell < c->named_B)) {
        memcpy(c->coord, part->coord, sizeof(c->coord));
        c->named_B = (uint8_t)in_cell;
        c->row = part->row;
        c->unit_B = (uint8_t)(unit_B ? part->offset_B % unit_B : 0);
    }
    return 0;
}

/* Coordinates that are the same in all cells are said once. */
static void find_shown(picture *p) {
    const cell *first = NULL;
    for (uint64_t i = 0; i < p->lines * CELLS; i++) {
        const cell *c = &p->cells[i];
        p->kinds |= c->kinds;
        p->partly |= has_coords(c->kinds) ? c->kinds : 0;
        if (!has_coords(c->kinds)) {
            continue;
        }
        first = first ? first : c;
        for (uint32_t d = 0; d < tma_plan_info(p->plan)->rank; d++) {
            p->shown |= c->coord[d] != first->coord[d] ? 1u << d : 0;
        }
    }
    p->shown |= tma_plan_info(p->plan)->unit_B ? 0 : 1;
    p->shown |= p->shown ? 0 : 1;
}

static const char *outside_word(const tma_plan *plan) {
    return tma_plan_info(plan)->op == TMA_OP_LOAD ? "fill" : "drop";
}

static void cell_text(const picture *p, const cell *c, char text[TEXT_B]) {
    size_t used = 0;
    text[0] = 0;
    if (!has_coords(c->kinds)) {
        snprintf(text, TEXT_B, "%s",
                 c->kinds & 1u << TMA_RUN_OUTSIDE   ? outside_word(p->plan)
                 : c->kinds & 1u << TMA_RUN_PADDING ? "pad"
                                                    : "--");
        return;
    }
    for (uint32_t d = 0; d < tma_plan_info(p->plan)->rank; d++) {
        if (p->shown & 1u << d) {
            used += (size_t)snprintf(text + used, TEXT_B - used, "%s%" PRId64, used ? "," : "",
                                     c->coord[d]);
        }
    }
    if (c->unit_B) {
        used += (size_t)snprintf(text + used, TEXT_B - used, "+%uB", c->unit_B);
    }
    snprintf(text + used, TEXT_B - used, "%s%s", c->kinds & 1u << TMA_RUN_OUTSIDE ? "~" : "",
             c->kinds & 1u << TMA_RUN_PAST_EDGE ? "!" : "");
}

static void find_width(picture *p) {
    char text[TEXT_B];
    p->width = 4;
    for (uint64_t i = 0; i < p->lines * CELLS; i++) {
        cell_text(p, &p->cells[i], text);
        p->width = (int)strlen(text) > p->width ? (int)strlen(text) : p->width;
    }
}

static void print_names(FILE *out, const picture *p) {
    const cell *c = p->cells;
    while (!has_coords(c->kinds) && c + 1 < p->cells + p->lines * CELLS) {
        c++;
    }
    fputs("each cell is 16 B, named by the coordinates of its first element:", out);
    for (uint32_t d = 0, any = 0; d < tma_plan_info(p->plan)->rank; d++) {
        if (p->shown & 1u << d) {
            fprintf(out, "%s c%" PRIu32, any++ ? "," : "", d);
        }
    }
    for (uint32_t d = 0, any = 0; d < tma_plan_info(p->plan)->rank && has_coords(c->kinds); d++) {
        if (!(p->shown & 1u << d)) {
            fprintf(out, "%s c%" PRIu32 " = %" PRId64, any++ ? "," : "; in all of them", d,
                    c->coord[d]);
        }
    }
    fputc('\n', out);
}

static void print_line(FILE *out, const picture *p, uint64_t line, const color_set *colors) {
    static const char *const cycle[COLOURS] = {"\033[36m", "\033[33m", "\033[35m",
                                               "\033[32m", "\033[34m", "\033[31m"};
    char text[TEXT_B];
    fprintf(out, "%s0x%05" PRIx64 "%s", colors->dim, p->first + line * LINE_B, colors->end);
    for (uint32_t i = 0; i < CELLS; i++) {
        const cell *c = &p->cells[line * CELLS + i];
        const int plain = !*colors->end;
        const char *color = plain                  ? ""
                            : has_coords(c->kinds) ? cycle[c->row % COLOURS]
                                                   : colors->dim;
        cell_text(p, c, text);
        const int pad = i + 1 < CELLS ? p->width - (int)strlen(text) : 0;
        fprintf(out, "  %s%s%s%*s", color, text, colors->end, pad, "");
    }
    fputc('\n', out);
}

static void print_lines(FILE *out, const picture *p, uint64_t most, const color_set *colors) {
    const uint64_t tail = p->lines > most ? most / 4 : 0;
    const uint64_t head = p->lines > most ? most - tail : p->lines;
    fprintf(out, "%saddress%s", colors->dim, colors->end);
    for (int i = 0; i < CELLS; i++) {
        fprintf(out, "  %s+%-*d%s", colors->dim, i + 1 < CELLS ? p->width - 1 : 1, i * TMA_CELL_B,
                colors->end);
    }
    fputc('\n', out);
    for (uint64_t line = 0; line < p->lines; line++) {
        if (line == head && p->lines > head) {
            line = p->lines - tail;
            fprintf(out, "  ... %" PRIu64 " line%s of 128 B not shown (--lines all)\n", line - head,
                    text_plural(line - head));
        }
        if (line < p->lines) {
            print_line(out, p, line, colors);
        }
    }
}

static void print_legend(FILE *out, const picture *p) {
    const char *word = outside_word(p->plan);
    const int load = tma_plan_info(p->plan)->op == TMA_OP_LOAD;
    int gaps = 0;
    for (uint64_t i = 0; i < p->lines * CELLS; i++) {
        gaps |= !p->cells[i].kinds;
    }
    if (gaps) {
        fprintf(out, "--    not %s\n", load ? "written" : "read");
    }
    if (p->kinds & 1u << TMA_RUN_OUTSIDE) {
        const char *what = load ? tma_plan_info(p->plan)->fill == TMA_FILL_NAN
                                      ? "filled with NaN (0x7ff7 in every "
                                        "16 bits)"
                                      : "filled with zeros"
                                : "not stored";
        fprintf(out, "%s  outside the tensor: %s%s\n", word, what,
                p->partly & 1u << TMA_RUN_OUTSIDE ? "; ~ part of the 16 B is" : "");
    }
    if (p->kinds & 1u << TMA_RUN_PAST_EDGE) {
        fputs("!     its end lies behind the tensor's row, and is written all the same\n", out);
    }
    if (p->kinds & 1u << TMA_RUN_PADDING) {
        fprintf(out, "of every 16 B, %u B are elements and %u B padding that a load leaves alone\n",
                tma_plan_info(p->plan)->group_payload_B,
                tma_plan_info(p->plan)->group_shared_B - tma_plan_info(p->plan)->group_payload_B);
    }
}

void picture_print(FILE *out, const copy_args *copy, size_t most_lines, const color_set *colors) {
    const tma_plan *plan = &copy->plan;
    const tma_position *at = &copy->asked.copy.at;
    picture p;
    memset(&p, 0, sizeof(p));
    p.plan = plan;
    p.first = at->shared_address - at->shared_address % LINE_B;
    p.lines = (at->shared_address + copy->report.footprint_B - p.first + LINE_B - 1) / LINE_B;
    p.cells = cli_got(calloc((size_t)p.lines * CELLS + 1, sizeof(cell)));
    tma_cells(plan, at, add_part, &p);
    find_shown(&p);
    find_width(&p);
    print_names(out, &p);
    print_lines(out, &p, most_lines, colors);
    print_legend(out, &p);
    free(p.cells);
}
