/* SPDX-License-Identifier: Apache-2.0
 *
 * Text in columns.
 */
#ifndef ARGS_TEXT_H
#define ARGS_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Most characters of a line. */
#define ARGS_RIGHT 79

struct args_text {
    FILE *out;
    size_t column;
    size_t left; /* where a line starts that a newline begins, and one that a long line goes on in
                  */
    size_t wrapped;
    int goes_on; /* a blank follows what is put */
};

/* Whole words and the blanks between them: blanks give way to a new line where the word behind
 * them does not fit. */
void args_text_put(struct args_text *text, const char *words);

/* Blanks up to a column. */
void args_text_indent(struct args_text *text, size_t column);

#endif
