/* SPDX-License-Identifier: Apache-2.0
 *
 * A filter: standard input goes on to standard output as it comes, what is said of it goes to
 * standard error.
 */
#ifndef CLI_PASS_ON_H
#define CLI_PASS_ON_H

#include "file_bytes.h"

/* Reads standard input to its end, at most `most_B` bytes, and passes each piece on. Until then an
 * interrupt ends who writes to us, and not us. Afterwards all that is printed goes to standard
 * error. An input whose first piece holds a NUL is no text: it is read and not passed on, and
 * standard output stays. What cannot be written is read all the same. */
int pass_on(file_bytes *out, uint64_t most_B, tma_error *error);

#endif
