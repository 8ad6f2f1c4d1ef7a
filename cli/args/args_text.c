/* SPDX-License-Identifier: Apache-2.0
 *
 * Fills lines.
 */
#include "args_text.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "args.h"

#define MOST_TEXT 2048

static void put_blanks(struct args_text *text, size_t count) {
    text->column += count;
    while (count-- > 0) {
        fputc(' ', text->out);
    }
}

static void end_line(struct args_text *text) {
    fputc('\n', text->out);
    text->column = 0;
}

void args_text_indent(struct args_text *text, size_t column) {
    if (text->column < column) {
        put_blanks(text, column - text->column);
    }
}

/* A line that goes on in the next may be one character longer than one that ends. */
static void put_word(struct args_text *text, const char *word, size_t blanks, size_t length) {
    const int starts = text->column == 0;
    const int goes_on = word[length] == ' ' || (!word[length] && text->goes_on);
    const size_t most = goes_on ? ARGS_RIGHT : ARGS_RIGHT - 1;
    if (starts) {
        args_text_indent(text, text->left);
    }
    if (!starts && blanks && text->column + blanks + length > most) {
        end_line(text);
        args_text_indent(text, text->wrapped);
    } else {
        put_blanks(text, blanks);
    }
    fwrite(word, 1, length, text->out);
    text->column += length;
}

void args_text_put(struct args_text *text, const char *words) {
    const char *c = words;
    while (*c) {
        const size_t blanks = strspn(c, " ");
        const size_t length = strcspn(c + blanks, " \n");
        if (length || blanks) {
            put_word(text, c + blanks, blanks, length);
        }
        c += blanks + length;
        if (*c == '\n') {
            end_line(text);
            c++;
        }
    }
}

void args_textf(args_text *text, const char *format, ...) {
    char words[MOST_TEXT];
    va_list list;
    va_start(list, format);
    // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized)
    const int length = vsnprintf(words, sizeof(words), format, list);
    va_end(list);
    assert(length >= 0 && (size_t)length < sizeof(words));
    (void)length;
    args_text_put(text, words);
}
