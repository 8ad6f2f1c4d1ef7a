/* SPDX-License-Identifier: Apache-2.0
 *
 * What readers say of texts, held against said/READER.txt: a text behind "? ", each of its lines
 * so, then what was read of it behind "= ", or the message behind "! "; "# " begins a remark. What
 * is no printable character, a backslash, a blank at a line's end and a newline at the text's are
 * written as in C.
 */
#ifndef TESTS_SAID_H
#define TESTS_SAID_H

#include "tma/text.h"

#define SAID_SIZE 4096 /* of a text, and of what is said */

struct said_reader {
    const char *name;
    /* Puts what it read, or returns -1 with the message. */
    int (*read)(tma_out *out, const char *text, tma_error *error);
};

/* A test of cmocka; its state is a struct said_reader. Fails with all texts of which something else
 * is said. */
void says(void **state);

#endif
