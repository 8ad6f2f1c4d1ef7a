/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads case lines of kind enc, rep and dev (vectors/README.md): a request and its answer. Written
 * for the tests alone, apart from the command's own reader, so that neither can hide the other's
 * mistakes.
 */
#ifndef TESTS_CASE_READER_H
#define TESTS_CASE_READER_H

#include <tma/map.h>

enum case_kind { CASE_ENC, CASE_REP, CASE_DEV };

struct case_line {
    enum case_kind kind;
    tma_spec spec;
    uint64_t naddr; /* CASE_REP: the new address */
    uint64_t field; /* CASE_DEV: the field of tensormap.replace, its ordinal and value */
    uint64_t ord;
    uint64_t val;
    int rc; /* the answer, as the driver numbers it: 0, or 1 = CUDA_ERROR_INVALID_VALUE */
    int has_before;
    int has_desc;
    uint8_t before[TMA_MAP_BYTES];
    uint8_t desc[TMA_MAP_BYTES];
};

/* Returns null, or what is wrong with the line. Numbers beyond 64 bits are read as 2^64 - 1, as
 * strtoull does: the program that asked the driver used it, so the driver was asked that. */
const char *case_read(const char *text, struct case_line *line);

#endif
