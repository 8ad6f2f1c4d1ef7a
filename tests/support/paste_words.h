/* SPDX-License-Identifier: Apache-2.0
 *
 * All that is found in a small text, one line of words for each thing, held against what is
 * expected.
 */
#ifndef TESTS_PASTE_WORDS_H
#define TESTS_PASTE_WORDS_H

#include <stddef.h>

struct small_log {
    const char *text;
    const char *found; /* "map CUTLASS 1-12 code 1 at 7ffe10a2c340 tiled t9 r2 a7f2a40000000 d64,32
                        * s128 b64,8 e1,1 i0 s3 l2 f0 -tensorRank": lines, the map's address, the
                        * arguments, those that the text has not; "; " between two. Of what is no
                        * map what is said in parentheses */
};

/* Whether that is found; else both are said. */
int finds(const struct small_log *log);

/* Fails with all logs of which something else is said. */
void expect_found(const struct small_log *logs, size_t count);

#endif
