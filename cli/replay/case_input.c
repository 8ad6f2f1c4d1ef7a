/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of case lines.
 */
#include "case_input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LINE_B (16 << 20)

static void read_line(char *text, size_t length, case_place *place, case_visit visit,
                      void *context) {
    tma_case line;
    tma_error error;
    place->line++;
    const int status = tma_case_read(&line, text, length, &error);
    if (status <= 0) {
        visit(context, status ? NULL : &line, place, &error);
    }
}

/* The bytes of a line with its end, or as many as are read of one; 0 at the end of the file. */
static size_t next_line(char **line, size_t *room, FILE *file) {
    size_t length = 0;
    int c = 0;
    while (c != '\n' && length <= MOST_LINE_B && (c = getc(file)) != EOF) {
        if (length + 2 > *room) {
            *room = 2 * *room + 256;
            *line = cli_got(realloc(*line, *room));
        }
        (*line)[length++] = (char)c;
        (*line)[length] = 0;
    }
    return length;
}

static int read_lines(FILE *file, const char *name, case_visit visit, void *context) {
    char *text = NULL;
    size_t room = 0;
    size_t length = 0;
    case_place place = {name, 0};
    while ((length = next_line(&text, &room, file)) && length <= MOST_LINE_B && !ferror(file)) {
        read_line(text, length, &place, visit, context);
    }
    const int failed = ferror(file) || length > MOST_LINE_B;
    if (ferror(file)) {
        cli_say("cannot read %s: %s", name, strerror(errno));
    } else if (failed) {
        cli_say("%s:%zu: the line has more than the %d B that are read; nothing after it is read",
                name, place.line + 1, MOST_LINE_B);
    }
    free(text);
    return failed;
}

void case_input_text(const char *text, size_t size, const char *name, case_visit visit,
                     void *context) {
    case_place place = {name, 0};
    char *const line = cli_got(malloc(size + 1)); /* that is changed while it is read */
    while (size) {
        const char *end = memchr(text, '\n', size);
        const size_t length = end ? (size_t)(end - text) + 1 : size;
        memcpy(line, text, length);
        line[length] = 0;
        read_line(line, length, &place, visit, context);
        text += length;
        size -= length;
    }
    free(line);
}

size_t case_input(char *const *paths, size_t count, case_visit visit, void *context) {
    size_t failed = 0;
    if (count == 0) {
        return (size_t)read_lines(stdin, "standard input", visit, context);
    }
    for (size_t i = 0; i < count; i++) {
        const int is_stdin = !strcmp(paths[i], "-");
        FILE *file = is_stdin ? stdin : fopen(paths[i], "r");
        if (!file) {
            cli_say("cannot open '%s': %s", paths[i], strerror(errno));
            failed++;
            continue;
        }
        failed += (size_t)read_lines(file, is_stdin ? "standard input" : paths[i], visit, context);
        if (!is_stdin) {
            fclose(file);
        }
    }
    return failed;
}
