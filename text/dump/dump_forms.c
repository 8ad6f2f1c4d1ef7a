/* SPDX-License-Identifier: Apache-2.0
 *
 * Dumps that languages print: Python's bytes, lists, NumPy, PyTorch, Rust, printf loops with
 * indices, base64; and which of several readings makes a map.
 */
#include <string.h>

#include "dump_parts.h"
#include "tma/detail/chars.h"
#include "tma/find.h"

#define BASE64_B   172 /* characters of 128 bytes */
#define MOST_WORDS 4   /* array, dtype, torch.uint8, device */

static int is_clean(const uint8_t *map) {
    tma_decoded decoded;
    return tma_decode(&decoded, map) == TMA_OK && decoded.odd == 0;
}

static int is_word(char c) {
    return text_is_word(c) || c == '.';
}

/* One byte of Python's b'...'; how much text it takes, 0 if it is none. */
static size_t literal_byte(dump_text text, uint8_t *byte) {
    static const char letters[] = "nrtabfv\\'\"0";
    static const char bytes[] = "\n\r\t\a\b\f\v\\'\"";
    *byte = (uint8_t)*text.at;
    if (*text.at != '\\') {
        return 1;
    }
    if (text.left > 3 && text.at[1] == 'x' && text_digit(text.at[2]) >= 0 &&
        text_digit(text.at[3]) >= 0) {
        *byte = (uint8_t)(text_digit(text.at[2]) << 4 | text_digit(text.at[3]));
        return 4;
    }
    for (size_t i = 0; text.left > 1 && i < sizeof(letters) - 1; i++) {
        if (text.at[1] == letters[i]) {
            *byte = (uint8_t)bytes[i];
            return 2;
        }
    }
    return 0;
}

/* b'\x00\x04@...', also in bytearray(...). */
static int read_literal(uint8_t *map, dump_text text) {
    size_t count = 0;
    while (text.left > 2 && !(text.at[0] == 'b' && (text.at[1] == '\'' || text.at[1] == '"'))) {
        text = dump_after(text, 1);
    }
    if (text.left <= 2) {
        return 0;
    }
    const char quote = text.at[1];
    text = dump_after(text, 2);
    while (text.left && *text.at != quote) {
        uint8_t byte = 0;
        const size_t n = literal_byte(text, &byte);
        if (n == 0 || count == TMA_MAP_BYTES) {
            return 0;
        }
        map[count++] = byte;
        text = dump_after(text, n);
    }
    return count == TMA_MAP_BYTES && text.left > 0;
}

static int base64_digit(char c) {
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+' || c == '-' ? 62
           : c == '/' || c == '_' ? 63
                                  : -1;
}

static int read_base64(uint8_t *map, dump_text text) {
    int is_told = 0; /* by a character that a line of hexadecimal digits, cut off, has not */
    size_t digits = 0;
    size_t characters = 0;
    uint32_t bits = 0;
    size_t count = 0;
    for (; text.left; text = dump_after(text, 1)) {
        const int digit = base64_digit(*text.at);
        characters += !text_is_space(*text.at);
        is_told |= !text_is_space(*text.at) && text_digit(*text.at) < 0;
        if (digit < 0) {
            if (!text_is_space(*text.at) && *text.at != '=' && *text.at != '"' &&
                *text.at != '\'') {
                return 0;
            }
            continue;
        }
        bits = bits << 6 | (uint32_t)digit;
        digits++;
        if (digits * 6 / 8 > count) {
            if (count == TMA_MAP_BYTES) {
                return 0;
            }
            map[count++] = (uint8_t)(bits >> (digits * 6 % 8));
        }
    }
    return is_told && count == TMA_MAP_BYTES && characters >= BASE64_B - 1 &&
           characters <= BASE64_B + 2;
}

