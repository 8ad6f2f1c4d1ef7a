/* SPDX-License-Identifier: Apache-2.0
 *
 * The pieces of a page.
 */
#include "gendocs_page.h"

FILE *page;

void put(const char *text) {
    fputs(text, page);
}

/* A cell of a table: its text must not end the cell. */
void cell(const char *text) {
    put(" ");
    for (; *text; text++) {
        if (*text == '|') {
            put("\\");
        }
        fputc(*text, page);
    }
    put(" |");
}

void begin_row(const char *first) {
    put("|");
    cell(first);
}

void end_row(void) {
    put("\n");
}

void number_cell(int number) {
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    cell(number < 0 ? "-" : text);
}

void code_cell(const char *text) {
    if (!*text) {
        cell("-");
        return;
    }
    put(" `");
    put(text);
    put("` |");
}

void title(const char *heading, const char *table) {
    fprintf(page,
            "# %s\n\nMade from %s by `tools/gendocs.c` (`cmake --build build --target docs`).\n",
            heading, table);
}

void section(const char *heading) {
    fprintf(page, "\n## %s\n\n", heading);
}
