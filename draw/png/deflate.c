/* SPDX-License-Identifier: Apache-2.0 */
#include "deflate.h"

#include <string.h>

#define LEAST_MATCH_B 3
#define MOST_MATCH_B  258
#define ADLER_BASE    65521
#define MOST_BACK_B   32768
#define END_OF_BLOCK  256

typedef struct match {
    uint32_t length_B, back_B;
} match;

static void put_byte(deflate *d, uint32_t byte) {
    d->piece[d->length_B++] = (uint8_t)byte;
    if (d->length_B == DEFLATE_PIECE_B) {
        d->sink(d->context, d->piece, d->length_B);
        d->length_B = 0;
    }
}

static void put_bits(deflate *d, uint32_t bits, uint32_t count) {
    d->bits |= bits << d->bit_count;
    for (d->bit_count += count; d->bit_count >= 8; d->bit_count -= 8) {
        put_byte(d, d->bits & 255);
        d->bits >>= 8;
    }
}

/* A Huffman code's first bit is its highest. */
static void put_code(deflate *d, uint32_t code, uint32_t count) {
    uint32_t turned = 0;
    for (uint32_t i = 0; i < count; i++) {
        turned |= (code >> i & 1) << (count - 1 - i);
    }
    put_bits(d, turned, count);
}

/* The fixed codes of RFC 1951, 3.2.6. */
static void put_symbol(deflate *d, uint32_t symbol) {
    if (symbol < 144) {
        put_code(d, 0x30 + symbol, 8);
    } else if (symbol < 256) {
        put_code(d, 0x190 + symbol - 144, 9);
    } else if (symbol < 280) {
        put_code(d, symbol - 256, 7);
    } else {
        put_code(d, 0xC0 + symbol - 280, 8);
    }
}

/* 3.2.5: 4 lengths, or 2 distances, share a number of extra bits; before that each has a code of
 * its own. Of `above` = the least one + n, the code and its extra bits, 2^`shared` codes a number.
 */
static uint32_t extra_of(uint32_t above, uint32_t shared) {
    uint32_t extra = 0;
    while (above >> extra >= 2u << shared) {
        extra++;
    }
    return extra;
}

static uint32_t code_of(uint32_t above, uint32_t shared, uint32_t extra) {
    return (extra << shared) + (above >> extra);
}

static void put_match(deflate *d, match m) {
    const uint32_t above = m.length_B - LEAST_MATCH_B;
    const uint32_t back = m.back_B - 1;
    const uint32_t extra = extra_of(above, 2);
    const uint32_t back_extra = extra_of(back, 1);
    if (m.length_B == MOST_MATCH_B) { /* has a code of its own, too */
        put_symbol(d, 285);
    } else {
        put_symbol(d, 257 + code_of(above, 2, extra));
        put_bits(d, above & ((1u << extra) - 1), extra);
    }
    put_code(d, code_of(back, 1, back_extra), 5);
    put_bits(d, back & ((1u << back_extra) - 1), back_extra);
}

static uint32_t hash_of(const uint8_t *bytes, size_t at) {
    const uint32_t three = bytes[at] | (uint32_t)bytes[at + 1] << 8 | (uint32_t)bytes[at + 2] << 16;
    return (three * 2654435761u >> 16) % DEFLATE_SEEN; /* Knuth's multiplier */
}

static uint32_t equal_B(const uint8_t *bytes, size_t at, size_t back_B, size_t size_B) {
    uint32_t length_B = 0;
    while (length_B < MOST_MATCH_B && at + length_B < size_B &&
           bytes[at + length_B] == bytes[at + length_B - back_B]) {
        length_B++;
    }
    return length_B;
}

/* The pixel before, or where three bytes like these were last seen in the row. */
static match match_at(const deflate *d, const uint8_t *bytes, size_t at, size_t size_B) {
    const size_t seen = d->seen[hash_of(bytes, at)];
    match best = {0, DEFLATE_PIXEL_B};
    if (at >= DEFLATE_PIXEL_B) {
        best.length_B = equal_B(bytes, at, DEFLATE_PIXEL_B, size_B);
    }
    if (seen && at - (seen - 1) <= MOST_BACK_B) {
        const match there = {equal_B(bytes, at, at - (seen - 1), size_B),
                             (uint32_t)(at - (seen - 1))};
        best = there.length_B > best.length_B ? there : best;
    }
    return best;
}

/* Adler-32 of a row: at most 2^23 bytes, so that the sums hold what is reduced at its end. */
static void sum(deflate *d, uint8_t filter, const uint8_t *bytes, size_t size_B) {
    uint64_t one = d->sums[0] + filter;
    uint64_t two = d->sums[1] + one;
    for (size_t i = 0; i < size_B; i++) {
        one += bytes[i];
        two += one;
    }
    d->sums[0] = (uint32_t)(one % ADLER_BASE);
    d->sums[1] = (uint32_t)(two % ADLER_BASE);
}

void deflate_begin(deflate *d, deflate_sink sink, void *context) {
    d->sink = sink;
    d->context = context;
    d->bits = d->bit_count = 0;
    d->sums[0] = 1;
    d->sums[1] = 0;
    d->length_B = 0;
    put_byte(d, 0x78); /* deflate, a window of 32 KiB */
    put_byte(d, 0x01);
    put_bits(d, 1, 1); /* the last block */
    put_bits(d, 1, 2); /* of fixed codes */
}

void deflate_row(deflate *d, uint8_t filter, const uint8_t *bytes, size_t size_B) {
    put_symbol(d, filter);
    memset(d->seen, 0, sizeof(d->seen));
    for (size_t at = 0; at < size_B;) {
        const int is_end = at + LEAST_MATCH_B > size_B;
        const match none = {0, 0};
        const match found = is_end ? none : match_at(d, bytes, at, size_B);
        const uint32_t taken_B = found.length_B < LEAST_MATCH_B ? 1 : found.length_B;
        if (taken_B == 1) {
            put_symbol(d, bytes[at]);
        } else {
            put_match(d, found);
        }
        if (!is_end) {
            d->seen[hash_of(bytes, at)] = (uint32_t)(at + 1);
        }
        at += taken_B;
    }
    sum(d, filter, bytes, size_B);
}

void deflate_end(deflate *d) {
    put_symbol(d, END_OF_BLOCK);
    put_bits(d, 0, (8 - d->bit_count) % 8);
    for (uint32_t i = 0; i < 4; i++) {
        put_byte(d, d->sums[i < 2] >> (i % 2 ? 0 : 8) & 255);
    }
    if (d->length_B) {
        d->sink(d->context, d->piece, d->length_B);
    }
}
