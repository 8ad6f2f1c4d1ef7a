/* SPDX-License-Identifier: Apache-2.0
 *
 * What string.h would give, for the libraries, which call memcpy and memset only. Nothing of the
 * interface: a program has string.h.
 */
#ifndef TMA_CHARS_H
#define TMA_CHARS_H

#include <stddef.h>
#include <stdint.h>

/* The amalgamation, one file, has those too that it does not call. */
#define CHARS_FUNCTION static inline __attribute__((unused))

CHARS_FUNCTION size_t text_length(const char *text) {
    size_t length = 0;
    while (length < SIZE_MAX && text[length]) { /* with one condition gcc would call strlen */
        length++;
    }
    return length;
}

/* Whether the `length` bytes at `text` are the word. */
CHARS_FUNCTION int text_is(const char *text, size_t length, const char *word) {
    for (size_t i = 0; i < length; i++) {
        if (!word[i] || text[i] != word[i]) {
            return 0;
        }
    }
    return !word[length];
}

/* Whether the bytes of two texts are the same. */
CHARS_FUNCTION int text_equal(const char *a, const char *b, size_t length) {
    size_t at = 0;
    while (at < length && a[at] == b[at]) {
        at++;
    }
    return at == length;
}

CHARS_FUNCTION int text_same(const char *a, const char *b) {
    return text_is(a, text_length(a), b);
}

/* As strcmp() does. */
CHARS_FUNCTION int text_compare(const char *a, const char *b) {
    for (; *a && *a == *b; a++) {
        b++;
    }
    return (int)(unsigned char)*a - (int)(unsigned char)*b;
}

/* Whether the string begins with the word. */
CHARS_FUNCTION int text_begins(const char *text, const char *word) {
    while (*word && *text == *word) {
        text++;
        word++;
    }
    return !*word;
}

/* Where the word first stands in the `size` bytes, or NULL. */
CHARS_FUNCTION const char *text_within(const char *text, size_t size, const char *word) {
    for (; size; size--, text++) {
        size_t at = 0;
        while (at < size && word[at] && text[at] == word[at]) {
            at++;
        }
        if (!word[at]) {
            return text;
        }
    }
    return NULL;
}

/* How many bytes stand before the first `stop` or the end. */
CHARS_FUNCTION size_t text_until(const char *text, size_t length, char stop) {
    size_t at = 0;
    while (at < length && text[at] != stop) {
        at++;
    }
    return at;
}

CHARS_FUNCTION int text_is_digit(char c) {
    return c >= '0' && c <= '9';
}

CHARS_FUNCTION int text_is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Letters, digits and _. */
CHARS_FUNCTION int text_is_word(char c) {
    return text_is_letter(c) || text_is_digit(c) || c == '_';
}

CHARS_FUNCTION int text_is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* How many characters at the front are such ones. */
CHARS_FUNCTION size_t text_run(const char *text, size_t size, int (*is_part)(char c)) {
    size_t n = 0;
    while (n < size && is_part(text[n])) {
        n++;
    }
    return n;
}

CHARS_FUNCTION char text_lower(char c) {
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Value of a hexadecimal digit, or -1. */
CHARS_FUNCTION int text_digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Of a long text, so much is shown in a message: for %.*s. */
CHARS_FUNCTION int text_shown(size_t length) {
    return length < 80 ? (int)length : 80;
}

/* What a noun has behind such a number: "1 byte", "2 bytes". */
CHARS_FUNCTION const char *text_plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

#endif
