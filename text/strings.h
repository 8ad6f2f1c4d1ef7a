/* SPDX-License-Identifier: Apache-2.0
 *
 * What string.h would give, for a library that calls memcpy and memset only.
 */
#ifndef TMA_STRINGS_H
#define TMA_STRINGS_H

#include <stddef.h>
#include <stdint.h>

static inline size_t text_length(const char *text) {
    size_t length = 0;
    while (length < SIZE_MAX && text[length]) { /* with one condition gcc would call strlen */
        length++;
    }
    return length;
}

/* Whether the `length` bytes at `text` are the word. */
static inline int text_is(const char *text, size_t length, const char *word) {
    for (size_t i = 0; i < length; i++) {
        if (!word[i] || text[i] != word[i]) {
            return 0;
        }
    }
    return !word[length];
}

/* Whether the bytes of two texts are the same. */
static inline int text_equal(const char *a, const char *b, size_t length) {
    size_t at = 0;
    while (at < length && a[at] == b[at]) {
        at++;
    }
    return at == length;
}

static inline int text_same(const char *a, const char *b) {
    return text_is(a, text_length(a), b);
}

/* Whether the string begins with the word. */
static inline int text_begins(const char *text, const char *word) {
    while (*word && *text == *word) {
        text++;
        word++;
    }
    return !*word;
}

/* How many bytes stand before the first `stop` or the end. */
static inline size_t text_until(const char *text, size_t length, char stop) {
    size_t at = 0;
    while (at < length && text[at] != stop) {
        at++;
    }
    return at;
}

/* Value of a hexadecimal digit, or -1. */
static inline int text_digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Of a long text, so much is shown in a message: for %.*s. */
static inline int text_shown(size_t length) {
    return length < 80 ? (int)length : 80;
}

#endif
