/* SPDX-License-Identifier: Apache-2.0
 *
 * Case lines out of files and standard input, one after another.
 */
#ifndef CLI_CASE_INPUT_H
#define CLI_CASE_INPUT_H

#include <stddef.h>

#include "cli_error.h"
#include "tma/case.h"

/* Where a line stands, for messages and answers. */
typedef struct case_place {
    const char *file; /* "standard input" for - */
    size_t line;      /* from 1 */
} case_place;

/* Called for every line that asks something; `error` holds the message if line is null. */
typedef void (*case_visit)(void *context, const tma_case *line, const case_place *place,
                           const tma_error *error);

/* Reads each path (- is standard input), all of standard input if there are none. Returns how many
 * could not be read, which it says. */
size_t case_input(char *const *paths, size_t count, case_visit visit, void *context);

/* The lines of a text that was read already. */
void case_input_text(const char *text, size_t size, const char *name, case_visit visit,
                     void *context);

#endif
