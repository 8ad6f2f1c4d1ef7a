/* SPDX-License-Identifier: Apache-2.0
 *
 * What tma ptx found, as a person reads it.
 */
#include "ptx_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli_out.h"
#include "out_text.h"
#include "printable.h"
#include "ptx_demangle.h"
#include "ptx_said.h"
#include "tma/detail/chars.h"

#define MOST_WAY       8192 /* characters */
#define MOST_STATEMENT 255

static void put_title(FILE *out, const char *path, const ptx_report *r, const color_set *colors) {
    const ptx_module *m = &r->rows.module[0];
    const uint32_t entries = ptx_kernels_of(r);
    fputs(colors->bold, out);
    printable(out, path);
    fprintf(out, "%s: ", colors->end);
    if (m->version) {
        fprintf(out, "PTX %" PRIu32 ".%" PRIu32, m->version / 10, m->version % 10);
    } else {
        fputs("PTX of no version", out);
    }
    if (m->target_name.length) {
        fputs(" for ", out);
        printable_part(out, m->target_name.at, m->target_name.length);
    }
    if (r->rows.modules > 1) {
        fprintf(out, " and %" PRIu32 " more", r->rows.modules - 1);
    }
    fprintf(out,
            ", %" PRIu32 " kernel%s, %" PRIu32 " tensor instruction%s, %" PRIu32 " finding%s\n",
            entries, text_plural(entries), r->sites, text_plural(r->sites), r->findings,
            text_plural(r->findings));
}

static void put_function(FILE *out, const ptx_report *r, uint32_t row, const ptx_print_how *how) {
    tma_out to = out_to(out);
    const uint32_t i = r->rows.row[row].function;
    if (i == PTX_NONE) {
        fputs("\noutside of functions\n", out);
        return;
    }
    const ptx_function *f = &r->rows.function[i];
    fprintf(out, "\n%s ", f->is_entry ? "kernel" : "function");
    fputs(how->colors->bold, out);
    ptx_put_name(&to, f->name, how->raw_names);
    fprintf(out, "%s\n", how->colors->end);
}

static void put_source(FILE *out, const ptx_source *source) {
    if (source->file.length) {
        printable_part(out, source->file.at, source->file.length);
    } else {
        fprintf(out, "file %" PRIu32, source->number);
    }
    fprintf(out, ":%" PRIu32, source->line);
    if (source->column) {
        fprintf(out, ":%" PRIu32, source->column);
    }
}

static void put_where(FILE *out, const ptx_report *r, uint32_t row) {
    ptx_source outer;
    ptx_source inner;
    int inlined = 0;
    fprintf(out, "  line %zu", r->rows.row[row].piece.line);
    if (ptx_rows_source(&r->rows, row, &outer, &inner, &inlined)) {
        fputs(", ", out);
        put_source(out, &outer);
        if (inlined) {
            fputs(", inlined from ", out);
            put_source(out, &inner);
        }
    }
    fputc('\n', out);
}

static void put_value(FILE *out, const char *what, const ptx_known *value, const char **comma) {
    char text[300];
    if (ptx_known_text(value, text, sizeof(text))) {
        fprintf(out, "%s%s %s", *comma, what, text);
        *comma = ", ";
    }
}

static void put_known(FILE *out, const ptx_report *r, const ptx_site *s, const color_set *colors) {
    const char *comma = "";
    fprintf(out, "    %s", colors->dim);
    put_value(out, "map", &s->map, &comma);
    put_value(out, s->s.in.op == TMA_OP_LOAD ? "to" : "from", &s->shared, &comma);
    put_value(out, "barrier", &s->barrier, &comma);
    for (uint32_t i = 0; i < s->known.coords; i++) {
        if (s->known.coord[i].kind == TMA_PTX_NUMBER && s->s.coord[i].kind != TMA_PTX_NUMBER) {
            fprintf(out, "%scoordinate %" PRIu32 " is %" PRId64, comma, i, s->known.coord[i].value);
            comma = ", ";
        }
    }
    if (s->has_bytes) {
        fprintf(out, "%s%" PRIu64 " B", comma, s->bytes_B);
        comma = ", ";
    }
    if (s->expect_row != PTX_NONE) {
        fprintf(out, "%sline %zu expects %" PRIu64 " B", comma,
                r->rows.row[s->expect_row].piece.line, s->expect_B);
        comma = ", ";
    }
    fprintf(out, "%s%s", *comma ? "" : "nothing known of its operands", colors->end);
    fputc('\n', out);
}

