/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings as other programs read them: editors, CI, code hosts. A verb makes a lint_finding of
 * each of its own; a form is one function over it.
 */
#ifndef CLI_LINT_H
#define CLI_LINT_H

#include <stdint.h>
#include <stdio.h>

#include "tma/ptx_file.h"

#define LINT_MOST_PLACES 16
#define LINT_MOST_SAYS   400
#define LINT_NOT_JUDGED  "not-judged" /* the rule of notes on what was not judged */

typedef enum lint_level { LINT_ERROR, LINT_WARNING, LINT_NOTE } lint_level;

/* A line of a file; 0: the file as a whole, and column 0: none is known. */
typedef struct lint_place {
    tma_ptx_span file; /* of length 0: not known */
    uint32_t line, column;
    char says[LINT_MOST_SAYS]; /* what is there, or "" */
} lint_place;

typedef struct lint_places {
    lint_place of[LINT_MOST_PLACES];
    uint32_t count;
} lint_places;

typedef struct lint_finding {
#define LINT_TYPE_TEXT                  const char *
#define LINT_TYPE_LEVEL                 lint_level
#define LINT_TYPE_BOOL                  int
#define LINT_TYPE_PLACE                 lint_place
#define LINT_TYPE_NAME                  tma_ptx_span
#define LINT_TYPE_PLACES                lint_places
#define LINT_FIELD(kind, name, meaning) LINT_TYPE_##kind name;
#include "lint_fields.def"
} lint_finding;

typedef enum lint_format {
#define LINT_FORMAT(id, name) LINT_FORMAT_##id,
#include "lint_formats.def"
    LINT_FORMATS
} lint_format;

/* Where findings go. All files of a call are one output. */
typedef struct lint_writer lint_writer;

/* Null where the form is each verb's own text. `raw`: names as they are mangled. */
lint_writer *lint_begin(lint_format format, int raw);
void lint_put(lint_writer *writer, const lint_finding *finding);
void lint_end(lint_writer *writer); /* null: nothing */

/* "gcc"; null behind the last. */
const char *lint_format_name(size_t i);
/* "error". */
const char *lint_level_name(lint_level level);
/* What a rule means, in a sentence; "" for a name that is none. */
const char *lint_rule_says(const char *name);

/* A place in a file of that name ("-": standard input). */
lint_place lint_place_of(const char *path, size_t line, size_t column);

#endif
