/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of errors in a line, and what stands around them.
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

/* Whether what stands before byte `at` says that a number there, of so many bytes, is an error's.
 */
int crash_is_error_before(const paste_line *line, size_t at, size_t length);

/* Whether the words at byte `at` are source text that a compiler quotes: "return
 * CUDA_ERROR_UNKNOWN;" returned nothing. */
int crash_is_returned(const paste_line *line, size_t at, size_t length);

/* Whether the line is a string of source text alone, behind a "raise Error(" in the line before: it
 * was not printed. */
int crash_is_raised(const paste_line *line, const paste_line *before);

/* Whether the line has no word. */
int crash_is_of_numbers(const paste_line *line);

/* Where an Xid's number stands whose words begin at byte `at`, behind its GPU's address, if it has
 * one; or 0. */
size_t crash_behind_xid(const paste_line *line, size_t at, int *has_place);

/* Whether the words stand in the others, anywhere a word begins. */
int crash_is_part(const char *words, const char *text, size_t length);

#endif
