/* SPDX-License-Identifier: Apache-2.0
 *
 * Words and JSON to files.
 */
#ifndef CLI_OUT_H
#define CLI_OUT_H

#include <stdio.h>

#include "tma/json.h"

/* What goes out there goes to the file. */
tma_out out_to(FILE *file);

/* A line with the page's link of a command, behind the page's address; null for none. */
void out_page_link(FILE *file, const char *page, const char *command);

/* One object on a line of standard output: {"schema": 1, "verb": VERB, ...}. */
typedef struct out_json {
    tma_out out;
    tma_json json;
} out_json;

tma_json *out_json_begin(out_json *line, const char *verb);
void out_json_end(out_json *line);

#endif
