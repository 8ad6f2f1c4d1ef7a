/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps that stand among other text, each judged.
 */
#include <stdio.h>
#include <string.h>

#include "check_view.h"
#include "tma/dump.h"

#define PIECE_B ((size_t)1 << 18)

/* tma_dump_next(), with a look at the clock every now and then. */
static bool next_dump(tma_dump_found *found, const char *text, size_t size, tma_dump_cursor *at,
                      progress *shown) {
    while (at->at < size) {
        const size_t end = size - at->at > PIECE_B ? at->at + PIECE_B : size;
        if (tma_dump_next(found, text, size, at, end)) {
            return true;
        }
        progress_at(shown, at->at >> 20, size >> 20);
    }
    return false;
}

size_t check_dumps(const check_view *view, check_tally *tally, const char *label, const char *text,
                   size_t size, size_t before, progress *shown) {
    tma_dump_cursor at = {0, 0};
    tma_dump_found found;
    tma_map last = {{0}};
    size_t count = 0;
    while (next_dump(&found, text, size, &at, shown)) {
        char name[4200];
        const int is_again = count && !memcmp(last.bytes, found.map, sizeof(last.bytes));
        memcpy(last.bytes, found.map, sizeof(last.bytes));
        count++;
        if (is_again && !view->json) { /* a debugger's session prints one map in several ways */
            continue;
        }
        const char *file = label ? label : "";
        const char *comma = label ? ", " : "";
        if (found.last_line > found.line) {
            snprintf(name, sizeof(name), "%s%slines %zu to %zu", file, comma, found.line,
                     found.last_line);
        } else {
            snprintf(name, sizeof(name), "%s%sline %zu", file, comma, found.line);
        }
        if (before + count > 1 && !view->json && !view->lint.writer) {
            putchar('\n');
        }
        progress_end(shown); /* what is printed begins a line */
        check_bytes(view, tally, name, found.line, found.map);
    }
    progress_end(shown);
    return count;
}
