/* SPDX-License-Identifier: Apache-2.0
 *
 * The swizzles as an exclusive or of address bits, out of enums.def. PTX 5.5.7 has them as tables.
 */
#include "tma/swizzle.h"
#include "traits.h"

tma_swizzle_bits tma_swizzle_bits_of(uint32_t swizzle) {
    return tma_swizzle_of(swizzle)->bits;
}

uint32_t tma_swizzled(tma_swizzle_bits bits, uint32_t address) {
    return address ^ (address >> bits.shift & bits.mask) ^
           (address >> bits.flip_shift & bits.flip_mask);
}
