/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of a log, and who wrote them.
 */
#include <string.h>

#include "paste_parts.h"
#include "tma/detail/assert.h"
#include "tma/detail/chars.h"

/* Bytes of a colour or cursor sequence at `at`, as the terminal gets it or as text shows it. */
static size_t sequence(const char *at, size_t left) {
    static const char *const escapes[] = {"\033",  "\\u001b", "\\u001B", "\\x1b",
                                          "\\x1B", "\\033",   "\\e"};
    for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
        const paste_cursor text = {at, left};
        size_t n = paste_begins(&text, escapes[i]);
        if (!n) {
            continue;
        }
        if (n < left && at[n] == '[') {
            for (n++; n < left && !(at[n] >= '@' && at[n] <= '~'); n++) {
            }
            return n < left ? n + 1 : left;
        }
        return n;
    }
    return 0;
}

/* Bytes of an escaped newline: one or more backslashes and an n. */
size_t paste_escaped_newline(const char *at, size_t left) {
    size_t n = 0;
    while (n < left && at[n] == '\\') {
        n++;
    }
    return n && n < left && at[n] == 'n' ? n + 1 : 0;
}

static int begins_escape(char c) {
    return c == '\033' || c == '\\';
}

/* One character of a line: how many bytes it takes; *shown is 0 for none. */
size_t paste_character(const char *at, size_t left, char *shown) {
    TMA_ASSERT(left);
    const size_t colour = begins_escape(*at) ? sequence(at, left) : 0;
    const unsigned char c = (unsigned char)*at;
    *shown = 0;
    if (colour) {
        return colour;
    }
    if (c == '\\' && left > 1 && (at[1] == 't' || at[1] == '"' || at[1] == '\'')) {
        *shown = at[1] == 't' ? ' ' : at[1];
        return 2;
    }
    if (c == 0xC2 && left > 1 && (unsigned char)at[1] == 0xA0) { /* a blank that does not break */
        *shown = ' ';
        return 2;
    }
    *shown = c < ' ' || c == 0x7F ? ' ' : *at;
    return 1;
}

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Whether eight characters may have one that does not stand for itself: none is below ' ' or above
 * '~', none is a backslash. */
static int has_odd(uint64_t eight) {
    const uint64_t slashes = eight ^ EACH(0x5C);
    const uint64_t ends = eight ^ EACH(0x7F);
    const uint64_t below = (eight - EACH(' ')) | (slashes - EACH(1)) | (ends - EACH(1)) | eight;
    return (below & EACH(0x80)) != 0;
}

/* Characters that stand for themselves, nearly all: taken over. */
static size_t plain_run(char *to, const char *at, size_t most) {
    size_t n = 0;
    uint64_t eight = 0;
    for (; n + sizeof(eight) <= most; n += sizeof(eight)) {
        memcpy(&eight, at + n, sizeof(eight));
        if (has_odd(eight)) {
            break;
        }
        memcpy(to + n, &eight, sizeof(eight));
    }
    while (n < most && at[n] >= ' ' && at[n] <= '~' && at[n] != '\\') {
        to[n] = at[n];
        n++;
    }
    return n;
}

int paste_next_line(paste_lines *lines, paste_line *line) {
    if (lines->at >= lines->size) {
        return 0;
    }
    line->length = 0;
    line->from = lines->at;
    line->is_rest = lines->in_line;
    line->number = lines->number += !lines->in_line;
    lines->in_line = 0;
    while (lines->at < lines->size) {
        const char *at = lines->text + lines->at;
        const size_t left = lines->size - lines->at;
        TMA_ASSERT(line->length <= sizeof(line->text));
        const size_t room = sizeof(line->text) - line->length;
        const size_t plain = plain_run(line->text + line->length, at, left < room ? left : room);
        if (plain) {
            line->length += plain;
            lines->at += plain;
            continue;
        }
        const size_t escaped = paste_escaped_newline(at, left);
        char shown = 0;
        if (*at == '\n') {
            lines->at++;
            break;
        }
        if (escaped || *at == '\r' || line->length == sizeof(line->text)) {
            lines->at += escaped ? escaped : *at == '\r';
            lines->in_line = lines->at < lines->size && lines->text[lines->at] != '\n';
            lines->at += lines->at < lines->size && !lines->in_line;
            break;
        }
        lines->at += paste_character(at, left, &shown);
        if (shown) {
            line->text[line->length++] = shown;
        }
    }
    return 1;
}

