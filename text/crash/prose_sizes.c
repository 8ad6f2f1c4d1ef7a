/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes, strides and views that stand in a report's source text and lists: "torch.Size([98048,
 * 44])", "as_strided(base, (64, 64), (65, 1))", "x[2:]", "m=1638". Where what failed can be a
 * tensor map's 16 bytes, each is judged as a row, a stride or a begin of one.
 */
#include <string.h>

#include "paste_parts.h"
#include "prose.h"
#include "prose_facts.h"
#include "tma/crash.h"
#include "tma/detail/chars.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MOST_LIST    8
#define MOST_AFTER_B 4  /* between a name and its list */
#define LEAST_SIZE   17 /* a smaller number is mostly no size */
#define LONGEST_NAME 64

typedef enum list_kind { LIST_ROW, LIST_STRIDE } list_kind;

static const struct list_name {
    const char *words;
    uint32_t kind;
} names[] = {
#define SIZE_LIST(kind, words) {words, LIST_##kind},
#include "prose_facts.def"
};

static const struct asking_row {
    uint8_t row;
    uint8_t asks;
} asking[] = {
#define SIZE_ASKED(row, asks) {CRASH_ROW_##row, PROSE_ASKS_##asks},
#include "prose_facts.def"
};

static void note_asked(void *context, const tma_crash *found) {
    uint32_t *asked = context;
    for (size_t i = 0; i < COUNT(asking); i++) {
        *asked |= asking[i].row == found->row ? asking[i].asks : 0u;
    }
}

uint32_t prose_asked(const char *text, size_t size) {
    uint32_t asked = 0;
    tma_crash_read(text, size, note_asked, &asked);
    const int is_named = (asked & PROSE_ASKS_WHERE_NAMED) == 0 ||
                         tma_crash_subject_of(text, size) == TMA_CRASH_SUBJECT_NAMED;
    return is_named ? asked : 0;
}

/* A whole number that begins there; its length, or 0. */
static size_t digits_at(const char *text, size_t length, size_t at, uint64_t *number) {
    const size_t n = text_run(text + at, length - at, text_is_digit);
    *number = 0;
    for (size_t i = 0; i < n && n < 11; i++) {
        *number = *number * 10 + (uint64_t)(text[at + i] - '0');
    }
    const char behind = at + n < length ? text[at + n] : ' ';
    const char next = at + n + 1 < length ? text[at + n + 1] : ' ';
    return n && n < 11 && !text_is_word(behind) && !(behind == '.' && text_is_digit(next)) ? n : 0;
}

/* What a line of the text makes a name: "n_val = 1733"; 0 if none does. */
static uint64_t value_of(const prose_sizes *s, const char *name, size_t length) {
    for (size_t at = 0; at + length + 3 < s->size; at++) {
        uint64_t number = 0;
        if ((at && text_is_word(s->text[at - 1])) || !text_equal(s->text + at, name, length) ||
            text_is_word(s->text[at + length])) {
            continue;
        }
        size_t end = at + length;
        while (end < s->size && s->text[end] == ' ') {
            end++;
        }
        if (end + 1 < s->size && s->text[end] == '=' && s->text[end + 1] != '=') {
            end++;
            while (end < s->size && s->text[end] == ' ') {
                end++;
            }
            const size_t n = digits_at(s->text, s->size, end, &number);
            const char behind = n && end + n < s->size ? s->text[end + n] : '\n';
            if (n && (behind == '\n' || behind == '\r' || behind == ' ' || behind == ',')) {
                return number;
            }
        }
    }
    return 0;
}

/* Entries of a list that begins there; 0 for one that is no number and no name of one. How many. */
static size_t list_at(const prose_sizes *s, const paste_line *line, size_t at, uint64_t *values) {
    size_t count = 0;
    size_t depth = 0;
    while (at < line->length && (line->text[at] == '(' || line->text[at] == '[') && depth < 2) {
        at++;
        depth++;
    }
    while (depth && at < line->length && count < MOST_LIST) {
        at += text_run(line->text + at, line->length - at, paste_is_blank);
        const size_t word = text_run(line->text + at, line->length - at, text_is_word);
        const char behind = at + word < line->length ? line->text[at + word] : ')';
        const size_t gap =
            text_run(line->text + at + word, line->length - at - word, paste_is_blank);
        const char then = at + word + gap < line->length ? line->text[at + word + gap] : ')';
        if (!word || word >= LONGEST_NAME || behind == '=' || then == '=') {
            break; /* a keyword, another list: the sizes are over */
        }
        const int is_whole = then == ',' || then == ')' || then == ']';
        uint64_t number = 0;
        if (is_whole && !digits_at(line->text, line->length, at, &number)) {
            number = value_of(s, line->text + at, word);
        }
        values[count++] = number;
        at += word + gap;
        if (then != ',') {
            break;
        }
        at++;
    }
    return count;
}

static void give(prose_sizes *s, tma_crash_fact *fact) {
    if (s->visit) {
        s->visit(s->context, fact);
    }
    s->count++;
}

static void judge_row(prose_sizes *s, const paste_line *line, size_t at, size_t end, uint64_t el) {
    const uint32_t named = prose_dtype_in(line, 0, line->length);
    const uint32_t dtype = named == PROSE_NO_TYPE ? s->dtype : named;
    tma_crash_fact fact;
    if (el >= LEAST_SIZE && prose_row_fact(line, at, end, el, dtype, &fact)) {
        give(s, &fact);
    }
}

