/* SPDX-License-Identifier: Apache-2.0
 *
 * Pieces of PTX text.
 */
#include "ptx_lex.h"

#include "tma/detail/assert.h"
#include "tma/detail/chars.h"

/* Bytes of names, a bit each: large files are read at their speed. */
static const uint32_t name_bytes[4] = {0, 0x03FF0030, 0x87FFFFFE, 0x07FFFFFE};

int ptx_is_name_byte(char c) {
    const unsigned char byte = (unsigned char)c;
    return byte < 128 && (name_bytes[byte / 32] >> byte % 32 & 1);
}

int ptx_is_name_start(char c) {
    return ptx_is_name_byte(c) && !text_is_digit(c);
}

static char byte_at(const ptx_cursor *c, size_t ahead) {
    return c->at + ahead < c->size ? c->text[c->at + ahead] : 0;
}

static int skip_comment(ptx_cursor *c) {
    if (byte_at(c, 0) != '/' || (byte_at(c, 1) != '/' && byte_at(c, 1) != '*')) {
        return 0;
    }
    const int line = byte_at(c, 1) == '/';
    c->at += 2;
    while (c->at < c->size &&
           (line ? c->text[c->at] != '\n' : byte_at(c, 0) != '*' || byte_at(c, 1) != '/')) {
        c->at++;
    }
    c->at += line || c->at >= c->size ? 0 : 2;
    return 1;
}

static int skip_continuation(ptx_cursor *c) {
    if (byte_at(c, 0) != '\\') {
        return 0;
    }
    const size_t end = byte_at(c, 1) == '\r' ? 2 : 1;
    if (byte_at(c, end) != '\n') {
        return 0;
    }
    c->at += end + 1;
    return 1;
}

void ptx_skip(ptx_cursor *c) {
    const char byte = byte_at(c, 0);
    if (c->at >= c->size || (byte > ' ' && byte != '/' && byte != '\\')) {
        return; /* most often there is nothing to skip */
    }
    do {
        c->at += text_run(c->text + c->at, c->size - c->at, text_is_space);
    } while (skip_comment(c) || skip_continuation(c));
}

char ptx_peek(ptx_cursor *c) {
    TMA_ASSERT(c->at <= c->size);
    ptx_skip(c);
    return byte_at(c, 0);
}

int ptx_take(ptx_cursor *c, char byte) {
    if (c->at < c->size && ptx_peek(c) == byte && c->at < c->size) {
        c->at++;
        return 1;
    }
    return 0;
}

ptx_word ptx_name(ptx_cursor *c, int dotted) {
    ptx_skip(c);
    ptx_word word = {c->text + c->at, 0};
    if (!ptx_is_name_start(byte_at(c, 0))) {
        return word;
    }
    do {
        word.length +=
            text_run(word.at + word.length, c->size - c->at - word.length, ptx_is_name_byte);
    } while (dotted && c->at + word.length < c->size && word.at[word.length] == '.' &&
             ++word.length);
    c->at += word.length;
    return word;
}

ptx_word ptx_qualifier(ptx_cursor *c) {
    ptx_skip(c);
    ptx_word word = {c->text + c->at, 0};
    if (byte_at(c, 0) != '.' || !ptx_is_name_byte(byte_at(c, 1))) {
        return word;
    }
    c->at++;
    word.at = c->text + c->at;
    const size_t from = c->at;
    for (;;) {
        c->at += text_run(c->text + c->at, c->size - c->at, ptx_is_name_byte);
        if (byte_at(c, 0) != ':' || byte_at(c, 1) != ':' || !ptx_is_name_byte(byte_at(c, 2))) {
            word.length = c->at - from;
            return word;
        }
        c->at += 2;
    }
}

/* The base that a literal's first bytes say, and where its digits begin. */
static unsigned base_of(const ptx_cursor *c, size_t *digits) {
    if (byte_at(c, 0) != '0') {
        return 10;
    }
    switch (byte_at(c, 1)) {
    case 'x':
    case 'X':
        *digits = 2;
        return 16;
    case 'b':
    case 'B':
        *digits = 2;
        return 2;
    default:
        return 8;
    }
}

int ptx_number(ptx_cursor *c, int64_t *value) {
    ptx_skip(c);
    ptx_cursor at = *c;
    const int minus = byte_at(&at, 0) == '-';
    uint64_t sum = 0;
    size_t digits = 0;
    if (minus || byte_at(&at, 0) == '+') {
        at.at++;
        ptx_skip(&at);
    }
    if (!text_is_digit(byte_at(&at, 0))) {
        return 0;
    }
    const unsigned base = base_of(&at, &digits);
    at.at += digits;
    const size_t first = at.at;
    for (int digit; at.at < at.size && (digit = text_digit(at.text[at.at])) >= 0; at.at++) {
        if ((unsigned)digit >= base || sum > (UINT64_MAX - (unsigned)digit) / base) {
            return 0;
        }
        sum = sum * base + (unsigned)digit;
    }
    if (at.at == first) {
        return 0;
    }
    at.at += byte_at(&at, 0) == 'U';
    if (ptx_is_name_byte(byte_at(&at, 0)) || byte_at(&at, 0) == '.') {
        return 0; /* 0f3F800000, 1.5, 12x */
    }
    TMA_ASSERT(at.at <= at.size && at.at > c->at);
    *value = (int64_t)(minus ? 0 - sum : sum);
    c->at = at.at;
    return 1;
}

int ptx_fail(const ptx_cursor *c, size_t at, const char *expected) {
    char found[44];
    size_t length = 0;
    while (at + length < c->size && length < 40 &&
           (!length || (!text_is_space(c->text[at + length]) && c->text[at + length] != ','))) {
        const char byte = c->text[at + length];
        found[length++] = (char)(byte >= ' ' && byte <= '~' ? byte : '?');
    }
    found[length] = 0;
    return tma_fail_at(c->error, at, "column %zu: %s%s%s where %s was expected", at + 1,
                       length ? "'" : "", length ? found : "the end", length ? "'" : "", expected);
}
