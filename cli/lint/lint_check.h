/* SPDX-License-Identifier: Apache-2.0
 *
 * What tma check found in a line of a file (0: in the file as a whole), for lint.h.
 */
#ifndef CLI_LINT_CHECK_H
#define CLI_LINT_CHECK_H

#include "lint.h"
#include "tma/view.h"
#include "verdict.h"

/* Where it goes, and the file that is read. */
typedef struct lint_file_writer {
    lint_writer *writer; /* null: in words, or as JSON */
    const char *path;
} lint_file_writer;

/* The findings down to a level: refused and faults are errors. */
void lint_verdict(const lint_file_writer *to, size_t line, const verdict *v, tma_severity level);
void lint_odd(const lint_file_writer *to, size_t line, const tma_judged *judged);
/* Anything else, with the name of what it is. */
void lint_says(const lint_file_writer *to, size_t line, const char *rule, lint_level level,
               const char *text);

#endif
