/* SPDX-License-Identifier: Apache-2.0
 *
 * What directives say.
 */
#include "ptx_internal.h"
#include "tma/detail/chars.h"
#include "tma/ptx_file.h"

/* Past the directive's word, if it is this one. */
static int take_directive(const tma_ptx_piece *piece, const char *word, ptx_cursor *c) {
    *c = (ptx_cursor){piece->at, piece->size, 0, NULL};
    const ptx_word found = ptx_qualifier(c);
    return piece->kind == TMA_PTX_PIECE_DIRECTIVE && text_is(found.at, found.length, word);
}

static int take_u32(ptx_cursor *c, uint32_t *out) {
    int64_t value = 0;
    if (!ptx_number(c, &value) || value < 0 || value > UINT32_MAX) {
        return 0;
    }
    *out = (uint32_t)value;
    return 1;
}

bool tma_ptx_loc_of(tma_ptx_loc *loc, const tma_ptx_piece *piece) {
    ptx_cursor c;
    tma_ptx_loc read = {0};
    if (!take_directive(piece, "loc", &c) || !take_u32(&c, &read.file) ||
        !take_u32(&c, &read.line) || !take_u32(&c, &read.column)) {
        return false;
    }
    while (ptx_take(&c, ',')) {
        const ptx_word word = ptx_name(&c, 0);
        if (text_is(word.at, word.length, "inlined_at")) {
            read.inlined = take_u32(&c, &read.at_file) && take_u32(&c, &read.at_line) &&
                           take_u32(&c, &read.at_column);
        } else { /* function_name LABEL or LABEL+n */
            int64_t added = 0;
            ptx_name(&c, 0);
            if (ptx_take(&c, '+')) {
                ptx_number(&c, &added);
            }
        }
    }
    *loc = read;
    return true;
}

bool tma_ptx_file_of(uint32_t *number, tma_ptx_span *name, const tma_ptx_piece *piece) {
    ptx_cursor c;
    if (!take_directive(piece, "file", &c) || !take_u32(&c, number) || !ptx_take(&c, '"')) {
        return false;
    }
    *name = (tma_ptx_span){c.text + c.at, 0};
    while (c.at < c.size && c.text[c.at] != '"' && c.text[c.at] != '\n') {
        c.at += c.text[c.at] == '\\' && c.at + 1 < c.size && c.text[c.at + 1] == '"';
        c.at++;
    }
    name->length = (size_t)(c.text + (c.at < c.size ? c.at : c.size) - name->at);
    return true;
}

bool tma_ptx_version_of(uint32_t *version, const tma_ptx_piece *piece) {
    ptx_cursor c;
    if (!take_directive(piece, "version", &c)) {
        return false;
    }
    ptx_skip(&c);
    uint32_t number[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        const size_t from = c.at;
        while (c.at < c.size && text_is_digit(c.text[c.at]) && number[i] < 1000) {
            number[i] = 10 * number[i] + (uint32_t)(c.text[c.at++] - '0');
        }
        if (c.at == from || (!i && (c.at >= c.size || c.text[c.at++] != '.'))) {
            return false;
        }
    }
    *version = 10 * number[0] + number[1];
    return true;
}

bool tma_ptx_target_of(tma_ptx_span *name, const tma_ptx_piece *piece) {
    ptx_cursor c;
    if (!take_directive(piece, "target", &c)) {
        return false;
    }
    const ptx_word word = ptx_name(&c, 0);
    *name = (tma_ptx_span){word.at, word.length};
    return word.length != 0;
}

/* Past balanced parentheses. */
static void skip_parens(ptx_cursor *c) {
    size_t depth = 0;
    if (ptx_peek(c) != '(') {
        return;
    }
    while (c->at < c->size) {
        depth += c->text[c->at] == '(';
        depth -= c->text[c->at] == ')';
        c->at++;
        if (!depth) {
            return;
        }
    }
}

bool tma_ptx_function_of(tma_ptx_span *name, int *is_entry, const tma_ptx_piece *piece) {
    ptx_cursor c = {piece->at, piece->size, 0, NULL};
    if (piece->kind != TMA_PTX_PIECE_DIRECTIVE) {
        return false;
    }
    for (;;) {
        const ptx_word word = ptx_qualifier(&c);
        if (!word.length) {
            return false;
        }
        if (text_is(word.at, word.length, "attribute")) {
            skip_parens(&c);
        }
        *is_entry = text_is(word.at, word.length, "entry");
        if (*is_entry || text_is(word.at, word.length, "func")) {
            break;
        }
    }
    skip_parens(&c); /* what a function returns */
    const ptx_word word = ptx_name(&c, 0);
    *name = (tma_ptx_span){word.at, word.length};
    return word.length != 0;
}

/* Bytes of .b8, .u16, .f32x2 ...; 0 for a word that is no type. */
static uint32_t type_B(ptx_word word) {
    uint32_t bits = 0;
    if (word.length < 2 || word.length > 4 ||
        (word.at[0] != 'b' && word.at[0] != 'u' && word.at[0] != 's' && word.at[0] != 'f')) {
        return 0;
    }
    for (size_t i = 1; i < word.length; i++) {
        if (!text_is_digit(word.at[i])) {
            return 0;
        }
        bits = 10 * bits + (uint32_t)(word.at[i] - '0');
    }
    return bits / 8;
}

