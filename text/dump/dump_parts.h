/* SPDX-License-Identifier: Apache-2.0
 *
 * A dump being read: the values found so far.
 */
#ifndef TMA_DUMP_PARTS_H
#define TMA_DUMP_PARTS_H

#include "tma/dump.h"

/* Text from `at` on. */
typedef struct dump_text {
    const char *at;
    size_t left;
} dump_text;

static inline dump_text dump_after(dump_text text, size_t length) {
    return (dump_text){text.at + length, text.left - length};
}

#define DUMP_MOST_VALUES 128

typedef struct dump_values {
    uint64_t number[DUMP_MOST_VALUES]; /* with 0x, or in braces */
    size_t numbers;                    /* all of them, also those beyond DUMP_MOST_VALUES */
    size_t digits;                     /* of every number so far; 0 if they differ */
    uint64_t largest;
    dump_text shown;              /* the largest, for messages */
    uint8_t bytes[TMA_MAP_BYTES]; /* bare ones, in order */
    size_t count;                 /* all of them, also those beyond the array */
    size_t group_B;               /* the longest bare word */
    size_t groups;                /* how many bare words */
} dump_values;

/* A text that is a dump and nothing else. */
int tma_dump_read_whole(uint8_t *map, const char **how, const char *data, size_t size,
                        tma_error *error);

/* Words with what separates them: numbers with 0x, bytes without. */
int tma_dump_take(dump_values *values, dump_text all, tma_error *error);

/* Bytes of each number by its digits, as debuggers fill them up with zeros; 0 if they differ. */
size_t tma_dump_padded_B(const dump_values *values);

/* What was taken as 128 bytes. */
int tma_dump_whole(uint8_t *map, const dump_values *values, tma_error *error);

/* The other kinds of text: an initialiser, and lines that begin with an address. */
int tma_dump_braces(uint8_t *map, dump_text all, tma_error *error);
int tma_dump_lines(uint8_t *map, dump_text text, tma_error *error);

/* Whether a line of the text begins with an address as debuggers and dump programs print it. */
int tma_dump_has_addresses(dump_text text);

/* What languages print, if the text is that. */
int tma_dump_forms(uint8_t *map, dump_text text);

/* A map that was bare groups of that many bytes and makes no sense, but does with the bytes of each
 * group turned around: turns them, and says how it was read; "" if nothing was turned. */
const char *tma_dump_turned(uint8_t *map, size_t width_B);

int tma_dump_wrong_size(size_t found, tma_error *error);

#endif
