/* SPDX-License-Identifier: Apache-2.0
 *
 * What tma emulate found.
 */
#include "launch.h"
#include "lint_rows.h"
#include "tma/detail/chars.h"

#define MOST_TEXT 4096

static uint32_t row_of(const emu_program *p, const tma_emulate_access *a) {
    return a->instruction < p->instructions ? p->code[a->instruction].row : PTX_NONE;
}

/* The sentence with what would mend it, and under which inventions it is so. */
static void put_text(tma_out *out, const session *s, const session_finding *found) {
    char text[SESSION_VALUE + 96];
    tma_put(out, found->is.text);
    if (found->is.missing[0]) {
        tma_putf(out, "; missing: %s", found->is.missing);
    }
    if (found->is.waits && found->is.rule != TMA_EMULATE_RULE_DEADLOCK) {
        tma_put(out, "; leads to: deadlock");
    }
    if (tma_emulate_waits_more(&found->is)) {
        tma_putf(out, "; with it: %u more", tma_emulate_waits_more(&found->is));
    }
    for (uint32_t i = 0; session_invented(s, found, i, text); i++) {
        tma_putf(out, "%s%s", i ? ", " : "; under invented values: ", text);
    }
}

/* Who else waits because of it. */
static void put_waits(lint_finding *f, const char *path, const session *s,
                      const tma_emulate_finding *is) {
    const emu_program *p = emu_program_of(s->emulator);
    for (uint32_t i = 1; i < is->waits && i < TMA_EMULATE_WAITS; i++) {
        if (is->wait[i].instruction < p->instructions) {
            tma_out says = lint_other_row(f, path, &p->rows, p->code[is->wait[i].instruction].row);
            tma_put(&says, "with it, ");
            session_put_wait(&says, s, &is->wait[i]);
        }
    }
}

static void put_finding(lint_writer *w, const char *path, const session *s,
                        const session_finding *found) {
    const emu_program *p = emu_program_of(s->emulator);
    const tma_emulate_finding *is = &found->is;
    char text[MOST_TEXT];
    tma_out out = tma_out_into(text, sizeof(text));
    lint_finding f = {.rule = tma_emulate_rule_name(is->rule),
                      .level = is->certain ? LINT_ERROR : LINT_WARNING,
                      .certain = is->certain != 0,
                      .text = text};
    put_text(&out, s, found);
    lint_row(&f, path, &p->rows, is->accesses ? row_of(p, &is->access[0]) : PTX_NONE);
    for (uint32_t i = 0; i < is->accesses; i++) {
        const uint32_t row = row_of(p, &is->access[i]);
        if (row != PTX_NONE) {
            tma_out says = lint_other_row(&f, path, &p->rows, row);
            tma_put(&says, is->accesses < 2 ? "at " : i ? "earlier, " : "later, ");
            tma_putf(&says, "line %u: ", is->access[i].line);
            session_put_access(&says, s, &is->access[i]);
        }
    }
    put_waits(&f, path, s, is);
    lint_put(w, &f);
}

/* The row of a PTX line, or PTX_NONE. */
static uint32_t row_at(const ptx_rows *rows, uint32_t line) {
    uint32_t row = 0;
    while (row < rows->rows && rows->row[row].piece.line < line) {
        row++;
    }
    return line && row < rows->rows ? row : PTX_NONE;
}

/* Of a line that was not executed, which tma ptx says. */
static void put_static(lint_writer *w, const char *path, const session *s,
                       const session_static_finding *found) {
    const ptx_rows *rows = &emu_program_of(s->emulator)->rows;
    lint_finding f = {.rule = found->rule,
                      .level = found->certain ? LINT_ERROR : LINT_WARNING,
                      .certain = found->certain,
                      .text = found->text};
    lint_row(&f, path, rows, row_at(rows, found->line));
    lint_put(w, &f);
}

static void put_unjudged(lint_writer *w, const char *path, const session *s, const char *text,
                         uint32_t line, lint_level level) {
    const ptx_rows *rows = &emu_program_of(s->emulator)->rows;
    lint_finding f = {.rule = LINT_NOT_JUDGED, .level = level, .text = text};
    lint_row(&f, path, rows, row_at(rows, line));
    lint_put(w, &f);
}

void lint_emulate(lint_writer *w, const char *path, const session *s, int unjudged_fails) {
    char text[MOST_TEXT];
    const lint_level of_unjudged = unjudged_fails ? LINT_ERROR : LINT_NOTE;
    uint32_t executed = 0, total = 0, first = 0, last = 0;
    for (uint32_t i = 0; i < s->findings; i++) {
        if (!s->finding[i].is_accepted) {
            put_finding(w, path, s, &s->finding[i]);
        }
    }
    for (uint32_t i = 0; i < s->statics; i++) {
        if (!s->by_static[i].is_accepted) {
            put_static(w, path, s, &s->by_static[i]);
        }
    }
    const int is_found =
        s->findings && (s->end == TMA_EMULATE_DEADLOCK || s->end == TMA_EMULATE_TRAP);
    if (s->end != TMA_EMULATE_COMPLETED && !is_found) {
        put_unjudged(w, path, s, s->why, s->end_line, unjudged_fails ? LINT_ERROR : LINT_WARNING);
    }
    for (uint32_t i = 0; i < s->said; i++) {
        put_unjudged(w, path, s, s->note[i].text, 0, LINT_NOTE);
    }
    session_coverage(s, &executed, &total);
    for (uint32_t i = 0; session_missed(s, i, &first, &last); i++) {
        tma_out out = tma_out_into(text, sizeof(text));
        tma_putf(&out, first == last ? "no thread executed line %u" : "no thread executed lines %u",
                 first);
        if (first != last) {
            tma_putf(&out, " to %u", last);
        }
        tma_putf(&out, " (%u of %u protocol instruction%s %s)", executed, total, text_plural(total),
                 executed == 1 ? "was" : "were");
        put_unjudged(w, path, s, text, first, LINT_NOTE);
    }
    if (session_fitted_map(s, 0)) {
        tma_out out = tma_out_into(text, sizeof(text));
        session_put_unjudged(&out, s);
        put_unjudged(w, path, s, text, 0, of_unjudged);
    }
}
