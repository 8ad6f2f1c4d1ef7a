/* SPDX-License-Identifier: Apache-2.0
 *
 * What memory held before a captured copy, and the hash of what it held after: the fill=, seed= and
 * hash= of case lines.
 */
#ifndef CLI_PATTERN_H
#define CLI_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "cli_error.h"

typedef enum pattern {
    PATTERN_RAND,
    PATTERN_RAMP32,
    PATTERN_RAMP16,
    PATTERN_SPECIAL,
    PATTERN_MIX16,
    PATTERN_MIX32,
    PATTERN_MIX64
} pattern;

/* "rand", "ramp32", "ramp16", "special", "mix16", "mix32" or "mix64". */
int pattern_named(const char *text, pattern *out, cli_error *error);

/* Fills `size_B` bytes, a multiple of 8: 64-bit little-endian words. */
void pattern_fill(uint8_t *bytes, size_t size_B, pattern kind, uint64_t seed);

/* FNV-1a of 64 bits. */
uint64_t pattern_hash(const uint8_t *bytes, size_t size_B);

#endif
