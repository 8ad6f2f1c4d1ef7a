/* SPDX-License-Identifier: Apache-2.0
 *
 * Text on its way out, and messages: printf's part that the library needs, without a C library.
 */
#include <stdarg.h>
#include <string.h>

#include "tma/detail/assert.h"
#include "tma/detail/chars.h"
#include "tma/text.h"

tma_out tma_out_into(char *buffer, size_t size) {
    tma_out out = {buffer, buffer ? size : 0, 0, NULL, NULL};
    if (out.size) {
        buffer[0] = 0;
    }
    return out;
}

tma_out tma_out_to(tma_write write, void *context) {
    return (tma_out){NULL, 0, 0, write, context};
}

void tma_put_bytes(tma_out *out, const char *text, size_t length) {
    if (out->write) {
        out->write(out->context, text, length);
    } else if (length && out->length + 1 < out->size) {
        const size_t room = out->size - 1 - out->length;
        const size_t fits = length < room ? length : room;
        memcpy(out->at + out->length, text, fits);
        out->at[out->length + fits] = 0;
    }
    out->length += length;
}

void tma_put(tma_out *out, const char *text) {
    tma_put_bytes(out, text, text_length(text));
}

void tma_put_hex_bytes(tma_out *out, const void *bytes, size_t count) {
    const uint8_t *from = bytes;
    for (size_t i = 0; i < count; i++) {
        const char digits[2] = {"0123456789abcdef"[from[i] >> 4], "0123456789abcdef"[from[i] & 15]};
        tma_put_bytes(out, digits, 2);
    }
}

/* One conversion, as its letters say it. */
typedef struct conversion {
    int left; /* '-' */
    char pad; /* ' ' or '0' */
    size_t width;
    int has_precision;
    size_t precision;
    int size; /* 0 int, 1 long, 2 long long, 3 size_t */
} conversion;

static void put_padded(tma_out *out, const conversion *c, const char *text, size_t length) {
    size_t blanks = c->width > length ? c->width - length : 0;
    if (c->left) {
        tma_put_bytes(out, text, length);
    }
    while (blanks--) {
        tma_put_bytes(out, &c->pad, 1);
    }
    if (!c->left) {
        tma_put_bytes(out, text, length);
    }
}

static void put_number(tma_out *out, const conversion *c, uint64_t number, int minus,
                       unsigned base) {
    char digits[24];
    size_t at = sizeof(digits);
    TMA_ASSERT(base == 10 || base == 16); /* 20 digits at most */
    do {
        digits[--at] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number);
    if (minus) { /* zeros before a sign are never asked for */
        digits[--at] = '-';
    }
    put_padded(out, c, digits + at, sizeof(digits) - at);
}

static uint64_t take_unsigned(va_list *values, int size) {
    return size == 3   ? va_arg(*values, size_t)
           : size == 2 ? va_arg(*values, unsigned long long)
           : size == 1 ? va_arg(*values, unsigned long)
                       : va_arg(*values, unsigned);
}

static int64_t take_signed(va_list *values, int size) {
    return size == 3   ? va_arg(*values, ptrdiff_t)
           : size == 2 ? va_arg(*values, long long)
           : size == 1 ? va_arg(*values, long)
                       : va_arg(*values, int);
}

static void put_string(tma_out *out, const conversion *c, const char *text) {
    size_t length = 0;
    while ((!c->has_precision || length < c->precision) && text[length]) {
        length++;
    }
    put_padded(out, c, text, length);
}

static const char *read_conversion(const char *at, conversion *c, va_list *values) {
    *c = (conversion){.pad = ' '};
    for (; *at == '-' || *at == '0'; at++) {
        c->left |= *at == '-';
        if (*at == '0') {
            c->pad = '0';
        }
    }
    if (*at == '*') {
        const int width = va_arg(*values, int);
        c->width = width > 0 ? (size_t)width : 0;
        at++;
    }
    while (text_is_digit(*at)) {
        c->width = 10 * c->width + (size_t)(*at++ - '0');
    }
    if (at[0] == '.' && at[1] == '*') {
        const int precision = va_arg(*values, int);
        c->has_precision = precision >= 0;
        c->precision = c->has_precision ? (size_t)precision : 0;
        at += 2;
    } else if (*at == '.') {
        c->has_precision = 1;
        for (at++; text_is_digit(*at); at++) {
            c->precision = 10 * c->precision + (size_t)(*at - '0');
        }
    }
    for (; *at == 'l' || *at == 'z'; at++) {
        c->size = *at == 'z' ? 3 : c->size + 1;
    }
    return at;
}

