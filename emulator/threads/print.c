/* SPDX-License-Identifier: Apache-2.0 */
#include "print.h"

#include <string.h>

typedef struct arguments {
    const char *at;
    size_t size_B, used_B;
    int failed;
} arguments;

static uint64_t next_argument(arguments *a, size_t size_B) {
    uint64_t value = 0;
    const size_t from = (a->used_B + size_B - 1) / size_B * size_B;
    if (from + size_B > a->size_B) {
        a->failed = 1;
        return 0;
    }
    memcpy(&value, a->at + from, size_B);
    a->used_B = from + size_B;
    return value;
}

static void put_many(const emu_printer *p, char what, uint32_t count) {
    char many[64];
    memset(many, what, sizeof(many));
    for (; count; count -= count < sizeof(many) ? count : (uint32_t)sizeof(many)) {
        p->put(p->context, many, count < sizeof(many) ? count : sizeof(many));
    }
}

void emu_print_padded(const emu_printer *p, const emu_conversion *c, const char *prefix,
                      const char *text, size_t length) {
    const size_t before = strlen(prefix), whole = before + length;
    const uint32_t pad = whole < c->width ? c->width - (uint32_t)whole : 0;
    if (!c->left && !c->zeros) {
        put_many(p, ' ', pad);
    }
    p->put(p->context, prefix, before);
    if (!c->left && c->zeros) {
        put_many(p, '0', pad);
    }
    p->put(p->context, text, length);
    if (c->left) {
        put_many(p, ' ', pad);
    }
}

/* ---- whole numbers ---- */

#define DIGITS 24 /* of 64 bits in octal, and a 0 before them */

static size_t put_digits(char digits[DIGITS], uint64_t value, uint32_t base, char ten) {
    size_t at = DIGITS;
    for (; value; value /= base) {
        const uint32_t digit = (uint32_t)(value % base);
        digits[--at] = (char)(digit < 10 ? '0' + digit : (uint32_t)ten + digit - 10);
    }
    return at;
}

static int is_signed(char kind) {
    return kind == 'd' || kind == 'i';
}

static uint64_t cut(const emu_conversion *c, uint64_t value) {
    const uint32_t bits = c->is_long ? 64 : c->shorts ? 32u >> c->shorts : 32;
    if (bits < 64 && is_signed(c->kind)) {
        return (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits));
    }
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

static uint32_t base_of(char kind) {
    return kind == 'x' || kind == 'X' || kind == 'p' ? 16 : kind == 'o' ? 8 : 10;
}

/* A sign, or what says the base. */
static const char *prefix_of(const emu_conversion *c, uint64_t value) {
    if (is_signed(c->kind)) {
        return value >> 63 ? "-" : c->plus ? "+" : c->blank ? " " : "";
    }
    if (base_of(c->kind) == 16 && (c->kind == 'p' || (c->form && value))) {
        return c->kind == 'X' ? "0X" : "0x";
    }
    return "";
}

static void print_number(const emu_printer *p, const emu_conversion *c, uint64_t given) {
    char digits[DIGITS];
    uint64_t value = cut(c, given);
    const char *prefix = prefix_of(c, value);
    value = is_signed(c->kind) && value >> 63 ? 0 - value : value;
    size_t at = put_digits(digits, value, base_of(c->kind), c->kind == 'X' ? 'A' : 'a');
    if (at == DIGITS && c->precision != 0) {
        digits[--at] = '0';
    }
    if (c->kind == 'o' && c->form && (at == DIGITS || digits[at] != '0')) {
        digits[--at] = '0';
    }
    const uint32_t length = (uint32_t)(DIGITS - at), before = (uint32_t)strlen(prefix);
    const uint32_t zeros = c->precision > (int32_t)length ? (uint32_t)c->precision - length : 0;
    if (!zeros) {
        emu_conversion with = *c;
        with.zeros = c->precision < 0 && c->zeros;
        emu_print_padded(p, &with, prefix, digits + at, length);
        return;
    }
    const uint32_t whole = before + zeros + length, pad = c->width > whole ? c->width - whole : 0;
    put_many(p, ' ', c->left ? 0 : pad);
    p->put(p->context, prefix, before);
    put_many(p, '0', zeros);
    p->put(p->context, digits + at, length);
    put_many(p, ' ', c->left ? pad : 0);
}

