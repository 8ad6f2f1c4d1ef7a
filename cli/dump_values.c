/* SPDX-License-Identifier: Apache-2.0
 *
 * Dumps without addresses. Bare hexadecimal is bytes in order, however it is spaced; 0x... are
 * numbers: 128 bytes, 64 halves, 32 words or 16 double words, little-endian as the GPU and its host
 * are. Braces hold numbers as C or a debugger's print writes them.
 */
#include <string.h>

#include "dump_read.h"

#define MOST_VALUES 128

typedef struct values {
    uint64_t value[MOST_VALUES];
    size_t count;      /* of all values, also those beyond MOST_VALUES */
    size_t digits;     /* of every value so far; 0 if they differ */
    const char *shown; /* the largest, for messages */
    size_t shown_length;
    uint64_t largest;
} values;

typedef struct text_part {
    const char *at;
    size_t left;
} text_part;

static int is_separator(char c) {
    return c == ',' || c == ':' || c == ';' || (c != 0 && strchr(" \t\n\v\f\r", c) != NULL);
}

static int is_word(char c) {
    return dump_digit(c) >= 0 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t word_length(text_part text) {
    size_t length = 0;
    while (length < text.left && is_word(text.at[length])) {
        length++;
    }
    return length;
}

static void skip(text_part *text, size_t length) {
    text->at += length;
    text->left -= length;
}

static void keep(values *v, uint64_t value, size_t digits, const char *word, size_t length) {
    v->digits = v->count == 0 || v->digits == digits ? digits : 0;
    if (v->count < MOST_VALUES) {
        v->value[v->count] = value;
    }
    if (v->count == 0 || value > v->largest) {
        v->largest = value;
        v->shown = word;
        v->shown_length = length;
    }
    v->count++;
}

/* The last value, so many times more. */
static void repeat_last(values *v, size_t times) {
    for (size_t i = v->count; i < v->count + times && i < MOST_VALUES; i++) {
        v->value[i] = v->value[i - 1];
    }
    v->count += times;
}

static int hex_digits(const char *word, size_t length, uint64_t *out) {
    *out = 0;
    for (size_t i = 0; i < length; i++) {
        const int digit = dump_digit(word[i]);
        if (digit < 0 || *out >> 60) {
            return -1;
        }
        *out = *out << 4 | (uint64_t)digit;
    }
    return length ? 0 : -1;
}

/* Bytes of each value. Debuggers fill up with zeros, so that the digits say it; else the number of
 * values does. 0 if neither does. */
static size_t width_of(const values *v) {
    const size_t padded_B = v->digits / 2;
    if (v->digits % 2 == 0 && (padded_B == 1 || padded_B == 2 || padded_B == 4 || padded_B == 8)) {
        return padded_B;
    }
    return v->count == 128 ? 1 : v->count == 32 ? 4 : v->count == 16 ? 8 : 0;
}

static int store_values(const values *v, uint8_t map[TMA_MAP_BYTES], cli_error *error) {
    const size_t width_B = width_of(v);
    if (!width_B) {
        return cli_fail(error, "found %zu values: a map is 128 bytes, 32 words or 16 double words",
                        v->count);
    }
    if (v->count > MOST_VALUES || v->count * width_B != TMA_MAP_BYTES) {
        return dump_wrong_size(v->count * width_B, error);
    }
    if (width_B < 8 && v->largest >> (8 * width_B)) {
        return cli_fail(error, "%.*s does not fit in the %zu byte%s of each of %zu values",
                        (int)v->shown_length, v->shown, width_B, width_B == 1 ? "" : "s", v->count);
    }
    for (size_t i = 0; i < TMA_MAP_BYTES; i++) {
        map[i] = (uint8_t)(v->value[i / width_B] >> (8 * (i % width_B)));
    }
    return 0;
}

/* Bare words: whole bytes in order, into `bytes` as far as there is room. */
static int keep_bytes(const char *word, size_t length, uint8_t bytes[TMA_MAP_BYTES], size_t *count,
                      cli_error *error) {
    const int shown = (int)(length < 80 ? length : 80);
    for (size_t i = 0; i < length; i++) {
        if (dump_digit(word[i]) < 0) {
            return cli_fail(error, "'%.*s' is not hexadecimal", shown, word);
        }
    }
    if (length % 2) {
        return cli_fail(error, "'%.*s' has an odd number of hexadecimal digits%s", shown, word,
                        length == 7 ? " (hexdump -C and xxd are read, plain hexdump and od not)"
                                    : "");
    }
    for (size_t i = 0; i < length; i += 2) {
        if (*count < TMA_MAP_BYTES) {
            bytes[*count] = (uint8_t)(dump_digit(word[i]) << 4 | dump_digit(word[i + 1]));
        }
        ++*count;
    }
    return 0;
}

static int is_prefixed(const char *word, size_t length) {
    return length > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
}

static int unexpected(const text_part *text, const char *start, cli_error *error) {
    return cli_fail(error, "unexpected '%c' at character %zu of the dump", *text->at,
                    (size_t)(text->at - start) + 1);
}

int dump_values(const char *data, size_t size, uint8_t map[TMA_MAP_BYTES], cli_error *error) {
    values numbers = {{0}, 0, 0, NULL, 0, 0};
    uint8_t bytes[TMA_MAP_BYTES];
    size_t count = 0;
    for (text_part text = {data, size}; text.left;) {
        const size_t length = word_length(text);
        uint64_t value = 0;
        if (length == 0) {
            if (!is_separator(*text.at)) {
                return unexpected(&text, data, error);
            }
            skip(&text, 1);
        } else if (is_prefixed(text.at, length) && length <= 18) {
            if (hex_digits(text.at + 2, length - 2, &value)) {
                return cli_fail(error, "'%.*s' is not hexadecimal", (int)length, text.at);
            }
            keep(&numbers, value, length - 2, text.at, length);
        } else {
            const size_t prefix = is_prefixed(text.at, length) ? 2 : 0;
            if (keep_bytes(text.at + prefix, length - prefix, bytes, &count, error)) {
                return -1;
            }
        }
        skip(&text, length);
    }
    if (numbers.count && count) {
        return cli_fail(error, "some values have 0x and some have not: are they words or bytes?");
    }
    if (numbers.count) {
        return store_values(&numbers, map, error);
    }
    if (count != TMA_MAP_BYTES) {
        return dump_wrong_size(count, error);
    }
    memcpy(map, bytes, sizeof(bytes));
    return 0;
}

/* A C constant: hexadecimal or decimal, with its suffix. Octal ones are not guessed at. */
static int c_constant(const char *word, size_t length, uint64_t *out, size_t *digits) {
    while (length > 1 && strchr("uUlL", word[length - 1])) {
        length--;
    }
    *digits = 0;
    if (is_prefixed(word, length)) {
        *digits = length - 2;
        return hex_digits(word + 2, length - 2, out);
    }
    *out = 0;
    for (size_t i = 0; i < length; i++) {
        const uint64_t digit = (uint64_t)(word[i] - '0');
        if (word[i] < '0' || word[i] > '9' || *out > (UINT64_MAX - digit) / 10) {
            return -1;
        }
        *out = *out * 10 + digit;
    }
    return length > 1 && word[0] == '0' ? -1 : 0;
}

/* Length of a comment at the start of the text, 0 if there is none. */
static size_t comment(text_part text) {
    const int is_block = text.left > 1 && !memcmp(text.at, "/*", 2);
    if (!is_block && !(text.left > 1 && !memcmp(text.at, "//", 2))) {
        return 0;
    }
    size_t length = 2;
    while (length < text.left &&
           (is_block ? memcmp(text.at + length - 1, "*/", 2) != 0 || length < 3
                     : text.at[length] != '\n')) {
        length++;
    }
    return length < text.left ? length + 1 : length;
}

/* A debugger's "<repeats 13 times>" after a value; 0 if it is not there. */
static size_t repeats(text_part text, size_t *times) {
    static const char before[] = "<repeats ";
    static const char after[] = " times>";
    size_t length = sizeof(before) - 1;
    if (text.left <= length || memcmp(text.at, before, length)) {
        return 0;
    }
    *times = 0;
    while (length < text.left && text.at[length] >= '0' && text.at[length] <= '9' &&
           *times < 1000000000) {
        *times = *times * 10 + (size_t)(text.at[length++] - '0');
    }
    if (*times == 0 || text.left - length < sizeof(after) - 1 ||
        memcmp(text.at + length, after, sizeof(after) - 1)) {
        return 0;
    }
    return length + sizeof(after) - 1;
}

/* One value, comment, repetition or separator at the start of the text; its length, 0 on error. */
static size_t in_braces(text_part text, values *numbers, cli_error *error) {
    const size_t length = word_length(text);
    size_t times = 0;
    size_t other = comment(text);
    uint64_t value = 0;
    size_t digits = 0;
    if (length) {
        if (c_constant(text.at, length, &value, &digits)) {
            cli_fail(error, "'%.*s' is not a decimal or hexadecimal constant",
                     (int)(length < 80 ? length : 80), text.at);
            return 0;
        }
        keep(numbers, value, digits, text.at, length);
        return length;
    }
    if (!other && (other = repeats(text, &times)) && numbers->count) {
        repeat_last(numbers, times - 1);
    }
    return other ? other : is_separator(*text.at) ? 1 : 0;
}

int dump_braces(const char *data, size_t size, uint8_t map[TMA_MAP_BYTES], cli_error *error) {
    values numbers = {{0}, 0, 0, NULL, 0, 0};
    text_part text = {data, size};
    for (size_t i = size; i > 0; i--) { /* the innermost, where structures hold an array */
        if (data[i - 1] == '{') {
            text = (text_part){data + i, size - i};
            break;
        }
    }
    while (text.left && *text.at != '}') {
        error->text[0] = 0;
        const size_t length = in_braces(text, &numbers, error);
        if (!length) {
            return error->text[0] ? -1 : unexpected(&text, data, error);
        }
        skip(&text, length);
    }
    if (!text.left) {
        return cli_fail(error, "the initialiser has no closing brace; found %zu values",
                        numbers.count);
    }
    return store_values(&numbers, map, error);
}
