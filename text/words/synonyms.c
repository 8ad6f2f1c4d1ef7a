/* SPDX-License-Identifier: Apache-2.0
 *
 * Words for enumerators.
 */
#include "tma/synonyms.h"

#include <string.h>

#include "synonym_words.h"
#include "tma/detail/chars.h"

#define LONGEST 64

static const struct synonym {
    const char *word;
    uint32_t number;
    uint32_t kind;
} synonyms[] = {
#define SYNONYM(kind, word, number, who) {word, number, TMA_ENUM_##kind},
#include "synonyms.def"
};

static const char *const prefixes[] = {
#define PREFIX(text) text,
#include "synonyms.def"
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char folded(char c) {
    return c == '-' ? '_' : text_lower(c);
}

static size_t prefix_length(const char *text) {
    for (size_t i = 0; i < COUNT(prefixes); i++) {
        const size_t length = text_length(prefixes[i]);
        if (text_begins(text, prefixes[i]) && text[length]) {
            return length;
        }
    }
    return 0;
}

static const tma_enum_row *named(tma_enum_kind kind, const char *text) {
    const tma_enum_row *row = tma_enum_find(kind, text);
    for (size_t i = 0; !row && i < COUNT(synonyms); i++) {
        if (synonyms[i].kind == (uint32_t)kind && text_same(text, synonyms[i].word)) {
            row = tma_enum_row_of(kind, synonyms[i].number);
        }
    }
    return row;
}

const char *tma_synonym_word(tma_enum_kind kind, size_t index) {
    for (size_t i = 0; i < COUNT(synonyms); i++) {
        if (synonyms[i].kind == (uint32_t)kind && index-- == 0) {
            return synonyms[i].word;
        }
    }
    return NULL;
}

int tma_synonym_is_loose(const tma_enum_row *row, tma_enum_kind kind, const char *text,
                         size_t length) {
    for (size_t i = 0; i < COUNT(synonyms); i++) {
        const size_t word = text_length(synonyms[i].word);
        if (synonyms[i].kind == (uint32_t)kind && synonyms[i].number == (uint32_t)row->driver &&
            length >= word) {
            size_t same = 0;
            while (same < word && folded(text[length - word + same]) == synonyms[i].word[same]) {
                same++;
            }
            if (same == word) {
                return 1;
            }
        }
    }
    return 0;
}

const tma_enum_row *tma_enum_synonym(tma_enum_kind kind, const char *text, size_t length) {
    char word[LONGEST];
    if (!text || length == 0 || length >= sizeof(word) || (uint32_t)kind >= TMA_ENUM_KINDS) {
        return NULL;
    }
    for (size_t i = 0; i < length; i++) {
        word[i] = folded(text[i]);
        if (!word[i]) {
            return NULL;
        }
    }
    word[length] = 0;
    const tma_enum_row *row = named(kind, word);
    for (size_t at = 0, step = prefix_length(word); !row && step; step = prefix_length(word + at)) {
        at += step;
        row = named(kind, word + at);
    }
    return row;
}
