/* SPDX-License-Identifier: Apache-2.0
 *
 * A WebAssembly of its own, which unpacks the page's script and the libraries: raw LZMA with lc 3,
 * lp 0, pb 0, as put_together.py packs them. JavaScript writes the packed bytes to from(), calls
 * unpack() with the size that they had, and finds them at to().
 */
#include <stddef.h>
#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(name)))
#define MOST_FROM    (1 << 19)
#define MOST_TO      (1 << 21)

enum { LAST_STATES = 12, LITERAL_ODDS = 768, EVEN_ODDS = 1024 };

/* How long a match is. */
typedef struct {
    uint16_t is_9_more, is_17_more;
    uint16_t few[8], some[8], many[256];
} lengths;

/* How likely a bit is 0, of 2048, in each place where one is asked for. */
static struct {
    uint16_t is_match[LAST_STATES], is_again[LAST_STATES], is_not_last[LAST_STATES];
    uint16_t is_long[LAST_STATES], is_not_second[LAST_STATES], is_fourth[LAST_STATES];
    uint16_t slot[4][64], far[128], align[16];
    lengths fresh, again;
    uint16_t literal[8][LITERAL_ODDS];
} odds;

static uint8_t from[MOST_FROM], to[MOST_TO];
static const uint8_t *at;
static uint32_t range, code;
static uint32_t state;                  /* what the last bytes were: 0 to 6 behind a literal */
static uint32_t last[4] = {1, 1, 1, 1}; /* distances */

EXPORT("from") uint8_t *unpack_from(void) {
    return from;
}

EXPORT("to") uint8_t *unpack_to(void) {
    return to;
}

static void widen(void) {
    if (range < 1U << 24) {
        range <<= 8;
        code = code << 8 | *at++;
    }
}

static uint32_t bit(uint16_t *odd) {
    const uint32_t bound = (range >> 11) * *odd;
    const uint32_t is = code >= bound;
    if (is) {
        range -= bound;
        code -= bound;
        *odd = (uint16_t)(*odd - (*odd >> 5));
    } else {
        range = bound;
        *odd = (uint16_t)(*odd + ((2048 - *odd) >> 5));
    }
    widen();
    return is;
}

static uint32_t number(uint16_t *tree, uint32_t bits) {
    uint32_t node = 1;
    for (uint32_t i = 0; i < bits; i++) {
        node = 2 * node + bit(tree + node);
    }
    return node - (1U << bits);
}

static uint32_t lowest_first(uint16_t *tree, uint32_t bits) {
    uint32_t node = 1;
    uint32_t value = 0;
    for (uint32_t i = 0; i < bits; i++) {
        const uint32_t is = bit(tree + node);
        node = 2 * node + is;
        value |= is << i;
    }
    return value;
}

/* Bits that are 0 as often as 1. */
static uint32_t even(uint32_t bits) {
    uint32_t value = 0;
    while (bits--) {
        range >>= 1;
        const uint32_t is = code >= range;
        code -= is ? range : 0;
        value = 2 * value + is;
        widen();
    }
    return value;
}

static uint32_t length(lengths *of) {
    if (!bit(&of->is_9_more)) {
        return 2 + number(of->few, 3);
    }
    return bit(&of->is_17_more) ? 18 + number(of->many, 8) : 10 + number(of->some, 3);
}

static uint32_t distance(uint32_t count) {
    const uint32_t slot = number(odds.slot[count < 5 ? count - 2 : 3], 6);
    if (slot < 4) {
        return 1 + slot;
    }
    const uint32_t bits = (slot >> 1) - 1;
    const uint32_t base = (2 | (slot & 1)) << bits;
    if (slot < 14) {
        return 1 + base + lowest_first(odds.far + base - slot, bits);
    }
    const uint32_t high = even(bits - 4);
    return 1 + base + 16 * high + lowest_first(odds.align, 4);
}

static uint8_t literal(size_t out) {
    uint16_t *tree = odds.literal[out ? to[out - 1] >> 5 : 0];
    uint32_t node = 1;
    if (state >= 7) { /* behind a match: as the byte that would have gone on, until they differ */
        const uint32_t other = to[out - last[0]];
        for (uint32_t i = 8, is = 0, was = 0; i-- && is == was;) {
            was = other >> i & 1;
            is = bit(tree + 256 * (1 + was) + node);
            node = 2 * node + is;
        }
    }
    while (node < 256) {
        node = 2 * node + bit(tree + node);
    }
    state -= state < 4 ? state : state < 10 ? 3 : 6;
    return (uint8_t)node;
}

static void remember(uint32_t distance, uint32_t place) {
    for (; place; place--) {
        last[place] = last[place - 1];
    }
    last[0] = distance;
}

/* A match's length; last[0] is its distance. */
static uint32_t match(void) {
    const uint32_t was = state;
    state = was < 7 ? 8 : 11;
    if (!bit(&odds.is_again[was])) {
        const uint32_t count = length(&odds.fresh);
        state -= 1;
        remember(distance(count), 3);
        return count;
    }
    if (bit(&odds.is_not_last[was])) {
        const uint32_t place = bit(&odds.is_not_second[was]) ? 2 + bit(&odds.is_fourth[was]) : 1;
        remember(last[place], place);
    } else if (!bit(&odds.is_long[was])) {
        state = was < 7 ? 9 : 11;
        return 1;
    }
    return length(&odds.again);
}

EXPORT("unpack") void unpack(size_t size) {
    for (size_t i = 0; i < sizeof(odds) / sizeof(uint16_t); i++) {
        ((uint16_t *)&odds)[i] = EVEN_ODDS;
    }
    range = UINT32_MAX;
    at = from + 1; /* the first byte is 0 */
    for (int i = 0; i < 4; i++) {
        code = code << 8 | *at++;
    }
    for (size_t out = 0; out < size;) {
        if (!bit(&odds.is_match[state])) {
            to[out] = literal(out);
            out++;
            continue;
        }
        for (uint32_t count = match(); count && out < size; count--, out++) {
            to[out] = to[out - last[0]];
        }
    }
}
