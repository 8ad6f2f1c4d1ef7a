/* SPDX-License-Identifier: Apache-2.0
 *
 * What compiled code calls without being told: memory, and the product of 128 bits.
 */
#include <stdint.h>
#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t length) {
    unsigned char *a = to;
    const unsigned char *b = from;
    for (; length >= 8; length -= 8, a += 8, b += 8) {
        uint64_t word;
        __builtin_memcpy_inline(&word, b, 8);
        __builtin_memcpy_inline(a, &word, 8);
    }
    while (length--) {
        *a++ = *b++;
    }
    return to;
}

void *memset(void *to, int byte, size_t length) {
    unsigned char *a = to;
    while (length--) {
        *a++ = (unsigned char)byte;
    }
    return to;
}

void __multi3(uint64_t out[2], uint64_t a, uint64_t a_high, uint64_t b, uint64_t b_high);

void __multi3(uint64_t out[2], uint64_t a, uint64_t a_high, uint64_t b, uint64_t b_high) {
    const uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
    const uint64_t left = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    const uint64_t right = (a & UINT32_MAX) * (b >> 32) + (left & UINT32_MAX);
    out[0] = right << 32 | (low & UINT32_MAX);
    out[1] = (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32) + a_high * b + a * b_high;
}
