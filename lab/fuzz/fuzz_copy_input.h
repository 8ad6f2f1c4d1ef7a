/* SPDX-License-Identifier: Apache-2.0
 *
 * What the bytes of an input of fuzz_copy mean: a map, an instruction, a position, and how much
 * memory there is. Every input means something; missing bytes are 0.
 */
#ifndef FUZZ_COPY_INPUT_H
#define FUZZ_COPY_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <tma/instruction.h>
#include <tma/map.h>

#define FUZZ_RANGES     3
#define FUZZ_COPY_BYTES 192 /* of a whole input */

struct fuzz_copy_input {
    uint8_t map[TMA_MAP_BYTES];
    tma_instruction instruction;
    tma_target target;
    tma_position at;
    uint32_t window_address;
    uint32_t window_B;
    uint32_t ranges;
    uint64_t range_address[FUZZ_RANGES]; /* one behind the other, perhaps with gaps */
    uint64_t range_B[FUZZ_RANGES];
    uint64_t seed; /* of what memory holds */
};

void fuzz_copy_read(struct fuzz_copy_input *in, const uint8_t *data, size_t size);

/* Sizes and distances as the input's bytes have them. */
struct fuzz_copy_memory {
    uint16_t window_before_B; /* from the window's address to the shared address */
    uint16_t window_B;
    uint8_t ranges;
    int16_t first_B; /* from the map's address to the first range */
    uint16_t gap_B[FUZZ_RANGES];
    uint16_t range_B[FUZZ_RANGES];
};

/* The other way: returns how many bytes were written, FUZZ_COPY_BYTES. */
size_t fuzz_copy_write(uint8_t bytes[FUZZ_COPY_BYTES], const uint8_t map[TMA_MAP_BYTES],
                       const tma_instruction *instruction, const tma_target *target,
                       const tma_position *at, const struct fuzz_copy_memory *memory);

#endif
