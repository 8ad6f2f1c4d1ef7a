/* SPDX-License-Identifier: Apache-2.0
 *
 * Errors: the phrases, the codes, and what programs find themselves.
 */
#include <string.h>

#include "crash_words.h"
#include "paste_parts.h"
#include "tma/detail/chars.h"

#define S(source) (UINT32_C(1) << TMA_PASTE_FROM_##source)

enum { LONE = 1, BEFORE = 2, NAMED = 4 };

static const struct failure_row {
    const char *phrase;
    uint32_t sources;
    uint32_t source;
    uint32_t flags;
} failures[] = {
#define FAILURE(phrase, sources, source, flags) {phrase, sources, TMA_PASTE_FROM_##source, flags},
#include "paste_failures.def"
};

static const struct remark_row {
    const char *words;
    const char *rule;
    const char *says;
    uint32_t source;
    int32_t added;
} remarks[] = {
#define REMARK(words, source, rule, added, says)                                                   \
    {words, rule, says, TMA_PASTE_FROM_##source, added},
#include "paste_remarks.def"
};

static const struct source_row {
    const char *name;
    const char *users;
    uint32_t form;
    int32_t l2;
} sources[TMA_PASTE_SOURCES] = {
#define PASTE_SOURCE(id, name, users, form, l2) {name, users, form, l2},
#include "tma/paste_sources.def"
};

static const tma_code_row codes[] = {
    {"CUDA_SUCCESS", 0, TMA_CODE_ABOUT_NOTHING, "no error", ""},
#define DRIVER_CODE(name, number, about, words, meaning)                                           \
    {"CUDA_ERROR_" #name, number, TMA_CODE_ABOUT_##about, words, meaning},
#include "tma/driver_codes.def"
#undef DRIVER_CODE
};

/* All members of CUresult. */
static const tma_code_name code_names[] = {
    {"CUDA_SUCCESS", 0},
#define DRIVER_CODE(name, number, ...) {"CUDA_ERROR_" #name, number},
#define DRIVER_CODE_NAME(name, number) {"CUDA_ERROR_" #name, number},
#include "tma/driver_codes.def"
#undef DRIVER_CODE
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

void paste_note_failures(uint8_t begins[PASTE_FRONTS]) {
    for (size_t i = 0; i < COUNT(failures); i++) {
        paste_note(begins, failures[i].phrase, PASTE_BEGINS_FAILURE);
    }
    for (size_t i = 0; i < COUNT(remarks); i++) {
        paste_note(begins, remarks[i].words, PASTE_BEGINS_REMARK);
    }
}

int tma_code_name_at(tma_code_name *out, size_t index) {
    if (index >= COUNT(code_names)) {
        return -1;
    }
    *out = code_names[index];
    return 0;
}

const tma_code_row *tma_code_of(int32_t number) {
    for (size_t i = 0; i < COUNT(codes); i++) {
        if (codes[i].number == number) {
            return &codes[i];
        }
    }
    return NULL;
}

const char *tma_paste_source_name(uint32_t source) {
    return source < TMA_PASTE_SOURCES ? sources[source].name : "";
}

const char *tma_paste_source_users(uint32_t source) {
    return source < TMA_PASTE_SOURCES ? sources[source].users : "";
}

uint32_t paste_source_form(uint32_t source) {
    return source < TMA_PASTE_SOURCES ? sources[source].form : 0;
}

void paste_always(uint32_t source, tma_paste *out) {
    if (source < TMA_PASTE_SOURCES && sources[source].l2 >= 0) {
        const uint32_t all = TMA_PASTE_BIT(TMA_ARG_INTERLEAVE) | TMA_PASTE_BIT(TMA_ARG_L2) |
                             TMA_PASTE_BIT(TMA_ARG_FILL);
        out->fixed = all & ~out->shown;
        if (!(out->shown & TMA_PASTE_BIT(TMA_ARG_L2))) {
            out->spec.l2 = (uint32_t)sources[source].l2;
        }
    }
}

/* Whether a number goes on as no error's does: "1(700)2", "31,,01", "12,11" are lines of several
 * writers in one. */
static int is_cut_number(const paste_cursor *c) {
    const char after = c->left > 1 ? c->at[1] : ' ';
    return paste_peek(c) == '(' || (paste_peek(c) == ',' && (after == ',' || text_is_digit(after)));
}

/* "1", ": 700", "0: 1" (an index, then the code); not "B_desc". */
static int code_number(paste_cursor c, int32_t *code) {
    uint64_t number = 0;
    int is_hex = 0;
    if (paste_begins(&c, "CUDA_")) { /* Python's CUDA_ERROR_INVALID_VALUE: 1 */
        paste_skip(&c, paste_word(&c));
    }
    while (paste_is_blank(paste_peek(&c)) || paste_peek(&c) == ':' || paste_peek(&c) == '=') {
        paste_skip(&c, 1);
    }
    if (!paste_number(&c, &number, &is_hex) || number > 99999 || is_cut_number(&c)) {
        return 0;
    }
    if (paste_peek(&c) == ':') {
        uint64_t second = 0;
        paste_skip(&c, 1);
        paste_skip_blanks(&c);
        number = paste_number(&c, &second, &is_hex) && second <= 99999 ? second : number;
    }
    *code = (int32_t)number;
    return 1;
}

/* A number behind a word that says that it is an error's: "for K with CUresult=700". */
static int code_behind_word(paste_cursor c, int32_t *code) {
    while (c.left) {
        const size_t n = paste_word(&c);
        const int is_before = n && crash_is_before(c.at, n);
        paste_skip(&c, n ? n : 1);
        if (is_before && code_number(c, code)) {
            return 1;
        }
    }
    return 0;
}

int32_t paste_code(const char *text, size_t length) {
    int32_t code = TMA_PASTE_UNKNOWN_CODE;
    size_t longest = 0;
    if (code_number((paste_cursor){text, length}, &code)) {
        return code;
    }
    for (size_t i = 0; i < COUNT(codes); i++) {
        const size_t name = text_length(codes[i].name);
        const size_t words = text_length(codes[i].words);
        if (name > longest && paste_search(text, length, codes[i].name) < length) {
            longest = name;
            code = codes[i].number;
        } else if (words > longest && paste_search(text, length, codes[i].words) < length) {
            longest = words;
            code = codes[i].number;
        }
    }
    if (!longest) {
        code_behind_word((paste_cursor){text, length}, &code);
    }
    return code;
}

/* How much of the text a row's phrase takes, or 0. */
static size_t phrase_at(const paste_cursor *c, const struct failure_row *row) {
    const size_t n = paste_peek(c) == *row->phrase ? paste_begins(c, row->phrase) : 0;
    const char behind = n < c->left ? c->at[n] : ' ';
    const int is_named = text_is_word(behind) && !text_is_digit(behind);
    return row->flags & NAMED && !is_named ? 0 : n;
}

size_t paste_failure_at(const paste_cursor *c, paste_failure *out) {
    for (size_t i = 0; i < COUNT(failures); i++) {
        const struct failure_row *row = &failures[i];
        const size_t n = phrase_at(c, row);
        if (n) {
            out->sources = row->sources;
            out->source = row->source;
            out->is_lone = (row->flags & LONE) != 0;
            out->code =
                row->flags & BEFORE ? TMA_PASTE_NO_CODE : paste_code(c->at + n, c->left - n);
            return n;
        }
    }
    return 0;
}

/* Words in which # is one digit. */
static size_t begins_with_index(const paste_cursor *c, const char *words, int32_t *index) {
    size_t n = 0;
    *index = -1;
    for (; *words; words++) {
        if (*words == '#') {
            if (n >= c->left || !text_is_digit(c->at[n])) {
                return 0;
            }
            *index = c->at[n] - '0';
        } else if (n >= c->left || c->at[n] != *words) {
            return 0;
        }
        n++;
    }
    return n;
}

size_t paste_remark_at(const paste_cursor *c, size_t line, tma_paste *out) {
    for (size_t i = 0; i < COUNT(remarks); i++) {
        int32_t index = -1;
        const size_t n =
            paste_peek(c) == *remarks[i].words ? begins_with_index(c, remarks[i].words, &index) : 0;
        if (n && (index < 0 || index + remarks[i].added >= 0)) {
            paste_empty(out, TMA_PASTE_REMARK, remarks[i].source, line, line);
            const tma_rule *rule = tma_rule_find(remarks[i].rule);
            out->rule = rule ? rule->number : TMA_RULE_NONE;
            out->index = index < 0 ? -1 : index + remarks[i].added;
            out->says = remarks[i].says;
            return n;
        }
    }
    return 0;
}

void paste_empty(tma_paste *out, uint32_t kind, uint32_t source, size_t line, size_t last_line) {
    memset(out, 0, sizeof(*out));
    out->kind = kind;
    out->source = source;
    out->line = line;
    out->last_line = last_line;
    out->code = TMA_PASTE_NO_CODE;
    out->rule = TMA_RULE_NONE;
    out->index = -1;
    out->says = "";
}
