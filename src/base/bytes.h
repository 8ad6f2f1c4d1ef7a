/* SPDX-License-Identifier: Apache-2.0
 *
 * The map's little-endian words, read and written without assuming alignment or host byte order.
 */
#ifndef TMA_BYTES_H
#define TMA_BYTES_H

#include <stdint.h>
#include <string.h>

/* A number in the machine's order to the same number in little-endian order, and back. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define TMA_LITTLE32(value) __builtin_bswap32(value)
#define TMA_LITTLE64(value) __builtin_bswap64(value)
#else
#define TMA_LITTLE32(value) (value)
#define TMA_LITTLE64(value) (value)
#endif

static inline uint32_t tma_load32(const void *from) {
    uint32_t value;
    memcpy(&value, from, sizeof(value));
    return TMA_LITTLE32(value);
}

static inline uint64_t tma_load64(const void *from) {
    uint64_t value;
    memcpy(&value, from, sizeof(value));
    return TMA_LITTLE64(value);
}

static inline void tma_store32(void *to, uint32_t value) {
    value = TMA_LITTLE32(value);
    memcpy(to, &value, sizeof(value));
}

static inline void tma_store64(void *to, uint64_t value) {
    value = TMA_LITTLE64(value);
    memcpy(to, &value, sizeof(value));
}

static inline uint32_t tma_word(const void *map, unsigned word) {
    return tma_load32((const uint8_t *)map + (size_t)word * 4);
}

#endif
