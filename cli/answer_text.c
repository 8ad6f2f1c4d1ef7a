/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers.
 */
#include "answer_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_error.h"

/* Where `count` more characters go; a 0 behind them is seen to. */
static char *grow(answer_text *answer, size_t count) {
    if (answer->length + count + 1 > answer->room) {
        const size_t room = 2 * (answer->length + count + 1);
        char *at = realloc(answer->at, room);
        if (!at) {
            cli_out_of_memory();
        }
        answer->at = at;
        answer->room = room;
    }
    char *end = answer->at + answer->length;
    answer->length += count;
    answer->at[answer->length] = 0;
    return end;
}

static void put(answer_text *answer, const char *text) {
    const size_t length = strlen(text);
    memcpy(grow(answer, length), text, length);
}

static void begin(answer_text *answer, const char *key) {
    put(answer, " ");
    put(answer, key);
    put(answer, "=");
}

void answer_clear(answer_text *answer) {
    answer->length = 0;
    grow(answer, 0);
}

void answer_free(answer_text *answer) {
    free(answer->at);
    *answer = (answer_text){NULL, 0, 0};
}

void answer_word(answer_text *answer, const char *key, const char *word) {
    begin(answer, key);
    put(answer, word);
}

void answer_u64(answer_text *answer, const char *key, uint64_t value) {
    char text[24];
    snprintf(text, sizeof(text), "%" PRIu64, value);
    answer_word(answer, key, text);
}

void answer_hash(answer_text *answer, const char *key, uint64_t value) {
    char text[24];
    snprintf(text, sizeof(text), "%016" PRIx64, value);
    answer_word(answer, key, text);
}

void answer_hex(answer_text *answer, const char *key, const void *bytes, size_t count) {
    const uint8_t *from = bytes;
    begin(answer, key);
    char *to = grow(answer, 2 * count);
    for (size_t i = 0; i < count; i++) {
        to[2 * i] = "0123456789abcdef"[from[i] >> 4];
        to[2 * i + 1] = "0123456789abcdef"[from[i] & 15];
    }
}
