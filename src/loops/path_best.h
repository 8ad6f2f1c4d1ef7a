/* SPDX-License-Identifier: Apache-2.0
 *
 * The widest path of this machine.
 */
#ifndef TMA_PATH_INTERNAL_H
#define TMA_PATH_INTERNAL_H

#include "tma/path.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define TMA_HAS_AVX 1
#endif

/* Whether the compiler's assembler knows AVX512-FP16. */
#if defined(TMA_HAS_AVX) && (defined(__clang__) ? __clang_major__ >= 14 : __GNUC__ >= 12)
#define TMA_HAS_FP16 1
#else
#define TMA_HAS_FP16 0
#endif

uint32_t tma_path_best(void);

#endif
