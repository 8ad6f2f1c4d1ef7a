/* SPDX-License-Identifier: Apache-2.0
 *
 * What the sources of the forms give to lint_writer.c, and what they share.
 */
#ifndef CLI_LINT_FORM_H
#define CLI_LINT_FORM_H

#include "cli_out.h"
#include "lint.h"

#define LINT_MOST_RULES 256

struct lint_writer {
    lint_format format;
    int raw;
    tma_out out;
    tma_json json;                     /* SARIF's */
    const char *rule[LINT_MOST_RULES]; /* that were met, in their order */
    uint32_t rules;
};

void lint_put_gcc(lint_writer *w, const lint_finding *f);
void lint_put_github(lint_writer *w, const lint_finding *f);
void lint_put_json(lint_writer *w, const lint_finding *f);
void lint_begin_sarif(lint_writer *w);
void lint_put_sarif(lint_writer *w, const lint_finding *f);
void lint_end_sarif(lint_writer *w);

/* A file's name relative to the current directory, where it lies in it. */
tma_ptx_span lint_file(const lint_writer *w, tma_ptx_span file);
/* A character as URIs and workflow commands escape it: %0A. */
void lint_put_percent(tma_out *out, char c);
/* The sentence with its function and what was inlined: one line. */
void lint_put_sentence(tma_out *out, const lint_writer *w, const lint_finding *f);

#endif
