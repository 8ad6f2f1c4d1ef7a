/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of a crash: in a log each row once, with the line that says so.
 */
#include "crash_view.h"

#include <inttypes.h>
#include <string.h>

#include "out_text.h"
#include "printable.h"
#include "tma/detail/chars.h"
#include "tma/paste.h"
#include "tma/text.h"

#define MOST_ROWS 256

typedef struct crashes {
    crash_is_said is_said;
    const void *context;
    size_t count[MOST_ROWS];
    size_t line[MOST_ROWS];
    uint32_t order[MOST_ROWS]; /* rows as they come first */
    size_t rows;
    size_t last_line, lines; /* that say something of a crash */
} crashes;

static void note(void *context, const tma_crash *found) {
    crashes *all = context;
    tma_crash_row row;
    if (found->row >= MOST_ROWS || tma_crash_at(&row, found->row) ||
        (all->is_said && all->is_said(all->context, found->line, &row))) {
        return;
    }
    all->lines += found->line != all->last_line;
    all->last_line = found->line;
    if (all->count[found->row]++ == 0) {
        all->line[found->row] = found->line;
        all->order[all->rows++] = found->row;
    }
}

/* Whether the text is an error's words and nothing else: what it does not name it could not. */
static int is_bare(const crashes *all, const char *text, size_t size) {
    size_t written = 0;
    int is_empty = 1; /* the line so far */
    for (size_t at = 0; at < size; at++) {
        const int is_blank = strchr(" \t\r\n", text[at]) && text[at];
        written += is_empty && !is_blank;
        is_empty = text[at] == '\n' || (is_empty && is_blank);
    }
    return written <= all->lines;
}

static void part(const color_set *colors, const char *label, const char *text) {
    if (*text) {
        printf("    %s%-12s%s ", colors->dim, label, colors->end);
        out_wrapped(stdout, text, 17);
    }
}

static const char *copy_words(uint32_t copy) {
    return copy == TMA_CRASH_COPY_CAN       ? "can be the cause"
           : copy == TMA_CRASH_COPY_MAP     ? "is the subject"
           : copy == TMA_CRASH_COPY_UNKNOWN ? "not known"
                                            : "is not the cause";
}

/* A row: what happened, whether a tensor copy can be the cause, what else, what to do next. */
static void print_row(const tma_crash_row *row, const color_set *colors) {
    char copy[2048];
    const char *name = strstr(row->as_copy, "NAME "); /* stands for the row's */
    const int before = (int)(name ? (size_t)(name - row->as_copy) : strlen(row->as_copy));
    snprintf(copy, sizeof(copy), "%s%s%.*s%s%s", copy_words(row->copy), *row->as_copy ? ": " : "",
             before, row->as_copy, name ? row->name : "", name ? name + strlen("NAME") : "");
    part(colors, "meaning:", row->meaning);
    part(colors, "tensor copy:", copy);
    part(colors, "what else:", row->others);
    part(colors, "next:", row->next);
    part(colors, "evidence:", row->source);
}

static void print_name(const tma_crash_row *row, const color_set *colors) {
    printf("%s%s%s", colors->bold, row->name, colors->end);
    if (row->code >= 0) {
        printf(" (%" PRId32 ")", row->code);
    }
}

static void json_row(const char *label, const crashes *all, uint32_t number,
                     const tma_crash_row *row) {
    out_json line;
    tma_json *json = out_json_begin(&line, "check");
    if (label) {
        tma_json_text(json, "input", label);
    }
    tma_json_u64(json, "line", all->line[number]);
    tma_json_text(json, "kind", "crash");
    tma_json_u64(json, "times", all->count[number]);
    tma_json_crash(json, row);
    out_json_end(&line);
}

