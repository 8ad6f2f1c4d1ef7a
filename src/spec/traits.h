/* SPDX-License-Identifier: Apache-2.0
 *
 * What sets an element type or a swizzle apart: the rows of enums.def as data.
 */
#ifndef TMA_TRAITS_H
#define TMA_TRAITS_H

#include "tma/limits.def"
#include "tma/spec.h"
#include "tma/swizzle.h"
#include "tma/type_traits.h"

enum { TMA_SWIZZLE_NUMBERS = TMA_SWIZZLE_96B + 1 };

/* By the driver's numbers; the last entry of each is for all that do not exist. */
enum {
    TMA_DTYPES = 0
#define TMA_DTYPE_ROWS(...) +1 // NOLINT(bugprone-macro-parentheses): a sum of rows
#include "tma/enums.def"
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
    ,
    tma_l2_same = 1
#define TMA_L2_ROWS SAME
#include "tma/enums.def"
    ,
    tma_fill_same = 1
#define TMA_FILL_ROWS SAME
#include "tma/enums.def"
};
static inline uint32_t tma_interleave_to(uint32_t value) {
    return
#define TMA_INTERLEAVE_ROWS TO
#include "tma/enums.def"
        value;
}
static inline uint32_t tma_interleave_from(uint32_t value) {
    return
#define TMA_INTERLEAVE_ROWS FROM
#include "tma/enums.def"
        UINT32_MAX;
}
static inline uint32_t tma_l2_to(uint32_t value) {
    return
#define TMA_L2_ROWS TO
#include "tma/enums.def"
        value;
}
static inline uint32_t tma_l2_from(uint32_t value) {
    return
#define TMA_L2_ROWS FROM
#include "tma/enums.def"
        UINT32_MAX;
}
static inline uint32_t tma_fill_to(uint32_t value) {
    return
#define TMA_FILL_ROWS TO
#include "tma/enums.def"
        value;
}
static inline uint32_t tma_fill_from(uint32_t value) {
    return
#define TMA_FILL_ROWS FROM
#include "tma/enums.def"
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
