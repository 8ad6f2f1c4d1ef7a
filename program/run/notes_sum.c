/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums of notes.
 */
#include "notes_sum.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_error.h"
#include "file_bytes.h"
#include "ptx_found.h"
#include "ptx_rules.h"
#include "tma/detail/chars.h"

#define MOST_NOTES_B (UINT64_C(1) << 28)
#define MOST_LINES   8 /* said in full */
#define MOST_REASONS 8 /* said */
#define LEFT         "left: "
#define UNCHECKED    " kernels: "
#define MOST_FOUND   8   /* findings said in full */
#define MOST_TEXT    600 /* characters of one */

/* A word and the number behind it; null if the text begins otherwise. */
static const char *word_and_number(const char *text, const char *word, uint32_t *number) {
    const size_t length = strlen(word);
    if (strncmp(text, word, length) != 0) {
        return NULL;
    }
    const size_t digits = strcspn(text + length, " ");
    return tma_read_u32(number, text + length, digits, UINT32_MAX, word, NULL)
               ? NULL
               : text + length + digits;
}

/* "total 7 found 7 checked": a file's last line in the notes. */
static int is_total(const char *line, uint32_t *found, uint32_t *checked) {
    const char *rest = word_and_number(line, "total ", found);
    rest = rest ? word_and_number(rest, " found ", checked) : NULL;
    return rest && strncmp(rest, " checked", strlen(" checked")) == 0;
}

/* The reason of one copy ends where its statement begins, that of a file at its place. */
static size_t reason_length(const char *text, int is_copy) {
    static const char *const statements[] = {": cp", ": @", ": fabric."};
    const size_t all = strcspn(text, "\n");
    size_t length = all;
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]) && is_copy; i++) {
        const char *at = strstr(text, statements[i]);
        length = at && (size_t)(at - text) < length ? (size_t)(at - text) : length;
    }
    const char *place = is_copy ? NULL : strstr(text, " (line ");
    return place ? (size_t)(place - text) : length;
}

static void count(notes_reasons *to, const char *text, size_t length, uint64_t more_of_it) {
    size_t i = 0;
    while (i < to->reasons &&
           (strncmp(to->reason[i].text, text, length) != 0 || to->reason[i].text[length])) {
        i++;
    }
    if (i == to->reasons) {
        notes_reason *more = cli_got(realloc(to->reason, (i + 1) * sizeof(*more)));
        char *own = cli_got(strndup(text, length));
        to->reason = more;
        to->reason[to->reasons++] = (notes_reason){own, 0};
    }
    to->reason[i].count += more_of_it;
}

/* One line that says why something has no check. */
static void keep_line(notes_sum *sum, const char *line) {
    if (++sum->lines > MOST_LINES) {
        return;
    }
    char *all = cli_printed("%stma run-checked: %s%s", sum->line ? sum->line : "", line,
                            strchr(line, '\n') ? "" : "\n");
    free(sum->line);
    sum->line = all;
}

/* One file's notes so far. */
typedef struct block {
    char *whole;     /* why all of its copies have no check, */
    uint64_t copies; /* and how many have a reason of their own */
} block;

static void end_block(notes_sum *sum, block *b, uint32_t found, uint32_t checked) {
    const uint64_t left = found > checked ? found - checked : 0;
    sum->found += found;
    sum->checked += checked;
    if (left > b->copies) {
        const char *why = b->whole ? b->whole : "the notes say no reason";
        count(&sum->left, why, strlen(why), left - b->copies);
    }
    free(b->whole);
    *b = (block){NULL, 0};
}

static void take_left(notes_sum *sum, block *b, const char *line, const char *text) {
    const int is_copy = strncmp(line, PTX_FOUND_LINE, strlen(PTX_FOUND_LINE)) == 0;
    const size_t length = reason_length(text, is_copy);
    keep_line(sum, line);
    if (is_copy) {
        count(&sum->left, text, length, 1);
        b->copies++;
    } else {
        free(b->whole);
        b->whole = strndup(text, length);
    }
}

/* The rule that stands before `behind` in a line of tma ptx's findings: its length; 0: none does.
 */
