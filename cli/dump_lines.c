/* SPDX-License-Identifier: Apache-2.0
 *
 * Dumps whose lines begin with an address: a debugger's x/16gx, x/32wx, x/128xb, xxd with or
 * without -e, hexdump -C. Addresses have to follow on one another, so that a lost line is noticed;
 * the column of characters tells xxd's words (-e) from its bytes.
 */
#include <inttypes.h>
#include <string.h>

#include "dump_read.h"

#define MOST_GROUP_B 16
#define MOST_DUMP_B  ((uint64_t)1 << 20) /* what "*" may stand for, so that counts stay small */

typedef struct dump {
    uint8_t in_order[TMA_MAP_BYTES];
    uint8_t swapped[TMA_MAP_BYTES]; /* each group read as a little-endian word */
    int order_fits;                 /* so far, by the column of characters */
    int swapped_fits;
    size_t count; /* of bytes, those beyond the arrays included */
    size_t line_B;
    size_t group_B; /* the largest bare group */
    int has_base;
    int repeats; /* after a line "*" */
    uint64_t base;
    size_t line;
} dump;

typedef struct line_part {
    const char *at;
    size_t left;
} line_part;

static int is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static size_t blanks(line_part text) {
    size_t n = 0;
    while (n < text.left && is_blank(text.at[n])) {
        n++;
    }
    return n;
}

static line_part after(line_part text, size_t n) {
    return (line_part){text.at + n, text.left - n};
}

static size_t hex_run(line_part text) {
    size_t n = 0;
    while (n < text.left && dump_digit(text.at[n]) >= 0) {
        n++;
    }
    return n;
}

