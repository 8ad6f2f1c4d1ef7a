/* SPDX-License-Identifier: Apache-2.0
 *
 * Pieces of PTX text: what stands between blanks and comments.
 */
#ifndef TMA_PTX_LEX_H
#define TMA_PTX_LEX_H

#include "tma/grammar.h"
#include "tma/ptx.h"

typedef struct ptx_cursor {
    const char *text;
    size_t size;
    size_t at;
    tma_error *error; /* may be null */
} ptx_cursor;

/* A word in the text. */
typedef struct ptx_word {
    const char *at;
    size_t length;
} ptx_word;

/* Past blanks, comments and backslashes at a line's end. */
void ptx_skip(ptx_cursor *c);

/* The byte there after ptx_skip(), or 0 at the end. */
char ptx_peek(ptx_cursor *c);

/* Takes the byte if it is the next. */
int ptx_take(ptx_cursor *c, char byte);

/* Takes a name: letters, digits, _, $, %, and dots behind the first byte if `dotted`. Length 0:
 * there is none. */
ptx_word ptx_name(ptx_cursor *c, int dotted);

/* Takes ".word", colons in pairs included; length 0: there is none. */
ptx_word ptx_qualifier(ptx_cursor *c);

/* Takes an integer literal with its sign; 0 if there is none, and nothing is taken. */
int ptx_number(ptx_cursor *c, int64_t *value);

int ptx_is_name_byte(char c);
int ptx_is_name_start(char c);

/* Says what stands there and what was expected; -1. */
int ptx_fail(const ptx_cursor *c, size_t at, const char *expected);

#endif
