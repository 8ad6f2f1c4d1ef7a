/* SPDX-License-Identifier: Apache-2.0
 *
 * Which byte of global memory goes with which byte of shared memory: plain nested loops over a
 * spec, written for the tests from the documents and the fact pages, with division, remainder and
 * tables where the library carries and shifts.
 */
#ifndef TESTS_PLAIN_COPY_H
#define TESTS_PLAIN_COPY_H

#include <tma/instruction.h>
#include <tma/spec.h>
#include <tma/walk.h>

/* One byte of shared memory. */
struct plain_byte {
    uint8_t kind; /* tma_run_kind */
    uint8_t bit;  /* stores of 6-bit types: where in global memory's byte the 6 bits begin */
    uint32_t row;
    uint32_t offset_B; /* in the row, before the swizzle */
    uint32_t shared_address;
    uint64_t address;            /* INSIDE and PAST_EDGE */
    int64_t coord[TMA_MAX_RANK]; /* of the element (the unit, if interleaved) that it belongs to */
};

struct plain_copy {
    const tma_spec *spec;
    const tma_instruction *instruction;
    const tma_position *at;
    uint32_t rows; /* halo counted */
    uint32_t row_B;
    uint32_t row_shared_B;
    uint32_t pitch_B;
    uint32_t offset[3];
};

struct plain_copy plain_copy_of(const tma_spec *spec, const tma_instruction *instruction,
                                const tma_position *at);

struct plain_row {
    uint32_t row;
    int inside; /* in every dimension but 0 (0 too, if interleaved) */
    int64_t coord[TMA_MAX_RANK];
    uint64_t address; /* of coordinate 0 of dimension 0; of the unit, if interleaved */
};

struct plain_row plain_copy_row(const struct plain_copy *p, uint32_t row);

/* The byte at offset_B of a row. */
struct plain_byte plain_copy_byte(const struct plain_copy *p, const struct plain_row *row,
                                  uint32_t offset_B);

#endif
