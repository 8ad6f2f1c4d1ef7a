/* SPDX-License-Identifier: Apache-2.0
 *
 * What one clause says of the words in it, and no more than the clause.
 */
#ifndef TMA_CRASH_CLAUSE_H
#define TMA_CRASH_CLAUSE_H

#include <stddef.h>
#include <stdint.h>

#include "paste_parts.h"

/* The row of a refused argument whose `words` bytes begin at byte `at`, by the call of CUDA's that
 * its clause names; the row itself, where it names none. */
uint32_t crash_row_of_call(const paste_line *line, size_t at, size_t words, uint32_t row);

/* Whether the clause of the `words` bytes at byte `at` of a text says that what they name is not
 * there: "no TMA", "does not use TMA", "TMA is disabled". Not of what works ("without TMA it
 * passes"), and not of another thing in the clause ("no error with TMA"). */
int crash_is_none(const char *text, size_t size, size_t at, size_t words);

/* Whether the sentence of byte `at` of a text says of something that it works. */
int crash_is_of_what_works(const char *text, size_t size, size_t at);

/* The line where a text has said of two versions that one works and the other fails, or 0. */
size_t crash_versions(const char *text, size_t size);

#endif