size_t crash_text(const check_view *view, const char *label, const char *text, size_t size,
                  size_t before, crash_is_said is_said, const void *context) {
    const color_set *const colors = &view->colors;
    static crashes all; /* of 5 KiB, which a small stack has not */
    tma_crash_row row;
    memset(&all, 0, sizeof(all));
    all.is_said = is_said;
    all.context = context;
    tma_crash_read(text, size, note, &all);
    uint32_t subject = all.rows ? tma_crash_subject_of(text, size) : 0;
    if (all.rows && subject == TMA_CRASH_SUBJECT_NONE && is_bare(&all, text, size)) {
        subject = TMA_CRASH_SUBJECT_NAMED;
    }
    for (size_t i = 0; i < all.rows; i++) {
        const uint32_t number = all.order[i];
        if (tma_crash_at(&row, number)) {
            continue;
        }
        tma_crash_in_text(&row, subject);
        if (view->lint.writer) {
            lint_says(&view->lint, all.line[number], row.name, LINT_NOTE, row.meaning);
            continue;
        }
        if (view->json) {
            json_row(label, &all, number, &row);
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
            printf(", in %zu more line%s", more, text_plural(more));
        }
        putchar('\n');
        printable_line(stdout, text, size, all.line[number]);
        print_row(&row, colors);
    }
    return all.rows;
}

static void json_topic(const char *label, size_t line_number, const tma_crash_row *row) {
    out_json line;
    tma_json *json = out_json_begin(&line, "check");
    if (label) {
        tma_json_text(json, "input", label);
    }
    tma_json_u64(json, "line", line_number);
    tma_json_text(json, "kind", "topic");
    tma_json_text(json, "name", row->name);
    out_json_end(&line);
}

size_t topics_text(const check_view *view, const char *label, const char *text, size_t size) {
    const color_set *const colors = &view->colors;
    static crashes all; /* of 5 KiB, which a small stack has not */
    tma_crash_row row;
    memset(&all, 0, sizeof(all));
    char see[128];
    tma_crash_topics(text, size, note, &all);
    for (size_t i = 0; i < all.rows && !view->lint.writer; i++) {
        const size_t line = all.line[all.order[i]];
        if (tma_crash_at(&row, all.order[i])) {
            continue;
        }
        if (view->json) {
            json_topic(label, line, &row);
            continue;
        }
        printf("%s%zu: %s, spoken of%s\n", colors->bold, line, row.name, colors->end);
        printable_line(stdout, text, size, line);
        part(colors, "to keep:", row.as_copy);
        snprintf(see, sizeof(see), "tma explain %s", row.name);
        part(colors, "see:", see);
        putchar('\n');
    }
    if (all.rows && !view->json && !view->lint.writer) {
        out_wrapped(
            stdout,
            "The text speaks of tensor copies, and of no failure that is known here; source "
            "text is not executed. Next: nvcc -ptx FILE.cu, then tma ptx --findings "
            "FILE.ptx (fences, waits, bytes) and tma emulate FILE.ptx, which executes the "
            "kernel. Of a failure paste the first error and the lines around it; "
            "LD_PRELOAD=libtma-cuda.so PROGRAM prints the arguments of each encode call",
            0);
    }
    return all.rows;
}

/* The name of a member of CUresult; null if it has none. */
static const char *code_name(int32_t number) {
    tma_code_name member;
    for (size_t i = 0; !tma_code_name_at(&member, i); i++) {
        if (member.number == number) {
            return member.name;
        }
    }
    return NULL;
}

/* One meaning of a number: what it is called there, the driver's words, and the row that tells
 * more.
 */
static void print_meaning(int32_t number, const char *numbering, const char *name,
                          const tma_code_row *code, const tma_crash_row *row, int as_json,
                          const color_set *colors) {
    if (as_json) {
        out_json line;
        tma_json *json = out_json_begin(&line, "explain");
        tma_json_i64(json, "number", number);
        tma_json_text(json, "numbering", numbering);
        tma_json_text(json, "name", name);
        if (row) {
            tma_json_crash(json, row);
        } else {
            tma_json_text(json, "meaning", code ? code->meaning : "");
        }
        out_json_end(&line);
        return;
    }
    printf("%s%s%s (%s", colors->bold, name, colors->end, numbering);
    if (!strstr(name, "_EXCEPTION_") && *name != 'X') { /* those have it in their name */
        printf(" %" PRId32, number);
    }
    printf(")%s%s\n", row ? ": " : "", row ? row->name : "");
    if (code) {
        part(colors, "words:", code->words);
    }
    if (row) {
        print_row(row, colors);
    } else if (code) {
        part(colors, "meaning:", code->meaning);
    }
}

