/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of errors, and what stands before them.
 */
#include "crash_numbers.h"

#include "crash_clause.h"
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

/* Whether what stands before byte `at` says that the `length` bytes of a number there are an
 * error's: "error", "code: ", "error (file.cpp:65): ", "error file.cpp:65 '", "fails with ". */
int crash_is_error_before(const paste_line *line, size_t at, size_t length) {
    size_t i = before_place(line, before_separators(line, at));
    if (crash_is_status(line->text, line->length, at, length)) {
        return 1;
    }
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

size_t crash_behind_xid(const paste_line *line, size_t at, int *has_place) {
    const size_t named = crash_match(line->text, line->length, at, "xid") +
                         crash_match(line->text, line->length, at, "xids");
    const size_t other = crash_match(line->text, line->length, at, "xid error*");
    paste_cursor c = {line->text + at, line->length - at};
    *has_place = 0;
    if (!named && !other) {
        return 0;
    }
    paste_skip(&c, other ? other : named);
    paste_skip_blanks(&c);
    if (paste_peek(&c) == '(') {
        *has_place = crash_is_pci_address(c.at + 1, c.left - 1);
        paste_skip(&c, text_until(c.at, c.left, ')') + 1);
    }
    while (c.left && (crash_is_separator(*c.at) && *c.at != '(')) {
        paste_skip(&c, 1);
    }
    return (size_t)(c.at - line->text);
}

int crash_is_of_numbers(const paste_line *line) {
    size_t at = 0;
    while (at < line->length && !paste_is_letter(line->text[at])) {
        at++;
    }
    return at == line->length;
}

int crash_is_returned(const paste_line *line, size_t at, size_t length) {
    const size_t word = sizeof("return ") - 1;
    return at >= word && crash_match(line->text, at, at - word, "return ") == word &&
           at + length < line->length && line->text[at + length] == ';';
}

int crash_is_part(const char *words, const char *text, size_t length) {
    for (size_t at = 0; at < length; at++) {
        if (crash_match(text, length, at, words)) {
            return 1;
        }
    }
    return 0;
}

int crash_is_raised(const paste_line *line, const paste_line *before) {
    size_t from = 0;
    size_t end = before->length;
    while (from < line->length && paste_is_blank(line->text[from])) {
        from++;
    }
    from += line->length - from > 1 && line->text[from] == 'f';
    while (end && paste_is_blank(before->text[end - 1])) {
        end--;
    }
    const int is_string =
        from < line->length && (line->text[from] == '"' || line->text[from] == '\'');
    return is_string && end && before->text[end - 1] == '(' &&
           paste_search(before->text, end, "raise ") < end;
}