/* A call or a name with a list of sizes: the last one is a row, of strides the first. */
static void read_list(prose_sizes *s, const paste_line *line, size_t at) {
    for (size_t i = 0; i < COUNT(names); i++) {
        const size_t name = crash_match(line->text, line->length, at, names[i].words);
        size_t from = at + name;
        while (name && from < line->length && from - at - name < MOST_AFTER_B &&
               (paste_is_blank(line->text[from]) || line->text[from] == '=' ||
                line->text[from] == ':')) {
            from++;
        }
        uint64_t values[MOST_LIST] = {0};
        const size_t count = name ? list_at(s, line, from, values) : 0;
        if (count < 2) {
            continue;
        }
        const size_t close = from + text_until(line->text + from, line->length - from, ')');
        const size_t end = close < line->length ? close + 1 : line->length;
        const int is_strided = names[i].kind == LIST_STRIDE;
        for (size_t k = 0;
             is_strided && s->asked & PROSE_ASKS_STRIDES && values[count - 1] == 1 && k + 1 < count;
             k++) {
            judge_row(s, line, at, end, values[k]);
        }
        if (!is_strided && s->asked & PROSE_ASKS_ROWS) {
            judge_row(s, line, at, end, values[count - 1]);
        }
        return;
    }
}

/* "1638x6144x3584": three numbers at least. */
static void read_product(prose_sizes *s, const paste_line *line, size_t at) {
    uint64_t values[MOST_LIST] = {0};
    size_t end = at;
    size_t count = 0;
    for (int is_more = 1; is_more && count < MOST_LIST; count++) {
        const size_t n = text_run(line->text + end, line->length - end, text_is_digit);
        if (!n || n > 10) {
            return;
        }
        for (size_t i = 0; i < n; i++) {
            values[count] = values[count] * 10 + (uint64_t)(line->text[end + i] - '0');
        }
        end += n;
        is_more = end < line->length && line->text[end] == 'x';
        end += (size_t)is_more;
    }
    for (size_t i = 0; count > 2 && i < count; i++) {
        judge_row(s, line, at, end, values[i]);
    }
}

/* "mnk=(1638, 6144, 3584)", "m=1638": problem sizes, of which each can be a row. */
static void read_problem(prose_sizes *s, const paste_line *line, size_t at) {
    static const char *const sides[] = {"m", "n", "k", "mnk"};
    uint64_t number = 0;
    size_t from = at;
    size_t n = 0;
    for (size_t i = 0; i < COUNT(sides); i++) {
        const size_t name = crash_match(line->text, line->length, at, sides[i]);
        if (name && at + name < line->length && line->text[at + name] == '=') {
            from = at + name + 1;
        }
    }
    if (from > at) {
        uint64_t values[MOST_LIST] = {0};
        const size_t count = list_at(s, line, from, values);
        for (size_t i = 0; i < count; i++) {
            judge_row(s, line, at, from + text_until(line->text + from, line->length - from, ')'),
                      values[i]);
        }
        n = count ? 0 : digits_at(line->text, line->length, from, &number);
        if (n) {
            judge_row(s, line, at, from + n, number);
        }
        return;
    }
    read_product(s, line, at);
}

/* Whether the text makes a name with more than one size: "x = torch.randn((64, 64), …)", "x =
 * torch.zeros(4, 8)". A view of such a tensor begins at a row. */
static int has_sizes(const prose_sizes *s, const char *name, size_t length) {
    for (size_t at = 0; at + length + 3 < s->size; at++) {
        if ((at && text_is_word(s->text[at - 1])) || !text_equal(s->text + at, name, length) ||
            !text_is(s->text + at + length, 3, " = ")) {
            continue;
        }
        const char *const made = s->text + at + length + 3;
        const size_t line = text_until(made, s->size - (size_t)(made - s->text), '\n');
        const size_t list = text_until(made, line, '(') + 1;
        const size_t first = list < line ? text_until(made + list, line - list, ',') : 0;
        const size_t next = list + first + 2;
        if (list < line && (made[list] == '(' || made[list] == '[' ||
                            (next < line && text_is_digit(made[next])))) {
            return 1;
        }
    }
    return 0;
}

/* Whether what is walked or belongs to another name is no tensor: "in table[1:]", "sys.argv[1:]".
 */
static int is_of_a_list(const paste_line *line, size_t at) {
    return (at && line->text[at - 1] == '.') || (at > 3 && text_is(line->text + at - 4, 4, " in "));
}

/* "x[2:]": where a view of one dimension begins. */
static void read_view(prose_sizes *s, const paste_line *line, size_t at) {
    const size_t name = text_run(line->text + at, line->length - at, text_is_word);
    const size_t from = at + name + 1;
    uint64_t number = 0;
    if (!name || from >= line->length || line->text[from - 1] != '[' || is_of_a_list(line, at) ||
        has_sizes(s, line->text + at, name)) {
        return;
    }
    const size_t n = digits_at(line->text, line->length, from, &number);
    const size_t stop = from + n + 1;
    const size_t more =
        stop < line->length ? text_run(line->text + stop, line->length - stop, text_is_digit) : 0;
    tma_crash_fact fact;
    if (n && number && line->text[from + n] == ':' && stop + more < line->length &&
        line->text[stop + more] == ']' &&
        prose_view_fact(line, at, stop + more + 1, number, s->dtype, &fact)) {
        give(s, &fact);
    }
}

void prose_read_sizes(prose_sizes *s, const paste_line *line) {
    const int is_read = s->asked && !prose_is_of_no_operand(line);
    for (size_t at = 0; is_read && at < line->length; at++) {
        const char c = line->text[at];
        if (!text_is_word(c) || (at && text_is_word(line->text[at - 1]))) {
            continue;
        }
        read_list(s, line, at);
        if (s->asked & PROSE_ASKS_PROBLEM) {
            read_problem(s, line, at);
        }
        if (s->asked & PROSE_ASKS_VIEWS) {
            read_view(s, line, at);
        }
    }
}
