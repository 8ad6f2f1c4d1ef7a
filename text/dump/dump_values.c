/* SPDX-License-Identifier: Apache-2.0
 *
 * Dumps without addresses. Bare hexadecimal is bytes in order, however it is spaced; 0x... are
 * numbers: 128 bytes, 64 halves, 32 words or 16 double words, little-endian as the GPU and its host
 * are. Braces hold numbers as C or a debugger's print writes them.
 */
#include <string.h>

#include "dump_parts.h"
#include "tma/detail/chars.h"

static int is_separator(char c) {
    return c == ',' || c == ':' || c == ';' || text_is_space(c);
}

static int is_word(char c) {
    return text_is_letter(c) || text_is_digit(c);
}

static size_t word_length(dump_text text) {
    size_t length = 0;
    while (length < text.left && is_word(text.at[length])) {
        length++;
    }
    return length;
}

static void keep(dump_values *v, uint64_t value, size_t digits, dump_text word) {
    v->digits = v->numbers == 0 || v->digits == digits ? digits : 0;
    if (v->numbers < DUMP_MOST_VALUES) {
        v->number[v->numbers] = value;
    }
    if (v->numbers == 0 || value > v->largest) {
        v->largest = value;
        v->shown = word;
    }
    v->numbers++;
}

/* The last number, so many times more. */
static void repeat_last(dump_values *v, size_t times) {
    for (size_t i = v->numbers; i < v->numbers + times && i < DUMP_MOST_VALUES; i++) {
        v->number[i] = v->number[i - 1];
    }
    v->numbers += times;
}

static int hex_digits(const char *word, size_t length, uint64_t *out) {
    *out = 0;
    for (size_t i = 0; i < length; i++) {
        const int digit = text_digit(word[i]);
        if (digit < 0 || *out >> 60) {
            return -1;
        }
        *out = *out << 4 | (uint64_t)digit;
    }
    return length ? 0 : -1;
}

size_t tma_dump_padded_B(const dump_values *v) {
    const size_t padded_B = v->digits / 2;
    return v->digits % 2 == 0 && (padded_B == 1 || padded_B == 2 || padded_B == 4 || padded_B == 8)
               ? padded_B
               : 0;
}

/* Bytes of each number: the digits say it where all have as many, else how many there are. */
static size_t width_B_of(const dump_values *v) {
    const size_t padded_B = tma_dump_padded_B(v);
    return padded_B            ? padded_B
           : v->numbers == 128 ? 1
           : v->numbers == 32  ? 4
           : v->numbers == 16  ? 8
                               : 0;
}

int tma_dump_wrong_size(size_t found, tma_error *error) {
    return tma_fail(error, "found %zu byte%s, a map has %d", found, text_plural(found),
                    TMA_MAP_BYTES);
}

static int whole_numbers(uint8_t *map, const dump_values *v, tma_error *error) {
    const size_t width_B = width_B_of(v);
    if (!width_B) {
        return tma_fail(error, "found %zu values: a map is 128 bytes, 32 words or 16 double words",
                        v->numbers);
    }
    if (v->numbers > DUMP_MOST_VALUES || v->numbers * width_B != TMA_MAP_BYTES) {
        return tma_dump_wrong_size(v->numbers * width_B, error);
    }
    if (width_B < 8 && v->largest >> (8 * width_B)) {
        return tma_fail(error, "%.*s does not fit in the %zu byte%s of each of %zu values",
                        (int)v->shown.left, v->shown.at, width_B, text_plural(width_B), v->numbers);
    }
    for (size_t i = 0; i < TMA_MAP_BYTES; i++) {
        map[i] = (uint8_t)(v->number[i / width_B] >> (8 * (i % width_B)));
    }
    return 0;
}

int tma_dump_whole(uint8_t *map, const dump_values *v, tma_error *error) {
    if (v->numbers && v->count) {
        return tma_fail(error, "some values have 0x and some have not: are they words or bytes?");
    }
    if (v->numbers) {
        return whole_numbers(map, v, error);
    }
    if (v->count != TMA_MAP_BYTES) {
        return tma_dump_wrong_size(v->count, error);
    }
    memcpy(map, v->bytes, sizeof(v->bytes));
    return 0;
}

/* A bare word: whole bytes in order, kept as far as there is room. */
static int keep_bytes(dump_values *v, dump_text word, tma_error *error) {
    const int shown = text_shown(word.left);
    for (size_t i = 0; i < word.left; i++) {
        if (text_digit(word.at[i]) < 0) {
            return tma_fail(error, "'%.*s' is not hexadecimal", shown, word.at);
        }
    }
    if (word.left % 2) {
        return tma_fail(error, "'%.*s' has an odd number of hexadecimal digits%s", shown, word.at,
                        word.left == 7 ? " (an address? hexdump, xxd and od -t x1 to x8 are read)"
                                       : "");
    }
    v->group_B = word.left / 2 > v->group_B ? word.left / 2 : v->group_B;
    v->groups++;
    for (size_t i = 0; i < word.left; i += 2, v->count++) {
        if (v->count < TMA_MAP_BYTES) {
            v->bytes[v->count] =
                (uint8_t)(16 * text_digit(word.at[i]) + text_digit(word.at[i + 1]));
        }
    }
    return 0;
}

