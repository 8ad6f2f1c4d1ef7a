/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes into a file in memory.
 */
#include "notes_out.h"

#include <stdarg.h>

#include "cli_error.h"

static void write_notes(void *context, const char *text, size_t length) {
    if (fwrite(text, 1, length, context) != length) {
        cli_out_of_memory();
    }
}

tma_out notes_out(FILE *notes) {
    return tma_out_to(write_notes, notes);
}

void notes_put(FILE *notes, const char *format, ...) {
    va_list values;
    va_start(values, format);
    const int length = vfprintf(notes, format, values);
    va_end(values);
    if (length < 0) {
        cli_out_of_memory();
    }
}