/* Numbers among words, in one base. */
typedef struct listing {
    uint64_t number[DUMP_MOST_VALUES];
    uint8_t negative[DUMP_MOST_VALUES];
    size_t count;
    size_t digits;     /* of each number with 0x so far; 0 if they differ */
    int has_hex_digit; /* a bare number with a to f */
    size_t words;      /* that are no numbers: array, dtype, tma; one again and again counts once */
    dump_text last_word;
} listing;

static int number_in(dump_text word, unsigned base, uint64_t *out) {
    *out = 0;
    for (size_t i = 0; i < word.left; i++) {
        const int digit = text_digit(word.at[i]);
        if (digit < 0 || (unsigned)digit >= base || *out > (UINT64_MAX - (uint64_t)digit) / base) {
            return 0;
        }
        *out = *out * base + (uint64_t)digit;
    }
    return word.left > 0;
}

/* Whether the number before `rest` only counts: "tma[ 0] = ", "word 3: ", "[5] 0x...". */
static int is_index(dump_text before, dump_text rest) {
    size_t back = before.left;
    while (back && before.at[back - 1] == ' ') {
        back--;
    }
    const int is_open = back && before.at[back - 1] == '[';
    const int closes = rest.left && *rest.at == ']';
    rest = closes ? dump_after(rest, 1) : rest;
    while (rest.left && *rest.at == ' ') {
        rest = dump_after(rest, 1);
    }
    const char next = rest.left ? *rest.at : 0;
    return next == ':' || (is_open && closes && (next == '=' || text_digit(next) >= 0));
}

static void repeat(listing *l, uint64_t times) {
    for (uint64_t i = 1; i < times && l->count && l->count < DUMP_MOST_VALUES; i++) {
        l->number[l->count] = l->number[l->count - 1];
        l->negative[l->count] = l->negative[l->count - 1];
        l->count++;
    }
}

/* "<repeats 14 times>" counts, any other "<...>" is a name. Returns its length. */
static size_t angle(listing *l, dump_text text) {
    const size_t inside = text_until(text.at, text.left, '>');
    const size_t length = inside < text.left ? inside + 1 : text.left;
    static const char words[] = "<repeats ";
    uint64_t times = 0;
    if (length > sizeof(words) && text_equal(text.at, words, sizeof(words) - 1)) {
        const dump_text digits = {
            text.at + sizeof(words) - 1,
            text_until(text.at + sizeof(words) - 1, length - sizeof(words) + 1, ' ')};
        if (number_in(digits, 10, &times)) {
            repeat(l, times);
        }
    }
    return length;
}

static int keep_word(listing *l, dump_text word, int is_negative, unsigned base) {
    const int has_0x =
        word.left > 2 && word.at[0] == '0' && (word.at[1] == 'x' || word.at[1] == 'X');
    const dump_text digits = has_0x ? dump_after(word, 2) : word;
    uint64_t number = 0;
    uint64_t ignored = 0;
    const int is_hex = number_in(digits, 16, &ignored);
    const int is_decimal = !has_0x && number_in(digits, 10, &ignored);
    if (!is_hex && !is_decimal) {
        const int is_other =
            word.left != l->last_word.left || !text_equal(word.at, l->last_word.at, word.left);
        l->words += is_other ? 1 : 0;
        l->last_word = word;
        return 1; /* a word: dtype, uint64, array */
    }
    if (!number_in(digits, has_0x ? 16 : base, &number)) {
        l->has_hex_digit |= !is_decimal;
        return 0;
    }
    l->has_hex_digit |= !has_0x && !is_decimal;
    const size_t padded = has_0x ? digits.left : 0;
    l->digits = l->count == 0 || l->digits == padded ? padded : 0;
    if (l->count == DUMP_MOST_VALUES) {
        l->count++;
        return 0;
    }
    l->number[l->count] = is_negative ? 0 - number : number;
    l->negative[l->count++] = (uint8_t)is_negative;
    return 1;
}

