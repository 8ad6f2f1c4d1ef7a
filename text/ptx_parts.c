/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions of any kind in their parts.
 */
#include <string.h>

#include "ptx_internal.h"
#include "strings.h"
#include "tma/ptx_file.h"

static int is_open(char c) {
    return c == '[' || c == '{' || c == '(';
}

static int is_close(char c) {
    return c == ']' || c == '}' || c == ')';
}

static tma_ptx_span trimmed(const char *from, const char *to) {
    while (from < to && (*from == ' ' || (*from >= '\t' && *from <= '\r'))) {
        from++;
    }
    while (to > from && (to[-1] == ' ' || (to[-1] >= '\t' && to[-1] <= '\r'))) {
        to--;
    }
    return (tma_ptx_span){from, (size_t)(to - from)};
}

static void put_part(tma_ptx_parts *parts, const char *from, const char *to) {
    const tma_ptx_span span = trimmed(from, to);
    if (!span.length && !parts->count) {
        return;
    }
    if (parts->count < TMA_PTX_PARTS) {
        parts->operand[parts->count] = span;
    }
    parts->count++;
}

static void cut_operands(ptx_cursor *c, tma_ptx_parts *parts) {
    size_t depth = 0;
    const char *from;
    ptx_skip(c);
    from = c->text + c->at;
    while (c->at < c->size && (depth || c->text[c->at] != ';')) {
        const char byte = c->text[c->at];
        depth += (size_t)is_open(byte);
        depth -= (size_t)(is_close(byte) && depth);
        if (byte == ',' && !depth) {
            put_part(parts, from, c->text + c->at);
            from = c->text + c->at + 1;
        }
        c->at++;
    }
    put_part(parts, from, c->text + c->at);
}

int tma_ptx_split(const tma_ptx_piece *piece, tma_ptx_parts *parts) {
    ptx_cursor c = {piece->at, piece->size, 0, NULL};
    memset(parts, 0, sizeof(*parts));
    if (ptx_take(&c, '@')) {
        parts->negated = ptx_take(&c, '!');
        const ptx_word guard = ptx_name(&c, 0);
        parts->guard = (tma_ptx_span){guard.at, guard.length};
    }
    const ptx_word name = ptx_name(&c, 0);
    if (!name.length) {
        return -1;
    }
    while (ptx_qualifier(&c).length) {
    }
    parts->opcode = trimmed(name.at, c.text + c.at);
    cut_operands(&c, parts);
    return 0;
}

int tma_ptx_is(const tma_ptx_parts *parts, const char *first, const char *qualifier) {
    ptx_cursor c = {parts->opcode.at, parts->opcode.length, 0, NULL};
    const ptx_word name = ptx_name(&c, 0);
    if (!text_is(name.at, name.length, first)) {
        return 0;
    }
    while (qualifier) {
        const ptx_word word = ptx_qualifier(&c);
        if (!word.length || text_is(word.at, word.length, qualifier)) {
            return word.length != 0;
        }
    }
    return 1;
}

tma_ptx_operand tma_ptx_operand_of(tma_ptx_span span, int *bracketed) {
    ptx_cursor c = {span.at, span.length, 0, NULL};
    tma_ptx_operand o = {span.at, 0, (uint32_t)span.length, TMA_PTX_EXPRESSION};
    tma_ptx_operand read = {0};
    const int inside = ptx_take(&c, '[');
    const ptx_word name = ptx_name(&c, 1);
    if (bracketed) {
        *bracketed = inside;
    }
    if (name.length) {
        read = (tma_ptx_operand){name.at, 0, (uint32_t)name.length, TMA_PTX_NAME};
        if (ptx_peek(&c) == '+' || ptx_peek(&c) == '-') {
            c.at += c.text[c.at] == '+';
            if (!ptx_number(&c, &read.value)) {
                return o;
            }
        }
    } else if (ptx_number(&c, &read.value)) {
        read.kind = TMA_PTX_NUMBER;
    }
    if (inside && !ptx_take(&c, ']')) {
        return o;
    }
    ptx_skip(&c);
    return read.kind && c.at >= c.size ? read : o;
}

tma_ptx_span tma_ptx_next_name(tma_ptx_span *span) {
    size_t at = 0;
    while (at < span->length && !ptx_is_name_start(span->at[at])) {
        /* digits belong to what stands before them: 0x10, 12f */
        if (ptx_is_name_byte(span->at[at])) {
            while (at < span->length && ptx_is_name_byte(span->at[at])) {
                at++;
            }
        } else {
            at++;
        }
    }
    tma_ptx_span name = {span->at + at, 0};
    while (at < span->length && ptx_is_name_byte(span->at[at])) {
        at++;
        name.length++;
    }
    span->at += at;
    span->length -= at;
    return name;
}
