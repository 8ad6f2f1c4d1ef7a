/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of case lines.
 */
#include "case_input.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static int read_lines(FILE *file, const char *name, case_visit visit, void *context) {
    char *text = NULL;
    size_t room = 0;
    case_place place = {name, 0};
    tma_case line;
    tma_error error;
    for (;;) {
        errno = 0;
        const ssize_t length = getline(&text, &room, file);
        if (length < 0) {
            break;
        }
        place.line++;
        const int status = tma_case_read(&line, text, (size_t)length, &error);
        if (status <= 0) {
            visit(context, status ? NULL : &line, &place, &error);
        }
    }
    const int failed = !feof(file);
    if (failed) {
        cli_say("cannot read %s: %s", name, strerror(errno));
    }
    free(text);
    return failed;
}

void case_input_text(const char *text, size_t size, const char *name, case_visit visit,
                     void *context) {
    FILE *file = size ? fmemopen((void *)(uintptr_t)text, size, "r") : NULL;
    if (file) {
        (void)read_lines(file, name, visit, context);
        fclose(file);
    }
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
