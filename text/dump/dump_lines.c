/* SPDX-License-Identifier: Apache-2.0
 *
 * Dumps whose lines begin with an address: a debugger's x/16gx, x/32wx, x/128xb, xxd with or
 * without -e, hexdump with or without -C, od -x, od -t x1 to x8. What is no value is taken away:
 * prompts, addresses and the names behind them, the column of characters. Two things are learnt on
 * the way: addresses have to follow on one another, so that a lost line is noticed; and the
 * characters tell xxd's words (-e) from its bytes.
 */
#include <string.h>

#include "dump_parts.h"
#include "tma/detail/chars.h"

#define MOST_DUMP_B ((uint64_t)1 << 20) /* what "*" may stand for, so that counts stay small */

typedef struct lines {
    dump_values values;
    size_t size_B;    /* of all values so far */
    size_t line_B;    /* of the line before */
    int order_fits;   /* so far, by the column of characters: bytes in order, */
    int swapped_fits; /* each group a little-endian word */
    int has_base;
    int repeats; /* after a line "*" */
    uint64_t base;
    size_t line;
    int is_bare;           /* no colon behind addresses */
    unsigned address_base; /* od counts in octal or as told by -A, all others in hexadecimal */
} lines;

static int is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static size_t run(dump_text text, int blank) {
    size_t n = 0;
    while (n < text.left && is_blank(text.at[n]) == blank) {
        n++;
    }
    return n;
}

/* "00000010" without a colon, in some base. Returns its length, or 0. */
static size_t bare_address(uint64_t *out, dump_text text, unsigned base) {
    size_t at = 0;
    *out = 0;
    for (; at < text.left && at <= 16; at++) {
        const int digit = text_digit(text.at[at]);
        if (digit < 0 || (unsigned)digit >= base) {
            break;
        }
        *out = *out * base + (uint64_t)digit;
    }
    return at >= 6 && at <= 16 && (at == text.left || is_blank(text.at[at])) ? at : 0;
}

/* "0x7ffe0010 <map+16>:" or "00000010:". Returns its length, or 0. */
static size_t address(uint64_t *out, dump_text text) {
    const size_t start = text.left > 2 && text_is(text.at, 2, "0x") ? 2 : 0;
    size_t at = start;
    *out = 0;
    while (at < text.left && text_digit(text.at[at]) >= 0) {
        *out = *out << 4 | (uint64_t)text_digit(text.at[at++]);
    }
    if (at == start || at - start > 16) {
        return 0;
    }
    if (at + 1 < text.left && text_is(text.at + at, 2, " <")) {
        while (at + 1 < text.left && !text_is(text.at + at, 2, ">:")) {
            at++;
        }
        at++; /* names may hold "::", the end is followed by a blank */
        while (at + 1 < text.left && !is_blank(text.at[at + 1])) {
            at++;
        }
    }
    const int ends =
        at < text.left && text.at[at] == ':' && (at + 1 == text.left || is_blank(text.at[at + 1]));
    return ends ? at + 1 : 0;
}

static dump_text next_line(dump_text *text) {
    const size_t length = text_until(text->at, text->left, '\n');
    dump_text line = {text->at, length};
    *text = dump_after(*text, length + (length < text->left));
    while (line.left && is_blank(line.at[line.left - 1])) {
        line.left--;
    }
    return dump_after(line, run(line, 1));
}

/* Whether some line's address ends in a colon: hexdump's do not. */
static int has_colons(dump_text rest) {
    while (rest.left) {
        uint64_t ignored = 0;
        if (address(&ignored, next_line(&rest))) {
            return 1;
        }
    }
    return 0;
}

/* Bytes of a line's bare groups, up to the characters; 0 if something else is among them. */
static size_t bare_bytes(dump_text text) {
    size_t digits = 0;
    for (; text.left && *text.at != '>'; text = dump_after(text, 1)) {
        if (text_digit(*text.at) < 0 && !is_blank(*text.at)) {
            return 0;
        }
        digits += !is_blank(*text.at);
    }
    return digits % 2 ? 0 : digits / 2;
}

/* What addresses may be counted in, the most likely first. */
static const unsigned bases[] = {16, 8, 10};
#define BASES (sizeof(bases) / sizeof(bases[0]))

