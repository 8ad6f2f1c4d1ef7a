/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of a crash: in a log each row once, with the line that says so.
 */
#include "crash_view.h"

#include <inttypes.h>
#include <string.h>

#include "out_text.h"
#include "printable.h"

#define MOST_ROWS 256

typedef struct crashes {
    crash_is_said is_said;
    const void *context;
    size_t count[MOST_ROWS];
    size_t line[MOST_ROWS];
    uint32_t order[MOST_ROWS]; /* rows as they come first */
    size_t rows;
} crashes;

static void note(void *context, const tma_crash *found) {
    crashes *all = context;
    tma_crash_row row;
    if (found->row >= MOST_ROWS || tma_crash_at(&row, found->row) ||
        (all->is_said && all->is_said(all->context, found->line, &row))) {
        return;
    }
    if (all->count[found->row]++ == 0) {
        all->line[found->row] = found->line;
        all->order[all->rows++] = found->row;
    }
}

static void part(const color_set *colors, const char *label, const char *text) {
    if (*text) {
        printf("    %s%-12s%s ", colors->dim, label, colors->end);
        out_wrapped(stdout, text, 17);
    }
}

static const char *copy_words(uint32_t copy) {
    return copy == TMA_CRASH_COPY_CAN       ? "can be the cause"
           : copy == TMA_CRASH_COPY_MAP     ? "a tensor map was refused"
           : copy == TMA_CRASH_COPY_UNKNOWN ? "not known"
                                            : "is not the cause";
}

/* A row: what happened, whether a tensor copy can be the cause, what else, what to do next. */
static void print_row(const tma_crash_row *row, const color_set *colors) {
    char copy[2048];
    snprintf(copy, sizeof(copy), "%s%s%s", copy_words(row->copy), *row->as_copy ? ": " : "",
             row->as_copy);
    part(colors, "meaning:", row->meaning);
    part(colors, "tensor copy:", copy);
    part(colors, "what else:", row->others);
    part(colors, "next:", row->next);
    part(colors, "stands on:", row->source);
}

static void print_name(const tma_crash_row *row, const color_set *colors) {
    printf("%s%s%s", colors->bold, row->name, colors->end);
    if (row->code >= 0) {
        printf(" (%" PRId32 ")", row->code);
    }
}

size_t crash_text(const char *label, const char *text, size_t size, int as_json,
                  const color_set *colors, size_t before, crash_is_said is_said,
                  const void *context) {
    crashes all;
    tma_crash_row row;
    memset(&all, 0, sizeof(all));
    all.is_said = is_said;
    all.context = context;
    tma_crash_read(text, size, note, &all);
    for (size_t i = 0; i < all.rows; i++) {
        const uint32_t number = all.order[i];
        if (tma_crash_at(&row, number)) {
            continue;
        }
        if (as_json) {
            out_json line;
            tma_json *json = out_json_begin(&line, "check");
            if (label) {
                tma_json_text(json, "input", label);
            }
            tma_json_u64(json, "line", all.line[number]);
            tma_json_text(json, "kind", "crash");
            tma_json_u64(json, "times", all.count[number]);
            tma_json_crash(json, &row);
            out_json_end(&line);
            continue;
        }
        fputs(before + i ? "\n" : "", stdout);
        fputs(colors->bold, stdout);
        if (label) {
            printable(stdout, label);
            putchar(':');
        }
        printf("%zu%s: ", all.line[number], colors->end);
        print_name(&row, colors);
        if (all.count[number] > 1) {
            const size_t more = all.count[number] - 1;
            printf(", in %zu more line%s", more, more == 1 ? "" : "s");
        }
        putchar('\n');
        printable_line(stdout, text, size, all.line[number]);
        print_row(&row, colors);
    }
    return all.rows;
}

size_t crash_explain(const char *words, int as_json, const color_set *colors) {
    crashes all;
    tma_crash_row row;
    memset(&all, 0, sizeof(all));
    tma_crash_about(words, strlen(words), note, &all);
    for (size_t i = 0; i < all.rows; i++) {
        if (tma_crash_at(&row, all.order[i])) {
            continue;
        }
        if (as_json) {
            out_json line;
            tma_json *json = out_json_begin(&line, "explain");
            tma_json_crash(json, &row);
            out_json_end(&line);
            continue;
        }
        fputs(i ? "\n" : "", stdout);
        print_name(&row, colors);
        putchar('\n');
        print_row(&row, colors);
    }
    return all.rows;
}
