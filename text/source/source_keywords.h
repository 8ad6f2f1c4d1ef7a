/* SPDX-License-Identifier: Apache-2.0
 *
 * Words that are no names, and methods that change a list.
 */
#ifndef TMA_SOURCE_KEYWORDS_H
#define TMA_SOURCE_KEYWORDS_H

#include "source_tokens.h"

typedef enum block_kind {
    BLOCK_PLAIN,   /* runs always: unsafe, with, { } alone */
    BLOCK_SPACE,   /* namespace, an enumeration without a class, a module */
    BLOCK_TYPE,    /* its names are members */
    BLOCK_CONTROL, /* may run, or not */
    BLOCK_FUNCTION
} block_kind;

typedef enum word_kind { WORD_OTHER, WORD_TYPED, WORD_NO_TYPE, WORD_BLOCK } word_kind;

typedef struct source_keyword {
    const char *word;
    uint8_t kind;  /* word_kind */
    uint8_t block; /* block_kind */
} source_keyword;

/* The row of source_keywords.def that the token is; null if none. */
const source_keyword *source_keyword_of(const source_text *s, const source_token *t);

/* Whether a method appends to a list: 0 if it changes one otherwise, -1 if it changes none. */
int source_appends(const source_text *s, const source_token *method);

#endif