/* "0x7ffe0010 <map+16>:" or "00000010:", with is_bare also "00000010". Returns its length, or 0. */
static size_t address(line_part text, int is_bare, uint64_t *out) {
    const int prefixed = text.left > 2 && text.at[0] == '0' && text.at[1] == 'x';
    const size_t start = prefixed ? 2 : 0;
    const size_t digits = hex_run(after(text, start));
    size_t at = start + digits;
    if (digits == 0 || digits > 16) {
        return 0;
    }
    *out = 0;
    for (size_t i = start; i < at; i++) {
        *out = *out << 4 | (uint64_t)dump_digit(text.at[i]);
    }
    if (is_bare && digits >= 7 && (at == text.left || is_blank(text.at[at]))) {
        return at;
    }
    if (at + 1 < text.left && text.at[at] == ' ' && text.at[at + 1] == '<') {
        while (at + 1 < text.left && memcmp(text.at + at, ">:", 2) != 0) {
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

static line_part next_line(line_part *text) {
    const char *end = memchr(text->at, '\n', text->left);
    const size_t length = end ? (size_t)(end - text->at) : text->left;
    line_part line = {text->at, length};
    *text = after(*text, end ? length + 1 : length);
    while (line.left && is_blank(line.at[line.left - 1])) {
        line.left--;
    }
    return after(line, blanks(line));
}

/* Whether some line's address ends in a colon: hexdump's do not. */
static int has_colons(const char *text, size_t size) {
    for (line_part rest = {text, size}; rest.left;) {
        uint64_t ignored = 0;
        if (address(next_line(&rest), 0, &ignored)) {
            return 1;
        }
    }
    return 0;
}

int dump_has_addresses(const char *text, size_t size) {
    return memchr(text, '|', size) != NULL || has_colons(text, size);
}

static void put_byte(dump *d, uint8_t byte, uint8_t swapped) {
    if (d->count < TMA_MAP_BYTES) {
        d->in_order[d->count] = byte;
        d->swapped[d->count] = swapped;
    }
    d->count++;
    d->line_B++;
}

static uint8_t byte_at(const char *digits, size_t i) {
    return (uint8_t)(dump_digit(digits[2 * i]) << 4 | dump_digit(digits[2 * i + 1]));
}

/* One group of digits: a number if it has 0x, else bytes or a word, to be seen. */
static int group(dump *d, line_part word, cli_error *error) {
    const int is_number = word.left > 2 && word.at[0] == '0' && word.at[1] == 'x';
    const line_part digits = after(word, is_number ? 2 : 0);
    const size_t group_B = digits.left / 2;
    const int is_power = group_B == 1 || group_B == 2 || group_B == 4 || group_B == 8;
    if (hex_run(digits) != digits.left || digits.left % 2 || group_B > MOST_GROUP_B ||
        (is_number && !is_power)) {
        return cli_fail(error, "line %zu of the dump: '%.*s' is not a group of whole bytes in hex",
                        d->line, (int)(word.left < 80 ? word.left : 80), word.at);
    }
    if (!is_number && group_B > d->group_B) {
        d->group_B = group_B;
    }
    for (size_t i = 0; i < group_B; i++) {
        const uint8_t swapped = byte_at(digits.at, group_B - 1 - i);
        put_byte(d, is_number ? swapped : byte_at(digits.at, i), swapped);
    }
    return 0;
}

/* The column of characters behind the bytes of the line, as far as it is there. */
static int characters(dump *d, line_part text, cli_error *error) {
    const size_t first = d->count - d->line_B;
    for (size_t i = 0; i < d->line_B && i < text.left && first + i < TMA_MAP_BYTES; i++) {
        const uint8_t a = d->in_order[first + i];
        const uint8_t b = d->swapped[first + i];
        d->order_fits &= text.at[i] == (a >= ' ' && a <= '~' ? (char)a : '.');
        d->swapped_fits &= text.at[i] == (b >= ' ' && b <= '~' ? (char)b : '.');
    }
    if (!d->order_fits && !d->swapped_fits) {
        return cli_fail(error, "line %zu of the dump: its characters are not those of its bytes",
                        d->line);
    }
    return 0;
}

/* The groups of a line, then its characters: behind two blanks (xxd) or a bar (hexdump -C). */
static int contents(dump *d, line_part text, int is_bare, cli_error *error) {
    text = after(text, blanks(text));
    while (text.left) {
        size_t length = 0;
        if (*text.at == '|') {
            text = after(text, 1);
            return characters(d, (line_part){text.at, text.left ? text.left - 1 : 0}, error);
        }
        while (length < text.left && !is_blank(text.at[length])) {
            length++;
        }
        if (group(d, (line_part){text.at, length}, error)) {
            return -1;
        }
        text = after(text, length);
        if (!is_bare && text.left > 2 && text.at[0] == ' ' && text.at[1] == ' ') {
            /* before the characters of a short last line more blanks stand */
            const size_t before = text.left > d->line_B + 2 ? text.left - d->line_B : 2;
            return characters(d, after(text, before), error);
        }
        text = after(text, blanks(text));
    }
    return 0;
}

/* Fills up what a line "*" stood for, and sees that no line is missing. */
static int follows(dump *d, uint64_t at, cli_error *error) {
    const uint64_t offset = at - d->base;
    if (!d->has_base) {
        d->base = at;
        d->has_base = 1;
        return 0;
    }
    if (d->repeats && d->line_B && offset > d->count && offset < MOST_DUMP_B &&
        (offset - d->count) % d->line_B == 0) {
        for (size_t i = d->count; i < offset && i < TMA_MAP_BYTES; i++) {
            d->in_order[i] = d->in_order[i - d->line_B];
            d->swapped[i] = d->swapped[i - d->line_B];
        }
        d->count = (size_t)offset;
    }
    d->repeats = 0;
    if (offset != d->count) {
        return cli_fail(error,
                        "line %zu of the dump: its address 0x%" PRIx64 " does not follow on the "
                        "%zu bytes before it",
                        d->line, at, d->count);
    }
    return 0;
}

static int is_prompt(line_part line) {
    static const char *const prompts[] = {"(gdb)", "(cuda-gdb)", "(lldb)"};
    for (size_t i = 0; i < sizeof(prompts) / sizeof(prompts[0]); i++) {
        const size_t length = strlen(prompts[i]);
        if (line.left >= length && !memcmp(line.at, prompts[i], length)) {
            return 1;
        }
    }
    return 0;
}

static int read_line(dump *d, line_part line, int is_bare, cli_error *error) {
    uint64_t at = 0;
    if (line.left == 0 || is_prompt(line)) {
        return 0;
    }
    if (line.left == 1 && *line.at == '*') {
        d->repeats = 1;
        return 0;
    }
    const size_t length = address(line, is_bare, &at);
    if (!length) {
        return cli_fail(error, "line %zu of the dump has no address, others have", d->line);
    }
    if (follows(d, at, error)) {
        return -1;
    }
    d->line_B = 0;
    return contents(d, after(line, length), is_bare, error);
}

static int finish(const dump *d, uint8_t map[TMA_MAP_BYTES], cli_error *error) {
    const int same = !memcmp(d->in_order, d->swapped, TMA_MAP_BYTES);
    if (d->repeats) {
        return cli_fail(error, "the dump ends in '*': the address behind it is missing");
    }
    if (d->count != TMA_MAP_BYTES) {
        return dump_wrong_size(d->count, error);
    }
    if (d->group_B > 2 && d->order_fits && d->swapped_fits && !same) {
        return cli_fail(error,
                        "groups of %zu bytes: bytes in order (xxd -g %zu) or words (xxd -e)? "
                        "xxd -g 1 leaves no doubt",
                        d->group_B, d->group_B);
    }
    memcpy(map, d->order_fits ? d->in_order : d->swapped, TMA_MAP_BYTES);
    return 0;
}

int dump_lines(const char *text, size_t size, uint8_t map[TMA_MAP_BYTES], cli_error *error) {
    dump d = {.order_fits = 1, .swapped_fits = 1};
    const int is_bare = !has_colons(text, size);
    for (line_part rest = {text, size}; rest.left;) {
        d.line++;
        if (read_line(&d, next_line(&rest), is_bare, error)) {
            return -1;
        }
    }
    return finish(&d, map, error);
}