/* "%s", "%llu": what printf fills in; no "50%". */
static int is_conversion(const char *at, size_t left) {
    size_t n = 1;
    while (n < left && (at[n] == 'l' || at[n] == 'z' || at[n] == '#')) {
        n++;
    }
    return n < left && (at[n] == 's' || at[n] == 'd' || at[n] == 'u' || at[n] == 'x') &&
           !(n + 1 < left && text_is_word(at[n + 1]));
}

/* "{result}", "{res:?}", "{:?}", what a program fills in; no "{1, 2}", no "{'a': 1}". */
static int is_filled_in(const char *at, size_t left) {
    size_t n = 1;
    if (left > 3 && text_equal(at, "{:?}", 4)) {
        return 1;
    }
    while (n < left && (text_is_word(at[n]) || (n > 1 && (at[n] == ':' || at[n] == '?' ||
                                                          at[n] == '.' || at[n] == '!')))) {
        n++;
    }
    return n > 1 && n < left && at[n] == '}' && paste_is_letter(at[1]);
}

/* A sentence that quotes a launch: "kernel<<<1, 128>>>(p) hangs." */
static int is_launch(const paste_line *line, size_t at) {
    const char last = line->length ? line->text[line->length - 1] : ';';
    return text_equal(line->text + at, "<<<", line->length - at < 3 ? line->length - at : 3) &&
           line->length - at > 2 && (last == '.' || last == ':' || last == '?' || last == '!');
}

int paste_is_source_text(const paste_line *line) {
    static const char *const words[] = {"<<", "printf(", "(f\"", " f\"", "(f'", " f'"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const size_t at = paste_search(line->text, line->length, words[i]);
        if (at < line->length && !(i == 0 && is_launch(line, at))) {
            return 1;
        }
    }
    for (size_t at = 0; at < line->length; at++) {
        const char *here = line->text + at;
        if ((*here == '{' && is_filled_in(here, line->length - at)) ||
            (*here == '%' && is_conversion(here, line->length - at))) {
            return 1;
        }
    }
    return 0;
}

/* "@pytest.mark.skipif(": what stands before a function says of no run that it failed. */
int paste_is_decorator(const paste_line *line) {
    size_t at = 0;
    while (at < line->length && paste_is_blank(line->text[at])) {
        at++;
    }
    const int is_at = at < line->length && line->text[at] == '@';
    size_t end = at += (size_t)is_at;
    while (end < line->length && (text_is_word(line->text[end]) || line->text[end] == '.')) {
        end++;
    }
    return is_at && end > at && paste_is_letter(line->text[at]) &&
           (end == line->length || line->text[end] == '(');
}

int paste_may_begin(const paste_line *line, size_t at) {
    const char c = line->text[at];
    return c == '(' || (paste_is_letter(c) && (at == 0 || !text_is_word(line->text[at - 1])));
}

int paste_is_quoted_code(const paste_line *line, size_t at) {
    const char *text = line->text;
    size_t from = 0;
    size_t end = line->length;
    int is_quoted = 0;
    while (from < end && paste_is_blank(text[from])) {
        from++;
    }
    while (end > from && paste_is_blank(text[end - 1])) {
        end--;
    }
    const paste_cursor c = {text + from, end - from};
    const size_t word = paste_word(&c);
    for (size_t i = from; i < at; i++) {
        is_quoted ^= text[i] == '"';
    }
    const char last = end > from ? text[end - 1] : 0;
    const int is_call = word && word < c.left && c.at[word] == '(';
    return is_quoted &&
           ((is_call && (last == ',' || last == ';')) || (last == ';' && text[end - 2] == ')'));
}

/* How much of a line is as the beginning of another, up to the digits in it: whole words. */
size_t paste_same_form(const char *line, size_t size, const char *first, size_t most) {
    size_t kept = 0;
    for (size_t i = 0, j = 0; i < size && j < most;) {
        const int are_digits = text_is_digit(line[i]) && text_is_digit(first[j]);
        const int are_blank = paste_is_blank(line[i]) && paste_is_blank(first[j]);
        if (begins_escape(line[i]) && begins_escape(first[j])) {
            char shown = 0;
            char other = 0;
            const size_t taken = paste_character(line + i, size - i, &shown);
            j += paste_character(first + j, most - j, &other);
            if (shown != other) {
                break;
            }
            i += taken;
            kept = i;
            continue;
        }
        if (are_digits || are_blank) {
            i += text_run(line + i, size - i, are_digits ? text_is_digit : paste_is_blank);
            j += text_run(first + j, most - j, are_digits ? text_is_digit : paste_is_blank);
        } else if (line[i] == first[j]) {
            i++;
            j++;
        } else {
            break;
        }
        TMA_ASSERT(i && i <= size && j <= most);
        kept = text_is_word(line[i - 1]) ? kept : i;
    }
    return kept;
}