static size_t rule_before(const char *line, const char *behind, const char **rule) {
    const char *at = behind;
    while (at > line && at[-1] != ' ') {
        at--;
    }
    *rule = at;
    for (const char *c = at; c < behind; c++) {
        if (!(*c == '-' || (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9'))) {
            return 0;
        }
    }
    return strncmp(line, PTX_FOUND_LINE, strlen(PTX_FOUND_LINE)) == 0 ? (size_t)(behind - at) : 0;
}

/* What says that the file is not understood is no finding of the program's user: notes have it. */
static int is_of_the_file(const char *rule) {
    static const ptx_rule rules[] = {PTX_RULE_UNREAD, PTX_RULE_PIECE, PTX_RULE_TARGET,
                                     PTX_RULE_VERSION};
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (strcmp(rule, ptx_rule_at(rules[i])->name) == 0) {
            return 1;
        }
    }
    return 0;
}

static char *copied(const char *text, size_t length) {
    return cli_got(strndup(text, length));
}

/* Once for each kernel and rule; compilers often see a kernel more than once. */
static void add_finding(notes_sum *sum, char *kernel, char *rule, const char *line) {
    for (size_t i = 0; i < sum->findings; i++) {
        notes_finding *f = &sum->finding[i];
        if (strcmp(f->kernel, kernel) == 0 && strcmp(f->rule, rule) == 0) {
            f->more += strcmp(f->text, line) != 0;
            free(kernel);
            free(rule);
            return;
        }
    }
    notes_finding *more = cli_got(realloc(sum->finding, (sum->findings + 1) * sizeof(*more)));
    sum->finding = more;
    sum->finding[sum->findings++] = (notes_finding){kernel, rule, copied(line, strlen(line)), 0};
}

/* A line of tma ptx's findings: whether it is one. */
static int take_finding(notes_sum *sum, const char *line) {
    const char *may = strstr(line, PTX_FOUND_MAY);
    const char *certain = strstr(line, PTX_FOUND_CERTAIN);
    const char *rule = NULL;
    if (!certain || (may && may < certain)) {
        const size_t named = may ? rule_before(line, may, &rule) : 0;
        if (named) {
            count(&sum->may, rule, named, 1);
        }
        return named != 0;
    }
    const size_t length = rule_before(line, certain, &rule);
    if (!length) {
        return 0;
    }
    char *own = copied(rule, length);
    if (is_of_the_file(own)) {
        free(own);
        return 1;
    }
    const char *kernel = strstr(line, ", " PTX_FOUND_KERNEL);
    const int named = kernel && kernel < rule;
    kernel = named ? kernel + strlen(", ") : "the file";
    const size_t name = named ? (size_t)(rule - strlen(": ") - kernel) : strlen(kernel);
    add_finding(sum, copied(kernel, name), own, line);
    return 1;
}

static void take_line(notes_sum *sum, block *b, const char *line) {
    uint32_t found = 0;
    uint32_t checked = 0;
    const char *left = strstr(line, LEFT);
    const char *unchecked = word_and_number(line, "unchecked ", &found);
    if (unchecked && strncmp(unchecked, UNCHECKED, strlen(UNCHECKED)) == 0) {
        unchecked += strlen(UNCHECKED);
        count(&sum->loaded, unchecked, strcspn(unchecked, "\n"), found);
    } else if (is_total(line, &found, &checked)) {
        sum->runs++;
        end_block(sum, b, found, checked);
    } else if (strcmp(line, "image\n") == 0) {
        sum->images++;
    } else if (strcmp(line, "on a fault: record\n") == 0 ||
               strcmp(line, "on a fault: skip\n") == 0) {
        sum->recording = 1;
    } else if (strncmp(line, PTX_FOUND_NOT, strlen(PTX_FOUND_NOT)) == 0) {
        sum->unjudged++;
    } else if (take_finding(sum, line)) {
        return;
    } else if (left) {
        take_left(sum, b, line, left + strlen(LEFT));
    }
}

static int by_count(const void *a, const void *b) {
    const notes_reason *x = a;
    const notes_reason *y = b;
    return x->count == y->count ? strcmp(x->text, y->text) : x->count < y->count ? 1 : -1;
}

static void sort(notes_reasons *r) {
    if (r->reasons) {
        qsort(r->reason, r->reasons, sizeof(*r->reason), by_count);
    }
}

notes_sum notes_sum_of(const char *path) {
    notes_sum sum;
    block b = {NULL, 0};
    file_bytes notes = {NULL, 0};
    tma_error error;
    memset(&sum, 0, sizeof(sum));
    (void)file_read(path, MOST_NOTES_B, &notes, &error);
    FILE *lines = notes.size ? fmemopen(notes.at, notes.size, "r") : NULL;
    char *line = NULL;
    size_t room = 0;
    while (lines && getline(&line, &room, lines) >= 0) {
        take_line(&sum, &b, line);
    }
    free(line);
    free(b.whole);
    if (lines) {
        fclose(lines);
    }
    free(notes.at);
    sum.runs -= sum.images < sum.runs ? sum.images : sum.runs;
    sort(&sum.left);
    sort(&sum.loaded);
    sort(&sum.may);
    return sum;
}

static void free_reasons(notes_reasons *r) {
    for (size_t i = 0; i < r->reasons; i++) {
        free(r->reason[i].text);
    }
    free(r->reason);
}

void notes_sum_free(notes_sum *sum) {
    free_reasons(&sum->left);
    free_reasons(&sum->loaded);
    free_reasons(&sum->may);
    for (size_t i = 0; i < sum->findings; i++) {
        free(sum->finding[i].kernel);
        free(sum->finding[i].rule);
        free(sum->finding[i].text);
    }
    free(sum->finding);
    free(sum->line);
    memset(sum, 0, sizeof(*sum));
}

static void say_reasons(const notes_reasons *r) {
    uint64_t others = 0;
    for (size_t i = 0; i < r->reasons; i++) {
        if (i < MOST_REASONS) {
            fprintf(stderr, "%s %s (%" PRIu64 ")", i ? "," : "", r->reason[i].text,
                    r->reason[i].count);
        } else {
            others += r->reason[i].count;
        }
    }
    if (others) {
        fprintf(stderr, ", other reasons (%" PRIu64 "): --notes=FILE has them", others);
    }
    fputs("\n", stderr);
}

void notes_sum_say_left(const notes_sum *sum) {
    uint64_t loaded = 0;
    for (size_t i = 0; i < sum->loaded.reasons; i++) {
        loaded += sum->loaded.reason[i].count;
    }
    if (sum->left.reasons) {
        fprintf(stderr, "tma run-checked: %" PRIu32 " of %" PRIu32 " not checked:",
                sum->found - sum->checked, sum->found);
        say_reasons(&sum->left);
    }
    if (loaded) {
        fprintf(stderr,
                "tma run-checked: %" PRIu64
                " kernel%s with tensor copies %s loaded without checks:",
                loaded, text_plural(loaded), loaded == 1 ? "was" : "were");
        say_reasons(&sum->loaded);
    }
}

/* The findings behind those that are said in full: each rule with how many there are. */
static void say_more(const notes_sum *sum) {
    notes_reasons more = {NULL, 0};
    for (size_t i = MOST_FOUND; i < sum->findings; i++) {
        count(&more, sum->finding[i].rule, strlen(sum->finding[i].rule), 1);
    }
    sort(&more);
    for (size_t i = 0; i < more.reasons; i++) {
        fprintf(stderr,
                "tma run-checked: tma ptx is certain of %" PRIu64
                " more: %s: --notes=FILE has %s (tma explain %s)\n",
                more.reason[i].count, more.reason[i].text,
                more.reason[i].count == 1 ? "it" : "them", more.reason[i].text);
    }
    free_reasons(&more);
}

void notes_sum_say_found(const notes_sum *sum) {
    for (size_t i = 0; i < sum->findings && i < MOST_FOUND; i++) {
        const notes_finding *f = &sum->finding[i];
        const char *place = f->text + strspn(f->text, " ");
        const char *text = strstr(place, PTX_FOUND_CERTAIN);
        const int before = (int)(text - place);
        text += strlen(PTX_FOUND_CERTAIN);
        const int length = (int)strcspn(text, "\n");
        fprintf(stderr, "tma run-checked: tma ptx is certain: %.*s: %.*s%s (tma explain %s", before,
                place, length < MOST_TEXT ? length : MOST_TEXT, text,
                length < MOST_TEXT ? "" : "...", f->rule);
        if (f->more) {
            fprintf(stderr, "; %" PRIu64 " more in this kernel", f->more);
        }
        fputs(")\n", stderr);
    }
    say_more(sum);
    if (sum->unjudged) {
        fprintf(stderr,
                "tma run-checked: %" PRIu64
                " kernel%s too large to be judged to the end by tma ptx: --notes=FILE has %s\n",
                sum->unjudged, sum->unjudged == 1 ? " was" : "s were",
                sum->unjudged == 1 ? "it" : "them");
    }
    for (size_t i = 0; i < sum->may.reasons; i++) {
        const notes_reason *rule = &sum->may.reason[i];
        fprintf(stderr,
                "tma run-checked: tma ptx is not certain: %s may be broken in %" PRIu64
                " place%s: --notes=FILE has %s (tma explain %s)\n",
                rule->text, rule->count, text_plural(rule->count), rule->count == 1 ? "it" : "them",
                rule->text);
    }
}
