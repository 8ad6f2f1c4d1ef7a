/* SPDX-License-Identifier: Apache-2.0
 *
 * What words do in a clause (crash_clause.def), and where a part of it ends.
 */
#ifndef TMA_CRASH_DOES_H
#define TMA_CRASH_DOES_H

#include <stddef.h>

/* What a word does in a clause. */
enum {
    TURN = 1,
    NO = 2,
    NOT = 4,
    USES = 8,
    STOPS = 16,
    IS = 32,
    GONE = 64,
    WORKS = 128,
    VERB = 256,
    FAILS = 512,
    NAMES = 1024,
    CASE = 2048,
    ALL = 4096,
    OF_IT = 8192,
    HERE = 16384,
    PLACES = 32768,
    OR = 65536,
    JOINS = 131072,
    ASKS = 262144,
    LABELS = 524288
};

/* All that a word does: "doesn't" has its denial in it. */
unsigned crash_does(const char *word, size_t length);

/* Whether a part of a clause ends at byte `at`. */
int crash_ends_part(const char *text, size_t size, size_t at);

/* Whether a word has the character: "n't" has a quote. */
int crash_is_in_word(char c);

#endif
