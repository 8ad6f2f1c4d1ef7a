/* SPDX-License-Identifier: Apache-2.0
 *
 * Doubles in decimal, exactly: a double is N / 10^k with a whole N of at most 767 digits, which are
 * rounded where the conversion ends, ties to even.
 */
#include <string.h>

#include "print.h"

#define LIMB         1000000000u
#define LIMB_DIGITS  9
#define LIMBS        90
#define MOST_DIGITS  (LIMBS * LIMB_DIGITS)
#define FIVES        12 /* 5^12 fits 32 bits */
#define FRACTION_BIT 52
#define MOST_TEXT    (EMU_PRINT_TEXT_B + MOST_DIGITS)

typedef struct decimal {
    char digit[MOST_DIGITS + 1]; /* the first is not 0, unless all are */
    int32_t count;
    int32_t point; /* digits before it; below 0: zeros behind it */
} decimal;

/* ---- N ---- */

typedef struct whole {
    uint32_t limb[LIMBS]; /* the lowest first */
    uint32_t limbs;
} whole;

static void times(whole *n, uint32_t by) {
    uint64_t carry = 0;
    for (uint32_t i = 0; i < n->limbs; i++) {
        carry += (uint64_t)n->limb[i] * by;
        n->limb[i] = (uint32_t)(carry % LIMB);
        carry /= LIMB;
    }
    for (; carry; carry /= LIMB) {
        n->limb[n->limbs++] = (uint32_t)(carry % LIMB);
    }
}

static void times_power(whole *n, uint32_t base, uint32_t exponent) {
    uint32_t step = 1;
    for (int i = 0; i < FIVES; i++) {
        step *= base;
    }
    for (; exponent >= FIVES; exponent -= FIVES) {
        times(n, step);
    }
    for (; exponent; exponent--) {
        times(n, base);
    }
}

static void to_digits(decimal *d, const whole *n, int32_t decimals) {
    int32_t count = 0, skip = 0;
    for (uint32_t i = n->limbs; i--;) {
        uint32_t unit = LIMB / 10;
        for (uint32_t limb = n->limb[i]; unit; limb %= unit, unit /= 10) {
            d->digit[count++] = (char)('0' + limb / unit);
        }
    }
    while (skip < count && d->digit[skip] == '0') {
        skip++;
    }
    memmove(d->digit, d->digit + skip, (size_t)(count - skip));
    d->count = count - skip;
    d->point = d->count ? d->count - decimals : 1;
}

static void to_decimal(decimal *d, uint64_t mantissa, int32_t exponent) {
    whole n = {.limbs = 0};
    for (uint64_t rest = mantissa; rest; rest /= LIMB) {
        n.limb[n.limbs++] = (uint32_t)(rest % LIMB);
    }
    if (exponent >= 0) {
        times_power(&n, 2, (uint32_t)exponent);
    } else {
        times_power(&n, 5, (uint32_t)-exponent);
    }
    to_digits(d, &n, exponent < 0 ? -exponent : 0);
}

/* Rounds to so many digits, ties to even; fewer than 0: to none. */
static void round_to(decimal *d, int32_t count) {
    if (count >= d->count) {
        return;
    }
    int up = 0;
    if (count >= 0) {
        int rest = 0;
        for (int32_t i = count + 1; i < d->count; i++) {
            rest |= d->digit[i] != '0';
        }
        const char next = d->digit[count];
        const int odd = count && (d->digit[count - 1] & 1);
        up = next > '5' || (next == '5' && (rest || odd));
    }
    d->count = count < 0 ? 0 : count;
    int32_t i = d->count;
    for (; up && i; i--) {
        if (d->digit[i - 1] != '9') {
            d->digit[i - 1]++;
            up = 0;
        } else {
            d->digit[i - 1] = '0';
        }
    }
    if (up) {
        memmove(d->digit + 1, d->digit, (size_t)d->count);
        d->digit[0] = '1';
        d->count++;
        d->point++;
    }
}

/* ---- text ---- */

typedef struct text {
    char at[MOST_TEXT];
    size_t length;
} text;

static void add(text *t, char what) {
    if (t->length < MOST_TEXT) {
        t->at[t->length++] = what;
    }
}

static char digit_at(const decimal *d, int32_t i) {
    return i >= 0 && i < d->count ? d->digit[i] : '0';
}

static void fixed(text *t, const decimal *d, int32_t precision, int form) {
    if (d->point <= 0) {
        add(t, '0');
    }
    for (int32_t i = 0; i < d->point; i++) {
        add(t, digit_at(d, i));
    }
    if (precision || form) {
        add(t, '.');
    }
    for (int32_t i = 0; i < precision; i++) {
        add(t, digit_at(d, d->point + i));
    }
}

