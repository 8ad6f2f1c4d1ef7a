/* SPDX-License-Identifier: Apache-2.0
 *
 * Printable text.
 */
#include "printable.h"

#include <string.h>

#include "cli_out.h"

void printable_part(FILE *out, const char *text, size_t size) {
    tma_out to = out_to(out);
    tma_put_printable(&to, text, size);
}

void printable(FILE *out, const char *text) {
    printable_part(out, text, strlen(text));
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
