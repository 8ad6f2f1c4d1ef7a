/* SPDX-License-Identifier: Apache-2.0
 *
 * Plain C loops with the same arithmetic as the copies, compiled with -O3: what the library is
 * measured against where bytes do not only move. Compiled once for each set of instructions that a
 * path may use; YARD_LOOPS is the name of this set's table.
 */
#include <math.h>
#include <string.h>

#include "copy_cases.h"

#ifdef __clang__ /* clang 14 has _Float16 on some processors only, and this, for storage, on all   \
                  */
typedef __fp16 half;
#else
typedef _Float16 half;
#endif

static void round_tf32(uint32_t *restrict to, const uint32_t *restrict from, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const uint32_t magnitude = from[i] & 0x7FFFFFFF;
        const uint32_t rounded =
            ((magnitude + 0x0FFF + (magnitude >> 13 & 1)) & ~0x1FFFu) | (from[i] & 0x80000000);
        to[i] = magnitude > 0x7F800000 ? 0x7FFFE000 : rounded;
    }
}

static void add_f32(uint32_t *restrict to, const uint32_t *restrict from, size_t n) {
    for (size_t i = 0; i < n; i++) {
        float g;
        float s;
        uint32_t bits;
        memcpy(&g, &to[i], 4);
        memcpy(&s, &from[i], 4);
        const float sum = g + s;
        memcpy(&bits, &sum, 4);
        to[i] = sum != sum ? 0x7FFFFFFF : bits;
    }
}

static void add_f16(uint16_t *restrict to, const uint16_t *restrict from, size_t n) {
    for (size_t i = 0; i < n; i++) {
        half g;
        half s;
        uint16_t bits;
        memcpy(&g, &to[i], 2);
        memcpy(&s, &from[i], 2);
        const half sum = (half)((float)g + (float)s);
        memcpy(&bits, &sum, 2);
        to[i] = (bits & 0x7FFF) > 0x7C00 ? 0x7FFF : bits;
    }
}

static void add_bf16(uint16_t *restrict to, const uint16_t *restrict from, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const uint32_t a = (uint32_t)to[i] << 16;
        const uint32_t b = (uint32_t)from[i] << 16;
        float g;
        float s;
        uint32_t bits;
        memcpy(&g, &a, 4);
        memcpy(&s, &b, 4);
        const float sum = g + s;
        memcpy(&bits, &sum, 4);
        to[i] = (uint16_t)(sum != sum ? 0x7FFF : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
    }
}

/* Values of 6 bits, one a byte, sixteen of them to twelve bytes. */
static void pack_6_bit(uint8_t *restrict to, const uint8_t *restrict from, size_t groups) {
    for (size_t i = 0; i < groups * 4; i++) {
        const uint32_t four = (from[4 * i] & 63u) | (from[4 * i + 1] & 63u) << 6 |
                              (from[4 * i + 2] & 63u) << 12 | (from[4 * i + 3] & 63u) << 18;
        to[3 * i] = (uint8_t)four;
        to[3 * i + 1] = (uint8_t)(four >> 8);
        to[3 * i + 2] = (uint8_t)(four >> 16);
    }
}

const yard_loops YARD_LOOPS = {round_tf32, add_f32, add_f16, add_bf16, pack_6_bit};
