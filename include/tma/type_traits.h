/* SPDX-License-Identifier: Apache-2.0
 *
 * What sets an element type or a swizzle apart: the columns of enums.def that conditions.h asks.
 * Plain data, for code that has no library.
 */
#ifndef TMA_TYPE_TRAITS_H
#define TMA_TYPE_TRAITS_H

#include "limits.def"
#include "spec.h"
#include "swizzle.h"

/* Of an element type. */
#define TMA_TRAIT_FLOAT  0x01u /* floating point: NaN fill is for it */
#define TMA_TRAIT_SIGNED 0x02u /* a signed integer */
#define TMA_TRAIT_FTZ    0x04u /* sums flush subnormals */
#define TMA_TRAIT_TF32   0x08u /* the code of another type and the TF32 flag: loads round */
#define TMA_TRAIT_PACKED 0x10u /* 4 or 6 bits; needs sm_100's driver */
#define TMA_TRAIT_PADDED 0x20u /* packed, and padded to 16 bytes in shared memory */
#define TMA_TRAIT_HALVES 0x40u /* padded, as sm_103a stores it: rows of one or two granules */

/* Of a swizzle. */
#define TMA_TRAIT_ATOM         0x01u /* atoms of 32 or 64 bytes; needs sm_100's driver */
#define TMA_TRAIT_LOADS_ONLY   0x02u
#define TMA_TRAIT_NO_CALL      0x04u /* no driver call makes it */
#define TMA_TRAIT_TAKES_PADDED 0x08u /* padded types take it */
#define TMA_TRAIT_TAKES_6_BIT  0x10u /* of the padded types the 6-bit one does, to store */
#define TMA_TRAIT_WIDE_CALL    0x20u /* in cuTensorMapEncodeIm2colWide's list */
#define TMA_TRAIT_WIDE_READ    0x40u /* im2col::w reads maps with it: PTX 5.5.5 */
#define TMA_TRAIT_TAKES_HALVES 0x80u /* sm_103a stores the 6-bit type with it */

typedef struct tma_type_traits {
    uint8_t bits;         /* of an element in global memory; 0: no such type */
    uint8_t mantissa_bit; /* floating point */
    uint8_t traits;
    uint8_t stored;         /* element code */
    uint8_t granule_el;     /* globalDim[0] is a multiple of it; padded types: a row, and what
                               coordinate 0 is a multiple of */
    uint8_t group_el;       /* elements that move together, */
    uint8_t group_shared_B; /* and their bytes in shared memory, padding included; 0: none */
} tma_type_traits;

typedef struct tma_swizzle_traits {
    uint16_t span_B;
    uint16_t repeat_B; /* 0: no such swizzle */
    uint8_t traits;
    uint8_t stored; /* mode, */
    uint8_t atomicity;
    uint8_t align_B; /* of shared addresses */
    tma_swizzle_bits bits;
} tma_swizzle_traits;

#endif
