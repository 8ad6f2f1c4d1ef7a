/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokens of source text in any language that calls the driver, as it stands in a log, a comment or
 * a page: behind prefixes, with colours, escaped newlines and HTML's entities.
 */
#ifndef TMA_SOURCE_TOKENS_H
#define TMA_SOURCE_TOKENS_H

#include <stddef.h>
#include <stdint.h>

/* What is read, and how its lines are. */
typedef struct source_text {
    const char *text;
    size_t size;
    const char *prefix; /* what may stand before each line */
    size_t prefix_length;
    int is_indented; /* blocks by indentation, comments behind #: Python, Mojo, Julia */
    int first_index; /* of a list: 1 in Julia */
} source_text;

typedef enum source_kind {
    SOURCE_END,
    SOURCE_WORD,
    SOURCE_NUMBER,
    SOURCE_STRING,
    SOURCE_SIGN
} source_kind;

typedef struct source_token {
    source_kind kind;
    size_t at;
    size_t length;
    uint64_t number; /* SOURCE_NUMBER */
    int is_whole;    /* SOURCE_NUMBER: no fraction, and it fits */
    uint32_t sign;   /* SOURCE_SIGN: SIGN2('<', '<'), or one character */
    size_t inside;   /* SOURCE_STRING: what stands between the quotes */
    size_t inside_length;
    int begins_line;
    size_t indent; /* of its line, where it begins one */
    size_t behind; /* where the next one is looked for */
} source_token;

#define SIGN2(a, b) ((uint32_t)(unsigned char)(a) | (uint32_t)(unsigned char)(b) << 8)

/* The character at byte `at`: how many bytes it takes; *shown is 0 for none, as of a colour. */
size_t source_character(const source_text *s, size_t at, char *shown);

/* The token at or behind byte `at`. */
source_token source_next(const source_text *s, size_t at);

/* Whether a token is this sign; this word. */
int source_is(const source_token *t, char sign);
int source_is_pair(const source_token *t, char a, char b);
int source_is_word(const source_text *s, const source_token *t, const char *word);

/* Behind the bracket that closes the one whose inside begins at byte `at`; 0 if none does. */
size_t source_close(const source_text *s, size_t at);

/* Behind the `>` of template arguments whose `<` is the token, where they are such; else 0. */
size_t source_template(const source_text *s, const source_token *open);

/* An item of a list, up to a comma or the bracket that closes the list. */
typedef struct source_item {
    size_t from;
    size_t to;
    size_t behind; /* the separator */
    int is_last;   /* the bracket closes */
    int is_empty;
} source_item;

/* 0 if the text ends before. */
int source_next_item(const source_text *s, size_t at, source_item *out);

/* How a stretch of text is written, kept for the calls of one neighbourhood. */
typedef struct source_style {
    size_t stretch; /* and 1; 0: nothing is kept */
    int is_indented;
    int first_index;
} source_style;

/* How the text around byte `at` is written, whether by indentation, and what stands before its
 * lines: before those of the call that begins there all that stands before it, before others a
 * log's words. */
typedef enum source_part { SOURCE_CALL, SOURCE_OTHERS } source_part;
source_text source_around(const char *text, size_t size, size_t at, source_part part,
                          source_style *style);

#endif