static void put_conversion(tma_out *out, const conversion *c, char letter, va_list *values) {
    if (letter == 's') {
        put_string(out, c, va_arg(*values, const char *));
    } else if (letter == 'c') {
        const unsigned char one = (unsigned char)va_arg(*values, int);
        put_padded(out, c, (const char *)&one, 1);
    } else if (letter == 'd') {
        const int64_t number = take_signed(values, c->size);
        put_number(out, c, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, number < 0, 10);
    } else if (letter == 'u' || letter == 'x') {
        put_number(out, c, take_unsigned(values, c->size), 0, letter == 'x' ? 16 : 10);
    } else {
        tma_put_bytes(out, &letter, 1);
    }
}

static void put_format(tma_out *out, const char *format, va_list *values) {
    while (*format) {
        size_t plain = 0;
        while (format[plain] && format[plain] != '%') {
            plain++;
        }
        tma_put_bytes(out, format, plain);
        format += plain;
        if (*format) {
            conversion c;
            format = read_conversion(format + 1, &c, values);
            if (*format) {
                put_conversion(out, &c, *format++, values);
            }
        }
    }
}

void tma_putf(tma_out *out, const char *format, ...) {
    va_list values;
    va_start(values, format);
    put_format(out, format, &values);
    va_end(values);
}

/* Whether what follows changes the order in which letters are shown: U+061C, U+200E, U+200F, U+202A
 * to U+202E, U+2066 to U+2069. A text could be read as another one. */
static int reorders(const unsigned char *text, size_t left) {
    const int is_mark = left > 1 && text[0] == 0xD8 && text[1] == 0x9C;
    const int is_2000 = left > 2 && text[0] == 0xE2 && text[1] == 0x80;
    const int is_2060 = left > 2 && text[0] == 0xE2 && text[1] == 0x81;
    return is_mark || (is_2000 && (text[2] == 0x8E || text[2] == 0x8F)) ||
           (is_2000 && text[2] >= 0xAA && text[2] <= 0xAE) ||
           (is_2060 && text[2] >= 0xA6 && text[2] <= 0xA9);
}

/* Bytes of the UTF-8 character at `text`; 0 where there is none that a terminal may be given: those
 * of U+0080 to U+009F are control characters too. */
static size_t printable_character(const unsigned char *text, size_t left) {
    const size_t length = text[0] < 0x80    ? 1
                          : text[0] < 0xC2  ? 0
                          : text[0] < 0xE0  ? 2
                          : text[0] < 0xF0  ? 3
                          : text[0] <= 0xF4 ? 4
                                            : 0;
    if (length == 0 || length > left || text[0] < ' ' || text[0] == 0x7F ||
        (text[0] == 0xC2 && text[1] < 0xA0) || reorders(text, left)) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return length;
}

void tma_put_printable(tma_out *out, const char *text, size_t length) {
    size_t plain = 0; /* what goes out as it is, in one piece */
    while (plain < length) {
        const size_t taken =
            printable_character((const unsigned char *)text + plain, length - plain);
        plain += taken;
        if (!taken) {
            tma_put_bytes(out, text, plain);
            tma_put(out, "\\x");
            tma_put_hex_bytes(out, text + plain, 1);
            text += plain + 1;
            length -= plain + 1;
            plain = 0;
        }
    }
    tma_put_bytes(out, text, plain);
}

static void put_into_message(void *context, const char *text, size_t length) {
    tma_put_printable(context, text, length);
}

/* Behind what the message has; text of unknown origin may be in it. */
static void put_message(tma_error *error, size_t length, const char *format, va_list *values) {
    TMA_ASSERT(length < sizeof(error->text));
    tma_out message = {error->text, sizeof(error->text), length, NULL, NULL};
    tma_out out = tma_out_to(put_into_message, &message);
    error->text[length] = 0;
    put_format(&out, format, values);
}

int tma_fail(tma_error *error, const char *format, ...) {
    va_list values;
    va_start(values, format);
    if (error) {
        error->at = TMA_NOWHERE;
        put_message(error, 0, format, &values);
    }
    va_end(values);
    return -1;
}

int tma_fail_at(tma_error *error, size_t at, const char *format, ...) {
    va_list values;
    va_start(values, format);
    if (error) {
        error->at = at;
        put_message(error, 0, format, &values);
    }
    va_end(values);
    return -1;
}

int tma_fail_more(tma_error *error, const char *format, ...) {
    va_list values;
    va_start(values, format);
    if (error) {
        put_message(error, text_length(error->text), format, &values);
    }
    va_end(values);
    return -1;
}
