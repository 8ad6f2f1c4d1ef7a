/* SPDX-License-Identifier: Apache-2.0
 *
 * The swizzles as an exclusive or of address bits. PTX 5.5.7 has them as tables.
 */
#include "tma/swizzle.h"

tma_swizzle_bits tma_swizzle_bits_of(uint32_t swizzle) {
    static const tma_swizzle_bits bits[] = {
        [TMA_SWIZZLE_NONE] = {0, 0, 0, 0},
        [TMA_SWIZZLE_32B] = {3, 0x10, 0, 0},                      /* bit 4 by bit 7 */
        [TMA_SWIZZLE_64B] = {3, 0x30, 0, 0},                      /* 5:4 by 8:7 */
        [TMA_SWIZZLE_128B] = {3, 0x70, 0, 0},                     /* 6:4 by 9:7 */
        [TMA_SWIZZLE_128B_ATOM_32B] = {2, 0x60, 0, 0},            /* 6:5 by 8:7 */
        [TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B] = {2, 0x60, 4, 0x08}, /* and 3 by 7 */
        [TMA_SWIZZLE_128B_ATOM_64B] = {1, 0x40, 0, 0},            /* 6 by 7 */
    };
    if (swizzle == TMA_SWIZZLE_96B) {
        return bits[TMA_SWIZZLE_32B];
    }
    return bits[swizzle <= TMA_SWIZZLE_128B_ATOM_64B ? swizzle : TMA_SWIZZLE_NONE];
}

uint32_t tma_swizzled(tma_swizzle_bits bits, uint32_t address) {
    return address ^ (address >> bits.shift & bits.mask) ^
           (address >> bits.flip_shift & bits.flip_mask);
}
