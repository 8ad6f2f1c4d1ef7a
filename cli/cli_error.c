/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages.
 */
#include "cli_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *cli_program = "tma";

int cli_fail(cli_error *error, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(error->text, sizeof(error->text), format, values);
    va_end(values);
    return -1;
}

void cli_add(cli_error *error, const char *format, ...) {
    const size_t used = strlen(error->text);
    va_list values;
    va_start(values, format);
    vsnprintf(error->text + used, sizeof(error->text) - used, format, values);
    va_end(values);
}

void cli_say(const char *format, ...) {
    va_list values;
    va_start(values, format);
    fprintf(stderr, "%s: ", cli_program);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
}

void cli_out_of_memory(void) {
    cli_say("out of memory");
    exit(CLI_MISUSE);
}

void cli_sure(tma_status status) {
    if (status != TMA_OK) {
        cli_say("a defect of the command itself: %s", tma_status_name(status));
        exit(CLI_MISUSE);
    }
}
