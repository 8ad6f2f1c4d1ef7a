/* SPDX-License-Identifier: Apache-2.0
 *
 * What a reader of words says of a text, whole, held against what is expected.
 */
#ifndef TESTS_SAID_H
#define TESTS_SAID_H

#include <stddef.h>

#include "tma/text.h"

struct asked {
    const char *text;
    const char *said; /* "= " and what was read, or the message */
};

/* Puts what it read, or returns -1 with the message. */
typedef int (*said_reader)(tma_out *out, const char *text, tma_error *error);

/* Fails with all texts of which something else is said. */
void expect_said(said_reader read, const struct asked *cases, size_t count);

#endif