static int take_listing(listing *l, dump_text text, unsigned base) {
    const char *start = text.at;
    memset(l, 0, sizeof(*l));
    while (text.left) {
        size_t n = 0;
        if (*text.at == '<') {
            text = dump_after(text, angle(l, text));
            continue;
        }
        while (n < text.left && is_word(text.at[n])) {
            n++;
        }
        if (n == 0) {
            text = dump_after(text, 1);
            continue;
        }
        const dump_text before = {start, (size_t)(text.at - start)};
        dump_text word = {text.at, n};
        while (word.left && word.at[word.left - 1] == '.') {
            word.left--;
        }
        text = dump_after(text, n);
        const int is_negative = before.left && before.at[before.left - 1] == '-';
        if (word.left && !is_index(before, text) && !keep_word(l, word, is_negative, base)) {
            return 0;
        }
    }
    return l->count <= DUMP_MOST_VALUES;
}

/* 16, 32, 64 or 128 numbers as 128 bytes. */
static int store(uint8_t *map, const listing *l) {
    if (l->count != 16 && l->count != 32 && l->count != 64 && l->count != 128) {
        return 0;
    }
    const size_t width_B = TMA_MAP_BYTES / l->count;
    if (l->digits > 1 && l->digits != 2 * width_B) {
        return 0; /* filled up with zeros to another width */
    }
    for (size_t i = 0; i < l->count; i++) {
        const uint64_t number = l->number[i];
        const uint64_t high = width_B < 8 ? number >> (8 * width_B) : 0;
        const uint64_t sign = width_B < 8 ? UINT64_MAX >> (8 * width_B) : 0;
        if (high != 0 && !(l->negative[i] && high == sign)) {
            return 0;
        }
        for (size_t k = 0; k < width_B; k++) {
            map[i * width_B + k] = (uint8_t)(number >> (8 * k));
        }
    }
    return 1;
}

/* Whether numbers between many words, as in any line of a log, are a map all the same. */
static int is_told(const listing *l, const uint8_t *map) {
    tma_found found;
    size_t at = 0;
    return l->words <= MOST_WORDS || tma_find_next(&found, map, TMA_MAP_BYTES, &at, TMA_MAP_BYTES);
}

/* In decimal unless a digit says otherwise; hexadecimal where only that makes a map. */
static int read_listing(uint8_t *map, dump_text text) {
    listing l;
    uint8_t hex[TMA_MAP_BYTES];
    const int is_decimal =
        take_listing(&l, text, 10) && !l.has_hex_digit && store(map, &l) && is_told(&l, map);
    const int is_hex = take_listing(&l, text, 16) && store(hex, &l) && is_told(&l, hex);
    if (is_hex && (!is_decimal || (!is_clean(map) && is_clean(hex)))) {
        memcpy(map, hex, sizeof(hex));
    }
    return is_decimal || is_hex;
}

int tma_dump_forms(uint8_t *map, dump_text text) {
    uint8_t own[TMA_MAP_BYTES];
    if (read_literal(own, text) || read_base64(own, text) || read_listing(own, text)) {
        memcpy(map, own, sizeof(own));
        return 1;
    }
    return 0;
}

const char *tma_dump_turned(uint8_t *map, size_t width_B) {
    uint8_t turned[TMA_MAP_BYTES];
    const char *how = width_B == 8
                          ? "read as 64-bit words, each a number (%016llx), since as bytes "
                            "in order they make no map"
                      : width_B == 4 ? "read as 32-bit words, each a number (%08x), since as bytes "
                                       "in order they make no map"
                      : width_B == 2 ? "read as 16-bit words, each a number (%04x), since as bytes "
                                       "in order they make no map"
                                     : "";
    if (!*how || is_clean(map)) {
        return "";
    }
    for (size_t i = 0; i < TMA_MAP_BYTES; i++) {
        turned[i] = map[i / width_B * width_B + (width_B - 1 - i % width_B)];
    }
    if (!is_clean(turned)) {
        return "";
    }
    memcpy(map, turned, sizeof(turned));
    return how;
}
