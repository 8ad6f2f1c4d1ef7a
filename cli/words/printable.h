/* SPDX-License-Identifier: Apache-2.0
 *
 * Text from outside, made safe for a terminal: no byte that moves its cursor or changes its state.
 */
#ifndef CLI_PRINTABLE_H
#define CLI_PRINTABLE_H

#include <stddef.h>
#include <stdio.h>

/* A short text, cut where it is longer, for messages. */
typedef struct safe_text {
    char text[256];
} safe_text;

/* Prints; control characters and bytes that are no UTF-8 as \xNN. */
void printable(FILE *out, const char *text);
void printable_part(FILE *out, const char *text, size_t size);

/* One line of a text, counted from 1, as evidence: "  > ..."; nothing where there is no such line.
 */
void printable_line(FILE *out, const char *text, size_t size, size_t number);

safe_text printable_text(const char *text);
safe_text printable_text_part(const char *text, size_t size);

#endif
