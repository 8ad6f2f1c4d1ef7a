/* SPDX-License-Identifier: Apache-2.0
 *
 * Case lines, cut up; case_spec.c makes specs of them.
 */
#include <string.h>

#include "tma/case.h"
#include "tma/detail/chars.h"

/* What begins the answer of a line: of a call, of a map of the CuTe DSL, of its bit 21. */
#define ANSWERS_BEGIN "rc desc64 bit read"

static int is_blank(char c) {
    return c == ' ' || c == '\r' || c == '\n' || c == '\t';
}

bool tma_case_word_in(const char *key, const char *words) {
    const size_t length = text_length(key);
    while (*words) {
        const size_t word = text_until(words, text_length(words), ' ');
        if (length && word == length && text_begins(words, key)) {
            return 1;
        }
        words += word + (words[word] == ' ');
    }
    return 0;
}

static const char *find(const tma_case_field *fields, size_t count, const char *key) {
    for (size_t i = 0; i < count; i++) {
        if (text_same(fields[i].key, key)) {
            return fields[i].value;
        }
    }
    return NULL;
}

const char *tma_case_request(const tma_case *line, const char *key) {
    return find(line->fields, line->request, key);
}

const char *tma_case_answer(const tma_case *line, const char *key) {
    return find(line->fields + line->request, line->count - line->request, key);
}

static int add_field(tma_case *line, char *word, size_t length, tma_error *error) {
    const size_t equals = text_until(word, length, '=');
    if (equals == length || equals == 0) {
        return tma_fail(error, "'%.80s' is not key=value", word);
    }
    if (line->count == TMA_CASE_FIELDS) {
        return tma_fail(error, "more than %d fields", TMA_CASE_FIELDS);
    }
    word[equals] = 0;
    const int in_answer = line->request < line->count;
    const int starts_answer = !in_answer && tma_case_word_in(word, ANSWERS_BEGIN);
    const size_t from = in_answer ? line->request : 0;
    if (find(line->fields + from, line->count - from, word)) {
        return tma_fail(error, "%.80s= is there twice", word);
    }
    line->fields[line->count] = (tma_case_field){word, word + equals + 1};
    line->count++;
    if (!in_answer && !starts_answer) {
        line->request = line->count;
    }
    return 0;
}

int tma_case_read(tma_case *line, char *text, size_t length, tma_error *error) {
    line->kind = NULL;
    line->request = line->count = 0;
    while (length && is_blank(text[length - 1])) {
        length--;
    }
    text[length] = 0;
    if (length == 0 || text[0] == '#') {
        return 1;
    }
    if (text_until(text, length, 0) < length) {
        return tma_fail(error, "a byte 0 in the line");
    }
    for (size_t at = 0; at < length;) {
        char *word = text + at;
        const size_t size = text_until(word, length - at, ' ');
        word[size] = 0;
        at += size + 1;
        if (size && !line->kind) {
            line->kind = word;
        } else if (size && add_field(line, word, size, error)) {
            return -1;
        }
    }
    return 0;
}

int tma_case_number(uint64_t *out, const char *text, size_t length) {
    const size_t sign = length > 0 && *text == '-';
    if (tma_number_of(out, text + sign, length - sign) == TMA_NUMBER_MALFORMED ||
        (sign && *out > UINT64_C(1) << 63)) {
        return -1;
    }
    *out = sign ? 0 - *out : *out;
    return 0;
}

int tma_case_u64(uint64_t *out, const tma_case *line, const char *key, tma_error *error) {
    const char *text = tma_case_request(line, key);
    if (!text) {
        return tma_fail(error, "%s= is missing", key);
    }
    if (tma_case_number(out, text, text_length(text))) {
        return tma_fail(error, "%s='%.80s' is not a number: decimal or hexadecimal (0x10)", key,
                        text);
    }
    return 0;
}
