/* SPDX-License-Identifier: Apache-2.0
 *
 * What was answered to an input. replay_inputs.c compares it with what is kept in fuzz/answers;
 * under libFuzzer nothing of it is done.
 */
#ifndef FUZZ_SAID_H
#define FUZZ_SAID_H

#include <stddef.h>
#include <stdint.h>

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

#endif
