/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads case lines of kind hw (vectors/README.md): a map, one copy, and what a machine answered.
 * Written for the tests alone, apart from the command's own reader.
 */
#ifndef TESTS_HW_CASE_H
#define TESTS_HW_CASE_H

#include <tma/instruction.h>
#include <tma/spec.h>

enum hw_fill {
    HW_FILL_RAND,
    HW_FILL_RAMP16,
    HW_FILL_RAMP32,
    HW_FILL_SPECIAL,
    HW_FILL_MIX16,
    HW_FILL_MIX32,
    HW_FILL_MIX64
};

/* Strings point into the line that was read. */
struct hw_case {
    tma_spec spec; /* the address is an offset into the global buffer */
    tma_target target;
    tma_instruction instruction;
    tma_position at; /* the shared address is an offset from the window's base */
    uint64_t window_B;
    uint64_t global_B;
    enum hw_fill fill;
    uint64_t seed;
    uint64_t expect_B; /* bytes that the barrier was told to expect; 0: not said */

    uint64_t rc;        /* of the encode call; where it is not 0, nothing below means anything */
    const char *status; /* "1", or "trap:NAME" */
    uint64_t tx_B;      /* bytes that completed the barrier, where has_tx */
    uint64_t count_B;   /* how much memory was looked at afterwards, and its FNV-1a */
    uint64_t hash;
    const char *raw; /* those bytes in hexadecimal, or null */
    int has_tx;      /* H200 lines have a tx that means nothing */
};

/* Cuts `line` into its words, in place. Returns null, or what is wrong with it. */
const char *hw_case_read(char *line, struct hw_case *c);

/* Memory as it was before the copy; whole 64-bit words, then what is left of one. */
void hw_fill_bytes(uint8_t *bytes, uint64_t count_B, enum hw_fill fill, uint64_t seed);

/* FNV-1a, 64 bits. */
uint64_t hw_hash(const uint8_t *bytes, uint64_t count_B);

#endif
