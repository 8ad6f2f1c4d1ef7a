/* SPDX-License-Identifier: Apache-2.0
 *
 * Words that are no names, and methods that change a list.
 */
#include "source_keywords.h"

static const source_keyword keywords[] = {
#define OPENS(word, block) {#word, WORD_BLOCK, BLOCK_##block},
#define DECLARES(word)     {#word, WORD_TYPED, 0},
#define NO_TYPE(word)      {#word, WORD_NO_TYPE, 0},
#include "source_keywords.def"
};

/* What changes a list in place, and whether by its argument behind the last entry. */
static const struct method {
    const char *word;
    uint8_t appends;
} methods[] = {{"push_back", 1}, {"emplace_back", 1}, {"append", 1}, {"push", 1},
               {"Add", 1},       {"extend", 0},       {"insert", 0}, {"resize", 0},
               {"clear", 0},     {"reverse", 0},      {"sort", 0},   {"pop", 0},
               {"pop_back", 0},  {"assign", 0},       {"fill", 0},   {"swap", 0}};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const source_keyword *source_keyword_of(const source_text *s, const source_token *t) {
    for (size_t i = 0; t->kind == SOURCE_WORD && i < COUNT(keywords); i++) {
        if (source_is_word(s, t, keywords[i].word)) {
            return &keywords[i];
        }
    }
    return NULL;
}

int source_appends(const source_text *s, const source_token *method) {
    for (size_t i = 0; i < COUNT(methods); i++) {
        if (source_is_word(s, method, methods[i].word)) {
            return methods[i].appends;
        }
    }
    return -1;
}
