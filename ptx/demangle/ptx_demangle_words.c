/* SPDX-License-Identifier: Apache-2.0
 *
 * Letters of mangled names in words.
 */
#include "ptx_demangle_words.h"

#include <string.h>

#include "tma/detail/chars.h"

typedef enum kind { BUILTIN, D_TYPE, ABBREVIATION, MARK, OPERATOR } kind;

static const struct {
    kind is;
    const char *letters, *word, *suffix;
} rows[] = {
#define PTX_DEMANGLED(is, letters, word, suffix) {is, letters, word, suffix},
#include "ptx_demangle_words.def"
};

#define ROWS (sizeof rows / sizeof rows[0])

/* The row whose letters a text begins with; ROWS: there is none. */
static size_t find(kind is, const char *text, size_t size) {
    size_t i = 0;
    for (; i < ROWS; i++) {
        const size_t length = text_length(rows[i].letters);
        if (rows[i].is == is && length <= size && text_is(text, length, rows[i].letters)) {
            break;
        }
    }
    return i;
}

static const char *word_of(size_t i) {
    return i < ROWS ? rows[i].word : NULL;
}

const char *demangle_builtin(char letter) {
    return word_of(find(BUILTIN, &letter, 1));
}

const char *demangle_suffix(char letter) {
    const size_t i = find(BUILTIN, &letter, 1);
    return i < ROWS ? rows[i].suffix : NULL;
}

const char *demangle_abbreviation(char letter) {
    return word_of(find(ABBREVIATION, &letter, 1));
}

const char *demangle_mark(char letter) {
    return word_of(find(MARK, &letter, 1));
}

const char *demangle_operator(char first, char second) {
    const char letters[2] = {first, second};
    return word_of(find(OPERATOR, letters, sizeof letters));
}

const char *demangle_d_type(const char *text, size_t size, size_t *length) {
    const size_t i = find(D_TYPE, text, size);
    *length = i < ROWS ? text_length(rows[i].letters) : 0;
    return word_of(i);
}
