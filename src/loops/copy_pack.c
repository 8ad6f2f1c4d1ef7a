/* SPDX-License-Identifier: Apache-2.0
 *
 * Stores of the 6-bit type: shared memory holds a value a byte, sixteen to a chunk, global memory
 * twelve bytes of the same (PTX 5.5.1.1, .b6p2x16). Numbers, not vectors: one loop for all paths.
 */
#include <string.h>

#include "bytes.h"
#include "copy_kernels.h"
#include "tma/detail/assert.h"

#define VALUES 8 /* of a word */

/* Eight values of 6 bits, from a byte each to 48 bits together: two become one three times over. */
static inline uint64_t together(uint64_t bytes) {
    uint64_t x = bytes & UINT64_C(0x3F3F3F3F3F3F3F3F);
    x = (x & UINT64_C(0x003F003F003F003F)) | (x & UINT64_C(0x3F003F003F003F00)) >> 2;
    x = (x & UINT64_C(0x00000FFF00000FFF)) | (x & UINT64_C(0x0FFF00000FFF0000)) >> 4;
    return (x & 0xFFFFFF) | (x & UINT64_C(0x00FFFFFF00000000)) >> 8;
}

void tma_pack(const tma_job *job) {
    const tma_job j = *job;
    TMA_ASSERT(j.row_B % (2 * VALUES) == 0);
    for (uint32_t row = 0; row < j.rows; row++) {
        uint8_t *to = j.global + row * j.step_B;
        const uint32_t address = j.address + row * j.pitch_B;
        for (uint32_t at = 0; at < j.row_B; at += 2 * VALUES) {
            const uint32_t plain = address + at;
            const uint32_t moved = plain ^ (plain >> j.bits.shift & j.bits.mask);
            const uint8_t *const from = j.window + (moved - j.window_address);
            const uint64_t low = together(tma_load64(from));
            const uint64_t high = together(tma_load64(from + VALUES));
            tma_store64(to, low | high << 48);
            tma_store32(to + 8, (uint32_t)(high >> 16));
            to += 12;
        }
    }
}
