/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of errors in a line, and what stands before them.
 */
#ifndef TMA_CRASH_NUMBERS_H
#define TMA_CRASH_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

#include "paste_parts.h"

/* The number that begins at byte `at`, if it ends as one: its length, or 0. */
size_t crash_whole_number(const paste_line *line, size_t at, uint64_t *number);

/* Whether the character may stand between a word and its number. */
int crash_is_separator(char c);

/* Whether what stands before byte `at` says that a number there is an error's. */
int crash_is_error_before(const paste_line *line, size_t at);

#endif
