/* SPDX-License-Identifier: Apache-2.0
 *
 * A map in one text, as --map has it: a place before it, and the options of tma encode.
 */
#include "tma/detail/assert.h"
#include "tma/detail/chars.h"
#include "tma/grammar.h"

/* A backslash at the end of a line is a blank. */
static size_t skip_blanks(const char *text, size_t length, size_t at) {
    while (at < length) {
        if (text_is_space(text[at])) {
            at++;
        } else if (text[at] == '\\' && at + 1 < length && text_is_space(text[at + 1])) {
            at += 2;
        } else {
            break;
        }
    }
    return at;
}

int tma_next_word(tma_text_word *word, size_t *at, const char *text, size_t length) {
    TMA_ASSERT(*at <= length);
    size_t i = skip_blanks(text, length, *at);
    size_t used = 0;
    char quote = 0;
    word->begin = i;
    for (; i < length && (quote || !text_is_space(text[i])); i++) {
        const char c = text[i];
        if (quote ? c == quote : c == '"' || c == '\'') {
            quote = quote ? 0 : c;
        } else if (c == '\\' && !quote && i + 1 < length && text_is_space(text[i + 1])) {
            break;
        } else if (used + 1 < TMA_WORD_ROOM) {
            word->text[used++] = c;
        } else {
            return -1;
        }
    }
    word->text[used] = 0;
    word->end = *at = i;
    return quote ? -1 : i > word->begin;
}

/* How many bytes of a name of PTX, or a number, a text begins with. */
static size_t name_length(const char *text) {
    size_t length = 0;
    while (text_is_word(text[length]) || text[length] == '$' || text[length] == '%') {
        length++;
    }
    return length;
}

int tma_read_place(tma_place_words *place, const char *text, const char *option, tma_error *error) {
    const size_t length = name_length(text);
    const char *rest = text + length;
    *place = (tma_place_words){.rest = text};
    if (!length || (*rest != '=' && *rest != '+')) {
        return 0;
    }
    if (*rest == '+') {
        const char *offset = rest + 1;
        const size_t digits = text_until(offset, text_length(offset), '=');
        if (!offset[digits]) { /* a file's name with a + */
            return 0;
        }
        if (tma_read_u32(&place->offset_B, offset, digits, INT32_MAX, option, error)) {
            return -1;
        }
        rest = offset + digits;
    }
    place->name = text;
    place->name_length = length;
    place->rest = rest + 1;
    return 1;
}

typedef struct reader {
    tma_spec_words *words;
    const char *text;
    size_t length, at;
    tma_option_value value;
    void *context;
    tma_error *error;
} reader;

/* --name=value, or --name and the word behind it. */
static int read_option(reader *r, tma_text_word *word) {
    tma_text_word next = {.begin = 0};
    if (!text_begins(word->text, "--")) {
        return tma_fail_at(r->error, word->begin,
                           "'%.80s', where an option of tma encode is expected", word->text);
    }
    char *name = word->text + 2;
    char *value = name + text_until(name, text_length(name), '=');
    if (*value) {
        *value++ = 0;
    } else {
        const int more = tma_next_word(&next, &r->at, r->text, r->length);
        if (more <= 0) {
            return tma_fail_at(r->error, word->begin, "--%.80s %s", name,
                               more ? "has a quote that does not end" : "needs a value");
        }
        value = next.text;
    }
    return (r->value && r->value(r->context, name, value, r->error)) ||
                   tma_spec_words_set_named(r->words, name, value, r->error)
               ? -1
               : 0;
}

int tma_spec_words_read(tma_spec_words *words, const char *text, tma_option_value value,
                        void *context, tma_error *error) {
    reader r = {words, text, text_length(text), 0, value, context, error};
    tma_text_word word = {.begin = 0};
    int more;
    tma_spec_words_begin(words);
    while ((more = tma_next_word(&word, &r.at, text, r.length)) > 0) {
        if (read_option(&r, &word)) {
            return -1;
        }
    }
    return more < 0 ? tma_fail_at(error, word.begin,
                                  "a word of %d bytes or more, or a quote that does not end",
                                  TMA_WORD_ROOM)
                    : tma_spec_words_finish(words, error);
}
