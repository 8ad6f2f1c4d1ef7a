/* SPDX-License-Identifier: Apache-2.0
 *
 * Printable text.
 */
#include "printable.h"

#include <string.h>

#include "cli_out.h"

#define MOST_QUOTED 200

void printable_part(FILE *out, const char *text, size_t size) {
    tma_out to = out_to(out);
    tma_put_printable(&to, text, size);
}

void printable(FILE *out, const char *text) {
    printable_part(out, text, strlen(text));
}

void printable_line(FILE *out, const char *text, size_t size, size_t number) {
    const char *at = text;
    const char *end = text + size;
    for (size_t i = 1; i < number && at; i++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (at) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t length = (size_t)((stop ? stop : end) - at);
        fputs("  > ", out);
        printable_part(out, at, length < MOST_QUOTED ? length : MOST_QUOTED);
        fputs(length < MOST_QUOTED ? "\n" : " ...\n", out);
    }
}

safe_text printable_text_part(const char *text, size_t size) {
    safe_text safe;
    tma_out to = tma_out_into(safe.text, sizeof(safe.text));
    tma_put_printable(&to, text, size);
    return safe;
}

safe_text printable_text(const char *text) {
    return printable_text_part(text, strlen(text));
}
