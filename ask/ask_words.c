/* SPDX-License-Identifier: Apache-2.0
 *
 * Command lines cut into words, as a shell cuts them.
 */
#include "ask.h"

#include "tma/detail/assert.h"

static int is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* A backslash at the end of a line is a blank. */
static size_t skip_blanks(const char *text, size_t length, size_t at) {
    while (at < length) {
        if (is_blank(text[at])) {
            at++;
        } else if (text[at] == '\\' && at + 1 < length && is_blank(text[at + 1])) {
            at += 2;
        } else {
            break;
        }
    }
    return at;
}

int ask_next_word(ask_word *word, const char *text, size_t length, size_t *at) {
    TMA_ASSERT(*at <= length);
    size_t i = skip_blanks(text, length, *at);
    size_t used = 0;
    char quote = 0;
    word->begin = i;
    for (; i < length && (quote || !is_blank(text[i])); i++) {
        const char c = text[i];
        if (quote ? c == quote : c == '"' || c == '\'') {
            quote = quote ? 0 : c;
        } else if (c == '\\' && !quote && i + 1 < length && is_blank(text[i + 1])) {
            break;
        } else if (used + 1 < ASK_WORD) {
            word->text[used++] = c;
        } else {
            return -1;
        }
    }
    word->text[used] = 0;
    word->end = *at = i;
    return quote ? -1 : i > word->begin;
}