static void print_text(const emu_printer *p, const emu_conversion *c, const char *text,
                       size_t length) {
    emu_conversion with = *c;
    with.zeros = 0;
    if (!text) {
        text = "(null)";
        length = strlen(text);
    }
    if (c->precision >= 0 && (size_t)c->precision < length) {
        length = (size_t)c->precision;
    }
    emu_print_padded(p, &with, "", text, length);
}

/* ---- formats ---- */

typedef struct reader {
    const char *at, *end;
} reader;

static char now(const reader *r) {
    return r->at < r->end ? *r->at : 0;
}

static uint32_t read_number(reader *r, arguments *a, int *negative) {
    uint32_t number = 0;
    *negative = 0;
    if (now(r) == '*') {
        r->at++;
        const int32_t given = (int32_t)(uint32_t)next_argument(a, 4);
        *negative = given < 0;
        number = given < 0 ? 0 - (uint32_t)given : (uint32_t)given;
    }
    for (; now(r) >= '0' && now(r) <= '9'; r->at++) {
        number = number < EMU_PRINT_TEXT_B ? number * 10 + (uint32_t)(now(r) - '0') : number;
    }
    return number < EMU_PRINT_TEXT_B ? number : EMU_PRINT_TEXT_B;
}

static void read_flags(reader *r, emu_conversion *c) {
    for (;; r->at++) {
        switch (now(r)) {
        case '-':
            c->left = 1;
            break;
        case '+':
            c->plus = 1;
            break;
        case ' ':
            c->blank = 1;
            break;
        case '#':
            c->form = 1;
            break;
        case '0':
            c->zeros = 1;
            break;
        default:
            return;
        }
    }
}

static emu_conversion read_conversion(reader *r, arguments *a) {
    emu_conversion c = {.precision = -1};
    int negative;
    read_flags(r, &c);
    c.width = read_number(r, a, &negative);
    c.left |= (uint8_t)negative;
    if (now(r) == '.') {
        r->at++;
        const uint32_t precision = read_number(r, a, &negative);
        c.precision = negative ? -1 : (int32_t)precision;
    }
    for (; now(r) && strchr("hljzt", now(r)); r->at++) {
        c.shorts = (uint8_t)(now(r) == 'h' ? c.shorts < 2 ? c.shorts + 1 : 2 : 0);
        c.is_long |= now(r) != 'h';
    }
    c.kind = now(r);
    return c;
}

/* The next argument as its conversion wants it; 0: the conversion is none. */
static int print_argument(const emu_printer *p, const emu_conversion *c, arguments *a,
                          emu_print_text text, void *text_context) {
    if (c->kind && strchr("fFeEgGaA", c->kind)) {
        const uint64_t bits = next_argument(a, 8);
        if (!a->failed) {
            emu_print_double(p, c, bits);
        }
        return 1;
    }
    if (!c->kind || !strchr("diuoxXcsp", c->kind)) {
        return 0;
    }
    const int wide = c->is_long || c->kind == 'p' || c->kind == 's';
    const uint64_t value = next_argument(a, wide ? 8 : 4);
    if (a->failed) {
        return 1;
    }
    if (c->kind == 's') {
        size_t length = 0;
        const char *at = text(text_context, value, &length);
        print_text(p, c, at, length);
    } else if (c->kind == 'c') {
        const char character = (char)(unsigned char)value;
        emu_conversion with = *c;
        with.precision = -1;
        print_text(p, &with, &character, 1);
    } else {
        emu_conversion with = *c;
        with.is_long |= c->kind == 'p';
        print_number(p, &with, value);
    }
    return 1;
}

int32_t emu_print(emu_print_put put, void *put_context, const char *format, size_t length,
                  const char *bytes, size_t bytes_B, emu_print_text text, void *text_context) {
    const emu_printer p = {put, put_context};
    arguments a = {.at = bytes, .size_B = bytes ? bytes_B : 0};
    reader r = {format, format + length};
    int32_t count = 0;
    while (r.at < r.end) {
        const char *from = r.at;
        while (r.at < r.end && *r.at != '%') {
            r.at++;
        }
        if (r.at > from) {
            put(put_context, from, (size_t)(r.at - from));
            continue;
        }
        r.at++;
        if (now(&r) == '%') {
            put(put_context, r.at++, 1);
            continue;
        }
        const emu_conversion c = read_conversion(&r, &a);
        r.at += r.at < r.end;
        if (!print_argument(&p, &c, &a, text, text_context)) {
            put(put_context, from, (size_t)(r.at - from)); /* as it stands */
        } else if (a.failed) {
            return -1;
        } else {
            count++;
        }
    }
    return count;
}
