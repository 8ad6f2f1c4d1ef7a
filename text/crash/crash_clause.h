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

/* What a text says of the thing that it names: that there is none, in what fails; or none in a
 * case, which need not be the one that fails ("without TMA"); or none in a part of it;
 * or that there is none of another thing ("no TMA error"), or it asks ("not the TMA, right?"). */
enum { CRASH_THERE, CRASH_NONE, CRASH_NONE_IN_CASE, CRASH_NONE_IN_PART, CRASH_NONE_OF_OTHER };

/* Which of them the clause of the `words` bytes at byte `at` says: "no TMA", "does not use TMA",
 * "TMA is disabled" deny it. Not what works ("without TMA it passes"), and what denies another
 * thing
 * ("no error with TMA", "no TMA error", "no TMA load completes") denies nothing of it. */
int crash_is_none(const char *text, size_t size, size_t at, size_t words);

/* Whether what byte `at` of a text names is told to work: its sentence tells of nothing else, or
 * of a failure, too, and its own part of no failure. */
enum { CRASH_WORKS_NOT, CRASH_WORKS, CRASH_WORKS_MAYBE };
int crash_works(const char *text, size_t size, size_t at);

/* Whether the `length` bytes of a number at byte `at` are what a call of CUDA's in its clause ended
 * in: "cuTensorMapEncodeTiled fails with 1", no "fails with 1 GPU". */
int crash_is_status(const char *text, size_t size, size_t at, size_t length);

/* The line where a text has said of two versions that one works and the other fails, or 0. */
size_t crash_versions(const char *text, size_t size);

#endif