/* Whether the first words of the first two lines are addresses without a colon: in some base the
 * second is as far on as the first line has bytes. */
static int has_bare_addresses(dump_text text) {
    dump_text first = {"", 0};
    dump_text second = {"", 0};
    while (text.left && !first.left) {
        first = next_line(&text);
    }
    int repeats = 0;
    while (text.left && (!second.left || *second.at == '*')) {
        second = next_line(&text);
        repeats |= second.left && *second.at == '*';
    }
    for (size_t i = 0; i < BASES; i++) {
        uint64_t from = 0;
        uint64_t to = 0;
        const size_t length = bare_address(&from, first, bases[i]);
        const size_t bytes = length ? bare_bytes(dump_after(first, length)) : 0;
        if (bytes && bare_address(&to, second, bases[i]) == length && to > from &&
            (to - from == bytes || (repeats && (to - from) % bytes == 0))) {
            return 1;
        }
    }
    return 0;
}

/* Whether a line ends in a bar: hexdump -C, whose groups are bytes. */
static int has_bars(dump_text rest) {
    while (rest.left) {
        const dump_text line = next_line(&rest);
        if (line.left && line.at[line.left - 1] == '|') {
            return 1;
        }
    }
    return 0;
}

int tma_dump_has_addresses(dump_text text) {
    return has_bars(text) || has_colons(text) || has_bare_addresses(text);
}

/* Cuts the characters off the end of a line's values: they stand behind a bar (hexdump -C), between
 * > and < (od -t x1z), or behind the first two blanks in a row (xxd). */
static dump_text cut_characters(dump_text *text, int is_bare) {
    dump_text found = {text->at + text->left, 0};
    const char last = is_bare && text->left ? text->at[text->left - 1] : ' ';
    const size_t bar = last == '|'   ? text_until(text->at, text->left, '|')
                       : last == '<' ? text_until(text->at, text->left, '>')
                                     : text->left;
    if (bar < text->left) {
        found = dump_after(*text, bar + 1);
        found.left -= found.left > 0; /* the other bar */
        text->left = bar;
        return found;
    }
    for (size_t i = 1; i + 1 < text->left && !is_bare; i++) {
        if (text->at[i] == ' ' && text->at[i + 1] == ' ') {
            found = dump_after(*text, i + 2);
            text->left = i;
            break;
        }
    }
    return found;
}

/* Byte i of the dump if each group is a little-endian word. */
static uint8_t swapped(const dump_values *v, size_t i) {
    const size_t group_B = v->group_B;
    const size_t at = group_B ? i / group_B * group_B + group_B - 1 - i % group_B : i;
    return at < TMA_MAP_BYTES ? v->bytes[at] : 0;
}

static int characters(lines *d, dump_text text, size_t first, tma_error *error) {
    const dump_values *v = &d->values;
    if (text.left > v->count - first) { /* before those of a short last line more blanks stand */
        text = dump_after(text, text.left - (v->count - first));
    }
    for (size_t i = 0; i < text.left && first + i < TMA_MAP_BYTES; i++) {
        const uint8_t a = v->bytes[first + i];
        const uint8_t b = swapped(v, first + i);
        d->order_fits &= text.at[i] == (a >= ' ' && a <= '~' ? (char)a : '.');
        d->swapped_fits &= text.at[i] == (b >= ' ' && b <= '~' ? (char)b : '.');
    }
    return d->order_fits || d->swapped_fits
               ? 0
               : tma_fail(error, "line %zu of the dump: its characters are not those of its bytes",
                          d->line);
}

/* Fills up what a line "*" stood for, and sees that no line is missing. */
static int follows(lines *d, uint64_t at, tma_error *error) {
    dump_values *v = &d->values;
    if (!d->has_base) {
        d->base = at;
        d->has_base = 1;
    }
    const uint64_t offset = at - d->base;
    if (d->repeats && d->line_B && !v->numbers && offset > d->size_B && offset < MOST_DUMP_B &&
        (offset - d->size_B) % d->line_B == 0) {
        for (; v->count < offset; v->count++) {
            if (v->count < TMA_MAP_BYTES) {
                v->bytes[v->count] = v->bytes[v->count - d->line_B];
            }
        }
        d->size_B = (size_t)offset;
    }
    d->repeats = 0;
    return offset == d->size_B ? 0
                               : tma_fail(error,
                                          "line %zu of the dump: its address 0x%" TMA_X64
                                          " does not follow on the %zu byte%s before it",
                                          d->line, at, d->size_B, text_plural(d->size_B));
}

