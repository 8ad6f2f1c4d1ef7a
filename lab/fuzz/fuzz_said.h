/* SPDX-License-Identifier: Apache-2.0
 *
 * What was answered to an input. replay_inputs.c compares it with what is kept in lab/fuzz/answers;
 * under libFuzzer nothing of it is done.
 */
#ifndef FUZZ_SAID_H
#define FUZZ_SAID_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_assert.h"
#include "tma/text.h"

/* The input, or its end, as a block that nobody may read behind: a copy for AddressSanitizer to
 * watch. replay_inputs.c has put a page behind the input. */
static inline char *fuzz_own(const uint8_t *data, size_t size) {
#ifdef FUZZ_KEEPS_ANSWERS
    (void)size;
    return (char *)(uintptr_t)data;
#else
    char *own = malloc(size ? size : 1);
    if (!own) {
        abort();
    }
    return memcpy(own, data, size);
#endif
}

static inline void fuzz_disown(char *own) {
#ifdef FUZZ_KEEPS_ANSWERS
    (void)own;
#else
    free(own);
#endif
}

#ifdef FUZZ_KEEPS_ANSWERS
void fuzz_said(const char *text, size_t length);
/* A line; null is an empty one. */
void fuzz_said_text(const char *text);
void fuzz_said_number(const char *name, uint64_t number);
#else
static inline void fuzz_said(const char *text, size_t length) {
    (void)text;
    (void)length;
}
static inline void fuzz_said_text(const char *text) {
    (void)text;
}
static inline void fuzz_said_number(const char *name, uint64_t number) {
    (void)name;
    (void)number;
}
#endif

/* That a refusal says why. */
static inline void fuzz_demand_message(const tma_error *error) {
    DEMAND(error->text[0]);
    DEMAND(memchr(error->text, 0, sizeof(error->text)));
    fuzz_said_text(error->text);
}

#endif