/* What a number means in one numbering; `before`: something was printed already. Whether it means
 * something there. */
static int explain_numbering(int32_t number, uint32_t n, int before, int as_json,
                             const color_set *colors) {
    static const char *const numberings[] = {"CUresult", "cuda-gdb", "the system's log"};
    char text[32];
    tma_crash_row row;
    const int has_row = !tma_crash_of_number(&row, n, (uint32_t)number);
    const char *name = n == TMA_CRASH_CURESULT ? code_name(number) : has_row ? text : NULL;
    snprintf(text, sizeof(text), n == TMA_CRASH_XID ? "Xid %" PRId32 : "CUDA_EXCEPTION_%" PRId32,
             number);
    if (!name) {
        return 0;
    }
    fputs(before && !as_json ? "\n" : "", stdout);
    print_meaning(number, numberings[n], name, n == TMA_CRASH_CURESULT ? tma_code_of(number) : NULL,
                  has_row ? &row : NULL, as_json, colors);
    return 1;
}

/* All that a number means, CUresult's first; returns how much that was. */
static size_t explain_number(int32_t number, int as_json, const color_set *colors) {
    static const struct {
        tma_enum_kind kind;
        const char *type;
    } enums[] = {{TMA_ENUM_DTYPE, "CUtensorMapDataType"},
                 {TMA_ENUM_INTERLEAVE, "CUtensorMapInterleave"},
                 {TMA_ENUM_SWIZZLE, "CUtensorMapSwizzle"},
                 {TMA_ENUM_L2, "CUtensorMapL2promotion"},
                 {TMA_ENUM_FILL, "CUtensorMapFloatOOBfill"}};
    size_t count = 0;
    for (uint32_t n = 0; n < TMA_CRASH_NUMBERINGS; n++) {
        count += (size_t)explain_numbering(number, n, count != 0, as_json, colors);
    }
    for (size_t i = 0; i < sizeof(enums) / sizeof(enums[0]); i++) {
        const tma_enum_row *row = tma_enum_row_of(enums[i].kind, (uint32_t)number);
        if (row && *row->cuda_name) {
            fputs(count && !as_json ? "\n" : "", stdout);
            print_meaning(number, enums[i].type, row->cuda_name, NULL, NULL, as_json, colors);
            count++;
        }
    }
    return count;
}

/* A number, or the name of a member of CUresult: which; -1 if it is neither. */
static int32_t number_of(const char *words) {
    tma_code_name member;
    tma_error error;
    uint32_t number = 0;
    const int is_digits = *words && !words[strspn(words, "0123456789")];
    if (is_digits && !tma_read_u32(&number, words, strlen(words), INT32_MAX, "number", &error) &&
        number <= INT32_MAX) {
        return (int32_t)number;
    }
    for (size_t i = 0; !tma_code_name_at(&member, i); i++) {
        if (!strcmp(words, member.name)) {
            return member.number;
        }
    }
    return -1;
}

size_t crash_explain(const char *words, int as_json, const color_set *colors) {
    static crashes all; /* of 5 KiB, which a small stack has not */
    tma_crash_row row;
    const int32_t number = number_of(words);
    memset(&all, 0, sizeof(all));
    if (number >= 0 && strspn(words, "0123456789") == strlen(words)) {
        return explain_number(number, as_json, colors);
    }
    tma_crash_about(words, strlen(words), note, &all);
    if (number >= 0 && !all.rows) { /* a name of which no row tells more */
        print_meaning(number, "CUresult", words, tma_code_of(number), NULL, as_json, colors);
        return 1;
    }
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
