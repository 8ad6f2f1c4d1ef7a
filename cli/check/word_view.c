/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of the documents.
 */
#include "word_view.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli_out.h"
#include "enum_view.h"
#include "out_text.h"

static const struct word_row {
    const char *word;
    const char *document;
    const char *what;
    const char *unit;
    const char *limit;
    const char *rules;
    const char *figure;
} rows[] = {
#define WORD(word, document, what, unit, limit, rules, figure)                                     \
    {word, document, what, unit, limit, rules, figure},
#define ALSO(another, word)
#include "document_words.def"
};

static const struct also_row {
    const char *another;
    const char *word;
} alsos[] = {
#define WORD(word, document, what, unit, limit, rules, figure)
#define ALSO(another, word) {another, word},
#include "document_words.def"
};

#define ROWS  (sizeof(rows) / sizeof(rows[0]))
#define ALSOS (sizeof(alsos) / sizeof(alsos[0]))

static const char *next_letter(const char *at) {
    while (*at && !isalnum((unsigned char)*at)) {
        at++;
    }
    return at;
}

static int folded(char c) {
    return tolower((unsigned char)c);
}

static int has_same_letters(const char *a, const char *b) {
    a = next_letter(a);
    b = next_letter(b);
    while (*a && folded(*a) == folded(*b)) {
        a = next_letter(a + 1);
        b = next_letter(b + 1);
    }
    return *a == *b;
}

/* How a word compares: exactly, 2; by its letters and digits, 1; else 0. */
static int likeness(const char *a, const char *b) {
    return strcmp(a, b) == 0 ? 2 : has_same_letters(a, b);
}

/* other: the word that was asked, where it is another for the row's; else null. */
static void print_row(const struct word_row *row, const char *other) {
    if (other) {
        printf("%s\n    another word for %s\n\n", other, row->word);
    }
    printf("%s\n    ", row->word);
    out_wrapped(stdout, row->what, 4);
    putchar('\n');
    out_labelled("unit:", row->unit);
    out_labelled("limit:", row->limit);
    out_labelled("rules:", row->rules);
    out_labelled("see:", row->figure);
    out_labelled("source:", row->document);
}

static void print_json(const struct word_row *row, const char *other) {
    out_json out;
    tma_json *json = out_json_begin(&out, "explain");
    tma_json_text(json, "word", other ? other : row->word);
    tma_json_text(json, "another_word_for", other ? row->word : NULL);
    tma_json_text(json, "meaning", row->what);
    tma_json_text(json, "unit", row->unit);
    tma_json_text(json, "limits", row->limit);
    tma_json_text(json, "rules", row->rules);
    tma_json_text(json, "see", row->figure);
    tma_json_text(json, "source", row->document);
    out_json_end(&out);
}

static const struct word_row *row_of(const char *word) {
    const struct word_row *found = NULL;
    int best = 0;
    for (size_t i = 0; i < ROWS; i++) {
        const int like = likeness(rows[i].word, word);
        if (like > best) {
            best = like;
            found = &rows[i];
        }
    }
    return found;
}

static const struct also_row *also_of(const char *word) {
    for (size_t i = 0; i < ALSOS; i++) {
        if (has_same_letters(alsos[i].another, word)) {
            return &alsos[i];
        }
    }
    return NULL;
}

int word_explain(const char *word, int json) {
    const struct word_row *row = row_of(word);
    const struct also_row *also = row ? NULL : also_of(word);
    if (also) {
        row = row_of(also->word);
    }
    if (row && json) {
        print_json(row, also ? also->another : NULL);
    } else if (row) {
        print_row(row, also ? also->another : NULL);
    }
    return row != NULL || enum_explain(word, json);
}

const char *word_at(size_t index) {
    return index < ROWS           ? rows[index].word
           : index < ROWS + ALSOS ? alsos[index - ROWS].another
                                  : NULL;
}
