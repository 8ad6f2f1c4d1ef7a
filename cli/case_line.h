/* SPDX-License-Identifier: Apache-2.0
 *
 * Case lines: a kind, then key=value fields; the request, and from rc= on the answer.
 *   enc api=tiled dtype=9 rank=2 addr=0x7f0000000000 dim=4096,8192 stride=8192 box=64,128 es=1,1
 *       il=0 sw=3 l2=0 oob=0 rc=0 desc=...
 * tma.1 lists the fields. What a line can't mean is a message, never a guess.
 */
#ifndef CLI_CASE_LINE_H
#define CLI_CASE_LINE_H

#include <stddef.h>

#include "cli_error.h"
#include "tma/spec.h"

#define CASE_MOST_FIELDS 64

typedef struct case_field {
    const char *key;
    const char *value;
} case_field;

/* One line, cut up: all strings point into the text that was read. */
typedef struct case_line {
    const char *kind;
    case_field fields[CASE_MOST_FIELDS];
    size_t request; /* fields before rc= */
    size_t count;   /* all fields */
} case_line;

/* Cuts up `text` in place. Returns 1 for a line that asks nothing (blank, or # ...), -1 on error.
 */
int case_read(case_line *line, char *text, size_t length, cli_error *error);

/* The request's map. Besides the map's own keys only those in `also` (blank separated) may be
 * there. *target is set where the line has arch=, else left. */
int case_spec(const case_line *line, const char *also, tma_spec *spec, tma_target *target,
              cli_error *error);

/* A field of the request, or of the answer; null if it is not there. */
const char *case_request(const case_line *line, const char *key);
const char *case_answer(const case_line *line, const char *key);

/* A number of the request that has to be there: decimal or hexadecimal, maybe negative (two's
 * complement), at most 2^64 - 1 is kept of a larger one, as strtoull does. */
int case_u64(const case_line *line, const char *key, uint64_t *out, cli_error *error);

/* Whether the blank separated words hold the key. */
int case_word_in(const char *key, const char *words);

#endif
