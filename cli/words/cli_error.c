/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages.
 */
#include "cli_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "printable.h"

const char *cli_program = "tma";

void cli_say(const char *format, ...) {
    va_list values;
    char *text = NULL;
    va_start(values, format);
    const int length = vasprintf(&text, format, values);
    va_end(values);
    fprintf(stderr, "%s: ", cli_program);
    if (length >= 0) {
        printable_part(stderr, text, (size_t)length);
        free(text);
    }
    fputc('\n', stderr);
}

void cli_out_of_memory(void) {
    cli_say("out of memory");
    exit(CLI_MISUSE);
}

char *cli_printed(const char *format, ...) {
    va_list values;
    char *text = NULL;
    va_start(values, format);
    const int length = vasprintf(&text, format, values);
    va_end(values);
    return cli_got(length < 0 ? NULL : text);
}

void *cli_got(void *memory) {
    if (!memory) {
        cli_out_of_memory();
    }
    return memory;
}

void cli_sure(tma_status status) {
    if (status != TMA_OK) {
        cli_say("a defect of the command itself: %s", tma_status_name(status));
        exit(CLI_MISUSE);
    }
}
