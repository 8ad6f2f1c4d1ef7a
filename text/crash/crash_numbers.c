/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of errors, and what stands before them.
 */
#include "crash_numbers.h"

#include "crash_words.h"
#include "tma/detail/chars.h"

/* The number at the front, if it ends there: not a part of 3.5, of file:12:7, of a word. */
size_t crash_whole_number(const paste_line *line, size_t at, uint64_t *number) {
    paste_cursor c = {line->text + at, line->length - at};
    size_t n = 0;
    for (*number = 0; n < c.left && n < 6 && text_is_digit(c.at[n]); n++) {
        *number = *number * 10 + (uint64_t)(c.at[n] - '0');
    }
    paste_skip(&c, n);
    const char behind = paste_peek(&c);
    const int is_more = c.left > 1 && (behind == '.' || behind == ':') && text_is_digit(c.at[1]);
    return !text_is_word(behind) && !is_more ? n : 0;
}

int crash_is_separator(char c) {
    return paste_is_blank(c) || c == ':' || c == '=' || c == '(' || c == '[' || c == '#' ||
           c == '\'' || c == '"' || c == '<' || c == ',';
}

static size_t before_separators(const paste_line *line, size_t at) {
    while (at && crash_is_separator(line->text[at - 1])) {
        at--;
    }
    return at;
}

/* What stands before "csrc/jit/kernel.hpp:108 " that ends at byte `at`; `at` if it is no place. */
static size_t before_place(const paste_line *line, size_t at) {
    size_t i = at;
    int has_dot = 0;
    while (i && text_is_digit(line->text[i - 1])) {
        i--;
    }
    if (i == at || !i || line->text[i - 1] != ':') {
        return at;
    }
    while (i && !paste_is_blank(line->text[i - 1])) {
        i--;
        has_dot |= line->text[i] == '.';
    }
    return has_dot ? before_separators(line, i) : at;
}

/* Whether what stands before byte `at` says that a number there is an error's: "error", "code: ",
 * "error (file.cpp:65): ", "error file.cpp:65 '". */
int crash_is_error_before(const paste_line *line, size_t at) {
    size_t i = before_place(line, before_separators(line, at));
    if (i && line->text[i - 1] == ')') {
        while (i && line->text[i - 1] != '(') {
            i--;
        }
        i = before_separators(line, i);
    }
    size_t from = i;
    while (from && text_is_word(line->text[from - 1])) {
        from--;
    }
    return i > from && i < at && crash_is_before(line->text + from, i - from);
}
