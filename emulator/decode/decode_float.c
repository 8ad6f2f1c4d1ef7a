/* SPDX-License-Identifier: Apache-2.0
 *
 * Decimal numbers as doubles, correctly rounded: the digits as one whole number of any length,
 * times or by powers of ten, exactly; what is cut off below counts as not zero.
 */
#include <string.h>

#include "decode.h"
#include "tma/detail/assert.h"

#define MOST_DIGITS   400
#define MOST_EXPONENT 800 /* beyond: 0 or infinity, whatever the digits */
#define WORDS         192 /* of 32 bits: 400 digits, times 10^800, or 2^3000 by it */
#define QUOTIENT_BITS 3000

typedef struct whole {
    uint32_t word[WORDS]; /* the lowest first */
    uint32_t words;
} whole;

static void multiply_add(whole *w, uint32_t by, uint32_t add) {
    uint64_t carry = add;
    for (uint32_t i = 0; i < w->words; i++) {
        carry += (uint64_t)w->word[i] * by;
        w->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        TMA_ASSERT(w->words < WORDS);
        w->word[w->words++] = (uint32_t)carry;
    }
}

static uint32_t divide(whole *w, uint32_t by) {
    uint64_t rest = 0;
    for (uint32_t i = w->words; i-- > 0;) {
        rest = rest << 32 | w->word[i];
        w->word[i] = (uint32_t)(rest / by);
        rest %= by;
    }
    while (w->words && !w->word[w->words - 1]) {
        w->words--;
    }
    return (uint32_t)rest;
}

static void shift(whole *w, uint32_t words) {
    TMA_ASSERT(w->words + words <= WORDS);
    memmove(w->word + words, w->word, w->words * sizeof(*w->word));
    memset(w->word, 0, words * sizeof(*w->word));
    w->words += words;
}

static uint32_t bits_of(const whole *w) {
    return w->words ? 32 * w->words - (uint32_t)__builtin_clz(w->word[w->words - 1]) : 0;
}

static uint32_t bit_at(const whole *w, uint32_t bit) {
    return w->word[bit / 32] >> (bit % 32) & 1;
}

static int any_below(const whole *w, uint32_t bit) {
    for (uint32_t i = 0; i < bit; i++) {
        if (bit_at(w, i)) {
            return 1;
        }
    }
    return 0;
}

/* w * 2^exponent, and something below it, to the nearest double, ties to even. */
static uint64_t round_to_double(const whole *w, int32_t exponent, int below) {
    const uint32_t all = bits_of(w);
    const int32_t top = (int32_t)all - 1 + exponent; /* of the leading bit */
    if (!all || top < -1075) {
        return 0;
    }
    const int32_t least = top < -1022 ? -1074 : top - 52; /* of the last bit that stays */
    const int32_t cut = least - exponent;
    uint64_t bits = 0;
    for (int32_t i = (int32_t)all - 1; i >= cut; i--) {
        bits = bits << 1 | (i >= 0 ? bit_at(w, (uint32_t)i) : 0);
    }
    if (cut > 0 && (uint32_t)cut <= all && bit_at(w, (uint32_t)cut - 1)) {
        bits += (bits & 1) || below || any_below(w, (uint32_t)cut - 1);
    }
    if (top < -1022) {
        return bits; /* a carry into 2^52 is the smallest normal number */
    }
    bits += (uint64_t)(top + 1022) << 52; /* the hidden bit adds one */
    return bits >= UINT64_C(0x7FF) << 52 ? UINT64_C(0x7FF) << 52 : bits;
}

static uint64_t scaled(whole *w, int32_t exponent) {
    int below = 0;
    int32_t binary = 0;
    if (!w->words || exponent < -MOST_EXPONENT) {
        return 0;
    }
    if (exponent > MOST_EXPONENT) {
        return UINT64_C(0x7FF) << 52;
    }
    if (exponent < 0) {
        shift(w, QUOTIENT_BITS / 32);
        binary = -(QUOTIENT_BITS / 32 * 32);
    }
    for (; exponent > 0; exponent--) {
        multiply_add(w, 10, 0);
    }
    for (; exponent < 0; exponent++) {
        below |= divide(w, 10) != 0;
    }
    return round_to_double(w, binary, below);
}

typedef struct cursor {
    const char *at, *end;
} cursor;

static char peek(const cursor *c) {
    return c->at < c->end ? *c->at : 0;
}

/* Digits into a whole number: how many; those beyond MOST_DIGITS make the text no number. */
static int32_t take_digits(cursor *c, whole *w) {
    int32_t digits = 0;
    for (; text_is_digit(peek(c)); c->at++, digits++) {
        multiply_add(w, 10, (uint32_t)(*c->at - '0'));
    }
    return digits;
}

static int take_exponent(cursor *c, int32_t *exponent) {
    if (peek(c) != 'e' && peek(c) != 'E') {
        return 1;
    }
    c->at++;
    const int is_negative = peek(c) == '-';
    c->at += is_negative || peek(c) == '+';
    int32_t n = 0;
    const char *const from = c->at;
    for (; text_is_digit(peek(c)); c->at++) {
        n = n < 100000 ? 10 * n + (*c->at - '0') : n;
    }
    *exponent += is_negative ? -n : n;
    return c->at > from;
}

int decode_double(tma_ptx_span text, double *value) {
    whole w = {{0}, 0};
    cursor c = {text.at, text.at + text.length};
    if (text.length > MOST_DIGITS) {
        return 0;
    }
    const int is_negative = peek(&c) == '-';
    c.at += is_negative || peek(&c) == '+';
    int32_t digits = take_digits(&c, &w);
    int32_t exponent = 0;
    if (peek(&c) == '.') {
        c.at++;
        exponent = -take_digits(&c, &w);
        digits -= exponent;
    }
    if (!digits || !take_exponent(&c, &exponent) || c.at != c.end) {
        return 0;
    }
    const uint64_t bits = scaled(&w, exponent) | (uint64_t)is_negative << 63;
    memcpy(value, &bits, sizeof(*value));
    return 1;
}