static int is_space(ptx_word word) {
    return text_is(word.at, word.length, "shared") || text_is(word.at, word.length, "global") ||
           text_is(word.at, word.length, "const") || text_is(word.at, word.length, "param") ||
           text_is(word.at, word.length, "local");
}

/* Past what stands between a bracket and the one that closes it, comments too. */
static void skip_nested(ptx_cursor *c) {
    size_t depth = 0;
    while (c->at < c->size) {
        const char byte = ptx_peek(c);
        depth += byte == '{' || byte == '(' || byte == '[';
        depth -= depth && (byte == '}' || byte == ')' || byte == ']');
        c->at += c->at < c->size;
        if (!depth) {
            return;
        }
    }
}

/* Up to what ends a declaration, or one of a list: , ) ; */
static void skip_to_comma(ptx_cursor *c) {
    for (char byte; (byte = ptx_peek(c)) != ',' && byte != ')' && byte != ';';) {
        if (c->at >= c->size) {
            return;
        }
        skip_nested(c);
    }
}

/* Whether .v2 or .v4 stands between a declaration's space and its name. */
static int is_vector(const tma_ptx_variable *v) {
    const char *at = v->space.at;
    while (at + 1 < v->name.at && !(at[0] == '.' && at[1] == 'v')) {
        at++;
    }
    return at + 1 < v->name.at;
}

/* Past the sizes of an array. */
static void take_sizes(ptx_cursor *c, tma_ptx_variable *v) {
    v->size_B = is_vector(v) ? 0 : v->element_B;
    while (ptx_peek(c) == '[') {
        ptx_cursor inside = *c;
        uint32_t elements = 0;
        const int is_known =
            ptx_take(&inside, '[') && take_u32(&inside, &elements) && ptx_take(&inside, ']');
        v->size_B *= is_known && v->size_B <= UINT32_MAX ? elements : 0;
        skip_nested(c);
    }
}

/* "= {...}" or "= 5" behind a name and its sizes, and past it. */
static void take_values(ptx_cursor *c, tma_ptx_variable *v) {
    take_sizes(c, v);
    if (ptx_take(c, '=')) {
        const int braced = ptx_peek(c) == '{';
        const size_t from = c->at + (size_t)braced;
        braced ? skip_nested(c) : skip_to_comma(c);
        const size_t end = c->at - (size_t)(braced && c->text[c->at - 1] == '}');
        v->values = (tma_ptx_span){c->text + from, end - from};
    }
    skip_to_comma(c);
}

static int take_name(ptx_cursor *c, tma_ptx_variable *v) {
    const ptx_word name = ptx_name(c, 0);
    v->name = (tma_ptx_span){name.at, name.length};
    v->values = (tma_ptx_span){NULL, 0};
    if (name.length) {
        take_values(c, v);
    }
    return name.length != 0;
}

/* The qualifiers from a space on, and the name behind them. */
static int take_variable(ptx_cursor *c, ptx_word space, tma_ptx_variable *v) {
    uint32_t of_pointed_B = 0;
    int is_pointed = 0; /* what stands behind .ptr is of what it points to */
    *v = (tma_ptx_variable){.space = {space.at, space.length}, .align_B = 1};
    for (;;) {
        const ptx_word word = ptx_qualifier(c);
        if (!word.length) {
            break;
        }
        if (text_is(word.at, word.length, "align")) {
            take_u32(c, is_pointed ? &of_pointed_B : &v->align_B);
        } else if (text_is(word.at, word.length, "ptr")) {
            is_pointed = 1;
        } else if (type_B(word)) {
            v->element_B = type_B(word);
        } else if (text_is(word.at, word.length, "attribute")) {
            skip_parens(c);
        }
    }
    return take_name(c, v);
}

/* Another name of the same declaration, behind a comma: .shared .b64 a, b; */
static int take_next(ptx_cursor *c, const tma_ptx_piece *piece, tma_ptx_variable *v) {
    ptx_cursor at = *c;
    const int is_same = c->at && v->space.at >= piece->at && v->space.at < piece->at + piece->size;
    if (!is_same || !ptx_take(&at, ',') || !ptx_is_name_start(ptx_peek(&at)) ||
        !take_name(&at, v)) {
        return 0;
    }
    *c = at;
    return 1;
}

bool tma_ptx_variable_of(tma_ptx_variable *variable, size_t *from, const tma_ptx_piece *piece) {
    ptx_cursor c = {piece->at, piece->size, *from, NULL};
    if (piece->kind != TMA_PTX_PIECE_DIRECTIVE) {
        return false;
    }
    if (take_next(&c, piece, variable)) {
        *from = c.at;
        return true;
    }
    while (c.at < c.size) {
        const ptx_word word = ptx_qualifier(&c);
        if (!word.length) {
            c.at += c.at < c.size;
        } else if (is_space(word) && take_variable(&c, word, variable)) {
            *from = c.at;
            return true;
        }
    }
    return false;
}
