/* SPDX-License-Identifier: Apache-2.0
 *
 * The answer to one case line, in the lines' own format: " rc=0 desc=...". Grows, and is used again
 * for the next line.
 */
#ifndef CLI_ANSWER_TEXT_H
#define CLI_ANSWER_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct answer_text {
    char *at; /* ends in a 0 */
    size_t length;
    size_t room;
} answer_text;

void answer_clear(answer_text *answer);
void answer_free(answer_text *answer);

/* " key=" and the value. */
void answer_u64(answer_text *answer, const char *key, uint64_t value);
void answer_word(answer_text *answer, const char *key, const char *word);
void answer_hex(answer_text *answer, const char *key, const void *bytes, size_t count);

/* Sixteen hexadecimal digits. */
void answer_hash(answer_text *answer, const char *key, uint64_t value);

#endif
