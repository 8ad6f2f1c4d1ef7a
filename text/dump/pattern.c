/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns of whole memories, and hashes.
 */
#include "tma/pattern.h"

#define FNV_OFFSET UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME  UINT64_C(0x100000001b3)

const char *tma_pattern_name(size_t pattern) {
    static const char *const names[TMA_PATTERNS] = {"rand",  "ramp32", "ramp16", "special",
                                                    "mix16", "mix32",  "mix64"};
    return pattern < TMA_PATTERNS ? names[pattern] : NULL;
}

void tma_pattern_fill(void *bytes, size_t size_B, tma_pattern pattern, uint64_t seed) {
    uint8_t *to = bytes;
    uint64_t word = 0;
    for (size_t at = 0; at < size_B; at++) {
        word = at % 8 ? word >> 8 : tma_pattern_word(pattern, seed, at / 8);
        to[at] = (uint8_t)word;
    }
}

uint64_t tma_hash(const void *bytes, size_t size_B) {
    const uint8_t *from = bytes;
    uint64_t hash = FNV_OFFSET;
    for (size_t i = 0; i < size_B; i++) {
        hash = (hash ^ from[i]) * FNV_PRIME;
    }
    return hash;
}