static int is_prefixed(const char *word, size_t length) {
    return length > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
}

static int unexpected(dump_text text, dump_text all, tma_error *error) {
    const size_t at = (size_t)(text.at - all.at);
    return tma_fail_at(error, at, "unexpected '%c' at character %zu of the dump", *text.at, at + 1);
}

int tma_dump_take(dump_values *values, dump_text all, tma_error *error) {
    for (dump_text text = all; text.left;) {
        const size_t length = word_length(text);
        const size_t prefix = is_prefixed(text.at, length) ? 2 : 0;
        const dump_text word = {text.at, length};
        uint64_t value = 0;
        if (length == 0) {
            if (!is_separator(*text.at)) {
                return unexpected(text, all, error);
            }
            text = dump_after(text, 1);
        } else if (prefix && length <= 18) {
            if (hex_digits(text.at + 2, length - 2, &value)) {
                return tma_fail(error, "'%.*s' is not hexadecimal", (int)length, text.at);
            }
            keep(values, value, length - 2, word);
        } else if (keep_bytes(values, (dump_text){text.at + prefix, length - prefix}, error)) {
            return -1;
        }
        text = dump_after(text, length);
    }
    return 0;
}

/* A C constant: hexadecimal or decimal, with its suffix. Octal ones are not guessed at. */
static int c_constant(const char *word, size_t length, uint64_t *out, size_t *digits) {
    while (length > 1 && (word[length - 1] == 'u' || word[length - 1] == 'U' ||
                          word[length - 1] == 'l' || word[length - 1] == 'L')) {
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
        if (!text_is_digit(word[i]) || *out > (UINT64_MAX - digit) / 10) {
            return -1;
        }
        *out = *out * 10 + digit;
    }
    return length > 1 && word[0] == '0' ? -1 : 0;
}

/* Length of a comment at the start of the text, 0 if there is none. */
static size_t comment(dump_text text) {
    const int is_block = text.left > 1 && text_is(text.at, 2, "/*");
    if (!is_block && !(text.left > 1 && text_is(text.at, 2, "//"))) {
        return 0;
    }
    size_t length = 2;
    while (length < text.left && (is_block ? !text_is(text.at + length - 1, 2, "*/") || length < 3
                                           : text.at[length] != '\n')) {
        length++;
    }
    return length < text.left ? length + 1 : length;
}

/* A debugger's "<repeats 13 times>" after a value; 0 if it is not there. */
static size_t repeats(dump_text text, size_t *times) {
    static const char before[] = "<repeats ";
    static const char after[] = " times>";
    size_t length = sizeof(before) - 1;
    if (text.left <= length || !text_is(text.at, length, before)) {
        return 0;
    }
    *times = 0;
    while (length < text.left && text_is_digit(text.at[length]) && *times < 1000000000) {
        *times = *times * 10 + (size_t)(text.at[length++] - '0');
    }
    if (*times == 0 || text.left - length < sizeof(after) - 1 ||
        !text_is(text.at + length, sizeof(after) - 1, after)) {
        return 0;
    }
    return length + sizeof(after) - 1;
}

/* One value, comment, repetition or separator at the start of the text; its length, 0 if it is none
 * of them, with the message set if it could be a value. */
static size_t in_braces(dump_values *v, dump_text text, tma_error *error) {
    const size_t length = word_length(text);
    size_t times = 0;
    size_t other = comment(text);
    uint64_t value = 0;
    size_t digits = 0;
    if (length) {
        if (c_constant(text.at, length, &value, &digits)) {
            tma_fail(error, "'%.*s' is not a decimal or hexadecimal constant", text_shown(length),
                     text.at);
            return 0;
        }
        keep(v, value, digits, (dump_text){text.at, length});
        return length;
    }
    if (!other && (other = repeats(text, &times)) && v->numbers) {
        repeat_last(v, times - 1);
    }
    return other ? other : is_separator(*text.at) ? 1 : 0;
}

int tma_dump_braces(uint8_t *map, dump_text all, tma_error *error) {
    dump_values values = {.digits = 0};
    dump_text text = all;
    for (size_t i = all.left; i > 0; i--) { /* the innermost, where structures hold an array */
        if (all.at[i - 1] == '{') {
            text = dump_after(all, i);
            break;
        }
    }
    while (text.left && *text.at != '}') {
        const size_t length = in_braces(&values, text, error);
        if (!length) {
            return word_length(text) ? -1 : unexpected(text, all, error);
        }
        text = dump_after(text, length);
    }
    if (!text.left) {
        return tma_fail(error, "the initialiser has no closing brace; found %zu values",
                        values.numbers);
    }
    return whole_numbers(map, &values, error);
}
