/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings in one of the forms.
 */
#include "lint.h"

#include <stdlib.h>
#include <string.h>

#include "cli_error.h"
#include "lint_form.h"

static void nothing(lint_writer *w) {
    (void)w;
}

static void never(lint_writer *w, const lint_finding *f) {
    (void)w;
    (void)f;
}

static const struct {
    void (*begin)(lint_writer *w);
    void (*put)(lint_writer *w, const lint_finding *f);
    void (*end)(lint_writer *w);
} forms[] = {
    [LINT_FORMAT_TEXT] = {nothing, never, nothing},
    [LINT_FORMAT_GCC] = {nothing, lint_put_gcc, nothing},
    [LINT_FORMAT_GITHUB] = {nothing, lint_put_github, nothing},
    [LINT_FORMAT_SARIF] = {lint_begin_sarif, lint_put_sarif, lint_end_sarif},
    [LINT_FORMAT_JSON] = {nothing, lint_put_json, nothing},
};

lint_writer *lint_begin(lint_format format, int raw) {
    if (format == LINT_FORMAT_TEXT) {
        return NULL;
    }
    lint_writer *w = cli_got(calloc(1, sizeof(*w)));
    w->format = format;
    w->raw = raw;
    w->out = out_to(stdout);
    forms[format].begin(w);
    return w;
}

void lint_put(lint_writer *w, const lint_finding *f) {
    forms[w->format].put(w, f);
}

void lint_end(lint_writer *w) {
    if (w) {
        forms[w->format].end(w);
        free(w);
    }
}

const char *lint_format_name(size_t i) {
    static const char *const names[] = {
#define LINT_FORMAT(id, name) name,
#include "lint_formats.def"
    };
    return i < LINT_FORMATS ? names[i] : NULL;
}

lint_place lint_place_of(const char *path, size_t line, size_t column) {
    const char *name = strcmp(path, "-") ? path : "standard input";
    return (lint_place){.file = {name, strlen(name)},
                        .line = line < UINT32_MAX ? (uint32_t)line : UINT32_MAX,
                        .column = column < UINT32_MAX ? (uint32_t)column : UINT32_MAX};
}