static void put_statement(FILE *out, const ptx_report *r, uint32_t row) {
    tma_out to = out_to(out);
    ptx_rows_put(&to, &r->rows, row, MOST_STATEMENT);
}

/* The way between the two places of a finding. */
static void put_way(FILE *out, const ptx_report *r, const ptx_finding *f, const color_set *colors) {
    char text[MOST_WAY];
    tma_out to = tma_out_into(text, sizeof(text));
    ptx_way_put(&to, r, f);
    if (f->passed) {
        fprintf(out, "        %spath: ", colors->dim);
        out_wrapped(out, text, 13);
        fputs(colors->end, out);
    }
}

static void put_finding(FILE *out, const ptx_report *r, const ptx_finding *f,
                        const color_set *colors) {
    fprintf(out, "    %s%s%s%s: ", colors->severity[f->certain ? 0 : 1], f->rule, colors->end,
            f->certain ? "" : ", may");
    out_wrapped(out, f->text, 6);
    if (f->with) {
        fprintf(out, "      %s", colors->dim);
        put_where(out, r, f->with - 1);
        fputs("        ", out);
        put_statement(out, r, f->with - 1);
        fprintf(out, "%s\n", colors->end);
        put_way(out, r, f, colors);
    }
}

static void put_site(FILE *out, const ptx_report *r, uint32_t i, const color_set *colors) {
    const ptx_site *s = &r->site[i];
    put_where(out, r, s->row);
    if (s->unread) {
        fputs("    ", out);
        put_statement(out, r, s->row);
        fputc('\n', out);
    } else {
        tma_out to = out_to(out);
        fputs("    ", out);
        tma_ptx_print(&to, &s->s);
        fputc('\n', out);
        put_known(out, r, s, colors);
    }
    for (uint32_t k = ptx_finding_of(r, i, PTX_NONE); k != PTX_NONE; k = ptx_finding_of(r, i, k)) {
        put_finding(out, r, &r->finding[k], colors);
    }
}

static void put_row(FILE *out, const ptx_report *r, const ptx_finding *f, const color_set *colors) {
    put_where(out, r, f->row);
    if (r->rows.row[f->row].piece.kind == TMA_PTX_PIECE_INSTRUCTION) {
        fputs("    ", out);
        put_statement(out, r, f->row);
        fputc('\n', out);
    }
    put_finding(out, r, f, colors);
}

void ptx_print(FILE *out, const char *path, const ptx_report *r, const ptx_print_how *how) {
    const color_set *const colors = how->colors;
    char text[PTX_MOST_NOTE];
    const char *note;
    uint32_t function = PTX_NONE - 1;
    uint32_t site = 0;
    uint32_t finding = 0;
    put_title(out, path, r, colors);
    for (int i = 0; (note = ptx_note(r, i, text, sizeof(text))) != NULL; i++) {
        fprintf(out, "%snote%s: %s\n", colors->severity[1], colors->end, note);
    }
    while (site < r->sites || finding < r->findings) {
        while (finding < r->findings && r->finding[finding].site != PTX_NONE) {
            finding++;
        }
        if (site < r->sites && how->findings_only && !ptx_has_finding(r, site)) {
            site++;
            continue;
        }
        const uint32_t site_row = site < r->sites ? r->site[site].row : PTX_NONE;
        const uint32_t finding_row = finding < r->findings ? r->finding[finding].row : PTX_NONE;
        const uint32_t row = site_row < finding_row ? site_row : finding_row;
        if (row == PTX_NONE) {
            break;
        }
        if (r->rows.row[row].function != function) {
            put_function(out, r, row, how);
            function = r->rows.row[row].function;
        }
        if (site_row < finding_row) {
            put_site(out, r, site++, colors);
        } else {
            put_row(out, r, &r->finding[finding++], colors);
        }
    }
}
