/* SPDX-License-Identifier: Apache-2.0
 *
 * The map's little-endian words, read and written without assuming alignment or host byte order.
 */
#ifndef TMA_BYTES_H
#define TMA_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint32_t tma_load32(const void *from) {
    const uint8_t *b = (const uint8_t *)from;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline uint64_t tma_load64(const void *from) {
    const uint8_t *b = (const uint8_t *)from;
    return (uint64_t)tma_load32(b) | (uint64_t)tma_load32(b + 4) << 32;
}

static inline void tma_store32(void *to, uint32_t value) {
    uint8_t *b = (uint8_t *)to;
    b[0] = (uint8_t)value;
    b[1] = (uint8_t)(value >> 8);
    b[2] = (uint8_t)(value >> 16);
    b[3] = (uint8_t)(value >> 24);
}

static inline void tma_store64(void *to, uint64_t value) {
    uint8_t *b = (uint8_t *)to;
    tma_store32(b, (uint32_t)value);
    tma_store32(b + 4, (uint32_t)(value >> 32));
}

static inline uint32_t tma_word(const void *map, unsigned word) {
    return tma_load32((const uint8_t *)map + (size_t)word * 4);
}

#endif
