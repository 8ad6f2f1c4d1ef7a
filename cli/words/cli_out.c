/* SPDX-License-Identifier: Apache-2.0
 *
 * Words and JSON to files.
 */
#include "cli_out.h"

#include <string.h>

#include "tma/grammar.h"

#define SCHEMA 2 /* docs/abi.md says what changed */

static void write_file(void *context, const char *text, size_t length) {
    fwrite(text, 1, length, context); /* main looks for errors at the end */
}

tma_out out_to(FILE *file) {
    return tma_out_to(write_file, file);
}

tma_json *out_json_begin(out_json *line, const char *verb) {
    line->out = out_to(stdout);
    line->json = tma_json_begin(&line->out);
    tma_json_object(&line->json, NULL);
    tma_json_u64(&line->json, "schema", SCHEMA);
    tma_json_text(&line->json, "verb", verb);
    return &line->json;
}

void out_json_end(out_json *line) {
    tma_json_end(&line->json);
    putchar('\n');
}

void out_page_link(FILE *file, const char *page, const char *command) {
    tma_out out = out_to(file);
    tma_put(&out, page ? page : "");
    tma_put_page_link(&out, command, strlen(command));
    tma_put(&out, "\n");
}
