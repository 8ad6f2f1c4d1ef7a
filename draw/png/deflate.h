/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of pixels packed as zlib's format wants them (RFC 1950, 1951): one block of fixed codes, in
 * which pixels that repeat the one before are lengths.
 */
#ifndef DRAW_DEFLATE_H
#define DRAW_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

#define DEFLATE_PIXEL_B 3

/* Takes packed bytes, at most DEFLATE_PIECE_B of them. */
typedef void (*deflate_sink)(void *context, const uint8_t *bytes, size_t size_B);

#define DEFLATE_PIECE_B 4096
#define DEFLATE_SEEN    1024

typedef struct deflate {
    deflate_sink sink;
    void *context;
    uint32_t bits, bit_count;    /* of the byte in the making and the next ones, least first */
    uint32_t sums[2];            /* Adler-32's */
    uint32_t seen[DEFLATE_SEEN]; /* of three bytes in the row, by a hash: where last, from 1 on */
    size_t length_B;
    uint8_t piece[DEFLATE_PIECE_B];
} deflate;

void deflate_begin(deflate *d, deflate_sink sink, void *context);

/* One row: a byte that says how it was filtered, then its bytes, at most 2^23. */
void deflate_row(deflate *d, uint8_t filter, const uint8_t *bytes, size_t size_B);

void deflate_end(deflate *d);

#endif
