/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions of any kind in their parts.
 */
#include <string.h>

#include "ptx_internal.h"
#include "tma/detail/chars.h"
#include "tma/ptx_file.h"

static int is_open(char c) {
    return c == '[' || c == '{' || c == '(';
}

static int is_close(char c) {
    return c == ']' || c == '}' || c == ')';
}

static void put_part(tma_ptx_parts *parts, const char *from, const char *to) {
    if (from == to && !parts->count) {
        return;
    }
    if (parts->count < TMA_PTX_PARTS) {
        parts->operand[parts->count] = (tma_ptx_span){from, (size_t)(to - from)};
    }
    parts->count++;
}

/* Blanks and comments before and behind an operand are no part of it. */
static void cut_operands(ptx_cursor *c, tma_ptx_parts *parts) {
    size_t depth = 0;
    ptx_skip(c);
    const char *from = c->text + c->at;
    const char *to = from;
    while (c->at < c->size && (depth || c->text[c->at] != ';')) {
        const char byte = c->text[c->at++];
        depth += (size_t)is_open(byte);
        depth -= (size_t)(is_close(byte) && depth);
        to = byte == ',' && !depth ? to : c->text + c->at;
        ptx_skip(c);
        if (byte == ',' && !depth) {
            put_part(parts, from, to);
            from = c->text + c->at;
            to = from;
        }
    }
    put_part(parts, from, to);
}

int tma_ptx_split(tma_ptx_parts *parts, const tma_ptx_piece *piece) {
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
    size_t end = c.at;
    while (ptx_qualifier(&c).length) {
        end = c.at;
    }
    c.at = end;
    parts->opcode = (tma_ptx_span){name.at, (size_t)(c.text + end - name.at)};
    cut_operands(&c, parts);
    return 0;
}

bool tma_ptx_is(const tma_ptx_parts *parts, const char *first, const char *qualifier) {
    ptx_cursor c = {parts->opcode.at, parts->opcode.length, 0, NULL};
    if (!c.size || *c.text != *first) { /* most often */
        return false;
    }
    const ptx_word name = ptx_name(&c, 0);
    if (!text_is(name.at, name.length, first)) {
        return false;
    }
    while (qualifier) {
        const ptx_word word = ptx_qualifier(&c);
        if (!word.length || text_is(word.at, word.length, qualifier)) {
            return word.length != 0;
        }
    }
    return true;
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
    ptx_cursor c = {span->at, span->length, 0, NULL};
    if (!span->length) { /* it may be nowhere */
        return *span;
    }
    ptx_skip(&c);
    while (c.at < c.size && !ptx_is_name_start(c.text[c.at])) {
        if (ptx_is_name_byte(c.text[c.at])) { /* letters behind a digit: 0x10, 12f */
            while (c.at < c.size && ptx_is_name_byte(c.text[c.at])) {
                c.at++;
            }
        } else {
            c.at++;
        }
        ptx_skip(&c);
    }
    const size_t from = c.at;
    while (c.at < c.size && ptx_is_name_byte(c.text[c.at])) {
        c.at++;
    }
    const tma_ptx_span name = {c.text + from, c.at - from};
    *span = (tma_ptx_span){c.text + c.at, c.size - c.at};
    return name;
}
