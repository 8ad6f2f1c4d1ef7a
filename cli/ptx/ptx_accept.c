/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings of PTX files that a project has accepted.
 */
#include "ptx_accept.h"

#include <stdlib.h>
#include <string.h>

#include "cli_error.h"

/* One line, without what is around its words. */
typedef struct accepted_line {
    size_t at; /* in the text */
    tma_ptx_span rule, function;
} accepted_line;

static int is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static tma_ptx_span word(const char **from, const char *end) {
    while (*from < end && is_blank(**from)) {
        (*from)++;
    }
    tma_ptx_span span = {*from, 0};
    while (*from < end && !is_blank(**from)) {
        (*from)++;
        span.length++;
    }
    return span;
}

/* The next line with words; 0: there is none. */
static int next_line(const ptx_accepted *a, size_t *at, accepted_line *line, uint32_t *number) {
    while (*at < a->size) {
        const char *from = a->text + *at;
        const char *newline = memchr(from, '\n', a->size - *at);
        const char *end = newline ? newline : a->text + a->size;
        line->at = *at;
        *at = (size_t)(end - a->text) + 1;
        (*number)++;
        line->rule = word(&from, end);
        line->function = word(&from, end);
        if (line->rule.length && *line->rule.at != '#') {
            return 1;
        }
    }
    return 0;
}

int ptx_accepted_of(ptx_accepted *a, const char *text, size_t size, uint32_t *number) {
    accepted_line line;
    *a = (ptx_accepted){.text = text, .size = size, .is_used = cli_got(calloc(size + 1, 1))};
    *number = 0;
    for (size_t at = 0; next_line(a, &at, &line, number);) {
        if (!line.function.length) {
            return -1;
        }
    }
    return 0;
}

static int fits(const ptx_report *r, const ptx_finding *f, const accepted_line *line) {
    const uint32_t function = f->row == PTX_NONE ? PTX_NONE : r->rows.row[f->row].function;
    return ptx_is_text(line->rule, f->rule) &&
           (function == PTX_NONE ? ptx_is_text(line->function, "-")
                                 : ptx_same(line->function, r->rows.function[function].name));
}

static int is_accepted(ptx_accepted *a, const ptx_report *r, const ptx_finding *f) {
    accepted_line line;
    uint32_t number = 0;
    for (size_t at = 0; next_line(a, &at, &line, &number);) {
        if (!a->is_used[line.at] && fits(r, f, &line)) {
            a->is_used[line.at] = 1;
            return 1;
        }
    }
    return 0;
}

uint32_t ptx_accept(ptx_accepted *a, ptx_report *r) {
    uint32_t kept = 0;
    const uint32_t all = r->findings;
    for (uint32_t i = 0; i < all; i++) {
        if (!is_accepted(a, r, &r->finding[i])) {
            r->finding[kept++] = r->finding[i];
        }
    }
    r->findings = kept;
    return all - kept;
}

uint32_t ptx_accepted_left(const ptx_accepted *a) {
    accepted_line line;
    uint32_t number = 0;
    uint32_t left = 0;
    for (size_t at = 0; next_line(a, &at, &line, &number);) {
        left += !a->is_used[line.at];
    }
    return left;
}