static void scientific(text *t, const decimal *d, int32_t precision, int form, char e) {
    const int32_t exponent = d->count ? d->point - 1 : 0;
    const uint32_t size = (uint32_t)(exponent < 0 ? -exponent : exponent);
    add(t, digit_at(d, 0));
    if (precision || form) {
        add(t, '.');
    }
    for (int32_t i = 0; i < precision; i++) {
        add(t, digit_at(d, 1 + i));
    }
    add(t, e);
    add(t, exponent < 0 ? '-' : '+');
    if (size >= 100) {
        add(t, (char)('0' + size / 100));
    }
    add(t, (char)('0' + size / 10 % 10));
    add(t, (char)('0' + size % 10));
}

/* %g: the shorter of both, without zeros at its end. */
static void shorter(text *t, decimal *d, int32_t precision, int form, char e) {
    const int32_t digits = precision ? precision : 1;
    round_to(d, digits);
    const int32_t exponent = d->count ? d->point - 1 : 0;
    int32_t count = digits;
    while (!form && count > 1 && digit_at(d, count - 1) == '0') {
        count--;
    }
    if (exponent < -4 || exponent >= digits) {
        scientific(t, d, count - 1, form, e);
    } else {
        const int32_t behind = count - 1 - exponent;
        fixed(t, d, behind < 0 ? 0 : behind, form);
    }
}

static void hexadecimal(text *t, const emu_conversion *c, uint64_t mantissa, int32_t exponent) {
    const char *digits = c->kind == 'A' ? "0123456789ABCDEF" : "0123456789abcdef";
    const int32_t all = FRACTION_BIT / 4;
    int32_t precision = c->precision < 0 || c->precision > all ? all : c->precision;
    const uint32_t cut = (uint32_t)(all - precision) * 4;
    if (cut) {
        const uint64_t half = UINT64_C(1) << (cut - 1), rest = mantissa & ((half << 1) - 1);
        mantissa >>= cut;
        mantissa += rest > half || (rest == half && mantissa & 1);
        mantissa <<= cut;
    }
    if (c->precision < 0) {
        while (precision && !(mantissa >> (FRACTION_BIT - precision * 4) & 15)) {
            precision--;
        }
    }
    add(t, digits[mantissa >> FRACTION_BIT & 15]);
    if (precision || c->form || c->precision > all) {
        add(t, '.');
    }
    for (int32_t i = 1; i <= precision; i++) {
        add(t, digits[mantissa >> (FRACTION_BIT - i * 4) & 15]);
    }
    for (int32_t i = all; i < c->precision; i++) {
        add(t, '0');
    }
    char number[8];
    size_t at = sizeof(number);
    uint32_t size = (uint32_t)(exponent < 0 ? -exponent : exponent);
    do {
        number[--at] = (char)('0' + size % 10);
    } while (size /= 10);
    add(t, c->kind == 'A' ? 'P' : 'p');
    add(t, exponent < 0 ? '-' : '+');
    while (at < sizeof(number)) {
        add(t, number[at++]);
    }
}

static void print_finite(const emu_printer *p, const emu_conversion *c, const char *sign,
                         uint64_t mantissa, int32_t exponent) {
    const char kind = (char)(c->kind | 0x20);
    const char e = c->kind < 'a' ? 'E' : 'e';
    const int32_t precision = c->precision < 0 ? 6 : c->precision;
    text t = {.length = 0};
    decimal d;
    to_decimal(&d, mantissa, exponent);
    if (kind == 'f') {
        round_to(&d, d.point + precision);
        fixed(&t, &d, precision, c->form);
    } else if (kind == 'e') {
        round_to(&d, precision + 1);
        scientific(&t, &d, precision, c->form, e);
    } else {
        shorter(&t, &d, precision, c->form, e);
    }
    emu_print_padded(p, c, sign, t.at, t.length);
}

static void print_hexadecimal(const emu_printer *p, const emu_conversion *c, const char *sign,
                              uint64_t mantissa, int32_t exponent) {
    char prefix[4] = {sign[0], 0};
    memcpy(prefix + strlen(prefix), c->kind == 'A' ? "0X" : "0x", 3);
    text t = {.length = 0};
    hexadecimal(&t, c, mantissa, exponent);
    emu_print_padded(p, c, prefix, t.at, t.length);
}

void emu_print_double(const emu_printer *p, const emu_conversion *c, uint64_t bits) {
    const uint64_t fraction = bits & ((UINT64_C(1) << FRACTION_BIT) - 1);
    const int32_t biased = (int32_t)(bits >> FRACTION_BIT & 0x7ff);
    const char *sign = bits >> 63 ? "-" : c->plus ? "+" : c->blank ? " " : "";
    if (biased == 0x7ff) {
        emu_conversion with = *c;
        with.zeros = 0;
        const char *name = c->kind < 'a' ? fraction ? "NAN" : "INF" : fraction ? "nan" : "inf";
        emu_print_padded(p, &with, sign, name, strlen(name));
        return;
    }
    const uint64_t mantissa = fraction | (uint64_t)(biased != 0) << FRACTION_BIT;
    const int32_t exponent = biased ? biased - 1023 : -1022;
    if (c->kind == 'a' || c->kind == 'A') {
        print_hexadecimal(p, c, sign, mantissa, mantissa ? exponent : 0);
    } else {
        print_finite(p, c, sign, mantissa, exponent - FRACTION_BIT);
    }
}
