/* SPDX-License-Identifier: Apache-2.0
 *
 * What sets an element type or a swizzle apart: the rows of enums.def as data.
 */
#ifndef TMA_TRAITS_H
#define TMA_TRAITS_H

#include "tma/limits.def"
#include "tma/spec.h"
#include "tma/swizzle.h"

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

enum { TMA_SWIZZLE_NUMBERS = TMA_SWIZZLE_96B + 1 };

/* By the driver's numbers; the last entry of each is for all that do not exist. */
enum {
    TMA_DTYPES = 0
#define TMA_DTYPE_ROWS(...) +1 // NOLINT(bugprone-macro-parentheses): a sum of rows
#include "tma/enums.def"
#undef TMA_DTYPE_ROWS
};
extern const tma_type_traits tma_types[TMA_DTYPES + 1];
extern const tma_swizzle_traits tma_swizzles[TMA_SWIZZLE_NUMBERS + 1];

/* The driver's number to the stored bits and back, for what is stored as it is numbered but for a
 * row that says otherwise; ~0 for bits that no row has. */
#define TMA_STORED(name)                                                                           \
    static inline uint32_t tma_##name##_stored(uint32_t driver) {                                  \
        return tma_##name##_same ? driver : tma_##name##_to(driver);                               \
    }                                                                                              \
    static inline uint32_t tma_##name##_driver(uint32_t stored) {                                  \
        return tma_##name##_same ? stored : tma_##name##_from(stored);                             \
    }
#define SAME(n, c, p, driver, i, stored, e) &&(driver) == (stored)
#define TO(n, c, p, driver, i, stored, e)   value == (driver) ? (uint32_t)(stored):
#define FROM(n, c, p, driver, i, stored, e) value == (uint32_t)(stored) ? (uint32_t)(driver):
enum {
    tma_interleave_same = 1
#define TMA_INTERLEAVE_ROWS SAME
#include "tma/enums.def"
#undef TMA_INTERLEAVE_ROWS
    ,
    tma_l2_same = 1
#define TMA_L2_ROWS SAME
#include "tma/enums.def"
#undef TMA_L2_ROWS
    ,
    tma_fill_same = 1
#define TMA_FILL_ROWS SAME
#include "tma/enums.def"
#undef TMA_FILL_ROWS
};
static inline uint32_t tma_interleave_to(uint32_t value) {
    return
#define TMA_INTERLEAVE_ROWS TO
#include "tma/enums.def"
#undef TMA_INTERLEAVE_ROWS
        value;
}
static inline uint32_t tma_interleave_from(uint32_t value) {
    return
#define TMA_INTERLEAVE_ROWS FROM
#include "tma/enums.def"
#undef TMA_INTERLEAVE_ROWS
        UINT32_MAX;
}
static inline uint32_t tma_l2_to(uint32_t value) {
    return
#define TMA_L2_ROWS TO
#include "tma/enums.def"
#undef TMA_L2_ROWS
        value;
}
static inline uint32_t tma_l2_from(uint32_t value) {
    return
#define TMA_L2_ROWS FROM
#include "tma/enums.def"
#undef TMA_L2_ROWS
        UINT32_MAX;
}
static inline uint32_t tma_fill_to(uint32_t value) {
    return
#define TMA_FILL_ROWS TO
#include "tma/enums.def"
#undef TMA_FILL_ROWS
        value;
}
static inline uint32_t tma_fill_from(uint32_t value) {
    return
#define TMA_FILL_ROWS FROM
#include "tma/enums.def"
#undef TMA_FILL_ROWS
        UINT32_MAX;
}
#undef SAME
#undef TO
#undef FROM
TMA_STORED(interleave)
TMA_STORED(l2)
TMA_STORED(fill)

static inline const tma_type_traits *tma_type_of(uint32_t dtype) {
    return &tma_types[dtype < TMA_DTYPES ? dtype : TMA_DTYPES];
}

static inline const tma_swizzle_traits *tma_swizzle_of(uint32_t swizzle) {
    return &tma_swizzles[swizzle < TMA_SWIZZLE_NUMBERS ? swizzle : TMA_SWIZZLE_NUMBERS];
}

/* Bytes of one slice of channels, 0 without interleave. */
static inline uint32_t tma_slice_B(uint32_t interleave) {
    return TMA_VALUE(SLICE) * interleave;
}

/* The 6-bit type as stores of sm_103a take it (PTX 9.1, .b6p2x16). */
extern const tma_type_traits tma_type_halves;

/* A type as a target with these features takes it; storing: for a store, or for a map that nobody
 * says is for loads. */
static inline const tma_type_traits *tma_type_on(uint32_t dtype, uint64_t features, int storing) {
    return storing && features & TMA_FEATURE_STORE_HALVES && dtype == TMA_DTYPE_16U6_ALIGN16B
               ? &tma_type_halves
               : tma_type_of(dtype);
}

static inline int tma_type_has(uint32_t dtype, uint32_t trait) {
    return (tma_type_of(dtype)->traits & trait) != 0;
}

static inline int tma_swizzle_has(uint32_t swizzle, uint32_t trait) {
    return (tma_swizzle_of(swizzle)->traits & trait) != 0;
}

#endif