/* Digits at the beginning of the line that begins at `from`, behind blanks and before a blank, a
 * colon or a bar. Returns where they end, 0 if there are none. */
static size_t counter(uint64_t *number, const char *text, size_t size, size_t from) {
    TMA_ASSERT(from <= size);
    size_t at = from + text_run(text + from, size - from, paste_is_blank);
    const size_t digits = text_run(text + at, size - at, text_is_digit);
    *number = 0;
    for (size_t i = 0; i < digits; i++) {
        *number = *number * 10 + (uint64_t)(text[at + i] - '0');
    }
    at += digits;
    return digits && digits < 8 && at < size &&
                   (paste_is_blank(text[at]) || text[at] == ':' || text[at] == '|')
               ? at
               : 0;
}

size_t paste_line_number(const char *text, size_t size, size_t from) {
    uint64_t own = 0;
    uint64_t other = 0;
    const size_t end = counter(&own, text, size, from);
    if (!end) {
        return 0;
    }
    const size_t next = from + text_until(text + from, size - from, '\n') + 1;
    size_t before = from ? from - 1 : 0;
    while (before && text[before - 1] != '\n') {
        before--;
    }
    const int rises_to = next < size && counter(&other, text, size, next) && other == own + 1;
    const int rises_from = from && counter(&other, text, size, before) && other + 1 == own;
    return rises_to || rises_from ? end - from : 0;
}

size_t paste_line_of(const char *text, size_t at) {
    size_t line = 1;
    for (size_t i = 0; i < at; i++) {
        line += text[i] == '\n';
    }
    return line;
}

/* Whether a token with digits is a time, a date, a share, a place in a source: what changes from
 * line to line of one speaker. */
static int is_passing(const char *token, size_t length) {
    size_t parts = 0;
    size_t digits = 0;
    size_t letters = 0;
    for (size_t i = 0; i < length; i++) {
        const char c = token[i];
        digits += text_is_digit(c) ? 1 : 0;
        letters += paste_is_letter(c) && c != 'T' && c != 'Z';
        parts += i > 0 && (c == ':' || c == '-' || c == '.' || c == '/' || c == ',');
        if (c == '%' || c == '/' || c == '?') {
            return 1;
        }
        if (c == ':' && letters > 1 && i + 1 < length && text_is_digit(token[i + 1])) {
            return 1; /* file.py:1007 */
        }
    }
    return letters == 0 && digits >= 4 && (parts > 0 || digits > 9);
}

static int is_edge(char c) {
    return paste_is_blank(c) || c == '(' || c == ')' || c == '[' || c == ']' || c == '{' ||
           c == '}' || c == '<' || c == '>' || c == '|' || c == '"' || c == '\'';
}

uint64_t paste_speaker(const char *prefix, size_t length) {
    uint64_t hash = 0;
    for (size_t i = 0; i < length;) {
        size_t n = 0;
        size_t digits = 0;
        while (i + n < length && !is_edge(prefix[i + n])) {
            digits += text_is_digit(prefix[i + n]) ? 1 : 0;
            n++;
        }
        if (digits && !is_passing(prefix + i, n)) {
            hash = hash ? hash : UINT64_C(0xCBF29CE484222325);
            for (size_t j = 0; j < n; j++) {
                hash = (hash ^ (unsigned char)prefix[i + j]) * UINT64_C(0x100000001B3);
            }
        }
        i += n + 1;
    }
    return hash;
}

size_t paste_place_of(const paste_lines *lines, const paste_line *line, size_t at) {
    const paste_cursor front = {line->text + at, line->length - at};
    const size_t word = paste_word(&front);
    size_t nth = 0; /* of this name in the line */
    for (size_t i = 0; i + word <= at; i++) {
        nth += text_equal(line->text + i, front.at, word) ? 1 : 0;
    }
    for (size_t i = line->from; i + word <= lines->size && i < lines->at; i++) {
        if (text_equal(lines->text + i, front.at, word) && nth-- == 0) {
            return i;
        }
    }
    return lines->size;
}
