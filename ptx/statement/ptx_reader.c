/* SPDX-License-Identifier: Apache-2.0
 *
 * A PTX file cut into statements.
 */
#include "ptx_internal.h"
#include "tma/detail/chars.h"
#include "tma/ptx_file.h"

tma_ptx_reader tma_ptx_reader_of(const char *text, size_t size) {
    return (tma_ptx_reader){text, text ? size : 0, 0, 1, 0};
}

static char byte(const tma_ptx_reader *r, size_t at) {
    return at < r->size ? r->text[at] : 0;
}

/* Forward to `end`, counting lines. */
static void advance(tma_ptx_reader *r, size_t end) {
    for (; r->at < end && r->at < r->size; r->at++) {
        r->line += r->text[r->at] == '\n';
    }
}

static size_t past_blanks(const tma_ptx_reader *r, size_t at) {
    ptx_cursor c = {r->text, r->size, at, NULL};
    ptx_skip(&c);
    return c.at;
}

/* Past a string that begins at `at`: to its quote or the line's end. */
static size_t past_string(const tma_ptx_reader *r, size_t at) {
    for (at++; at < r->size && r->text[at] != '\n'; at++) {
        if (r->text[at] == '"') {
            return at + 1;
        }
        at += r->text[at] == '\\' && at + 1 < r->size && r->text[at + 1] != '\n';
    }
    return at;
}

/* Past one token, comments and strings being one. */
static size_t past_token(const tma_ptx_reader *r, size_t at) {
    const size_t skipped = past_blanks(r, at);
    if (skipped != at) {
        return skipped;
    }
    if (byte(r, at) == '"') {
        return past_string(r, at);
    }
    at++;
    if (ptx_is_name_byte(byte(r, at - 1)) || byte(r, at - 1) == '.') {
        while (ptx_is_name_byte(byte(r, at))) {
            at++;
        }
    }
    return at;
}

static int token_is(const tma_ptx_reader *r, size_t at, size_t end, const char *word) {
    return text_is(r->text + at, end - at, word);
}

/* Past a block that begins at the next {, strings and comments looked through. */
static size_t past_block(const tma_ptx_reader *r, size_t at) {
    size_t depth = 0;
    while (at < r->size) {
        const char c = byte(r, at);
        const int closes = c == '}' && depth;
        depth += c == '{';
        depth -= closes ? 1 : 0;
        if ((closes || c == ';') && !depth) {
            return at + 1;
        }
        at = past_token(r, at);
    }
    return at;
}

static int is_line_directive(const tma_ptx_reader *r, size_t at, size_t end) {
    static const char *const words[] = {".version", ".target", ".address_size", ".loc", ".file"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (token_is(r, at, end, words[i])) {
            return 1;
        }
    }
    return 0;
}

/* Directives without a semicolon end with their line, or before the next directive on it; behind a
 * comma they go on. */
static size_t past_line(const tma_ptx_reader *r, size_t at) {
    char last = 0;
    for (at++; at < r->size; at = past_token(r, at)) {
        const char c = byte(r, at);
        if (c == '{' || c == '}' || (c == '\n' && last != ',')) {
            return at;
        }
        if (c == ';') {
            return at + 1;
        }
        const size_t blanks = past_blanks(r, at);
        for (size_t i = at; i < blanks; i++) {
            if (r->text[i] == '\n' && last != ',') {
                return i;
            }
        }
        if (blanks > at && byte(r, blanks) == '.') {
            return blanks;
        }
        last = blanks > at ? last : c;
    }
    return at;
}

/* Past a statement: its semicolon; before the { of a function's body; before a } that is not its
 * own, or a .version: *kind is unknown then. */
static size_t past_statement(const tma_ptx_reader *r, size_t at, tma_ptx_piece_kind *kind) {
    const size_t from = at;
    size_t braces = 0;
    int head = 0;
    while (at < r->size) {
        const char c = byte(r, at);
        if (c == ';' && !braces) {
            return at + 1;
        }
        if (c == '{' && head) {
            return at;
        }
        if (c == '}' && !braces) {
            break;
        }
        braces += c == '{';
        braces -= c == '}';
        const size_t end = past_token(r, at);
        if (c == '.') {
            head |= token_is(r, at, end, ".entry") || token_is(r, at, end, ".func");
            if (at > from && !r->depth && token_is(r, at, end, ".version")) {
                break;
            }
        }
        at = end;
    }
    *kind = TMA_PTX_PIECE_UNKNOWN;
    return at;
}

/* Whether a name with a single colon behind it begins here; where the colon is. */
static size_t label_end(const tma_ptx_reader *r, size_t at) {
    size_t end = at;
    while (ptx_is_name_byte(byte(r, end))) {
        end++;
    }
    const size_t colon = past_blanks(r, end);
    return end > at && byte(r, colon) == ':' && byte(r, colon + 1) != ':' ? colon : 0;
}

static void cut(tma_ptx_reader *r, tma_ptx_piece *piece, size_t end, tma_ptx_piece_kind kind) {
    *piece = (tma_ptx_piece){r->text + r->at, end - r->at, r->line, kind};
    advance(r, end);
}

static void cut_label(tma_ptx_reader *r, tma_ptx_piece *piece, size_t colon) {
    size_t end = r->at;
    while (ptx_is_name_byte(byte(r, end))) {
        end++;
    }
    cut(r, piece, end, TMA_PTX_PIECE_LABEL);
    advance(r, colon + 1);
}

static void cut_directive(tma_ptx_reader *r, tma_ptx_piece *piece) {
    const size_t word = past_token(r, r->at);
    tma_ptx_piece_kind kind = TMA_PTX_PIECE_DIRECTIVE;
    if (is_line_directive(r, r->at, word)) {
        cut(r, piece, past_line(r, r->at), kind);
    } else if (token_is(r, r->at, word, ".section")) {
        cut(r, piece, past_block(r, r->at), kind);
    } else {
        const size_t end = past_statement(r, r->at, &kind);
        cut(r, piece, end, kind);
    }
}

bool tma_ptx_next(tma_ptx_reader *r, tma_ptx_piece *piece) {
    for (;;) {
        advance(r, past_blanks(r, r->at));
        if (byte(r, r->at) != ';' || r->at >= r->size) {
            break;
        }
        r->at++;
    }
    if (r->at >= r->size) {
        return false;
    }
    const char c = byte(r, r->at);
    const size_t colon = label_end(r, r->at);
    if (c == '{' || c == '}') {
        r->depth += c == '{';
        r->depth -= c == '}' && r->depth;
        cut(r, piece, r->at + 1, c == '{' ? TMA_PTX_PIECE_OPEN : TMA_PTX_PIECE_CLOSE);
    } else if (c == '#') {
        cut(r, piece, r->at + text_until(r->text + r->at, r->size - r->at, '\n'),
            TMA_PTX_PIECE_UNKNOWN);
    } else if (colon) {
        cut_label(r, piece, colon);
    } else if (c == '.') {
        cut_directive(r, piece);
    } else {
        tma_ptx_piece_kind kind = TMA_PTX_PIECE_INSTRUCTION;
        const size_t end = past_statement(r, r->at, &kind);
        cut(r, piece, end, kind);
    }
    if (r->at == (size_t)(piece->at - r->text) && r->at < r->size) {
        cut(r, piece, r->at + 1, TMA_PTX_PIECE_UNKNOWN); /* always forward */
    }
    return true;
}
