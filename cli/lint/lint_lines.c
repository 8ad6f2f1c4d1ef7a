/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings as lines: gcc's form, which editors and CI read, and GitHub's annotations.
 */
#include <string.h>

#include "lint_form.h"

static void put_place(lint_writer *w, const lint_place *p) {
    const tma_ptx_span file = lint_file(w, p->file);
    tma_put_printable(&w->out, file.at, file.length);
    if (p->line) {
        tma_putf(&w->out, ":%u", p->line);
    }
    if (p->line && p->column) {
        tma_putf(&w->out, ":%u", p->column);
    }
    tma_put(&w->out, file.length ? ": " : "tma: ");
}

void lint_put_gcc(lint_writer *w, const lint_finding *f) {
    put_place(w, &f->place);
    tma_putf(&w->out, "%s: ", lint_level_name(f->level));
    lint_put_sentence(&w->out, w, f);
    tma_putf(&w->out, " [%s]\n", f->rule);
    for (uint32_t i = 0; i < f->other.count; i++) {
        const lint_place *p = &f->other.of[i];
        put_place(w, p);
        tma_put(&w->out, "note: ");
        tma_put_printable(&w->out, p->says, strlen(p->says));
        tma_put(&w->out, "\n");
    }
}

/* What a workflow command would read as its own: in a property more than in the message. */
static void put_escaped(void *context, const char *text, size_t length, const char *special) {
    tma_out *out = context;
    for (size_t i = 0; i < length; i++) {
        if (text[i] && strchr(special, text[i])) {
            lint_put_percent(out, text[i]);
        } else {
            tma_put_bytes(out, &text[i], 1);
        }
    }
}

static void put_message(void *context, const char *text, size_t length) {
    put_escaped(context, text, length, "%\r\n");
}

static void put_property(void *context, const char *text, size_t length) {
    put_escaped(context, text, length, "%\r\n:,");
}

void lint_put_github(lint_writer *w, const lint_finding *f) {
    static const char *const commands[] = {"error", "warning", "notice"};
    const tma_ptx_span file = lint_file(w, f->place.file);
    tma_out property = tma_out_to(put_property, &w->out);
    tma_out message = tma_out_to(put_message, &w->out);
    tma_putf(&w->out, "::%s file=", commands[f->level]);
    tma_put_printable(&property, file.at, file.length);
    if (f->place.line) {
        tma_putf(&w->out, ",line=%u", f->place.line);
    }
    if (f->place.line && f->place.column) {
        tma_putf(&w->out, ",col=%u", f->place.column);
    }
    tma_put(&w->out, ",title=");
    tma_put(&property, f->rule);
    tma_put(&w->out, "::");
    lint_put_sentence(&message, w, f);
    for (uint32_t i = 0; i < f->other.count; i++) {
        const lint_place *p = &f->other.of[i];
        const tma_ptx_span other = lint_file(w, p->file);
        tma_put(&message, "\n");
        tma_put_printable(&message, other.at, other.length);
        tma_putf(&message, p->line ? ":%u: " : ": ", p->line);
        tma_put_printable(&message, p->says, strlen(p->says));
    }
    tma_put(&w->out, "\n");
}
