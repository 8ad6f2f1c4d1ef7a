/* SPDX-License-Identifier: Apache-2.0 */
#include "json_tree.h"

#include "tma/detail/chars.h"

#define MOST_DEEP 32

typedef struct reader {
    ptx_memory *memory;
    const char *begin, *at, *end;
    tma_error *error;
    uint32_t deep;
} reader;

static int fail(const reader *r, const char *what) {
    size_t line = 1;
    for (const char *c = r->begin; c < r->at; c++) {
        line += *c == '\n';
    }
    return tma_fail(r->error, "JSON, line %zu: %s", line, what);
}

static void skip(reader *r) {
    while (r->at < r->end && text_is_space(*r->at)) {
        r->at++;
    }
}

static int take(reader *r, char c) {
    skip(r);
    if (r->at == r->end || *r->at != c) {
        return 0;
    }
    r->at++;
    return 1;
}

/* ---- texts ---- */

static int unit_of(reader *r, uint32_t *unit) {
    *unit = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        const int digit = r->at < r->end ? text_digit(*r->at) : -1;
        if (digit < 0) {
            return fail(r, "\\u has four digits");
        }
        *unit = *unit << 4 | (uint32_t)digit;
    }
    return 0;
}

static size_t put_utf8(char *to, uint32_t code) {
    static const uint32_t FIRST[] = {0, 0xc0, 0xe0, 0xf0};
    const size_t more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    to[0] = (char)(FIRST[more] | code >> 6 * more);
    for (size_t i = 1; i <= more; i++) {
        to[i] = (char)(0x80 | (code >> 6 * (more - i) & 0x3f));
    }
    return more + 1;
}

/* What follows \u: one unit, or the two of a pair. */
static int put_unit(reader *r, char *to, size_t *length) {
    uint32_t code, low;
    if (unit_of(r, &code)) {
        return -1;
    }
    if (code >> 10 == 0x36) {
        if (r->end - r->at < 6 || r->at[0] != '\\' || r->at[1] != 'u') {
            return fail(r, "half of a pair of \\u");
        }
        r->at += 2;
        if (unit_of(r, &low)) {
            return -1;
        }
        code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
        if (low >> 10 != 0x37) {
            return fail(r, "half of a pair of \\u");
        }
    }
    if (!code || code >> 10 == 0x37) {
        return fail(r, "\\u0000 and halves of pairs are no text");
    }
    *length += put_utf8(to + *length, code);
    return 0;
}

static int put_escaped(reader *r, char *to, size_t *length) {
    static const char NAME[] = "\"\\/bfnrt", MEANS[] = "\"\\/\b\f\n\r\t";
    const char c = *r->at++;
    if (c == 'u') {
        return put_unit(r, to, length);
    }
    for (size_t i = 0; NAME[i]; i++) {
        if (c == NAME[i]) {
            to[(*length)++] = MEANS[i];
            return 0;
        }
    }
    return fail(r, "no such escape");
}

/* Behind the first quote. No escape is shorter than what it means. */
static char *read_text(reader *r, size_t *length) {
    const char *end = r->at;
    while (end < r->end && *end != '"' && (unsigned char)*end >= ' ') {
        end += *end == '\\' && end + 1 < r->end ? 2 : 1;
    }
    if (end >= r->end || *end != '"') {
        fail(r, "a text that does not end");
        return NULL;
    }
    char *to = ptx_memory_take(r->memory, (size_t)(end - r->at) + 1, 1);
    *length = 0;
    while (to && r->at < end) {
        if (*r->at != '\\') {
            to[(*length)++] = *r->at++;
            continue;
        }
        r->at++;
        if (put_escaped(r, to, length)) {
            return NULL;
        }
    }
    r->at = end + 1;
    if (!to) {
        tma_fail(r->error, "no memory");
    }
    return to;
}

/* ---- values ---- */

// NOLINTBEGIN(misc-no-recursion): at most MOST_DEEP deep
static json_value *read_value(reader *r);

/* What stands between the brackets of a list or an object. */
static int read_members(reader *r, json_value *value, char close) {
    json_value **last = &value->first;
    if (++r->deep > MOST_DEEP) {
        return fail(r, "brackets more than 32 deep");
    }
    for (int is_first = 1; !take(r, close); is_first = 0) {
        char *key = NULL;
        size_t length;
        if (!is_first && !take(r, ',')) {
            return fail(r, "a comma or the closing bracket is expected");
        }
        if (close == '}' && (!take(r, '"') || !(key = read_text(r, &length)) || !take(r, ':'))) {
            return fail(r, "\"key\": is expected");
        }
        json_value *member = read_value(r);
        if (!member) {
            return -1;
        }
        member->key = key;
        *last = member;
        last = &member->next;
    }
    r->deep--;
    return 0;
}

static int is_of_word(char c) {
    return text_is_word(c) || c == '-' || c == '+' || c == '.';
}

static int read_word(reader *r, json_value *value) {
    static const struct {
        const char *word;
        json_kind kind;
    } WORD[] = {{"null", JSON_NULL}, {"false", JSON_FALSE}, {"true", JSON_TRUE}};
    const size_t length = text_run(r->at, (size_t)(r->end - r->at), is_of_word);
    const char *text = ptx_memory_text(r->memory, r->at, length);
    if (r->memory->failed) {
        return tma_fail(r->error, "no memory");
    }
    value->text = text;
    value->length = length;
    value->kind = JSON_NUMBER;
    for (size_t i = 0; i < sizeof(WORD) / sizeof(WORD[0]); i++) {
        if (text_same(text, WORD[i].word)) {
            value->kind = WORD[i].kind;
        }
    }
    if (value->kind == JSON_NUMBER && !text_is_digit(text[0]) && text[0] != '-') {
        return fail(r, "a value is expected");
    }
    r->at += length;
    return 0;
}

static json_value *read_value(reader *r) {
    json_value *value = ptx_memory_take(r->memory, 1, sizeof(*value));
    int failed = 0;
    if (!value) {
        tma_fail(r->error, "no memory");
        return NULL;
    }
    if (take(r, '{')) {
        value->kind = JSON_OBJECT;
        failed = read_members(r, value, '}');
    } else if (take(r, '[')) {
        value->kind = JSON_LIST;
        failed = read_members(r, value, ']');
    } else if (take(r, '"')) {
        value->kind = JSON_TEXT;
        value->text = read_text(r, &value->length);
        failed = !value->text;
    } else {
        failed = read_word(r, value);
    }
    return failed ? NULL : value;
}
// NOLINTEND(misc-no-recursion)

json_value *json_read(ptx_memory *memory, const char *text, size_t *size, tma_error *error) {
    reader r = {memory, text, text, text + *size, error, 0};
    json_value *value = read_value(&r);
    if (value) {
        skip(&r);
        *size = (size_t)(r.at - text);
    }
    return value;
}

const json_value *json_member(const json_value *object, const char *key) {
    for (const json_value *m = object ? object->first : NULL; m; m = m->next) {
        if (m->key && text_same(m->key, key)) {
            return m;
        }
    }
    return NULL;
}

int json_u64(const json_value *value, uint64_t *out, const char *what, tma_error *error) {
    if (value->kind != JSON_NUMBER && value->kind != JSON_TEXT) {
        return tma_fail(error, "%s: a number is expected", what);
    }
    return tma_read_u64(out, value->text, value->length, what, error);
}