static size_t prompt(dump_text line) {
    static const char *const prompts[] = {"(gdb)", "(cuda-gdb)", "(lldb)"};
    for (size_t i = 0; i < sizeof(prompts) / sizeof(prompts[0]); i++) {
        const size_t length = text_length(prompts[i]);
        if (line.left >= length && text_is(line.at, length, prompts[i])) {
            return length;
        }
    }
    return 0;
}

static int read_values(lines *d, dump_text text, tma_error *error) {
    dump_values *v = &d->values;
    const size_t first = v->count;
    const size_t numbers = v->numbers;
    text = dump_after(text, run(text, 1));
    const dump_text shown = cut_characters(&text, d->is_bare);
    if (tma_dump_take(v, text, error)) {
        tma_error why = *error;
        return tma_fail(error, "line %zu of the dump: %s", d->line, why.text);
    }
    const size_t width_B = tma_dump_padded_B(v);
    if (v->numbers && !width_B) {
        return tma_fail(error,
                        "line %zu of the dump: a number has not the digits that the others have",
                        d->line);
    }
    d->line_B = v->count - first + (v->numbers - numbers) * width_B;
    d->size_B += d->line_B;
    return shown.left ? characters(d, shown, first, error) : 0;
}

static int read_line(lines *d, dump_text line, tma_error *error) {
    uint64_t at = 0;
    const size_t length =
        d->is_bare ? bare_address(&at, line, d->address_base) : address(&at, line);
    if (line.left == 0 || prompt(line)) {
        return 0;
    }
    if (line.left == 1 && *line.at == '*') {
        d->repeats = 1;
        return 0;
    }
    if (!length) {
        return tma_fail(error, "line %zu of the dump has no address, others have", d->line);
    }
    return follows(d, at, error) || read_values(d, dump_after(line, length), error) ? -1 : 0;
}

static int finish(uint8_t *map, lines *d, tma_error *error) {
    dump_values *v = &d->values;
    tma_map other;
    int same = 1;
    if (d->repeats) {
        return tma_fail(error, "the dump ends in '*': the address after it is missing");
    }
    for (size_t i = 0; i < TMA_MAP_BYTES; i++) {
        other.bytes[i] = swapped(v, i);
        same &= other.bytes[i] == v->bytes[i];
    }
    if (v->count == TMA_MAP_BYTES && v->group_B > 2 && d->order_fits && d->swapped_fits && !same) {
        return tma_fail(error,
                        "groups of %zu bytes: bytes in order (xxd -g %zu) or words (xxd -e)? "
                        "xxd -g 1 leaves no doubt",
                        v->group_B, v->group_B);
    }
    if (!d->order_fits) {
        memcpy(v->bytes, other.bytes, sizeof(v->bytes));
    }
    return tma_dump_whole(map, v, error);
}

/* *reached: the line that it ended in. */
static int read_lines(uint8_t *map, size_t *reached, dump_text text, unsigned base,
                      tma_error *error) {
    lines d = {.order_fits = 1, .swapped_fits = 1, .address_base = base, .is_bare = base != 0};
    const int are_words = d.is_bare && !has_bars(text); /* of hexdump and od */
    while (text.left) {
        *reached = ++d.line;
        if (read_line(&d, next_line(&text), error)) {
            return -1;
        }
    }
    d.order_fits &= !are_words;
    return finish(map, &d, error);
}

int tma_dump_lines(uint8_t *map, dump_text text, tma_error *error) {
    size_t most = 0;
    size_t reached = 0;
    if (has_colons(text)) {
        return read_lines(map, &reached, text, 0, error);
    }
    for (size_t i = 0; i < BASES; i++) {
        tma_error why;
        if (!read_lines(map, &reached, text, bases[i], &why)) {
            return 0;
        }
        if (i == 0 || reached > most) { /* what the base that fits best says */
            most = reached;
            *error = why;
        }
    }
    return -1;
}
