/* SPDX-License-Identifier: Apache-2.0
 *
 * Random parsers and command lines, for cli/args/ and for glibc's argp alike.
 */
#ifndef ARGS_ORACLE_H
#define ARGS_ORACLE_H

#include <stdint.h>

#define ARGS_ORACLE_WORDS 12

/* Makes parsers and a command line; returns how many words it has. */
int args_oracle_make(uint64_t seed, char **words);

/* Reads a command line with them, and prints what callbacks are told. */
void args_oracle_own(int argc, char **argv);
void args_oracle_argp(int argc, char **argv);

/* Whether two texts differ in blanks and line ends alone. */
int args_oracle_same_words(const char *a, const char *b);

#endif
