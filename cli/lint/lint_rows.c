/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of a PTX file as places, and what tma ptx found in them.
 */
#include "lint_rows.h"

#include "ptx_said.h"

static lint_place of_source(const ptx_source *s) {
    return (lint_place){.file = s->file, .line = s->line, .column = s->column};
}

/* The row's own line and column. */
static lint_place of_piece(const char *path, const ptx_rows *rows, uint32_t row) {
    const tma_ptx_piece *piece = &rows->row[row].piece;
    size_t column = 1;
    for (const char *c = piece->at; c > rows->row[0].piece.at && c[-1] != '\n'; c--) {
        column++;
    }
    return lint_place_of(path, piece->line, column);
}

/* The place, and in *inlined, which may be null, what stands between. */
static lint_place place_of(const char *path, const ptx_rows *rows, uint32_t row,
                           lint_places *inlined) {
    ptx_source chain[LINT_MOST_PLACES + 1];
    const uint32_t count = ptx_rows_chain(rows, row, chain, LINT_MOST_PLACES + 1);
    if (!count || !chain[count - 1].file.length) {
        return of_piece(path, rows, row);
    }
    for (uint32_t i = 0; inlined && i + 1 < count; i++) {
        if (chain[i].file.length) {
            inlined->of[inlined->count++] = of_source(&chain[i]);
        }
    }
    return of_source(&chain[count - 1]);
}

void lint_row(lint_finding *f, const char *path, const ptx_rows *rows, uint32_t row) {
    if (row == PTX_NONE) {
        f->place = f->file_place = lint_place_of(path, 0, 0);
        return;
    }
    const uint32_t function = rows->row[row].function;
    f->file_place = of_piece(path, rows, row);
    f->place = place_of(path, rows, row, &f->inlined);
    if (f->place.file.at == f->file_place.file.at) {
        f->place = f->file_place;
    }
    if (function != PTX_NONE) {
        f->function = rows->function[function].name;
    }
}

tma_out lint_other_row(lint_finding *f, const char *path, const ptx_rows *rows, uint32_t row) {
    lint_place *p = &f->other.of[f->other.count];
    *p = place_of(path, rows, row, NULL);
    f->other.count += f->other.count + 1 < LINT_MOST_PLACES;
    return tma_out_into(p->says, sizeof(p->says));
}

static void put_finding(lint_writer *w, const char *path, const ptx_report *r,
                        const ptx_finding *found) {
    lint_finding f = {.rule = found->rule,
                      .level = found->certain ? LINT_ERROR : LINT_WARNING,
                      .certain = found->certain,
                      .text = found->text};
    lint_row(&f, path, &r->rows, found->row);
    if (found->with) {
        tma_out says = lint_other_row(&f, path, &r->rows, found->with - 1);
        tma_putf(&says, "line %zu: ", r->rows.row[found->with - 1].piece.line);
        ptx_rows_put(&says, &r->rows, found->with - 1, LINT_MOST_SAYS / 2);
    }
    lint_put(w, &f);
}

void lint_ptx(lint_writer *w, const char *path, const ptx_report *r) {
    char text[PTX_MOST_NOTE];
    const char *note = NULL;
    for (uint32_t i = 0; i < r->findings; i++) {
        put_finding(w, path, r, &r->finding[i]);
    }
    for (int i = 0; (note = ptx_note(r, i, text, sizeof(text))) != NULL; i++) {
        lint_finding f = {.rule = LINT_NOT_JUDGED, .level = LINT_NOTE, .text = note};
        lint_row(&f, path, &r->rows, PTX_NONE);
        lint_put(w, &f);
    }
}
