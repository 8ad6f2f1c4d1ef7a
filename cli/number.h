/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers as people and case lines write them. Nothing is skipped: no blanks, no signs but where
 * said, no digits after the end.
 */
#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#include "cli_error.h"

enum number_status { NUMBER_OK, NUMBER_MALFORMED, NUMBER_TOO_BIG };

/* Decimal digits or 0x and hexadecimal ones; on NUMBER_TOO_BIG *out is 2^64 - 1. */
enum number_status number_digits(const char *text, size_t length, uint64_t *out);

/* The case lines' spelling: the same with a sign, as two's complement, and 2^64 - 1 for larger
 * ones, as strtoull gives it. Returns -1 for what is no number, or below -2^63. */
int number_case(const char *text, size_t length, uint64_t *out);

/* The command line's spelling: the same, or a power of two (2^32). `what` names the argument. */
int number_u64(const char *text, size_t length, const char *what, uint64_t *out, cli_error *error);

/* The same with a sign, in 32 bits. */
int number_i32(const char *text, size_t length, const char *what, int32_t *out, cli_error *error);

#endif
