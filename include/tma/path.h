/* SPDX-License-Identifier: Apache-2.0
 *
 * Which loops move the bytes.
 */
#ifndef TMA_PATH_H
#define TMA_PATH_H

#include <stdint.h>

#include "export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which loops tma_copy() takes. The plan holds the widest that this machine has, or the reference
 * for what only that can do; all of them leave the same bytes. */
typedef enum tma_path {
    TMA_PATH_REFERENCE = 0,  /* one element after the other */
    TMA_PATH_PORTABLE = 1,   /* 16-byte vectors of the compiler's; NEON on Arm */
    TMA_PATH_AVX2 = 2,       /* and F16C */
    TMA_PATH_AVX512 = 3,     /* F, BW, VL, DQ */
    TMA_PATH_AVX512FP16 = 4, /* and FP16: sums of 16-bit floats */
    TMA_PATHS
} tma_path;

/* Whether this machine has a path. */
TMA_EXPORT TMA_MUST_USE bool tma_path_available(uint32_t path);

/* "reference", "portable", "avx2", "avx512", "avx512fp16"; "?" for an unknown number. */
TMA_EXPORT const char *tma_path_name(uint32_t path);

#ifdef __cplusplus
}
#endif
#endif
