/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines that no thread came to: what tma ptx says of them, without running.
 */
#include "launch.h"
#include "ptx_sites.h"
#include "run_session.h"
#include "tma/detail/chars.h"

/* Lines of the kernel and what it calls that were not executed, a bit each. */
typedef struct line_set {
    uint8_t *bit;
    uint32_t lines;
} line_set;

static int has(const line_set *set, size_t line) {
    return line < set->lines && (set->bit[line / 8] >> line % 8 & 1);
}

/* A thread that trapped at an instruction came to it, and did not execute it. */
static void take_out_blamed(line_set *set, const session *s) {
    for (uint32_t i = 0; i < s->findings; i++) {
        const tma_emulate_finding *f = &s->finding[i].is;
        for (uint32_t k = 0; k < f->accesses; k++) {
            if (f->access[k].line < set->lines) {
                set->bit[f->access[k].line / 8] &= (uint8_t) ~(1u << f->access[k].line % 8);
            }
        }
    }
}

/* 0: there is none; -1: there is no memory. */
static int missed_lines(line_set *set, const session *s) {
    tma_emulate_line line;
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->lines && tma_emulator_line_at(s->emulator, i, &line); i++) {
        set->lines = line.line >= set->lines ? line.line + 1 : set->lines;
    }
    set->bit = ptx_memory_take(s->memory, set->lines / 8 + 1u, 1);
    for (uint32_t i = 0; set->bit && i < s->lines; i++) {
        if (tma_emulator_line_at(s->emulator, i, &line) && !s->executed[i] && line.line) {
            set->bit[line.line / 8] |= (uint8_t)(1u << line.line % 8);
            count++;
        }
    }
    if (set->bit) {
        take_out_blamed(set, s);
    }
    return set->bit ? (int)(count != 0) : -1;
}

static size_t line_of(const ptx_report *r, uint32_t row) {
    return row < r->rows.rows ? r->rows.row[row].piece.line : 0;
}

/* "kernel.cu:12", or null. */
static const char *source_of(session *s, const ptx_report *r, uint32_t row) {
    char text[SESSION_VALUE * 4];
    ptx_source outer, inner;
    int inlined = 0;
    if (!ptx_rows_source(&r->rows, row, &outer, &inner, &inlined)) {
        return NULL;
    }
    tma_out out = tma_out_into(text, sizeof(text));
    tma_put_bytes(&out, outer.file.at, outer.file.length);
    tma_putf(&out, ":%u", outer.line);
    return ptx_memory_text(s->memory, text, text_length(text));
}

static void take(session *s, const ptx_report *r, const ptx_finding *f, const line_set *missed) {
    const uint32_t function = f->row < r->rows.rows ? r->rows.row[f->row].function : PTX_NONE;
    const size_t line = line_of(r, f->row), with = f->with ? line_of(r, f->with - 1) : 0;
    if (function == PTX_NONE || (!has(missed, line) && !has(missed, with))) {
        return;
    }
    const tma_ptx_span name = r->rows.function[function].name;
    const session_static_finding found = {
        .rule = f->rule,
        .text = ptx_memory_text(s->memory, f->text, text_length(f->text)),
        .function = ptx_memory_text(s->memory, name.at, name.length),
        .source = source_of(s, r, f->row),
        .line = (uint32_t)line,
        .with_line = (uint32_t)with,
        .certain = (uint8_t)(f->certain != 0)};
    PTX_APPEND(s, by_static, statics, found);
}

int session_static(session *s, const char *ptx, size_t size, tma_error *error) {
    line_set missed = {NULL, 0};
    ptx_report report;
    const int any = missed_lines(&missed, s);
    if (any <= 0) {
        return any ? tma_fail(error, "no memory") : 0;
    }
    if (ptx_report_make(&report, s->memory->more, s->memory->context, ptx, size, NULL, 0,
                        s->how.launch.target.sm ? &s->how.launch.target : NULL)) {
        return tma_fail(error, "no memory");
    }
    for (uint32_t i = 0; i < report.findings; i++) {
        take(s, &report, &report.finding[i], &missed);
    }
    return s->memory->failed ? tma_fail(error, "no memory") : 0;
}
